"""The lean engine against the whole one on random scenarios: test_lean_engine.py EASIM SOURCE [--count N] [--seed N]

Scenario number n is that of seed n (random_scenario.py) without what the lean engine lacks. The files of the two must be equal
byte for byte. Runs with what it lacks are refused where the environment asks for it.
"""
import os

from harness import bytes_of, cases, easim, form, seeds
from random_scenario import JOB_COLUMNS, Scenario, table

LACKS = "EASIM_ENGINE: expected whole, as the lean engine lacks what this run needs"
OPTIONS = ("--quiet", "--threads", "1", "--decisions", "--record", "--trace", "trace.jsonl")


def engine(word):
    return {**os.environ, "EASIM_ENGINE": word}


def plain(seed):
    s = Scenario(seed)
    s.scenario.pop("noise", None)
    for key in ("interference", "power_cap_w"):
        s.cluster.pop(key, None)
    for place in s.cluster["nodes"] + s.types:
        for key in ("mtbf", "mttr", "sleep_w", "sleep_after", "wake_s"):
            place.pop(key, None)
    for model in s.models:
        model.pop("phases", None)
    s.write_models()
    s.scenario["policy"]["params"].pop("power_limits", None)
    for stream in s.scenario["workload"]["streams"]:
        for key in ("gpu_share", "utilization_file"):
            stream.pop(key, None)
    for job in s.jobs if "jobs.csv" in s.files else []:
        job.pop("gpu_share", None)
    if "jobs.csv" in s.files:
        s.files["jobs.csv"] = table(JOB_COLUMNS, [[job.get(c, "") for c in JOB_COLUMNS] for job in s.jobs])
    s.write_scenario()
    return s


def same_bytes(seed, folder):
    s = plain(seed)
    results = []
    for word in ("lean", "whole"):
        place = folder / word
        s.write(place)
        done = easim("run", "scenario.yaml", *OPTIONS, "--out", "out", cwd=place, env=engine(word), code=None)
        assert LACKS not in done.stderr, s.policy
        results.append((done.returncode, done.stderr, bytes_of(place, ".csv", ".jsonl")))
    assert results[0] == results[1], [result[:2] for result in results]


def refused(folder):
    s = plain(1)
    s.scenario["noise"] = {"speed_sigma": 0.1}
    s.write_scenario()
    s.write(folder / "noise")
    for words, word, says in ((["run", "scenario.yaml"], "lean", LACKS + ', got "lean"'),
                              (["run", "scenario.yaml"], "fast", 'EASIM_ENGINE: expected whole'),
                              (["run", "scenario.yaml", "--set", "noise.speed_sigma=0"], "fast",
                               'EASIM_ENGINE: expected lean or whole, got "fast"'),
                              (["run", "scenario.yaml", "--set", "noise.speed_sigma=0", "--check"], "lean", LACKS)):
        easim(*words, "--quiet", cwd=folder / "noise", env=engine(word), code=2, says=says)
        assert not (folder / "noise/results").exists()
    return 4


cases(seeds(same_bytes, form(300, 60)), refused)
