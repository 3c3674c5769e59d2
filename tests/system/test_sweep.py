"""Sweeps from outside: test_sweep.py EASIM SOURCE

The joined table is compared with single `easim run`s, and must have the same bytes for any number of threads, shards,
and after ten kills. In SQLite it holds the same values.
"""
import csv
import os
import random
import shutil
import sqlite3
import subprocess
import time

from harness import EASIM, SOURCE, cases, easim, rows_in, rows_of, run, wait_for

BASE = SOURCE / "configs" / "eas-sim.yaml"
MANY = 200 if os.environ.get("EASIM_SANITIZED") else 1000  # a sanitizer's memory takes long to fork

SWEEP = f"""\
name: golden
base: {BASE}
set: {{replications: 2, horizon: 2h}}
axes:
  - {{path: policy.name, values: [zeus, fcfs]}}
  - zip:
      - {{path: cluster.power_cap_w, values: [4000, 5000, "8000"]}}
      - {{path: workload.rate_per_s, values: [0.004, 0.005, 0.006]}}
  - sample: {{kind: lhs, count: 4, over: [{{path: workload.sizes.cv, from: 0.5, to: 2}}]}}
"""


def against_single_runs(folder, sweep):
    """24 points of 2 replications; each row is that of `easim run --set ...`, its id the hash in the manifest."""
    out = folder / "whole"
    easim("sweep", sweep, "--out", out, "--threads", 2)
    rows = rows_of(out / "sweep.csv")
    assert len(rows) == 48 and len({row["run_id"] for row in rows}) == 24
    axes = ["policy.name", "cluster.power_cap_w", "workload.rate_per_s", "workload.sizes.cv"]
    assert list(rows[0])[:5] == ["run_id", *axes]
    for index in (0, 26, 47):
        row = rows[index]
        sets = [word for axis in axes for word in ("--set", f"{axis}={row[axis]}")]
        single = folder / f"single-{index}"
        easim("run", BASE, "--out", single, "--quiet", "--summary-only", "-n", 2, "--set", "horizon=2h", *sets)
        expected = rows_of(single / "summary.csv")[index % 2]
        assert {name: row[name] for name in expected} == expected
    return (out / "sweep.csv").read_bytes()


def threads_shards_order(folder, sweep, whole):
    for threads in (1, 7):
        out = folder / f"threads-{threads}"
        easim("sweep", sweep, "--out", out, "--threads", threads, "--quiet")
        assert (out / "sweep.csv").read_bytes() == whole
    out = folder / "shards"
    for shard in (3, 1):
        easim("sweep", sweep, "--out", out, "--shard", f"{shard}/3", "--quiet")
        assert not (out / "sweep.csv").exists()
    missing = easim("sweep", sweep, "--out", out, "--merge", code=1)
    named = [line.split()[1] for line in missing.stderr.splitlines() if line.startswith("missing: ")]
    listed = rows_in(easim("sweep", sweep, "--out", out, "--list").stdout)
    assert len(listed) == 24 and named == [row["run_id"] for row in listed if row["state"] == "missing"]
    assert named == [row["run_id"] for row in listed[1::3]]
    easim("sweep", sweep, "--out", out, "--shard", "2/3")
    easim("sweep", sweep, "--out", out, "--merge")
    assert (out / "sweep.csv").read_bytes() == whole


def kept_runs(out):
    """The ids of the results in the files of runs/, in the order in which they came."""
    return [line.split(b",")[1].decode() for path in sorted((out / "runs").iterdir()) for line in path.read_bytes().splitlines()
            if line.startswith(b"run,")]


def many_files(folder):
    """Six sweeps at once in one folder, each with a file of its own, and results of all of them in the table; what one that
    was killed has left half at the end of a file is passed over, and the next process goes on behind it."""
    sweep, out = folder / "many.yaml", folder / "many"
    sweep.write_text(f"name: many\nbase: {BASE}\nset: {{replications: 1, horizon: 1h}}\naxes:\n"
                     "  - {path: seed, range: {from: 1, to: 60, step: 1}}\n", encoding="utf-8")
    shards = [subprocess.Popen([EASIM, "sweep", sweep, "--out", out, "--threads", "1", "--quiet", "--shard", f"{i}/6"])
              for i in range(1, 7)]
    assert [shard.wait() for shard in shards] == [0] * 6
    assert 1 <= len(list((out / "runs").iterdir())) <= 6 and sorted(kept_runs(out)) == sorted(set(kept_runs(out)))
    easim("sweep", sweep, "--out", out, "--merge")
    whole = (out / "sweep.csv").read_bytes()
    first = sorted((out / "runs").iterdir())[0]
    text = first.read_bytes()
    first.write_bytes(text[:len(text) // 2])
    done = easim("sweep", sweep, "--out", out, "--merge", code=1)
    assert " 0 failed, " in done.stdout and (out / "sweep.csv").read_bytes() != whole
    easim("sweep", sweep, "--out", out, "--quiet")
    assert (out / "sweep.csv").read_bytes() == whole and first.read_bytes().startswith(text[:len(text) // 2])
    assert "60 points: 60 done" in easim("sweep", sweep, "--out", out, "--merge").stdout


def kills(folder):
    """Ten kills, each when so many points are done, drawn from a fixed seed, and a moment later."""
    sweep = folder / "kill.yaml"
    sweep.write_text(f"name: kill\nbase: {BASE}\nset: {{replications: 1}}\naxes:\n"
                     f"  - {{path: seed, range: {{from: 1, to: {MANY}, step: 1}}}}\n", encoding="utf-8")
    out, whole = folder / "killed", folder / "not-killed"
    easim("sweep", sweep, "--out", whole, "--threads", 2, "--quiet")
    moments, killed = random.Random(2385), 0
    for done in sorted(moments.sample(range(MANY * 6 // 10), 10)):
        process = subprocess.Popen([EASIM, "sweep", sweep, "--out", out, "--threads", "2", "--quiet"])
        wait_for(f"{done} points", lambda done=done: (out / "runs").is_dir() and len(kept_runs(out)) >= done, process)
        time.sleep(moments.uniform(0, 0.02))  # also between two points, and while one is written
        process.kill()
        killed += process.wait() != 0
    assert killed >= 5, killed
    easim("sweep", sweep, "--out", out, "--threads", 2, "--quiet")
    assert (out / "sweep.csv").read_bytes() == (whole / "sweep.csv").read_bytes()
    ids = kept_runs(out)
    assert len(set(ids)) == MANY and len(ids) <= MANY + killed, len(ids)  # none was run twice, but for a line cut by a kill
    assert len(list((out / "runs").iterdir())) == 1 and not list(out.rglob("*.tmp-*"))


def failures(folder):
    """A point that does not load, between two that do: recorded, the others run, exit 1, and not run again."""
    sweep, out = folder / "fail.yaml", folder / "fail"
    sweep.write_text(f"name: fail\nbase: {BASE}\nset: {{replications: 1}}\naxes:\n"
                     "  - {path: cluster.power_cap_w, values: [5000, -1, 8000]}\n", encoding="utf-8")
    for _ in range(2):
        easim("sweep", sweep, "--out", out, code=1, prints="3 points: 2 done, 1 failed, 0 missing")
    assert [row["cluster.power_cap_w"] for row in rows_of(out / "sweep.csv")] == ["5000", "8000"]
    failed, = rows_of(out / "failures.csv")
    assert failed["cluster.power_cap_w"] == "-1" and "expected number" in failed["error"], failed
    before = kept_runs(out)
    easim("sweep", sweep, "--out", out, code=1)
    assert kept_runs(out) == before
    easim("sweep", sweep, "--out", out, "--retry-failed", code=1)
    assert kept_runs(out) == before + [failed["run_id"]]
    sweep.write_text(sweep.read_text().replace("-1", "6000"), encoding="utf-8")
    easim("sweep", sweep, "--out", out)
    assert len(rows_of(out / "sweep.csv")) == 3 and not (out / "failures.csv").exists()
    assert len(kept_runs(out)) > 3
    table = (out / "sweep.csv").read_bytes()
    easim("sweep", sweep, "--out", out, "--force")  # anew: each point once, and nothing of the earlier calls
    ids = [row["run_id"] for row in rows_of(out / "sweep.csv")]
    assert sorted(kept_runs(out)) == sorted(ids) and (out / "sweep.csv").read_bytes() == table
    for other in (["--shard", "1/2"], ["--merge"], ["--list"]):
        easim("sweep", sweep, "--out", out, "--force", *other, code=2)
    assert sorted(kept_runs(out)) == sorted(ids)


def changed_inputs(folder):
    """A model file that has changed makes its runs missing; one that is damaged or half is missing too."""
    for name in ("tiny.yaml", "models"):
        run("cp", "-r", SOURCE / "configs" / name, folder)
    base = (SOURCE / "configs" / "eas-sim.yaml").read_text(encoding="utf-8")
    (folder / "base.yaml").write_text(base, encoding="utf-8")
    sweep, out = folder / "inputs.yaml", folder / "inputs"
    sweep.write_text("name: inputs\nbase: base.yaml\nset: {replications: 1, horizon: 1h}\naxes:\n"
                     "  - {path: seed, values: [1, 2, 3]}\n", encoding="utf-8")
    easim("sweep", sweep, "--out", out)
    states = [row["state"] for row in rows_in(easim("sweep", sweep, "--out", out, "--list").stdout)]
    assert states == ["done"] * 3
    kept, = (out / "runs").iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"run,", b"ran,", 1))
    assert "2 done, 0 failed, 1 missing" in easim("sweep", sweep, "--out", out, "--merge", code=1).stdout
    models = folder / "models" / "eas-sim.yaml"
    models.write_text(models.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    assert "0 done, 0 failed, 3 missing" in easim("sweep", sweep, "--out", out, "--merge", code=1).stdout
    easim("sweep", sweep, "--out", out)


def parallel_line(folder, sweep, whole):
    """The line for GNU parallel, carried out by a loop: the program itself need not be there."""
    out = folder / "parallel"
    line = easim("sweep", sweep, "--out", out, "--engine", "parallel", "--tasks", 3).stdout
    assert line.startswith("seq 3 | parallel '"), line
    shard = line[line.index("'") + 1:line.rindex("'")]
    for task in "123":
        run("bash", "-c", shard.replace("{}", task))
    run("bash", "-c", line[line.index("; ") + 2:])
    assert (out / "sweep.csv").read_bytes() == whole


def in_sqlite(folder):
    """tools/sweep.sql: the values of the CSV with types, twice without doubles; half an input changes nothing."""
    if not shutil.which("sqlite3"):
        print("in_sqlite: skipped, sqlite3 is not installed")
        return
    table, base = folder / "whole" / "sweep.csv", folder / "sweep.db"

    def put(path):
        return subprocess.run(f"sqlite3 :memory: '.import --csv {path} text' '.read {SOURCE}/tools/sweep.sql' |"
                              f" sqlite3 {base}", shell=True, capture_output=True, text=True, check=False)

    for path in (table, table, folder / "none.csv"):
        done = put(path)
        assert (done.stderr == "") == (path == table), done.stderr
        database = sqlite3.connect(base)
        found = database.execute("SELECT * FROM runs").fetchall()
        expected = list(csv.reader(table.open(encoding="utf-8")))
        assert [name for _, name, *_ in database.execute("PRAGMA table_info(runs)")] == expected[0]
        assert len(found) == len(expected) - 1 == 48
        for cells, values in zip(expected[1:], found):
            assert isinstance(values[0], str)  # run_id
            for cell, value in zip(cells, values):
                good = value is None if cell == "" else cell == value if isinstance(value, str) else \
                    abs(value - float(cell)) <= 1e-15 * abs(value)
                assert good and not (isinstance(value, str) and value[0] in "0123456789" and value != cells[0]), cell
        indices = {name for _, name, *_ in database.execute("PRAGMA index_list(runs)")}
        assert indices == {f"runs by {axis}" for axis in ("policy.name", "cluster.power_cap_w", "workload.rate_per_s",
                                                          "workload.sizes.cv")}, indices
        database.close()


def tables(folder):
    sweep = folder / "sweep.yaml"
    sweep.write_text(SWEEP, encoding="utf-8")
    whole = against_single_runs(folder, sweep)
    threads_shards_order(folder, sweep, whole)
    parallel_line(folder, sweep, whole)
    in_sqlite(folder)
    return 4


cases(tables, failures, changed_inputs, many_files, kills, shared=True)
