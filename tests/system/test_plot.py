"""Figures of runs, comparisons and sweeps: test_plot.py EASIM SOURCE; skipped without gnuplot.

The data that a figure draws are computed again from the results; pictures are decoded; names are as hostile as a file
system allows.
"""
import json
import math
import os
import re
import shutil
import statistics
import sys
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

from harness import EASIM, SOURCE, TINY, cases, form, rows_of, run, write_rows, write_table
from pictures import check_png

sys.path.insert(0, str(SOURCE / "tests" / "support"))
from manifests import seal  # noqa: E402

POLICIES = ["fcfs", "zeus", "charon"]
OF_RUNS = ["jct", "power", "occupancy", "queue", "bars"]
OF_COMPARISONS = ["pareto", *OF_RUNS]
OF_SWEEPS = ["lines", "heatmap"]
T_975 = {2: 12.706204736432095, 3: 4.302652729911275}  # quantiles of Student's t for n - 1, from tables

SWEEP = """\
name: plotted
base: {base}
set: {{replications: 3, horizon: 2h}}
axes:
  - {{path: policy.name, values: [zeus, fcfs]}}
  - {{path: workload.rate_per_s, label: arrivals (jobs/s), values: [0.02, 0.004, 0.008]}}
  - {{path: "cluster.nodes[1].gpus", values: [4, 8]}}
  - zip: [{{path: "cluster.nodes[0].gpus", label: A100 of the first node, values: [4, 8]}}]
"""


def easim(*words, **more):
    done = run(EASIM, *words, errors="surrogateescape", **more)
    return done.stdout, done.stderr


def close(a, b, tolerance=1e-9):
    return math.isclose(float(a), float(b), rel_tol=tolerance, abs_tol=1e-12)


# ---- pictures -------------------------------------------------------------------------------------------------------

def size_of(folder, name):
    head = dict(line.split(" = ", 1) for line in (folder / f"{name}.gp").read_text(errors="surrogateescape").splitlines()[:12]
                if " = " in line)
    return int(head["width"]), int(head["height"])


def check_figure(folder, name, words=(), pixels=True):
    """All three formats, and the words somewhere in the SVG."""
    text = " ".join(ElementTree.parse(folder / f"{name}.svg").getroot().itertext())
    for word in words:
        assert word in text, (folder, name, word, text)
    if pixels:
        check_png(folder / f"{name}.png", *size_of(folder, name))
    pdf = (folder / f"{name}.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF") and len(pdf) > 4000, name
    sizes = set()
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        if stream[:1] == b"x":  # compressed
            sizes |= set(re.findall(rb"([0-9.]+) 0 0 [-0-9.]+ [0-9.]+ [0-9.]+ Tm", zlib.decompressobj().decompress(stream)))
    assert b"10.5" in sizes and max(map(float, sizes)) <= 10.5, (name, sizes)  # 14 pixels of 1/96 inch, in points


def check_redrawn(folder, names):
    """What was kept draws the same bytes, by gnuplot alone."""
    for name in names:
        kept = (folder / f"{name}.svg").read_bytes(), (folder / f"{name}.png").read_bytes()
        (folder / f"{name}.svg").unlink()
        (folder / f"{name}.png").unlink()
        done = run("gnuplot", "-d", f"{name}.gp", cwd=folder)
        assert done.stderr == "", (name, done.stderr)
        assert kept == ((folder / f"{name}.svg").read_bytes(), (folder / f"{name}.png").read_bytes()), name


def plot(*words, figures, **more):
    """Draws in all formats; exactly these figures, without a word of gnuplot."""
    out = words[-1]
    said, err = easim("plot", *words[:-1], "--out", out, "--format", "svg,pdf,png", **more)
    assert err == "", err
    expected = {f"{name}.{ending}" for name in figures for ending in ("gp", "csv", "svg", "pdf", "png")}
    assert {path.name for path in Path(out).iterdir()} == expected, list(Path(out).iterdir())
    return said


# ---- data -----------------------------------------------------------------------------------------------------------

def check_pareto(results, figures):
    """Means and intervals as in compare.csv; the front is what nobody beats."""
    compared = {(row["metric"], row["policy"]): row for row in rows_of(results / "compare.csv")}
    points, front = {}, []
    for row in rows_of(figures / "pareto.csv"):
        if row["series"] == "0":
            front.append((row["x"], row["y"]))
            continue
        points[row["policy"]] = (row["x"], row["y"])
        for axis, metric in (("x", "energy_per_work_kwh"), ("y", "jct_restricted_mean_s")):
            source = compared[metric, row["policy"]]
            assert close(row[axis], source["mean"]), (row, source)
            assert close(row[f"{axis}_ci95"], source["ci95"]), (row, source)
    assert sorted(points) == sorted(POLICIES)
    values = {policy: tuple(map(float, point)) for policy, point in points.items()}
    best = sorted(points[p] for p in POLICIES
                  if not any(values[q][0] <= values[p][0] and values[q][1] <= values[p][1] and values[q] != values[p]
                             for q in POLICIES))
    assert sorted(front) == best, (front, best)


def check_jct(results, figures):
    """Every point of a curve is the share of all rows of jobs.csv that finished within its time."""
    for policy in POLICIES:
        jobs = rows_of(results / policy / "jobs.csv")
        finished = sorted(float(job["jct_s"]) for job in jobs if job["status"] == "finished")
        assert len(finished) < len(jobs)  # there is something that a curve over finished jobs would hide
        curve = [row for row in rows_of(figures / "jct.csv") if row["policy"] == policy]
        assert float(curve[0]["share_percent"]) == 0 and close(curve[-1]["share_percent"], 100 * len(finished) / len(jobs))
        for before, after in zip(curve[0::2], curve[1::2]):  # both ends of a step
            assert before["jct_h"] == after["jct_h"], (before, after)
        for row in curve[1::2]:
            within = sum(1 for jct in finished if jct <= float(row["jct_h"]) * 3600 * (1 + 1e-12))
            assert close(row["share_percent"], 100 * within / len(jobs)), (policy, row, within)


def check_time(results, figures, replication):
    """Few rows: as they are in power.csv, the last one up to the end of the run (sim_s: there is no warm-up)."""
    for policy in POLICIES:
        rows = [row for row in rows_of(results / policy / "power.csv") if row["replication"] == str(replication)]
        end_s, = (float(row["sim_s"]) for row in rows_of(results / policy / "summary.csv")
                  if row["replication"] == str(replication))
        assert 0.9 * end_s < float(rows[-1]["time_s"]) <= end_s
        if float(rows[-1]["time_s"]) < end_s:
            rows.append({**rows[-1], "time_s": end_s})
        drawn = [row for row in rows_of(figures / "power.csv") if row["policy"] == policy]
        assert len(drawn) == len(rows) > 20
        for row, source in zip(drawn, rows):
            assert close(row["time_h"], float(source["time_s"]) / 3600)
            assert close(row["power_kw"], float(source["power_w"]) / 1000) and row["power_kw"] == row["low_kw"] == row["high_kw"]
            assert close(row["cap_kw"], float(source["cap_w"]) / 1000)
        queue = [float(row["waiting"]) for row in rows_of(figures / "queue.csv") if row["policy"] == policy]
        assert queue[::2] == [float(row["waiting"]) for row in rows]  # and before each change what was there
        assert queue[1::2] == [float(row["waiting"]) for row in rows[:-1]]
        used = [float(row["alloc_gpus"]) for row in rows_of(figures / "occupancy.csv") if row["policy"] == policy]
        assert used[::2] == [float(row["alloc_gpus"]) for row in rows]
        assert used[1::2] == [float(row["alloc_gpus"]) for row in rows[:-1]]


def check_bars(results, figures):
    compared = {(row["metric"], row["policy"]): row for row in rows_of(results / "compare.csv")}
    metrics = ["deadline_miss_rate", "jain_gpu_s", "jain_slowdown", "ftf_mean"]
    rows = rows_of(figures / "bars.csv")
    assert [(row["metric"], row["policy"]) for row in rows] == [(m, p) for m in metrics for p in POLICIES]
    for row in rows:
        factor = 100 if row["metric"] == "deadline_miss_rate" else 1
        source = compared[row["metric"], row["policy"]]
        assert close(row["mean"], factor * float(source["mean"])) and close(row["ci95"], factor * float(source["ci95"]))


def estimate(values):
    ci95 = T_975[len(values)] * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.mean(values), ci95


def check_cells(table, drawn, x, line, factor, metric):
    """Each cell of a figure: over points that it does not tell apart, every replication is averaged first."""
    cells = {}
    for row in table:
        cell = cells.setdefault((float(row[x]), row[line]), {})
        cell.setdefault(row["replication"], []).append(float(row[metric]))
    expected = {key: estimate([statistics.mean(values) for values in cell.values()]) for key, cell in cells.items()}
    assert set(expected) == set(drawn), (sorted(expected), sorted(drawn))
    for key, (mean, ci95) in expected.items():
        assert close(drawn[key][0], factor * mean, 1e-9) and close(drawn[key][1], factor * ci95, 1e-6), (key, drawn[key])


# ---- tests ----------------------------------------------------------------------------------------------------------

def test_comparison(folder):
    results, figures = folder / "compared", folder / "compared figures"
    easim("compare", SOURCE / "configs" / "power-cap.yaml", "--policies", ",".join(POLICIES), "--set", "replications=3",
          "--set", "horizon=4h", "--quiet", "--out", results)
    said = plot(results, "--replication", "2", figures, figures=OF_COMPARISONS)
    assert "lines     not possible: there is no sweep.csv in" in said
    check_pareto(results, figures)
    check_jct(results, figures)
    check_time(results, figures, 2)
    check_bars(results, figures)
    labels = {"pareto": ["energy per work (kWh/GPU h)", "completion time, restricted mean (s)", "means of 3 replications", *POLICIES],
              "jct": ["job completion time (h)", "share of submitted jobs finished (%)", *POLICIES],
              "power": ["power (kW)", "time (h)", "cap", "replication 2", *POLICIES],
              "occupancy": ["GPUs", "time (h)", "allocated", "idle", *POLICIES],
              "queue": ["jobs waiting", "time (h)", *POLICIES],
              "bars": ["deadlines missed (%)", "Jain index, GPU time", "finish-time fairness, mean", *POLICIES]}
    for name in OF_COMPARISONS:
        check_figure(figures, name, labels[name])
    check_redrawn(figures, OF_COMPARISONS)
    before = {path.name: path.read_bytes() for path in figures.iterdir() if path.suffix != ".pdf"}
    plot(results, "--replication", "2", "--force", figures, figures=OF_COMPARISONS)  # PDF holds the time it was made
    assert before == {path.name: path.read_bytes() for path in figures.iterdir() if path.suffix != ".pdf"}
    test_choice(results, folder)
    return results


def test_bounds(folder):
    """Beside bounds.csv: the region that no schedule reaches, on the axes that have a bound; none under a horizon."""
    results, figures = folder / "bounded", folder / "bounded figures"
    easim("compare", TINY, "--policies", "fcfs,zeus,easy", "--bound", "--quiet", "--out", results)
    words = ["plot", results, "--figures", "pareto", "--out", figures, "--format", "svg,png,pdf", "--force"]
    least = {row["metric"]: row["bound"] for row in rows_of(results / "bounds.csv") if row["replication"] == "mean"}

    def edges():
        """Of the region, of the axes, and its row in the data."""
        text = (figures / "pareto.gp").read_text()
        bounds = [float(v) for v in re.search(r"array bounds\[2\] = \[(.*)\]", text).group(1).split(", ")]
        axes = [float(re.search(rf"^{axis}_least = (.*)$", text, re.M).group(1)) for axis in "xy"]
        return bounds, axes, [(row["x"], row["y"]) for row in rows_of(figures / "pareto.csv") if row["series"] == "-1"]

    said, _ = easim(*words)
    assert "note: the axes are what bounds.csv bounds" in said, said
    bounds, axes, rows = edges()
    assert rows == [(least["energy_kwh"], least["jct_mean_s"])]
    assert [str(v) for v in bounds] == [*rows[0]] and bounds[0] > axes[0] and bounds[1] > axes[1], (bounds, axes)
    check_figure(figures, "pareto", ["energy (kWh)", "completion time, mean (s)", "shaded: no schedule of these jobs is there"])
    check_redrawn(figures, ["pareto"])
    said, _ = easim(*words, "--pareto", "deadline_missed,energy_kwh")
    bounds, axes, rows = edges()
    assert "note: deadline_missed has no bound" in said and rows == [("", least["energy_kwh"])], (said, rows)
    assert bounds[0] == axes[0] and bounds[1] == float(least["energy_kwh"]) > axes[1]
    said, _ = easim(*words, "--pareto", "energy_per_work_kwh,jct_p95_s")
    assert edges()[2] == [] and "shaded" not in (figures / "pareto.svg").read_text() and said.count("has no bound") == 2
    text = (results / "bounds.csv").read_text()
    (results / "bounds.csv").write_text(re.sub(r"(energy_kwh,mean,easy,[^,]*,[^,]*),[^,]*,", r"\1,,the policy rejected jobs", text))
    seal(results)
    said, _ = easim(*words)
    assert "note: easy could be in the shaded region: the policy rejected jobs" in said, said
    (results / "bounds.csv").write_text(re.sub(r"energy_kwh,(.*?),(\w+),.*", r"energy_kwh,\1,\2,,,,nodes fail,,", text))
    seal(results)
    said, _ = easim(*words)
    assert "note: energy_kwh has no bound: nodes fail" in said and edges()[2] == [("", least["jct_mean_s"])], said
    for damaged, message in ((text.replace("reason", "why"), "expected a column reason"),
                             (text.replace(least["energy_kwh"], "little"), 'bound: expected a number, got "little"'),
                             (text + "energy_kwh,mean\n", "expected")):
        (results / "bounds.csv").write_text(damaged)
        seal(results)
        _, err = easim(*words, code=2)
        assert message in err and "bounds.csv" in err, err
    easim("compare", TINY, "--policies", "fcfs,zeus", "--set", "horizon=10h", "--bound", "--quiet", "--out", folder / "to 10h")
    said, _ = easim("plot", folder / "to 10h", *words[2:])
    assert "note: no region is shaded: under a horizon" in said and edges()[2] == [], said
    assert "completion time, restricted mean" in (figures / "pareto.svg").read_text()


def test_worlds(folder):
    """A comparison in many worlds: sorted differences with their intervals from worlds.csv, shares as in budget.csv."""
    file, results, figures = folder / "worlds.yaml", folder / "in worlds", folder / "worlds figures"
    text = (SOURCE / "configs" / "eas-sim.yaml").read_text().replace("models: ", f"models: {SOURCE}/configs/")
    laws = {"a100": "cluster.gpu_types[0].idle_w", "h100 'at' rest, %": "cluster.gpu_types[1].idle_w"}
    file.write_text(text + "uncertainty:\n  worlds: 9\n  parameters:\n" + "".join(
        f'    - {{group: "{group}", path: "{path}", law: {{uniform: [10, 90]}}}}\n' for group, path in laws.items()))
    easim("compare", file, "--policies", "pollux,easy,fcfs", "-n", "3", "--set", "horizon=4h", "--quiet", "--out", results)
    said = plot(results, "--metrics", "energy_kwh", figures, figures=[*OF_COMPARISONS, "worlds"])
    assert "worlds    differences in many worlds" in said, said
    runs = {(row["policy"], row["world"], row["replication"]): float(row["energy_kwh"])
            for row in rows_of(results / "worlds.csv") if row["set"] == "0"}
    drawn, signs = rows_of(figures / "worlds.csv"), []
    for place, policy in enumerate(["easy", "fcfs"], 1):
        expected = []
        for world in map(str, range(1, 10)):
            mean, half = estimate([runs[policy, world, r] - runs["pollux", world, r] for r in "123"])
            verdict = 2 if abs(mean) <= half else 0 if mean < 0 else 1
            expected.append((mean, mean - half, mean + half, verdict, world))
        signs.append(f"better in {100 * sum(mean < 0 for mean, *_ in expected) / 9:.0f} % of the worlds")
        rows = [row for row in drawn if row["row"] == str(place) and row["kind"] == "world"]
        for number, (row, values) in enumerate(zip(rows, sorted(expected), strict=True), 1):
            assert row["place"] == str(number) and row["policy"] == policy and row["name"] == values[4]
            assert int(row["colour"]) == values[3], (row, values)
            assert all(close(row[key], value, 1e-7) for key, value in zip(("value", "low", "high"), values)), (row, values)
        shares = [row for row in rows_of(results / "budget.csv") if row["metric"] == "energy_kwh" and row["policy"] == policy
                  and row["share"] != ""]
        rows = [row for row in drawn if row["row"] == str(place) and row["kind"] == "share"]
        assert [row["name"] for row in rows] == [share["source"] for share in shares] and len(rows) >= 3, (rows, shares)
        for row, share in zip(rows, shares, strict=True):
            assert close(row["value"], 100 * float(share["share"])) and row["colour"] == ("4" if row["name"] in laws else "3")
            assert close(row["low"], 100 * float(share["ci_low"])) and close(row["high"], 100 * float(share["ci_high"]))
    check_figure(figures, "worlds", ["difference in energy (kWh)", "9 worlds x 3 workloads", "easy minus pollux", "fcfs minus pollux", "less is better", "clearly worse",
                                     *signs, "physics", "workload", "residual", "a100"])
    check_redrawn(figures, ["worlds"])
    kept = [line for line in (results / "worlds.csv").read_text().splitlines() if not re.match(r"\d+,[^,]*,4,", line)]
    (results / "worlds.csv").write_text("\n".join(kept) + "\n")  # as after an interruption
    seal(results)
    easim("plot", results, "--figures", "worlds", "--out", folder / "without the fourth")
    names = {row["name"] for row in rows_of(folder / "without the fourth" / "worlds.csv") if row["kind"] == "world"}
    assert names == set("12356789"), names
    alone = folder / "one workload"  # without intervals and shares
    easim("compare", file, "--policies", "pollux,easy", "-n", "1", "--set", "horizon=4h", "--quiet", "--out", alone)
    easim("plot", alone, "--figures", "worlds", "--out", folder / "alone", "--format", "svg,png,pdf")
    check_figure(folder / "alone", "worlds", ["9 worlds x 1 workload; a world: a draw of what is uncertain", "better in"])
    check_damaged_worlds(alone, folder)


def check_damaged_worlds(results, folder):
    table = (results / "worlds.csv").read_text().splitlines()
    number = table[0].split(",").index("energy_per_work_kwh")
    words = table[3].split(",")
    damages = {"many": ("".join(",".join([*words[:2], str(i), words[3], str(i), *words[5:]]) + "\n" for i in range(3000)),
                        "expected a row for each world, policy and replication"),
               "text": (",".join([*words[:number], "much", *words[number + 1:]]), 'expected a number, got "much"'),
               "short": ("0,,1", "expected")}
    for rows, message in damages.values():
        (results / "worlds.csv").write_text(table[0] + "\n" + rows)
        seal(results)
        _, err = easim("plot", results, "--figures", "worlds", "--out", folder / "damaged", code=2)
        assert message in err and "worlds.csv" in err, err
    (results / "worlds.csv").unlink()
    seal(results)
    _, err = easim("plot", results, "--figures", "worlds", "--out", folder / "damaged", code=2)
    assert "worlds: not possible: there is no worlds.csv in" in err, err
    assert not (folder / "damaged").exists()


def test_choice(results, folder):
    """Figures, formats, size and metrics that are asked for; --force removes what was drawn of older data."""
    out = folder / "chosen"
    words = ["plot", results, "--out", out, "--figures", "pareto"]
    easim(*words, "--format", "png,svg", "--size", "600x400", "--pareto", "util_alloc,energy_kwh")
    assert {path.name for path in out.iterdir()} == {f"pareto.{ending}" for ending in ("gp", "csv", "svg", "png")}
    check_png(out / "pareto.png", 600, 400)
    assert "GPUs allocated (%)" in (out / "pareto.svg").read_text()
    easim(*words, "--force", "--quiet")
    assert {path.name for path in out.iterdir()} == {f"pareto.{ending}" for ending in ("gp", "csv", "svg")}
    easim("plot", results, "--out", folder / "left", "--figures", "bars", "--metrics", "water_l,cost", code=2)
    assert not (folder / "left").exists()
    fewer = folder / "fewer"
    shutil.copytree(results, fewer)
    (fewer / "zeus" / "jobs.csv").unlink()
    _, err = easim("plot", fewer, "--out", folder / "left", "--figures", "jct", code=2)
    assert err == f"{fewer}/zeus/jobs.csv: is missing, though manifest.json lists it\n", err
    seal(fewer / "zeus")
    said, _ = easim("plot", fewer, "--out", folder / "left", "--figures", "jct")
    assert "note: zeus is left out" in said and "jobs.csv is missing" in said, said
    assert {row["policy"] for row in rows_of(folder / "left" / "jct.csv")} == set(POLICIES) - {"zeus"}


def test_run(folder):
    """A run by itself, drawn into its own folder."""
    run = folder / "run"
    easim("run", TINY, "--quiet", "--out", run)
    said, err = easim("plot", run, "--format", "svg,pdf,png")
    assert err == "" and "pareto    not possible: expected at least two policies" in said, (said, err)
    for name in OF_RUNS:
        check_figure(run / "figures", name, pixels=name in ("power", "bars"))
    warm = folder / "warm"
    easim("run", SOURCE / "configs" / "eas-sim.yaml", "-n", "2", "--set", "workload.warmup=3h", "--quiet", "--out", warm)
    easim("plot", warm, "--figures", "jct")
    done, submitted = (sum(int(row[key]) for row in rows_of(warm / "summary.csv")) for key in ("jobs_finished", "jobs_submitted"))
    assert close(rows_of(warm / "figures" / "jct.csv")[-1]["share_percent"], 100 * done / submitted) and submitted > done > 10
    _, err = easim("plot", run, code=2)
    assert err == f"easim: {run}/figures: the folder is not empty; add --force to write into it\n", err
    check_missing_gnuplot(run, folder)


def check_missing_gnuplot(run, folder):
    (folder / "no programs").mkdir()
    path = dict(os.environ, PATH=str(folder / "no programs"))
    _, err = easim("plot", run, "--out", folder / "undrawn", code=1, env=path)
    assert err.startswith("easim: gnuplot is not installed") and "apt-get install gnuplot-nox" in err, err
    (folder / "no programs" / "gnuplot").write_text("#!/bin/sh\necho 'line 0: out of ink' >&2\nexit 1\n")
    (folder / "no programs" / "gnuplot").chmod(0o755)
    _, err = easim("plot", run, "--out", folder / "undrawn", code=1, env=path)
    assert err.startswith("easim: gnuplot failed on jct.gp: line 0: out of ink"), err
    (folder / "no programs" / "gnuplot").write_text("#!/bin/sh\nkill -INT $$\n")
    _, err = easim("plot", run, "--out", folder / "undrawn", code=130, env=path)
    assert err == "easim: interrupted: there are no figures\n", err
    assert not (folder / "undrawn").exists()


def test_same_values(folder):
    """charon cannot be told from zeus where no cap is set: the legend and a note say so."""
    results = folder / "same"
    easim("compare", SOURCE / "configs" / "eas-sim.yaml", "--policies", "charon,fcfs,zeus", "--set", "horizon=4h", "-n", "2",
          "--quiet", "--out", results)
    said = plot(results, folder / "same figures", figures=OF_COMPARISONS)
    assert said.count("note: zeus has the same values as charon") == 5, said  # bars stand side by side
    for name in ("pareto", "jct", "power", "occupancy", "queue"):
        check_figure(folder / "same figures", name, ["charon", "fcfs", "zeus (as charon)"])


def test_many_rows(folder):
    """A power.csv of 50,000 rows: bins whose means keep the energy, and a small picture."""
    run = folder / "long"
    run.mkdir()
    shutil.copy(folder / "run" / "aggregate.csv", run)
    power = [1000 + (i * 7919) % 5000 for i in range(50000)]  # watts, each for 2 s
    write_table(run / "power.csv", "policy,replication,time_s,power_w,alloc_gpus,idle_gpus,waiting,cap_w,failed_gpus", (
        ["zeus", 1, 2 * i, w, i % 5, 4 - i % 5, i % 3, "", 0] for i, w in enumerate(power)))
    seal(run)
    easim("plot", run, "--out", folder / "long figures")
    drawn = rows_of(folder / "long figures" / "power.csv")
    assert len(drawn) == 601 and (folder / "long figures" / "power.svg").stat().st_size < 200000
    end = 2 * (len(power) - 1)
    assert close(sum(float(row["power_kw"]) for row in drawn[:-1]) * end / 600, sum(power[:-1]) * 2 / 1000)
    for number in (0, 7, 599):  # a bin sees each value that holds within it
        low, high = number * end / 600, (number + 1) * end / 600
        seen = [w for i, w in enumerate(power[:-1]) if 2 * i < high and 2 * (i + 1) > low]
        assert close(drawn[number]["low_kw"], min(seen) / 1000) and close(drawn[number]["high_kw"], max(seen) / 1000)
    jobs = rows_of(folder / "long figures" / "queue.csv")
    assert len(jobs) == 1201 and all(0.9 < float(row["waiting"]) < 1.1 for row in jobs[:-1])


def test_sweep(folder):
    file, results, figures = folder / "sweep.yaml", folder / "swept", folder / "swept figures"
    file.write_text(SWEEP.format(base=SOURCE / "configs" / "eas-sim.yaml"))
    easim("sweep", file, "--quiet", "--out", results)
    said = plot(results, figures, figures=OF_SWEEPS)
    assert "note: means over the 2 values of cluster.nodes[0].gpus" in said, said
    assert json.loads((results / "manifest.json").read_text())["labels"] == {
        "workload.rate_per_s": "arrivals (jobs/s)", "cluster.nodes[0].gpus": "A100 of the first node"}
    table = rows_of(results / "sweep.csv")
    lines = {(float(row["x"]), row["by"]): (row["mean"], row["ci95"]) for row in rows_of(figures / "lines.csv")
             if row["panel"] == "1"}
    check_cells(table, lines, "workload.rate_per_s", "policy.name", 1, "energy_per_work_kwh")
    for policy in ("zeus", "fcfs"):
        cells = {(float(row["x"]), f"{float(row['y']):g}"): (row["mean"], row["ci95"]) for row in rows_of(figures / "heatmap.csv")
                 if row["by"] == policy}
        check_cells([row for row in table if row["policy.name"] == policy], cells, "workload.rate_per_s",
                    "cluster.nodes[1].gpus", 1, "energy_per_work_kwh")
    check_figure(figures, "lines", ["arrivals (jobs/s)", "policy", "energy per work (kWh/GPU h)",
                                    "means of 3 replications, 95 % intervals", "open or hatched: with a warning", "zeus", "fcfs"])
    check_figure(figures, "heatmap", ["arrivals (jobs/s)", "cluster nodes[1] gpus", "energy per work (kWh/GPU h)",
                                      "zeus", "fcfs", "0.004", "0.02"])
    check_redrawn(figures, OF_SWEEPS)
    check_axes(results, folder)
    check_undefined(table, folder)
    check_long_legend(table, folder)
    check_partial_sweep(file, results, folder)


def check_axes(results, folder):
    out = folder / "axes"
    easim("plot", results, "--out", out, "--figures", "lines", "--x", "cluster.nodes[1].gpus", "--by", "workload.rate_per_s",
          "--metrics", "util_compute,throughput_jobs_per_h")
    rows = rows_of(out / "lines.csv")
    check_cells(rows_of(results / "sweep.csv"), {(float(row["x"]), row["by"]): (row["mean"], row["ci95"]) for row in rows
                                                 if row["panel"] == "1"},
                "cluster.nodes[1].gpus", "workload.rate_per_s", 100, "util_compute")
    _, err = easim("plot", results, "--figures", "heatmap", "--x", "policy.name", code=2)
    assert err == "heatmap: not possible: x: not all values of policy.name are numbers\n", err


def check_undefined(table, folder):
    """A metric that is defined in none of one policy's points: its map stays empty, in silence."""
    (folder / "undefined").mkdir()
    write_rows(folder / "undefined/sweep.csv", [
        {**row, "energy_per_work_kwh": row["energy_per_work_kwh"] if row["policy"] == "zeus" else ""} for row in table])
    seal(folder / "undefined")
    plot(folder / "undefined", folder / "undefined figures", figures=OF_SWEEPS)
    assert {row["by"] for row in rows_of(folder / "undefined figures" / "heatmap.csv")} == {"zeus"}
    assert "grey: no value" in (folder / "undefined figures" / "heatmap.svg").read_text()


def check_long_legend(table, folder):
    """As many rows as the legend gets are in the picture, of four lines and of seven: nothing is cut at the edge."""
    place = folder / "legends"
    place.mkdir()
    for count in (4, 7):
        write_rows(place / "sweep.csv", [{**row, "policy.name": f"policy{i}"} for row in table if row["policy"] == "zeus"
                                         for i in range(count)])
        seal(place)
        easim("plot", place, "--figures", "lines", "--format", "png,svg", "--quiet", "--force")
        check_png(place / "figures" / "lines.png", *size_of(place / "figures", "lines"))


def check_partial_sweep(file, results, folder):
    """Of a sweep with points missing the figures say so; results of one that is not joined are not there yet."""
    partial = folder / "partial"
    easim("sweep", file, "--quiet", "--out", partial, "--shard", "1/2")
    _, err = easim("plot", partial, code=2)
    assert err == f"{partial}: a sweep whose points are not joined yet\n", err
    easim("sweep", file, "--quiet", "--out", partial, "--merge", code=1)
    said, _ = easim("plot", partial, "--figures", "lines")
    assert "note: the sweep is partial: 0 points failed, 12 are missing" in said, said
    assert "; partial" in (partial / "figures" / "lines.svg").read_text()
    easim("sweep", file, "--quiet", "--out", partial)  # figures do not stand in the way of the rest
    assert (partial / "sweep.csv").read_bytes() == (results / "sweep.csv").read_bytes()


def test_hostile_names(folder):
    """Folders and axes named to be run: nothing is, and every figure is drawn."""
    place = folder / "hostile"
    place.mkdir()
    names = ["a'b\"c\\n", "$(touch ran1)`touch ran2`", "@figure {x}_y^2 %s %d %%", "it''s'; system('touch ran3'); x='",
             "é\u202e#y,z", "'\n!touch ran4\n'", "<b>&amp;", os.fsdecode(b"b\xff\x80"), "long " * 40]
    for name in names:
        shutil.copytree(folder / "run", place / name)
        shutil.rmtree(place / name / "figures")
    out = place / "out '$(touch ran5)`touch ran6`\n\""
    plot(*(place / name for name in names), out, figures=OF_COMPARISONS)
    for name in OF_COMPARISONS:
        check_figure(out, name, pixels=name == "jct")
    swept = place / "swept"
    swept.mkdir()
    table = (folder / "swept" / "sweep.csv").read_text()
    (swept / "sweep.csv").write_text(table.replace("workload.rate_per_s", "\"`touch ran7`'\"\"; @x$(touch ran8)\"")
                                     .replace("zeus", "'; system('touch ran9') #").replace("fcfs", "`touch ran10`"))
    seal(swept)
    plot(swept, place / "out", figures=OF_SWEEPS)
    for name in OF_SWEEPS:
        check_figure(place / "out", name, ["`touch ran10`"])
    ran = [*place.rglob("ran[0-9]*"), *Path.cwd().glob("ran[0-9]*")]
    assert ran == [], ran


def test_locales(place):
    """gnuplot runs with the characters of UTF-8 whatever the locale: no warning of iconv, and the same drawings."""
    easim("run", TINY, "-o", place / "tiny", "-q")
    drawn = {}
    for name, locale in (("c", {"LC_ALL": "C"}), ("ctype", {"LC_CTYPE": "POSIX", "LANG": "C"}), ("utf8", {"LC_ALL": "C.UTF-8"})):
        others = {key: value for key, value in os.environ.items() if not key.startswith("LC_") and key != "LANG"}
        said = easim("plot", "-q", "-o", place / name, place / "tiny", env=others | locale)
        assert said == ("", ""), (name, said)
        drawn[name] = {path.name: path.read_bytes() for path in (place / name).glob("*.svg")}
    assert len(drawn["c"]) >= 3 and drawn["c"] == drawn["ctype"] == drawn["utf8"]


cases(*form([test_comparison, test_bounds, test_worlds, test_run, test_same_values, test_many_rows, test_sweep, test_hostile_names, test_locales],
            [test_locales, test_bounds, test_run, test_many_rows, test_sweep]), shared=True)
