"""easim profile mlperf on published results: test_mlperf_data.py EASIM SOURCE; skipped (exit 77) without EASIM_DATA.

The rows of the profile, made again from runs.csv by the rules of docs/profiles.md, and the counts that the data's own
README states: 812 rows, 26 of which repeat another one's run.
"""
import os
import sys
import tempfile
from pathlib import Path

from support import easim, rows_of

SCOPES = {"ac": "node_ac", "?": "node", "dc": "node_dc"}  # the first of these is scored


def number(text):
    return float(text) if text else None


def converged(row):
    """Samples to the target, where they are samples."""
    samples = number(row["samples_to_target"])
    if samples is None or samples <= 1 or row["benchmark"] in ("rnnt", "dlrm_dcnv2"):
        return None
    return samples / 168 if row["benchmark"] == "unet3d" and samples > 1e6 else samples


def throughput(row, samples):
    """None: the row is refused."""
    logged, run_s = number(row["throughput_samples_per_s"]), float(row["run_s"])
    if row["benchmark"] == "retinanet" or logged is None:
        return samples and samples / run_s
    return None if samples and not 0.8 <= logged * run_s / samples <= 1.6 else logged


def expected_rows(table):
    """What stands in the profile, by the line of the table; and how many rows are refused and repeated."""
    runs, refused = {}, 0
    for line, row in enumerate(table, 2):
        samples = converged(row)
        rate = throughput(row, samples)
        refused += rate is None
        if rate is not None:
            same = tuple(row[name] for name in ("benchmark", "gpu", "gpus", "global_batch", "throughput_samples_per_s", "run_s"))
            runs.setdefault(same, []).append((float(row["round"][1:]), line, row, rate, samples))
    profile, repeated = {}, 0
    for repeats in runs.values():
        repeated += len(repeats) - 1
        _, first, row, rate, samples = min(repeats, key=lambda run: run[:2])
        meters = [(list(SCOPES).index(other["power_kind"]), line, other) for _, line, other, _, _ in repeats if other["node_power_w"]]
        scored = min(meters, key=lambda meter: meter[:2], default=(0, 0, {}))
        profile[first, True] = cells(row, rate, samples, scored[2])
        for _, line, other in meters:
            if line != scored[1]:
                profile[line, False] = cells(other, None, None, other)
    return profile, refused, repeated


def cells(row, rate, samples, meter):
    k, batch = int(row["gpus"]), float(row["global_batch"])
    return {"model": row["benchmark"], "gpu": row["gpu"], "k": k, "batch_per_gpu": batch / k, "throughput_samples_s": rate,
            "samples_to_target": samples, "global_batch": batch, "nodes": int(row["nodes"]), "run_s": float(row["run_s"]),
            "grad_accum": float(row["grad_accum"]), "runs": int(row["runs"]), "round": row["round"],
            "node_power_w": number(meter.get("node_power_w", "")), "power_scope": SCOPES.get(meter.get("power_kind"), "")}


def check_row(row, expected):
    for name, value in expected.items():
        found = row[name] if isinstance(value, str) else number(row[name])
        assert found == value, (row, name, value)


def check_table(data, folder):
    table = rows_of(data / "runs.csv")
    profile, refused, repeated = expected_rows(table)
    assert (len(table), repeated) == (812, 26)  # the README
    done = easim("profile", "mlperf", data / "runs.csv", "-o", folder / "p.csv")
    rows = rows_of(folder / "p.csv")
    assert len(rows) == len(profile), (len(rows), len(profile))
    for row in rows:
        line = int(row["source"].split(" line ")[1].split()[0].rstrip(";"))
        check_row(row, profile.pop((line, row["throughput_samples_s"] != "")))
    named = [text for text in done.stderr.splitlines() if ": left out: " in text]
    assert len(named) == refused and f"{refused} of 812 rows left out\n" in done.stderr, done.stderr
    assert f"{repeated} of 812 rows repeat another one's" in done.stderr
    for k, batch in ((1024, 16384), (1368, 16416)):  # 1 where samples should be
        assert any(f"bert on A100, k {k}, global batch {batch}: neither" in text for text in named), named
    print(f"runs.csv: {len(rows)} rows, {refused} refused, {repeated} repeated")


def main():
    if "EASIM_DATA" not in os.environ:
        print("skipped: EASIM_DATA is not set")
        sys.exit(77)
    data = Path(os.environ["EASIM_DATA"]) / "mlperf"
    with tempfile.TemporaryDirectory() as folder:
        check_table(data, Path(folder))


main()
