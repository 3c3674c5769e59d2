"""Every allocation of every command fails once: an exit status that is not 0, with a message, or the same result; no signal,
nothing half-written under its name. Usage: test_memory.py EASIM SOURCE SHIM [--most N], N allocations of each command, spread over all (30; 10 with EASIM_TESTS=short)
"""
import shutil
from functools import partial
from pathlib import Path

from faults import each_call, easim, emptied, good
from harness import SOURCE, cases, form, option

TINY, PROFILE = SOURCE / "configs/tiny.yaml", SOURCE / "workloads/profile-example.csv"
COMPRESSED = SOURCE / "tests/profiles"


def inputs(folder):
    """What the commands read."""
    good("run", TINY, "--quiet", "--out", folder / "run")
    (folder / "outages.csv").write_text("node,start_s,end_s\n" + "".join(
        f"{n % 3},{1000 * n * (n % 5 + 1)},{1000 * n * (n % 5 + 1) + 60 + 7 * n}\n" for n in range(1, 30)))
    (folder / "v.yaml").write_text(
        f"name: v\nsource: x\nkind: policy\nphysics: x\nscenario: {TINY}\ndata: {{jobs: run/jobs.csv}}\njobs: {{data: jobs}}\n"
        "measured: [{metric: makespan_s, tolerance: 1%}, {metric: jct_s, over: p90_error, tolerance: 1%}]\n")
    (folder / "sweep.yaml").write_text(f"name: s\nbase: {TINY}\naxes: [{{path: seed, values: [1, 2]}}]\n")
    good("calibrate", PROFILE, "-o", folder / "model.yaml")
    good("run", TINY, "--record", "--quiet", "--out", folder / "recorded")


def commands(folder):
    """Words; what is in `out` is the result."""
    out = folder / "out"
    yield from (["--help"], ["--version"], ["run", "--help"], ["completion", "bash"], ["completion", "zsh"], ["completion", "fish"], ["policies"], ["policies", "zeus"],
                ["check", TINY], ["gen", TINY, "-o", out / "jobs.csv"], ["models", TINY, "--out", out / "models"],
                ["models", folder / "model.yaml", "--parameters"],
                ["calibrate", PROFILE, "-o", out / "model.yaml"], ["calibrate", "--check", folder / "model.yaml", PROFILE],
                ["calibrate", "failures", folder / "outages.csv"],
                ["import", "itp", SOURCE / "workloads/itp-sample.csv", "-o", out / "jobs.csv"],
                ["profile", "kineto", SOURCE / "tests/profiles/kineto/backslash.json"],
                ["run", TINY, "--quiet", "--out", out / "run"],
                ["run", SOURCE / "configs/eas-sim.yaml", "--set", "horizon=2h", "-n", 2, "--check", "--format", "json",
                 "--out", out / "run"],
                ["run", folder / "run/manifest.json", "--out", out / "run"],
                ["compare", TINY, "--policies", "fcfs,easy", "--quiet", "--out", out / "compare"],
                ["ablate", TINY, "pollux", "fcfs", "--quiet", "--out", out / "ablate"],
                ["tune", TINY, "--params", "edp_slack=1..3", "--objective", "energy_kwh", "--max-trials", 2, "--quiet", "--out",
                 out / "tune"],
                ["validate", folder / "v.yaml", "--format", "json", "--out", out / "validate"],
                ["validate", "--measured", folder / "run/jobs.csv", "--scenario", TINY, "--out", out / "validate"],
                ["sweep", folder / "sweep.yaml", "--quiet", "--out", out / "sweep"],
                ["bound", TINY, "--quiet", "--out", out / "bound"],
                ["analyze", folder / "recorded", "--out", out / "insights"],
                ["timeline", folder / "recorded", "--out", out / "timeline.json"],
                ["attribute", folder / "recorded", "--path", "user", "--out", out / "attribution"],
                ["explain", folder / "recorded", "resnet-1"])
    if Path("/usr/share/nodejs/d3/dist/d3.min.js").exists():
        yield ["report", folder / "recorded", "--out", out / "report.html"]
    if shutil.which("gnuplot"):
        yield ["plot", folder / "run", "--figures", "jct", "--out", out / "figures"]


def texts(folder):
    """Every file that a result has; of a picture that it is there, for gnuplot dates some. Not the store of a sweep, which holds
    what is done so far (test_transient.py goes on with it)."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.suffix not in (".png", ".pdf", ".svg") else b""
            for path in folder.rglob("*") if path.is_file() and path.suffix != ".points"}


def is_partial(found, name):
    """Whether the manifest beside a file says that not all is there."""
    return b'"partial":\ttrue' in found.get(f"{name.rpartition('/')[0]}/manifest.json", b"")


def is_right(ended, whole, found, expected, where):
    """After a fault: the same results and output, or an exit status that tells and nothing wrong that looks whole."""
    assert ended.code in (0, 1), where
    assert ended.code == 0 or (ended.said + ended.out).strip(), where
    if ended.code == 0:
        assert ended.out == whole.out, (where, whole.out)
        assert found == expected, (where, {name for name in found | expected if found.get(name) != expected.get(name)})
    else:
        spoilt = {name for name, text in found.items() if expected.get(name) not in (text, None)}
        assert all(is_partial(found, name) for name in spoilt), (where, spoilt)


def every_call(folder, words, most, **fault):
    """Each call of a kind of one command, in its processes and in theirs, fails once; how many were tried, and told."""
    out = folder / "out"

    clear = partial(emptied, out)
    clear()
    whole, expected, tries, failed = good(*words), texts(out), 0, 0
    for who in ("parent", "children"):
        clear()
        if easim(*words, call=fault["call"], who=who).calls == 0:
            continue
        for number, ended in each_call(most, *words, prepare=clear, who=who, **fault):
            where = (fault, who, number, str(ended))
            if ended.hits == 0 and ended.calls < number:
                continue  # how often a parent reads, and so the last numbers there are, hangs on when its children write
            assert ended.hits == 1, where
            tries += 1
            failed += ended.code != 0
            is_right(ended, whole, {name: text for name, text in texts(out).items() if ".tmp-" not in name}, expected, where)
    return tries, failed


def every_allocation(folder):
    inputs(folder)
    for words in commands(folder):
        (folder / "out").mkdir(exist_ok=True)
        tries, failed = every_call(folder, words, MOST, call="malloc", do="ENOMEM")
        print(f"{' '.join(map(str, words[:2]))}: {failed} of {tries} failed", flush=True)


if __name__ == "__main__":
    MOST = option("--most", form(30, 10))
    cases(every_allocation)
