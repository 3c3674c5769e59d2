"""A workload written by `easim gen` and run as a trace gives the results of the scenario it came from: test_gen.py
EASIM SOURCE

jobs.csv, power.csv and types.csv are compared byte for byte. Reference GPU-seconds are work over speed in a trace and
drawn as they are in a generated workload, so what is summed from them may differ in the last digits.
"""
import math
import re

from harness import SOURCE, cases, easim, rows_of, same_files

CONFIGS = SOURCE / "configs"
RIGID = ("cluster.nodes[0].gpus=6", "workload={kind: diurnal, rate_per_s: 0.003, rigid: {k: [1, 2, 3]}, h: [h100], "
         "sizes: {law: exponential, mean: 2h}, utilization: 0.73, preemptible: false, warmup: 1h, users: [a, b], "
         "rigid_costs: {start_s: 20, checkpoint_s: 3}}")
STREAMS = ("workload={streams: [{name: x, kind: poisson, load: 0.3, k: [1, 4], b: [128], sizes: {law: constant, mean: "
           "1h}, mix: [{model: resnet50-fp32}]}, {name: y, kind: periodic, period: 20min, k: [1, 4], b: [128], sizes: "
           "{law: exponential, mean: 1h}, mix: [{model: albert-v2-bf16}], deadlines: {share: 1, slack: [1, 2]}}]}",)


def same_within_digits(a, b):
    for row, other in zip(rows_of(a), rows_of(b), strict=True):
        for name in row:
            try:
                assert math.isclose(float(row[name]), float(other[name]), rel_tol=1e-12), (a, name, row, other)
            except ValueError:
                assert row[name] == other[name], (a, name, row, other)


def check(folder, config, policy, *sets):
    """Replication 1: everything; the section that gen prints is used as it is."""
    options = [word for value in sets for word in ("--set", value)]
    own, again, log = folder / "own", folder / "again", folder / "w.csv"
    folder.mkdir()
    done = easim("gen", CONFIGS / config, "-o", log, *options, cwd=SOURCE)
    section = re.fullmatch(r"(\d+) jobs; to run them: workload: (\{.*\})\n", done.stderr)
    assert section and done.stdout == "" and len(rows_of(log)) == int(section[1]) > 0, done
    common = ["--policy", policy, "-n", 1, "--quiet", "--check", *options]
    easim("run", CONFIGS / config, *common, "--out", own)
    easim("run", CONFIGS / config, *common, "--set", f"workload={section[2]}", "--out", again)
    same_files(own, again, "jobs.csv", "power.csv", "types.csv")
    for name in ("summary.csv", "users.csv"):
        same_within_digits(own / name, again / name)
    assert len(rows_of(own / "jobs.csv")) > 5
    twice = easim("gen", CONFIGS / config, *options, "--set", f"workload={section[2]}", "-q")
    assert twice.stdout == log.read_text() and twice.stderr == ""  # a log written again is the same log


def other_replications(folder):
    """Replication 3 of seed 7, compared by the jobs that list policies see."""
    log = folder / "w.csv"
    easim("gen", CONFIGS / "eas-sim.yaml", "-o", log, "--replication", 3, "--seed", 7)
    easim("run", CONFIGS / "eas-sim.yaml", "-s", 7, "-n", 3, "-q", "--policy", "zeus", "--out", folder / "own")
    easim("run", CONFIGS / "eas-sim.yaml", "-n", 1, "-q", "--policy", "zeus", "--out", folder / "again", "--set",
          f"workload={{kind: trace, file: {log}, k: [1, 2, 4, 8]}}")
    third = [row | {"replication": "1"} for row in rows_of(folder / "own/jobs.csv") if row["replication"] == "3"]
    assert third == rows_of(folder / "again/jobs.csv")


def as_traces(folder):
    runs = [("eas-sim.yaml", "pollux"), ("eas-sim.yaml", "hades", "seed=99"), ("mmc.yaml", "fcfs"),
            ("tiny.yaml", "zeus"), ("itp-sample.yaml", "zeus"), ("eas-sim.yaml", "fcfs", *RIGID),
            ("eas-sim.yaml", "chronos", *STREAMS), ("eas-sim.yaml", "easy", "horizon=drain", "workload.until=4h")]
    for number, case in enumerate(runs):
        check(folder / str(number), *case)
    return len(runs)


cases(as_traces, other_replications)
