"""Inputs that are replaced or overwritten while a command is at work: its results are of the one content or of the other,
whole, or it ends and names the file. No point of a sweep fails for it."""
import csv
import os
import shutil

from faults import each_call, easim, good, paused
from harness import SOURCE, cases
from test_force import content_of

MOST = 24  # places at which a file is replaced, of each command
REPLACED = "changed while it was in use: the results would be of two contents"


class Inputs:
    """A scenario and its models in a folder, in an old and a new form."""

    def __init__(self, folder):
        self.folder, self.scenario, self.models = folder, folder / "scenario.yaml", folder / "models" / "eas-sim.yaml"
        shutil.copytree(SOURCE / "configs/models", folder / "models")
        text = (SOURCE / "configs/eas-sim.yaml").read_text(encoding="utf-8")
        models = self.models.read_text(encoding="utf-8")
        self.forms = {self.scenario: (text, text.replace("seed: 1", "seed: 2")),
                      self.models: (models, models.replace("gamma: 2\n", "gamma: 3\n"))}
        assert all(old != new for old, new in self.forms.values())
        self.scenario.write_text(text, encoding="utf-8")

    def write(self, path, form, in_place=False):
        text = self.forms[path][form]
        if in_place:
            path.write_text(text, encoding="utf-8")
        else:
            (self.folder / "next").write_text(text, encoding="utf-8")
            os.replace(self.folder / "next", path)


def replaced_at_each_open(folder, words, seen=lambda out: content_of(out)):
    """Both files, at each of their openings, by rename and in place in turn. seen: what is compared of the results."""
    inputs, out = Inputs(folder), folder / "out"
    for path in inputs.forms:
        whole = []
        for form in (0, 1):
            inputs.write(path, form)
            good(*words(inputs, out))
            whole.append(seen(out))
            shutil.rmtree(out)
        inputs.write(path, 0)
        opens = easim(*words(inputs, out), call="open", path=path.name).calls
        shutil.rmtree(out)
        ends = {"old": 0, "new": 0, "named": 0}
        for number in range(1, opens + 1) if opens <= MOST else sorted({1 + i * (opens - 1) // (MOST - 1) for i in range(MOST)}):
            inputs.write(path, 0)
            ended = paused(lambda number=number, path=path: inputs.write(path, 1, in_place=number % 2 == 0),
                           *words(inputs, out), call="open", path=path.name, at=number)
            if ended.code == 0:
                ends["old" if seen(out) == whole[0] else "new"] += 1
                assert seen(out) in whole, (number, str(ended))
            else:
                assert ended.code in (1, 2) and f"{path}: {REPLACED}" in ended.said, (number, str(ended))
                assert not (out / "manifest.json").exists() and not list(out.glob("failures.csv")), (number, str(ended))
                ends["named"] += 1
            shutil.rmtree(out, ignore_errors=True)
        inputs.write(path, 0)
        assert ends["named"] > 0, (path, ends)


SMALL = ("-n", "2", "--set", "horizon=1h", "--quiet", "-t", "2")


def in_a_run(folder):
    replaced_at_each_open(folder, lambda inputs, out: ("run", inputs.scenario, *SMALL, "--out", out))


def in_a_comparison(folder):
    replaced_at_each_open(folder, lambda inputs, out: ("compare", inputs.scenario, "--policies", "fcfs,zeus", "--perturb",
                                                       "arrivals=0.1", *SMALL, "--out", out))


def in_an_ablation(folder):
    replaced_at_each_open(folder, lambda inputs, out: ("ablate", inputs.scenario, "zeus", "pollux", *SMALL, "--out", out))


def in_a_search(folder):
    """Over a value of the scenario, which is loaded again for each trial."""
    replaced_at_each_open(folder, lambda inputs, out: (
        "tune", inputs.scenario, "--policy", "zeus", "--params", "cluster.nodes[0].gpus=1..2", "--objective", "energy_kwh",
        "--max-trials", "4", *SMALL, "--out", out))


SWEEP = "name: inputs\nbase: scenario.yaml\nset: {{replications: 1, horizon: 1h}}\naxes:\n  - {{path: seed, values: [{}]}}\n"


def in_a_sweep(folder):
    sweep = folder / "sweep.yaml"
    sweep.write_text(SWEEP.format("0.001, 0.002, 0.003, 0.004").replace("seed,", "workload.rate_per_s,"), encoding="utf-8")
    replaced_at_each_open(folder, lambda inputs, out: ("sweep", sweep, "--quiet", "-t", "2", "--out", out),
                          lambda out: (out / "sweep.csv").read_bytes())


def states(sweep, out):
    return [row["state"] for row in csv.DictReader(good("sweep", sweep, "--out", out, "--list").out.splitlines())]


def what_a_sweep_keeps(folder):
    """Points that were done before a file changed are done again with the old content, and only with it."""
    inputs, sweep, out = Inputs(folder), folder / "sweep.yaml", folder / "out"
    sweep.write_text(SWEEP.format(", ".join(map(str, range(10)))), encoding="utf-8")
    words = ("sweep", sweep, "--quiet", "-t", "1", "--isolate", "always", "--out", out)
    for change in (lambda: inputs.write(inputs.models, 1), lambda: inputs.models.write_text("models: [", encoding="utf-8"),
                   inputs.models.unlink, lambda: inputs.models.write_text("", encoding="utf-8")):
        inputs.write(inputs.models, 0)
        ended = paused(change, *words, call="fork", who="parent", at=5)  # one looks at what there is to do
        assert ended.code == 1 and f"{inputs.models}: {REPLACED}" in ended.said, ended
        assert not (out / "sweep.csv").exists() and not (out / "failures.csv").exists()
        inputs.write(inputs.models, 0)
        assert sorted(set(states(sweep, out))) == ["done", "missing"] and states(sweep, out).count("done") == 3, states(sweep, out)
        inputs.write(inputs.models, 1)
        assert set(states(sweep, out)) == {"missing"}
        shutil.rmtree(out)


def programs_of_policies(folder):
    """A module and a program that are replaced while replications run: of two there are no results."""
    inputs = Inputs(folder)
    program = folder / "decide.py"
    shutil.copy(SOURCE / "policies/exec/fcfs.py", program)
    text = program.read_bytes()
    out = folder / "out"
    words = (inputs.scenario, "-n", "4", "--set", "horizon=1h", "--set", f"policy.params.command=python3 {program}", "--quiet",
             "-t", "1", "--isolate", "always", "--out", out)
    for command in (("run", *words, "--policy", "exec"),):
        program.write_bytes(text)
        ended = paused(lambda: program.write_bytes(text + b"\n"), *command, call="fork", who="parent", at=3)
        assert ended.code == 1 and f"{program}: {REPLACED}" in ended.said, ended
        assert not out.exists(), ended
        program.write_bytes(text)
        ended = paused(lambda: program.write_bytes(text), *command, call="fork", who="parent", at=3)  # touched, but the same
        assert ended.code == 0, ended
        shutil.rmtree(out)


def read_again(folder):
    """Each opening of the scenario and of its models that fails, the last one for scenario.yaml among them: the same results,
    or the file is named and there are none."""
    inputs, out = Inputs(folder), folder / "out"
    (folder / "sweep.yaml").write_text("name: s\nbase: scenario.yaml\nset: {horizon: 1h, replications: 1}\n"
                                       "axes: [{path: policy.name, values: [fcfs, zeus]}]\n", encoding="utf-8")
    few = ("-n", "1", "--set", "horizon=1h", "--quiet", "-t", "1", "--out", out)
    for words in (("run", inputs.scenario, *few), ("compare", inputs.scenario, "--policies", "fcfs,zeus", *few),
                  ("ablate", inputs.scenario, "zeus", "pollux", *few),
                  ("tune", inputs.scenario, "--policy", "zeus", "--params", "tau", "--objective", "energy_kwh", *few),
                  ("sweep", folder / "sweep.yaml", "--quiet", "-t", "1", "--out", out)):
        good(*words)
        whole = content_of(out)
        for path in inputs.forms:
            told = 0
            for number, ended in each_call(5, *words, prepare=lambda: shutil.rmtree(out, ignore_errors=True), call="open",
                                           path=path, do="EMFILE" if words[0] == "sweep" else "EACCES"):
                if ended.code == 0:
                    assert content_of(out) == whole, (number, str(ended))
                else:
                    assert ended.code in (1, 2) and path.name in ended.said, (number, str(ended))
                    assert not (out / "manifest.json").exists(), (number, str(ended))
                    told += 1
            assert told > 0, (words, path)
        shutil.rmtree(out, ignore_errors=True)


def in_worlds(folder):
    """Each world reads the scenario again: a file that was replaced meanwhile ends the comparison."""
    inputs, out = Inputs(folder), folder / "out"
    worlds = ("model_overrides: [{set: {p0_share: 0.3}}]\nuncertainty:\n  worlds: 3\n  parameters:\n"
              "    - {group: floor, path: \"model_overrides[0].set.p0_share\", law: {uniform: [0.2, 0.4]}}\n")
    inputs.scenario.write_text(inputs.forms[inputs.scenario][0] + worlds, encoding="utf-8")
    words = ("compare", inputs.scenario, "--policies", "fcfs,zeus", *SMALL, "--out", out)
    good(*words)
    opens = easim(*words, "--force", call="open", path=inputs.models.name).calls
    shutil.rmtree(out)
    ended = paused(lambda: inputs.write(inputs.models, 1), *words, call="open", path=inputs.models.name, at=opens - 3)
    assert ended.code == 1 and f"{inputs.models}: {REPLACED}" in ended.said and not (out / "manifest.json").exists(), ended


def in_a_validation(folder):
    """The validation, its data, its scenario and models: replaced before their own reading they count, while it runs they end it."""
    inputs, out, validation, data = Inputs(folder), folder / "out", folder / "v.yaml", folder / "jobs.csv"
    good("run", inputs.scenario, "-n", "1", "--set", "horizon=1h", "--quiet", "--out", folder / "run")
    shutil.copy(folder / "run/jobs.csv", data)
    validation.write_text("name: v\nsource: x\nkind: policy\nphysics: x\nscenario: scenario.yaml\ndata: {jobs: jobs.csv}\n"
                          "set: {replications: 1, horizon: 1h}\njobs: {data: jobs}\n"
                          "measured: [{metric: jct_s, over: p90_error, tolerance: 1%}]\n", encoding="utf-8")
    words = ("validate", validation, "--quiet", "-t", "1", "--out", out)
    forks = easim(*words, call="fork", who="parent").calls  # the last is of the run
    shutil.rmtree(out)
    for path in (validation, data, inputs.scenario, inputs.models):
        text = path.read_text(encoding="utf-8")
        for call, at in (("open", 1), ("open", 2), ("fork", forks)):
            ended = paused(lambda path=path, text=text: path.write_text(f"{text}\n", encoding="utf-8"), *words, call=call, at=at,
                           **({"path": path.name} if call == "open" else {}))
            named = ended.code in (1, 2) and f"{path}: {REPLACED}" in ended.said and not (out / "manifest.json").exists()
            assert named if call == "fork" else named or ended.code == 0, (path, call, at, str(ended))
            path.write_text(text, encoding="utf-8")
            shutil.rmtree(out, ignore_errors=True)


if __name__ == "__main__":
    cases(in_a_validation, in_worlds, in_a_run, in_a_comparison, in_an_ablation, in_a_search, in_a_sweep, what_a_sweep_keeps, programs_of_policies, read_again)
