#!/usr/bin/env python3
"""Compares the throughput of configs/models/eas-sim.yaml with measured points: the table of docs/explanation/physics.md.

Usage: EASIM_DATA=FOLDER profile_error.py | profile_error.py --self-test
Reads profiles/model_parameters.json, of which the YAML file holds the figures, and profiles/profile_table.csv.
A row is compared if it is measured and of the model and precision of a set; mean errors are over the rows
marked *, which are sound, of the same software precision and of the card of the set (ViT: the 40 GB card).
"""

import csv
import json
import os
import sys
from collections import Counter
from pathlib import Path

CONVOLUTION_TF32 = "FP32(TF32 conv, PyTorch default)"
SETS = {  # (model, precision) of a row -> (name in the YAML file, first two parts of the key in the JSON file)
    ("ResNet-50", "FP32(TF32)"): ("resnet50-fp32", "ResNet-50|" + CONVOLUTION_TF32),
    ("ResNet-50", "TF32"): ("resnet50-fp32", "ResNet-50|" + CONVOLUTION_TF32),
    ("ResNet-50", "TF32+XLA"): ("resnet50-fp32", "ResNet-50|" + CONVOLUTION_TF32),
    ("ViT-B/16", "FP32(TF32)"): ("vit-base-tf32", "ViT-B/16|FP32(TF32 matmul on)"),
    ("ALBERT-base-v2 seq512", "FP16 (bf16 same in BERT rows)"): ("albert-v2-bf16", "ALBERT-base-v2 seq512|bf16"),
}
HEAD = "| set | row: precision | GPU | k | b | measured, 1/s | modelled, 1/s | error | |"


def rate(parameters, k, batch):
    """Samples/s of k GPUs: semantics 3.1 with alpha_s = s and beta_s = 0."""
    gamma = parameters["g"]
    step_s = (parameters["a"] ** gamma + (parameters["c"] * batch) ** gamma) ** (1 / gamma)
    return k * batch / (step_s + (parameters["s"] if k > 1 else 0))


def counted(row, name):
    """Whether the row is part of mape_in_sample."""
    if "suspect" in row["evidence"] or "XLA" in row["precision"]:
        return False
    return name == "vit-base-tf32" or name == "resnet50-fp32" and row["gpu"].endswith("80GB")


def compare(rows, sets):
    """Returns table lines, {set and GPU: errors counted} and how many measured rows of each kind are not compared."""
    lines, errors, others = [], {}, Counter()
    for row in rows:
        if not row["evidence"].startswith("thr=measured"):
            continue
        found = SETS.get((row["model"], row["precision"]))
        if not found:
            others[f"{row['model']}, {row['precision']}, {row['gpu']}"] += 1
            continue
        name, key = found
        gpu, k, batch = row["gpu"].split("-")[0], int(row["k"]), int(row["batch_per_gpu"])
        measured = float(row["throughput_samples_s"])
        modelled = rate(sets[f"{key}|{gpu}"], k, batch)
        error = modelled / measured - 1
        mark = "*" if counted(row, name) else ""
        if mark:
            errors.setdefault(f"{name} on {gpu}", []).append(error)
        lines.append(f"| {name} | {row['precision']} | {row['gpu']} | {k} | {batch} | {measured:g} | {modelled:.1f} | "
                     f"{100 * error:+.1f} % | {mark} |")
    return lines, errors, others


def self_test():
    # (3^2 + (0.5*8)^2)^(1/2) = 5 s, and 1 s of synchronization from 2 GPUs on.
    parameters = {"a": 3, "c": 0.5, "g": 2, "s": 1}
    assert abs(rate(parameters, 1, 8) - 8 / 5) < 1e-12 and abs(rate(parameters, 4, 8) - 32 / 6) < 1e-12
    row = {"model": "ViT-B/16", "precision": "FP32(TF32)", "gpu": "A100-SXM4-40GB", "k": "1", "batch_per_gpu": "8",
           "throughput_samples_s": "2", "evidence": "thr=measured;pow=none"}
    rows = [row, dict(row, evidence="thr=measured but suspect"), dict(row, evidence="thr=derived"),
            dict(row, precision="AMP")]
    lines, errors, others = compare(rows, {"ViT-B/16|FP32(TF32 matmul on)|A100": parameters})
    assert len(lines) == 2 and "| 1.6 | -20.0 % | * |" in lines[0] and lines[1].endswith("|  |")
    assert [round(e, 9) for e in errors["vit-base-tf32 on A100"]] == [-0.2] and sum(others.values()) == 1
    print("profile_error: self-test passed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    folder = Path(os.environ.get("EASIM_DATA", ""), "profiles")
    if sys.argv[1:] or not os.environ.get("EASIM_DATA") or not folder.is_dir():
        print(__doc__.strip(), file=sys.stderr)
        return 2
    with open(folder / "profile_table.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    lines, errors, others = compare(rows, json.loads((folder / "model_parameters.json").read_text("utf-8")))
    print("\n".join([HEAD, "|---|---|---|--:|--:|--:|--:|--:|---|"] + lines), end="\n\n")
    for name, values in errors.items():
        mean = 100 * sum(map(abs, values)) / len(values)
        print(f"mean absolute error of {name}, {len(values)} rows marked *: {mean:.1f} %")
    print(f"\nmeasured rows not compared ({sum(others.values())}):")
    for kind, count in others.items():
        print(f"  {count} x {kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
