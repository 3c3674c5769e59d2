#!/usr/bin/env python3
"""Prints the tables of docs/studies/seed.md: seed_table.py EASIM SOURCE [--check]

Runs configs/eas-sim.yaml (10 replications, seed 1) for every policy and variant, at the horizon and drained (arrivals
end at 10 h). --check compares with the document instead and fails if a line of the tables is not in it, or if
docs/studies/pareto.svg is not what this gnuplot draws of the comparison of all policies (skipped with another gnuplot).
"""
import csv
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

POLICIES = ["fcfs", "easy", "pollux", "themis", "chronos", "zeus", "hades", "aurachronos", "charon"]
HORIZON, DRAINED = [], ["horizon=drain", "workload.until=10h"]
ENDS = {"At the horizon of 10 h": HORIZON, "Drained": DRAINED}
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
EFFECT_COLUMNS = [COLUMNS[i] for i in (0, 2, 3, 5, 6, 7)]
T_975 = {9: 2.2621571628}  # Student t, by degrees of freedom
EDP_SLACKS = [4, 2]  # 2: tuned on seed 2026
SLACKED = ["zeus", "hades", "aurachronos"]
RESIZED = [policy for policy in POLICIES if policy not in ("easy", "charon")]


def replications(easim, source, policy, sets):
    """The rows of summary.csv."""
    options = [word for value in sets for word in ("--set", value)]
    with tempfile.TemporaryDirectory(prefix="easim-seed.") as folder:
        subprocess.run([easim, "run", source / "configs" / "eas-sim.yaml", "--policy", policy, "--out", folder, "--quiet",
                        "--force", "--summary-only", *options], check=True)
        with open(Path(folder) / "summary.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def cell(values, scale, decimals, sign=""):
    """Mean and half of the 95 % t-interval."""
    mean = scale * statistics.fmean(values)
    half = scale * T_975[len(values) - 1] * statistics.stdev(values) / len(values) ** 0.5
    return f"{mean:{sign}.{decimals}f} ± {half:.{decimals}f}"


def heads(first, columns):
    yield f"| {first} | " + " | ".join(heading for heading, *_ in columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"


def result_row(label, rows):
    return f"| {label} | " + " | ".join(
        cell([float(row[metric]) for row in rows], scale, decimals) for _, metric, scale, decimals in COLUMNS) + " |"


def effect_row(label, base, variant):
    """Variant minus base, paired by replication: both saw the same jobs."""
    cells = [cell([float(v[metric]) - float(b[metric]) for b, v in zip(base, variant)], scale, decimals, "+")
             for _, metric, scale, decimals in EFFECT_COLUMNS]
    return f"| {label} | " + " | ".join(cells) + " |"


def tables(easim, source):
    """Title and lines of each table."""
    variants = {"": [], "resize": ["policy.params.resize=true"],
                **{f"edp_slack {slack}": [f"policy.params.edp_slack={slack}"] for slack in EDP_SLACKS}}
    wanted = [(policy, name) for name in variants
              for policy in (POLICIES if not name else RESIZED if name == "resize" else SLACKED)]
    with ThreadPoolExecutor(2) as pool:
        runs = {end: dict(zip(wanted, pool.map(
            lambda key, end_sets=sets: replications(easim, source, key[0], end_sets + variants[key[1]]), wanted)))
            for end, sets in ENDS.items()}
    for end, run in runs.items():
        yield end, [*heads("policy", COLUMNS), *(result_row(policy, run[policy, ""]) for policy in POLICIES)]
    for end, run in runs.items():
        yield f"Effect of edp_slack: {end[0].lower()}{end[1:]}", [
            *heads("policy", EFFECT_COLUMNS),
            *(effect_row(f"{policy}, {slack}", run[policy, ""], run[policy, f"edp_slack {slack}"])
              for policy in SLACKED for slack in EDP_SLACKS)]
    for end, run in runs.items():
        yield f"Effect of resize: {end[0].lower()}{end[1:]}", [
            *heads("policy", EFFECT_COLUMNS),
            *(effect_row(policy, run[policy, ""], run[policy, "resize"]) for policy in RESIZED)]


def stale_figure(easim, source):
    """What is wrong with docs/studies/pareto.svg, drawn as the document says; None: nothing, or nothing that can be told."""
    if not shutil.which("gnuplot"):
        return print("docs/studies/pareto.svg: not checked, there is no gnuplot")
    with tempfile.TemporaryDirectory(prefix="easim-seed.") as folder:
        subprocess.run([easim, "compare", source / "configs" / "eas-sim.yaml", "--policies",
                        ",".join(sorted(POLICIES)), "--baseline", "pollux", "--out", folder,
                        "--summary-only", "--quiet", "--force"], check=True)
        subprocess.run([easim, "plot", folder, "--figures", "pareto", "--quiet"], check=True)
        drawn = (Path(folder) / "figures" / "pareto.svg").read_text(encoding="utf-8")
    kept = (source / "docs" / "studies" / "pareto.svg").read_text(encoding="utf-8")
    drawn_by, kept_by = (re.search("<desc>(.*)</desc>", text)[1] for text in (drawn, kept))
    if drawn_by != kept_by:
        return print(f"docs/studies/pareto.svg: not checked, {kept_by}, but here {drawn_by}")
    return None if drawn == kept else "docs/studies/pareto.svg is not what easim plot draws"


def main():
    easim, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    document = (source / "docs" / "studies" / "seed.md").read_text(encoding="utf-8") if "--check" in sys.argv else None
    missing = []
    for title, lines in tables(easim, source):
        if document is None:
            print(f"### {title}\n\n" + "\n".join(lines) + "\n")
        else:
            missing += [line for line in lines if line not in document]
    if missing:
        sys.exit("not in docs/studies/seed.md:\n" + "\n".join(missing))
    if document is not None:
        sys.exit(stale_figure(easim, source))


if __name__ == "__main__":
    main()
