"""Ring and tree of easim calibrate collectives: known laws found again, also beside outliers; what doubling the times, the
order of rows and elements in place of bytes change; made-up noisy rows and those of eight GPU types (skipped without
EASIM_DATA) fitted again in Python from docs/explanation/calibration.md, with every size left out; bandwidth as makers state it.
"""
import math
import random
import statistics
from collections import defaultdict

from harness import cases, easim, real_data, rows_of

HEAD = "gpu,collective,gpus,bytes,median_ms"
SIZES = [2.0 ** n for n in range(9, 30)]


def line(points):
    """Seconds at 0 bytes and of a byte: relative least squares with Huber's weights, both >= 0."""
    weights, before = [1.0] * len(points), None
    for _ in range(100):
        pp, pq, qq, p, q = (sum(w * f(b, t) for (b, t), w in zip(points, weights)) for f in (
            lambda b, t: 1 / t ** 2, lambda b, t: b / t ** 2, lambda b, t: (b / t) ** 2, lambda b, t: 1 / t, lambda b, t: b / t))
        determinant = pp * qq - pq * pq
        zero, slope = (p * qq - q * pq) / determinant, (q * pp - p * pq) / determinant
        if slope < 0:
            zero, slope = p / pp, 0
        elif zero < 0:
            zero, slope = 0, q / qq
        if (zero, slope) == before:
            break
        before = zero, slope
        errors = [abs((zero + slope * b) / t - 1) for b, t in points]
        scale = 1.345 * max(1e-6, statistics.median(errors) / 0.6745)
        weights = [1 if e <= scale else scale / e for e in errors]
    return zero, slope


def faster(lines, size):
    return min(zero + slope * size for zero, slope in lines)


def laws(points):
    """The lines below and above the boundary of least absolute errors of logarithms, or one for all."""
    def cost(lines):
        return sum(abs(math.log(faster(lines, b) / t)) for b, t in points)
    best = [line(points)]
    for i in range(3, len(points) - 2):
        two = [line(points[:i]), line(points[i:])]
        if two[0][0] < two[1][0] and two[0][1] > two[1][1] and cost(two) < cost(best):
            best = two
    return best


def moved(collective, k):
    return 2 * (k - 1) / k if collective == "all_reduce" else 1 if collective == "send_recv" else (k - 1) / k


def steps(collective, k, algorithm):
    if collective == "send_recv":
        return 1
    return (k - 1 if algorithm == "ring" else math.ceil(math.log2(k))) * (2 if collective == "all_reduce" else 1)


def calibrated(folder, text, *options):
    (folder / "t.csv").write_text(text)
    done = easim("calibrate", "collectives", "t.csv", "-o", "table.csv", "--points", "points.csv", *options, cwd=folder)
    table = {(row["gpu"], row["collective"], int(row["gpus"]), row["algorithm"]): row for row in rows_of(folder / "table.csv")}
    return table, rows_of(folder / "points.csv"), done.stdout


def made_up(collective, k, tree, ring, outliers=()):
    """Rows of two laws (alpha in s, bytes/s), every so many of them times 7."""
    rows = [HEAD]
    for i, size in enumerate(SIZES):
        time = min(steps(collective, k, name) * alpha + moved(collective, k) * size / rate
                   for name, (alpha, rate) in (("tree", tree), ("ring", ring)))
        rows.append(f"x1,{collective},{k},{size:.0f},{1e3 * time * (7 if i in outliers else 1)!r}")
    return "\n".join(rows) + "\n"


def near(found, expected, share, what):
    assert abs(found - expected) <= share * abs(expected), (what, found, expected)


def test_known_laws(folder):
    for collective, k in (("all_reduce", 2), ("all_reduce", 6), ("all_gather", 8), ("send_recv", 2), ("alltoall", 5)):
        tree, ring = (2.385e-6, 1.37e11), (5.21e-6 * 3, 4.52e11)
        for outliers, share in (((), 1e-9), ((4, 17), 1e-4)):
            table, points, _ = calibrated(folder, made_up(collective, k, tree, ring, outliers))
            for name, (alpha, rate) in (("tree", tree), ("ring", ring)):
                row = table["x1", collective, k, name]
                assert int(row["steps"]) == steps(collective, k, name)
                near(float(row["alpha_s"]), alpha, share, (collective, k, name))
                near(float(row["bytes_s"]), rate, share, (collective, k, name))
        for row in points:  # of the rows that are no outliers
            if int(math.log2(float(row["bytes"]))) - 9 not in (4, 17):
                assert abs(float(row["error"])) < 1e-3


def test_changes(folder):
    """Twice the time: twice alpha, half the rate. Shuffled rows, and elements of 2 bytes: the same bytes."""
    text = made_up("all_reduce", 8, (2e-6, 1e11), (9e-6, 4e11), (3, 9))
    table, _, said = calibrated(folder, text, "--message", "3MiB")
    before = (folder / "table.csv").read_bytes(), (folder / "points.csv").read_bytes(), said
    head, *rows = text.splitlines()
    random.Random(7).shuffle(rows)
    calibrated(folder, "\n".join([head, *rows]) + "\n", "--message", "3MiB")
    assert before[:2] == ((folder / "table.csv").read_bytes(), (folder / "points.csv").read_bytes())
    cells = [row.split(",") for row in rows]
    _, _, said = calibrated(folder, "\n".join([head.replace("bytes", "message_elements")] + [
        ",".join((*c[:3], str(int(c[3]) // 2), c[4])) for c in cells]) + "\n", "--message", "3MiB")
    assert said == before[2] and before[0] == (folder / "table.csv").read_bytes()
    twice, _, _ = calibrated(folder, "\n".join([head] + [",".join((*c[:4], repr(2 * float(c[4])))) for c in cells]) + "\n")
    for key, row in table.items():
        near(float(twice[key]["alpha_s"]), 2 * float(row["alpha_s"]), 1e-9, key)
        near(float(twice[key]["bytes_s"]), float(row["bytes_s"]) / 2, 1e-9, key)


def test_keys(folder):
    """node_bytes_s and alpha_s, beta_s of one message size, by hand: each k has one law, so that s(k) is known."""
    rows = [HEAD]
    for k in (2, 4, 8):  # s of 1 MB is 1 ms + 0.2 ms (k - 2): alpha and beta exactly
        for size in (1e4, 1e5, 1e6, 1e7):
            rows.append(f"x1,all_reduce,{k},{size:.0f},{(1 + 0.2 * (k - 2)) * (0.5 + 0.5 * size / 1e6)!r}")
    _, _, said = calibrated(folder, "\n".join(rows) + "\n", "--message", "1MB")
    rates = ", ".join(f"{2 * (k - 1) / k * 1e6 / (1e-3 + 2e-4 * (k - 2)):.4g} ({k} GPUs)" for k in (2, 4, 8))
    assert f"  node_bytes_s: {rates}\n" in said, said
    assert "  alpha_s: 0.001, beta_s: 0.0002  (3 numbers of GPUs, at most 0.0 % apart)\n" in said, said
    _, _, said = calibrated(folder, "\n".join(rows) + "\n", "--message", "1GB")
    assert said.count("GPUs: outside the measured range, 10000 to 10000000 bytes") == 3, said
    _, _, said = calibrated(folder, "\n".join(rows[:9]) + "\n", "--message", "1MB")
    assert "(2 numbers of GPUs, so nothing is left to check them)" in said, said
    across = "\n".join(["gpus_per_node," + rows[0], *("8," + row for row in rows[1:]), "4,x1,all_reduce,8,77,1"]) + "\n"
    _, _, said = calibrated(folder, across)
    assert "1 rows over several nodes not used (first: line 14): they calibrate no tier\n" in said, said


def check_again(table, points, groups, left_out_of):
    """The table, and some errors of sizes left out, as Python finds them."""
    errors = {(row["gpu"], row["collective"], int(row["gpus"]), float(row["bytes"])): row for row in points}
    for (gpu, collective, k), data in groups.items():
        data.sort()
        lines = laws(data)
        for name, (zero, slope) in zip(("tree", "ring")[-len(lines):], lines):
            row = table[gpu, collective, k, name]
            near(float(row["alpha_s"]), zero / steps(collective, k, name), 1e-6, (gpu, collective, k, name))
            near(float(row["bytes_s"]), moved(collective, k) / slope, 1e-6, (gpu, collective, k, name))
        assert ((gpu, collective, k, "tree") in table) == (len(lines) == 2)
        for i in range(len(data)) if (gpu, collective, k) in left_out_of else ():
            found = faster(laws(data[:i] + data[i + 1:]), data[i][0]) / data[i][1] - 1
            stated = float(errors[gpu, collective, k, data[i][0]]["left_out_error"])
            assert abs(found - stated) < 1e-6, (gpu, collective, k, data[i], found, stated)


def test_noise(folder):
    draw, rows, groups = random.Random(11), [HEAD], defaultdict(list)
    for gpu, k in (("a", 2), ("b", 8)):
        for size in SIZES:
            time = min(3e-6 * k + size / 5e10, 3e-5 + size / 3e11) * math.exp(draw.gauss(0, 0.08))
            rows.append(f"{gpu},all_reduce,{k},{size:.0f},{1e3 * time!r}")
            groups[gpu, "all_reduce", k].append((size, float(repr(1e3 * time)) / 1e3))
    table, points, _ = calibrated(folder, "\n".join(rows) + "\n")
    check_again(table, points, groups, set(groups))


def test_measured(folder):
    data = real_data()
    text, groups = (data / "network/nccl.csv").read_text(), defaultdict(list)
    table, points, said = calibrated(folder, text)
    for row in rows_of(data / "network/nccl.csv"):
        if row["gpu"] in ("a100", "h100") or (row["gpu"], row["collective"]) == ("l40s", "all_reduce"):
            groups[row["gpu"], row["collective"], int(row["gpus"])].append(
                (2.0 * int(row["message_elements"]), float(row["median_ms"]) / 1e3))
    check_again(table, points, groups, {("h100", "all_reduce", 8)})
    # A GPU of an H100 node sends 450 GB/s one way over NVLink 4, of an A100 node 300, of a B200 node 900 (NVIDIA).
    near(float(table["h100", "all_reduce", 8, "ring"]["bytes_s"]), 450e9, 0.05, "H100")
    assert float(table["a100", "all_reduce", 8, "ring"]["bytes_s"]) < 300e9
    assert float(table["b200", "all_reduce", 8, "ring"]["bytes_s"]) < 900e9
    left_out = [abs(float(row["left_out_error"])) for row in points if row["collective"] == "all_reduce"]
    assert f"all_reduce      left out:  median {100 * statistics.median(left_out):5.1f} %" in said
    constant = [abs(float(row["bytes"]) * moved("all_reduce", int(row["gpus"])) / float(
        table[row["gpu"], "all_reduce", int(row["gpus"]), "ring"]["bytes_s"]) / float(row["measured_s"]) - 1)
        for row in points if row["collective"] == "all_reduce"]
    assert statistics.median(left_out) < 0.06 < 0.3 < statistics.median(constant)  # bandwidth alone does not do


cases(test_known_laws, test_changes, test_keys, test_noise, test_measured, shared=True)
