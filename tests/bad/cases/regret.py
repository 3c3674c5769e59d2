"""easim regret: decisions that cannot be tried, jobs that impose nothing, options that contradict each other."""

from base import CONFIG, MODELS, POISSON, Case, changed, command

TRY = "Try `easim regret --help' for more information."
LOG = "job_id,submit_s,duration_s,gpus,deadline_s\nfirst,10,100,1,\nwide,15,100,99,\nlate,50000,100,1,\n"
TRACE = changed(CONFIG, [(POISSON, "workload: {kind: trace, format: workload, file: jobs.csv}\n")])
EMPTY = changed(CONFIG, [("rate_per_s: 0.005", "rate_per_s: 0.000001")])
EXEC = changed(CONFIG, [("policy: {name: fcfs}", "policy: {name: exec, params: {command: sh p.sh}}")])
PROGRAM = "read hello\necho '{\"ready\": 2, \"message\": 0}'\nread more\n"


def regret(name, arguments, *errors, **more):
    return command(f"regret: {name}", ["regret", "c.yaml", "--out", "out", "--quiet", *arguments], *errors, **more)


def usage(name, arguments, error):
    return regret(name, arguments, f"easim regret: {error}", TRY)


def of_log(name, arguments, *errors, **more):
    return Case(f"regret: {name}", errors, {"c.yaml": TRACE, "m.yaml": MODELS, "jobs.csv": LOG},
                ("regret", "c.yaml", "--out", "out", "--quiet", *arguments), **more)


CASES = [
    usage("no decision point", ["--sample", "0"], '--sample: expected integer 1..1000000000, got "0"'),
    usage("sample that is not a number", ["--sample", "all"], '--sample: expected integer 1..1000000000, got "all"'),
    usage("sample with a job", ["--sample", "5", "--job", "1"], "--sample: not with --job or --hindsight"),
    usage("sample with hindsight", ["--sample", "5", "--hindsight"], "--sample: not with --job or --hindsight"),
    usage("hindsight with a job", ["--hindsight", "--job", "1"], "--job: not with --hindsight"),
    usage("unknown metric", ["--by", "carbon"], '--by: expected energy, jct or misses, got "carbon"'),
    usage("metric with a job", ["--by", "energy", "--job", "1"], "--by: not with --job"),
    regret("empty job", ["--job", ""], 'easim: no job "" is submitted in replication 1, did you mean "1"?'),
    usage("no copies at a time", ["--threads", "0"], '--threads: expected integer 1..1024, got "0"'),
    regret("two scenarios", ["d.yaml"], "easim regret: expected one CONFIG.yaml, got another: d.yaml", TRY),
    regret("unknown policy", ["--policy", "polux"], 'easim: --policy: no policy is named "polux", did you mean "pollux"? (found: {policies})'),
    Case("regret: policy that runs a program",
         ("easim: policy exec runs a process of its own, which easim cannot copy with the simulation, so it cannot try "
          "other choices",), {"c.yaml": EXEC, "m.yaml": MODELS, "p.sh": PROGRAM},
         ("regret", "c.yaml", "--out", "out", "--quiet")),
    of_log("unknown job", ["--job", "frist"], 'easim: no job "frist" is submitted in replication 1, did you mean "first"?'),
    of_log("job that is rejected", ["--job", "wide"], 'easim: job "wide" is rejected in replication 1 (needs 99 GPUs of one type, the largest allowed type has 8): it '
           "imposes nothing on others"),
    of_log("job that is not submitted", ["--job", "late"], 'easim: no job "late" is submitted in replication 1'),
    of_log("horizon before the first start", ["--set", "horizon=5s"], "easim: policy fcfs starts no job within the run: there is no decision to try another way"),
    of_log("no deadlines to miss", ["--by", "misses"], "easim: no job has a deadline that is due within the run, so no deadline can be missed"),
    Case("regret: no jobs", ("easim: policy fcfs starts no job within the run: there is no decision to try another way",),
         {"c.yaml": EMPTY, "m.yaml": MODELS}, ("regret", "c.yaml", "--out", "out", "--quiet")),
    regret("folder in use", [], "easim: out: the folder is not empty; add --force to write into it", files={"out/mine.txt": "kept"}),
    regret("folder that is a file", [], "easim: out: cannot open folder: Not a directory", files={"out": "kept"}),
    command("regret: manifest that is damaged", ["regret", "r/manifest.json"], "easim: r/manifest.json:1:1: damaged manifest: expected JSON", files={"r/manifest.json": "{"}),
    command("regret: folder of results", ["regret", "r"], "easim regret: r is a folder of results: r/manifest.json repeats it, r/scenario.yaml is the scenario",
            files={"r/manifest.json": '{"easim_version": "1", "command": "run"}'}),
]
