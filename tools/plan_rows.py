#!/usr/bin/env python3
"""Rows of measured trainings of transformers, with their shapes, for `easim calibrate plans`.

  plan_rows.py gpt3 | llama31_405b | llama2_70b_lora RUNS.csv FOLDER    results of MLPerf Training (data/mlperf/runs.csv)
  plan_rows.py megatron_bridge TABLE.csv FOLDER                        published trainings (data/llm/megatron_bridge.csv)
  plan_rows.py megatron validation/megatron/rows.csv FOLDER            those of Megatron-LM, with --gemm
  options: --interleaving half | quarter | full | published    v of gpt3 (default half: L / (2 pp))
           --gemm GEMM.csv.gz    adds shape_fraction, from measured matrix multiplications (data/compute/gemm.csv.gz)
           --gpu GPU,...         of these GPU types alone
           --one-scale           of all rows one compute_fraction, whatever their GPU type and precision

Writes FOLDER/NAME.csv and FOLDER/NAME.yaml, and says which rows are left out and why. In MLPerf's rows batch_per_gpu /
grad_accum is mb / (tp pp cp); tp, pp, cp and mb are those of the submitters' published configurations, which their names
hold (config_DGXH100_64x8x128x4x8_mbs2, config_GB200_128x4x112xtp4pp8cp2, ...; github.com/mlcommons/training_results_*).
"""
import argparse
import csv
import gzip
import math
import re
import sys
from pathlib import Path

# Of one GPU: peak without sparsity by precision, bytes/s of its memory, to GPUs of its node and to other nodes, and GPUs of
# a node. Peaks and memory: NVIDIA's data sheets; links: as they are reached, or their nominal speed (assumed). GPUs of a
# GB200 or GB300 rack of 72 reach each other by NVLink across their nodes of 4.
HARDWARE = {
    "a100": ({"bf16": 312e12}, 1.6e12, 230e9, 25e9, 8),
    "h100": ({"bf16": 989e12, "fp8": 1979e12}, 3.35e12, 450e9, 50e9, 8),
    "h200": ({"bf16": 989e12, "fp8": 1979e12}, 4.8e12, 450e9, 50e9, 8),
    "b200": ({"bf16": 2250e12, "fp8": 4500e12, "mxfp8": 4500e12, "nvfp4": 9000e12}, 8e12, 900e9, 50e9, 8),
    "b300": ({"bf16": 2250e12, "fp8": 4500e12, "mxfp8": 4500e12, "nvfp4": 13500e12}, 8e12, 900e9, 100e9, 8),
    "gb200": ({"bf16": 2500e12, "fp8": 5000e12, "mxfp8": 5000e12, "nvfp4": 10000e12}, 8e12, 900e9, 900e9, 4),
    "gb300": ({"bf16": 2500e12, "fp8": 5000e12, "mxfp8": 5000e12, "nvfp4": 15000e12}, 8e12, 900e9, 900e9, 4)}

# Published shapes. recompute: selective, for fused attention keeps no scores and computes them again.
GPT = {"causal": True, "recompute": "selective", "distributed_optimizer": True, "sequence_parallel": True}
LLAMA = GPT | {"kv_heads": 8, "gated": True}
LLAMA_70B = {"layers": 80, "hidden": 8192, "heads": 64, "feed_forward": 28672} | LLAMA
SHAPES = {
    "gpt3": {"layers": 96, "hidden": 12288, "heads": 96, "sequence": 2048, "vocabulary": 51200, "parameters": 175e9,
             "global_batch": 2048} | GPT,
    "llama31_405b": {"layers": 126, "hidden": 16384, "heads": 128, "feed_forward": 53248, "sequence": 8192,
                     "vocabulary": 128256, "parameters": 405e9, "global_batch": 1152, "embedding_places": True} | LLAMA,
    "llama2_70b_lora": {key: value for key, value in LLAMA_70B.items() if key != "distributed_optimizer"} |
                       {"sequence": 8192, "vocabulary": 32000, "parameters": 69e9, "global_batch": 8, "lora": True},
    "llama3_70b": {"sequence": 8192, "vocabulary": 128256, "parameters": 70.6e9, "global_batch": 256} | LLAMA_70B}

# mb / (tp pp cp) as (tp, pp, cp, mb).
GPT3_PLANS = {1 / 32: (4, 8, 1, 1), 1 / 16: (4, 8, 1, 2), 1 / 24: (4, 6, 1, 1)}
LARGE_PLANS = {("h100", 1 / 128): (8, 8, 2, 1), ("h200", 1 / 64): (4, 8, 2, 1), ("gb200", 1 / 64): (4, 8, 2, 1)}
LARGE_INTERLEAVING = 8
LORA_TENSOR = {"h100": 4, "h200": 2, "b200": 1, "gb200": 1}  # the rest of tp cp is cp
# INTERLEAVED_PIPELINE of NVIDIA's published configurations, where they hold it: by round and pp.
GPT3_PUBLISHED = {("v4.0", 8): 4, ("v4.0", 6): 8, ("v4.1", 8): 6}
REFERENCE_ROUND = "v4.0"


def read_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def drop(dropped, row, why):
    dropped.setdefault(why, []).append(" ".join(row[key] for key in ("release", "round", "submitter", "kind", "model", "gpu", "precision", "gpus")
                                                if row.get(key)))


# ---- Results of MLPerf ----

def mlperf_rows(name, path, dropped):
    """Rows with a speed, identical ones of a submitter once; ratio: mb / (tp pp cp)."""
    seen = set()
    for row in read_table(path):
        gpu = row["gpu"].lower()
        if row["benchmark"] != name:
            continue
        submitter = re.sub("-(ac|dc)-power$", "", row["submitter"])  # the same runs, metered
        key = (row["round"], submitter, gpu, row["gpus"], row["global_batch"], row["grad_accum"], row["throughput_samples_per_s"])
        if gpu not in HARDWARE:
            drop(dropped, row, "no figures of its GPU type")
        elif not row["throughput_samples_per_s"]:
            drop(dropped, row, "no speed logged")
        elif key in seen:
            drop(dropped, row, "another row's run")
        else:
            seen.add(key)
            gpus, batch = int(row["gpus"]), float(row["global_batch"])
            yield {"model": name, "gpu": gpu, "precision": "fp8", "gpus": gpus, "global_batch": int(batch), "round": row["round"],
                   "round_factor": "1" if row["round"] == REFERENCE_ROUND else "", "samples_s": row["throughput_samples_per_s"],
                   "of": f"{submitter} {row['system']}", "ratio": batch / gpus / float(row["grad_accum"]), "read": row}


def nearest(table, ratio):
    """The entry within a thousandth of the ratio, or None."""
    return next((plan for key, plan in table.items() if abs(key / ratio - 1) < 1e-3), None)


def gpt3_v(rule, row, pp):
    share = {"half": 2, "quarter": 4, "full": 1, "published": 2}[rule]
    usual = SHAPES["gpt3"]["layers"] // (share * pp)
    return GPT3_PUBLISHED.get((row["round"], pp), usual) if rule == "published" else usual


def mlperf(name, path, options, dropped):
    """What its configurations say of each row."""
    for row in mlperf_rows(name, path, dropped):
        if name == "gpt3":
            plan = nearest(GPT3_PLANS, row["ratio"])
            v, fold = plan and gpt3_v(options.interleaving, row, plan[1]), str(row["gpus"])
        elif name == "llama31_405b":
            plan = nearest({key[1]: plan for key, plan in LARGE_PLANS.items() if key[0] == row["gpu"]}, row["ratio"])
            v, fold = LARGE_INTERLEAVING, ""
        else:
            apart = round(1 / row["ratio"])
            tensor = min(apart, LORA_TENSOR.get(row["gpu"], 1))
            plan = (tensor, 1, apart // tensor, 1) if abs(apart * row["ratio"] - 1) < 1e-3 and apart % tensor == 0 else None
            v, fold = 1, f"{row['gpu']} {row['gpus']}"
        if not plan or row["gpus"] % (plan[0] * plan[1] * plan[2]):
            drop(dropped, row["read"], "no plan has this batch per GPU and step")
            continue
        if name == "llama31_405b":
            row["round_factor"] = "1"  # of one round
        yield row | dict(zip(("tp", "pp", "cp", "mb"), plan)) | {"v": v, "fold": fold}


# ---- Published trainings ----

def megatron_bridge(path, dropped):
    """Rows without FSDP; a configuration is left out with all its releases."""
    for row in read_table(path):
        peaks = HARDWARE.get(row["gpu"], ({},))[0]
        if row["fsdp"] not in ("", "0"):
            drop(dropped, row, "FSDP, which plans have not")
        elif row["precision"] not in peaks:
            drop(dropped, row, "no figures of its GPU type in this precision")
        elif row["model"] not in ("llama3_70b", "llama3.1_405b"):
            drop(dropped, row, "no shape of its model")
        else:
            shape = "llama31_405b" if row["model"] == "llama3.1_405b" else row["model"]
            lora = " lora" if row["kind"] == "lora" else ""
            yield {"model": f"{shape} s{row['sequence']} {row['precision']}{lora}", "shape": shape, "lora": bool(lora),
                   "sequence": int(row["sequence"]), "gpu": row["gpu"], "precision": row["precision"], "gpus": int(row["gpus"]),
                   "tp": int(row["tp"]), "pp": int(row["pp"]), "cp": int(row["cp"]), "mb": int(row["micro_batch"]),
                   "v": int(row["vp"]) if row["vp"].isdigit() else 1, "global_batch": int(row["global_batch"]),
                   "fold": f"{row['kind']} {row['model']} {row['gpu']} {row['precision']}",
                   "tokens_s_gpu": row["tokens_per_s_gpu"], "of": row["release"]}


# ---- Trainings of Megatron-LM ----

def megatron(path):
    """The rows as they are; shapes are those of models.yaml beside them."""
    import yaml
    models = {model["name"]: model["transformer"] for model in yaml.safe_load(Path(path).with_name("models.yaml").read_text(encoding="utf-8"))["models"]}
    for row in read_table(path):
        SHAPES[row["model"]] = models[row["model"]]
        yield row | {"precision": "bf16", "cp": 1, **{key: int(row[key]) for key in ("gpus", "tp", "pp", "v", "mb", "global_batch")}}


# ---- Measured matrix multiplications ----

def load_products(path):
    """log m, log n, log k, FLOP/s by GPU type and precision."""
    products, names = {}, {"bfloat16": "bf16", "fp8": "fp8"}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            m, n, k = (int(row[key]) for key in "mnk")
            products.setdefault((row["gpu"], names[row["dtype"]]), []).append(
                (math.log(m), math.log(n), math.log(k), math.log(2 * m * n * k / (float(row["latency_ms"]) / 1e3))))
    return products


NEAREST = 8  # measured products that a shape is interpolated from, by the inverse squares of their distances


def product_rate(points, m, n, k):
    at = math.log(m), math.log(n), math.log(k)
    near = sorted((sum((a - b) ** 2 for a, b in zip(at, point)), point[3]) for point in points)[:NEAREST]
    weights = [1 / (distance + 1e-3) for distance, _ in near]
    return math.exp(sum(w * rate for w, (_, rate) in zip(weights, near)) / sum(weights))


def layer_rate(points, shape, plan):
    """FLOP/s of one layer's matrices: four forward, and their gradients by data and by weights."""
    tokens, tp = plan["mb"] * shape["sequence"] / plan["cp"], plan["tp"]
    h, kv = shape["hidden"], shape["hidden"] * shape.get("kv_heads", shape["heads"]) / shape["heads"]
    width = shape.get("feed_forward", 4 * h)
    flop = seconds = 0
    for n, k in (((h + 2 * kv) / tp, h), (h, h / tp), ((2 if shape.get("gated") else 1) * width / tp, h), (h, width / tp)):
        for sizes in ((tokens, n, k), (tokens, k, n), (n, k, tokens)):
            flop += 2 * tokens * n * k
            seconds += 2 * tokens * n * k / product_rate(points, *sizes)
    return flop / seconds


def add_fractions(rows, path):
    """mxfp8 and nvfp4, and types without FP8, were not measured: they take the shares of their type's, or H100's, FP8."""
    products, known = load_products(path), {}
    for row in rows:
        kind = next(kind for kind in ((row["gpu"], row["precision"]), (row["gpu"], "fp8"), ("h100", "fp8")) if kind in products)
        key = (kind, row["model"], row["tp"], row["cp"], row["mb"])
        if key not in known:
            known[key] = layer_rate(products[kind], shape_of(row), row) / HARDWARE[kind[0]][0][kind[1]]
        row["shape_fraction"] = f"{min(1, known[key]):.6g}"


# ---- Files ----

COLUMNS = ("model", "gpu", "gpus", "tp", "pp", "v", "cp", "mb", "global_batch", "group", "round", "round_factor", "fold", "shape_fraction",
           "samples_s", "tokens_s_gpu", "tflops_gpu", "held_out", "of")


def shape_of(row):
    shape = dict(SHAPES[row.get("shape", row["model"])])
    if "sequence" in row:
        shape |= {"sequence": row["sequence"]}
    if row.get("lora"):
        shape |= {"lora": True}
        del shape["distributed_optimizer"]
    return shape


def word(value):
    return {True: "true", False: "false"}.get(value, f"{value:g}" if isinstance(value, float) else str(value)) \
        if isinstance(value, (bool, float)) else str(value)


def mapping(pairs):
    return "{" + ", ".join(f"{key}: {word(value)}" for key, value in pairs.items()) + "}"


def gpu_figures(gpu, precision):
    peaks, memory, node, network, node_gpus = HARDWARE[gpu]
    return {"peak_flops": peaks[precision], "memory_bytes_s": memory, "node_bytes_s": node, "network_bytes_s": network,
            "gpus_per_node": node_gpus, "precision": precision}


def model_text(rows):
    """Models without constants: those are what is sought."""
    kinds = {}
    for row in rows:
        kinds.setdefault(row["model"], (row, {}))[1][row["gpu"]] = row["precision"]
    lines = ["# Made by tools/plan_rows.py. compute_fraction, memory_traffic and gradient_overlap stand in for what is fitted.", "models:"]
    for name, (row, gpus) in sorted(kinds.items()):
        lines += [f"  - name: {name}", f"    transformer: {mapping(shape_of(row))}", "    gpus:"]
        overlap = {} if shape_of(row).get("lora") else {"gradient_overlap": 0}
        lines += [f"      {gpu}: " + mapping(gpu_figures(gpu, precision) | {"compute_fraction": 1, "memory_traffic": 0} | overlap |
                                            {"power": "tdp", "evidence": "assumed", "source": "tools/plan_rows.py"})
                  for gpu, precision in sorted(gpus.items())]
    return "\n".join(lines) + "\n"


def plan_text(row):
    """As `plans` of a model has it."""
    tp, pp, cp = int(row["tp"]), int(row["pp"]), int(row.get("cp") or 1)
    return (f"tp{tp}pp{pp}v{row.get('v') or 1}dp{int(row['gpus']) // (tp * pp * cp)}" + (f"cp{cp}" if cp > 1 else "")
            + f"mb{row['mb']}")


def make_rows(name, path, options, dropped):
    rows = list(megatron(path) if name == "megatron" else
                megatron_bridge(path, dropped) if name == "megatron_bridge" else mlperf(name, path, options, dropped))
    wanted = options.gpu.split(",") if options.gpu else None
    rows = [row for row in rows if not wanted or row["gpu"] in wanted]
    if options.gemm:
        add_fractions(rows, options.gemm)
    return [row | {"group": "all"} for row in rows] if options.one_scale else rows


def write_rows(rows, path):
    columns = [column for column in COLUMNS if any(str(row.get(column, "")) for row in rows)]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def parse(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=("gpt3", "llama31_405b", "llama2_70b_lora", "megatron_bridge", "megatron"))
    parser.add_argument("table")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--interleaving", choices=("half", "quarter", "full", "published"), default="half")
    parser.add_argument("--gemm")
    parser.add_argument("--gpu")
    parser.add_argument("--one-scale", action="store_true")
    return parser.parse_args(words)


def main():
    options, dropped = parse(), {}
    rows = make_rows(options.name, options.table, options, dropped)
    for why, names in sorted(dropped.items()):
        print(f"left out, {why}: {len(names)} ({'; '.join(sorted(set(names)))})")
    if not rows:
        sys.exit(f"{options.table}: expected rows of {options.name}")
    options.folder.mkdir(parents=True, exist_ok=True)
    write_rows(rows, options.folder / f"{options.name}.csv")
    text = Path(options.table).with_name("models.yaml").read_text(encoding="utf-8") if options.name == "megatron" else model_text(rows)
    (options.folder / f"{options.name}.yaml").write_text(text, encoding="utf-8")
    print(f"{len(rows)} rows")


if __name__ == "__main__":
    main()
