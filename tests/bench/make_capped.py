"""Writes 100,000 jobs that all run for a day under a power cap, and scenarios for them: make_capped.py JOBS FOLDER

none.yaml: no cap. moves.yaml: another cap each minute. busy.yaml and binds.yaml: one job ends and one starts each second, without a
cap and under one that always binds. Jobs have one GPU each and 11 utilizations, under fcfs; order: equal, 64 steps.
"""
import sys
from pathlib import Path

DAY_S = 86400
LEVELS = 11
IDLE_W, TDP_W = 50, 400
CLUSTER = "cluster:\n  gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}]\n  nodes: [{count: %d, gpu: g, gpus: 8}]\n"


def watts(number):
    return IDLE_W + use_of(number) * (TDP_W - IDLE_W)


def use_of(number):
    return 0.5 + number % LEVELS / (2 * (LEVELS - 1))


def write_jobs(path, jobs):
    with path.open("w", encoding="utf-8") as out:
        out.write("job_id,submit_s,gpus,duration_s,utilization\n")
        out.writelines(f"{n},{submit_s},1,{duration_s},{use_of(n):.2f}\n" for n, (submit_s, duration_s) in enumerate(jobs))


def main(jobs, folder):
    all_w = sum(watts(n) for n in range(jobs))
    write_jobs(folder / "jobs.csv", [(0, 3 * DAY_S)] * jobs)
    # The first DAY_S end one a second, and each lets another one in: rigid jobs are as long as they say, at full speed.
    write_jobs(folder / "turnover.csv", [(0, n + 1 if n < DAY_S else 3 * DAY_S) for n in range(jobs)] + [(n + 1, 3 * DAY_S) for n in range(DAY_S)])
    with (folder / "cap.csv").open("w", encoding="utf-8") as out:
        out.write("time_s,power_w\n")
        out.writelines(f"{60 * n},{all_w * (0.65 + 0.3 * (n * 7919 % 101) / 101):.0f}\n" for n in range(DAY_S // 60))
    for name, log, cap in (("none", "jobs", ""), ("moves", "jobs", "file: cap.csv"), ("busy", "turnover", ""), ("binds", "turnover", f"watts: {0.8 * all_w:.0f}")):
        rules = f"  power_cap: {{{cap}, enforce: throttle, admit: floor}}\n" if cap else ""
        (folder / f"{name}.yaml").write_text(
            f"name: {name}\nhorizon: {DAY_S}s\npolicy: {{name: fcfs}}\nworkload: {{kind: trace, file: {log}.csv}}\n" + CLUSTER % (jobs // 8) + rules,
            encoding="utf-8")


main(int(sys.argv[1]), Path(sys.argv[2]))
