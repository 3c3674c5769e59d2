#!/usr/bin/env python3
"""easim init: five files in an empty folder, with no other program; the four commands that it prints end with 0, and what they
give is as promised; the person's own profile and log."""
import csv
import re

import yaml
from harness import EASIM, SOURCE, cases, easim, run

FILES = ["README.md", "jobs.csv", "models.yaml", "profile.csv", "scenario.yaml"]
POLICIES = ["fcfs", "easy", "pollux", "lean"]
PROFILE = """model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu,evidence,source
"a, b",h100,2,32,19,480,measured,me
"a, b",h100,1,32,10,500,measured,me
B,h100,1,64,20,500,measured,me
B,h100,2,64,38,480,measured,me
B,b200,1,64,40,900,measured,me
B,b200,2,64,78,880,measured,me
B,b200,4,64,150,880,measured,me
"""


def begin(folder, *words):
    """Without a PATH: on a bare Debian 12 there is no other program. The commands that it prints."""
    out = run(EASIM, "init", *words, cwd=folder, env={"PATH": ""}).stdout
    return re.findall(r"^    easim (.*)$", out, re.MULTILINE)


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_files(folder):
    commands = begin(folder)
    study = folder / "easim-study"
    assert sorted(p.name for p in study.iterdir()) == FILES
    assert len(commands) == 4 and all(f"    easim {command}" in (study / "README.md").read_text() for command in commands)
    text = (study / "scenario.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=")
    keys = re.findall(r"^ *#? ?(name|horizon|seed|replications|cluster|models|workload|policy|power_cap_w|price_per_mwh):.*#", text, re.M)
    assert len(set(keys)) == 10, keys  # each with its line of explanation
    assert text.count("period: 24h") == 2 and "# workload: {kind: poisson" in text
    easim("calibrate", "profile.csv", "-o", "again.yaml", cwd=study)
    assert (study / "again.yaml").read_bytes() == (study / "models.yaml").read_bytes()


def check_load(folder):
    """Work in GPU-hours at the speed of one GPU, over 16 GPUs until the last job is submitted: 0.6 to 0.8."""
    begin(folder, "s")
    jobs, profile = rows(folder / "s/jobs.csv"), rows(folder / "s/profile.csv")
    assert len(jobs) == 20 and [int(r["k"]) for r in profile] == [1, 4, 8] and len({r["batch_per_gpu"] for r in profile}) == 1
    rate = float(profile[0]["throughput_samples_s"])
    hours = sum(float(j["work_samples"]) / rate / 3600 if j["model"] else int(j["gpus"]) * float(j["duration_s"]) / 3600 for j in jobs)
    load = hours / 16 / (max(float(j["submit_s"]) for j in jobs) / 3600)
    assert 0.6 <= load <= 0.8, load
    assert sum(not j["model"] for j in jobs) == 1 and 3 <= sum(bool(j["deadline_s"]) for j in jobs) <= 10


def check_commands(folder):
    done = [easim(*command.split(), cwd=folder / "s") for command in begin(folder, "s")]
    assert done[0].stdout == "scenario.yaml: ok\n" and not done[0].stderr, done[0]
    assert not any("outside" in d.stdout or "warning" in d.stdout for d in done)
    results = {p: rows(folder / "s/results/study/compare" / p / "jobs.csv") for p in POLICIES}
    for one in results.values():
        assert {r["status"] for r in one} == {"finished"}
        assert {int(r["k"]) for r in one if r["model"]} <= {1, 4, 8}
    ends = [tuple(r["finish_s"] for r in one) for one in results.values()]
    assert len(set(ends)) == 4


def check_poisson(folder):
    """The stream that stands there as a comment runs in place of the log, and so do cap and price as numbers."""
    begin(folder, "s")
    path = folder / "s/scenario.yaml"
    text = path.read_text()
    text = re.sub(r"^workload:.*\n.*\n# workload:", "workload:", text, flags=re.M)
    text = re.sub(r"# power_cap_w: .*", "power_cap_w: 8kW", text)
    path.write_text(re.sub(r"# price_per_mwh: .*", "price_per_mwh: 80", text))
    assert yaml.safe_load(path.read_text())["workload"]["kind"] == "poisson"
    easim("check", "scenario.yaml", cwd=folder / "s")


def check_own(folder):
    (folder / "mine.csv").write_text(PROFILE)
    begin(folder, "--from", "mine.csv", "a")
    study = folder / "a"
    assert (study / "profile.csv").read_text() == PROFILE
    scenario = yaml.safe_load((study / "scenario.yaml").read_text())
    assert scenario["workload"]["k"] == [1, 2]  # 4 was not measured on h100
    assert [t["name"] for t in scenario["cluster"]["gpu_types"]] == ["h100", "b200"]
    assert {j["model"] for j in rows(study / "jobs.csv")} == {"a, b", "B", ""}
    assert "outside" not in easim("run", "scenario.yaml", cwd=study).stdout
    (folder / "log.csv").write_text("job_id,submit_s,model,work_samples\nx,0,B,1000\n")
    begin(folder, "--from", "mine.csv", "--jobs", "log.csv", "b")
    assert (folder / "b/jobs.csv").read_text().startswith("job_id,submit_s,model,work_samples\nx,")


def check_refused(folder):
    (folder / "full").mkdir()
    (folder / "full/file").write_text("mine")
    (folder / "bad.csv").write_text(PROFILE.replace(",10,", ",ten,"))
    (folder / "apart.csv").write_text("\n".join(line for line in PROFILE.splitlines() if ",1," not in line or ",b200" in line).replace("b200,2", "b200,3"))
    (folder / "log.csv").write_text("job_id,submit_s,model,work_samples\nx,0,C,1000\n")
    (folder / "mine.csv").write_text(PROFILE)
    for words, said in ((["full"], "easim: full: the folder is not empty"), (["--from", "none.csv", "n"], "none.csv: cannot open"),
                        (["--from", "bad.csv", "n"], "bad.csv:3:18: throughput_samples_s: expected number"),
                        (["--from", "apart.csv", "n"], "expected a k of 1..16 at which"), (["--jobs", "log.csv", "n"], "--jobs: only with --from"),
                        (["a", "b"], "expected"), (["--from", "mine.csv", "--jobs", "log.csv", "m"], 'jobs.csv:2: model: no model is named "C"')):
        done = easim("init", *words, cwd=folder, code=2)
        assert said in done.stderr and not done.stdout, (words, done)
    assert (folder / "full/file").read_text() == "mine" and not (folder / "n").exists()


def check_about(folder):
    """The first run of the README begins with what it is; values that are set may make that wrong."""
    scenario = yaml.safe_load((SOURCE / "configs/eas-sim.yaml").read_text())
    assert scenario["about"].count(".") == 2 and "configs/generation.yaml" in scenario["about"]  # one sentence, with a file
    first = easim("run", SOURCE / "configs/eas-sim.yaml", "--out", folder / "r").stdout
    arrived, finished = (float(re.search(rf"^  {words} +([\d.]+)", first, re.M)[1]) for words in ("jobs submitted", "throughput"))
    assert first.startswith(scenario["about"] + "\neas-sim: policy ") and round(arrived / 10) == 18 and round(finished) == 11
    assert scenario["about"] not in easim("run", SOURCE / "configs/eas-sim.yaml", "-n", 1, "--out", folder / "s").stdout


cases(check_files, check_load, check_commands, check_poisson, check_own, check_refused, check_about)
