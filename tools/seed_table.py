#!/usr/bin/env python3
"""Makes docs/studies/seed.csv: seed_table.py EASIM SOURCE [--check]

Runs configs/eas-sim.yaml (10 replications, seed 1) for every policy and variant, at the horizon and drained (arrivals
end at 10 h). Rows with a variant are differences from the policy without it, paired by replication. --check compares instead,
and fails too if docs/studies/pareto.svg is not what this gnuplot draws of the comparison of all policies (skipped with another
gnuplot).
"""
import csv
import io
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from made_again import write_or_compare

POLICIES = ["fcfs", "easy", "pollux", "themis", "chronos", "zeus", "hades", "aurachronos", "charon"]
HORIZON, DRAINED = [], ["horizon=drain", "workload.until=10h"]
ENDS = {"10 h": HORIZON, "drained": DRAINED}
COLUMNS = [  # heading, metric, scale, decimals
    ("throughput_jobs_per_h", "throughput_jobs_per_h", 1, 2),
    ("finished_jct_h", "jct_mean_s", 1 / 3600, 2),
    ("restricted_jct_h", "jct_restricted_mean_s", 1 / 3600, 2),
    ("energy_kwh", "energy_kwh", 1, 1),
    ("work_done_gpu_h", "work_done_gpu_h", 1, 1),
    ("work_unfinished_gpu_h", "work_unfinished_gpu_h", 1, 1),
    ("energy_per_work_kwh", "energy_per_work_kwh", 1, 4),
    ("deadlines_missed_percent", "deadline_miss_rate", 100, 1),
]
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


def cells(values, scale, decimals):
    """Mean and half of the 95 % t-interval."""
    half = T_975[len(values) - 1] * statistics.stdev(values) / len(values) ** 0.5
    return [f"{scale * statistics.fmean(values):.{decimals}f}", f"{scale * half:.{decimals}f}"]


def row(end, variant, policy, base, varied=None):
    """The means of a policy; or of the variant minus base, paired by replication: both saw the same jobs."""
    values = lambda metric: [float(v[metric]) - float(b[metric]) for b, v in zip(base, varied)] if varied else [float(b[metric]) for b in base]
    return [end, variant, policy, *(cell for _, metric, scale, decimals in COLUMNS for cell in cells(values(metric), scale, decimals))]


def table(easim, source):
    variants = {"": [], **{f"edp_slack {slack}": [f"policy.params.edp_slack={slack}"] for slack in EDP_SLACKS},
                "resize": ["policy.params.resize=true"]}
    wanted = [(policy, name) for name in variants
              for policy in (POLICIES if not name else RESIZED if name == "resize" else SLACKED)]
    yield ["end", "variant", "policy", *(name for heading, *_ in COLUMNS for name in (heading, "ci95"))]
    for end, sets in ENDS.items():
        with ThreadPoolExecutor(2) as pool:
            runs = dict(zip(wanted, pool.map(lambda key: replications(easim, source, key[0], sets + variants[key[1]]), wanted)))
        for policy, name in wanted:
            yield row(end, name, policy, runs[policy, ""], runs[policy, name] if name else None)


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
    easim, source, check = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), "--check" in sys.argv
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(table(easim, source))
    write_or_compare({source / "docs/studies/seed.csv": out.getvalue()}, check)
    if check:
        sys.exit(stale_figure(easim, source))


if __name__ == "__main__":
    main()
