"""Protocol 3 of the policy `exec`: what a try is answered is what the action is answered; random numbers; counts; programs that
never stop trying. Usage: test_exec_tries.py EASIM SOURCE
"""
import json
import sys

from harness import SOURCE, TINY, cases, easim

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
