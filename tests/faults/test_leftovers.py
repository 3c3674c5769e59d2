"""What kill -9 leaves blocks nothing and goes at the next run; SIGINT and SIGTERM leave nothing; two sweeps in one folder take
nothing from each other."""
import contextlib
import os
import shutil
import signal
import subprocess
import time
from functools import partial

from faults import each_call, easim, emptied, good, leftovers, paused
from harness import HANGS_S, SOURCE, cases, form, start
from test_force import content_of

CONFIG = SOURCE / "configs/eas-sim.yaml"
SMALL = ("-n", "2", "--set", "horizon=1h", "--quiet", "-t", "1", "--out")
MOST = form(30, 12)


def is_killed(words, prepare, check, **fault):
    left = 0
    for number, ended in each_call(MOST, *words, prepare=prepare, do="kill", who="parent", **fault):
        assert ended.code == -signal.SIGKILL, (number, str(ended))
        left += check(number)
    return left


def after_kill(folder):
    """Killed at each rename and each opening, then run again without --force: the same results, and nothing else."""
    for name, words in {"run": ("run", CONFIG, "--trace", "t.jsonl"), "compare": ("compare", CONFIG, "--policies", "fcfs,zeus"),
                        "ablate": ("ablate", CONFIG, "zeus", "pollux")}.items():
        out, whole = folder / name, folder / f"{name}-whole"
        good(*words, *SMALL, whole)
        expected = content_of(whole)

        def check(number, out=out, words=words, expected=expected):
            left = leftovers(out) if out.exists() else []
            named = [name for name in content_of(out) if ".tmp-" not in name] if out.exists() else []
            again = easim(*words, *SMALL, out)
            if named:  # results are never replaced without being asked
                assert again.code == 2 and "--force" in again.said, (number, str(again))
                good(*words, *SMALL, out, "--force")
            else:
                assert again.code == 0, (number, left, str(again))
            assert content_of(out) == expected and not leftovers(out), (number, leftovers(out))
            return len(left)

        left = sum(is_killed((*words, *SMALL, out), lambda out=out: shutil.rmtree(out, ignore_errors=True), check, call=call, path=name)
                   for call in ("rename", "open"))
        assert left > 5, (name, left)


def sweep_of(folder, points):
    sweep = folder / "sweep.yaml"
    sweep.write_text(f"name: left\nbase: {CONFIG}\nset: {{replications: 1, horizon: 1h}}\naxes:\n"
                     f"  - {{path: seed, values: [{', '.join(map(str, range(points)))}]}}\n", encoding="utf-8")
    return sweep


def results_of(out):
    """All but the store, in which points stand in the order in which they were done, and those of the sweep that was killed too."""
    return {name: text for name, text in content_of(out).items() if not name.endswith(".points")}


def after_a_killed_sweep(folder):
    sweep, out = sweep_of(folder, 4), folder / "out"
    words = ("sweep", sweep, "--quiet", "-t", "2", "--out", out)
    good(*words)
    expected, left = results_of(out), 0
    shutil.rmtree(out)
    for number, _ in each_call(MOST, *words, prepare=lambda: shutil.rmtree(out, ignore_errors=True), call="rename", do="kill"):
        left += len(leftovers(out))
        good(*words)
        assert results_of(out) == expected and not leftovers(out), (number, leftovers(out))
    assert left > 0


def others_files_stay(folder):
    """Only what nobody has locked goes, and of other names nothing."""
    out = folder / "out"
    out.mkdir()
    (out / "mine.txt.tmp-abcdef").write_text("x")
    (out / "summary.csv.tmp-abcdef").write_text("x")
    (out / "mine.txt").write_text("x")
    refused = easim("run", CONFIG, *SMALL, out)
    assert refused.code == 2 and len(list(out.iterdir())) == 3, refused  # nothing is touched in a folder that is not ours
    good("run", CONFIG, *SMALL, out, "--force")
    assert (out / "mine.txt.tmp-abcdef").exists() and not (out / "summary.csv.tmp-abcdef").exists()


def pairs_of_sweeps(folder):
    """One sweep waits before each of its renames while another does all points and removes leftovers. Where the first is joining
    its points the other waits for it."""
    sweep, out, whole = sweep_of(folder, 3), folder / "out", folder / "whole"
    words = ("sweep", sweep, "--quiet", "-t", "1", "--out")
    good(*words, whole)
    expected, waited = results_of(whole), 0
    calls = easim(*words, out, call="rename").calls
    for call in range(1, calls + 1):
        shutil.rmtree(out)
        others = []

        def other(others=others):
            others.append(start(*words, out))
            with contextlib.suppress(subprocess.TimeoutExpired):
                others[0].wait(1)

        ended = paused(other, *words, out, call="rename", at=call)
        waited += others[0].poll() is None
        _, said = others[0].communicate(timeout=HANGS_S)
        assert ended.code == 0 and others[0].returncode == 0, (call, str(ended), said)
        assert results_of(out) == expected, call
    assert waited == calls > 0, (waited, calls)  # points are appended, so that all renames are of the join


def at_the_same_time(folder):
    """Pairs of sweeps started together, without any help."""
    sweep, whole = sweep_of(folder, 6), folder / "whole"
    words = ["sweep", sweep, "--quiet", "-t", 2, "--out"]
    good(*words, whole)
    expected = results_of(whole)
    for pair in range(8):
        out = folder / f"out-{pair}"
        both = [start(*words, out) for _ in range(2)]
        for process in both:
            _, said = process.communicate(timeout=HANGS_S)
            assert process.returncode == 0, said
        assert results_of(out) == expected, pair


def signals_in_import(folder):
    """SIGINT and SIGTERM before each write, rename, open and close: both files or neither, and nothing else."""
    log, out = folder / "log.csv", folder / "out"
    log.write_text("job_id,submit_s,user,duration_s,gpus\n" + "".join(f"{i},{i},u,100,1\n" for i in range(50)), encoding="utf-8")
    words = ("import", "workload", log, "--output", out / "jobs.csv")
    for name in ("INT", "TERM"):
        for call in ("write", "rename", "open", "close"):
            for number, ended in each_call(MOST, *words, prepare=partial(emptied, out), call=call, do=f"signal-{signal.Signals['SIG' + name].value}",
                                           path=str(out)):
                assert ended.code == -signal.Signals["SIG" + name], (number, str(ended))
                assert {path.name for path in out.iterdir()} <= {"jobs.csv"}, (call, number, list(out.iterdir()))


def signals_in_calibrate(folder):
    profile, out = folder / "profile.csv", folder / "out"
    rows = "".join(f"m,a100,{k},{b},{b * k / (0.1 + 0.01 * b)},{150 + b},made up,assumed\n" for k in (1, 2, 4) for b in (8, 16, 32))
    profile.write_text("model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu,source,evidence\n" + rows, encoding="utf-8")
    words = ("calibrate", profile, "--output", out / "m.yaml", "--points", out / "points.csv")
    out.mkdir()
    good(*words)
    for name in ("INT", "TERM"):
        for call in ("write", "rename", "open"):
            for number, ended in each_call(MOST, *words, prepare=partial(emptied, out), call=call, do=f"signal-{signal.Signals['SIG' + name].value}",
                                           path=str(out)):
                assert ended.code == -signal.Signals["SIG" + name], (number, str(ended))
                assert {path.name for path in out.iterdir()} in (set(), {"m.yaml", "points.csv"}), (call, number, list(out.iterdir()))


def killed_import(folder):
    """What kill -9 has left of a single file goes with the next one of its name."""
    log, out = folder / "log.csv", folder / "jobs.csv"
    log.write_text("job_id,submit_s,user,duration_s,gpus\n1,0,u,100,1\n", encoding="utf-8")
    ended = easim("import", "workload", log, "--output", out, call="rename", at=1, do="kill")
    assert ended.code == -signal.SIGKILL and len(leftovers(folder)) == 1, ended
    other = folder / "other.csv.tmp-abcdef"
    other.write_text("x")
    good("import", "workload", log, "--output", out)
    assert leftovers(folder) == [other.name], leftovers(folder)


def random_signals(folder):
    """SIGINT, SIGTERM and SIGHUP at random moments of a run: nothing half, and what is there is whole."""
    for number in range(12):
        out = folder / f"out-{number}"
        process = start("run", CONFIG, "-n", 2000, "-t", 2, "--quiet", "--out", out)
        time.sleep(0.02 + 0.05 * number)
        process.send_signal((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[number % 3])
        process.communicate(timeout=HANGS_S)
        late = process.returncode == 0  # all replications were done when it came
        assert late or process.returncode in (130, -signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP), process.returncode
        assert not (late or out.exists()) or (not leftovers(out) and (out / "manifest.json").exists()), os.listdir(out)


if __name__ == "__main__":
    cases(after_kill, after_a_killed_sweep, others_files_stay, pairs_of_sweeps, at_the_same_time, signals_in_import,
          signals_in_calibrate, killed_import, random_signals)
