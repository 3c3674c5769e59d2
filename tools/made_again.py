"""What the tools share that make committed files from EASIM_DATA, and compare them where they are called with --check:

  TOOL EASIM SOURCE [--check]
"""
import math
import os
import re
import sys
from pathlib import Path

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def same(old, new):
    """Equal texts but for the last digits of numbers (of a matrix: of the largest in a row)."""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    pairs = [(float(a), float(b)) for a, b in zip(NUMBER.findall(old), NUMBER.findall(new))]
    least = 1e-9 * max((abs(a) for a, _ in pairs), default=0)
    return all(math.isclose(a, b, rel_tol=1e-6, abs_tol=least) for a, b in pairs)


def first_difference(old, new):
    for number, (a, b) in enumerate(zip(old.splitlines(), new.splitlines()), 1):
        if not same(a, b):
            return f"line {number}: {a[:150]!r} is now {b[:150]!r}"
    return "" if len(old.splitlines()) == len(new.splitlines()) else "another number of lines"


def arguments(usage):
    """easim, source, data and whether --check was said. Ends with 77, skipped, without EASIM_DATA."""
    check = sys.argv[3:] == ["--check"]
    if len(sys.argv) != 3 + check:
        sys.exit(usage)
    if "EASIM_DATA" not in os.environ:
        print("skipped: EASIM_DATA is not set")
        sys.exit(77)
    return *(Path(word).resolve() for word in (*sys.argv[1:3], os.environ["EASIM_DATA"])), check


def write_or_compare(files, check):
    """Writes the texts, by path; with check they must be what stands there."""
    for path, text in files.items():
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or (different := first_difference(path.read_text(encoding="utf-8"), text)):
            sys.exit(f"{path}: {different if path.is_file() else 'missing'}")
    if check:
        print("1 passed, 0 failed")
