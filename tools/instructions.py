#!/usr/bin/env python3
"""Instructions of a command and its forked children. Usage: instructions.py --self-test

Counted by the processor (perf) or by valgrind. Unlike times they are the same on a busy machine; from one compiler, C library
or counter to the next they are not.
"""
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
    if sys.argv[1:] != ["--self-test"]:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    sys.exit(self_test())
