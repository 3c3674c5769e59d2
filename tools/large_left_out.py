#!/usr/bin/env python3
"""Makes validation/large: trainings of transformers under their published plans, predicted by constants that have not seen
them, as models and jobs for `easim validate`.

  large_left_out.py EASIM SOURCE [--check]

The rows are those of tools/plan_rows.py (validation/large/*.csv, *.yaml, by tools/large_models.py) and validation/megatron. For
each fold `easim calibrate plans` fits the other rows; models/NAME.yaml has one model for each row, with those constants and the
row's published plan, jobs/NAME.csv a job of 1,000 iterations for each. A control has a constant rate fitted to the same rows; a
validation NAME-best has the same constants under the plan of least time that fits the memory, which runs take unless their
scenario says `plans: published`. unseen_gpu has every GPU type predicted by the constants of the others. What no fit without it can predict (the only row of a GPU type, or of a round) is left out and
named in the validation.

Without --check the files and validation/large-*.yaml are written. With it nothing is: they must be what would be written,
numbers within 1e-6, or the exit status is 1. --check ends with 77, skipped, without EASIM_DATA.
"""
import math
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

import plan_rows
import yaml
from large_models import CONTEXT, flop
from mlperf_left_out import csv_text
from made_again import arguments, write_or_compare
from mlperf_models import rows_of

ITERATIONS, APART_S = 1000, 200000
MLPERF = ("MLPerf Training v3.0 to v5.0, public result logs (github.com/mlcommons/training_results_*), each system named in its "
          "rounds by submitter and system")
BRIDGE = "docs/performance-summary of github.com/NVIDIA-NeMo/Megatron-Bridge (Apache-2.0), releases 26.02 to 26.06"
MEGATRON = "Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, SC'21, table 1"
HEADER = "# Made by: EASIM_DATA=... python3 tools/large_left_out.py build/easim .\n"
# Of each validation: rows, what is held, source, physics, and figures with their tolerance, and why one is known to miss. The
# tolerances were promised before the first fit; of LoRA that of MLPerf's other benchmarks; that of Megatron-Bridge, for which nothing
# was promised but to be below the control, was set between the two errors after both had been seen.
SLOW = "SMC's run on 512 GPUs in round v4.0 took 19 % longer than others let expect"
PLANS_KNOWN = "tp, pp and mb as published configurations have them, v = L / (2 pp) assumed; iterations alone"
CASES = {
    "gpt3": {"rows": "large/gpt3.csv", "hold": "memory_traffic=0", "source": MLPERF,
             "physics": f"f1, f3 and a factor of each round fitted without any row of this number of GPUs; {PLANS_KNOWN}",
             "figures": (("median_error", "3%", ""), ("p90_error", "8%", ""), ("most_error", "8%", SLOW)),
             "control": (("median_error", "3%"), ("p90_error", "8%"))},
    "llama31_405b": {"rows": "large/llama31_405b.csv", "hold": "memory_traffic=0,gradient_overlap={overlap}", "source": MLPERF,
                     "physics": "one f1 for each GPU type fitted without the row, f3 that of the gpt3 fit; published plans; iterations alone",
                     "figures": (("median_error", "3%", ""), ("most_error", "6%", "")), "control": (("most_error", "6%"),)},
    "llama31_405b-scale": {"rows": "large/llama31_405b-scale.csv", "hold": "memory_traffic=0,gradient_overlap={overlap}", "source": MLPERF,
                           "physics": "H100 and GB200 with one factor fitted without the row, times the share of the peak that measured "
                                      "products of the plan's shapes reach; f3 that of the gpt3 fit; published plans; iterations alone",
                           "figures": (("median_error", "3%", ""), ("most_error", "6%", "")), "control": (("most_error", "6%"),)},
    "llama2_70b_lora": {"rows": "large/llama2_70b_lora.csv", "hold": "memory_traffic=0", "source": MLPERF,
                        "physics": "f1 of each GPU type, fixed times and a factor of each round fitted without any row of this number of "
                                   "GPUs of this type; published plans; iterations alone",
                        "figures": (("median_error", "10%", ""), ("p90_error", "30%", "")), "control": (("median_error", "10%"),)},
    "megatron_bridge": {"rows": "large/megatron_bridge.csv", "hold": "fixed_s=0,node_s=0", "source": BRIDGE,
                        "physics": "f1 of each GPU type and precision, f2 and f3 fitted without any release of this configuration; published "
                                   "plans; rows with FSDP left out",
                        "figures": (("mean_error", "15%", ""),), "control": (("mean_error", "15%"),)},
    "megatron": {"rows": "megatron/rows.csv", "models": "megatron/models.yaml", "hold": "", "source": MEGATRON,
                 "physics": "f1, f2 and f3 fitted without the row; published plans",
                 "figures": (("median_error", "3%", ""), ("most_error", "8%", "")), "control": (("median_error", "3%"), ("most_error", "8%"))},
    "megatron-larger": {"rows": "megatron/rows.csv", "models": "megatron/models.yaml", "hold": "", "source": MEGATRON, "seen": 6,
                        "physics": "f1, f2 and f3 fitted to the six trainings of up to 76 billion parameters; published plans of the other four",
                        "figures": (("most_error", "8%", ""),), "control": (("most_error", "8%"),)},
}
CASES["megatron-larger-quadratic"] = CASES["megatron-larger"] | {"quadratic": True}  # the control alone
A_RATE = "one rate in FLOP/s for each GPU type and precision"
A_QUADRATIC = "FLOP/s as a quadratic in the logarithm of parameters"
GPU_TYPES = {"a100": (400, 8, 80), "h100": (920, 8, 80), "h200": (700, 8, 141), "b200": (1000, 8, 180),
             "gb200": (1200, 4, 186)}  # tdp_w, GPUs of a node, memory in GB
AS_BEST = ("the plan of least time was not published, so its own time is not measured: this is how much it differs from the "
           "measured time of the published plan")
BEST = {"gpt3": AS_BEST, "llama31_405b": AS_BEST, "llama2_70b_lora": "", "megatron": AS_BEST}  # of configs/models/large.yaml
UNSEEN = ("gpt3", "llama31_405b", "llama2_70b_lora", "megatron_bridge")
LARGEST = {"a100": 3072, "h100": 11616, "h200": 1024, "b200": 64, "gb200": 2496}


# ---- Fits ----

def calibrate(easim, scratch, rows, models, hold):
    """Constants by group, factors by round, and points; None: these rows do not tell."""
    (scratch / "rows.csv").write_text(csv_text(rows), encoding="utf-8")
    words = [easim, "calibrate", "plans", scratch / "rows.csv", models, "--points", scratch / "points.csv"]
    done = subprocess.run([*map(str, words), *(["--hold", hold] if hold else [])], capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    fits = {group or "": {key: float(value) for key, value in re.findall(r"(\w+): ([-+.\de]+)", constants)}
            for group, constants in re.findall(r"^(?:(.+): )?(compute_fraction: .*?)  \(", done.stdout, re.M)}
    rounds = dict(re.findall(r"software_factor of (\S+): ([-+.\de]+)", done.stdout))
    return fits, {name: float(value) for name, value in rounds.items()}, rows_of(scratch / "points.csv")


def folds(rows, seen):
    """Indices that are predicted together."""
    if seen:
        return [list(range(seen, len(rows)))]
    names = {}
    for i, row in enumerate(rows):
        names.setdefault(row.get("fold") or i, []).append(i)
    return list(names.values())


def held_out(rows, fold, other):
    """The rows with those of a fold held out, or with but one of them: a group or round that only the fold has is an error."""
    return [row | {"held_out": "1" if i in fold else "0"} for i, row in enumerate(rows) if i not in fold or i in other]


# ---- The other control ----

def determinant(m):
    return (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]))


def quadratic_errors(rows, points, shapes, seen):
    """Errors of time by FLOP/s as a quadratic in the logarithm of parameters, fitted to the first rows: as many constants as
    plans have. Leave-one-out alone lets it pass; it has no word on what is larger than what it has seen."""
    sizes = [math.log(float(shapes[row["model"]]["transformer"]["parameters"])) for row in rows]
    rates = [math.log(float(row["tflops_gpu"])) for row in rows]
    normal = [[sum(x ** (i + j) for x in sizes[:seen]) for j in range(3)] for i in range(3)]
    right = [sum(y * x ** i for x, y in zip(sizes[:seen], rates[:seen])) for i in range(3)]
    found = [determinant([[right[i] if j == column else normal[i][j] for j in range(3)] for i in range(3)]) / determinant(normal)
             for column in range(3)]
    return [math.exp(y - sum(c * x ** i for i, c in enumerate(found))) - 1 for x, y in zip(sizes, rates)]


# ---- Files ----

def model_of(name, row, shape, figures, constants, factor):
    """A row's model."""
    fraction = constants["compute_fraction"] * float(row.get("shape_fraction") or 1)
    keys = {key: figures[key] for key in ("peak_flops", "memory_bytes_s", "node_bytes_s", "network_bytes_s")}
    keys |= {"compute_fraction": fraction, "memory_traffic": constants["memory_traffic"]}
    if not shape.get("lora"):
        keys["gradient_overlap"] = constants["gradient_overlap"]
    keys |= {key: constants[key] for key in ("fixed_s", "node_s") if constants.get(key)}
    if factor != 1:
        keys["software_factor"] = factor
    text = ", ".join(f"{key}: {format(value, '.10g')}" for key, value in keys.items())
    shape = shape | {"global_batch": int(row.get("global_batch") or shape["global_batch"])}
    if CONTEXT.get(row["model"]):
        shape["context_parallel"] = CONTEXT[row["model"]]
    return (f"  - name: \"{name}\"\n    transformer: {plan_rows.mapping(shape)}\n    gpus:\n      {row['gpu']}: {{{text}, published_plans: [{{k: {row['gpus']}, "
            f"plan: {plan_rows.plan_text(row)}}}], power: tdp, evidence: derived, source: fitted without it}}\n")


def control_of(name, row, batch, time_s):
    """A form with nothing but a rate."""
    each = batch / int(row["gpus"])
    return (f"  - name: \"{name}\"\n    efficiency: none\n    gpus:\n      {row['gpu']}: {{batches: [{each!r}], a_s: 1e-12, c_s: {time_s / each:.10g}, "
            f"gamma: 10, alpha_s: 0, power: tdp, evidence: derived, source: fitted without it}}\n")


def job_of(name, row, batch, measured_s, place, control):
    job = {"job_id": name, "model": name, "work_samples": repr(batch * ITERATIONS), "gpus": row["gpus"]}
    if control:
        job["batch"] = repr(batch / int(row["gpus"]))
    return job | {"gpu_type": row["gpu"], "label.measured_s": repr(ITERATIONS * measured_s), "submit_s": place * APART_S}


def make_case(easim, source, scratch, name, case, overlap):
    """Models and jobs, and of the control, and names of rows that nothing predicts."""
    table, folder = source / "validation" / case["rows"], source / "validation"
    models = folder / case.get("models", case["rows"].replace(".csv", ".yaml"))
    shapes = {model["name"]: model for model in yaml.safe_load(models.read_text(encoding="utf-8"))["models"]}
    rows, hold = [{key: value for key, value in row.items() if key != "held_out"} for row in rows_of(table)], case["hold"].format(overlap=overlap)
    whole = calibrate(easim, scratch, rows if not case.get("seen") else
                      [row | {"held_out": str(int(i >= case["seen"]))} for i, row in enumerate(rows)], models, hold)
    texts, jobs, controls, control_jobs, unknown = [], [], [], [], []
    if case.get("quadratic"):
        for point, error in zip(whole[2], quadratic_errors(rows, whole[2], shapes, case["seen"])):
            point["constant_left_out_error"] = error
    for fold in folds(rows, case.get("seen")):
        together = calibrate(easim, scratch, held_out(rows, fold, fold), models, hold)
        for i in fold:
            row, point = rows[i], whole[2][i]
            fit = together or calibrate(easim, scratch, held_out(rows, fold, [i]), models, hold)
            model = shapes[row["model"]]
            label = f"{row['model']} {row['gpu']} x {row['gpus']}" + "".join(f", {row[key]}" for key in ("round", "of") if row.get(key))
            batch, measured = int(row.get("global_batch") or model["transformer"]["global_batch"]), float(point["measured_s"])
            if not fit:
                unknown.append(label)
                continue
            fits, rounds, _ = fit
            label = label if label not in {job["job_id"] for job in jobs} else f"{label} ({i + 1})"
            texts.append(model_of(label, row, model["transformer"], {key: float(value) if key.endswith(("_flops", "_s")) else value
                                                                     for key, value in model["gpus"][row["gpu"]].items()},
                                  fits[point["group"]], rounds.get(row.get("round"), 1)))
            jobs.append(job_of(label, row, batch, measured, len(jobs), False))
            controls.append(control_of(label, row, batch, measured * (1 + float(point["constant_left_out_error"]))))
            control_jobs.append(job_of(label, row, batch, measured, len(control_jobs), True))
    return texts, jobs, controls, control_jobs, unknown


# ---- GPU types that the fit has not seen ----

def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def shares_of_peak(rows, points, shapes):
    """FLOP/s of measured iterations over the peak of their GPUs."""
    for row, point in zip(rows, points):
        model = shapes[row["model"]]
        batch = int(row.get("global_batch") or model["transformer"]["global_batch"])
        yield flop(model["transformer"]) * batch / (int(row["gpus"]) * float(model["gpus"][row["gpu"]]["peak_flops"]) * float(point["measured_s"]))


def make_unseen(easim, source, scratch, overlap):
    """Of each GPU type: f1 the geometric mean of that of the other types, everything else as fitted to them; the control reaches
    the geometric mean of their shares of the peak. A round that they do not have is left out."""
    texts, jobs, controls, control_jobs, unknown = [], [], [], [], 0
    for name in UNSEEN:
        case, table = CASES[name], source / "validation" / CASES[name]["rows"]
        models = table.with_suffix(".yaml")
        shapes = {model["name"]: model for model in yaml.safe_load(models.read_text(encoding="utf-8"))["models"]}
        rows, hold = [{key: value for key, value in row.items() if key != "held_out"} for row in rows_of(table)], case["hold"].format(overlap=overlap)
        whole = calibrate(easim, scratch, rows, models, hold)[2]
        for gpu in sorted({row["gpu"] for row in rows}):
            seen = [row for row in rows if row["gpu"] != gpu]
            found = calibrate(easim, scratch, seen, models, hold)
            fits, rounds, points = found or ({}, {}, [])
            share = geometric_mean(shares_of_peak(seen, points, shapes)) if found else 0
            for i, row in enumerate(rows):
                if row["gpu"] != gpu or not found or (row.get("round") and row["round"] not in rounds and row.get("round_factor") != "1"):
                    unknown += row["gpu"] == gpu
                    continue
                model, measured = shapes[row["model"]], float(whole[i]["measured_s"])
                constants = next(iter(fits.values())) | {"compute_fraction": geometric_mean(fit["compute_fraction"] for fit in fits.values())}
                batch, [own] = int(row.get("global_batch") or model["transformer"]["global_batch"]), shares_of_peak([row], [whole[i]], shapes)
                label = f"{row['model']} {gpu} x {row['gpus']} ({name} {i + 1})"
                texts.append(model_of(label, row, model["transformer"], {key: float(value) if key.endswith(("_flops", "_s")) else value
                                                                         for key, value in model["gpus"][gpu].items()},
                                      constants, rounds.get(row.get("round"), 1)))
                jobs.append(job_of(label, row, batch, measured, len(jobs), False))
                controls.append(control_of(label, row, batch, measured * own / share))
                control_jobs.append(job_of(label, row, batch, measured, len(control_jobs), True))
    return texts, jobs, controls, control_jobs, unknown


def unseen_files(easim, source, scratch, overlap):
    texts, jobs, controls, control_jobs, unknown = make_unseen(easim, source, scratch, overlap)
    case = {"source": f"{MLPERF}; {BRIDGE}"}
    why = "f1 is a GPU type's own: that of others does not stand for it, and neither does their share of the peak"
    figures = (("median_error", "10%", why), ("mean_error", "10%", why))
    return {"large/models/unseen_gpu.yaml": f"{HEADER}models:\n" + "".join(texts), "large/jobs/unseen_gpu.csv": csv_text(jobs),
            "large/models/unseen_gpu-constant.yaml": f"{HEADER}models:\n" + "".join(controls),
            "large/jobs/unseen_gpu-constant.csv": csv_text(control_jobs),
            "large-unseen_gpu.yaml": validation(
                "unseen_gpu", case, "unseen_gpu", figures, "f1 the geometric mean of that of the other GPU types, the rest as fitted to them; "
                f"published plans; iterations alone; {unknown} rows of rounds that no other type has are not predicted"),
            "large-unseen_gpu-constant.yaml": validation(
                "unseen_gpu-constant", case, "unseen_gpu-constant", figures, "as of large-unseen_gpu, but the geometric mean of the share of "
                "the peak that the other GPU types reach in place of plans", "", "large-unseen_gpu")}


def validation(name, case, stem, figures, physics, sets="plans: published", control=None):
    lines = "".join(f"  - {{metric: exec_s, over: {over}, tolerance: {tolerance}" + (f", expect: fail, reason: \"{reason}\"" if reason else "") + "}\n"
                    for over, tolerance, reason in figures)
    return (f"{HEADER}name: large-{name}\nsource: \"{case['source']}\"\nkind: prediction\nphysics: \"{physics}\"\n"
            f"{f'control_of: {control}' + chr(10) if control else ''}scenario: large/systems.yaml\n"
            f"data: {{jobs: large/jobs/{stem}.csv, models: large/models/{stem}.yaml}}\n"
            f"set: {{workload.file: \"${{jobs}}\", models: \"${{models}}\"{sets and f', {sets}'}}}\n"
            f"jobs: {{data: jobs, columns: {{exec_s: label.measured_s}}}}\nmeasured:\n{lines}")


def systems():
    types = "".join(f"    - {{name: {gpu}, idle_w: {tdp // 8}, ctx_w: {tdp // 6}, tdp_w: {tdp}, memory_gib: 1000}}\n" for gpu, (tdp, _, _) in GPU_TYPES.items())
    nodes = "".join(f"    - {{count: {-(-LARGEST[gpu] // node)}, gpu: {gpu}, gpus: {node}}}\n" for gpu, (_, node, _) in GPU_TYPES.items())
    return (f"{HEADER}# Trainings one at a time. Memory is not asked: these plans ran. Power is made up and no figure is of it.\n"
            f"name: large-systems\nhorizon: drain\ncluster:\n  gpu_types:\n{types}  nodes:\n{nodes}models: models/gpt3.yaml\n"
            "workload: {kind: trace, format: workload, file: jobs/gpt3.csv}\npolicy: {name: fcfs}\n")


def make_files(easim, source):
    """Texts by path under validation/."""
    files, overlap = {"large/systems.yaml": systems()}, None
    with tempfile.TemporaryDirectory(prefix="easim-left-out.") as scratch:
        for name, case in CASES.items():
            overlap = overlap or calibrate(easim, Path(scratch), rows_of(source / "validation/large/gpt3.csv"),
                                           source / "validation/large/gpt3.yaml", CASES["gpt3"]["hold"])[0]["h100 fp8"]["gradient_overlap"]
            texts, jobs, controls, control_jobs, unknown = make_case(easim, source, Path(scratch), name, case, overlap)
            control, what, of = (name, A_QUADRATIC, name.replace("-quadratic", "")) if case.get("quadratic") else (f"{name}-constant", A_RATE, name)
            files[f"large/models/{control}.yaml"] = f"{HEADER}models:\n" + "".join(controls)
            files[f"large/jobs/{control}.csv"] = csv_text(control_jobs)
            files[f"large-{control}.yaml"] = validation(control, case, control, [(*figure, f"a control, {what}, which has to fail") for figure in case["control"]],
                                                        f"as of large-{of}, but {what} in place of plans", "", f"large-{of}")
            if case.get("quadratic"):
                continue
            files[f"large/models/{name}.yaml"] = f"{HEADER}models:\n" + "".join(texts)
            files[f"large/jobs/{name}.csv"] = csv_text(jobs)
            more = f"; not predicted, for no other row tells: {', '.join(unknown)}" if unknown else ""
            files[f"large-{name}.yaml"] = validation(name, case, name, case["figures"], case["physics"] + more)
            if name in BEST:
                memory = "".join(f", \"cluster.gpu_types[{i}].memory_gib\": {gib}" for i, (_, _, gib) in enumerate(GPU_TYPES.values()))
                figures = [(over, case["figures"][0][1], BEST[name]) for over in ("median_error", "mean")]
                files[f"large-{name}-best.yaml"] = validation(f"{name}-best", case, name, figures,
                                                              f"as of large-{name}, but under plans of least time that fit the memory",
                                                              "plans: best" + memory)
        files |= unseen_files(easim, source, Path(scratch), overlap)
    return files


def main():
    easim, source, _, check = arguments(__doc__)
    write_or_compare({source / "validation" / name: text for name, text in make_files(easim, source).items()}, check)


if __name__ == "__main__":
    main()
