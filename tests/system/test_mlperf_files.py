"""Logs and power folders of MLPerf that are odd but can be read: test_mlperf_files.py EASIM SOURCE.

The log: 8 GPUs, batch 400 each, from 2 to 52 s, 100, 130, 110 thousand images/s after the first interval, 5 epochs of a
million images. Meters: the mean is over time, by trapezoids. Tables: test_profile_files.py; what cannot be read:
bad/cases/mlperf.py.
"""
import gzip
import json
import tempfile
from pathlib import Path

from harness import cases, easim, rows_of

SYSTEM = ':::SYSJSON {"number_of_nodes":"2","accelerators_per_node":"4","accelerator_model_name":"NVIDIA A100-PCIe-80GB"}'
A100 = "GPU type A100-PCIE: accelerator_model_name \"NVIDIA A100-PCIe-80GB\""


def record(time_s, key, value=None, **metadata):
    return " 0: :::MLLOG " + json.dumps({"time_ms": time_s * 1000, "key": key, "value": value, "metadata": metadata})


def log(benchmark="resnet", stop_s=52, throughputs=(5, 100000, 130000, 110000), status="success", end=("epoch_num", 5)):
    """The first of the throughputs is left out; the last stands behind run_stop."""
    return "\n".join([
        "+ echo '" + SYSTEM + "'", record(1, "submission_benchmark", benchmark), record(1, "submission_platform", "2xS"),
        record(1, "global_batch_size", 3200), record(1, "global_batch_size", 3200), record(1, "train_samples", 1000000),
        record(2, "run_start"), *(record(9, "tracked_stats", {"throughput": value}) for value in throughputs[:-1]),
        record(9, "tracked_stats", {"loss": 2}), record(stop_s, "eval_accuracy", 0.7, **dict([end])),
        record(stop_s, "run_stop", None, status=status), record(stop_s, "tracked_stats", {"throughput": throughputs[-1]}), ""])


def node(*readings):
    return "\n".join([':::MLLOG {"time_ms": 1, "key": "power_measurement_start", "value": "null", "metadata": ""}',
                      *(record(time_s, "power_reading", watts) for time_s, watts in readings), ""])


# 300 W x 20 s + 500 W x 30 s over 50 s; before and after the run it does not count, but for the lowest
NODE = node((0, 100), (2, 200), (22, 400), (52, 600), (54, 160), (56, 150))
WATTS = (300 * 20 + 500 * 30) / 50


def profile(folder, *options, code=0, **files):
    """The rows of the profile of these files (their names with __ for folders), and what is said, without the folder."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        for path, text in files.items():
            file = Path(name) / "r" / path.replace("__", "/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = easim("profile", "mlperf", "r", "-o", "p.csv", *options, cwd=name, code=code)
        return rows_of(Path(name) / "p.csv") if code != 2 else [], done.stderr


COUNTS = ("k", "nodes", "grad_accum", "runs")


def same(row, **expected):
    found = {name: row.get(name, "") for name in expected}
    assert found == {name: str(float(value) if isinstance(value, int) and name not in COUNTS else value)
                     for name, value in expected.items()}, (row, expected)


def one_run(folder):
    (row,), said = profile(folder, result_0=log())
    assert said == f"{A100}\n", said
    same(row, model="resnet", gpu="A100-PCIE", k=8, nodes=2, batch_per_gpu=400, global_batch=3200, run_s=50, runs=1, round="",
         throughput_samples_s=110000, samples_to_target=5000000, grad_accum="", node_power_w="", power_scope="")
    (row,), said = profile(folder, "--gpu", "x", "--gpus", "16", "--model", "m", **{"result_0.txt": log()})
    assert said == "", said
    same(row, model="m", gpu="x", k=16, batch_per_gpu=200)


def benchmarks(folder):
    """How each counts its samples; gpt3 logs tokens/s, of which a sample has 2048; ssd is retinanet."""
    def figures(name, **more):
        (row,), _ = profile(folder, result_0=log(name, **more))
        return row["model"], row["throughput_samples_s"], row.get("samples_to_target", "")
    assert figures("bert", end=("epoch_num", 5000000)) == ("bert", "110000.0", "5000000.0")
    assert figures("ssd") == ("retinanet", str(5000000 / 50), "5000000.0")
    assert figures("new_one", end=("samples_count", 5000000)) == ("new_one", "110000.0", "5000000.0")
    assert figures("new_one") == ("new_one", "110000.0", "")  # epochs of what is not known
    assert figures("rnnt", end=("epoch_num", 50)) == ("rnnt", "110000.0", "")
    assert figures("gpt3", throughputs=(2048, 20480, 20480), end=("samples_count", 500)) == ("gpt3", "10.0", "500.0")
    # of one interval alone nothing is left
    assert figures("resnet", throughputs=(7,)) == ("resnet", str(5000000 / 50), "5000000.0")


def power(folder):
    """Two nodes, the second 10 W above."""
    second = node((0, 110), (2, 210), (22, 410), (52, 610), (54, 90))
    (row,), said = profile(folder, result_0=log(), power__node_0=NODE, power__node_1=second, power__sw_0="x", power__notes="x")
    assert said == (f"{A100}\nr/power/notes: not read: neither node_N.txt nor sw_N.txt\n"
                    "r/power/sw_0: power of a switch, whose unit is not stated: not used\n"), said
    same(row, node_power_w=WATTS + 5, node_floor_w=90, power_scope="node", power_w_per_gpu="", throughput_samples_s=110000)
    (row,), said = profile(folder, "--power-scope", "node_ac", result_0=log(), power__node_0=NODE, power__node_1=NODE)
    assert said == f"{A100}\nr/power: node_1 repeats the readings of node_0: both count\n", said
    same(row, node_power_w=WATTS, node_floor_w=150, power_scope="node_ac")
    _, said = profile(folder, "--power-scope", "node_ac", result_0=log())
    assert said == f"{A100}\n--power-scope: no effect: no log has power\n", said


def meters(folder):
    def of(*files, code=0):
        (row,), said = profile(folder, code=code, result_0=log(),
                               **{f"power__node_{i}": text for i, text in enumerate(files)})
        return row.get("node_power_w", ""), row.get("node_floor_w", ""), said.partition("\n")[2]
    fewer = "r/power: 1 of 2 nodes metered: their mean stands for all\n"
    assert of(NODE) == (str(float(WATTS)), "150.0", fewer)
    off = "r/power: node_0 left out: no reading between run_start and run_stop\n"
    assert of(node((0, 100), (1.5, 100), (60, 50))) == ("", "", off)
    assert of(node((60, 50)), NODE) == (str(float(WATTS)), "150.0", off + fewer)
    part = "r/power: node_0: readings over 40 % of the run\n"
    assert of(node((2, 200), (22, 400))) == ("300.0", "", part + fewer)
    assert of(node((22, 400))) == ("400.0", "", part.replace("40", "0") + fewer)
    back = "r/power: node_0: 1 readings earlier than the one above: they were sorted\n"
    assert of(node((2, 200), (52, 600), (22, 400), (54, 150))) == (str(float(WATTS)), "150.0", back + fewer)
    cut = "r/power/node_0:4: 1 records that are no JSON left out, this is the first\n"
    assert of(NODE.replace('"value": 400', '"value": NaN'), code=3) == ("400.0", "150.0", cut + fewer)


def repetitions(folder):
    """Medians over the runs of a folder, each with its own meters; a run that failed is none; other batches are another."""
    files = {"result_2": log(stop_s=57), "result_10": log(stop_s=62), "result_1": log(status="aborted"),
             "power__result_2__node_0": node((2, 100), (57, 200)), "power__result_10__node_0": node((2, 100), (62, 400)),
             "other__result_0": log().replace("3200", "1600")}
    rows, said = profile(folder, **files)
    assert "r/result_1:13: left out: run_stop with status aborted\n" in said, said
    assert said.count(A100) == 1, said
    same(rows[0], runs=2, run_s=57.5, node_power_w=200, global_batch=3200, throughput_samples_s=110000)
    same(rows[1], runs=1, run_s=50, node_power_w="", global_batch=1600)
    assert len(rows) == 2, rows
    # the meters went on all the time: each run has its own part
    rows, _ = profile(folder, result_0=log(), result_1=log().replace('"time_ms": 52000', '"time_ms": 54000'), power__node_0=NODE)
    same(rows[0], runs=2, node_power_w=f"{(WATTS + (300 * 20 + 500 * 30 + 380 * 2) / 52) / 2:.16g}", node_floor_w=150)


def damage(folder):
    """The rest counts, and the exit status says that it is a rest; --strict makes it an error."""
    lost = "r/result_1: left out: no run_stop\n"
    files = {"result_0": log(), "result_1": log()[:-500]}
    rows, said = profile(folder, code=3, **files)
    assert len(rows) == 1 and lost in said, said
    _, said = profile(folder, "--strict", code=2, **files)
    assert lost in said, said
    whole = gzip.compress(log().encode())
    rows, said = profile(folder, **{"result_0.txt.gz": whole})
    same(rows[0], throughput_samples_s=110000)
    rows, said = profile(folder, code=3, **{"result_0.txt.gz": whole[:-60], "result_1": log()})
    assert len(rows) == 1 and "r/result_0.txt.gz: truncated gzip data after line " in said, said
    rows, said = profile(folder, code=3, result_0=log().replace("130000}", "130000"))
    assert "r/result_0:10: 1 records that are no JSON left out, this is the first\n" in said, said
    same(rows[0], throughput_samples_s=105000)


cases(one_run, benchmarks, power, meters, repetitions, damage, shared=True)
