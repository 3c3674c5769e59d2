"""Measurements that cannot be read: easim profile. Odd but readable files: system/test_profile_files.py."""

from base import command

TRY = "Try `easim profile --help' for more information."
NO_JSON = "expected JSON, an object with \"traceEvents\" or an array"


def usage(name, arguments, error):
    return command(f"profile: {name}", ["profile", *arguments], f"easim profile: {error}", TRY)


def kineto(name, text, *errors, arguments=()):
    return command(f"profile: kineto: {name}", ["profile", "kineto", "t.json", *arguments], *errors,
                   files={"t.json": text})


MLPERF = ["round,benchmark,gpu,nodes,gpus,global_batch,throughput_samples_per_s,run_s,samples_to_target,grad_accum,"
          "power_nodes,node_power_w,power_kind", "v4.0,bert,H100,1,8,768,7588.26,326.968,2473540,1,1,6854.3,ac"]


def mlperf(name, old, new, *errors):
    """A good row and the same one with something else in it."""
    assert MLPERF[1].count(old) == 1, old
    text = "\n".join([*MLPERF, MLPERF[1].replace(old, new), ""])
    return command(f"profile: mlperf: {name}", ["profile", "mlperf", "r.csv"], *errors, files={"r.csv": text})


CASES = [
    usage("no file", ["kineto"], "expected FORMAT FILE..."),
    usage("no format", [], "expected FORMAT FILE..."),
    command("profile: unknown format", ["profile", "kinetto", "t.json"],
            "easim profile: no format is named \"kinetto\" (kineto, nvidia-smi, dcgm, "
            "dcgm-exporter, prometheus, dynolog, ea2p, zeus, codecarbon, mlperf)"),
    usage("unknown output format", ["kineto", "t", "--format", "xml"],
          "--format: expected table, csv or json, got \"xml\""),
    usage("steps without an end", ["kineto", "t", "--steps", "550"], "--steps: expected FIRST:LAST, got \"550\""),
    usage("steps backwards", ["kineto", "t", "--steps", "5:4"], "--steps: expected FIRST:LAST, got \"5:4\""),
    usage("no GPUs", ["kineto", "t", "--gpus", "0"], "--gpus: expected integer 1..1048576, got \"0\""),
    usage("batch that is no number", ["kineto", "t", "--batch", "x"],
          "--batch: expected number 1e-09..1e+09, got \"x\""),
    usage("power limit 0", ["kineto", "t", "--power-limit", "0"],
          "--power-limit: expected number 1e-09..1e+15 (units: W, kW, MW), got \"0\""),
    usage("unknown unit", ["ea2p", "t", "--energy-unit", "cal"], "--energy-unit: expected J, Wh or kWh, got \"cal\""),
    usage("memory without its use", ["ea2p", "t", "--ram", "8x32"],
          "--ram: expected SLOTSxGIB:USE as 8x32:40, got \"8x32\""),
    command("profile: ea2p: unit not said", ["profile", "ea2p", "e.csv"],
            "e.csv: --energy-unit: expected J, Wh or kWh: the file does not say, and there is no config_energy.json "
            "beside it", files={"e.csv": "Project Name,CPU Time [s]\np,1\n"}),
    command("profile: ea2p: a file of something else", ["profile", "ea2p", "e.csv"],
            "e.csv:1: expected a column \"CPU Time [s]\" (is this a file of EA2P?)", files={"e.csv": "a,b\n1,2\n"}),
    command("profile: zeus: empty file", ["profile", "zeus", "z.csv"], "z.csv: empty file, expected a header line",
            files={"z.csv": "\n"}),
    command("profile: zeus: header only", ["profile", "zeus", "z.csv"], "z.csv: no measurement",
            files={"z.csv": "window_name,elapsed_time,gpu0_energy\n"}),
    command("profile: file not found", ["profile", "kineto", "nowhere.json"],
            "nowhere.json: cannot open: No such file or directory"),
    kineto("empty file", "", f"t.json: {NO_JSON}"),
    kineto("no JSON", "ts,dur\n1,2\n", f"t.json: {NO_JSON}"),
    kineto("bad pattern", "[]", "--iteration: expected a regular expression, got \"[\": Invalid regular expression",
           arguments=("--iteration", "[")),
    kineto("no such step", "[]", "--steps: t.json: no step 1..2", arguments=("--steps", "1:2")),
    kineto("strict: truncated", "{\"traceEvents\": [", "t.json: truncated at byte 17", arguments=("--strict",)),
    command("profile: kineto: every unreadable file is named", ["profile", "kineto", "a.json", "b.json"],
            f"a.json: {NO_JSON}", "b.json: cannot open: No such file or directory", files={"a.json": "x"}),
    mlperf("no GPU at all", ",1,8,", ",1,0,", "r.csv:3:18: gpus: expected integer 1..1000000, got \"0\""),
    mlperf("more nodes than GPUs", ",1,8,", ",9,8,", "r.csv:3:16: nodes: expected at most as many nodes as GPUs, got \"9\""),
    mlperf("negative power", "6854.3", "-6854.3",
           "r.csv:3:52: node_power_w: expected number > 0 and <= 1e6 or empty, got \"-6854.3\""),
    mlperf("power of nothing", "6854.3", "", "r.csv:3:52: node_power_w: expected the power of the metered nodes, got \"\""),
    mlperf("more meters than nodes", ",1,6854", ",2,6854",
           "r.csv:3:50: power_nodes: expected at most as many metered nodes as nodes, got \"2\""),
    mlperf("meter at another place", "3,ac", "3,plug", "r.csv:3:59: power_kind: expected ac, dc, ? or empty, got \"plug\""),
    mlperf("throughput that is no number", "7588.26", "nan",
           "r.csv:3:24: throughput_samples_per_s: expected number > 0 and <= 1e12 or empty, got \"nan\""),
    mlperf("huge numbers", "768,7588.26", "1e13,1e400",
           "r.csv:3:20: global_batch: expected number > 0 and <= 1e12, got \"1e13\"",
           "r.csv:3:25: throughput_samples_per_s: expected number > 0 and <= 1e12 or empty, got \"1e400\""),
    mlperf("half a step", "540,1,", "540,1.5,", "r.csv:3:48: grad_accum: expected integer 1..1000000 or empty, got \"1.5\""),
    mlperf("no time", "326.968", "", "r.csv:3:32: run_s: expected number > 0 and <= 1e9, got \"\""),
    mlperf("row too short", ",ac", "", "r.csv:3:1: expected 13 fields as in the header, found 12"),
    command("profile: mlperf: batch given", ["profile", "mlperf", "r.csv", "--batch", "8", "--gpu", "x"],
            "r.csv:1: --gpu: the rows of a table have their own", "r.csv:1: --batch: the rows of a table have their own",
            files={"r.csv": "\n".join([*MLPERF, ""])}),
]
