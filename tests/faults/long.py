"""The long form of the fault suite, by hand: signals at random moments, every call of six kinds (beyond 300 a sample), cuts and
pairs of sweeps. Usage: long.py EASIM SOURCE SHIM [--seconds N] [PART...]; parts: signals calls cuts pairs. Each ends after so
many seconds; a table of what was done is printed, wrong ends with all that was seen, and the exit status is 1 if there are any."""
import collections
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from faults import good, leftovers
from harness import EASIM, SOURCE, option
from test_cuts import one_point, state_of
from test_force import content_of, is_whole
from test_memory import commands, every_call, inputs

SIGNALS, MOST, CUTS, PAIRS = 1000, 300, 400, 100
CONFIG = SOURCE / "configs/eas-sim.yaml"
SMALL = ("-n", "2", "--set", "horizon=2h", "--quiet", "-t", "2")
FAULTS = {"write": "ENOSPC", "open": "EMFILE", "rename": "EIO", "close": "EIO", "fork": "EAGAIN", "malloc": "ENOMEM", "read": "EIO",
          "stat": "EIO"}
OVER = {"run": ("run", CONFIG, "--trace", "t.jsonl"), "compare": ("compare", CONFIG, "--policies", "fcfs,zeus"),
        "ablate": ("ablate", CONFIG, "zeus", "pollux"),
        "tune": ("tune", CONFIG, "--policy", "zeus", "--params", "edp_slack=1..3", "--objective", "energy_kwh", "--max-trials", "3")}


def guarded(seen, what, check):
    """Runs a check; what it finds wrong is kept and counted."""
    try:
        check()
    except (AssertionError, subprocess.TimeoutExpired) as error:
        seen["wrong"] += 1
        print(f"WRONG {what}: {error}", flush=True)


def one_signal(number, out, words, states, seen):
    """Over earlier results: they stay, or the new ones are there, or a part that says so, or no reader takes the folder."""
    rng = random.Random(number)
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(states["earlier"][0], out)
    which = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
    began = time.monotonic()
    process = subprocess.Popen([str(word) for word in (EASIM, *words, "--set", "seed=2", "--force", "--out", out)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(rng.uniform(0, states["seconds"]))
    process.send_signal(which)
    _, said = process.communicate(timeout=60)
    assert process.returncode in (0, 130, -which), (process.returncode, said)
    assert time.monotonic() - began < 30, "late"
    now = {name: content for name, content in content_of(out).items() if ".tmp-" not in name}
    if now == states["earlier"][1]:
        seen["earlier results"] += 1
    elif now == states["later"][1]:
        seen["new results"] += 1
    elif is_whole(out):
        assert b'"partial":\ttrue' in now["manifest.json"], sorted(now)
        seen["a part, said so"] += 1
    else:
        seen["refused: no manifest"] += 1
    if which != signal.SIGKILL:
        assert not leftovers(out), leftovers(out)


def signals(folder, seen, end):
    states = {}
    for name, words in OVER.items():
        wholes = {}
        for kind, seed in (("earlier", 1), ("later", 2)):
            began = time.monotonic()
            good(*words, *SMALL, "--set", f"seed={seed}", "--out", folder / f"{name}-{kind}")
            wholes[kind] = (folder / f"{name}-{kind}", content_of(folder / f"{name}-{kind}"))
        states[name] = wholes | {"seconds": 1.1 * (time.monotonic() - began)}
    for number in range(SIGNALS):
        if time.monotonic() > end:
            break
        name = list(OVER)[number % len(OVER)]
        seen["tried"] += 1
        guarded(seen, f"signal {number} {name}",
                lambda name=name, number=number: one_signal(number, folder / "out", (*OVER[name], *SMALL), states[name], seen))


def calls(folder, seen, end):
    inputs(folder)
    (folder / "out").mkdir()
    for call, error in FAULTS.items():
        done = 0
        for words in commands(folder):
            if time.monotonic() > end:
                break
            if words[0] == "plot" or (call == "fork" and words[0] not in ("run", "compare", "ablate", "tune", "sweep", "validate")):
                continue  # gnuplot's own calls are not easim's

            def check(words=words, call=call, error=error):
                tries, failed = every_call(folder, words, MOST, call=call, do=error)
                seen["tried"] += tries
                seen[f"{call}: told"] += failed
                seen[f"{call}: the same results"] += tries - failed

            guarded(seen, f"{call} of {' '.join(map(str, words[:2]))}", check)
            done += 1
        print(f"{call}: {done} commands", flush=True)


def cuts(folder, seen, end):
    sweep, out, run = one_point(folder)
    whole = run.read_bytes()
    for cut in range(CUTS):
        length = cut * len(whole) // CUTS
        run.write_bytes(whole[:length])
        seen["tried"] += 1
        if time.monotonic() > end:
            break

        def check(length=length):
            assert state_of(sweep, out) == "missing", length
            seen["missing"] += 1

        guarded(seen, f"cut at {length}", check)


def pairs(folder, seen, end):
    sweep = folder / "sweep.yaml"
    sweep.write_text(f"name: pairs\nbase: {CONFIG}\nset: {{replications: 1, horizon: 1h}}\naxes:\n"
                     "  - {path: seed, values: [1, 2, 3, 4, 5, 6]}\n", encoding="utf-8")
    words = [str(word) for word in (EASIM, "sweep", sweep, "--quiet", "-t", "2", "--out")]
    good(*words[1:], folder / "whole")
    expected = content_of(folder / "whole")
    for pair in range(PAIRS):
        if time.monotonic() > end:
            break
        out = folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        seen["tried"] += 1

        def check(out=out, late=0.002 * (pair % 50)):
            both = []
            for _ in range(2):
                both.append(subprocess.Popen([*words, str(out)], stderr=subprocess.PIPE, text=True))
                time.sleep(late)
            said = [process.communicate(timeout=60)[1] for process in both]
            assert [process.returncode for process in both] == [0, 0], said
            assert content_of(out) == expected
            seen["equal bytes"] += 1

        guarded(seen, f"pair {pair}", check)


def main():
    parts = {part.__name__: part for part in (signals, calls, cuts, pairs)}
    wrong, lines = 0, []
    for name in [name for name in parts if name in sys.argv] or parts:
        seen = collections.Counter()
        with tempfile.TemporaryDirectory(prefix=f"easim-long-{name}.") as folder:
            parts[name](Path(folder), seen, time.monotonic() + option("--seconds", 24 * 3600))
        wrong += seen["wrong"]
        rest = ", ".join(f"{what} {count:,}" for what, count in seen.items() if what not in ("tried", "wrong"))
        lines.append(f"| {name} | {seen['tried']:,} | {rest} | {seen['wrong']} |")
    print("| what | tried | seen | wrong |\n|---|---|---|---|\n" + "\n".join(lines))
    sys.exit(wrong > 0)


main()
