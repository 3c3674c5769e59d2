"""The cluster section."""

from base import CONFIG, MODELS, Case, changed, config

TYPE = "c.yaml:6:7: cluster.gpu_types[0]"
WATTS = "number 0..10000000"


def gpu(name, old, new, *errors):
    return config(f"cluster: {name}", (old, new), *errors)


CASES = [
    gpu("power that is not a number", "idle_w: 60", "idle_w: nan",
        f"c.yaml:6:28: cluster.gpu_types[0].idle_w: expected {WATTS}, got \"nan\""),
    gpu("infinite power", "tdp_w: 400", "tdp_w: .inf",
        "c.yaml:6:50: cluster.gpu_types[0].tdp_w: expected number > 0 and <= 10000000, got \".inf\""),
    gpu("hexadecimal power", "tdp_w: 400", "tdp_w: 0x190",
        "c.yaml:6:50: cluster.gpu_types[0].tdp_w: expected number > 0 and <= 10000000, got \"0x190\""),
    gpu("power with a unit of energy", "tdp_w: 400", "tdp_w: 400Wh",
        "c.yaml:6:50: cluster.gpu_types[0].tdp_w: expected number > 0 and <= 10000000 (units: W, kW, MW), got \"400Wh\""),
    gpu("negative power", "ctx_w: 95", "ctx_w: -95",
        f"c.yaml:6:39: cluster.gpu_types[0].ctx_w: expected {WATTS}, got \"-95\""),
    gpu("memory in an unknown unit", "memory_gib: 80", "memory_gib: 80Gib",
        "c.yaml:6:67: cluster.gpu_types[0].memory_gib: expected size in GiB > 0 and <= 1000000 (units: B, kB, MB, GB, TB, KiB, MiB, "
        "GiB, TiB), got \"80Gib\""),
    gpu("no memory", "memory_gib: 80", "memory_gib: 0",
        "c.yaml:6:67: cluster.gpu_types[0].memory_gib: expected size in GiB > 0 and <= 1000000, got \"0\""),
    gpu("missing power", "idle_w: 60, ctx_w: 95, tdp_w: 400, ", "",
        f"{TYPE}: key \"idle_w\" is missing", f"{TYPE}: key \"tdp_w\" is missing"),
    gpu("idle power above the limit", "idle_w: 60", "idle_w: 500",
        f"{TYPE}: expected idle_w and ctx_w at most tdp_w (400), got 500 and 95"),
    gpu("busy power below idle power", "idle_w: 60", "idle_w: 60, busy_w: 59",
        f"{TYPE}: expected busy_w between idle_w (60) and tdp_w (400), got 59"),
    gpu("busy power above the limit", "idle_w: 60", "idle_w: 60, busy_w: 401",
        f"{TYPE}: expected busy_w between idle_w (60) and tdp_w (400), got 401"),
    gpu("peak that is 0", "idle_w: 60", "idle_w: 60, peak_flops: 0",
        "c.yaml:6:44: cluster.gpu_types[0].peak_flops: expected number > 0 and <= 1e+30, got \"0\""),
    gpu("peak that is a word", "idle_w: 60", "idle_w: 60, peak_flops: fast",
        "c.yaml:6:44: cluster.gpu_types[0].peak_flops: expected number > 0 and <= 1e+30, got \"fast\""),
    gpu("memory that moves backwards", "idle_w: 60", "idle_w: 60, memory_bytes_s: -2e12",
        "c.yaml:6:48: cluster.gpu_types[0].memory_bytes_s: expected number > 0 and <= 1e+30, got \"-2e12\""),
    gpu("GPU type defined twice", "\n  nodes:", "\n    - {name: a100, idle_w: 1, tdp_w: 2}\n  nodes:",
        "c.yaml:7:7: cluster.gpu_types[1]: GPU type \"a100\" is defined twice"),
    gpu("GPU types in a mapping", "    - {name: a100", "      {name: a100",
        "c.yaml:6:7: cluster.gpu_types: expected a list of mappings, got a mapping"),
    gpu("GPU type that is a word", "- {name: a100, idle_w: 60, ctx_w: 95, tdp_w: 400, memory_gib: 80}", "- a100",
        "c.yaml:6:7: cluster.gpu_types[0]: expected a mapping of keys to values, got \"a100\""),
    gpu("nodes of an unknown GPU type", "gpu: a100", "gpu: a10",
        "c.yaml:8:7: cluster.nodes[0].gpu: no GPU type is named \"a10\", did you mean \"a100\"?"),
    gpu("no node", "  nodes:\n    - {count: 1, gpu: a100, gpus: 8}", "  nodes: []",
        "c.yaml:7:10: cluster.nodes: expected a list of mappings, got an empty list"),
    gpu("node without GPUs", "gpus: 8", "gpus: 0",
        "c.yaml:8:35: cluster.nodes[0].gpus: expected integer 1..1048576, got \"0\""),
    gpu("number in words", "gpus: 8", "gpus: eight",
        "c.yaml:8:35: cluster.nodes[0].gpus: expected integer 1..1048576, got \"eight\""),
    gpu("huge node", "gpus: 8", "gpus: 1048577",
        "c.yaml:8:35: cluster.nodes[0].gpus: expected integer 1..1048576, got \"1048577\""),
    gpu("huge cluster", "count: 1, gpu: a100, gpus: 8", "count: 1000000, gpu: a100, gpus: 1048576",
        "c.yaml:8:7: cluster.nodes: expected at most 1073741824 GPUs in all, got 1048576000000"),
    gpu("power of a city", "count: 1, gpu: a100, gpus: 8", "count: 1000, gpu: a100, gpus: 1000000, base_w: 1e7",
        "c.yaml:5:3: cluster: expected a peak power of at most 9e+09 W, got 4.1e+11"),
    gpu("65 GPU types", "\n  nodes:", "".join(
        f"\n    - {{name: g{i}, idle_w: 1, tdp_w: 2}}" for i in range(64)) + "\n  nodes:",
        "c.yaml:70:7: cluster.gpu_types: expected at most 64 GPU types, got 65"),
    gpu("efficiency below 1", "cluster:\n", "cluster:\n  pue: 0.5\n",
        "c.yaml:5:8: cluster.pue: expected number 1..10, got \"0.5\""),
    gpu("no power allowed", "cluster:\n", "cluster:\n  power_cap_w: 0\n",
        "c.yaml:5:16: cluster.power_cap_w: expected number > 0 and <= 1000000000000, got \"0\""),
    Case("cluster: missing, and in the way of nothing else",
         ("c.yaml:1:1: key \"cluster\" is missing",
          "m.yaml:10:16: models[0].gpus.a100.gamma: expected number 1..10, got \"0.5\""),
         {"c.yaml": CONFIG[:CONFIG.index("cluster:")] + CONFIG[CONFIG.index("models:"):],
          "m.yaml": changed(MODELS, [("gamma: 2", "gamma: 0.5")])}),
    config("cluster: several problems", [("idle_w: 60", "idle_w: sixty"), ("gpu: a100", "gpu: h100"),
                                         ("ctx_w: 95", "ctx_w: 500"), ("gpus: 8}", "gpus: 8, watts: 7}")],
           f"c.yaml:6:28: cluster.gpu_types[0].idle_w: expected {WATTS}, got \"sixty\"",
           "c.yaml:8:38: cluster.nodes[0]: unknown key \"watts\"",
           f"{TYPE}: expected idle_w and ctx_w at most tdp_w (400), got 0 and 500",
           "c.yaml:8:7: cluster.nodes[0].gpu: no GPU type is named \"h100\", did you mean \"a100\"?"),
]
