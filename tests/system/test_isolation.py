"""Policies that crash, leave, loop or corrupt memory, in a sweep and in a comparison: theirs are failed runs, all others
are what they are without them, and no process is left. Usage: test_isolation.py EASIM SOURCE PLUGIN_DIR
"""
import os
import random
import re
import signal
import time
from pathlib import Path

from bad_ends import BAD, BASE, PLUGINS, WHO, ends, none_left, processes, said_by
from harness import HANGS_S, bytes_of, cases, children, easim, form, interrupt, rows_of, same_files, start, wait_for
from random_scenario import Scenario

LIMIT = "5s"  # a healthy run of milliseconds does not take so long on a loaded machine either
CASES = ends(WHO) | {"loop": f"the run of {WHO} was not done within {LIMIT[:-1]} s"}


def write_sweep(path, axes, base="horizon: 4h"):
    path.write_text(f"name: isolation\nbase: {BASE}\nset: {{replications: 1, {base}, policy.name: {BAD}}}\n"
                    f"axes:\n{axes}", encoding="utf-8")
    return path


def how_axis(hows):
    return f"  - {{path: policy.params.how, values: [{', '.join(hows)}]}}\n"


SEEDS = "  - {path: seed, values: [1, 2]}\n"


def kept_by(folder):
    """What is in the files of a sweep's runs, which only grow."""
    return b"".join(path.read_bytes() for path in sorted((folder / "runs").iterdir())) if (folder / "runs").is_dir() else b""


def runs_in(kept):
    """Of each run, by its id."""
    return {text.split(b",")[0]: text.split(b"\n", 1)[1] for text in re.split(rb"^run,", kept, flags=re.M)[1:]}


def a_sweep_goes_on(folder):
    """Two seeds of each way to end badly beside two that end well: those are what they are alone."""
    hows = ["not", *CASES, "fail"]
    without, alone = write_sweep(folder / "without.yaml", how_axis(["not"]) + SEEDS), folder / "alone"
    easim("sweep", without, "--out", alone, "--quiet")
    sweep, out = write_sweep(folder / "sweep.yaml", how_axis(hows) + SEEDS), folder / "out-3"
    options = ["--out", out, "--run-timeout", LIMIT]
    done = easim("sweep", sweep, *options, "--threads", 3, code=1)
    assert f"{2 * len(hows)} points: 2 done, {2 * len(CASES) + 2} failed, 0 missing" in done.stdout, done.stdout
    kept = kept_by(out)
    runs, good = runs_in(kept), runs_in(kept_by(alone))
    assert len(runs) == 2 * len(hows) and len(good) == 2 and all(runs[point] == text for point, text in good.items())
    assert (out / "sweep.csv").read_bytes() == (alone / "sweep.csv").read_bytes()
    for row in rows_of(out / "failures.csv"):
        how, text = row["policy.params.how"], row["error"]
        if how == "fail":
            assert "as it was told" in text, row
            continue
        said, place = re.sub(r", in \w+(?: \([\w.]+:\d+\))?(?= \()", "", text).split(" (replication 1, at t = ")  # of a crash
        assert said == CASES[how] and place.endswith(" s, after 19 decisions)"), row  # it is in its 20th
    for threads in (1, 7):
        other = folder / f"out-{threads}"
        easim("sweep", sweep, "--out", other, "--run-timeout", LIMIT, "--threads", threads, "--quiet", code=1)
        same_files(other, out, "sweep.csv", "failures.csv", "manifest.json")
    none_left()
    # a failure is a result: nothing is run again, or, if asked for, what has failed
    easim("sweep", sweep, *options, code=1)
    assert kept_by(out) == kept
    easim("sweep", sweep, *options, "--retry-failed", code=1)
    after = kept_by(out)
    assert after.startswith(kept) and runs_in(after[len(kept):]) == {point: runs[point] for point in runs if point not in good}


def one_that_crashes_on_load(folder):
    """Also where it is the first point, whose scenario is loaded beforehand to check it."""
    values = f"  - {{path: policy.name, values: [{PLUGINS}/faults/crash_on_load.so, fcfs]}}\n"
    sweep = folder / "load.yaml"
    sweep.write_text(f"name: load\nbase: {BASE}\nset: {{replications: 1, horizon: 2h}}\naxes:\n{values}",
                     encoding="utf-8")
    easim("sweep", sweep, "--out", folder / "out", "--quiet", code=1)
    failed, = rows_of(folder / "out/failures.csv")
    assert failed["error"] == ("the run of a policy that was being loaded was ended by signal 11, "
                               "Segmentation fault"), failed
    assert [row["policy"] for row in rows_of(folder / "out/sweep.csv")] == ["fcfs"]


def no_code_of_others_in_the_parent(folder):
    """Found by their bare names, all of them: while a sweep's last point loops, easim itself has its own policies open, so that
    a point finds them loaded, and none of others, whose constructors would run in it. `hostile_on_load` kills its process."""
    sweep = folder / "names.yaml"
    sweep.write_text(f"name: names\nbase: {BASE}\nset: {{replications: 1, horizon: 2h, params_by_policy: {{ends_badly: {{how: loop}}}}}}\n"
                     "axes:\n  - {path: policy.name, values: [fcfs, hostile_on_load, easy, ends_badly]}\n", encoding="utf-8")
    loops = folder / "loops"
    loops.mkdir()
    process = start("sweep", sweep, "--out", folder / "out", "--threads", 2,
                    env=os.environ | {"ENDS_BADLY_LOOPS": str(loops), "EASIM_HOSTILE": "killed"})
    wait_for("three are done and one loops",
             lambda: len(runs_in(kept_by(folder / "out"))) == 3 and len(list(loops.iterdir())) == 1, process)
    opened = {Path(word).stem for word in Path(f"/proc/{process.pid}/maps").read_text().split() if word.endswith(".so")}
    assert opened & {"fcfs", "hostile_on_load", "easy", "ends_badly"} == {"fcfs", "easy"}, opened
    interrupt(process)
    none_left()
    easim("sweep", sweep, "--out", folder / "out", "--run-timeout", "200ms", code=1,  # as it was where nothing kills it
          prints="4 points: 2 done, 2 failed, 0 missing")
    failed = {row["policy.name"]: row["error"] for row in rows_of(folder / "out/failures.csv")}
    assert failed["hostile_on_load"] == "the run of a policy that was being loaded was ended by signal 9, Killed", failed
    assert [row["policy"] for row in rows_of(folder / "out/sweep.csv")] == ["fcfs", "easy"]


def compare(out, policies, *more, code=0):
    return easim("compare", BASE, "--policies", policies, "--set", "horizon=4h", "-n", 3, "--out", out, "--run-timeout",
                 LIMIT, *more, code=code)


def a_comparison_goes_on(folder):
    """One policy ends badly between two that do not: compared is what would be without it."""
    compare(folder / "without", "fcfs,zeus", "--quiet")
    expected = bytes_of(folder / "without")
    for how, text in CASES.items():
        out = folder / how
        done = compare(out, f"fcfs,{BAD},zeus", "--set", f"params_by_policy={{ends_badly: {{how: {how}}}}}", code=1)
        said = said_by(done)
        assert len(said) == 1 and said[0].startswith(f"easim: {text} (replication 1, at t = "), (how, done.stderr)
        assert "zeus" in done.stdout and "ends_badly" not in done.stdout, done.stdout
        got = bytes_of(out)
        assert '"failed":\t["ends_badly"]' in got.pop("manifest.json").decode().replace(": ", ":\t"), how
        for path, content in expected.items():  # these two hold the scenario with its params_by_policy
            assert Path(path).name in ("manifest.json", "models.yaml", "scenario.yaml") or got[path] == content, (how, path)
        assert not any(path.startswith("ends_badly/") for path in got), got.keys()
    none_left()


def what_was_finished_is_kept(folder):
    """Of 10 replications 6, 7 and 8 come to decision 87: kept are those before, with any --threads."""
    kept = []
    for threads in (1, 2, 7):
        out = folder / f"kept-{threads}"
        compare(out, f"fcfs,{BAD}", "-n", 10, "--threads", threads, "--quiet", "--set",
                "params_by_policy={ends_badly: {how: abort, after: 87}}", "--seed", 2, code=1)
        kept.append(bytes_of(out / "ends_badly"))
        assert len(rows_of(out / "ends_badly/summary.csv")) == 5
    assert kept[0] == kept[1] == kept[2]


def start_hanging(folder, out):
    """A sweep of one run that ends and two that loop, on two threads: until the first is there and the loops run."""
    sweep = write_sweep(folder / "hang.yaml", how_axis(["not", "loop"]) + "  - {path: seed, values: [1, 2]}\n")
    loops = folder / f"loops-{out.name}"
    loops.mkdir()
    process = start("sweep", sweep, "--out", out, "--threads", 2, env=os.environ | {"ENDS_BADLY_LOOPS": str(loops)})
    wait_for("two are done and two loop", lambda: len(runs_in(kept_by(out))) == len(list(loops.iterdir())) == 2, process)
    return process


def interrupted(folder):
    """Two loops, and no zombies of those before; ^C ends them soon, what is finished is kept and goes on."""
    out = folder / "interrupted"
    process = start_hanging(folder, out)
    assert len(processes()) == 3 and "Z" not in processes().values(), processes()
    _, errors = interrupt(process)
    said, rest = errors.split(" (replication 1, at t = ")
    assert said == f"easim: interrupted, and the run of {WHO} was killed because it did not end within 2 s", errors
    assert rest.splitlines()[0].endswith(" s, after 19 decisions); 1 more, too: what was finished is kept"), errors
    none_left()
    assert len(runs_in(kept_by(out))) == 2  # a loop that was interrupted is no failure
    done = easim("sweep", folder / "hang.yaml", "--out", out, "--run-timeout", "200ms", code=1)
    assert "4 points: 2 done, 2 failed, 0 missing" in done.stdout, done.stdout


def killed(folder):
    """kill -9 of easim ends its processes too."""
    process = start_hanging(folder, folder / "killed")
    process.kill()
    process.communicate(timeout=HANGS_S)
    none_left()


def the_limit_reaches_tasks(folder):
    sweep = write_sweep(folder / "engine.yaml", SEEDS)
    line = easim("sweep", sweep, "--out", folder / "engine", "--engine", "parallel", "--run-timeout", "2h").stdout
    assert line.count(" --run-timeout 2h") == 1, line  # of the shards, not of the merge


def tables(folder):
    """By path, without what tells of the command itself."""
    return {path: content for path, content in bytes_of(folder).items() if Path(path).name != "manifest.json"}


def easims_own_share_processes(folder):
    """All policies of easim leave nothing behind: in one process they do what they do in a fresh one, and so do points of a sweep
    that choose among them."""
    words = ("--set", "horizon=4h", "-n", 4, "--threads", 1, "--quiet")
    for isolate in ("foreign", "always"):
        easim("compare", BASE, "--policies", "all", *words, "--isolate", isolate, "--out", folder / isolate,
              env=os.environ | {"EASIM_POLICY_PATH": ""})
    assert len(tables(folder / "foreign")) > 50 and tables(folder / "foreign") == tables(folder / "always")
    sweep = folder / "mixed.yaml"
    sweep.write_text(f"name: mixed\nbase: {BASE}\nset: {{replications: 2, horizon: 2h}}\naxes:\n{SEEDS}"
                     "  - {path: policy.name, values: [lean, sia, zeus, charon, easy, aurachronos]}\n", encoding="utf-8")
    for threads, isolate in ((1, "foreign"), (7, "foreign"), (2, "always")):
        easim("sweep", sweep, "--threads", threads, "--isolate", isolate, "--quiet", "--out", folder / f"sweep-{threads}")
    same_files(folder / "sweep-1", folder / "sweep-2", "sweep.csv")
    same_files(folder / "sweep-1", folder / "sweep-7", "sweep.csv")


def kill_one(process, chance):
    """Kills one of easim's processes as soon as there is one; false: easim was done before."""
    alive = wait_for("a process", lambda: children(process.pid) or process.poll() is not None)
    if alive is True:
        return False
    try:
        os.kill(chance.choice(sorted(alive)), signal.SIGKILL)
    except ProcessLookupError:
        pass
    return True


def random_scenarios_whose_workers_are_killed(folder):
    """A run that gets through has the bytes of an undisturbed one; any other says what was killed."""
    count, chance, kills, through = form(300, 40), random.Random(2), 0, 0
    for seed in range(1, 1 + count):
        path, began = Scenario(seed).write(folder / str(seed)), time.monotonic()
        easim("run", path, "-n", 4, "--threads", 2, "--quiet", "--out", folder / "whole", "--force")
        took_s = time.monotonic() - began
        process = start("run", path, "-n", 4, "--threads", 2, "--quiet", "--out", folder / "killed", "--force")
        for _ in range(chance.randint(1, 4)):
            kills += kill_one(process, chance)
            time.sleep(chance.uniform(0, took_s / 4))
        error = process.communicate(timeout=HANGS_S)[1]
        if process.returncode == 0:
            assert tables(folder / "whole") == tables(folder / "killed"), seed
            through += 1
        else:
            assert process.returncode in (1, 2) and "signal 9" in error, (seed, process.returncode, error)
    print(f"{kills} processes of {count} runs were killed, {through} runs got through")
    assert kills >= count / 2 and 0 < through, (kills, through)
    none_left()


def workers_that_are_killed(folder):
    """Twenty times somebody kills a process of a sweep: its point is run again, and what is killed twice is told as failed."""
    sweep = folder / "points.yaml"
    sweep.write_text(f"name: points\nbase: {BASE}\nset: {{replications: 1}}\n"
                     "axes:\n  - {path: seed, range: {from: 1, to: 300, step: 1}}\n", encoding="utf-8")
    easim("sweep", sweep, "--quiet", "--out", folder / "whole")
    process, chance = start("sweep", sweep, "--quiet", "--threads", 3, "--out", folder / "killed"), random.Random(1)
    for _ in range(20):
        if not kill_one(process, chance):
            break
        time.sleep(chance.uniform(0, 0.02))
    process.communicate(timeout=HANGS_S)
    if process.returncode:
        failed = rows_of(folder / "killed/failures.csv")
        assert all("ended by signal 9" in row["error"] for row in failed), failed
        easim("sweep", sweep, "--quiet", "--retry-failed", "--out", folder / "killed")
    same_files(folder / "whole", folder / "killed", "sweep.csv")
    none_left()


def bad_limits(folder):
    for command in ("run", "compare", "sweep", "tune", "ablate", "bound", "validate"):
        easim(command, BASE, "--isolate", "never", code=2, says='--isolate: expected foreign or always, got "never"')
    easim("sweep", BASE, "--isolate", "always", "--merge", code=2, says="--isolate")
    for text in ("0s", "-1s", "soon", "1 parsec", ""):
        for command in (("sweep", folder / "none.yaml"), ("compare", BASE, "--policies", "fcfs")):
            easim(*command, "--run-timeout", text, code=2,
                  says=f'--run-timeout: expected duration > 0 such as 90s or 10h, got "{text}"')


cases(a_sweep_goes_on, one_that_crashes_on_load, no_code_of_others_in_the_parent, a_comparison_goes_on, what_was_finished_is_kept,
      easims_own_share_processes, workers_that_are_killed,
      random_scenarios_whose_workers_are_killed, interrupted, killed, the_limit_reaches_tasks, bad_limits)
