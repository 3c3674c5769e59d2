"""Writes a scenario of N services beside no jobs, 30 days of demand in bins of a minute: make_services.py N FOLDER

Every bin has another demand, the mean of a daily wave times a factor in 0.7..1.3; services differ by the scale. The
generator is a fixed linear congruential one, so the files never change.
"""
import math
import sys
from pathlib import Path

MODEL = """models:
  - name: m
    unit: token
    prompt: {included: true}
    serving:
      - {gpu: g, k: 1, evidence: assumed, source: made up, points: [
          {limit: 64, n: 10, per_s: 1000, power_w: 400, itl_ms: {p50: 5, p90: 8, p95: 9, p99: 10}},
          {limit: 128, n: 30, per_s: 2000, power_w: 600, itl_ms: {p50: 9, p90: 15, p95: 18, p99: 20}}]}
"""
SCENARIO = """name: services
horizon: 720h
seed: 1
replications: 1
policy: {name: fcfs}
models: [m.yaml]
cluster:
  gpu_types: [{name: g, idle_w: 60, ctx_w: 90, tdp_w: 700, memory_gib: 80}]
  nodes: [{count: 125, gpu: g, gpus: 8, base_w: 100}]
workload:
  streams:
"""


def main():
    count, folder = int(sys.argv[1]), Path(sys.argv[2])
    state, rows = 7, ["time_s,tokens_per_s"]
    for minute in range(30 * 1440):
        wave = 3000 * (1 + 0.8 * math.sin(minute / 1440 * 2 * math.pi))
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        rows.append(f"{60 * minute},{wave * (0.7 + 0.6 * state / 2**64):.2f}")
    (folder / "demand.csv").write_text("\n".join(rows) + "\n")
    (folder / "m.yaml").write_text(MODEL)
    (folder / "services.yaml").write_text(SCENARIO + "".join(
        f"    - {{kind: service, name: s{i}, model: m, demand: {{file: demand.csv, scale: {0.5 + i / 100:g}}}, "
        "slo: {itl_ms: 60, wait_s: 10}, replicas: {min: 1, max: 8}, start_s: 90}\n" for i in range(count)))


if __name__ == "__main__":
    main()
