"""Writes a workload of N jobs: make_jobs.py [--overload|--swf|--philly|--together|--neighbours] N OUT

Rigid ones for a cluster of 256 processors: sizes are powers of two 1..64, run times lognormal, requests up to five
times the run time, Poisson arrivals at a load of 0.85; with --swf in the Standard Workload Format, whole seconds; with
--philly ten times as fast, in the form of the published CSV of Philly. With --overload malleable ones for
overload.yaml: work lognormal, 40 users, deadlines on 30 %, 100,000 in the first 400 minutes and then 12 a minute, about
as many as the cluster does. With --together rigid ones of one processor that all begin and end at the same instant, and
one more that comes meanwhile; with --neighbours ones of an hour for a node of 16,000 processors at a load of 0.9, were
they alone on it. The generator is a fixed linear congruential one, so the file never changes.
"""
import datetime
import math
import sys

from draws import Random


def rigid_jobs(count):
    """(submit, run time and request in s, GPUs, user) of each."""
    random, time_s, mean_gpus, mean_s = Random(7), 0.0, 127 / 7, math.exp(5 + 1.5**2 / 2)
    gap_s = mean_gpus * mean_s / 256 / 0.85
    for _ in range(count):
        time_s += -math.log(random.uniform()) * gap_s
        gpus = 2 ** int(random.uniform() * 7)
        duration = round(math.exp(5 + 1.5 * random.normal()), 3)
        requested = round(duration * (1 + 4 * random.uniform()), 3)
        user = int(random.uniform() * 40)
        yield time_s, duration, requested, gpus, user


RIGID_COLUMNS = "job_id,submit_s,user,model,work_samples,duration_s,requested_s,gpus,batch,gpu_type,deadline_s,class\n"


def write_rigid(count, out):
    out.write(RIGID_COLUMNS)
    for i, (time_s, duration, requested, gpus, user) in enumerate(rigid_jobs(count), 1):
        out.write(f"{i},{time_s:.3f},u{user},,,{duration},{requested},{gpus},,,,\n")


def write_together(count, out):
    out.write(RIGID_COLUMNS)
    for i in range(count + 1):
        out.write(f"{i + 1},{0 if i < count else 50},u,,,100,100,1,,,,\n")


def write_neighbours(count, out):
    random, time_s = Random(7), 0.0
    out.write(RIGID_COLUMNS)
    for i in range(count):
        time_s += -math.log(random.uniform()) * 3600 / 16000 / 0.9
        duration = -math.log(random.uniform()) * 3600
        out.write(f"{i + 1},{time_s:.3f},u,,,{duration:.3f},{duration:.3f},1,,,,\n")


def write_swf(count, out):
    out.write("; MaxProcs: 256\n")
    for i, (time_s, duration, requested, gpus, user) in enumerate(rigid_jobs(count), 1):
        run_s, limit_s = math.ceil(duration), math.ceil(requested)
        out.write(f"{i} {time_s:.0f} -1 {run_s} {gpus} -1 -1 {gpus} {limit_s} -1 1 {user} 1 -1 1 1 -1 -1\n")


def write_philly(count, out):
    out.write("timestamp,duration,num_gpus,gpu_time,cluster\n")
    begin = datetime.datetime(2017, 6, 1)
    for time_s, duration, _, gpus, user in rigid_jobs(count):
        when = begin + datetime.timedelta(seconds=int(time_s / 10))
        out.write(f"{when},{duration},{gpus},{duration * gpus:.3f},vc{user % 14}\n")


def write_overload(count, out):
    random, models = Random(7), ["vit-base-fp32", "albert-v2-bf16", "resnet50-fp32"]
    out.write("job_id,submit_s,user,model,work_samples,deadline_s\n")
    for i in range(count):
        time_s = 60 * (i // 250 if i < 100000 else 400 + (i - 100000) // 12)
        work = round(1e6 * math.exp(random.normal()))
        model, user = models[int(random.uniform() * 3)], int(random.uniform() * 40)
        deadline = random.uniform() * 40
        due = f"{time_s + 3600 * deadline:.0f}" if deadline < 12 else ""
        out.write(f"{i + 1},{time_s},u{user},{model},{work},{due}\n")


def main():
    write = {"--overload": write_overload, "--swf": write_swf, "--philly": write_philly,
             "--together": write_together, "--neighbours": write_neighbours}.get(sys.argv[1], write_rigid)
    with open(sys.argv[-1], "w", encoding="ascii") as out:
        write(int(sys.argv[-2]), out)


main()
