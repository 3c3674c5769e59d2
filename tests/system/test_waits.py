"""Why jobs waited (easim explain): test_waits.py EASIM SOURCE

A naive simulation of five policies on rigid jobs, written from semantics 5 and the helps of the policies, tells at each decision why
each job waits, by a scan of all jobs. Its intervals and those of `easim explain` are compared, word for word, for 40 waits of ten
runs. Times are whole milliseconds, drawn so that no two events coincide: then the order of one instant does not matter.
"""
import json
import math
import random
import re
from fractions import Fraction

from harness import cases, easim, form, rows_of
from recorded_scenarios import recorded_scenarios

BASE_W, IDLE_W, CTX_W, TDP_W, USE = 10, 50, 100, 300, 0.5
BUSY_W = IDLE_W + USE * (TDP_W - IDLE_W)  # 175 W: above ctx_w, so the cap counts this
TAU_S, SLACK_S, GAIN, HOUR = 3600, 43200, 0.02, 3600000
CARBON = [400, 380, 300, 220, 150, 120, 160, 260, 340, 420, 450, 430]
RUNS = [(policy, seed) for seed in (1, 2) for policy in ("fcfs", "easy", "charon", "deferral", "lean")]
WAITS = 4  # of each run
GPUS = 8
CAP_W = BASE_W * 2 + IDLE_W * GPUS + 6 * (BUSY_W - IDLE_W)  # six of the eight GPUs may compute


class Job:
    def __init__(self, number, dice, hours):
        self.number, self.name = number, f"j{number}"
        self.k = dice.choice([1, 1, 2, 3, 4, 6])
        self.asked = dice.randrange(300, 9000) * 1000 + 2 * number  # ms
        self.lasts = self.asked - (dice.randrange(self.asked // 3) if dice.random() < 0.6 else 0)
        self.submit = dice.randrange(hours * HOUR)
        self.start = None

    def row(self):
        return f"{self.name},{self.submit / 1000:.3f},{self.lasts / 1000:.3f},{self.asked / 1000:.3f},{self.k},u,{USE}"


class Naive:
    """One run. `waits` has of each job its intervals, as the JSON has them."""

    def __init__(self, policy, jobs):
        self.policy, self.jobs, self.now = policy, jobs, 0
        self.queue, self.running, self.open, self.waits, self.why_started = [], [], {}, {job.name: [] for job in jobs}, {}

    def free(self):
        return GPUS - sum(job.k for job in self.running)

    def power_w(self):
        return 2 * BASE_W + IDLE_W * self.free() + BUSY_W * (GPUS - self.free())

    # --- what the view shows before a decision ---

    def seen(self, job):
        if job.k > self.free():
            last = self.waits[job.name][-1] if self.waits[job.name] else None
            if last and last["why"] == "no room" and last["to_s"] == self.now and all(
                    (holder.name, holder.start) in {(r.name, r.start) for r in self.running} for holder in last["holders"]):
                return {key: last[key] for key in ("why", "holders", "held_until_s", "free", "k")}
            holders, free = [], self.free()
            for holder in sorted(self.running, key=lambda r: (r.start + r.asked, r.number)):
                holders.append(holder)
                free += holder.k
                if free >= job.k:
                    break
            return {"why": "no room", "holders": holders, "held_until_s": holders[-1].start + holders[-1].asked, "free": self.free(),
                    "k": job.k}
        after_w = self.power_w() + job.k * (BUSY_W - IDLE_W)
        if self.policy == "charon" and after_w > CAP_W:
            return {"why": "power cap", "power_w": after_w, "cap_w": CAP_W}
        return {"why": "nothing started"}

    # --- the policies: who is started, and what they say ---

    def value(self, job):
        """Of zeus: sqrt(EDP) / (1 + age / tau)."""
        asked_s = job.asked / 1000
        return math.sqrt(job.k * BUSY_W * asked_s ** 2) / (1 + (self.now - job.submit) / 1000 / TAU_S)

    def sum_from(self, hour, hours):
        return sum(CARBON[h % len(CARBON)] for h in range(hour, hour + hours))

    def better_hour(self, job):
        """Of deferral: the first of the best hours at which the job may begin, and what it saves, if that is enough."""
        hour = self.now // HOUR
        hours = min(max(1, math.ceil(job.asked / HOUR)), 24)
        now = self.sum_from(hour, hours)
        later = [(self.sum_from(h, hours), h) for h in range(hour + 1, hour + 25 - hours)
                 if h * 3600 <= job.submit / 1000 + SLACK_S]
        least, best = min(later, default=(now, 0))
        return (best, (now - least) / now) if least < now - GAIN * now else None

    def reservation(self, head):
        """Of easy: when the head can start, and how many GPUs it leaves then, by requested ends."""
        free, shadow = self.free(), self.now
        for job in sorted(self.running, key=lambda r: (r.start + r.asked, r.number)):
            if free >= head.k:
                break
            shadow = job.start + job.asked
            free += job.k
        return shadow, free - head.k

    def may_start(self, job, blocked):
        """`blocked`: a job before it could not start."""
        if job.k > self.free():
            return False
        if self.policy == "fcfs":
            return not blocked
        if self.policy == "easy" and blocked:
            shadow, extra = self.reservation(blocked[0])
            ends_before = self.now + job.asked <= shadow
            if ends_before or job.k <= extra:
                self.why_started[job.name] = f"passes job {blocked[0].name}, the head of g: " + (
                    "ends before its reservation" if ends_before else "needs only GPUs that it leaves free")
            return ends_before or job.k <= extra
        if self.policy == "charon":
            return self.power_w() + job.k * (BUSY_W - IDLE_W) <= CAP_W
        return self.policy != "deferral" or not self.better_hour(job)

    def order(self):
        if self.policy in ("charon", "deferral"):
            return sorted(self.queue, key=lambda job: (self.value(job), job.number))
        return sorted(self.queue, key=lambda job: (job.asked if self.policy == "lean" else 0, job.number))

    def says(self, job):
        """Why it waits on, after the decision."""
        first = self.queue[0]
        if self.policy == "fcfs":
            return None if job is first else f"job {first.name} comes first, cannot start, and no job passes it"
        if self.policy == "easy":
            shadow, extra = self.reservation(first)
            at = f"[{seconds(shadow)} s]"
            late = f"; this job would end later and needs more than the {extra} GPUs that are left then" * (job.k <= self.free())
            return f"it is the head of g, reserved for {at}" if job is first else f"job {first.name}, the head of g, is reserved for {at}{late}"
        if self.policy == "charon":
            after_w = self.power_w() + job.k * (BUSY_W - IDLE_W)
            return f"{job.k} x g would raise the power to {after_w:g} W, over the cap of {CAP_W:g} W" if job.k <= self.free() else None
        if self.policy == "lean":
            return "no running job gives way to it" if job.k > self.free() else None
        better = self.better_hour(job)
        return better and (f"waits for [{better[0] * 3600} s]: from then on the carbon intensity of its run is forecast "
                           f"{100 * better[1]:.3g} % lower")

    # --- the run ---

    def decide(self):
        for job in self.queue:
            self.close(job)
            self.open[job.name] = {"from_s": self.now, "started": None, **self.seen(job)}
        blocked, started = [], []
        for job in self.order():
            if self.may_start(job, blocked):
                job.start = self.now
                self.running.append(job)
                started.append(job)
            else:
                blocked.append(job)
        for job in started:
            self.close(job)
            self.queue.remove(job)
            del self.open[job.name]
        for job in self.queue:
            row = self.open[job.name]
            if row["why"] == "nothing started" and started:
                row.update(why="other started", started=started[0].name)
            row["policy_reason"] = self.says(job)

    def close(self, job):
        row, done = self.open.get(job.name), self.waits[job.name]
        if row is None or row["from_s"] == self.now:
            return
        same = ["why", "started", "policy_reason", "holders", "cap_w"]
        if done and all(done[-1].get(key) == row.get(key) for key in same):
            done[-1]["to_s"] = self.now
        else:
            done.append({**row, "to_s": self.now})

    def run(self):
        to_come = sorted(self.jobs, key=lambda job: job.submit)
        wake, times = None, []
        while to_come or self.running:
            ends = [job.start + job.lasts for job in self.running]
            self.now = min(ends + [job.submit for job in to_come[:1]] + ([wake] if wake else []))
            times.append(self.now)
            self.running = [job for job in self.running if job.start + job.lasts > self.now]
            if to_come and to_come[0].submit == self.now:
                self.queue.append(to_come.pop(0))
            self.decide()
            wake = (self.now // HOUR + 1) * HOUR if self.policy == "deferral" else None  # the carbon intensity changes
        assert len(set(times)) == len(times), "two events coincide"
        return self.waits


def seconds(time_ms):
    return f"{time_ms / 1000:.9g}"


def plain(row):
    """As the JSON has it."""
    shown = {"from_s": row["from_s"] / 1000, "to_s": row["to_s"] / 1000, "why": row["why"], "policy_reason": row["policy_reason"]}
    if row["why"] == "no room":
        shown.update(held_by=[holder.name for holder in row["holders"]], held_until_s=row["held_until_s"] / 1000, free=row["free"],
                     k=row["k"], gpu_type="g", gpu_share=None, inside=None, failed=0)
    if row["why"] == "power cap":
        shown.update(power_w=row["power_w"], cap_w=row["cap_w"])
    if row["started"]:
        shown["started"] = row["started"]
    return shown


def scenario(folder, policy, seed):
    dice = random.Random(seed * 10 + len(policy))
    jobs = sorted((Job(n, dice, 30) for n in range(90)), key=lambda job: job.submit)
    for number, job in enumerate(jobs):
        job.number = number
    (folder / "jobs.csv").write_text("job_id,submit_s,duration_s,requested_s,gpus,user,utilization\n" +
                                     "".join(job.row() + "\n" for job in jobs))
    (folder / "carbon.csv").write_text("timestamp,carbon_g_per_kwh\n" + "".join(
        f"{hour * 3600},{value}\n" for hour, value in enumerate(CARBON)))
    more = {"charon": f"  power_cap_w: {CAP_W}\n"}.get(policy, "")
    carbon = "carbon_g_per_kwh: {file: carbon.csv, repeat: true}\nforecast: {hours: 24}\n" if policy == "deferral" else ""
    (folder / "s.yaml").write_text(
        f"name: waits\nhorizon: drain\n{carbon}cluster:\n  gpu_types: [{{name: g, idle_w: {IDLE_W}, ctx_w: {CTX_W}, tdp_w: {TDP_W}}}]\n"
        f"  nodes: [{{count: 2, gpu: g, gpus: {GPUS // 2}, base_w: {BASE_W}}}]\n{more}"
        f"workload: {{kind: trace, file: jobs.csv, preemptible: false}}\npolicy: {{name: {policy}}}\n")
    return jobs


def told(folder, job, *words):
    return json.loads(easim("explain", folder, job, "--format", "json", *words).stdout)


def as_naive(folder):
    compared, kinds = 0, set()
    for policy, seed in RUNS:
        place = folder / f"{policy}-{seed}"
        place.mkdir()
        jobs = scenario(place, policy, seed)
        naive = Naive(policy, jobs)
        waits = naive.run()
        easim("run", place / "s.yaml", "--quiet", "--record", "--check", "--out", place / "out")
        rows = {row["job_id"]: row for row in rows_of(place / "out/jobs.csv")}
        for job in jobs:
            assert Fraction(rows[job.name]["start_s"]) * 1000 == job.start, (policy, seed, job.name, rows[job.name], job.start)
        longest = sorted((job for job in jobs if waits[job.name]), key=lambda job: -len(waits[job.name]))[:WAITS]
        assert len(longest) == WAITS, (policy, seed)
        for job in longest:
            story = told(place / "out", job.name)
            expected = [plain(row) for row in waits[job.name]]
            found = [{key: value for key, value in row.items() if not key.startswith("decision")} for row in story["waits"]]
            assert found == expected, (policy, seed, job.name, *[(a, b) for a, b in zip(found, expected) if a != b][:2],
                                       len(found), len(expected))
            assert story["decisions"][-1]["policy_reason"] == naive.why_started.get(job.name), (policy, seed, job.name)
            compared += 1
            kinds |= {(policy, row["why"], row["policy_reason"] is not None) for row in found}
    passing = 0
    for policy, seed in (run for run in RUNS if run[0] == "easy"):  # jobs that do not wait have reasons, too
        place = folder / f"{policy}-{seed}"
        jobs = scenario(place, policy, seed)
        naive = Naive(policy, jobs)
        naive.run()
        for name, text in sorted(naive.why_started.items())[:2]:
            assert told(place / "out", name)["decisions"][-1]["policy_reason"] == text, (seed, name)
            passing += 1
    print(f"{compared} waits of {len(RUNS)} runs, {passing} jobs that passed another")
    assert compared == 40 and passing == 4, (compared, passing)
    for policy, why in (("fcfs", "no room"), ("fcfs", "nothing started"), ("easy", "no room"), ("easy", "nothing started"),
                        ("charon", "no room"), ("charon", "power cap"), ("deferral", "nothing started"), ("lean", "no room")):
        assert (policy, why, True) in kinds or (policy, why, False) in kinds, (policy, why, sorted(kinds))
    for policy in ("fcfs", "easy", "charon", "deferral", "lean"):
        assert any(kind[0] == policy and kind[2] for kind in kinds), (policy, sorted(kinds))


def adds_up(folder):
    """Whatever the policy: the intervals follow each other, and are the times that segments.csv has the job queued."""
    checked = 0
    for seed, place in recorded_scenarios(folder, range(1, form(31, 9))):
        segments = rows_of(place / "out/segments.csv")
        if not segments:
            continue
        number = segments[-1]["replication"]
        queued = {}
        for s in segments:
            if s["replication"] == number and s["kind"] == "queued" and s["start_s"] != s["end_s"]:
                queued.setdefault(s["job_id"], []).append((Fraction(s["start_s"]), Fraction(s["end_s"])))
        for name, spans in sorted(queued.items(), key=lambda item: -len(item[1]))[:3]:
            text = easim("explain", place / "out", name, "--replication", number, "--format", "json").stdout
            story = json.loads(text, parse_float=Fraction, parse_int=Fraction)
            if "waits" not in story:
                continue
            rest = [(row["from_s"], row["to_s"]) for row in story["waits"]]
            assert all(start < end for start, end in rest), (seed, name, rest)
            for start, end in spans:
                while rest and rest[0][0] == start and start < end:
                    start = rest.pop(0)[1]
                assert start == end, (seed, name, start, end, rest[:2])
            assert not rest, (seed, name, rest)
            checked += 1
    assert checked >= form(30, 8), checked


def dates_and_hours(folder):
    """Times are h:min from ten minutes on, and dates if the scenario has start_time; so are those in texts of policies."""
    (folder / "jobs.csv").write_text("job_id,submit_s,duration_s,gpus,user\na,0,14700,2,u\nb,60,600,2,u\n")
    text = ("name: t\nhorizon: drain\n{}cluster:\n  gpu_types: [{{name: g, idle_w: 50, ctx_w: 100, tdp_w: 300}}]\n"
            "  nodes: [{{gpu: g, gpus: 2, base_w: 10}}]\nworkload: {{kind: trace, file: jobs.csv}}\npolicy: {{name: easy}}\n")
    for start, shown in (("", ("from 60 s to 4:05 h (4:04 h)", "until about 4:05 h", "reserved for 4:05 h", "(policy easy, replication 1)")),
                         ("start_time: 2026-03-01T22:00+01:00\n",
                          ("from 2026-03-01 21:01 to 2026-03-02 01:05 (4:04 h)", "until about 2026-03-02 01:05",
                           "reserved for 2026-03-02 01:05", "(policy easy, replication 1; dates in UTC)"))):
        (folder / "t.yaml").write_text(text.format(start))
        easim("run", folder / "t.yaml", "--quiet", "--record", "--force", "--out", folder / "out")
        story = easim("explain", folder / "out", "b").stdout
        assert all(part in story for part in shown), story
        assert re.search(r"Why it waited 4:04 h: no room 4:04 h\n", story), story


def chosen(folder):
    """--longest-wait and the others, against jobs.csv."""
    out = folder / "chosen"
    (folder / "jobs.csv").write_text("job_id,submit_s,duration_s,gpus,user,deadline_s\na,0,100,2,u,\nb,1,50,2,u,20\nc,2,30,2,u,30\nd,3,1,1,u,\n")
    (folder / "c.yaml").write_text("name: t\nhorizon: drain\ncluster:\n  gpu_types: [{name: g, idle_w: 50, ctx_w: 100, tdp_w: 300}]\n"
                                   "  nodes: [{gpu: g, gpus: 2, base_w: 10}]\nworkload: {kind: trace, file: jobs.csv}\npolicy: {name: fcfs}\n")
    easim("run", folder / "c.yaml", "--quiet", "--record", "--out", out)
    rows = {row["job_id"]: row for row in rows_of(out / "jobs.csv")}
    most = {"--longest-wait": lambda row: float(row["wait_s"]), "--most-energy": lambda row: float(row["energy_j"]),
            "--latest": lambda row: float(row["finish_s"]) - float(row["deadline_s"] or "inf")}
    for option, figure in most.items():
        best = max(rows.values(), key=figure)["job_id"]
        assert easim("explain", out, option).stdout.startswith(f"job {best} of user"), (option, best)
    easim("explain", out, "--most-preempted", code=2, says="no job was preempted (policy fcfs, replication 1)")
    easim("explain", out, "a", "--latest", code=2, says="expected either JOB or one of --longest-wait")
    easim("explain", out, "--longest-wait", "--latest", code=2, says="--longest-wait: not with --most-energy, --latest or --most-preempted")
    (folder / "jobs.csv").write_text("job_id,submit_s,duration_s,gpus,user\na,0,10000,2,u\nb,1,10,2,u\n")
    easim("run", folder / "c.yaml", "--policy", "lean", "--quiet", "--record", "--force", "--out", out)
    assert easim("explain", out, "--most-preempted").stdout.startswith("job a of user")
    easim("explain", out, "--latest", code=2, says="no job missed a deadline")


cases(as_naive, adds_up, dates_and_hours, chosen)
