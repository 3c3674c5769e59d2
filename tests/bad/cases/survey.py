"""`easim models`: files, options, and what leaves nothing to show."""

from base import CONFIG, MODELS, changed, command

TRY = "Try `easim models --help' for more information."
PROFILE = "model,gpu,k,batch_per_gpu,throughput_samples_s,evidence,source\n"
LIMITS = MODELS.replace("        evidence: assumed", """\
        power_limits: {levels: [{power_limit_w: 200, time_ratio: 1.2, power_ratio: 0.7, energy_ratio: 0.84, configurations: 1}]}
        evidence: assumed""")


def models(name, arguments, *errors, **more):
    return command(f"easim models: {name}", ["models", *arguments], *errors, **more)


def usage(name, arguments, *errors):
    return models(name, ["m.yaml", *arguments], *(f"easim models: {error}" for error in errors), TRY)


CASES = [
    models("no such file", ["n.yaml"], "n.yaml: cannot open: No such file or directory"),
    models("a model with a slip", ["m.yaml"], "m.yaml:5:5: models[0]: unknown key \"batchs\", did you mean \"batches\"?",
           "m.yaml:2:5: models[0]: key \"batches\" is missing",
           files={"m.yaml": changed(MODELS, [("    batches:", "    batchs:")])}),
    models("a scenario with a slip", ["c.yaml"], "c.yaml:12:15: workload.rate_per_s: expected number > 0 and <= 1000000000, got \"often\"",
           files={"c.yaml": changed(CONFIG, [("0.005", "often")])}),
    models("neither a scenario nor models", ["x.yaml"], "x.yaml:1:1: expected a mapping of keys to values, got a list", files={"x.yaml": "[1]\n"}),
    models("no text at all", ["x.yaml"], "x.yaml: the file holds no scenario", files={"x.yaml": ""}),
    models("not YAML", ["x.yaml"], "x.yaml:1:8: a.b: did not find expected node content while parsing a flow node that starts at line 1", files={"x.yaml": "a: {b: ]\n"}),
    models("a scenario without models", ["c.yaml"], "easim models: c.yaml has no models",
           files={"c.yaml": changed(CONFIG, [("models: m.yaml\n", ""), (
               "  rate_per_s: 0.005\n", "  rate_per_s: 0.005\n  rigid: {k: [1]}\n")])}),
    models("a model that there is not", ["m.yaml", "--model", "brt"],
           "--model: nothing is named \"brt\", did you mean \"bert\"?"),
    models("a model like no other", ["m.yaml", "--model", "gpt3"], "--model: nothing is named \"gpt3\"; there are bert"),
    models("a GPU type that there is not", ["c.yaml", "--gpu", "a10"],
           "--gpu: nothing is named \"a10\", did you mean \"a100\"?"),
    models("no model knows the GPU types", ["c.yaml"],
           "easim models: no selected model knows a selected GPU type",
           files={"c.yaml": CONFIG.replace("a100", "h100")}),
    models("no span", ["m.yaml", "--span", "across_nodes", "--k", "1"],
           "--span: no configuration has this span: the selected k do not fit one node, or do not need two"),
    models("no power limits", ["m.yaml", "--power-limits"], "--power-limits: none of these models has power limits"),
    models("a limit that no GPU has", ["c.yaml", "--power-limits"],
           "m.yaml:14:33: power_limit_w: expected at most the 100 W that the cluster says is tdp_w of a100, got 200",
           files={"m.yaml": LIMITS, "c.yaml": CONFIG.replace("tdp_w: 400", "tdp_w: 100").replace("idle_w: 60", "idle_w: 20")
                  .replace("ctx_w: 95", "ctx_w: 30")}),
    models("tdp of an unknown type", ["m.yaml", "--tdp", "a10=300"],
           "--tdp: no model of the file knows GPU type \"a10\", did you mean \"a100\"?"),
    models("power stated twice", ["m.yaml", "--tdp", "a100=300", "--tdp", "400", "--tdp", "a100=500", "--memory", "4", "--memory", "5"],
           "--tdp: stated twice for a100", "--memory: stated twice for all GPU types"),
    models("what a cluster says", ["c.yaml", "--tdp", "300", "--gpus-per-node", "4"],
           "easim models: --tdp: the cluster of c.yaml sets it; expected --set",
           "easim models: --gpus-per-node: the cluster of c.yaml sets it; expected --set"),
    models("a setting of a model file", ["m.yaml", "--set", "seed=2"],
           "easim models: --set: expected a scenario, m.yaml is a model file"),
    models("a profile of other models", ["m.yaml", "--profile", "p.csv", "-o", "out"],
           "--profile: p.csv: no row matches a model and GPU type that is shown; the first is for gpt on a100",
           files={"p.csv": PROFILE + "gpt,a100,1,8,5,measured,x\n"}),
    models("a profile that cannot be read", ["m.yaml", "--profile", "p.csv", "-o", "out"],
           "p.csv:2:13: batch_per_gpu: expected number > 0 and <= 1e9, got \"-8\"",
           files={"p.csv": PROFILE + "bert,a100,1,-8,5,measured,x\n"}),
    models("a folder that is not empty", ["m.yaml", "-o", "out"],
           "easim: out: the folder is not empty; add --force to write into it", files={"out/x": "x\n"}),
    models("a manifest of another command", ["r/manifest.json"],
           "easim: r/manifest.json was written by another command: easim run r/manifest.json repeats it",
           files={"r/manifest.json": '{"easim_version": "1", "commit": "x", "command": "run", "options": [], "inputs": [], '
                                     '"results": [], "scenario": {"file": "scenario.yaml"}}\n'}),
    usage("k of a half", ["--k", "1,2.5"], "--k: expected whole numbers, got \"2.5\""),
    usage("k 0", ["--k", "0"], "--k: expected number 1..1e+06, got \"0\""),
    usage("no batch", ["--batch", ""], "--batch: expected numbers, got \"\""),
    usage("a batch in words", ["--batch", "8,many"], "--batch: expected number 1e-09..1e+09, got \"many\""),
    usage("an unknown span", ["--span", "rack"], "--span: expected both, one_node or across_nodes, got \"rack\""),
    usage("half a tdp", ["--tdp", "a100="], "--tdp: expected number 0.001..100000 (units: W, kW, MW), got \"\""),
    usage("memory in W", ["--memory", "80W"], "--memory: expected number 1e-06..1e+06 (units: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), got \"80W\""),
    usage("half a GPU", ["--gpus-per-node", "a100=2.5"], "--gpus-per-node: expected a whole number, got \"a100=2.5\""),
    usage("parameters in a folder", ["--parameters", "-o", "out"],
          "--parameters: not with --out, --format, --k, --batch, --span or --power-limits"),
    usage("a profile without a folder", ["--profile", "p.csv"], "--profile: only with --out"),
]
