"""What the Python tests share. Their arguments: EASIM SOURCE, files of the build (FILES), options (--NAME NUMBER), names of cases."""
import csv
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

EASIM, SOURCE = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
FILES = [Path(word).resolve() for word in sys.argv[3:] if "/" in word]
TINY = SOURCE / "configs/tiny.yaml"
HANGS_S = 300  # ends a test that hangs; no other wait ends by the clock


# ---- Cases ----

class Skipped(SystemExit):
    """Of a case; outside of cases, of the whole test."""


def skip(why):
    print(f"skipped: {why}", flush=True)
    raise Skipped(77)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            skip(f"{program} is not installed")


def real_data(part=""):
    """A folder of the real data."""
    if not os.environ.get("EASIM_DATA"):
        skip("EASIM_DATA is not set")
    return Path(os.environ["EASIM_DATA"], part)


def option(name, default):
    """The number behind --NAME."""
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


def form(whole, short):
    """What a test repeats, or how often: with EASIM_TESTS=short the short form (tests/README.md), which it prints."""
    if os.environ.get("EASIM_TESTS") != "short":
        return whole
    print("short form (EASIM_TESTS)")
    return short


def cases(*tests, shared=False, place=Path):
    """Calls each test, or those that the arguments name, with a folder of its own, or one for all of them, or what `place`
    makes of that; a test may return how many cases it was. The last line is `N cases`. If one has failed, or all were skipped, this
    does not return."""
    wanted = [test for test in tests if test.__name__.removeprefix("test_") in sys.argv[3:]] or tests
    count, failed = 0, []
    with tempfile.TemporaryDirectory(prefix="easim-test.", ignore_cleanup_errors=True) as scratch:
        for number, test in enumerate(wanted):
            folder = Path(scratch).resolve() / ("all" if shared else str(number))
            folder.mkdir(exist_ok=True)
            try:
                done = test(*[place(folder)] * test.__code__.co_argcount)
                count += done if isinstance(done, int) else 1
            except Skipped:
                print(f"  {test.__name__}")
            except Exception:
                traceback.print_exc()
                failed.append(test.__name__)
            if not shared:
                shutil.rmtree(folder, ignore_errors=True)
    print(*(f"failed: {name}" for name in failed), f"{count} cases", sep="\n")
    if failed or not count:
        sys.exit(1 if failed else 77)


def seeds(test, count):
    """A case for each of `count` seeds, or of --count, from --seed (1) on."""
    def all_seeds(folder):
        first, last = option("--seed", 1), option("--seed", 1) + option("--count", count)
        for seed in range(first, last):
            place = folder / str(seed)
            place.mkdir()
            try:
                test(seed, place)
            except BaseException:
                print(f"seed {seed}")
                raise
            shutil.rmtree(place, ignore_errors=True)
        return last - first
    all_seeds.__name__ = test.__name__
    return all_seeds


# ---- Commands and their results ----

def run(*command, code=0, says="", prints="", **more):
    """Of a command, which must end with this exit status, one of several or any (None), and say and print these texts."""
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": HANGS_S} | more
    done = subprocess.run([*map(str, command)], check=False, **more)
    wanted = code if isinstance(code, tuple) else (code,)
    assert code is None or done.returncode in wanted, (command, done.returncode, done.stdout, done.stderr)
    assert not says or says in done.stderr, (command, says, done.stdout, done.stderr)
    assert not prints or prints in done.stdout, (command, prints, done.stdout, done.stderr)
    return done


def easim(*words, **more):
    return run(EASIM, *words, **more)


def commands():
    """Those of easim."""
    return re.findall(r"^  (\w+) ", easim("--help").stdout, re.MULTILINE)


def python_with(*modules):
    """This Python, Debian's, or None."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and run(python, "-c", f"import {', '.join(modules)}", code=None).returncode == 0:
            return python
    return None


def start(*words, **more):
    """An easim that goes on meanwhile."""
    return subprocess.Popen([EASIM, *map(str, words)], **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | more)


def interrupt(process, number=signal.SIGINT):
    """Sends a signal, and returns what it has printed and says when it has ended by that."""
    process.send_signal(number)
    printed, said = process.communicate(timeout=HANGS_S)
    assert process.returncode == 130, (process.returncode, said)
    return printed, said


def rows_of(path):
    opened = gzip.open if Path(path).suffix == ".gz" else open
    with opened(path, "rt", newline="", encoding="utf-8", errors="surrogateescape") as file:
        return list(csv.DictReader(file))


def rows_in(text):
    return list(csv.DictReader(text.splitlines()))


def write_table(path, columns, rows):
    """columns: their names, with commas between."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([columns.split(","), *rows])


def write_rows(path, rows):
    opened = gzip.open if Path(path).suffix == ".gz" else open
    with opened(path, "wt", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_files(folder, files):
    """Texts by their names; the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def bytes_of(folder, *suffixes):
    """Of all files below a folder, or those with these suffixes, by their names in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and (not suffixes or path.suffix in suffixes)}


def same_files(one, other, *names):
    """These files, or all, have the same bytes in two folders."""
    assert names or bytes_of(one).keys() == bytes_of(other).keys(), (one, other)
    for name in names or bytes_of(one):
        assert (Path(one) / name).read_bytes() == (Path(other) / name).read_bytes(), (one, other, name)


def json_of(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def fixed_words(text):
    """Of a text in which words in capitals, and what is in brackets or dots, stand for what differs: those of two words or more."""
    parts = re.split(r"\b[A-Z]+\b|\([^)]*\)|\.\.\.|[,;:%]|\+-", text)
    return [part.strip() for part in parts if " " in part.strip()]


def number(text):
    return float(text) if text else None


def near(found, expected, relative=1e-9, absolute=0.0):
    assert abs(float(found) - expected) <= relative * abs(expected) + absolute, (found, expected)


# ---- Processes ----

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
    """Until so many of its processes have come and gone: with `--isolate always` each has simulated a replication,
    the first may have loaded a policy."""
    at_work(process)
    seen = set()

    def gone():
        now = children(process.pid)
        seen.update(now)
        return len(seen - now) >= count
    wait_for(f"{count} replications", gone, process)


def some_work(process):
    """Until its processes, which may do many replications each, have worked for a second: some of a few ms are over."""
    at_work(process)
    wait_for("a second of work", lambda: sum(state_of(pid)[1] for pid in children(process.pid)) >= 1, process)


def raised(kind, function):
    """The exception of that kind that a call must end with."""
    try:
        function()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")
