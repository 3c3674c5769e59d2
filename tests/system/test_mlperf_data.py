"""easim profile mlperf on published results: test_mlperf_data.py EASIM SOURCE; skipped (exit 77) without EASIM_DATA.

The rows of the profile, made again from runs.csv by the rules of docs/reference/profiles.md, and the counts that the data's own
README states: 812 rows, 26 of which repeat another one's run. The raw logs and their meters, read again here: against the
row of runs.csv what all repetitions have in common; against the summary of single runs (profiles/mlperf_v4_smc_power, means
of readings, all intervals) to its last digit; against easim's profile to 12 digits.
"""
import json
import statistics

from harness import cases, easim, number, real_data, rows_of

DATA = real_data("mlperf")
SCOPES = {"ac": "node_ac", "?": "node", "dc": "node_dc"}  # the first of these is scored


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


def check_table(folder):
    table = rows_of(DATA / "runs.csv")
    profile, refused, repeated = expected_rows(table)
    assert (len(table), repeated) == (812, 26)  # the README
    done = easim("profile", "mlperf", DATA / "runs.csv", "-o", folder / "p.csv")
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


# folder: (file of the readings that are twice there, options where the log does not describe the machine)
RAW = {"1x8_bert": ((), ("--gpus", "8", "--gpu", "H100")), "1x8_llama2_70b_lora": ((), ()), "1x8_resnet": ((), ()),
       "8x8_llama2_70b_lora": (("node_2", "node_5", "node_7", "node_8"), ()), "8x8_resnet": (("node_4",), ())}


def records(path):
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if ":::MLLOG" in line:
            found = json.loads(line.split(":::MLLOG", 1)[1])
            yield found["key"], found["time_ms"], found["value"]


def meter(path, start_ms, stop_ms):
    """Readings in the run, their mean over time, the lowest one after it."""
    readings = [(time_ms, value) for key, time_ms, value in records(path) if key == "power_reading"]
    readings.sort(key=lambda reading: reading[0])  # of two nodes one is a tenth of a second early
    inside = [(time_ms, value) for time_ms, value in readings if start_ms <= time_ms <= stop_ms]
    energy = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(inside, inside[1:]))
    return ([value for _, value in inside], energy / (inside[-1][0] - inside[0][0]),
            min((value for time_ms, value in readings if time_ms > stop_ms), default=None))


def check_raw(folder):
    summary = {row["result"]: row for row in rows_of(DATA.parent / "profiles/mlperf_v4_smc_power/smc_h100_node_power_summary.csv")
               if row["kind"] == "smc-ac-power"}
    for name, (twice, options) in RAW.items():
        (path,) = (DATA / "raw" / name).glob("result*")
        log = list(records(path))
        times = {key: time_ms for key, time_ms, _ in log}
        throughputs = [value["throughput"] for key, _, value in log if key == "tracked_stats" and "throughput" in value]
        meters = [meter(file, times["run_start"], times["run_stop"]) for file in (DATA / "raw" / name / "power").glob("node_*")]
        done = easim("profile", "mlperf", DATA / "raw" / name, "-o", folder / "p.csv", "--power-scope", "node_ac", *options)
        (row,) = rows_of(folder / "p.csv")
        # one run against easim
        run_s = (times["run_stop"] - times["run_start"]) / 1000
        power_w = statistics.fmean(mean for _, mean, _ in meters)
        floors = [floor for _, _, floor in meters if floor is not None]
        for column, value in (("run_s", run_s), ("throughput_samples_s", statistics.median(throughputs[1:])),
                              ("node_power_w", power_w)):
            assert abs(float(row[column]) / value - 1) < 1e-12, (name, column, row[column], value)
        assert row.get("node_floor_w", "") == (str(float(min(floors))) if floors else ""), (name, row, floors)
        assert [text.split()[1].removesuffix(".txt") for text in done.stderr.splitlines() if "repeats the readings" in text] == list(twice), done.stderr
        # the same run in the summary of single runs, rounded to a digit
        single = summary[path.stem]
        means = [statistics.fmean(readings) for readings, _, _ in meters]
        for column, value in (("dur_s", run_s), ("throughput", statistics.median(throughputs)),
                              ("node_w_mean", statistics.fmean(means)), ("gbs", float(row["global_batch"])),
                              ("n_samples", sum(len(readings) for readings, _, _ in meters))):
            assert abs(float(single[column]) - value) <= 0.05000001, (name, column, single[column], value)
        check_medians(name, row, summary)


def check_medians(name, row, summary):
    """The row of runs.csv, medians of all runs: the same but for what differs from run to run, and that within their
    range. (Power there is a mean over time, in the summary over readings: 1 % apart in short runs.)"""
    (known,) = [other for other in rows_of(DATA / "runs.csv") if other["submitter"] == "smc-ac-power" and
                (f"{other['nodes']}x8", other["benchmark"]) == (name[:3], row["model"])]
    for column, other in (("gpu", "gpu"), ("k", "gpus"), ("nodes", "nodes")):
        assert row[column] == known[other], (name, column)
    for column in ("global_batch", "grad_accum"):
        assert float(row[column]) == float(known[column]), (name, column)
    if row["model"] != "bert":  # all of its runs took the same samples; six digits
        assert abs(float(row["samples_to_target"]) / float(known["samples_to_target"]) - 1) < 5e-6, (name, row, known)
    runs = [other for other in summary.values() if other["system"].startswith(name[:2]) and other["bench"] == row["model"]]
    for column, single, slack in (("run_s", "dur_s", 1e-3), ("throughput_samples_s", "throughput", 3e-2), ("node_power_w", "node_w_mean", 1e-2)):
        values = [float(other[single]) for other in runs]
        assert min(values) * (1 - slack) <= float(row[column]) <= max(values) * (1 + slack), (name, column, row[column], values)
    print(f"{name}: {row['run_s']} s of {known['run_s']}, {row['node_power_w']} W of {known['node_power_w']}, "
          f"{row['throughput_samples_s']} samples/s of {known['throughput_samples_per_s']}")


cases(check_table, check_raw)
