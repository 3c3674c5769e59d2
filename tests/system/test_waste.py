"""Waste classes of recorded runs: test_waste.py EASIM SOURCE [--count N]

Each class in a small run whose joules and GPU-seconds are worked out beside it; random runs of everything at once, computed
again naively by waste_again.py; runs that differ in one thing of which the difference is known.
"""
import json
import math
import tempfile
from pathlib import Path

import yaml

import recorded_scenarios
import test_services as serving
from harness import SOURCE, cases, easim, form, json_of, option, rows_of, seeds, write_files
from random_scenario import lines, table
from waste_again import CLASSES, STEPS, Recorded


def record(folder, *words):
    easim("run", folder / "scenario.yaml", "--record", "--quiet", "--out", folder / "out", *words)
    return folder / "out"


def analyze(out):
    """{(policy, replication): {class: (J, GPU s)}} of waste.csv, and that it adds up."""
    easim("analyze", out, "--verify", "none", "--quiet")
    found = {}
    for row in rows_of(out / "waste.csv"):
        run = found.setdefault((row["policy"], row["replication"]), {})
        run[row["class"]] = (float(row["energy_j"]), 3600 * float(row["gpu_h"]))
        assert math.isclose(float(row["energy_kwh"]) * 3.6e6, float(row["energy_j"]), rel_tol=1e-12), row
    runs = [run for path in out.glob("**/summary.csv") for run in rows_of(path)]
    assert len(runs) == len(found), (runs, found)
    for run in runs:
        waste = found[run["policy"], run["replication"]]
        assert list(waste) == CLASSES, list(waste)
        joules = math.fsum(j for j, _ in waste.values())
        assert math.isclose(joules, 3.6e6 * float(run["energy_kwh"]), rel_tol=1e-9), (joules, run)
    return found


def near(found, expected, what, scale=0.0):
    assert abs(found - expected) <= 1e-9 * max(abs(found), abs(expected), scale), (what, found, expected)


# ---- by hand --------------------------------------------------------------------------------------------------------

GPU = {"name": "g", "idle_w": 60, "ctx_w": 95, "tdp_w": 400, "memory_gib": 80}
HORIZON = 200


def jobs_of(*jobs):
    columns = ["job_id", "submit_s", "gpus", "duration_s", "model", "work_samples", "batch", "gpu_type", "gpu_share"]
    return table(columns, [[f"j{i}"] + [job.get(c, "") for c in columns[1:]] for i, job in enumerate(jobs)])


def rigid(submit_s, gpus, duration_s, **more):
    return {"submit_s": submit_s, "gpus": gpus, "duration_s": duration_s, **more}


def by_hand(name, expected, jobs, files=(), types=(GPU,), nodes=None, policy="fcfs", costs=None, workload=(), **more):
    """expected: {class: (J, GPU s)}; all others are 0."""
    nodes = nodes or [{"count": 1, "gpu": "g", "gpus": 2}]
    scenario = {"name": name, "horizon": HORIZON, "cluster": {"gpu_types": list(types), "nodes": nodes},
                "workload": {"kind": "trace", "file": "jobs.csv"} | ({"rigid_costs": costs} if costs else {}) | dict(workload),
                "policy": policy if isinstance(policy, dict) else {"name": policy}} | more
    with tempfile.TemporaryDirectory() as at:
        folder = Path(at)
        write_files(folder, {"scenario.yaml": lines(scenario), "jobs.csv": jobs_of(*jobs), **dict(files)})
        (waste,) = analyze(record(folder, "--check", "--strict")).values()
    scale = math.fsum(abs(j) for j, _ in expected.values())
    for at in CLASSES:
        for found, wanted, unit in zip(waste[at], expected.get(at, (0, 0)), ("J", "GPU s")):
            near(found, wanted, f"{name}: {at}, {unit}", scale if unit == "J" else 100)


def free_gpus():
    # GPU 0 runs to 100 s; GPU 1 is free all the time, nobody waits.
    by_hand("idle", {"base": (100 * 200, 0), "useful": (400 * 100, 100), "idle": (60 * 300, 300)},
            [rigid(0, 1, 100)], nodes=[{"gpu": "g", "gpus": 2, "base_w": 100}])
    # The same with CPUs that draw 30 W a busy GPU, and GPUs that sleep after 30 s at 10 W, are woken at 150 s in 4 s at ctx_w.
    sleepy = GPU | {"sleep_w": 10, "sleep_after": 30, "wake_s": 4}
    by_hand("asleep", {"base": (30 * (100 + 24), 0), "useful": (400 * 120, 120), "set-up": (95 * 4, 4),
                       "idle": (60 * (30 + 30 + 26), 86), "asleep": (10 * (170 + 20), 190)},
            [rigid(0, 1, 100), rigid(150, 1, 20)], types=[sleepy],
            nodes=[{"gpu": "g", "gpus": 2, "cpu_w_per_busy_gpu": 30}])
    # 4 GPUs, 2 of them taken to 100 s. Who is next wants 4: fragmented; behind it one wants 1: held back by fcfs.
    four = [{"gpu": "g", "gpus": 4}]
    by_hand("fragmented", {"useful": (400 * 600, 600), "fragmented": (60 * 2 * 90, 180), "idle": (60 * 20, 20)},
            [rigid(0, 2, 100), rigid(10, 4, 100)], nodes=four)
    by_hand("held back", {"useful": (400 * 600, 600), "held back": (60 * 2 * 90, 180), "idle": (60 * 20, 20)},
            [rigid(0, 2, 100), rigid(10, 4, 100), rigid(10, 1, 100)], nodes=four)
    # 0.3 and 0.6 of one GPU and all of the other are held to 100 s; 0.2 waits, 0.1 is free.
    by_hand("parts", {"useful": (400 * (90 + 100 + 20), 210), "fragmented": (60 * 0.1 * 100, 10), "idle": (60 * 180, 180)},
            [rigid(0, 1, 100, gpu_share=0.3), rigid(0, 1, 100, gpu_share=0.6), rigid(0, 1, 100),
             rigid(0, 1, 100, gpu_share=0.2)])


def interruptions():
    # Two nodes of one GPU; that of the job fails from 50 to 80 s. Set-up 10 s, 40 s of computing lost, and with it the
    # node: 30 s of base and GPU time. It starts again at once on the other, with 5 s of set-up, and finishes at 155 s.
    by_hand("failed", {"base": (100 * (400 - 30), 0), "failed node": (0, 30), "set-up": (95 * 10, 10),
                       "failed": (400 * 40 + 95 * 5, 45), "useful": (400 * 100, 100), "idle": (60 * (400 - 185), 215)},
            [rigid(0, 1, 100)], {"outages.csv": "node,start_s,end_s\n0,50,80\n"}, costs={"start_s": 10, "restart_s": 5},
            nodes=[{"count": 2, "gpu": "g", "gpus": 1, "base_w": 100}], failures={"file": "outages.csv"})
    # Preempted at 40 s by its schedule, and back at 60 s. With checkpoints every 30 s it loses 10 s of work: 5 s of set-up
    # and 70 s of computing, to 135 s. With one on demand that takes 3 s, it computes to 125 s.
    replay = {"name": "replay", "params": {"file": "schedule.csv"}}
    stops = {"schedule.csv": "time_s,job_id,gpus\n0,j0,1\n40,nobody,1\n60,j0,1\n"}
    one = {"policy": replay, "nodes": [{"gpu": "g", "gpus": 1}]}
    by_hand("lost", {"useful": (400 * 100, 100), "reconfigured": (400 * 10 + 95 * 5, 15), "held back": (60 * 20, 20),
                     "idle": (60 * 65, 65)},
            [rigid(0, 1, 100)], stops, costs={"restart_s": 5, "checkpoint_interval_s": 30}, **one)
    by_hand("saved", {"useful": (400 * 100, 100), "reconfigured": (95 * 8, 8), "held back": (60 * 17, 17), "idle": (60 * 75, 75)},
            [rigid(0, 1, 100)], stops, costs={"restart_s": 5, "checkpoint_s": 3}, **one)
    # From one GPU of 10 samples/s at 100 W to two of 8 at 110 W, half done at 50 s: 3 s of checkpoint and 5 s of set-up on
    # both, then 31.25 s. J a sample: 10, then 13.75, GPU time 0.1, then 0.125.
    by_hand("resized", {"useful": (1000 * 10, 100), "over-scaled": (500 * 3.75, 12.5), "reconfigured": (95 * 16, 16),
                        "idle": (60 * 271.5, 271.5)},
            [{"submit_s": 0, "model": "m", "work_samples": 1000, "batch": 8}],
            {"schedule.csv": "time_s,job_id,gpus\n0,j0,1\n50,j0,2\n", "models.yaml": model({"restart_s": 5, "checkpoint_s": 3})},
            types=[A], nodes=[{"gpu": "a", "gpus": 2}], policy=replay, models="models.yaml", workload={"k": [1, 2]})
    # Two on a node slow each other down to 1 / 1.5: 60 s of work take 90 s, then the longer one has 20 s to go.
    by_hand("slowed", {"useful": (400 * 140, 140), "slowed": (400 * 60, 60), "idle": (60 * 200, 200)},
            [rigid(0, 1, 60), rigid(0, 1, 80)],
            cluster={"gpu_types": [GPU], "nodes": [{"gpu": "g", "gpus": 2}],
                     "interference": {"slowdown_per_neighbour": 0.5}})


# J a sample, k P / samples_s: a 10, 12, 13.75, 15 and across nodes 20; h 20, 18, 28.125, 25
POINTS = {"a": [(1, 8, 10, 100), (1, 16, 12.5, 150), (2, 8, 16, 110), (2, 16, 20, 150), (2, 16, 15, 150, True)],
          "h": [(1, 8, 20, 400), (1, 16, 25, 450), (2, 8, 32, 450), (2, 16, 40, 500)]}
A, H = GPU | {"name": "a"}, GPU | {"name": "h", "idle_w": 70, "tdp_w": 700}


def model(costs=()):
    def points(of):
        return [{"k": k, "batch": b, "throughput_samples_s": rate, "power_w_per_gpu": watts} |
                ({"across_nodes": True} if across else {}) for k, b, rate, watts, *across in of]
    gpus = {name: {"lookup": points(of), "evidence": "assumed", "source": "made up"} for name, of in POINTS.items()}
    return lines({"models": [{"name": "m", "efficiency": "none", "batches": [8, 16], "gpus": gpus} | dict(costs)]})


def choices():
    files = {"models.yaml": model()}
    pair = [{"gpu": "a", "gpus": 2}, {"gpu": "h", "gpus": 2}]
    job = {"submit_s": 0, "model": "m", "work_samples": 4000}
    how = {"types": [A, H], "models": "models.yaml", "policy": "pollux"}
    # The fastest is h, k 2, b 16: 40 samples/s, 25 J; one GPU of h 18 J; of a, free, 10 J. 100 s. GPU time a sample:
    # 2 / 40 = 0.05, 1 / 25 = 0.04, 1 / 10 = 0.1.
    by_hand("misplaced", {"over-scaled": (4000 * 7, 4000 * 0.01), "misplaced": (4000 * 8, 4000 * -0.06),
                          "useful": (4000 * 10, 400), "idle": (60 * 400 + 70 * 200, 600)},
            [job], files, nodes=pair, workload={"k": [1, 2]}, **how)
    # The same with both GPUs of a taken all the time by somebody else.
    by_hand("crowded out", {"over-scaled": (4000 * 7, 40), "crowded out": (4000 * 8, -240),
                            "useful": (4000 * 10 + 400 * 2 * 200, 800), "idle": (70 * 200, 200)},
            [rigid(0, 2, 200, gpu_type="a"), job], files, nodes=pair, workload={"k": [1, 2]}, **how)
    # One GPU of a: b 16 is the fastest, b 8 cheaper. 1000 samples in 80 s.
    by_hand("batch", {"batch": (1000 * 2, 1000 * (0.08 - 0.1)), "useful": (1000 * 10, 100),
                      "idle": (60 * (2 * 200 - 80), 320)},
            [job | {"work_samples": 1000, "gpu_type": "a"}], files, nodes=pair[:1], workload={"k": [1]},
            **how | {"types": [A]})
    # Of two nodes one GPU each is free at 10 s, so k 2 goes across: 15 samples/s, 20 J, for 100 s. On the empty cluster b 16
    # has 15 J, b 8 13.75, and one GPU 10, which was there. GPU time: 2/15, 2/20, 2/16, 1/10.
    by_hand("spread", {"spread": (1500 * 5, 50), "batch": (1500 * 1.25, -37.5), "over-scaled": (1500 * 3.75, 37.5),
                       "useful": (1500 * 10 + 400 * 310, 150 + 310), "idle": (60 * 290, 290)},
            [rigid(0, 1, 150), rigid(0, 1, 10), rigid(0, 1, 150), job | {"submit_s": 10, "work_samples": 1500}], files,
            nodes=[{"count": 2, "gpu": "a", "gpus": 2}], workload={"k": [1, 2]}, **how | {"types": [A]})


# ---- services ------------------------------------------------------------------------------------------------------

def serving_by_hand(expected, streams, **how):
    """As test_services.py: 2000 tokens a second at 600 W, 1000 at 400, none at k x 90."""
    with tempfile.TemporaryDirectory() as at:
        folder = Path(at)
        (folder / "jobs.csv").write_text(serving.JOBS)
        streams = streams(folder) if callable(streams) else streams
        (waste,) = analyze(serving.run(folder, streams, options=("--record",), **how)).values()
    scale = math.fsum(joules for joules, _ in expected.values())
    for name in CLASSES:
        for found, wanted, unit in zip(waste[name], expected.get(name, (0, 0)), ("J", "GPU s")):
            near(found, wanted, f"{name}, {unit}", scale)


def services():
    # Half of the tokens it could give: 0.3 J each in full use, and 400 W for 100 s. The warm-up cuts what is constant.
    half = [serving.service()]
    for warmup in (0, 30):
        s = 100 - warmup
        serving_by_hand({"base": (200 * s, 0), "idle": (60 * 7 * s, 7 * s), "useful": (300 * s, s / 2), "underused": (100 * s, s / 2)},
                        half, warmup=f"{warmup}s")
    # Reserved from 100 s on, when a ends; b ends at 250 s. It loads for 10 s, serves 380000 tokens in 190 s, and nothing in the
    # 120 s before it goes at 570 s; then c runs on one GPU for 50 s, to the end.
    late = [150 * 60, 2 * 10 * 90]

    def reserving(folder):
        chat = serving.service(demand=serving.course(folder, "d.csv", serving.LATE), replicas=0, most=1,
                               more=", start_s: 10s, scaling: {interval: 30s, down_after: 60s}")
        return ["{kind: trace, file: jobs.csv}", chat]
    serving_by_hand({"reserved": (late[0], 150), "set-up": (late[1], 20), "useful": (380000 * 0.3 + 700 * 400, 380 + 400),
                     "underused": (180 * 120, 240), "idle": (60 * 50, 50)}, reserving, nodes="[{count: 1, gpu: g, gpus: 2}]", k=2, horizon="drain")
    # Its node fails at 50 s, what stands in for it loads on the other until 70 s.
    def failing(folder):
        (folder / "outages.csv").write_text("node,start_s,end_s\n0,50,80\n")
        return [serving.service(more=", start_s: 20s")]
    with tempfile.TemporaryDirectory() as at:
        folder = Path(at)
        out = serving.run(folder, failing(folder), nodes="[{count: 2, gpu: g, gpus: 1}]", top="failures: {file: outages.csv}\n",
                          options=("--record",))
        (waste,) = analyze(out).values()
        near(waste["failed"][0], 20 * 90, "loading after a failure")
        near(waste["failed node"][1], 30, "failed node")
        assert waste["set-up"] == (0, 0), waste


# ---- random ---------------------------------------------------------------------------------------------------------

SEEN, RAN = set(), []


def again(seed, folder):
    """A scenario, unless it could not be run to its end (test_random.py says why one may not)."""
    if not recorded_scenarios.record(recorded_scenarios.drawn(seed), folder):
        return
    for run, waste in analyze(folder / "out").items():
        compare(f"seed {seed}, {run}", Recorded(folder / "out", *run), waste)
        SEEN.update(name for name, (joules, gpu_s) in waste.items() if abs(joules) + abs(gpu_s) > 1)
    RAN.append(seed)


def compare(what, recorded, waste):
    expected = recorded.waste()
    total_j = math.fsum(j for j, _ in expected.values())
    total_gpu_s = math.fsum(s for _, s in expected.values())
    gpus = sum(node.gpus for node in recorded.cluster.nodes)
    near(total_gpu_s, gpus * (recorded.end - recorded.begin) / 1e9, (what, "GPU time"))
    for name in CLASSES:
        near(waste[name][0], expected[name][0], (what, name, "J"), total_j)
        if not (recorded.tied and name in [*STEPS, "useful"]):
            near(waste[name][1], expected[name][1], (what, name, "GPU s"), total_gpu_s)


# ---- several runs ---------------------------------------------------------------------------------------------------

def chosen_runs(folder):
    """waste.csv is of all runs in a folder, or of those chosen; each is what it is alone."""
    out = folder / "out"
    easim("compare", SOURCE / "configs" / "eas-sim.yaml", "--policies", "zeus,fcfs", "--set", "replications=2", "--record",
          "--quiet", "--out", out)
    everything = analyze(out)
    assert list(everything) == [(p, r) for p in ("zeus", "fcfs") for r in "12"], list(everything)
    for words, wanted in ((("--policy", "fcfs"), [("fcfs", "1"), ("fcfs", "2")]),
                          (("--policy", "fcfs", "--replication", "2"), [("fcfs", "2")]),
                          (("--replication", "2"), [("zeus", "2"), ("fcfs", "2")])):
        easim("analyze", out, "--quiet", "--out", folder / "less", *words)
        rows = rows_of(folder / "less" / "waste.csv")
        assert rows == [r for r in rows_of(out / "waste.csv") if (r["policy"], r["replication"]) in wanted], words
    insights = json_of(out / "insights.json")
    assert [row["class"] for row in insights["waste"]] == CLASSES
    for row in insights["waste"]:
        near(row["energy_j"], everything["zeus", "1"][row["class"]][0], row)


# ---- the line under the table ---------------------------------------------------------------------------------------

GROUPS = {"useful": ["useful"], "idle": ["held back", "fragmented", "idle", "asleep", "reserved"],
          "overhead": ["set-up", "reconfigured", "failed", "slowed"],
          "lost by choice": ["spread", "batch", "over-scaled", "misplaced", "underused"], "crowded out": ["crowded out"],
          "base": ["base"]}


def line_of_run(folder):
    """In per cent of the energy of all replications; of many jobs, or with other output, it is left to analyze."""
    words = ("run", SOURCE / "configs" / "eas-sim.yaml", "--set", "replications=3", "--set", "cluster.nodes[0].base_w=300")
    out = folder / "out"
    lines_of = [text for text in easim(*words, "--record", "--out", out).stdout.splitlines() if "energy went into" in text]
    rows = [row for run in analyze(out).values() for row in run.items()]
    total = math.fsum(joules for _, (joules, _) in rows)
    shares = {group: 100 * math.fsum(joules for name, (joules, _) in rows if name in names) / total
              for group, names in GROUPS.items()}
    assert lines_of == ["  energy went into: " + ", ".join(f"{group} {share:.1f} %" for group, share in shares.items())], lines_of
    assert "energy went into" not in easim(*words, "--out", out, "--force").stdout
    for more in (("--quiet",), ("--format", "csv"), ("--format", "json")):
        done = easim(*words, "--record", "--out", out, "--force", *more)
        assert "energy went into" not in done.stdout + done.stderr, more
    easim(*words, "--record", "--out", out, "--force", "--set", "workload.until={jobs: 7000}", "--set", "horizon=1000h", "--set",
          "workload.rate_per_s=0.01", prints="energy went into: not shown for more than 20000 jobs, see easim analyze")


# ---- one thing changed ----------------------------------------------------------------------------------------------

def waste_of(folder, name, text, **files):
    return analyze(record(write_files(folder / name, {"scenario.yaml": text, **files})))


def changed_runs(folder):
    """A node of which nobody knows the GPUs only adds base and idle; twice the power is twice the energy."""
    scenario = yaml.safe_load((SOURCE / "configs" / "eas-sim.yaml").read_text())
    models = yaml.safe_load((SOURCE / "configs" / "models" / "eas-sim.yaml").read_text())
    scenario |= {"models": "models.yaml", "replications": 2, "policy": {"name": "zeus"}}
    plain = waste_of(folder, "plain", lines(scenario), **{"models.yaml": lines(models)})
    more = json.loads(json.dumps(scenario))
    more["cluster"]["gpu_types"].append({"name": "unknown", "idle_w": 50, "ctx_w": 60, "tdp_w": 100, "memory_gib": 16})
    more["cluster"]["nodes"].append({"gpu": "unknown", "gpus": 3, "base_w": 200})
    added = waste_of(folder, "added", lines(more), **{"models.yaml": lines(models)})
    hours = 10
    for run, waste in plain.items():
        for name, (joules, gpu_s) in waste.items():
            by = {"base": (200 * 3600 * hours, 0), "idle": (3 * 50 * 3600 * hours, 3 * 3600 * hours)}.get(name, (0, 0))
            near(added[run][name][0], joules + by[0], ("added", name))
            near(added[run][name][1], gpu_s + by[1], ("added", name))
    for place in scenario["cluster"]["gpu_types"] + scenario["cluster"]["nodes"] + [
            on for m in models["models"] for on in m["gpus"].values()]:
        for key in ("idle_w", "ctx_w", "tdp_w", "base_w", "p0_w", "pmax_w"):
            if key in place:
                place[key] *= 2
    twice = waste_of(folder, "twice", lines(scenario), **{"models.yaml": lines(models)})
    for run, waste in plain.items():
        total = math.fsum(j for j, _ in waste.values())
        for name, (joules, gpu_s) in waste.items():
            near(twice[run][name][0], 2 * joules, ("twice", name), total)
            near(twice[run][name][1], gpu_s, ("twice", name), 160 * 3600)


COUNT = option("--count", form(40, 12))
cases(free_gpus, interruptions, choices, services, changed_runs, chosen_runs, line_of_run, seeds(again, COUNT))
assert len(RAN) > 0.9 * COUNT, RAN
assert SEEN | {"reserved"} == {*CLASSES} or COUNT < 30, SEEN  # reserved: rare, by hand above
