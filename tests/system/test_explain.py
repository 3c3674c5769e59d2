"""easim explain: test_explain.py EASIM SOURCE

EASIM_POLICY_PATH has the plug-in `unruly`. One small case by hand, word for word; the costs of alternatives from `easim models`;
random scenarios against jobs.csv and segments.csv.
"""
import json
import math
import os
import re
import shutil
from collections import Counter
from fractions import Fraction
from pathlib import Path

import test_services as services
from harness import SOURCE, TINY, cases, easim, rows_of
from recorded_scenarios import recorded_scenarios

SEEDS = range(1, 31)

# a holds one of two GPUs until 10 s, which b waits for; c fits beside a and is done before: EASY lets it go first. d could
# never run. GPUs draw 50 W idle, 175 W computing at half use (50 + 0.5 x 250), so b draws 2 x 175 W x 5 s = 1.75 kJ.
HAND = """name: hand
horizon: drain
cluster:
  gpu_types: [{name: g, idle_w: 50, ctx_w: 100, tdp_w: 300}]
  nodes: [{gpu: g, gpus: 2, base_w: 10}]
workload: {kind: trace, file: jobs.csv}
policy: {name: easy}
"""
HAND_JOBS = """job_id,submit_s,duration_s,gpus,user,utilization,deadline_s
a,0,10,1,u,0.5,
b,1,5,2,v,0.5,8
c,2,3,1,u,0.5,9.25
d,3,3,3,w,0.5,
"""
STORY_B = """job b of user v, rigid, class sla
It was submitted at 1 s, to be done by 8 s.
It finished at 15 s, 14 s after its submission; its GPUs drew 1.75 kJ.

Where its time went
  queued before its first start: 9 s
  computing, as fast as without neighbours: 5 s
  The last to give back a GPU that it took first was a, at 10 s.

Why it waited 9 s: no room 9 s
  from 1 s to 10 s (9 s): it needs 2 g, 1 is free; a holds what is missing until about 10 s
    easy: it is the head of g, reserved for 10 s

What the policy saw, and chose
  at 1 s, decision 2: it was left waiting
    0 other jobs waited, 0 of them submitted before it; 1 ran
    free: 1 of 2 g
    power 235 W, no cap
    1 configuration, of which 0 could be had; as predicted then, of each GPU type and k the one of least EDP:
      2 x g: T 5 s, E 1.75 kJ, EDP 0.00875 MJ s; did not fit
  at 10 s, decision 6: it was started
    0 other jobs waited, 0 of them submitted before it; 0 ran
    free: 2 of 2 g
    power 110 W, no cap
    1 configuration, of which 1 could be had; as predicted then, of each GPU type and k the one of least EDP:
      2 x g: T 5 s, E 1.75 kJ, EDP 0.00875 MJ s; fitted (chosen)
  4 decisions left it waiting; in 0 of them one of its configurations could have been had

Who was submitted later and started before it: 1 job
  c of u, submitted at 2 s, started at 2 s on 1 x g; what was free was not enough for any configuration of this job

Its deadline
  It was missed, by 7 s; first cause: queued behind.
  Started at its submission, the cluster empty, 1 of 1 configurations would have met it: at the least energy 2 x g (T 5 s, E 1.75 kJ, EDP 0.00875 MJ s), the fastest 2 x g (T 5 s, E 1.75 kJ, EDP 0.00875 MJ s).
  In the configuration that it had first, 2 x g (T 5 s, E 1.75 kJ, EDP 0.00875 MJ s), without being stopped, it had to start by 3 s, 7 s earlier than it did.

(policy easy, replication 1)
"""


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def story(folder, job, *words):
    return json.loads(easim("explain", folder, job, "--format", "json", *words).stdout)


def by_hand(folder):
    (folder / "jobs.csv").write_text(HAND_JOBS)
    (folder / "hand.yaml").write_text(HAND)
    easim("run", folder / "hand.yaml", "--quiet", "--record", "--out", folder / "hand")
    found = easim("explain", folder / "hand", "b").stdout
    assert found == STORY_B, found
    c, d = (easim("explain", folder / "hand", job).stdout for job in "cd")
    assert "It was met, with 4.25 s to spare.\n" in c and "No job that was submitted later started before it.\n" in c, c
    assert "It was rejected then, since it could never run: " in d and "Where its time went" not in d, d
    b = story(folder / "hand", "b")
    assert [o["why"] for o in b["overtakers"]] == ["no room"] and b["deadline"]["latest_start_s"] == 3, b


def as_models(folder):
    """T, E and EDP of every configuration of a job of a model, by the rows of easim models, at its start: set-up 30 s."""
    easim("run", TINY, "--quiet", "--record", "--out", folder / "tiny")
    text = easim("models", TINY, "--format", "csv").stdout
    (folder / "models.csv").write_text(text)
    models = rows_of(folder / "models.csv")
    ctx_w = {"a100": 98, "h100": 110}
    jobs = rows_of(SOURCE / "workloads/tiny.csv")
    for job in [job for job in jobs if job["work_samples"]][:4]:
        found = story(folder / "tiny", job["job_id"])
        work = float(job["work_samples"])
        for decision in found["decisions"]:
            assert decision["what"] in ("left waiting", "started"), decision
            for choice in decision["configurations"]:
                row, = [row for row in models if (row["model"], row["gpu_type"]) == (job["model"], choice["gpu_type"])
                        and int(row["k"]) == choice["k"] and float(row["b"]) == choice["b"] and row["span"] == "one_node"]
                computing = work / float(row["goodput_per_s"])
                energy = choice["k"] * (ctx_w[choice["gpu_type"]] * 30 + float(row["power_w"]) * computing)
                assert close(choice["time_s"], 30 + computing), (choice, row)
                assert close(choice["energy_j"], energy) and close(choice["edp_js"], energy * (30 + computing)), (choice, row)
                free = {t["gpu_type"]: t["free"] for t in decision["gpu_types"]}  # one node of each type
                assert choice["fits"] == (choice["k"] <= free[choice["gpu_type"]]), (choice, free)
            assert len(decision["configurations"]) == len({(c["gpu_type"], c["k"], c["b"]) for c in decision["configurations"]}) > 3
        assert found["decisions"][-1]["what"] == "started" and found["decisions"][-1]["chosen"] is not None


# --- random runs ---


def interesting(rows):
    """Jobs of every fate, at most 5."""
    picked = {}
    for row in rows:
        for trait in (row["status"], "preempted" * (row["preemptions"] not in ("0", "")), "resized" * (row["resizes"] not in ("0", "")),
                      "late" * (row["missed"] == "1")):
            if trait:
                picked.setdefault(trait, row)
    return list({row["job_id"]: row for row in picked.values()}.values())[-5:]


def overtakers(rows, row, end):
    at = rows.index(row)
    until = Fraction(row["start_s"]) if row["start_s"] else end
    later = [(Fraction(other["start_s"]), i, other["job_id"]) for i, other in enumerate(rows)
             if i > at and other["start_s"] and Fraction(other["start_s"]) < until]
    return [] if row["status"] == "rejected" else [job for _, _, job in sorted(later)]


def same_story(told, rows, row, segments, end):
    for name in ("user", "status", "preemptions", "resizes"):
        assert str(told[name]) == row[name], (name, told[name], row[name])
    for name in ("submit_s", "start_s", "finish_s", "deadline_s", "energy_j"):
        assert (told[name] is None) == (row[name] == "") and (told[name] is None or close(told[name], float(row[name]))), name
    until = Fraction(row["finish_s"]) if row["finish_s"] else end
    if row["status"] != "rejected":
        assert close(sum(told["time_s"].values()), float(until - Fraction(row["submit_s"]))), (told["time_s"], row)
    assert [o["job"] for o in told["overtakers"]] == overtakers(rows, row, end), row
    assert told["repeated"], told["not_repeated_because"]
    assert all(o["why"] for o in told["overtakers"]), told["overtakers"]
    begun = [s for s in segments if s["began"] in ("started", "resized") and s["gpu_type"]]
    chosen = [(d, d["configurations"][d["chosen"]]) for d in told["decisions"] if d["chosen"] is not None]
    assert len(begun) == len(chosen), (begun, told["decisions"])
    for segment, (decision, choice) in zip(begun, chosen):
        assert close(decision["time_s"], float(segment["start_s"])), (segment, decision)
        assert (segment["gpu_type"], int(segment["k"]), float(segment["b"] or 0)) == (
            choice["gpu_type"], choice["k"], choice["b"] or 0), (segment, choice)
        assert choice["fits"] or decision["what"] == "resized" or decision["time_s"] == 0 or True
        assert close(choice["edp_js"], choice["energy_j"] * choice["time_s"])
    stops = sum(d["what"] == "preempted" for d in told["decisions"])
    assert stops == int(row["preemptions"]), told["decisions"]
    if told["deadline"] and row["missed"] in ("0", "1"):
        assert told["deadline"]["verdict"] == {"0": "met", "1": "missed"}[row["missed"]], (told["deadline"], row)


def random_scenarios(folder):
    seen = Counter()
    for seed, place in recorded_scenarios(folder, SEEDS):
        summary = rows_of(place / "out/summary.csv")[-1]  # the last replication: the others are passed over
        number = summary["replication"]
        rows, segments, gpus = ([row for row in rows_of(place / f"out/{name}.csv") if row["replication"] == number]
                                for name in ("jobs", "segments", "gpus"))
        end = max([Fraction(s["end_s"]) for s in segments + gpus], default=Fraction(0))
        for row in interesting(rows):
            told = story(place / "out", row["job_id"], "--replication", number)
            try:
                same_story(told, rows, row, [s for s in segments if s["job_id"] == row["job_id"]], end)
            except AssertionError as wrong:
                raise AssertionError(f"scenario {seed}, job {row['job_id']}: {wrong}") from wrong
            text = easim("explain", place / "out", row["job_id"], "--replication", number).stdout
            assert text.startswith(f"job {row['job_id']} of user {row['user']}") and "nan" not in text.lower().split(), text
            seen.update([row["status"], *("stopped" for _ in range(told["failures"])),
                         *(d["what"] for d in told["decisions"]), *(o["why"] for o in told["overtakers"])])
    kinds = ["finished", "running", "waiting", "rejected", "stopped", "started", "preempted", "resized", "left waiting",
             "no room", "choice"]
    assert all(seen[kind] for kind in kinds), seen


# --- what cannot be repeated ---


def not_repeated(folder, reason, *words, job="b", intro="cannot be repeated. ", **more):
    done = easim("explain", folder, job, *words, **more)
    assert re.search(f"What the policy saw is not known: the run {intro}{reason}", done.stdout), done.stdout
    assert "What the policy saw, and chose" not in done.stdout and "queued before its first start: 9 s" in done.stdout
    assert "c of u, submitted at 2 s, started at 2 s on 1 x g\n" in done.stdout
    assert "It was missed, by 7 s; first cause: queued behind.\n" in done.stdout
    told = json.loads(easim("explain", folder, job, *words, "--format", "json", **more).stdout)
    assert not told["repeated"] and told["not_repeated_because"] and [o["why"] for o in told["overtakers"]] == [None]


def without_repetition(folder):
    (folder / "jobs.csv").write_text(HAND_JOBS.replace("a,0,10", "a,0,11"))
    not_repeated(folder / "hand", r"Its input \S*jobs.csv is missing or has changed\.")
    (folder / "jobs.csv").unlink()
    not_repeated(folder / "hand", r"Its input \S*jobs.csv is missing or has changed\.")
    (folder / "jobs.csv").write_text(HAND_JOBS)
    assert easim("explain", folder / "hand", "b").stdout == STORY_B
    manifest = folder / "hand/manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace('"commit":', '"commit": "other", "was":', 1))
    not_repeated(folder / "hand", r"It was recorded by easim \S+ \(other\), and this is ")
    manifest.write_text(text)
    policies = folder / "policies"
    policies.mkdir()
    shutil.copy(next(Path(f) / "easy.so" for f in os.environ["EASIM_POLICY_PATH"].split(":") if (Path(f) / "easy.so").exists()),
                policies / "mine.so")
    easim("run", folder / "hand.yaml", "--policy", policies / "mine.so", "--quiet", "--record", "--out", folder / "mine")
    assert easim("explain", folder / "mine", "b", "--trust").stdout.startswith(STORY_B.split("\n(policy")[0])
    not_repeated(folder / "mine", rf"it would load {policies}/mine.so; --trust runs it\n", intro="is not repeated: ")
    (policies / "mine.so").unlink()
    not_repeated(folder / "mine", r"Its input \S*mine.so is missing or has changed\.", "--trust")


def refusals(folder):
    error = easim("explain", folder / "hand", "bb", code=2).stderr
    assert 'no job "bb" was submitted (policy easy, replication 1), did you mean "b"?' in error, error
    easim("explain", folder / "hand", "", code=2, says="no job")
    easim("run", TINY, "--quiet", "--out", folder / "plain")
    for words in ([folder / "plain", "x"], [folder / "nothing", "x"], [folder / "hand"], [folder / "hand", "b", "c"],
                  [folder / "hand", "b", "--policy", "zeus"], [folder / "hand", "b", "--replication", 2],
                  [folder / "hand", "b", "--format", "csv"]):
        done = easim("explain", *words, code=2)
        assert done.stderr and not done.stdout, words


def hostile_names(folder):
    """Each name on its line, control characters made visible; JSON has it as it is."""
    name = 'x\n\x1b[31m"<b>\u202e'
    (folder / "hostile.csv").write_text(f'job_id,submit_s,duration_s,gpus,user\n"{name}",0,5,1,"{name}"\n'.replace('"<b>', '""<b>')
                                        .replace("\n\x1b", "\x1b"))
    name = name.replace("\n", "")
    (folder / "hostile.yaml").write_text(HAND.replace("jobs.csv", "hostile.csv"))
    easim("run", folder / "hostile.yaml", "--quiet", "--record", "--out", folder / "hostile")
    text = easim("explain", folder / "hostile", name).stdout
    assert "\x1b" not in text and '\\x1b[31m"<b>' in text, text
    assert story(folder / "hostile", name)["job"] == name
    assert "\x1b" not in easim("explain", folder / "hostile", "\x1b[2J", code=2).stderr


CHAT = """replica chat#1 of service chat, user default, model m
It was wanted from 30 s on, by the most demand of the 90 s before. Then 0 replicas were ready.
"""


def of_replicas(folder):
    """The reservation of test_services.py, by hand: 380000 tokens, of which 190 s at 600 W and 120 s at 180 W are served; loading
    takes 10 s at 180 W. Where it may displace it begins at 30 s, and serves 340 s longer than 190, at 180 W."""
    (folder / "jobs.csv").write_text(services.JOBS)
    for preempt, name in ((False, "chat"), (True, "chat"), (False, '"\\e[2J=<b>,\\n#1"')):
        chat = services.service(name, services.course(folder, "d.csv", services.LATE), 0, 1,
                                more=f", start_s: 10s, scaling: {{interval: 30s, down_after: 60s, preempt: {str(preempt).lower()}}}")
        out = services.run(folder, [f"{{kind: trace, file: jobs.csv, preemptible: {str(preempt).lower()}}}", chat], k=2,
                           nodes="[{count: 1, gpu: g, gpus: 2}]", horizon="drain", options=("--record",))
        if name != "chat":
            text = easim("explain", out, "\x1b[2J=<b>, #1#1").stdout
            assert "\x1b" not in text and text.startswith("replica \\x1b[2J=<b>, #1#1 of service \\x1b[2J=<b>,"), text
            assert "went to replica" not in easim("explain", out, "a").stdout
            continue
        text, told = easim("explain", out, "chat#1").stdout, story(out, "chat#1")
        assert text.startswith(CHAT) and text.endswith("\n\n(policy fcfs, replication 1)\n"), text
        rest = text[len(CHAT):].rpartition("\n\n(")[0]
        if preempt:
            assert rest == ("It got 2 x g of node 0 at 30 s:\n  1 GPU of a, which was preempted at 30 s.\n"
                            "  1 GPU of b, which was preempted at 30 s.\nIt loaded for 10 s. It served 380000 tokens in 530 s, "
                            "35.8 % of what it could, for 0.47 J each; in full use it takes 0.3.\n"
                            "It was released at 570 s; its GPUs drew 180.4 kJ."), rest
            assert "\n  At 30 s it was preempted, and 1 GPU of its own went to replica chat#1.\n" in easim("explain", out, "a").stdout
            assert story(out, "b")["displaced_by"] == [{"time_s": 30, "replica": "chat#1", "gpus": 1}]
            assert story(out, "b")["repeated"] and story(out, "c")["displaced_by"] == []
        else:
            assert rest == ("It waited for GPUs for 220 s, while those that came free were reserved for it. It got 2 x g of node 0 at "
                            "250 s:\n  1 GPU of a, which finished at 100 s.\n  1 GPU of b, which finished at 250 s.\nIt loaded for 10 s. "
                            "It served 380000 tokens in 310 s, 61.3 % of what it could, for 0.35684 J each; in full use it takes 0.3.\n"
                            "It was released at 570 s; its GPUs drew 137.4 kJ."), rest
            easim("explain", out, "c",
                  prints="first was chat#1, at 570 s.\n\nReplicas of services\n  While it waited for its first start 1 replica got GPUs.\n")
        assert (told["wanted_s"], told["end_s"], told["tokens"], told["energy_j"]) == (30, 570, 380000, 180400 if preempt else 137400), told
        assert [one["job"] for one in told["gpus_of"]] == ["a", "b"], told
        refused = easim("explain", out, "chat#1", "--what-if", "all", code=2).stderr
        assert refused == "easim: --what-if: chat#1 is a replica of a service: no policy decided on it\n", refused
        easim("explain", out, "chta#1", code=2,
              says='"chta#1" was submitted (policy fcfs, replication 1), did you mean "chat#1"?')


def of_replications(folder):
    """The replications before the one in question are passed over."""
    out = folder / "several"
    easim("run", SOURCE / "configs/eas-sim.yaml", "--replications", 3, "--quiet", "--record", "--out", out)
    rows = [row for row in rows_of(out / "jobs.csv") if row["replication"] == "3"]
    late = max(rows, key=lambda row: float(row["wait_s"] or 0))
    told = story(out, late["job_id"], "--replication", 3)
    assert told["repeated"] and told["replication"] == 3, told["not_repeated_because"]
    assert close(told["start_s"], float(late["start_s"])), late
    assert re.search(r"\(policy \w+, replication 1 of 3\)\n$", easim("explain", out, rows[0]["job_id"]).stdout)


def of_comparisons(folder):
    """A policy of a comparison is repeated by its own scenario.yaml."""
    out = folder / "compare"
    easim("compare", SOURCE / "configs/eas-sim.yaml", "--policies", "fcfs,zeus", "--replications", 2, "--quiet", "--record",
          "--out", out)
    for policy in ("fcfs", "zeus"):
        rows = [row for row in rows_of(out / f"{policy}/jobs.csv") if row["replication"] == "2"]
        late = max(rows, key=lambda row: float(row["wait_s"] or 0))
        told = story(out, late["job_id"], "--policy", policy, "--replication", 2)
        assert told["repeated"] and (told["policy"], told["replication"]) == (policy, 2), told["not_repeated_because"]
        assert close(told["start_s"], float(late["start_s"])), late
    assert easim("explain", out, rows[0]["job_id"]).stdout.endswith("(policy fcfs (of 2), replication 1 of 2)\n")


cases(by_hand, as_models, without_repetition, refusals, hostile_names, of_replicas, of_replications, of_comparisons, random_scenarios,
      shared=True)
