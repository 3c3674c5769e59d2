"""Commands of easim with a fault put into them. Arguments of every test here: EASIM SOURCE SHIM.

A fault is the n-th call of some kind that fails or ends the process: tests/faults/shim.c says which there are."""
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from harness import EASIM, FILES, HANGS_S, run, start  # noqa: E402

(SHIM,) = FILES
STATE = struct.Struct("QQqQ")  # struct state of the shim


class Ended:
    """How a command ended, and what the shim has counted."""

    def __init__(self, words, done, state):
        self.words, self.code, self.out, self.said = words, done.returncode, done.stdout, done.stderr
        self.calls, self.hits = state

    def __str__(self):
        return f"{self.words}: exit {self.code}, {self.hits} of {self.calls} calls hit\n{self.out}{self.said}"


def fault_environment(state, call, at=0, do="EIO", **more):
    """more: path, who, times, go (see shim.c)."""
    wanted = {"call": call, "at": at, "do": do, "state": state} | more
    return os.environ | {"LD_PRELOAD": str(SHIM)} | {f"FAULT_{key.upper()}": str(value) for key, value in wanted.items()}


def easim(*words, environment=None, **fault):
    """Runs a command to its end; without a fault, as it is."""
    with tempfile.TemporaryDirectory(prefix="easim-fault.") as folder:
        state = Path(folder, "state")
        state.write_bytes(bytes(STATE.size))
        done = run(EASIM, *words, env=fault_environment(state, **fault) if fault else environment, code=None)
        return Ended(words, done, STATE.unpack(state.read_bytes())[:2])


def paused(meanwhile, *words, **fault):
    """A command that waits at the n-th call of a kind, until meanwhile() is done."""
    with tempfile.TemporaryDirectory(prefix="easim-fault.") as folder:
        state, go = Path(folder, "state"), Path(folder, "go")
        state.write_bytes(bytes(STATE.size))
        process = start(*words, env=fault_environment(state, do="wait", go=go, **fault))
        end = time.monotonic() + HANGS_S
        while process.poll() is None and STATE.unpack(state.read_bytes())[1] == 0 and time.monotonic() < end:
            time.sleep(0.002)
        meanwhile()
        go.touch()
        out, said = process.communicate(timeout=HANGS_S)
        done = subprocess.CompletedProcess(words, process.returncode, out, said)
        return Ended(words, done, STATE.unpack(state.read_bytes())[:2])


def good(*words):
    """A command that is to end well."""
    ended = easim(*words)
    assert ended.code == 0, ended
    return ended


def each_call(most, *words, prepare=lambda: None, **fault):
    """Yields (n, how the command ended) with its 1st, 2nd, ... call hit until there is none; beyond `most` a sample of them."""
    prepare()
    count = easim(*words, **fault).calls
    assert count > 0, (words, fault, "no such call")
    numbers = range(1, count + 1) if count <= most else sorted({1 + i * (count - 1) // (most - 1) for i in range(most)})
    for number in numbers:
        prepare()
        ended = easim(*words, at=number, **fault)
        assert ended.code >= 0 or -ended.code in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM), (number, str(ended))
        yield number, ended


def emptied(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()


def leftovers(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*.tmp-*"))
