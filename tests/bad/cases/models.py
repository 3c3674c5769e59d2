"""Model files."""

from base import CONFIG, MODELS, Case, changed, config, model

GPU = "m.yaml:8:9: models[0].gpus.a100"
LOOKUP = """\
        lookup:
          - {k: 1, batch: 8, throughput_samples_s: 100, power_w_per_gpu: 200}
          - {k: 2, batch: 8, throughput_samples_s: 180, power_w_per_gpu: 200}
          - {k: 1, batch: 8, throughput_samples_s: 101, power_w_per_gpu: 200}
        evidence"""
RENAMED = MODELS.replace("bert", "vit")
SECOND = MODELS + MODELS[MODELS.index("  - name"):]


def limits(name, section, *errors):
    """A power_limits section on line 14, which is the last of the GPU's."""
    return model(f"power limits: {name}", ("        evidence", f"        power_limits: {section}\n        evidence"), *errors)


def level(limit, time=1.2, power=0.8):
    return f"{{power_limit_w: {limit}, time_ratio: {time}, power_ratio: {power}, energy_ratio: 0.96, configurations: 1}}"


def phases(name, section, *errors):
    """phases on line 5 of the model."""
    return model(f"phases: {name}", ("    batches", f"    phases: {section}\n    batches"), *errors)


def scope(name, word, *errors, cluster=(), models=()):
    """A power_scope on line 14 of the only model, in a scenario whose cluster is changed, too."""
    change = [("        evidence", f"        power_scope: {word}\n        evidence"), *models]
    return Case(f"power scope: {name}", errors,
                {"c.yaml": changed(CONFIG, cluster), "m.yaml": changed(MODELS, change)})


SCOPE = "models.bert.gpus.a100.power_scope"
NODE = "{count: 1, gpu: a100, gpus: 8}"
OTHER = MODELS[MODELS.index("  - name"):].replace("bert", "vit")

CASES = [
    Case("models: file not found", ("c.yaml:9:9: models: nowhere.yaml: cannot open: No such file or directory",),
         {"c.yaml": CONFIG.replace("m.yaml", "nowhere.yaml")}),
    Case("models: folder instead of a file", ("folder: cannot read: Is a directory",),
         {"c.yaml": CONFIG.replace("m.yaml", "folder"), "folder": None}),
    config("models: mapping that no model file could hold", ("models: m.yaml", "models: {file: m.yaml}"),
           "c.yaml:9:10: models: unknown key \"file\"", "c.yaml:9:9: models: key \"models\" is missing"),
    config("models: bad value in place", ("models: m.yaml", "models: [m.yaml, {models: [{name: vit, m0: -1}]}]"),
           "c.yaml:9:44: models[1].models[0].m0: expected number > 0 and <= 1000000000000, got \"-1\"",
           *(f"c.yaml:9:28: models[1].models[0]: key \"{key}\" is missing" for key in ("gpus", "phi", "batches"))),
    config("models: the same model in a file and in place", ("models: m.yaml", "models: [m.yaml, {models: [{name: bert}]}]"),
           *(f"c.yaml:9:28: models[1].models[0]: key \"{key}\" is missing" for key in ("gpus", "m0", "phi", "batches")),
           "c.yaml:9:28: models[1].models[0]: model \"bert\" is defined twice"),
    config("models: variable that is not set", ("models: m.yaml", "models: ${EASIM_TEST_NONE}/m.yaml"),
           "c.yaml:9:9: models: environment variable EASIM_TEST_NONE is not set"),
    config("models: variable that is not closed", ("models: m.yaml", "models: ${HOME"),
           "c.yaml:9:9: models: expected a closing } after ${, got \"${HOME\""),
    config("models: the same file twice", ("models: m.yaml", "models: [m.yaml, m.yaml]"),
           "m.yaml:2:5: models[0]: model \"bert\" is defined twice"),
    model("models: empty file", "", "m.yaml: the file holds no models"),
    model("models: key missing", "speeds: []\n", "m.yaml:1:1: unknown key \"speeds\"",
          "m.yaml:1:1: key \"models\" is missing"),
    model("models: no model", "models: []\n", "m.yaml:1:9: models: expected a list of mappings, got an empty list"),
    model("models: model defined twice", SECOND, "m.yaml:16:5: models[1]: model \"bert\" is defined twice"),
    model("models: keys missing", ("    m0: 1024\n    phi: 1000\n", ""),
          "m.yaml:2:5: models[0]: key \"m0\" is missing", "m.yaml:2:5: models[0]: key \"phi\" is missing"),
    model("models: unknown key with suggestion", ("alpha_s:", "alpha:"),
          "m.yaml:11:9: models[0].gpus.a100: unknown key \"alpha\", did you mean \"alpha_s\"?"),
    model("models: batch of nothing", ("[8, 16]", "[8, 0, -1]"),
          "m.yaml:5:18: models[0].batches[1]: expected number > 0 and <= 1000000000, got \"0\"",
          "m.yaml:5:21: models[0].batches[2]: expected number > 0 and <= 1000000000, got \"-1\""),
    model("models: no batch", ("[8, 16]", "[]"),
          "m.yaml:5:14: models[0].batches: expected a list of at least one value, got an empty list"),
    phases("not a list", "{until: 1}", "m.yaml:5:13: models[0].phases: expected a list of mappings, got a mapping"),
    phases("none", "[]", "m.yaml:5:13: models[0].phases: expected a list of mappings, got an empty list"),
    phases("of numbers", "[0.5, 1]", "m.yaml:5:14: models[0].phases[0]: expected a mapping of keys to values, got \"0.5\"",
           "m.yaml:5:19: models[0].phases[1]: expected a mapping of keys to values, got \"1\""),
    phases("no end", "[{phi: 3}]", "m.yaml:5:14: models[0].phases[0]: key \"until\" is missing"),
    phases("share of work in percent", "[{until: 30}, {until: 100}]",
           "m.yaml:5:22: models[0].phases[0].until: expected number > 0 and <= 1, got \"30\"",
           "m.yaml:5:35: models[0].phases[1].until: expected number > 0 and <= 1, got \"100\""),
    phases("not ascending", "[{until: 0.5}, {until: 0.3}, {until: 0.5}, {until: 1}]",
           "m.yaml:5:28: models[0].phases[1].until: expected more than the 0.5 of the phase before, got 0.3"),
    phases("not to the end", "[{until: 0.5}, {until: 0.9}]",
           "m.yaml:5:28: models[0].phases[1].until: expected 1, the end of the work, for the last phase, got 0.9"),
    phases("nearly to the end", "[{until: 0.5}, {until: 0.9999999999}]",
           "m.yaml:5:28: models[0].phases[1].until: expected 1, the end of the work, for the last phase, got 0.9999999999"),
    phases("work beyond the end", "[{until: 1}, {until: 1}]",
           "m.yaml:5:26: models[0].phases[1].until: expected more than the 1 of the phase before, got 1"),
    phases("ends that are no numbers", "[{until: nan}, {until: 50%}, {until: ~}]",
           "m.yaml:5:22: models[0].phases[0].until: expected number > 0 and <= 1, got \"nan\"",
           "m.yaml:5:36: models[0].phases[1].until: expected number > 0 and <= 1, got \"50%\"",
           "m.yaml:5:42: models[0].phases[2]: key \"until\" is missing"),
    phases("batches of all GPUs", "[{until: 1, global_batches: [8]}]", "m.yaml:5:25: models[0].phases[0]: unknown key \"global_batches\""),
    phases("noise scale and batch that cannot be", "[{until: 1, phi: -1, batches: [0]}]",
           "m.yaml:5:30: models[0].phases[0].phi: expected number 0..1000000000000000, got \"-1\"",
           "m.yaml:5:44: models[0].phases[0].batches[0]: expected number > 0 and <= 1000000000, got \"0\""),
    phases("reference batch of its own", "[{until: 1, m0: 3}]", "m.yaml:5:25: models[0].phases[0]: unknown key \"m0\""),
    phases("too many batches", f"[{{until: 1, batches: {list(range(1, 67))}}}]",
           "m.yaml:5:14: models[0].phases[0].batches: expected at most 64 different values, got 66"),
    phases("too many", f"[{', '.join('{until: %g}' % (i / 65) for i in range(1, 66))}]",
           "m.yaml:5:1216: models[0].phases: expected at most 64 phases, got 65"),
    model("models: phases without a noise scale", ("    phi: 1000\n", "    phases: [{until: 0.5, phi: 3}, {until: 1}]\n"),
          "m.yaml:4:36: models[0].phases[1]: key \"phi\" is missing (the model has none either)"),
    model("models: no GPU type", MODELS[:MODELS.index("      a100")].replace("gpus:", "gpus: {}"),
          "m.yaml:6:11: models[0].gpus: expected a mapping from GPU type to parameters, got an empty mapping"),
    model("models: GPU types in a list", MODELS[:MODELS.index("      a100")].replace("gpus:", "gpus: [a100]"),
          "m.yaml:6:11: models[0].gpus: expected a mapping from GPU type to parameters, got a list"),
    model("models: gamma below 1", ("gamma: 2", "gamma: 0.5"),
          "m.yaml:10:16: models[0].gpus.a100.gamma: expected number 1..10, got \"0.5\""),
    model("models: time that is not a number", ("a_s: 0.04", "a_s: NaN"),
          "m.yaml:8:14: models[0].gpus.a100.a_s: expected number > 0 and <= 1000000, got \"NaN\""),
    model("models: least power above most", ("p0_w: 100", "p0_w: 301"),
          f"{GPU}: expected p0_w at most pmax_w, got 301 and 300"),
    model("models: parameters missing", ("        gamma: 2\n        alpha_s: 0.01\n", ""),
          f"{GPU}: key \"gamma\" is missing (there is no lookup table either)",
          f"{GPU}: key \"alpha_s\" is missing (there is no lookup table either)"),
    model("models: no evidence", ("        evidence: assumed\n        source: made up\n", ""),
          f"{GPU}: key \"evidence\" is missing", f"{GPU}: key \"source\" is missing"),
    model("models: evidence of an unknown word", ("assumed", "guessed"),
          "m.yaml:14:19: models[0].gpus.a100.evidence: expected one of measured | derived | assumed | assumed (override), got \"guessed\""),
    model("models: evidence by parameter", ("assumed", "{a_s: measured, c_s: guessed}"),
          "m.yaml:14:40: models[0].gpus.a100.evidence.c_s: expected one of measured | derived | assumed | assumed (override), got "
          "\"guessed\""),
    model("models: measured point twice", ("        evidence", LOOKUP),
          f"{GPU}: lookup: the point k 1, batch 8 is listed twice"),
    model("models: measured point twice but for rounding",
          ("        evidence", "        lookup: [{k: 1, batch: 0.5, throughput_samples_s: 5, power_w_per_gpu: 5}, "
           "{k: 1, batch: 0.50000000001, throughput_samples_s: 6, power_w_per_gpu: 5}]\n        evidence"),
          f"{GPU}: lookup: the point k 1, batch 0.5 is listed twice"),
    model("models: one GPU across nodes",
          ("        evidence", "        lookup: [{k: 1, batch: 8, throughput_samples_s: 5, power_w_per_gpu: 5, across_nodes: true}]\n"
           "        evidence"), "m.yaml:14:18: models[0].gpus.a100.lookup[0].across_nodes: expected false: one GPU is in one node"),
    model("models: measured point without speed",
          ("        evidence", "        lookup: [{k: 1, batch: 8, power_w_per_gpu: -5}]\n        evidence"),
          "m.yaml:14:52: models[0].gpus.a100.lookup[0].power_w_per_gpu: expected number > 0 and <= 100000, got \"-5\""),
    model("models: range reversed",
          ("        evidence", "        range_k: [8, 1]\n        range_batch: 4\n        evidence"),
          f"{GPU}.range_k: expected [least, most], got [8, 1]",
          f"{GPU}.range_batch: expected [least, most], got 1 value"),
    model("models: memory in an unknown unit", ("phi: 1000", "phi: 1000\n    mem0_gib: 2GB/s\n    start_s: -1s"),
          "m.yaml:6:14: models[0].start_s: expected duration such as 90s or 10h 0..1000000, got \"-1s\"",
          "m.yaml:5:15: models[0].mem0_gib: expected size in GiB 0..1000000 (units: B, kB, MB, GB, TB, KiB, MiB, GiB, "
          "TiB), got \"2GB/s\""),
    Case("models: another speed ratio of rigid jobs in a second file",
         ("n.yaml:16:14: rigid_speed: expected the same as at m.yaml:16:14, which it would replace",),
         {"c.yaml": CONFIG.replace("m.yaml", "[m.yaml, same.yaml, n.yaml]"), "m.yaml": MODELS + "rigid_speed: {a100: 2}\n",
          "same.yaml": MODELS.replace("bert", "gpt") + "rigid_speed: {\"a100\": 2} # once more\n",
          "n.yaml": RENAMED + "rigid_speed: {a100: 3}\n"}),
    model("models: speed ratio of rigid jobs", MODELS + "rigid_speed: {a100: 0}\n",
          "m.yaml:16:21: rigid_speed.a100: expected number > 0 and <= 1000000, got \"0\""),
    model("models: speed ratio that is a list", MODELS + "rigid_speed: [1, 2]\n",
          "m.yaml:16:14: rigid_speed: expected a mapping from GPU type to speed ratio, got a list"),
    model("models: several problems", [("m0: 1024", "m0: many"), ("gamma: 2", "gama: 2"), ("assumed", "guessed"),
                                       ("c_s: 0.005", "c_s: 0")],
          "m.yaml:3:9: models[0].m0: expected number > 0 and <= 1000000000000, got \"many\"",
          "m.yaml:10:9: models[0].gpus.a100: unknown key \"gama\", did you mean \"gamma\"?",
          "m.yaml:9:14: models[0].gpus.a100.c_s: expected number > 0 and <= 1000000, got \"0\"",
          "m.yaml:14:19: models[0].gpus.a100.evidence: expected one of measured | derived | assumed | assumed (override), got \"guessed\""),
    Case("models: problems of two files together",
         ("c.yaml:3:7: seed: expected integer 0..9007199254740992, got \"x\"",
          "c.yaml:8:7: cluster.nodes[0].gpu: no GPU type is named \"a10\", did you mean \"a100\"?",
          "m.yaml:4:10: models[0].phi: expected number 0..1000000000000000, got \"-1\"",
          "m.yaml:8:9: models[0].gpus.a100: expected p0_w at most pmax_w, got 100 and 99"),
         {"c.yaml": changed(CONFIG, [("seed: 1", "seed: x"), ("gpu: a100", "gpu: a10")]),
          "m.yaml": changed(MODELS, [("phi: 1000", "phi: -1"), ("pmax_w: 300", "pmax_w: 99")])}),
    model("models: power of the GPU type beside watts", ("        p0_w", "        power: tdp\n        p0_w"),
          f"{GPU}: expected no p0_w and pmax_w with power: tdp"),
    model("models: lookup without power", [("        p0_w: 100\n        pmax_w: 300\n", ""),
                                           ("        evidence", "        lookup: [{k: 1, batch: 8, "
                                            "throughput_samples_s: 5}]\n        evidence")],
          f"{GPU}: lookup[0]: key \"power_w_per_gpu\" is missing"),
    model("models: lookup with a speed missing", ("        evidence", "        lookup: [{k: 1, batch: 8, power_w_per_gpu: 200}, "
                                                   "{k: 1, batch: 16, power_w_per_gpu: 200, throughput_samples_s: 5}]\n"
                                                   "        evidence"),
          "m.yaml:14:18: models[0].gpus.a100.lookup[0]: key \"throughput_samples_s\" is missing"),
    model("models: lookup with a power missing", ("        evidence", "        lookup: [{k: 1, batch: 8, throughput_samples_s: "
                                                   "4}, {k: 1, batch: 16, power_w_per_gpu: 200, throughput_samples_s: 5}]\n"
                                                   "        evidence"),
          f"{GPU}: lookup[0]: key \"power_w_per_gpu\" is missing"),
    model("models: lookup of nothing", ("        evidence", "        lookup: [{k: 1, batch: 8}]\n        evidence"),
          "m.yaml:14:18: models[0].gpus.a100.lookup[0]: expected throughput_samples_s, power_w_per_gpu or both"),
    model("models: measured power beside half a form", [
        ("        a_s: 0.04\n", ""), ("        evidence", "        lookup: [{k: 1, batch: 8, power_w_per_gpu: 200}]\n        evidence")],
          "m.yaml:8:9: models[0].gpus.a100: key \"a_s\" is missing (the lookup table has no throughput_samples_s either)"),
    model("models: measured speed beside half a form", [
        ("        c_s: 0.005\n", ""), ("        p0_w: 100\n", ""),
        ("        evidence", "        lookup: [{k: 1, batch: 8, throughput_samples_s: 200}]\n        evidence")],
          f"{GPU}: key \"c_s\" is missing (the lookup table has no power_w_per_gpu either)",
          f"{GPU}: key \"p0_w\" is missing (the lookup table has no power_w_per_gpu either)"),
    model("models: efficiency of no kind", ("phi: 1000", "phi: 1000\n    efficiency: 0.5"),
          "m.yaml:5:17: models[0].efficiency: expected one of noise_scale | none, got \"0.5\""),
    model("models: efficiency none beside its parameters", ("phi: 1000", "phi: 1000\n    efficiency: none"),
          "m.yaml:2:5: models[0]: expected no m0 with efficiency: none",
          "m.yaml:2:5: models[0]: expected no phi with efficiency: none"),
    model("models: noise scale without its parameters", ("    phi: 1000", "    efficiency: noise_scale\n    samples_to_target: 0"),
          "m.yaml:5:24: models[0].samples_to_target: expected number > 0 and <= 1e+300, got \"0\"",
          "m.yaml:2:5: models[0]: key \"phi\" is missing"),
    model("models: batches of two kinds", ("    batches: [8, 16]", "    batches: [8, 16]\n    global_batches: [64]"),
          "m.yaml:2:5: models[0]: expected one of batches and global_batches, got both"),
    model("models: batches of two kinds on a GPU type", ("        evidence", "        batches: 8\n        global_batches: 16\n"
                                                                            "        evidence"),
          f"{GPU}: expected one of batches and global_batches, got both"),
    model("models: global batch of nothing", ("batches: [8, 16]", "global_batches: [.inf, 0]"),
          "m.yaml:5:22: models[0].global_batches[0]: expected number > 0 and <= 1000000000000, got \".inf\"",
          "m.yaml:5:28: models[0].global_batches[1]: expected number > 0 and <= 1000000000000, got \"0\""),
    model("models: keys on a GPU type that are no numbers", ("        evidence", "        most_batch: nan\n        gpus_per_node: 2.5\n"
                                                             "        batches: [nan, 1e300, half]\n        evidence"),
          "m.yaml:16:19: models[0].gpus.a100.batches[0]: expected number > 0 and <= 1000000000, got \"nan\"",
          "m.yaml:16:24: models[0].gpus.a100.batches[1]: expected number > 0 and <= 1000000000, got \"1e300\"",
          "m.yaml:16:31: models[0].gpus.a100.batches[2]: expected number > 0 and <= 1000000000, got \"half\"",
          "m.yaml:14:21: models[0].gpus.a100.most_batch: expected number > 0 and <= 1000000000, got \"nan\"",
          "m.yaml:15:24: models[0].gpus.a100.gpus_per_node: expected integer 1..1048576, got \"2.5\""),
    model("models: work of a training that is no number", ("phi: 1000", "phi: 1000\n    samples_to_target: nan"),
          "m.yaml:5:24: models[0].samples_to_target: expected number > 0 and <= 1e+300, got \"nan\""),
    model("models: measured point of no batch", ("        evidence", "        lookup: [{k: 1.5, batch: 0, throughput_samples_s: -1}]\n"
                                                 "        evidence"),
          "m.yaml:14:22: models[0].gpus.a100.lookup[0].k: expected integer 1..1000000, got \"1.5\"",
          "m.yaml:14:34: models[0].gpus.a100.lookup[0].batch: expected number > 0 and <= 1000000000, got \"0\"",
          "m.yaml:14:59: models[0].gpus.a100.lookup[0].throughput_samples_s: expected number > 0 and <= 1000000000000, got \"-1\""),
    model("models: batches of some GPU types only", MODELS.replace("    batches: [8, 16]\n", "").replace(
        "        evidence", "        batches: 8\n        evidence") + MODELS[MODELS.index("      a100"):].replace("a100", "h100"),
          "m.yaml:2:5: models[0]: key \"batches\" is missing"),
    model("models: accumulation of half a step", ("        evidence", "        grad_accum: [{k: 0, batch: -1, steps: 0.5}, {k: 1}]\n"
                                                                      "        evidence"),
          "m.yaml:14:26: models[0].gpus.a100.grad_accum[0].k: expected integer 1..1000000, got \"0\"",
          "m.yaml:14:36: models[0].gpus.a100.grad_accum[0].batch: expected number > 0 and <= 1000000000, got \"-1\"",
          "m.yaml:14:47: models[0].gpus.a100.grad_accum[0].steps: expected integer 1..1000000, got \"0.5\"",
          "m.yaml:14:53: models[0].gpus.a100.grad_accum[1]: key \"batch\" is missing",
          "m.yaml:14:53: models[0].gpus.a100.grad_accum[1]: key \"steps\" is missing"),
    model("models: accumulation stated twice", ("        evidence", "        grad_accum: [{k: 2, batch: 8, steps: 2}, {k: 2, batch: "
                                                                    "8.0, steps: 4}]\n        evidence"),
          f"{GPU}: grad_accum: k 2, batch 8 is listed twice"),
    model("models: record that is none", ("    gpus:", "    fit: good\n    gpus:"), "m.yaml:6:10: models[0].fit: expected a mapping, got \"good\""),
    model("models: no step fits", ("        evidence", "        most_batch: 0\n        evidence"),
          "m.yaml:14:21: models[0].gpus.a100.most_batch: expected number > 0 and <= 1000000000, got \"0\""),
    model("models: unknown law of synchronization", ("alpha_s: 0.01", "alpha_s: 0.01\n        sync_inter: log10\n        gpus_per_node: 0"),
          "m.yaml:12:21: models[0].gpus.a100.sync_inter: expected one of linear | log2, got \"log10\"",
          "m.yaml:13:24: models[0].gpus.a100.gpus_per_node: expected integer 1..1048576, got \"0\""),
    model("models: nodes without their share of time", ("alpha_s: 0.01", "alpha_s: 0.01\n        sync_inter: log2"),
          f"{GPU}: key \"beta_inter_s\" is missing (sync_inter: log2)"),
    model("models: extensions out of range", ("alpha_s: 0.01", "alpha_s: 0.01\n        sync_gamma: 0.5\n        "
                                              "scaling_exponent: 2"),
          "m.yaml:12:21: models[0].gpus.a100.sync_gamma: expected number 1..10, got \"0.5\"",
          "m.yaml:13:27: models[0].gpus.a100.scaling_exponent: expected number 0..1, got \"2\""),
    model("models: records of no use", ("        evidence", "        fit: good\n        power_limits: {levels: []}\n"
                                        "        evidence"),
          "m.yaml:15:32: models[0].gpus.a100.power_limits.levels: expected a list of mappings, got an empty list"),
    model("models: record of a fit that is a word", ("        evidence", "        fit: good\n        evidence"),
          "m.yaml:14:14: models[0].gpus.a100.fit: expected a mapping, got \"good\""),
    limits("above the GPU's", f"{{levels: [{level(250)}, {level(401)}]}}",
           "m.yaml:14:129: power_limit_w: expected at most the 400 W that the cluster says is tdp_w of a100, got 401"),
    model("power limits: above the GPU's, in check",
          ("        evidence", f"        power_limits: {{levels: [{level(250)}, {level(401)}]}}\n        evidence"),
          "m.yaml:14:129: power_limit_w: expected at most the 400 W that the cluster says is tdp_w of a100, got 401",
          command=("check", "c.yaml")),
    limits("descending", f"{{levels: [{level(250)}, {level(200)}]}}",
           "m.yaml:14:129: models[0].gpus.a100.power_limits.levels[1].power_limit_w: expected ascending limits, got 200 after "
           "250"),
    limits("listed twice", f"{{levels: [{level(250)}, {level(250)}]}}",
           "m.yaml:14:129: models[0].gpus.a100.power_limits.levels[1].power_limit_w: expected ascending limits, got 250 after "
           "250"),
    limits("of nothing", f"{{levels: [{level(0)}]}}",
           "m.yaml:14:49: models[0].gpus.a100.power_limits.levels[0].power_limit_w: expected number > 0 and <= 100000, got "
           "\"0\""),
    limits("faster than none", f"{{levels: [{level(250, time=0.49)}]}}",
           "m.yaml:14:66: models[0].gpus.a100.power_limits.levels[0].time_ratio: expected number 0.5..1e+20, got \"0.49\""),
    limits("text", f"{{levels: [{level('low')}]}}",
           "m.yaml:14:49: models[0].gpus.a100.power_limits.levels[0].power_limit_w: expected number > 0 and <= 100000, got "
           "\"low\""),
    limits("no power", f"{{levels: [{level(250, power=-1)}]}}",
           "m.yaml:14:84: models[0].gpus.a100.power_limits.levels[0].power_ratio: expected number > 0 and <= 1e+20, got "
           "\"-1\""),
    limits("points and optimum of no level", f"{{energy_optimal_w: 300, levels: [{level(250)}], points: [{{power_limit_w: "
           "200, k: 1, batch: 8, iteration_s: 1, power_w_per_gpu: 150}]}",
           "m.yaml:14:162: models[0].gpus.a100.power_limits.points[0].power_limit_w: expected the limit of a level, got 200",
           f"{GPU}.power_limits.energy_optimal_w: expected the limit of a level, got 300"),
    limits("that are a number", "250", "m.yaml:14:23: models[0].gpus.a100.power_limits: expected a mapping of keys to values, got \"250\""),
    scope("unknown", "rack", "m.yaml:14:22: models[0].gpus.a100.power_scope: expected one of gpu | node | node_ac | node_dc, got "
          "\"rack\""),
    scope("of a node counted twice", "node",
          f"m.yaml:8:9: {SCOPE}: node counts the whole node: expected nodes of a100 with base_w 0 and no other power of their "
          "own, got 300 W", cluster=[(NODE, "{count: 1, gpu: a100, gpus: 8, base_w: 300}")]),
    scope("of a node with a processor per GPU", "node_dc",
          f"m.yaml:8:9: {SCOPE}: node_dc counts the whole node: expected nodes of a100 with base_w 0 and no other power of their "
          "own, got 40 W", cluster=[(NODE, "{count: 1, gpu: a100, gpus: 8, cpu_w_per_busy_gpu: 5}")]),
    scope("above tdp_w", "node_ac",
          f"m.yaml:8:9: {SCOPE}: node_ac: expected pmax_w at most the 400 W that the cluster says is tdp_w of a100, the share of "
          "a node, got 920 W", models=[("pmax_w: 300", "pmax_w: 920")]),
    scope("above tdp_w at a measured point", "node_ac",
          f"m.yaml:8:9: {SCOPE}: node_ac: expected a lookup at most the 400 W that the cluster says is tdp_w of a100, the share "
          "of a node, got 920 W", models=[("        source", "        lookup: [{k: 8, batch: 8, power_w_per_gpu: 920}]\n        source")]),
    Case("power scope: two on one GPU type",
         (f"m.yaml:23:9: models.vit.gpus.a100.power_scope: expected node_ac as of bert, since both draw the idle_w and ctx_w of "
          "a100, got gpu",),
         {"c.yaml": CONFIG, "m.yaml": changed(MODELS, [("        evidence", "        power_scope: node_ac\n        evidence")]) + OTHER}),
]
