"""Results written over earlier ones with --force, killed or failing at every call that changes a name, and at writes: the
folder is that of the earlier command, or of the new one, or no reader takes it for results."""
import hashlib
import json
import os
import shutil
from pathlib import Path

from faults import each_call, easim, good, leftovers
from harness import SOURCE, cases

CONFIG = SOURCE / "configs/eas-sim.yaml"
SMALL = ("--set", "horizon=2h", "-n", "2", "--quiet", "-t", "1")
NAMES = "rename,unlink"  # the calls by which files come and go


def content_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


def is_whole(folder):
    """Read as a stranger would: every manifest lists what is there, the folders in it too."""
    manifest = folder / "manifest.json"
    if not manifest.exists():
        return False
    root = json.loads(manifest.read_text())
    for entry in [root[key] for key in ("scenario",) if key in root] + root["results"]:
        content = (folder / entry["file"]).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (entry["bytes"], entry["sha256"]), (folder, entry)
    return all(is_whole(folder / inner) for inner in root.get("folders", []))


def plot_takes(out, figures):
    """Whether easim plot takes the folder for results. With no gnuplot to be found it does not come to drawing."""
    environment = os.environ | {"PATH": "/nowhere"}
    shutil.rmtree(figures, ignore_errors=True)
    ended = easim("plot", out, "--out", figures, environment=environment)
    assert (ended.code == 1) == ("gnuplot is not installed" in ended.said), ended
    assert ended.code == 1 or "manifest.json" in ended.said, ended
    return ended.code == 1


def is_said_partial(out, now, after):
    """Of a comparison one policy was lost: it is named as failed, and all that is listed is of the new runs."""
    root = json.loads((out / "manifest.json").read_text())
    listed = [name for name in now for folder in root.get("folders", []) if name.startswith(f"{folder}/")]
    return bool(root.get("failed")) and root["partial"] and listed and all(now[name] == after[name] for name in listed)


def over_earlier_results(folder, command, *more, plots=True, small=SMALL):
    """The same command on seed 1, then on seed 2 with a fault at each call of a kind."""
    words = (*command, *small, *more)
    earlier, later, out = folder / "earlier", folder / "later", folder / "out"
    good(*words, "--set", "seed=1", "--out", earlier)
    good(*words, "--set", "seed=2", "--out", later)

    def start_again():
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(earlier, out)

    before, after = content_of(earlier), content_of(later)
    assert before.keys() == after.keys() and before["manifest.json"] != after["manifest.json"]
    ends = {"earlier": 0, "later": 0, "refused": 0}
    for fault in ({"call": NAMES, "do": "kill", "who": "parent"}, {"call": "rename", "do": "EIO", "who": "parent"},
                  {"call": "write", "do": "ENOSPC", "who": "parent", "path": str(out)}):
        for number, ended in each_call(60, *words, "--set", "seed=2", "--force", "--out", out, prepare=start_again, **fault):
            assert ended.code != 0 and (ended.code < 0 or ended.said), (number, str(ended))
            assert ended.code < 0 or not leftovers(out), (number, str(ended), leftovers(out))
            now = {name: content for name, content in content_of(out).items() if ".tmp-" not in name}
            whole = is_whole(out)
            end = "refused" if not whole else "earlier" if now == before else "later"
            assert not whole or now in (before, after) or is_said_partial(out, now, after), (fault, number, "a mixture that looks complete")
            assert not plots or plot_takes(out, folder / "figures") == whole, (fault, number)
            ends[end] += 1
    assert ends["earlier"] > 0 and ends["refused"] > 0, ends
    good(*words, "--set", "seed=2", "--force", "--out", out)
    assert content_of(out) == after


def of_a_run(folder):
    over_earlier_results(folder, ("run", CONFIG), "--decisions")


def of_a_comparison(folder):
    over_earlier_results(folder, ("compare", CONFIG, "--policies", "fcfs,zeus"), "--summary-only")


def of_a_validation(folder):
    small = ("--set", "horizon=2h", "--set", "replications=1", "--quiet", "-t", "1")
    good("run", CONFIG, *small, "--out", folder / "log")
    over_earlier_results(folder, ("validate", "--measured", folder / "log/jobs.csv", "--scenario", CONFIG), plots=False,
                         small=small)


def of_an_ablation(folder):
    over_earlier_results(folder, ("ablate", CONFIG, "zeus", "pollux"), plots=False)


def of_a_search(folder):
    over_earlier_results(folder, ("tune", CONFIG, "--policy", "zeus", "--params", "edp_slack=1.5..2", "--objective",
                                  "energy_kwh", "--training-replications", "1"), plots=False)


def over_more_files(folder):
    """With --summary-only fewer files are written: the others go, or the folder is refused."""
    out = folder / "out"
    words = ("run", CONFIG, *SMALL, "--out", out)
    good(*words)
    ended = easim(*words, "--summary-only", "--force", call="unlink", at=1, do="EIO", path="jobs.csv")
    assert ended.code == 1 and "jobs.csv: cannot remove: Input/output error" in ended.said, ended
    assert not is_whole(out) and not plot_takes(out, folder / "figures")
    good(*words, "--summary-only", "--force")
    assert is_whole(out) and not (out / "jobs.csv").exists()


def an_unreadable_result(folder):
    """What cannot be hashed is not left out of the manifest."""
    out = folder / "out"
    for name in ("summary.csv", "scenario.yaml"):
        ended = easim("run", CONFIG, *SMALL, "--out", out, call="read", at=1, do="EIO", path=f"/out/{name}")
        assert ended.code == 1 and f"{name}: cannot read: Input/output error" in ended.said and ended.hits == 1, ended
        assert not (out / "manifest.json").exists()
        shutil.rmtree(out)


def on_the_disk_first(folder):
    """All files and folders of a result, those of its parts and those made for it are waited for before it has its manifest; what
    others write is not, as syncfs would."""
    for command in (("run", CONFIG), ("compare", CONFIG, "--policies", "fcfs,zeus", "--summary-only")):
        out = folder / f"new-{command[0]}" / "a" / "out"
        words = (*command, "--set", "horizon=1h", "-n", "1", "--quiet", "-t", "1", "--out", out)
        assert easim(*words, call="syncfs").calls == 0
        names = sorted(set(content_of(out)) - {"manifest.json"})
        parts = [path for path in out.iterdir() if path.is_dir()]
        assert (len(names), len(parts)) == ((8, 0) if command[0] == "run" else (15, 2)), (names, parts)
        shutil.rmtree(out.parent)
        # out itself and all folders above it, for they might be new
        assert easim(*words, call="fsync").calls == len(names) + len(parts) + len(out.parts)
        shutil.rmtree(out.parent)
        for name in names if parts else ("summary.csv", "scenario.yaml"):
            ended = easim(*words, call="fsync", at=1, do="EIO", path=out / name)
            assert ended.code == 1 and f"{name}: cannot write: Input/output error" in ended.said, (name, str(ended))
            assert ended.hits == 1 and not (out / "manifest.json").exists(), (name, str(ended))
            shutil.rmtree(out.parent)


if __name__ == "__main__":
    cases(of_a_run, of_a_comparison, of_a_validation, of_an_ablation, of_a_search, over_more_files, an_unreadable_result,
          on_the_disk_first)
