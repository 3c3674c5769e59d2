#!/usr/bin/env python3
"""How many files of src a reader walks through, for five things that easim does. Usage: walks.py EASIM SOURCE [--files] [--check] | --self-test

A walk lists the files whose functions run between a call of one function and its return, in any of a few scenarios. Valgrind
records them, so EASIM must keep its functions apart: build it with -Doptimization=0. --files prints their names, too. --check
exits 1 if a walk has more files than when src had been folded into modules; 60 % of the files before were hoped for, 71 to
91 % were reached. Exits 77 without valgrind.
"""
import os
import re
import sys
import tempfile
from pathlib import Path

from instructions import NoCounter, Valgrind, run

# walk: (the function whose call it is, files in the last commit with a file for each small subject, 3d364230, and the most now)
WALKS = {
    "arrival of a job to queue": ("admission_submit", 29, 24),
    "policy's decision to start": ("callbacks_decide", 77, 55),
    "finish of a job": ("jobs_finish", 24, 20),
    "job to CSV row": ("jobs_csv_rows", 23, 21),
    "scenario key to use": ("study_load", 86, 67),
}
# easy to read one by one, and together with preemption, resizes, a power cap, failures and levels of power
SCENARIOS = (("tiny", "zeus"), ("eas-sim", "pollux"), ("power-cap", "charon"), ("failures", "zeus"))


def files_of(profile):
    """Files, under a folder src, of functions that spend instructions themselves, from what callgrind writes."""
    files, file, is_call = set(), None, False
    for line in profile.splitlines():
        kind, _, name = line.partition("=")
        if kind in ("fl", "fi", "fe"):
            file = name.rpartition("/src/")[2] if "/src/" in name else None
        elif kind == "calls":
            is_call = True
        elif re.match(r"[+*\-\d]", line):
            if file and not is_call:
                files.add(file)
            is_call = False
    return files


def walk(easim, source, function, valgrind):
    """Files of src that run between the call of a function and its return."""
    files = set()
    for scenario, policy in SCENARIOS:
        with tempfile.TemporaryDirectory() as folder:
            run(["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no", "--collect-atstart=no",
                 f"--toggle-collect={function}", f"--callgrind-out-file={folder}/profile.%p", easim, "run",
                 source / "configs" / f"{scenario}.yaml", "--policy", policy, "--quiet", "--threads", "1", "--replications",
                 "1", "--out", f"{folder}/out"], folder, env={**os.environ, "LD_PRELOAD": str(valgrind.preload)})
            for file in Path(folder).glob("profile.*"):
                files |= files_of(file.read_text(encoding="utf-8"))
    return {file for file in files if (source / "src" / file).is_file()}


def report(easim, source, options):
    """Prints a line a walk; returns whether none is too long."""
    easim, source, fine, every = Path(easim).resolve(), Path(source).resolve(), True, set()
    with tempfile.TemporaryDirectory() as folder:
        valgrind = Valgrind(folder, source)
        for name, (function, before, most) in WALKS.items():
            files = walk(easim, source, function, valgrind)
            if not files:
                raise RuntimeError(f"{easim} does not call {function}: is it built with -Doptimization=0?")
            every |= files
            fine = fine and len(files) <= most
            print(f"{name}: {len(files)} files, {before} before, {len(files) / before:.0%}")
            if "--files" in options:
                print("".join(f"    {file}\n" for file in sorted(files)), end="")
    print(f"all: {len(every)} files")
    return fine or "--check" not in options


def self_test():
    """A file counts if a function in it does something itself, not if it only calls."""
    assert files_of("fl=/x/src/main.c\nfn=main\ncfi=/x/src/a/b.c\ncfn=f\ncalls=1 9\n7 60\n"
                    "fl=/x/build/../src/a/b.c\nfn=f\n3 10\nfi=/x/src/a/c.h\n4 2\nfe=/x/src/a/b.c\n+1 3\n"
                    "fl=./malloc/malloc.c\nfn=malloc\n* 20\n") == {"a/b.c", "a/c.h"}
    print("walks: self-test passed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    paths, options = [word for word in sys.argv[1:] if word[0] != "-"], [word for word in sys.argv[1:] if word[0] == "-"]
    if len(paths) != 2 or set(options) - {"--files", "--check"}:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        return 0 if report(*paths, options) else 1
    except NoCounter as reason:
        print(f"skipped: {reason}")
        return 77


if __name__ == "__main__":
    sys.exit(main())
