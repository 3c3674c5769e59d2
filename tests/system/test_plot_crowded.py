"""Figures that have too much to show: test_plot_crowded.py EASIM SOURCE; skipped without gnuplot.

An outlier a thousand times larger, nine policies, a map of 12 x 12 large numbers, curves of many small steps, and a sweep
of which one slice is wanted. The results are made by hand.
"""
import itertools
import json
import math
import re
import statistics
import sys

from harness import SOURCE, cases, easim, form, rows_of
from pictures import check_png, check_texts_apart, count_pixels, spans_of, texts_of

sys.path.insert(0, str(SOURCE / "tests" / "support"))
from manifests import seal  # noqa: E402

NINE = ["fcfs", "easy", "zeus", "pollux", "hades", "charon", "tiresias", "las", "themis"]
X, Y = "energy_per_work_kwh", "jct_restricted_mean_s"


def comparison(folder, points, half=0.01):
    """compare.csv of these points: policy: (x, y), each with an interval of so large a share."""
    folder.mkdir()
    rows = [f"{metric},{policy},fcfs,5,{value},{half * value}" for policy, point in points.items()
            for metric, value in zip((X, Y), point)]
    (folder / "compare.csv").write_text("\n".join(["metric,policy,baseline,n,mean,ci95", *rows]) + "\n")
    seal(folder)
    return folder


def variables_of(folder, name):
    """The assignments at the head of a script."""
    head = (folder / f"{name}.gp").read_text().split("# ---- what all figures share", 1)[0]
    return dict(line.split(" = ", 1) for line in head.splitlines() if " = " in line)


def figure(results, name, *words):
    out = results.parent / f"{results.name} {name} {len(list(results.parent.iterdir()))}"
    done = easim("plot", results, "--figures", name, "--format", "svg,png", "--out", out, *words)
    assert done.stderr == "", done.stderr
    head = variables_of(out, name)
    return out, head, done.stdout, (int(head["width"]), int(head["height"]))


def numbers(text):
    return [float(word) for word in text.split("[", 2)[-1].rstrip("]").split(", ")]


# ---- Pareto ---------------------------------------------------------------------------------------------------------

def test_outlier(folder):
    """The other eight take most of both axes; the outlier is at the edge, named with its values; the front is theirs."""
    points = {policy: (0.28 + 0.004 * i, 5000 + 400 * ((i * 5) % 9)) for i, policy in enumerate(NINE)}
    points["hades"] = tuple(1000 * value for value in points["hades"])
    results = comparison(folder / "outlier", points)
    out, head, said, size = figure(results, "pareto")
    for axis, metric, place in (("x", X, 0), ("y", Y, 1)):
        least, most = float(head[f"{axis}_least"]), float(head[f"{axis}_most"])
        others = [point[place] for policy, point in points.items() if policy != "hades"]
        assert least < min(others) and max(others) < most < points["hades"][place], (axis, least, most)
        assert max(others) - min(others) > 0.5 * (most - least), (axis, least, most)
        assert f"note: hades is at the edge, its {metric} is {points['hades'][place]:.4g}" in said, said
        assert head[f"log_{axis}"] == "0"
    words = check_texts_apart(out / "pareto.svg", *size)
    assert set(NINE) - {"hades"} <= set(words) and "hades (296; 5.8M)" in words, words
    check_png(out / "pareto.png", *size)
    front = [(float(row["x"]), float(row["y"])) for row in rows_of(out / "pareto.csv") if row["series"] == "0"]
    beaten = [p for p in points.values() if any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in points.values())]
    assert sorted(front) == sorted(p for p in points.values() if p not in beaten) and head["front"] == str(len(front))
    assert "ringed: the front, which no other beats in both" in words
    _, head, said, _ = figure(results, "pareto", "--scale", "linear")
    assert float(head["x_most"]) > points["hades"][0] and head["log_x"] == "0" and "at the edge" not in said, said
    _, head, said, _ = figure(results, "pareto", "--scale", "log")
    assert float(head["x_most"]) > points["hades"][0] and head["log_x"] == "1" and "at the edge" not in said, said


def test_decades(folder):
    """Values over three decades without one that is alone: a logarithmic axis, nothing at the edge."""
    points = {policy: (0.3 * 2.4**i, 5000 + 100 * i) for i, policy in enumerate(NINE)}
    out, head, said, size = figure(comparison(folder / "decades", points), "pareto")
    assert (head["log_x"], head["log_y"]) == ("1", "0") and "at the edge" not in said, (head, said)
    words = check_texts_apart(out / "pareto.svg", *size)
    assert {"1", "10", "100"} <= set(words) and set(NINE) <= set(words), words


def test_wide_intervals(folder):
    """Intervals ten times as wide as the means differ do not squeeze them, and a note says where they end."""
    points = {policy: (1 + 0.01 * i, 5000 + 50 * ((i * 5) % 9)) for i, policy in enumerate(NINE)}
    out, head, said, size = figure(comparison(folder / "wide", points, half=0.8), "pareto")
    assert float(head["x_most"]) - float(head["x_least"]) < 3 * 0.08, head
    assert "note: intervals that reach far beyond the means end at the edge" in said, said
    check_texts_apart(out / "pareto.svg", *size)
    same = comparison(folder / "equal", {policy: (2.5, 700) for policy in NINE[:3]}, half=0.1)
    _, head, said, _ = figure(same, "pareto")  # whole intervals: 2.25 .. 2.75 with 6 % margins
    assert math.isclose(float(head["x_least"]), 2.25 - 0.06 * 0.5) and "far beyond" not in said, (head, said)


def test_no_room(folder):
    """28 long names at one place: a legend instead."""
    points = {f"policy-with-a-long-name-{i:02d}": (1 + 1e-6 * i, 5000 + 1e-3 * i) for i in range(28)}
    points["policy-with-a-long-name-00"] = (2, 9000)
    out, head, _, size = figure(comparison(folder / "names", points), "pareto")
    assert head["beside"] == "0" and float(head["legend"]) > 0, head
    names = [text for text, _ in texts_of(out / "pareto.svg") if text.startswith("policy-")]
    assert len(names) == 28, names
    check_png(out / "pareto.png", *size)


# ---- over time ------------------------------------------------------------------------------------------------------

def over_time(folder, policies, failed=0, waiting=lambda place, i: (i + place) % 3 + place):
    folder.mkdir()
    for place, policy in enumerate(policies):
        run = folder / policy
        run.mkdir()
        rows = [f"{policy},1,{10 * i},{1000 * (place + 1)},{(i + place) % 5 if i > place else 0},{8 - ((i + place) % 5 if i > place else 0) - failed},{waiting(place, i)},,{failed}" for i in range(400)]
        (run / "power.csv").write_text("policy,replication,time_s,power_w,alloc_gpus,idle_gpus,waiting,cap_w,failed_gpus\n"
                                       + "\n".join(rows) + "\n")
        seal(run)
    rows = [f"energy_kwh,{policy},{policies[0]},5,{i + 1},0.1" for i, policy in enumerate(policies)]
    (folder / "compare.csv").write_text("\n".join(["metric,policy,baseline,n,mean,ci95", *rows]) + "\n")
    seal(folder)
    return folder


def test_nine_policies(folder):
    """Two panels beside each other on one scale; no failures, no word of them; a choice of policies keeps their styles."""
    results = over_time(folder / "nine", NINE)
    for name in ("power", "occupancy"):
        out, head, _, size = figure(results, name)
        assert head["columns"] == "2" and size[1] <= 900, (name, size)
        words = check_texts_apart(out / f"{name}.svg", *size)
        assert set(NINE) <= set(words) and "failed" not in words and words.count("time (h)") == 1, words
        check_png(out / f"{name}.png", *size)
        lefts = {round(box[0]) for text, box in texts_of(out / f"{name}.svg") if text in NINE}
        assert len(lefts) == 2, lefts
        assert {row["policy"] for row in rows_of(out / f"{name}.csv")} == set(NINE)
    assert "{:g}".format(float(variables_of(out, "occupancy")["gpus"])) == "8"  # one scale for all
    out, head, _, _ = figure(results, "queue", "--policies", "las,zeus", "--policies", "easy")
    assert [row["policy"] for row in rows_of(out / "queue.csv")][0::799] == ["easy", "zeus", "las"]
    assert colors_of(head, 3) == ["#0F9DB0", "#B4020B", "#000067"], head  # easy, zeus and las in policies/colors.h
    out, _, _, size = figure(over_time(folder / "failed", NINE[:2], failed=1), "occupancy")
    assert "failed" in check_texts_apart(out / "occupancy.svg", *size)
    check_all_chosen(results)


def check_all_chosen(results):
    said = easim("plot", results, "--figures", "queue", "--policies", ",".join(NINE), "--out", results / "figures").stdout
    assert "note: --policies names all of them, so it changes nothing" in said, said


def test_cap_gaps(folder):
    """A cap from 1 h to 2 h and from 2.5 h to 3 h is drawn there, and nowhere else; also as means over bins."""
    for name, every_s in (("exact", 300), ("binned", 5)):
        run = folder / name
        run.mkdir()
        caps = [9000 if 3600 <= t < 7200 else 6000 if 9000 <= t < 10800 else "" for t in range(0, 14401, every_s)]
        rows = [f"zeus,1,{every_s * i},{5000 + i % 7},4,4,0,{cap},0" for i, cap in enumerate(caps)]
        (run / "power.csv").write_text("policy,replication,time_s,power_w,alloc_gpus,idle_gpus,waiting,cap_w,failed_gpus\n"
                                       + "\n".join(rows) + "\n")
        (run / "aggregate.csv").write_text("metric,policy,n,mean,ci95\nenergy_kwh,zeus,1,1.0,\n")
        seal(run)
        out, head, _, size = figure(run, "power")
        assert head["binned"] == str(int(name == "binned")) and head["has_cap"] == "1"
        drawn = spans_of(out / "power.svg", (0, 0, 0), 66, size[0] - 20)  # the margins of the panel
        assert len(drawn) == 2, drawn
        for found, expected in zip(drawn, ((1, 2), (2.5, 3)), strict=True):
            assert all(abs(4 * at - hours) < 0.01 for at, hours in zip(found, expected)), (name, drawn)


# ---- colors ---------------------------------------------------------------------------------------------------------

def palette():
    text = (SOURCE / "policies" / "colors.h").read_text()
    return [dict(zip(("name", "color", "marker"), row)) for row in re.findall(r'X\("(.*?)", "(.*?)", (\d+)\)', text)]


def linear(color):
    """sRGB to linear light (IEC 61966-2-1)."""
    values = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055)**2.4 for c in values]


def deuteranope(rgb):
    """What a person without the M cones sees (Machado, Oliveira and Fernandes 2009, table 1, severity 1.0), in linear light."""
    rows = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
    return [min(1, max(0, sum(a * c for a, c in zip(row, rgb)))) for row in rows]


def lab(rgb):
    """CIE 1976 L*a*b*, white D65 (CIE 15:2004)."""
    rows = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
    xyz = [sum(a * c for a, c in zip(row, rgb)) / white for row, white in zip(rows, (0.95047, 1, 1.08883))]
    x, y, z = (t**(1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def test_palette(folder):
    """Each shipped policy has a color of 24; any two differ by 25 (CIE76), also for a deuteranope. Markers are filled ones."""
    table = palette()
    shipped = sorted(line.split()[0] for line in easim("policies").stdout.splitlines()[1:])
    assert [row["name"] for row in table] == [*shipped, *[""] * (24 - len(shipped))] and len(shipped) == 21, table
    assert {row["marker"] for row in table} == {"5", "7", "9", "11", "13"}
    for seen_by in (lambda rgb: rgb, deuteranope):
        seen = {row["color"]: lab(seen_by(linear(row["color"]))) for row in table}
        assert len(seen) == 24
        least = min((math.dist(seen[a], seen[b]), a, b) for a, b in itertools.combinations(seen, 2))
        assert least[0] >= 25, least
    assert abs(math.dist(lab(linear("#FF0000")), (53.24, 80.09, 67.20))) < 0.02  # published Lab of sRGB red


def colors_of(head, count):
    return re.findall(r"'(#\w+) \d+ \d'", head[f"array style[{count}]"])


def test_own_colors(folder):
    """A policy keeps its color whatever is beside it, in every figure; others take the free ones in the order of their names."""
    table = {row["name"]: row["color"] for row in palette()}
    free = [row["color"] for row in palette() if not row["name"]]
    names = ["zeus", "nearest", "fcfs", "zeus:tau=1h", "./mine.so"]
    results = comparison(folder / "own", {name: (1 + i, 5 - i) for i, name in enumerate(names)})
    expected = [table["zeus"], free[1], table["fcfs"], free[2], free[0]]  # ./mine.so, nearest, zeus:tau=1h
    for name in ("pareto", "bars"):
        more = ["--metrics", X] if name == "bars" else []
        out, head, _, _ = figure(results, name, *more)
        assert colors_of(head, 5) == expected, head
        assert all(count_pixels(out / f"{name}.png", color) > 100 for color in expected), name
    _, head, _, _ = figure(results, "bars", "--metrics", X, "--policies", "nearest,zeus")
    assert colors_of(head, 2) == [table["zeus"], free[1]], head
    swept = sweep(folder / "by policy", [1, 2, 3], [1], lambda i, j, k: 1 + i, ("sia", "zeus"))
    _, head, _, _ = figure(swept, "lines")
    assert colors_of(head, 2) == [table["sia"], table["zeus"]], head
    many = comparison(folder / "many own", {f"own{i:02d}": (1 + i, 40 - i) for i in range(26)})
    _, head, _, _ = figure(many, "pareto")
    assert colors_of(head, 26)[:4] == [*free, table["allox"]] and re.findall(r"(\d)'", head["array style[26]"]) == ["1"] * 24 + ["2"] * 2, head


# ---- bands ----------------------------------------------------------------------------------------------------------

def quantiles(values):
    """10 %, median, 90 %: linear between the order statistics (Hyndman and Fan 1996, type 7)."""
    values = sorted(values)

    def at(share):
        place = share * (len(values) - 1)
        low = math.floor(place)
        return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])
    return at(0.1), at(0.5), at(0.9)


def test_bands(folder):
    """Thirteen lines are a median and a band, twelve are lines: over time, and of a sweep."""
    policies = [f"p{i:02d}" for i in range(13)]
    results = over_time(folder / "thirteen", policies, waiting=lambda place, i: place * place + i % 2)
    out, head, said, size = figure(results, "queue")
    assert head["band"] == "1" and "note: 13 policies are drawn as one band" in said, said
    words = check_texts_apart(out / "queue.svg", *size)
    assert {"median of 13 policies", "10 to 90 %"} <= set(words) and "p00" not in words, words
    drawn = rows_of(out / "queue.csv")
    assert len(drawn) == 401 and float(drawn[0]["time_h"]) == 0 and math.isclose(float(drawn[-1]["time_h"]), 3990 / 3600)
    for row in drawn[::57]:
        i = int(float(row["time_h"]) * 360 + 1e-9)  # rows of power.csv are 10 s apart
        low, median, high = quantiles([place * place + i % 2 for place in range(13)])
        assert all(math.isclose(float(row[key]), value, rel_tol=1e-9)
                   for key, value in (("low", low), ("waiting", median), ("high", high))), (row, low, median, high)
    _, head, _, _ = figure(results, "queue", "--policies", ",".join(policies[:12]))
    assert head["band"] == "0" and "array series[12]" in head, head
    swept = sweep(folder / "many lines", [1, 2, 3], range(1, 16), lambda i, j, k: 10 * (i + 1) + (j * 7) % 15)
    out, head, said, size = figure(swept, "lines", "--x", "workload.rate_per_s")
    assert "note: 15 values of cluster.power_cap_w are drawn as one band" in said, said
    assert "median of 15 values of cluster.power_cap_w"[:9] in " ".join(check_texts_apart(out / "lines.svg", *size))
    for row in [row for row in rows_of(out / "lines.csv") if row["panel"] == "1"]:
        values = [(10 * float(row["x"]) + (j * 7) % 15) * 1.15 for j in range(15)]  # the mean of factors 1.1 and 1.2
        for key, value in zip(("low", "mean", "high"), quantiles(values), strict=True):
            assert math.isclose(float(row[key]), value, rel_tol=1e-9), (row, key, value)
        assert row["n"] == "15"


# ---- sweeps ---------------------------------------------------------------------------------------------------------

def sweep(folder, xs, ys, value, policies=("zeus",), more=(("base.load", ("1",)),)):
    folder.mkdir()
    rows, point = [], 0
    for policy in policies:
        for i, x in enumerate(xs):
            for j, y in enumerate(ys):
                for k, other in enumerate(more[0][1]):
                    point += 1
                    rows += [f"{point},{policy},{x},{y},{other},{policy},{r},42,{value(i, j, k) * (1 + 0.1 * r)},{r}" for r in (1, 2)]
    (folder / "sweep.csv").write_text(f"point,policy.name,workload.rate_per_s,cluster.power_cap_w,{more[0][0]},policy,replication,seed,"
                                      f"{X},{Y}\n" + "\n".join(rows) + "\n")
    seal(folder)
    return folder


def test_map(folder):
    """12 x 12 numbers up to a million, axes of numbers up to millions: no text over another, more than two values on each
    axis and on the colour bar."""
    value = {0: lambda i, j, k: 10**((7 * i + 5 * j) % 60 / 10), 1: lambda i, j, k: 1000 + 6900 * ((7 * i + 5 * j) % 144)}
    for kind, policies in ((0, ("zeus",)), (1, ("zeus", "fcfs", "easy"))):
        results = sweep(folder / f"map {kind}", [round(0.001 * 1.7**i, 6) for i in range(12)],
                        [2000000 + 133370 * i for i in range(12)], value[kind], policies)
        out, head, _, size = figure(results, "heatmap")
        words = check_texts_apart(out / "heatmap.svg", *size)
        check_png(out / "heatmap.png", *size)
        assert head["log_z"] == ("1" if kind == 0 else "0"), head
        y_tics = [word for word in words if word.endswith("M")]
        assert len(y_tics) >= 6 and "2M" in y_tics and "3.33M" in y_tics, words
        assert len([word for word in words if word.startswith("0.0")]) >= 6, words
        bar = ["10", "100", "1000", "10k", "100k"] if kind == 0 else ["200k", "400k", "600k", "800k", "1M"]
        assert set(bar) <= set(words), words
    out, _, _, size = figure(sweep(folder / "small", [1, 2, 3], [1, 2], lambda i, j, k: 100000 * (i + 1) + j), "heatmap")
    assert {"115k", "230k", "345k"} <= set(check_texts_apart(out / "heatmap.svg", *size))


def test_units(folder):
    """Values with units are numbers in their order, in the unit of the first; --where takes any unit; labels from the manifest."""
    results = sweep(folder / "units", [1, 2, 3], ["10kW", "2kW", "8kW"], lambda i, j, k: 1 + i + 10 * j)
    out, head, _, _ = figure(results, "lines", "--x", "cluster.power_cap_w")
    assert head["x_label"] == "'cluster power cap (kW)'" and {float(row["x"]) for row in rows_of(out / "lines.csv")} == {2, 8, 10}
    for value in ("8kW", "8000", "8 kW", "0.008 MW", "8e3 W"):
        out, head, _, _ = figure(results, "lines", "--where", f"cluster.power_cap_w={value}")
        means = [float(row["mean"]) for row in rows_of(out / "lines.csv") if row["panel"] == "1"]
        assert all(math.isclose(mean, (21 + i) * 1.15) for i, mean in enumerate(means)) and len(means) == 3, (value, means)
        assert head["held"] == f"'cluster power cap (kW) = {value}'", head
    for value in ("8", "8 km", "8kJ"):
        assert easim("plot", results, "--where", f"cluster.power_cap_w={value}", code=2).stderr.startswith(
            f"where: cluster.power_cap_w is nowhere {value}"), value
    mixed = sweep(folder / "mixed units", [1, 2], ["500 W", "1kW", "1500"], lambda i, j, k: 1 + i + 10 * j)
    labels = {"cluster.power_cap_w": "cap of the room", "workload.rate_per_s": "jobs a second (1/s)"}
    (mixed / "manifest.json").write_text(json.dumps(json.loads((mixed / "manifest.json").read_text()) | {"labels": labels}))
    out, head, _, _ = figure(mixed, "heatmap", "--x", "cluster.power_cap_w", "--y", "workload.rate_per_s")
    assert head["x_label"] == "'cap of the room (W)'" and head["y_label"] == "'jobs a second (1/s)'", head
    assert {(float(row["x"]), row["x_place"]) for row in rows_of(out / "heatmap.csv")} == {(500, "1"), (1000, "2"), (1500, "3")}
    other = sweep(folder / "no units", [1, 2], ["500 W", "1h", "2h"], lambda i, j, k: 1 + i + 10 * j)
    assert "x: not all values of cluster.power_cap_w are numbers" in easim(
        "plot", other, "--figures", "lines", "--x", "cluster.power_cap_w", code=2).stderr


def test_where(folder):
    """One slice of a sweep: its means alone, the figure says which; what has no effect, and what there is not."""
    results = sweep(folder / "where", [1, 2, 3], [1000, 2000], lambda i, j, k: 1 + i + 10 * j + 100 * k, ("zeus",),
                    ((("base.load", ("0.5", "0.75", "high"))),))
    out, head, said, size = figure(results, "lines", "--where", "cluster.power_cap_w=2e3", "--where", "base.load=high",
                                   "--where", "policy.name=zeus")
    words = check_texts_apart(out / "lines.svg", *size)
    assert "means over" not in said and "policy = zeus, cluster power cap (W) = 2e3, base load = high" in words, (said, words)
    assert "note: where: policy.name has no other value than zeus, it changes nothing" in said, said
    means = {float(row["x"]): float(row["mean"]) for row in rows_of(out / "lines.csv") if row["panel"] == "1"}
    assert means.keys() == {1, 2, 3}
    for x, mean in means.items():  # 1 + i + 10 + 200, times 1.1 and 1.2
        expected = statistics.mean((1 + (x - 1) + 10 + 200) * (1 + 0.1 * r) for r in (1, 2))
        assert math.isclose(mean, expected, rel_tol=1e-12), (x, mean, expected)
    out, _, said, size = figure(results, "heatmap", "--where", "base.load=0.75")
    check_texts_apart(out / "heatmap.svg", *size)
    assert len(rows_of(out / "heatmap.csv")) == 6 and "base load = 0.75" in [text for text, _ in texts_of(out / "heatmap.svg")]


def test_models(folder):
    """What a panel of models holds fits its width, in a font of 0.6 times its size a character (DejaVu Sans)."""
    easim("models", SOURCE / "configs/models/eas-sim.yaml", "--quiet", "--out", folder / "models")
    for name in ("speedup", "energy_k"):
        out, _, _, (width, height) = figure(folder / "models", name)
        check_texts_apart(out / f"{name}.svg", width, height)
        held = [(text, box) for text, box in texts_of(out / f"{name}.svg") if text.startswith("batch/GPU ")]
        assert [text for text, _ in held] == [f"batch/GPU {largest}, dashed {least}" for largest, least in ((128, 8), (256, 8), (128, 4), (512, 16))], held
        assert all(left + 1.2 * (right - left) <= width for _, (left, _, right, _) in held), held


cases(*form([test_models, test_outlier, test_decades, test_wide_intervals, test_no_room, test_nine_policies, test_cap_gaps, test_palette, test_own_colors, test_bands, test_map, test_units, test_where],
            [test_models, test_outlier, test_decades, test_no_room, test_cap_gaps, test_palette, test_where]), shared=True)
