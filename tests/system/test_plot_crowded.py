"""Figures that have too much to show: test_plot_crowded.py EASIM SOURCE; skipped without gnuplot.

An outlier a thousand times larger, nine policies, a map of 12 x 12 large numbers, curves of many small steps, and a sweep
of which one slice is wanted. The results are made by hand.
"""
import json
import math
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
    assert numbers(head["array style[3]"]) == [2, 3, 8], head
    out, _, _, size = figure(over_time(folder / "failed", NINE[:2], failed=1), "occupancy")
    assert "failed" in check_texts_apart(out / "occupancy.svg", *size)
    check_all_chosen(results)


def check_all_chosen(results):
    said = easim("plot", results, "--figures", "queue", "--policies", ",".join(NINE), "--out", results / "figures").stdout
    assert "note: --policies names all of them, it changes nothing" in said, said


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


def test_dashes(folder):
    """A dashed curve of 400 small steps, smaller than a dash, is dashed all along: about 14 of 20 of its pixels are drawn,
    a solid one has all. The fourth policy is the first with dashes."""
    results = over_time(folder / "steps", NINE[:4], waiting=lambda place, i: i // 4 + 30 * place)
    out, _, _, _ = figure(results, "queue")
    solid, dashed = (count_pixels(out / "queue.png", colour) for colour in ("#0072B2", "#CC79A7"))
    assert 0.55 < dashed / solid < 0.85, (solid, dashed)


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
    assert head["x_label"] == "'cluster power cap (kW)'" and {row["x"] for row in rows_of(out / "lines.csv")} == {"2", "8", "10"}
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
    assert {(row["x"], row["x_place"]) for row in rows_of(out / "heatmap.csv")} == {("500", "1"), ("1000", "2"), ("1500", "3")}
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


cases(*form([test_outlier, test_decades, test_wide_intervals, test_no_room, test_nine_policies, test_cap_gaps, test_dashes, test_map, test_units, test_where],
            [test_outlier, test_decades, test_no_room, test_cap_gaps, test_units, test_where]), shared=True)
