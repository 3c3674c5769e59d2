"""The policy `exec`: a program that decides as fcfs gives the decisions of fcfs; the exchange in
docs/reference/program-policy.md is what really passes; no program is left behind. Usage: test_exec.py EASIM SOURCE
"""
import json
import os
import re
import sys

from harness import SOURCE, cases, easim, json_of, rows_of, write_table

FCFS = f"python3 {SOURCE}/policies/exec/fcfs.py"

# Five nodes of unequal size and two types: configurations inside one node, across nodes, and both at once.
NODES = f"""\
name: nodes
horizon: drain
seed: 2385
replications: 2
cluster:
  gpu_types:
    - {{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}}
    - {{name: h100, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}}
  nodes:
    - {{count: 2, gpu: a100, gpus: 4}}
    - {{gpu: h100, gpus: 2}}
    - {{gpu: a100, gpus: 3}}
    - {{gpu: h100, gpus: 6}}
models: {SOURCE}/configs/models/eas-sim.yaml
workload:
  streams:
    - {{kind: poisson, rate_per_s: 0.004, k: [1, 2, 5, 8, 11], sizes: {{law: lognormal, mean: 2h, cv: 1.5}},
       users: 3, until: {{jobs: 60}}}}
    - {{kind: poisson, rate_per_s: 0.002, rigid: {{k: [1, 3, 8]}}, sizes: {{law: exponential, mean: 1h}},
       users: 3, until: {{jobs: 30}}}}
    # k and b set beforehand: the policy chooses the type only
    - {{kind: poisson, rate_per_s: 0.002, k: [4], b: [32], sizes: {{law: exponential, mean: 2h}}, users: 3,
       until: {{jobs: 30}}}}
policy: {{name: fcfs}}
"""


def run(config, folder, *more, policy="fcfs", command=FCFS, code=0):
    if policy == "exec":
        more += ("--set", f"policy.params.command={json.dumps(command)}")
    return easim("run", config, "--policy", policy, "--decisions", "--out", folder, "--quiet", *more, code=code).stderr


def decisions(folder):
    """Rows of decisions.csv without the column of the policy."""
    return [line.split(",", 1)[1] for line in (folder / "decisions.csv").read_text().splitlines()]


def same_as_fcfs(config, folder, least_rows, *more):
    run(config, folder / "fcfs", *more)
    run(config, folder / "exec", *more, policy="exec")
    expected, found = decisions(folder / "fcfs"), decisions(folder / "exec")
    assert found == expected, next(pair for pair in zip(expected, found) if pair[0] != pair[1])
    assert len(expected) > least_rows, len(expected)


def test_same_decisions(folder):
    (folder / "nodes.yaml").write_text(NODES)
    # nodes that fail stop jobs, which wait again in their place
    (folder / "failing.yaml").write_text(NODES.replace("gpus: 4}", "gpus: 4, mtbf: 6h, mttr: 30min}"))
    # and in the phase of the work that they have kept, with its configurations
    (folder / "phases.yaml").write_text((folder / "failing.yaml").read_text() + (
        "model_overrides: [{set: {m0: 64, phi: 1000, checkpoint_interval_s: 600, "
        "phases: [{until: 0.4}, {until: 1, phi: 20000, batches: [24, 48]}]}}]\n"))
    # a network: more than two spans
    (folder / "network.yaml").write_text(NODES.replace("models:", "  network: {tiers: [{name: leaf, nodes: 2}, {name: spine, nodes: 6}]}\nmodels:"))
    # itp-sample: k, b and h of most jobs are set by the log
    for name, config, rows in (("seed", SOURCE / "configs/eas-sim.yaml", 500), ("nodes", folder / "nodes.yaml", 240),
                               ("failing", folder / "failing.yaml", 240), ("phases", folder / "phases.yaml", 240),
                               ("network", folder / "network.yaml", 240), ("preset", SOURCE / "configs/itp-sample.yaml", 60)):
        same_as_fcfs(config, folder / name, rows, "--threads", "2")
    run(folder / "phases.yaml", folder / "traced", "--trace", "t")
    starts = [line for line in (folder / "traced/t-1").read_text().splitlines() if '"kind":"start"' in line]
    assert {line.split('"batch":')[1].split(",")[0] for line in starts} & {"24", "48"}, starts  # batches of the second


def test_progress(folder):
    """Told of each running job, several at a time; it changes nothing."""
    (folder / "nodes.yaml").write_text(NODES)
    run(folder / "nodes.yaml", folder / "fcfs")
    run(folder / "nodes.yaml", folder / "exec", "--set", "policy.params.progress=true", policy="exec")
    assert decisions(folder / "exec") == decisions(folder / "fcfs")


def test_across_nodes(folder):
    """The comparison above means something: there are starts across nodes."""
    (folder / "nodes.yaml").write_text(NODES)
    run(folder / "nodes.yaml", folder / "out")
    rows = (folder / "out/jobs.csv").read_text().splitlines()
    column = rows[0].split(",").index("nodes")
    assert {int(row.split(",")[column]) for row in rows[1:]} >= {1, 2, 3}


def test_documented_exchange(folder):
    """The scenario of docs/reference/program-policy.md gives the messages printed there, member by member."""
    text = (SOURCE / "docs/reference/program-policy.md").read_text(encoding="utf-8")
    (folder / "two.yaml").write_text(re.search(r"```yaml\n(name: two.*?)```", text, re.S)[1])
    (folder / "models").symlink_to(SOURCE / "configs/models")
    printed = re.findall(r"^(easim|program): (\{.*\})$", text[text.index("## An exchange"):], re.M)
    tee = folder / "tee.sh"
    tee.write_text(f"tee {folder}/easim | {FCFS} | tee {folder}/program\n")
    run(folder / "two.yaml", folder / "out", policy="exec", command=f"sh {tee}")
    for side in ("easim", "program"):
        sent = [json.loads(line) for line in (folder / side).read_text().splitlines()]
        expected = [json.loads(line) for who, line in printed if who == side]
        assert sent == expected, (side, [pair for pair in zip(sent, expected) if pair[0] != pair[1]])
    assert len(printed) >= 7, printed


def test_numbers_read_back(folder):
    """Work, times and powers are the doubles of easim: their sums agree with the summary in every bit."""
    (folder / "p.py").write_text(f"""\
import json, sys
sys.path.insert(0, {str(SOURCE / "policies/exec")!r})
sys.dont_write_bytecode = True
import fcfs
for line in sys.stdin:
    assert "Infinity" not in line and "NaN" not in line
    message = json.loads(line)
    if message["type"] == "hello":
        policy = fcfs.Fcfs(message)
        print(json.dumps({{"ready": 2, "message": 0}}), flush=True)
    elif message["type"] == "decide":
        assert round(message["now_s"] * 1e9) == message["now_ns"], message["now_s"]
        for job in message["arrived"]:
            assert repr(job["submit_s"]) == repr(job["submit_ns"] / 1e9)
            assert job["deadline_s"] is None or job["deadline_s"] > job["submit_s"]
        for job in message["jobs"]:  # T* of a waiting job again, from its parts: the same double
            own = {{**policy.jobs.get(job["job"], {{}}), **job}}
            for new in message["arrived"]:
                own.update(new if new["job"] == job["job"] else {{}})
            if job["state"] == "waiting":
                best = policy.configs[job["best_config"]]
                assert job["setup_s"] + job["remaining"] / best["goodput"][best["empty_span"]] == job["time_best_s"]
        print(json.dumps({{"message": message["message"], "actions": policy.decide(message)}}), flush=True)
""")
    run(SOURCE / "configs/eas-sim.yaml", folder / "out", policy="exec", command=f"python3 {folder}/p.py")


def test_answers_and_every_action(folder):
    """Starts, a resize, a preemption, a wake-up and refusals: answered in the next message, in order."""
    (folder / "c.yaml").write_text(f"""\
name: verbs
horizon: drain
cluster: {{gpu_types: [{{name: a100, idle_w: 60, tdp_w: 400}}], nodes: [{{gpu: a100, gpus: 4}}]}}
models: {SOURCE}/configs/models/eas-sim.yaml
workload: {{kind: periodic, period: 1000s, mix: [{{model: resnet50-fp32}}], b: [64], k: [1, 2, 4],
           sizes: {{law: constant, mean: 2h}}, until: {{jobs: 2}}}}
policy: {{name: exec}}
""")
    (folder / "p.py").write_text(f"""\
import json, sys
plans = [[{{"start": 0, "config": 1}}, {{"wake_at": 500}}, {{"wake_at": 0}}],  # t = 0
         [{{"resize": 0, "config": 2}}, {{"resize": 0, "config": 0}}],         # 500: the second time not settled
         [{{"start": 1, "config": 0}}, {{"preempt": 0, "at_once": True}}, {{"start": 1, "config": 1}}],  # 1000
         [{{"start": 0, "config": 0}}]]
log = open({str(folder / "log")!r}, "w")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({{"ready": 2, "message": 0}}), flush=True)
    elif message["type"] == "decide":
        states = {{job["job"]: (job["state"], job.get("config"), job["resizes"], job["preemptions"]) for job in message["jobs"]}}
        print(json.dumps([message["now_s"], message["answers"], [e["kind"] for e in message["events"]], states]), file=log)
        print(json.dumps({{"message": message["message"], "actions": plans.pop(0) if plans else []}}), flush=True)
    else:
        print("finish", file=log)
        log.close()
""")
    run(folder / "c.yaml", folder / "out", policy="exec", command=f"python3 {folder}/p.py")
    lines = (folder / "log").read_text().splitlines()
    assert lines[-1] == "finish", lines
    log = [json.loads(line) for line in lines[:-1]]
    # by hand: what each plan above must be answered with, and the jobs it changed
    assert log[0] == [0, [], ["arrival"], {"0": ["waiting", None, 0, 0]}], log[0]
    assert log[1] == [500, ["ok", "ok", "invalid"], ["timer"], {"0": ["running", 1, 0, 0]}], log[1]
    assert log[2] == [1000, ["ok", "invalid"], ["arrival"],
                      {"1": ["waiting", None, 0, 0], "0": ["running", 2, 1, 0]}], log[2]
    assert log[3][1:3] == [["nofit", "ok", "ok"], ["finish"]], log[3]
    assert log[3][3]["1"] == ["finished", None, 0, 0] and log[3][3]["0"] == ["waiting", None, 1, 1], log[3]


def test_power_limits(folder):
    """With power_limits the levels of the model file are configurations, highest limit first; without, they are not."""
    (folder / "c.yaml").write_text(f"""\
name: limits
horizon: drain
cluster: {{gpu_types: [{{name: a40, idle_w: 30, tdp_w: 300}}], nodes: [{{gpu: a40, gpus: 1}}]}}
models: {SOURCE}/configs/models/zeus-a40.yaml
workload: {{kind: periodic, period: 1000s, mix: [{{model: resnet50}}], k: [1], sizes: {{law: constant, mean: 1h}},
           until: {{jobs: 1}}}}
policy: {{name: exec}}
""")
    (folder / "p.py").write_text(f"""\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        limits = [config["power_limit_w"] for config in message["configs"]]
        print(limits, file=open({str(folder / "log")!r}, "w"))
        print(json.dumps({{"ready": 2, "message": 0}}), flush=True)
    elif message["type"] == "decide":
        waits = message["jobs"][0]["state"] == "waiting"
        print(json.dumps({{"message": message["message"], "actions": [{{"start": 0, "config": len(limits) - 1}}] if waits else []}}), flush=True)
""")
    levels = [None, 275, 250, 225, 200, 175, 150, 125, 100]
    for value, limits, joules in (("false", [None], 233.844483), ("true", levels, 233.844483 * 0.5089809 * 2.9076477)):
        run(folder / "c.yaml", folder / value, "--set", f"policy.params.power_limits={value}", policy="exec",
            command=f"python3 {folder}/p.py")
        assert (folder / "log").read_text().strip() == str(limits)
        [job] = rows_of(folder / value / "jobs.csv")
        # an hour without limit; under 100 W 2.9 times as long, at the 119 W that were measured
        assert abs(float(job["energy_j"]) / 3600 / joules - 1) < 1e-8, job


def test_spans_that_are_not_known(folder):
    """Goodput and power are null in a span that a lookup table has no points of; fcfs.py places as fcfs does."""
    points = ", ".join(f"{{k: {k}, batch: 1, throughput_samples_s: {rate}, power_w_per_gpu: {watts}{more}}}" for k, rate, watts, more in
                       ((1, 1, 100, ""), (4, 4, 110, ""), (16, 8, 120, ", across_nodes: true")))
    (folder / "m.yaml").write_text("models: [{name: m, m0: 1000, phi: 1, batches: [1], gpus: {g: {evidence: assumed, source: x, "
                                   f"lookup: [{points}]}}}}}}]\n")
    (folder / "c.yaml").write_text("""\
name: spans
horizon: drain
cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{count: 4, gpu: g, gpus: 4}]}
models: m.yaml
workload: {kind: poisson, rate_per_s: 0.004, mix: [{model: m}], k: [1, 4, 16], request: {k: uniform},
           sizes: {law: exponential, mean: 1000s}, until: {jobs: 60}}
policy: {name: exec}
""")
    tee = folder / "tee.sh"
    tee.write_text(f"tee {folder}/easim | {FCFS}\n")
    run(folder / "c.yaml", folder / "exec", policy="exec", command=f"sh {tee}")
    run(folder / "c.yaml", folder / "fcfs", policy="fcfs")
    configs = json.loads((folder / "easim").read_text().splitlines()[0])["configs"]
    assert {(c["k"], *c["goodput"], *c["power_w"]) for c in configs} == {
        (1, 1, None, 100, None), (4, 4, None, 110, None), (16, None, 8, None, 120)}, configs
    one, other = ([row.split(",", 1)[1] for row in (folder / name / "jobs.csv").read_text().splitlines()] for name in ("exec", "fcfs"))
    assert one == other and len(one) == 61 and {row.split(",")[10] for row in one[1:]} == {"1", "4", "16"}, [p for p in zip(one, other) if p[0] != p[1]][:2]


def test_tiers_and_progress(folder):
    """Four nodes below two switches and all: of each span its nodes. Jobs of 100 s from 0, 10 and 20 on: the work they have left."""
    (folder / "c.yaml").write_text("""\
name: tiers
horizon: drain
cluster:
  gpu_types: [{name: g, idle_w: 50, tdp_w: 400}]
  nodes: [{count: 4, gpu: g, gpus: 2}]
  network: {link: 1e9, tiers: [{name: switch, nodes: 2}, {name: spine, nodes: 4}]}
workload: {kind: periodic, period: 10s, sizes: {law: constant, mean: 100s}, rigid: {k: 1}, until: {jobs: 3}}
policy: {name: exec, params: {progress: true}}
""")
    run(folder / "c.yaml", folder / "exec", policy="exec", command=f"tee {folder}/easim | {FCFS}")
    hello, *messages = map(json.loads, (folder / "easim").read_text().splitlines())
    assert [span["nodes"] for span in hello["spans"]] == [1, 2, 4], hello["spans"]
    assert hello["gpu_types"][0]["span_gpus_max"] == [2, 4, 8], hello["gpu_types"]
    left = {message["now_s"]: {job["job"]: job["remaining"] for job in message["progress"]} for message in messages if "progress" in message}
    assert left == {0: {}, 10: {0: 90}, 20: {0: 80, 1: 90}, 100: {1: 10, 2: 20}, 110: {2: 10}, 120: {}}, left


# Starts all waiting jobs at once; what it has been told, by job, it leaves in a file.
STARTS_ALL = """\
import json, sys
told, jobs = {"answers": [], "hello": json.loads(sys.stdin.readline())}, {}
print('{"ready": 2, "message": 0}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "finish":
        break
    jobs |= {job["job"]: job for job in message["arrived"]}
    told["answers"].append(message["answers"])
    waiting = [job["job"] for job in message["jobs"] if job["state"] == "waiting"]
    print(json.dumps({"message": message["message"], "actions": [{"start": job, "config": jobs[job]["first_config"]} for job in waiting]}), flush=True)
json.dump(told | {"ids": [jobs[job]["id"] for job in sorted(jobs)]}, open(sys.argv[1], "w"))
"""


def test_many_and_long(folder):
    """10,000 jobs of 10,000 users in one decision: 10,000 actions, and as many answers in the next message. Ids of 10 kB,
    with quotes, backslashes and control characters; every message is JSON."""
    count = 10000
    ids = [f"job-{i}" for i in range(count)]
    ids[:3] = ["x" * 10240, 'quote"back\\slash' * 700, "\u00fc\u4e2d\U0001f600" * 1000]
    users = [f"user-{i}-{'y' * (10240 if i == 0 else 20)}" for i in range(count)]
    write_table(folder / "jobs.csv", "job_id,submit_s,user,gpus,duration_s", ([job, 0, user, 1, 60] for job, user in zip(ids, users)))
    (folder / "many.yaml").write_text(
        "name: many\nhorizon: drain\ncluster: {gpu_types: [{name: a100, idle_w: 60, ctx_w: 90, tdp_w: 400, memory_gib: "
        "80}], nodes: [{gpu: a100, gpus: 8, count: 1250}]}\nworkload: {kind: trace, file: jobs.csv}\npolicy: {name: exec}\n")
    (folder / "p.py").write_text(STARTS_ALL)
    run(folder / "many.yaml", folder / "out", policy="exec", command=f"{sys.executable} {folder}/p.py {folder}/told")
    told = json_of(folder / "told")
    assert told["ids"] == ids
    assert sorted(user["name"] for user in told["hello"]["users"]) == sorted(users)
    assert told["answers"][:2] == [[], ["ok"] * count], [len(answers) for answers in told["answers"]]
    assert len(decisions(folder / "out")) == count + 1


# Starts all waiting jobs, and fails unless a message names the arrivals and users of the jobs that it brings, no others.
SAYS_ALL = """\
import json, sys
jobs = {}
sys.stdin.readline()
print('{"ready": 2, "message": 0}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "finish":
        break
    jobs |= {job["job"]: job for job in message["arrived"]}
    arrived = [event["job"] for event in message["events"] if event["kind"] == "arrival"]
    assert sorted(arrived) == sorted(job["job"] for job in message["arrived"]), line
    users = sorted({jobs[job["job"]]["user"] for job in message["jobs"]})
    assert sorted(user["user"] for user in message["users"]) == users, line
    waiting = [job["job"] for job in message["jobs"] if job["state"] == "waiting"]
    print(json.dumps({"message": message["message"], "actions": [{"start": job, "config": jobs[job]["first_config"]} for job in waiting]}), flush=True)
"""


def test_events_and_users(folder):
    """Each message lists every event, and every user whose jobs have changed once; jobs arrive two and three at a time."""
    write_table(folder / "jobs.csv", "job_id,submit_s,user,gpus,duration_s", (
        [f"j{i}", i // 5 * 10 + (i % 5 > 1), f"u{i * i % 7}", 1, 3 + i % 4 * 10] for i in range(60)))
    (folder / "s.yaml").write_text(
        "name: s\nhorizon: drain\ncluster: {gpu_types: [{name: a100, idle_w: 60, ctx_w: 90, tdp_w: 400, memory_gib: 80}], "
        "nodes: [{gpu: a100, gpus: 64}]}\nworkload: {kind: trace, file: jobs.csv}\npolicy: {name: exec}\n")
    (folder / "p.py").write_text(SAYS_ALL)
    run(folder / "s.yaml", folder / "out", policy="exec", command=f"{sys.executable} {folder}/p.py")
    assert len(decisions(folder / "out")) == 61


def test_finished_before_their_events(folder):
    """Arrivals first, one event at a time: a and b end at 20 s, as c arrives, and their events come after its. The
    program is told then that they have finished, and nothing again when the events come."""
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s\na,0,2,20\nb,0,2,20\nc,20,2,5\n")
    (folder / "s.yaml").write_text(
        "name: s\nhorizon: drain\nengine: {coalesce: false, equal_time: arrivals_first}\ncluster: {gpu_types: [{name: a100, "
        "idle_w: 60, ctx_w: 90, tdp_w: 400, memory_gib: 80}], nodes: [{gpu: a100, gpus: 4}]}\n"
        "workload: {kind: trace, file: jobs.csv}\npolicy: {name: exec}\n")
    run(folder / "s.yaml", folder / "out", policy="exec", command=f"tee {folder}/said | {FCFS}")
    said = [json.loads(line) for line in (folder / "said").read_text().splitlines()]
    at_20 = [message for message in said if message.get("now_s") == 20]
    assert [message["events"][0]["kind"] for message in at_20] == ["arrival", "finish", "finish"], at_20
    assert [job for job in at_20[0]["jobs"] if job["job"] < 2] == [
        {"job": 1, "state": "finished"}, {"job": 0, "state": "finished"}], at_20[0]
    assert at_20[0]["users"] == [{"user": 0, "allocated_gpus": 0, "gpu_s": 80, "as_of_s": 20}], at_20[0]
    assert [[job["job"] for job in message["jobs"]] for message in at_20[1:]] == [[2], []], at_20

# Starts, preempts, resizes and wakes at random; what it knows after each message it writes down.
MIRRORS = """\
import json, random, sys
hello, dice = json.loads(sys.stdin.readline()), random.Random(2385)
print('{"ready": 2, "message": 0}', flush=True)
jobs, nodes, users, log = {}, {}, {}, open(sys.argv[1], "w")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "finish":
        break
    jobs |= {job["job"]: job for job in message["arrived"]}
    for job in message["jobs"]:
        own = jobs[job["job"]]
        for name in ("config", "predicted_end_ns"):
            own.pop(name, None)
        own |= job
    told = {node["node"]: (node["free"], node["failed"]) for node in message["nodes"]}
    assert not nodes or all(nodes[node] != told[node] for node in told), line
    assert len(message["users"]) == len({user["user"] for user in message["users"]}), line
    nodes |= told
    users |= {user["user"]: user["allocated_gpus"] for user in message["users"]}
    there = [job for job in jobs.values() if job["state"] != "finished"]
    print(json.dumps({"now_ns": message["now_ns"], "said": [job["job"] for job in message["jobs"]], "events": message["events"],
                      "answers": message["answers"], "gpu_types": message["gpu_types"], "nodes": [nodes[n] for n in sorted(nodes)], "users": users,
                      "jobs": {job["id"]: [job["state"], job.get("config"), job.get("predicted_end_ns")] for job in there},
                      "number": {job["id"]: job["job"] for job in there}}), file=log)
    actions, config = [], lambda job: job["first_config"] + dice.randrange(job["config_count"])
    for job in there:
        if job["state"] == "waiting" and dice.random() < 0.6:
            actions.append({"start": job["job"], "config": config(job)})
        elif job["state"] == "running" and dice.random() < 0.05:
            actions.append({"preempt": job["job"], "at_once": dice.random() < 0.3})
        elif job["state"] == "running" and dice.random() < 0.05:
            actions.append({"resize": job["job"], "config": config(job)})
    if dice.random() < 0.3 or (there and not any(job["state"] == "running" for job in there)):
        actions.append({"wake_at": message["now_s"] + dice.uniform(1, 500)})
    print(json.dumps({"message": message["message"], "actions": actions}), flush=True)
    print(json.dumps([next(iter(action.values())) if "wake_at" not in action else None for action in actions]), file=log)
json.dump(hello, log)
"""


class Life:
    """What is true of the jobs and nodes after each line of a trace (docs/reference/trace.md)."""

    def __init__(self, nodes):
        self.nodes, self.jobs = nodes, {}  # job: state, configuration, end, GPUs by node, user
        self.free, self.failed = list(nodes), [False] * len(nodes)

    def hold(self, job, sign):
        for node, gpus in job["nodes"]:
            self.free[node] += sign * gpus
        job["nodes"] = job["nodes"] if sign < 0 else []

    def stop(self, job, state):
        self.hold(job, 1)
        job |= {"state": state, "config": None, "end": None}

    def take(self, line):
        kind, job = line["kind"], self.jobs.get(line.get("job"))
        if kind == "submit":
            self.jobs[line["job"]] = {"state": "waiting", "config": None, "end": None, "nodes": [], "user": line["user"]}
        elif kind in ("start", "resize"):
            self.hold(job, 1)
            job |= {"state": "running", "config": [line[name] for name in ("gpu_type", "k", "batch")],
                    "end": line["predicted_end_ns"], "nodes": line["nodes"]}
            self.hold(job, -1)
        elif kind == "preempt" and line["checkpoint"]:
            job |= {"state": "checkpointing", "config": None, "end": None}
        elif kind in ("preempt", "release", "fail"):
            self.stop(job, "waiting")
        elif kind == "finish":
            self.stop(job, "finished")
            del self.jobs[line["job"]]
        elif kind in ("node_failure", "node_repair"):
            self.failed[line["node"]] = kind == "node_failure"


MIRRORED = """\
name: mirrored
horizon: 20h
seed: 11
cluster:
  gpu_types:
    - {name: a, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}
    - {name: b, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}
  nodes:
    - {count: 3, gpu: a, gpus: 4, mtbf: 5h, mttr: 20min}
    - {count: 2, gpu: b, gpus: 3, mtbf: 5h, mttr: 20min}
models:
  models:
    - name: m
      m0: 512
      phi: 2000
      batches: [16, 64]
      start_s: 12.5
      restart_s: 20.75
      checkpoint_s: 35.25
      gpus:
        a: {a_s: 0.03, c_s: 0.004, gamma: 2, alpha_s: 0.02, beta_s: 0.001, p0_w: 110, pmax_w: 320, evidence: assumed, source: x}
        b: {a_s: 0.02, c_s: 0.0021, gamma: 2, alpha_s: 0.02, beta_s: 0.001, p0_w: 130, pmax_w: 610, evidence: assumed, source: x}
workload:
  streams:
    - {kind: poisson, rate_per_s: 0.002, k: [1, 2, 5], sizes: {law: exponential, mean: 40min}, users: 3}
    - {kind: poisson, rate_per_s: 0.001, rigid: {k: [1, 3]}, sizes: {law: exponential, mean: 20min}, users: 3}
    - {kind: periodic, period: 1h, rigid: {k: 1}, sizes: {law: constant, mean: 30h}, users: 3, until: {jobs: 1}} # job 0, to the end
  rigid_costs: {start_s: 3, restart_s: 7.5, checkpoint_s: 40}
policy: {name: exec}
"""


def test_what_a_program_knows(folder):
    """States, configurations and ends of all jobs, free GPUs and failures of all nodes and GPUs of all users, put together
    from what each message says has changed, are those of the trace; and a message names the jobs of its events and of
    actions that were accepted, no others, but all that are there when a node fails or is repaired."""
    (folder / "p.py").write_text(MIRRORS)
    (folder / "c.yaml").write_text(MIRRORED)
    seen = set()
    for coalesce in ("true", "false"):
        out = folder / coalesce
        run(folder / "c.yaml", out, "--trace", "t.jsonl", "--set", f"engine.coalesce={coalesce}", policy="exec",
            command=f"{sys.executable} {folder}/p.py {folder}/log")
        log = [json.loads(line) for line in (folder / "log").read_text().splitlines()]
        hello, told, wanted = log[-1], iter(log[:-1:2]), iter(log[1:-1:2])
        life, acted, decisions_seen = Life([node["gpus"] for node in hello["nodes"]]), [], 0
        names = [[hello["gpu_types"][c["gpu_type"]]["name"], c["k"], c["batch"] or None] for c in hello["configs"]]
        for line in (out / "t.jsonl").read_text().splitlines():
            line = json.loads(line)
            life.take(line)
            if line["kind"] != "decision":
                continue
            one, decisions_seen = next(told), decisions_seen + 1
            known = {job: [state, None if config is None else names[config], end] for job, (state, config, end) in one["jobs"].items()}
            assert known == {name: [job["state"], job["config"], job["end"]] for name, job in life.jobs.items()}, (line, one)
            free = [[0 if failed else gpus, failed] for gpus, failed in zip(life.free, life.failed)]
            assert one["nodes"] == free, (line, one, free)
            of_type = [[gpus for node, (gpus, _) in zip(hello["nodes"], free) if node["gpu_type"] == h] for h in range(2)]
            assert [(each["free"], each["node_free_max"]) for each in one["gpu_types"]] == [(sum(each), max(each)) for each in of_type]
            held = {str(i): sum(gpus for job in life.jobs.values() if job["user"] == user["name"] for _, gpus in job["nodes"])
                    for i, user in enumerate(hello["users"])}
            assert {user: gpus for user, gpus in one["users"].items()} == {user: held[user] for user in one["users"]}, (line, one)
            kinds = {event["kind"] for event in one["events"]}
            changed = {event["job"] for event in one["events"] if event["job"] is not None}
            changed |= {job for job, answer in zip(acted, one["answers"]) if answer == "ok" and job is not None}
            assert len(one["said"]) == len(set(one["said"])), one
            changed |= set(one["number"].values()) if "cluster" in kinds else set()
            assert set(one["said"]) == changed, (line, one)
            acted = next(wanted)
            seen |= {state for state, _, _ in known.values()} | kinds | set(one["answers"])
        assert next(told, None) is None and decisions_seen > 300
    assert seen == {"waiting", "running", "checkpointing", "arrival", "finish", "timer", "cluster", "ok", "nofit", "invalid"}, seen


def test_files_of_replications(folder):
    """Programs of parallel replications hold no pipe of each other."""
    (folder / "p.py").write_text(f"""\
import os, sys
sys.path.insert(0, {str(SOURCE / "policies/exec")!r})
sys.dont_write_bytecode = True
import fcfs
links = [f"/proc/self/fd/{{fd}}" for fd in os.listdir("/proc/self/fd") if fd not in "012"]
pipes = [link for link in links if os.path.exists(link) and "pipe" in os.readlink(link)]
fcfs.main() if not pipes else sys.exit(f"pipes: {{pipes}}")
""")
    run(SOURCE / "configs/eas-sim.yaml", folder / "out", "--threads", "6", policy="exec",
        command=f"{sys.executable} {folder}/p.py")


os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
cases(*(value for name, value in list(globals().items()) if name.startswith("test_")))
