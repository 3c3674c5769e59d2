#!/usr/bin/env python3
"""Measures how CPU time grows with the size of the input: the rows of tests/bench/growth.json.

Usage: bench_growth.py --easim BIN --source DIR [--only TEXT] [--against BIN] [--update before|now]

Each row: name; sizes, from the smallest to the largest; input, a command that makes the input of size {n} in the fresh folder
{in}, once for all rows that say the same; command, which is timed; limit_exponent, the most that n may be in CPU time ~ size^n
from the smallest to the largest size; optionally limit_cpu_s at the largest size. Placeholders are {n} {in} {easim} {src}
{tmp}; {tmp} is a fresh folder and the working directory. A figure is the least of five runs, of one where that takes
over 3 s, and the commands of all sizes take turns. Exit status 1: a command fails or a limit is exceeded; with --against also a size that takes more than a
tenth longer than by that program, by turns. --update writes the figures into growth.json, those of an earlier program as
before; tools/bench_table.py shows them in docs/explanation/performance.md.
"""
import argparse
import ctypes
import json
import math
import os
import sys
import tempfile
from pathlib import Path

from bench_compare import PR_SET_CHILD_SUBREAPER, as_text, filled, pin_to_one_core, run_once

RUNS = 5
LONG_S = 3  # a single run will do
SLOWER = 1.10


def exponent(sizes, cpu_s):
    return math.log(cpu_s[-1] / cpu_s[0]) / math.log(sizes[-1] / sizes[0])


def cpu_s_of(command, values):
    with tempfile.TemporaryDirectory(prefix="easim-growth.") as folder:
        cpu_s, _, _, code, errors = run_once(filled(command, {**values, "tmp": folder}), folder)
    if code:
        raise RuntimeError(f"exit status {code} of {' '.join(command)}\n{errors}".rstrip())
    return cpu_s


class Inputs:
    """Folders of inputs, each made once."""

    def __init__(self, root):
        self.root, self.made = root, {}

    def folder(self, row, values):
        key = str(filled(row["input"], {"n": values["n"]}))
        if key not in self.made:
            folder = str(Path(self.root, str(len(self.made))))
            os.mkdir(folder)
            cpu_s_of(row["input"], {**values, "in": folder})
            self.made[key] = folder
        return self.made[key]


def measure(row, inputs, programs, values):
    """CPU seconds of each program for each size."""
    sized = [{**values, "n": str(size)} for size in row["sizes"]]
    sized = [{**of, "in": inputs.folder(row, {**of, "easim": programs[0]})} for of in sized]
    least = [[math.inf] * len(sized) for _ in programs]
    for run in range(RUNS):
        for i, of in enumerate(sized):
            for p, program in enumerate(programs):
                if run and least[p][i] > LONG_S:
                    continue
                least[p][i] = min(least[p][i], cpu_s_of(row["command"], {**of, "easim": program}))
    return least


def faults_of(row, cpu_s, other):
    grows, limit_s = exponent(row["sizes"], cpu_s), row.get("limit_cpu_s", math.inf)
    faults = []
    if grows > row["limit_exponent"]:
        faults.append(f"grows by {grows:.2f}, limit {row['limit_exponent']:g}")
    if cpu_s[-1] > limit_s:
        faults.append(f"takes {cpu_s[-1]:.2f} s, limit {limit_s:g} s")
    if other:
        faults += [f"{size} takes {now / before:.2f} times as long"
                   for size, now, before in zip(row["sizes"], cpu_s, other) if now > SLOWER * before]
    return faults


def run_row(row, inputs, programs, values, update):
    """Prints what is measured of a row; returns whether it is good."""
    try:
        cpu_s, *others = measure(row, inputs, programs, values)
    except RuntimeError as error:
        print(f"{row['name']:<50} FAILED: {error}")
        return False
    faults = faults_of(row, cpu_s, others[0] if others else None)
    print(f"{row['name']:<50}" + "".join(f"{seconds:>9.4f}" for seconds in cpu_s) +
          f"{exponent(row['sizes'], cpu_s):>7.2f}  {'; '.join(faults) or 'good'}", flush=True)
    for other in others:
        print(f"{'  of --against':<50}" + "".join(f"{seconds:>9.4f}" for seconds in other) +
              f"{exponent(row['sizes'], other):>7.2f}", flush=True)
    if update:
        row[f"{update}_cpu_s"] = [round(seconds, 4) for seconds in cpu_s]
        if others and update == "now":
            row["before_cpu_s"] = [round(seconds, 4) for seconds in others[0]]
    return not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--easim", required=True, help="the program to measure")
    parser.add_argument("--source", required=True, help="the source folder")
    parser.add_argument("--only", metavar="TEXT", default="", help="rows with this in their names")
    parser.add_argument("--against", metavar="BIN", help="a program that must not be faster at any size")
    parser.add_argument("--update", choices=["before", "now"],
                        help="write the figures into growth.json; now with --against writes both")
    options = parser.parse_args()
    path = Path(options.source, "tests/bench/growth.json")
    rows = json.loads(path.read_text(encoding="utf-8"))
    chosen = [row for row in rows if options.only in row["name"]]
    if not chosen:
        print(f"no row has {options.only} in its name", file=sys.stderr)
        return 2
    programs = [os.path.abspath(program) for program in (options.easim, options.against) if program]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    pin_to_one_core()
    with tempfile.TemporaryDirectory(prefix="easim-growth.") as root:
        inputs, values = Inputs(root), {"src": os.path.abspath(options.source)}
        good = [run_row(row, inputs, programs, values, options.update) for row in chosen]
    if options.update:
        path.write_text(as_text(rows), encoding="utf-8")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
