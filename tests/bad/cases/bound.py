"""`easim bound`: command lines, settings, scenarios and logs that there is no bound of."""

from base import CONFIG, JOBS, MODELS, POISSON, changed, command

TRY = "Try `easim bound --help' for more information."


def bound(name, arguments, *errors, **more):
    return command(f"bound: {name}", ["bound", *arguments], *errors, **more)


def usage(name, arguments, error):
    return bound(name, arguments, f"easim bound: {error}", TRY)


def scenario(name, change, *errors):
    return bound(name, ["c.yaml"], *errors, files={"c.yaml": changed(CONFIG, change)})


def model(name, change, *errors):
    return bound(name, ["c.yaml"], *errors, files={"m.yaml": changed(MODELS, [change])})


def log(name, rows, *errors):
    """Of a recorded log; None: it is not there."""
    text = changed(CONFIG, [(POISSON, "workload: {kind: trace, file: j.csv, k: [1], users: 2}\n")])
    return bound(name, ["c.yaml"], *errors, files={"c.yaml": text} | ({"j.csv": rows} if rows else {}))


CASES = [
    usage("no scenario", [], "expected CONFIG.yaml"),
    usage("two scenarios", ["c.yaml", "c.yaml"], "expected one CONFIG.yaml, got another: c.yaml"),
    bound("a scenario that is not there", ["d.yaml"], "d.yaml: cannot open: No such file or directory"),
    bound("a folder", ["."], "easim bound: expected CONFIG.yaml, got a folder: ."),
    bound("an empty file", ["e.yaml"], "e.yaml: the file holds no scenario", files={"e.yaml": ""}),
    bound("not YAML", ["e.yaml"],
          "e.yaml:2:1: a: did not find expected ',' or ']' while parsing a flow sequence that starts at line 1",
          files={"e.yaml": "a: [b\n"}),
    bound("a model file", ["m.yaml"], "m.yaml:1:1: key \"name\" is missing", "m.yaml:1:1: key \"horizon\" is missing",
          "m.yaml:1:1: key \"cluster\" is missing", "m.yaml:1:1: key \"workload\" is missing",
          "m.yaml:1:1: key \"policy\" is missing", "m.yaml:2:5: models[0]: unknown key \"name\"",
          "m.yaml:3:5: models[0]: unknown key \"m0\"", "m.yaml:4:5: models[0]: unknown key \"phi\"",
          "m.yaml:5:5: models[0]: unknown key \"batches\"", "m.yaml:6:5: models[0]: unknown key \"gpus\"",
          "m.yaml:2:5: models[0]: key \"models\" is missing"),
    usage("a policy", ["c.yaml", "--policy", "zeus"], "unrecognized option '--policy'"),
    usage("policies", ["c.yaml", "--policies", "zeus"], "unrecognized option '--policies'"),
    usage("a bound of a bound", ["c.yaml", "--bound"], "unrecognized option '--bound'"),
    usage("no replication", ["c.yaml", "-n", "0"], "--replications: expected integer 1..1000000, got \"0\""),
    usage("replications that are no number", ["c.yaml", "-n", "few"],
          "--replications: expected integer 1..1000000, got \"few\""),
    usage("a seed below 0", ["c.yaml", "--seed", "-1"], "--seed: expected integer 0..9007199254740992, got \"-1\""),
    usage("no thread", ["c.yaml", "-t", "0"], "--threads: expected integer 1..1024, got \"0\""),
    usage("an unknown format", ["c.yaml", "--format", "xml"], "--format: expected table, markdown, latex, csv or json, got \"xml\""),
    bound("nowhere to write", ["c.yaml", "--out", "m.yaml/out"], "easim: m.yaml/out: cannot open folder: Not a directory"),
    bound("a folder that is not empty", ["c.yaml", "--out", "full"],
          "easim: full: the folder is not empty; add --force to write into it", files={"full/x.txt": "x\n"}),
    bound("a setting without a value", ["c.yaml", "--set", "seed"], "--set: expected path=value, got \"seed\""),
    bound("a setting of nothing", ["c.yaml", "--set", "sead=3"], "--set sead: unknown key \"sead\", did you mean \"seed\"?"),
    bound("a horizon that is no time", ["c.yaml", "--set", "horizon=soon"],
          "--set horizon: horizon: expected drain or a duration > 0 and <= 4e9 s, got \"soon\""),
    bound("a horizon of 0", ["c.yaml", "--set", "horizon=0"],
          "--set horizon: horizon: expected drain or a duration > 0 and <= 4e9 s, got \"0\""),
    bound("a warm-up behind the horizon", ["c.yaml", "--set", "workload.warmup=11h"],
          "c.yaml:11:3: workload.warmup: expected less than the horizon"),
    scenario("an unknown key", [("seed: 1", "sede: 1")], "c.yaml:3:1: unknown key \"sede\", did you mean \"seed\"?"),
    scenario("no cluster", [("cluster:", "clusters:")], "c.yaml:4:1: unknown key \"clusters\", did you mean \"cluster\"?",
             "c.yaml:1:1: key \"cluster\" is missing"),
    scenario("no models", [("models: m.yaml\n", "")],
             "c.yaml:10:3: workload: there are no models: name a model file under `models`, or make the jobs `rigid`"),
    scenario("a model file that is not there", [("models: m.yaml", "models: n.yaml")],
             "c.yaml:9:9: models: n.yaml: cannot open: No such file or directory"),
    scenario("no GPUs", [("gpus: 8", "gpus: 0")],
             "c.yaml:8:35: cluster.nodes[0].gpus: expected integer 1..1048576, got \"0\""),
    scenario("a node of an unknown type", [("gpu: a100,", "gpu: a10,")],
             "c.yaml:8:7: cluster.nodes[0].gpu: no GPU type is named \"a10\", did you mean \"a100\"?"),
    scenario("idle power below 0", [("idle_w: 60", "idle_w: -1")],
             "c.yaml:6:28: cluster.gpu_types[0].idle_w: expected number 0..10000000, got \"-1\""),
    scenario("power that is no number", [("tdp_w: 400", "tdp_w: .nan")],
             "c.yaml:6:50: cluster.gpu_types[0].tdp_w: expected number > 0 and <= 10000000, got \".nan\""),
    model("speed of a model of 0", ("a_s: 0.04", "a_s: -0.04"),
          "m.yaml:8:14: models[0].gpus.a100.a_s: expected number > 0 and <= 1000000, got \"-0.04\""),
    model("more power at no use than at full", ("p0_w: 100", "p0_w: 301"),
          "m.yaml:8:9: models[0].gpus.a100: expected p0_w at most pmax_w, got 301 and 300"),
    model("no batch", ("[8, 16]", "[]"),
          "m.yaml:5:14: models[0].batches: expected a list of at least one value, got an empty list"),
    scenario("a rate of 0", [("0.005", "0")],
             "c.yaml:12:15: workload.rate_per_s: expected number > 0 and <= 1000000000, got \"0\""),
    scenario("jobs without end", [("horizon: 10h", "horizon: drain")],
             "c.yaml:11:3: workload: key \"until\" is missing (a horizon of `drain` does not end the arrivals)"),
    log("a log that is not there", None, "c.yaml:10:31: workload.file: j.csv: cannot open: No such file or directory"),
    log("a job of an unknown model", JOBS.replace("bert", "brt"),
        "j.csv:3: model: no model is named \"brt\", did you mean \"bert\"?"),
    log("a job without end", JOBS.replace(",100,", ",inf,"),
        "j.csv:2:10: duration_s: expected seconds 0..4e9 or empty, got \"inf\""),
    log("a row too short", JOBS + "3,20\n", "j.csv:4:1: expected 12 fields as in the header, found 2"),
    scenario("an unknown policy in the scenario", [("fcfs", "fcsf")],
             "c.yaml:15:16: policy.name: no policy is named \"fcsf\", did you mean \"fcfs\"? (found: {policies})"),
    bound("a damaged manifest", ["full/manifest.json"], "easim: full/manifest.json:1:16: damaged manifest: expected JSON",
          files={"full/manifest.json": "{\"easim_version\""}),
]
