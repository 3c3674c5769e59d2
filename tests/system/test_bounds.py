"""easim bound against what policies reach: test_bounds.py EASIM SOURCE [--count N] [--seed N]

Scenario number n is that of seed n (random_scenario.py), run with its own policy and bounded: energy and completion time
of no replication may be below the bound, under preemption, resizing, sleep, caps, noise, failures and horizons. 1,000 of
them: --count 1000; the suite runs 60.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from random_scenario import Scenario
from support import EASIM, rows_of

METRICS = ("energy_kwh", "jct_mean_s", "jct_restricted_mean_s")


def easim(*words, folder):
    done = subprocess.run([EASIM, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (words, done.stderr[-2000:])


def compare(scenario, folder):
    """The least value / bound of each metric; {} if all are refused."""
    for name, text in scenario.files.items():
        (folder / name).write_text(text)
    easim("run", "scenario.yaml", "--out", "run", "--summary-only", "--quiet", "--bound", folder=folder)
    own = {(row["metric"], row["replication"]): row for row in rows_of(folder / "run/bounds.csv")}
    easim("bound", "scenario.yaml", "--out", "bound", "--quiet", folder=folder)
    runs = {row["replication"]: row for row in rows_of(folder / "run/summary.csv")}
    least = {}
    for row in rows_of(folder / "bound/bounds.csv"):
        assert row["metric"] in METRICS and (row["bound"] == "") == (row["reason"] != ""), row
        if row["replication"] == "mean" or not row["bound"]:
            continue
        run = runs[row["replication"]]
        # what any schedule may use is more than what this policy may
        assert float(own[row["metric"], row["replication"]]["bound"] or "inf") >= float(row["bound"]) * (1 - 1e-9), row
        left = float(run["jobs_rejected"]) + (float(run["jobs_unfinished"]) if scenario.drain else 0)
        if left > 0 or not run[row["metric"]]:
            continue
        value, bound = float(run[row["metric"]]), float(row["bound"])
        assert value >= bound, f"{row['metric']} of replication {row['replication']}: {value!r} is below {bound!r}"
        least[row["metric"]] = min(least.get(row["metric"], float("inf")), value / bound if bound > 0 else float("inf"))
    return least


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options, _ = parser.parse_known_args()
    bounded = {}
    for seed in range(options.seed, options.seed + options.count):
        scenario = Scenario(seed)
        with tempfile.TemporaryDirectory() as folder:
            try:
                least = compare(scenario, Path(folder))
            except AssertionError as error:
                sys.exit(f"seed {seed}: {error}")
        for metric, ratio in least.items():
            bounded.setdefault(metric, []).append(ratio)
    for metric in METRICS:
        ratios = sorted(bounded.get(metric, []))
        assert ratios, f"{metric} was never bounded"
        print(f"{metric}: {len(ratios)} scenarios, least value / bound {ratios[0]:.6f}, median "
              f"{ratios[len(ratios) // 2]:.4f}")


if __name__ == "__main__":
    main()
