"""Models with a transformer: shapes, figures, keys that would have no effect."""

from base import CONFIG, Case, changed
from base import MODELS as FORMS

MODELS = """\
models:
  - name: gpt
    transformer:
      layers: 4
      hidden: 64
      heads: 4
      sequence: 128
      vocabulary: 1000
      parameters: 1e6
      global_batch: 16
    gpus:
      a100:
        peak_flops: 312e12
        memory_bytes_s: 1.6e12
        node_bytes_s: 230e9
        network_bytes_s: 25e9
        compute_fraction: 0.6
        memory_traffic: 2
        gradient_overlap: 1
        p0_w: 100
        pmax_w: 300
        evidence: assumed
        source: made up
"""
SHAPE = "m.yaml:4:7: models[0].transformer"
GPU = "m.yaml:13:9: models[0].gpus.a100"


def transformer(name, change, *errors, **options):
    return Case(f"transformers: {name}", errors, {"c.yaml": CONFIG, "m.yaml": changed(MODELS, change)}, **options)


def number(name, old, new, place, expected):
    """One number out of its bounds."""
    return transformer(name, [(old, new)], f"{place}: expected {expected}, got \"{new.split(': ')[1]}\"")


def fixed(name, plans, expected, before="", place="[0]", column=None):
    """A plan that the model states."""
    line = 20 + (before != "")
    change = [("p0_w: 100", "".join(f"{key}\n        " for key in (before, f"plans: [{plans}]") if key) + "p0_w: 100")]
    return transformer(f"a plan {name}", change, f"m.yaml:{line}:{column or 17}: models[0].gpus.a100.plans{place}: {expected}")


def published(name, plans, expected, place):
    """Plans of published runs."""
    change = [("p0_w: 100", f"published_plans: [{plans}]\n        p0_w: 100")]
    return transformer(f"published plans: {name}", change, f"m.yaml:20:{expected[0]}: models[0].gpus.a100.published_plans{place}: {expected[1]}")


PLANS = ("calibrate", "plans", "rows.csv", "m.yaml")
HEAD = "model,gpu,gpus,tp,pp,mb,iteration_s"


def plans(name, rows, *errors, head=HEAD, command=PLANS, exit_code=2):
    """Measured iterations under plans."""
    return Case(f"plans: {name}", errors, {"m.yaml": MODELS, "rows.csv": f"{head}\n{rows}\n"}, command=command,
                exit_code=exit_code)


CASES = [
    published("of other GPUs", "{k: 8, plan: tp2pp2v1dp1mb1}", (27, 'expected a plan of k = 8 GPUs, got "tp2pp2v1dp1mb1" of 4'), "[0]"),
    published("twice", "{k: 4, plan: tp2pp2v1dp1mb1}, {k: 4, plan: tp1pp2v1dp2mb1}", (57, "expected one plan of each k, got a second one of 4"),
              "[1]"),
    published("none", "{k: 4, plan: best}",
              (27, 'expected a plan like tp8pp4v2dp2mb1 (cp after dp if it is above 1), got "best"'), "[0]"),
    Case("transformers: plans of another word", ("c.yaml:16:8: plans: expected one of best | published, got \"fastest\"",),
         {"c.yaml": CONFIG + "plans: fastest\n", "m.yaml": MODELS}),
    plans("no such model", "bert,a100,8,2,2,1,1", 'rows.csv:2:1: model: expected a transformer of the model file, got "bert"'),
    plans("no such GPU", "gpt,h100,8,2,2,1,1",
          'rows.csv:2:5: gpu: expected a GPU type of this model in the model file, got "h100"'),
    plans("GPUs that are no multiple", "gpt,a100,9,2,2,1,1", 'rows.csv:2:10: gpus: expected a multiple of tp x pp x cp, got "9"'),
    plans("degrees that are none", "gpt,a100,8,0,1.5,x,1",
          *(f'rows.csv:2:{column}: {name}: expected integer 1..1000000, got "{cell}"'
            for column, name, cell in ((12, "tp", "0"), (14, "pp", "1.5"), (18, "mb", "x")))),
    plans("a plan that cannot be", "gpt,a100,6,3,1,1,1",
          "rows.csv:2:12: plan: expected a plan that can be, got one where tp does not divide heads and kv_heads"),
    plans("no time", "gpt,a100,8,2,2,1,0", 'rows.csv:2:18: iteration_s: expected number > 0 and <= 1e15, got "0"'),
    plans("held out by half", "gpt,a100,8,2,2,1,1,yes", 'rows.csv:2:20: held_out: expected 0, 1 or empty, got "yes"',
          head=HEAD + ",held_out"),
    plans("nothing measured", "gpt,a100,8,2,2,1",
          "rows.csv:1: expected one of the columns iteration_s, samples_s, tokens_s_gpu and tflops_gpu, got none",
          head="model,gpu,gpus,tp,pp,mb"),
    plans("measured twice", "gpt,a100,8,2,2,1,1,1",
          "rows.csv:1: expected one of the columns iteration_s, samples_s, tokens_s_gpu and tflops_gpu, got several",
          head=HEAD + ",samples_s"),
    plans("no rows", "", "rows.csv: expected at most 58 groups, and more rows to be fitted than groups, got 0 and 0"),
    plans("a group that is only held out", "gpt,a100,8,2,2,1,1,0,x\ngpt,a100,4,2,2,1,1,0,x\n"
          "gpt,a100,4,2,1,1,1,0,x\ngpt,a100,4,2,2,1,1,1,y",
          'rows.csv: group: expected a row of "y" that is not held out', head=HEAD + ",held_out,group"),
    plans("column missing", "gpt,a100,8,2,2,1", 'rows.csv:1: column "mb" is missing (columns: model, gpu, gpus, tp, pp, iteration_s)', head="model,gpu,gpus,tp,pp,iteration_s"),
    plans("options of profiles", "gpt,a100,8,2,2,1,1", "easim calibrate: --m0 belongs to profiles, not to plans",
          "easim calibrate: --phi belongs to profiles, not to plans", command=(*PLANS, "--m0", "8", "--phi", "9")),
    plans("two rounds, none of them stated", "gpt,a100,8,2,2,1,1,a\ngpt,a100,4,2,1,1,1,b\ngpt,a100,4,1,2,1,1,b",
          'rows.csv: round_factor: expected it of a round that the rows of group "" share, or that others tie to them: '
          "none is stated", head=HEAD + ",round"),
    plans("a round that is only held out", "gpt,a100,8,2,2,1,1,a,1,\ngpt,a100,4,2,1,1,1,a,,\ngpt,a100,4,1,2,1,1,b,,1",
          'rows.csv:4: round_factor: expected it, or a row of round "b" that is not held out',
          head=HEAD + ",round,round_factor,held_out"),
    plans("a round with two factors", "gpt,a100,8,2,2,1,1,a,1\ngpt,a100,4,2,1,1,1,a,0.9\ngpt,a100,4,1,2,1,1,a,",
          "rows.csv:3: round_factor: expected 1, as in line 2 of this round, got 0.9", head=HEAD + ",round,round_factor"),
    plans("no factor and no fraction", "gpt,a100,8,2,2,1,1,a,0,1.5",
          'rows.csv:2:22: round_factor: expected number > 0 and <= 1000 or empty, got "0"',
          'rows.csv:2:24: shape_fraction: expected number > 0 and <= 1 or empty, got "1.5"',
          head=HEAD + ",round,round_factor,shape_fraction"),
    plans("a row with a plan larger than its nodes", "gpt,a100,8,4,2,1,1",
          "rows.csv:2:12: plan: expected a plan that can be, got one where tp is above the GPUs of a node",
          command=(*PLANS, "--gpus-per-node", "2")),
    *(plans(f"held: {words}", "gpt,a100,8,2,2,1,1",
            "easim calibrate: --hold: expected NAME=VALUE, each name once: memory_traffic, gradient_overlap (0 to 1), "
            f'fixed_s or node_s, got "{wrong}"', command=(*PLANS, "--hold", words))
      for words, wrong in (("compute_fraction=1", "compute_fraction=1"), ("gradient_overlap=1.1", "gradient_overlap=1.1"),
                           ("fixed_s=1,fixed_s=2", "fixed_s=2"), ("node_s", "node_s"), ("memory_traffic=-1", "memory_traffic=-1"))),
    plans("a profile's --hold", "gpt,a100,8,2,2,1,1", "easim calibrate: --hold belongs to plans, not to profiles",
          command=("calibrate", "rows.csv", "--hold", "node_s=0")),
    plans("nodes of a type", "gpt,a100,8,2,2,1,1", "easim calibrate: --gpus-per-node: expected N, got a100=",
          command=(*PLANS, "--gpus-per-node", "a100=4")),
    number("no layers", "layers: 4", "layers: 0", "m.yaml:4:15: models[0].transformer.layers", "integer 1..10000"),
    number("half a head", "heads: 4", "heads: 0.5", "m.yaml:6:14: models[0].transformer.heads", "integer 1..10000"),
    number("no batch", "global_batch: 16", "global_batch: 0", "m.yaml:10:21: models[0].transformer.global_batch",
           "integer 1..1000000000"),
    number("parameters below one", "parameters: 1e6", "parameters: 0.1",
           "m.yaml:9:19: models[0].transformer.parameters", "number 1..1000000000000000"),
    transformer("unknown recomputation", [("layers: 4", "recompute: half\n      layers: 4")],
                "m.yaml:4:18: models[0].transformer.recompute: expected one of none | selective | full, got \"half\""),
    transformer("heads that do not divide", [("heads: 4", "heads: 5")],
                f"{SHAPE}.heads: expected a divisor of hidden, 64, got 5"),
    transformer("kv_heads that do not divide", [("heads: 4", "heads: 4\n      kv_heads: 3")],
                f"{SHAPE}.kv_heads: expected a divisor of heads, 4, got 3"),
    transformer("context of no degree", [("heads: 4", "heads: 4\n      context_parallel: [0]")],
                "m.yaml:7:26: models[0].transformer.context_parallel[0]: expected integer 1..1024, got \"0\""),
    transformer("shape without its batch", [("      global_batch: 16\n", "")],
                f"{SHAPE}: key \"global_batch\" is missing"),
    transformer("unknown key of a shape", [("heads: 4", "heads: 4\n      experts: 8")],
                "m.yaml:7:7: models[0].transformer: unknown key \"experts\""),
    transformer("a form beside it", [("pmax_w: 300", "pmax_w: 300\n        a_s: 0.04\n        gamma: 2")],
                "m.yaml:22:14: models[0].gpus.a100.a_s: expected no such key beside a transformer: it would have no effect",
                "m.yaml:23:16: models[0].gpus.a100.gamma: expected no such key beside a transformer: it would have no effect"),
    transformer("batches beside it", [("    gpus:", "    batches: [8]\n    m0: 8\n    gpus:")],
                "m.yaml:12:9: models[0].m0: expected no such key beside a transformer: it would have no effect",
                "m.yaml:11:14: models[0].batches: expected no such key beside a transformer: it would have no effect"),
    transformer("figures that are missing", [("        peak_flops: 312e12\n", ""), ("        memory_traffic: 2\n", ""),
                                             ("        pmax_w: 300\n", "")],
                *(f"m.yaml:13:9: models[0].gpus.a100: key \"{key}\" is missing (of a transformer)"
                  for key in ("peak_flops", "memory_traffic", "pmax_w"))),
    number("overlap above one", "gradient_overlap: 1", "gradient_overlap: 1.5",
           "m.yaml:19:27: models[0].gpus.a100.gradient_overlap", "number 0..1"),
    number("more than the peak", "compute_fraction: 0.6", "compute_fraction: 1.01",
           "m.yaml:17:27: models[0].gpus.a100.compute_fraction", "number > 0 and <= 1"),
    number("no network", "network_bytes_s: 25e9", "network_bytes_s: 0",
           "m.yaml:16:26: models[0].gpus.a100.network_bytes_s", "number > 0 and <= 1e+30"),
    transformer("unknown precision", [("p0_w: 100", "precision: fp6\n        p0_w: 100")],
                "m.yaml:20:20: models[0].gpus.a100.precision: expected one of unstated | bf16 | fp16 | tf32 | fp32 | fp8 | mxfp8 | "
                "nvfp4, got \"fp6\""),
    transformer("software of no speed", [("p0_w: 100", "software_factor: 0\n        p0_w: 100")],
                'm.yaml:20:26: models[0].gpus.a100.software_factor: expected number > 0 and <= 1000, got "0"'),
    fixed("of another k", "{k: 16, plan: tp4pp2v1dp1mb1}", 'expected a plan of k = 16 GPUs, got "tp4pp2v1dp1mb1" of 8'),
    fixed("that is none", "{k: 8, plan: tp4pp2}",
          'expected a plan like tp8pp4v2dp2mb1 (cp after dp if it is above 1), got "tp4pp2"'),
    fixed("whose tp does not divide heads", "{k: 8, plan: tp8pp1v1dp1mb1}",
          'expected a plan that can be, got "tp8pp1v1dp1mb1" where tp does not divide heads and kv_heads'),
    fixed("whose stages do not divide layers", "{k: 3, plan: tp1pp3v1dp1mb1}",
          'expected a plan that can be, got "tp1pp3v1dp1mb1" where pp times v does not divide the layers'),
    fixed("whose batch does not divide", "{k: 2, plan: tp1pp1v1dp2mb3}",
          'expected a plan that can be, got "tp1pp1v1dp2mb3" where dp times mb does not divide the global batch'),
    fixed("with too few micro-batches", "{k: 2, plan: tp1pp2v2dp1mb16}",
          'expected a plan that can be, got "tp1pp2v2dp1mb16" where v is above 1, and the micro-batches are no multiple of pp'),
    fixed("larger than the nodes", "{k: 4, plan: tp4pp1v1dp1mb1}",
          'expected a plan that can be, got "tp4pp1v1dp1mb1" where tp is above the GPUs of a node', "gpus_per_node: 2"),
    fixed("twice", "{k: 4, plan: tp4pp1v1dp1mb1}, {k: 4, plan: tp2pp2v1dp1mb1}",
          "expected one plan of each k, got a second one of 4", place="[1]", column=47),
    transformer("adapters without gradients", [("layers: 4", "lora: true\n      distributed_optimizer: true\n      layers: 4")],
                "m.yaml:5:30: models[0].transformer.distributed_optimizer: expected no such key of adapters alone: it would have no effect",
                "m.yaml:21:27: models[0].gpus.a100.gradient_overlap: expected no such key of adapters alone: it would have no effect"),
    Case("transformers: keys of plans beside forms",
         tuple(f"m.yaml:8:{column}: models[0].gpus.a100.{key}: expected no such key without a transformer: it would have no effect"
               for key, column in (("fixed_s", 18),)),
         {"c.yaml": CONFIG, "m.yaml": FORMS.replace("a_s: 0.04", "fixed_s: 1\n        a_s: 0.04")}),
    transformer("least power above the most", [("p0_w: 100", "p0_w: 301")],
                f"{GPU}: expected p0_w at most pmax_w, got 301 and 300"),
    Case("transformers: their figures beside forms",
         ("m.yaml:8:21: models[0].gpus.a100.peak_flops: expected no such key without a transformer: it would have no effect",),
         {"c.yaml": CONFIG, "m.yaml": FORMS.replace("a_s: 0.04", "peak_flops: 312e12\n        a_s: 0.04")}),
    Case("transformers: plans of models that have none", ("--plans: none of these models is a transformer",),
         {"m.yaml": FORMS}, command=("models", "m.yaml", "--plans")),
    Case("transformers: more power at rest than the node's share",
         ("m.yaml:13:9: models.gpt.gpus.a100.power_scope: node_ac: expected p0_w at most the 400 W that the cluster says is "
          "tdp_w of a100, the share of a node, got 401 W",),
         {"c.yaml": CONFIG, "m.yaml": changed(MODELS, [("p0_w: 100", "p0_w: 401\n        power_scope: node_ac"),
                                                       ("pmax_w: 300", "pmax_w: 900")])}),
]
