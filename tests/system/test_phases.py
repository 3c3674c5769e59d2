"""Phases of models: test_phases.py EASIM SOURCE

Jobs that are started, resized and stopped at random times while their phases change, against a simulation written down
naively (semantics 15): the same ends, energies, lost times, lost energy and last batches. EASIM_POLICY_PATH has the plug-in
`script`, which does what is drawn here. Then whole random scenarios, in which phases that are equal change nothing.
"""
import bisect
import math
import random

from harness import cases, easim, rows_of, same_files
from random_scenario import Scenario, lines

SIZES, CTX_W, TDP_W, MEMORY = [1, 2, 4], 90, 400, 24
SCENARIOS, TWINS = 80, 60


class Model:
    def __init__(self, r):
        self.a, self.c, self.gamma, self.alpha = (r.uniform(0.02, 0.2), r.uniform(0.001, 0.02), r.uniform(1, 4),
                                                  r.choice([0, 0.03]))
        self.m0, self.phi = r.choice([4, 20, 300]), r.choice([0, 50, 4000])
        self.p0, self.pmax = r.uniform(91, 150), r.uniform(200, 450)
        self.mem0, self.mem1 = (2, 0.25) if r.random() < 0.5 else (0, 0)
        self.batches = sorted(r.sample([1, 2.5, 4, 8, 16, 32], r.choice([1, 2, 3])))
        ends = sorted({round(r.uniform(0.02, 0.98), 3) for _ in range(r.choice([1, 1, 2, 3]))}) + [1]
        self.phases = [{"until": end} | ({"phi": r.choice([0, 100, 900, 20000])} if r.random() < 0.7 else {}) |
                       ({"batches": sorted(r.sample([1, 2, 4, 6, 12, 16, 24, 64, 128], r.choice([1, 2, 3])))}
                        if r.random() < 0.7 else {}) for end in ends]
        self.start, self.restart = r.choice([0, 3]), r.choice([0, 5.25])
        self.interval = r.choice([0, 0, 2, 7.5])
        self.checkpoint = r.choice([0, 1.5, 6]) if self.interval == 0 else 0

    def rate_and_power(self, k, b, phase):
        t = ((self.a ** self.gamma + (self.c * b) ** self.gamma) ** (1 / self.gamma)) + (self.alpha if k > 1 else 0)
        rate, batch = k * b / t, k * b
        phi = self.phases[phase].get("phi", self.phi)
        eff = (phi + self.m0) / (phi + batch) if batch > self.m0 else 1
        return rate * eff, k * min(TDP_W, self.p0 + (self.pmax - self.p0) * self.c * rate / k)

    def allowed(self, phase, own):
        """Batches of a phase; own: the list of the job, or none."""
        def fitting(batches):
            return [b for b in batches if self.mem0 + self.mem1 * b <= MEMORY]
        stated = self.phases[phase].get("batches")
        if not stated or (phase == 0 and own):
            found = fitting(own or self.batches)
        else:
            found = fitting([b for b in stated if b in own] if own else stated) or fitting(stated)
        return found or (self.allowed(phase - 1, own) if phase else [])

    def moved(self, b, phase, own):
        batches = self.allowed(phase, own)
        above = bisect.bisect_left(batches, b)
        return batches[above] if above < len(batches) else batches[-1]

    def phase_of(self, done):
        return next(p for p, phase in enumerate(self.phases) if done < phase["until"] - 1e-11 or phase["until"] == 1)

    def text(self):
        return {"name": "m", "m0": self.m0, "phi": self.phi, "batches": self.batches, "phases": self.phases,
                "mem0_gib": self.mem0, "mem1_gib": self.mem1, "start_s": self.start, "restart_s": self.restart,
                "checkpoint_s": self.checkpoint, "checkpoint_interval_s": self.interval,
                "gpus": {"g": {"a_s": self.a, "c_s": self.c, "gamma": self.gamma, "alpha_s": self.alpha, "p0_w": self.p0,
                               "pmax_w": self.pmax, "evidence": "assumed", "source": "drawn"}}}


class Job:
    def __init__(self, model, work, own):
        self.model, self.work, self.own = model, work, own
        self.left, self.state, self.started = work, "waiting", False
        self.energy = self.lost = self.lost_j = 0.0
        self.k = self.b = self.end = None
        self.since = self.setup = 0.0
        self.parts = []  # of the present run: (computing time, its end, samples/s, W, batch)
        self.unsaved = None  # a checkpoint being written: when it is complete, samples, seconds, J

    def phase(self):
        return self.model.phase_of(1 - self.left / self.work)

    def plan(self):
        """The run from here on, phase by phase."""
        self.parts, at, left, b = [], 0.0, self.left, self.b
        for p in range(self.phase(), len(self.model.phases)):
            b = b if not self.parts else self.model.moved(b, p, self.own)
            rate, watts = self.model.rate_and_power(self.k, b, p)
            work = max(0.0, left - self.work * (1 - self.model.phases[p]["until"]))
            self.parts.append((at, at + work / rate, rate, watts, b))
            at, left = at + work / rate, left - work

    def computed(self, now):
        return max(0.0, now - self.since - self.setup) if self.state == "running" else 0.0

    def total(self, computed, what):
        """Samples (2) or J (3) of the run by some computing time."""
        return math.fsum(part[what] * (min(computed, part[1]) - part[0]) for part in self.parts if part[0] < computed)

    def due(self):
        return self.since + (self.setup + self.parts[-1][1] if self.state == "running" else self.writes)

    def pay(self, now):
        computed = self.computed(now)
        self.energy += self.total(computed, 3) + self.k * CTX_W * (now - self.since - computed)
        if computed > 0:
            self.b = next(part[4] for part in self.parts if computed <= part[1] + 1e-9)


class Run:
    def __init__(self, r):
        self.model, self.gpus, self.now, self.script = Model(r), r.choice([2, 4, 8]), 0.0, []
        self.jobs = []
        for _ in range(r.choice([1, 2, 4])):
            own = [r.choice([1, 4, 8, 20])] if r.random() < 0.25 else None
            self.jobs.append(Job(self.model, round(r.uniform(100, 4000), 2), own))

    def free(self):
        return self.gpus - sum(job.k for job in self.jobs if job.state in ("running", "writing"))

    def pass_time(self, to):
        while True:
            job = min((job for job in self.jobs if job.state in ("running", "writing") and job.due() <= to),
                      key=Job.due, default=None)
            if not job:
                self.now = to
                return
            self.now = job.due()
            job.pay(self.now)
            job.unsaved = None
            if job.state == "running":
                job.end, job.b = self.now, job.parts[-1][4]
            job.state = "finished" if job.state == "running" else "waiting"

    def settle(self, job, at_once):
        """What is done when a job stops; how long it has to write yet."""
        computed, model = job.computed(self.now), self.model
        if job.unsaved and self.now >= job.unsaved[0]:
            job.unsaved = None
        if job.unsaved:
            if not at_once:
                return job.unsaved[0] - self.now
            job.left, job.lost, job.lost_j = (job.left + job.unsaved[1], job.lost + job.unsaved[2],
                                              job.lost_j + job.unsaved[3])
            job.unsaved = None
            return 0
        if computed == 0:
            return 0
        kept = model.interval * (computed // model.interval) if model.interval else 0 if at_once else computed
        job.lost += computed - kept
        job.lost_j += job.total(computed, 3) - job.total(kept, 3)
        done = job.total(kept, 2)
        job.left -= done
        if model.interval or at_once or not model.checkpoint:
            return 0
        job.unsaved = (self.now + model.checkpoint, done, computed, job.total(computed, 3))
        return model.checkpoint

    def configs(self, job, phase):
        return [(k, b) for k in SIZES if k <= self.gpus for b in self.model.allowed(phase, job.own)]

    def begin(self, job, k, setup):
        job.state, job.started, job.since, job.k, job.setup = "running", True, self.now, k, setup
        job.plan()

    def say(self, what, job, config=0):
        self.script.append(f"{self.now:.9f} {what} {self.jobs.index(job)} {config}")

    def act(self, r, job):
        if job.state == "waiting":
            configs = self.configs(job, job.phase())
            k, b = r.choice(configs)
            if k <= self.free():
                self.say("start", job, configs.index((k, b)))
                job.b = b
                self.begin(job, k, self.model.restart if job.started else self.model.start)
        elif job.state == "running" and job.due() > self.now + 1e-3:
            if r.random() < 0.5:
                self.resize(r, job)
            else:
                self.stop(job, r.random() < 0.5)

    def resize(self, r, job):
        computed = job.computed(self.now)
        now_in = self.model.phase_of(1 - (job.left - job.total(computed, 2)) / job.work)
        configs = self.configs(job, now_in)
        k, b = r.choice(configs)
        b_now = next((part[4] for part in job.parts if computed <= part[1]), job.b)
        if (k, b) == (job.k, b_now) or k > self.free() + job.k:
            return
        self.say("resize", job, configs.index((k, b)))
        job.pay(self.now)
        writes = min(self.model.checkpoint, self.settle(job, False))
        if job.unsaved:
            job.unsaved = (self.now + writes, *job.unsaved[1:])
        job.b = b if job.phase() == now_in else self.model.moved(b, job.phase(), job.own)
        self.begin(job, k, self.model.restart + writes)

    def stop(self, job, at_once):
        self.say("kill" if at_once else "stop", job)
        job.pay(self.now)
        writes = self.settle(job, at_once)
        job.state, job.since, job.writes = ("writing" if writes > 0 else "waiting"), self.now, writes

    def go(self, r):
        for _ in range(40):
            self.pass_time(self.now + r.randrange(1, 60) / 8 + 1 / 64 + 1 / 4096)
            self.act(r, r.choice(self.jobs))
        while any(job.state != "finished" for job in self.jobs):
            self.pass_time(self.now + 5 + 1 / 64 + 1 / 4096)
            for job in self.jobs:
                if job.state == "waiting":
                    self.act(r, job)


def play(seed, folder):
    r = random.Random(seed)
    run = Run(r)
    if not run.model.allowed(0, None) or any(not run.model.allowed(0, job.own) for job in run.jobs):
        return 0
    run.go(r)
    (folder / "m.yaml").write_text(lines({"models": [run.model.text()]}), encoding="utf-8")
    (folder / "jobs.csv").write_text("job_id,submit_s,model,work_samples,batch\n" + "".join(
        f"{n},0,m,{job.work},{job.own[0] if job.own else ''}\n" for n, job in enumerate(run.jobs)), encoding="utf-8")
    (folder / "s.yaml").write_text(
        "name: s\nhorizon: drain\nmodels: m.yaml\nworkload: {kind: trace, file: jobs.csv, k: [1, 2, 4]}\n"
        f"cluster: {{gpu_types: [{{name: g, idle_w: 50, ctx_w: {CTX_W}, tdp_w: {TDP_W}, memory_gib: {MEMORY}}}], "
        f"nodes: [{{gpu: g, gpus: {run.gpus}}}]}}\n"
        f"policy: {{name: script, params: {{actions: \"{', '.join(run.script)}\"}}}}\n", encoding="utf-8")
    easim("run", folder / "s.yaml", "--check", "--strict", "--quiet", "--force", "--out", folder / "out")
    for row, job in zip(rows_of(folder / "out/jobs.csv"), run.jobs, strict=True):
        for column, expected in (("finish_s", job.end), ("energy_j", job.energy), ("lost_s", job.lost), ("b", job.b),
                                 ("k", job.k)):
            assert abs(float(row[column]) - expected) <= 1e-6 * (1 + expected), (seed, row, column, expected, run.script)
    lost = float(rows_of(folder / "out/summary.csv")[0]["energy_lost_kwh"]) * 3.6e6
    expected = math.fsum(job.lost_j for job in run.jobs)
    assert abs(lost - expected) <= 1e-6 * (1 + expected), (seed, lost, expected, run.script)
    return len(run.script)


def naive_simulation(folder):
    actions = sum(play(seed, folder) for seed in range(SCENARIOS))
    assert actions > 10 * SCENARIOS, actions
    print(f"{SCENARIOS} scenarios, {actions} actions")


def twins(folder):
    """Models in phases that are equal, and in one: the same jobs, GPUs and energies, byte for byte; more events."""
    events = 0
    for seed in range(1, TWINS + 1):
        outs = []
        for name, phases in (("one", None), ("three", [{"until": 0.37}, {"until": 0.371}, {"until": 1}])):
            place, scenario = folder / f"{seed}-{name}", Scenario(seed)
            for model in scenario.models:
                model.pop("phases", None)
                if phases:
                    model["phases"] = phases
            scenario.files["models.yaml"] = lines({"models": scenario.models} | (
                {"rigid_speed": scenario.rigid_speed} if scenario.rigid_speed else {}))
            scenario.write(place)
            done = easim("run", "scenario.yaml", "--check", "--quiet", "--decisions", "--out", "out", cwd=place, code=None)
            outs.append((done.returncode, place / "out"))
        assert outs[0][0] == outs[1][0], (seed, outs)
        if outs[0][0] != 0:
            continue
        one, three = (out for _, out in outs)
        same_files(one, three, "jobs.csv", "decisions.csv", "users.csv", "types.csv")
        for a, b in zip(rows_of(one / "summary.csv"), rows_of(three / "summary.csv"), strict=True):
            events += int(b["events"]) - int(a["events"])
            different = {k: (a[k], b[k]) for k in a if a[k] != b[k]}
            of_work = [different.pop(k, (0, 0)) for k in ("work_done_gpu_h", "work_unfinished_gpu_h", "energy_per_work_kwh")]
            # what is done of a job that is cut off is a sum of more pieces: its last digit
            assert all(math.isclose(*map(float, pair), rel_tol=1e-14) for pair in of_work), (seed, of_work)
            assert {*different} <= {"events"}, (seed, different)
    assert events > 100, events
    print(f"{TWINS} scenarios, {events} boundaries that change nothing")


cases(naive_simulation, twins)
