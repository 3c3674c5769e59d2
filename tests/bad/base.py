"""What a case of bad input is made of: a small valid scenario in which one thing is changed."""

import re
from dataclasses import dataclass, field
from pathlib import Path

CONFIG = """\
name: base
horizon: 10h
seed: 1
cluster:
  gpu_types:
    - {name: a100, idle_w: 60, ctx_w: 95, tdp_w: 400, memory_gib: 80}
  nodes:
    - {count: 1, gpu: a100, gpus: 8}
models: m.yaml
workload:
  kind: poisson
  rate_per_s: 0.005
  sizes: {law: constant, mean: 1h}
  users: 2
policy: {name: fcfs}
"""

MODELS = """\
models:
  - name: bert
    m0: 1024
    phi: 1000
    batches: [8, 16]
    gpus:
      a100:
        a_s: 0.04
        c_s: 0.005
        gamma: 2
        alpha_s: 0.01
        p0_w: 100
        pmax_w: 300
        evidence: assumed
        source: made up
"""

# The workload of CONFIG, and what stands there for a recorded log.
POISSON = CONFIG[CONFIG.index("workload:"):CONFIG.index("policy:")]
JOBS = """\
job_id,submit_s,user,model,work_samples,duration_s,requested_s,gpus,batch,gpu_type,deadline_s,class
1,0,u1,,,100,,1,,,,
2,10,u1,bert,5000,,,,,a100,,
"""

# The draft number of the policy interface; and what is said of a plug-in of another version, behind the version found.
DRAFT = int(re.search(r"EASIM_ABI_DRAFT (\d+)u", (Path(__file__).parents[2] / "include/easim/policy.h").read_text(encoding="utf-8"))[1])
COMPILE_AGAIN = (f"this easim has 3.0 draft {DRAFT}: compile it again with the easim/policy.h of this easim "
                 "(docs/reference/c-policy.md: what has changed)")

RUN = ("run", "c.yaml", "--out", "out", "--quiet")


@dataclass
class Case:
    """Files, a command, and what it must say. {plugins} stands for the folder of the bad plug-ins, {policies} for
    the names of the policies of this build, {columns} for those of summary.csv."""
    name: str
    errors: tuple  # lines of standard error, all of them
    files: dict = field(default_factory=dict)  # path: text, bytes, or None for a folder
    command: tuple = RUN
    exit_code: int = 2
    stdin: str = ""
    first_lines_only: bool = False  # more lines may follow (a usage text)


def changed(text, changes):
    """text with every (old, new) of changes replaced; each old must stand there once."""
    for old, new in changes:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} stands {text.count(old)} times in the base file")
        text = text.replace(old, new)
    return text


def pairs(change):
    """One (old, new) or a list of them as a list."""
    return [change] if isinstance(change, tuple) else change


def config(name, change, *errors, **more):
    """A change of c.yaml. A change that is a string is the whole file."""
    text = change if isinstance(change, (str, bytes)) else changed(CONFIG, pairs(change))
    return Case(name, errors, {"c.yaml": text, "m.yaml": MODELS}, **more)


def model(name, change, *errors, **more):
    """A change of m.yaml."""
    text = change if isinstance(change, (str, bytes)) else changed(MODELS, pairs(change))
    return Case(name, errors, {"c.yaml": CONFIG, "m.yaml": text}, **more)


def workload(name, section, *errors, **more):
    """Another workload section (from line 10 on) in c.yaml."""
    return config(name, (POISSON, section), *errors, **more)


def log(name, rows, *errors, path="jobs.csv", format="workload", **more):
    """A recorded log as the workload. rows: the text, bytes, or a change of JOBS."""
    text = rows if isinstance(rows, (str, bytes)) else changed(JOBS, pairs(rows))
    section = f"workload: {{kind: trace, format: {format}, file: {path}}}\n"
    return Case(name, errors, {"c.yaml": changed(CONFIG, [(POISSON, section)]), "m.yaml": MODELS, path: text},
                **more)


def plugin(name, file, *errors, params="", workload_section=POISSON, **more):
    """A scenario with the policy of a bad plug-in."""
    policy = f"policy:\n  name: \"{{plugins}}/{file}.so\"\n" + (params and f"  params: {params}\n")
    change = [("policy: {name: fcfs}\n", policy), (POISSON, workload_section)]
    return config(name, change, *errors, **more)


def command(name, arguments, *errors, files=None, **more):
    """A command line with a scenario that is fine."""
    return Case(name, errors, {"c.yaml": CONFIG, "m.yaml": MODELS} | (files or {}), tuple(arguments), **more)
