"""easim regret: test_regret.py EASIM SOURCE

By hand: two jobs and a policy that takes the worst configuration on purpose. Against independent runs: the policy detour
takes each alternative from the start. On random scenarios: copies in which nothing is replaced end as the run does."""
import json
import math
import os

from harness import SOURCE, cases, easim, json_of, rows_of, same_files, write_files, write_rows
from random_scenario import Scenario
from recorded_scenarios import NO_PROGRESS, UNRULY

# Rigid jobs on one GPU of either type; without set-up. Powers: fast 10 W free, 100 W busy; slow 5 W and 50 W.
HAND = {
    "models.yaml": """\
models:
  - {name: bert, m0: 1024, phi: 1000, batches: [8], gpus: {fast: {a_s: 0.04, c_s: 0.005, gamma: 2, alpha_s: 0.01,
     p0_w: 50, pmax_w: 80, evidence: assumed, source: made up}}}
rigid_speed: {fast: 1, slow: 0.5}
""",
    "jobs.csv": "job_id,submit_s,duration_s,gpus,deadline_s\na,0,100,1,150\nb,10,60,1,\n",
    "scenario.yaml": """\
name: hand
horizon: drain
cluster:
  gpu_types:
    - {name: fast, idle_w: 10, ctx_w: 10, tdp_w: 100, memory_gib: 16}
    - {name: slow, idle_w: 5, ctx_w: 5, tdp_w: 50, memory_gib: 16}
  nodes:
    - {count: 1, gpu: fast, gpus: 1}
    - {count: 1, gpu: slow, gpus: 1}
models: models.yaml
workload: {kind: trace, format: workload, file: jobs.csv, k: [1], rigid_costs: {start_s: 0}}
policy: {name: detour, params: {worst: true}}
"""}
DETOUR = ["--policy", "detour", "--set", "cluster.power_cap_w=1e12"]


def joules(kwh):
    return float(kwh) * 3.6e6


def same(got, expected):
    assert len(got) == len(expected) and all(math.isclose(g, e, rel_tol=1e-12, abs_tol=1e-9)
                                             for g, e in zip(got, expected)), (got, expected)


# a (100 s of fast) comes at 0 and is put on slow: 0 to 200. b (60 s of fast) at 10, on fast: 10 to 70. Mean 130 s;
# energy 60 x 100 + 140 x 10 + 200 x 50. a on fast: 0 to 100, b on slow: 10 to 130; 100 x 100 + 30 x 10 + 120 x 50 +
# 10 x 5. a waits: at 10 it takes slow until 210, b fast; 60 x 100 + 150 x 10 + 200 x 50 + 10 x 5. b waits: until 200,
# then on slow, the worst of both, until 320; 320 x 10 + 320 x 50 + 0.
HAND_ROWS = [("1", "chosen", "slow", 130, 17400, 1), ("1", "other", "fast", 110, 16350, 0), ("1", "wait", "", 135, 17550, 1),
             ("2", "chosen", "fast", 130, 17400, 1), ("2", "wait", "", 255, 19200, 1)]


def by_hand(folder):
    write_files(folder, HAND)
    easim("regret", "scenario.yaml", "--out", "out", "--quiet", "--check", cwd=folder)
    rows = rows_of(folder / "out/regret.csv")
    assert [(r["point"], r["action"], r["gpu_type"]) for r in rows] == [row[:3] for row in HAND_ROWS], rows
    for row, (*_, jct_s, energy_j, missed) in zip(rows, HAND_ROWS):
        same([float(row["jct_s"]), joules(row["energy_kwh"]), float(row["deadline_missed"])], [jct_s, energy_j, missed])
    assert [r["regret"] for r in rows] == ["20.0", "", "", "0.0", ""], rows
    other = rows[1]
    assert (other["own_change_s"], other["sooner"], other["later"], other["most_later_s"], other["most_later_job"]) == \
        ("-100.0", "0", "1", "60.0", "b"), other
    for by, expected in [("energy", 17400 - 16350), ("misses", 1)]:
        told = json.loads(easim("regret", "scenario.yaml", "--out", by, "--by", by, "--format", "json", cwd=folder).stdout)
        scale = 3.6e6 if by == "energy" else 1
        same([told["regret"]["most"] * scale, told["regret"]["mean"] * scale], [expected, expected / 2])
        assert told["regret"]["best"] == 1 and told["worst"][0]["best"]["gpu_type"] == "fast", told
    told = json.loads(easim("regret", "scenario.yaml", "--out", "g", "--format", "json", cwd=folder).stdout)
    groups = [(g["k"], g["points"], g["mean"]) for g in told["by_k"]], [(g["gpu_type"], g["mean"]) for g in told["by_gpu_type"]]
    assert groups == ([(1, 2, 10)], [("fast", 0), ("slow", 20)]), told
    assert told["by_waiting"] == [{"waiting_from": 1, "points": 2, "best": 1, "mean": 10}], told


def hindsight_by_hand(folder):
    """a on fast is taken; then b may go on slow (10 to 130, mean 110 s) or wait, until 100, and take slow until 220."""
    write_files(folder, HAND)
    easim("regret", "scenario.yaml", "--hindsight", "--out", "out", "--quiet", "--check", cwd=folder)
    rows = rows_of(folder / "out/regret.csv")
    assert [(r["action"], r["taken"]) for r in rows] == [("chosen", "0"), ("other", "1"), ("wait", "0"), ("chosen", "1"),
                                                        ("wait", "0")], rows
    same([float(r["jct_s"]) for r in rows], [130, 110, 135, 110, (100 + 210) / 2])
    hindsight = {r["metric"]: r for r in rows_of(folder / "out/hindsight.csv")}
    jct, energy = hindsight["jct_mean_s"], hindsight["energy_kwh"]
    same([float(jct["hindsight"]), float(jct["value"]), joules(energy["hindsight"])], [110, 130, 16350])
    bounds = {r["metric"]: r["bound"] for r in rows_of(folder / "out/hindsight.csv")}
    easim("bound", "scenario.yaml", "--out", "bound", "--quiet", cwd=folder)
    for row in rows_of(folder / "bound/bounds.csv"):
        assert row["replication"] == "mean" or bounds[row["metric"]] == row["bound"], (bounds, row)
    assert float(jct["bound"]) <= 110 and bounds["deadline_missed"] == ""


def externality_by_hand(folder):
    """Without a, b takes slow: 10 to 130 instead of 10 to 70, 120 x 50 J instead of 60 x 100. Without b nothing changes
    for a, and the run still ends at 200: 60 x 90 J less."""
    write_files(folder, HAND)
    for job, delay_s, energy_j, cluster_j in [("a", -60, 0, 17400 - (130 * 10 + 10 * 5 + 120 * 50)), ("b", 0, 0, 60 * 90)]:
        told = json.loads(easim("regret", "scenario.yaml", "--job", job, "--out", job, "--format", "json", cwd=folder).stdout)
        own, other = rows_of(folder / job / "externality.csv")
        assert own["job_id"] == job and own["delay_s"] == "" and other["job_id"] == "ab".replace(job, "")
        same([float(other["delay_s"]), float(other["energy_imposed_j"]), joules(told["cluster_energy_kwh"])],
             [delay_s, energy_j, cluster_j])


def externality_of_random(folder):
    """The run without the job is that of a log without it: random numbers of the others are their own."""
    scenario = Scenario(13)
    write_files(folder, scenario.files)
    changes = ["--set", "policy={name: zeus}", "--set", "noise=null", "--set", "replications=1", "--set", "failures=null"]
    (folder / "log.csv").write_text(easim("gen", "scenario.yaml", *changes, cwd=folder).stdout)
    rows = rows_of(folder / "log.csv")
    log = ["--set", "workload={kind: trace, format: workload, file: log.csv, k: [1, 2, 4]}"]
    job = rows[len(rows) // 2]["job_id"]
    easim("regret", "scenario.yaml", *changes, *log, "--job", job, "--out", "ext", "--quiet", cwd=folder)
    write_rows(folder / "log.csv", [row for row in rows if row["job_id"] != job])
    easim("run", "scenario.yaml", *changes, *log, "--out", "without", "--quiet", cwd=folder)
    without = {row["job_id"]: row for row in rows_of(folder / "without/jobs.csv")}
    others = [row for row in rows_of(folder / "ext/externality.csv") if row["job_id"] != job]
    assert len(others) == len(without) > 5
    assert any(row["delay_s"] not in ("", "0.0") for row in others), others
    for row in others:
        assert row["finish_without_s"] == without[row["job_id"]]["finish_s"], (row, without[row["job_id"]])


def against_runs(folder):
    """Each action of each point, taken from the start by detour, gives the figures of its row, to the last digit."""
    compared, waits = 0, 0
    for seed in (2, 3, 5, 8, 11, 14, 21):
        place = write_files(folder / str(seed), Scenario(seed).files)
        changes = [*DETOUR, "--set", "replications=1"]
        easim("regret", "scenario.yaml", *changes, "--sample", 3, "--out", "out", "--quiet", cwd=place)
        rows = rows_of(place / "out/regret.csv")
        for number, row in enumerate(rows):
            assert row["failure"] == "", row
            if row["action"] == "chosen" or (row["action"] == "other" and number % 3):
                continue
            wanted = [row[c] for c in ("gpu_type", "k", "batch_per_gpu", "gpu_share", "power_limit_w")]
            take = f"{{at: {row['point']}, place: {place_of(place, changes, row, wanted)}}}"
            easim("run", "scenario.yaml", *changes, "--set", f"policy.params={take}", "--out", "run", "--quiet", "--force",
                  "--decisions", cwd=place)
            run = rows_of(place / "run/summary.csv")[0]
            jct = run["jct_mean_s"] if Scenario(seed).drain else run["jct_restricted_mean_s"]
            assert (row["energy_kwh"], row["jct_s"], row["deadline_missed"]) == \
                (run["energy_kwh"], jct, run["deadline_missed"] + ".0"), (seed, row, take)
            compared += 1
            waits += row["action"] == "wait"
    assert compared > 20 and waits > 3, (compared, waits)
    print(f"{compared} alternatives as independent runs, {waits} of them waits")


PLACES = {}


def place_of(place, changes, row, wanted):
    """The place of a configuration among those of the job, from the story of the policy's own run; -1: wait."""
    if row["action"] == "wait":
        return -1
    if place not in PLACES:
        easim("run", "scenario.yaml", *changes, "--record", "--out", "own", "--quiet", cwd=place)
        PLACES[place] = {}
    if row["job_id"] not in PLACES[place]:
        story = json.loads(easim("explain", "own", row["job_id"], "--format", "json", cwd=place).stdout)
        PLACES[place][row["job_id"]] = story["decisions"][0]["configurations"]
    for index, c in enumerate(PLACES[place][row["job_id"]]):
        shape = [c["gpu_type"], c["k"], c["b"], c["gpu_share"], c["power_limit_w"]]
        if [same_cell(a, b) for a, b in zip(wanted, shape)] == [True] * 5:
            return index
    raise AssertionError((wanted, PLACES[place][row["job_id"]]))


def same_cell(text, value):
    return text == "" if value is None else text == value if isinstance(value, str) else text != "" and float(text) == value


def nothing_replaced(folder):
    """--check copies what was chosen at each point: by every policy, preempting, resizing, in rounds, under caps, noise,
    failures, sleep and horizons."""
    checked = set()
    for seed in range(30):
        scenario = Scenario(seed)
        place = write_files(folder / str(seed), scenario.files)
        done = easim("regret", "scenario.yaml", "--check", "--sample", "3", "--out", "out", "--quiet",
                     *(UNRULY if seed % 3 == 0 else []), cwd=place, code=None)
        if "starts no job within the run" in done.stderr or NO_PROGRESS in done.stderr:
            continue
        if done.returncode == 1:  # a copy in which the policy then leaves jobs waiting for ever has no result
            failures = {row["failure"] for row in rows_of(place / "out/regret.csv")}
            assert all(f == "" or "waiting for ever" in f or "made by" in f for f in failures), (seed, failures)
        else:
            assert done.returncode == 0, (seed, done.stderr)
        for row in rows_of(place / "out/regret.csv"):
            assert row["action"] != "chosen" or row["failure"] == "", (seed, row)
        checked.add("unruly" if seed % 3 == 0 else scenario.policy)
    assert len(checked) > 5, checked


def same_bytes(folder):
    """For any number of copies at a time; and repeated from its manifest."""
    words = ["regret", SOURCE / "configs/eas-sim.yaml", "-n", 2, "--sample", 12, "--quiet"]
    write_files(folder / "hand", HAND)
    for more in [[], ["--hindsight"]]:
        config = words if not more else ["regret", folder / "hand/scenario.yaml", "--quiet", *more]
        name = "h" if more else "s"
        for threads in (1, 2, 7):
            easim(*config, "--threads", threads, "--out", folder / f"{name}{threads}")
        for threads in (2, 7):
            same_files(folder / f"{name}1", folder / f"{name}{threads}")
        assert easim("regret", folder / f"{name}1/manifest.json").stdout == "equal\n"


# What a copy does where it is refused what fits, and what is said of it.
HARMS = {"fail": "policy detour: decide failed: it was refused what fits (at t = 0 s)",
         "crash": "signal", "kill": "was ended by signal 9, Killed (replication 1, at t = 0 s, after 0 decisions)",
         "exit": "ended its process with exit status 0 (replication 1", "scratch": "out of memory in decide of policy detour"}
if os.environ.get("EASIM_SANITIZED"):
    del HARMS["scratch"]  # found by the sanitizer, whose report is a failed test


def failing_copies(folder):
    write_files(folder, HAND)
    for harm, text in HARMS.items():
        done = easim("regret", "scenario.yaml", "--set", f"policy.params={{worst: true, refused: {harm}}}", "--out", harm,
                     cwd=folder, code=1)
        rows = rows_of(folder / harm / "regret.csv")
        failures = [row["failure"] for row in rows]
        assert [f != "" for f in failures] == [False, False, True, False, True], (harm, failures)
        assert harm == "crash" or text in failures[2], (harm, failures)
        assert rows[1]["jct_s"] == "110.0" and rows[2]["jct_s"] == "" and rows[0]["regret"] == "20.0", rows
        assert "2 of 3 copies have no result, the first: " in done.stderr and failures[2] in done.stderr, done.stderr
        assert json_of(folder / harm / "manifest.json")["failed"] == 2
    easim("run", "scenario.yaml", "--set", "policy.params={worst: true, refused: fail}", "--record", "--quiet", "--out", "recorded", cwd=folder)
    story = easim("explain", "recorded", "a", "--what-if", "all", cwd=folder).stdout  # a failure of the policy is a row
    assert HARMS["fail"] in story and "completion time, mean" in story, story


def interrupted(folder):
    """A copy of the third point sends SIGINT to easim: the two points before are kept, whole."""
    write_files(folder, HAND)
    (folder / "jobs.csv").write_text("job_id,submit_s,duration_s,gpus,deadline_s\n" +
                                     "".join(f"j{i},{100 * i},50,1,\n" for i in range(6)))
    changes = ["--set", "policy.params={refused: interrupt, from: 3}", "--threads", 1]
    easim("regret", "scenario.yaml", *changes, "--out", "out", cwd=folder, code=130,
          says="interrupted: 2 of 6 decision points are finished and kept")
    manifest = json_of(folder / "out/manifest.json")
    assert manifest["partial"] is True and manifest["looked_at"] == 2, manifest
    rows = rows_of(folder / "out/regret.csv")
    assert [(r["point"], r["action"]) for r in rows] == [(p, a) for p in "12" for a in ("chosen", "other", "wait")], rows
    done = easim("regret", "scenario.yaml", *changes, "--set", "policy.params.from=0", "--out", "none", cwd=folder, code=130)
    assert "interrupted: there are no results" in done.stderr and not (folder / "none").exists(), done.stderr


def what_if(folder):
    """easim explain gives the rows of regret.csv that are of its job; or those that were asked for."""
    write_files(folder, HAND)
    easim("run", "scenario.yaml", "--record", "--out", "rec", "--quiet", cwd=folder)
    rows = json.loads(easim("explain", "rec", "a", "--what-if", "all", "--format", "json", cwd=folder).stdout)["what_if"]
    assert [(r["action"], r["gpu_type"] or "") for r in rows] == [row[1:3] for row in HAND_ROWS[:3]], rows
    for row, (*_, jct_s, energy_j, missed) in zip(rows, HAND_ROWS):
        same([row["jct_mean_s"], joules(row["energy_kwh"]), row["deadline_missed"]], [jct_s, energy_j, missed])
    told = easim("explain", "rec", "a", "--what-if", "1 fast", cwd=folder).stdout
    section = told[told.index("What if?"):]
    assert "at 0 s, in place of 1 x slow:\n      1 x fast: energy -0.000292 kWh; completion time, mean -20 s; deadlines missed " \
        "-1; it would have ended 100 s sooner, 0 others sooner, 1 later (b by 60 s)\n" in section, section
    assert "waiting" not in section and "waiting: " in easim("explain", "rec", "b", "--what-if", "wait", cwd=folder).stdout
    assert "could not be had then" in easim("explain", "rec", "b", "--what-if", "1 slow", cwd=folder).stdout
    for text in ("fast", "0 fast", "1 fst", "1x fast", ""):
        easim("explain", "rec", "a", "--what-if", text, cwd=folder, code=2,
              says="--what-if: expected all, wait, or a number of GPUs and their type, as \"4 fast\"")
    (folder / "jobs.csv").write_text("job_id\n")
    easim("explain", "rec", "a", "--what-if", "all", cwd=folder, code=2,
          says="--what-if: the run cannot be repeated, so nothing else can be tried: ")


cases(by_hand, hindsight_by_hand, externality_by_hand, externality_of_random, what_if, against_runs, nothing_replaced, same_bytes,
      failing_copies, interrupted)
