"""model_overrides of a scenario. The model is bert, on a100: alpha_s 0.01, p0_w 100, pmax_w 300, batches up to 16."""

from base import CONFIG, MODELS, Case, changed, command, config

HERE = "c.yaml:10:"  # the line of model_overrides
LOOKUP = "lookup: [{k: 1, batch: 8, throughput_samples_s: 100, power_w_per_gpu: 200}]\n        evidence"


def overrides(name, entries, *errors, models=MODELS):
    """Entries of model_overrides, and what is wrong with them, from the column on."""
    text = changed(CONFIG, [("models: m.yaml", f"models: m.yaml\nmodel_overrides: {entries}")])
    return Case(f"model_overrides: {name}", tuple(error.replace("@", HERE) for error in errors),
                {"c.yaml": text, "m.yaml": models})


def value(name, values, *errors, **more):
    """A single entry for all models."""
    return overrides(name, f"[{{set: {values}}}]", *errors, **more)


CASES = [
    overrides("no list", "{set: {m0: 1}}", "@18: model_overrides: expected a list of mappings, got a mapping"),
    overrides("empty", "[]", "@18: model_overrides: expected a list of mappings, got an empty list"),
    overrides("an entry that is no mapping", "[m0]", "@19: model_overrides[0]: expected a mapping of keys to values, got \"m0\""),
    overrides("nothing to set", "[{model: bert}]", "@19: model_overrides[0]: key \"set\" is missing"),
    overrides("set without a parameter", "[{set: {}}]",
              "@25: model_overrides[0].set: expected a mapping from parameters to values, got an empty mapping"),
    overrides("unknown key", "[{models: bert, set: {m0: 1}}]",
              "@20: model_overrides[0]: unknown key \"models\", did you mean \"model\"?"),
    overrides("unknown model", "[{model: berta, set: {m0: 1}}]",
              "@27: model_overrides[0].model: no model is named \"berta\", did you mean \"bert\"?"),
    overrides("unknown GPU type", "[{gpu: a10, set: {c_s: 1}}]",
              "@25: model_overrides[0].gpu: no model knows a GPU type \"a10\", did you mean \"a100\"?"),
    overrides("GPU type that the model does not know", "[{model: bert, gpu: h100, set: {c_s: 1}}]",
              "@38: model_overrides[0].gpu: bert knows no GPU type \"h100\", did you mean \"a100\"?"),
    overrides("of one GPU type, what a model has once", "[{gpu: a100, set: {m0: 192}}]",
              "@41: model_overrides[0].set.m0: expected no gpu in its entry: a model has one m0 for all GPU types"),
    value("unknown parameter", "{alpa_s: 1}",
          "@26: model_overrides[0].set: unknown parameter \"alpa_s\", did you mean \"alpha_s\"?"),
    value("a record", "{evidence: measured}",
          "@26: model_overrides[0].set: expected a parameter, got \"evidence\", a record of the model file"),
    value("value out of bounds", "{gamma: 0.5}", "@33: model_overrides[0].set.gamma: expected number 1..10, got \"0.5\""),
    value("value of another kind", "{alpha_s: [1]}", "@35: model_overrides[0].set.alpha_s: expected number 0..1000000, got a list"),
    value("value in another unit", "{p0_w: 3 s}",
          "@32: model_overrides[0].set.p0_w: expected number > 0 and <= 100000 (units: W, kW, MW), got \"3 s\""),
    value("product out of bounds", "{gamma: {times: 6}}",
          "@33: model_overrides[0].set.gamma of bert on a100: expected number 1..10, got \"12\""),
    value("product of what is not stated", "{lookup: {times: 2}}",
          "@34: model_overrides[0].set.lookup: expected a list of mappings, got a mapping"),
    value("no factor", "{alpha_s: {time: 2}}",
          "@36: model_overrides[0].set.alpha_s: unknown key \"time\", did you mean \"times\"?",
          "@35: model_overrides[0].set.alpha_s: key \"times\" is missing"),
    value("factor below 0", "{alpha_s: {times: -2}}",
          "@43: model_overrides[0].set.alpha_s.times: expected number >= 0, got \"-2\""),
    value("factor that is no number", "{c_s: {times: nan}, a_s: {times: .inf}, m0: {times: ~}}",
          "@39: model_overrides[0].set.c_s.times: expected number >= 0, got \"nan\"",
          "@58: model_overrides[0].set.a_s.times: expected number >= 0, got \".inf\"",
          "@69: model_overrides[0].set.m0: key \"times\" is missing"),
    value("product of nothing", "{c_s: {times: 0}}",
          "@31: model_overrides[0].set.c_s of bert on a100: expected number > 0 and <= 1000000, got \"0\""),
    value("share and scaling as factors", "{p0_share: {times: 2}, scaling_efficiency: {times: 0.5}}",
          "@36: model_overrides[0].set.p0_share: expected number > 0 and <= 1, got a mapping",
          "@68: model_overrides[0].set.scaling_efficiency: expected number > 0 and <= 1, got a mapping"),
    value("parameter twice", "{m0: 192, m0: 3}", "@35: model_overrides[0].set.m0: duplicate key \"m0\" (first at line 10)"),
    overrides("model of a pattern", "[{model: 'b*', set: {m0: 3}}]", "@27: model_overrides[0].model: no model is named \"b*\""),
    value("power at rest above that at saturation", "{p0_w: 301}",
          "@32: models[0].gpus.a100: expected p0_w at most pmax_w, got 301 and 300"),
    value("power of two kinds", "{power: tdp}", "@33: models[0].gpus.a100: expected no p0_w and pmax_w with power: tdp"),
    value("batches of two kinds", "{global_batches: [64]}", "@42: models[0]: expected one of batches and global_batches, got both"),
    value("nodes without their share of time", "{sync_inter: log2}",
          "@38: models[0].gpus.a100: key \"beta_inter_s\" is missing (sync_inter: log2)"),
    value("efficiency none beside its parameters", "{efficiency: none}", "@38: models[0]: expected no m0 with efficiency: none",
          "@38: models[0]: expected no phi with efficiency: none"),
    value("energy between points of a form", "{power_between: energy}",
          "@41: models[0].gpus.a100.power_between: expected power: energy is between points with throughput and power only"),
    value("phase of a list that is none", "{\"phases[0].phi\": 3}",
          "@26: model_overrides[0].set: unknown parameter \"phases[0].phi\""),
    overrides("batches where each phase has its own", "[{model: bert, set: {batches: [4]}}]",
              "@48: model_overrides[0].set.batches: of no effect on bert (phases with their own)",
              models=changed(MODELS, [("batches: [8, 16]", "phases: [{until: 1, batches: [8, 16]}]")])),
    value("share of no power", "{p0_share: 0}",
          "@36: model_overrides[0].set.p0_share: expected number > 0 and <= 1, got \"0\""),
    value("share of power beside the power", "{p0_w: 3, p0_share: 0.2}",
          "@45: model_overrides[0].set.p0_share: expected no p0_w next to it, which it sets: another entry may follow"),
    value("perfect scaling and more", "{scaling_efficiency: 1.01}",
          "@46: model_overrides[0].set.scaling_efficiency: expected number > 0 and <= 1, got \"1.01\""),
    # t(1) = sqrt(0.04^2 + 0.08^2) = 0.08944272; with beta_s alone t(8) = t(1) + 6*0.01 = 0.14944272
    value("scaling that beta_s keeps out of reach", "{beta_s: 0.01, scaling_efficiency: 0.6}",
          "@60: model_overrides[0].set.scaling_efficiency: expected at most the 0.598508376 that alpha_s = 0 gives "
          "bert on a100 with 8 GPUs and 16 samples each, got 0.6"),
    value("scaling without end", "{scaling_efficiency: 1e-9}",
          "@46: model_overrides[0].set.scaling_efficiency: alpha_s of bert on a100: expected number 0..1000000, "
          "got \"89442719.01054887\""),
    value("scaling beside synchronization", "{alpha_s: 0.1, scaling_efficiency: 0.9}",
          "@60: model_overrides[0].set.scaling_efficiency: expected no alpha_s next to it, which it sets: another entry "
          "may follow"),
    overrides("scaling of a lookup model", "[{model: bert, set: {scaling_efficiency: 0.9}}]",
              "@59: model_overrides[0].set.scaling_efficiency: of no effect on bert on a100 (a lookup table)",
              models=changed(MODELS, [("evidence", LOOKUP)])),
    overrides("a parameter of a lookup model", "[{gpu: a100, model: bert, set: {c_s: 0.9}}]",
              "@55: model_overrides[0].set.c_s: of no effect on bert on a100 (a lookup table)",
              models=changed(MODELS, [("evidence", LOOKUP)])),
    config("model_overrides: scaling on nodes of one GPU",
           [("gpus: 8}", "gpus: 1}"), ("models: m.yaml", "models: m.yaml\nmodel_overrides: [{set: {scaling_efficiency: 0.9}}]")],
           f"{HERE}46: model_overrides[0].set.scaling_efficiency: expected nodes of 2 GPUs or more, the largest of a100 has 1"),
    config("model_overrides: a GPU type of no node",
           [("gpu: a100, gpus: 8}", "gpu: b200, gpus: 8}"), ("{name: a100", "{name: b200"),
            ("models: m.yaml", "models: m.yaml\nmodel_overrides: [{gpu: a100, set: {scaling_efficiency: 0.9}}]")],
           f"{HERE}57: model_overrides[0].set.scaling_efficiency: expected a GPU type of the cluster: it has no node of a100"),
    overrides("scaling of a model that does not fit one GPU", "[{set: {scaling_efficiency: 0.9}}]",
              "@46: model_overrides[0].set.scaling_efficiency: expected a model that runs on one GPU: bert on a100 needs more "
              "than its 80 GiB", models=changed(MODELS, [("    batches", "    mem0_gib: 81\n    batches")])),
    overrides("scaling of a model that was measured on two GPUs and more", "[{set: {scaling_efficiency: 0.9}}]",
              "@46: model_overrides[0].set.scaling_efficiency: expected a model that is known for k = 1: bert on a100 was "
              "measured from k 2 on, and its a_s holds its synchronization (alpha_s 0)",
              models=changed(MODELS, [("alpha_s: 0.01", "alpha_s: 0\n        range_k: [2, 8]")])),
    overrides("scaling of a model whose k 1 is not known, with beta_s", "[{set: {scaling_efficiency: 0.9}}]",
              "@46: model_overrides[0].set.scaling_efficiency: expected a model that is known for k = 1: bert on a100 was "
              "measured from k 2 on, and its a_s holds its synchronization (alpha_s 0)",
              models=changed(MODELS, [("alpha_s: 0.01", "alpha_s: 0\n        beta_s: 0.001\n        range_k: [2, 8]")])),
    overrides("parameters of a model that only serves", "[{model: chat, set: {m0: 5, c_s: 1}}]",
              "@43: model_overrides[0].set.m0: of no effect on chat (serving tables alone)",
              "@51: model_overrides[0].set.c_s: matches nothing: chat runs on no GPU type",
              models=MODELS + "  - {name: chat, unit: output, serving: [{gpu: a100, k: 1, evidence: assumed, source: made up, "
              "points: [{n: 1, per_s: 50, power_w: 100, latency_ms: 3}]}]}\n"),
    config("model_overrides: without models", ("models: m.yaml", "model_overrides: [{set: {m0: 1}}]"),
           "c.yaml:9:18: model_overrides: expected models, of which the scenario has none"),
    command("model_overrides: set by a path", ("run", "c.yaml", "--set", "model_overrides[1].set.c_s=2"),
            "--set model_overrides[1].set.c_s: index 1 is past the end of a list of 0"),
    command("model_overrides: a factor by a path", ("check", "c.yaml", "--set", "model_overrides[0].set.c_s.times=x"),
            "--set model_overrides[0].set.c_s.times: model_overrides[0].set.c_s.times: expected number >= 0, got \"x\""),
]
