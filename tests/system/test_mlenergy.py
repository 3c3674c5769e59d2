"""Measured inference: test_mlenergy.py EASIM SOURCE.

Tables of easim calibrate from a small profile, worked by hand; then, with EASIM_DATA, the profile rows, the shipped
models and the left-out errors of the ML.ENERGY tables, and what prompts cost by latencies without power, made again here.
"""
import json
import math
import re
import statistics
import sys

from harness import EASIM, SOURCE, cases, easim, real_data, rows_of, run

COLUMNS = ("model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu,unit,prompt,batch_limit,running_batch,itl_p50_ms,"
           "itl_p90_ms,itl_p95_ms,itl_p99_ms")
QUANTILES = ("median_itl_ms", "p90_itl_ms", "p95_itl_ms", "p99_itl_ms")


def points_of(text):
    """The points or lookup rows of a model file as dictionaries, by model, GPU type and k."""
    tables, model, gpu, k = {}, None, None, None
    for line in text.splitlines():
        if found := re.match(r'  - name: "(.*)"', line):
            model = found[1]
        elif found := re.match(r'      (?:- gpu: )?"(.*?)":?$', line):
            gpu = found[1]
        elif found := re.match(r"        k: (\d+)", line):
            k = int(found[1])
        elif line.startswith("          - {"):
            point = {key: float(value) for key, value in re.findall(r"(\w+): ([-\d.e+]+)", line)}
            tables.setdefault((model, gpu, int(point.get("k", k or 0))), []).append(point)
    return tables


def small_tables(folder):
    """Two rows of limit 8 are averaged; 16 is dropped, as 32 runs no more requests; rates fall from 32 to 64."""
    rows = ["m,g,2,4,100,150,token,0.1,8,7,10,11,12,13", "m,g,2,4,200,250,token,0.1,8,8,20,21,22,23",
            "m,g,2,8,290,260,token,0.1,16,15,19,20,21,22", "m,g,2,16,500,300,token,0.1,32,15,20,30,31,50",
            "m,g,2,32,300,310,token,0.1,64,60,25,26,27,28", "m,g,2,64,600,320,token,0.1,128,100,30,31,32,33"]
    (folder / "p.csv").write_text("\n".join([COLUMNS, *rows, ""]), encoding="utf-8")
    done = easim("calibrate", folder / "p.csv", "-o", folder / "m.yaml")
    text = (folder / "m.yaml").read_text(encoding="utf-8")
    assert "unit: token" in text and "prompt: {output_equivalents: 0.1}" in text and "gpus:" not in text
    points = points_of(text)["m", "g", 2]
    assert points == [
        {"limit": 8, "n": 7.5, "per_s": 150, "power_w": 400, "p50": 15, "p90": 16, "p95": 17, "p99": 18},
        {"limit": 32, "n": 15, "per_s": 500, "power_w": 600, "p50": 20, "p90": 30, "p95": 31, "p99": 50},
        {"limit": 64, "n": 60, "per_s": 300, "power_w": 620, "p50": 25, "p90": 26, "p95": 27, "p99": 28},
        {"limit": 128, "n": 100, "per_s": 600, "power_w": 640, "p50": 30, "p90": 31, "p95": 32, "p99": 33}], points
    # of 500, 300, 600 the first two are pooled to 400; p99 50, 28, 33 to 39, 39 and, over all three, 37
    assert "4 points in 1 tables; 1 tables have a rate that falls" in done.stdout
    assert "  1 points dropped: a higher limit did not run more requests\n" in done.stdout
    assert "m on g, k 2, n 15: rate 500 to 400, p50 20 to 20, p99 50 to 37\n" in done.stdout, done.stdout
    assert "m on g, k 2, n 60: rate 300 to 400, p50 25 to 25, p99 28 to 37\n" in done.stdout
    # n 15 from 8 and 60: n/X from 7.5/150 to 60/300, 7.5/52.5 of the way; n 60 from 15 and 100, rates 500 and 600, 45/85
    first = 15 / (7.5 / 150 + 7.5 / 52.5 * (60 / 300 - 7.5 / 150)) / 500 - 1
    second = 60 / (15 / 500 + 45 / 85 * (100 / 600 - 15 / 500)) / 300 - 1
    expected = f"  throughput   median {50 * (abs(first) + abs(second)):5.2f} %"
    assert expected in done.stdout, (expected, done.stdout)
    power = [400 + math.log(15 / 7.5) / math.log(60 / 7.5) * 220, 600 + math.log(60 / 15) / math.log(100 / 15) * 40]
    expected = f"  power        median {50 * (abs(power[0] / 600 - 1) + abs(power[1] / 620 - 1)):5.2f} %"
    assert expected in done.stdout, (expected, done.stdout)


def checked_rows(folder):
    """The tables of small_tables against other rows: rates 400 between n 15 and 60, power 600 + 20 ln(n/15)/ln 4 W,
    p50 20 to 25 ms; a third row is above all n, one of k 4 and one of another model have no table."""
    rows = ["m,g,2,16,380,320,token,0.1,32,30,20,30,31,50,", "m,g,2,16,500,300,token,0.1,500,200,20,30,31,50,",
            "m,g,4,16,500,300,token,0.1,32,15,20,30,31,50,", "n,g,2,16,500,300,output,,32,15,,,,,7"]
    (folder / "c.csv").write_text("\n".join([COLUMNS + ",latency_ms", *rows, ""]), encoding="utf-8")
    power = 100 * abs((600 + 20 * math.log(30 / 15) / math.log(60 / 15)) / 640 - 1)
    p50 = 100 * abs((20 + 15 / 45 * 5) / 20 - 1)
    for allowed, code in ((0.2, 0), (0.05, 1)):
        done = easim("calibrate", "--check", folder / "m.yaml", folder / "c.csv", "--max-error", allowed, code=code)
        assert done.stdout.startswith("serving: 1 of 4 rows predicted, 2 without a table in the file, 1 outside their table\n")
        for name, error in (("throughput", 100 * (400 / 380 - 1)), ("power", power), ("latency p50", p50)):
            assert f"  {name:12} median {error:5.2f} %" in done.stdout, (name, error, done.stdout)
        assert ("mean error above the one allowed, 5 %" in done.stdout) == (code == 1)
    (folder / "c.csv").write_text(f"{COLUMNS},latency_ms\nm,g,2,16,500,300,output,,32,15,,,,,7\n", encoding="utf-8")
    done = easim("calibrate", "--check", folder / "m.yaml", folder / "c.csv", code=1)
    assert done.stdout == "serving: 0 of 1 rows predicted, 1 of another unit than their model\n", done.stdout
    assert done.stderr.endswith("m.yaml predicts no row of " + str(folder / "c.csv") + "\n"), done.stderr


def shown_models(folder):
    """`easim models` of the tables of small_tables: rates as pooled; measured outputs beside a lookup table."""
    text = easim("models", folder / "m.yaml").stdout
    assert text.startswith("m on g, replica of 2 GPUs: serving table, evidence measured\n"), text
    assert [line.split() for line in text.splitlines()[2:6]] == [
        ["8", "7.5", "150", "400", "2.667", "15", "16", "17", "18"], ["32", "15", "400", "600", "1.5", "20", "28", "29", "37"],
        ["64", "60", "400", "620", "1.55", "25", "28", "29", "37"], ["128", "100", "600", "640", "1.067", "30", "31", "32", "37"]]
    assert len(text.splitlines()) == 6, text
    no_csv = easim("models", folder / "m.yaml", "--format", "csv", code=2).stderr
    assert no_csv == ("easim models: only serving tables are selected, which are shown on the terminal only (without --format csv)\n"), no_csv
    (folder / "d.csv").write_text("model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu,unit\nd,g,1,1,2,300,output\n"
                                  "d,g,1,2,3,310,output\n", encoding="utf-8")
    easim("calibrate", folder / "d.csv", "-o", folder / "d.yaml")
    shown = easim("models", folder / "d.yaml", "--profile", folder / "d.csv", "--out", folder / "shown").stdout
    assert f"note: 2 of 2 rows of {folder}/d.csv match these models and GPU types" in shown, shown
    measured = [row for row in rows_of(folder / "shown" / "measured.csv") if row["source"] == "profile"]
    assert [(row["b"], row["rate_per_s"], row["power_w"]) for row in measured] == [("1.0", "2.0", "300.0"), ("2.0", "3.0", "310.0")], measured
    other = easim("models", folder / "d.yaml", "--profile", folder / "p.csv", "--out", folder / "none", code=2).stderr
    assert other == (f"--profile: {folder}/p.csv: no row matches a model and GPU type that is shown; the first is for m on g\n"), other


def outputs_and_both(folder):
    """Outputs with one latency; a model may have lookup and serving tables of outputs."""
    odd = folder / 'a "quoted" name.csv'
    odd.write_text(
        "model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu,unit,running_batch,latency_ms\n"
        "d,g,1,1,2,300,output,,\nd,g,1,2,3,300,output,,\nd,g,1,3,3.6,320,output,,\nd,g,1,1,2,300,output,1,500\n",
        encoding="utf-8")
    done = easim("calibrate", odd, "-o", folder / "m.yaml", "--m0", 8, "--phi", 1)
    assert done.stderr == "--m0 has no effect, because no row has samples\n--phi has no effect, because no row has samples\n", done.stderr
    text = (folder / "m.yaml").read_text(encoding="utf-8")
    assert text.count("name:") == 1 and "lookup:" in text and "latency_ms: 500}" in text
    # b 2 between 1 and 3: iterations of 1/2 and 3/3.6 s, so 2/3 s, as measured; 150 and 800/3 J, so 312.5 W for 300
    assert "throughput   median  0.00 %" in done.stdout and "power        median  4.17 %" in done.stdout, done.stdout
    scenario = folder / "c.yaml"
    scenario.write_text("""\
name: c
horizon: drain
cluster: {gpu_types: [{name: g, idle_w: 1, ctx_w: 2, tdp_w: 400, memory_gib: 80}], nodes: [{gpu: g, gpus: 1}]}
models: m.yaml
workload: {kind: poisson, load: 0.5, until: {jobs: 3}, sizes: {law: constant, mean: 1h}, k: [1]}
policy: {name: fcfs}
""", encoding="utf-8")
    easim("run", scenario, "--out", folder / "out", "--quiet", "--check")
    assert {row["b"] for row in rows_of(folder / "out" / "jobs.csv")} == {"3.0"}  # the fastest


def both_files(folder):
    """Generation and serving in one profile: models in the order of their names, each with its own tables."""
    files = [SOURCE / "tests/profiles/mlenergy" / name for name in ("generation.csv", "serving.csv")]
    easim("profile", "mlenergy", *files, "-o", folder / "both.csv")
    easim("calibrate", folder / "both.csv", "-o", folder / "both.yaml")
    text = (folder / "both.yaml").read_text(encoding="utf-8")
    names = ["lab/a", "lab/b/draw", "lab/b/film", "lab/c-bf16", "lab/c-fp8", "lab/llm"]
    assert re.findall(r'- name: "(.*)"\n    unit: (\w+)', text) == [
        (name, "token" if name == "lab/llm" else "output") for name in names], text
    assert text.count("efficiency: none") == 5 and text.count("prompt:") == 1
    assert {key: len(points) for key, points in points_of(text).items()} == {
        ("lab/a", "h100", 1): 1, ("lab/a", "h100", 2): 1, ("lab/a", "h100", 8): 1, ("lab/b/draw", "nvidia-h200", 1): 1,
        ("lab/b/film", "h100", 1): 1, ("lab/c-bf16", "h100", 1): 1, ("lab/c-fp8", "h100", 1): 1, ("lab/llm", "h100", 2): 2}
    shown = easim("models", folder / "both.yaml").stdout
    assert shown.count("speed by lookup") == 5 and shown.count("serving table") == 1, shown


def fastest_layouts(rows):
    best = {}
    for line, row in enumerate(rows, 2):
        key = row["model_id"], row["gpu_model"].lower(), int(row["num_gpus"]), int(row["batch_size"])
        rank = -float(row["throughput_per_sec"]), float(row["energy_per_output_joules"]), line
        if key not in best or rank < best[key]:
            best[key] = rank
    return best


def generation_rows(folder):
    table = rows_of(real_data("serving/mlenergy_diffusion.csv"))
    best = fastest_layouts(table)
    easim("profile", "mlenergy", real_data("serving/mlenergy_diffusion.csv"), "-o", folder / "p.csv",
          says=f"{len(table) - len(best)} of 1020 rows left out: slower layouts")
    rows = rows_of(folder / "p.csv")
    assert len(rows) == len(best) == 461
    for row in rows:
        k = int(row["k"])
        _, _, line = best.pop((row["model"], row["gpu"], k, round(float(row["batch_per_gpu"]) * k)))
        measured = table[line - 2]
        assert f"line {line}" in row["source"] and row["unit"] == "output"
        assert float(row["throughput_samples_s"]) == float(measured["throughput_per_sec"])
        assert math.isclose(float(row["power_w_per_gpu"]) * k, float(measured["avg_power_watts"]), rel_tol=1e-14)


def pooled(values):
    """Isotonic regression as max over a <= i of min over b >= i of the mean of a..b."""
    n = len(values)
    return [max(min(statistics.fmean(values[a:b + 1]) for b in range(i, n)) for a in range(i + 1)) for i in range(n)]


def predicted(points, n):
    """Rate, power and median latency at n, from (n, rate, power, p50) in ascending n."""
    rate, latency = pooled([p[1] for p in points]), pooled([p[3] for p in points])
    i = max(j for j, p in enumerate(points[:-1]) if p[0] < n)
    low, high = points[i][0], points[i + 1][0]
    share = (n - low) / (high - low)
    per_request = low / rate[i] + share * (high / rate[i + 1] - low / rate[i])
    return (n / per_request, points[i][2] + math.log(n / low) / math.log(high / low) * (points[i + 1][2] - points[i][2]),
            latency[i] + share * (latency[i + 1] - latency[i]))


def serving_errors():
    limits, errors = {}, ([], [], [])
    for row in rows_of(real_data("serving/mlenergy_llm.csv")):
        curve = row["task"], row["model_id"], row["gpu_model"], row["num_gpus"]
        limits.setdefault((curve, int(row["max_num_seqs"])), []).append([float(row[name]) for name in (
            "avg_batch_size", "output_throughput_tokens_per_sec", "avg_power_watts", QUANTILES[0])])
    curves = {}
    for (curve, _), rows in sorted(limits.items()):
        curves.setdefault(curve, []).append([statistics.fmean(column) for column in zip(*rows)])
    assert (len(curves), sum(map(len, curves.values()))) == (114, 738)
    for points in curves.values():
        for i in range(1, len(points) - 1):
            found = predicted(points[:i] + points[i + 1:], points[i][0])
            for quantity, value in enumerate(found):
                errors[quantity].append(abs(value / points[i][quantity + 1] - 1))
    return [100 * statistics.median(values) for values in errors]


def generation_errors(rows):
    """Time and energy of an iteration from the neighbours in batch size: linear in it."""
    curves, errors = {}, ([], [])
    for row in rows:
        curves.setdefault((row["model"], row["gpu"], row["k"]), []).append(
            [float(row[name]) for name in ("batch_per_gpu", "throughput_samples_s", "power_w_per_gpu")])
    for points in curves.values():
        points.sort()
        for low, here, high in zip(points, points[1:], points[2:]):
            share = (here[0] - low[0]) / (high[0] - low[0])
            seconds = [p[0] / p[1] for p in (low, high)]
            errors[0].append(abs(here[0] / (seconds[0] + share * (seconds[1] - seconds[0])) / here[1] - 1))
            joules = [p[2] * s for p, s in zip((low, high), seconds)]
            errors[1].append(abs((joules[0] + share * (joules[1] - joules[0])) /
                                 (seconds[0] + share * (seconds[1] - seconds[0])) / here[2] - 1))
    return [100 * statistics.median(values) for values in errors]


def printed_medians(text, quantities):
    return [float(re.search(rf"{name} +median +([\d.]+) %", text)[1]) for name in quantities]


def left_out_errors(folder):
    """Printed as computed here, and within what was promised of them."""
    easim("profile", "mlenergy", real_data("serving/mlenergy_llm.csv"), "-o", folder / "s.csv")
    for profile, expected, most in (("s.csv", serving_errors(), (4, 3, 5)),
                                    ("p.csv", generation_errors(rows_of(folder / "p.csv")), (3, 3))):
        text = easim("calibrate", folder / profile).stdout
        names = ("throughput", "power", "latency p50")[:len(expected)]
        for found, error, limit in zip(printed_medians(text, names), expected, most):
            assert abs(found - error) <= 0.00501 and error <= limit, (profile, found, error, limit)


def request_s(row):
    return (float(row["ttft_ms"]) + (int(row["output_tokens"]) - 1) * float(row["tpot_ms"])) / 1000


def prompt_costs(rows):
    """Median, by concurrency, of what a prompt token costs in output tokens: the times of runs with 1,024 and 8,192 prompt tokens
    and all else equal as two equations."""
    groups, found = {}, {}
    for row in rows:
        rest = tuple(value for name, value in row.items() if name not in ("prompt_tokens", "ttft_ms", "tpot_ms"))
        groups.setdefault((int(row["concurrency"]), int(row["output_tokens"]), rest), {}).setdefault(
            row["prompt_tokens"], []).append(request_s(row))
    for (concurrency, output, _), times in groups.items():
        if "1024" in times and "8192" in times:
            short, long = statistics.fmean(times["1024"]), statistics.fmean(times["8192"])
            # short = output x a + 1024 x b, long = output x a + 8192 x b, by Cramer's rule
            found.setdefault(concurrency, []).append(output * (long - short) / (8192 * short - 1024 * long))
    return {concurrency: (len(values), statistics.median(values)) for concurrency, values in found.items()}


def throughput_errors(rows):
    """Of runs between others of their curve: seconds of a request are linear in the concurrency. No curve of these falls where it
    matters for the median."""
    curves, errors = {}, []
    for row in rows:
        rest = tuple(value for name, value in row.items() if name not in ("concurrency", "ttft_ms", "tpot_ms"))
        n = int(row["concurrency"])
        curves.setdefault(rest, {}).setdefault(n, []).append(n * int(row["output_tokens"]) / request_s(row))
    for curve in curves.values():
        points = sorted((n, statistics.fmean(rates)) for n, rates in curve.items())
        for (n1, x1), (n, x), (n2, x2) in zip(points, points[1:], points[2:]):
            share = (n - n1) / (n2 - n1)
            found = n / (n1 / x1 + share * (n2 / x2 - n1 / x1)) if x2 > x1 else (x1 + x2) / 2
            errors.append(abs(found / x - 1))
    return 100 * statistics.median(errors), len(errors)


def latencies_without_power(folder):
    """What prompts cost and how throughput follows from concurrency: printed as computed here."""
    rows = rows_of(real_data("serving/points.csv.gz"))
    done = easim("profile", "points", real_data("serving/points.csv.gz"), "-o", folder / "points.csv", "--format", "json")
    report = json.loads(done.stdout)
    expected = prompt_costs(rows)
    assert len(rows) == 2809 and sum(count for count, _ in expected.values()) == 571
    found = {group["running_batch"]: (group["comparisons"], group["output_equivalents_median"]) for group in report["prompts"]}
    assert found.keys() == expected.keys()
    for n, (count, median) in expected.items():
        assert found[n][0] == count and math.isclose(found[n][1], median, rel_tol=1e-9), (n, found[n], count, median)
    assert [round(found[n][1], 3) for n in (4, 64, 256)] == [0.016, 0.105, 0.194]
    median, count = throughput_errors(rows)
    left_out = report["throughput_left_out"]
    assert left_out["points"] == count and abs(left_out["median_percent"] - median) < 0.02, (left_out, median, count)
    table = rows_of(folder / "points.csv")
    assert len(table) == 2809 and all(not row["power_w_per_gpu"] for row in table)
    assert sum(bool(row["prompt"]) for row in table) >= 2 * (571 - 6)


def shipped_tables():
    """Every point of the shipped tables stands in the data."""
    measured = {}
    for row in rows_of(real_data("serving/mlenergy_llm.csv")):
        measured.setdefault((row["gpu_model"].lower(), int(row["num_gpus"]), float(row["max_num_seqs"])), []).append(row)
    count = 0
    for (model, gpu, k), points in points_of((SOURCE / "configs/models/serving.yaml").read_text(encoding="utf-8")).items():
        for point in points:
            rows = [row for row in measured[gpu, k, point["limit"]]
                    if model in (row["model_id"], f"{row['model_id']}/{row['task']}")]
            for key, column in {"n": "avg_batch_size", "per_s": "output_throughput_tokens_per_sec",
                                "power_w": "avg_power_watts", "p50": QUANTILES[0], "p99": QUANTILES[3]}.items():
                mean = statistics.fmean(float(row[column]) for row in rows)
                assert math.isclose(point[key], mean, rel_tol=1e-14), (model, gpu, k, point, key, mean)
            count += 1
    assert count == 738


def shipped_run(folder):
    """Each model of generation in each of its configurations is measured: none is in between."""
    for model in ("PixArt-alpha/PixArt-Sigma-XL-2-1024-MS", "tencent/HunyuanVideo"):
        (folder / "c.yaml").write_text(f"""\
name: c
horizon: drain
cluster:
  gpu_types: [{{name: h100, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}}]
  nodes: [{{gpu: h100, gpus: 8}}]
models: {SOURCE}/configs/models/mlenergy.yaml
workload: {{kind: poisson, load: 0.5, until: {{jobs: 20}}, mix: [{{model: {model}}}], sizes: {{law: constant, mean: 1h}}, k: [1, 2, 4, 8]}}
policy: {{name: pollux}}
""", encoding="utf-8")
        easim("run", folder / "c.yaml", "--out", folder / model, "--quiet", "--check")
        lookup = {(p["k"], p["batch"]) for key, points in points_of(
            (SOURCE / "configs/models/mlenergy.yaml").read_text(encoding="utf-8")).items() if key[:2] == (model, "h100")
            for p in points}
        used = {(float(row["k"]), float(row["b"])) for row in rows_of(folder / model / "jobs.csv")}
        assert used and used <= lookup, used - lookup


def shipped_models():
    real_data()
    run(sys.executable, SOURCE / "tools/inference_models.py", EASIM, SOURCE, "--check")


cases(small_tables, checked_rows, shown_models, outputs_and_both, both_files, shipped_run, generation_rows, left_out_errors, shipped_tables,
      latencies_without_power, shipped_models, shared=True)
