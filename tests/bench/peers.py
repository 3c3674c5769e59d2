#!/usr/bin/python3
"""The same jobs in other simulators and in easim: peers.py [--easim BIN] [--accasim PYTHON] [--rounds N]

M/M/1 at a load of 0.8: 100,000 jobs in Poisson arrivals, exponential times of service, one server, in the order of arrival.
SimPy and easim get the same arrivals and times, in whole milliseconds, and have to give the same mean time in the system;
theory says 1 / (mu - lambda). SimPy's time is that of the simulation alone.

10,000 rigid jobs of whole seconds (make_jobs.py) on 256 processors, in the order of submission: AccaSim, SimGrid (a program
of its S4U interface, below) and easim have to give the same mean wait. Times are those of whole commands, with reading.

Printed are medians of rounds that take turns, of processor time. SimPy is Debian's python3-simpy3, SimGrid libsimgrid-dev with
a C++ compiler; AccaSim is `pip install accasim`, in the Python that --accasim names. Of CQSim, which is no package, the
published figure stands below. Other machines: compare the ratio alone.
"""
import argparse
import csv
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime
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
CQSIM_S, EASIM_THEN_S = 8.71, 0.024  # for 10,000 rigid jobs, both on one machine

# In the words of its documentation: a system of one node, and the default reader of SWF, which skips jobs without memory.
ACCASIM = """\
import collections, collections.abc, json
collections.Mapping = collections.abc.Mapping  # it was written for Python 3.9
from accasim.base.allocator_class import FirstFit
from accasim.base.scheduler_class import FirstInFirstOut
from accasim.base.simulator_class import Simulator
json.dump({"system_name": "one", "groups": {"all": {"core": 256, "mem": 10**9}}, "resources": {"all": 1},
           "equivalence": {"processor": {"core": 1}}, "start_time": 0}, open("system.json", "w"))
Simulator("memory.swf", "system.json", FirstInFirstOut(FirstFit()), statistics_output=False, show_statistics=False,
          LOG_LEVEL="ERROR").start_simulation()
"""

# An actor for each job, and one that starts them in their order.
S4U = """\
#include <cstdio>
#include <simgrid/s4u.hpp>
namespace sg = simgrid::s4u;
static int processors = 256;
static double waits = 0;
static sg::MutexPtr mutex = sg::Mutex::create();
static sg::ConditionVariablePtr ended = sg::ConditionVariable::create();
static void run(double seconds, int needed) {
    sg::this_actor::sleep_for(seconds);
    std::unique_lock<sg::Mutex> lock(*mutex);
    processors += needed;
    ended->notify_all();
}
static void start_all(FILE *jobs, sg::Host *host) {
    double submit, seconds, number;
    int needed;
    for (; fscanf(jobs, "%lf,%lf,%lf,%d ", &number, &submit, &seconds, &needed) == 4;) {
        if (submit > sg::Engine::get_clock())
            sg::this_actor::sleep_until(submit);
        std::unique_lock<sg::Mutex> lock(*mutex);
        while (processors < needed)
            ended->wait(lock);
        processors -= needed;
        waits += sg::Engine::get_clock() - submit;
        sg::Actor::create("job", host, run, seconds, needed);
    }
}
int main(int count, char **words) {
    sg::Engine engine(&count, words);
    sg::NetZone *zone = sg::create_full_zone("zone");
    sg::Host *host = zone->create_host("host", 1e9);
    zone->seal();
    FILE *jobs = fopen("plain.csv", "r");
    sg::Actor::create("start", host, start_all, jobs, host);
    engine.run();
    printf("%.6f\\n", waits / atoi(words[1]));
}
"""


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
    """(what it printed, processor time)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_easim(easim, scenario, folder, column):
    """(that column of summary.csv, processor time)"""
    _, spent = timed([easim, "run", scenario, "--summary-only", "--quiet", "--threads", "1", "--force", "--out", "out", "--set",
                      f"workload.file={folder}/{Path(scenario).stem}.csv"], folder)
    with open(folder / "out/summary.csv", newline="", encoding="utf-8") as file:
        return float(next(csv.DictReader(file))[column]), spent


def write_rigid(count, folder):
    """The same jobs as rigid.csv, plain.csv without a header, and memory.swf, where each needs a kilobyte."""
    subprocess.run([sys.executable, HERE / "make_jobs.py", "--swf", str(count), folder / "jobs.swf"], check=True)
    text = (folder / "jobs.swf").read_text(encoding="ascii")
    jobs = [line.split() for line in text.splitlines() if line[0] != ";"]
    plain = "".join(f"{job[0]},{job[1]},{job[3]},{job[4]}\n" for job in jobs)
    (folder / "plain.csv").write_text(plain, encoding="ascii")
    (folder / "rigid.csv").write_text("job_id,submit_s,duration_s,gpus\n" + plain, encoding="ascii")
    (folder / "memory.swf").write_text("".join(" ".join([*job[:9], "1", *job[10:]]) + "\n" for job in jobs), encoding="ascii")


def in_accasim(python, folder):
    """(mean wait in s, processor time), from the schedule that it writes."""
    _, spent = timed([python, "-W", "ignore", "-c", ACCASIM], folder)
    waits = []
    with open(next(folder.glob("results/sched-*")), encoding="ascii") as file:
        for line in file:
            submitted, _, run = line.split("__")
            waits.append(datetime.fromisoformat(run.split(";")[0]) - datetime.fromisoformat(submitted.split(";")[2]))
    return sum(wait.total_seconds() for wait in waits) / len(waits), spent


def compiled(folder):
    """The program of SimGrid; None if it cannot be made here."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    (folder / "s4u.cpp").write_text(S4U, encoding="ascii")
    made = compiler and subprocess.run([compiler, "-O2", "-o", "s4u", "s4u.cpp", "-lsimgrid"], cwd=folder, check=False,
                                       capture_output=True).returncode == 0
    return folder / "s4u" if made else None


def in_simgrid(program, count, folder):
    printed, spent = timed([program, str(count)], folder)
    return float(printed), spent


def compare(rounds, name, ours, peer):
    """Prints a row; exit status 1 if the two simulate something else. peer: None if it is not installed."""
    if peer is None:
        return print(f"  {name:<8} not installed")
    pairs = [(ours(), peer()) for _ in range(rounds)]
    (mean, _), (other, _) = pairs[0]
    if abs(other - mean) > 1e-6 * mean:
        sys.exit(f"{name} and easim differ: {other} and {mean}")
    easim_s, peer_s = (statistics.median(pair[i][1] for pair in pairs) for i in (0, 1))
    return print(f"  {name:<8} {peer_s:8.3f} s, easim {easim_s:.4f} s, {peer_s / easim_s:.0f} times as much; both {mean:.3f} s")


def has(module):
    try:
        __import__(module)
    except ImportError:
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--easim", default="build/easim")
    parser.add_argument("--accasim", metavar="PYTHON", help="a Python that has accasim")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    easim, jobs, count = os.path.abspath(options.easim), draw_jobs(100000), 10000
    with tempfile.TemporaryDirectory(prefix="easim-peers.") as name:
        folder = Path(name)
        (folder / "mm1.yaml").write_text(SCENARIO, encoding="utf-8")
        (folder / "mm1.csv").write_text("job_id,submit_s,duration_s,gpus\n" + "".join(
            f"{i},{a / 1000:.3f},{s / 1000:.3f},1\n" for i, (a, s) in enumerate(jobs, 1)), encoding="ascii")
        print(f"M/M/1, load {LOAD}, {len(jobs)} jobs: mean time in the system, in theory {SERVICE_S / (1 - LOAD):.1f} s")
        compare(options.rounds, "SimPy", lambda: in_easim(easim, "mm1.yaml", folder, "jct_mean_s"),
                (lambda: in_simpy(jobs)) if has("simpy") else None)
        write_rigid(count, folder)
        program = compiled(folder)
        print(f"{count} rigid jobs, fcfs: mean wait")
        for peer, run in (("SimGrid", (lambda: in_simgrid(program, count, folder)) if program else None),
                          ("AccaSim", (lambda: in_accasim(options.accasim, folder)) if options.accasim else None)):
            compare(options.rounds, peer, lambda: in_easim(easim, HERE / "rigid.yaml", folder, "wait_mean_s"), run)
        print(f"  CQSim    published: {CQSIM_S} s where easim took {EASIM_THEN_S} s, {CQSIM_S / EASIM_THEN_S:.0f} times as much")


main()
