#!/usr/bin/env python3
"""What the tests cost, in CPU seconds with all their children: test_cost.py measure BUILD [MESON_TEST_ARGUMENT...]
       test_cost.py update BUILD | table SOURCE [--check] | check BUILD | --self-test

measure runs `meson test` with these arguments, through a wrapper that adds up what each test and its children took. It
prints the dearest and ends with status 1 if a test failed. If they ran in their short form it holds them to the limits,
too. update measures all tests in their short form (EASIM_TESTS=short) and whole, which takes half an hour of CPU time, and
rewrites tests/cost.csv; table writes the table of tests/README.md made of it, with --check compares.

check holds what tests/cost.csv says to the limits. In the default setup: 5 s for each test (except the bad input) and 220 s
for all. Slow tests in their short form, without the suite "nightly": 40 s and 410 s, and a test of over 10 s has one.
Tests of style, docs, headers, coverage and faults are slow, and no row is of a test that is gone. A test without a row is
printed, and counts as one second.

Daemons that a test does not wait for are counted only if they end before it does.
"""
import csv
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

WHOLE_SUITE = "bad"  # stays in the default setup, whatever it costs
SLOW_SUITES = ("style", "docs", "headers", "coverage", "faults")
DEFAULT_S, GATE_S = (5, 220), (40, 410)  # at most for a test, and for all
LONG_S, SHORT_SHARE = 10, 0.8  # longer tests need a short form of at most this share
UNKNOWN_S = 1
PR_SET_CHILD_SUBREAPER = 36
HEAD = ["suite", "test", "short_s", "whole_s"]
TABLE_HEAD = "| suite | tests | default setup, s | rest of the gate, s | whole, s |\n|---|---|---|---|---|\n"
Test = namedtuple("Test", "suites name command")


# ---- measuring ------------------------------------------------------------------------------------------------------

def wrap(log, command):
    """Runs a command and adds a line to the log: what it took, and what each of its descendants took that has ended."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # those whose parents are gone become ours
    child = os.fork()
    if child == 0:
        try:
            os.execvp(command[0], command)
        except OSError as error:
            print(f"{command[0]}: {error}", file=sys.stderr)
            os._exit(127)
    seconds, status = 0.0, None
    while True:
        try:
            pid, code, used = os.wait4(-1, 0 if status is None else os.WNOHANG)
        except ChildProcessError:
            break
        if pid == 0:
            break
        seconds += used.ru_utime + used.ru_stime
        status = code if pid == child else status
    with open(log, "a", encoding="utf-8") as file:
        file.write(json.dumps([seconds, command]) + "\n")
    if os.WIFSIGNALED(status):
        if os.WTERMSIG(status) != signal.SIGKILL:
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1


def tests_of(build):
    """Tests of a build folder by their command."""
    listed = json.loads((build / "meson-info/intro-tests.json").read_text(encoding="utf-8"))
    tests = [Test([suite.split(":")[-1] for suite in test["suite"]], test["name"], tuple(test["cmd"])) for test in listed]
    return {test.command: test for test in tests}


def measure(build, arguments, short):
    """(exit status of meson test, {(suite, name): CPU seconds})"""
    environment = {**os.environ, "EASIM_TESTS": "short" if short else ""}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        log.touch()
        wrapper = f"'{sys.executable}' '{Path(__file__).resolve()}' --wrap '{log}'"
        done = subprocess.run(["meson", "test", "-C", build, "--wrapper", wrapper, "--print-errorlogs", *arguments], env=environment)
        tests, cost = tests_of(build), {}
        for line in log.read_text(encoding="utf-8").splitlines():
            seconds, command = json.loads(line)
            test = tests.get(tuple(command))  # none if the folder was configured anew meanwhile
            if test:
                cost[test.suites[0], test.name] = seconds
    return done.returncode, cost


# ---- limits ---------------------------------------------------------------------------------------------------------

def problems(tests, cost, quiet=False):
    """What is above the limits: tests, and {(suite, name): seconds in the form that the gate runs, or None}."""
    found, sums = [], {DEFAULT_S: 0.0, GATE_S: 0.0}
    for test in tests:
        if "nightly" in test.suites:
            continue
        limit = GATE_S if "slow" in test.suites else DEFAULT_S
        if limit is DEFAULT_S and test.suites[0] in SLOW_SUITES:
            found.append(f"{test.suites[0]} / {test.name}: expected the suite slow beside {test.suites[0]}")
        seconds = cost.get((test.suites[0], test.name))
        sums[limit] += UNKNOWN_S if seconds is None else seconds
        if seconds is not None and seconds > limit[0] and test.suites[0] != WHOLE_SUITE:
            more = "the suite slow, or less" if limit is DEFAULT_S else "a short form (EASIM_TESTS), or the suite nightly"
            found.append(f"{test.suites[0]} / {test.name}: expected at most {limit[0]} CPU s, got {seconds:.1f}: give it {more}")
    for limit, name in ((DEFAULT_S, "the default setup"), (GATE_S, "the rest of the gate")):
        if not quiet:
            print(f"test_cost: {name}: {sums[limit]:.0f} of {limit[1]} CPU s")
        if sums[limit] > limit[1]:
            found.append(f"{name}: expected at most {limit[1]} CPU s, got {sums[limit]:.0f}")
    return found


def read_rows(source):
    with open(source / "tests/cost.csv", newline="", encoding="utf-8") as file:
        return {(row["suite"], row["test"]): row for row in csv.DictReader(file)}


def check(tests, rows, quiet=False):
    known = {(test.suites[0], test.name) for test in tests}
    unknown = sorted(" / ".join(key) for key in known - set(rows))
    if unknown and not quiet:
        print(f"test_cost: {len(unknown)} tests were not measured (tools/test_cost.py update), and count as {UNKNOWN_S} s: "
              f"{', '.join(unknown[:20])}{' ...' if len(unknown) > 20 else ''}")
    found = [f"tests/cost.csv: {suite} / {name} is no test" for suite, name in sorted(set(rows) - known)]
    nightly = {(test.suites[0], test.name) for test in tests if "nightly" in test.suites}
    for key, row in rows.items():
        short, whole = (float(row[name] or 0) for name in ("short_s", "whole_s"))
        if key not in nightly and key[0] != WHOLE_SUITE and whole > LONG_S and short > SHORT_SHARE * whole:
            found.append(f"{' / '.join(key)}: expected a short form (EASIM_TESTS), because it takes {whole:.0f} CPU s, got {short:.0f}")
    return found + problems(tests, {key: float(row["short_s"]) for key, row in rows.items() if row["short_s"]}, quiet)


# ---- tests/cost.csv and the table made of it ---------------------------------------------------------------------------

def update(build, source):
    tests, rows, code = list(tests_of(build).values()), {}, 0
    for column, short, arguments in (("short_s", True, ["--no-suite", "nightly", "--setup", "full"]),
                                     ("whole_s", False, ["--setup", "full"])):
        failed, cost = measure(build, arguments, short)
        code = code or failed
        for test in tests:
            key = (test.suites[0], test.name)
            row = rows.setdefault(key, {"suite": key[0], "test": key[1], "short_s": "", "whole_s": "", "setup": setup_of(test)})
            row[column] = f"{cost[key]:.1f}" if key in cost else ""
    with open(source / "tests/cost.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*HEAD, "setup"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))
    return code


def setup_of(test):
    return next((name for name in ("nightly", "slow") if name in test.suites), "default")


def table_of(rows):
    suites = {}
    for row in rows.values():
        line = suites.setdefault(row["suite"], {"tests": 0, "default": 0.0, "slow": 0.0, "whole": 0.0})
        line["tests"] += 1
        line["whole"] += float(row["whole_s"] or 0)
        if row["setup"] != "nightly":
            line[row["setup"]] += float(row["short_s"] or 0)
    lines = [(name, suites[name]) for name in sorted(suites)]
    lines.append(("all", {key: sum(line[key] for _, line in lines) for key in ("tests", "default", "slow", "whole")}))
    return TABLE_HEAD + "".join(f"| {name} | {line['tests']} | {line['default']:.0f} | {line['slow']:.0f} | {line['whole']:.0f} |\n"
                                for name, line in lines)


def table(source, only_check):
    page = source / "tests/README.md"
    text = page.read_text(encoding="utf-8")
    start = text.index(TABLE_HEAD)
    end = (text + "\n\n").index("\n\n", start) + 1
    new = text[:start] + table_of(read_rows(source)) + text[end:]
    if only_check:
        return [] if new == text else ["tests/README.md: expected the table of tests/cost.csv: tools/test_cost.py table ."]
    page.write_text(new, encoding="utf-8")
    return []


# ---- self-test ------------------------------------------------------------------------------------------------------

BUSY = "import time\nwhile time.process_time() < 0.2: pass\n"
NESTED = f"""import os, subprocess, sys
busy = [sys.executable, "-c", {BUSY!r}]
subprocess.run(busy)
subprocess.run(["sh", "-c", '"$@" & echo $! >pid', "sh", *busy])  # an orphan
pid = int(open("pid").read())
while os.path.exists("/proc/%d" % pid): os.sched_yield()
sys.exit(3)
"""


def self_test():
    """A child, an orphan and the exit status are seen; each limit is provoked."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        for command, code in (([sys.executable, "-c", NESTED], 3), (["sh", "-c", "kill -9 $$"], -9), (["/nonexistent"], 127)):
            done = subprocess.run([sys.executable, __file__, "--wrap", log, *command], cwd=folder, stderr=subprocess.DEVNULL)
            assert done.returncode == code, (command, done.returncode)
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert lines[0][0] >= 0.4 and lines[1][0] < 0.2 and lines[1][1] == ["sh", "-c", "kill -9 $$"], lines

    quick, slow, nightly = Test(["unit"], "a", ()), Test(["system", "slow"], "b", ()), Test(["docs", "slow", "nightly"], "c", ())
    tests, good = [quick, slow, nightly], {("unit", "a"): 5, ("system", "b"): 40, ("docs", "c"): 900}
    many = [Test(["unit"], str(n), ()) for n in range(45)]
    cases = [(tests, good, ""), (tests, {}, ""), (tests, {**good, ("unit", "a"): 5.1}, "unit / a: expected at most 5 CPU s, got 5.1: give it the suite slow"),
             (tests, {**good, ("system", "b"): 40.1}, "system / b: expected at most 40 CPU s, got 40.1: give it a short form"),
             (many, {("unit", str(n)): 4.9 for n in range(45)}, "the default setup: expected at most 220 CPU s, got 221"),
             ([Test(["style"], "d", ())], {}, "style / d: expected the suite slow beside style")]
    for some, cost, expected in cases:
        found = problems(some, cost, quiet=True)
        assert len(found) == bool(expected) and expected in "".join(found), (found, expected)
    row = {"suite": "unit", "test": "a", "short_s": "0.6", "whole_s": "1.9", "setup": "default"}
    rows = {("unit", "a"): row, ("unit", "b"): {**row, "test": "b"}, ("docs", "c"): {**row, "suite": "docs", "test": "c", "setup": "nightly", "short_s": ""}}
    assert table_of(rows) == TABLE_HEAD + "| docs | 1 | 0 | 0 | 2 |\n| unit | 2 | 1 | 0 | 4 |\n| all | 3 | 1 | 0 | 6 |\n", table_of(rows)
    assert check([quick], rows, quiet=True) == ["tests/cost.csv: docs / c is no test", "tests/cost.csv: unit / b is no test"]
    rows = {("unit", "a"): {**row, "short_s": "9", "whole_s": "10.1"}}
    assert check([Test(["unit", "slow"], "a", ())], rows, quiet=True) == [
        "unit / a: expected a short form (EASIM_TESTS), because it takes 10 CPU s, got 9"]
    print(f"test_cost: {len(cases) + 6} self-tests passed")
    return 0


def report(found):
    for problem in found:
        print(f"test_cost: {problem}", file=sys.stderr)
    return min(len(found), 1)


def main(words):
    source = Path(__file__).resolve().parent.parent
    if words == ["--self-test"]:
        return self_test()
    if words[:1] == ["--wrap"]:
        return wrap(words[1], words[2:])
    if words[:1] == ["measure"] and len(words) > 1:
        build = Path(words[1])
        short = os.environ.get("EASIM_TESTS") == "short" or "full" not in words
        code, cost = measure(build, words[2:], short)
        for key, seconds in sorted(cost.items(), key=lambda item: -item[1])[:30]:
            print(f"{seconds:7.1f} s  {' / '.join(key)}")
        print(f"test_cost: {sum(cost.values()):.0f} CPU s in {len(cost)} tests")
        measured = [test for test in tests_of(build).values() if (test.suites[0], test.name) in cost]
        return (report(problems(measured, cost)) if short else 0) or code
    if words[:1] == ["update"] and len(words) == 2:
        return update(Path(words[1]), source)
    if words[:1] == ["table"] and len(words) == 2 + ("--check" in words):
        return report(table(Path(words[1]), "--check" in words))
    if words[:1] == ["check"] and len(words) == 2:
        return report(check(list(tests_of(Path(words[1])).values()), read_rows(source)) + table(source, True))
    print(__doc__.strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
