#!/usr/bin/env python3
"""Makes docs/studies/seed-claims.csv, claims on the seed study by physics: seed_claims.py EASIM SOURCE [--check]

Runs configs/uncertainty.yaml, the seed protocol, in 256 worlds of its physics, a half of them with each of two seeds, every
seed with 30 workloads of its own, and writes for each claim the difference with its 95 % interval, P, the share of the worlds
in which the claim holds clearly (paired t-test over the workloads, p < 0.05) with its 95 % interval, P of each seed, the share in which the opposite does, and P by reading of the statistical efficiency. The interval is of RESAMPLES that
draw workloads and worlds of each seed anew, with repeats (percentiles), and no narrower than that of Wilson for the worlds
alone, which a share of 0 or 100 % needs. The last rows are components of zeus - pollux (`easim ablate`) in the first worlds. --check
compares instead.
"""
import csv
import io
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from operator import mul
from pathlib import Path
from statistics import fmean

from made_again import write_or_compare

DRAINED = ["horizon=drain", "workload.until=10h"]
SLACK = ["params_by_policy.zeus.edp_slack=2", "params_by_policy.hades.edp_slack=2"]
RUNS = {  # name: policies, the first the baseline, and what is set
    "10 h": (["pollux", "zeus", "themis", "hades", "chronos", "aurachronos", "easy"], []),
    "drained": (["pollux", "zeus", "aurachronos"], DRAINED),
    "10 h, edp_slack": (["pollux", "zeus", "hades"], SLACK),
    "drained, edp_slack": (["pollux", "zeus", "hades"], SLACK + DRAINED),
    "10 h, against chronos": (["chronos", "aurachronos"], []),
}
METRICS = {"kWh": "energy_kwh", "energy per work": "energy_per_work_kwh", "throughput": "throughput_jobs_per_h",
           "missed deadlines": "deadline_miss_rate"}
DECIMALS = {"kWh": (1, 1), "energy per work": (4, 1), "throughput": (2, 1), "missed deadlines": (1, 100)}
# Claims: run, policy, metric, sign.
SEED = [("10 h", "zeus", "energy per work", "less"), ("10 h", "zeus", "kWh", "less"), ("10 h", "zeus", "throughput", "more"),
        ("drained", "zeus", "energy per work", "less")]
WITH_SLACK = [("10 h, edp_slack", "zeus", "energy per work", "less"), ("10 h, edp_slack", "zeus", "kWh", "less"),
              ("10 h, edp_slack", "zeus", "throughput", "more"), ("drained, edp_slack", "zeus", "energy per work", "less"),
              ("drained, edp_slack", "zeus", "throughput", "more")]
DEADLINES = [("10 h", "aurachronos", "missed deadlines", "less"), ("drained", "aurachronos", "missed deadlines", "less")]
OTHERS = [("10 h, against chronos", "aurachronos", "missed deadlines", "less"),
          ("10 h", "chronos", "missed deadlines", "less"), ("10 h", "chronos", "throughput", "less"),
          ("10 h", "themis", "throughput", "more"), ("10 h", "themis", "missed deadlines", "less"),
          ("10 h", "hades", "throughput", "more"), ("10 h", "hades", "missed deadlines", "less"),
          ("10 h", "easy", "throughput", "less"), ("10 h", "easy", "energy per work", "more"),
          ("10 h, edp_slack", "hades", "energy per work", "less"), ("drained, edp_slack", "hades", "energy per work", "less")]
CLAIMS = SEED + WITH_SLACK + DEADLINES + OTHERS
COLUMNS = ["claim", "difference", "ci95", "difference_percent", "p_percent", "p_low", "p_high", "p_seed1", "p_seed2", "opposite_percent", "as_shipped",
           "mlperf", "sia", "m0_192"]
EFFICIENCIES = ["as shipped", "MLPerf-like", "Sia traces", "m0 192"]
DRAWS = {"efficiency": "model_overrides/efficiency", "scaling": "model_overrides[0].set.scaling_efficiency",
         "p0": "model_overrides[1].set.p0_share"}  # columns of worlds.csv
T_975 = 2.0452296421  # Student t of 29 degrees of freedom
SEEDS, WORLDS, REPLICATIONS, RESAMPLES = (1, 2), 128, 30, 1000
ABLATED_WORLDS = 64
COMPONENTS = ["key", "objective", "total"]


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def compare(easim, source, folder, policies, sets, seed):
    options = [word for value in sets for word in ("--set", value)]
    subprocess.run([easim, "compare", source / "configs" / "uncertainty.yaml", "--policies", ",".join(policies), "--seed", str(seed),
                    "-n", str(REPLICATIONS), "--set", f"uncertainty.worlds={WORLDS}", "--set", "uncertainty.shares=false", *options,
                    "--summary-only", "--quiet", "--out", folder], check=True)


class Run:
    """A comparison in many worlds: differences.csv, and what is in each world."""

    def __init__(self, folder, policies):
        self.baseline = policies[0]
        self.table = {(row["metric"], row["policy"]): row for row in rows_of(folder / "differences.csv")}
        self.worlds, self.values = {}, defaultdict(dict)
        for row in rows_of(folder / "worlds.csv"):
            self.worlds[row["world"]] = {name: row[column] for name, column in DRAWS.items()}
            for metric in METRICS.values():
                self.values[metric, row["policy"], row["world"]][row["replication"]] = float(row[metric])

    def differences(self, metric, policy):
        """By world, of each workload."""
        found = {}
        for world in self.worlds:
            base = self.values[metric, self.baseline, world]
            found[world] = [value - base[r] for r, value in sorted(self.values[metric, policy, world].items())]
        return found

    def signs(self, metric, policy):
        """By world -1, 0 or 1: whether the difference is clear."""
        return {world: clear_sign(sum(values), sum(map(mul, values, values)), len(values))
                for world, values in self.differences(metric, policy).items()}


def clear_sign(total, squares, count):
    """Of values with this sum and sum of squares."""
    variance = max(squares - total * total / count, 0) / (count - 1)
    return 0 if abs(total) <= T_975 * (variance * count) ** 0.5 else 1 if total > 0 else -1


def wilson(share, count):
    z = 1.9599639845
    middle, half = share + z * z / (2 * count), z * (share * (1 - share) / count + z * z / (4 * count * count)) ** 0.5
    return (middle - half) / (1 + z * z / count), (middle + half) / (1 + z * z / count)


def resampled(tables, wanted, share):
    """The 95 % interval of the share of worlds with the wanted sign; tables: of each seed, values by world and workload."""
    rng, shares = random.Random(1), []
    tables = [[(values, [value * value for value in values]) for values in table.values()] for table in tables]
    for _ in range(RESAMPLES):
        held = 0
        for table in tables:
            count = len(table[0][0])
            drawn = Counter(rng.choices(range(count), k=count))
            times = [drawn[i] for i in range(count)]
            signs = [clear_sign(sum(map(mul, times, values)), sum(map(mul, times, squares)), count) == wanted for values, squares in table]
            held += sum(rng.choices(signs, k=len(signs)))
        shares.append(held / sum(map(len, tables)))
    shares.sort()
    low, high = wilson(share, sum(map(len, tables)))
    return min(shares[RESAMPLES // 40], low), max(shares[-1 - RESAMPLES // 40], high)


def percent(share):
    return f"{100 * share:.0f}"


def claim_row(runs, claim):
    """runs: of each seed, by name."""
    name, policy, metric, sign = claim
    these, column, wanted = [of[name] for of in runs], METRICS[metric], -1 if sign == "less" else 1
    rows = [run.table[column, policy] for run in these]
    signs = [(run.worlds[world]["efficiency"], found) for run in these for world, found in run.signs(column, policy).items()]
    share = lambda sign, reading=None: fmean(found == sign for drawn, found in signs if reading in (None, drawn))
    holds = "p_better" if (metric != "throughput") == (sign == "less") else "p_worse"
    assert abs(fmean(float(row[holds]) for row in rows) - share(wanted)) < 1e-9, (rows, share(wanted))  # easim's own count
    low, high = resampled([run.differences(column, policy) for run in these], wanted, share(wanted))
    decimals, scale = DECIMALS[metric]
    mean, base = (fmean(float(row[key]) for row in rows) for key in ("diff_mean", "base_mean"))
    half = sum(float(row["diff_ci95"]) ** 2 for row in rows) ** 0.5 / len(rows)  # worlds and workloads of the seeds are independent
    words = "fewer" if metric == "missed deadlines" else sign
    label = policy + (" 2" if "edp_slack" in name else "")
    end = "drained" if "drained" in name else "10 h"
    return [f"{end}: {label} {words} {metric} than {these[0].baseline}", f"{scale * mean:.{decimals}f}", f"{scale * half:.{decimals}f}",
            f"{100 * mean / base:.1f}", *map(percent, (share(wanted), low, high)), *(percent(float(row[holds])) for row in rows),
            percent(share(-wanted)), *(percent(share(wanted, reading)) for reading in EFFICIENCIES)]


# ---- Components, world by world ----

def overrides_of(drawn):
    """A world of configs/uncertainty.yaml as model_overrides."""
    models = {"as shipped": [], "MLPerf-like": [("", 3264, 40700)], "m0 192": [("", 192, 1000)],
              "Sia traces": [("model: vit-base-fp32, ", 200, 928), ("model: resnet50-fp32, ", 200, 928),
                             ("model: albert-v2-bf16, ", 12, 774)]}[drawn["efficiency"]]
    entries = [f"{{set: {{scaling_efficiency: {drawn['scaling']}, p0_share: {drawn['p0']}}}}}"]
    entries += [f"{{{model}set: {{m0: {m0}, phi: {phi}}}}}" for model, m0, phi in models]
    return "model_overrides=[" + ", ".join(entries) + "]"


def components(easim, source, run, folder):
    """Shapley shares of key and objective in zeus - pollux in the first worlds: mean and sign of each world."""
    found = defaultdict(list)
    for drawn in list(run.worlds.values())[:ABLATED_WORLDS]:
        done = subprocess.run([easim, "ablate", source / "configs" / "eas-sim.yaml", "zeus", "pollux", "--set", overrides_of(drawn),
                               "--format", "csv", "--quiet", "--force", "--out", folder], check=True, capture_output=True, text=True)
        for row in csv.DictReader(done.stdout.splitlines()):
            if row["component"] in COMPONENTS and row["metric"] in (METRICS["kWh"], METRICS["energy per work"]):
                share, half = float(row["share"]), float(row["ci95"])
                sign = 0 if abs(share) <= half else 1 if share > 0 else -1
                found[row["metric"], row["component"]].append((share, sign, drawn["efficiency"]))
    return found


def component_rows(easim, source, run, folder):
    found = components(easim, source, run, folder)
    less = lambda worlds: percent(sum(sign < 0 for _, sign, _ in worlds) / len(worlds))
    for metric in ("kWh", "energy per work"):
        decimals, scale = DECIMALS[metric]
        for component in COMPONENTS:
            worlds = found[METRICS[metric], component]
            yield [f"10 h: zeus - pollux {metric} by {component}", f"{scale * fmean(w[0] for w in worlds):.{decimals}f}", "", "", less(worlds), "", "",
                   "", "", percent(sum(w[1] > 0 for w in worlds) / len(worlds)), *(less([w for w in worlds if w[2] == e]) for e in EFFICIENCIES)]


def table(easim, source):
    yield COLUMNS
    with tempfile.TemporaryDirectory(prefix="easim-claims.") as name:
        runs = [{} for _ in SEEDS]
        for seed, of in zip(SEEDS, runs):
            for run, (policies, sets) in RUNS.items():
                folder = Path(name) / f"{run}, {seed}"
                compare(easim, source, folder, policies, sets, seed)
                of[run] = Run(folder, policies)
        yield from (claim_row(runs, claim) for claim in CLAIMS)
        yield from component_rows(easim, source, runs[0]["10 h"], Path(name) / "ablate")


def main():
    easim, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(table(easim, source))
    write_or_compare({source / "docs/studies/seed-claims.csv": out.getvalue()}, "--check" in sys.argv)


if __name__ == "__main__":
    main()
