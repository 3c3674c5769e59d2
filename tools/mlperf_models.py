#!/usr/bin/env python3
"""Makes configs/models/mlperf.yaml and its tables in docs/explanation/physics.md from MLPerf Training results.

  mlperf_models.py EASIM SOURCE [--check]

$EASIM_DATA holds mlperf/runs.csv and mlperf/raw. `easim profile mlperf` reads both, `easim calibrate` fits them;
of the logs in raw only the power of a node at rest (node_floor_w) is used, as their runs are in the table already.
Without --check the file and the tables are written. With it nothing is: both must be what would be written, numbers
within 1e-6, or the exit status is 1.
"""
import csv
import math
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from made_again import arguments, write_or_compare

# Models by GPU type: forms where four system sizes or more are known, tables elsewhere (calibrate decides by the rows).
SHIPPED = {
    "h100": "resnet bert retinanet llama2_70b_lora stable_diffusion gpt3 maskrcnn unet3d",
    "a100": "resnet bert retinanet maskrcnn unet3d",
    "gb200": "retinanet llama2_70b_lora stable_diffusion bert",
    "h200": "resnet bert retinanet llama2_70b_lora stable_diffusion unet3d",
    "b200": "bert retinanet llama2_70b_lora stable_diffusion",
}
RAW_GPU, RAW_GPUS = "h100", {"1x8": 8, "8x8": 64}  # of the logs, by the beginning of their folder's name
HEADER = """\
# Training speed, convergence and power of MLPerf Training on A100, H100, H200, B200 and GB200, from the public results of
# MLPerf Training v2.1 to v5.0 (github.com/mlcommons/training_results_*; cite "MLPerf Training, round, submitter, system").
# Made by: EASIM_DATA=... python3 tools/mlperf_models.py build/easim .
# How: docs/explanation/calibration.md (rows of many systems, convergence); how well: docs/explanation/physics.md (MLPerf).
# start_s, restart_s, checkpoint_s are not in the results: 0. Times are those of training, without evaluation and set-up.
"""
BEGIN, END = "<!-- mlperf: made by tools/mlperf_models.py -->", "<!-- mlperf: end -->"


def run(*words, cwd=None):
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def floors(easim, data, scratch):
    """Readings of the logs that tell the power at rest."""
    for folder in sorted((data / "mlperf" / "raw").iterdir()):
        path = scratch / f"{folder.name}.csv"
        run(easim, "profile", "mlperf", folder, "--gpu", RAW_GPU, "--gpus", RAW_GPUS[folder.name[:3]], "-o", path)
        for row in rows_of(path):
            if row.get("node_floor_w"):
                yield row | {"throughput_samples_s": "", "samples_to_target": "", "run_s": "", "source": ""}


def make_profile(easim, data, scratch):
    """The profile that is fitted: runs.csv, GPU types in small letters, and the floors. Its path."""
    table = scratch / "table.csv"
    run(easim, "profile", "mlperf", "mlperf/runs.csv", "-o", table, cwd=data)
    rows = [row | {"gpu": row["gpu"].lower(), "source": ""} for row in rows_of(table)]
    rows += floors(easim, data, scratch)
    path = scratch / "mlperf.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        names = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.DictWriter(file, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def make_models(easim, data, scratch):
    """The text of the model file."""
    path = make_profile(easim, data, scratch)
    only = ",".join(f"{model}/{gpu}" for gpu, models in SHIPPED.items() for model in models.split())
    run(easim, "calibrate", path.name, "--only", only, "-o", "mlperf.yaml", cwd=scratch)
    return HEADER + (scratch / "mlperf.yaml").read_text(encoding="utf-8")


# ---- What the file says of itself ----

FLOW = re.compile(r"(\w+): (\"[^\"]*\"|[^,}]+)")


def value(text):
    try:
        return float(text)
    except ValueError:
        return text.strip('"')


def flow(text):
    """A mapping in braces."""
    return {key: value(item) for key, item in FLOW.findall(text)}


def read_models(text):
    """By model, then GPU type ("" for the model itself): lists of mappings by key of the record, and single values."""
    found, place, key = {}, None, None
    for line in text.splitlines():
        if line.startswith("  - name: "):
            model, gpu = value(line[10:]), ""
        elif re.match(r"      \"[^\"]+\":$", line):
            gpu = line.strip().strip('":')
        if line.startswith("  ") and not line.startswith("  - name"):
            place = found.setdefault(model, {}).setdefault(gpu, {})
            item = re.match(r" +- (\{.*\})$", line)
            single = re.match(r" +(\w+):(.*?)(?: #.*)?$", line)
            if item:
                place.setdefault(key, []).append(flow(item[1]))
            elif single:
                key, text_of = single[1], single[2].strip()
                if text_of:
                    place[key] = flow(text_of) if text_of.startswith("{") else value(text_of)
    return found


def percent(number, decimals=1):
    return "" if number is None or math.isnan(number) else f"{100 * number:.{decimals}f}"


def size_errors(record):
    return {int(size["k"]): size.get("left_out", math.nan) for size in record.get("sizes", [])}


# Why an error is above 10 %.
REASONS = {
    ("resnet", "a100"): "two networks and memories at one size: 16 to 128 GPUs on nodes of 4 with 40 GB beside nodes of 8; "
                        "at 32 GPUs they differ by 1.3",
    ("bert", "a100"): "v3.0 ran on nodes of 4 behind a slower network, v2.1 on nodes of 8: at equal k and batch 1.4 to 1.6 "
                      "apart, which a level cannot follow",
    ("llama2_70b_lora", "h100"): "512 GPUs: of one submitter alone, whose 64 GPUs are slower than those of others, too",
    ("stable_diffusion", "h100"): "v3.1 ran at 0.87 of v4.1 on 8 GPUs and at 0.6 on 512: it scaled worse, which one "
                                  "factor cannot follow",
    ("unet3d", "h100"): "from 72 GPUs on a sample is split over GPUs (batch below 1), another way of computing; 432 "
                        "and 768 were run once each",
    ("maskrcnn", "a100"): "128 GPUs: one run, on nodes of 4 with 40 GB",
    ("retinanet", "gb200"): "the rows contradict each other: 397 samples/s a GPU at 16 GPUs and batch 16, 270 at 32 and 8, "
                            "284 at 64 and 4",
}


def left_out_rows(models):
    for model, gpus in models.items():
        for gpu, record in gpus.items():
            if not gpu:
                continue
            errors = {k: e for k, e in size_errors(record).items() if not math.isnan(e)}
            low, high = ([e for k, e in errors.items() if (k <= 64) == small] for small in (True, False))
            medians = [statistics.median(part) if part else math.nan for part in (low, high, low + high)]
            form = record.get("form", "table") if "a_s" in record else "table"
            reason = REASONS.get((model, gpu), "") if max((m for m in medians if not math.isnan(m)), default=0) > 0.1 else ""
            in_sample = record["mape_in_sample"]
            sizes = ", ".join(f"{k}: {percent(e)}" for k, e in errors.items())
            known = " ".join(str(int(size["k"])) for size in record.get("sizes", []))
            yield [model, gpu, form.replace(", no sync", "").replace(", power over the floor of a node", ""), known,
                   percent(in_sample), *map(percent, medians), sizes or "none between two others", reason]


def convergence_rows(models):
    for model, gpus in models.items():
        own = gpus[""]
        error, constant = own["error"], own["constant_error"]
        told = "" if list(gpus.values())[1]["evidence"].get("m0") == "measured" else " a"
        yield [model, str(int(own["rows"])), str(len(own["batches"])), f"{own['samples_to_target']:.4g}",
               f"{own['m0']:.4g}{told}", f"{own['phi']:.4g}", f"{percent(error['worst_batch'])} at {error['at']:g}",
               percent(error["row_median"]), f"{percent(constant['worst_batch'])} at {constant['at']:g}",
               percent(constant["row_median"])]


def batch_rows(models):
    for model, gpus in models.items():
        cells = [f"{b['global_batch']:g}: {100 * (b['model'] / b['samples'] - 1):+.1f} ({int(b['rows'])})"
                 for b in gpus[""]["batches"]]
        yield [model, ", ".join(cells)]


def power_rows(models):
    """Rows, and the errors of what was predicted from 8 GPUs."""
    rows, errors = [], []
    for model, gpus in models.items():
        for gpu, record in gpus.items():
            metered = record.get("metered", []) if gpu else []
            least = min((m["k"] for m in metered), default=0)
            for m in sorted(metered, key=lambda m: m["k"]):
                error = m["model_w"] / m["node_power_w"] - 1
                note = f"{100 * error:+.1f}"
                if m["k"] > least:
                    errors.append(abs(error))
                else:
                    note = "what the rest is derived from" if least == 8 else "not predictable: not metered at 8 GPUs"
                kwh = m["k"] / 8 * m["run_s"] / 3.6e6
                rows.append([model, gpu, f"{m['k']:g}", f"{m['node_power_w']:.0f}", f"{m['model_w']:.0f}",
                             f"{m['node_power_w'] * kwh:.2f}", f"{m['model_w'] * kwh:.2f}", note])
    return rows, errors


def table(heads, rows, right):
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "|".join("--:" if i in right else "---" for i in range(len(heads))) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def paragraph(text):
    return ["", *textwrap.wrap(text, 100), ""]


def document(models):
    """The lines between BEGIN and END."""
    out = paragraph("Throughput, %: each row is predicted by a fit that has seen no row of its k (k inside the range), the "
                    "median over the rows of a k, and the median over these up to 64 GPUs, beyond, and over all.")
    out += table(["model", "GPU", "chosen", "k known", "in sample, mean", "left out, k <= 64", "k > 64", "all",
                  "by k left out", "above 10 %: why"], left_out_rows(models), {4, 5, 6, 7})
    out += paragraph("Samples to the target, %: S(B) against the median of the rows of each batch, in sample. a: assumed, the "
                     "least batch measured. Beside it the constant that is the median over batches.")
    out += table(["model", "rows", "batches", "S0", "m0", "phi", "worst batch", "median row", "constant: worst batch",
                  "median row"], convergence_rows(models), {1, 2, 3, 4, 5, 7, 9})
    out += paragraph("By global batch: error of the curve, % (rows).")
    out += table(["model", "batches"], batch_rows(models), set())
    out += paragraph("Power of a node, W, and energy of all nodes over the measured run_s, kWh; at the plug on H100, on B200 "
                     "the results do not say where.")
    rows, errors = power_rows(models)
    out += table(["model", "GPU", "k", "measured", "model", "kWh measured", "kWh model", "error, %"], rows,
                 {2, 3, 4, 5, 6, 7})
    out += paragraph(f"Predicted from 8 GPUs: median error {percent(statistics.median(errors))} %, at most "
                     f"{percent(max(errors))} %.")
    return out


def main():
    easim, source, data, check = arguments(__doc__)
    with tempfile.TemporaryDirectory(prefix="easim-mlperf.") as scratch:
        text = make_models(easim, data, Path(scratch))
    document_path = source / "docs" / "explanation" / "physics.md"
    before, _, rest = document_path.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    tables = "\n".join(document(read_models(text)))
    write_or_compare({source / "configs/models/mlperf.yaml": text, document_path: f"{before}{BEGIN}\n{tables}{END}{after}"}, check)


if __name__ == "__main__":
    main()
