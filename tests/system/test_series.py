"""Cost and CO2 of a month against an integration of its own: test_series.py EASIM

The series are made here with what real ones hold: steps of 15 and 30 minutes in one file, empty cells, missing rows,
negative values and spikes, local times over the begin of daylight saving (Europe, 27 March 2022). Power is taken from
starts and ends of the jobs in jobs.csv, not from easim's own sums; values hold from their row to the next one.
"""
import csv
import datetime
import json
import random
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

EASIM = str(Path(sys.argv[1]).resolve())
IDLE_W, TDP_W, GPUS, BASE_W, PUE = 60, 400, 8, 520, Fraction("1.3")
BERLIN = (datetime.timezone(datetime.timedelta(hours=1)), datetime.timezone(datetime.timedelta(hours=2)))
SUMMER = datetime.datetime(2022, 3, 27, 1, tzinfo=datetime.timezone.utc)
SCENARIO = """\
name: month
seed: 1
horizon: {days}d
start_time: {start}
price_per_mwh: {{file: price.csv, column: EUR, time_column: {column}, repeat: true}}
carbon_g_per_kwh: {{file: carbon.csv, repeat: true}}
cluster:
  gpu_types: [{{name: g, idle_w: 60, tdp_w: 400}}]
  nodes: [{{gpu: g, gpus: 8, base_w: 520}}]
  pue: 1.3
workload: {{kind: trace, file: jobs.csv}}
policy: {{name: fcfs}}
"""


def utc(day, hour=0):
    return datetime.datetime(2022, 3, day, tzinfo=datetime.timezone.utc) + datetime.timedelta(hours=hour)


def prices(rng):
    """(instant, text) of March by the clock of Berlin: quarters of an hour, from the 20th on half hours."""
    at, rows = utc(1, -1), []
    while at < utc(31, 22):
        value = "" if rows and rng.random() < 0.01 else str(rng.choice([-89.5, 4021.17, *[round(rng.gauss(90, 60), 2)] * 8]))
        rows.append((at, value))
        at += datetime.timedelta(minutes=15 if at < utc(20) or rng.random() < 0.05 else 30)
    return rows


def carbon(rng):
    """Hours of UTC, of which some are empty and five are not there."""
    rows = [(utc(1, hour), "" if hour % 97 == 96 else str(round(rng.uniform(20, 600), 3))) for hour in range(31 * 24)]
    return rows[:200] + rows[205:]


def write(folder, rng):
    rows = {"price": prices(rng), "carbon": carbon(rng)}
    with open(folder / "price.csv", "w", encoding="utf-8") as file:
        file.write("local,utc,EUR\n")
        for at, value in rows["price"]:
            file.write(f"{at.astimezone(BERLIN[at >= SUMMER]).isoformat()},{at:%Y-%m-%d %H:%M},{value}\n")
    with open(folder / "carbon.csv", "w", encoding="utf-8") as file:
        file.write("timestamp,carbon_g_per_kwh\n")
        file.writelines(f"{at:%Y-%m-%dT%H:%MZ},{value}\n" for at, value in rows["carbon"])
    with open(folder / "jobs.csv", "w", encoding="utf-8") as file:
        file.write("job_id,submit_s,duration_s,gpus\n")
        file.writelines(f"{i},{rng.uniform(0, 38 * 86400):.3f},{rng.expovariate(1 / 20000):.3f},{rng.randint(1, 8)}\n"
                        for i in range(300))
    return rows


def run(folder, name, days, start, column):
    text = SCENARIO.format(days=days, start=start, column=column)
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    subprocess.run([EASIM, "run", str(folder / f"{name}.yaml"), "--out", str(folder / name), "--quiet", "--check",
                    "--force"], check=True)
    with open(folder / name / "summary.csv", newline="", encoding="utf-8") as file:
        return next(csv.DictReader(file))


def course(rows, start, days):
    """[(seconds from t = 0, value)] over the run, the month coming again behind its end."""
    values, last = [], None
    for at, text in rows:
        last = Fraction(text) if text else last
        values.append((Fraction((at - start) / datetime.timedelta(seconds=1)), last))
    period = values[-1][0] - values[0][0] + values[-1][0] - values[-2][0]
    return [(second + turn * period, value) for turn in range(3) for second, value in values
            if second + turn * period < days * 86400]


def power(folder, name, days):
    """[(seconds, watts)] from starts and ends of the jobs."""
    changes = {Fraction(0): BASE_W + GPUS * IDLE_W}
    with open(folder / name / "jobs.csv", newline="", encoding="utf-8") as file:
        for job in csv.DictReader(file):
            for key, sign in (("start_s", 1), ("finish_s", -1)):
                if job[key]:
                    at = Fraction(job[key])
                    changes[at] = changes.get(at, 0) + sign * int(job["k"]) * (TDP_W - IDLE_W)
    steps, watts = [], 0
    for at in sorted(changes):
        watts += changes[at]
        steps.append((at, watts))
    assert watts >= BASE_W + GPUS * IDLE_W and max(step[1] for step in steps) <= BASE_W + GPUS * TDP_W
    return steps


def integral(a, b, end):
    """Of the product of two step functions from 0 to end."""
    total, i, j, at = Fraction(0), 0, 0, Fraction(0)
    while at < end:
        while i + 1 < len(a) and a[i + 1][0] <= at:
            i += 1
        while j + 1 < len(b) and b[j + 1][0] <= at:
            j += 1
        until = min([end] + [steps[n + 1][0] for steps, n in ((a, i), (b, j)) if n + 1 < len(steps)])
        total += a[i][1] * b[j][1] * (until - at)
        at = until
    return total


def check(folder, rows, start_text, days):
    start = datetime.datetime.fromisoformat(start_text)
    summary = run(folder, "utc", days, start_text, "utc")
    local = run(folder, "local", days, start_text, "local")
    assert summary == local, "one instant in two zones"
    watts = power(folder, "utc", days)
    for key, series in (("cost", "price"), ("co2_kg", "carbon")):
        steps = course(rows[series], start, days)
        expected = PUE * integral(watts, steps, Fraction(days * 86400)) / 3600000 / 1000
        print(f"{start_text}, {days} d: {key} {float(expected):.6f}, easim {summary[key]}")
        assert abs(Fraction(summary[key]) / expected - 1) < Fraction(1, 10**12), (key, summary[key], float(expected))
    noted = {entry["key"]: entry for entry in
             json.loads((folder / "utc" / "manifest.json").read_text(encoding="utf-8"))["series"]}
    for key, series in (("price_per_mwh", "price"), ("carbon_g_per_kwh", "carbon")):
        assert noted[key]["rows_read"] == len(rows[series])
        assert noted[key]["gaps_filled"] == sum(not text for _, text in rows[series]) > 0
    assert [noted["price_per_mwh"][f"{which}_step_s"] for which in ("shortest", "longest")] == [900, 1800]
    assert [noted["carbon_g_per_kwh"][f"{which}_step_s"] for which in ("shortest", "longest")] == [3600, 6 * 3600]


def main():
    cases = [("2022-03-01T00:00:00+00:00", 30), ("2022-03-05T17:07:30-08:00", 35), ("2022-03-27T01:59:59.500+01:00", 1),
             ("2022-03-31T23:30:00+02:00", 40)]
    with tempfile.TemporaryDirectory(prefix="easim-series.") as name:
        folder = Path(name)
        rows = write(folder, random.Random(20220327))
        for start, days in cases:
            check(folder, rows, start, days)
    print(f"{len(cases)} passed, 0 failed")


main()
