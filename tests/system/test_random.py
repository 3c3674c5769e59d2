"""Random scenarios of everything at once, run with --check: test_random.py EASIM SOURCE [--count N] [--seed N]

Scenario number n is that of seed n (random_scenario.py). easim --check tests its own invariants after every event; here
the files of each run must agree with one another and, where nothing disturbs a job, with the formulas of docs/reference/semantics.md
written down again. The first scenario that fails is printed whole. 20,000 of them: --count 20000 (a quarter of an hour of
processor time); the suite runs 300.
"""
import copy
import math
import os

from harness import cases, easim, form, rows_of, seeds
from random_scenario import Scenario
from student import cell as number


def close(found, expected, what, relative=1e-9, absolute=1e-9):
    assert abs(found - expected) <= absolute + relative * max(abs(found), abs(expected)), \
        f"{what} is {found!r}, not {expected!r}"


class Run:
    """One replication: its rows, as numbers where they are."""

    def __init__(self, scenario, tables, replication):
        self.s = scenario
        for name, rows in tables.items():
            setattr(self, name, [row for row in rows if row["replication"] == replication])
        self.summary = {key: value if key == "policy" else number(value) for key, value in self.summary[0].items()}
        self.warmup_s = float(scenario.warmup_s)
        self.end_s = self.warmup_s + self.summary["sim_s"]
        self.measured = [j for j in self.jobs if float(j["submit_s"]) >= self.warmup_s]
        self.finished = [j for j in self.measured if j["status"] == "finished"]
        self.pue = scenario.cluster.get("pue", 1)
        nodes = scenario.cluster["nodes"]
        self.gpus = sum(n["count"] * n["gpus"] for n in nodes)
        self.fails = any("mtbf" in n for n in nodes)

    def total(self, rows, column):
        return math.fsum(float(row[column]) for row in rows if row[column])

    def pieces(self):
        """(seconds, row) of power.csv within the measured time."""
        times = [float(row["time_s"]) for row in self.power] + [math.inf]
        for row, start, end in zip(self.power, times, times[1:]):
            seconds = min(end, self.end_s) - max(start, self.warmup_s)
            if seconds > 0:
                yield seconds, row


def numbers_are_numbers(run):
    for name in ("summary", "jobs", "users", "types", "power"):
        for row in [run.summary] if name == "summary" else getattr(run, name):
            for key, value in row.items():
                assert str(value) not in ("inf", "-inf", "-nan") and (value != "nan"), (name, key, value)


def jobs_add_up(run):
    s, jobs = run.summary, run.measured
    status = {w: sum(j["status"] == w for j in jobs) for w in ("finished", "running", "waiting", "rejected")}
    assert sum(status.values()) == len(jobs) == s["jobs_submitted"]
    assert status["finished"] == s["jobs_finished"] and status["rejected"] == s["jobs_rejected"]
    assert status["running"] + status["waiting"] == s["jobs_unfinished"]
    if run.s.drain:
        assert s["jobs_unfinished"] == 0
        ends = [float(j["finish_s"]) for j in run.jobs if j["finish_s"]]
        assert not ends or run.end_s >= max(ends) - 1e-8, (run.end_s, max(ends))
    else:
        close(run.end_s, run.s.horizon_s, "the end")
    if not run.warmup_s:
        for column in ("preemptions", "resizes"):
            close(s[column], run.total(jobs, column), column)
        close(s["energy_job_kwh"], run.total(jobs, "energy_j") / 3.6e6, "energy of jobs")
        close(s["work_done_gpu_h"] + s["work_unfinished_gpu_h"], s["work_submitted_gpu_h"], "work")
        close(s["makespan_s"], max(float(j["finish_s"]) for j in run.finished) - min(float(j["submit_s"]) for j in jobs),
              "makespan") if run.finished else None
    if jobs:
        close(s["interruptions_per_job"], (s["preemptions"] + s["resizes"] + s["job_failures"]) / len(jobs),
              "interruptions_per_job")
    close(s["energy_finished_kwh"], run.total(run.finished, "energy_j") / 3.6e6, "energy_finished_kwh")


def times_of_jobs(run):
    s = run.summary
    for j in run.jobs:
        submit, start, finish = (number(j[c]) for c in ("submit_s", "start_s", "finish_s"))
        held = float(j["exec_s"])
        assert not start < submit and not finish < start, j
        assert j["status"] != "waiting" or not j["finish_s"], j
        if j["status"] == "finished":
            close(number(j["jct_s"]), finish - submit, "jct_s")
            assert held <= finish - start + 2e-9, j
            close(number(j["edp_js"]), float(j["energy_j"]) * number(j["jct_s"]), "edp_js")
        if j["start_s"]:
            close(number(j["wait_s"]), start - submit, "wait_s", absolute=2e-9)
        else:
            assert held == float(j["energy_j"]) == float(j["gpu_s"]) == 0, j
        assert 0 <= float(j["lost_s"]) <= held + 1e-9, j
    done = run.finished
    times = sorted(number(j["jct_s"]) for j in done)
    if times:
        close(s["jct_mean_s"], math.fsum(times) / len(times), "jct_mean_s")
        for share in (0.5, 0.95, 0.99):  # type 7 of Hyndman and Fan
            place = share * (len(times) - 1)
            low, high = times[int(place)], times[min(int(place) + 1, len(times) - 1)]
            close(s[f"jct_p{100 * share:.0f}_s"], low + (place - int(place)) * (high - low), f"percentile {share}")
        slowdowns = [max(1, number(j["jct_s"]) / max(float(j["exec_s"]), 10)) for j in done]
        close(s["bsld_mean"], math.fsum(slowdowns) / len(done), "bsld_mean")
    waits = [number(j["wait_s"]) for j in run.measured if j["start_s"]]
    if waits:
        close(s["wait_mean_s"], math.fsum(waits) / len(waits), "wait_mean_s")
    if run.measured:
        restricted = [number(j["jct_s"]) if j["status"] == "finished" else run.end_s - float(j["submit_s"])
                      for j in run.measured]
        close(s["jct_restricted_mean_s"], math.fsum(restricted) / len(restricted), "jct_restricted_mean_s")


def deadlines(run):
    last = math.inf if run.s.drain else run.s.horizon_s
    due = [j for j in run.measured if j["deadline_s"] and float(j["deadline_s"]) <= last]
    late = [j for j in due if not float(j["finish_s"] or "inf") <= float(j["deadline_s"])]
    assert len(due) == run.summary["deadline_jobs"] and len(late) == run.summary["deadline_missed"]
    assert all(j["missed"] == ("1" if j in late else "0") for j in due)


def power_over_time(run):
    """Energy, extremes, cap, cost and CO2 of the measured time, integrated again from power.csv."""
    s = run.summary
    joules = [seconds * float(row["power_w"]) for seconds, row in run.pieces()]
    close(math.fsum(joules) / 3.6e6, s["energy_kwh"], "energy_kwh")
    parts = s["energy_job_kwh"] + s["energy_idle_kwh"] + s["energy_base_kwh"] + s.get("energy_service_kwh", 0)
    close(parts, s["energy_kwh"], "parts of the energy")
    if joules:
        close(s["power_mean_w"], math.fsum(joules) / s["sim_s"], "power_mean_w")
        close(s["power_max_w"], max(float(row["power_w"]) for _, row in run.pieces()), "power_max_w")
    over = [(seconds, float(row["power_w"]) - number(row["cap_w"])) for seconds, row in run.pieces()
            if float(row["power_w"]) > number(row["cap_w"])]
    if not math.isnan(s["cap_violation_s"]):
        close(s["cap_violation_s"], math.fsum(seconds for seconds, _ in over), "cap_violation_s", absolute=1e-8)
        close(s["cap_violation_j"], math.fsum(seconds * watts for seconds, watts in over), "cap_violation_j", 1e-8)
    else:
        assert not over
    for column, key in (("cost", "price_per_mwh"), ("co2_kg", "carbon_g_per_kwh")):
        value = run.s.scenario.get(key)
        if isinstance(value, (int, float)):
            close(s[column], s["energy_kwh"] * run.pue * value / 1000, column)
        elif value:
            close(s[column], series_cost(run, key), column, 1e-8)
    if "wue_l_per_kwh" in run.s.scenario:
        close(s["water_l"], s["energy_kwh"] * run.s.scenario["wue_l_per_kwh"], "water_l")


def series_cost(run, key):
    """kWh x pue x value / 1000 over steps of 900 s that come again every 7200 s; a gap keeps the value before."""
    steps, total = [], []
    for line in run.s.files[key + ".csv"].splitlines()[1:]:
        cell = line.split(",")[1]
        steps.append(float(cell) if cell else steps[-1])
    times = [float(row["time_s"]) for row in run.power] + [run.end_s]
    for row, start, end in zip(run.power, times, times[1:]):
        at, end = max(start, run.warmup_s), min(end, run.end_s)
        while at < end:
            step = int(at // 900)
            until = min(end, 900.0 * (step + 1))
            total.append(float(row["power_w"]) * (until - at) * steps[step % len(steps)])
            at = until
    return math.fsum(total) / 3.6e6 * run.pue / 1000


def gpus_over_time(run):
    """GPUs are held, free or failed; free ones while a job waits bound the fragmentation."""
    s, free, held = run.summary, [], []
    for row in run.power:
        parts = [float(row[c] or 0) for c in ("alloc_gpus", "idle_gpus", "failed_gpus")]
        close(sum(parts), run.gpus, "GPUs", absolute=1e-9)
        assert min(parts) >= 0
    for seconds, row in run.pieces():
        held.append(seconds * float(row["alloc_gpus"]))
        free.append(seconds * float(row["idle_gpus"]) if int(row["waiting"]) else 0)
    frag = math.fsum(free) / 3600
    assert -1e-9 <= s["frag_gpu_h"] <= frag * (1 + 1e-9) + 1e-9, (s["frag_gpu_h"], frag)
    if len(run.s.types) == 1 and not hasattr(run.s, "services"):  # reserved GPUs are idle, and not free
        close(s["frag_gpu_h"], frag, "frag_gpu_h", absolute=1e-8)
    alloc_h = run.total(run.types, "alloc_gpu_h")
    close(alloc_h, math.fsum(held) / 3600, "alloc_gpu_h", absolute=1e-8)
    if s["sim_s"] > 0:
        close(s["util_alloc"], alloc_h * 3600 / (s["sim_s"] * run.gpus), "util_alloc")
        close(s["util_compute"], run.total(run.types, "compute_gpu_h") * 3600 / (s["sim_s"] * run.gpus), "util_compute")
    replica_h = s.get("replica_gpu_h", 0)
    rest_h = alloc_h - run.total(run.types, "compute_gpu_h") - s["setup_gpu_h"]  # of replicas that load
    assert -1e-8 <= rest_h <= replica_h + 1e-8, (rest_h, replica_h)
    if not run.warmup_s:
        close(alloc_h, run.total(run.jobs, "gpu_s") / 3600 + replica_h, "GPU-hours of jobs and replicas", absolute=1e-8)


def services(run):
    """Tokens are conserved, as the demand says; parts add up to the summary."""
    s, rows = run.summary, getattr(run, "services", [])
    for row in rows:
        value = {key: number(cell) for key, cell in row.items() if key not in ("policy", "service", "user", "model")}
        close(value["tokens_before"] + value["tokens_demanded"],
              value["tokens_served"] + value["tokens_dropped"] + value["tokens_left"], "tokens")
        assert 0 <= value["energy_kwh"] and not value["slo_share"] > 1 + 1e-9, row
        assert value["slo_share"] * value["tokens_demanded"] <= \
            value["tokens_demanded"] - value["tokens_dropped"] + 1e-6 or math.isnan(value["slo_share"]), row
        [service] = [service for service in run.s.services if service["name"] == row["service"]]
        close(value["tokens_demanded"], demanded(run, service["demand"]), f"demand of {service['name']}", absolute=1e-6)
    for column in ("tokens_before", "tokens_demanded", "tokens_served", "tokens_dropped", "tokens_left", "replica_gpu_h",
                   "scale_ups"):
        close(s.get(column, 0), run.total(rows, column), column, absolute=1e-6)
    close(s.get("energy_service_kwh", 0), run.total(rows, "energy_kwh"), "energy of services")
    close(s.get("service_preemptions", 0), run.total(rows, "preemptions"), "preemptions of services")


def demanded(run, demand):
    """Tokens of the measured time: a constant, or the rows of a file, of which the last holds as long as the one before it, or to
    the end of the period."""
    if "file" not in demand:
        return demand["tokens_per_s"] * (run.end_s - run.warmup_s)
    rows = [line.split(",") for line in run.s.files[demand["file"]].splitlines()[1:]]
    times, values = [float(row[0]) for row in rows], [float(row[1]) for row in rows]
    period = demand.get("period", times[-1] + times[-1] - times[-2])

    def until(time_s):
        rounds, rest = divmod(time_s, period) if "period" in demand else (0, time_s)
        ends = times[1:] + [period]
        of_round = [value * max(0, min(end, limit) - start) for limit in (period, rest)
                    for start, end, value in zip(times, ends, values)]
        half = len(of_round) // 2
        return rounds * math.fsum(of_round[:half]) + math.fsum(of_round[half:])
    return until(run.end_s) - until(run.warmup_s)


def types_and_users(run):
    s = run.summary
    close(run.total(run.types, "energy_kwh") + s["energy_base_kwh"], s["energy_kwh"], "energy of types")
    assert run.total(run.types, "jobs") == s["jobs_finished"]
    for t in run.types:
        assert float(t["compute_gpu_h"]) <= float(t["alloc_gpu_h"]) + 1e-9
        assert int(t["jobs"]) == sum(j["gpu_type"] == t["gpu_type"] for j in run.finished)
    assert run.total(run.users, "jobs") == s["jobs_submitted"]
    shares, slow = [], []
    close(run.total(run.users, "demand_gpu_s") / 3600, s["work_submitted_gpu_h"], "demand")
    weights = math.fsum(float(u["weight"]) for u in run.users if float(u["demand_gpu_s"]) > 0)
    for u in run.users:
        own = [j for j in run.measured if j["user"] == u["user"]]
        done = [j for j in own if j["status"] == "finished"]
        assert len(own) == int(u["jobs"])
        close(float(u["gpu_s"]), run.total(own, "gpu_s"), "gpu_s of a user")
        close(float(u["energy_kwh"]), run.total(own, "energy_j") / 3.6e6, "energy of a user")
        if done:
            close(number(u["jct_mean_s"]), run.total(done, "jct_s") / len(done), "jct of a user")
            mean = math.fsum(max(1, number(j["jct_s"]) / max(float(j["exec_s"]), 10)) for j in done) / len(done)
            close(number(u["slowdown_mean"]), mean, "slowdown of a user")
            slow.append(mean)
        if float(u["demand_gpu_s"]) > 0 and s["sim_s"] > 0:
            share = s["sim_s"] * run.gpus * float(u["weight"]) / weights
            shares.append(float(u["gpu_s"]) / min(float(u["demand_gpu_s"]), share))
    for column, values in (("jain_gpu_s", shares), ("jain_slowdown", slow)):
        if any(values):
            close(s[column], sum(values) ** 2 / (len(values) * sum(v * v for v in values)), column)


def losses(run):
    s = run.summary
    if not run.warmup_s:
        if s["preemptions"] == s["resizes"] == s["job_failures"] == 0:
            assert s["lost_gpu_h"] == s["energy_lost_kwh"] == 0 and run.total(run.jobs, "lost_s") == 0
    assert run.fails or s["job_failures"] == s["node_failures"] == 0
    assert 0 <= s["lost_gpu_h"] <= run.total(run.jobs, "gpu_s") / 3600 + 1e-9
    sleeps = any("sleep_after" in t for t in run.s.types)
    assert sleeps or s["sleep_gpu_h"] == 0
    powers = run.s.scenario["policy"]["params"].get("power_limits")
    assert powers or s["limited_gpu_h"] == 0


# --- jobs that nothing disturbs, by the formulas ---

def undisturbed(run):
    """Jobs of the log that ran in one piece at the speed of their configuration."""
    s = run.s
    if "noise" in s.scenario or "interference" in s.cluster or not hasattr(s, "jobs") or run.fails or \
            s.scenario["policy"]["params"].get("power_limits"):
        return
    rows = {job["job_id"]: job for job in s.jobs}
    types = {t["name"]: t for t in s.types}
    for j in run.jobs:
        name = j["job_id"].split("-", 1)[-1]
        if j["status"] == "finished" and j["preemptions"] == j["resizes"] == "0" and name in rows and \
                "sleep_after" not in types[j["gpu_type"]]:
            yield j, rows[name], types[j["gpu_type"]]


def by_formula(run):
    models = overridden(run.s)
    largest = largest_nodes(run.s)
    for j, row, t in undisturbed(run):
        if "model" in row:
            model = models[row["model"]]
            on = model["gpus"][j["gpu_type"]]
            if "lookup" in on:
                continue
            k, b = int(j["k"]), float(j["b"])
            rate, watts = speed(on, t, k, b, largest[t["name"]] if int(j["nodes"]) > 1 else 0, slowed(run.s, j))
            phases = model.get("phases", [{"until": 1}])
            if any("batches" in phase for phase in phases):
                continue  # it may have begun with another batch
            if "batch" not in row:
                assert any(abs(b / x - 1) < 1e-9 for x in allowed_batches(model, on, k)), (j, model)
            seconds = row["work_samples"] / rate * time_by_phase(model, phases, k * b)
            setup, gpus = model["start_s"], k
        else:
            setup = run.s.scenario["workload"].get("rigid_costs", {}).get("start_s", 0)
            seconds = row["duration_s"] / run.s.rigid_speed.get(j["gpu_type"], 1)
            watts = t["idle_w"] + mean_use(row, run.s.steps.get(row["job_id"], [])) * (t["tdp_w"] - t["idle_w"])
            gpus = float(j["gpu_s"]) / float(j["exec_s"])
            wanted = row["gpus"] * float(row.get("gpu_share", 1))
            assert min(abs(gpus - wanted), abs(gpus - math.ceil(wanted))) < 1e-6, (j, wanted)
        close(float(j["exec_s"]), setup + seconds, f"exec_s of {j['job_id']}", absolute=3e-9)
        close(float(j["energy_j"]), gpus * (t["ctx_w"] * setup + watts * seconds), f"energy_j of {j['job_id']}", 1e-8,
              1e-5)


def slowed(scenario, job):
    """The largest oversubscription of the tiers that a job crosses (semantics 32.3); one tier has no column."""
    tiers = scenario.cluster.get("network", {}).get("tiers", [])
    if not tiers or int(job["nodes"]) == 1:
        return 1
    reach = [tier["name"] for tier in tiers].index(job["span"]) if "span" in job else 0
    return max(tier["oversubscription"] for tier in tiers[:reach + 1])


def mean_use(row, steps):
    """Over the work of a rigid job: its mean before the first step."""
    ends = [min(start, row["duration_s"]) for start, _ in steps] + [row["duration_s"]]
    parts = [ends[0] * row["utilization"]]
    parts += [(end - min(start, end)) * value for (start, value), end in zip(steps, ends[1:])]
    return math.fsum(parts) / row["duration_s"]


def largest_nodes(scenario):
    return {t["name"]: max((n["gpus"] for n in scenario.cluster["nodes"] if n["gpu"] == t["name"]), default=0)
            for t in scenario.types}


def allowed_batches(model, on, k):
    place = on if "batches" in on else model
    return place["batches"] if "batches" in place else [b / k for b in place["global_batches"]]


def overridden(scenario):
    """Models by name, with model_overrides made (semantics 3.7)."""
    models, largest = {model["name"]: copy.deepcopy(model) for model in scenario.models}, largest_nodes(scenario)
    for entry in scenario.scenario.get("model_overrides", []):
        for model in models.values():
            if entry.get("model", model["name"]) != model["name"]:
                continue
            for gpu, on in model["gpus"].items():
                if entry.get("gpu", gpu) == gpu and "lookup" not in on:
                    override(on, entry["set"], lambda on=on, gpu=gpu, model=model: scaled(model, on, largest[gpu], entry["set"]))
            model["m0"] = entry["set"].get("m0", model.get("m0"))
    return models


def override(on, values, scale):
    for key, value in values.items():
        if key == "scaling_efficiency":
            scale()
        elif key != "m0":
            on[key] = on[key] * value["times"] if isinstance(value, dict) else value


def scaled(model, on, k, values):
    """alpha_s at which r(k)/(k r(1)) is the value: by bisection. alpha_inter_s grows as much, or keeps its distance."""
    batch, before = max(allowed_batches(model, on, k)), on["alpha_s"]

    def efficiency(alpha):
        return speed(on | {"alpha_s": alpha}, None, k, batch, 0) / speed(on, None, 1, batch, 0) / k
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if efficiency(middle) > values["scaling_efficiency"] else (low, middle)
    on["alpha_s"] = low
    if "alpha_inter_s" in on:
        on["alpha_inter_s"] = on["alpha_inter_s"] * (low / before) if before > 0 else on["alpha_inter_s"] + low


def time_by_phase(model, phases, batch):
    """1 / efficiency, the mean over the phases of the work."""
    total = done = 0
    if "efficiency" in model:
        return 1
    for phase in phases:
        phi = phase.get("phi", model["phi"])
        efficiency = 1 if batch <= model["m0"] else (phi + model["m0"]) / (phi + batch)
        total += (phase["until"] - done) / efficiency
        done = phase["until"]
    return total


def steps_of(on, k, b):
    return next((s["steps"] for s in on.get("grad_accum", []) if s["k"] == k and abs(s["batch"] / b - 1) < 1e-9), 1)


def speed(on, t, k, b, node_gpus, slow=1):
    """Samples/s, and watts of one GPU (semantics 3). node_gpus: of the largest node, where k spans several, else 0; the
    network makes synchronization slow times as long."""
    sync, steps = 0.0, steps_of(on, k, b)
    if k > 1:
        alpha, beta = on["alpha_s"], on.get("beta_s", 0)
        sync = (on.get("alpha_inter_s", alpha) if node_gpus else alpha) + beta * (k - 2)
        if node_gpus and on.get("sync_inter") == "log2":
            sync = on.get("alpha_inter_s", alpha) + on["beta_inter_s"] * math.log2(max(2, math.ceil(k / node_gpus)))
    sync *= slow
    gamma, outer = on["gamma"], on.get("sync_gamma", 1)
    compute = (on["a_s"] ** gamma + (on["c_s"] * b / steps) ** gamma) ** (1 / gamma) * k ** on.get("scaling_exponent", 0)
    rate = k * b / (steps * (compute ** outer + sync ** outer) ** (1 / outer))
    if t is None:
        return rate
    return rate, min(t["tdp_w"], on["p0_w"] + (on["pmax_w"] - on["p0_w"]) * on["c_s"] * rate / k)


CHECKS = [numbers_are_numbers, jobs_add_up, times_of_jobs, deadlines, power_over_time, gpus_over_time, types_and_users,
          services, losses, by_formula]


IN_ROUNDS = {"allox", "goodput", "sia", "las", "tiresias", "max_min"}  # unless told otherwise
NO_PROGRESS = "was stopped 1000 times in a row without having kept any of its work"


def scenario_of(seed):
    """Every fifth is of a newer policy, every fourth has services, every third, unless it is calm, a network."""
    scenario = Scenario(seed)
    if seed % 5 == 0:
        scenario.take_newer()
    if seed % 4 == 1:
        scenario.take_services()
    if seed % 3 == 1:
        scenario.take_network()
    return scenario


def run_of(*more, cwd):
    return easim("run", "scenario.yaml", "--check", "--quiet", "--force", "--out", "out", "--threads", "1", *more, cwd=cwd,
                 code=None)


def may_wait(scenario, told, folder):
    """Replicas that stay may be where a job alone could run; GPUs are reserved for replicas that a constant cap keeps from loading."""
    held = "waiting for ever" in told and "; services hold " in told and "; services hold 0" not in told
    capped = isinstance(scenario.cluster.get("power_cap_w"), (int, float)) and ", and the power cap keeps a replica of service " in told
    return held and (getattr(scenario, "stays", False) or
                     capped and run_of("--set", "cluster.power_cap_w=1e9", cwd=folder).returncode == 0)


def may_not_end(scenario):
    """A job may not last from one checkpoint to the next: where nodes fail, and where rounds take its GPUs away."""
    round_s = scenario.scenario["policy"]["params"].get("round_s", 60 if scenario.policy in IN_ROUNDS else "off")
    return "mtbf" in scenario.files["scenario.yaml"] or round_s != "off" and \
        any(model["checkpoint_interval_s"] > 0 for model in scenario.models)


def right(seed, folder):
    scenario = scenario_of(seed)
    scenario.write(folder)
    done = run_of(cwd=folder)
    if done.returncode == 1 and (NO_PROGRESS in done.stderr and may_not_end(scenario) or may_wait(scenario, done.stderr, folder)):
        return  # an error that says so
    try:
        assert done.returncode == 0, done
        names = ["summary", "jobs", "users", "types", "power"] + (["services"] if hasattr(scenario, "services") else [])
        tables = {name: rows_of(folder / f"out/{name}.csv") for name in names}
        for summary in tables["summary"]:
            run = Run(scenario, tables, summary["replication"])
            for check in CHECKS:
                check(run)
    except AssertionError:
        for name, text in scenario.files.items():
            print(f"--- {name}\n{text}", end="")
        raise


cases(seeds(right, min(form(300, 60), 60 if os.environ.get("EASIM_SANITIZED") else 300)))
