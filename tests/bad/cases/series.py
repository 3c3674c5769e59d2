"""Series of power cap, price and carbon intensity: the keys, the files, and how they fit the run."""

from base import CONFIG, MODELS, POISSON, Case, changed

PERIODIC = "workload: {kind: periodic, period: 1h, until: {jobs: 3}, sizes: {law: constant, mean: 1h}}\n"
PRICES = "time_s,price_per_mwh\n0,60\n3600,-5\n36000,20\n"
NUMBER = "expected number -1000000..1000000, got "
THREE = "three rows at equal steps to repeat without a period"
UNEVEN = "expected a step of {} s as before, to repeat without a period, got one of {} s"
WOULD = "with period: {}s the last row would hold as long as the one before it"
PERIOD = "expected duration such as 90s or 10h 0.001..4000000000"
CONTRADICTION = "expected true, or no such key, because period repeats the series"
SECONDS = "expected seconds -4e9..4e9, got "


def case(name, keys, files, *errors, change=(), **more):
    """Keys at the end of c.yaml (from line 16 on), with files."""
    text = changed(CONFIG, change) + keys
    return Case(f"series: {name}", errors, {"c.yaml": text, "m.yaml": MODELS} | files, **more)


def price(name, rows, *errors, keys="price_per_mwh: {file: p.csv}\n", **more):
    return case(name, keys, {"p.csv": rows}, *errors, **more)


def hours(*numbers):
    return "time_s,price_per_mwh\n" + "".join(f"{3600 * n},{n}\n" for n in numbers)


def period(name, keys, *errors, file="file: p.csv, ", **more):
    return price(f"period: {name}", hours(0, 1, 2, 3), *errors, keys=f"price_per_mwh: {{{file}{keys}}}\n", **more)


def cap(name, rows, *errors, more=""):
    return case(name, "", {"cap.csv": rows}, *errors,
                change=[("cluster:\n", f"cluster:\n  power_cap_w: {{file: cap.csv{more}}}\n")])


CASES = [
    price("rows not in order", "time_s,price_per_mwh\n0,60\n7200,-5\n3600,20\n90000,1\n",
          "p.csv:4:1: time_s: expected a time after that of the row before, got \"3600\""),
    price("a time twice", "timestamp,price_per_mwh\n2022-01-01 00:00,1\n2022-01-01T00:00Z,2\n2022-01-02,3\n",
          "p.csv:3:1: timestamp: expected a time after that of the row before, got \"2022-01-01T00:00Z\"",
          keys="start_time: 2022-01-01\nprice_per_mwh: {file: p.csv}\n"),
    price("values that are no numbers", "price_per_mwh,time_s\n1,0\nNaN,1\nfree,2\n1e9,3\n5,40000\n",
          f"p.csv:3:1: price_per_mwh: {NUMBER}\"NaN\"",
          f"p.csv:4:1: price_per_mwh: {NUMBER}\"free\"",
          f"p.csv:5:1: price_per_mwh: {NUMBER}\"1e9\""),
    price("times that are no times", "time_s,price_per_mwh\n0,1\n1y,2\n,3\n40000,5\n",
          f"p.csv:3:1: time_s: {SECONDS}\"1y\"", f"p.csv:4:1: time_s: {SECONDS}\"\""),
    price("gap before the first value", "time_s,price_per_mwh\n0,\n3600,5\n36000,7\n",
          "p.csv:2:3: price_per_mwh: expected a number in the first row, got an empty cell"),
    price("column missing, with suggestion", PRICES.replace("price_per", "prices_per"),
          "p.csv:1: column \"price_per_mwh\" is missing, did you mean \"prices_per_mwh\"? (columns: time_s, prices_per_mwh)"),
    price("columns missing, without suggestion", "a,b\n0,1\n",
          "p.csv:1: column \"when\" is missing (time_column: NAME says which column holds the times) (columns: a, b)",
          "p.csv:1: column \"USD\" is missing (column: NAME says which column holds the values) (columns: a, b)",
          keys="price_per_mwh: {file: p.csv, column: USD, time_column: when}\n"),
    price("short row", "time_s,price_per_mwh\n0,1\n3600\n36000,7\n",
          "p.csv:3:1: expected 2 fields as in the header, found 1"),
    price("one row", "time_s,price_per_mwh\n0,1\n", "p.csv: expected at least two rows, got 1"),
    price("empty file", "", "p.csv: empty file, expected a header line"),
    price("no start_time", "timestamp,price_per_mwh\n2022-01-01,1\n2022-02-01,2\n",
          "c.yaml:16:16: price_per_mwh: expected the key \"start_time\", since p.csv holds date-times: the instant of "
          "t = 0"),
    price("start_time malformed", "timestamp,price_per_mwh\n2022-01-01,1\n2022-02-01,2\n",
          "c.yaml:16:13: start_time: expected a date-time such as 2022-01-01T00:00Z, got \"2022-02-30\"",
          keys="start_time: 2022-02-30\nprice_per_mwh: {file: p.csv}\n"),
    price("start_time is a list", PRICES, "c.yaml:16:13: start_time: expected text, got a list",
          keys="start_time: [2022]\nprice_per_mwh: {file: p.csv}\n"),
    price("ends before the horizon", "time_s,price_per_mwh\n0,1\n3600,2\n",
          "c.yaml:16:16: price_per_mwh: expected a series up to t = 36000 s or a period, got one up to t = 7200 s "
          "(p.csv)"),
    price("begins after the run", PRICES.replace("\n0,", "\n0.25,"),
          "c.yaml:16:16: price_per_mwh: expected a series from t = 0 on or a period, got one from t = 0.25 s on (p.csv)"),
    price("start_time before the first row", "timestamp,price_per_mwh\n2022-01-01,1\n2022-02-01,2\n",
          "c.yaml:17:16: price_per_mwh: expected a series from t = 0 on or a period, got one from t = 3600 s on (p.csv)",
          keys="start_time: 2022-01-01T00:00+01:00\nprice_per_mwh: {file: p.csv}\n"),
    price("repeat that is a number", PRICES, "c.yaml:16:38: price_per_mwh.repeat: expected true or false, got \"2\"",
          keys="price_per_mwh: {file: p.csv, repeat: 2}\n"),
    price("unknown key", PRICES, "c.yaml:16:30: price_per_mwh: unknown key \"colunm\", did you mean \"column\"?",
          keys="price_per_mwh: {file: p.csv, colunm: a}\n"),
    price("no file named", PRICES, "c.yaml:16:16: price_per_mwh: key \"file\" is missing",
          keys="price_per_mwh: {repeat: true}\n"),
    price("file that is not there", PRICES, "c.yaml:16:23: price_per_mwh.file: q.csv: cannot open: No such file or directory",
          keys="price_per_mwh: {file: q.csv}\n"),
    price("list of numbers", PRICES, "c.yaml:16:16: price_per_mwh: expected a number or {file: NAME}, got a list",
          keys="price_per_mwh: [1, 2]\n"),
    price("file name without its key", PRICES, f"c.yaml:16:16: price_per_mwh: {NUMBER}\"p.csv\"",
          keys="price_per_mwh: p.csv\n"),
    case("negative carbon intensity", "carbon_g_per_kwh: {file: c.csv}\n",
         {"c.csv": "time_s,carbon_g_per_kwh\n0,100\n36000,-1\n"},
         "c.csv:3:7: carbon_g_per_kwh: expected number 0..1000000, got \"-1\""),
    cap("negative cap", "time_s,power_w\n0,1000\n5,-1\n7,0\n",
        "cap.csv:3:3: power_w: expected number > 0 and <= 1000000000000, got \"-1\"",
        "cap.csv:4:3: power_w: expected number > 0 and <= 1000000000000, got \"0\""),
    cap("cap without rows", "time_s,power_w\n", "cap.csv: expected at least one row, got 0"),
    cap("one cap to repeat", "time_s,power_w\n0,1000\n", f"cap.csv: expected at least {THREE}, got 1", more=", repeat: true"),
    cap("two caps to repeat", "time_s,power_w\n0,1000\n3600,2000\n",
        f"cap.csv: expected at least {THREE}, got 2; {WOULD.format(7200)}", more=", repeat: true"),
    cap("a window of a day to repeat", "time_s,power_w\n0h,\n17h,18 kW\n20h,\n",
        f"cap.csv:4:1: time_s: {UNEVEN.format(61200, 10800)}; {WOULD.format(82800)}", more=", repeat: true"),
    price("a row missing among hours to repeat", hours(0, 1, 2, 4, 5), f"p.csv:5:1: time_s: {UNEVEN.format(3600, 7200)}; "
          f"{WOULD.format(21600)}", keys="price_per_mwh: {file: p.csv, repeat: true}\n"),
    price("two rows and two gaps to repeat", hours(0, 3, 4, 9), f"p.csv:4:1: time_s: {UNEVEN.format(10800, 3600)}; "
          f"{WOULD.format(50400)}", keys="price_per_mwh: {file: p.csv, repeat: true}\n"),
    period("of 0", "period: 0", f"c.yaml:16:38: price_per_mwh.period: {PERIOD}, got \"0\""),
    period("negative", "period: -24h", f"c.yaml:16:38: price_per_mwh.period: {PERIOD}, got \"-24h\""),
    period("infinite", "period: inf", f"c.yaml:16:38: price_per_mwh.period: {PERIOD}, got \"inf\""),
    period("below the shortest", "period: 0.5 ms", f"c.yaml:16:38: price_per_mwh.period: {PERIOD}, got \"0.5 ms\""),
    period("past its range", "period: 50000d", f"c.yaml:16:38: price_per_mwh.period: {PERIOD}, got \"50000d\""),
    period("in kWh", "period: 24 kWh", f"c.yaml:16:38: price_per_mwh.period: {PERIOD} (units: ns, us, ms, s, min, h, d, w), got \"24 kWh\""),
    period("a list", "period: [24h]", f"c.yaml:16:38: price_per_mwh.period: {PERIOD}, got a list"),
    period("not repeated", "period: 24h, repeat: false", f"c.yaml:16:51: price_per_mwh.repeat: {CONTRADICTION}, got \"false\""),
    period("shorter than the rows", "period: 2h", "p.csv:4:1: time_s: expected a time less than the period of 7200 s after the "
           "first row, got \"7200\""),
    period("without a file", "period: 24h", "c.yaml:16:16: price_per_mwh: key \"file\" is missing", file=""),
    period("of a number", "period: 24h", "c.yaml:16:17: price_per_mwh: unknown key \"value\"",
           "c.yaml:16:16: price_per_mwh: key \"file\" is missing", file="value: 60, "),
    period("misspelled", "perod: 24h", "c.yaml:16:30: price_per_mwh: unknown key \"perod\", did you mean \"period\"?"),
    period("set to nothing", "period: 24h", f"--set price_per_mwh.period: price_per_mwh.period: {PERIOD}, got \"0\"",
           command=("check", "c.yaml", "--set", "price_per_mwh.period=0")),
    period("set beside repeat", "repeat: false", f"c.yaml:16:38: price_per_mwh.repeat: {CONTRADICTION}, got \"false\"",
           command=("check", "c.yaml", "--set", "price_per_mwh.period=24h")),
    cap("shorter than the rows", "power_w,time_s\n1000,0\n,17h\n2000,20h\n3000,30h\n",
        "cap.csv:4:6: time_s: expected a time less than the period of 72000 s after the first row, got \"20h\"", more=", period: 20h"),
    case("problems of all three", "price_per_mwh: {file: p.csv}\ncarbon_g_per_kwh: {file: c.csv}\n",
         {"p.csv": "time_s,price_per_mwh\n0,1\n40000,x\n", "c.csv": "time_s,g\n0,1\n1,2\n",
          "cap.csv": "time_s,power_w\n0,W\n"},
         "c.csv:1: column \"carbon_g_per_kwh\" is missing (column: NAME says which column holds the values) (columns: time_s, g)",
         f"p.csv:3:7: price_per_mwh: {NUMBER}\"x\"",
         "cap.csv:2:3: power_w: expected number > 0 and <= 1000000000000, got \"W\"",
         change=[("cluster:\n", "cluster:\n  power_cap_w: {file: cap.csv}\n")]),
    case("the run goes on beyond the prices", "price_per_mwh: {file: p.csv}\n",
         {"p.csv": "time_s,price_per_mwh\n0,1\n3600,2\n"},
         "easim: price_per_mwh: p.csv ends at t = 7200 s, before the run does; period: DURATION would repeat it (at t = 7200 s)",
         change=[("horizon: 10h", "horizon: drain"), (POISSON, PERIODIC)], exit_code=1),
]
