#!/usr/bin/env python3
"""Makes docs/studies/validation.csv: validation_table.py EASIM SOURCE [--check]

Runs every shipped validation (`easim validate`), a row for each figure and each note. Those of the physical cluster are run again
with other restart costs, and with wrong durations, which must miss (column variant). Without --check the file is written. With it
nothing is: it must be what would be written, numbers within 1e-6, or the exit status is 1. So it is if a verdict is not the expected
one, or a validation is skipped; it ends with 77, skipped, without EASIM_DATA.
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from made_again import arguments, write_or_compare

COLUMNS = ["headline", "validation", "variant", "metric", "of", "unit", "predicted", "measured", "error_percent", "tolerance_percent", "verdict",
           "kind", "against", "reason"]
HEADLINES = {  # what the study shows: words by validation, metric and figure
    ("large-gpt3", "exec_s", "median error of 19 jobs"): "GPT-3 iteration time: median of 19 trainings",
    ("large-gpt3", "exec_s", "largest error of 19 jobs"): "GPT-3 iteration time: largest of 19 trainings",
    ("large-llama31_405b", "exec_s", "median error of 12 jobs"): "Llama 3.1 405B iteration time: median of 12 trainings",
    ("large-llama2_70b_lora", "exec_s", "median error of 69 jobs"): "LoRA iteration time: median of 69 trainings",
    ("large-unseen_gpu", "exec_s", "median error of 118 jobs"): "Iteration time on an unseen GPU type: median of 118",
    ("mlperf-resnet", "jct_s", "median error of 28 jobs"): "MLPerf ResNet-50 time to target: median of 28 (best of 8)",
    ("mlperf-llama2_70b_lora", "jct_s", "median error of 16 jobs"): "MLPerf LoRA time to target: median of 16 (worst of 8)",
    ("mlperf-energy-above-8", "energy_j", "sum of 4 jobs"): "MLPerf energy on more than 8 H100: sum of 4 trainings",
    ("surf-lisa", "meter_mean_w", ""): "SURF Lisa power: mean of 24 h not fitted",
    ("surf-lisa", "meter_absolute_error", ""): "SURF Lisa power: by reading",
    ("tacc32-replay-max_min", "jct_mean_s", ""): "32 V100 mean completion time: recorded schedule (worst of 4)",
    ("tacc32-policy-allox", "jct_mean_s", ""): "32 V100 mean completion time: policy of easim (worst of 2)"}


def number(value, factor=1):
    return "" if value is None else f"{factor * value:.6g}"


def verdict(row):
    if row["verdict"] == "skipped":
        return "skipped"
    return row["verdict"] + ("" if row["expect"] == "pass" and row["as_expected"] else
                             " as expected" if row["as_expected"] else " unexpected")


def rows_of(validation, variant=""):
    """Of one validation: its figures, then what was said of it."""
    shared = {"validation": validation["name"], "variant": variant, "kind": validation["kind"], "against": validation["against"]}
    for row in validation["rows"]:
        key = (validation["name"], row["metric"], row["of"])
        yield shared | {"headline": "" if variant else HEADLINES.get(key, ""), "metric": row["metric"], "of": row["of"], "unit": row["unit"],
                        "predicted": number(row["predicted"]), "measured": number(row["measured"]), "error_percent": number(row["error"], 100),
                        "tolerance_percent": "" if variant else number(row["tolerance"], 100), "verdict": "" if variant else verdict(row),
                        "reason": "" if variant else row["reason"]}
    for note in [] if variant else validation["notes"]:
        yield shared | {"metric": "note", "reason": note}


RESTART = "workload.rigid_costs.restart_s: "  # in validations that say what a restart costs
CONTROLS = {"durations x 0.9": lambda seconds, mean: 0.9 * seconds, "durations x 1.1": lambda seconds, mean: 1.1 * seconds,
            "one duration for all": lambda seconds, mean: mean}


def write_control(source, target, change):
    """The workload CSV with other durations."""
    with open(source, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    mean = sum(float(row["duration_s"]) for row in rows) / len(rows)
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row | {"duration_s": repr(change(float(row["duration_s"]), mean))} for row in rows)


def run_variants(easim, source, folder, variants):
    """variants: (validation, label, changes of its text). Names, labels and results, in that order."""
    for number, (name, _, changes) in enumerate(variants):
        text = (source / "validation" / f"{name}.yaml").read_text(encoding="utf-8")
        for old, new in [(f"name: {name}", f"name: v{number}"), ("../configs/", f"{source}/configs/"), *changes]:
            if text.count(old) != 1:
                sys.exit(f"{name}.yaml: {old!r} stands there {text.count(old)} times")
            text = text.replace(old, new)
        (folder / f"v{number}.yaml").write_text(text, encoding="utf-8")
    done = subprocess.run([easim, "validate", *(folder / f"v{n}.yaml" for n in range(len(variants))), "--format", "json",
                           "--out", folder / "variants", "--quiet"], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    for (name, label, _), validation in zip(variants, json.loads(done.stdout)["validations"], strict=True):
        yield name, label, validation | {"name": name}


def physical_cluster(easim, source, data, folder):
    """Rows of the physical cluster when what is assumed of restarts, or known of durations, is another."""
    names = sorted(path.stem for path in (source / "validation").glob("*.yaml") if RESTART in path.read_text(encoding="utf-8"))
    first = "  workload.rigid_costs.start_s: 20\n"
    others = {f"restart {seconds} s": [(f"{RESTART}20", f"{RESTART}{seconds}")] for seconds in (0, 20, 40)}
    others["restart 20 s, first start, too"] = [(f"  {RESTART}20\n", f"  {RESTART}20\n{first}")]
    restarts = [(name, label, changes) for name in names for label, changes in others.items()]
    controls, log = [], "validation/shockwave_tacc32/jobs.csv"
    for number, (label, change) in enumerate(CONTROLS.items()):
        write_control(data / log, folder / f"jobs{number}.csv", change)
        controls += [(f"tacc32-replay-{policy}", label, [(f"jobs: {log}", f"jobs: {folder}/jobs{number}.csv")])
                     for policy in ("allox", "shockwave")]
    for name, label, validation in run_variants(easim, source, folder, restarts + sorted(controls, key=lambda control: control[0])):
        errors = [abs(row["error"]) for row in validation["rows"] if row["metric"] in ("makespan_s", "jct_mean_s")]
        if label in CONTROLS and max(errors) <= 0.03:
            sys.exit(f"negative control: {name}, {label}: within 3 %")
        yield from rows_of(validation, label)


def main():
    easim, source, data, check = arguments(__doc__)
    with tempfile.TemporaryDirectory(prefix="easim-validation.") as folder:
        done = subprocess.run([easim, "validate", "--format", "json", "--out", Path(folder) / "out", "--quiet"],
                              capture_output=True, text=True, check=False,
                              env=os.environ | {"EASIM_VALIDATION": str(source / "validation")})
        if not done.stdout:
            sys.exit(done.stderr)
        results = json.loads(done.stdout)
        rows = [row for validation in results["validations"] for row in rows_of(validation)]
        rows += physical_cluster(easim, source, data, Path(folder))
    if wrong := [name for name in ("unexpected", "skipped") if results[name] > 0]:
        sys.exit(f"{wrong}: {done.stdout}")
    if sum(bool(row.get("headline")) for row in rows) != len(HEADLINES):
        sys.exit("a headline has no figure")
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_or_compare({source / "docs/studies/validation.csv": out.getvalue()}, check)


if __name__ == "__main__":
    main()
