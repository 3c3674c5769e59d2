"""Tables that easim writes as CSV, with typed columns: a DataFrame where there is pandas, else a Table."""
import csv
import functools
import html
from pathlib import Path

# Columns of tables that easim does not describe: texts even if they look like numbers, and numbers that are whole.
TEXTS = {"policy", "job_id", "user", "model", "class", "gpu_type", "behind", "baseline", "metric", "validation", "run_id", "plan"}
COUNTS = {"replication", "replications", "seed", "n", "pairs", "world", "worlds", "point"}
UNITS_BY_NAME = {"_s": "s", "_w": "W", "_j": "J", "_js": "J s", "_kwh": "kWh", "_gpu_h": "GPU h", "_gpu_s": "GPU s"}
TO_FRAMES = "columns as lists; with pandas installed this is a DataFrame"


@functools.lru_cache(None)
def known_columns():
    """{file: {column: (type, unit, better)}}: columns.csv, made from easim's own tables by tools/check_tables.py."""
    files = {}
    with open(Path(__file__).with_name("columns.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            files.setdefault(row["file"], {})[row["column"]] = (row["type"], row["unit"], row["better"])
    return files


def column_of(file, name):
    """(type, unit, better) of a column: by its file, else as a metric of a run (columns of sweep.csv and the like), else by its
    name: docs/reference/outputs.md says which units are in names."""
    tables = known_columns()
    known = tables.get(file, {}).get(name) or tables["summary.csv"].get(name)
    if known:
        return known
    if name in TEXTS or name.startswith("label."):
        return "text", "", ""
    ends = [end for end in UNITS_BY_NAME if name.endswith(end)]
    return "integer" if name in COUNTS else "real", UNITS_BY_NAME[max(ends, key=len)] if ends else "", ""


def typed(kind, cells):
    """(kind, values) of a column: text, whole or real; None stands for an empty cell. A metric that counts has means, too, and
    what a sweep or an uncertainty says may be a word."""
    attempts = {"text": (), "real": (("real", float),)}.get(kind, (("whole", int), ("real", float)))
    for shown, read_cell in attempts:
        try:
            return shown, [read_cell(cell) if cell else None for cell in cells]
        except ValueError:
            pass
    return "text", [cell if cell != "" else None for cell in cells]


class Table:
    """A table without pandas: `table["wait_s"]` is a list (None: an empty cell), iterating gives rows as dictionaries,
    `columns` are the names, `attrs["units"]` the units."""

    def __init__(self, columns, attrs):
        self._columns, self.attrs = columns, attrs

    @property
    def columns(self):
        return list(self._columns)

    def __getitem__(self, name):
        return self._columns[name]

    def __len__(self):
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self):
        return (dict(zip(self._columns, row)) for row in zip(*self._columns.values()))

    def __repr__(self):
        return f"<Table of {len(self)} rows: {', '.join(self._columns)} ({TO_FRAMES})>"

    def _repr_html_(self):
        def row(cells, tag):
            return "<tr>" + "".join(f"<{tag}>{html.escape('' if cell is None else str(cell))}</{tag}>" for cell in cells) + "</tr>"
        rows = list(zip(*self._columns.values()))
        more = f"<p>{len(rows)} rows</p>" if len(rows) > 60 else ""
        return "<table>" + row(self._columns, "th") + "".join(row(each, "td") for each in rows[:60]) + f"</table>{more}"


def frame_of(columns, attrs):
    """A DataFrame of {name: (kind, values)}, or a Table without pandas."""
    try:
        import pandas
    except ImportError:
        return Table({name: values for name, (_, values) in columns.items()}, attrs)
    series = {}
    for name, (kind, values) in columns.items():
        if kind == "whole":
            series[name] = pandas.array(values, dtype="Int64") if None in values else pandas.array(values, dtype="int64")
        else:
            series[name] = pandas.array(values, dtype="string" if kind == "text" else "float64")
    frame = pandas.DataFrame(series, columns=list(columns))
    frame.attrs.update(attrs)
    return frame


def read(paths):
    """The table of one or several CSV files of one form, one below the other. Columns that a file lacks are empty in its rows."""
    file, cells, count = Path(paths[0]).name, {}, 0
    for path in paths:
        with open(path, newline="", encoding="utf-8", errors="surrogateescape") as text:
            rows = csv.reader(text)
            header = next(rows, [])
            columns = list(zip(*rows)) or [()] * len(header)
        for name in header:
            cells.setdefault(name, [""] * count)
        length = len(columns[0]) if columns else 0
        for name, values in zip(header, columns):
            cells[name] += values
        count += length
        for values in cells.values():
            values += [""] * (count - len(values))
    known = {name: column_of(file, name) for name in cells}
    attrs = {"units": {name: unit for name, (_, unit, _) in known.items() if unit},
             "better": {name: better for name, (_, _, better) in known.items() if better}}
    if "metric" in cells:
        attrs["metric_units"] = {name: unit for name, (_, unit, _) in known_columns()["summary.csv"].items()}
    return frame_of({name: typed(known[name][0], values) for name, values in cells.items()}, attrs)
