#!/usr/bin/env python3
"""Runs the benchmarks of tests/bench/baseline.json and compares CPU time and memory with it.

Usage: bench_compare.py --easim BIN --source DIR [--only NAME] [--update] [--instructions [--within PERCENT]]

The figures are those of a build that is optimized at link time, up to 20 % faster than the README's:
meson setup build-bench --buildtype=release -Db_lto=true.

Each entry: name; command, a list with the placeholders {easim} {src} {tmp} {data}; optionally setup, a
command run once and not timed; limit_cpu_s, limit_peak_mib, limit_decision_us, the promised bounds, or
absent; baseline_cpu_s, baseline_peak_mib and baseline_decision_us, which --update rewrites. {tmp} is a
fresh folder and the working directory, {data} is EASIM_DATA. Time per decision is there if the command
has --timing and is not quiet; with `per_decision` it is the CPU seconds of the whole run over the
decisions in {tmp}/out. With `jobs`, memory per job is shown; with `grows_from`, the name of an
entry before with fewer jobs, n of cost ~ jobs^n, which limit_exponent bounds; with `times_of`, the name
of an entry before, the ratio to its CPU seconds, which limit_times bounds. `once`: measured once, not
five times after a first. aim_cpu_s and the like: what the figure should come to, shown beside
it here and by bench_table.py; nothing is held to it. Exit status 1: a command failed or a median is above its limit. Being
slower than the baseline is shown and fails nothing: machines differ.

With --instructions nothing is timed: instructions are counted (instructions.py), which a busy machine does not change, and
compared with baseline_instructions, one figure for each counter. To compare two versions, build both with the same compiler,
--update with the first and run the second; with --within PERCENT a larger difference is exit status 1. Commands of more
than 0.6 s are counted with --only.
"""

import argparse
import csv
import ctypes
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import instructions

RUNS = 5
MOST_COUNTED_S = 0.6  # valgrind takes seventy times as long
SLOWER = 1.25  # ratio to the baseline from which the verdict says so
PR_SET_CHILD_SUBREAPER = 36
DECISION = re.compile(r"decision, mean +([0-9.]+) us")


def pin_to_one_core():
    try:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    except OSError:
        print("not pinned to one core", file=sys.stderr)


def run_once(command, folder):
    """(CPU seconds, peak MiB, us per decision or None, exit status, stderr) of a command.

    Linux counts the memory of the process that forks, before exec, as the child's. So that this is a
    small shell and not Python, the shell starts the command and exits, and we inherit its child.
    """
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as output:
        subprocess.run(["sh", "-c", '"$@" &', "sh", *command], cwd=folder, check=True,
                       stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        _, status, usage = os.wait4(-1, 0)
        texts = []
        for file in errors, output:
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    cpu_s = usage.ru_utime + usage.ru_stime
    decision = DECISION.search(texts[1])
    return (cpu_s, usage.ru_maxrss / 1024, float(decision[1]) if decision else None,
            os.waitstatus_to_exitcode(status), texts[0])


def filled(command, values):
    for key, value in values.items():
        command = [word.replace("{" + key + "}", value) for word in command]
    return command


def decisions_in(folder):
    with open(folder / "summary.csv", newline="", encoding="utf-8") as file:
        return sum(int(row["decisions"]) for row in csv.DictReader(file))


def measure(bench, values):
    """(all CPU seconds, peak MiB, us per decision or None) of a benchmark; RuntimeError if a command fails."""
    with tempfile.TemporaryDirectory(prefix="easim-bench.") as folder:
        values = {**values, "tmp": folder}
        timed = [filled(bench["command"], values)] * (1 if bench.get("once") else 1 + RUNS)
        setup = [filled(bench["setup"], values)] if bench.get("setup") else []
        results = []
        for command in setup + timed:
            *figures, code, errors = run_once(command, folder)
            if code:
                raise RuntimeError(f"exit status {code} of {' '.join(command)}\n{errors}".rstrip())
            results.append(figures)
        count = decisions_in(Path(folder, "out")) if bench.get("per_decision") else None
    times, peaks, decisions = zip(*results[len(setup):][-RUNS:])
    if count:
        return times, max(peaks), 1e6 * statistics.median(times) / count
    return times, max(peaks), statistics.median(decisions) if None not in decisions else None


def verdict_of(bench, figures):
    if any(figures.get(name) is not None and figures[name] > bench.get("limit_" + name, math.inf) for name in figures):
        return "OVER LIMIT"
    baseline = bench.get("baseline_cpu_s")
    return "slower" if baseline and figures["cpu_s"] > SLOWER * baseline else "good"


def print_row(*cells):
    print(f"{cells[0]:<60}" + "".join(f"{cell:>{width}}" for cell, width in
                                      zip(cells[1:], (9, 17, 10, 10, 8, 8))) + f"  {cells[7]}")


def print_further(bench, figures):
    """Figures that only some benchmarks have, with their limits."""
    texts = [f"{figures['cpu_s']:.3f} s (aim {bench['aim_cpu_s']:g})"] if "aim_cpu_s" in bench else []
    for name, text in (("decision_us", "{:.3f} us a decision"), ("exponent", "cost ~ jobs^{:.3f}"),
                       ("times", f"{{:.2f}} times {bench.get('times_of')}")):
        if figures[name] is not None:
            bounds = [f"{sort} {bench[f'{sort}_{name}']:g}" for sort in ("aim", "limit") if f"{sort}_{name}" in bench]
            texts.append(text.format(figures[name]) + (f" ({', '.join(bounds)})" if bounds else ""))
    if "jobs" in bench:
        texts.append(f"{figures['peak_mib'] * 2**20 / bench['jobs']:.0f} bytes a job")
    if texts:
        print("    " + ", ".join(texts))


def exponent_of(bench, cpu_s, smaller):
    """n of cost ~ jobs^n from the smaller benchmark to this one, or None."""
    if not smaller or "measured_cpu_s" not in smaller:
        return None
    return math.log(cpu_s / smaller["measured_cpu_s"]) / math.log(bench["jobs"] / smaller["jobs"])


def times_of(cpu_s, other):
    return cpu_s / other["measured_cpu_s"] if other and "measured_cpu_s" in other else None


def lacks_data(bench, values):
    words = " ".join(bench["command"] + bench.get("setup", []))
    if "{data}" in words and "data" not in values:
        print(f"{bench['name']:<60}  skipped: EASIM_DATA is not set")
        return True
    return False


def count_bench(bench, values, counter, options):
    """Prints the instructions of one benchmark; returns whether they are within what is asked for."""
    if lacks_data(bench, values):
        return True
    if bench.get("baseline_cpu_s", 0) > MOST_COUNTED_S and not options.only:
        print(f"{bench['name']:<60}  skipped: takes long; --only counts it")
        return True
    try:
        with tempfile.TemporaryDirectory(prefix="easim-bench.") as folder:
            values = {**values, "tmp": folder}
            if bench.get("setup"):
                run_once(filled(bench["setup"], values), folder)
            count = counter.count(filled(bench["command"], values), folder)
    except RuntimeError as error:
        print(f"{bench['name']:<60}  FAILED: {error}")
        return False
    baselines = bench.setdefault("baseline_instructions", {}) if options.update else bench.get("baseline_instructions", {})
    baseline = baselines.get(counter.name)
    good = not baseline or options.within is None or abs(count / baseline - 1) <= options.within / 100
    verdict = "no baseline" if not baseline else "good" if good else "TOO DIFFERENT"
    print(f"{bench['name']:<60}{count:>16,}{f'{baseline:,}' if baseline else '-':>16}"
          f"{f'{count / baseline:.4f}' if baseline else '-':>8}  {verdict}")
    if options.update:
        baselines[counter.name] = count
    return good


def count_all(benches, values, options):
    with tempfile.TemporaryDirectory(prefix="easim-count.") as folder:
        try:
            counter = instructions.counter(folder, values["src"])
        except instructions.NoCounter as reason:
            print(f"instructions: skipped: {reason}")
            return True
        print(f"{f'name ({counter.name})':<60}{'instructions':>16}{'baseline':>16}{'ratio':>8}  verdict")
        return all([count_bench(bench, values, counter, options) for bench in benches])


def run_bench(bench, values, update, by_name):
    """Prints the row of one benchmark; returns whether it is good."""
    if lacks_data(bench, values):
        return True
    try:
        times, peak, decision_us = measure(bench, values)
    except RuntimeError as error:
        print(f"{bench['name']:<60}  FAILED: {error}")
        return False
    cpu_s = statistics.median(times)
    bench["measured_cpu_s"] = cpu_s
    figures = {"cpu_s": cpu_s, "peak_mib": peak, "decision_us": decision_us,
               "exponent": exponent_of(bench, cpu_s, by_name.get(bench.get("grows_from"))),
               "times": times_of(cpu_s, by_name.get(bench.get("times_of")))}
    baseline, limit = bench.get("baseline_cpu_s"), bench.get("limit_cpu_s")
    verdict = verdict_of(bench, figures)
    print_row(bench["name"], f"{cpu_s:.4f}", f"({min(times):.4f}-{max(times):.4f})", f"{peak:.1f}",
              f"{baseline:.4f}" if baseline else "-", f"{cpu_s / baseline:.2f}" if baseline else "-",
              f"{limit:g}" if limit is not None else "-", verdict)
    print_further(bench, figures)
    if update:
        bench["baseline_cpu_s"] = round(cpu_s, 4)
        bench["baseline_peak_mib"] = round(peak, 1)
        if decision_us is not None:
            bench["baseline_decision_us"] = round(decision_us, 3)
    return verdict != "OVER LIMIT"


def time_all(benches, chosen, values, options):
    print_row("name", "cpu_s", "(min-max)", "peak_mib", "baseline", "ratio", "limit", "verdict")
    by_name = {bench["name"]: bench for bench in benches}
    good = [run_bench(bench, values, options.update, by_name) for bench in chosen]
    for bench in benches:
        bench.pop("measured_cpu_s", None)
    return all(good)


def as_text(benches):
    """JSON with one line for each member of an entry."""
    entries = [",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in bench.items())
               for bench in benches]
    return "[" + ",".join(f"\n  {{\n{entry}\n  }}" for entry in entries) + "\n]\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--easim", required=True, help="the program to measure")
    parser.add_argument("--source", required=True, help="the source folder")
    parser.add_argument("--only", metavar="NAME", help="run this benchmark only")
    parser.add_argument("--update", action="store_true", help="rewrite the baseline figures")
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of timing")
    parser.add_argument("--within", metavar="PERCENT", type=float, help="with --instructions: the largest difference")
    options = parser.parse_args()
    if options.within is not None and not options.instructions:
        parser.error("--within needs --instructions")

    path = Path(options.source, "tests/bench/baseline.json")
    benches = json.loads(path.read_text(encoding="utf-8"))
    chosen = [bench for bench in benches if options.only in (None, bench["name"])]
    if options.only and not chosen:
        print(f"no benchmark is named {options.only}", file=sys.stderr)
        return 2
    values = {"easim": os.path.abspath(options.easim), "src": os.path.abspath(options.source)}
    if os.environ.get("EASIM_DATA"):
        values["data"] = os.path.abspath(os.environ["EASIM_DATA"])

    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    pin_to_one_core()
    if options.instructions:
        good = count_all(chosen, values, options)
    else:
        good = time_all(benches, chosen, values, options)
    if options.update:
        path.write_text(as_text(benches), encoding="utf-8")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
