"""Writes an input of N rows for what reads logs and records: make_logs.py KIND N FOLDER

KIND is a format of easim import (log), or measured (jobs.csv, run.yaml, log.csv of `validate --measured`), power (jobs.csv,
meter.csv), outages (outages.csv), batch (run.yaml with a transformer of a global batch of N), counts (models.yaml with
transformers measured on up to N GPUs). Jobs come every 20 s and not in the order of the file; every user has two.
Random.random() of Python never changes, nor do the files.
"""
import json
import math
import sys
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

BEGIN = datetime(2021, 3, 4)
MODELS = Path(__file__).resolve().parents[2] / "configs/models/large.yaml"
CLUSTER = ("name: logs\nhorizon: drain\npolicy: {{name: fcfs}}\ncluster: {{gpu_types: [{{name: h100, idle_w: 60, ctx_w: 98, tdp_w: 700, "
           "memory_gib: 80}}], nodes: [{{count: {}, gpu: h100, gpus: 8}}]}}\nworkload: {{kind: trace, file: jobs.csv{}}}\n")

HEADERS = {
    "itp": "job_id,submission_time,duration,num_gpu,model_name,batch_size,deadline",
    "philly": "timestamp,duration,num_gpus,gpu_time,cluster",
    "alibaba-gpu-2023": "name,num_gpu,gpu_milli,gpu_spec,pod_phase,creation_time,deletion_time,scheduled_time",
    "alibaba-pai-2020": "job_id,submit_time,duration,num_gpu,num_inst,user,gpu_type",
    "helios": "job_id,submit_time,duration,gpu_num,user,start_time,end_time,state",
    "pollux": "name,time,application,num_replicas,batch_size",
    "slurm": "JobID|Submit|Start|ElapsedRaw|State|AllocTRES|Timelimit|User",
    "workload": "job_id,submit_s,user,duration_s,requested_s,gpus,label.command",
}


def date(seconds):
    return (BEGIN + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S")


def tres(gpus):
    return f"billing=8,cpu=8,gres/gpu:h100={gpus},gres/gpu={gpus},mem=4G,node=1"


LINES = {
    "swf": lambda i, at, run, k, user: f"{i} {at} 0 {run} {k} -1 -1 {k} {2 * run} -1 1 {user} {user} {i} {user} 1 -1 -1",
    "itp": lambda i, at, run, k, user: f"j{i},{at},{run},{k},m{user},64,{at + 2 * run}",
    "philly": lambda i, at, run, k, user: f"{date(at)},{run},{k},3,u{user}",
    "alibaba-gpu-2023": lambda i, at, run, k, user: f"p{i},1,{1 + user % 1000},,Running,{at},{at + 5 + run},{at + 5}",
    "alibaba-pai-2020": lambda i, at, run, k, user: f"j{i},{at},{run},0.5,{k},u{user},V100",
    "helios": lambda i, at, run, k, user: f"j{i},{date(at)},{run},{k},u{user},{date(at + 3)},{date(at + 3 + run)},COMPLETED",
    "gavel": lambda i, at, run, k, user: f"ResNet-{user} (batch size 32)\tpython3 main.py -b {i}\tdir\t-s\t1\t{run}\t{k}\t1.0\t-1\t{at}",
    "pollux": lambda i, at, run, k, user: f"j{i},{at},bert,{k},{64 * k}",
    "slurm": lambda i, at, run, k, user: "\n".join(
        f"{i}{step}|{date(at).replace(' ', 'T')}|{date(at + 3).replace(' ', 'T')}|{run}|COMPLETED|{tres(k)}|1-00:00:00|u{user}"
        for step in ("", ".batch")),
    "workload": lambda i, at, run, k, user: f"j{i},{at},u{user},{run},{2 * run},{k},python3 main.py -b {i}",
}


def jobs(count):
    """(number, submit, run time, GPUs, user) in no order of time."""
    random = Random(7)
    rows = [(i + 1, 20 * i, 1 + int(math.exp(5 + random.random() * 3)), 2 ** int(random.random() * 4), int(random.random() * count / 2))
            for i in range(count)]
    return sorted(rows, key=lambda row: random.random())


def write_philly_json(count, folder):
    def job(i, at, run, k, user):
        attempt = {"start_time": date(at), "end_time": date(at + run), "detail": [{"ip": "m1", "gpus": [f"gpu{g}" for g in range(k)]}]}
        return {"status": "Pass", "vc": f"v{user}", "jobid": f"j{i}", "attempts": [attempt], "submitted_time": date(at), "user": f"u{user}"}
    (folder / "log").write_text(json.dumps([job(*row) for row in jobs(count)], indent=1), encoding="ascii")


def write_lines(path, header, lines):
    path.write_text("\n".join([*header, *lines, ""]), encoding="ascii")


def write_measured(count, folder):
    rows = jobs(count)
    write_lines(folder / "jobs.csv", ["job_id,submit_s,duration_s,gpus"], (f"j{i},{at},{run},{k}" for i, at, run, k, _ in rows))
    write_lines(folder / "log.csv", ["job_id,submit_s,start_s,finish_s,exec_s,gpus,energy_j"],
                (f"j{i},{at},{at + user % 90},{at + user % 90 + run},{run},{k},{300 * k * run}" for i, at, run, k, user in reversed(rows)))
    (folder / "run.yaml").write_text(CLUSTER.format(64, ""), encoding="ascii")


def write_power(count, folder):
    random = Random(8)
    write_lines(folder / "jobs.csv", ["job_id,submit_s,user,duration_s,gpus,utilization"],
                (f"j{i},{at},u{user},{run},{k},{random.random():.3f}" for i, at, run, k, user in jobs(count)))
    write_lines(folder / "meter.csv", ["time_s,power_w"], (f"{20 * i},{5000 + 3000 * random.random():.1f}" for i in range(count)))


def write_outages(count, folder):
    random, nodes, rows = Random(9), max(1, count // 10), []
    for node in range(nodes):
        at = 0.0
        for _ in range(10):
            at += 1e6 * (-math.log(1 - random.random())) ** 1.25
            end = at + 3600 * -math.log(1 - random.random())
            rows.append((at, f"{node},{at:.3f},{end:.3f}"))
            at = end
    write_lines(folder / "outages.csv", ["node,start_s,end_s"], (line for _, line in sorted(rows)))


def write_batch(count, folder):
    text = MODELS.read_text(encoding="utf-8").replace("global_batch: 2048", f"global_batch: {count}", 1)
    (folder / "models.yaml").write_text(text, encoding="utf-8")
    write_lines(folder / "jobs.csv", ["job_id,submit_s,model,work_samples"], ["1,0,gpt3-175b,1e9"])
    (folder / "run.yaml").write_text(CLUSTER.format(128, f", k: {[2**i for i in range(3, 11)]}") + "models: models.yaml\n", encoding="ascii")


def write_counts(count, folder):
    lines = MODELS.read_text(encoding="utf-8").split("\n")
    text = "\n".join(f"        range_k: [8, {count}]" if "range_k:" in line else line for line in lines)
    (folder / "models.yaml").write_text(text, encoding="utf-8")


def main():
    kind, count, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    others = {"philly-json": write_philly_json, "measured": write_measured, "power": write_power, "outages": write_outages,
              "batch": write_batch, "counts": write_counts}
    if kind in others:
        others[kind](count, folder)
    else:
        write_lines(folder / "log", [HEADERS[kind]] if kind in HEADERS else [], (LINES[kind](*row) for row in jobs(count)))


main()
