#!/usr/bin/env python3
"""The table of speed in docs/architecture.md: bench_table.py SOURCE [--check | --update]

Prints what tests/bench/baseline.json holds as a table of that document: figures of one machine, and what is aimed at and
promised. --check compares with the document, --update rewrites it there, between the table's first line and the empty
line behind it.
"""
import json
import math
import sys
from pathlib import Path

HEAD = "| benchmark | CPU s | peak MiB | further | aim | limit |\n|---|---|---|---|---|---|\n"
TEXTS = {"cpu_s": "{:.3g} s", "peak_mib": "{:.0f} MiB", "decision_us": "{:.3g} us a decision", "exponent": "jobs^{:.2f}",
         "times": "{:.3g} times"}


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


def main():
    source, *options = sys.argv[1:]
    benches = json.loads(Path(source, "tests/bench/baseline.json").read_text(encoding="utf-8"))
    by_name = {bench["name"]: bench for bench in benches}
    table = HEAD + "".join(row(bench, by_name) for bench in benches)
    path = Path(source, "docs/architecture.md")
    document = path.read_text(encoding="utf-8")
    begin = document.find(HEAD.split("\n")[0])
    if not options:
        print(table, end="")
    elif begin < 0:
        print(f"{path}: no line {HEAD.split(chr(10))[0]}", file=sys.stderr)
        return 1
    elif options == ["--update"]:
        end = document.index("\n\n", begin) + 1
        path.write_text(document[:begin] + table + document[end:], encoding="utf-8")
    elif table not in document:
        print("docs/architecture.md: its table of speed is another than tests/bench/baseline.json gives; "
              "tools/bench_table.py SOURCE --update writes it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
