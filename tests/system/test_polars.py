"""Tables that easim writes, read by polars, which infers types from the first 100 rows: columns, rows, values and gaps as Python's
csv reads them; numbers are numbers, and every real has a point or an exponent. test_polars.py EASIM SOURCE; skipped (exit 77) without
polars (pip install polars)."""
import csv
import os
import re

from harness import SOURCE, cases, easim, form, skip

os.environ["POLARS_MAX_THREADS"] = "1"
try:
    import polars
except ImportError:
    skip("polars is not installed")

SWEEP = """name: s
base: {base}
set: {{replications: 2, horizon: 1h}}
axes:
  - {{path: seed, values: [7, 8]}}
  - {{path: policy.name, values: [fcfs, absent, easy]}}
"""
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")


def kind_of(cells):
    """Of a column, by all of its cells that are not empty."""
    cells = [cell for cell in cells if cell]
    if cells and all(cell in ("true", "false") for cell in cells):
        return "boolean"
    if not cells or not all(NUMBER.fullmatch(cell) for cell in cells):
        return "text"
    return "whole" if all(cell.lstrip("-").isdigit() for cell in cells) else "real"


def check(path):
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    table = polars.read_csv(path)
    assert table.columns == names and table.height == len(rows), path
    for column, cells in zip(table.get_columns(), zip(*rows)):
        kind, place = kind_of(cells), f"{path}: {column.name} is {column.dtype}"
        if any(cells[:100]):
            assert kind != "real" or column.dtype == polars.Float64 and all(re.search("[.eE]|^$", cell) for cell in cells), place
            assert kind != "whole" or column.dtype == polars.Int64, place
        else:
            kind = "text"
        for cell, value in zip(cells, column):
            assert (value is None) == (cell == ""), f"{place}, {cell} is {value!r}"
            same = cell == "" or (float(cell) == value if kind in ("whole", "real") else cell == str(value))
            assert same, f"{place}, {cell} is {value!r}"


def check_all(folder, *needed):
    paths = sorted(folder.rglob("*.csv"))
    assert not set(needed) - {path.stem for path in paths}, paths
    for path in paths:
        check(path)
    return len(paths)


def runs(folder):
    """Recorded; with services, with users, with failures."""
    count, names = form((2, ("eas-sim", "llm", "failures", "mixed-criticality", "power-cap", "carbon-price", "deferral", "mmc", "generation")),
                        (1, ("eas-sim", "llm", "failures")))
    for name in names:
        easim("run", SOURCE / f"configs/{name}.yaml", "--record", "--quiet", "-n", count, "--out", folder / name)
    easim("analyze", folder / "eas-sim", "--quiet")
    easim("attribute", folder / "eas-sim", "--quiet", "--path", "user/job")
    return check_all(folder, "summary", "aggregate", "jobs", "users", "gpus", "types", "segments", "power", "series", "services", "workload",
                     "recorded", "waste", "attribution")


def studies(folder):
    """Of many runs."""
    base = SOURCE / "configs/eas-sim.yaml"
    few = ("-n", 2, "--set", form("horizon=2h", "horizon=30min"), "--quiet", "--out")
    (folder / "s.yaml").write_text(SWEEP.format(base=base), encoding="utf-8")
    easim("sweep", folder / "s.yaml", "--quiet", "--out", folder / "sweep", code=1)
    easim("compare", base, "--policies", "fcfs,easy,pollux", *few, folder / "compare")
    easim("ablate", base, "zeus:edp_slack=2", "pollux", *few, folder / "ablate")
    easim("tune", base, "--policy", "zeus", "--params", "edp_slack=1..2", "--objective", "energy_kwh", "--max-trials", 4, "--training-replications", 2, *few,
          folder / "tune")
    easim("regret", base, "--sample", 3, *few, folder / "regret")
    easim("bound", base, *few, folder / "bound")
    easim("gen", base, "--output", folder / "gen.csv")
    easim("compare", SOURCE / "configs/uncertainty.yaml", "--policies", "fcfs,easy", "--set", "replications=2", "--quiet", "--out",
          folder / "worlds")
    return check_all(folder, "sweep", "failures", "compare", "differences", "pareto", "worlds", "ablate", "trials", "regret", "gen")


if __name__ == "__main__":
    cases(runs, studies)
