"""Policies that harm the process they run in, in every command: the others' results are what they are without them, their own
are right or missing, with a message that names the policy, and no process is left. 22 kinds of harm; with --long 50.
Usage: test_hostile.py EASIM SOURCE PLUGIN_DIR [--long]
"""
import json
import os
import re
import sys
from pathlib import Path

from bad_ends import BASE, PLUGINS, none_left, said_by
from harness import bytes_of, cases, easim, rows_of

HOSTILE, LISTED, LOADED = (PLUGINS / f"{name}.so" for name in ("hostile", "hostile_list", "hostile_on_load"))
SHORT = ["--set", "horizon=2h", "-n", 2]
HOWS = re.findall(r'"(\w+)"', re.search(r"hows\[\] = \{(.*?)NULL", (Path(__file__).parents[1] / "policy/plugins/hostile.c").read_text(),
                                        re.S)[1])
LONG = "--long" in sys.argv
ROUNDED = "changed how floating-point numbers are rounded"
FAILS = {"upward": ROUNDED, "flush": ROUNDED,
         "close_files": "cannot be handed over: Bad file descriptor", "close_all": "cannot be handed over: Bad file descriptor",
         "no_bytes": "cannot be handed over: File too large", "terminate": "interrupted by a signal that easim has not sent",
         "hang_up": "interrupted by a signal that easim has not sent",
         "downward": ROUNDED, "to_zero": ROUNDED, "trap": ROUNDED, "x87": ROUNDED, "exit": "ended its process with exit status 0",
         "quick_exit": "ended its process with exit status 0", "abort": "signal 6, Aborted", "killed": "signal 9, Killed",
         "wrong_address": "SIGSEGV", "deep": "SIGSEGV", "free_twice": "signal 6, Aborted", "usr1": "signal 10, User defined signal 1",
         "exec": "ended its process with exit status 0", "daemon": "ended its process with exit status 0"}
# What the machine or the clock decides: these may end it, or not.
MAY_FAIL = {"terminate", "hang_up", "timer", "no_time", "no_memory", "no_data", "seal_files", "append_files", "grow_files",
            "seek_files", "hoard_files"}
assert len(HOWS) == 50 and set(FAILS) | MAY_FAIL < set(HOWS), HOWS
HOWS = HOWS if LONG else HOWS[:22]


def harmed(*words, **more):
    return easim(*words, code=(0, 1), **more)


def harm(how, when):
    return ["--set", f"params_by_policy.hostile={{how: {how}, when: {when}}}"]


def check_said(how, done, where):
    """A failure is told with the policy's name; some harm is none."""
    assert done.returncode == int(how in FAILS) or how in MAY_FAIL, (where, done.returncode, done.stderr)
    if done.returncode == 1:
        said = " ".join(said_by(done))
        assert "policy hostile" in said, (where, said)
        assert FAILS.get(how, "") in said, (where, said)


def in_run(folder):
    words = ["run", BASE, *SHORT, "--policy", HOSTILE, "--format", "json"]
    whole = harmed(*words, "--out", folder / "whole")
    for how in HOWS:
        for when in ("init", "decide", "finish"):
            out = folder / f"{how}-{when}"
            done = harmed(*words, "--out", out, "--set", f"policy.params={{how: {how}, when: {when}}}")
            check_said(how, done, (how, when))
            if done.returncode == 0:
                assert json.loads(done.stdout) == json.loads(whole.stdout), (how, when)
                assert bytes_of(out, ".csv") == bytes_of(folder / "whole", ".csv"), (how, when)
            else:
                assert not (out / "manifest.json").exists(), (how, when)
            if how == "print":
                assert "printed by a hostile policy" in done.stderr and "and not flushed" in done.stderr, done.stderr
    none_left()


def in_compare(folder):
    """Side by side: results of the others, and of what does no harm, to the byte."""
    words = ["compare", BASE, *SHORT, "--policies", f"fcfs,{HOSTILE},easy", "--format", "json", "--threads", 4]
    harmed(*words, "--out", folder / "whole")
    for how in HOWS:
        when = "finish" if how in ("fork", "write_files", "cut_files") else "decide"
        out = folder / how
        done = harmed(*words, *harm(how, when), "--out", out)
        check_said(how, done, how)
        json.loads(done.stdout)
        for policy in ("fcfs", "easy") if done.returncode else ("fcfs", "hostile", "easy"):
            assert bytes_of(out / policy, ".csv") == bytes_of(folder / "whole" / policy, ".csv"), (how, policy)
    none_left()


def in_a_sweep(folder):
    """All at once, six at a time, the folder's name relative."""
    axes = (f"  - {{path: policy.params.how, values: [{', '.join(HOWS)}]}}\n"
            "  - {path: policy.params.when, values: [init, decide, finish]}\n")
    head = f"base: {BASE}\nset: {{replications: 1, horizon: 2h, policy.name: {HOSTILE}}}\naxes:\n"
    (folder / "sweep.yaml").write_text(f"name: hostile\n{head}{axes}", encoding="utf-8")
    done = harmed("sweep", "sweep.yaml", "--out", "out", "--threads", 6, "--format", "csv", cwd=folder)
    assert done.returncode == 1, done
    good, bad = rows_of(folder / "out/sweep.csv"), rows_of(folder / "out/failures.csv")
    assert len(good) + len(bad) == 3 * len(HOWS), (len(good), len(bad), done.stderr)
    expected = [row for row in good if row["policy.params.how"] == "nothing"][0]
    for row in good:
        assert {key: row[key] for key in row if not key.startswith(("policy.params", "run_id"))} == {
            key: expected[key] for key in expected if not key.startswith(("policy.params", "run_id"))}, row
        assert row["policy.params.how"] not in set(FAILS) - MAY_FAIL, row
    for row in bad:
        assert row["policy.params.how"] in set(FAILS) | MAY_FAIL and "policy hostile" in row["error"], row
    assert all(os.access(path, os.R_OK) for path in (folder / "out").rglob("*.csv"))
    none_left()


def in_tune_and_ablate(folder):
    words = ["--set", "horizon=2h", "-n", 1, "--quiet"]
    tune = ["tune", BASE, "--policy", HOSTILE, "--params", "when", "--objective", "energy_kwh", *words]
    ablate = ["ablate", BASE, "pollux"]
    for how in HOWS:
        for command, more in (("tune", [*tune, "--set", f"policy.params.how={how}"]),
                              ("ablate", [*ablate, f"{LISTED}:how={how}", *words])):
            out = folder / f"{how}-{command}"
            done = harmed(*more, "--out", out)
            assert done.stdout == "", done.stdout
            assert done.returncode == 0 or "hostile" in " ".join(said_by(done)), (how, done.stderr)
            if done.returncode == 0 and how in FAILS:
                assert command == "tune" or how in MAY_FAIL, how  # to which a trial that fails is one that failed
            elif done.returncode == 0:
                for path, text in bytes_of(out, ".csv").items():
                    first = folder / f"nothing-{command}" / path
                    assert text.replace(how.encode(), b"nothing") == first.read_bytes(), (how, path)
            else:
                assert how in set(FAILS) | MAY_FAIL, (how, done.stderr)
                assert not (out / "manifest.json").exists(), how
    none_left()


def while_it_is_loaded(folder):
    """What a constructor changes in easim's own process is taken back, and what it prints is no result."""
    words = ["compare", BASE, *SHORT, "--policies", f"fcfs,{LOADED}", "--format", "json"]
    for how in ("nothing", "chdir", "umask", "locale", "upward", "flush", "signals", "block", "print"):
        (folder / how).mkdir()
        done = harmed(*words, "--out", "out", cwd=folder / how, env=os.environ | {"EASIM_HOSTILE": how})
        assert done.returncode == 0, (how, done.stderr)
        json.loads(done.stdout)
        assert bytes_of(folder / how / "out", ".csv") == bytes_of(folder / "nothing/out", ".csv"), how
        assert (folder / how / "out/fcfs/manifest.json").stat().st_mode & 0o444, how
    none_left()


cases(in_run, in_compare, in_a_sweep, in_tune_and_ablate, while_it_is_loaded)
