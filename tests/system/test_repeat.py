"""easim COMMAND DIR/manifest.json: test_repeat.py EASIM SOURCE POLICIES

A result names what made it: every file that was read, with the hash that sha256sum gives, and every override. Each is
changed in turn, and must change the manifest and be named when the command is repeated. Expected are the command's own
files, byte for byte.
"""
import csv
import functools
import hashlib
import json
import os
import re
import shutil
import signal
from pathlib import Path

from harness import FILES, SOURCE, cases, children, easim, interrupt, json_of, run, start, wait_for, works

(POLICIES,) = FILES
COMMANDS = {
    "run": ["configs/tiny.yaml", "--set", "cluster.power_cap_w={file: cap.csv}", "--policy", "plugins/own.so",
            "--decisions", "--meter", "47s", "--seed", "7"],
    "compare": ["configs/tiny.yaml", "--policies", "plugins/own.so,fcfs", "--baseline", "fcfs", "-n", "2", "--perturb",
                "sizes=0.2,noise", "--metrics", "energy_kwh", "--set", "workload={kind: poisson, rate_per_s: 0.01, "
                "until: 1h, sizes: {law: constant, mean: 20min}}"],
    "tune": ["configs/eas-sim.yaml", "--policy", "zeus", "--params", "edp_slack=1..3", "--objective", "energy_kwh",
             "--constraint", "throughput_jobs_per_h>=-20%", "--training-seed", "9", "--max-trials", "4", "-n", "2"],
    "ablate": ["configs/own.yaml", "zeus:tau=2h", "./plugins/own.so:tau=2h", "-n", "2"],
    "sweep": ["sweep.yaml", "--run-timeout", "60s"],
}
SWEEP = """\
name: repeated
base: configs/tiny.yaml
set: {seed: 3}
axes:
  - {path: policy.name, values: [zeus, plugins/own.so]}
  - {path: workload.file, values: [workloads/tiny.csv, more.csv]}
claims:
  - {name: c, metric: energy_kwh, of: {policy.name: zeus}, against: {policy.name: plugins/own.so}, sign: less}
"""


def make_tree(tree):
    """A project of its own: scenarios, models, logs, a series, a plug-in, a program and a sweep."""
    shutil.copytree(SOURCE / "configs" / "models", tree / "configs" / "models")
    for name in ("tiny.yaml", "eas-sim.yaml"):
        shutil.copy(SOURCE / "configs" / name, tree / "configs" / name)
    seed = (tree / "configs" / "eas-sim.yaml").read_text()
    own = seed.replace("policy: {name: pollux}", "policy: {name: zeus, params: {edp_slack: 3}}")
    assert own != seed
    (tree / "configs" / "own.yaml").write_text(own)
    shutil.copytree(SOURCE / "workloads", tree / "workloads")
    (tree / "plugins").mkdir()
    shutil.copy(POLICIES / "pollux.so", tree / "plugins" / "own.so")
    (tree / "cap.csv").write_text("time_s,power_w\n0,5000\n600,4000\n")
    rows = (tree / "workloads" / "tiny.csv").read_text().splitlines(keepends=True)
    (tree / "more.csv").write_text("".join(rows[:-1]))
    shutil.copy(SOURCE / "policies" / "exec" / "fcfs.py", tree / "decide.py")
    (tree / "sweep.yaml").write_text(SWEEP)
    return tree


class Place:
    """Runs easim in a tree with a TMPDIR of its own, which must be empty afterwards."""

    def __init__(self, folder):
        self.tree = make_tree(folder / "tree")
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.env = {**os.environ, "TMPDIR": str(self.scratch)}

    def easim(self, *words, code=0, cwd=None, **more):
        done = easim(*words, code=code, cwd=cwd or self.tree, env=self.env, **more)
        assert list(self.scratch.iterdir()) == []
        return done

    def make(self, command, out, *more):
        self.easim(command, *COMMANDS[command], "--out", out, "--quiet", *more)
        return json_of(self.tree / out / "manifest.json")

    def repeat(self, command, manifest, *more, code=0, trust=("--trust",)):
        """From a folder that has nothing to do with it. Most results here are of a module that is named by its path."""
        return self.easim(command, self.tree / manifest, *trust, *more, code=code, cwd="/")


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and "runs" not in path.parts}


def hash_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def every_command(place):
    """Each repeats to the same bytes; equal runs have equal manifests for any threads; hashes are those of SHA-256."""
    for command in COMMANDS:
        first, second = f"out/{command}-1", f"out/{command}-4"
        manifest = place.make(command, first, "--threads", "1")
        place.make(command, second, "--threads", "4")
        assert files_of(place.tree / first) == files_of(place.tree / second), command
        assert manifest["command"] == command and manifest["inputs"] and manifest["files"]
        for file in manifest["inputs"] + [{**r, "path": r["file"]} for r in manifest["results"] + [manifest["scenario"]]]:
            path = place.tree / first / file["path"]
            assert not os.path.isabs(file["path"])
            assert (path.stat().st_size, hash_of(path)) == (file["bytes"], file["sha256"]), file
        assert [result["file"] for result in manifest["results"]] == manifest["files"]
        done = place.repeat(command, f"{first}/manifest.json")
        assert (done.stdout, done.stderr) == ("equal\n", ""), (command, done.stdout, done.stderr)
        known = command == "tune"
        done = place.repeat(command, f"{first}/manifest.json", code=0 if known else 2, trust=())
        said = ("equal\n", "") if known else ("", f"easim: {place.tree}/{first}: would load {place.tree}/plugins/own.so; "
                                              "add --trust if you trust its author\n")
        assert (done.stdout, done.stderr) == said, (command, done.stdout, done.stderr)
        text = (place.tree / first / "manifest.json").read_text()
        assert str(place.tree) not in text and '"/' not in text, text  # no absolute path


def all_inputs_are_named(place):
    """By key, the files that each command reads."""
    def inputs(command):
        manifest = json_of(place.tree / f"out/{command}-1/manifest.json")
        return {(i["key"], os.path.normpath(i["path"])[len("../../"):]) for i in manifest["inputs"] if "name" not in i}, \
               {(i["name"], i["sha256"]) for i in manifest["inputs"] if "name" in i}
    models, own = ("models", "configs/models/eas-sim.yaml"), ("policy.name", "plugins/own.so")
    zeus, fcfs = ((name, hash_of(POLICIES / f"{name}.so")) for name in ("zeus", "fcfs"))
    tiny, seed = ("scenario", "configs/tiny.yaml"), ("scenario", "configs/eas-sim.yaml")
    log = ("workload.file", "workloads/tiny.csv")
    assert inputs("run") == ({tiny, models, log, own, ("cluster.power_cap_w.file", "cap.csv")}, set())
    assert inputs("compare") == ({tiny, models, own}, {fcfs})
    assert inputs("tune") == ({seed, models}, {zeus})
    assert inputs("ablate") == ({("scenario", "configs/own.yaml"), models, own}, {zeus})
    assert inputs("sweep") == ({("sweep", "sweep.yaml"), ("base", "configs/tiny.yaml"), models, own, log,
                                ("workload.file", "more.csv")}, {zeus})


def overrides_and_scenario(place):
    """Overrides are in the manifest and applied in scenario.yaml, which alone gives the same files."""
    manifest = json_of(place.tree / "out/run-1/manifest.json")
    assert manifest["overrides"] == {"policy": "plugins/own.so", "set": ["cluster.power_cap_w={file: cap.csv}", "seed=7"]}
    assert manifest["options"] == ["--decisions", "--meter=47s"]
    text = (place.tree / "out/run-1/scenario.yaml").read_text()
    for line in ("seed: 7", '  name: "../../plugins/own.so"', '    file: "../../cap.csv"',
                 '  file: "../../workloads/tiny.csv"', "  - name: vit-base-fp32"):
        assert f"{line}\n" in text, (line, text)
    place.easim("run", place.tree / "out/run-1/scenario.yaml", "--decisions", "--meter", "47s", "--out", place.scratch.parent / "again", "-q",
                cwd="/")
    for name in manifest["files"]:
        assert (place.scratch.parent / "again" / name).read_bytes() == (place.tree / "out/run-1" / name).read_bytes()
    plain = place.make("run", "out/other-seed", "--seed", "8")
    assert plain["overrides"]["set"][-1] == "seed=8" and plain["config_hash"] != manifest["config_hash"]
    assert json_of(place.tree / "out/compare-1/manifest.json")["options"] == [
        "--policies=plugins/own.so,fcfs", "--baseline=fcfs", "--perturb=sizes=0.2,noise", "--metrics=energy_kwh"]


def changed(place, name, command="run", says="", **more):
    """The file gets another byte at its end: one hash of a new manifest differs, and the repetition names it. A module that was
    trusted is refused."""
    if name.endswith(".so"):
        says, more = "; --trust runs only what was recorded", {"code": 2}
    path = place.tree / name
    before = path.read_bytes()
    old = json_of(place.tree / f"out/{command}-1/manifest.json")["inputs"]
    path.write_bytes(before + b"\n")
    done = place.repeat(command, f"out/{command}-1/manifest.json", **more)
    hashes = f"SHA-256 was {hashlib.sha256(before).hexdigest()}, is {hash_of(path)}"
    assert f"{name} has changed: {hashes}{says}\n" in done.stderr, (name, done.stderr)
    new = place.make(command, "out/changed", "--force" if command != "sweep" else "--retry-failed")["inputs"]
    assert [i["path"] for i, j in zip(old, new) if i != j] == [i["path"] for i in old if i["path"].endswith(name)], name
    shutil.rmtree(place.tree / "out/changed")
    path.write_bytes(before)
    return done


def changed_inputs(place):
    kept = "; scenario.yaml has its contents"
    for name, says in (("configs/tiny.yaml", kept), ("configs/models/eas-sim.yaml", kept), ("workloads/tiny.csv", ""),
                       ("cap.csv", ""), ("plugins/own.so", "")):
        assert changed(place, name, says=says).stdout == ("" if ".so" in name else "equal\n")
    for name in ("sweep.yaml", "configs/tiny.yaml", "configs/models/eas-sim.yaml", "more.csv", "plugins/own.so"):
        assert changed(place, name, "sweep").stdout == ("" if ".so" in name else "equal\n")
    for command, name in (("compare", "plugins/own.so"), ("tune", "configs/models/eas-sim.yaml"), ("ablate", "plugins/own.so")):
        changed(place, name, command, says=kept if "models" in name else "")
    log = place.tree / "workloads/tiny.csv"
    before = log.read_text()
    log.write_text("".join(before.splitlines(keepends=True)[:-1]))
    done = place.repeat("run", "out/run-1/manifest.json", code=1)
    log.write_text(before)
    lines = done.stdout.splitlines()
    assert "differs: jobs.csv" in lines and lines[-1] == "changed input: ../../workloads/tiny.csv", lines


def policies_by_name(place):
    """One that its name finds here no more is taken from where it was if that is trusted and still the same."""
    found, env = place.tree / "found", place.env
    found.mkdir()
    shutil.copy(POLICIES / "fcfs.so", found / "mine.so")
    place.env = {**env, "EASIM_POLICY_PATH": str(found)}
    place.easim("run", "configs/tiny.yaml", "--policy", "mine", "--out", "out/mine", "-q")
    place.easim("sweep", "sweep.yaml", "--out", "out/named", "-q")
    assert place.repeat("run", "out/mine/manifest.json", trust=()).stdout == "equal\n"
    assert place.repeat("sweep", "out/named/manifest.json", trust=(), code=2).stdout == ""  # of own.so
    place.env = {**env, "EASIM_POLICY_PATH": "../found"}  # relative to this folder, not to one that a manifest names
    (place.tree / "here").mkdir()
    assert place.easim("run", "../out/mine/manifest.json", cwd=place.tree / "here").stdout == "equal\n"
    (place.tree / "here").rmdir()
    place.env = env
    said = place.repeat("run", "out/mine/manifest.json", trust=(), code=2).stderr
    assert said == (f"easim: {place.tree}/out/mine: would load {place.tree}/out/mine/../../found/mine.so; "
                    "add --trust if you trust its author\n"), said
    assert place.repeat("run", "out/mine/manifest.json").stdout == "equal\n"
    with open(found / "mine.so", "ab") as file:
        file.write(b"\n")
    for trust in ((), ("--trust",)):
        said = place.repeat("run", "out/mine/manifest.json", code=2, trust=trust).stderr
        assert "found/mine.so has changed" in said and said.count("\n") == 2 - len(trust), said
    shutil.copy(POLICIES / "zeus.so", found / "fcfs.so")  # what is known is another now, and what it was is gone
    place.easim("run", "configs/tiny.yaml", "--policy", "fcfs", "--out", "out/known", "-q")
    manifest = place.tree / "out/known/manifest.json"
    manifest.write_text(manifest.read_text().replace(hash_of(POLICIES / "fcfs.so"), hash_of(place.tree / "cap.csv")))
    said = place.repeat("run", "out/known/manifest.json", trust=())
    assert said.stdout == "equal\n" and "fcfs.so has changed" in said.stderr, said
    (found / "fcfs.so").unlink()
    (found / "mine.so").rename(found / "gone.so")
    assert "found/mine.so is missing\n" in place.repeat("run", "out/mine/manifest.json", code=2).stderr
    place.env = {**env, "EASIM_POLICY_PATH": str(found)}
    shutil.copy(POLICIES / "zeus.so", found / "zeus.so")
    with open(found / "zeus.so", "ab") as file:
        file.write(b"\n")  # another module of that name: its points are to be run again, no others
    listed = place.easim("sweep", "sweep.yaml", "--out", "out/named", "--list").stdout.splitlines()
    assert [row["state"] for row in csv.DictReader(listed)] == ["missing", "missing", "done", "done"], listed
    place.env = env
    shutil.rmtree(found)


def params_of_others(place):
    """Parameters of a policy that only the comparison knows, by its path, do not hinder a run of another alone."""
    shutil.copy(SOURCE / "policies" / "pollux.c", place.tree / "alien.c")
    source = (place.tree / "alien.c").read_text().replace('"pollux"', '"alien"')
    (place.tree / "alien.c").write_text(source)
    run("cc", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{SOURCE / 'include'}", "-o", "alien.so", "alien.c", "-lm",
        cwd=place.tree)
    place.easim("compare", "configs/tiny.yaml", "--policies", "./alien.so,zeus", "--set",
                "params_by_policy={alien: {tau: 2h}, zeus: {tau: 3h}}", "--out", "out/alien", "-q")
    for command, folder in (("compare", ""), ("run", "alien/"), ("run", "zeus/")):
        assert place.repeat(command, f"out/alien/{folder}manifest.json").stdout == "equal\n"
    text = (place.tree / "out/alien/zeus/scenario.yaml").read_text()
    assert 'tau: "3h"' in text and "alien" not in text


def programs(place):
    """Words of a command that name files; it is repeated in the folder in which they are names."""
    place.easim("run", "configs/tiny.yaml", "--policy", "exec", "--set", "policy.params.command=python3 './decide.py'",
                "--out", "out/exec", "-q")
    manifest = json_of(place.tree / "out/exec/manifest.json")
    assert [(i["path"], i["sha256"]) for i in manifest["inputs"] if i["key"] == "policy.params.command"] == [
        ("../../decide.py", hash_of(place.tree / "decide.py"))]
    assert place.repeat("run", "out/exec/manifest.json").stdout == "equal\n"
    with open(place.tree / "decide.py", "a", encoding="utf-8") as file:
        file.write("# another\n")
    done = place.repeat("run", "out/exec/manifest.json", code=2)
    assert done.stdout == "" and "input ../../decide.py has changed" in done.stderr and "only what was recorded" in done.stderr


def other_words(place):
    """Options that easim records none of would reach beyond the results."""
    for command, word in (("sweep", "--engine=slurm"), ("sweep", "--sbatch=--wrap=true"), ("sweep", "--eng=slurm"), ("run", "-f"),
                          ("run", "--out=/tmp"), ("run", "--trust"), ("run", "--")):
        path = place.tree / f"out/{command}-1/manifest.json"
        text = path.read_text()
        path.write_text(json.dumps({**json.loads(text), "options": [word]}))
        said = place.repeat(command, path, code=2).stderr
        path.write_text(text)
        assert said.endswith(f"damaged manifest: easim {command} records no option {word.split('=')[0]}\n"), said


def quoted_words(place):
    """Each way of POSIX XCU 2.2 to write a file name with a blank names that file; so do the words within sh -c '...'."""
    (place.tree / "a b.txt").write_text("blank\n")
    for number, word in enumerate(('"a b.txt"', "'a b.txt'", "a\\ b.txt", "a\" \"b.'txt'")):
        out, name = f"out/word-{number}", "a b.txt"
        for command in (f"python3 decide.py {word}", f"sh -c 'exec python3 decide.py cap.csv' {word}"):
            place.easim("run", "configs/tiny.yaml", "--policy", "exec", "--set",
                        "policy.params.command=" + json.dumps(command), "--out", out, "-q", "--force")
            manifest = json_of(place.tree / out / "manifest.json")
            named = {i["path"] for i in manifest["inputs"] if i["key"] == "policy.params.command"}
            assert named == {"../../decide.py", f"../../{name}"} | ({"../../cap.csv"} if "sh -c" in command else set()), (
                command, named)


def names_like_numbers(place):
    """Text keeps its letters in scenario.yaml, in quotes; numbers are written as numbers, for readers of YAML 1.1."""
    text = (place.tree / "configs/models/eas-sim.yaml").read_text()
    scenario = (place.tree / "configs/tiny.yaml").read_text()
    (place.tree / "configs/models/odd.yaml").write_text(text.replace("a100", "5e1").replace("vit-base-fp32", "1.5e3"))
    odd = scenario.replace("a100", "5e1").replace("eas-sim.yaml", "odd.yaml").replace("vit-base-fp32", "1.5e3")
    start = odd.index("workload:")
    end = odd.index("policy:")
    odd = odd[:start] + ("workload: {kind: poisson, rate_per_s: 1e-2, until: {jobs: 20}, mix: [{model: 1.5e3, weight: 1e0}], "
                         "users: [1e-9, 1.50, true, u], sizes: {law: constant, mean: 20min}}\n") + odd[end:]
    (place.tree / "configs/odd.yaml").write_text(odd)
    place.easim("run", "configs/odd.yaml", "--out", "out/odd", "-q")
    written = (place.tree / "out/odd/scenario.yaml").read_text()
    for line in ('"5e1"', 'model: "1.5e3"', 'name: "1.5e3"', '- "1e-9"', '- "1.50"', '- "true"', "- u", "rate_per_s: 0.01"):
        assert f"{line}\n" in written or f"{line}:\n" in written, (line, written)
    done = place.repeat("run", "out/odd/manifest.json")
    assert (done.stdout, done.stderr) == ("equal\n", ""), done
    place.easim("run", "out/odd/scenario.yaml", "--out", "out/odd2", "-q")
    assert (place.tree / "out/odd2/jobs.csv").read_bytes() == (place.tree / "out/odd/jobs.csv").read_bytes()


def results_for_scenarios(place):
    """A manifest that is not there, one where a scenario is wanted, and a folder of results: one line each."""
    for command in ("run", "sweep", "compare", "tune", "ablate"):
        done = place.easim(command, "nope/manifest.json", code=2)
        assert "nope/manifest.json: cannot open" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    for command in ("check", "gen"):
        done = place.easim(command, "out/run-1/manifest.json", code=2)
        assert done.stderr == (f"easim {command}: out/run-1/manifest.json is the manifest of results, the scenario is "
                               "out/run-1/scenario.yaml\n"), done.stderr
    for command, name in (("run", "out/run-1"), ("check", "out/run-1/"), ("compare", "out/compare-1")):
        done = place.easim(command, name, code=2)
        assert done.stderr == (f"easim {command}: {name} is a folder of results: {name.rstrip('/')}/manifest.json repeats "
                               f"it, {name.rstrip('/')}/scenario.yaml is the scenario\n"), done.stderr


def time_zones(place):
    """The file of a zone is an input too, by its absolute path; one that is another day's is named on repeating."""
    zones = place.tree / "zones"
    zones.mkdir()
    shutil.copy("/usr/share/zoneinfo/Asia/Tokyo", zones / "Here")
    (place.tree / "log.csv").write_text("timestamp,duration,num_gpus,gpu_time,cluster\n2017-11-05 01:17:02,66.0,1,66.0,a\n")
    scenario = (place.tree / "configs/tiny.yaml").read_text()
    (place.tree / "configs/zone.yaml").write_text(
        scenario[:scenario.index("workload:")] + "policy: {name: fcfs}\n"
        "workload: {kind: trace, format: philly, file: ../log.csv, time_zone: Here}\n")
    place.env["TZDIR"] = str(zones)
    place.easim("run", "configs/zone.yaml", "--out", "out/zone", "-q")
    manifest = json_of(place.tree / "out/zone/manifest.json")
    assert [(i["path"], i["sha256"]) for i in manifest["inputs"] if i["key"] == "time_zone"] == [
        (str(zones / "Here"), hash_of(zones / "Here"))], manifest["inputs"]
    assert place.repeat("run", "out/zone/manifest.json").stdout == "equal\n"
    shutil.copy("/usr/share/zoneinfo/Asia/Seoul", zones / "Here")
    done = place.repeat("run", "out/zone/manifest.json")  # one job, whose submission is t = 0 in any zone
    assert done.stdout == "equal\n" and f"input {zones / 'Here'} has changed" in done.stderr, done
    del place.env["TZDIR"]


def standard_input(place):
    text = (place.tree / "configs/tiny.yaml").read_text().replace("models/", "configs/models/").replace("../", "")
    place.easim("run", "-", "--set", "seed=3", "--out", "out/stdin", "-q", input=text)
    place.easim("compare", "-", "--policies", "zeus,fcfs", "--out", "out/stdin-compare", "-q", input=text)
    assert place.repeat("run", "out/stdin/manifest.json").stdout == "equal\n"
    assert place.repeat("compare", "out/stdin-compare/manifest.json").stdout == "equal\n"


NOT_OF_MANIFEST = "its SHA-256 is not that in the manifest: the file or the manifest was changed"


def changed_results(place):
    """A byte by hand, a file lost, in the folder itself and in one below: nothing is run, every such file is named."""
    for command, name in (("run", "jobs.csv"), ("compare", "fcfs/power.csv"),
                          ("compare", "perturbed/noise/fcfs/summary.csv"), ("tune", "tuned.yaml"), ("ablate", "cells.csv"),
                          ("sweep", "claims.csv")):
        path = place.tree / f"out/{command}-1" / name
        before = path.read_bytes()
        path.write_bytes(before[:-2] + bytes([before[-2] ^ 1]) + before[-1:])
        done = place.repeat(command, f"out/{command}-1/manifest.json", code=1)
        assert done.stdout == f"damaged: {name} ({NOT_OF_MANIFEST})\n", done.stdout
        says = f"out/{command}-1 differ from their manifest, so easim does not repeat them\n"
        assert says in done.stderr, done.stderr
        path.unlink()
        done = place.repeat(command, f"out/{command}-1/manifest.json", code=1)
        assert done.stdout == f"damaged: {name} (it is missing)\n" and says in done.stderr, done
        path.write_bytes(before)
    paths = [place.tree / "out/compare-1" / name for name in ("compare.csv", "fcfs/jobs.csv", "fcfs/manifest.json")]
    before = [path.read_bytes() for path in paths]
    for path in paths:
        path.write_bytes(path.read_bytes()[:-20])
    done = place.repeat("compare", "out/compare-1/manifest.json", "--out", "again", code=1)
    assert [line.split(" (")[0] for line in done.stdout.splitlines()] == [
        "damaged: compare.csv", "damaged: fcfs/manifest.json"], done.stdout
    assert not (place.tree / "again").exists() and "wrote" not in done.stdout
    for path, data in zip(paths, before):
        path.write_bytes(data)


def changed_hashes(place):
    """A hash of a result in the manifest that is not that of the file, though the repetition gives the same file."""
    for command, folder in (("run", "out/run-1"), ("compare", "out/compare-1/fcfs"), ("sweep", "out/sweep-1")):
        path = place.tree / folder / "manifest.json"
        before = path.read_text()
        manifest = json.loads(before)
        name, right = manifest["results"][-1]["file"], manifest["results"][-1]["sha256"]
        path.write_text(before.replace(right, right[::-1]))
        done = place.repeat(command, f"out/{command}-1/manifest.json", code=1)
        inner = "fcfs/" if command == "compare" else ""
        assert done.stdout == f"damaged: {inner}{name} ({NOT_OF_MANIFEST})\n", done.stdout
        path.write_text(before)


def changed_points(place):
    """The files of single points, which sweep.csv is joined of: a figure, the hash of the inputs, a lost file, notes."""
    folder = place.tree / "out/sweep-1"
    path, = (folder / "runs").iterdir()
    whole = path.read_text()
    blocks = re.split(r"(?m)^(?=run,)", whole)[1:]
    assert len(blocks) == 4
    block = next(text for text in blocks if text.split(",")[5] != "0")
    point = block.split(",")[1]
    lines = block.splitlines(keepends=True)
    row, note = lines[-1], lines[1]
    figure = row[:-2] + ("0" if row[-2] != "0" else "1") + "\n"
    twice = block.replace(row, row + row).replace(f",{len(row)},", f",{2 * len(row)},", 1)
    for spoilt in (block.replace(row, figure), block.replace(row, "0" + row), twice,
                   block.replace(note, note.replace("1", "2")), ""):
        assert spoilt != block
        path.write_text(whole.replace(block, spoilt))
        done = place.repeat("sweep", "out/sweep-1/manifest.json", code=1)
        assert done.stdout == f"differs: run {point}\n", done.stdout
    other = block.replace(point, "0123456789abcdef", 1)  # of a point that the sweep once had
    path.write_text(whole + other)
    assert place.repeat("sweep", "out/sweep-1/manifest.json").stdout == "equal\n"
    path.write_text(whole)


def missing_inputs(place):
    """What scenario.yaml holds is not needed; what is not there is named before anything runs."""
    for name, needed in (("configs/tiny.yaml", False), ("configs/models/eas-sim.yaml", False), ("cap.csv", True),
                         ("workloads/tiny.csv", True), ("plugins/own.so", True), ("out/run-1/scenario.yaml", True)):
        path = place.tree / name
        path.rename(path.with_suffix(".gone"))
        done = place.repeat("run", "out/run-1/manifest.json", code=2 if needed else 0)
        assert "is missing" in done.stderr and Path(name).name in done.stderr, done.stderr
        assert done.stdout == ("" if needed else "equal\n")
        path.with_suffix(".gone").rename(path)
    path = place.tree / "more.csv"
    path.rename(place.tree / "gone.csv")
    assert "input ../../more.csv is missing\n" in place.repeat("sweep", "out/sweep-1/manifest.json", code=2).stderr
    (place.tree / "gone.csv").rename(path)


def bad_manifests(place):
    good = (place.tree / "out/run-1/manifest.json").read_text()
    bad = place.tree / "out/run-1/bad.json"
    lines = good.count("\n")
    without = json.loads(good)
    del without["inputs"]
    old = json.loads(good)
    del old["command"]
    unknown = {**json.loads(good), "command": "dream"}
    for text, message in ((good[:-3], f"bad.json:{lines - 1}:4: damaged manifest"), (good + "x", f"bad.json:{lines + 1}:1: damaged manifest"),
                          (json.dumps(without), 'bad.json: damaged manifest: key "inputs" is missing or wrong'),
                          (json.dumps(old), "kept no inputs in its manifests: it cannot be repeated"),
                          (json.dumps(unknown), "was written by another command: easim dream ")):
        bad.write_text(text)
        done = place.repeat("run", "out/run-1/bad.json", code=2)
        assert message in done.stderr and done.stderr.count("\n") == 1, (message, done.stderr)
    bad.unlink()
    foreign = place.tree / "foreign"
    foreign.mkdir()
    for text, message in (("", "damaged manifest"), ('{"name": "web app", "icons": []}', "not a manifest of easim"),
                          ("[1]", "not a manifest of easim")):
        (foreign / "manifest.json").write_text(text)
        assert message in place.repeat("run", "foreign/manifest.json", code=2).stderr
    done = place.repeat("run", "out/tune-1/manifest.json", code=2)
    assert "was written by another command: easim tune " in done.stderr, done.stderr
    done = place.repeat("run", "out/run-1/manifest.json", "--set", "seed=8", code=2)
    assert done.stderr.startswith("easim run: --set: ") and "scenario.yaml" in done.stderr, done.stderr
    assert place.repeat("run", "out/run-1/manifest.json", "-?").stdout.startswith("Usage: easim run ")
    done = place.repeat("sweep", "out/sweep-1/manifest.json", "--force", code=2)
    assert done.stderr.startswith("easim sweep: --force: not with a sweep"), done.stderr
    copy = place.tree / "copied.txt"  # recognised by what is in it
    copy.write_text(good)
    assert "is missing" in place.repeat("run", "copied.txt", code=2).stderr
    (place.tree / "out/run-1/named.txt").write_text(good)
    assert place.repeat("run", "out/run-1/named.txt").stdout == "equal\n"


def versions(place):
    path = place.tree / "out/run-1/manifest.json"
    before = path.read_text()
    path.write_text(before.replace('"easim_version":\t"', '"easim_version":\t"0.0.'))
    done = place.repeat("run", "out/run-1/manifest.json")
    assert done.stdout == "equal\n" and done.stderr.startswith("easim run: recorded by easim 0.0."), done.stderr
    path.write_text(before)


def kept_results(place):
    """--out keeps the files; they repeat too, and a folder in use is not written into."""
    again = place.scratch.parent / "kept" / "run"
    assert place.repeat("run", "out/run-1/manifest.json", "--out", again).stdout == "equal\n"
    assert place.easim("run", again / "manifest.json", "--trust").stdout == "equal\n"
    assert "not empty" in place.repeat("run", "out/run-1/manifest.json", "-o", again, code=2).stderr
    assert place.repeat("run", "out/run-1/manifest.json", "-o", again, "--force", "-t", "2", "-q").stdout == "equal\n"
    assert place.easim("compare", "out/compare-1/manifest.json", "--trust", "--out", "beside").stdout == "equal\n"
    assert (place.tree / "beside/compare.csv").exists()


def moved(place):
    """The whole tree elsewhere, and through a link; results alone elsewhere miss what they name."""
    place.tree = place.tree.rename(place.tree.parent / "moved")
    for command in COMMANDS:
        assert place.repeat(command, f"out/{command}-1/manifest.json").stdout == "equal\n"
    link = place.tree.parent / "link"
    link.symlink_to(place.tree / "out" / "run-1")
    assert place.easim("run", link / "manifest.json", "--trust").stdout == "equal\n"
    shutil.copytree(place.tree / "out/run-1", place.tree / "deeper/out/run-1")
    done = place.repeat("run", "deeper/out/run-1/manifest.json", code=2)
    assert "input ../../workloads/tiny.csv is missing\n" in done.stderr, done.stderr


def interrupted(place):
    """^C at the terminal, and SIGTERM to easim alone: exit 130, and nothing remains."""
    path = place.tree / "out/tune-1/scenario.yaml"
    path.write_text(path.read_text().replace("replications: 2\n", "replications: 1000000\n"))
    for number in (signal.SIGINT, signal.SIGTERM):
        process = start("tune", place.tree / "out/tune-1/manifest.json", env=place.env)
        wait_for("its repetition simulates", lambda: any(works(child) for child in children(process.pid)), process)
        assert list(place.scratch.iterdir())
        out, errors = interrupt(process, number)
        assert out == "" and "interrupted" in errors, (out, errors)
        assert "scenario.yaml has changed" in errors and list(place.scratch.iterdir()) == []


cases(every_command, all_inputs_are_named, overrides_and_scenario, changed_inputs, policies_by_name, params_of_others, programs,
      other_words, quoted_words, names_like_numbers, results_for_scenarios, time_zones, standard_input, changed_results, changed_hashes,
      changed_points, missing_inputs, bad_manifests, versions, kept_results, moved, interrupted, shared=True, place=functools.cache(Place))
