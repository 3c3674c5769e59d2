"""Policies that scale services themselves: test_service_policy.py EASIM SOURCE

The plug-in `scales` does what the host does without such a policy, so that services.csv must be the same; a program behind
exec is told what services.csv and test_services.py know, and each refusal once.
"""
import json
import shlex
import sys

from harness import cases, easim, near, rows_of
from test_services import CAPACITY, course, energy_adds_up, one_row, power_w, run, service

PROGRAM = '''import json, os, sys
os.chdir(sys.argv[1])
told = open("told.jsonl", "w")
script = json.load(open("script.json"))
for line in sys.stdin:
    message = json.loads(line)
    told.write(line)
    told.flush()
    if message["type"] == "finish":
        break
    if message["type"] == "hello":
        answer = {"message": 0, "ready": 2}
    else:
        number = message["message"]
        answer = {"message": number, "actions": script[number - 1] if number <= len(script) else []}
    print(json.dumps(answer), flush=True)
'''


def as_the_host(folder):
    """Rushes, waves and sleep: the same replicas at the same times, so the same figures, byte for byte."""
    rush = course(folder, "d.csv", [(0, 1000), (100, 5000), (400, 500), (1500, 7000), (1530, 100), (3000, 0)])
    wave = "{tokens_per_s: 3000, amplitude: 0.9, period: 20min, bin: 30s}"
    streams = [service(demand=rush, most=5, more=", start_s: 90s, scaling: {target: 0.8, interval: 60s, down_after: 300s}"),
               service("code", wave, 0, 4, more=", start_s: 20s, scaling: {target: 0.7, interval: 60s, down_after: 300s}")]
    jobs = "{kind: periodic, period: 100s, sizes: {law: constant, mean: 50s}, rigid: {k: 1}, until: {jobs: 20}}"
    sleep = ", sleep_w: 10, sleep_after: 30, wake_s: 5"
    files = {}
    for policy in ("fcfs", "scales"):
        out = run(folder, [jobs, *streams], horizon="4000s", policy=policy, gpu=sleep, nodes="[{count: 4, gpu: g, gpus: 4}]")
        files[policy] = [(out / name).read_text().replace("scales,", "fcfs,") for name in ("services.csv", "jobs.csv", "power.csv")]
        energy_adds_up(out, 4000)
    assert files["fcfs"] == files["scales"], files
    assert [int(row["scale_ups"]) > 3 for row in rows_of(out / "services.csv")] == [True, True], files


def told_and_refused(folder):
    """One replica may go up to three; what the program is told and answered, and what decisions.csv says."""
    script = [[{"scale_up": 0}, {"scale_up": 0}, {"scale_up": 0}, {"scale_down": 1}, {"wake_at": 50}], [], [],
              [{"scale_down": 0}, {"scale_down": 2}, {"scale_down": 0}], [], [{"start": 0, "config": 0}, {"scale_up": 0}]]
    (folder / "script.json").write_text(json.dumps(script))
    (folder / "agent.py").write_text(PROGRAM)
    command = shlex.join([sys.executable, str(folder / "agent.py"), str(folder)])
    policy = f"exec, params: {{services: true, command: {json.dumps(command)}}}"
    job = "{kind: trace, file: j.csv}"
    (folder / "j.csv").write_text("job_id,submit_s,duration_s,gpus\na,70,500,3\n")
    demand = course(folder, "d.csv", [(0, 5000), (40, 1000)])
    out = run(folder, [job, service(demand=demand, replicas=1, most=3, more=", start_s: 20s")], horizon="100s", policy=policy,
              nodes="[{count: 1, gpu: g, gpus: 4}]", options=("--decisions",))
    told = [json.loads(line) for line in (folder / "told.jsonl").read_text().splitlines()]
    hello, decides, end = told[0], told[1:-1], told[-1]
    assert end["type"] == "finish"
    [chat], [config] = hello["services"], hello["replica_configs"]
    assert (chat["name"], chat["min"], chat["max"], chat["start_s"], chat["wait_s"], chat["timeout_s"]) == ("chat", 1, 3, 20, 10, None)
    assert (config["k"], config["most_per_s"], config["most_w"], config["service"]) == (1, CAPACITY, 600, 0), config
    near(config["j_per_token"][-1], 600 / CAPACITY)
    near(config["power_w"][3], power_w(800))
    near(config["latency_ms"][4], 10)  # that of the point of 1000 tokens a second
    at_target = round(10 * chat["target"]) - 1  # of the loads 0.1, 0.2 ..
    near(config["target_latency_ms"], config["latency_ms"][at_target])
    near(config["target_j_per_token"], config["j_per_token"][at_target])
    seen = [(d["now_s"], d["events"][0]["kind"], d["services"][0]["backlog"], d["services"][0]["ready"], d["services"][0]["loading"])
            for d in decides]
    # 5000 a second come in up to 40 s, 1000 up to 80. Two replicas serve from 20 to 40 s, else one. At 20000 the wait is 10 s.
    assert seen[0] == (0, "timer", 0, 1, 0) and seen[2:] == [
        (20, "service", 60000, 2, 0), (40, "service", 80000, 2, 0), (50, "timer", 70000, 1, 0), (70, "arrival", 50000, 1, 0),
        (80, "service", 40000, 1, 0), (90, "service", 20000, 1, 0), (100, "service", 0, 1, 0)], seen
    assert seen[1][1:] == ("service", 20000.000001, 1, 1) and seen[1][0] == 6.666666667, seen
    assert [d["answers"] for d in decides] == [[], ["ok", "ok", "invalid", "ok", "ok"], [], [], ["ok", "invalid", "invalid"], [],
                                               ["ok", "nofit"], [], []]
    loading, = (r for r in decides[1]["replicas"] if r["state"] == "loading")
    assert loading == {"replica": 2, "state": "loading", "service": 0, "number": 3, "config": 0, "node": 0, "since_s": 0, "ready_s": 20}
    rows = [(row["time_s"], row["action"], row["job_id"], row["gpu_type"], row["k"], row["b"], row["answer"])
            for row in rows_of(out / "decisions.csv")]
    limits = "the service has its most, or least, replicas"
    up, down, both = ("scale_up", "chat#2", "g", "1", ""), "scale_down", ("g", "1", "")
    assert rows == [("0.0", *up, "ok"), ("0.0", "scale_up", "chat#3", *both, "ok"), ("0.0", "scale_up", "chat", *both, limits),
                    ("0.0", down, "chat#2", *both, "ok"), ("0.0", "wake", "", "", "", "", "ok"), ("40.0", down, "chat#1", *both, "ok"),
                    ("40.0", down, "chat#3", *both, limits), ("40.0", down, "", "", "", "", "no such replica, or configuration of one"),
                    ("70.0", "start", "a", "g", "3", "", "ok"), ("70.0", "scale_up", "chat", *both, "not enough free GPUs")], rows
    row = one_row(out)
    assert (row["scale_ups"], row["replicas_end"], row["tokens_left"]) == ("2", "1", "0.0"), row
    # The replica that loaded at 0 s and went then drew nothing.
    near(row["energy_kwh"], (40 * 600 + 20 * 90 + 20 * 600 + 60 * 600) / 3.6e6)
    near(row["replica_gpu_h"], (100 + 40) / 3600)
    energy_adds_up(out, 100)


def free_at_once(folder):
    """GPUs of a replica that goes are free in the same plan: the job of 2 GPUs finds one at first, and starts at its arrival."""
    script = [[{"scale_up": 0}], [], [{"start": 0, "config": 0}, {"scale_down": 1}, {"start": 0, "config": 0}]]
    (folder / "script.json").write_text(json.dumps(script))
    (folder / "agent.py").write_text(PROGRAM)
    command = shlex.join([sys.executable, str(folder / "agent.py"), str(folder)])
    (folder / "j.csv").write_text("job_id,submit_s,duration_s,gpus\na,70,5,2\n")
    demand = course(folder, "d.csv", [(0, 100), (90, 50)])
    out = run(folder, ["{kind: trace, file: j.csv}", service(demand=demand, replicas=1, most=2, more=", start_s: 20s")], horizon="100s",
              policy=f"exec, params: {{services: true, command: {json.dumps(command)}}}", nodes="[{count: 1, gpu: g, gpus: 3}]")
    told = [json.loads(line) for line in (folder / "told.jsonl").read_text().splitlines()]
    assert [d["answers"] for d in told[1:5]] == [[], ["ok"], [], ["nofit", "ok", "ok"]], told
    assert [row["start_s"] for row in rows_of(out / "jobs.csv")] == ["70.0"]
    energy_adds_up(out, 100)


def words(folder):
    """What has no effect is told: keys of scaling, the parameter `services`, and actions where it is not set."""
    scaled = service(most=2, more=", scaling: {target: 0.8, interval: 60s}")
    run(folder, [scaled], policy="scales")
    told = easim("check", folder / "c.yaml").stdout
    assert "workload.streams[0].scaling: interval, down_after and preempt are of no effect, policy scales scales services itself" in told, told
    assert "scaling" not in easim("check", folder / "c.yaml", "--set", "policy.name=fcfs").stdout
    (folder / "script.json").write_text(json.dumps([[{"scale_up": 0}]]))
    (folder / "agent.py").write_text(PROGRAM)
    command = shlex.join([sys.executable, str(folder / "agent.py"), str(folder)])
    job = "{kind: periodic, period: 70s, sizes: {law: constant, mean: 5s}, rigid: {k: 2}, until: {jobs: 1}}"
    run(folder, [job, scaled], policy=f"exec, params: {{command: {json.dumps(command)}}}", code=1)
    told = easim("run", folder / "c.yaml", "--quiet", "--out", folder / "other", code=1).stderr
    assert "sent actions[0].scale_up: no service was told of (policy.params.services)" in told, told
    policy = f"exec, params: {{services: true, command: {json.dumps(command)}}}"
    (folder / "script.json").write_text(json.dumps([[{"scale_up": 99}]]))  # one configuration: a GPU
    run(folder, [job, scaled], policy=policy, code=1)
    easim("run", folder / "c.yaml", "--quiet", "--out", folder / "third", code=1, says="sent actions[0].scale_up: expected 0..0")
    run(folder, [job], policy=policy, code=1)
    easim("check", folder / "c.yaml", prints="policy.params.services: of no effect, the workload has no services")


def capped(folder):
    """A cap of 1000 W lets one replica of 600 W beside three idle GPUs be, and refuses the second that 3000 tokens want."""
    chat = service(demand="{tokens_per_s: 3000}", most=3, more=", start_s: 0s")
    out = run(folder, [chat], policy="scales_capped", horizon="100s", cap="  power_cap_w: 1000\n",
              nodes="[{count: 1, gpu: g, gpus: 4}]", options=("--decisions",))
    rows = [row for row in rows_of(out / "decisions.csv") if row["action"] == "scale_up"]
    assert rows and {row["answer"] for row in rows} == {"over the power cap"}, rows
    assert one_row(out)["replicas_end"] == "1" and one_row(out, "summary.csv")["cap_violation_s"] == "0.0"


cases(as_the_host, told_and_refused, free_at_once, words, capped)
