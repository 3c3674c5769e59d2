"""docs/reference/messages.csv: every row is provoked, with its exit status and its message.
"""
import csv
import fcntl
import os
import re
import resource
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import EASIM, FILES, HANGS_S, SOURCE, TINY, at_work, cases, run, skip, start, wait_for

(PLUGINS,) = FILES
SANITIZED = bool(os.environ.get("EASIM_SANITIZED"))
SEED, DOC = SOURCE / "configs/eas-sim.yaml", SOURCE / "docs/reference/messages.csv"
BAD, BAD_LIST = PLUGINS / "ends_badly.so", PLUGINS / "ends_badly_list.so"
PROFILE, KINETO = SOURCE / "workloads/profile-example.csv", SOURCE / "tests/profiles/kineto"
D3 = Path("/usr/share/nodejs/d3/dist/d3.min.js")
COMMANDS = ("ablate analyze attribute calibrate check compare explain gen import models plot policies profile report run sweep "
            "timeline trace tune validate").split()


def pattern(message):
    """What is in capitals stands for anything; WHO and WHERE as docs/reference/messages.md says."""
    text = message
    for word, meaning in (("WHO", "policy NAME (PATH)"),
                          ("WHERE", "(replication N, at t = T s, after N decisions)")):
        text = re.sub(rf"\b{word}\b", meaning, text)
    names = r"\b(?:FILE|LINE|COLUMN|PATH|NAMES?|WHAT|WHY|HOW|DIR|ID|SECTION|COMMAND|N|T)\b"
    exact = "".join(".+" if re.fullmatch(names, part) else re.escape(part)
                    for part in re.split(f"({names})", text))
    return exact.replace(r"\ \(replication", r"(?:, in \w+)? \(replication")  # where addr2line is installed


def badly(how, *more, config=SEED, policy=BAD):
    return [config, "--policy", policy, "--set", f"policy.params.how={how}", "--quiet", *more]


class Cases:
    """Arguments of easim for every row; a folder of its own for each."""

    def __init__(self, folder):
        self.folder = folder
        bad = folder / "bad.yaml"
        bad.write_text(TINY.read_text().replace("horizon: drain", "horizon: later").replace("../", f"{SOURCE}/"))
        (folder / "other.yaml").write_text(bad.read_text().replace("horizon: later", "horizon: drain").replace(
            "name: zeus", f"name: {PLUGINS}/faults/crash_on_load.so").replace("policy: zeus", f"policy: {{name: {PLUGINS}"
                                                                              "/faults/crash_on_load.so}"))
        (folder / "bad.txt").write_text("x\n")
        for name, how in (("good", "not"), ("fails", "fail"), ("loops", "loop")):
            (folder / f"{name}.yaml").write_text(
                f"name: {name}\nbase: {SEED}\nset: {{replications: 1, horizon: 2h, policy.name: {BAD}, policy.params.how: "
                f"{how}, policy.params.after: 5}}\naxes: [{{path: seed, values: [1, 2]}}]\n")
        for name, value, sets in (("good_v", 10, "{}"), ("wrong_v", 11, "{}"), ("fails_v", 10, "{policy: {name: exec}}"),
                                  ("long_v", 10, "{replications: 100000}")):
            (folder / f"{name}.yaml").write_text(
                f"name: {name}\nsource: made up\nkind: policy\nphysics: made up\n"
                f"scenario: {SEED if name == 'long_v' else TINY}\n"
                f"set: {sets}\n"
                f"measured: [{{metric: jobs_finished, value: {value}, tolerance: 1%}}]\n")
        self.model = folder / "model.yaml"
        run(EASIM, "calibrate", PROFILE, "-o", self.model)
        self.run_dir = folder / "a run"
        run(EASIM, "run", TINY, "--quiet", "--out", self.run_dir)
        self.recorded = folder / "recorded"
        run(EASIM, "run", TINY, "--record", "--quiet", "--out", self.recorded)
        self.foreign = folder / "foreign"
        run(EASIM, "run", TINY, "--record", "--quiet", "--policy", "exec", "--set", "policy.params.command=python3 "
                        f"{SOURCE}/policies/exec/fcfs.py", "--out", self.foreign)
        self.busy = folder / "busy"
        self.busy.mkdir()
        fcntl.flock(os.open(self.busy, os.O_RDONLY), fcntl.LOCK_EX)  # until the test ends
        self.fake = folder / "fake"
        self.fake.mkdir()
        (self.fake / "gnuplot").write_text("#!/bin/sh\nkill -INT $$\n")
        (self.fake / "gnuplot").chmod(0o755)

    def words(self):
        none = self.folder / "none/file"
        energy = ["--objective", "energy_kwh"]
        short = ["--set", "horizon=2h", "-n", 2]
        return {
            ("easim", 0, "`--version`"): ["--version"],
            ("easim", 2, "an unknown command"): ["rnu"],
            ("easim help", 2, "an unknown word"): ["help", "jct_p96_s"],
            ("run", 0, "done"): ["run", TINY, "--quiet"],
            ("run", 1, "the policy ended its process"): ["run", *badly("exit")],
            ("run", 1, "the policy gave up"): ["run", *badly("fail")],
            ("run", 1, "the policy refuses to begin"): ["run", TINY, "--policy", "exec"],  # of no program
            ("run", 1, "jobs wait for ever"): ["run", TINY, "--policy", PLUGINS / "start_none.so"],
            ("run", 1, "a result cannot be written"): ["run", TINY, "--out", "/proc/no/folder"],
            ("run", 1, "another command has the folder"): ["run", TINY, "--out", self.busy],
            ("run", 2, "bad input"): ["run", self.folder / "bad.yaml"],
            ("run", 2, "a wrong `--set`"): ["run", TINY, "--set", "horizon=later"],
            ("run", 2, "the folder is not empty"): ["run", TINY, "--out", self.run_dir],
            ("run", 2, "a manifest whose policy is not trusted"): ["run", self.foreign / "manifest.json"],
            ("run", 2, "the policy ends the process that loads it"): ["run", self.folder / "other.yaml"],
            ("run", 130, "interrupted"): ["run", SEED, "-n", 100000, "--quiet"],
            ("run", 130, "interrupted, and the policy loops"): ["run", *badly("loop", "-n", 1)],
            ("compare", 0, "done"): ["compare", TINY, "--policies", "fcfs,easy", "--quiet"],
            ("compare", 1, "one policy failed, the others are compared"):
                ["compare", SEED, "--policies", f"fcfs,{BAD}", "--set", "params_by_policy={ends_badly: {how: fail}}",
                 "--quiet", *short, "--set", "params_by_policy.ends_badly.after=5"],
            ("compare", 2, "no such policy"): ["compare", TINY, "--policies", "nobody_at_all"],
            ("compare", 130, "interrupted"):
                ["compare", SEED, "--policies", f"fcfs,{BAD}", "--set", "params_by_policy={ends_badly: {how: loop}}",
                 "--quiet"],
            ("sweep", 0, "done"): ["sweep", self.folder / "good.yaml", "--quiet"],
            ("sweep", 1, "a run failed"): ["sweep", self.folder / "fails.yaml", "--quiet"],
            ("sweep", 1, "`--merge` finds runs missing"): ["sweep", self.folder / "good.yaml", "--quiet", "--merge"],
            ("sweep", 2, "bad input"): ["sweep", self.folder / "bad.txt"],
            ("sweep", 130, "interrupted"): ["sweep", self.folder / "loops.yaml"],
            ("tune", 0, "done"): ["tune", TINY, "--policy", "zeus", "--params", "edp_slack=1..3", *energy, "--quiet",
                                  "--max-trials", 3],
            ("tune", 1, "the scenario's own parameters fail"): ["tune", *badly("fail"), "--params", "after", *energy],
            ("tune", 2, "no such parameter"): ["tune", TINY, "--policy", "zeus", "--params", "zzzzzz", *energy],
            ("tune", 130, "interrupted: nothing is kept"): ["tune", *badly("loop"), "--params", "after", *energy],
            ("ablate", 0, "done"): ["ablate", TINY, "pollux", "fcfs", "--quiet"],
            ("ablate", 1, "a run failed"): ["ablate", SEED, "pollux", f"{BAD_LIST}:how=exit", "--quiet"],
            ("ablate", 2, "the policies are alike"): ["ablate", TINY, "pollux", "pollux"],
            ("ablate", 130, "interrupted: nothing is kept"):
                ["ablate", SEED, "pollux", f"{BAD_LIST}:how=loop", "--quiet"],
            ("validate", 0, "every verdict is as expected"): ["validate", self.folder / "good_v.yaml", "--quiet"],
            ("validate", 1, "a verdict is not"): ["validate", self.folder / "wrong_v.yaml", "--quiet"],
            ("validate", 1, "a run failed, which is a verdict"): ["validate", self.folder / "fails_v.yaml", "--quiet"],
            ("validate", 2, "bad input"): ["validate", self.folder / "bad.txt"],
            ("validate", 130, "interrupted"): ["validate", self.folder / "long_v.yaml", "--quiet"],
            ("check", 0, "no problem, with or without warnings"): ["check", TINY],
            ("check", 2, "bad input"): ["check", self.folder / "bad.yaml"],
            ("gen", 0, "done"): ["gen", TINY],
            ("gen", 1, "a result cannot be written"): ["gen", TINY, "-o", none],
            ("gen", 2, "bad input"): ["gen", self.folder / "bad.yaml"],
            ("import", 0, "done"): ["import", "itp", SOURCE / "workloads/itp-sample.csv", "-o", "jobs.csv"],
            ("import", 1, "a result cannot be written"):
                ["import", "itp", SOURCE / "workloads/itp-sample.csv", "-o", none],
            ("import", 2, "bad input"): ["import", "itp", none],
            ("profile", 0, "done"): ["profile", "kineto", KINETO / "backslash.json"],
            ("profile", 1, "a result cannot be written"):
                ["profile", "kineto", KINETO / "cost_rank0.json", "--model", "m", "--batch", 1, "--gpu",
                 "a100", "-o", none],
            ("profile", 2, "bad input"): ["profile", "kineto", none],
            ("profile", 3, "damaged input"): ["profile", "kineto", KINETO / "truncated.json"],
            ("trace", 0, "done"): ["trace", "filter", KINETO / "cost_rank0.json", "--category", "kernel", "-o", "kernels.json"],
            ("trace", 1, "a result cannot be written"):
                ["trace", "filter", KINETO / "cost_rank0.json", "--category", "kernel", "-o", none / "kernels.json"],
            ("trace", 2, "bad input"): ["trace", "stragglers", none],
            ("trace", 3, "damaged input"): ["trace", "filter", KINETO / "truncated.json", "--category", "kernel", "-o", "kernels.json"],
            ("calibrate", 0, "done"): ["calibrate", PROFILE],
            ("calibrate", 1, "an error above `--max-error`"):
                ["calibrate", "--check", self.model, PROFILE, "--max-error", "0.0000001"],
            ("calibrate", 2, "bad input"): ["calibrate", none],
            ("models", 0, "done"): ["models", TINY],
            ("models", 1, "a result cannot be written"): ["models", TINY, "-o", "/proc/no/folder"],
            ("models", 2, "nothing is left to show"): ["models", TINY, "--model", "a-model-of-nobody"],
            ("plot", 0, "done"): None if not gnuplot() else ["plot", self.run_dir, "--figures", "jct", "--out", "figures"],
            ("plot", 1, "gnuplot is missing"): ["plot", self.run_dir, "--out", "figures"],
            ("plot", 2, "no results"): ["plot", none],
            ("plot", 130, "interrupted"): ["plot", self.run_dir, "--out", "figures"],
            ("report", 0, "done"): None if not D3.exists() else ["report", self.run_dir, "--out", "pages"],
            ("report", 2, "no results"): ["report", none],
            ("report", 2, "another file is no D3"): ["report", self.run_dir, "--out", "pages", "--d3", TINY],
            ("analyze", 0, "done"): ["analyze", self.recorded],
            ("analyze", 1, "a result cannot be written"): ["analyze", self.recorded, "--out", "/proc/no/folder"],
            ("analyze", 1, "the machine fails: there is no result"): ["analyze", self.recorded, "--invest"],
            ("analyze", 2, "no results"): ["analyze", none],
            ("analyze", 2, "no such threshold"): ["analyze", none, "--rule", "HOG.nothing=1"],
            ("analyze", 2, "`--invest` with a policy that is not trusted"): ["analyze", self.foreign, "--invest"],
            ("explain", 2, "`--what-if` with a policy that is not trusted"): ["explain", self.foreign, "rigid-1", "--what-if", "all"],
            ("explain", 0, "done; what its policy fails at is in the story"): ["explain", self.recorded, "resnet-1"],
            ("explain", 1, "the machine fails: there is no story"): ["explain", self.recorded, "resnet-1", "--what-if", "all"],
            ("explain", 2, "no results"): ["explain", none, "job"],
            ("timeline", 2, "no results"): ["timeline", none],
            ("attribute", 2, "no results"): ["attribute", none],
            ("attribute", 2, "no such element"): ["attribute", none, "--path", "users"],
            ("policies", 0, "all checks passed"): ["policies", "fcfs"],
            ("policies", 1, "a check failed"): ["policies", PLUGINS / "faults/crash.so", "--test"],
            ("policies", 2, "no such policy"): ["policies", "nobody_at_all"],
        }


def gnuplot():
    return any((Path(folder) / "gnuplot").exists() for folder in os.environ["PATH"].split(":"))


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))


def limit_files():
    """One besides the standard streams."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))


def easim(words, place, interrupt=False, env=None, limit=None):
    """Exit status and standard error; interrupted when a policy loops, else when a replication is at work."""
    loops = place / "loops"
    loops.mkdir(parents=True)
    env = {"ENDS_BADLY_LOOPS": str(loops), **(env or {})}
    process = start(*words, cwd=place, stdout=subprocess.DEVNULL, env=dict(os.environ, **env), preexec_fn=limit)
    if interrupt:
        at_work(process)
        if "loop" in " ".join(map(str, words)):
            wait_for("a policy loops", lambda: any(loops.iterdir()), process)
        process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=HANGS_S)
    left = [path for path in place.rglob("*") if ".tmp" in path.name]
    assert not left, (words, left)
    return process.returncode, errors


def expect(row, words, code, message, place, **how):
    got, errors = easim(words, place, **how)
    assert got == code, (row, words, got, errors)
    if message:
        lines = [re.sub(r", in \w+ \([\w.]+:\d+\)(?= \()", "", line.strip()) for line in errors.splitlines()]  # of a crash
        assert any(re.match(pattern(message) + ("" if message.endswith("WHAT") else "$"), line) for line in lines), (
            row, pattern(message), errors)


def by_command(cases, rows, folder):
    words = cases.words()
    listed = {(command, int(code), when) for command, code, when, _ in rows if command != "all"}
    assert listed == set(words), listed ^ set(words)
    with ThreadPoolExecutor(4) as pool:
        jobs = []
        for number, (command, code, when, message) in enumerate(rows):
            how = {"interrupt": command != "plot" and code == "130", "limit": limit_files if "the machine" in when else None}
            if command == "plot":
                how["env"] = {"1": {"PATH": str(folder / "nowhere")}, "130": {"PATH": str(cases.fake)}}.get(code)
            each = [(name, [name, "--help" if code == "0" else "--unheard-of"]) for name in COMMANDS] if command == "all" else [
                (command, words[command, int(code), when])]
            for name, arguments in each:
                if arguments is not None:
                    jobs.append(pool.submit(expect, (name, code, when), arguments, int(code), message,
                                            folder / f"{number}-{name}", **how))
        for job in jobs:
            job.result()
    return len(jobs)


# what a policy does: the ways of ends_badly, further arguments
ENDS = {
    "returns a negative number": ["fail"],
    "calls exit, _exit or quick_exit, or ends its thread": ["exit", "leave", "quick_exit", "thread_exit"],
    "calls abort": ["abort"],
    "is killed": ["kill"],
    "crashes in its own code": ["crash"],
    "crashes in a function that it calls": ["in_library"],
    "uses up the memory (a list policy: `in a callback of`; with its state: `in the state_size of`)": ["hog"],
    "takes more than `--decision-timeout` (60 s) of processor time in a callback": [],
    "loops, with `--run-timeout` (compare, sweep)": ["loop"],
    "loops, until a signal": ["loop"],
    "sends itself SIGTERM": ["terminate"],
    "has no finite key or objective": [],
}


def by_end(rows, folder):
    assert [row[0] for row in rows] == list(ENDS), rows
    for what, message in rows:
        if SANITIZED and re.search("crashes|memory", what):
            continue  # a sanitizer's own handler reports crashes, and needs more addresses
        own = f"easim: {message}"
        for how in ENDS[what]:
            words, more = ["run", *badly(how)], {"limit": limit_memory if how == "hog" else None}
            if "timeout" in what:
                words = ["compare", SEED, "--policies", BAD, "--run-timeout", "1s", "--quiet", "-n", 1, "--set",
                         "params_by_policy={ends_badly: {how: loop}}"]
            elif "until a signal" in what:
                more["interrupt"] = True
                own = f"easim: interrupted, and {message}: N of N replications are finished and kept"
                words += ["-n", 1]
            elif how == "terminate":
                words += ["--set", "horizon=100h"]
            expect((what, how), words, 130 if more.get("interrupt") else 1, own, folder / f"{how}-{len(what)}", **more)
        if "decision-timeout" in what:
            run("cc", "-shared", "-fPIC", f"-I{SOURCE}/include", "-o", folder / "busy.so", SOURCE / "tests/policy/wrong/loops.c")
            expect(what, ["run", SEED, "--policy", folder / "busy.so", "--decision-timeout", "200ms", "--quiet"], 1, own, folder / "busy")
        elif not ENDS[what]:
            expect(what, ["run", SEED, "--policy", PLUGINS / "not_a_number.so"], 1, own, folder / "nan")


def every_row(folder):
    rows = list(csv.reader(DOC.read_text(encoding="utf-8").splitlines()))[1:]
    count = by_command(Cases(folder), [row for row in rows if row[0] != "a policy"], folder / "commands")
    by_end([row[2:] for row in rows if row[0] == "a policy"], folder / "ends")
    return count + len(ENDS)


if SANITIZED:
    skip("what ends a run here is for the sanitizer to report; test_crashes.py and test_isolation.py run")
cases(every_row)
