"""easim bound against what policies reach: test_bounds.py EASIM SOURCE [--count N] [--seed N]

Scenario number n is that of seed n (random_scenario.py), run with its own policy, and every third with all policies:
energy and completion time of no replication may be below the bound, under preemption, resizing, power limits, shares,
sleep, caps, noise, failures and horizons. 1,000 of them: --count 1000; the suite runs 60.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from random_scenario import Scenario
from support import EASIM, rows_of

METRICS = ("energy_kwh", "jct_mean_s", "jct_restricted_mean_s")
UNTIL = "energy_kwh until a horizon"  # of the work that the policy did


def easim(*words, folder, codes=(0,)):
    done = subprocess.run([EASIM, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode in codes, (words, done.stderr[-2000:])
    return done


def compare(scenario, folder):
    """The least value / bound of each metric; {} if all are refused."""
    for name, text in scenario.files.items():
        (folder / name).write_text(text)
    done = easim("run", "scenario.yaml", "--out", "run", "--summary-only", "--quiet", "--bound", folder=folder, codes=(0, 1))
    if done.returncode != 0:  # of 1,000 a few never end: a job fails more often than it checkpoints
        assert "without having kept any of its work" in done.stderr, done.stderr
        return {}
    own = {(row["metric"], row["replication"]): row for row in rows_of(folder / "run/bounds.csv")}
    easim("bound", "scenario.yaml", "--out", "bound", "--quiet", folder=folder)
    runs = {row["replication"]: row for row in rows_of(folder / "run/summary.csv")}
    least = {}

    def check(name, row):
        value, bound = float(runs[row["replication"]][row["metric"]]), float(row["bound"])
        assert value >= bound, f"{name} of replication {row['replication']}: {value!r} is below {bound!r}"
        least[name] = min(least.get(name, float("inf")), value / bound if bound > 0 else float("inf"))

    for row in rows_of(folder / "bound/bounds.csv"):
        assert row["metric"] in METRICS and (row["bound"] == "") == (row["reason"] != ""), row
        mine = own[row["metric"], row["replication"]]
        if row["replication"] == "mean":
            continue
        if not row["bound"]:
            if mine["bound"] and not scenario.drain:
                assert row["reason"].startswith("a horizon:") and not mine["reason"], (row, mine)
                check(UNTIL, mine)
            continue
        run = runs[row["replication"]]
        # what any schedule may use is more than what this policy may; good weights and prices of time are only searched
        if row["metric"] == "energy_kwh":
            assert float(mine["bound"] or "inf") >= float(row["bound"]) * (1 - 1e-9), row
        left = float(run["jobs_rejected"]) + (float(run["jobs_unfinished"]) if scenario.drain else 0)
        if left > 0 or not run[row["metric"]]:
            continue
        check(row["metric"], row)
    return least


def compare_all(folder):
    """Every policy that takes the scenario and gets through it: how many values were held against a bound."""
    easim("compare", "scenario.yaml", "--policies", "all", "--bound", "--summary-only", "--quiet", "--out", "all", folder=folder,
          codes=(0, 1))
    count = 0
    for row in rows_of(folder / "all/bounds.csv"):
        assert (row["gap"] == "") == (row["reason"] != "" or row["value"] == ""), row  # no value: no policy takes it
        assert not row["gap"] or float(row["value"]) >= float(row["bound"]) and float(row["gap"]) >= 0, row
        count += row["gap"] != "" and row["replication"] != "mean"
    return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options, _ = parser.parse_known_args()
    bounded, held = {}, 0
    for seed in range(options.seed, options.seed + options.count):
        scenario = Scenario(seed)
        with tempfile.TemporaryDirectory() as folder:
            try:
                least = compare(scenario, Path(folder))
                held += compare_all(Path(folder)) if seed % 3 == 0 else 0
            except AssertionError as error:
                sys.exit(f"seed {seed}: {error}")
        for metric, ratio in least.items():
            bounded.setdefault(metric, []).append(ratio)
    for metric in (*METRICS, UNTIL):
        ratios = sorted(bounded.get(metric, []))
        assert ratios, f"{metric} was never bounded"
        print(f"{metric}: {len(ratios)} scenarios, least value / bound {ratios[0]:.6f}, median "
              f"{ratios[len(ratios) // 2]:.4f}")
    assert held >= options.count // 2, held
    print(f"all policies: {held} values, none below its bound")


if __name__ == "__main__":
    main()
