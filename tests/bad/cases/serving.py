"""Serving tables of model files."""

from base import CONFIG, MODELS, POISSON, Case, changed, model

TOKENS = """\
    unit: token
    prompt: {included: true}
    serving:
      - gpu: a100
        k: 1
        evidence: measured
        source: here
        points:
          - {limit: 8, n: 7.5, per_s: 300, power_w: 310, itl_ms: {p50: 20, p90: 24, p95: 31, p99: 52}}
          - {limit: 16, n: 15, per_s: 500, power_w: 350, itl_ms: {p50: 25, p90: 30, p95: 37, p99: 60}}
"""
ALONE = "models:\n  - name: chat\n" + TOKENS
POINT = "m.yaml:11:13: models[0].serving[0].points[0]"
SECOND = "m.yaml:12:13: models[0].serving[0].points[1]"


def serving(name, change, *errors):
    """A model with serving tables alone, so that no scenario that trains it is valid: what is wrong comes first."""
    return Case(f"serving: {name}", (*errors, ), {"c.yaml": CONFIG, "m.yaml": changed(ALONE, [change])})


def outputs(name, change, *errors):
    text = changed(ALONE, [("unit: token", "unit: output"), ("    prompt: {included: true}\n", ""),
                           ("itl_ms: {p50: 20, p90: 24, p95: 31, p99: 52}", "latency_ms: 20"),
                           ("itl_ms: {p50: 25, p90: 30, p95: 37, p99: 60}", "latency_ms: 30"), change])
    return Case(f"serving: outputs: {name}", errors, {"c.yaml": CONFIG, "m.yaml": text})


def trained(name, section, *errors):
    """Jobs of a model that has serving tables alone."""
    return Case(f"serving: {name}", errors, {"c.yaml": changed(CONFIG, [(POISSON, section)]), "m.yaml": ALONE})


CASES = [
    trained("no model to train", POISSON, "c.yaml:11:3: workload: all models have serving tables only, so no job "
            "can use them"),
    trained("model of the mix", POISSON + "  mix: [{model: chat}]\n",
            "c.yaml:15:9: workload.mix[0].model: model \"chat\" has serving tables only, so no job can use it"),
    serving("key missing", ("n: 7.5, ", ""), f"{POINT}: key \"n\" is missing"),
    serving("no power", ("power_w: 310, ", ""), f"{POINT}: key \"power_w\" is missing"),
    serving("negative rate", ("per_s: 300", "per_s: -300"),
            "m.yaml:11:39: models[0].serving[0].points[0].per_s: expected number 1e-9..1000000000000, got \"-300\""),
    serving("quantile missing", ("p95: 31, ", ""),
            f"{POINT}: key \"itl_ms.p95\" is missing: a table of tokens needs all quantiles"),
    serving("no quantiles", (", itl_ms: {p50: 20, p90: 24, p95: 31, p99: 52}", ""),
            *(f"{POINT}: key \"itl_ms.{q}\" is missing: a table of tokens needs all quantiles"
              for q in ("p50", "p90", "p95", "p99"))),
    serving("quantiles that fall", ("p90: 24", "p90: 19"), f"{POINT}: expected itl_ms.p90 at least itl_ms.p50, got 19 and 20"),
    serving("one latency for tokens", ("p99: 60}", "p99: 60}, latency_ms: 9"),
            f"{SECOND}: expected no latency_ms: tokens have itl_ms"),
    serving("more requests than the limit", ("limit: 8", "limit: 7"), f"{POINT}: expected n at most limit, got 7.5 and 7"),
    serving("points not ascending", ("n: 15", "n: 7.5"), f"{SECOND}: expected ascending n, got 7.5 after 7.5"),
    serving("no points", (TOKENS[TOKENS.index("        points:"):], "        points: []\n"),
            "m.yaml:10:17: models[0].serving[0].points: expected a list of mappings, got an empty list"),
    serving("table listed twice", ("      - gpu: a100", "      - {gpu: a100, k: 1, evidence: assumed, source: x, points: "
                                   "[{n: 1, per_s: 1, power_w: 9, itl_ms: {p50: 1, p90: 1, p95: 1, p99: 1}}]}\n      - gpu: a100"),
            "m.yaml:7:9: models[0].serving[1]: a table of a100 with k 1 is listed twice"),
    serving("unknown evidence", ("measured", "guessed"),
            "m.yaml:8:19: models[0].serving[0].evidence: expected one of measured | derived | assumed | assumed (override), got \"guessed\""),
    serving("samples", ("    unit: token\n", ""),
            "m.yaml:2:5: models[0].prompt: expected no prompt: only serving tables of tokens have one",
            "m.yaml:2:5: models[0].unit: expected token or output with serving tables, got sample"),
    serving("prompts not said", ("    prompt: {included: true}\n", ""),
            "m.yaml:2:5: models[0].prompt: expected included: true or output_equivalents: what prompts cost"),
    serving("prompts said twice", ("included: true", "included: true, output_equivalents: 0.1"),
            "m.yaml:2:5: models[0].prompt: expected included: true or output_equivalents, got both"),
    serving("efficiency without gpus", ("    unit: token", "    m0: 64\n    unit: token"),
            "m.yaml:2:5: models[0]: m0 has no effect without gpus: there are serving tables only"),
    outputs("quantiles", ("latency_ms: 30", "latency_ms: 30, itl_ms: {p50: 1, p90: 2, p95: 3, p99: 4}"),
            "m.yaml:11:13: models[0].serving[0].points[1]: expected no itl_ms: outputs have one latency_ms"),
    outputs("no latency", (", latency_ms: 30", ""), "m.yaml:11:13: models[0].serving[0].points[1]: key \"latency_ms\" is missing"),
    model("serving: prompt without tables", ("    m0: 1024\n", "    m0: 1024\n    prompt: {included: true}\n"),
          "m.yaml:2:5: models[0].prompt: expected no prompt: only serving tables of tokens have one"),
    model("lookup: energy between points without power", ("        a_s: 0.04\n        c_s: 0.005\n        gamma: 2\n        alpha_s: 0.01\n",
          "        c_s: 0.005\n        power_between: energy\n        lookup: [{k: 1, batch: 8, throughput_samples_s: 100}]\n"),
          "m.yaml:8:9: models[0].gpus.a100.power_between: expected power: energy is between points with throughput and power only"),
    model("lookup: energy without points", ("        gamma: 2\n", "        gamma: 2\n        power_between: energy\n"),
          "m.yaml:8:9: models[0].gpus.a100.power_between: expected power: energy is between points with throughput and power only"),
    Case("serving: gpus without what jobs need",
         tuple(f"m.yaml:2:5: models[0]: key \"{key}\" is missing: jobs need it next to gpus" for key in ("m0", "phi", "batches")),
         {"c.yaml": CONFIG,
          "m.yaml": changed(MODELS, [("    m0: 1024\n    phi: 1000\n    batches: [8, 16]\n", TOKENS)])}),
]
