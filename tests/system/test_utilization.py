"""Utilization over time: test_utilization.py EASIM SOURCE

Rigid jobs that are started, stopped and killed at random times while neighbours slow them down and their utilization
changes, against a simulation written down naively (semantics 21): the same ends, energies and lost energy. EASIM_POLICY_PATH
has the plug-in `script`, which does what is drawn here. Then random scenarios with everything else, in which the file
changes nothing but power and energy, and how it is written changes nothing at all.
"""
import gzip
import json
import math
import random

from harness import bytes_of, cases, easim, rows_of
from random_scenario import Scenario

IDLE_W, CTX_W, TDP_W = 50, 90, 400
SCENARIOS, TWINS = 80, 60


# --- by small steps ---

class Job:
    """What it has done moves on from one moment to the next at which anything changes."""

    def __init__(self, r, number):
        self.number, self.gpus = number, r.choice([1, 1, 2])
        self.work = round(r.uniform(20, 200), r.choice([0, 3]))
        self.mean = round(r.random(), 3)
        starts = sorted({round(r.uniform(0, self.work), r.choice([0, 2])) for _ in range(r.choice([0, 1, 3, 12]))})
        self.steps = [(start, round(r.random(), 3)) for start in starts if start < self.work]
        self.done = self.kept = 0.0     # work; of it, in the last checkpoint
        self.energy = self.lost_j = 0.0
        self.computed = 0.0             # in this run
        self.run_j = self.kept_j = 0.0  # of this run, and up to its last checkpoint
        self.state, self.left = "waiting", 0.0  # of set-up or checkpoint
        self.started, self.finish = False, None

    def use(self):
        return next((value for start, value in reversed(self.steps) if start <= self.done + 1e-9), self.mean)

    def next_step(self):
        return min((start for start, _ in self.steps if start > self.done + 1e-9), default=self.work)

    def watts(self):
        if self.state in ("waiting", "finished"):
            return 0
        return self.gpus * (IDLE_W + self.use() * (TDP_W - IDLE_W) if self.state == "running" else CTX_W)


class Run:
    def __init__(self, r):
        self.r, self.now, self.script = r, 0.0, []
        self.jobs = [Job(r, n) for n in range(r.choice([1, 2, 4]))]
        self.nodes, self.slow = r.choice([(1, 4), (2, 2)]), r.choice([0, 0.5, 1])
        self.interval = r.choice([0, 0, 3, 7.5])
        self.checkpoint = r.choice([0, 1.5]) if not self.interval else 0
        self.start, self.restart = r.choice([0, 2]), r.choice([0, 3.25])
        self.ratio = r.choice([1, 1, 1.6])
        self.place = {}  # job: node

    def speed(self, job):
        others = sum(self.place.get(other) == self.place[job] for other in self.jobs if other is not job)
        return self.ratio / (1 + self.slow * others)

    def next_change(self, job):
        """Seconds until what the job does changes by itself."""
        if job.state in ("setup", "writing"):
            return job.left
        steps = [(job.next_step() - job.done) / self.speed(job)]
        if self.interval:
            steps.append(self.interval - job.computed % self.interval)
        return min(steps)

    def pass_time(self, to):
        while self.now < to - 1e-12:
            active = [job for job in self.jobs if job.state in ("setup", "running", "writing")]
            step = min([to - self.now, *(self.next_change(job) for job in active)])
            moves = [(job, job.watts(), self.speed(job)) for job in active]
            self.now += step
            for job, watts, speed in moves:
                self.move(job, step, watts, speed)

    def move(self, job, step, watts, speed):
        job.energy += watts * step
        if job.state != "running":
            job.left -= step
            if job.left <= 1e-9:
                self.end_of_wait(job)
            return
        job.done, job.computed, job.run_j = job.done + speed * step, job.computed + step, job.run_j + watts * step
        if self.interval and abs(job.computed / self.interval - round(job.computed / self.interval)) < 1e-9:
            job.kept, job.kept_j = job.done, job.run_j
        if job.done >= job.work - 1e-9:
            job.state, job.finish = "finished", self.now
            del self.place[job]

    def end_of_wait(self, job):
        if job.state == "setup":
            self.compute(job)
        else:
            job.state = "waiting"
            del self.place[job]

    @staticmethod
    def compute(job):
        job.state, job.computed, job.run_j, job.kept_j, job.kept = "running", 0.0, 0.0, 0.0, job.done

    def say(self, what, job):
        self.script.append(f"{self.now:.9f} {what} {job.number} 0")

    def room(self, gpus):
        """The node with the fewest free GPUs that suffice."""
        count, size = self.nodes
        free = [size - sum(job.gpus for job, place in self.place.items() if place == n) for n in range(count)]
        return min((n for n in range(count) if free[n] >= gpus), key=lambda n: (free[n], n), default=None)

    def act(self, job):
        if job.state == "waiting" and self.room(job.gpus) is not None:
            self.say("start", job)
            self.place[job] = self.room(job.gpus)
            job.left, job.state = self.restart if job.started else self.start, "setup"
            job.started = True
            if job.left == 0:
                self.compute(job)
        elif job.state in ("setup", "running"):
            self.stop(job, self.r.random() < 0.5)

    def stop(self, job, at_once):
        self.say("kill" if at_once else "stop", job)
        running, job.state = job.state == "running", "waiting"
        writes = running and not at_once and not self.interval and self.checkpoint
        if running and (at_once or self.interval):
            job.lost_j += job.run_j - job.kept_j
            job.done = job.kept
        if writes:
            job.state, job.left = "writing", self.checkpoint
        else:
            del self.place[job]

    def go(self):
        for _ in range(30):
            self.pass_time(self.now + self.r.randrange(1, 80) / 8 + 1 / 64 + 1 / 4096)
            self.act(self.r.choice(self.jobs))
        while any(job.state != "finished" for job in self.jobs):
            self.pass_time(self.now + 5 + 1 / 64 + 1 / 4096)
            for job in self.jobs:
                if job.state == "waiting":
                    self.act(job)


def play(seed, folder):
    run = Run(random.Random(seed))
    run.go()
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s,utilization\n" + "".join(
        f"{job.number},0,{job.gpus},{job.work},{job.mean}\n" for job in run.jobs), encoding="utf-8")
    (folder / "use.csv").write_text("job_id,from_s,utilization\n" + "".join(
        f"{job.number},{start},{value}\n" for job in run.jobs for start, value in job.steps), encoding="utf-8")
    count, size = run.nodes
    scenario = {
        "name": "s", "horizon": "drain", "models": {"rigid_speed": {"g": run.ratio}, "models": [UNUSED]},
        "workload": {"kind": "trace", "file": "jobs.csv", "utilization_file": "use.csv", "rigid_costs": {
            "start_s": run.start, "restart_s": run.restart, "checkpoint_s": run.checkpoint,
            "checkpoint_interval_s": run.interval}},
        "cluster": {"gpu_types": [{"name": "g", "idle_w": IDLE_W, "ctx_w": CTX_W, "tdp_w": TDP_W}],
                    "nodes": [{"count": count, "gpu": "g", "gpus": size}],
                    "interference": {"slowdown_per_neighbour": run.slow}},
        "policy": {"name": "script", "params": {"actions": ", ".join(run.script)}}}
    (folder / "s.yaml").write_text(json.dumps(scenario), encoding="utf-8")
    easim("run", folder / "s.yaml", "--check", "--strict", "--quiet", "--force", "--out", folder / "out")
    for row, job in zip(rows_of(folder / "out/jobs.csv"), run.jobs, strict=True):
        for column, expected in (("finish_s", job.finish), ("energy_j", job.energy)):
            assert abs(float(row[column]) - expected) <= 1e-6 * (1 + expected), (seed, row, column, expected, run.script)
    lost = float(rows_of(folder / "out/summary.csv")[0]["energy_lost_kwh"]) * 3.6e6
    expected = math.fsum(job.lost_j for job in run.jobs)
    assert abs(lost - expected) <= 1e-6 * (1 + expected), (seed, lost, expected, run.script)
    return len(run.script)


UNUSED = {"name": "m", "m0": 8, "phi": 1, "batches": [1], "gpus": {"g": {
    "a_s": 0.1, "c_s": 0.01, "gamma": 1, "alpha_s": 0, "p0_w": 100, "pmax_w": 200, "evidence": "assumed", "source": "none"}}}


def naive_simulation(folder):
    actions = sum(play(seed, folder) for seed in range(SCENARIOS))
    assert actions > 10 * SCENARIOS, actions
    print(f"{SCENARIOS} scenarios, {actions} actions")


# --- the file and the rest of a scenario ---

def run_with(place, scenario, use):
    """Files of a run with that utilization_file (a text, bytes, or None), or None where it fails."""
    scenario.write(place)
    if use is not None:
        (place / "use.csv").write_bytes(use if isinstance(use, bytes) else use.encode())
    stream = next(n for n, s in enumerate(scenario.scenario["workload"]["streams"]) if s["kind"] == "trace")
    sets = ["--set", f"workload.streams[{stream}].utilization_file={'~' if use is None else place / 'use.csv'}"]
    done = easim("run", "scenario.yaml", "--check", "--quiet", "--decisions", "--out", "out", *sets, cwd=place, code=(0, 1))
    return bytes_of(place / "out", ".csv") if done.returncode == 0 else None


def text_of(rows):
    return "job_id,from_s,utilization\n" + "".join(f"{job},{start},{value}\n" for job, start, value in rows)


def without(rows, columns):
    return [{name: cell for name, cell in row.items() if name not in columns} for row in rows]


def only_energy(one, other, folder):
    """The same decisions, times and GPUs; returns how many jobs have another energy."""
    changed = 0
    for name, columns in (("jobs.csv", {"energy_j", "edp_js"}), ("decisions.csv", set()), ("users.csv", {"energy_kwh"}),
                          ("types.csv", {"energy_kwh"})):
        tables = []
        for number, files in enumerate((one, other)):
            (folder / f"{number}-{name}").write_bytes(files[name])
            tables.append(rows_of(folder / f"{number}-{name}"))
        for a, b in zip(without(tables[0], columns), without(tables[1], columns), strict=True):
            assert a == b, (name, {c: (a[c], b[c]) for c in a if a[c] != b[c]})
        if name == "jobs.csv":
            changed = sum(a["energy_j"] != b["energy_j"] for a, b in zip(*tables))
    return changed


def twins(folder):
    """Without power_limits, which rigid jobs have only if no file tells their utilization (semantics 3.4)."""
    changed = counted = 0
    for seed in range(1, 400):
        scenario = Scenario(seed)
        steps = getattr(scenario, "steps", None)
        if not steps or counted == TWINS:
            continue
        counted += 1
        scenario.scenario["policy"]["params"].pop("power_limits", None)
        scenario.write_scenario()
        rows = [(job, start, value) for job, own in steps.items() for start, value in own]
        means = [(job["job_id"], start, job["utilization"]) for job in scenario.jobs if "utilization" in job
                 for start in (0, 1.5, 60)]
        split = [row for job, start, value in rows for row in ((job, start, value), (job, start + 1e-9, value))]
        files = {name: run_with(folder / f"{seed}-{name}", scenario, use) for name, use in (
            ("none", None), ("means", text_of(means)), ("steps", text_of(rows)),
            ("mixed", gzip.compress(text_of(sorted(rows, key=lambda row: row[1])).encode())), ("split", text_of(split)))}
        if files["none"] is None:
            assert not any(files.values()), seed
            continue
        assert files["none"] == files["means"], seed
        assert files["steps"] == files["mixed"] == files["split"], seed
        changed += only_energy(files["none"], files["steps"], folder)
    assert counted == TWINS and changed > TWINS, (counted, changed)
    print(f"{TWINS} scenarios, {changed} jobs with another energy")


def generated(folder):
    """easim gen names the file, and what it writes runs as the log did."""
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s,utilization\na,10,1,50,0.5\nb,20,1,9.5,1\n", encoding="utf-8")
    (folder / "use.csv").write_text("job_id,from_s,utilization\na,7,0.25\n", encoding="utf-8")
    text = ("name: g\nhorizon: drain\nworkload: {}\ncluster: {{gpu_types: [{{name: g, idle_w: 50, tdp_w: 400}}], "
            "nodes: [{{gpu: g, gpus: 2}}]}}\npolicy: {{name: fcfs}}\n")
    section = "{kind: trace, file: jobs.csv, utilization_file: use.csv}"
    energies = []
    for name in ("first", "again"):
        (folder / f"{name}.yaml").write_text(text.format(section), encoding="utf-8")
        easim("run", f"{name}.yaml", "--quiet", "--out", name, cwd=folder)
        energies.append([row["energy_j"] for row in rows_of(folder / name / "jobs.csv")])
        done = easim("gen", f"{name}.yaml", "-o", f"{name}.csv", cwd=folder)
        section = done.stderr.split("workload: ")[1].strip()
        assert "utilization_file: use.csv" in section, section
    # 7 s at 225 W, 43 s at 137.5 W
    assert energies == [["7487.5", "3800.0"]] * 2, energies


def worlds(folder):
    """Jobs that are drawn once and run in many worlds keep it."""
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s,utilization\na,10,1,50,0.5\n", encoding="utf-8")
    (folder / "use.csv").write_text("job_id,from_s,utilization\na,7,0.25\n", encoding="utf-8")
    (folder / "s.yaml").write_text(
        "name: w\nhorizon: drain\nworkload: {kind: trace, file: jobs.csv, utilization_file: use.csv}\n"
        "cluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: 2}]}\npolicy: {name: fcfs}\n"
        "uncertainty: {worlds: 2, parameters: [{group: g, path: \"cluster.gpu_types[0].tdp_w\", "
        "law: {choice: [400, 450]}}]}\n", encoding="utf-8")
    easim("compare", "s.yaml", "--policies", "fcfs,zeus", "--check", "--quiet", "--out", "out", cwd=folder)
    rows = rows_of(folder / "out/worlds.csv")
    for row in rows:
        above_w = float(row["cluster.gpu_types[0].tdp_w"]) - 50
        joules = 7 * (50 + 0.5 * above_w) + 43 * (50 + 0.25 * above_w)
        assert abs(float(row["energy_job_kwh"]) * 3.6e6 - joules) < 1e-6, row
    assert len(rows) >= 4, rows


cases(naive_simulation, twins, generated, worlds)
