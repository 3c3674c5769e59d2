"""EASY backfilling against EASY written down naively: random rigid jobs whose requests are longer, equal or shorter than
what they take must start at the same times. Usage: test_easy.py EASIM SOURCE
"""
import csv
import random
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

EASIM = str(Path(sys.argv[1]).resolve())
NS = Fraction(1, 10**9)
SCENARIOS = 60


def requested_end(job, now):
    """A job that overruns its request is expected to end a nanosecond from now."""
    return max(job["start"] + job["request"], now + NS)


def reservation(running, free, k, now):
    """When the head can start by the requests, and the GPUs that it leaves free then."""
    ends = sorted({requested_end(job, now) for job in running})
    for end in [now, *ends]:
        there = free + sum(job["k"] for job in running if requested_end(job, now) <= end)
        if there >= k:
            return end, there - k
    raise AssertionError("the head never fits")


def decide(waiting, running, free, now):
    shadow = None
    for job in list(waiting):
        if shadow is None and job["k"] > free:
            shadow, extra = reservation(running, free, job["k"], now)
        elif job["k"] <= free:
            if shadow is not None and now + job["request"] > shadow:
                if job["k"] > extra:
                    continue
                extra -= job["k"]
            job["start"] = now
            free -= job["k"]
            waiting.remove(job)
            running.append(job)
    return free


def simulate(gpus, jobs):
    waiting, running, free, coming = [], [], gpus, sorted(jobs, key=lambda job: job["submit"])
    while coming or running:
        now = min([job["submit"] for job in coming[:1]] + [job["start"] + job["duration"] for job in running])
        for job in [job for job in running if job["start"] + job["duration"] == now]:
            running.remove(job)
            free += job["k"]
        while coming and coming[0]["submit"] == now:
            waiting.append(coming.pop(0))
        free = decide(waiting, running, free, now)
    return {job["id"]: job["start"] for job in jobs}


def draw_jobs(rng, gpus):
    submit, jobs = 0, []
    for row in range(rng.randrange(40, 120)):
        submit += rng.choice([0, 0, 1, 3, rng.randrange(40)])
        duration = Fraction(rng.randrange(8, 1600), 8)
        request = duration * rng.choice([Fraction(1, 2), 1, 1, 2, 5]) if rng.random() < 0.8 else Fraction(150)
        jobs.append({"id": f"j{row}", "submit": Fraction(submit), "duration": duration, "request": request,
                     "k": min(gpus, rng.choice([1, 1, 1, 2, 3, 4, 8, gpus]))})
    return jobs


def check(seed, folder):
    rng = random.Random(seed)
    node = rng.choice([1, 4, 40])
    gpus = node * (40 // node if node > 1 else rng.choice([7, 16]))
    jobs = draw_jobs(rng, gpus)
    with open(folder / "jobs.csv", "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["job_id", "submit_s", "gpus", "duration_s", "requested_s"])
        out.writerows([job["id"], float(job["submit"]), job["k"], float(job["duration"]), float(job["request"])]
                      for job in jobs)
    (folder / "s.yaml").write_text(
        "name: s\nhorizon: drain\npolicy: {name: easy}\nworkload: {kind: trace, file: jobs.csv}\n"
        f"cluster: {{gpu_types: [{{name: g, idle_w: 50, tdp_w: 300}}], "
        f"nodes: [{{count: {gpus // node}, gpu: g, gpus: {node}}}]}}\n",
        encoding="utf-8")
    subprocess.run([EASIM, "run", str(folder / "s.yaml"), "--check", "--strict", "--quiet", "--force", "--out",
                    str(folder / "out")], check=True)
    expected = simulate(gpus, jobs)
    with open(folder / "out" / "jobs.csv", newline="", encoding="utf-8") as file:
        got = {row["job_id"]: Fraction(row["start_s"]) for row in csv.DictReader(file)}
    wrong = [(job, str(got[job]), str(start)) for job, start in expected.items() if got[job] != start]
    assert not wrong, (seed, wrong[:3])
    return len(got)


def main():
    with tempfile.TemporaryDirectory(prefix="easim-easy.") as folder:
        jobs = sum(check(seed, Path(folder)) for seed in range(SCENARIOS))
    print(f"{SCENARIOS} scenarios, {jobs} jobs start as in plain EASY")


main()
