"""easim calibrate from the outside: test_calibrate_command.py EASIM SOURCE.

Expected values: left-out errors and the choice from an independent computation here (Gauss-Newton on the affine form,
in plain Python); recovered parameters from those that made the data; the written file is loaded and run by easim.
"""
import math
import random
import re
import resource
import shutil
import struct
import xml.etree.ElementTree as ElementTree

from harness import SOURCE, cases, easim, form, rows_of, run, write_table

HEAD = "model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu,power_limit_w\n"
SCENARIO = """\
name: calibrated
horizon: drain
cluster:
  gpu_types: [{name: "card one", idle_w: 30, ctx_w: 60, tdp_w: 320, memory_gib: 48}]
  nodes: [{count: 1, gpu: "card one", gpus: 4}]
models: MODELS
workload: {kind: poisson, rate_per_s: 0.005, k: KS, until: {jobs: 20}, sizes: {law: constant, mean: 1h}}
policy: {name: zeus}
"""


def numbers(text, key):
    """The values of `key: number` in YAML text, in order."""
    return [float(value) for value in re.findall(rf"\b{key}: ([-+0-9.e]+)", text)]


def runs(folder, models, ks="[1]"):
    (folder / "run.yaml").write_text(SCENARIO.replace("MODELS", models).replace("KS", ks), encoding="utf-8")
    assert easim("check", "run.yaml", cwd=folder).stdout == "run.yaml: ok\n"
    easim("run", "run.yaml", "--check", "--strict", "--quiet", "--force", "--out", "out", cwd=folder)


def affine(points):
    """a and c of t = a + c b with least sum of (r/measured - 1)^2, r = b/t, by damped Gauss-Newton."""
    a, c = 0.01, 0.003

    def cost(a, c):
        return sum((b / (a + c * b) / rate - 1) ** 2 for b, rate in points) if a > 0 and c > 0 else math.inf

    for _ in range(200):
        aa = ac = cc = ga = gc = 0.0
        for b, rate in points:
            t = a + c * b
            f, by_a, by_c = b / t / rate - 1, -b / t ** 2 / rate, -b * b / t ** 2 / rate
            aa, ac, cc, ga, gc = aa + by_a ** 2, ac + by_a * by_c, cc + by_c ** 2, ga + by_a * f, gc + by_c * f
        determinant = aa * cc - ac * ac
        step_a, step_c = (cc * ga - ac * gc) / determinant, (aa * gc - ac * ga) / determinant
        share = 1.0
        while cost(a - share * step_a, c - share * step_c) > cost(a, c) and share > 1e-9:
            share /= 2
        a, c = a - share * step_a, c - share * step_c
    return a, c


def left_out_by_hand(folder):
    """Eight batches with noise of 3 %: fit and left-out errors of the affine form as computed here."""
    rng = random.Random(4)
    points = [(b, b / (0.02 + 0.004 * b) * rng.gauss(1, 0.03)) for b in (2, 4, 8, 16, 32, 64, 128, 256)]
    (folder / "p.csv").write_text(HEAD + "".join(f"m,card one,1,{b},{rate!r},,\n" for b, rate in points))
    a, c = affine(points)
    in_sample = sum(abs(b / (a + c * b) / rate - 1) for b, rate in points) / len(points)
    left_out = 0.0
    for b, rate in points:
        others_a, others_c = affine([p for p in points if p[0] != b])
        left_out += abs(b / (others_a + others_c * b) / rate - 1) / len(points)
    easim("calibrate", "p.csv", "-o", "m.yaml", cwd=folder)
    text = (folder / "m.yaml").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if '"affine, no sync"' in line and "of: throughput" in line)
    assert math.isclose(numbers(row, "in_sample")[0], in_sample, rel_tol=1e-6), (row, in_sample)
    assert math.isclose(numbers(row, "leave_one_out")[0], left_out, rel_tol=1e-5), (row, left_out)
    assert "chosen: true" in row, text
    assert math.isclose(numbers(text, "a_s")[0], a, rel_tol=1e-5) and math.isclose(numbers(text, "c_s")[0], c, rel_tol=1e-5)
    assert math.isclose(numbers(text, "mape_leave_one_out")[0], left_out, rel_tol=1e-5)
    assert "power: tdp" in text and "p0_w" not in text
    runs(folder, "m.yaml")


def table_where_forms_miss(folder):
    """A cliff between two batches: the table, which easim then runs; its own rows are met exactly."""
    rows = [(k, b, k * b / ((1 if b < 32 else 3) * (0.01 + 0.001 * b)), 200 if b < 32 else 300)
            for k in (1, 2, 4) for b in (8, 16, 24, 32, 64)]
    (folder / "t.csv").write_text(HEAD + "".join(f"m,card one,{k},{b},{r!r},{w},\n" for k, b, r, w in rows))
    easim("calibrate", "t.csv", "-o", "t.yaml", cwd=folder, prints="lookup table: the form misses the ")
    text = (folder / "t.yaml").read_text(encoding="utf-8")
    assert numbers(text, "throughput_samples_s") == [r for _, _, r, _ in rows] and "a_s" not in text.split("fit:")[0]
    runs(folder, "t.yaml", "[1, 2, 3, 4]")
    easim("calibrate", "--check", "t.yaml", "t.csv", "--max-error", "1e-12", cwd=folder, prints="15 of 15 rows predicted")


def check_of_unseen_points(folder):
    """Calibrated on some batches, checked on others and on rows that are 10 % too fast (exit status 1)."""
    def rows(batches, factor):
        return HEAD + "".join(f"m,card one,{k},{b},{factor * k * b / (0.02 + 0.004 * b + (k > 1) * 0.003)!r},"
                              f"{100 + 200 * 0.004 * b / (0.02 + 0.004 * b + (k > 1) * 0.003)!r},\n"
                              for k in (1, 2, 4) for b in batches)
    (folder / "seen.csv").write_text(rows((2, 8, 32, 128), 1))
    (folder / "unseen.csv").write_text(rows((4, 16, 64), 1))
    (folder / "fast.csv").write_text(rows((4, 16, 64), 1.1) + "other,card one,1,8,100,,\nm,card two,1,8,100,,\n")
    easim("calibrate", "seen.csv", "-o", "seen.yaml", cwd=folder)
    out = easim("calibrate", "--check", "seen.yaml", "unseen.csv", "--max-error", "0.0001", cwd=folder).stdout
    assert "9 of 9 rows predicted" in out and "throughput 0.00 %, power 0.00 %" in out, out
    easim("calibrate", "--check", "seen.yaml", "fast.csv", "--max-error", "0.11", cwd=folder)
    out = easim("calibrate", "--check", "seen.yaml", "fast.csv", "--max-error", "0.05", "--points", "fast_points.csv",
                code=1, cwd=folder).stdout
    assert "throughput 9.09 %" in out and "above the allowed error of 5 %" in out, out  # 1 - 1/1.1
    assert "no such model in the file" in out and "the model does not know this GPU type" in out, out
    points = rows_of(folder / "fast_points.csv")
    assert len(points) == 11 and points[-1]["throughput_model"] == points[-1]["predicted_by"] == ""
    assert points[0]["predicted_by"] == "form", points[0]
    assert math.isclose(1.1 * float(points[0]["throughput_model"]), float(points[0]["throughput_samples_s"]),
                        rel_tol=1e-6)
    (folder / "none.csv").write_text(HEAD + "other,card one,1,8,100,,\n")
    easim("calibrate", "--check", "seen.yaml", "none.csv", code=1, cwd=folder)


def power_limits(folder):
    """Only rows at the highest limit are fitted; the optimum by time x power at each limit: 300 W 1, 200 W 1.1 x 0.7,
    100 W 2 x 0.4."""
    rows = "".join(f"m,card one,1,{b},{b / (0.02 + 0.004 * b) / slow!r},{240 * share!r},{limit}\n"
                   for limit, slow, share in ((100, 2, 0.4), (300, 1, 1), (200, 1.1, 0.7)) for b in (4, 8, 16, 64, 256))
    (folder / "l.csv").write_text(HEAD + rows)
    easim("calibrate", "l.csv", "-o", "l.yaml", cwd=folder, prints="5 rows, 5 configurations, at the highest limit of 300 W")
    text = (folder / "l.yaml").read_text(encoding="utf-8")
    assert numbers(text, "energy_optimal_w") == [200]
    assert math.isclose(numbers(text, "a_s")[0], 0.02, rel_tol=1e-6) and math.isclose(numbers(text, "p0_w")[0], 240)
    for key, expected in (("time_ratio", (2, 1.1, 1)), ("energy_ratio", (0.8, 0.77, 1))):
        assert all(math.isclose(x, y) for x, y in zip(numbers(text, key), expected)), text
    assert len(numbers(text, "iteration_s")) == 15
    runs(folder, "l.yaml")


def what_points_cannot_tell(folder):
    """Power that cannot depend on the rate is constant, never linear with a made-up p0_w; power of one configuration
    stands for all, says so and leaves the form of the throughput; rows at limits that no fitted row matches are named."""
    def written(rows):
        (folder / "w.csv").write_text(HEAD + "".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
        out = easim("calibrate", "w.csv", "-o", "w.yaml", cwd=folder).stdout
        runs(folder, "w.yaml")
        return out, (folder / "w.yaml").read_text(encoding="utf-8")
    rng = random.Random(3)
    # c r / k = 1 at any batch and k: pmax_w alone is told, by its mean (weights 1/power^2: to 1 % of it)
    rows = [("m", "card one", 1, b, 100 * rng.gauss(1, 0.01), 250 * rng.gauss(1, 0.01), "") for b in (4, 8, 16, 32, 64)]
    out, text = written(rows)
    assert "proportional, no sync, constant power: " in out and "identifiable" not in out, out
    assert "linear power" in text and "cannot be told apart" in text
    assert math.isclose(numbers(text, "p0_w")[0], sum(row[5] for row in rows) / 5, rel_tol=1e-3), text
    rows = [("m", "card one", 1, b, b / (0.02 + 0.003 * b) * (1 + 0.001 * (b % 3)), 210 if b == 8 else "", "")
            for b in (2, 4, 8, 16, 32, 64)]
    out, text = written(rows)
    assert "choice            affine, no sync: " in out and "; constant power, not tested" in out, out
    assert "warning: power was measured at 1 configuration: " in out, out
    assert numbers(text, "p0_w")[0] == numbers(text, "pmax_w")[0] and math.isclose(numbers(text, "p0_w")[0], 210)
    assert re.search(r"left out +throughput [0-9.]+ %$", out, re.MULTILINE), out
    rows = [("m", "card one", 1, b, b / (0.02 + 0.003 * b), 210, "") for b in (8, 16, 32)]
    rows += [("m", "card one", 1, b, b / (0.03 + 0.003 * b), 190, 200) for b in (16, 64, 128)]
    out, text = written(rows)
    assert "warning: 2 rows at lower power limits not used" in out and numbers(text, "configurations")[-1] == 1, out


def names_of_any_kind(folder):
    """Quotes, backslashes, colons and hashes in a name come back from the written file."""
    names = ['a "b" \\ c: #1', "- é'", "null", "1e3"]
    write_table(folder / "n.csv", HEAD.strip(), ([name, name, 1, b, b / (0.02 + 0.003 * b), 200, ""] for name in names for b in (1, 2, 4, 8)))
    easim("calibrate", "n.csv", "-o", "n.yaml", cwd=folder)
    out = easim("calibrate", "--check", "n.yaml", "n.csv", "--max-error", "1e-6", cwd=folder).stdout
    assert [line for line in out.splitlines() if " on " in line] == [
        f"{name} on {name}: 4 of 4 rows predicted" for name in names], out


def m0_and_phi(folder):
    easim("calibrate", "p.csv", "-o", "phi.yaml", "--m0", "512", "--phi", "1000", cwd=folder)
    text = (folder / "phi.yaml").read_text(encoding="utf-8")
    assert "    m0: 512\n    phi: 1000\n" in text, text
    runs(folder, "phi.yaml")
    easim("calibrate", "p.csv", "-o", "phi.yaml", "--force", cwd=folder)  # replaced whole, with --force or without
    text = (folder / "phi.yaml").read_text(encoding="utf-8")
    assert "m0: 512" not in text and "phi: 1000" not in text, text


def ten_thousand_rows(folder):
    """100 models of 100 rows, and one model of 10,000: CPU time is printed; far more than measured fails."""
    rng = random.Random(1)
    for name, models, ks, batches in (("many", 100, (1, 2, 4, 8, 16), [2 ** i * 3 ** j for i in range(10) for j in (0, 1)]),
                                      ("one", 1, range(1, 101), range(2, 202, 2))):
        with open(folder / f"{name}.csv", "w", encoding="utf-8") as file:
            file.write(HEAD)
            for m in range(models):
                for k in ks:
                    for b in batches:
                        t = math.hypot(0.02, 0.004 * b) + (0.003 + 0.001 * (k - 2) if k > 1 else 0)
                        file.write(f"m{m},card one,{k},{b},{k * b / t * rng.gauss(1, 0.02)},"
                                   f"{(100 + 0.8 * b / t) * rng.gauss(1, 0.02)},\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        out = easim("calibrate", f"{name}.csv", "-o", f"{name}.yaml", cwd=folder).stdout
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        print(f"10,000 rows, {models} models: {used:.1f} s of CPU time")
        assert out.count(" on card one: ") == models and used < 120


def figure(folder):
    """The figure of a form and of a table has points and lines, and names what it shows."""
    if not shutil.which("gnuplot"):
        print("no figure: gnuplot not found")
        return
    easim("calibrate", "t.csv", "--points", "t_points.csv", cwd=folder)
    run("gnuplot", "-e", "points='t_points.csv'; out='figures'", SOURCE / "tools" / "calibration.gp", cwd=folder)
    data = (folder / "figures" / "01-m-card-one.png").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and width >= 600 and height >= 400 and len(data) > 8000
    text = " ".join(ElementTree.parse(folder / "figures" / "01-m-card-one.svg").getroot().itertext())
    for words in ("m on card one", "k = 1", "k = 4", "samples/s of one GPU", "W of one GPU"):
        assert words in text, (words, text)
    kinds = {row["predicted_by"] for row in rows_of(folder / "t_points.csv")}
    assert kinds == {"table"} and "lines: a lookup table of them" in text, (kinds, text)


cases(left_out_by_hand, table_where_forms_miss, check_of_unseen_points, power_limits, what_points_cannot_tell, names_of_any_kind,
      m0_and_phi, figure, *form([ten_thousand_rows], []), shared=True)
