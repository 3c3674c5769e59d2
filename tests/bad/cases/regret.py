"""easim regret: decisions that cannot be tried, jobs that impose nothing, options that contradict each other."""

from base import CONFIG, MODELS, POISSON, Case, changed, command

TRY = "Try `easim regret --help' for more information."
LOG = "job_id,submit_s,duration_s,gpus,deadline_s\nfirst,0,100,1,\nwide,5,100,99,\nlate,50000,100,1,\n"
TRACE = changed(CONFIG, [(POISSON, "workload: {kind: trace, format: workload, file: jobs.csv}\n")])
EMPTY = changed(CONFIG, [("rate_per_s: 0.005", "rate_per_s: 0.000001")])
EXEC = changed(CONFIG, [("policy: {name: fcfs}", "policy: {name: exec, params: {command: cat}}")])


def regret(name, arguments, *errors, **more):
    return command(f"regret: {name}", ["regret", "c.yaml", "--out", "out", "--quiet", *arguments], *errors, **more)


def usage(name, arguments, error):
    return regret(name, arguments, f"easim regret: {error}", TRY)


def of_log(name, arguments, *errors, **more):
    return Case(f"regret: {name}", errors, {"c.yaml": TRACE, "m.yaml": MODELS, "jobs.csv": LOG},
                ("regret", "c.yaml", "--out", "out", "--quiet", *arguments), **more)


CASES = [
    usage("no decision point", ["--sample", "0"], "X"),
    usage("sample that is not a number", ["--sample", "all"], "X"),
    usage("sample with a job", ["--sample", "5", "--job", "1"], "X"),
    usage("sample with hindsight", ["--sample", "5", "--hindsight"], "X"),
    usage("hindsight with a job", ["--hindsight", "--job", "1"], "X"),
    usage("unknown metric", ["--by", "carbon"], "X"),
    usage("metric with a job", ["--by", "energy", "--job", "1"], "X"),
    usage("empty job", ["--job", ""], "X"),
    usage("no copies at a time", ["--threads", "0"], "X"),
    regret("two scenarios", ["d.yaml"], "X"),
    regret("unknown policy", ["--policy", "polux"], "X"),
    Case("regret: policy that runs a program", ("X",), {"c.yaml": EXEC, "m.yaml": MODELS},
         ("regret", "c.yaml", "--out", "out", "--quiet")),
    Case("regret: one job under a policy that runs a program", ("X",), {"c.yaml": EXEC, "m.yaml": MODELS},
         ("regret", "c.yaml", "--out", "out", "--quiet", "--job", "x")),
    of_log("unknown job", ["--job", "frist"], "X"),
    of_log("job that is rejected", ["--job", "wide"], "X"),
    of_log("job that is not submitted", ["--job", "late"], "X"),
    of_log("horizon before the first start", ["--set", "horizon=1ns"], "X"),
    of_log("no deadlines to miss", ["--by", "misses"], "X"),
    Case("regret: no jobs", ("X",), {"c.yaml": EMPTY, "m.yaml": MODELS}, ("regret", "c.yaml", "--out", "out", "--quiet")),
    regret("folder in use", [], "X", files={"out/mine.txt": "kept"}),
    regret("folder that is a file", [], "X", files={"out": "kept"}),
    command("regret: manifest that is damaged", ["regret", "r/manifest.json"], "X", files={"r/manifest.json": "{"}),
    command("regret: folder of results", ["regret", "r"], "X",
            files={"r/manifest.json": '{"easim_version": "1", "command": "run"}'}),
]
