#!/usr/bin/env python3
"""The tables of speed and growth in docs/explanation/performance.md: bench_table.py SOURCE [--check | --update]

Prints what tests/bench/baseline.json and growth.json hold as tables of that document: figures of one machine, and what is
aimed at and promised. --check compares with the document, --update rewrites them there, each between its first line and
the empty line behind it.
"""
import json
import math
import sys
from pathlib import Path

from bench_growth import exponent

HEAD = "| benchmark | CPU s | peak MiB | further | aim | limit |\n|---|---|---|---|---|---|\n"
TEXTS = {"cpu_s": "{:.3g} s", "peak_mib": "{:.0f} MiB", "decision_us": "{:.3g} us a decision", "exponent": "jobs^{:.2f}",
         "times": "{:.3g} times"}
GROWTH_HEAD = ("| command | sizes | before: CPU s | exponent | now: CPU s | exponent | limit |\n"
               "|---|---|---|---|---|---|---|\n")


def figures_of(bench, by_name):
    figures = {name: bench["baseline_" + name] for name in ("cpu_s", "peak_mib", "decision_us") if "baseline_" + name in bench}
    smaller, other = by_name.get(bench.get("grows_from")), by_name.get(bench.get("times_of"))
    if smaller:
        figures["exponent"] = (math.log(figures["cpu_s"] / smaller["baseline_cpu_s"]) /
                               math.log(bench["jobs"] / smaller["jobs"]))
    if other:
        figures["times"] = figures["cpu_s"] / other["baseline_cpu_s"]
    return figures


def bounds(bench, prefix, missed=()):
    """Those of one sort; in bold those that are missed."""
    texts = [f"**{text.format(bench[prefix + name])}**" if name in missed else text.format(bench[prefix + name])
             for name, text in TEXTS.items() if prefix + name in bench]
    return ", ".join(texts)


def row(bench, by_name):
    figures = figures_of(bench, by_name)
    missed = [name for name, value in figures.items() if value > bench.get("aim_" + name, math.inf)]
    further = [TEXTS[name].format(figures[name]) for name in ("decision_us", "exponent") if name in figures]
    if "times" in figures:
        further.append(f"{figures['times']:.3g} times {bench['times_of']}")
    cells = [bench["name"], f"{figures['cpu_s']:.3g}", f"{figures['peak_mib']:.0f}", ", ".join(further),
             bounds(bench, "aim_", missed), bounds(bench, "limit_")]
    return f"| {' | '.join(cells)} |\n"


def growth_row(row):
    """Times before and now, those that are there, with the exponents from the first to the last."""
    cells = [row["name"], ", ".join(f"{size:,}" for size in row["sizes"])]
    for when in "before_cpu_s", "now_cpu_s":
        cpu_s = row.get(when)
        cells += [", ".join(f"{seconds:.3g}" for seconds in cpu_s), f"{exponent(row['sizes'], cpu_s):.2f}"] if cpu_s else ["", ""]
    limits = [text.format(row[name]) for name, text in (("limit_exponent", "{:g}"), ("limit_cpu_s", "{:g} s")) if name in row]
    return f"| {' | '.join([*cells, ', '.join(limits)])} |\n"


def tables(source):
    """(first line, whole table) of each."""
    benches, rows = (json.loads(Path(source, "tests/bench", name).read_text(encoding="utf-8"))
                     for name in ("baseline.json", "growth.json"))
    by_name = {bench["name"]: bench for bench in benches}
    return [(HEAD.split("\n", maxsplit=1)[0], HEAD + "".join(row(bench, by_name) for bench in benches)),
            (GROWTH_HEAD.split("\n", maxsplit=1)[0], GROWTH_HEAD + "".join(map(growth_row, rows)))]


def main():
    source, *options = sys.argv[1:]
    path = Path(source, "docs/explanation/performance.md")
    document = path.read_text(encoding="utf-8")
    for first_line, table in tables(source):
        begin = document.find(first_line)
        if not options:
            print(table)
        elif begin < 0:
            print(f"{path}: no line {first_line}", file=sys.stderr)
            return 1
        elif options == ["--update"]:
            end = document.index("\n\n", begin) + 1
            document = document[:begin] + table + document[end:]
        elif table not in document:
            print("docs/explanation/performance.md: a table is another than tests/bench/baseline.json and growth.json give; "
                  "tools/bench_table.py SOURCE --update writes it", file=sys.stderr)
            return 1
    if options == ["--update"]:
        path.write_text(document, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
