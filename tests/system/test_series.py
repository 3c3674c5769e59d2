"""Series against an evaluation of its own: test_series.py EASIM SOURCE

Cost and CO2 of a month, power caps, and what random series with a period are at any time, before and after their rows: written out
over the whole run they give the same files.

The series are made here with what real ones hold: steps of 15 and 30 minutes in one file, empty cells, missing rows,
negative values and spikes, local times over the begin of daylight saving (Europe, 27 March 2022). Power is taken from
starts and ends of the jobs in jobs.csv, not from easim's own sums; values hold from their row to the next one.
"""
import datetime
import random
from bisect import bisect_right
from fractions import Fraction

from harness import bytes_of, cases, easim, json_of, rows_of, write_table

IDLE_W, TDP_W, GPUS, BASE_W, PUE = 60, 400, 8, 520, Fraction("1.3")
PERIODS = {"price": 31 * 86400, "carbon": 30.5 * 86400 + 86399.75}  # the second ends 45000.25 s after its last row
BERLIN = (datetime.timezone(datetime.timedelta(hours=1)), datetime.timezone(datetime.timedelta(hours=2)))
SUMMER = datetime.datetime(2022, 3, 27, 1, tzinfo=datetime.timezone.utc)
SCENARIO = """\
name: month
seed: 1
horizon: {days}d
start_time: {start}
price_per_mwh: {{file: price.csv, column: EUR, time_column: {column}, period: {price_s}s}}
carbon_g_per_kwh: {{file: carbon.csv, period: {carbon_s}s}}
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
    write_table(folder / "price.csv", "local,utc,EUR", (
        [at.astimezone(BERLIN[at >= SUMMER]).isoformat(), f"{at:%Y-%m-%d %H:%M}", value] for at, value in rows["price"]))
    write_table(folder / "carbon.csv", "timestamp,carbon_g_per_kwh", ([f"{at:%Y-%m-%dT%H:%MZ}", value] for at, value in rows["carbon"]))
    write_jobs(folder, rng, 300, 38 * 86400, 20000, 8)
    return rows


def write_jobs(folder, rng, count, until_s, mean_s, gpus):
    write_table(folder / "jobs.csv", "job_id,submit_s,duration_s,gpus", (
        [i, f"{rng.uniform(0, until_s):.3f}", f"{rng.expovariate(1 / mean_s):.3f}", rng.randint(1, gpus)] for i in range(count)))


def run(folder, name, days, start, column):
    text = SCENARIO.format(days=days, start=start, column=column, price_s=PERIODS["price"], carbon_s=PERIODS["carbon"])
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    easim("run", folder / f"{name}.yaml", "--out", folder / name, "--quiet", "--check", "--force")
    return rows_of(folder / name / "summary.csv")[0]


def course(rows, start, days, period):
    """[(seconds from t = 0, value)] over the run, the month coming again behind its end, and before its begin."""
    values, last = [], None
    for at, text in rows:
        last = Fraction(text) if text else last
        values.append((Fraction((at - start) / datetime.timedelta(seconds=1)), last))
    assert values[-1][0] - values[0][0] < period
    return [(second + turn * period, value) for turn in range(-2, 3) for second, value in values
            if second + turn * period < days * 86400]


def power(folder, name, days):
    """[(seconds, watts)] from starts and ends of the jobs."""
    changes = {Fraction(0): BASE_W + GPUS * IDLE_W}
    for job in rows_of(folder / name / "jobs.csv"):
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
        steps = course(rows[series], start, days, PERIODS[series])
        expected = PUE * integral(watts, steps, Fraction(days * 86400)) / 3600000 / 1000
        print(f"{start_text}, {days} d: {key} {float(expected):.6f}, easim {summary[key]}")
        assert abs(Fraction(summary[key]) / expected - 1) < Fraction(1, 10**12), (key, summary[key], float(expected))
    manifest = json_of(folder / "utc" / "manifest.json")
    assert manifest["periods"] == {"price_per_mwh": PERIODS["price"], "carbon_g_per_kwh": PERIODS["carbon"]}
    noted = {entry["key"]: entry for entry in manifest["series"]}
    for key, series in (("price_per_mwh", "price"), ("carbon_g_per_kwh", "carbon")):
        assert noted[key]["rows_read"] == len(rows[series])
        assert noted[key]["gaps_filled"] == sum(not text for _, text in rows[series]) > 0
    assert [noted["price_per_mwh"][f"{which}_step_s"] for which in ("shortest", "longest")] == [900, 1800]
    assert [noted["carbon_g_per_kwh"][f"{which}_step_s"] for which in ("shortest", "longest")] == [3600, 6 * 3600]


# ---- Random series with a period ----

NS = 10**9
HORIZON_S, RUNS = 9000, 30
RANDOM = """\
name: random
seed: 3
horizon: {horizon}s
forecast: {{hours: 5}}
models: m.yaml
price_per_mwh: {price}
carbon_g_per_kwh: {carbon}
cluster:
  gpu_types: [{{name: g, idle_w: 60, ctx_w: 90, tdp_w: 400, memory_gib: 80}}]
  nodes: [{{gpu: g, gpus: 8, base_w: 520}}]
  power_cap_w: {cap}
workload:
  streams:
    - {{kind: trace, file: jobs.csv}}
    - {{kind: service, name: chat, model: m, demand: {demand}, slo: {{itl_ms: 60, wait_s: 10}}, replicas: {{min: 1, max: 2}}}}
policy: {{name: {policy}}}
"""
MODEL = """\
models:
  - name: m
    unit: token
    prompt: {included: true}
    serving:
      - {gpu: g, k: 1, evidence: assumed, source: test, points: [
          {n: 10, per_s: 1000, power_w: 200, itl_ms: {p50: 5, p90: 8, p95: 9, p99: 10}},
          {n: 30, per_s: 2000, power_w: 300, itl_ms: {p50: 9, p90: 15, p95: 18, p99: 20}}]}
"""
USES = {"price": ("price_per_mwh", (-50, 200)), "carbon": ("carbon_g_per_kwh", (0, 700)), "cap": ("power_w", (900, 3500)),
        "demand": ("tokens_per_s", (0, 3000))}


class Periodic:
    """Rows (s, value) and a period in s, all exact. A value of None is no cap."""

    def __init__(self, rows, period):
        self.times, self.values, self.period = [time for time, _ in rows], [value for _, value in rows], period

    def at(self, time):
        return self.values[bisect_right(self.times, self.times[0] + (time - self.times[0]) % self.period) - 1]

    def changes(self, begin, end):
        """Times in [begin, end) at which a row of some round begins."""
        return sorted(time + n * self.period for time in self.times
                      for n in range(-((time - begin) // self.period), -((time - end) // self.period)))

    def steps(self, end):
        return [(time, self.at(time)) for time in [Fraction(0), *self.changes(Fraction(0), end)]]


def random_series(rng, use):
    period = Fraction(rng.choice([500, 1800, 3600, 7200, 20000, 86400]) * NS + rng.choice([0, 0, 1, 500 * 10**6]), NS)
    count = rng.choice([1, 2, 3, 10])
    first = Fraction(rng.choice([0, -3, 0.25, 100, 7000, -50000, 123456, 10**6])) + rng.choice([0, 0, period])
    later = sorted(rng.sample(range(1, int(period * 1000)), count - 1))
    low, high = USES[use][1]
    values = [rng.choice([low, high, round(rng.uniform(low, high), 2)]) for _ in range(count)]
    if use == "cap":
        values = [rng.choice([None, value, value]) for value in values]
    elif use != "demand":
        values = [value if value or not i else values[0] for i, value in enumerate(values)]
    return Periodic([(first + Fraction(ms, 1000), value) for ms, value in zip([0, *later], values)], period)


def text(time):
    """Of an exact time with at most nine decimals: up to 1e6 s a double tells them apart."""
    ns = time * NS
    assert ns.denominator == 1
    sign, ns = "-" if ns < 0 else "", abs(int(ns))
    return f"{sign}{ns // NS}.{ns % NS:09}"


def write_series(path, use, rows):
    cell = {None: ""}
    path.write_text(f"time_s,{USES[use][0]}\n" + "".join(f"{text(time)},{cell.get(value, value)}\n" for time, value in rows))


def random_run(folder, name, files, policy):
    """Folder of results; files: of each use, what the scenario says of its series."""
    (folder / f"{name}.yaml").write_text(RANDOM.format(horizon=HORIZON_S, policy=policy, **files))
    easim("run", folder / f"{name}.yaml", "--out", folder / name, "--quiet", "--check", "--force", "--record", "--decisions",
          "--trace", "trace.jsonl")
    return folder / name


def periodic_against_written(folder, seed):
    """A series with a period has the values of the evaluation above, and those rows as a long series give the same files."""
    rng = random.Random(seed)
    policy = rng.choice(["fcfs", "charon", "deferral", "zeus"])
    write_jobs(folder, rng, 30, HORIZON_S, 1000, 3)
    series = {use: random_series(rng, use) for use in USES}
    end = Fraction(HORIZON_S)
    short, long = {}, {}
    for use, one in series.items():
        rows = list(zip(one.times, one.values))
        write_series(folder / f"{use}.csv", use, rows)
        short[use] = f"{{file: {use}.csv, period: {text(one.period)}s{rng.choice(['', ', repeat: true'])}}}"
        begin = -rng.choice([one.period, Fraction(7)])
        times = one.changes(begin - one.period, end + 2 * one.period + 10 * 3600)  # forecasts look five hours ahead
        write_series(folder / f"{use}-long.csv", use, [(time, one.at(time)) for time in times])
        long[use] = f"{{file: {use}-long.csv}}"
    files = bytes_of(random_run(folder, "short", short, policy), ".csv", ".jsonl")
    written = bytes_of(random_run(folder, "long", long, policy), ".csv", ".jsonl")
    assert files.keys() == written.keys() and {"series.csv", "services.csv", "trace.jsonl"} <= files.keys(), files.keys()
    for name, content in files.items():
        assert content == written[name], (seed, name)
    for row in rows_of(folder / "short" / "series.csv"):
        time = Fraction(row["time_s"])
        for use, column in (("cap", "cap_w"), ("price", "price_per_mwh"), ("carbon", "carbon_g_per_kwh")):
            assert Fraction(row[column] or -1) == Fraction(str(-1 if series[use].at(time) is None else series[use].at(time))), (seed, row)
    integrals(folder / "short", series, end, seed)
    return sum(one.times[0] > 0 for one in series.values())


def integrals(out, series, end, seed):
    """Cost, CO2, time and energy above the cap, tokens asked for: of the recorded power and the evaluation above."""
    summary, [service] = rows_of(out / "summary.csv")[0], rows_of(out / "services.csv")
    watts = [(Fraction(row["time_s"]), Fraction(row["power_w"])) for row in rows_of(out / "power.csv")]
    one = [(Fraction(0), Fraction(1))]
    exact = {use: [(time, None if value is None else Fraction(str(value))) for time, value in steps.steps(end)]
             for use, steps in series.items()}
    over_j = over_s = 0
    times = sorted({time for time, _ in watts + exact["cap"] if time < end})
    for at, until in zip(times, [*times[1:], end]):
        cap, power_w = exact["cap"], watts[bisect_right(watts, (at, 10**9)) - 1][1]
        cap_w = cap[bisect_right([time for time, _ in cap], at) - 1][1]
        if cap_w is not None and power_w > cap_w:
            over_s, over_j = over_s + until - at, over_j + (power_w - cap_w) * (until - at)
    expected = {"cost": integral(watts, exact["price"], end) / 3600000 / 1000, "cap_violation_s": over_s, "cap_violation_j": over_j,
                "co2_kg": integral(watts, exact["carbon"], end) / 3600000 / 1000}
    if all(cap_w is None for _, cap_w in exact["cap"]):
        assert not summary["cap_violation_s"] and not summary["cap_violation_j"]
    pairs = [(summary[key], value) for key, value in expected.items()]
    for got, value in [*pairs, (service["tokens_demanded"], integral(exact["demand"], one, end))]:
        assert abs(Fraction(got or 0) - value) <= abs(value) / 10**9 + Fraction(1, 10**9), (seed, expected, got, float(value))


# ---- What is said of a period ----

def said(folder):
    """`check`, notes and manifest name every period, given or not; what is set and swept counts."""
    for use, (column, _) in USES.items():
        (folder / f"{use}.csv").write_text(f"time_s,{column}\n0,1000\n3600,900\n7200,800\n")
    files = {"price": "{file: price.csv, period: 23h}", "carbon": "{file: carbon.csv, repeat: true}",
             "cap": "{file: cap.csv, period: 2.5h}", "demand": "{file: demand.csv, period: 10801s}"}
    random_run(folder, "said", files, "fcfs")
    demand, path = "workload.streams[1].demand", folder / "said.yaml"
    line = f"  note: repeated: cluster.power_cap_w every 2.5 h, price_per_mwh every {{}}, carbon_g_per_kwh every 3 h, {demand} every 10801 s"
    periods = {"cluster.power_cap_w": 9000, "price_per_mwh": 82800, "carbon_g_per_kwh": 10800, demand: 10801}
    assert json_of(folder / "said" / "manifest.json")["periods"] == periods
    assert easim("check", path).stdout.splitlines()[:2] == [f"{path}: ok", line.format("23 h")]
    assert line.format("23 h") in easim("run", path, "--out", folder / "said", "--force").stdout.splitlines()
    assert line.format("8000 s") in easim("check", path, "--set", "price_per_mwh.period=8000s").stdout
    law = ("--set", "workload.streams[1].demand={tokens_per_s: 5, amplitude: 0.5}")
    assert f"{demand} every 24 h" in easim("check", path, *law).stdout
    (folder / "sweep.yaml").write_text(
        "name: sweep\nbase: said.yaml\naxes:\n  - {path: price_per_mwh.period, values: [8000s, 23h, 1d]}\n")
    easim("sweep", folder / "sweep.yaml", "--quiet", "--out", folder / "sweep")
    costs = [float(row["cost"]) for row in rows_of(folder / "sweep" / "sweep.csv")]
    for period, cost in zip(("8000s", "23h", "1d"), costs):
        easim("run", path, "--quiet", "--out", folder / "one", "--force", "--set", f"price_per_mwh.period={period}")
        assert float(rows_of(folder / "one" / "summary.csv")[0]["cost"]) == cost
    assert costs[0] != costs[1] == costs[2], costs


MONTHS = [("2022-03-01T00:00:00+00:00", 30), ("2022-03-05T17:07:30-08:00", 35), ("2022-03-27T01:59:59.500+01:00", 1),
          ("2022-03-31T23:30:00+02:00", 40), ("2022-02-12T13:00:00+00:00", 25)]


def months(folder):
    rows = write(folder, random.Random(20220327))
    for start, days in MONTHS:
        check(folder, rows, start, days)
    return len(MONTHS)


def periods(folder):
    (folder / "m.yaml").write_text(MODEL)
    before = sum(periodic_against_written(folder, seed) for seed in range(RUNS))
    assert before > RUNS, before
    return RUNS


cases(months, periods, said, shared=True)
