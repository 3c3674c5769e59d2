"""What tests of policies that end badly share: the plug-in, what is said of each of its ends, and a look at processes
that are left. Arguments of such a test: EASIM SOURCE PLUGIN_DIR
"""
import os
import re
import uuid
from pathlib import Path

from harness import FILES, SOURCE, wait_for

(PLUGINS,) = FILES
BASE, BAD, BAD_LIST = SOURCE / "configs/eas-sim.yaml", PLUGINS / "ends_badly.so", PLUGINS / "ends_badly_list.so"
SANITIZED = bool(os.environ.get("EASIM_SANITIZED"))  # no handler of easim's then: the signal alone is told
MARK = f"EASIM_TEST={uuid.uuid4()}"  # in the environment of all processes of this test, for processes()
os.environ["EASIM_TEST"] = MARK.split("=")[1]

ASKED = (2 ** 64 - 1) // 4 + 1 + 32  # rounded up to 16, with the head of a block of the arena
ADDRESS = "SIGSEGV, a wrong address"
WHO = f"policy ends_badly ({BAD})"


def ends(who):
    """how: what is said of a run that ends so, in front of the place."""
    said = {
        "crash": f"{who} crashed: {ADDRESS}",
        "in_library": f"crashed outside the code of {who}, perhaps in a function that it called: {ADDRESS}",
        "abort": f"the run of {who} was ended by signal 6, Aborted",
        "exit": f"the run of {who} ended its process with exit status 0",
        "quick_exit": f"the run of {who} ended its process with exit status 0",
        "leave": f"the run of {who} ended its process with exit status 0",
        "thread_exit": f"the run of {who} ended its process with exit status 0",
        "heap": f"the run of {who} was ended by signal 6, Aborted",
        "kill": f"the run of {who} was ended by signal 9, Killed",
        "fork": f"the run of {who} was ended by signal 6, Aborted",
        "scratch": f"out of memory in decide of {who}: no room for {ASKED} more bytes",
    }
    if SANITIZED:
        # found by the sanitizer, whose report is a failed test; the last thread ends by exit, which looks for leaks
        del said["heap"], said["scratch"], said["thread_exit"]
        said["crash"] = said["in_library"] = f"the run of {who} was ended by signal 11, Segmentation fault"
    return said


def said_by(done):
    """What easim itself says, not the C library of one of its processes; without function and line of a crash."""
    return [re.sub(r", in \w+(?: \([\w.]+:\d+\))?(?= \()", "", line) for line in done.stderr.splitlines() if line.startswith("easim: ")]


def processes():
    """Processes of this test other than itself: number, state."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int(folder.name) != os.getpid() and MARK.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            pass  # gone meanwhile, or somebody else's
    return found


def none_left():
    wait_for("no process of this test is left", lambda: not processes())
