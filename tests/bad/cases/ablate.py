"""easim ablate and easim tune: policies, parameters, metrics and bounds that make no sense."""

from base import command

ABLATE = "Try `easim ablate --help' for more information."
TUNE = "Try `easim tune --help' for more information."


def ablate(name, arguments, *errors, **more):
    return command(f"ablate: {name}", ["ablate", "c.yaml", "--out", "out", "--quiet", *arguments], *errors, **more)


def tune(name, arguments, *errors, **more):
    words = ["tune", "c.yaml", "--policy", "zeus", "--out", "out", "--quiet", *arguments]
    return command(f"tune: {name}", words, *errors, **more)


def tune_usage(name, arguments, error):
    return tune(name, ["--params", "tau", "--objective", "energy_kwh", *arguments], f"easim tune: {error}", TUNE)


def tune_params(name, params, *errors):
    return tune(name, ["--params", params, "--objective", "energy_kwh"], *errors)


CASES = [
    ablate("no policies", [], "easim ablate: expected CONFIG.yaml A B", ABLATE),
    ablate("one policy", ["zeus"], "easim ablate: expected CONFIG.yaml A B", ABLATE),
    ablate("three policies", ["zeus", "pollux", "hades"],
           "easim ablate: expected CONFIG.yaml A B, got another: hades", ABLATE),
    ablate("--policy", ["zeus", "pollux", "--policy", "zeus"],
           "easim ablate: unrecognized option '--policy'", ABLATE),
    ablate("policy set", ["zeus:tau=2h", "pollux", "--set", "policy={name: hades}"],
           "easim ablate: expected policies A and B instead of --set policy={name: hades}", ABLATE),
    ablate("free policy", ["zeus", "easy"],
           "policy easy decides by itself: expected list policies, which have components"),
    ablate("free policy first", ["exec", "zeus"],
           "policy exec decides by itself: expected list policies, which have components"),
    ablate("unknown policy", ["zeus", "polux"],
           "easim: --policy: no policy is named \"polux\", did you mean \"pollux\"? (found: {policies})"),
    ablate("a policy and itself", ["zeus", "zeus"],
           "the two policies do not differ in any component, so there is nothing to split"),
    ablate("equal parameters", ["zeus:tau=1h", "zeus:tau=60min"],
           "the two policies do not differ in any component, so there is nothing to split"),
    ablate("a flag of no use to anybody", ["zeus:power_limits=false", "zeus"],
           "the two policies do not differ in any component, so there is nothing to split"),
    ablate("unknown parameter", ["zeus:edp_slak=2", "pollux"],
           "--policy zeus:edp_slak=2: policy.params: policy zeus has no parameter \"edp_slak\", did you mean "
           "\"edp_slack\"? (it has: {parameters:zeus})"),
    ablate("parameter out of range", ["zeus", "pollux:tau=0"],
           "--policy pollux:tau=0: policy.params.tau: expected duration such as 90s or 10h "
           "0.001..1000000000, got \"0\""),
    ablate("parameter without a value", ["zeus:tau", "pollux"],
           "zeus:tau: expected PARAM=VALUE behind \"zeus:\", got \"tau\""),
    ablate("two parameters without values", ["zeus:tau,edp_slack", "pollux:"],
           "zeus:tau,edp_slack: expected PARAM=VALUE behind \"zeus:\", got \"tau\"",
           "pollux:: expected PARAM=VALUE behind \"pollux:\", got \"\""),
    ablate("unknown metric", ["zeus", "pollux", "--metrics", "energy"],
           "easim ablate: --metrics: no metric is named \"energy\", did you mean \"energy_kwh\"?", ABLATE),
    ablate("no metric", ["zeus", "pollux", "--metrics", ""], "easim ablate: --metrics: expected metrics, got none",
           ABLATE),
    ablate("results in a folder that is not empty", ["zeus", "pollux"],
           "easim: out: the folder is not empty; add --force to write into it", files={"out/precious.txt": "mine\n"}),
    ablate("results in a folder without a name", ["zeus", "pollux", "--out", ""],
           "easim ablate: --out: expected a folder, got \"\"", ABLATE),
    tune("nothing", [], "easim tune: expected --params", "easim tune: expected --objective", TUNE),
    tune("no objective", ["--params", "tau"], "easim tune: expected --objective", TUNE),
    tune_usage("unknown objective", ["--objective", "energy"],
               "--objective: no metric is named \"energy\", did you mean \"energy_kwh\"?"),
    tune_usage("objective without a wish", ["--objective", "jobs_submitted"],
               "--objective: neither less nor more of jobs_submitted is better"),
    tune_usage("bound without a relation", ["--constraint", "energy_kwh=1%"],
               "--constraint: expected METRIC>=-1% or METRIC<=1%, or METRIC<=NUMBER in its own unit, got "
               "\"energy_kwh=1%\""),
    tune_usage("bound that is no share", ["--constraint", "energy_kwh<=much%"],
               "--constraint: expected METRIC>=-1% or METRIC<=1%, or METRIC<=NUMBER in its own unit, got "
               "\"energy_kwh<=much%\""),
    tune_usage("bound with a unit", ["--constraint", "jct_mean_s<=2h"],
               "--constraint: expected METRIC>=-1% or METRIC<=1%, or METRIC<=NUMBER in its own unit, got "
               "\"jct_mean_s<=2h\""),
    tune_usage("bound without a limit", ["--constraint", "jct_mean_s<="],
               "--constraint: expected METRIC>=-1% or METRIC<=1%, or METRIC<=NUMBER in its own unit, got "
               "\"jct_mean_s<=\""),
    tune_usage("bound twice", ["--constraint", "jct_mean_s<=10%", "--constraint", "jct_mean_s<=5%"],
               "--constraint: jct_mean_s has such a bound already, got \"jct_mean_s<=5%\""),
    tune_usage("bound on nothing", ["--constraint", "speed>=-1%"], "--constraint: no metric is named \"speed\""),
    tune_usage("trials", ["--max-trials", "1"], "--max-trials: expected integer 2..100000, got \"1\""),
    tune_usage("format", ["--format", "xml"], "--format: expected table, markdown, latex, csv or json, got \"xml\""),
    tune_usage("metric twice", ["--metrics", "energy_kwh,jct_mean_s,energy_kwh"],
               "--metrics: energy_kwh is listed twice"),
    tune_params("unknown parameter", "edp_slak",
                "--params: policy zeus has no parameter \"edp_slak\", did you mean \"edp_slack\"?"),
    tune_params("parameter twice", "tau,tau=1..2", "--params: tau is listed twice"),
    tune_params("range beyond the policy's", "edp_slack=0.5..2",
                "--params: expected edp_slack=LO..HI within 1..1e+09, got \"edp_slack=0.5..2\""),
    tune_params("range upside down", "tau=20..10",
                "--params: expected tau=LO..HI within 0.001..1e+09 (units: ns, us, ms, s, min, h, d, w), got \"tau=20..10\""),
    tune_params("range in a wrong unit", "edp_slack=1s..2s",
                "--params: expected edp_slack=LO..HI within 1..1e+09, got \"edp_slack=1s..2s\""),
    tune_params("parameter twice, once by its path", "tau,policy.params.tau=1..2", "--params: tau is listed twice"),
    tune_params("path of no parameter", "cluster.power_cap_w",
                "--params: expected cluster.power_cap_w=LO..HI or cluster.power_cap_w=[A,B], got no range"),
    tune_params("path of nothing that there is", "cluster.power_cap_v=1..2",
                "--params: --set cluster.power_cap_v: cluster: unknown key \"power_cap_v\", did you mean \"power_cap_w\"?"),
    tune_params("list of values that the scenario cannot have", "cluster.power_cap_w=[much,-1]",
                "--params: --set cluster.power_cap_w: cluster.power_cap_w: expected number > 0 and <= 1000000000000, got "
                "\"much\""),
    tune_params("list with a value twice", "cluster.power_cap_w=[4000,5000,4000]",
                "--params: cluster.power_cap_w has 4000 twice"),
    tune_params("empty list", "cluster.power_cap_w=[]",
                "--params: expected a list of 1..100 values, got cluster.power_cap_w=[]"),
    tune_params("list that does not end", "cluster.power_cap_w=[4000,5000",
                "--params cluster.power_cap_w:2:1: did not find expected ',' or ']' while parsing a flow sequence that "
                "starts at line 1"),
    tune_params("list of a parameter beyond its range", "edp_slack=[0.5,2]",
                "--params edp_slack:1:2: policy.params.edp_slack: expected number 1..1000000000, or off, got \"0.5\""),
    tune_params("list of a parameter with a value twice", "edp_slack=[2,2.0]", "--params: edp_slack has 2.0 twice"),
    tune_params("list of a parameter with a wrong unit", "tau=[1kW]",
                "--params tau:1:2: policy.params.tau: expected duration such as 90s or 10h 0.001..1000000000 (units: ns, us, "
                "ms, s, min, h, d, w), got \"1kW\""),
    tune_params("policy without a list", "policy", "--params: expected policy=[A,B], got no list"),
    tune_params("policy with a range", "policy=1..2", "--params: expected policy=[A,B], got 1..2"),
    tune_params("unknown policy to choose", "policy=[zeus,polux]",
                "easim: --policy: no policy is named \"polux\", did you mean \"pollux\"? (found: {policies})"),
    tune_params("policy to choose twice", "policy=[zeus,fcfs,zeus]", "--params: policy has zeus twice"),
    tune_params("two lists of policies", "policy=[zeus],policy=[fcfs]",
                "--params: policy is listed twice"),
    tune_params("parameter of no certain policy", "policy=[zeus,pollux],edp_slack",
                "--params: expected params_by_policy.POLICY.edp_slack with policy=[...], got edp_slack"),
    tune_params("parameter of a policy that is not to choose", "policy=[fcfs,pollux],params_by_policy.zeus.edp_slack",
                "--params: params_by_policy.zeus.edp_slack: policy zeus is not in the list of policy=[...]"),
    tune_params("unknown parameter of a policy to choose", "policy=[zeus],params_by_policy.zeus.edp_slak",
                "--params: policy zeus has no parameter \"edp_slak\", did you mean \"edp_slack\"?"),
    tune_params("parameter of a policy without a choice", "params_by_policy.zeus.edp_slack=1..2",
                "--params: expected a parameter of the policy, as edp_slack or policy.params.edp_slack, or a value of "
                "the scenario by its path, or policy=[A,B], got \"params_by_policy.zeus.edp_slack\""),
    tune("parameter that the scenario states for its policy",
         ["--params", "policy=[zeus],params_by_policy.zeus.edp_slack", "--objective", "energy_kwh", "--set",
          "policy.params.edp_slack=2"],
         "--params: params_by_policy.zeus.edp_slack: policy.params.edp_slack of the scenario takes precedence"),
    tune_params("path of a text", "cluster.gpu_types[0].name=1..2",
                "--params: expected a number in the scenario at cluster.gpu_types[0].name, or cluster.gpu_types[0].name=[A,B], "
                "found a100"),
    tune_params("path of a list", "cluster.gpu_types=1..2",
                "--params: expected a number in the scenario at cluster.gpu_types, or cluster.gpu_types=[A,B], found several "
                "values"),
    tune_params("path without a range", "cluster.gpu_types[0].tdp_w",
                "--params: expected cluster.gpu_types[0].tdp_w=LO..HI or cluster.gpu_types[0].tdp_w=[A,B], got no range"),
    tune_params("path with a range upside down", "cluster.gpu_types[0].tdp_w=400..300",
                "--params: expected cluster.gpu_types[0].tdp_w=LO..HI or cluster.gpu_types[0].tdp_w=[A,B], got 400..300"),
    tune_params("path twice", "cluster.gpu_types[0].tdp_w=300..400,cluster.gpu_types[0].tdp_w=300..500",
                "--params: cluster.gpu_types[0].tdp_w is listed twice"),
    tune_params("path below a parameter", "policy.params.tau.x",
                "--params: expected a parameter of the policy, as edp_slack or policy.params.edp_slack, or a value of "
                "the scenario by its path, or policy=[A,B], got \"policy.params.tau.x\""),
    tune_params("path of an unknown parameter", "policy.params.tua",
                "--params: policy zeus has no parameter \"tua\", did you mean \"tau\"?"),
    tune_params("what is no path", "policy..tau",
                "--params: expected a name, as in cluster.nodes[0].gpus, at character 8 of \"policy..tau\""),
    tune_params("nothing between commas", ",", "--params: expected parameters, got \",\""),
    tune_params("a comma too many", "tau,,edp_slack", "--params: expected parameters, got \"tau,,edp_slack\""),
    tune_params("no parameters", "", "--params: expected parameters, got \"\""),
    tune("parameter that is text", ["--policy", "exec", "--params", "command", "--objective", "energy_kwh"],
         "--params: command is text, which cannot be tuned"),
    tune("the seed of the scenario", ["--params", "tau", "--objective", "energy_kwh", "--training-seed", "1"],
         "--training-seed: expected another seed than the scenario's 1: results on the seed of the search look better than they are"),
    tune("results in a folder that is not empty", ["--params", "tau", "--objective", "energy_kwh"],
         "easim: out: the folder is not empty; add --force to write into it", files={"out/precious.txt": "mine\n"}),
]
