"""The rules of easim analyze: test_insights.py EASIM SOURCE.

For each rule a scenario on which it speaks and one just beyond its threshold on which it does not; its figures again from
the CSV files of the folder; its command as it is printed, by a shell, and what it reports of that run. A clean run under
every policy; random runs of everything, some figures of which are known; names and folders that are hostile; folders that
are no recorded runs."""
import json
import re
from pathlib import Path

import test_services as services
from harness import SOURCE, TINY, cases, easim, json_of, near, rows_of
from recorded_case import figures, insights, jobs_file, no_run, rigid, silent, the, what_if
from recorded_scenarios import drawn, record

IDLE_W, CTX_W, TDP_W = 60, 98, 400  # of the GPU type below; a rigid job draws TDP_W
TYPE = "{name: a, idle_w: 60, ctx_w: 98, tdp_w: 400}"
COLUMNS = "job_id submit_s user model duration_s requested_s gpus gpu_type deadline_s gpu_share".split()
SEEDS = 30
POLICIES = "fcfs easy pollux themis chronos zeus hades aurachronos charon allox las max_min tiresias".split()


class Place:
    """A folder of scenarios, each with its runs beside it."""

    def __init__(self, folder):
        self.folder, self.count = folder, 0

    def scenario(self, jobs, nodes="[{gpu: a, gpus: 4}]", policy="fcfs", types=f"[{TYPE}]", workload="", more=""):
        self.count += 1
        path = self.folder / f"s{self.count}"
        Path(f"{path}.csv").write_text(jobs_file(jobs, COLUMNS))
        policy = policy if "{" in policy else f"{{name: {policy}}}"
        Path(f"{path}.yaml").write_text(
            f"name: s{self.count}\nhorizon: drain\ncluster: {{gpu_types: {types}, nodes: {nodes}{more}}}\n"
            f"workload: {{kind: trace, file: s{self.count}.csv{workload}}}\npolicy: {policy}\n")
        return f"{path}.yaml"

    def run(self, *arguments, **keys):
        out = self.folder / f"r{self.count}"
        self.count += 1
        easim("run", arguments[0] if isinstance(arguments[0], str) else self.scenario(*arguments, **keys), "--record",
              "--quiet", "--out", out)
        return out


def analyze(folder, *options):
    """As the rules find them; nothing is simulated, so every proposal stands there."""
    easim("analyze", folder, "--quiet", "--verify", "none", *options)
    return json_of(folder / "insights.json")


def energy_j(folder):
    return 3.6e6 * float(rows_of(folder / "summary.csv")[0]["energy_kwh"])


def seconds(row):
    return float(row["end_s"]) - float(row["start_s"])


def gpus_in(text):
    first, _, last = text.partition("-")
    return int(last or first) - int(first) + 1


def free_rows(folder):
    """(seconds, GPUs) of gpus.csv that are free and awake."""
    return [(seconds(row), gpus_in(row["gpu"])) for row in rows_of(folder / "gpus.csv") if row["state"] == "free"]


# ---- One of each ----

def frag(place):
    # Two jobs with 0.6 of a GPU each leave 0.4 + 0.4: enough for 0.8, in no piece.
    def parts(wanted):
        return [rigid("a", 0, 1, 1000, gpu_share=0.6), rigid("b", 0, 1, 1000, gpu_share=0.6),
                rigid("c", 100, 1, 50, gpu_share=wanted)]
    nodes = "[{gpu: a, gpus: 2}]"
    insight = the(place.run(parts(0.8), nodes=nodes), "FRAG")
    near(figures(insight)["time"], 900)  # from 100 s, when c comes, to 1000 s
    near(figures(insight)["stranded"], 900 * 0.8 / 3600)
    near(figures(insight)["request"], 0.8)
    near(figures(insight)["largest_free_block"], 0.4)
    near(insight["share"], 900 * 0.8 / (2 * 1050))
    assert [evidence["name"] for evidence in insight["evidence"]] == ["c"]
    no_run(insight)
    silent(place.run(parts(0.81), nodes=nodes), "FRAG")
    # A malleable job for 4 GPUs, 2 free ones of each type.
    types = "[{name: a100, idle_w: 60, tdp_w: 400}, {name: h100, idle_w: 70, tdp_w: 700}]"
    jobs = [rigid("a", 0, 2, 1000, gpu_type="a100"), rigid("b", 0, 2, 1000, gpu_type="h100"),
            {"job_id": "c", "submit_s": 10, "model": "resnet50-fp32", "duration_s": ""}]
    scenario = place.scenario(jobs, nodes="[{gpu: a100, gpus: 4}, {gpu: h100, gpus: 4}]", types=types,
                              workload=", k: [4]").strip()
    text = Path(scenario).read_text().replace("policy:", f"models: {SOURCE}/configs/models/eas-sim.yaml\npolicy:")
    Path(scenario).write_text(text)
    rows = Path(scenario.replace(".yaml", ".csv"))
    rows.write_text(rows.read_text().replace("gpu_share", "gpu_share,work_samples").replace(
        "c,10,,resnet50-fp32,,,,,,", "c,10,,resnet50-fp32,,,,,,,2000000").replace("a100,,\n", "a100,,,\n").replace(
            "h100,,\n", "h100,,,\n"))
    insight = the(place.run(scenario), "FRAG")
    near(figures(insight)["time"], 990)
    silent(what_if(insight), "FRAG")


def hol(place):
    # b waits for 2 GPUs to 1000 s; c, for the one that is free, would have ended at 20 s + its time.
    def queue(duration_s):
        return [rigid("a", 0, 3, 1000), rigid("b", 10, 2, 50), rigid("c", 20, 1, duration_s)]
    folder = place.run(queue(980))
    insight = the(folder, "HOL")
    wait = {row["job_id"]: float(row["wait_s"]) for row in rows_of(folder / "jobs.csv")}
    near(figures(insight)["jobs"], 1)
    near(figures(insight)["wait"], wait["c"])
    near(figures(insight)["blocked"], 980 / 3600)  # the one free GPU
    assert [evidence["name"] for evidence in insight["evidence"]] == ["c"]
    silent(place.run(queue(981)), "HOL")
    after = what_if(insight)
    silent(after, "HOL")
    near({row["job_id"]: float(row["wait_s"]) for row in rows_of(after / "jobs.csv")}["c"], 0)


def miss(place):
    def queue(deadline_s):
        return [rigid("a", 0, 4, 1000), rigid("b", 0, 4, 100, deadline_s=deadline_s)]
    folder = place.run(queue(1099.5))
    insight = the(folder, "MISS")
    late = [float(row["finish_s"]) - float(row["deadline_s"]) for row in rows_of(folder / "jobs.csv") if row["missed"] == "1"]
    near(figures(insight)["jobs"], len(late))
    near(figures(insight)["lateness_p50"], late[0])
    near(figures(insight)["queued behind"], 1)
    near(insight["share"], 1 / 2)
    assert insight["severity"] == "high" and insight["share_of"] == "jobs"
    silent(place.run(queue(1100)), "MISS")
    silent(what_if(insight), "MISS")  # chronos starts b first


def infeas(place):
    def queue(deadline_s):
        return [rigid("a", 5, 4, 100, deadline_s=deadline_s)]
    insight = the(place.run(queue(104.5)), "INFEAS")
    near(figures(insight)["gap_max"], 0.5)
    no_run(insight)
    silent(place.run(queue(105)), "INFEAS")
    # Deadlines that are drawn, from half of T* on.
    path = Path(place.scenario([]))
    path.write_text(f"name: drawn\nhorizon: drain\ncluster: {{gpu_types: [{TYPE}], nodes: [{{gpu: a, gpus: 4}}]}}\n"
                    "workload: {kind: periodic, period: 30s, rigid: {k: [1, 2]}, sizes: {law: constant, mean: 90s}, "
                    "until: {jobs: 40}, deadlines: {share: 1, slack: [0.5, 1.5]}}\npolicy: {name: fcfs}\n")
    folder = place.run(str(path))
    early = [row for row in rows_of(folder / "jobs.csv") if float(row["deadline_s"]) < float(row["submit_s"]) + 90]
    insight = the(folder, "INFEAS")
    near(figures(insight)["jobs"], len(early))
    no_run(insight)


def power_cap(place):
    # Two GPUs: a draws 400 W beside an idle one; b would make it 800 W.
    jobs = [rigid("a", 0, 1, 1000), rigid("b", 100, 1, 200)]

    def capped(cap_w):
        return place.run(jobs, nodes="[{gpu: a, gpus: 2}]", policy="charon", more=f", power_cap_w: {cap_w}")
    insight = the(capped(799), "POWER-CAP")
    near(figures(insight)["delay"], 900)
    near(figures(insight)["time"], 900)
    near(figures(insight)["free_meanwhile"], 900 / 3600)
    near(figures(insight)["headroom_unused"], 799 - 460)
    assert [evidence["name"] for evidence in insight["evidence"]] == ["b"]
    silent(capped(800), "POWER-CAP")
    silent(what_if(insight), "POWER-CAP")
    # A cap that falls preempts.
    (place.folder / "cap.csv").write_text("time_s,power_w\n0,900\n500,700\n900,900\n")
    insight = the(place.run(jobs[:1] + [rigid("b", 0, 1, 800)], nodes="[{gpu: a, gpus: 2}]", policy="charon",
                            more=", power_cap_w: {file: cap.csv}"), "POWER-CAP")
    near(figures(insight)["jobs_preempted"], 1)


def cap_slack(place):
    jobs = [rigid("a", 0, 1, 1000), rigid("b", 100, 1, 200)]

    def capped(cap_w):
        return place.run(jobs, nodes="[{gpu: a, gpus: 2}]", policy="charon", more=f", power_cap_w: {cap_w}")
    insight = the(capped(512), "CAP-SLACK")  # 460 W of 512 W is below 90 %
    near(figures(insight)["slack"], 512 - 460)
    near(figures(insight)["time"], 900)
    silent(capped(511), "CAP-SLACK")
    silent(what_if(insight), "CAP-SLACK")


def cap_breach(place):
    jobs = [rigid("a", 0, 2, 1000), rigid("b", 1000, 1, 10)]

    def capped(cap_w):
        return place.run(jobs, nodes="[{gpu: a, gpus: 2}]", more=f", power_cap_w: {cap_w}")
    folder = capped(799)
    insight = the(folder, "CAP-BREACH")
    rows = rows_of(folder / "power.csv")
    ends = [float(row["time_s"]) for row in rows[1:]] + [1010]
    over = [(end - float(row["time_s"]), float(row["power_w"]) - 799) for row, end in zip(rows, ends)]
    near(figures(insight)["time"], sum(s for s, w in over if w > 0))
    near(figures(insight)["energy_over"], sum(s * w for s, w in over if w > 0))
    near(figures(insight)["most_over"], 1)
    summary = rows_of(folder / "summary.csv")[0]
    near(figures(insight)["energy_over"], float(summary["cap_violation_j"]))
    silent(capped(800), "CAP-BREACH")
    # charon keeps it: a job for both GPUs could never run there, so without it.
    jobs[0] = rigid("a", 0, 1, 1000)
    jobs[1] = rigid("b", 10, 1, 10)
    silent(what_if(the(capped(799), "CAP-BREACH")), "CAP-BREACH")


COSTS = ", rigid_costs: {start_s: 0, restart_s: 50, checkpoint_s: 20}"


def urgent(count, **more):
    """A long best-effort job that each urgent one displaces, for its slack is below 600 s."""
    return [rigid("victim", 0, 4, 5000)] + [
        rigid(f"urgent-{n}", 1000 * n, 4, 100, deadline_s=1000 * n + 100 + 599, **more) for n in range(1, count + 1)]


def preempt(place):
    folder = place.run(urgent(1), policy="aurachronos", workload=COSTS)
    insight = the(folder, "PREEMPT")
    segments = [row for row in rows_of(folder / "segments.csv") if row["job_id"] == "victim"]
    parts = [row for row in segments if row["kind"] in ("checkpoint", "lost", "setup")]
    near(figures(insight)["energy"], sum(float(row["energy_j"]) for row in parts) / 3.6e6)
    near(figures(insight)["gpu_hours"], 4 * (50 + 20) / 3600)  # k x (restart + checkpoint)
    near(figures(insight)["interruptions"], 1)
    near(insight["share"], 4 * CTX_W * 70 / energy_j(folder))
    later = place.run(urgent(2), policy="aurachronos", workload=COSTS + ", warmup: 1500")  # the first one is before its end
    near(figures(the(later, "PREEMPT"))["interruptions"], 1)
    silent(place.run(urgent(1), policy="aurachronos", workload=""), "PREEMPT")  # nothing is lost
    calm = urgent(1)
    calm[1]["deadline_s"] += 1  # slack 600 s
    silent(place.run(calm, policy="aurachronos", workload=COSTS), "PREEMPT")
    silent(what_if(insight), "PREEMPT")


def thrash(place):
    insight = the(place.run(urgent(3), policy="aurachronos", workload=COSTS), "THRASH")
    near(figures(insight)["jobs"], 1)
    near(figures(insight)["overhead"], 3 * 4 * CTX_W * 70 / 3.6e6)
    silent(place.run(urgent(3), policy="aurachronos", workload=COSTS + ", warmup: 500"), "THRASH")  # victim is not measured
    silent(place.run(urgent(2), policy="aurachronos", workload=COSTS), "THRASH")
    after = what_if(insight)
    assert not insights(after, "THRASH"), "max_preemptions 1"

    # A run of 100 s between two interruptions is twice its restart, one of 99 s is not.
    def soon(run_s):
        first_s = 1000 + 20 + 100 + 50  # checkpoint, urgent job, restart
        return [rigid("victim", 0, 4, 5000), rigid("one", 1000, 4, 100, deadline_s=1699),
                rigid("two", first_s + run_s, 4, 100, deadline_s=first_s + run_s + 699)]
    assert figures(the(place.run(soon(99), policy="aurachronos", workload=COSTS), "THRASH"))["short_runs"] == 1
    silent(place.run(soon(100), policy="aurachronos", workload=COSTS), "THRASH")


def idle(place):
    # 4 GPUs busy for 1000 s; then one is, for t: 180 W t is 1 % of 1.6 MJ + 580 W t at t = 91.8 s.
    def ends(tail_s):
        return [rigid("a", 0, 4, 1000), rigid("b", 1000, 1, tail_s)]
    folder = place.run(ends(92))
    insight = the(folder, "IDLE")
    near(figures(insight)["energy"], IDLE_W * sum(s * n for s, n in free_rows(folder)) / 3.6e6)
    near(figures(insight)["longest_window"], max(s for s, n in free_rows(folder)))
    near(insight["share"], figures(insight)["energy"] * 3.6e6 / energy_j(folder))
    assert insight["severity"] == "low"
    silent(place.run(ends(91)), "IDLE")
    silent(folder, "IDLE", "--rule", "IDLE.least_share=0.0101")
    after = what_if(insight)
    rest = insights(after, "IDLE", "--rule", "IDLE.least_share=0")
    assert figures(rest[0])["energy"] < figures(insight)["energy"]


def starve(place):
    # A flow of small jobs keeps one of 2 GPUs busy to 10050 s; the large one waits 10025 s for both.
    def flow(duration_s):
        small = [rigid(f"small-{n}", 50 * n, 1, 100) for n in range(200)]
        return small[:1] + [rigid("large", 25, 2, duration_s)] + small[1:]
    nodes, policy = "[{gpu: a, gpus: 2}]", "{name: fcfs, params: {strict: false}}"
    folder = place.run(flow(1002.4), nodes=nodes, policy=policy)
    insight = the(folder, "STARVE")
    rows = {row["job_id"]: row for row in rows_of(folder / "jobs.csv")}
    large = rows["large"]
    near(figures(insight)["wait_max"], float(large["wait_s"]))
    near(figures(insight)["overtaken_by"], sum(float(row["submit_s"]) > 25 and float(row["start_s"]) < float(large["start_s"])
                                               for row in rows.values()))
    near(insight["share"], 1 / 201)
    silent(place.run(flow(1002.5), nodes=nodes, policy=policy), "STARVE")  # ten times that: 10025 s
    silent(what_if(insight), "STARVE")
    # The parameter is found by its role, whatever its name is: pollux's tau, renamed in the manifest.
    folder = place.run(flow(1002.4), nodes=nodes, policy="{name: pollux, params: {tau: 100000000}}")
    assert "policy.params.tau=" in the(folder, "STARVE")["what_if"]["command"]
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"tau"', '"patience"'))
    assert "policy.params.patience=" in the(folder, "STARVE")["what_if"]["command"]
    manifest.write_text(manifest.read_text().replace('"ageing"', '"other"'))
    assert "policy.params.strict=" in the(folder, "STARVE")["what_if"]["command"]


def unfair(place):
    # Ten long jobs of one user before n short ones of another, one GPU.
    def users(short):
        return [rigid(f"l{n}", 0, 4, 1000, user="long") for n in range(10)] + [
            rigid(f"s{n}", 0, 4, 20, user="short") for n in range(short)]

    def slowdowns(folder):
        rows = rows_of(folder / "jobs.csv")
        of = lambda chosen: [float(row["jct_s"]) / float(row["exec_s"]) for row in chosen]
        short = of([row for row in rows if row["user"] == "short"])
        return sum(short) / len(short), sum(of(rows)) / len(rows)
    folder = place.run(users(9))
    insight = the(folder, "UNFAIR")
    worst, mean = slowdowns(folder)
    assert worst > 2 * mean
    near(figures(insight)["slowdown_worst_user"], worst)
    near(figures(insight)["slowdown_mean"], mean)
    near(figures(insight)["jain_index"], float(rows_of(folder / "summary.csv")[0]["jain_gpu_s"]))
    assert (insight["entity"], insight["name"]) == ("user", "short")
    folder = place.run(users(11))
    worst, mean = slowdowns(folder)
    assert 1.8 * mean < worst < 2 * mean
    silent(folder, "UNFAIR")
    jain = float(rows_of(folder / "summary.csv")[0]["jain_gpu_s"])
    the(folder, "UNFAIR", "--rule", f"UNFAIR.least_jain={jain + 1e-9}")
    silent(folder, "UNFAIR", "--rule", f"UNFAIR.least_jain={jain}")
    after = what_if(insight)
    assert slowdowns(after)[0] < slowdowns(place.run(users(9)))[0]


def hog(place):
    def users(first_s):
        return [rigid("a", 0, 1, first_s, user="u"), rigid("b", 0, 1, 500, user="v"), rigid("c", 0, 1, 500, user="w")]
    folder = place.run(users(1001))
    insight = the(folder, "HOG")
    near(figures(insight)["share_of_job_energy"], 1001 / 2001)
    near(figures(insight)["energy"], TDP_W * 1001 / 3.6e6)
    assert (insight["entity"], insight["name"]) == ("user", "u")
    silent(place.run(users(1000)), "HOG")
    what_if(insight)
    everyone = ("--rule", "HOG.of_equal=0")
    # A model: another would be one of somebody else.
    folder = place.run(str(TINY))
    hogs = insights(folder, "HOG", *everyone, "--rule", "HOG.least_share=0.2")
    model = next(one for one in hogs if one["entity"] == "model")
    no_run(model)


def tail(place):
    def ends(gpus):
        return [rigid("a", 0, 10, 950), rigid("b", 950, gpus, 50)]
    folder = place.run(ends(1), nodes="[{gpu: a, gpus: 10}]")
    insight = the(folder, "TAIL")
    near(figures(insight)["time"], 50)
    near(figures(insight)["use"], 0.1)
    near(figures(insight)["energy_idle"], 9 * 50 * IDLE_W / 3.6e6)
    silent(place.run(ends(2), nodes="[{gpu: a, gpus: 10}]"), "TAIL")
    what_if(insight)

def served(place, demand, horizon_s=100, replicas=1, most=None, **more):
    """A service alone, as in test_services.py: 2000 tokens a second and replica at 600 W."""
    folder = place.folder / f"s{place.count}"
    place.count += 1
    keys = "".join(f", {key}: {value}" for key, value in more.items())
    entry = services.service(demand=f"{{tokens_per_s: {demand}}}", replicas=replicas, most=most, more=keys)
    return services.run(folder, [entry], horizon=f"{horizon_s}s", options=("--record",))


def slo_replicas(place):
    # 3000 tokens a second, of which 2000 are served: after 20 s the others wait for more than 10 s.
    folder = served(place, 3000)
    insight = the(folder, "SLO-REPLICAS")
    near(figures(insight)["slo_share"], 0.2)
    near(figures(insight)["energy_per_token"], 0.3)
    near(insight["share"], 0.8 * 600 * 100 / energy_j(folder))
    assert (insight["entity"], insight["name"], insight["severity"]) == ("service", "chat", "high")
    assert [(one["from_s"], one["to_s"]) for one in insight["evidence"]] == [(0, 100)], insight["evidence"]
    the(folder, "SLO-REPLICAS", "--rule", "SLO-REPLICAS.least_share=0.20000001")
    silent(folder, "SLO-REPLICAS", "--rule", "SLO-REPLICAS.least_share=0.19999999")
    after = what_if(the(folder, "SLO-REPLICAS"))  # a second one at the first tick
    near(float(rows_of(after / "services.csv")[0]["slo_share"]), 1)
    silent(after, "SLO-REPLICAS")
    silent(served(place, 2000), "SLO-REPLICAS")
    # Two for an hour at 999 of 2000 each: what they draw above 0.3 J a token is too much. One does it, too.
    folder = served(place, 1998, 3600, replicas=2)
    insight = the(folder, "SLO-REPLICAS")
    near(figures(insight)["longest"], 3600)
    near(figures(insight)["energy"] * 3.6e6, 2 * 3600 * (services.power_w(999) - 999 * 0.3), 1e-6)
    near(insight["share"], figures(insight)["energy"] * 3.6e6 / energy_j(folder))
    folder = served(place, 1500, 3600, replicas=2)
    after = what_if(the(folder, "SLO-REPLICAS"))
    silent(after, "SLO-REPLICAS")
    assert energy_j(after) < energy_j(folder)
    silent(served(place, 1998, 3599, replicas=2), "SLO-REPLICAS")
    silent(served(place, 2000, 3600, replicas=2), "SLO-REPLICAS")
    no_run(the(served(place, 999, 3600), "SLO-REPLICAS"))
    # As many replicas as a low target asks for: a higher one.
    insight = the(served(place, 1200, 7200, most=4, scaling="{target: 0.2}"), "SLO-REPLICAS")
    assert "workload.streams[0].scaling.target=" in insight["what_if"]["command"], insight["what_if"]
    silent(what_if(insight), "SLO-REPLICAS")


RULES = {"SLO-REPLICAS": slo_replicas, "FRAG": frag, "HOL": hol, "MISS": miss, "INFEAS": infeas, "POWER-CAP": power_cap, "CAP-SLACK": cap_slack,
         "CAP-BREACH": cap_breach, "PREEMPT": preempt, "THRASH": thrash, "IDLE": idle, "STARVE": starve, "UNFAIR": unfair,
         "HOG": hog, "TAIL": tail}


# ---- All together ----

def clean(place):
    """Every GPU busy with one of four users' jobs from 0 to the end: nothing above info."""
    jobs = [rigid(f"j{n}", 0, 1, 3600, user=f"u{n}") for n in range(4)]
    for policy in POLICIES:
        found = analyze(place.run(jobs, policy=policy))["insights"]
        assert all(one["severity"] == "info" for one in found), (policy, [(one["id"], one["finding"]) for one in found])


def clean_service(place):
    """A replica in full use beside jobs of three users, from 0 to the end, likewise."""
    (place.folder / "jobs.csv").write_text("job_id,submit_s,duration_s,gpus,user\n" + "".join(
        f"j{n},0,3600,1,u{n}\n" for n in range(3)))
    folder = services.run(place.folder, ["{kind: trace, file: jobs.csv}", services.service(demand="{tokens_per_s: 2000}", more=", user: v")],
                          nodes="[{count: 1, gpu: g, gpus: 4}]", horizon="3600s", options=("--record",))
    found = analyze(folder)["insights"]
    assert all(one["severity"] == "info" for one in found), [(one["id"], one["finding"]) for one in found]


def hostile_services(place):
    """Names of services stand as text, on one line, in every file and page."""
    for name in ("<script>alert(1)</script>", "it's $(touch pwned)`touch pwned`", "=cmd()|' /C calc'!A0", "two\nlines, \"x\"",
                 "a | b | [x](javascript:y) **d** _e_ # f", "\u202etxt.exe", "x" * 10240):
        folder = place.folder / f"h{place.count}"
        place.count += 1
        entry = services.service(json.dumps(name), "{tokens_per_s: 3000}", more=f", user: {json.dumps(name)}, labels: {{team: {json.dumps(name)}}}")
        out = services.run(folder, [entry], options=("--record",))
        found = [one for one in analyze(out)["insights"] if one["id"] == "SLO-REPLICAS"]
        assert [one["name"] for one in found] == [name]
        text = (out / "insights.md").read_text()
        assert "<script>" not in text and "x" * 100 not in text
        shown = name.replace("\n", " ")
        assert {row["job_id"] for row in rows_of(out / "segments.csv")} == {f"{shown}#1"}
        for command in (("attribute", out, "--path", "user/job/label.team"), ("timeline", out), ("report", out), ("explain", out, f"{shown}#1")):
            easim(*command)
        assert {row["job_id"] for row in rows_of(out / "blame.csv")} == {f"{shown}#1"}
        assert {row["label.team"] for row in rows_of(out / "attribution.csv") if row["level"] == "3"} <= {shown, ""}
        slices = [event for event in json_of(out / "timeline.json")["traceEvents"] if event["ph"] == "X"]
        assert {event["args"]["job"] for event in slices} == {f"{shown}#1"}
        page = (out / "report.html").read_text()
        assert "<script>alert" not in page and "<b>" not in page.split("</style>")[-1].split("<script")[0]
        what_if(found[0])
    assert not list(Path("/").glob("pwned")) and not list(place.folder.glob("**/pwned"))


def hostile(place):
    """Names that others gave stand as text, and a folder's name reaches the shell as it is."""
    names = ["<script>alert(1)</script>", "it's \"$(touch pwned)\"`touch pwned`", "=cmd()|' /C calc'!A0", "\u202etxt.exe",
             "a | b | [x](javascript:y) **d** _e_ # f", "x" * 10240]
    for name in names:
        quoted = '"' + name.replace('"', '""') + '"'
        folder = place.run([rigid(quoted, 0, 1, 1000, user=quoted, deadline_s=10), rigid("b", 0, 1, 10, user="v")])
        moved = place.folder / f"it's $(touch pwned) & <{place.count}>"
        folder.rename(moved)
        found = analyze(moved)
        hogs = [one for one in found["insights"] if one["id"] == "HOG"]
        assert hogs[0]["name"] == name and hogs[0]["evidence"][0]["name"] == name
        text = (moved / "insights.md").read_text()
        assert "<script>" not in text and "x" * 100 not in text
        marks = [re.sub(r"\\.", "", line) for line in text.splitlines() if not line.startswith("    ")]  # but for code
        assert not any("](" in line or "`" in line or "**" in line for line in marks), name
        assert all(line.count("|") >= 3 for line in marks if line.startswith("|")), name
        shown = easim("analyze", moved).stdout
        assert "x" * 100 not in shown and "\x1b" not in shown
        what_if(hogs[0])
    # What a log cannot hold: an escape sequence.
    path = Path(place.scenario([]))
    path.write_text(f"name: lines\nhorizon: drain\ncluster: {{gpu_types: [{TYPE}], nodes: [{{gpu: a, gpus: 4}}]}}\n"
                    "workload: {kind: periodic, period: 30s, rigid: {k: [1]}, sizes: {law: constant, mean: 90s}, "
                    'until: {jobs: 4}, users: ["a\\e[31m"]}\npolicy: {name: fcfs}\n')
    folder = place.run(str(path))
    alone = ("--rule", "HOG.of_equal=0")
    silent(folder, "HOG")  # one user has an equal share
    assert the(folder, "HOG", *alone)["name"] == "a\x1b[31m"
    for text in ((folder / "insights.md").read_text(), easim("analyze", folder, *alone).stdout):
        assert "\x1b" not in text and "x1b" in text, text
    assert not list(Path(".").glob("pwned")) and not list(place.folder.glob("pwned"))


def several_runs(place):
    """A comparison: whose run is chosen by options, and the command names its policy."""
    scenario = place.scenario([rigid("a", 0, 3, 1000), rigid("b", 10, 2, 50), rigid("c", 20, 1, 100)])
    out = place.folder / "compared"
    easim("compare", scenario, "--policies", "easy,fcfs", "--record", "--quiet", "--out", out, "-n", 2)
    assert analyze(out)["policy"] == "easy"
    silent(out, "HOL")
    found = analyze(out, "--policy", "fcfs", "--replication", 2)
    assert (found["policy"], found["replication"], found["replications"]) == ("fcfs", 2, 2)
    insight = the(out, "HOL", "--policy", "fcfs", "--replication", 2)
    assert "/compared/fcfs/scenario.yaml" in insight["what_if"]["command"]
    silent(what_if(insight), "HOL")
    one = place.folder / "one"  # its policy is not that of the scenario
    easim("compare", scenario, "--policies", "chronos", "--record", "--quiet", "--out", one)
    everything = ("--rule", "IDLE.least_share=0")
    command = the(one, "IDLE", *everything)["what_if"]["command"]
    assert "/one/chronos/scenario.yaml" in command, command
    easim("analyze", ".", "--verify", "none", *everything, cwd=one, prints=command)  # whatever the folder is called, it runs in any other
    said = easim("analyze", out, "--policy", "fcfss", code=2).stderr
    assert 'no run of policy "fcfss" was recorded (there are: easy, fcfs), did you mean "fcfs"?' in said, said
    easim("analyze", out, "--replication", 3, code=2, says="replication 3 was not recorded (there are: 1, 2)")


def random_run(place, seed):
    """Figures against the run's own files, on everything at once; False: the run failed."""
    folder = place.folder / f"seed{seed}"
    if not record(drawn(seed), folder):
        return False
    everything = ["--rule", "IDLE.least_share=0", "--rule", "HOG.least_share=0", "--rule", "HOG.of_equal=0"]
    found = analyze(folder / "out", *everything)
    of = {one["id"]: figures(one) for one in found["insights"]}
    summary = next(row for row in rows_of(folder / "out/summary.csv") if row["replication"] == str(found["replication"]))
    number = lambda name: float(summary[name] or 0)
    near(of.get("MISS", {"jobs": 0})["jobs"], number("deadline_missed"))
    near(of.get("CAP-BREACH", {"energy_over": 0})["energy_over"], number("cap_violation_j"), 1e-6)
    near(of.get("CAP-BREACH", {"time": 0})["time"], number("cap_violation_s"), 1e-6)
    waste = {row["class"]: float(row["energy_kwh"]) for row in rows_of(folder / "out/waste.csv")
             if row["replication"] == str(found["replication"])}
    near(of.get("IDLE", {"energy": 0})["energy"], waste["held back"] + waste["fragmented"] + waste["idle"])
    near(of.get("PREEMPT", {"energy": 0})["energy"], waste["reconfigured"] + waste["failed"])
    if "PREEMPT" in of:
        near(of["PREEMPT"]["interruptions"], number("preemptions") + number("resizes") + number("job_failures"))
    taken = sum(figures(one)["energy"] for one in found["insights"] if one["id"] == "HOG" and one["entity"] == "user")
    near(taken, number("energy_job_kwh"), 1e-6)
    missing = {one["name"]: figures(one)["slo_share"] for one in found["insights"] if one["id"] == "SLO-REPLICAS" and
               "most_replicas" in figures(one)}
    if (folder / "out/services.csv").exists():
        assert missing == {row["service"]: float(row["slo_share"]) for row in rows_of(folder / "out/services.csv")
                           if row["replication"] == str(found["replication"]) and float(row["slo_share"] or 1) < 0.99}, missing
    for one in found["insights"]:
        assert one["finding"] and one["recommendation"] and 0 <= one["share"], one
        assert one["what_if"]["command"] or one["what_if"]["note"], one
        assert one["from_s"] <= one["to_s"], one
    return len(of) > 0


def random_runs(place):
    assert sum(random_run(place, seed) for seed in range(SEEDS)) > SEEDS / 2


def damaged(place):
    """One error, and no file."""
    def refused(folder, word):
        done = easim("analyze", folder, code=2)
        assert word in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, done.stderr
        assert not Path(folder).is_dir() or not list(Path(folder).glob("insights*")) + list(Path(folder).glob("waste*"))
    jobs = [rigid("a", 0, 1, 1000)]
    refused(place.folder / "nowhere", "nowhere")
    (place.folder / "foreign").mkdir()
    refused(place.folder / "foreign", "manifest.json is missing")
    plain = place.folder / "plain"
    easim("run", place.scenario(jobs), "--quiet", "--out", plain)
    refused(plain, "record")
    for name in ("segments.csv", "gpus.csv", "workload.csv", "summary.csv", "models.yaml", "scenario.yaml"):
        folder = place.run(jobs)
        if not (folder / name).exists():
            continue
        (folder / name).write_bytes((folder / name).read_bytes()[:-5])
        refused(folder, name)
        (folder / name).unlink()
        refused(folder, name)
    folder = place.run(jobs)
    (folder / "manifest.json").unlink()
    refused(folder, "manifest.json is missing")
    folder = place.run(jobs)
    before = sorted(path.name for path in folder.iterdir())
    easim("analyze", folder, "--out", "/proc/no/folder", code=1)
    easim("analyze", folder, "--out", place.folder / "elsewhere/inner")
    assert sorted(path.name for path in folder.iterdir()) == before
    assert {path.name for path in (place.folder / "elsewhere/inner").iterdir()} == {"insights.json", "insights.md", "waste.csv"}


cases(*RULES.values(), clean, clean_service, hostile_services, hostile, several_runs, random_runs, damaged, place=Place)
