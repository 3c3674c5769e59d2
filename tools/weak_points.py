#!/usr/bin/env python3
"""Makes docs/studies/validation-weak.csv: weak_points.py EASIM SOURCE [--check]

Runs the validations that they are of (`easim validate`); reads MLPerf's rows ($EASIM_DATA/mlperf) for the speed of the nearest
size, as a control of the forms in configs/models/mlperf.yaml, and the kernels of $EASIM_DATA/limits. Without --check the file
is written. With it nothing is: it must be what would be written, numbers within 1e-6, or the exit status is 1.
"""
import csv
import io
import math
import tempfile
from pathlib import Path
from statistics import fmean, median

from made_again import arguments, write_or_compare
from mlperf_left_out import FORMS
from mlperf_models import make_profile, read_models, rows_of, run, size_errors

VALIDATIONS = ("tacc32-replay-*", "tacc32-policy-*", "mlperf-energy*", "large-unseen_gpu*", "large-*-best")
NO_TENSOR = ("unit-fma", "unit-int32", "unit-sfu", "unit-smem", "unit-l2", "unit-dram", "unit-atomic", "unit-fma+smem", "unit-fma+int32",
             "unit-fma+sfu", "unit-fma+dram", "unit-dram+l2", "unit-four-way")
TENSOR = "prec-bf16"


def percent(value, signed=True):
    return f"{100 * value:{'+' if signed else ''}.1f} %"


def validate(easim, source, folder):
    """Rows of validation.csv by (validation, metric, of), and errors of exec_s by validation and job."""
    files = sorted(path for pattern in VALIDATIONS for path in (source / "validation").glob(f"{pattern}.yaml"))
    run(easim, "validate", *files, "--quiet", "--out", folder)
    rows = {(row["validation"], row["metric"], row["of"]): row for row in rows_of(folder / "validation.csv")}
    jobs = {}
    for row in rows_of(folder / "validation_jobs.csv"):
        if row["metric"] == "exec_s" and row["error"]:
            jobs.setdefault(row["validation"], {})[row["job_id"]] = float(row["error"])
    return rows, jobs


# ---- Parts ----

def completion_times(rows):
    for kind in ("replay", "policy"):
        found = {name.rsplit("-", 1)[1]: float(row["error"]) for (name, metric, of), row in sorted(rows.items())
                 if name.startswith(f"tacc32-{kind}-") and metric == "jct_mean_s"}
        yield (f"mean completion time, {len(found)} {'recorded schedules' if kind == 'replay' else 'policies of easim'} on 32 V100",
               f"{percent(max(found.values()))} to {percent(min(found.values()))}",
               "; ".join(f"{name} {percent(error)}" for name, error in found.items()))


def nearest_sizes(easim, source, data, folder):
    """Speed of MLPerf's systems. By (model, GPU type, k) the form's error without the rows of k, and that of the speed per GPU
    of the nearest other k; and of each row the error of the median of the other systems of its k."""
    models = read_models((source / "configs/models/mlperf.yaml").read_text(encoding="utf-8"))
    groups, forms, nearest, known = {}, [], [], []
    for row in rows_of(make_profile(easim, data, folder)):
        if row["throughput_samples_s"]:
            groups.setdefault((row["model"], row["gpu"]), {}).setdefault(int(row["k"]), []).append(float(row["throughput_samples_s"]))
    for (model, gpu), sizes in groups.items():
        if model not in FORMS.get(gpu, ()):
            continue
        for k, error in size_errors(models[model][gpu]).items():
            if not math.isnan(error):
                near = min((other for other in sizes if other != k), key=lambda other: (abs(math.log(other / k)), other))
                rate = median(sizes[near]) / near * k
                forms.append(error)
                nearest.append(median(abs(rate / speed - 1) for speed in sizes[k]))
        for speeds in sizes.values():
            known += [abs(median(speeds[:i] + speeds[i + 1:]) / speed - 1) for i, speed in enumerate(speeds) if len(speeds) > 1]
    yield (f"speed at a size left out, {len(forms)} sizes of MLPerf", f"{percent(median(forms), False)}",
           f"control, speed per GPU of the nearest other size: {percent(median(nearest), False)}")
    yield (f"speed at a known size, {len(known)} systems of MLPerf", percent(median(known), False),
           "no form: the median of the other systems of this size")


def unseen_types(rows, jobs):
    row = lambda name: float(rows[name, "exec_s", f"median error of {len(jobs[name])} jobs"]["error"])
    yield (f"iterations on GPU types outside the fit, {len(jobs['large-unseen_gpu'])} trainings", percent(row("large-unseen_gpu"), False),
           f"control, the others' share of the peak: {percent(row('large-unseen_gpu-constant'), False)}")
    for name in ("llama31_405b", "llama2_70b_lora", "megatron_bridge"):
        law, rate = ([abs(error) for job, error in jobs[of].items() if f"({name} " in job] for of in ("large-unseen_gpu", "large-unseen_gpu-constant"))
        yield f"- of {name}, {len(law)}", percent(median(law), False), f"control: {percent(median(rate), False)}"


def least_time(easim, source, jobs):
    for name in ("gpt3", "llama31_405b", "llama2_70b_lora", "megatron"):
        errors = list(jobs[f"large-{name}-best"].values())
        yield (f"plan of least time against the published plan's measured time, {name}, {len(errors)}", percent(median(errors)),
               f"from {percent(min(errors))} to {percent(max(errors))}")
    [row] = [row for row in rows_of(source / "validation/large/gpt3.csv") if row["gpu"] == "b200"]  # no other row tells: it is fitted
    plans = csv.DictReader(run(easim, "models", source / "configs/models/large.yaml", "--model", "gpt3-175b", "--gpu", "b200", "--k", row["gpus"],
                               "--memory", "b200=180", "--plans", "--format", "csv").splitlines())
    [taken] = [float(plan["iteration_s"]) for plan in plans if plan["chosen"] == "1"]
    measured = float(row["global_batch"]) / float(row["samples_s"])
    yield (f"- gpt3 on {row['gpus']} B200, the only run there, to which its f1 is fitted", percent(taken / measured - 1),
           f"{taken:.1f} s, measured {measured:.1f} s")


def energy(source, rows):
    name = "mlperf-energy-above-8"
    error = lambda metric: percent(float(rows[name, metric, "sum of 4 jobs"]["error"]))
    metered = [m for model in read_models((source / "configs/models/mlperf.yaml").read_text(encoding="utf-8")).values()
               for gpu, record in model.items() if gpu == "h100" for m in record.get("metered", []) if min(r["k"] for r in record["metered"]) == 8 < m["k"]]
    powers = ", ".join(percent(m["model_w"] / m["node_power_w"] - 1) for m in metered)
    yield "energy of the runs metered on more than 8 H100, 4", error("energy_j"), f"their time {error('jct_s')}; power of a node {powers}"


def kernels(data):
    """A kernel that ran several times under a name counts once, as the mean of its runs."""
    runs = {}
    for row in rows_of(data / "limits/b300_power_lab.csv"):
        if float(row["limit_w"]) == 1100 and float(row["time_s"]) >= 10:
            runs.setdefault(row["run"], set()).add(float(row["mean_w"]))
    power = {name: fmean(runs[name]) for name in (TENSOR, *NO_TENSOR)}
    errors = {name: power[TENSOR] / power[name] - 1 for name in NO_TENSOR}
    low, high = (pick(errors, key=errors.get) for pick in (min, max))
    yield (f"power of kernels of B300 outside tensor cores, {len(errors)}, if a busy GPU draws the {power[TENSOR]:.0f} W of bf16 products",
           percent(median(errors.values())),
           f"{low.removeprefix('unit-')} {percent(errors[low])}, fma {percent(errors['unit-fma'])}, {high.removeprefix('unit-')} {percent(errors[high])}")


def make_text(easim, source, data):
    with tempfile.TemporaryDirectory(prefix="easim-weak.") as scratch:
        rows, jobs = validate(easim, source, Path(scratch) / "validate")
        lines = [*completion_times(rows), *nearest_sizes(easim, source, data, Path(scratch)), *unseen_types(rows, jobs), *least_time(easim, source, jobs),
                 *energy(source, rows), *kernels(data)]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([("what, how many", "error", "control or range"), *lines])
    return out.getvalue()


def main():
    easim, source, data, check = arguments(__doc__)
    write_or_compare({source / "docs/studies/validation-weak.csv": make_text(easim, source, data)}, check)


if __name__ == "__main__":
    main()
