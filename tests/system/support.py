"""What tests of easim from outside share. Their arguments begin with EASIM SOURCE."""
import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

EASIM, SOURCE = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()


def easim(*words, code=0, **more):
    done = subprocess.run([EASIM, *map(str, words)], capture_output=True, text=True, **more)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def form(whole, short):
    """What a test repeats, or how often: with EASIM_TESTS=short the short form (tests/README.md), which it prints."""
    if os.environ.get("EASIM_TESTS") != "short":
        return whole
    print("short form (EASIM_TESTS)")
    return short


def rows_of(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        return list(csv.DictReader(file))


HANGS_S = 300  # ends a test that hangs; no other wait ends by the clock


def wait_for(what, holds, process=None):
    """Until it holds; the process must live until then. Returns what holds."""
    end = time.monotonic() + HANGS_S
    while not (found := holds()):
        assert process is None or process.poll() is None, f"ended with {process.returncode} before: {what}"
        assert time.monotonic() < end, f"not within {HANGS_S} s: {what}"
        time.sleep(0.005)
    return found


def children(pid):
    """The processes that it has, those that have ended and are not waited for yet included."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return {int(word) for word in file.read().split()}
    except (FileNotFoundError, ProcessLookupError):
        return set()


def state_of(pid):
    """R: running or about to; S: waits; Z: has ended; None: is gone. With the seconds of processor time that it has used."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (FileNotFoundError, ProcessLookupError):
        return None, 0


def works(pid):
    """Whether it catches SIGINT and has a process that simulates or loads a policy."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
            caught = next((int(line.split()[1], 16) for line in file if line.startswith("SigCgt:")), 0)
    except (FileNotFoundError, ProcessLookupError):
        return False
    return bool(caught >> signal.SIGINT - 1 & 1 and children(pid))


def at_work(process):
    wait_for("it is at work", lambda: works(process.pid), process)


def some_end(process, count):
    """Until so many of its processes have come and gone: each has simulated a replication, the first may have loaded a policy."""
    at_work(process)
    seen = set()

    def gone():
        now = children(process.pid)
        seen.update(now)
        return len(seen - now) >= count
    wait_for(f"{count} replications", gone, process)


def raised(kind, function):
    """The exception of that kind that a call must end with."""
    try:
        function()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")
