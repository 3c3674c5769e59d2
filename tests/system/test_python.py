"""The Python package (tools/python) against the built program. Usage: test_python.py EASIM SOURCE [NAME...]

With NAMEs only these tests. Those of DataFrames run in a Python that has pandas: this one, or Debian's. Without one, without pip and without gnuplot
what needs them is skipped, by name.
"""
import ast
import base64
import contextlib
import csv
import datetime
import hashlib
import importlib.util
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import warnings
import zipfile
from functools import partial
from pathlib import Path

from harness import EASIM, HANGS_S, SOURCE, TINY, cases, json_of, python_with, raised, rows_of, run, skip, state_of, wait_for

PACKAGE = SOURCE / "tools" / "python"
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
sys.path.insert(0, str(PACKAGE))
sys.dont_write_bytecode = True
os.environ.update(EASIM=EASIM, PYTHONDONTWRITEBYTECODE="1")
easim = importlib.import_module("easim")


def program(folder, text, name="easim"):
    """A program of that name that is not easim."""
    (folder / name).write_text(f"#!/bin/sh\n{text}")
    (folder / name).chmod(0o755)
    return folder / name


# ---- tables ---------------------------------------------------------------------------------------------------------

def result_of_tiny():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = easim.run(TINY, policy="fcfs", set={"cluster.power_cap_w": 3000})
    assert [str(each.message).split(":")[0] for each in said if each.category is easim.ResultWarning] == \
        ["over the power cap, which is ignored (no POWER_CAP)"], said
    *assumed, warning = result.notes
    assert assumed == [f"note: assumed: {each['text']} [{each['key']}]" for each in result.manifest["assumptions"]] != [], result.notes
    assert warning.split(":")[0] == "warning", result.notes
    return result


def check_cells(table, file, missing):
    """Every cell is the text of the file: as a text, or as the number that it stands for."""
    rows = rows_of(file)
    assert list(table.columns) == list(rows[0]) and len(table) == len(rows), file
    for name in rows[0]:
        for cell, row in zip(table[name], rows):
            text = row[name]
            assert missing(cell) if text == "" else cell == (text if isinstance(cell, str) else float(text)), (file, name, cell, text)


def check_units(table, file):
    """Units and directions are those of docs/reference/outputs.md."""
    section = re.search(rf"^## {file}\n.*?(?=^## )", (SOURCE / "docs/reference/outputs.md").read_text(), re.MULTILINE | re.DOTALL)[0]
    count = 0
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 4 and "," not in cells[0] and cells[0] in table.columns:
            assert table.attrs["units"].get(cells[0], "") == cells[1], (file, cells)
            assert table.attrs["better"].get(cells[0], "") == cells[2], (file, cells)
            count += 1
    assert count > 1, (file, section)


def test_tables_without_pandas():
    sys.modules["pandas"] = None  # as if it were not installed
    result = result_of_tiny()
    assert result.tables == ["aggregate", "jobs", "power", "summary", "types", "users"]
    for name in result.tables:
        table = result.table(name)
        check_cells(table, result.folder / f"{name}.csv", lambda cell: cell is None)
        assert "pandas" in repr(table) and type(table) is easim.Table
        if name not in ("aggregate",):
            check_units(table, f"{name}.csv")
    kinds = {name: {type(cell) for cell in result.jobs[name]} - {type(None)} for name in result.jobs.columns}
    assert (kinds["job_id"], kinds["k"], kinds["submit_s"], kinds["missed"]) == ({str}, {int}, {float}, {int}), kinds
    assert next(iter(result.jobs)) == {name: result.jobs[name][0] for name in result.jobs.columns}
    assert result.aggregate.attrs["metric_units"]["energy_per_work_kwh"] == "kWh/GPU h"
    assert "<th>job_id</th>" in result.jobs._repr_html_()
    assert "no table nothing" in str(raised(AttributeError, lambda: result.nothing))
    del sys.modules["pandas"]


def test_types_do_not_depend_on_values(folder):
    """A job called 7 on whole seconds: its id is a text, its times are floats, and its label is a text."""
    (folder / "log.csv").write_text("job_id,submit_s,gpus,duration_s,label.note\n7,0,1,60,1.50\n08,10,1,60,2\n")
    config = {"name": "typed", "horizon": "drain", "policy": {"name": "fcfs"},
              "cluster": {"gpu_types": [{"name": "9", "idle_w": 60, "ctx_w": 90, "tdp_w": 400, "memory_gib": 80}],
                          "nodes": [{"gpu": "9", "gpus": 1}]},
              "workload": {"kind": "trace", "format": "workload", "file": str(folder / "log.csv")}}
    result = easim.run(config, out=folder / "kept")
    jobs = [(job["job_id"], job["gpu_type"], job["label.note"], job["start_s"], job["wait_s"]) for job in rows(result.jobs)]
    assert jobs == [("7", "9", "1.50", 0.0, 0.0), ("08", "9", "2", 60.0, 50.0)], jobs
    assert isinstance(jobs[1][3], float) and (folder / "kept/manifest.json").is_file()
    assert rows(easim.load(folder / "kept").jobs) == rows(result.jobs)


def rows(table):
    return [{name: table[name][place] for name in table.columns} for place in range(len(table))]


def frames():
    """Run in a Python that has pandas."""
    import pandas
    result = result_of_tiny()
    for name in result.tables:
        frame = result.table(name)
        assert isinstance(frame, pandas.DataFrame)
        check_cells(frame, result.folder / f"{name}.csv", pandas.isna)
    kinds = {name: str(result.jobs[name].dtype) for name in ("job_id", "k", "submit_s", "missed", "label.note")}
    assert kinds == {"job_id": "string", "k": "int64", "submit_s": "float64", "missed": "Int64", "label.note": "string"}, kinds
    assert result.jobs is result.jobs and result.jobs.attrs["units"]["energy_j"] == "J"
    both = easim.compare(TINY, ["easy", "zeus"])
    means = both.jobs.groupby("policy")["jct_s"].mean()  # of all jobs: they are all measured
    told = both.compare[both.compare["metric"] == "jct_mean_s"].set_index("policy")["mean"]
    assert abs(means - told).max() < 1e-9 and list(told.index) == ["easy", "zeus"], (means, told)


def test_frames():
    python = python_with("pandas")
    if not python:
        skip("pandas is not installed (Debian: python3-pandas)")
    run(python, __file__, *sys.argv[1:3], "frames")


# ---- options and problems -------------------------------------------------------------------------------------------

def test_options():
    """They are those of --help: what it lists is taken, nothing else is."""
    words_of = importlib.import_module("easim.binary").words_of
    for command in ("run", "compare", "sweep", "models", "plot"):
        help_text = run(EASIM, command, "--help").stdout
        listed = set(re.findall(r"^ {2}(?:-\S, |    )--([a-z-]+)", help_text, re.MULTILINE)) - {"help"}
        assert set(easim.binary.options_of(EASIM, command)) == listed and len(listed) > 10, (command, listed)
    words = words_of(EASIM, "run", {"set": {"a.b": "2h", "c": [1, 0.5], "d": True, "e": {"law": "x"}}, "seed": 3, "check": True,
                                    "strict": False, "threads": None, "summary_only": True, "out": Path("x")})
    assert words == ["--set=a.b=2h", "--set=c=[1, 0.5]", "--set=d=true", '--set=e={"law": "x"}', "--seed=3", "--check",
                     "--summary-only", "--out=x"], words
    words = words_of(EASIM, "compare", {"metrics": ["jct_mean_s", "energy_kwh"], "perturb": {"sizes": 0.1, "failures": 1}})
    assert words == ["--metrics=jct_mean_s,energy_kwh", "--perturb=sizes=0.1,failures=1"], words
    assert words_of(EASIM, "models", {"model": ["a", "b"]}) == ["--model=a", "--model=b"]
    for options, text in (({"polcy": "x"}, "no option polcy, did you mean policy?"), ({"xyz": 1}, "there are bound, check"),
                          ({"check": 1}, "check: expected True or False"), ({"seed": True}, "seed: expected a value")):
        assert text in str(raised(TypeError, lambda: words_of(EASIM, "run", options))), options
    assert "inf is no value" in str(raised(ValueError, lambda: words_of(EASIM, "run", {"set": {"a": float("inf")}})))


def test_values():
    """What a scenario cannot hold is an error that names the key, of a dict and of set alike."""
    instant = datetime.datetime(2024, 1, 2, 3)
    for config, error, text in (
            ({"start_time": instant}, TypeError, "start_time: expected a number, a text, a path, a list or a dict, got datetime: "),
            ({"workload": {"streams": [{}, {"k": {1, 2}}]}}, TypeError, "workload.streams[1].k: expected a number, a text, "),
            ({"cluster": {"pue": float("nan")}}, ValueError, "cluster.pue: nan is no value of a scenario"),
            ({"policy": {(1, 2): "x"}}, TypeError, "policy: expected a text as key, got (1, 2)"),
            ({"models": b"m.yaml"}, TypeError, "models: expected a number, ")):
        said = str(raised(error, lambda: easim.run(config, easim=EASIM)))
        assert said.startswith(text), (config, said)
    said = str(raised(TypeError, lambda: easim.run(TINY, easim=EASIM, set={"workload.k": {1, 2}})))
    assert said.startswith("workload.k: expected ") and said.endswith("got set: {1, 2}"), said
    plain = importlib.import_module("easim.binary").plain
    assert plain({"a": Path("x"), "b": (1, 2.5, None, True), 3: {"c": "d"}}, "") == {"a": "x", "b": [1, 2.5, None, True], 3: {"c": "d"}}


def test_numbers_of_actions():
    """Jobs and configurations are whole numbers: nothing is cut."""
    assert easim.policy.start(2.0, 3) == {"start": 2, "config": 3}
    for action, key, got in ((lambda: easim.policy.start(0.5, 1), "job", "0.5"), (lambda: easim.policy.start(0, 1.5), "config", "1.5"),
                             (lambda: easim.policy.preempt("1"), "job", "'1'"), (lambda: easim.policy.resize(1, None), "config", "None"),
                             (lambda: easim.policy.reject(float("nan")), "job", "nan"),
                             (lambda: easim.policy.scale_up(0.1), "config", "0.1"),
                             (lambda: easim.policy.scale_down(-0.1), "replica", "-0.1")):
        assert str(raised(TypeError, action)) == f"{key}: expected one of the view or its number, got {got}"


def test_problems(folder):
    (folder / "bad.yaml").write_text("name: 3\nhorizon: 3x\ncluster: {}\n")
    error = raised(easim.BadInput, lambda: easim.run(folder / "bad.yaml"))
    told = [(each.file, each.line, each.column, each.path, each.text) for each in error.problems]
    file = str(folder / "bad.yaml")
    assert (file, 2, 10, "horizon", 'expected drain or a duration > 0 and <= 4e9 s (units: ns, us, ms, s, min, h, d, w), got "3x"') in told, told
    assert (file, 1, 1, None, 'key "workload" is missing') in told and error.exit_code == 2 and error.result is None, told
    assert str(error).splitlines()[told.index((file, 1, 1, None, 'key "workload" is missing'))] == f'{file}:1:1: key "workload" is missing'
    error = raised(easim.BadInput, lambda: easim.run(TINY, set={"foo": 1, "cluster.nodes[0].gpus": "eight"}))
    assert [(each.file, each.path, each.text) for each in error.problems] == [
        ("--set", "foo", 'unknown key "foo"'), ("--set", "cluster.nodes[0].gpus", 'expected integer 1..1048576, got "eight"')], error
    error = raised(easim.BadInput, lambda: easim.run({"name": "x", "horizon": 1}))
    assert error.problems[0].line == 1 and error.problems[0].file != file, error
    assert "manifest.json is missing" in str(raised(FileNotFoundError, lambda: easim.load(folder)))
    assert "nowhere: there is no such folder" in str(raised(FileNotFoundError, lambda: easim.load(folder / "nowhere")))


def test_program(folder):
    """Found by argument, variable, PATH and prefix; one of another version is an error, as is something else."""
    find, saved = easim.binary.find, {name: os.environ[name] for name in ("EASIM", "PATH")}
    other, foreign = program(folder, "echo easim 0.77.0", "other"), program(folder, "echo GNU coreutils", "foreign")
    try:
        assert find(EASIM) == EASIM and find() == EASIM
        os.environ["EASIM"] = str(folder / "nothing")
        assert "the variable EASIM names" in str(raised(easim.ProgramError, find)) and find(EASIM) == EASIM
        del os.environ["EASIM"]
        os.environ["PATH"] = f"{Path(EASIM).parent}:/bin"
        assert find() == EASIM
        os.environ["PATH"] = str(folder)
        (folder / "prefix/bin").mkdir(parents=True)
        (folder / "prefix/bin/easim").symlink_to(EASIM)
        prefix, sys.prefix = sys.prefix, str(folder / "prefix")
        assert find() == str(folder / "prefix/bin/easim")
        sys.prefix = prefix
        assert "is easim 0.77.0, which does not fit this package" in str(raised(easim.ProgramError, lambda: find(other)))
        assert "is not easim" in str(raised(easim.ProgramError, lambda: find(foreign)))
    finally:
        os.environ.update(saved)
    said = run(EASIM, "--version").stdout.split()[1]
    assert easim.__version__ == said == re.search(r"version: '(.+)'", (SOURCE / "meson.build").read_text())[1]


FAKE = r"""
case "$*" in --version) echo easim VERSION; exit;; *--help) exec EASIM "$@";; esac
[ -t 2 ] || exit 3
printf '\r\033[K1 of 4 replications, 2/s' >&2; while [ ! -e FOLDER/1 ]; do sleep 0.01; done
printf '\r\033[K3 of 4 replications, 2/s' >&2; while [ ! -e FOLDER/3 ]; do sleep 0.01; done
printf '\r\033[Keasim: a run failed\n' >&2
exit 1
"""


def test_progress(folder):
    """A program that shows progress on a terminal, and waits until each line was seen: all of them come, in order, and the
    problem behind them is told alone."""
    fake = program(folder, FAKE.replace("VERSION", easim.__version__).replace("EASIM", EASIM).replace("FOLDER", str(folder)))
    seen = []

    def show(done, count, text):
        seen.append((done, count, text))
        (folder / str(done)).touch()

    error = raised(easim.RunFailed, lambda: easim.run(TINY, easim=fake, progress=show))
    assert seen == [(1, 4, "1 of 4 replications, 2/s"), (3, 4, "3 of 4 replications, 2/s")], seen
    assert [each.text for each in error.problems] == ["a run failed"], error.problems
    assert raised(easim.Error, lambda: easim.run(TINY, easim=fake, progress=False)).exit_code == 3


def test_interrupt(folder):
    """An interrupt of Python alone, as a notebook sends it, is handed on, and easim is waited for."""
    fake = program(folder, f'case "$*" in --version) echo easim {easim.__version__}; exit;; *--help) exec {EASIM} "$@";; esac\n'
                           f"trap 'sleep 0.2; touch {folder}/ended; exit 130' INT\ntouch {folder}/began\nwhile :; do sleep 0.02; done\n")
    text = f"import easim, sys\ntry:\n    easim.run({str(TINY)!r}, easim={str(fake)!r})\nexcept KeyboardInterrupt:\n    sys.exit(42)\n"
    child = subprocess.Popen([sys.executable, "-c", text], env={**os.environ, "PYTHONPATH": str(PACKAGE)}, start_new_session=True)
    wait_for("easim has begun, and is waited for", lambda: (folder / "began").exists() and state_of(child.pid)[0] == "S", child)
    child.send_signal(signal.SIGINT)
    assert child.wait(HANGS_S) == 42 and (folder / "ended").exists()


def test_repeated_folder(folder):
    kept = easim.run(TINY, out=folder / "out")
    error = raised(easim.BadInput, lambda: easim.run(TINY, out=folder / "out"))
    assert "not empty" in error.problems[0].text, error
    again = easim.run(TINY, out=folder / "out", force=True)
    assert rows(again.jobs) == rows(kept.jobs) and "equal" in easim.command("run", folder / "out/manifest.json")
    gone = easim.run(TINY)
    where = gone.folder
    assert where.is_dir()
    del gone
    assert not where.exists()


# ---- policies -------------------------------------------------------------------------------------------------------

MINE = """\
import json
import random
import easim


class Fcfs(easim.Policy):
    '''As the built-in fcfs (docs/reference/semantics.md).'''

    def decide(self, view):
        actions = []
        for job in view.waiting:
            fitting = [config for config in job.configs if view.span(config) is not None]
            if not fitting:
                break
            best = min(fitting, key=lambda c: (view.predicted_time_s(job, c), c.k, c.power_w[view.span(c)], c.gpu_type, c.batch))
            view.take(best)
            actions.append(self.start(job, best))
        return actions


class Random(easim.Policy):
    '''Every action at random; what it sees must add up.'''

    def __init__(self, seed, log):
        self.dice, self.log, self.tried, self.said = random.Random(seed), log, [], set()

    def decide(self, view):
        assert len(view.answers) == len(self.tried), (view.answers, self.tried)
        self.said |= {(next(iter(action)), answer) for action, answer in zip(self.tried, view.answers)}
        held = [view.configs[job.config] for job in view.running] + [view.configs[self.held[each['job']]] for each in view.checkpointing]
        for number, gpu_type in enumerate(view.gpu_types):
            own = [node for node in view.nodes if node.gpu_type == number]
            assert gpu_type.free == sum(node.free for node in own) and gpu_type.node_free_max == max(node.free for node in own)
            k = sum(config.k for config in held if config.gpu_type == number)
            assert k + gpu_type.free + gpu_type.failed == gpu_type.gpus == sum(node.gpus for node in own), (view.now_s, k, gpu_type)
        assert view.free_gpus == sum(each.free for each in view.gpu_types)
        assert [job.job for job in view.waiting] == sorted(job.job for job in view.jobs.values() if job.state == 'waiting')
        assert not any(job.state in ('finished', 'rejected') for job in view.jobs.values())
        for job in view.running:
            assert job.config in range(job.first_config, job.first_config + job.config_count) and job.start_s <= view.now_s
        self.held = {job.job: job.config for job in view.running} | {each['job']: self.held[each['job']] for each in view.checkpointing}
        self.tried = self.actions(view)
        return self.tried

    def actions(self, view):
        dice, actions = self.dice, []
        for job in view.waiting:
            if dice.random() < 0.02:
                actions.append(self.reject(job, 'by chance'))
            elif dice.random() < 0.5:
                actions.append(self.start(job, dice.choice(job.configs)))
        for job in view.running:
            if dice.random() < 0.1:
                actions.append(self.preempt(job, at_once=dice.random() < 0.3))
            elif dice.random() < 0.1:
                actions.append(self.resize(job.job, job.first_config))
        if view.running and view.waiting and dice.random() < 0.3:
            job = view.waiting[-1]
            actions.append(self.exchange(self.preempt(view.running[0], at_once=True), self.start(job, job.configs[0])))
        return actions + [self.wake_at(view.now_s + dice.uniform(100, 900))]

    def finish(self, view):
        with open(self.log, 'w') as file:
            json.dump(sorted(self.said), file)


class Prints(Fcfs):
    def decide(self, view):
        print('{"message": 7}')
        if view.now_s > 500:
            raise RuntimeError('no idea')
        return super().decide(view)
"""


def mine(folder):
    (folder / "mine.py").write_text(MINE)
    sys.path.insert(0, str(folder))
    sys.modules.pop("mine", None)
    module = importlib.import_module("mine")
    sys.path.remove(str(folder))
    return module


def test_policy_as_fcfs(folder):
    """Predictions, placement and bookkeeping of the view: the same decisions as the built-in fcfs, with failures too."""
    own = mine(folder)
    tiers = {"cluster.nodes": [{"count": 5, "gpu": "a100", "gpus": 3}, {"count": 4, "gpu": "h100", "gpus": 2}], "horizon": "4h",
             "cluster.network": {"tiers": [{"name": "leaf", "nodes": 2}, {"name": "row", "nodes": 4}, {"name": "all", "nodes": 16}]}}
    for name, count, more in (("tiny", 1, {}), ("eas-sim", 2, {}), ("eas-sim", 2, tiers), ("failures", 1, {}), ("mixed-criticality", 1, {})):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one, other = (easim.run(SOURCE / f"configs/{name}.yaml", policy=policy, replications=count, set=more)
                          for policy in ("fcfs", own.Fcfs))
        assert len(one.jobs) >= 10 and (one.folder / "jobs.csv").read_text() == (other.folder / "jobs.csv").read_text(), name


def test_trust(folder):
    """Results of a class of one's own are repeated if they were made here; the same folder of somebody else is not."""
    own = mine(folder)
    other = easim.run(TINY, policy=own.Fcfs, record=True, out=folder / "other")
    shutil.copytree(other.folder, folder / "theirs" / "other")
    both = easim.compare(TINY, ["zeus", own.Fcfs], record=True)
    assert both.manifest["policies"] == ["zeus", "fcfs"]  # by the name of the class
    for made, policy in ((other.folder, None), (folder / "theirs/../other", None), (both.folder, "fcfs")):
        assert "is not repeated" not in easim.command("explain", made, "rigid-1", policy=policy)
    for made in (other.folder, both.folder, both[own.Fcfs].folder):
        assert easim.command("compare" if made == both.folder else "run", made / "manifest.json") == "equal\n"
    theirs = folder / "theirs" / "other"
    assert "; --trust runs it" in easim.command("explain", theirs, "rigid-1")
    assert "add --trust" in str(raised(easim.BadInput, lambda: easim.command("analyze", theirs, invest=True)))
    assert "is not repeated" not in easim.command("explain", theirs, "rigid-1", trust=True)  # who says so
    for name in ("out", "forced"):  # where it could not write, and where it left a folder of theirs
        shutil.copytree(other.folder, folder / name / "inner")
        shutil.copy(other.folder / "manifest.json", folder / name)
    raised(easim.BadInput, lambda: easim.run(TINY, out=folder / "out"))
    easim.run(TINY, out=folder / "forced", force=True, record=True)
    shutil.rmtree(other.folder)
    shutil.copytree(theirs, other.folder)  # the same place, but not what was made there
    manifest = other.folder / "manifest.json"
    manifest.write_text(manifest.read_text() + " ")
    for place in ("out/inner", "forced/inner", "other"):
        assert "; --trust runs it" in easim.command("explain", folder / place, "rigid-1"), place


def test_policy_at_random(folder):
    own = mine(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = easim.run(SOURCE / "configs/failures.yaml", policy=partial(own.Random, seed=5, log=str(folder / "log")),
                           replications=1, check=True, set={"horizon": "5h"})
    assert result.summary["node_failures"][0] > 0 and result.summary["jobs_rejected"][0] > 0, rows(result.summary)
    said = [tuple(each) for each in json_of(folder / "log")]
    assert {verb for verb, answer in said if answer == "ok"} == {"start", "preempt", "resize", "reject", "exchange", "wake_at"}, said
    assert {answer for _, answer in said} >= {"ok", "nofit", "invalid"}, said


def test_policy_that_fails(folder):
    """An exception ends its run with its text; what it prints is no answer; the others of a comparison are kept."""
    own = mine(folder)
    with contextlib.redirect_stderr(io.StringIO()) as printed:
        error = raised(easim.RunFailed, lambda: easim.run(TINY, policy=own.Prints))
    assert len(error.problems) == 1 and "gives up: RuntimeError: no idea" in error.problems[0].text, error
    assert '{"message": 7}' in printed.getvalue() and 'raise RuntimeError("no idea")' in printed.getvalue().replace("'", '"')
    with contextlib.redirect_stderr(io.StringIO()):
        error = raised(easim.RunFailed, lambda: easim.compare(TINY, ["easy", "zeus", own.Prints]))
    assert error.result.manifest["policies"] == ["easy", "zeus"] and len(error.result["zeus"].jobs) == 10, error
    for text, problem in (("mine.py:Nothing", "has no attribute 'Nothing'"), ("mine.py", "expected FILE.py:CLASS"),
                          ("json:JSONDecoder", "is not a subclass of easim.Policy")):
        done = run(sys.executable, "-m", "easim.policy", text, cwd=folder, env={**os.environ, "PYTHONPATH": str(PACKAGE)},
                   input='{"type": "hello", "message": 0, "protocol": 2}\n', code=None)
        assert problem in json.loads(done.stdout)["fail"] and done.returncode == 1, done
    assert "write the class into a file" in str(raised(ValueError, lambda: easim.run(TINY, policy=type("Gone", (easim.Policy,), {"__module__": "cell"}))))


# Of protocol 3: starts what is tried best, and says what it was told.
TRIES = """\
import json
import easim


class Tries(easim.Policy):
    protocol, capabilities, extensions = 3, ['uniform'], ['forecast/1']

    def __init__(self, log):
        self.log, self.said, self.kinds = log, [], set()

    def decide(self, view):
        assert len(view.uniform) == 16 and all(0 <= each < 1 for each in view.uniform) and view.told is None and view.usage_half_life_s is None
        self.kinds |= {event.kind for event in view.events}
        assert all((event.node is not None) == (event.kind in ('failure', 'repair')) for event in view.events), view.events
        if self.said:
            assert all(answer == tried for tried, answer in zip(self.said.pop(), view.answers)), (view.answers)
        for job in view.running:
            assert 0 < view.remaining(job) <= job.remaining and job.goodput_now > 0 and job.power_now_w > 0
            assert sum(gpus for _, gpus in view.job_nodes(job)) == view.configs[job.config].k
        assert view.try_() == []
        for job in view.waiting:
            starts = [self.start(job, config) for config in job.configs]
            good = [(tried.power_w, n) for n, tried in enumerate(view.try_(*starts)) if tried == 'ok']
            if good:
                power_w, n = min(good)
                assert power_w > view.power_w and view.try_(self.exchange(starts[n]))[0].power_w == power_w
                self.said.append(['ok', 'ok', 'ok'])
                return [starts[n], self.count('starts of least power', job.id), self.reason(job, 'it draws least')]
        return [self.wake_clear()]

    def finish(self, view):
        with open(self.log, 'w') as file:
            json.dump(sorted(self.kinds), file)
"""


def test_policy_that_tries(folder):
    """Protocol 3 in Python: answers of tries, work left, nodes, random numbers, counts."""
    (folder / "tries.py").write_text(TRIES)
    sys.path.insert(0, str(folder))
    tries = importlib.import_module("tries")
    sys.path.remove(str(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = easim.run(SOURCE / "configs/failures.yaml", policy=partial(tries.Tries, log=str(folder / "log")), replications=1, check=True,
                           strict=True, set={"horizon": "5h", "cluster.power_cap_w": 1e6})
    assert {"failure", "repair", "arrival", "finish"} <= {*json_of(folder / "log")} <= {"failure", "repair", "arrival", "finish", "cap", "price"}
    assert any("starts of least power" in note for note in result.notes), result.notes
    view = easim.View.of(jobs=[{}], ask=lambda actions: [{"answer": "ok", "span": 0, "power_w": 5.0} for _ in actions])
    [answer] = view.try_(easim.policy.start(0, 0))
    assert (answer, answer.span, answer.power_w, answer.part) == ("ok", 0, 5.0, None)
    assert "made by hand" in str(raised(RuntimeError, lambda: easim.View.of(jobs=[{}]).try_(easim.policy.start(0, 0))))


# What is wrong with the class, and what the run says.
WRONG = (
    ("def decide(self, view): pass", "TypeError: Wrong.decide returned None: expected a list of actions, [] for none"),
    ("def decide(self, view): return 7", "TypeError: Wrong.decide returned 7: expected a list of actions, [] for none"),
    ("def decide(self, view): return 'start'", "TypeError: Wrong.decide returned 'start': expected a list of actions, [] for none"),
    ("def decide(self, view): return self.wake_at(5)", "TypeError: Wrong.decide returned {'wake_at': 5.0}: expected a list of actions"),
    ("def decide(self, view): return [7]", 'sent actions[0]: expected an object such as {"start": 0, "config": 3}'),
    ("def decide(self, view): return [None]", 'sent actions[0]: expected an object such as {"start": 0, "config": 3}'),
    ("def decide(self, view): return [{7}]", "TypeError: Object of type set is not JSON serializable"),
    ("def decide(self, view): return [self.wake_at(float('nan'))]", "sent a line that is not a JSON object"),
    ("def decide(self, view): return [self.start('a', 0)]", "TypeError: job: expected one of the view or its number, got 'a'"),
    ("def decide(self): return []", "TypeError: Wrong.decide() takes 1 positional argument but 2 were given"),
    ("pass", "NotImplementedError: Wrong has no decide(view)"),
    ("def __init__(self, tau): pass", "missing 1 required positional argument: 'tau'"),
    ("def begin(self, view): view.try_(self.start(0, 0))\n    protocol = 3", "RuntimeError: nothing can be tried outside of decide"),
    ("def decide(self, view): view.try_(self.start(0, 0))", "RuntimeError: Wrong tries, which needs protocol = 3"),
    ("def decide(self, view): view.try_(self.preempt(0))\n    protocol = 3", "sent try[0]: expected start, resize, exchange"),
    ("def decide(self, view):\n        while True: view.try_(self.start(0, 0))\n    protocol = 3",
     "sent try more than 1000 times in one decision"),
    ("def decide(self, view): return [self.count('x')]", "sent actions[0]: expected start, preempt, resize, reject, exchange, scale_up, "
     'scale_down or wake_at, got "count"'),
    ("capabilities = ['uniform']", "ValueError: Wrong has capabilities, which need protocol = 3"),
    ("protocol = 4", "ValueError: Wrong.protocol: expected 2 or 3, got 4"),
    ("protocol, capabilities = 3, ['magic']", 'sent capabilities[0]: expected one of'),
    ("protocol, extensions = 3, ['power/2']", 'sent extensions[0]: expected one of services/1, forecast/1, power/1, got "power/2"'),
    ("def decide(self, view): exit(0)", "exited with status 0 without an answer"),
    ("def decide(self, view): import os; os.write(1, b'x'); os._exit(3)", "exited with status 3 without an answer"),
)


def test_policies_that_are_wrong(folder):
    """Every wrong class ends its run with status 1 and these words; so does a file without such a class."""
    lines = ["import easim"]
    for number, (body, _) in enumerate(WRONG):
        lines += [f"class Wrong{number}(easim.Policy):", f"    {body}"]
    (folder / "wrong.py").write_text("\n".join(lines) + "\n")
    config = {"name": "wrong", "horizon": "drain", "cluster": {"gpu_types": [{"name": "g", "idle_w": 50, "tdp_w": 400}], "nodes": [{"gpu": "g", "gpus": 2}]},
              "workload": {"kind": "periodic", "period": "10s", "sizes": {"law": "constant", "mean": "100s"}, "rigid": {"k": 1}, "until": {"jobs": 2}},
              "policy": {"name": "exec"}}
    (folder / "wrong.yaml").write_text(json.dumps(config))
    rows_of_wrong = [(f"Wrong{number}", text.replace("Wrong", f"Wrong{number}")) for number, (_, text) in enumerate(WRONG)]
    for name, text in [*rows_of_wrong, ("Nothing", "AttributeError: module 'wrong' has no attribute 'Nothing'"),
                       ("easim", "wrong.py:easim is not a subclass of easim.Policy")]:
        command = json.dumps(f"{sys.executable} -m easim.policy {folder}/wrong.py:{name}")
        done = run(EASIM, "run", folder / "wrong.yaml", "--out", folder / name, "--quiet", "--set", f"policy.params.command={command}",
                   env={**os.environ, "PYTHONPATH": str(PACKAGE)}, code=1)
        assert text in done.stderr.splitlines()[-1], (name, text, done.stderr)
    return len(WRONG) + 2


def test_view_by_hand(folder):
    own = mine(folder)
    view = easim.View.of(gpu_types=[{"ctx_w": 100.0}], nodes=[{"gpus": 4}, {"gpus": 2}],
                         configs=[{"k": 5, "goodput": [None, 2.0], "power_w": [None, 300.0]}, {"k": 3, "goodput": [1.0, None]}],
                         jobs=[{"remaining": 30, "setup_s": 10}, {"state": "running", "config": 1, "span": 0, "start_s": 0}])
    job, (five, three) = view.jobs[0], view.configs
    assert (view.free_gpus, [node.free for node in view.nodes], view.span(five), view.span(three)) == (3, [1, 2], None, None)
    assert view.predicted_time_s(job, three) is None and view.predicted_energy_j(job, three) is None and own.Fcfs().decide(view) == []
    view = easim.View.of(gpu_types=[{"ctx_w": 100.0}], nodes=[{"gpus": 4}, {"gpus": 2}], now_s=7.0,
                         configs=[{"k": 5, "goodput": [None, 2.0], "power_w": [None, 300.0]}, {"k": 2}], jobs=[{"remaining": 30, "setup_s": 10}] * 3)
    job, (five, two) = view.jobs[0], view.configs
    # 10 s of set-up at 100 W and 30 / 2 s at 300 W, of 5 GPUs; across nodes, for no node has five
    assert (view.span(five), view.predicted_time_s(job, five), view.predicted_energy_j(job, five)) == (1, 25.0, 5 * (1000 + 4500.0))
    view.take(two)  # the node with the fewest free GPUs that are enough
    assert [node.free for node in view.nodes] == [4, 0] and view.span(five) is None and view.free_gpus == 4
    view.take(view.configs[1])
    assert [node.free for node in view.nodes] == [2, 0] and view.gpu_types[0].node_free_max == 2
    assert [event.job.job for event in view.events] == [0, 1, 2] and view.now_s == 7.0


# ---- installation ---------------------------------------------------------------------------------------------------

def test_source():
    """Python 3.9 reads every file, and all names of the package are there."""
    for path in PACKAGE.rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
    assert all(getattr(easim, name) for name in easim.__all__) and {"run", "Policy"} <= set(dir(easim))


def build(folder, kind="build_wheel"):
    text = f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, '.'); import backend; print(backend.{kind}({str(folder)!r}))"
    return folder / run(sys.executable, "-c", text, cwd=PACKAGE).stdout.strip()


def test_wheel(folder):
    """The same bytes twice; RECORD has the hash of every file; the source distribution builds the same wheel."""
    (folder / "again").mkdir()
    wheel, again = build(folder), build(folder / "again")
    assert wheel.read_bytes() == again.read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = list(csv.reader(archive.read(next(n for n in names if n.endswith("RECORD"))).decode().splitlines()))
        assert [row[0] for row in record] == names
        for name, digest, size in record[:-1]:
            data = archive.read(name)
            assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=") and int(size) == len(data)
    assert {path.name for path in (PACKAGE / "easim").iterdir() if path.is_file()} == {n[6:] for n in names if n.startswith("easim/")}
    shutil.unpack_archive(build(folder, "build_sdist"), folder / "sdist")
    source = next((folder / "sdist").iterdir())
    run(sys.executable, "-c", "import backend; backend.build_wheel('.')", cwd=source)
    assert next(source.glob("*.whl")).read_bytes() == wheel.read_bytes()


def test_install(folder):
    """pip install in a fresh environment without a network; the program beside its Python is found; gone without trace."""
    if not importlib.util.find_spec("pip"):
        skip("pip is not installed")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    python, site = folder / "venv/bin/python", next((folder / "venv").glob("lib/python*/site-packages"))
    environment = {name: value for name, value in os.environ.items() if name not in ("EASIM", "PYTHONPATH")}
    environment |= {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "http_proxy": "http://127.0.0.1:9", "PATH": "/usr/bin:/bin"}

    def pip(*words):
        run(sys.executable, "-m", "pip", "--python", python, "--no-cache-dir", *words, env=environment, cwd=folder)

    before = {path for path in (folder / "venv").rglob("*")}
    state = {path: path.stat().st_mtime_ns for path in PACKAGE.rglob("*")}
    pip("install", str(PACKAGE))
    (folder / "venv/bin/easim").symlink_to(EASIM)
    text = f"import easim; r = easim.run({str(TINY)!r}); print(easim.__file__, r.command[0], r.jobs['job_id'][0])"
    done = run(python, "-c", text, env=environment, cwd=folder, code=None)
    assert done.stdout.split() == [str(site / "easim/__init__.py"), str(folder / "venv/bin/easim"), "resnet-1"], done
    (folder / "venv/bin/easim").unlink()
    pip("uninstall", "--yes", "easim")
    shutil.rmtree(site / "easim", ignore_errors=False) if list(site.glob("easim/__pycache__/*")) else None
    assert {path for path in (folder / "venv").rglob("*")} == before
    assert {path: path.stat().st_mtime_ns for path in PACKAGE.rglob("*")} == state, "pip has written into the source"


# ---- the document ---------------------------------------------------------------------------------------------------

def test_document(folder):
    """Every Python block of the reference and of the how-to runs, in order, and prints the text block behind it."""
    skipped = None
    for name in ("configs", "workloads"):
        (folder / name).symlink_to(SOURCE / name)
    os.environ["PYTHONPATH"] = str(PACKAGE)
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    for page in ("docs/reference/python.md", "docs/howto/write-policy-python.md"):
        text, names, printed = (SOURCE / page).read_text(encoding="utf-8"), {"__name__": "document"}, None
        for fence in FENCE.finditer(text):
            info, block = fence["info"].strip(), fence["text"]
            where = f"{page}:{text.count(chr(10), 0, fence.start()) + 1}"
            if info.startswith("python file="):
                (folder / info.split("=")[1]).write_text(block)
            elif info == "python" and ".plot(" in block and not shutil.which("gnuplot"):
                skipped, printed = f"{where}: gnuplot is not installed", None
            elif info == "python":
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    exec(compile(block, where, "exec"), names)
                printed = output.getvalue()
            elif info == "text" and printed is not None:
                assert block == printed, f"{where}: printed is\n{printed}"
                printed = None
    os.chdir("/")
    sys.path.remove(str(folder))
    return skipped


if sys.argv[3:] == ["frames"]:
    frames()
else:
    cases(*(test for name, test in list(globals().items()) if name.startswith("test_")))
