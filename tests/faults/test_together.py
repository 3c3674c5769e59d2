"""Two commands that write into one folder at the same time: its results are of one of them, and the other is told."""
import shutil

from faults import easim, good, paused
from harness import HANGS_S, SOURCE, cases, start
from test_force import content_of, is_whole

CONFIG = SOURCE / "configs/eas-sim.yaml"
SMALL = ("-n", "2", "--set", "horizon=1h", "--quiet", "-t", "1")
PAIRS = 20
BUSY = "another command is writing results into it"
COMMANDS = {"run": ("run", CONFIG), "compare": ("compare", CONFIG, "--policies", "fcfs,zeus"),
            "ablate": ("ablate", CONFIG, "zeus", "pollux"),
            "tune": ("tune", CONFIG, "--policy", "zeus", "--params", "edp_slack=1..3", "--objective", "energy_kwh", "--max-trials", "2")}


def at_each_rename(folder):
    """One command waits before a rename; another of another seed is told, with --force or without, and takes nothing."""
    for name, words in COMMANDS.items():
        out, whole = folder / name, folder / f"{name}-whole"
        good(*words, *SMALL, "--set", "seed=1", "--out", whole)
        expected = content_of(whole)
        calls = easim(*words, *SMALL, "--out", out, call="rename").calls
        for call in sorted({1, 2, (calls + 1) // 2, calls - 1, calls}):
            others = []

            def other(others=others, words=words, out=out):
                others.extend(easim(*words, *SMALL, *more, "--set", "seed=2", "--out", out) for more in ((), ("--force",)))

            ended = paused(other, *words, *SMALL, "--force", "--set", "seed=1", "--out", out, call="rename", at=call)
            assert ended.code == 0 and ended.hits == 1, (name, call, str(ended))
            assert others[0].code in (1, 2) and others[1].code == 1 and BUSY in others[1].said, (name, call, *map(str, others))
            assert content_of(out) == expected, (name, call)
            shutil.rmtree(out)


def started_together(folder):
    """Pairs over earlier results, and into a folder that is not there: whole, and of one that ended well. Whether they meet depends on the
    machine; at_each_rename makes them meet."""
    for name, words in COMMANDS.items():
        wholes = []
        for seed in (1, 2):
            wholes.append(folder / f"{name}-{seed}")
            good(*words, *SMALL, "--set", f"seed={seed}", "--out", wholes[-1])
        expected = [content_of(whole) for whole in wholes]
        for pair in range(PAIRS):
            out = folder / f"{name}-out"
            if pair % 4:
                shutil.rmtree(out, ignore_errors=True)
            both = [start(*words, *SMALL, *(("--force",) if pair % 2 else ()), "--set", f"seed={seed}", "--out", out)
                    for seed in ((1, 2), (2, 1))[pair % 3 == 0]]
            said = [process.communicate(timeout=HANGS_S)[1] for process in both]
            codes = [process.returncode for process in both]
            assert set(codes) <= {0, 1, 2} and (0 in codes or not pair % 4), (pair, codes, said)
            assert all(code != 1 or BUSY in text for code, text in zip(codes, said)), (pair, codes, said)
            assert is_whole(out) and content_of(out) in expected, (name, pair, codes)


def a_part_of_a_comparison(folder):
    """A run into the folder of one of its policies."""
    out = folder / "out"
    words = (*COMMANDS["compare"], *SMALL, "--out", out)
    others = []
    ended = paused(lambda: others.append(easim("run", CONFIG, *SMALL, "--force", "--out", out / "zeus")), *words, call="rename", at=2)
    assert ended.code == 0 and others[0].code == 1 and BUSY in others[0].said and is_whole(out), (str(ended), str(others[0]))


def different_sweeps(folder):
    """Two sweeps that differ, in one folder: the tables are of one of them."""
    sweeps, expected = [], []
    for seeds in ("1, 2, 3", "3, 4"):
        sweeps.append(folder / f"s{len(sweeps)}.yaml")
        sweeps[-1].write_text(f"name: s\nbase: {CONFIG}\nset: {{replications: 1, horizon: 1h}}\naxes:\n"
                              f"  - {{path: seed, values: [{seeds}]}}\n", encoding="utf-8")
        good("sweep", sweeps[-1], "--quiet", "--out", folder / f"whole-{len(sweeps)}")
        expected.append((folder / f"whole-{len(sweeps)}" / "sweep.csv").read_bytes())
    for pair in range(PAIRS):
        out = folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        both = [start("sweep", sweep, "--quiet", "-t", 1, "--out", out) for sweep in sweeps]
        for process in both:
            _, said = process.communicate(timeout=HANGS_S)
            assert process.returncode == 0, said
        assert is_whole(out) and (out / "sweep.csv").read_bytes() in expected, pair


cases(at_each_rename, started_together, a_part_of_a_comparison, different_sweeps)
