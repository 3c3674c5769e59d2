"""Failures, sleep, interference and noise."""

from base import CONFIG, MODELS, Case, changed, config


def node(name, keys, *errors):
    """More keys of the node group in line 8."""
    return config(f"failures: {name}", ("gpus: 8", "gpus: 8, " + keys), *errors)


def gpu(name, keys, *errors):
    """More keys of the GPU type in line 6."""
    return config(f"sleep: {name}", ("memory_gib: 80", "memory_gib: 80, " + keys), *errors)


def interference(name, value, *errors):
    return config(f"interference: {name}", ("models: m.yaml", f"  interference: {value}\nmodels: m.yaml"), *errors)


def noise(name, value, *errors):
    return config(f"noise: {name}", ("seed: 1", f"seed: 1\nnoise: {value}"), *errors)


def outages(name, rows, *errors, keys="{file: o.csv}", change=()):
    """Recorded outages; the key is in line 16 of c.yaml."""
    text = changed(CONFIG, change) + f"failures: {keys}\n"
    return Case(f"outages: {name}", errors, {"c.yaml": text, "m.yaml": MODELS, "o.csv": rows})


OUTAGES = "node,start_s,end_s\n0,5,10\n"
SECONDS, END = "expected seconds -4e9..4e9, got ", "expected seconds -4e9..4e9 or empty, got "


CASES = [
    outages("end before start", OUTAGES + "0,30,20\n",
        "o.csv:3:6: end_s: expected a time not before start_s (30), got 20"),
    outages("cells that are wrong", "node,start_s,end_s\n-1,0,1\nn7,,never\n1.5,inf,nan\n2000000000,5e9,1\n",
        'o.csv:2:1: node: expected integer 0..1073741823, got "-1"',
        'o.csv:3:1: node: expected integer 0..1073741823, got "n7"',
        f'o.csv:3:4: start_s: {SECONDS}""', f'o.csv:3:5: end_s: {END}"never"',
        'o.csv:4:1: node: expected integer 0..1073741823, got "1.5"',
        f'o.csv:4:5: start_s: {SECONDS}"inf"', f'o.csv:4:9: end_s: {END}"nan"',
        'o.csv:5:1: node: expected integer 0..1073741823, got "2000000000"',
        f'o.csv:5:12: start_s: {SECONDS}"5e9"'),
    outages("short row", OUTAGES + "0,30\n", "o.csv:3:1: expected 3 fields as in the header, found 2"),
    outages("columns missing", "nodes,start_s,until\n0,1,2\n",
        'o.csv:1: column "node" is missing, did you mean "nodes"? (columns: nodes, start_s, until)', 'o.csv:1: column "end_s" is missing (columns: nodes, start_s, until)'),
    outages("empty file", "", "o.csv: empty file, expected a header line"),
    outages("file that is not there", OUTAGES, "c.yaml:16:18: failures.file: p.csv: cannot open: No such file or directory",
        keys="{file: p.csv}"),
    outages("no file named", OUTAGES, 'c.yaml:16:11: failures: key "file" is missing', keys="{offset: 1h}"),
    outages("name alone", OUTAGES,
        'c.yaml:16:11: failures: expected a mapping of keys to values, got "o.csv"', keys="o.csv"),
    outages("misspelt key", OUTAGES, 'c.yaml:16:25: failures: unknown key "ofset", did you mean "offset"?',
        keys="{file: o.csv, ofset: 1}"),
    outages("negative offset", OUTAGES,
        'c.yaml:16:33: failures.offset: expected duration such as 90s or 10h 0..4000000000, got "-1h"',
        keys="{file: o.csv, offset: -1h}"),
    outages("failures by chance too", OUTAGES,
        "c.yaml:16:11: failures: expected recorded outages or mtbf and mttr in cluster.nodes, got both",
        change=[("gpus: 8", "gpus: 8, mtbf: 10h, mttr: 1h")]),
    node("mtbf without mttr", "mtbf: 10h",
        "c.yaml:8:7: cluster.nodes[0]: expected both or neither of mtbf and mttr"),
    node("mttr without mtbf", "mttr: 1h",
        "c.yaml:8:7: cluster.nodes[0]: expected both or neither of mtbf and mttr"),
    node("no time to failure", "mtbf: 0, mttr: 1h",
        'c.yaml:8:44: cluster.nodes[0].mtbf: expected duration such as 90s or 10h > 0 and <= 4000000000, got "0"'),
    node("negative time to repair", "mtbf: 10h, mttr: -1h",
        'c.yaml:8:55: cluster.nodes[0].mttr: expected duration such as 90s or 10h > 0 and <= 4000000000, got "-1h"'),
    node("time to failure in words", "mtbf: rarely, mttr: 1h",
        'c.yaml:8:44: cluster.nodes[0].mtbf: expected duration such as 90s or 10h > 0 and <= 4000000000, got "rarely"'),
    node("time to failure too long", "mtbf: 200000w, mttr: 1h",
        'c.yaml:8:44: cluster.nodes[0].mtbf: expected duration such as 90s or 10h > 0 and <= 4000000000,'
        ' got "200000w"'),
    node("misspelt key", "mtfb: 10h, mttr: 1h",
        'c.yaml:8:38: cluster.nodes[0]: unknown key "mtfb", did you mean "mtbf"?'),
    node("law without a mean", "mtbf_law: weibull, mttr_shape: 1",
        "c.yaml:8:7: cluster.nodes[0]: expected mtbf beside mtbf_law",
        "c.yaml:8:7: cluster.nodes[0]: expected mttr beside mttr_shape"),
    node("laws without shapes", "mtbf: 10h, mttr: 1h, mtbf_law: weibull, mttr_law: lognormal",
        "c.yaml:8:7: cluster.nodes[0]: expected mtbf_shape beside mtbf_law: weibull",
        "c.yaml:8:7: cluster.nodes[0]: expected mttr_shape beside mttr_law: lognormal"),
    node("shapes without a law that has one", "mtbf: 10h, mttr: 1h, mtbf_shape: 2, mttr_shape: 1, mttr_law: exponential",
        "c.yaml:8:7: cluster.nodes[0]: expected mtbf_law: weibull or lognormal with mtbf_shape",
        "c.yaml:8:7: cluster.nodes[0]: expected mttr_law: weibull or lognormal with mttr_shape"),
    node("laws that are wrong", "mtbf: 10h, mttr: 1h, mtbf_law: weibul, mtbf_shape: 0.05, mttr_law: [], mttr_shape: 11",
        'c.yaml:8:69: cluster.nodes[0].mtbf_law: expected one of exponential | weibull | lognormal, got "weibul"',
        'c.yaml:8:89: cluster.nodes[0].mtbf_shape: expected number 0.1..10, got "0.05"',
        "c.yaml:8:105: cluster.nodes[0].mttr_law: expected one of exponential | weibull | lognormal, got an empty list",
        'c.yaml:8:121: cluster.nodes[0].mttr_shape: expected number 0.1..10, got "11"'),
    gpu("power above idle power", "sleep_w: 61, sleep_after: 10min",
        "c.yaml:6:7: cluster.gpu_types[0]: expected sleep_w at most idle_w (60), got 61"),
    gpu("power without a time", "sleep_w: 10",
        "c.yaml:6:7: cluster.gpu_types[0]: expected sleep_after beside sleep_w"),
    gpu("time without a power", "sleep_after: 10min",
        "c.yaml:6:7: cluster.gpu_types[0]: expected sleep_w beside sleep_after"),
    gpu("waking without sleep", "wake_s: 3",
        "c.yaml:6:7: cluster.gpu_types[0]: expected sleep_after beside wake_s"),
    gpu("negative time", "sleep_w: 10, sleep_after: -1",
        'c.yaml:6:97: cluster.gpu_types[0].sleep_after: expected duration such as 90s or 10h 0..4000000000, or off,'
        ' got "-1"'),
    gpu("time in words", "sleep_w: 10, sleep_after: never",
        'c.yaml:6:97: cluster.gpu_types[0].sleep_after: expected duration such as 90s or 10h 0..4000000000, or off,'
        ' got "never"'),
    gpu("negative time to wake", "sleep_w: 10, sleep_after: 60, wake_s: -2.385",
        'c.yaml:6:109: cluster.gpu_types[0].wake_s: expected duration such as 90s or 10h 0..1000000, got "-2.385"'),
    gpu("misspelt key", "sleep_w: 10, sleep_afer: 60",
        'c.yaml:6:84: cluster.gpu_types[0]: unknown key "sleep_afer", did you mean "sleep_after"?'),
    interference("negative slowdown", "{slowdown_per_neighbour: -0.05}",
        'c.yaml:9:42: cluster.interference.slowdown_per_neighbour: expected number 0..100, got "-0.05"'),
    interference("slowdown in words", "{slowdown_per_neighbour: little}",
        'c.yaml:9:42: cluster.interference.slowdown_per_neighbour: expected number 0..100, got "little"'),
    interference("no slowdown", "{}",
        'c.yaml:9:17: cluster.interference: key "slowdown_per_neighbour" is missing'),
    interference("number alone", "0.05",
        'c.yaml:9:17: cluster.interference: expected a mapping of keys to values, got "0.05"'),
    interference("misspelt key", "{slowdown_per_neighbor: 0.05}",
        'c.yaml:9:18: cluster.interference: unknown key "slowdown_per_neighbor",'
        ' did you mean "slowdown_per_neighbour"?',
        'c.yaml:9:17: cluster.interference: key "slowdown_per_neighbour" is missing'),
    noise("sigma too large", "{speed_sigma: 2.385}",
        'c.yaml:4:22: noise.speed_sigma: expected number 0..2, got "2.385"'),
    noise("negative sigma", "{speed_sigma: -0.1}",
        'c.yaml:4:22: noise.speed_sigma: expected number 0..2, got "-0.1"'),
    noise("sigma that is not a number", "{speed_sigma: nan}",
        'c.yaml:4:22: noise.speed_sigma: expected number 0..2, got "nan"'),
    noise("misspelt key", "{sped_sigma: 0.1}",
        'c.yaml:4:9: noise: unknown key "sped_sigma", did you mean "speed_sigma"?',
        'c.yaml:4:8: noise: key "speed_sigma" is missing'),
    config("noise: misspelt section", ("seed: 1", "seed: 1\nnoize: {speed_sigma: 0.1}"),
        'c.yaml:4:1: unknown key "noize", did you mean "noise"?'),
]
