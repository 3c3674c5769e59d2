#!/usr/bin/env python3
"""Makes docs/studies/which-policy.csv: which_policy.py EASIM SOURCE [--check | --pages | STUDY...]

Compares every policy that `easim policies` lists and that can run, with lean's honest rival beside them (zeus with
edp_exponent 0.25 and edp_slack 1.5), in each study below: `easim compare --policies all,... --bound`. Writes
docs/studies/which-policy.csv and the figures, and puts the table between the marks of docs/studies/which-policy.md. STUDY...: only studies
whose name has one of these words; rows of others stay. --pages: the page again, from the table that is there.
--check: the page is what the table says, and the studies of CHECKED, run again, give its rows to the last digit. Logs
are found in EASIM_DATA.
"""
import csv
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

RIVAL = "zeus:edp_exponent=0.25:edp_slack=1.5"
METRICS = ["energy_kwh", "jct_mean_s", "jct_p95_s", "deadline_miss_rate"]
RANKED = METRICS[:2]
RESAMPLES = 2000

FIXED = ["study", "physics", "load", "policy", "n", "front"]
COLUMNS = FIXED + [f"{metric}{end}" for metric in METRICS for end in ("", "_ci95")] \
    + [f"{metric}_rank{end}" for metric in RANKED for end in ("", "_low", "_high")]

DRAINED = ["horizon=drain", "workload.until={jobs: 180}"]
RATES = {"0.6": "0.000856", "0.9": "0.001284", "1.2": "0.001712"}


@dataclass
class Group:
    """Studies of one cluster and one physics."""
    name: str
    physics: str   # as the table calls it
    config: str
    sets: tuple
    loads: dict    # load: what sets it
    replications: int
    figure: str = ""  # the load of which there is one


def seed(name, physics, overrides, figure=""):
    return Group(name, physics, "eas-sim.yaml",
                 (*DRAINED, *([f"model_overrides={overrides}"] if overrides else ())),
                 {load: [f"workload.rate_per_s={rate}"] for load, rate in RATES.items()}, 10, figure)


def log(name, file):
    return Group(name, "eas-sim.yaml as shipped, nothing of it measured", "itp-malleable.yaml",
                 (f"workload.file=${{EASIM_DATA}}/traces/ms_itp/raw/{file}",), {"as logged": []}, 1, "as logged")


STUDIES = [
    seed("seed, as shipped", "eas-sim.yaml as shipped, nothing of it measured", "", "0.9"),
    seed("seed, row 3", "m0 192, phi 1000, scaling 0.89, p0 0.3 pmax (gives the seed's figures; chosen for that)",
         "[{set: {m0: 192, phi: 1000, scaling_efficiency: 0.89, p0_share: 0.3}}]", "0.9"),
    seed("seed, row 4", "m0 192, phi 2000, scaling 0.78 (likewise)",
         "[{set: {m0: 192, phi: 2000, scaling_efficiency: 0.78}}]"),
    seed("seed, MLPerf-like", "efficiency of large batches as in MLPerf, scaling 0.87, p0 0.2 pmax",
         "[{set: {m0: 3264, phi: 40700, scaling_efficiency: 0.87, p0_share: 0.2}}]"),
    seed("seed, Sia traces", "m0 and noise scales of Sia's traces, scaling 0.87, p0 0.2 pmax",
         "[{set: {m0: 200, phi: 928, scaling_efficiency: 0.87, p0_share: 0.2}}, "
         "{model: albert-v2-bf16, set: {m0: 12, phi: 774}}]"),
    Group("generation", "measured: speed and GPU power of every configuration", "generation.yaml", (),
          {load: [f"workload.load={load}"] for load in RATES}, 20, "0.9"),
    Group("training", "measured: speed, convergence and node power", "measured.yaml", (),
          {load: [f"workload.load={load}"] for load in RATES}, 10, "0.9"),
    log("log, cluster 06", "cluster06.csv"),
    log("log, cluster 10", "cluster10.csv"),
    log("log, cluster 03", "cluster03.csv"),
]
CHECKED = [("training", "0.6", ["fcfs", "pollux", "zeus", RIVAL])]


# ---- Runs ----

def compare(easim, source, out, group, load, policies):
    """The folder of one study; a policy that fails is left out of it, and said."""
    sets = [word for value in (*group.sets, *group.loads[load]) for word in ("--set", value)]
    done = subprocess.run([easim, "compare", source / "configs" / group.config, "--policies", policies, "--baseline", "pollux",
                           "--pareto", ",".join(RANKED), "--bound", "-n", str(group.replications), "--summary-only",
                           "--run-timeout", "1h", "--out", out, "--quiet", *sets],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{group.name}, {load}: {done.stderr}")
    if done.returncode == 1:
        print(f"{group.name}, {load}: {done.stderr.strip()}", file=sys.stderr)
    return out


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def number(text):
    return float(text) if text else math.nan


def replications(out, policies, folders, metric):
    """Of each policy, by replication."""
    return {policy: [number(row[metric]) for row in table(out / folder / "summary.csv")]
            for policy, folder in zip(policies, folders)}


def ranks(values):
    """From the mean of each policy its rank and the middle 95 % of its ranks where replications are drawn again."""
    n, rng = len(next(iter(values.values()))), random.Random(17)
    policies = list(values)

    def places(picks):
        means = {policy: fmean(values[policy][i] for i in picks) for policy in policies}
        return {policy: 1 + sum(means[other] < means[policy] for other in policies) for policy in policies}

    drawn = [places(rng.choices(range(n), k=n)) for _ in range(RESAMPLES)] if n > 1 else []
    first = places(range(n))
    result = {}
    for policy in policies:
        ranked = sorted(draw[policy] for draw in drawn) or [first[policy]]
        ends = ranked[int(0.025 * len(ranked))], ranked[math.ceil(0.975 * len(ranked)) - 1]
        result[policy] = (first[policy], *ends)
    return result


def rows_of(out, group, load):
    manifest = json.loads((out / "manifest.json").read_text())
    policies, folders = manifest["policies"], manifest["folders"]
    estimates = {(row["metric"], row["policy"]): row for row in table(out / "compare.csv")}
    front = {row["policy"]: row["front"] for row in table(out / "pareto.csv")}
    ranked = {metric: ranks(replications(out, policies, folders, metric)) for metric in RANKED}
    common = {"study": group.name, "physics": group.physics, "load": load}
    bounds = {row["metric"]: row["bound"] for row in table(out / "bounds.csv") if row["replication"] == "mean"}
    yield {**common, "policy": "bound", "n": manifest["replications"], **{m: bounds[m] for m in RANKED if m in bounds}}
    for policy in policies:
        row = {**common, "policy": policy, "n": manifest["replications"], "front": front[policy]}
        for metric in METRICS:
            estimate = estimates.get((metric, policy), {"mean": "", "ci95": ""})
            row[metric], row[f"{metric}_ci95"] = estimate["mean"], estimate["ci95"]
        for metric in RANKED:
            for end, value in zip(("", "_low", "_high"), ranked[metric][policy]):
                row[f"{metric}_rank{end}"] = str(value)
        yield row


def figure_name(group):
    return "policies-" + group.name.replace(", ", "-").replace(" ", "-") + ".svg"


def draw(easim, out, group, to):
    with tempfile.TemporaryDirectory(prefix="easim-which.") as folder:
        subprocess.run([easim, "plot", out, "--pareto", ",".join(RANKED), "--out", folder, "--quiet"], check=True)
        shutil.copyfile(Path(folder) / "pareto.svg", to / figure_name(group))


def run_studies(easim, source, words):
    """All rows, those of studies that are not asked for from the table that is there."""
    path, kept = source / "docs" / "studies" / "which-policy.csv", {}
    for row in table(path) if path.exists() else []:
        kept.setdefault((row["study"], row["load"]), []).append(row)
    for group in STUDIES:
        for load in group.loads:
            if words and not any(word in group.name for word in words):
                continue
            with tempfile.TemporaryDirectory(prefix="easim-which.") as folder:
                out = compare(easim, source, Path(folder) / "out", group, load, f"all,{RIVAL}")
                kept[group.name, load] = list(rows_of(out, group, load))
                if load == group.figure:
                    draw(easim, out, group, source / "docs" / "studies")
            write_table(path, kept)
            print(f"{group.name}, {load}: {len(kept[group.name, load]) - 1} policies", file=sys.stderr)


def write_table(path, kept):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", restval="")
        writer.writeheader()
        for group in STUDIES:
            for load in group.loads:
                writer.writerows(kept.get((group.name, load), []))


# ---- The page ----

MARKS = "<!-- {} by tools/which_policy.py, from which-policy.csv -->"
SHOWN = ["pollux", "zeus"]  # beside those that nobody is better than in both, in some study


def by_study(rows):
    studies = {}
    for row in rows:
        studies.setdefault((row["study"], row["load"]), {})[row["policy"]] = row
    return studies


def winner(study, metric):
    return min((row for policy, row in study.items() if policy != "bound"), key=lambda row: number(row[metric]))["policy"]


def names_of(rows):
    """In the order of the table, the rival last."""
    return list(dict.fromkeys(row["policy"] for row in rows if row["policy"] != "bound"))


def places_of(studies, policy, metric):
    return [int(study[policy][f"{metric}_rank"]) for study in studies.values() if policy in study]


def page(rows):
    """How often each is first, how often nobody is better in both, and its mean rank."""
    studies = by_study(rows)
    yield "| policy | least energy | least mean completion time | no policy better in both | mean rank, energy | mean rank, time |"
    yield "|---|---|---|---|---|---|"
    for policy in names_of(rows):
        mine = [study for study in studies.values() if policy in study]
        front = sum(study[policy]["front"] == "1" for study in mine)
        if front or policy in SHOWN:
            yield f"| `{policy}` | " + " | ".join(
                str(sum(winner(study, metric) == policy for study in mine)) for metric in RANKED) + f" | {front} | " \
                + " | ".join(f"{fmean(places_of(studies, policy, metric)):.1f}" for metric in RANKED) + " |"


def made_page(text, rows):
    begin, end = MARKS.format("Begin"), MARKS.format("End")
    before, rest = text.split(begin)
    return before + begin + "\n\n" + "\n".join(page(rows)) + "\n\n" + end + rest.split(end)[1]


# ---- --check ----

def differences(easim, source, rows):
    """What of the studies that are run again is not in the table; rows of a policy do not depend on the others."""
    studies = by_study(rows)
    for name, load, policies in CHECKED:
        group = next(g for g in STUDIES if g.name == name)
        with tempfile.TemporaryDirectory(prefix="easim-which.") as folder:
            out = compare(easim, source, Path(folder) / "out", group, load, ",".join(policies))
            for row in rows_of(out, group, load):
                kept = studies[name, load][row["policy"]]
                for column in METRICS + [f"{metric}_ci95" for metric in METRICS]:
                    same = "" if row["policy"] == "bound" else row.get(column, "")
                    if row["policy"] != "bound" and kept[column] != same:
                        yield f"{name}, {load}, {row['policy']}: {column} is {kept[column]} in which-policy.csv, {same} now"


def check(easim, source, text, rows):
    faults = [] if made_page(text, rows) == text else ["docs/studies/which-policy.md is not what docs/studies/which-policy.csv says: run --pages"]
    faults += [f"{group.name}, {load}: not in which-policy.csv" for group in STUDIES for load in group.loads
               if (group.name, load) not in by_study(rows)]
    faults += [f"{figure_name(group)} is missing" for group in STUDIES
               if (group.name, group.figure) in by_study(rows) and not (source / "docs" / "studies" / figure_name(group)).exists()]
    faults += differences(easim, source, rows)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def main(easim, source, *words):
    easim, source = Path(easim).resolve(), Path(source).resolve()
    document, rows_path = source / "docs" / "studies" / "which-policy.md", source / "docs" / "studies" / "which-policy.csv"
    if words == ("--check",):
        return check(easim, source, document.read_text(encoding="utf-8"), table(rows_path))
    if words != ("--pages",):
        if "EASIM_DATA" not in os.environ:
            sys.exit("expected EASIM_DATA, where the logs are")
        run_studies(easim, source, words)
    document.write_text(made_page(document.read_text(encoding="utf-8"), table(rows_path)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
