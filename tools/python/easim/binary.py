"""The program easim: where it is, whether it fits, and which options its commands have."""
import difflib
import functools
import json
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from easim import __version__
from easim.errors import ProgramError

HELP_LINE = re.compile(r"^  (?:-., |    )--(?P<name>[a-z0-9-]+)(?P<value>=\S+)?")


def find(easim=None):
    """The path of the program: `easim` if given, else the variable EASIM, else PATH, else where this package or Python is
    installed. ProgramError if there is none, or none that fits."""
    for given, whence in ((easim, "easim="), (os.environ.get("EASIM"), "the variable EASIM")):
        if given:
            path = shutil.which(os.fspath(given))
            if not path:
                raise ProgramError([f"{whence} names {os.fspath(given)}, which is no program"])
            return fitting(os.path.abspath(path))
    prefixes = [sys.prefix, *Path(__file__).resolve().parents, "/usr/local", "/usr"]
    path = shutil.which("easim") or next(filter(None, (shutil.which(f"{prefix}/bin/easim") for prefix in prefixes)), None)
    if not path:
        raise ProgramError(["the program easim is not found: install it, put it on PATH, set the variable EASIM, or say easim=PATH"])
    return fitting(os.path.abspath(path))


def fitting(path):
    found = version(path, os.stat(path).st_mtime_ns)
    if found.split(".")[:2] != __version__.split(".")[:2]:
        raise ProgramError([f"{path} is easim {found}, which does not fit this package, version {__version__}: "
                            "install the package that came with it (tools/python)"])
    return path


@functools.lru_cache(None)
def version(path, changed):
    """What `easim --version` says; `changed`, its time of change, so that another program is asked anew."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise ProgramError([f"{path}: cannot be started: {error.strerror}"]) from error
    words = done.stdout.split()
    if done.returncode != 0 or len(words) < 2 or words[0] != "easim":
        raise ProgramError([f"{path} is not easim: --version says {done.stdout.strip()[:60]!r}"])
    return words[1]


class Option:
    """An option of a command: whether it takes a value, and whether it may be given again."""

    def __init__(self, takes_value):
        self.takes_value, self.repeats = takes_value, False


@functools.lru_cache(None)
def options_of(path, command):
    """{name: Option} of a command, from its own --help."""
    done = subprocess.run([path, command, "--help"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ProgramError(done.stderr.strip().splitlines() or [f"easim {command} --help failed"])
    options, latest = {}, ""
    for line in done.stdout.splitlines():
        match = HELP_LINE.match(line)
        if match:
            options[match["name"]] = option = Option(bool(match["value"]))
            latest = ""
        latest += " " + line.strip()
        if options and "may be given again" in latest:
            option.repeats = True
    options.pop("help", None)
    return options


def plain(value, key):
    """A value as JSON holds it, with paths and NumPy's values as what they stand for. Any other kind, such as a set or a
    datetime, is an error that names the key."""
    if hasattr(value, "tolist"):
        value = value.tolist()  # of NumPy
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, (str, int)):
                raise TypeError(f"{key}: expected a text as key, got {name!r}")
        return {name: plain(each, f"{key}.{name}" if key else str(name)) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each, f"{key}[{i}]") for i, each in enumerate(value)]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{key}: {value} is no value of a scenario")
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"{key}: expected a number, a text, a path, a list or a dict, got {type(value).__name__}: {value!r}")


def yaml_of(value, key):
    """A value as the YAML that --set takes. A text is YAML already: "2h", "[1, 2]"; other values are written as JSON, which
    YAML contains."""
    if isinstance(value, str):
        return value
    return json.dumps(plain(value, key))


def text_of(value, key):
    return os.fspath(value) if isinstance(value, os.PathLike) else yaml_of(value, key)


def words_of(path, command, options):
    """Keyword arguments as words of a command line. TypeError for an option that the command does not have."""
    words, known = [], options_of(path, command)
    for name, value in options.items():
        name = name.replace("_", "-")
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            names = ", ".join(sorted(each.replace("-", "_") for each in known))
            hint = f", did you mean {near[0].replace('-', '_')}?" if near else f"; there are {names}"
            raise TypeError(f"easim {command} has no option {name.replace('-', '_')}{hint}")
        if value is None or value is False:
            continue
        option = known[name]
        if option.takes_value == (value is True):
            raise TypeError(f"{name.replace('-', '_')}: " + ("expected a value" if option.takes_value else "expected True or False"))
        if not option.takes_value:
            words.append(f"--{name}")
            continue
        if isinstance(value, dict):
            value = [f"{key}={yaml_of(each, key)}" for key, each in value.items()]
        elif isinstance(value, (list, tuple)):
            value = [text_of(each, name) for each in value]
        else:
            value = [text_of(value, name)]
        words += [f"--{name}={each}" for each in (value if option.repeats else [",".join(value)])]
    return words
