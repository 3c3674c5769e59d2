"""Writes a scenario where much waits: make_wide.py WAITING AFTER FOLDER

wide.yaml, models.yaml and jobs.csv: 10 GPU types of 24 GPUs, 100 models, 10,000 users. WAITING jobs come in the first
hour, 1,000 at a time; AFTER ones follow, each at a time of its own, at a pace that the cluster keeps up with, and the
horizon is the last arrival. Deadlines on 30 %. The numbers are those of a fixed linear congruential generator, so the
files never change.
"""
import math
import sys
from pathlib import Path

from draws import Random

TYPES, MODELS, USERS = 10, 100, 10_000
NODES, GPUS = 3, 8
K = [1, 2, 4, 8]
BATCHES = [16, 32, 64]
FIGURES = ["a_s", "c_s", "gamma", "alpha_s", "beta_s", "p0_w", "pmax_w"]
EVIDENCE = "{" + ", ".join(f"{name}: assumed" for name in FIGURES) + "}"
SOURCE = "{" + ", ".join(f"{name}: drawn" for name in FIGURES) + "}"
MEAN_S = 3600  # of a job on one GPU of the middle kind
GAP_S = 10


def speed(gpu_type):
    return 1 + 0.3 * gpu_type


def write_models(random, out):
    out.write("models:\n")
    for m in range(MODELS):
        out.write(f"  - name: m{m}\n    m0: 4096\n    phi: 15000\n    start_s: 30\n    restart_s: 30\n"
                  f"    checkpoint_s: 10\n    checkpoint_interval_s: 0\n    mem0_gib: 2\n    mem1_gib: 0.1\n"
                  f"    batches: {BATCHES}\n    gpus:\n")
        sample_s = 0.005 * (0.5 + random.uniform())
        for h in range(TYPES):
            own = sample_s / speed(h) * (0.8 + 0.4 * random.uniform())
            full_w = 250 + 45 * h + 40 * random.uniform()
            out.write(f"      g{h}: {{a_s: 0.04, c_s: {own:.6f}, gamma: 2, alpha_s: 0.006, beta_s: 0,"
                      f" p0_w: {0.4 * full_w:.1f}, pmax_w: {full_w:.1f}, evidence: {EVIDENCE}, source: {SOURCE}}}\n")


def write_scenario(last_s, out):
    out.write(f"name: wide\nhorizon: {last_s:.0f}s\nmodels: models.yaml\nworkload: {{kind: trace, file: jobs.csv}}\n"
              f"policy: {{name: pollux}}\ncluster:\n  gpu_types:\n")
    for h in range(TYPES):
        out.write(f"    - {{name: g{h}, idle_w: {50 + 5 * h}, ctx_w: {90 + 5 * h}, tdp_w: {320 + 45 * h},"
                  " memory_gib: 80}\n")
    out.write("  nodes:\n")
    for h in range(TYPES):
        out.write(f"    - {{count: {NODES}, gpu: g{h}, gpus: {GPUS}}}\n")


def write_jobs(random, waiting, after, out):
    out.write("job_id,submit_s,user,model,work_samples,deadline_s\n")
    time_s = 0.0
    for i in range(waiting + after):
        if i < waiting:
            time_s = 3600.0 * (i // 1000 * 1000) / waiting
        else:
            time_s = max(time_s, 3600.0) - math.log(random.uniform()) * GAP_S
        work = round(MEAN_S / 0.005 * math.exp(random.normal() - 0.5))
        model, user = int(random.uniform() * MODELS), int(random.uniform() * USERS)
        deadline = random.uniform() * 40
        due = f"{time_s + 3600 * deadline:.0f}" if deadline < 12 else ""
        out.write(f"{i + 1},{time_s:.3f},u{user},m{model},{work},{due}\n")
    return time_s


def main():
    waiting, after, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    random = Random(7)
    with open(folder / "models.yaml", "w", encoding="ascii") as out:
        write_models(random, out)
    with open(folder / "jobs.csv", "w", encoding="ascii") as out:
        last_s = write_jobs(random, waiting, after, out)
    with open(folder / "wide.yaml", "w", encoding="ascii") as out:
        write_scenario(last_s, out)


main()
