#!/usr/bin/env python3
"""Prints the tables of docs/eas-sim.md: seed_table.py EASIM SOURCE [--check]

Runs configs/eas-sim.yaml (10 replications, seed 1) for every policy, at the horizon and drained (arrivals end at 10 h).
--check compares with the document instead and fails if a line of the tables is not in it.
"""
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

POLICIES = ["fcfs", "easy", "pollux", "themis", "chronos", "zeus", "hades", "aurachronos"]
ENDS = {"At the horizon of 10 h": [], "Drained": ["--set", "horizon=drain", "--set", "workload.until=10h"]}
COLUMNS = [  # heading, metric, scale, decimals
    ("throughput (jobs/h)", "throughput_jobs_per_h", 1, 2),
    ("JCT, finished (h)", "jct_mean_s", 1 / 3600, 2),
    ("JCT, restricted mean (h)", "jct_restricted_mean_s", 1 / 3600, 2),
    ("energy (kWh)", "energy_kwh", 1, 1),
    ("work done (GPU h)", "work_done_gpu_h", 1, 1),
    ("work unfinished (GPU h)", "work_unfinished_gpu_h", 1, 1),
    ("energy per work (kWh/GPU h)", "energy_per_work_kwh", 1, 4),
    ("deadlines missed (%)", "deadline_miss_rate", 100, 1),
]


def metrics(easim, source, policy, options):
    with tempfile.TemporaryDirectory(prefix="easim-seed.") as folder:
        subprocess.run([easim, "run", source / "configs" / "eas-sim.yaml", "--policy", policy, "--out", folder, "--quiet",
                        "--summary-only", *options], check=True)
        with open(Path(folder) / "aggregate.csv", newline="", encoding="utf-8") as file:
            return {row["metric"]: row for row in csv.DictReader(file)}


def table(easim, source, options):
    yield "| policy | " + " | ".join(heading for heading, *_ in COLUMNS) + " |"
    yield "|---" * (len(COLUMNS) + 1) + "|"
    for policy in POLICIES:
        values = metrics(easim, source, policy, options)
        cells = []
        for _, metric, scale, decimals in COLUMNS:
            mean, half = (scale * float(values[metric][key]) for key in ("mean", "ci95"))
            cells.append(f"{mean:.{decimals}f} ± {half:.{decimals}f}")
        yield f"| {policy} | " + " | ".join(cells) + " |"


def main():
    easim, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    document = (source / "docs" / "eas-sim.md").read_text(encoding="utf-8") if "--check" in sys.argv else None
    missing = []
    for title, options in ENDS.items():
        lines = list(table(easim, source, options))
        if document is None:
            print(f"### {title}\n\n" + "\n".join(lines) + "\n")
        else:
            missing += [line for line in lines if line not in document]
    if missing:
        sys.exit("not in docs/eas-sim.md:\n" + "\n".join(missing))


main()
