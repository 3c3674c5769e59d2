#!/usr/bin/env python3
"""What the power of a large training is based on (docs/explanation/physics.md): training_power.py, data in EASIM_DATA.

Of each GPU type and precision of data/compute the large multiplications (m, n and k at least 2048, the shapes of a
transformer's layers): the share of the peak that they reach, and what they draw. A training that reaches the share r of
the peak multiplies r / share of the time; so P = p0 + (P of multiplying - p0) r / share, and pmax_w, which easim
multiplies with r, is p0 + (P of multiplying - p0) / share. Then, for H100, that line against the metered nodes of
data/mlperf, of which it knows nothing but the highest reading of any run.
"""
import csv
import gzip
import os
from pathlib import Path
from statistics import median

DATA = Path(os.environ["EASIM_DATA"])
PEAKS = {"a100": 312e12, "h100": 989.4e12, "h200": 989.4e12, "b200": 2250e12, "gb200": 2500e12}  # bfloat16, NVIDIA
LARGE = 2048
LOADED_W, MOST_W = 345, 920  # of a GPU's share of an H100 node: loaded, not computing; highest reading (configs/measured.yaml)
# Shapes: layers, hidden, heads, kv heads, feed-forward, gated, causal, LoRA, sequence, vocabulary
SHAPES = {"gpt3": (96, 12288, 96, 96, 49152, False, False, False, 2048, 51200),
          "llama2_70b_lora": (80, 8192, 64, 8, 28672, True, True, True, 8192, 32000)}


def flop_of_sample(layers, h, heads, kv_heads, wide, gated, causal, lora, s, vocabulary):
    """docs/reference/semantics.md, 31.1, without recomputation."""
    matrices = 2 * h * (h + 2 * h * kv_heads / heads) + 2 * h * h + (6 if gated else 4) * h * wide
    scores = (2 if causal else 4) * s * h
    passes = 2 if lora else 3
    return s * (layers * (passes * matrices + 3 * scores) + passes * 2 * h * vocabulary)


def multiplications():
    """By GPU type and precision: (share of the peak, W or None) of each row, and the same of the large ones."""
    kinds = {}
    with gzip.open(DATA / "compute/gemm.csv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            m, n, k = (int(row[name]) for name in "mnk")
            peak = PEAKS[row["gpu"]] * (2 if row["dtype"].startswith("fp8") else 1)
            found = (2 * m * n * k / (float(row["latency_ms"]) / 1e3) / peak, float(row["power_w"] or "nan"))
            every, large = kinds.setdefault((row["gpu"], row["dtype"]), ([], []))
            every.append(found)
            if min(m, n, k) >= LARGE:
                large.append(found)
    return kinds


def print_multiplications(kinds):
    print(f"{'gpu':6} {'precision':9} {'rows':>5} {'share':>6} {'W':>6} {'lowest W':>9} {'pmax_w':>7}")
    for (gpu, precision), (every, large) in sorted(kinds.items()):
        share, power = median(s for s, _ in large), median(w for _, w in large)
        lowest = min(w for _, w in every)
        known = power == power
        print(f"{gpu:6} {precision:9} {len(large):5} {share:6.3f} "
              + (f"{power:6.0f} {lowest:9.0f} {lowest + (power - lowest) / share:7.0f}" if known else f"{'-':>6} {'-':>9} {'-':>7}"))


def print_nodes(share):
    pmax = LOADED_W + (MOST_W - LOADED_W) / share
    print(f"\nh100, GPU's share of a metered node: p0_w {LOADED_W}, pmax_w {pmax:.0f}")
    print(f"{'training':16} {'gpus':>5} {'of peak':>8} {'metered':>8} {'line':>6} {'error %':>8}")
    with open(DATA / "mlperf/runs.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["benchmark"] in SHAPES and row["gpu"] == "H100" and row["power_kind"] == "ac":
                gpus, metered = int(row["gpus"]), float(row["node_power_w"]) / 8
                reached = (flop_of_sample(*SHAPES[row["benchmark"]]) * float(row["throughput_samples_per_s"]) / gpus
                           / PEAKS["h100"])
                line = min(MOST_W, LOADED_W + (pmax - LOADED_W) * reached)
                print(f"{row['benchmark']:16} {gpus:5} {reached:8.3f} {metered:8.0f} {line:6.0f} {100 * (line / metered - 1):8.1f}")


def main():
    kinds = multiplications()
    print_multiplications(kinds)
    print_nodes(median(share for share, _ in kinds["h100", "bfloat16"][1]))


main()
