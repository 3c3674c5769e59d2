"""Odd profiles become models that run, and what they do not tell is said: test_calibrate_odd.py EASIM

Each case: rows, words of the report, and for a job on this model its completion time in s, by hand.
"""
from harness import cases, easim, rows_of

HEAD = ("model,gpu,k,nodes,batch_per_gpu,grad_accum,throughput_samples_s,round,samples_to_target,run_s,power_w_per_gpu,"
        "node_power_w,power_scope,node_floor_w,power_limit_w")
SCENARIO = """\
name: odd
horizon: drain
cluster:
  gpu_types: [{{name: h, idle_w: 100, ctx_w: 150, tdp_w: 900, memory_gib: 80}}]
  nodes: [{{count: {nodes}, gpu: h, gpus: 8, base_w: 0}}]
models: m.yaml
workload: {{kind: trace, format: workload, file: jobs.csv, k: [{k}]}}
policy: {{name: fcfs}}
"""


def row(k, batch, rate, **cells):
    """A row on nodes of 8; cells by name."""
    values = {"model": "net", "gpu": "h", "k": k, "nodes": (k + 7) // 8, "batch_per_gpu": batch, "grad_accum": 1,
              "throughput_samples_s": rate} | cells
    return ",".join(str(values.get(name, "")) for name in HEAD.split(","))


def case(folder, name, rows, words, k=None, work=1000, seconds=None, exit_code=0):
    """Calibrates; then one job of `work` samples on k GPUs takes `seconds`."""
    folder = folder / name
    folder.mkdir()
    (folder / "p.csv").write_text("\n".join([HEAD, *rows, ""]), encoding="utf-8")
    done = easim("calibrate", "p.csv", "-o", "m.yaml", cwd=folder, code=exit_code)
    report = done.stdout + done.stderr
    for text in words:
        assert text in report, f"{name}: not said: {text}\n{report}"
    assert (folder / "m.yaml").exists() == (exit_code == 0), name
    if k is None:
        return
    (folder / "jobs.csv").write_text(f"job_id,submit_s,model,work_samples\n1,0,net,{work}\n", encoding="utf-8")
    (folder / "s.yaml").write_text(SCENARIO.format(k=k, nodes=(k + 7) // 8), encoding="utf-8")
    easim("run", "s.yaml", "--out", "out", "--quiet", cwd=folder)
    [job] = rows_of(folder / "out/jobs.csv")
    assert job["status"] == "finished", f"{name}: {job}"
    assert abs(float(job["jct_s"]) / seconds - 1) < 1e-6, f"{name}: {job['jct_s']} s, not {seconds} s"


def linear(k, batch, steps=1):
    """Samples/s at t = 0.02 + 0.001 b a step."""
    return k * batch / (steps * (0.02 + 0.001 * batch / steps))


def profiles(folder):
    sizes = (4, 8, 16, 64)
    case(folder, "one point", [row(8, 96, 7600, round="v1")],
         ["1 system size, and a form needs 4", "power: not in the profile", "memory: no batch above the largest"],
         k=8, seconds=1000 / 7600)
    case(folder, "one point of one machine", [row(1, 8, 100)], ["too few configurations (1) to fit"], k=1, seconds=10)
    case(folder, "no power", [row(k, b, linear(k, b), round="v1") for k in sizes for b in (24, 48)],
         ["power: not in the profile: the tdp_w of the GPU type stands for it"], k=16, seconds=1000 / linear(16, 48))  # B 768
    case(folder, "no row of one GPU", [row(k, b, linear(k, b)) for k in (2, 4, 8) for b in (8, 24, 48, 96)],
         ["alpha_s: fixed at 0: without a row of one GPU it cannot be told from a_s, which holds it"],
         k=4, seconds=1000 / linear(4, 96))
    case(folder, "parts of samples, in steps",
         [row(k, B / k, linear(k, B / k, 2), round="v1", grad_accum=2) for k in sizes for B in (2, 3, 6)],
         ["a_s               0.02", "c_s               0.001"], k=64, seconds=1000 / linear(64, 6 / 64, 2))
    case(folder, "steps of a table: its largest batch can run",
         [row(8, 1, 2.5, round="v1", grad_accum=2), row(16, 0.5, 4.5, round="v1")],
         ["2 system sizes, and a form needs 4"], k=8, seconds=1000 / 2.5)
    case(folder, "rows that contradict each other",
         [row(k, b, linear(k, b), round="v1") for k in sizes for b in (24, 48)] + [row(8, 48, 900, round="v1")],
         ["set aside: p.csv:10: k 8, batch 48", "less than half of the"], k=8, seconds=1000 / linear(8, 48))
    case(folder, "rows of one machine that contradict each other", [row(1, 8, 100), row(1, 8, 200), row(1, 16, 180), row(1, 16, 185)],
         ["contradiction: p.csv:2 and 3: k 1, batch 8: throughput_samples_s 100 and 200; both count"], k=1, seconds=1000 / 182.5)
    case(folder, "no row of one GPU, and no floor", [row(4, b, r) for b, r in ((8, 100), (16, 150), (32, 210), (64, 250))],
         ["alpha_s: fixed at 0: without a row of one GPU it cannot be told from a floor of the compute time"])
    case(folder, "equal places, other speeds", [row(8, 8, 100, round="v1"), row(8, 8, 120, round="v1")],
         ["1 configuration"], k=8, seconds=1000 / 110)
    case(folder, "many rounds", [row(8, 96, 1000 + max(i, 8), round=f"v{i}") for i in range(40)],
         ["more than 32 rounds: the oldest ones count as v8"],
         k=8, seconds=1000 / 1008)  # v8 alone has three rows
    case(folder, "power of two scopes",
         [row(k, 24, linear(k, 24), round="v1", node_power_w=4000, power_scope="node_ac") for k in (8, 16)] +
         [row(8, 24, linear(8, 24), round="v1", node_power_w=3900, power_scope="node_dc")],
         ["power of 1 row not used: its power_scope is not node_ac"])
    case(folder, "samples to the target that fall", [row(8, b, linear(8, b), samples_to_target=s) for b, s in ((8, 500), (16, 400))],
         ["the runs show no growth with the batch"])
    case(folder, "mixed limits, the highest limits nothing",
         [row(1, 8, 100, power_w_per_gpu=300), row(1, 16, 160, power_limit_w=400, power_w_per_gpu=320),
          row(1, 8, 101, power_limit_w=400, power_w_per_gpu=301), row(1, 8, 80, power_limit_w=200, power_w_per_gpu=190)],
         ["those without a power limit and at 400 W, the highest of the GPU type", "limit   200 W"],
         k=1, seconds=1000 / 160)
    case(folder, "mixed limits, the highest limits something",
         [row(1, 8, 100, power_w_per_gpu=300), row(1, 8, 90, power_limit_w=250, power_w_per_gpu=240)],
         ["rows at the highest power limit differ by -10.0 %", "limit   250 W"], k=1, seconds=10)
    case(folder, "a floor above the power", [row(8, 8, 100, round="v1", node_power_w=900, power_scope="node", node_floor_w=1000)],
         ["p.csv:2", "node_floor_w: expected at most node_power_w"], exit_code=2)
    case(folder, "no batch", [row(8, 0, 100)], ["batch_per_gpu: expected number > 0"],
         exit_code=2)
    return 17


cases(profiles)
