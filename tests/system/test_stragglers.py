"""`easim trace stragglers`: test_stragglers.py EASIM SOURCE.

Expected: figures of made jobs by hand, below each of them; of two real jobs every number of $EASIM_DATA/stragglers/expected_*.json
within 1e-5 relative (docs/reference/stragglers.md has the rules; those cases are skipped without EASIM_DATA), and M_W, M_S and
the slowest workers as its README has them.
"""
import gzip
import json
import os
import random
import xml.etree.ElementTree as ElementTree

import measured
from harness import EASIM, cases, easim, real_data, skip

HEADER = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc"


def row(dp, stage, rank, step, kind, start, end, seq=0, microbatch=-1, chunk=-1):
    return f"{dp},{stage},{rank},{step},{kind},{start},{end - start},{seq},{chunk},{microbatch},{chunk}"


def slow_rank():
    """Two ranks of one stage. Rank 1 computes twice as long: 4 and 8 s, not 2 and 4. All else lasts 1 s or 0."""
    rows = []
    for step in (3, 7):
        for dp, (forward, backward) in enumerate([(2, 4), (4, 8)]):
            done = 1 + forward + backward
            rows += [row(dp, 0, dp, step, *what) for what in [
                ("params-all-gather", 0, 1, 0, -1, 0), ("forward-compute", 1, 1 + forward, 0, 0, 0),
                ("backward-compute", 1 + forward, done, 0, 0, 0), ("gc", done, done),
                ("layernorm-grads-all-reduce", done, done), ("embedding-grads-all-reduce", done, done),
                ("grads-reduce-scatter", done, 14, 0, -1, 0), ("optimizer-clip-main-grad", 14, 15), ("optimizer", 15, 16)]]
    return rows


def long_stage():
    """Two stages, two microbatches, one rank. Stage 0 computes 1 and 2 s, stage 1 twice as long. Transfers take no time."""
    rows = []
    for stage, computes in enumerate([[("f", 0, 0, 1), ("f", 1, 1, 2), ("b", 0, 7, 9), ("b", 1, 13, 15)],
                                      [("f", 0, 1, 3), ("b", 0, 3, 7), ("f", 1, 7, 9), ("b", 1, 9, 13)]]):
        for kind, seq, start, end in computes:
            rows.append(row(0, stage, stage, 0, {"f": "forward", "b": "backward"}[kind] + "-compute", start, end, seq, seq, 0))
            sends = kind == ("b" if stage else "f")
            other = "backward" if kind == "b" else "forward"
            at = end if sends else start
            begun = at if sends else {("f", 0): 0, ("f", 1): 7, ("b", 0): 2, ("b", 1): 9}[kind, seq]
            rows.append(row(0, stage, stage, 0, f"{other}-{'send' if sends else 'recv'}", begun, at, seq))
        end = computes[-1][3]
        rows += [row(0, stage, stage, 0, "gc", end, end), row(0, stage, stage, 0, "layernorm-grads-all-reduce", end, end),
                 row(0, stage, stage, 0, "embedding-grads-all-reduce", end, 15),
                 row(0, stage, stage, 0, "optimizer-clip-main-grad", 15, 15), row(0, stage, stage, 0, "optimizer", 15, 16)]
    return rows


def write(folder, rows, name="operations.csv"):
    path = folder / name
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def figures(path, *words):
    return json.loads(easim("trace", "stragglers", path, "--format", "json", *words).stdout)


def near(got, expected):
    assert abs(got - expected) <= 1e-12 * max(1, abs(expected)), (got, expected)


def test_a_slow_rank(folder):
    f = figures(write(folder, slow_rank()))
    for step in ("3", "7"):
        assert f["step_t_base"][step] == f["step_t_nodelay"][step] == 16  # 1 + 4 + 8 + 3
        assert f["step_t_noblk"][step] == 13                              # 1 + 3 + 6 + 3
    near(f["blocking_slowdown"], 16 / 13)
    near(f["launch_slowdown"], 1)
    near(f["blocking_decompose_by_optype"]["forward-compute"], 14 / 13)  # 1 + 4 + 6 + 3
    near(f["blocking_decompose_by_optype"]["backward-compute"], 15 / 13)
    near(f["blocking_decompose_by_optype"]["optimizer"], 1)
    near(f["blocking_decompose_by_dp_rank"]["0"], 1)                     # the other one takes 9
    near(f["blocking_decompose_by_dp_rank"]["1"], 16 / 13)
    near(f["blocking_decompose_by_stage"]["0"], 16 / 13)
    assert f["slowest_workers"] == [1] and f["cause"] == "slow workers"
    near(f["m_w"], 1)
    near(f["m_s"], 1)
    near(f["c_fb"], 1)
    near(f["cv"], (4 / 3) ** 0.5 / 3)        # 2, 4, 2, 4
    near(f["lost_gpu_hours"], 2 * 2 * 3 / 3600)
    near(figures(write(folder, slow_rank()), "--gpus", "16")["lost_gpu_hours"], 16 * 2 * 3 / 3600)


def test_a_long_stage(folder):
    f = figures(write(folder, long_stage()))
    near(f["step_t_nodelay"]["0"], 16)
    near(f["step_t_noblk"]["0"], 14.5)                       # 1.5 + (1.5 + 3) x 2 + 3 + 1
    near(f["blocking_decompose_by_stage"]["1"], 17.5 / 14.5)  # 1.5 + 12 + 3 + 1
    near(f["blocking_decompose_by_stage"]["0"], 13 / 14.5)    # 1 + 9 + 2 + 1
    near(f["m_s"], (16 - 13) / (16 - 14.5))
    assert f["slowest_workers"] == [1]
    assert f["c_fb"] is None and f["cv"] == 0                 # every forward of a stage is alike


def test_no_slowdown(folder):
    rows = [line for line in slow_rank() if line.startswith("0,")]
    f = figures(write(folder, rows))
    assert f["blocking_slowdown"] == 1 and f["m_w"] is None and f["m_s"] is None and f["cause"] == "none"
    assert " (M_W) -, " in easim("trace", "stragglers", folder / "operations.csv").stdout


def test_order_of_rows_and_columns(folder):
    """The order of rows and columns, unknown columns, gzip and CRLF change nothing."""
    plain = easim("trace", "stragglers", write(folder, long_stage()), "--format", "json").stdout
    rows = long_stage()
    random.Random(1).shuffle(rows)
    turned = [",".join([*line.split(",")[::-1], "x"]) for line in [HEADER, *rows]]
    turned[0] = ",".join([*HEADER.split(",")[::-1], "more"])
    (folder / "turned.csv.gz").write_bytes(gzip.compress("\r\n".join(turned).encode()))
    assert easim("trace", "stragglers", folder / "turned.csv.gz", "--format", "json").stdout == plain


def test_outputs(folder):
    path = write(folder, slow_rank())
    text = easim("trace", "stragglers", path, "--svg", folder / "map.svg").stdout
    assert "cause           slow workers" in text and "stage    0 | @|" in text, text
    lines = easim("trace", "stragglers", path, "--format", "csv").stdout.splitlines()
    assert lines[:2] == ["rank,dp_rank,stage,slowdown", "0,0,0,1"] and len(lines) == 3
    cells = [e for e in ElementTree.parse(folder / "map.svg").iter() if e.tag.endswith("title")]
    assert [cell.text for cell in cells] == ["rank 0: dp rank 0, stage 0: 1.0000", "rank 1: dp rank 1, stage 0: 1.2308"]


def refused(folder, rows, says):
    done = easim("trace", "stragglers", write(folder, rows), code=2, says=says)
    assert not done.stdout
    return done.stderr


def test_bad_tables(folder):
    rows = slow_rank()
    refused(folder, rows[:3] + rows[4:], "gc 0 of stage 0 in 3 of 4: dp rank 0 lacks it in step 3")
    refused(folder, [*rows, rows[3]], ":38: expected gc 0 of stage 0 once, got it for dp rank 0 in step 3 in line 5, too")
    refused(folder, [line for line in rows if not line.startswith("0,")], "expected all dp ranks from 0 to 1, got no operation of dp rank 0")
    refused(folder, [line for line in rows if not line.startswith("1,0,1,7")], "step 7: dp rank 1 has no operations")
    refused(folder, [line for line in rows if "optimizer," not in line], "expected an optimizer in each stage, got none in 0")
    gap = [line.replace("gc,7,0,0", "gc,7,0,1").replace("gc,13,0,0", "gc,13,0,1") for line in rows]
    refused(folder, gap, "expected seq_id 0, 1, ... without a gap, got gc 1 of stage 0 but not 0")
    refused(folder, [rows[0].replace("0,1,0,", "0,-1,0,"), *rows[1:]], ":2:29: duration: expected")
    more = row(0, 0, 0, 7, "forward-compute", 20, 21, 1, 1, 0)
    refused(folder, [*rows, more], "forward-compute 1 of stage 0 in 1 of 4: dp rank 0 lacks it in step 3")
    refused(folder, [rows[0].replace("params", "x"), *rows[1:]], ":2:9: optype: expected")
    refused(folder, [rows[0].replace("all-gather,0", "all-gather,soon"), *rows[1:]], ":2:27: start_ts: expected")
    refused(folder, [rows[0].replace("0,0,0,3", "0,0,5,3"), *rows[1:]], "rank: expected one number for each dp rank and stage, got 0")
    refused(folder, [line.replace("1,0,1,", "1,0,0,") for line in rows], "rank: expected one number for each dp rank and stage, got 0")
    refused(folder, [], "expected operations, got no rows")
    refused(folder, [",".join(line.split(",")[:5] + ["0", "0"] + line.split(",")[7:]) for line in rows], "expected durations above 0")


def test_bad_graphs(folder):
    rows = long_stage()
    refused(folder, [line for line in rows if "forward-recv,7" not in line], "as the partner of forward-send 1 of stage 0, got none")
    refused(folder, [*rows, row(0, 0, 0, 0, "backward-send", 15, 15, 0)], "in the stage before stage 0 as the partner of backward-send 0 of stage 0")
    refused(folder, [line for line in rows if not line.startswith("0,0")], "got no operation of stage 0")
    # stage 0 computes backward 1 before forward 1, which stage 1 needs for the gradients of backward 1
    turned = [line.replace("backward-compute,13,2", "backward-compute,0.5,2") for line in rows]
    refused(folder, turned, "operations wait for each other in a circle")


def in_step(rows, step, stages="01"):
    """The same operations 100 s later for each step, of these stages."""
    cells = [line.split(",") for line in rows]
    return [",".join([*c[:3], str(step), c[4], str(float(c[5]) + 100 * step), *c[6:]]) for c in cells if c[1] in stages]


def test_stages_that_differ(folder):
    rows = long_stage()
    figures(write(folder, in_step(rows, 0) + in_step(rows, 1)))  # equal stages are fine
    for first, second, says in [("01", "0", "backward-compute 0 of stage 1 in 1 of 2: dp rank 0 lacks it in step 1"),
                                ("01", "1", "backward-compute 0 of stage 0 in 1 of 2: dp rank 0 lacks it in step 1"),
                                ("0", "01", "backward-compute 0 of stage 1 in 1 of 2: dp rank 0 lacks it in step 0")]:
        refused(folder, in_step(rows, 0, first) + in_step(rows, 1, second), says)


def test_other_files(folder):
    (folder / "empty.csv").write_text("")
    easim("trace", "stragglers", folder / "empty.csv", code=2, says="empty.csv")
    (folder / "columns.csv").write_text(HEADER.replace("optype", "kind") + "\n1\n")
    easim("trace", "stragglers", folder / "columns.csv", code=2, says='column "optype" is missing')
    (folder / "kineto.json").write_text('\n{\n  "schemaVersion": 1,\n  "traceEvents": []\n}\n')
    easim("trace", "stragglers", folder / "kineto.json", code=2, says="`easim profile kineto` reads traces of the PyTorch profiler")
    (folder / "trace.jsonl").write_text('{"time_ns":0,"kind":"run","policy":"zeus","replication":1,"seed":1}\n')
    easim("trace", "stragglers", folder / "trace.jsonl", code=2, says="got the trace of a simulated run")
    easim("trace", "stragglers", folder / "none.csv", code=2, says="none.csv: cannot open")
    easim("trace", "stragglers", code=2)
    easim("trace", "stragglers", "a.csv", "b.csv", code=2, says="stragglers takes one file")
    easim("trace", "stragglers", "a.csv", "--steps", "1:2", code=2, says="--steps does not belong to stragglers")


def compare(expected, got, path):
    if isinstance(expected, dict):
        return sum(compare(value, got[key], f"{path}/{key}") for key, value in expected.items())
    assert abs(got - expected) <= 1e-5 * abs(expected), (path, got, expected)
    return 1


def test_real_jobs():
    folder = real_data("stragglers")
    for name, m_w, slowest, m_s, cause in [("st", 0.031404, [7], 1.219356, "last stage"), ("se", 0.025062, [80, 118], 0.687711, "sequence lengths")]:
        f = figures(folder / f"stragglers_{name}.csv.gz")
        expected = json.loads((folder / f"expected_{name}.json").read_text())
        wanted = {key: value for key, value in expected.items() if key != "job_meta" and value is not None}
        assert compare(wanted, f, name) > 500
        assert abs(f["m_w"] - m_w) < 1e-5 * m_w + 5e-7 and abs(f["m_s"] - m_s) < 1e-5 * m_s, f["m_w"]
        assert f["slowest_workers"] == slowest and f["cause"] == cause


def test_speed():
    """107,328 rows and 49 replays: at most 0.2 s of processor time, as demanded; measured 0.08 s."""
    if os.environ.get("EASIM_SANITIZED"):
        skip("sanitized")
    path = real_data("stragglers") / "stragglers_se.csv.gz"
    spent = min(measured.run(EASIM, "trace", "stragglers", path)[3] for _ in range(3))
    assert spent < 0.2, spent


cases(test_a_slow_rank, test_a_long_stage, test_no_slowdown, test_order_of_rows_and_columns, test_outputs, test_bad_tables, test_bad_graphs, test_stages_that_differ,
      test_other_files, test_real_jobs, test_speed)
