"""Writes a scenario of N jobs for what reads a recorded run: make_recorded.py N TYPES rigid|malleable|mixed FOLDER [EASIM]

run.yaml, models.yaml and jobs.csv: TYPES GPU types, 1,024 GPUs in all, a load of 0.9, 8 users, deadlines on 30 %. Mixed:
every other job is rigid. EASIM runs and records it in FOLDER/out. The numbers are those of draws.py, so the files never
change.
"""
import math
import subprocess
import sys
from pathlib import Path

from draws import Random

GPUS, USERS, MODELS, LOAD = 1024, 8, 3, 0.9
MEAN_S, MEAN_K = 7200, 15 / 4  # of a job; k is 1, 2, 4 or 8
SAMPLE_S = 0.005
FIGURES = {"a_s": 0.04, "c_s": SAMPLE_S, "gamma": 2, "alpha_s": 0.006, "beta_s": 0, "p0_w": 120, "pmax_w": 300}


def model(number, types):
    """Each GPU type is 30 % faster than the one before, for 40 % more power; models differ by a tenth."""
    lines = [f"  - {{name: m{number}, m0: 4096, phi: 15000, start_s: 30, restart_s: 30, checkpoint_s: 10,"
             " checkpoint_interval_s: 1800, mem0_gib: 2, mem1_gib: 0.1, batches: [16, 32, 64], gpus: {"]
    for h in range(types):
        own = FIGURES | {"c_s": round(SAMPLE_S * (1 + number / 10) / 1.3**h, 6), "p0_w": 120 * 1.4**h, "pmax_w": 300 * 1.4**h}
        figures = ", ".join(f"{name}: {value:g}" for name, value in own.items())
        words = [", ".join(f"{name}: {word}" for name in FIGURES) for word in ("assumed", "drawn")]
        lines.append(f"      g{h}: {{{figures}, evidence: {{{words[0]}}}, source: {{{words[1]}}}}},")
    return "\n".join(lines) + "}}\n"


def scenario(types):
    kinds = ", ".join(f"{{name: g{h}, idle_w: 60, ctx_w: 95, tdp_w: {400 * 1.4**h:g}, memory_gib: 80}}" for h in range(types))
    nodes = ", ".join(f"{{count: {GPUS // 8 // types}, gpu: g{h}, gpus: 8, base_w: 250}}" for h in range(types))
    return (f"name: recorded\nhorizon: drain\nmodels: models.yaml\nworkload: {{kind: trace, file: jobs.csv}}\n"
            f"policy: {{name: zeus}}\ncluster: {{gpu_types: [{kinds}], nodes: [{nodes}]}}\n")


def write_jobs(count, types, kind, out):
    speed = sum(1.3**h for h in range(types)) / types
    random, time_s = Random(7), 0.0
    out.write("job_id,submit_s,user,model,work_samples,duration_s,requested_s,gpus,deadline_s\n")
    for i in range(count):
        time_s -= math.log(random.uniform()) * MEAN_S * MEAN_K / GPUS / LOAD
        run_s, k = MEAN_S * math.exp(random.normal() - 0.5), 2 ** int(random.uniform() * 4)
        user, of, deadline = (int(random.uniform() * n) for n in (USERS, MODELS, 40))
        due = f"{time_s + run_s * (1.5 + deadline / 3):.0f}" if deadline < 12 else ""
        if kind == "rigid" or kind == "mixed" and i % 2:
            asks = f",,{run_s:.3f},{1.5 * run_s:.3f},{k}"
        else:
            asks = f"m{of},{round(MEAN_K * run_s / SAMPLE_S * speed / 1.2)},,,"
        out.write(f"{i + 1},{time_s:.3f},u{user},{asks},{due}\n")


def main():
    count, types, kind, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    (folder / "models.yaml").write_text("models:\n" + "".join(model(i, types) for i in range(MODELS)))
    (folder / "run.yaml").write_text(scenario(types))
    with open(folder / "jobs.csv", "w", encoding="ascii") as out:
        write_jobs(count, types, kind, out)
    for easim in sys.argv[5:]:
        subprocess.run([easim, "run", folder / "run.yaml", "--record", "--threads", "1", "--quiet", "--out", folder / "out"],
                       check=True)


main()
