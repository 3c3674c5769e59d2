#!/usr/bin/env python3
"""Instructions of a command and its forked children. Usage: instructions.py EASIM SOURCE [--update] | --self-test

Counted by the processor (perf) or by valgrind. Unlike times they are the same on a busy machine; from one compiler, C library
or counter to the next they are not.

With a program: the table of instructions a job, by part of a run, for 100,000 rigid jobs under fcfs and easy and as many
malleable ones under pollux, each as "before > now" by tests/bench/instructions.json, which --update rewrites. Exit status 1
if a part has grown by 5 %, or all of them together by 1 %: no feature may cost more where it is not used. A function counts
where it is called from. The program must keep its functions apart: release, without link-time optimization.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COLLECTED = re.compile(r"Collected : (\d+)$", re.MULTILINE)


class NoCounter(Exception):
    pass


def perf_count(text):
    """Instructions in what perf stat -x, prints; None: the processor, or who lends it, does not count them."""
    for line in text.splitlines():
        cells = line.split(",")
        if len(cells) > 2 and cells[2].startswith("instructions") and cells[0].isdigit():
            return int(cells[0])
    return None


def run(command, folder, **more):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode} of {' '.join(map(str, command))}\n{done.stderr}".rstrip())
    return done


class Perf:
    name = "perf"

    def __init__(self, folder):
        if not shutil.which("perf") or self.count(["true"], folder) is None:
            raise NoCounter("perf has no counter of instructions here")

    def count(self, command, folder):
        file = Path(folder, "instructions.csv")
        run(["perf", "stat", "-x", ",", "-e", "instructions:u", "-o", file, "--", *command], folder)
        return perf_count(file.read_text(encoding="utf-8"))


class Valgrind:
    name = "valgrind"

    def __init__(self, folder, source):
        self.preload = Path(folder, "count_children.so")
        compiler = os.environ.get("CC", "cc").split()
        if not shutil.which("valgrind") or not shutil.which(compiler[0]):
            raise NoCounter("neither perf with a counter nor valgrind and a C compiler are here")
        try:
            run([*compiler, "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", Path(source, "tests/bench/count_children.c"), "-o",
                 self.preload], folder)
        except RuntimeError as problem:
            raise NoCounter(f"what valgrind needs does not compile: {problem}") from None

    def count(self, command, folder):
        """Of the processes that the command forks; not of other programs that it starts."""
        run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={folder}/valgrind.%p", *command],
            folder, env={**os.environ, "LD_PRELOAD": str(self.preload)})
        total = 0
        for file in Path(folder).glob("valgrind.*"):
            total += sum(map(int, COLLECTED.findall(file.read_text(encoding="utf-8"))))
            file.unlink()
        return total


def counter(folder, source):
    """The better of those that work here; NoCounter says why none does. folder: for files of its own."""
    try:
        return Perf(folder)
    except (NoCounter, RuntimeError):
        return Valgrind(folder, source)


# ---- by part --------------------------------------------------------------------------------------------------------

# A part is all that these functions call, except what another part is.
PARTS = {
    "read CSV rows": "trace_file_read",
    "make jobs": "source_generate jobs_to_come_make jobs_await",
    "arrival": "admission_submit take_arrival",
    "decision": "callbacks_decide",
    "start: check, place, show": "host_start",
    "start: commit": "jobs_start actions_finish",
    "set-up over": "segments_begin_run",
    "finish": "jobs_finish finish_job",
    "event heap": "eventq_pop",
    "time passes": "advance_time power_meter_advance on_advance power_means_on_advance view_set_now forecasts_update",
    "rest of the loop": "loop_run",
    "sums at the end": "metrics_sum_up",
}
REST = "start-up and the rest"
JOBS, GROWN, SMALL = 100000, 1.05, 20  # parts of fewer instructions a job may grow by as many
ALL_GROWN = 1.01
RUNS = (("rigid", "fcfs"), ("rigid", "easy"), ("large", "pollux"))


def read_profile(text, own, calls):
    """Adds the instructions of each function itself, and those of its calls by (caller, callee), of callgrind's text."""
    function = callee = None
    for line in text.splitlines():
        kind, _, name = line.partition("=")
        if kind == "fn":
            function = name.split("'")[0].removeprefix("lean_")
        elif kind == "cfn":
            callee = name.split("'")[0].removeprefix("lean_")
        elif re.match(r"[+*\-\d]", line) and function:
            count = int(line.split()[1])
            if callee:
                calls[function, callee] = calls.get((function, callee), 0) + count
            else:
                own[function] = own.get(function, 0) + count
            callee = None


def by_part(own, calls):
    """Instructions by part: a function belongs to those of its callers, by what it does for each, round by round."""
    roots = {root: part for part, names in PARTS.items() for root in names.split()}
    callers = {}
    for (caller, callee), count in calls.items():
        if callee not in roots and caller != callee:
            callers.setdefault(callee, []).append((caller, count))
    shares = {name: {roots.get(name, REST): 1.0} for name in [*own, *(name for pair in calls for name in pair)]}
    for _ in range(60):  # deeper than any chain of calls that matters
        for name, above in callers.items():
            total, share = sum(count for _, count in above) or 1, {}
            for caller, count in above:
                for part, part_of in shares[caller].items():
                    share[part] = share.get(part, 0) + part_of * count / total
            shares[name] = share
    parts = dict.fromkeys([*PARTS, REST], 0.0)
    for name, count in own.items():
        for part, share in shares[name].items():
            parts[part] += count * share
    return parts


def profile(easim, source, jobs, scenario, policy):
    with tempfile.TemporaryDirectory() as folder:
        valgrind = Valgrind(folder, source)
        run([sys.executable, Path(source, "tests/bench/make_jobs.py"), str(jobs), "jobs.csv"], folder)
        text = Path(source, f"tests/bench/{scenario}.yaml").read_text(encoding="utf-8")
        Path(folder, "scenario.yaml").write_text(text.replace("../../configs", f"{source}/configs")
                                                 .replace("jobs: 10000", f"jobs: {jobs}"), encoding="utf-8")
        run(["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no", "--callgrind-out-file=profile.%p",
             easim, "run", "scenario.yaml", "--policy", policy, "--quiet", "--threads", "1", "--summary-only"], folder,
            env={**os.environ, "LD_PRELOAD": str(valgrind.preload)})
        own, calls = {}, {}
        for file in Path(folder).glob("profile.*"):
            read_profile(file.read_text(encoding="utf-8"), own, calls)
        return by_part(own, calls)


def table(before, now):
    """Of instructions a job by policy and part; without those that were before, of now alone."""
    rows = ["| part | " + " | ".join(now) + " |", "|---|" + "---|" * len(now)]
    for part in [*PARTS, REST, "all"]:
        cells = []
        for policy, parts in now.items():
            old, new = (sum(each.values()) if part == "all" else each.get(part, 0) for each in (before.get(policy, {}), parts))
            cells.append(f"{old:,.0f} > {new:,.0f}" if before else f"{new:,.0f}")
        rows.append(f"| {part} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def grown(before, now):
    """The parts that have, and all of them together, in words."""
    found = []
    for policy, parts in now.items():
        for part, count in [*parts.items(), ("all", sum(parts.values()))] if policy in before else []:
            old = sum(before[policy].values()) if part == "all" else before[policy].get(part, 0)
            if count > (old * ALL_GROWN if part == "all" else max(old * GROWN, old + SMALL)):
                found.append(f"{policy}: {part}: {old:,.0f} to {count:,.0f} instructions a job")
    return found


def compare(easim, source, update):
    paths, file = (Path(easim).resolve(), Path(source).resolve()), Path(source, "tests/bench/instructions.json")
    before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    now = {policy: {part: round(count / JOBS) for part, count in profile(*paths, JOBS, scenario, policy).items()}
           for scenario, policy in RUNS}
    print(table(before, now))
    if update:
        file.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
        return 0
    print(*(f"grown: {line}" for line in grown(before, now)), sep="\n")
    return 1 if grown(before, now) else 0


# ---- self-test ------------------------------------------------------------------------------------------------------

LOOPS = r"""
#include <poll.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
    for (int part = 1; part < count; part++) { /* a child for each part but the first */
        pid_t child = part > 1 ? fork() : 0;
        if (child == 0)
            for (long i = atol(words[part]); i > 0; i--)
                __asm__ volatile("");
        if (child == 0 && part > 1)
            _exit(0);
        struct pollfd ended = {.fd = part > 1 ? pidfd_open(child, 0) : -1, .events = POLLIN};
        if (part > 1 && (poll(&ended, 1, -1) != 1 || waitpid(child, NULL, 0) != child))
            return 1;
    }
    return 0;
}
"""


def self_test():
    """A program whose loops are twice as long, or done by children, has the instructions that follow from that."""
    assert perf_count("# started on ...\n\n1234,,instructions:u,99,100.00,,\n") == 1234
    own, calls = {}, {}
    read_profile("fn=main\n1 5\ncfn=lean_loop_run\ncalls=1 9\n2 60\nfn=lean_loop_run\n9 10\ncfn=eventq_pop\ncalls=2 3\n+1 30\ncfn=log\n"
                 "calls=1 1\n* 20\nfn=eventq_pop\n3 10\ncfn=log'2\ncalls=2 1\n4 20\nfn=log\n1 40\n", own, calls)
    parts = by_part(own, calls)  # half of log is the loop's
    assert (parts["rest of the loop"], parts["event heap"], parts[REST]) == (30, 30, 5) and sum(parts.values()) == 65, parts
    old = {"fcfs": {"start": 1000, "event heap": 100}}
    large = {"fcfs": {"start": 1000, "event heap": 5900}}
    assert grown(large, {"fcfs": {"start": 1050, "event heap": 5919}}) == []
    assert grown(large, {"fcfs": {"start": 1050, "event heap": 5920}}) == ["fcfs: all: 6,900 to 6,970 instructions a job"]
    assert table(old, {"fcfs": {"event heap": 104}}).splitlines()[-1] == "| all | 1,100 > 104 |", table(old, {})
    assert grown(old, {"fcfs": {"start": 991, "event heap": 120}, "new": {"start": 1}}) == []
    assert grown(old, {"fcfs": {"start": 1051, "event heap": 121}}) == [
        "fcfs: start: 1,000 to 1,051 instructions a job", "fcfs: event heap: 100 to 121 instructions a job",
        "fcfs: all: 1,100 to 1,172 instructions a job"]
    assert perf_count("<not supported>,,instructions:u,0,100.00,,\n") is None
    with tempfile.TemporaryDirectory() as folder:
        try:
            own = counter(folder, Path(__file__).resolve().parent.parent)
        except NoCounter as reason:
            print(f"skipped: {reason}")
            return 77
        Path(folder, "loops.c").write_text(LOOPS, encoding="utf-8")
        run([*os.environ.get("CC", "cc").split(), "-D_GNU_SOURCE", "-O1", "loops.c", "-o", "loops"], folder)
        once, twice, in_child, in_two = (own.count([f"{folder}/loops", *loops.split()], folder) for loops in (
            "1000000", "2000000", "1000000 1000000", "1000000 500000 500000"))
        loop = twice - once
        assert 2e6 <= loop <= 6e6 and once - loop < 1e6, (once, twice)  # two to six instructions a turn
        for count in (in_child, in_two):
            assert abs(count - twice) < 0.05 * loop, (once, twice, in_child, in_two)
    print(f"instructions: self-tests passed, {own.name}")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--update"]):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    sys.exit(compare(*sys.argv[1:3], bool(sys.argv[3:])))
