"""A policy that crashes ends easim with a message that names it; a crash elsewhere keeps its signal.
Usage: test_crashes.py EASIM SOURCE PLUGIN_DIR
"""
import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

EASIM, SOURCE, PLUGINS = (Path(argument).resolve() for argument in sys.argv[1:4])
TAIL = "; there are no results, and unfinished files end in .tmp-*\n"
WRONG = "SIGSEGV, a wrong address"

# plug-in: exit status, what is said, more arguments
CASES = {
    "faults/crash_in_init": (1, "policy crash_in_init ({path}) crashed: " + WRONG, []),
    "overflows": (1, "policy overflows ({path}) crashed: " + WRONG, ["--threads", "1"]),
    "write_view": (1, "policy write_view ({path}) crashed: " + WRONG +
                   " (memory that is read-only, as the view is with --check)", ["--check"]),
    "crash_in_library": (-signal.SIGSEGV, "crashed outside the code of policy crash_in_library ({path}), perhaps in a "
                         "function that it called: " + WRONG, []),
}


def main():
    if os.environ.get("EASIM_SANITIZED"):
        print("skipped: a sanitizer's own handler reports crashes")
        sys.exit(77)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name, (code, text, more) in CASES.items():
        path = PLUGINS / f"{name}.so"
        with tempfile.TemporaryDirectory(prefix="easim-crash.") as folder:
            done = subprocess.run([EASIM, "run", SOURCE / "configs/tiny.yaml", "--policy", path, "--quiet", "--out",
                                   f"{folder}/out", *more], capture_output=True, text=True, check=False)
            left = [file.name for file in Path(folder, "out").iterdir() if ".tmp-" not in file.name]
        assert done.returncode == code, (name, done.returncode, done.stderr)
        assert done.stderr == f"easim: {text.format(path=path)}{TAIL}", (name, done.stderr)
        assert done.stdout == "" and not left, (name, done.stdout, left)
    print(f"{len(CASES)} passed, 0 failed")


main()
