"""easim compare and easim gen: policies, metrics, perturbations that make no sense."""

from base import CONFIG, POISSON, changed, command

TRY = "Try `easim compare --help' for more information."
LOG = "job_id,submit_s,duration_s,gpus\n1,0,100,1\n"
TRACE = changed(CONFIG, [(POISSON, "workload: {kind: trace, file: jobs.csv}\n")])
STREAMS = changed(CONFIG, [(POISSON, """\
workload:
  streams:
    - {kind: poisson, rate_per_s: 0.005, sizes: {law: constant, mean: 1h}, k: [1, 2]}
    - {kind: poisson, rate_per_s: 0.005, sizes: {law: constant, mean: 1h}, k: [4]}
""")])


def compare(name, arguments, *errors, **more):
    words = ["compare", "c.yaml", "--out", "out", "--quiet", *arguments]
    return command(f"compare: {name}", words, *errors, **more)


def usage(name, arguments, error):
    return compare(name, ["--policies", "fcfs,zeus", *arguments], f"easim compare: {error}", TRY)


CASES = [
    compare("no policies", [], "easim compare: expected --policies", TRY),
    compare("policy instead of policies", ["--policies", "fcfs", "--policy", "zeus"],
            "easim compare: unrecognized option '--policy', did you mean \"--policies\"?", TRY),
    compare("policy set instead of policies", ["--policies", "fcfs", "--set", "policy.name=zeus"],
            "easim compare: expected --policies instead of --set policy.name=zeus", TRY),
    compare("empty list of policies", ["--policies", ""], "--policies: expected policies, got \"\""),
    compare("unknown policies", ["--policies", "zeuss,fcfs,polux"],
            "easim: --policies: no policy is named \"zeuss\", did you mean \"zeus\"? (found: {policies})",
            "easim: --policies: no policy is named \"polux\", did you mean \"pollux\"? (found: {policies})"),
    compare("twice the same policy", ["--policies", "zeus,fcfs,zeus"], "--policies: policy \"zeus\" is listed twice"),
    compare("two modules of one name", ["--policies", "fcfs,{plugins}/good.so,{plugins}/./good.so"],
            "--policies: {plugins}/good.so and {plugins}/./good.so are both policy \"good\": expected a label for each, "
            "such as old={plugins}/good.so,new={plugins}/./good.so"),
    compare("baseline that is not compared", ["--policies", "pollux,fcfs", "--baseline", "polux"],
            "--baseline: \"polux\" is not among the policies compared, did you mean \"pollux\"?"),
    compare("problems of the scenario told once", ["--policies", "zeus,fcfs", "--set", "sed=1"],
            "--set sed: unknown key \"sed\", did you mean \"seed\"?"),
    compare("parameter that one policy does not have",
            ["--policies", "zeus,fcfs", "--set", "params_by_policy={zeus: {tua: 1h}}"],
            "--set params_by_policy: params_by_policy.zeus: policy zeus has no parameter \"tua\", did you mean \"tau\"? (it has: {parameters:zeus})"),
    usage("unknown metric", ["--metrics", "energy_kwh,jct_mean"],
          "--metrics: no metric is named \"jct_mean\", did you mean \"jct_mean_s\"?"),
    usage("no metrics", ["--metrics", ""], "--metrics: expected metrics, got none"),
    usage("front of one metric", ["--pareto", "energy_kwh"], "--pareto: expected 2 or 3 metrics, got 1"),
    usage("front of four metrics", ["--pareto", "energy_kwh,jct_mean_s,jct_p50_s,jct_p95_s"],
          "--pareto: expected 2 or 3 metrics, got 4"),
    usage("front of a metric twice", ["--pareto", "energy_kwh,energy_kwh"], "--pareto: energy_kwh is listed twice"),
    usage("front of a metric without a wish", ["--pareto", "energy_kwh,jobs_submitted"],
          "--pareto: neither less nor more of jobs_submitted is better"),
    usage("front of an unknown metric", ["--pareto", "energy_kwh,carbon"], "--pareto: no metric is named \"carbon\""),
    usage("interval that is not a share", ["--until-ci", "two"],
          "--until-ci: expected [METRIC=]2% or a share > 0, got \"two\""),
    usage("interval of nothing", ["--until-ci", "0%"], "--until-ci: expected [METRIC=]2% or a share > 0, got \"0%\""),
    usage("interval of an unknown metric", ["--until-ci", "energy=2%"],
          "--until-ci: no metric is named \"energy\", did you mean \"energy_kwh\"?"),
    usage("most replications without an interval", ["--max-replications", "20"],
          "--max-replications: only with --until-ci"),
    usage("format", ["--format", "xml"], "--format: expected table, markdown, latex, csv or json, got \"xml\""),
    compare("bound below the replications",
            ["--policies", "fcfs,zeus", "-n", "50", "--until-ci", "2%", "--max-replications", "20"],
            "--max-replications: expected at least the 50 replications to begin with, got 20"),
    compare("unknown perturbation", ["--policies", "fcfs", "--perturb", "arrival=0.1"],
            "--perturb: no perturbation is named \"arrival\", did you mean \"arrivals\"?"),
    compare("perturbation that leaves nothing", ["--policies", "fcfs", "--perturb", "sizes=-1"],
            "--perturb: expected sizes=AMOUNT > -1 and <= 1000, got \"sizes=-1\""),
    compare("no perturbation", ["--policies", "fcfs", "--perturb", ""], "--perturb: expected perturbations, got \"\""),
    compare("perturbation twice", ["--policies", "fcfs", "--perturb", "sizes,sizes=0.2"],
            "--perturb: sizes is listed twice"),
    compare("perturbation of a path without a number", ["--policies", "fcfs", "--perturb", "workload.sizes=0.1"],
            "--perturb workload.sizes: the scenario has no number there"),
    compare("perturbation of a path that is none", ["--policies", "fcfs", "--perturb", "workload..sizes"],
            "--perturb workload..sizes: expected a name, as in cluster.nodes[0].gpus, at character 10 of \"workload..sizes\""),
    compare("perturbation of a path that cannot name a folder", ["--policies", "fcfs", "--perturb", "\"a/b\".c=1"],
            "--perturb: \"a/b\".c: expected a path without /, since it names a folder of the results"),
    compare("noise past its bound", ["--policies", "fcfs", "--perturb", "noise=1.5"],
            "--perturb: expected noise=AMOUNT > 0 and <= 1, got \"noise=1.5\""),
    compare("failures of nodes that fail", ["--policies", "fcfs", "--perturb", "failures", "--set",
                                            "cluster.nodes[0].mtbf=1d", "--set", "cluster.nodes[0].mttr=1h"],
            "--perturb failures: the nodes of the scenario fail already"),
    compare("perturbation of a log", ["--policies", "fcfs,zeus", "--perturb", "arrivals,sizes"],
            "--perturb arrivals: a recorded workload has no rate of arrivals",
            "--perturb sizes: a recorded workload has no law of sizes", files={"c.yaml": TRACE, "jobs.csv": LOG}),
    compare("results in a folder that is not empty", ["--policies", "fcfs,zeus"],
            "easim: out: the folder is not empty; add --force to write into it", files={"out/precious.txt": "mine\n"}),
    compare("no policy succeeds: not even folders are left",
            ["--policies", "{plugins}/init_fails.so", "--perturb", "sizes", "--out", "out/of/none"],
            "easim: policy init_fails: init failed: no run today (at t = 0 s)", exit_code=1),
    compare("results in a folder without a name", ["--policies", "fcfs", "--out", ""],
            "easim compare: --out: expected a folder, got \"\"", TRY),
    command("gen: replication 0", ["gen", "c.yaml", "--replication", "0"],
            "easim gen: --replication: expected integer 1..1000000, got \"0\"",
            "Try `easim gen --help' for more information."),
    command("gen: streams that one log cannot hold", ["gen", "c.yaml"],
            "c.yaml:11:3: workload: no workload CSV can hold these jobs: its streams allow different k or b",
            files={"c.yaml": STREAMS}),
    command("gen: log in a folder that is not there", ["gen", "c.yaml", "-o", "nowhere/w.csv"],
            "easim: nowhere/w.csv: cannot create: No such file or directory", exit_code=1),
]
