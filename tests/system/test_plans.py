#!/usr/bin/env python3
"""Constants of transformers' plans: the ten trainings of Megatron-LM (Narayanan et al., SC'21, table 1) fitted again in
Python from the formulas of the documents alone, left out and held out, against two controls that must do worse; constants
that are known, found again from made-up rows; published plans against those that easim takes.

Usage: test_plans.py EASIM SOURCE_DIR
"""

import csv
import io
import itertools
import math
import random
import statistics
import tempfile
from pathlib import Path

import yaml
from support import SOURCE, easim, rows_of

ROWS, MODELS = SOURCE / "validation/megatron/rows.csv", SOURCE / "validation/megatron/models.yaml"


def parts(model, gpu, row):
    """Operations, and seconds of an iteration as (at f1 1, per f2, per 1 - f3, the rest): docs/semantics.md, 31.4."""
    layers, h, s, vocabulary = (model[key] for key in ("layers", "hidden", "sequence", "vocabulary"))
    a, batch = model["heads"], int(row["global_batch"])
    k, tp, pp, v, mb = (int(row[key]) for key in ("gpus", "tp", "pp", "v", "mb"))
    dp = k // (tp * pp)
    m = batch // (dp * mb)
    flop = 96 * batch * s * layers * h * h * (1 + s / (6 * h) + vocabulary / (16 * layers * h))
    compute = flop / (k * gpu["peak_flops"])
    memory = 4 * layers / pp * m * s * mb * h * (10 + 24 / tp + 5 * a * s / (h * tp)) / gpu["memory_bytes_s"]
    tensor = 6 * layers / pp * m * 2 * s * mb * h * 2 * (tp - 1) / tp / gpu["node_bytes_s"]
    pipeline = m * 2 * v * 2 * mb * s * h / gpu["network_bytes_s"] if pp > 1 else 0
    bubble = 1 + (pp - 1) / (m * v)
    gradients = 4 * model["parameters"] / (tp * pp) * (dp - 1) / dp / gpu["network_bytes_s"]
    return flop, (compute * bubble, memory * bubble, gradients, (tensor + pipeline) * bubble)


def solve(matrix, right):
    """Gaussian elimination; None: singular."""
    rows = [line[:] + [value] for line, value in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        if abs(rows[i][i]) < 1e-30:
            return None
        for r in range(len(rows)):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i])]
    return [line[-1] / line[i] for i, line in enumerate(rows)]


def least_squares(lines, right):
    size = range(len(lines[0]))
    return solve([[sum(line[i] * line[j] for line in lines) for j in size] for i in size],
                 [sum(line[i] * y for line, y in zip(lines, right)) for i in size])


def fit(data):
    """(1/f1, f2, 1 - f3) of least relative errors: every choice of bounds that hold, the best of those that are allowed."""
    best = None
    for bounds in itertools.product((None, 1.0), (None, 0.0), (None, 0.0, 1.0)):
        free = [i for i in range(3) if bounds[i] is None]
        lines = [[terms[i] / time for i in free] for terms, time in data]
        right = [(time - terms[3] - sum(terms[i] * bounds[i] for i in range(3) if bounds[i] is not None)) / time
                 for terms, time in data]
        found = least_squares(lines, right) if free else []
        if found is None:
            continue
        x = list(bounds)
        for i, value in zip(free, found):
            x[i] = value
        if x[0] < 1 - 1e-12 or x[1] < -1e-12 or not -1e-12 <= x[2] <= 1 + 1e-12:
            continue
        cost = sum((sum(terms[i] * x[i] for i in range(3)) + terms[3] - time) ** 2 / time ** 2 for terms, time in data)
        if best is None or cost < best[0] - 1e-15:
            best = cost, x
    return best[1]


def error(x, terms, time):
    return (sum(terms[i] * x[i] for i in range(3)) + terms[3]) / time - 1


def quadratic(rows, at):
    """TFLOP/s as a quadratic in the logarithms of parameters and GPUs, which grow together: the second control."""
    def features(row):
        size = math.log(float(row["model"][4:-1]))
        return [1, size, size * size]
    found = least_squares([features(row) for row in rows], [math.log(float(row["tflops_gpu"])) for row in rows])
    return float(at["tflops_gpu"]) / math.exp(sum(x * y for x, y in zip(found, features(at)))) - 1


def calibrate(folder, rows):
    """What easim makes of rows: its points, and what it prints."""
    file = Path(folder) / "rows.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    printed = easim("calibrate", "plans", file, MODELS, "--points", Path(folder) / "points.csv").stdout
    return rows_of(Path(folder) / "points.csv"), printed


def near(found, expected, tolerance, what):
    assert abs(float(found) - expected) <= tolerance, f"{what}: {found}, expected {expected}"


def check_megatron(folder, rows, shapes):
    data = []
    for row in rows:
        flop, terms = parts(shapes[row["model"]]["transformer"], shapes[row["model"]]["gpus"]["a100"], row)
        data.append((terms, flop / (float(row["tflops_gpu"]) * 1e12 * int(row["gpus"]))))
    points, _ = calibrate(folder, rows)
    whole, left_out, constant = fit(data), [], []
    for i, point in enumerate(points):
        others = data[:i] + data[i + 1:]
        near(point["measured_s"], data[i][1], 1e-9 * data[i][1], f"row {i} measured")
        near(point["error"], error(whole, *data[i]), 1e-9, f"row {i} error")
        near(point["left_out_error"], error(fit(others), *data[i]), 1e-9, f"row {i} left out")
        left_out.append(abs(float(point["left_out_error"])))
        constant.append(abs(float(point["constant_left_out_error"])))
    assert statistics.median(left_out) <= 0.03 and max(left_out) <= 0.08, f"left out: {left_out}"
    assert max(constant) > 0.12, f"a constant rate is as good: {constant}"
    held = [row | {"held_out": "1" if i >= 6 else "0"} for i, row in enumerate(rows)]
    points, _ = calibrate(folder, held)
    early = fit(data[:6])
    for i, point in enumerate(points[6:], 6):
        near(point["error"], error(early, *data[i]), 1e-9, f"row {i} held out")
        assert abs(float(point["error"])) <= 0.08, f"row {i} held out: {point['error']}"
    constant = [abs(float(point["constant_left_out_error"])) for point in points[6:]]
    assert max(constant) > 0.12, f"a constant rate is as good: {constant}"
    leaves = [abs(quadratic(rows[:i] + rows[i + 1:], rows[i])) for i in range(len(rows))]
    beyond = [abs(quadratic(rows[:6], row)) for row in rows[6:]]
    assert max(leaves) <= 0.08 < max(beyond), f"the quadratic: {leaves}, {beyond}"


def check_known(folder, rows, shapes):
    """Times made from known constants of two groups give these back, whatever the rows."""
    rng = random.Random(33)
    for _ in range(5):
        fractions, f2, f3 = {"": rng.uniform(0.3, 0.9), "other": rng.uniform(0.3, 0.9)}, rng.uniform(0, 3), rng.uniform(0, 1)
        made = []
        for row in rows:
            group = rng.choice(list(fractions)) if len(made) > 1 else list(fractions)[len(made)]
            _, terms = parts(shapes[row["model"]]["transformer"], shapes[row["model"]]["gpus"]["a100"], row)
            time = terms[0] / fractions[group] + terms[1] * f2 + terms[2] * (1 - f3) + terms[3]
            made.append({key: row[key] for key in row if key not in ("tflops_gpu", "held_out")} |
                        {"group": group, "iteration_s": repr(time)})
        points, printed = calibrate(folder, made)
        assert all(abs(float(point["error"])) < 1e-9 for point in points), f"known constants: {points}"
        for group, fraction in fractions.items():
            name = f"{group}: " if group else ""
            line = f"{name}compute_fraction: {fraction:.6g}, memory_traffic: {f2:.6g}, gradient_overlap: {f3:.6g}"
            assert line in printed, f"{line} is not printed: {printed}"


def check_plans(rows):
    """Published plans of 76 billion parameters and more are within 12 % of the plan that easim takes."""
    for row in rows[5:]:
        text = easim("models", MODELS, "--model", row["model"], "--k", row["gpus"], "--memory", "80", "--plans",
                     "--format", "csv").stdout
        plans = list(csv.DictReader(io.StringIO(text)))
        dp = int(row["gpus"]) // (int(row["tp"]) * int(row["pp"]))
        name = f"tp{row['tp']}pp{row['pp']}v{row['v']}dp{dp}mb{row['mb']}"
        published = [float(plan["iteration_s"]) for plan in plans if plan["plan"] == name]
        chosen = [float(plan["iteration_s"]) for plan in plans if plan["chosen"] == "1"]
        assert len(published) == len(chosen) == 1, f"{row['model']}: {name} is not among the plans, or none is chosen"
        assert 1 <= published[0] / chosen[0] <= 1.12, f"{row['model']}: published {published}, chosen {chosen}"


SCENARIO = """\
name: gpt
horizon: drain
seed: 3
cluster:
  gpu_types: [{name: a100, idle_w: 60, ctx_w: 80, tdp_w: 400, memory_gib: 80}]
  nodes: [{count: 16, gpu: a100, gpus: 8}]
models: %s
workload:
  kind: poisson
  load: 0.7
  until: {jobs: 12}
  mix: [{model: gpt-1.7b}, {model: gpt-7.5b}]
  k: [4, 32, 64, 128]
  sizes: {law: lognormal, mean: 500h, cv: 1}
policy: {name: zeus}
"""


def check_run(folder):
    """Jobs of a run: the plan that `easim models` names, as long as its iteration says."""
    scenario = Path(folder) / "gpt.yaml"
    scenario.write_text(SCENARIO % MODELS, encoding="utf-8")
    easim("run", scenario, "--check", "--strict", "--quiet", "--out", Path(folder) / "run")
    easim("gen", scenario, "--out", Path(folder) / "log.csv", "--quiet")
    models = {(row["model"], row["k"], row["span"]): row
              for row in csv.DictReader(io.StringIO(easim("models", scenario, "--format", "csv").stdout))}
    work = {row["job_id"]: float(row["work_samples"]) for row in rows_of(Path(folder) / "log.csv")}
    jobs = rows_of(Path(folder) / "run/jobs.csv")
    slower = easim("models", scenario, "--model", "gpt-7.5b", "--k", "128", "--format", "csv", "--set",
                   "model_overrides=[{model: gpt-7.5b, set: {peak_flops: {times: 0.5}}}]").stdout
    slow = next(csv.DictReader(io.StringIO(slower)))
    assert 1.3 < float(slow["iteration_s"]) / float(models["gpt-7.5b", "128", "across_nodes"]["iteration_s"]) < 2, slow
    for job in jobs:
        row = models[job["model"], job["k"], "one_node" if job["nodes"] == "1" else "across_nodes"]
        assert (job["plan"], job["b"]) == (row["plan"], row["b"]), (job, row)
        sequences_s = float(row["global_batch"]) / float(row["iteration_s"])
        near(job["exec_s"], work[job["job_id"]] / sequences_s, 1e-6 * float(job["exec_s"]), f"job {job['job_id']}")


def main():
    rows = rows_of(ROWS)
    shapes = {model["name"]: model for model in yaml.safe_load(MODELS.read_text(encoding="utf-8"))["models"]}
    for model in shapes.values():
        model["transformer"]["parameters"] = float(model["transformer"]["parameters"])
        for gpu in model["gpus"].values():
            gpu |= {key: float(value) for key, value in gpu.items() if key.endswith(("_flops", "_bytes_s"))}
    with tempfile.TemporaryDirectory(prefix="easim-plans.") as folder:
        check_megatron(folder, rows, shapes)
        check_known(folder, rows, shapes)
        check_run(folder)
    check_plans(rows)


main()
