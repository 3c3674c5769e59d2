"""Power limits: test_limits.py EASIM SOURCE. Limits by the law of a GPU type and by measured levels in runs, and the fits of
easim calibrate limits, each computed again here; published curves are skipped without EASIM_DATA."""
import csv
import math
from random import Random

from harness import cases, easim, form, near, real_data, rows_of

LAW_SPEED, LAW_DRAW, SHARE, TABLE_SPEED, TABLE_DRAW = (
    "law_speed_error", "law_draw_error", "proportional_error", "table_speed_error", "table_draw_error")


def rho(s, m, p):
    return 1 / (m + (1 - m) * (1 - s) / (p - s)) if p < 1 else 1


def under(s, m, full, limit):
    """Draw in W and speed of a GPU that would draw full."""
    draw = min(full, max(limit, (s + 0.1) * full))
    return draw, rho(s, m, draw / full)


def choices(s, m, tdp, floor):
    """Bisection instead of the inverse: the least draw, from s + 0.1 up, with the speed of each step."""
    lowest = max(floor / tdp, s + 0.1)
    found = []
    for i in range(4):
        speed, low, high = rho(s, m, lowest) + (1 - rho(s, m, lowest)) * i / 4, lowest, 1
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (low, middle) if rho(s, m, middle) >= speed else (middle, high)
        found.append(max(floor, tdp * high))
    return found


def chosen_by_zeus(folder):
    """A rigid job on one GPU: zeus takes the limit of least E T, and time and energy are those of the law."""
    for seed in range(form(60, 12)):
        r = Random(f"limits {seed}")
        s, m, tdp = round(r.uniform(0, 0.5), 3), round(r.uniform(0, 0.95), 3), r.choice([250, 400, 700.5])
        floor, idle, use = round(tdp * r.uniform(0.3, 0.6), 2), round(tdp * r.uniform(0, 0.2), 1), round(r.uniform(0.3, 1), 3)
        exponent, stated = r.choice([0, 1, 2]), r.random() < 0.5
        law = f", floor_w: {floor}, limit_law: {{s: {s}, m: {m}}}" if stated else ""
        if not stated:
            s, m, floor = 0.3, 0.7, 0.4 * tdp
        (folder / "jobs.csv").write_text(f"job_id,submit_s,gpus,duration_s,utilization\na,0,1,1000,{use}\n")
        (folder / "s.yaml").write_text(f"""name: s
horizon: drain
cluster:
  gpu_types: [{{name: g, idle_w: {idle}, tdp_w: {tdp}{law}}}]
  nodes: [{{gpu: g, gpus: 1}}]
workload: {{kind: trace, file: jobs.csv}}
policy: {{name: zeus, params: {{power_limits: true, edp_exponent: {exponent}}}}}
""")
        easim("run", "s.yaml", "--check", "--out", "o", "--force", "--quiet", cwd=folder)
        full = idle + use * (tdp - idle)
        each = [under(s, m, full, limit) for limit in choices(s, m, tdp, floor)] + [(full, 1)]
        draw, speed = min(each, key=lambda c: (c[0] / c[1] * c[1] ** -exponent, -c[1]))
        job = rows_of(folder / "o/jobs.csv")[0]
        near(job["finish_s"], 1000 / speed, 1e-6)
        near(job["energy_j"], draw * 1000 / speed, 1e-6)


def monotone(values):
    """Pool adjacent violators, by blocks."""
    blocks = []
    for value in values:
        blocks.append([value, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (b, n), (a, k) = blocks.pop(), blocks.pop()
            blocks.append([(a * k + b * n) / (k + n), k + n])
    return [value for value, count in blocks for _ in range(count)]


def error(predicted, measured):
    return abs(math.log(predicted / measured))


def best_law(rows):
    """Of rows (limit / P, speed): the grid searched again, by cost and then by order."""
    best = (math.inf, 0, 0)
    for i in range(91):
        clipped = [(min(1, max(p, i / 100 + 0.1)), math.log(speed)) for p, speed in rows]
        rest = [((1 - i / 100) / (p - i / 100) if p < 1 else 1, speed) for p, speed in clipped]
        for j in range(101):
            m, total = j / 100, 0
            for x, speed in rest:
                total += abs(math.log(m + (1 - m) * x) + speed)
                if total >= best[0]:
                    break
            if total < best[0] - 1e-12:
                best = (total, i / 100, m)
    return best


HEAD = ["model", "gpu", "k", "batch_per_gpu", "throughput_samples_s", "power_w_per_gpu", "power_limit_w"]


def write_profile(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([HEAD, *rows])


def laws_of(folder):
    """GPU type: (s, m) of the written keys."""
    lines = (folder / "o.yaml").read_text().splitlines()
    found = {}
    for name, law in zip(lines[2::2], lines[3::2]):
        s, m = law.split("{s: ")[1].split(", evidence")[0].split(", m: ")
        found[name.split('"')[1]] = (float(s), float(m))
    return found


def fitted_again(folder):
    """Made-up curves without and with scatter: a law on the grid is found, and every error is the one computed here."""
    for seed in range(form(8, 2)):
        r = Random(f"fits {seed}")
        scatter = 0 if seed % 2 == 0 else 0.05
        s, m = r.randint(0, 40) / 100, r.randint(20, 80) / 100
        limits, rows, curves = [100, 150, 200, 250, 300, 360, 400], [], []
        for n in range(4):
            full, rate = r.uniform(300, 400), r.uniform(10, 1000)
            curve = {}
            for limit in limits:
                draw, speed = under(s, m, full, limit) if limit < 400 else (full, 1)
                curve[limit] = (draw * r.lognormvariate(0, scatter), rate * speed * r.lognormvariate(0, scatter))
                rows.append([f"m{n}", "g", 1, 8, repr(curve[limit][1]), repr(curve[limit][0]), limit])
            curves.append(curve)
        r.shuffle(rows)
        write_profile(folder / "l.csv", rows)
        easim("calibrate", "limits", "l.csv", "-o", "o.yaml", "--points", "p.csv", cwd=folder)
        fit = [(limit, limit / c[400][0], c[limit][1] / c[400][1]) for c in curves for limit in limits if 160 <= limit < 400]
        cost, found_s, found_m = best_law([(p, v) for _, p, v in fit])
        law = laws_of(folder)["g"]
        again = sum(error(rho(*law, min(1, max(p, law[0] + 0.1))), v) for _, p, v in fit)
        assert again <= cost + 1e-9 and (scatter or cost < 1e-9), (seed, law, (found_s, found_m), again, cost)
        left_out = {limit: best_law([(p, v) for at, p, v in fit if at != limit]) for limit in limits if 160 <= limit < 400}
        for row in rows_of(folder / "p.csv"):
            curve, limit = curves[int(row["model"][1:])], float(row["power_limit_w"])
            full, rate = curve[400]
            draw, speed = curve[limit][0] / full, curve[limit][1] / rate
            near(row["draw"], draw, 1e-9)
            near(row["speed"], speed, 1e-9)
            others = [at for at in limits if at != limit]
            for column, values, measured in ((TABLE_DRAW, [curve[at][0] / full for at in others], draw),
                                             (TABLE_SPEED, [curve[at][1] / rate for at in others], speed)):
                if limit == 100:
                    assert row[column] == ""
                    continue
                high = next(i for i, at in enumerate(others) if at > limit)
                a, b = monotone(values)[high - 1:high + 1]
                near(row[column], error(a + (b - a) * (limit - others[high - 1]) / (others[high] - others[high - 1]), measured),
                     1e-9, 1e-12)
            if limit < 160:
                assert row[LAW_SPEED] == row[SHARE] == ""
                continue
            _, other_s, other_m = left_out[limit]
            p = min(1, max(limit / full, other_s + 0.1))
            near(row[SHARE], error(min(1, limit / full), speed), 1e-9, 1e-12)
            if scatter:
                near(row[LAW_SPEED], error(rho(other_s, other_m, p), speed), 1e-9, 1e-12)
                near(row[LAW_DRAW], error(p, draw), 1e-9, 1e-12)
            else:
                assert float(row[LAW_SPEED]) < 1e-9, (seed, row)


def sizes(rows, column):
    """Median and 90 % (nearest rank) of the errors of rows that have one."""
    errors = sorted(float(row[column]) for row in rows if row[column] and row[LAW_SPEED])
    n = len(errors)
    return (errors[(n - 1) // 2] + errors[n // 2]) / 2, errors[math.ceil(0.9 * n) - 1]


def published(folder):
    """Issue 41: A40 and V100 of Zeus, each limit left out, limits from 0.4 of the highest, and a B300 with its reference run.
    The law within 3.3 and 13.5 % of the speed (each card 4 and 18 %), 4.5 and 17 % of the draw, at most two thirds of the
    proportional control; tables of each card within 3.2 and 10 % of the speed and 1.5 and 4 % of the power."""
    data = real_data()
    profile = []
    for gpu in ("a40", "v100"):
        for row in rows_of(data / f"profiles/zeus_nsdi23/summary_power_{gpu}.csv"):
            profile.append([f"{row['dataset']}-{row['network']}-{row['optimizer']}", gpu, 1, row["batch_size"],
                            repr(1e6 / float(row["time_per_epoch"])), row["average_power"], row["power_limit"]])
    write_profile(folder / "zeus.csv", profile)
    easim("calibrate", "limits", "zeus.csv", data / "limits/b300_power_lab.csv", "--reference", "prec-bf16", "-o", "o.yaml",
          "--points", "p.csv", cwd=folder)
    every = [row for row in rows_of(folder / "p.csv") if row["gpu"] in ("a40", "v100")]
    median, most = sizes(every, LAW_SPEED)
    assert median <= 0.033 and most <= 0.135, (median, most)
    assert median <= 2 / 3 * sizes(every, SHARE)[0]
    median, most = sizes(every, LAW_DRAW)
    assert median <= 0.045 and most <= 0.17, (median, most)
    for gpu in ("a40", "v100"):
        rows = [row for row in every if row["gpu"] == gpu]
        for column, median, most in ((LAW_SPEED, 0.04, 0.18), (TABLE_SPEED, 0.032, 0.1), (TABLE_DRAW, 0.015, 0.04)):
            found = sizes(rows, column)
            assert found[0] <= median and found[1] <= most, (gpu, column, found)
    for gpu, law in {"v100": (0.29, 0.76), "a40": (0.38, 0.72), "NVIDIA B300 SXM6 AC": (0.18, 0.55)}.items():
        found = laws_of(folder)[gpu]  # of another search: one step of the grid apart
        assert max(abs(a - b) for a, b in zip(found, law)) < 0.0101, (gpu, found)


cases(chosen_by_zeus, fitted_again, published)
