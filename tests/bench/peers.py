#!/usr/bin/python3
"""The same queue in SimPy and in easim: peers.py [--easim BIN] [--jobs N]

M/M/1 at a load of 0.8: N jobs (default 100,000) in Poisson arrivals, exponential times of service, one server, in the order
of arrival. Both get the same arrivals and times, in whole milliseconds, and have to give the same mean time in the system;
theory says 1 / (mu - lambda). Printed is processor time: for SimPy that of the simulation alone, for easim that of the whole
command, with reading the jobs and writing a summary. SimPy is Debian's: apt install python3-simpy3.

Of simulators of batch systems the published figures stand below: theirs for 10,000 rigid jobs, on a machine where easim took
the time beside them; and easim here, for a log of as many jobs (make_jobs.py). Other machines: compare the ratio alone.
"""
import argparse
import csv
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SERVICE_S, LOAD = 100.0, 0.8
SCENARIO = """\
name: mm1
horizon: drain
cluster:
  gpu_types: [{name: server, idle_w: 0, tdp_w: 100}]
  nodes: [{gpu: server, gpus: 1}]
workload: {kind: trace, file: jobs.csv, preemptible: false}
policy: {name: fcfs}
"""
PUBLISHED = (("AccaSim", 6.38, 0.021), ("CQSim", 8.71, 0.024))  # s of theirs, s of easim at that time


def draw_jobs(count):
    """(arrival, service) in ms, from a fixed linear congruential generator."""
    state, now_ms, jobs = 7, 0.0, []
    for _ in range(count):
        draws = []
        for _ in range(2):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            draws.append(-math.log(((state >> 11) + 0.5) / 2**53) * SERVICE_S * 1000)
        now_ms += draws[0] / LOAD
        jobs.append((round(now_ms), max(1, round(draws[1]))))
    return jobs


def in_simpy(jobs):
    """(mean time in the system in s, processor time)"""
    import simpy
    environment, times = simpy.Environment(), []
    server = simpy.Resource(environment, capacity=1)

    def customer(arrival, service):
        with server.request() as turn:
            yield turn
            yield environment.timeout(service)
        times.append(environment.now - arrival)

    def source():
        for arrival, service in jobs:
            yield environment.timeout(arrival - environment.now)
            environment.process(customer(arrival, service))

    began = time.process_time()
    environment.process(source())
    environment.run()
    return sum(times) / len(times) / 1000, time.process_time() - began


def timed(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_easim(easim, scenario, folder):
    """(mean time in the system in s, processor time)"""
    spent = timed([easim, "run", scenario, "--summary-only", "--quiet", "--threads", "1", "--force", "--out", "out", "--set",
                   f"workload.file={folder}/jobs.csv"], folder)
    with open(folder / "out/summary.csv", newline="", encoding="utf-8") as file:
        return float(next(csv.DictReader(file))["jct_mean_s"]), spent


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--easim", default="build/easim")
    parser.add_argument("--jobs", type=int, default=100000)
    options = parser.parse_args()
    easim, jobs = os.path.abspath(options.easim), draw_jobs(options.jobs)
    with tempfile.TemporaryDirectory(prefix="easim-peers.") as name:
        folder = Path(name)
        (folder / "mm1.yaml").write_text(SCENARIO, encoding="utf-8")
        (folder / "jobs.csv").write_text("job_id,submit_s,duration_s,gpus\n" + "".join(
            f"{i},{a / 1000:.3f},{s / 1000:.3f},1\n" for i, (a, s) in enumerate(jobs, 1)), encoding="ascii")
        mean_s, spent = run_easim(easim, "mm1.yaml", folder)
        print(f"M/M/1, load {LOAD}, {len(jobs)} jobs: mean time in the system, theory {SERVICE_S / (1 - LOAD):.1f} s")
        print(f"  easim   {mean_s:9.3f} s  {spent:8.3f} s of processor time")
        try:
            peer_s, peer_spent = in_simpy(jobs)
        except ImportError:
            print("  SimPy   not installed")
        else:
            print(f"  SimPy   {peer_s:9.3f} s  {peer_spent:8.3f} s of processor time, {peer_spent / spent:.0f} times as much")
            if abs(peer_s - mean_s) > 1e-6 * mean_s:
                sys.exit("the two differ")
        subprocess.run([sys.executable, HERE / "make_jobs.py", "10000", folder / "jobs.csv"], check=True)
        _, spent = run_easim(easim, HERE / "rigid.yaml", folder)
        print(f"10,000 rigid jobs, fcfs: easim here {spent:.3f} s of processor time")
        for name, theirs, ours in PUBLISHED:
            print(f"  {name:<7} published {theirs} s where easim took {ours} s, {theirs / ours:.0f} times as much")


main()
