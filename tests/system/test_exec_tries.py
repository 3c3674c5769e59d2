"""Protocol 3 of the policy `exec`: what a try is answered is what the action is answered; random numbers; counts; programs that
never stop trying; docs/reference/protocol.csv has the members of all messages. Usage: test_exec_tries.py EASIM SOURCE
"""
import gzip
import json
import re
import sys

from harness import SOURCE, TINY, cases, easim, rows_of

# Tries every action that there could be, takes one of them by its last random number, and writes all down.
TRIES = """\
import json, sys
log = open(sys.argv[1], "a")
hello = json.loads(sys.stdin.readline())
def say(answer):
    print(json.dumps(answer), flush=True)
say({"message": 0, "ready": 3, "capabilities": ["uniform"]})
jobs = {}
for line in sys.stdin:
    message = json.loads(line)
    print(json.dumps({name: message.get(name) for name in ("now_s", "power_w", "answers", "uniform", "job_count")}), file=log)
    if message["type"] == "finish":
        break
    jobs |= {job["job"]: job for job in message["arrived"]}
    for job in message["jobs"]:
        jobs[job["job"]] |= job
    there = [job for job in jobs.values() if job["state"] in ("waiting", "running", "checkpointing")]
    asked = [{verb: job["job"], "config": job["first_config"] + i} for job in there for verb in ("start", "resize")
             for i in range(job["config_count"])]
    asked += [{"exchange": [{"preempt": a["job"], "at_once": True}, {"start": b["job"], "config": b["first_config"] + b["config_count"] - 1}]}
              for a in there[:4] for b in there[-4:] if a is not b]
    number = message["message"]
    take = None
    if asked:
        say({"message": number, "try": asked})
        answers = json.loads(sys.stdin.readline())
        number = answers["message"]
        say({"message": number, "try": [{"remaining": job["job"]} for job in there]})
        left = json.loads(sys.stdin.readline())
        number = left["message"]
        assert all(answer["answer"] == "ok" and answer["remaining"] > 0 for answer in left["answers"]), left
        good = [(a, b) for a, b in zip(asked, answers["answers"]) if b["answer"] == "ok"]
        other = [(a, b) for a, b in zip(asked, answers["answers"]) if b["answer"] != "ok"]
        pick = good if good and message["uniform"][15] < 0.7 else other
        take = pick[int(message["uniform"][14] * len(pick))] if pick else None
    print(json.dumps(take), file=log)
    actions = [take[0]] if take else []
    if not any(job["state"] == "running" for job in there):  # so that the run goes on
        actions.append({"wake_at": message["now_s"] + 60})
    if take and "exchange" in take[0]:
        actions.append({"count": "exchanges are tried", "name": str(len(there))})
    say({"message": number, "actions": actions})
"""


def run(config, folder, *more, command, code=0):
    return easim("run", config, "--policy", "exec", "--out", folder, "--quiet", "--check", "--set", f"policy.params.command={json.dumps(command)}",
                 *more, code=code)


def logged(folder):
    return [json.loads(line) for line in folder.read_text().splitlines()]


def test_tries_are_answered_as_actions(folder):
    """One action in each decision, which was tried: the same answer, and the power that was told if nothing else has happened
    since. Failures, phases, services and checkpoints of the recorded scenario."""
    (folder / "p.py").write_text(TRIES)
    run(SOURCE / "tests/golden/protocol2/scenario.yaml", folder / "out", "--set", "policy.params.services=false",
        command=f"{sys.executable} {folder}/p.py {folder}/log")
    log = logged(folder / "log")
    told, seen, uniform = log[::2], {}, set()
    for before, take, after in zip(told, log[1::2], told[1:]):
        if take:
            action, answer = take
            assert after["answers"] is None or after["answers"][0]["answer"] == answer["answer"], (before, take, after)
            kind = (next(iter(action)), answer["answer"])
            seen[kind] = seen.get(kind, 0) + 1
        assert len(before["uniform"]) == 16 and all(0 <= value < 1 for value in before["uniform"])
        uniform |= {*before["uniform"]}
    assert {("start", "ok"), ("start", "nofit"), ("start", "invalid"), ("resize", "ok"), ("resize", "invalid"),
            ("exchange", "ok"), ("exchange", "invalid")} <= {*seen}, seen
    assert len(uniform) == 16 * (len(told) - 1), "numbers come twice"
    assert told[0]["job_count"] > 20 and told[1]["job_count"] is None
    notes = json.loads((folder / "out/manifest.json").read_text())
    assert "exchanges are tried" in json.dumps(notes), notes.keys()


def test_same_numbers_again(folder):
    """Random numbers are those of the run's seed and replication: the same again, others with another seed."""
    (folder / "p.py").write_text(TRIES)
    for name, *more in (("one",), ("again",), ("other", "--seed", "7")):
        run(TINY, folder / f"{name}.out", *more, "--set", "horizon=20000s", command=f"{sys.executable} {folder}/p.py {folder}/{name}")
    assert logged(folder / "one") == logged(folder / "again") != logged(folder / "other")


# Asks for what the second argument says; starts whatever a try says that it may; leaves hello, messages and tries in a file.
ASKS = """\
import json, sys
hello = json.loads(sys.stdin.readline())
told = {"hello": hello, "messages": [], "tries": []}
print(json.dumps({"message": 0, "ready": 3, "capabilities": [sys.argv[2]]}), flush=True)
jobs = {}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "finish":
        break
    told["messages"].append(message)
    jobs |= {job["job"]: job for job in message["arrived"]}
    for job in message["jobs"]:
        jobs[job["job"]] |= job
    actions, number = [], message["message"]
    for job in jobs.values():
        if job["state"] != "waiting" or actions:
            continue
        tries = [{"start": job["job"], "config": job["first_config"] + i} for i in range(job["config_count"])]
        print(json.dumps({"message": number, "try": tries}), flush=True)
        answer = json.loads(sys.stdin.readline())
        number = answer["message"]
        told["tries"] += answer["answers"]
        good = [each for each, said in zip(tries, answer["answers"]) if said["answer"] == "ok"]
        actions += good[-1:] + tries[:1]
    print(json.dumps({"message": number, "actions": actions}), flush=True)
json.dump(told, open(sys.argv[1], "w"))
"""


def asking(folder, what, scenario):
    (folder / "p.py").write_text(ASKS)
    (folder / f"{what}.yaml").write_text(scenario)
    run(folder / f"{what}.yaml", folder / f"{what}.out", "--record", "--set", f"policy.params.{what}=true",
        command=f"{sys.executable} {folder}/p.py {folder}/{what} {what}")
    return json.loads((folder / what).read_text()), folder / f"{what}.out"


TYPE = "gpu_types: [{name: g, idle_w: 50, ctx_w: 80, tdp_w: 400, memory_gib: 80}]"
RIGID = "{kind: periodic, period: 10s, sizes: {law: constant, mean: 100s}, rigid: {k: 1}, until: {jobs: 4}}"


def test_power_cap(folder):
    """Four GPUs of 400 W under a cap of 1000 W: two run (50 + 50 + 400 + 400 W), the third would be at 1250 W. As with a plug-in
    that declares POWER_CAP, starts over it are refused, and a job that is over it alone is rejected."""
    scenario = f"name: c\nhorizon: drain\ncluster: {{power_cap_w: 1000, {TYPE}, nodes: [{{gpu: g, gpus: 4}}]}}\nworkload: {RIGID}\npolicy: {{name: exec}}\n"
    told, out = asking(folder, "power_cap", scenario)
    assert {"answer": "cap", "power_w": 1250} in told["tries"] and {"answer": "ok", "span": 0, "power_w": 900} in told["tries"], told["tries"]
    assert "cap" in {answer["answer"] for message in told["messages"] for answer in message["answers"]}
    assert [row["power_max_w"] for row in rows_of(out / "summary.csv")] == ["900.0"]
    assert [row["keeps_cap"] for row in rows_of(out / "recorded.csv")] == ["1"]
    starts = [float(row["start_s"]) for row in rows_of(out / "jobs.csv")]
    assert starts == [0, 10, 100, 110], starts
    (folder / "low.yaml").write_text(scenario.replace("1000", "500"))
    run(folder / "low.yaml", folder / "low", "--set", "policy.params.power_cap=true", command=f"{sys.executable} {folder}/p.py {folder}/told power_cap")
    assert [row["jobs_rejected"] for row in rows_of(folder / "low/summary.csv")] == ["4"], rows_of(folder / "low/summary.csv")


def test_fractional_gpu(folder):
    """Two jobs that ask for half a GPU share one; a third waits."""
    (folder / "jobs.csv").write_text("job_id,submit_s,duration_s,gpus,gpu_share\na,0,100,1,0.5\nb,1,100,1,0.5\nc,2,100,1,0.5\n")
    told, out = asking(folder, "fractional_gpu", f"name: c\nhorizon: drain\ncluster: {{{TYPE}, nodes: [{{gpu: g, gpus: 1}}]}}\n"
                       "workload: {kind: trace, file: jobs.csv}\npolicy: {name: exec}\n")
    assert [config["milli"] for config in told["hello"]["configs"]] == [500], told["hello"]["configs"]
    shared = [(message["now_s"], message["gpu_types"][0]["shared_free_max_milli"], message["users"][0]["shared_milli"]) for message in told["messages"][:3]]
    assert shared == [(0, 0, 0), (1, 500, 500), (2, 0, 1000)], shared
    assert [float(row["start_s"]) for row in rows_of(out / "jobs.csv")] == [0, 1, 100]
    assert [row["gpu_shares"] for row in rows_of(out / "recorded.csv")] == ["1"]


def test_power_limits(folder):
    """Each configuration once without a limit and once with each level of the model; the last that fits is the lowest limit."""
    (folder / "m.yaml").write_text("""\
models:
  - name: m
    m0: 64
    phi: 1000
    batches: [16]
    gpus:
      g: {a_s: 0.03, c_s: 0.004, gamma: 2, alpha_s: 0.02, beta_s: 0.001, p0_w: 110, pmax_w: 390, evidence: assumed, source: x,
          power_limits: {levels: [{power_limit_w: 300, time_ratio: 1.25, power_ratio: 0.75, energy_ratio: 0.9375, configurations: 1}]}}
""")
    told, out = asking(folder, "power_limits", f"name: c\nhorizon: drain\ncluster: {{{TYPE}, nodes: [{{gpu: g, gpus: 2}}]}}\nmodels: m.yaml\n"
                       "workload: {kind: periodic, period: 10s, k: [1], sizes: {law: constant, mean: 100s}, until: {jobs: 2}}\npolicy: {name: exec}\n")
    assert {config["power_limit_w"] for config in told["hello"]["configs"]} == {None, 300}, told["hello"]["configs"]
    assert [row["power_limits"] for row in rows_of(out / "recorded.csv")] == ["1"]


def test_documented_try(folder):
    """The program of docs/reference/program-policy.md, "Protocol 3", on the scenario of that page is answered what is printed there."""
    text = (SOURCE / "docs/reference/program-policy.md").read_text(encoding="utf-8")
    (folder / "two.yaml").write_text(re.search(r"```yaml\n(name: two.*?)```", text, re.S)[1])
    section = text[text.index("## Protocol 3"):text.index("## Step by step")]
    ready, tries, actions = re.findall(r"^program: (\{.*\})$", section, re.M)
    [answer] = re.findall(r'^easim: (\{"type":"tried".*\})$', section, re.M)
    (folder / "p.sh").write_text("read hello\n" + "".join(f"echo '{line}'\nread said\n" for line in (ready, tries))
                                 + f"echo \"$said\" >{folder}/said\necho '{actions}'\nread next\necho '{{\"message\": 3, \"fail\": \"enough\"}}'\n")
    assert "gives up: enough" in run(folder / "two.yaml", folder / "out", command=f"sh {folder}/p.sh", code=1).stderr
    assert (folder / "said").read_text() == answer + "\n"


# Starts, resizes and preempts by chance, tries everything, and writes down what it is told.
TELLS = """\
import json, sys
log = open(sys.argv[1], "a")  # the run, and the run of a story
def hear():
    line = sys.stdin.readline()
    log.write(line)
    return json.loads(line)
def say(answer):
    print(json.dumps(answer), flush=True)
hello = hear()
say({"message": 0, "ready": 3, "capabilities": ["uniform", "fractional_gpu", "power_limits"],
     "extensions": ["services/1", "forecast/1", "power/1"]})
jobs = {}
while (message := hear())["type"] != "finish":
    jobs |= {job["job"]: job for job in message["arrived"]}
    for job in message["jobs"]:
        jobs[job["job"]] |= job
    chance = iter(message["uniform"])
    def some(list):
        return list[int(next(chance) * len(list))]
    number, actions = message["message"], [{"wake_at": message["now_s"] + 300}]
    waiting = [job for job in jobs.values() if job["state"] == "waiting"]
    running = [job for job in jobs.values() if job["state"] == "running"]
    for job in waiting[:4]:
        actions.append({"start": job["job"], "config": some([job["first_config"] + i for i in range(job["config_count"])])})
    for job in running[:1]:
        config = some([job["first_config"] + i for i in range(job["config_count"])])
        actions += [[{"resize": job["job"], "config": config}], [{"preempt": job["job"]}], []][min(int(10 * next(chance)), 2)]
    if running and waiting and next(chance) < 0.1:
        actions.insert(0, {"exchange": [{"preempt": running[-1]["job"]}, {"start": waiting[0]["job"], "config": 0}]})
    asked = actions[:1] * ("exchange" in actions[0]) + [{"replica_figures": 0, "load": 0.5}]
    asked += [{name: job["job"]} for job in running for name in ("remaining", "job_nodes")]
    asked += [each for each in actions if "start" in each]
    say({"message": number, "try": asked})
    say({"message": hear()["message"], "actions": actions})
"""


def members_of(value, path):
    """Members of an object: `a`, and of lists of objects or texts `a[]` and `a[].b`; an empty list may be of either kind."""
    for name, inner in value.items():
        for item in inner[:1] if isinstance(inner, list) else []:
            yield path + name + "[]" * isinstance(item, (dict, str))
        for item in inner if isinstance(inner, list) else []:
            yield from members_of(item, path + name + "[].") if isinstance(item, dict) else ()
        if not isinstance(inner, list):
            yield path + name


def test_members_are_documented(folder):
    """docs/reference/protocol.csv has every member that easim sends, of either protocol, and no other; and every action and try."""
    rows = rows_of(SOURCE / "docs/reference/protocol.csv")
    recorded = gzip.decompress((SOURCE / "tests/golden/protocol2/lines.txt.gz").read_bytes()).decode().splitlines()
    said = {"2": [line[len("easim: "):] for line in recorded if line.startswith("easim: ")], "3": []}
    (folder / "tells.py").write_text(TELLS)
    (folder / "half.csv").write_text("job_id,submit_s,duration_s,gpus,gpu_share\na,0,500,1,0.5\nb,10,500,1,0.5\n")
    stream = "{kind: trace, file: half.csv}"
    text = (SOURCE / "tests/golden/protocol2/scenario.yaml").read_text().replace("  streams:\n", f"  streams:\n    - {stream}\n")
    for name in ("cap.csv", "carbon.csv", "demand.csv", "models.yaml"):
        (folder / name).symlink_to(SOURCE / "tests/golden/protocol2" / name)
    (folder / "s.yaml").write_text(text)
    run(folder / "s.yaml", folder / "out", "--record", "--set", "policy.params.fractional_gpu=true", "--set", "policy.params.power_limits=true",
        command=f"{sys.executable} {folder}/tells.py {folder}/log")
    easim("explain", folder / "out", "--trust", "--longest-wait")
    said["3"] = (folder / "log").read_text().splitlines()
    for protocol, lines in said.items():
        sent = {(message["type"], member) for message in map(json.loads, lines) for member in members_of(message, "")}
        told = {(row["message"], row["member"]) for row in rows if row["message"] in ("hello", "decide", "tried", "finish")
                and protocol in row["protocol"] and not (protocol == "2" and re.search("milli|shared", row["member"]))}
        assert sent == told, (protocol, sorted(sent - told), sorted(told - sent))
    verbs = re.findall(r'\{"(\w+)", (?:"(\w+)"|NULL), ([23]), ', (SOURCE / "policies/exec/actions.c").read_text().partition("action_verbs[]")[2])
    told = [re.match(r'\{"(\w+)": .*?(?:, "(\w+)": .*)?\}$', row["member"]).groups("") + (row["protocol"][:1],) for row in rows
            if row["message"] in ("actions", "try")]
    assert verbs == told, (verbs, told)


def test_trying_for_ever(folder):
    """The 1001st message of tries in one decision ends the run; a thousand do not."""
    for tries, code in ((1000, 0), (1001, 1)):
        (folder / "p.py").write_text(f"""\
import json, sys
sys.stdin.readline()
print('{{"message": 0, "ready": 3}}', flush=True)
first, jobs = True, {{}}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "finish":
        break
    number = message["message"]
    for i in range({tries} if first else 0):
        print(json.dumps({{"message": number, "try": [{{"remaining": 0}}]}}), flush=True)
        tried = json.loads(sys.stdin.readline())
        assert tried["type"] == "tried" and tried["message"] == number + 1, tried
        number = tried["message"]
    first = False
    jobs |= {{job["job"]: job for job in message["arrived"]}}
    for job in message["jobs"]:
        jobs[job["job"]] |= job
    start = [{{"start": job["job"], "config": job["first_config"]}} for job in jobs.values() if job["state"] == "waiting"]
    print(json.dumps({{"message": number, "actions": start}}), flush=True)
""")
        done = run(TINY, folder / f"out-{tries}", command=f"{sys.executable} {folder}/p.py", code=code)
        assert ("sent try more than 1000 times in one decision" in done.stderr) == (code == 1), done.stderr


cases(*(value for name, value in list(globals().items()) if name.startswith("test_")))
