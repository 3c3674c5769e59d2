#!/usr/bin/env python3
"""Serving tables left out: serving_left_out.py EASIM SOURCE [--check]

Every inner limit of every curve of configs/models/serving.yaml is left out, and a replica with that many requests at once is run on
the rest of its table: easim predicts its tokens a second, its power and its four latencies. Writes validation/serving.csv, a row for
each point, and docs/studies/validation-serving.csv, the errors with their tolerances, which were set before. --check: both are what it
would write.
"""
import csv
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from made_again import write_or_compare

QUANTILES = ("p50", "p90", "p95", "p99")
CTX_W, HORIZON_S, MUCH = 100, 1000, 1e9
COLUMNS = ["model", "gpu", "k", "limit", "n", *(f"{name}_{side}" for name in ("per_s", "power_w", *(f"{q}_ms" for q in QUANTILES))
                                               for side in ("measured", "predicted"))]
TOLERANCES = {"per_s": 0.04, "power_w": 0.03, "p50_ms": 0.05}  # medians; of the others none was stated
LABELS = {"per_s": "throughput", "power_w": "power", **{f"{q}_ms": f"latency {q}" for q in QUANTILES}}


def curves(source):
    """Points, as texts, by (model, GPU type, k)."""
    found, model, gpu, k = {}, None, None, None
    for line in (source / "configs/models/serving.yaml").read_text(encoding="utf-8").splitlines():
        if match := re.match(r'  - name: "(.*)"', line):
            model = match[1]
        elif match := re.match(r'      - gpu: "(.*)"', line):
            gpu = match[1]
        elif match := re.match(r"        k: (\d+)", line):
            k = match[1]
        elif line.startswith("          - {limit"):
            found.setdefault((model, gpu, k), []).append(dict(re.findall(r"(\w+): ([-\d.e+]+)", line)))
    return found


def point_text(point):
    latencies = ", ".join(f"{q}: {point[q]}" for q in QUANTILES)
    return f"{{limit: {point['limit']}, n: {point['n']}, per_s: {point['per_s']}, power_w: {point['power_w']}, itl_ms: {{{latencies}}}}}"


def write_scenario(folder, cases):
    """A model for each point left out, and a replica of it for each quantile, with more to do than it can."""
    models, streams, gpus = [], [], {}
    for i, ((_, gpu, k), points, left) in enumerate(cases):
        rest = ", ".join(point_text(point) for j, point in enumerate(points) if j != left)
        models.append(f"  - name: m{i}\n    unit: token\n    prompt: {{included: true}}\n    serving:\n"
                      f"      - {{gpu: {gpu}, k: {k}, evidence: measured, source: left out, points: [{rest}]}}\n")
        for q in QUANTILES:
            streams.append(f"    - {{kind: service, name: {i}-{q}, model: m{i}, demand: {{tokens_per_s: {MUCH:.0f}}}, replicas: "
                           f"{{min: 1, max: 1, b: [{points[left]['n']}]}}, slo: {{itl_ms: 1e9, quantile: {q}, wait_s: 0}}}}\n")
            gpus[gpu] = gpus.get(gpu, 0) + 1
    types = ", ".join(f"{{name: {gpu}, idle_w: 50, ctx_w: {CTX_W}, tdp_w: 1000, memory_gib: 80}}" for gpu in gpus)
    nodes = ", ".join(f"{{count: {count}, gpu: {gpu}, gpus: 8}}" for gpu, count in gpus.items())
    (folder / "models.yaml").write_text("models:\n" + "".join(models), encoding="utf-8")
    (folder / "scenario.yaml").write_text(
        f"name: serving\nhorizon: {HORIZON_S}s\ncluster:\n  gpu_types: [{types}]\n  nodes: [{nodes}]\nmodels: models.yaml\n"
        f"workload:\n  streams:\n{''.join(streams)}policy: {{name: fcfs}}\n", encoding="utf-8")


def predictions(easim, cases):
    """Rows of services.csv by case and quantile."""
    with tempfile.TemporaryDirectory(prefix="easim-serving.") as name:
        folder = Path(name)
        write_scenario(folder, cases)
        done = subprocess.run([easim, "run", folder / "scenario.yaml", "--quiet", "--out", folder / "out"],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        with open(folder / "out/services.csv", newline="", encoding="utf-8") as file:
            return {tuple(row["service"].split("-")): row for row in csv.DictReader(file)}


def made_rows(easim, source):
    cases = [(key, points, i) for key, points in curves(source).items() for i in range(1, len(points) - 1)]
    found = predictions(easim, cases)
    for number, ((model, gpu, k), points, left) in enumerate(cases):
        rows, point = {q: found[str(number), q] for q in QUANTILES}, points[left]
        per_s = float(rows["p50"]["tokens_served"]) / HORIZON_S
        power_w = float(rows["p50"]["energy_kwh"]) * 3.6e6 / HORIZON_S
        predicted = {"per_s": per_s, "power_w": power_w, **{f"{q}_ms": float(rows[q]["latency_p99_ms"]) for q in QUANTILES}}
        row = {"model": model, "gpu": gpu, "k": k, "limit": point["limit"], "n": point["n"]}
        for name, value in predicted.items():
            row[f"{name}_measured"] = point[name.removesuffix("_ms")]
            row[f"{name}_predicted"] = f"{value:.6g}"
        yield row


def quantile(values, share):
    at = share * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def errors_of(rows):
    """Rows of the errors by what was left out, in percent."""
    yield ["left_out", "median_percent", "tolerance_percent", "verdict", "p90_percent", "worst_percent", "worst_of"]
    for name, label in LABELS.items():
        errors = sorted((abs(float(row[f"{name}_predicted"]) / float(row[f"{name}_measured"]) - 1), i) for i, row in enumerate(rows))
        values = [error for error, _ in errors]
        row = rows[errors[-1][1]]
        median, tolerance = quantile(values, 0.5), TOLERANCES.get(name)
        verdict = "" if tolerance is None else "pass" if median <= tolerance else "fail"
        yield [label, f"{100 * median:.1f}", "" if tolerance is None else f"{100 * tolerance:.0f}", verdict, f"{100 * quantile(values, 0.9):.1f}",
               f"{100 * values[-1]:.0f}", f"{row['model']}, {row['k']} {row['gpu'].upper()}, limit {row['limit']}"]


def csv_text(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def main(easim, source, *words):
    source = Path(source).resolve()
    rows = list(made_rows(Path(easim).resolve(), source))
    made = {source / "validation/serving.csv": csv_text([COLUMNS, *([row[name] for name in COLUMNS] for row in rows)]),
            source / "docs/studies/validation-serving.csv": csv_text(errors_of(rows))}
    write_or_compare(made, words == ("--check",))
    if any("fail" in row for row in errors_of(rows)):
        sys.exit("a tolerance is missed")


if __name__ == "__main__":
    main(*sys.argv[1:])
