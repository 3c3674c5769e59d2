"""easim sweep: axes and options that make no sense."""

from base import changed, command

TRY = "Try `easim sweep --help' for more information."
SEEDS = "  - {path: seed, values: [1, 2]}\n"


def sweep(name, axes, *errors, arguments=(), head="name: s\nbase: c.yaml\naxes:\n", files=None, **more):
    words = ["sweep", "s.yaml", "--out", "out", "--quiet", *arguments]
    return command(f"sweep: {name}", words, *errors, files={"s.yaml": head + axes} | (files or {}), **more)


def usage(name, arguments, *errors):
    return sweep(name, SEEDS, *(f"easim sweep: {error}" for error in errors), TRY, arguments=arguments)


# Two axes and a claim or target in which one thing is wrong. Lines of the axes: 4 to 6.
AXES = """\
  - {name: pick, values: {a: {policy.name: fcfs}, b: {policy.name: zeus}}}
  - {name: random, path: seed, values: [1, 2]}
  - {zip: [{path: horizon, values: [1h, 2h]}, {name: cap, path: cluster.power_cap_w, values: [3000, 4000]}]}
"""
CLAIM = "{name: c, metric: energy_kwh, of: {pick: a}, against: {pick: b}, sign: less}"
TARGET = "{name: t, metric: energy_kwh, of: {pick: a}, value: 5, within: 0.1}"


def claim(name, change, *errors, section="claims", good=CLAIM):
    return sweep(name, AXES + f"{section}:\n  - {changed(good, [change])}\n", *errors)


def target(name, change, *errors):
    return claim(name, change, *errors, section="targets", good=TARGET)


CASES = [
    sweep("axis over an unknown path", "  - {path: cluster.power_cap, values: [1000]}\n",
          "set cluster.power_cap: cluster: unknown key \"power_cap\", did you mean \"power_cap_w\"?"),
    sweep("axis over what is no path", "  - {path: \"nodes[x]\", values: [1000]}\n",
          "s.yaml:4:5: axes[0].path: expected an index and \"]\" at character 7 of \"nodes[x]\""),
    sweep("axis over a path with =", "  - {path: seed=3, values: [1000]}\n",
          "s.yaml:4:5: axes[0].path: expected \".\" or \"[\" at character 5 of \"seed=3\""),
    sweep("sample over what is no path",
          "  - sample: {kind: lhs, count: 3, over: [{path: a..b, from: 1, to: 9}]}\n",
          "s.yaml:4:42: axes[0].sample.over[0].path: expected a name, as in cluster.nodes[0].gpus, "
          "at character 3 of \"a..b\""),
    sweep("label that sets what is no path", "  - {name: n, values: {a: {seed.: 1}}}\n",
          "s.yaml:4:28: axes[0].values.a: expected a name, as in cluster.nodes[0].gpus, at character 6 of \"seed.\""),
    sweep("what is no path, for all points", SEEDS,
          "s.yaml:3:7: set: expected \".\" or \"[\" at character 2 of \"a]\"",
          head="name: s\nbase: c.yaml\nset: {\"a]\": 4}\naxes:\n"),
    sweep("the same axis twice, once in quotes", SEEDS + "  - {path: '\"seed\"', values: [1]}\n",
          "s.yaml:5:5: seed is set twice: here, and as seed by an axis before"),
    sweep("value that no scenario takes", "  - {path: horizon, values: [soon, 1h]}\n",
          "set horizon: horizon: expected drain or a duration > 0 and <= 4e9 s, got \"soon\""),
    sweep("zipped lists of two lengths", "  - zip: [{path: seed, values: [1, 2]}, {path: horizon, values: [1h]}]\n",
          "s.yaml:4:41: axes[0].zip[1]: expected 2 values as in the first list, got 1"),
    sweep("empty list", "  - {path: seed, values: []}\n",
          "s.yaml:4:26: axes[0].values: expected at least one value, got none"),
    sweep("one value without a list", "  - {path: seed, values: 3}\n",
          "s.yaml:4:26: axes[0].values: expected a list of values, got \"3\""),
    sweep("step 0", "  - {path: seed, range: {from: 1, to: 3, step: 0}}\n",
          "s.yaml:4:48: axes[0].range.step: expected number > 0 and <= 1e+300, got \"0\""),
    sweep("step and count", "  - {path: seed, range: {from: 1, to: 3, step: 1, count: 3}}\n",
          "s.yaml:4:25: axes[0].range: expected either step or count"),
    sweep("neither step nor count", "  - {path: seed, range: {from: 1, to: 3}}\n",
          "s.yaml:4:25: axes[0].range: expected either step or count"),
    sweep("range that ends before it begins", "  - {path: seed, range: {from: 3, to: 1, step: 1}}\n",
          "s.yaml:4:25: axes[0].range: expected from < to"),
    sweep("range in two units", "  - {path: seed, range: {from: 500 W, to: 2 kW, step: 100 W}}\n",
          "s.yaml:4:43: axes[0].range.to: expected a number of W, as from has, got \"2 kW\""),
    sweep("range that ends in a unit", "  - {path: seed, range: {from: 1, to: 2 h, count: 2}}\n",
          "s.yaml:4:39: axes[0].range.to: expected a number without unit, as from, got \"2 h\""),
    sweep("range in what is no unit", "  - {path: seed, range: {from: 1 kiloton, to: 2, count: 2}}\n",
          "s.yaml:4:32: axes[0].range.from: expected number, got \"1 kiloton\""),
    sweep("logarithm of 0", "  - {path: seed, range: {from: 0, to: 1, count: 3, scale: log}}\n",
          "s.yaml:4:25: axes[0].range: expected from > 0 with scale log"),
    sweep("no samples", "  - sample: {kind: lhs, count: 0, over: [{path: seed, from: 1, to: 9}]}\n",
          "s.yaml:4:32: axes[0].sample.count: expected integer 1..1000000, got \"0\""),
    sweep("samples of nothing", "  - sample: {kind: lhs, count: 3, over: []}\n",
          "s.yaml:4:41: axes[0].sample.over: expected a list of mappings, got an empty list"),
    sweep("unknown kind of sample", "  - sample: {kind: sobol, count: 3, over: [{path: seed, from: 1, to: 9}]}\n",
          "s.yaml:4:20: axes[0].sample.kind: expected one of random | lhs, got \"sobol\""),
    sweep("the same axis twice", SEEDS + SEEDS,
          "s.yaml:5:5: seed is set twice: here, and as seed by an axis before"),
    sweep("axis inside of another", 
          "  - {path: policy, values: [{name: fcfs}]}\n  - {path: policy.name, values: [fcfs]}\n",
          "s.yaml:5:5: policy.name is set twice: here, and as policy by an axis before"),
    sweep("axis that is set already", SEEDS,
          "s.yaml:5:5: seed is set twice: here, and as seed under set", head="name: s\nbase: c.yaml\nset: {seed: 4}\naxes:\n"),
    sweep("values and range", "  - {path: seed, values: [1], range: {from: 1, to: 2, count: 2}}\n",
          "s.yaml:4:5: axes[0]: expected one of values, range, zip and sample"),
    sweep("values without a path", "  - {values: [1]}\n",
          "s.yaml:4:5: axes[0]: expected a path to go with the values"),
    sweep("no axes", "", "s.yaml:1:1: key \"axes\" is missing"),
    sweep("no base", SEEDS,
          "s.yaml:1:1: key \"base\" is missing", head="name: s\naxes:\n"),
    sweep("base that is not there", SEEDS,
          "d.yaml: cannot open: No such file or directory", head="name: s\nbase: d.yaml\naxes:\n"),
    sweep("too many points", "".join(f"  - {{path: p{i}, range: {{from: 1, to: 2000, step: 1}}}}\n" for i in range(2)),
          
          "s.yaml: axes: over 1000000 points"),
    sweep("unknown key", "  - {pth: seed, values: [1]}\n",
          "s.yaml:4:6: axes[0]: unknown key \"pth\", did you mean \"path\"?"),
    sweep("results among something else", SEEDS,
          "easim: out: the folder holds precious.txt, which is not of a sweep", files={"out/precious.txt": "mine\n"}),
    usage("shard 0/0", ["--shard", "0/0"],
          "--shard: expected I/N with 1 <= I <= N, got \"0/0\""),
    usage("shard past the last", ["--shard", "3/2"],
          "--shard: expected I/N with 1 <= I <= N, got \"3/2\""),
    usage("shard without a total", ["--shard", "3"],
          "--shard: expected I/N with 1 <= I <= N, got \"3\""),
    usage("shard and merge", ["--shard", "1/2", "--merge"],
          "--merge: not with --list or --shard"),
    usage("tasks for nobody", ["--tasks", "3"], "--tasks: only with --engine parallel or --engine slurm"),
    usage("tasks for this machine", ["--tasks", "3", "--engine", "local"],
          "--tasks: only with --engine parallel or --engine slurm"),
    usage("what runs nothing and what says how to run", ["--merge", "--threads", "2", "--retry-failed"],
          "--threads: not with --merge, --list or --engine", "--retry-failed: not with --merge or --list"),
    usage("unknown engine", ["--engine", "pbs"],
          "--engine: expected local, parallel or slurm, got \"pbs\""),
    usage("no tasks", ["--engine", "slurm", "--tasks", "0"],
          "--tasks: expected integer 1..100000, got \"0\""),
    sweep("labels without a name", "  - {values: {a: {seed: 1}}}\n",
          "s.yaml:4:5: axes[0]: expected a name to go with the labels"),
    sweep("label that sets nothing", "  - {name: n, values: {a: 1}}\n",
          "s.yaml:4:27: axes[0].values.a: expected a mapping from paths to values, got \"1\""),
    sweep("no labels", "  - {name: n, values: {}}\n",
          "s.yaml:4:23: axes[0].values: expected at least one value, got none"),
    sweep("labels that set what another axis sets",
          "  - {path: policy, values: [{name: zeus}]}\n  - {name: n, values: {a: {seed: 1}, b: {policy.name: zeus}}}\n",
          "s.yaml:5:5: policy.name is set twice: here, and as policy by an axis before"),
    sweep("two axes of one name", "  - {name: n, path: seed, values: [1]}\n  - {name: n, path: horizon, values: [1h]}\n",
          "s.yaml:5:5: another axis is named \"n\" too"),
    sweep("name beside zip", "  - {name: n, zip: [{path: seed, values: [1]}]}\n",
          "s.yaml:4:5: axes[0]: the names and paths of zip and sample stand inside of them"),
    claim("claim on an unknown metric", ("energy_kwh", "energy_kw"),
          "s.yaml:8:23: claims[0].metric: no column of summary.csv is named \"energy_kw\", did you mean \"energy_kwh\"?"),
    claim("claim on a ratio with an unknown metric", ("energy_kwh", "energy_kwh / jobs"),
          "s.yaml:8:23: claims[0].metric: no column of summary.csv is named \"jobs\", did you mean \"jobs_submitted\"?"),
    claim("claim on a list of metrics", ("energy_kwh", "[energy_kwh]"),
          "s.yaml:8:23: claims[0].metric: expected a column of summary.csv, or two with a / between, got a list"),
    claim("claim on a label with an unknown metric", ("energy_kwh", "{all: energy_kwh, some: kwh}"),
          "s.yaml:8:47: claims[0].metric.some: no column of summary.csv is named \"kwh\""),
    claim("claim about an unknown axis", ("of: {pick: a}", "of: {pik: a}"),
          "s.yaml:8:40: claims[0].of: no axis is named \"pik\", did you mean \"pick\"?"),
    claim("claim about an unknown value", ("of: {pick: a}", "of: {pick: c}"),
          "s.yaml:8:46: claims[0].of.pick: the axis pick has no value \"c\", did you mean \"a\"?"),
    claim("claim about a list of values", ("of: {pick: a}", "of: {pick: [a, b]}"),
          "s.yaml:8:46: claims[0].of.pick: expected a value of the axis, got a list"),
    claim("claim about no axis", ("of: {pick: a}", "of: {}"),
          "s.yaml:8:39: claims[0].of: expected a mapping from axes to values, got an empty mapping"),
    claim("claim without a pair", ("against: {pick: b}", "against: {pick: a}"),
          "s.yaml:8:59: claims[0].against: a claim without a pair: `of` is the same"),
    claim("claim against another axis", ("against: {pick: b}", "against: {cap: 3000}"),
          "s.yaml:8:59: claims[0].against: expected a value of each axis under `of` and of no other"),
    claim("claim about zipped values", ("of: {pick: a}, against: {pick: b}", "of: {cap: 3000}, against: {cap: 4000}"),
          "s.yaml:8:5: claims[0]: the axis cap does not stand alone, but in a zip or sample"),
    claim("claim about the seed", ("of: {pick: a}, against: {pick: b}", "of: {random: 1}, against: {random: 2}"),
          "s.yaml:8:5: claims[0]: the axis random sets seed: its values have no replications in common"),
    claim("claim of an unknown sign", ("sign: less", "sign: fewer"),
          "s.yaml:8:76: claims[0].sign: expected one of less | more | no less | no more, got \"fewer\""),
    claim("claim without a sign", (", sign: less", ""),
          "s.yaml:8:5: claims[0]: key \"sign\" is missing"),
    claim("claim only about its own axis", ("sign: less", "sign: less, only: {pick: [a, b]}"),
          "s.yaml:8:5: claims[0]: the axis pick stands under `only` too"),
    claim("claim about no point", ("sign: less", "sign: less, only: {horizon: 1h, cap: 4000}"),
          "s.yaml:8:5: claims[0]: no point of the sweep is left"),
    claim("two claims of one name", (CLAIM, f"{CLAIM}\n  - {CLAIM}"),
          "s.yaml:9:5: claims: another claim has this name"),
    sweep("claims that are no list", AXES + f"claims: {CLAIM}\n",
          "s.yaml:7:9: claims: expected a list of mappings, got a mapping"),
    target("target within less than nothing", ("0.1", "-0.1"),
          "s.yaml:8:68: targets[0].within: expected number > 0 and <= 1, got \"-0.1\""),
    target("target within per cents", ("0.1", "5 %"),
          "s.yaml:8:68: targets[0].within: expected number > 0 and <= 1, got \"5 %\""),
    target("target of 0", ("value: 5", "value: 0"),
          "s.yaml:8:5: targets[0]: expected a value other than 0"),
    target("target without a value", (", value: 5", ""),
          "s.yaml:8:5: targets[0]: expected metric, value and within, or all"),
    target("joint target with a value", (TARGET, f"{TARGET}\n  - {{name: u, all: [t], value: 3}}"),
          "s.yaml:9:5: targets[1]: `all` stands alone: expected no metric, of, only, value and within beside it"),
    target("joint target of an unknown one", (TARGET, f"{TARGET}\n  - {{name: u, all: [t, v]}}"),
          "s.yaml:9:5: targets[1].all: no target before this one is named \"v\""),
    target("joint target of itself", (TARGET, f"{TARGET}\n  - {{name: u, all: [t, u]}}"),
          "s.yaml:9:5: targets[1].all: no target before this one is named \"u\""),
    target("joint target of nothing in common",
           (TARGET, f"{TARGET}\n  - {{name: u, metric: energy_kwh, value: 3, within: 1}}\n  - {{name: v, all: [t, u]}}"),
          "s.yaml:10:5: targets[2].all: \"u\" and those before it have no readings in common"),
    target("two targets of one name", (TARGET, f"{TARGET}\n  - {TARGET}"),
          "s.yaml:9:5: targets: another target has this name"),
    usage("format of a shard", ("--shard", "1/2", "--format", "csv"),
          "--format: not with --engine, --list or --shard"),
    usage("unknown format", ("--format", "xml"),
          "--format: expected table, csv or json, got \"xml\""),
]
