"""Results of MLPerf that cannot be read: easim profile mlperf. Odd but readable ones: system/test_mlperf_files.py."""

from base import changed, command

TABLE = ["round,benchmark,gpu,nodes,gpus,global_batch,throughput_samples_per_s,run_s,samples_to_target,grad_accum,"
         "power_nodes,node_power_w,power_kind", "v4.0,bert,H100,1,8,768,7588.26,326.968,2473540,1,1,6854.3,ac"]
LOG = """\
:::SYSJSON {"number_of_nodes":"1","accelerators_per_node":"8","accelerator_model_name":"H100"}
0: :::MLLOG {"time_ms": 1000, "key": "submission_benchmark", "value": "bert"}
0: :::MLLOG {"time_ms": 1000, "key": "global_batch_size", "value": 768}
0: :::MLLOG {"time_ms": 2000, "key": "run_start", "value": null}
0: :::MLLOG {"time_ms": 5000, "key": "tracked_stats", "value": {"throughput": 7000}}
0: :::MLLOG {"time_ms": 9000, "key": "tracked_stats", "value": {"throughput": 7600}}
0: :::MLLOG {"time_ms": 12000, "key": "eval_accuracy", "value": 0.7, "metadata": {"epoch_num": 70000}}
0: :::MLLOG {"time_ms": 12000, "key": "run_stop", "metadata": {"status": "success"}}
"""
NODE = """\
:::MLLOG {"time_ms": 1900, "key": "power_reading", "value": 2000}
:::MLLOG {"time_ms": 3900, "key": "power_reading", "value": 7000}
:::MLLOG {"time_ms": 5900, "key": "power_reading", "value": 7100}
"""
START, STOP = LOG.splitlines()[3], LOG.splitlines()[-1]


def table(name, old, new, *errors):
    """A good row and the same one with something else in it."""
    text = "\n".join([*TABLE, changed(TABLE[1], [(old, new)]), ""])
    return command(f"profile: mlperf: table: {name}", ["profile", "mlperf", "r.csv"], *errors, files={"r.csv": text})


def log(name, changes, *errors, arguments=(), power=None):
    text = changes if isinstance(changes, (str, bytes)) else changed(LOG, changes)
    return command(f"profile: mlperf: log: {name}", ["profile", "mlperf", "r", *arguments], *errors,
                   files={"r/result_0.txt": text} | {f"r/power/{file}": text for file, text in (power or {}).items()})


def power(name, changes, *errors, **more):
    return log(name, [], *errors, power={"node_0.txt": changed(NODE, changes)}, **more)


CASES = [
    table("no GPU at all", ",1,8,", ",1,0,", "r.csv:3:18: gpus: expected integer 1..1000000, got \"0\""),
    table("more nodes than GPUs", ",1,8,", ",9,8,", "r.csv:3:16: nodes: expected at most as many nodes as GPUs, got \"9\""),
    table("negative power", "6854.3", "-6854.3",
          "r.csv:3:52: node_power_w: expected number > 0 and <= 1e6 or empty, got \"-6854.3\""),
    table("power of nothing", "6854.3", "", "r.csv:3:52: node_power_w: expected the power of the metered nodes, got \"\""),
    table("more meters than nodes", ",1,6854", ",2,6854",
          "r.csv:3:50: power_nodes: expected at most as many metered nodes as nodes, got \"2\""),
    table("meter at another place", "3,ac", "3,plug", "r.csv:3:59: power_kind: expected ac, dc, ? or empty, got \"plug\""),
    table("throughput that is no number", "7588.26", "nan",
          "r.csv:3:24: throughput_samples_per_s: expected number > 0 and <= 1e12 or empty, got \"nan\""),
    table("huge numbers", "768,7588.26", "1e13,1e400",
          "r.csv:3:20: global_batch: expected number > 0 and <= 1e12, got \"1e13\"",
          "r.csv:3:25: throughput_samples_per_s: expected number > 0 and <= 1e12 or empty, got \"1e400\""),
    table("half a step", "540,1,", "540,1.5,", "r.csv:3:48: grad_accum: expected integer 1..1000000 or empty, got \"1.5\""),
    table("no time", "326.968", "", "r.csv:3:32: run_s: expected number > 0 and <= 1e9, got \"\""),
    table("row too short", ",ac", "", "r.csv:3:1: expected 13 fields as in the header, found 12"),
    command("profile: mlperf: table: its own columns given",
            ["profile", "mlperf", "r.csv", "--gpu", "x", "--power-scope", "node_ac"],
            "r.csv:1: --gpu: the rows of a table have their own", "r.csv:1: --power-scope: the rows of a table have their own",
            files={"r.csv": "\n".join([*TABLE, ""])}),
    command("profile: mlperf: batch given", ["profile", "mlperf", "r.csv", "--batch", "8"],
            "--batch: results of MLPerf have their own", files={"r.csv": "\n".join([*TABLE, ""])}),
    command("profile: mlperf: no such file", ["profile", "mlperf", "r"], "r: cannot open: No such file or directory"),
    command("profile: mlperf: folder without logs", ["profile", "mlperf", "r"], "r: expected files named result*, found none",
            files={"r/readme.txt": LOG}),
    log("empty", "", "r/result_0.txt: expected lines with :::MLLOG, or a table with a column \"benchmark\""),
    log("foreign file", "PK\x03\x04, loss 1.5\n",
        "r/result_0.txt: expected lines with :::MLLOG, or a table with a column \"benchmark\""),
    log("two starts", [(START, f"{START}\n{START}")],
        "r/result_0.txt:5: run_start: expected one run in a file, found a second run_start after that of line 4"),
    log("two stops", [(STOP, f"{STOP}\n{STOP}")],
        "r/result_0.txt:9: run_stop: expected one run in a file, found a second run_stop after that of line 8"),
    log("aborted", [("success", "aborted")], "r/result_0.txt:8: left out: run_stop with status aborted", "r: no measurement"),
    log("without a status", [("\"status\": \"success\"", "")], "r/result_0.txt:8: left out: run_stop with status not stated",
        "r: no measurement"),
    log("no stop", [(f"{STOP}\n", "")], "r/result_0.txt: left out: no run_stop", "r: no measurement"),
    log("no stop, strict", [(f"{STOP}\n", "")], "r/result_0.txt: left out: no run_stop", arguments=("--strict",)),
    log("record cut off", [(STOP, STOP[:60])],
        "r/result_0.txt:8: 1 records that are no JSON left out, this is the first", "r/result_0.txt: left out: no run_stop",
        "r: no measurement"),
    log("stop before its start", [("12000, \"key\": \"run_stop\"", "1500, \"key\": \"run_stop\"")],
        "r/result_0.txt:8: run_stop: expected a time after that of run_start, got 0.5 s before it"),
    log("start without a time", [("\"time_ms\": 2000, ", "")], "r/result_0.txt:4: run_start: expected time_ms"),
    log("no benchmark", [("submission_benchmark", "benchmark")],
        "r/result_0.txt: expected submission_benchmark, found none"),
    log("no batch", [("global_batch_size", "batch_size")], "r/result_0.txt: expected global_batch_size, found none"),
    log("two batches", [(START, LOG.splitlines()[2].replace("768", "512") + "\n" + START)],
        "r/result_0.txt:4:68: global_batch_size: expected 768 as before, got 512"),
    log("batch in words", [("768", "\"many\"")],
        "r/result_0.txt:3:68: global_batch_size: expected number > 0 and <= 1e+12, got \"many\""),
    log("negative throughput", [("7600", "-7600")],
        "r/result_0.txt:6:79: throughput: expected number > 0 and <= 1e+12, got -7600"),
    log("machine not described", [(LOG.splitlines()[0], "")],
        "r/result_0.txt: --gpus: expected the number of GPUs: the log does not say it",
        "r/result_0.txt: --gpu: expected the GPU type: the log does not name it"),
    log("fewer GPUs than nodes", [("_nodes\":\"1\"", "_nodes\":\"9\"")],
        "r/result_0.txt: --gpus: expected at least as many GPUs as nodes, 9, got 8", arguments=("--gpus", "8")),
    power("negative reading", [("7100", "-7100")],
          "r/power/node_0.txt:3:61: power_reading: expected number > 0 and <= 1e+06, got -7100"),
    power("reading that is no number", [("7100", "\"NaN\"")],
          "r/power/node_0.txt:3:61: power_reading: expected number > 0 and <= 1e+06, got \"NaN\""),
    power("reading of a power station", [("7100", "1e400")],
          "r/power/node_0.txt:3:61: power_reading: expected number > 0 and <= 1e+06, got 1e400"),
    power("reading without a time", [("\"time_ms\": 5900, ", "")], "r/power/node_0.txt:3: power_reading: expected time_ms"),
    log("meters of more nodes", [], "r/power: expected files of at most 1 nodes, found 2",
        power={"node_0.txt": NODE, "node_1.txt": NODE.replace("7100", "7110")}),
]
