"""What `easim ablate` writes, computed again from runs of `easim run`: test_ablate.py EASIM SOURCE PLUGINS

The policy `parts` has a parameter for each component, so each mixture of two settings can be run as a setting of its
own; shares then follow from the definition, the mean over all orders of switching the components. None is stored.
"""
import itertools
import json
import math
import os
import sys
from pathlib import Path
from statistics import mean, stdev

from harness import SOURCE, cases, easim, json_of, rows_of, same_files
from student import agrees, cell, estimate, t_point

os.environ["EASIM_POLICY_PATH"] += f":{Path(sys.argv[3]).resolve()}"
SEED = str(SOURCE / "configs" / "eas-sim.yaml")
COMPONENTS = ["key", "objective", "admission", "ageing", "resize", "preemption", "power_limits"]
PARTS = {"key": "order=size", "objective": "wish=energy", "admission": "most_k=4", "ageing": "tau=10min",
         "resize": "resize=true", "preemption": "least_run_s=30min", "power_limits": "power_limits=true"}
LIGHT = ["--set", "workload.rate_per_s=0.001"]  # some resizes happen


def with_levels(folder):
    """The seed protocol with two levels on every GPU of every model: one saves energy, the other little but time."""
    levels = ("        power_limits: {levels: [{power_limit_w: 150, time_ratio: 1.3, power_ratio: 0.5, energy_ratio: 0.65, "
              "configurations: 1}, {power_limit_w: 250, time_ratio: 1.05, power_ratio: 0.9, energy_ratio: 0.945, "
              "configurations: 1}]}\n")
    configs = SOURCE / "configs"
    models = (configs / "models" / "eas-sim.yaml").read_text().split("\n        pmax_w:")
    (folder / "models.yaml").write_text(models[0] + "".join(f"\n{levels}        pmax_w:{rest}" for rest in models[1:]))
    scenario = folder / "levels.yaml"
    scenario.write_text((configs / "eas-sim.yaml").read_text().replace("models/eas-sim.yaml", "models.yaml"))
    return scenario


def ablate(out, first, second, *options, scenario=SEED):
    easim("ablate", scenario, first, second, "--out", out, "--quiet", *options)
    return {(r["metric"], r["component"]): r for r in rows_of(out / "ablate.csv")}


def shares_add_up(table):
    """To the difference, to 1e-9 of it or absolutely; components that do nothing have exactly 0."""
    for metric in {metric for metric, _ in table}:
        total = cell(table[metric, "total"]["share"])
        if math.isnan(total):
            continue
        parts = [cell(table[metric, c]["share"]) for c in COMPONENTS]
        assert abs(sum(parts) - total) <= 1e-9 * max(1, abs(total)), (metric, parts, total)
        for component in COMPONENTS:
            row = table[metric, component]
            assert row["state"] == "active" or (row["share"], row["alone"], row["missing"]) == ("0.0", "0.0", "0.0"), row


def setting(chosen):
    return ",".join(PARTS[c] for c in COMPONENTS if c in chosen)


def mixture(row, second):
    return frozenset(c for c in COMPONENTS if row[c] != second)


def cells_of(folder, second):
    return {(mixture(row, second), row["metric"]): row for row in rows_of(folder / "cells.csv")}


def mixtures_are_settings(folder):
    """Every mixture of two settings of `parts` is the run of the mixed setting; shares and intervals follow."""
    n, scenario = 4, with_levels(folder)
    table = ablate(folder / "parts", "parts:" + setting(COMPONENTS), "parts", "-n", n, *LIGHT, scenario=scenario)
    shares_add_up(table)
    runs = {}
    for size in range(len(COMPONENTS) + 1):
        for chosen in itertools.combinations(COMPONENTS, size):
            out = folder / "runs" / ("_".join(chosen) or "none")
            sets = [word for c in chosen for word in ("--set", "policy.params." + PARTS[c])]
            easim("run", scenario, "--policy", "parts", "-n", n, "--summary-only", "--quiet", "--out", out, *LIGHT, *sets)
            runs[frozenset(chosen)] = rows_of(out / "summary.csv")
    cells = cells_of(folder / "parts", "parts")
    metrics = ["energy_kwh", "throughput_jobs_per_h", "jct_restricted_mean_s", "preemptions", "resizes", "events"]
    for metric in metrics:
        worth = {chosen: [float(r[metric]) for r in run] for chosen, run in runs.items()}
        for chosen, values in worth.items():
            assert abs(float(cells[chosen, metric]["mean"]) - mean(values)) <= 1e-12 * abs(mean(values)), (chosen, metric)
        shares = {c: [0.0] * n for c in COMPONENTS}
        orders = list(itertools.permutations(COMPONENTS))
        for order in orders:
            for place, component in enumerate(order):
                before = frozenset(order[:place])
                for i in range(n):
                    shares[component][i] += (worth[before | {component}][i] - worth[before][i]) / len(orders)
        for component, values in shares.items():
            row = table[metric, component]
            size = max(map(abs, worth[frozenset(COMPONENTS)]))
            assert abs(cell(row["share"]) - mean(values)) <= 1e-9 * max(1, size), (metric, component, row, values)
            half = t_point(3) * stdev(values) / 2
            assert abs(cell(row["ci95"]) - half) <= 1e-7 * max(1, size), (metric, component, row, half)
            alone = mean(a - b for a, b in zip(worth[frozenset({component})], worth[frozenset()]))
            assert abs(cell(row["alone"]) - alone) <= 1e-9 * max(1, size), (metric, component)
    for component in COMPONENTS:  # each does something to something, or the test shows little
        assert any(table[metric, component]["state"] == "active" for metric in metrics), component


def one_component_gets_everything(folder):
    scenario = with_levels(folder)
    for component in COMPONENTS:
        both = "wish=energy" if component == "power_limits" else "tau=1h"  # who minimises T takes no limit
        table = ablate(folder / component, f"parts:{both},{PARTS[component]}", f"parts:{both}", "-n", 3, *LIGHT,
                       scenario=scenario)
        shares_add_up(table)
        for metric in ("energy_kwh", "jct_restricted_mean_s"):
            total = table[metric, "total"]
            for other in COMPONENTS:
                row = table[metric, other]
                if other == component:
                    assert row["state"] == "active" and float(row["share"]) != 0, row
                    assert abs(float(row["share"]) - float(total["share"])) <= 1e-9 * abs(float(total["share"])), row
                    assert abs(float(row["share_of_total"]) - 1) < 1e-9
                else:
                    assert row["share"] == "0.0" and row["state"] in ("same", "inert"), row


def corners_are_the_policies(folder):
    """Both ends as compare sees them; a bound on EDP holds though the objective is the other policy's."""
    for first, second in (("aurachronos", "themis"), ("charon", "fcfs"), ("hades", "chronos:order=slack")):
        table = ablate(folder / f"{first}", first, second, "-n", 3)
        shares_add_up(table)
        for name in (first, second):
            policy, _, params = name.partition(":")
            sets = ["--set", f"policy.params.{params}"] if params else []
            easim("run", SEED, "--policy", policy, "-n", 3, "--quiet", "--summary-only", "--out",
                  folder / f"{first}-{policy}", *sets)
        values = [[float(r["energy_kwh"]) for r in rows_of(folder / f"{first}-{p}" / "summary.csv")]
                  for p in (first, second.partition(":")[0])]
        assert abs(float(table["energy_kwh", "total"]["share"]) - (mean(values[0]) - mean(values[1]))) < 1e-9
    # Where least EDP and least time choose alike, whose objective it is must not matter to what is admitted by EDP.
    table = ablate(folder / "slack", "zeus:edp_slack=2", "pollux", "-n", 5)
    shares_add_up(table)
    assert table["energy_per_work_kwh", "objective"]["state"] == "inert"
    assert table["energy_per_work_kwh", "admission"]["state"] == "active"
    assert table["energy_per_work_kwh", "preemption"]["state"] == "same"
    document = json.loads(easim("ablate", SEED, "zeus:edp_slack=2", "pollux", "-n", 5, "--out", folder / "json",
                                "--format", "json").stdout)
    shares = document["metrics"]["energy_per_work_kwh"]["shares"]
    for component in COMPONENTS:
        assert shares[component]["share"]["mean"] == float(table["energy_per_work_kwh", component]["share"])
    warned = {tuple(row[c] for c in COMPONENTS): row["warning"] for row in rows_of(folder / "slack" / "cells.csv")}
    assert {tuple(cell[c] for c in COMPONENTS): cell["warning"] for cell in document["cells"]} == warned
    assert any("the queue grows" in text for text in warned.values()), warned
    printed = easim("ablate", SEED, "zeus:edp_slack=2", "pollux", "-n", 5, "--out", folder / "csv", "--format", "csv")
    assert printed.stdout == (folder / "slack" / "ablate.csv").read_text()


def runs_are_enough(folder):
    """Every figure of cells.csv and ablate.csv, for every metric, from the rows of runs.csv alone."""
    n, first, second = 4, "aurachronos", "chronos:order=slack"
    table = ablate(folder, first, second, "-n", n, *LIGHT)
    runs = {}
    for row in rows_of(folder / "runs.csv"):
        runs.setdefault(mixture(row, second), []).append(row)
        assert row["seed"] == "1" and int(row["replication"]) == len(runs[mixture(row, second)])
    same = frozenset.intersection(*runs)  # counts as the first policy's
    varied = [c for c in COMPONENTS if c not in same]
    assert len(runs) == 2 ** len(varied) and {len(r) for r in runs.values()} == {n} and len(varied) >= 3
    for policy, chosen in ((first, frozenset(COMPONENTS)), (second, same)):
        name, _, params = policy.partition(":")
        sets = ["--set", f"policy.params.{params}"] if params else []
        easim("run", SEED, "--policy", name, "-n", n, "--quiet", "--summary-only", "--out", folder / name, *LIGHT, *sets)
        for ours, single in zip(runs[chosen], rows_of(folder / name / "summary.csv")):
            assert all(ours[c] == single[c] for c in single if c != "policy"), (policy, ours, single)
    cells, orders = cells_of(folder, second), list(itertools.permutations(varied))
    assert len(cells) == len(runs) * len({metric for metric, _ in table})
    for metric in {metric for metric, _ in table}:
        worth = {chosen: [cell(row[metric]) for row in run] for chosen, run in runs.items()}
        size = max((abs(v) for run in worth.values() for v in run if not math.isnan(v)), default=1)
        for chosen, values in worth.items():
            row, (count, middle, half) = cells[chosen, metric], estimate(values)
            assert int(row["n"]) == count, row
            assert agrees(row["mean"], middle, size, 1e-12) and agrees(row["ci95"], half, size, 1e-7), row
        whole = [not any(math.isnan(run[i]) for run in worth.values()) for i in range(n)]
        worth = {chosen: [v if w else math.nan for v, w in zip(run, whole)] for chosen, run in worth.items()}
        change = lambda to, of: [a - b for a, b in zip(worth[to], worth[of])]
        total = estimate(change(frozenset(COMPONENTS), same))
        for component in varied:
            own = frozenset({component})
            steps = [change(same | set(order[:place]) | own, same | set(order[:place]))
                     for order in orders for place in [order.index(component)]]
            share = [sum(step[i] for step in steps) / len(orders) for i in range(n)]
            row = table[metric, component]
            expected = [("share", "ci95", share), ("alone", "alone_ci95", change(same | own, same)),
                        ("missing", "missing_ci95", change(frozenset(COMPONENTS), frozenset(COMPONENTS) - own))]
            for middle, half, values in expected:
                count, value, interval = estimate(values)
                assert int(row["n"]) == count == sum(whole), row
                assert agrees(row[middle], value, size, 1e-9) and agrees(row[half], interval, size, 1e-7), (row, values)
            still = all(math.isnan(v) or v == 0 for step in steps for v in step)
            assert row["state"] == ("inert" if still else "active"), row
            if total[1] and not still:
                assert agrees(row["share_of_total"], cell(row["share"]) / cell(table[metric, "total"]["share"]), 1, 1e-9)
        for column, half in (("share", "ci95"), ("alone", "alone_ci95"), ("missing", "missing_ci95")):
            row = table[metric, "total"]
            assert agrees(row[column], total[1], size, 1e-9) and agrees(row[half], total[2], size, 1e-7), row
    manifest = json_of(folder / "manifest.json")
    assert manifest["varied"] == varied and manifest["policies"]["second"]["params"]["order"] == "slack"
    assert manifest["policies"]["first"]["name"] == first and manifest["models"], manifest


def sides_exchanged(folder):
    """B - A is the negative of A - B, component by component, to the last bit; `alone` and `missing` change places."""
    scenario = with_levels(folder)
    pairs = [("parts:" + setting(COMPONENTS), "parts"), ("zeus:power_limits=true", "zeus"),
             ("zeus:power_limits=true,edp_slack=2", "pollux"), ("charon:power_limits=true,resize=true", "aurachronos")]
    negative = lambda text: "0.0" if text == "0.0" else text[1:] if text.startswith("-") else text and "-" + text
    for number, (first, second) in enumerate(pairs):
        there, back = (ablate(folder / f"{number}{side}", *sides, "-n", 3, *LIGHT, scenario=scenario)
                       for side, sides in (("a", (first, second)), ("b", (second, first))))
        for place, row in there.items():
            other = back[place]
            for column, turned in (("share", "share"), ("alone", "missing"), ("missing", "alone")):
                assert row[column] == negative(other[turned]), (place, row, other)
            assert row["ci95"] == other["ci95"] and row["state"] == other["state"], (place, row, other)
        assert there["energy_kwh", "power_limits"]["state"] == "active", there["energy_kwh", "power_limits"]


def threads_do_not_matter(folder):
    for threads in (1, 2, 7):
        ablate(folder / str(threads), "aurachronos", "zeus", "-n", 5, "-t", threads)
        same_files(folder / "1", folder / str(threads), "ablate.csv", "cells.csv", "runs.csv", "manifest.json")


cases(mixtures_are_settings, one_component_gets_everything, corners_are_the_policies, runs_are_enough, sides_exchanged,
      threads_do_not_matter)
