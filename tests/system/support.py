"""What tests of easim from outside share. Their arguments begin with EASIM SOURCE."""
import csv
import subprocess
import sys
from pathlib import Path

EASIM, SOURCE = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()


def easim(*words, code=0, **more):
    done = subprocess.run([EASIM, *map(str, words)], capture_output=True, text=True, **more)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def rows_of(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        return list(csv.DictReader(file))


def raised(kind, function):
    """The exception of that kind that a call must end with."""
    try:
        function()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")
