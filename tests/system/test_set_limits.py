"""Limits of running jobs set by three policies, of the same times: test_set_limits.py EASIM SOURCE

The plug-in sets_limits (test_set_limits.c knows by hand what it must do), a program behind exec, and a class of Python:
the same decisions and results, byte for byte. The program is told what holds.
"""
import json
import os
import shlex
import sys

from harness import SOURCE, cases, easim, near, rows_of

os.environ.update(PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=str(SOURCE / "tools/python"))

MODELS = """models: [{name: m, m0: 1000000, phi: 1, batches: [1], gpus: {g: {evidence: assumed, source: by hand, lookup: [
  {k: 1, batch: 1, throughput_samples_s: 1, power_w_per_gpu: 400}, {k: 2, batch: 1, throughput_samples_s: 1.6, power_w_per_gpu: 400}]}}}]
"""
SCENARIO = """name: n
horizon: drain
cluster: {gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}], nodes: [{gpu: g, gpus: 4}]}
models: models.yaml
workload: {kind: trace, file: jobs.csv}
policy: %s
"""
JOBS = "job_id,submit_s,work_samples,model\na,0,1000,m\nb,0,1000,m\nc,50,1000,m\n"
# Time, verb, job and number: of a configuration, or W. Job a takes 0.1 s to follow each; b's second limit is outside the range.
STEPS = [(0, "start", 0, 0), (0, "start", 1, 5), (60, "start", 2, 0), (100, "limit", 0, 200), (100, "limit", 1, 333.25), (100.05, "limit", 0, 300),
         (200, "limit", 1, 9), (250, "resize", 2, 2), (300, "limit", 0, 400), (310, "limit", 0, -1), (320, "limit", 2, 250.125),
         (400, "stop", 2, 0), (420, "start", 2, 0)]

DECIDES = '''
def due(steps, now_s):
    """Those of this time, in the words of the protocol, and the time of the next."""
    done = []
    while steps and steps[0][0] <= now_s + 0.5e-9:
        _, verb, job, number = steps.pop(0)
        done.append((verb, job, number))
    return done, steps[0][0] if steps else None
'''
PROGRAM = DECIDES + '''
import json, os, sys
os.chdir(sys.argv[1])
told, steps = open("told.jsonl", "w"), json.load(open("steps.json"))
first, asked = {}, None
for line in sys.stdin:
    message = json.loads(line)
    told.write(line)
    told.flush()
    if message["type"] == "finish":
        break
    if message["type"] == "hello":
        print(json.dumps({"message": 0, "ready": 3, "capabilities": ["power_limits"], "extensions": ["power/1"]}), flush=True)
        continue
    first.update((job["job"], job["first_config"]) for job in message["arrived"])
    done, next_s = due(steps, message["now_s"])
    actions = [{"limit": job, "watts": number} if verb == "limit" else {"preempt": job} if verb == "stop" else
               {verb: job, "config": first[job] + number} for verb, job, number in done]
    if next_s is not None and next_s != asked:
        actions.append({"wake_at": next_s})
    asked = next_s
    print(json.dumps({"message": message["message"], "actions": actions}), flush=True)
'''
MINE = DECIDES + '''
import json
import easim

class Mine(easim.Policy):
    protocol, capabilities, extensions = 3, ("power_limits",), ("power/1",)

    def __init__(self, steps, log):
        self.steps, self.log, self.asked = json.load(open(steps)), log, None

    def decide(self, view):
        done, next_s = due(self.steps, view.now_s)
        with open(self.log, "a") as file:
            for job in view.running:
                json.dump([view.now_s, job.id, job.wish_w, job.draw_w, job.speed, job.least_w, job.most_w], file)
                file.write("\\n")
        actions = []
        for verb, number, value in done:
            job = view.jobs[number]
            actions.append(self.limit(job, value) if verb == "limit" else self.preempt(job) if verb == "stop" else
                           getattr(self, verb)(job, job.first_config + value))
        if next_s is not None and next_s != self.asked:
            actions.append(self.wake_at(next_s))
        self.asked = next_s
        return actions
'''


def files_of(folder, name, policy):
    """decisions.csv, jobs.csv and power.csv, without the policy's name."""
    (folder / f"{name}.yaml").write_text(SCENARIO % policy)
    out = folder / name
    easim("run", folder / f"{name}.yaml", "--out", out, "--check", "--decisions")
    return [(out / file).read_text().replace("sets_limits,", "exec,") for file in ("decisions.csv", "jobs.csv", "power.csv")]


def same_everywhere(folder):
    (folder / "models.yaml").write_text(MODELS)
    (folder / "jobs.csv").write_text(JOBS)
    (folder / "steps.json").write_text(json.dumps(STEPS))
    (folder / "agent.py").write_text(PROGRAM)
    (folder / "mine.py").write_text(MINE)
    script = ", ".join(" ".join(map(str, step)) for step in STEPS)
    plain = files_of(folder, "c", "{name: sets_limits, params: {power_limits: true, actions: \"%s\"}}" % script)
    for name, words in (("program", [folder / "agent.py", folder]), ("python", ["-m", "easim.policy", folder / "mine.py:Mine",
                                                                             f"steps={folder / 'steps.json'}", f"log={folder / 'log'}"])):
        command = shlex.join(map(str, [sys.executable, *words]))
        assert files_of(folder, name, f"{{name: exec, params: {{power_limits: true, command: {json.dumps(command)}}}}}") == plain, name
    refused = [row for row in rows_of(folder / "c/decisions.csv") if row["answer"] != "ok"]
    assert [(row["time_s"], row["action"], row["answer"]) for row in refused] == [("310.0", "limit", "not a power limit in W above 0")], refused
    # What the program is told of a job: at its start, when it is limited, and when that holds.
    told = [json.loads(line) for line in (folder / "told.jsonl").read_text().splitlines()][1:-1]
    seen = [(d["now_s"], *(job[name] for name in ("wish_w", "draw_w", "speed", "least_w", "most_w")))
            for d in told for job in d["jobs"] if job["job"] == 0 and job["state"] == "running"]
    full = (400, 1, 160, 400)
    assert seen[0][1:] == (None, *full), seen
    assert (100.05, 200, *full) in seen, seen
    [later] = {each[1:] for each in seen if 101 < each[0] <= 300}
    assert later[:2] == (300, 300) and later[3:] == (160, 400), seen
    near(later[2], 1 / (0.7 + 0.21 / 0.45))
    mine = [json.loads(line) for line in (folder / "log").read_text().splitlines()]
    assert [250, "a", *later] in mine and [310, "a", None, *full] in mine, mine
    assert [200, "b", 333.25, 333.25] in [each[:4] for each in mine] and [250, "b", 160, 160] in [each[:4] for each in mine], mine


cases(same_everywhere)
