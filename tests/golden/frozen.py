#!/usr/bin/env python3
"""Random scenarios against frozen results: frozen.py EASIM SOURCE [--seed N] [--before OTHER] [--keep DIR] [--first] [--using WORDS]
                 [--most N] [--freeze] [--table FILE] [--without-points] [--engine whole]

frozen.csv holds for each seed 1 .. 300 of tests/system/random_scenario.py, and for each command that is run on it, a hash of
its files (`inputs`: if these differ it is the scenario that is another one) and one of every CSV file and trace that comes
out: the first 16 hexadecimal digits of its SHA-256. No bytes depend on the compiler. A difference is a changed result; it says
nothing of which one is right.

    frozen.py EASIM SOURCE --seed 17 --before OTHER   # runs an easim of before too, and shows the first lines that differ
    frozen.py EASIM SOURCE --seed 17 --keep DIR       # leaves the scenario and its results in DIR
    frozen.py EASIM SOURCE --freeze                   # writes frozen.csv anew; the commit says why results change
    frozen.py EASIM SOURCE --table OLD.csv --without-points   # with the table of a time when whole reals had no ".0"

OTHER is a built easim with its policies beside it, such as build/easim of another worktree. With --engine whole no run takes the
lean engine (decision 0085).
"""
import argparse
import csv
import difflib
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "system"))
from random_scenario import Scenario  # noqa: E402

TABLE = Path(__file__).with_name("frozen.csv")
SEEDS = range(1, 301)
SHOWN = 5  # differences, and lines of each
REAL = re.compile(r"-?\d+(\.\d+(?:e[+-]\d+)?|e[+-]\d+)?")  # with its point or exponent
LISTS = ("fcfs", "charon", "pollux", "zeus", "themis", "hades", "chronos", "aurachronos")
NEWER_LISTS = ("green", "greenflow", "lean", "deferral", "zeus")
COMMON = ("--quiet", "--threads", "1", "--out", "out")


def scenario_of(seed, name):
    """Of "everything" another one with what an ordinary one has not. Its policy may leave jobs waiting: an error, compared too."""
    if name != "everything":
        return Scenario(seed)
    scenario, r = Scenario(10000 + seed), Random(f"everything of {seed}")
    if seed % 3 == 0:
        scenario.take_unruly()
    elif seed % 3 == 1:
        scenario.take_newer()
    if seed % 2:
        scenario.take_services()
    scenario.take_contention() if r.random() < 0.6 else scenario.take_network()
    return scenario


def commands(seed, source):
    """What is run on the scenario of a seed: name, words behind `easim`."""
    one = LISTS[seed // 20 % len(LISTS)]
    other = LISTS[(seed // 20 + 1 + seed // 160) % len(LISTS)]
    yield "run", ["run", "scenario.yaml", "--decisions", "--meter", "333s", "--trace", "trace.jsonl"]
    yield "everything", ["run", "scenario.yaml", "--check", "--decisions", "--meter", "333s", "--trace", "trace.jsonl", "--record"]
    if seed % 20 == 0:
        yield f"compare {one} {other}", ["compare", "scenario.yaml", "--policies", f"{one},{other}"]
    if seed % 20 == 10:
        yield f"ablate {one} {other}", ["ablate", "scenario.yaml", one, other, "-n", "1"]
    if seed % 20 == 7:
        newer, mixed = NEWER_LISTS[seed // 20 % len(NEWER_LISTS)], NEWER_LISTS[(seed // 20 + 1 + seed // 80) % len(NEWER_LISTS)]
        yield f"ablate {newer} {mixed}", ["ablate", "scenario.yaml", newer, mixed, "-n", "1"]
    if seed % 20 == 5:
        program = f"policy.params.command={sys.executable} {source}/policies/exec/fcfs.py"
        yield "exec", ["run", "scenario.yaml", "--policy", "exec", "--set", program]
    if seed % 20 == 15:
        yield "replay", ["run", "scenario.yaml", "--policy", "replay", "--set", "policy.params.file=schedule.csv"]


def schedule(folder):
    """Who held GPUs from the first start to the end in the run before, as a recorded schedule."""
    with open(folder / "run/jobs.csv", newline="", encoding="utf-8") as file:
        stays = [(float(r["start_s"]), float(r["finish_s"] or "inf"), r["job_id"], r["k"])
                 for r in csv.DictReader(file) if r["replication"] == "1" and r["start_s"]]
    lines = ["time_s,job_id,gpus"]
    for at in sorted({t for start, end, _, _ in stays for t in (start, end) if t != float("inf")}):
        lines += [f"{at},{job},{k}" for start, end, job, k in stays if start <= at < end]
    (folder / "schedule.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def environment(easim, is_before):
    """With the policies that the test is given, or, of an easim of before, those beside it."""
    beside = ":".join(str(Path(easim).parent / folder) for folder in ("policies", "tests/policy/plugins"))
    path = beside if is_before else os.environ.get("EASIM_POLICY_PATH", beside)
    return os.environ | {"EASIM_POLICY_PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def run(easim, words, name, folder, env):
    """{file: bytes} of what comes out; it is moved to folder/NAME."""
    done = subprocess.run([easim, *words, *COMMON], cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=env)
    if done.returncode != 0:
        return {"failure": f"{done.returncode}\n{done.stderr}".encode()}
    out = folder / name.split()[0]
    (folder / "out").rename(out)
    return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.suffix in (".csv", ".jsonl")}


def without_points(files):
    """The files with 5 where a cell is 5.0; recorded.csv says how many bytes of other files are of a run."""
    files = {name: re.sub(rb"(?<=[,;\n])(-?\d+)\.0(?=[,;\n])", rb"\1", data) if name.endswith(".csv") else data
             for name, data in files.items()}
    for name in (name for name in files if Path(name).name == "recorded.csv"):
        header, *rows = (line.split(b",") for line in files[name].splitlines())
        for row in rows:
            for column, cell in enumerate(header):
                if cell.endswith(b"_bytes"):
                    beside = files[str(Path(name).with_name(cell[:-len(b"_bytes")].decode() + ".csv"))]
                    begin = b",".join(row[1:2] if cell.startswith(b"workload") else row[:2]) + b","
                    row[column] = b"%d" % sum(len(line) for line in beside.splitlines(keepends=True) if line.startswith(begin))
        files[name] = b"".join(b",".join(row) + b"\n" for row in (header, *rows))
    return files


def short(data):
    return hashlib.sha256(data).hexdigest()[:16]


def results(easim, options, seed, folder):
    """(command, hash of the scenario, {file: bytes}) of each command."""
    for name, words in commands(seed, options.source):
        files = scenario_of(seed, name).files
        inputs = short("".join(f"{file}\n{text}" for file, text in sorted(files.items())).encode())
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        if name == "replay":
            schedule(folder)
        outputs = run(easim, words, name, folder, environment(easim, easim == options.before))
        yield name, inputs, without_points(outputs) if options.without_points else outputs


def mixed_columns(outputs):
    """Columns of numbers of which some are integers and some reals: a reader that takes the type from the first rows fails."""
    for name, data in outputs.items():
        if name.endswith(".csv"):
            header, *rows = csv.reader(data.decode().splitlines())
            for column, *cells in zip(header, *rows):
                numbers = [REAL.fullmatch(cell) for cell in cells if cell]
                if all(numbers) and len({bool(number[1]) for number in numbers}) > 1:
                    yield f"{name}: {column}"


def row_of(seed, name, inputs, outputs):
    return [str(seed), name, inputs, " ".join(f"{file}:{short(data)}" for file, data in outputs.items())]


def difference(frozen, row):
    if frozen is None:
        return "is not frozen"
    if frozen[2] != row[2]:
        return "the scenario of this seed is another: random_scenario.py, or Python's random, has changed"
    before, now = (dict(pair.rsplit(":", 1) for pair in each[3].split()) for each in (frozen, row))
    files = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    return "differs in " + ", ".join(files) if files else ""


def show(before, now):
    """The first lines that differ in each file."""
    for name in sorted(before.keys() | now.keys()):
        old, new = (files.get(name, b"").decode(errors="replace").splitlines() for files in (before, now))
        lines = [line for line in difflib.unified_diff(old, new, "before", "now", lineterm="", n=0)]
        if lines:
            print(f"  {name}:", *lines[2:2 + SHOWN], sep="\n    ")


def one_seed(options, seed, keep):
    """(rows, {command: bytes}) of a seed; both of an easim of before, if one is given."""
    with tempfile.TemporaryDirectory(prefix="easim-frozen.") as scratch:
        folder = Path(keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        now = list(results(options.easim, options, seed, folder))
        before = []
        if options.before:
            (Path(scratch) / "before").mkdir()
            before = list(results(options.before, options, seed, Path(scratch) / "before"))
    return [row_of(seed, *each) for each in now], {n: f for n, _, f in now}, {n: f for n, _, f in before}


def is_used(options, seed):
    """Whether the scenario, or a command, of a seed has one of the words of --using."""
    return any(re.search(options.using, scenario_of(seed, name).files["scenario.yaml"] + " ".join(words))
               for name, words in commands(seed, options.source))


def compare(options, seeds):
    with open(options.table, newline="", encoding="utf-8") as file:
        frozen = {(row[0], row[1]): row for row in csv.reader(file)}
    wrong, count = 0, 0
    for seed in [seed for seed in seeds if is_used(options, seed)][:options.most]:
        rows, now, before = one_seed(options, seed, options.keep and Path(options.keep, str(seed)))
        for row in rows:
            mixed = list(mixed_columns(now[row[1]]))
            assert not mixed or options.without_points, (seed, row[1], mixed)
            count += 1
            if not (said := difference(frozen.get((row[0], row[1])), row)):
                continue
            wrong += 1
            if options.first:
                sys.exit(f"scenario {seed}, {row[1]}: {said}")
            if wrong <= SHOWN:
                print(f"scenario {seed}, {row[1]}: {said}")
                if "failure" in now[row[1]]:
                    print(now[row[1]]["failure"].decode(), end="")
                if before:
                    show(before[row[1]], now[row[1]])
                else:
                    print(f"  to see it: {sys.argv[0]} {options.easim} {options.source} --seed {seed} --before OTHER_EASIM")
    if wrong:
        print(f"{wrong} of {count} results differ; if they are meant to: {sys.argv[0]} {options.easim} {options.source} --freeze")
    else:
        print(f"{count} passed, 0 failed")
    print(f"{count} cases")
    sys.exit(1 if wrong else 0)


def freeze(options):
    rows = [row for seed in SEEDS for row in one_seed(options, seed, None)[0]]
    failed = [row[:2] for row in rows if row[3].startswith("failure") and row[1] != "everything"]
    assert not failed, f"commands that fail: {failed}"
    with open(TABLE, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["seed", "command", "inputs", "outputs"])
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("easim", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("source", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--seed", type=int)
    parser.add_argument("--before", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--keep")
    parser.add_argument("--first", action="store_true", help="stop at the first difference")
    parser.add_argument("--using", default="", metavar="WORDS", help="only seeds whose scenario or command matches, such as services")
    parser.add_argument("--most", type=int, metavar="N", help="the first N of these seeds alone (60 with EASIM_TESTS=short)")
    parser.add_argument("--freeze", action="store_true")
    parser.add_argument("--table", default=TABLE, help="instead of frozen.csv")
    parser.add_argument("--without-points", action="store_true", help="compare CSV files without the .0 of whole reals")
    parser.add_argument("--engine", choices=["whole"])
    options = parser.parse_args()
    if options.engine:
        os.environ["EASIM_ENGINE"] = options.engine
    if os.environ.get("EASIM_TESTS") == "short" and options.seed is None and not options.freeze:
        print("short form (EASIM_TESTS): 60 seeds")
        options.most = min(options.most or 60, 60)
    if options.freeze:
        freeze(options)
    else:
        compare(options, SEEDS if options.seed is None else [options.seed])


if __name__ == "__main__":
    main()
