#!/usr/bin/env python3
"""Checks that each header compiles alone and may be included twice.

Usage: check_headers.py CC SRC_ROOT BUILD_DIR [CFLAG...]

The public headers are also compiled as strict C11, C17 and, where g++ is installed, C++17. With EASIM_TESTS=short only
every third header of src is compiled.
"""

import os
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
STRICT = ["-pedantic-errors", "-Wpedantic", *WARNINGS]


def jobs_for(compiler, root, build, extra):
    """Yields (header as included, how, command)."""
    include = f"-I{root / 'include'}"
    internal = [*compiler, "-x", "c", "-std=gnu17", "-D_GNU_SOURCE", f"-I{root / 'src'}", include,
                f"-I{build}", f"-I{build / 'src'}", *WARNINGS, *extra]
    short = os.environ.get("EASIM_TESTS") == "short"
    for folder, step in (("src", 3 if short else 1), ("include", 1)):
        for path in sorted((root / folder).rglob("*.h"))[::step]:
            yield str(path.relative_to(root / folder)), "gnu17", internal
    for path in sorted((root / "include").rglob("*.h")):
        name = str(path.relative_to(root / "include"))
        for standard in ("c11", "c17"):
            yield name, standard, [*compiler, "-x", "c", f"-std={standard}", include, *STRICT]
        if shutil.which("g++"):
            yield name, "c++17", ["g++", "-x", "c++", "-std=c++17", include, *STRICT]


def compile_header(job):
    """None, or what the compiler said."""
    header, standard, command = job
    source = f'#include "{header}"\n#include "{header}"\nextern int header_compiles;\n'
    done = subprocess.run([*command, "-fsyntax-only", "-"], input=source, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return f"{header} alone, as {standard}:\n{done.stdout}" if done.returncode else None


def short_form():
    return ", a third of src (EASIM_TESTS=short)" if os.environ.get("EASIM_TESTS") == "short" else ""


def main():
    if len(sys.argv) < 4:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    compiler, root, build = shlex.split(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    jobs = list(jobs_for(compiler, root, build, sys.argv[4:]))
    with ThreadPoolExecutor(max_workers=2) as pool:
        failures = [text for text in pool.map(compile_header, jobs) if text]
    print("\n".join(failures) or f"{len(jobs)} compilations of headers alone: all good" + short_form())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
