#!/usr/bin/env python3
"""Deadline share x tightness on the seed protocol: deadlines.py EASIM SOURCE [--check]

Runs configs/eas-sim.yaml (10 replications, seed 1) for every share, tightness and policy of the grid below, and prints
docs/studies/deadlines.csv: pairs of policies with their means, and the paired difference with half of its 95 % t-interval.
--check compares with that file; tools/deadlines.gp draws docs/studies/deadlines.svg from it.
"""
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from seed_table import T_975, replications

SHARES = [0.1, 0.3, 0.6, 1]
SLACKS = [(1.1, 1.5), (1.5, 3), (1.5, 6), (3, 12)]  # deadline = submit + T* x U(least, most)
PAIRS = [("zeus", "pollux"), ("aurachronos", "pollux"), ("aurachronos", "chronos")]
METRICS = ["deadline_miss_rate", "energy_per_work_kwh", "throughput_jobs_per_h", "work_unfinished_gpu_h"]
HEAD = "share,slack_least,slack_most,metric,policy,baseline,mean,baseline_mean,diff,diff_ci95"


def rows(easim, source):
    cells = [(share, slack) for share in SHARES for slack in SLACKS]
    policies = sorted({policy for pair in PAIRS for policy in pair})

    def run(key):
        (share, (least, most)), policy = key
        return replications(easim, source, policy, [f"workload.deadlines={{share: {share}, slack: [{least}, {most}]}}"])

    keys = [(cell, policy) for cell in cells for policy in policies]
    with ThreadPoolExecutor(2) as pool:
        runs = dict(zip(keys, pool.map(run, keys)))
    yield HEAD
    for cell in cells:
        for metric in METRICS:
            for policy, baseline in PAIRS:
                ours, theirs = ([float(row[metric]) for row in runs[cell, name]] for name in (policy, baseline))
                diffs = [a - b for a, b in zip(ours, theirs)]
                half = T_975[len(diffs) - 1] * statistics.stdev(diffs) / len(diffs) ** 0.5
                figures = (statistics.fmean(ours), statistics.fmean(theirs), statistics.fmean(diffs), half)
                yield ",".join([str(cell[0]), *map(str, cell[1]), metric, policy, baseline,
                                *(f"{figure:.5f}" for figure in figures)])


def main():
    easim, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    path = source / "docs" / "studies" / "deadlines.csv"
    text = "\n".join(rows(easim, source)) + "\n"
    if "--check" not in sys.argv:
        sys.stdout.write(text)
    elif text != path.read_text(encoding="utf-8"):
        sys.exit(f"{path} is not what tools/deadlines.py prints")


if __name__ == "__main__":
    main()
