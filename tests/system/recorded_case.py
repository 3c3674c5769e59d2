"""Recorded runs of small scenarios with a model whose figures follow from four numbers, for tests of what rules say."""
import itertools
import os
import shlex
from pathlib import Path

import harness
from harness import EASIM, easim, json_of, write_files

SLOW = {"a_s": 0.02, "c_s": 0.01, "alpha_s": 0.03, "beta_s": 0.002, "alpha_inter_s": 0.03, "p0_w": 80, "pmax_w": 200}
FAST = {"a_s": 0.015, "c_s": 0.008, "alpha_s": 0.03, "beta_s": 0.002, "alpha_inter_s": 0.03, "p0_w": 200, "pmax_w": 600}
TYPES = {"slow": "{name: slow, idle_w: 50, ctx_w: 70, tdp_w: 400, memory_gib: 20}",
         "fast": "{name: fast, idle_w: 60, ctx_w: 90, tdp_w: 900, memory_gib: 80}"}
COLUMNS = "job_id submit_s user model work_samples duration_s requested_s gpus deadline_s class".split()
numbers = itertools.count(1)


def goodput(model, k, batch, across=False):
    """Semantics 3.1 with gamma 1, no overlap and efficiency 1: samples/s of k GPUs."""
    sync = 0 if k == 1 else model["alpha_inter_s"] if across else model["alpha_s"] + model["beta_s"] * (k - 2)
    return k * batch / (model["a_s"] + model["c_s"] * batch + sync)


def power(model, k, batch, across=False):
    """Semantics 3.3: of a GPU, linear in its rate, pmax_w at 1 / c_s."""
    return model["p0_w"] + (model["pmax_w"] - model["p0_w"]) * model["c_s"] * goodput(model, k, batch, across) / k


def unit_j(model, k, batch, across=False):
    return k * power(model, k, batch, across) / goodput(model, k, batch, across)


def model_file(gpus, more=""):
    """The model m: of each GPU type its numbers, or a whole lookup list as text."""
    lines = ["models:", "  - name: m", "    efficiency: none", "    start_s: 0", "    restart_s: 0", "    checkpoint_s: 0",
             "    checkpoint_interval_s: 0", "    batches: [1, 2, 4, 8]", *(f"    {line}" for line in more.splitlines()), "    gpus:"]
    for name, values in gpus.items():
        text = values if isinstance(values, str) else "gamma: 1, beta_inter_s: 0, " + ", ".join(f"{k}: {v}" for k, v in values.items())
        lines.append(f"      {name}: {{{text}, evidence: assumed, source: test}}")
    return "\n".join(lines) + "\n"


def jobs_file(jobs, columns=COLUMNS):
    return "\n".join([",".join(columns), *(",".join(str(job.get(name, "")) for name in columns) for job in jobs)]) + "\n"


def rigid(name, submit_s, gpus, duration_s, **more):
    return {"job_id": name, "submit_s": submit_s, "gpus": gpus, "duration_s": duration_s, "requested_s": duration_s, **more}


def elastic(name, submit_s, samples, **more):
    return {"job_id": name, "submit_s": submit_s, "model": "m", "work_samples": samples, **more}


def run(folder, workload, gpus=None, nodes=None, policy="fcfs", horizon="drain", memory="", files=(), more="", network="", models=""):
    """workload: jobs of a trace, and keys besides, or a whole section as text. The folder of the recorded run."""
    gpus = gpus or {"slow": SLOW}
    nodes = nodes or [(name, 8) for name in gpus]
    jobs, keys = workload if isinstance(workload, tuple) else (None, workload)
    keys = f"kind: trace, file: jobs.csv{keys}" if jobs else keys
    place = write_files(folder / f"case{next(numbers)}", {
        "jobs.csv": jobs_file(jobs or []), "m.yaml": models or model_file(gpus, memory), **dict(files)})
    policy = policy if "{" in policy else f"{{name: {policy}}}"
    (place / "s.yaml").write_text(
        f"name: case\nhorizon: {horizon}\ncluster:\n  gpu_types: [{', '.join(TYPES[name] for name in gpus)}]\n"
        f"  nodes: [{', '.join(f'{{gpu: {name}, gpus: {count}}}' for name, count in nodes)}]\n"
        f"{f'  network: {network}' if network else ''}\nmodels: m.yaml\n"
        f"workload: {{{keys}}}\npolicy: {policy}\n{more}")
    easim("run", place / "s.yaml", "--record", "--quiet", "--out", place / "r")
    return place / "r"


def insights(folder, rule, *options):
    """As the rules find them; nothing is simulated, so every proposal stands there."""
    easim("analyze", folder, "--quiet", "--verify", "none", *options)
    found = json_of(folder / "insights.json")["insights"]
    assert all(evidence["kind"] and evidence["note"] for insight in found for evidence in insight["evidence"]), folder
    assert [insight["number"] for insight in found] == list(range(1, len(found) + 1))
    return [insight for insight in found if insight["id"] == rule]


def the(folder, rule, *options):
    found = insights(folder, rule, *options)
    assert len(found) == 1, (folder, rule, [insight["finding"] for insight in found])
    return found[0]


def silent(folder, rule, *options):
    found = insights(folder, rule, *options)
    assert not found, (folder, rule, found[0]["finding"], figures(found[0]))


def figures(insight):
    return {figure["name"]: figure.get("value", figure.get("text")) for figure in insight["figures"]}


def rerun(command):
    """As a user runs it, who finds easim on the path; the folder of its results."""
    harness.run("bash", "-c", command, cwd="/", env={**os.environ, "PATH": f"{Path(EASIM).parent}:{os.environ['PATH']}"})
    return Path(shlex.split(command)[-1])


def what_if(insight):
    command = insight["what_if"]["command"]
    assert command and insight["what_if"]["verdict"] == "not simulated", insight["what_if"]
    return rerun(command)


def no_run(insight):
    assert insight["what_if"]["command"] is None and insight["what_if"]["note"], insight["what_if"]
    assert not insight["what_if"]["promised"]
