#!/usr/bin/env python3
"""Makes configs/models/large.yaml, the rows in validation/large and the tables of docs/explanation/physics.md (large models) from results
of MLPerf Training and published trainings.

  large_models.py EASIM SOURCE [--check]

tools/plan_rows.py reads $EASIM_DATA/mlperf/runs.csv, `easim calibrate plans` fits the constants, power is that of metered
nodes and of measured matrix multiplications. Without --check the files are written; with it they must be what would be
written, numbers within 1e-6, or the exit status is 1; it ends with 77, skipped, without EASIM_DATA.
"""
import csv
import gzip
import math
import re
import statistics
import tempfile
from pathlib import Path

import plan_rows
from made_again import arguments, write_or_compare
from mlperf_models import run

# Constants that are not fitted. One of the traffic and the share of the peak is told by these rows, as all plans of a
# benchmark have about the same tp: then the traffic is 0, as the fit to the gpt3 rows on H100 alone has it. The 405B rows
# take the overlap of the gpt3 fit, so that nothing but one scale for each GPU type is theirs.
HELD = {"gpt3": "memory_traffic=0", "llama31_405b": "memory_traffic=0,gradient_overlap={overlap}",
        "llama2_70b_lora": "memory_traffic=0", "megatron_bridge": "fixed_s=0,node_s=0"}
NAMES = {"gpt3": "gpt3-175b", "llama2_70b_lora": "llama2-70b-lora", "llama31_405b": "llama31-405b"}
CONTEXT = {"gpt3": None, "llama2_70b_lora": "[1, 2, 4, 8]", "llama31_405b": "[1, 2, 4]"}
# Samples of MLPerf's runs to their target at the global batch of the model (median of its runs).
TARGETS = {"gpt3": 589824, "llama2_70b_lora": 3072, "llama31_405b": 276480}
FLOOR_W = 2094 / 8  # of a GPU's share of a node of 8 H100 after a run: data/mlperf/raw, as configs/models/mlperf.yaml
PEAK_OF = {"h200": "bf16", "b200": "bf16", "gb200": "fp8"}  # of which powers of products were measured
HEADER = """\
# Large models on A100, H100, H200, B200 and GB200 as transformers with plans: gpt3 (175B), Llama 2 70B with LoRA and Llama 3.1
# 405B of MLPerf Training. Constants: easim calibrate plans on results of MLPerf Training v3.0 to v5.0 (public logs of
# github.com/mlcommons/training_results_*, MLCommons' and the submitters'; cite "MLPerf Training, round, submitter, system");
# of A100 on the trainings of Megatron-LM (Narayanan et al., SC'21, table 1). Power of H100: nodes metered at the plug in
# MLPerf Training v4.0 (SMC), so power_scope node_ac and cluster figures as in configs/measured.yaml; of H200, B200, GB200:
# measured matrix multiplications (github.com/ai-dynamo/aiconfigurator, commit 095f58a, Apache-2.0), the GPU alone.
# Made by: EASIM_DATA=... python3 tools/large_models.py build/easim . How and how well: docs/explanation/calibration.md (plans of
# transformers), docs/studies/validation.md. Figures of the software of round v4.0 (405B: v5.0); start_s, restart_s and checkpoint_s are
# not in the results: 0. Links are nominal or as they are reached: assumed (tools/plan_rows.py).
"""


def fit(easim, name, folder, hold):
    """Constants by group, and what is printed."""
    out = run(easim, "calibrate", "plans", folder / f"{name}.csv", folder / f"{name}.yaml", "--hold", hold)
    fits = {}
    for group, constants in re.findall(r"^(\w+ \w+): (compute_fraction: .*?)  \(", out, re.M):
        fits[group] = {key: float(value) for key, value in re.findall(r"(\w+): ([-+.\de]+)", constants)}
    return fits, out


# ---- Errors ----

BEGIN, END = "<!-- large: made by tools/large_models.py -->\n", "<!-- large: end -->\n"
# Rows, what is left out at a time, options of plan_rows.py.
TABLE = (("megatron", "Megatron-LM, 1.7B to 1008B, A100", "the row", ()),
         ("gpt3", "gpt3 of MLPerf, H100 and B200, four rounds", "all rows of this number of GPUs", ()),
         ("llama31_405b", "Llama 3.1 405B of MLPerf, H100, H200 and GB200", "the row", ()),
         ("llama31_405b", "the same, H100 and GB200 with one factor", "the row", ("--one-scale", "--gpu", "h100,gb200")),
         ("llama2_70b_lora", "Llama 2 70B with LoRA of MLPerf, four GPU types, three rounds", "all rows of this number and type of GPUs", ()),
         ("megatron_bridge", "Llama 3 of Megatron-Bridge, H100 and GB200, four precisions", "all releases of this configuration", ()))


def left_out_errors(easim, name, table, scratch, hold, options=()):
    """Sizes of errors of left-out rows, and of the constant rate."""
    words = [name, str(table), str(scratch / "errors"), *map(str, options)]
    rows = plan_rows.make_rows(name, table, plan_rows.parse(words), {})
    folder = scratch / "errors"
    folder.mkdir(exist_ok=True)
    plan_rows.write_rows(rows, folder / f"{name}.csv")
    models = table.with_name("models.yaml") if name == "megatron" else folder / f"{name}.yaml"
    if name != "megatron":
        models.write_text(plan_rows.model_text(rows), encoding="utf-8")
    run(easim, "calibrate", "plans", folder / f"{name}.csv", models, *(["--hold", hold] if hold else []), "--points", folder / "points.csv")
    points = plan_rows.read_table(folder / "points.csv")
    return [sorted(abs(float(point[column])) for point in points if point[column]) for column in ("left_out_error", "constant_left_out_error")]


def quantile(values, share):
    at = share * (len(values) - 1)
    low = min(int(at), len(values) - 2)
    return values[low] + (at - low) * (values[low + 1] - values[low])


def figures(errors, *wanted):
    kinds = {"median": quantile(errors, 0.5), "mean": statistics.fmean(errors), "90": quantile(errors, 0.9), "most": errors[-1]}
    return " | ".join(f"{100 * kinds[name]:.1f} %" for name in wanted)


def make_tables(easim, source, data, overlap, scratch):
    """The text between the marks in docs/explanation/physics.md."""
    all_four = ("median", "mean", "90", "most")
    lines = ["| rows | | left out | median | mean | 90 % | most | a constant rate: median | mean | 90 % | most | products x factor: median | mean | 90 % | most |",
             "|---|--:|---|" + "--:|" * 12]
    for name, what, apart, options in TABLE:
        table = {"megatron": source / "validation/megatron/rows.csv", "megatron_bridge": data / "llm/megatron_bridge.csv"}.get(name, data / "mlperf/runs.csv")
        hold = HELD.get(name, "").format(overlap=overlap)
        plain, rate = left_out_errors(easim, name, table, scratch, hold, options)
        products, _ = left_out_errors(easim, name, table, scratch, hold, (*options, "--gemm", data / "compute/gemm.csv.gz"))
        lines.append(f"| {what} | {len(plain)} | {apart} | {figures(plain, *all_four)} | {figures(rate, *all_four)} | {figures(products, *all_four)} |")
    lines += ["", "| gpt3, v | median | mean | 90 % | most |", "|---|--:|--:|--:|--:|"]
    for rule, what in (("half", "L / (2 pp), assumed"), ("quarter", "L / (4 pp)"), ("full", "L / pp"),
                       ("published", "as configurations state it, where they do (v4.0: 4 and 8, v4.1: 6)")):
        errors, _ = left_out_errors(easim, "gpt3", data / "mlperf/runs.csv", scratch, HELD["gpt3"], ("--interleaving", rule))
        lines.append(f"| {what} | {figures(errors, *all_four)} |")
    return "\n".join(lines) + "\n"


# ---- Power ----

def flop(shape):
    """Of a sequence: docs/reference/semantics.md, 31.1, with selective recomputation."""
    h, s, layers = shape["hidden"], shape["sequence"], shape["layers"]
    kv, passes = h * shape.get("kv_heads", shape["heads"]) / shape["heads"], 2 if shape.get("lora") else 3
    matrices = 2 * h * (h + 2 * kv) + 2 * h * h + (6 if shape.get("gated") else 4) * h * shape.get("feed_forward", 4 * h)
    return s * (layers * (passes * matrices + 4 * 2 * s * h) + passes * 2 * h * shape["vocabulary"])


def slope_above(floor, points):
    """W at the whole peak above the floor, of least relative errors: power = floor + slope x share."""
    x, y = [share / power for share, power in points], [1 - floor / power for _, power in points]
    return sum(a * b for a, b in zip(x, y)) / sum(a * a for a in x)


def node_power(table):
    """p0_w and pmax_w of a GPU's share of an H100 node, metered at the plug, by its share of the peak; errors."""
    peak, points = plan_rows.HARDWARE["h100"][0]["fp8"], []
    for row in plan_rows.read_table(table):
        if row["benchmark"] in ("gpt3", "llama2_70b_lora") and row["power_kind"] == "ac" and row["gpu"] == "H100":
            share = flop(plan_rows.SHAPES[row["benchmark"]]) * float(row["throughput_samples_per_s"]) / int(row["gpus"]) / peak
            points.append((share, float(row["node_power_w"]) / 8))
    slope = slope_above(FLOOR_W, points)
    return FLOOR_W, FLOOR_W + slope, [(FLOOR_W + slope * share) / power - 1 for share, power in points]


def product_power(table):
    """p0_w and pmax_w, at the whole FP8 peak, of GPUs alone by GPU type, as docs/explanation/physics.md says (power of large trainings): what
    the least kernel draws, and what large products draw at their share of the peak; an FP8 training as bf16 products of the
    same FLOP/s where those alone were metered."""
    powers, lowest, large = {}, {}, {}
    with gzip.open(table, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            gpu, precision = row["gpu"], {"bfloat16": "bf16"}.get(row["dtype"], row["dtype"])
            m, n, k = (int(row[key]) for key in "mnk")
            if not row["power_w"] or PEAK_OF.get(gpu) != precision:
                continue
            lowest[gpu] = min(lowest.get(gpu, math.inf), float(row["power_w"]))
            if min(m, n, k) >= 2048:
                share = 2 * m * n * k / (float(row["latency_ms"]) / 1e3) / plan_rows.HARDWARE[gpu][0]["fp8"]
                large.setdefault(gpu, []).append((share, float(row["power_w"])))
    for gpu, products in large.items():
        share, power = (statistics.median(values) for values in zip(*products))
        powers[gpu] = (lowest[gpu], lowest[gpu] + (power - lowest[gpu]) / share)
    return powers


# ---- The model file ----

def power_keys(gpu, node, products):
    if gpu == "h100":
        return {"power_scope": "node_ac", "p0_w": node[0], "pmax_w": node[1]}
    if gpu in products:
        return {"p0_w": products[gpu][0], "pmax_w": products[gpu][1]}
    return {"power": "tdp"}


POWER_SOURCE = {"h100": "power: metered nodes of gpt3 and LoRA runs, p0_w a node at rest after a run",
                "h200": "power: bf16 products of the same FLOP/s", "b200": "power: bf16 products of the same FLOP/s",
                "gb200": "power: FP8 products", "a100": "power not measured"}


def published(rows):
    """Lines of the published plans of a GPU type, by number of GPUs: that of its fastest run."""
    fastest = {}
    for row in sorted(rows, key=lambda row: float(row["samples_s"])):
        fastest[int(row["gpus"])] = plan_rows.plan_text(row)
    if fastest:
        yield "        published_plans:"
    for k, plan in sorted(fastest.items()):
        yield f"          - {{k: {k}, plan: {plan}}}"


def gpu_lines(gpu, precision, constants, sizes, source, powers, rows=()):
    figures = {key: value for key, value in plan_rows.gpu_figures(gpu, precision).items()}
    evidence = {"constants": "derived", "links": "assumed", "power": "assumed" if gpu == "a100" else "derived"}
    values = {**constants, **power_keys(gpu, *powers), "range_k": f"[{min(sizes)}, {max(sizes)}]"}
    yield f"      {gpu}:"
    for key, value in {**figures, **values, "evidence": plan_rows.mapping(evidence)}.items():
        yield f"        {key}: {value if isinstance(value, str) else format(value, '.10g')}"
    yield from published(rows)
    yield f"        source: \"{source}; {POWER_SOURCE[gpu]}\""


def megatron_constants(easim, source):
    out = run(easim, "calibrate", "plans", source / "validation/megatron/rows.csv", source / "validation/megatron/models.yaml")
    found = re.search(r"^(compute_fraction: .*?)  \(", out, re.M)[1]
    return {key: float(value) for key, value in re.findall(r"(\w+): ([-+.\de]+)", found)}


def model_lines(name, fits, rows, powers, megatron):
    shape = plan_rows.SHAPES[name]
    yield f"  - name: {NAMES[name]}"
    yield f"    samples_to_target: {TARGETS[name]}"
    yield "    transformer:"
    for key, value in shape.items():
        yield f"      {key}: {plan_rows.word(value) if isinstance(value, bool) else format(value, '.10g') if not isinstance(value, str) else value}"
    if CONTEXT[name]:
        yield f"      context_parallel: {CONTEXT[name]}"
    yield "    gpus:"
    if name == "gpt3":
        yield from gpu_lines("a100", "bf16", megatron, (32, 3072), "Narayanan et al., SC'21, table 1: ten trainings of GPT, with full recomputation",
                             powers)
    for group, constants in sorted(fits.items()):
        gpu, precision = group.split()
        own = [row for row in rows if row["gpu"] == gpu]
        yield from gpu_lines(gpu, precision, constants, [row["gpus"] for row in own], f"MLPerf Training v3.0 to v5.0, {name}", powers, own)


def make_scale(table, data, folder):
    """Rows of 405B on H100 and GB200 with the shares of the peak of their shapes, and models."""
    words = ["llama31_405b", str(table), str(folder), "--gemm", str(data / "compute/gemm.csv.gz"), "--one-scale", "--gpu", "h100,gb200"]
    rows = plan_rows.make_rows("llama31_405b", table, plan_rows.parse(words), {})
    plan_rows.write_rows(rows, folder / "scale.csv")
    return (folder / "scale.csv").read_text(encoding="utf-8"), plan_rows.model_text(rows)


def make_files(easim, source, data):
    """Texts by path in the source tree."""
    files, lines = {}, [HEADER + "models:"]
    powers, megatron = (node_power(data / "mlperf/runs.csv"), product_power(data / "compute/gemm.csv.gz")), megatron_constants(easim, source)
    overlap = None
    with tempfile.TemporaryDirectory(prefix="easim-large.") as scratch:
        folder = Path(scratch)
        for name, hold in HELD.items():
            table = data / ("llm/megatron_bridge.csv" if name == "megatron_bridge" else "mlperf/runs.csv")
            options, dropped = plan_rows.parse([name, str(table), str(folder)]), {}
            rows = plan_rows.make_rows(name, table, options, dropped)
            plan_rows.write_rows(rows, folder / f"{name}.csv")
            (folder / f"{name}.yaml").write_text(plan_rows.model_text(rows), encoding="utf-8")
            fits, _ = fit(easim, name, folder, hold.format(overlap=overlap))
            overlap = overlap or fits["h100 fp8"]["gradient_overlap"]
            if name == "llama31_405b":  # one factor of measured products for two GPU types
                scale = make_scale(table, data, folder)
                files |= {f"validation/large/{name}-scale.csv": scale[0], f"validation/large/{name}-scale.yaml": scale[1]}
            for kind in ("csv", "yaml"):
                files[f"validation/large/{name}.{kind}"] = (folder / f"{name}.{kind}").read_text(encoding="utf-8")
            if name in NAMES:
                if plan_rows.SHAPES[name].get("lora"):
                    fits = {group: {key: value for key, value in constants.items() if key != "gradient_overlap"} for group, constants in fits.items()}
                lines += model_lines(name, fits, rows, powers, megatron)
        tables = make_tables(easim, source, data, overlap, folder)
    files["configs/models/large.yaml"] = "\n".join(lines) + "\n"
    page = (source / "docs/explanation/physics.md").read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    files["docs/explanation/physics.md"] = before + BEGIN + tables + END + rest.partition(END)[2]
    return files


def main():
    easim, source, data, check = arguments(__doc__)
    write_or_compare({source / name: text for name, text in make_files(easim, source, data).items()}, check)


if __name__ == "__main__":
    main()
