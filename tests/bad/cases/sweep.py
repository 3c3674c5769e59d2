"""easim sweep: axes and options that make no sense."""

from base import command

TRY = "Try `easim sweep --help' or `easim sweep --usage' for more information."
SEEDS = "  - {path: seed, values: [1, 2]}\n"


def sweep(name, axes, *errors, arguments=(), head="name: s\nbase: c.yaml\naxes:\n", files=None, **more):
    words = ["sweep", "s.yaml", "--out", "out", "--quiet", *arguments]
    return command(f"sweep: {name}", words, *errors, files={"s.yaml": head + axes} | (files or {}), **more)


def usage(name, arguments, error):
    return sweep(name, SEEDS, f"easim sweep: {error}", TRY, arguments=arguments)


CASES = [
    sweep("axis over an unknown path", "  - {path: cluster.power_cap, values: [1000]}\n",
          "--set cluster.power_cap: cluster: unknown key \"power_cap\", did you mean \"power_cap_w\"?"),
    sweep("value that no scenario takes", "  - {path: horizon, values: [soon, 1h]}\n",
          "--set horizon: horizon: expected drain or a duration > 0 and <= 4e9 s, got \"soon\""),
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
    usage("unknown engine", ["--engine", "pbs"],
          "--engine: expected local, parallel or slurm, got \"pbs\""),
    usage("no tasks", ["--engine", "slurm", "--tasks", "0"],
          "--tasks: expected integer 1..100000, got \"0\""),
]
