"""Jobs of models that change while they run, under caps that are enforced: phases, resizes and the checkpoints that these write, on top
of the naive simulation of caps_again.py. The rules: docs/reference/semantics.md on speed, efficiency and power (3), resizes (7.1),
checkpoints (10.2), phases (15) and limits (37). Nothing here knows easim."""
from dataclasses import dataclass
from math import inf

from caps_again import S, Curve, Job, Run, Simulation


# ---- Models ----

@dataclass
class Physics:
    """Of a model on a GPU type; alpha, beta: of synchronization, across: across nodes."""
    a: float
    c: float
    gamma: float
    alpha: float
    beta: float
    across: tuple  # the other alpha and beta
    p0: float
    pmax: float

    def iteration(self, k, batch, spans):
        alpha, beta = self.across if spans else (self.alpha, self.beta)
        waits = alpha + beta * (k - 2) if k > 1 else 0
        return (self.a ** self.gamma + (self.c * batch) ** self.gamma) ** (1 / self.gamma) + waits


@dataclass
class Phase:
    until: float
    phi: float = None      # None: the model's
    batches: tuple = None


@dataclass
class Model:
    name: str
    m0: float
    phi: float
    batches: tuple
    phases: list
    on: list  # Physics by GPU type

    def allowed(self, phase):
        return self.phases[phase].batches or self.batches

    def batch_in(self, phase, batch):
        """What a running job takes in a phase: its own, else the next one above, else the largest."""
        return min((b for b in self.allowed(phase) if b >= batch), default=max(self.allowed(phase)))

    def goodput(self, h, k, batch, spans, phase):
        phi = self.phases[phase].phi if self.phases[phase].phi is not None else self.phi
        whole = k * batch
        efficiency = (phi + self.m0) / (phi + whole) if whole > self.m0 else 1
        return whole / self.on[h].iteration(k, batch, spans) * efficiency

    def power(self, gpu, h, k, batch, spans):
        """Of a GPU without a limit, in W."""
        on = self.on[h]
        return min(gpu.tdp, on.p0 + (on.pmax - on.p0) * on.c * batch / on.iteration(k, batch, spans))


@dataclass
class MalleableJob(Job):
    """With a model: work in reference samples, and the numbers of GPUs that it may have in place of `gpus`."""
    model: Model = None
    sizes: tuple = ()
    uses: tuple = ()  # without a model: (work, utilization from there on), ascending

    def phase_at(self, left):
        """Its place in the phases of the model, or how many of the uses have begun."""
        if not self.model:
            return sum(at <= self.work - left for at, _ in self.uses)
        return next(p for p, phase in enumerate(self.model.phases) if self.work * (1 - phase.until) < left or phase.until == 1)

    def configs(self, phase, gpus_of):
        """(GPU type, GPUs, batch), ascending; gpus_of: all GPUs of a type."""
        if not self.model:
            return [(h, self.gpus, None) for h in self.types if self.gpus <= gpus_of(h)]
        return [(h, k, b) for h in self.types for k in self.sizes if k <= gpus_of(h) for b in self.model.allowed(phase)]


# ---- A job while it holds GPUs ----

class PhaseRun(Run):
    def __init__(self, job, gpu, config, place, now, setup, left, phase):
        super().__init__(job, gpu, place, now, setup, left)
        self.config, self.phase = config, phase
        self.mean = self.curve  # known to policies
        if job.spec.model:
            self.enter(phase)
        elif phase > 0:
            self.enter_use(phase)
        elif job.spec.uses:
            self.due = self.left - (job.spec.work - job.spec.uses[0][0])

    def enter_use(self, phase):
        spec = self.job.spec
        self.phase, self.curve = phase, Curve.of(self.gpu, self.gpu.power(spec.uses[phase - 1][1]), spec.flex)
        self.due = self.left - (spec.work - spec.uses[phase][0] if phase < len(spec.uses) else 0)

    def enter(self, phase):
        h, k, batch = self.config
        spec, spans = self.job.spec, len(self.place) > 1
        batch = spec.model.batch_in(phase, batch)
        self.config, self.phase = (h, k, batch), phase
        self.speed = spec.model.goodput(h, k, batch, spans, phase)
        self.curve = Curve.of(self.gpu, spec.model.power(self.gpu, h, k, batch, spans), spec.flex)
        self.due = self.left - spec.work * (1 - spec.model.phases[phase].until)
        self.mean = self.curve

    def is_last(self):
        if not self.job.spec.model:
            return self.phase == len(self.job.spec.uses)
        return self.job.spec.model.phases[self.phase].until == 1

    def pass_boundary(self, now):
        """It goes on at its draw, in between what it may draw now, or without a limit if it had none; a change is as pending as before.
        Within the nanosecond of the boundary its speed does not matter."""
        was_full = self.level >= self.curve.want
        self.done, self.since, self.rate, self.end = self.due, now, 0.0, None
        (self.enter if self.job.spec.model else self.enter_use)(self.phase + 1)
        self.level = self.curve.want if was_full else min(max(self.level, self.curve.lo), self.curve.want)


@dataclass
class Unsaved:
    """A checkpoint that a resize writes: until it is written, a job that loses its GPUs has the work left that it had before."""
    until: int
    left: float
    computed: int  # ns


class InVain(Exception):
    """A job is stopped again and again and keeps nothing: as when each time it is preempted where its power grows above the cap."""


class MalleableSimulation(Simulation):
    """script: (ns, rank of a job, number of a configuration). Waiting jobs try all configurations, from that of their rank on."""

    def __init__(self, scenario, script, write=0.0):
        super().__init__(scenario)
        self.script, self.write = list(script), round(write * S)  # s of a checkpoint on demand
        self.most_vain_stops = inf
        self.changes = sorted(self.changes + [at for at, _, _ in script])
        for job in self.jobs:
            job.unsaved, job.resizes, job.config, job.vain_stops = None, 0, None, 0
        self.seen = {"resized": 0, "resized_capped": 0, "resize_refused": 0, "resize_misfits": 0, "boundaries": 0, "boundaries_capped": 0,
                     "batches": 0, "unsaved": 0, "boundary_preempts": 0, "undone_phases": 0, "failed": 0}

    # --- starts ---

    def all_gpus(self, h):
        return sum(node.gpus for node in self.s.nodes if node.type == h)

    def configs(self, job):
        """Of its present phase."""
        phase = job.run.phase if job.run else self.phase_of(job)
        return job.spec.configs(phase, self.all_gpus)

    def phase_of(self, job):
        return job.spec.phase_at(job.left)

    def choices(self, job, free):
        configs = self.configs(job)
        first = job.rank % len(configs) if configs else 0
        found = [(config, self.place(config[0], config[1], free)) for config in configs[first:] + configs[:first]]
        return [(config, place) for config, place in found if place]

    def new_run(self, job, config, place, phase=None, writes=0):
        setup = self.s.restart if job.started is not None else self.s.setup
        return PhaseRun(job, self.s.types[config[0]], config, place, self.now, round(setup * S) + writes, job.left,
                        self.phase_of(job) if phase is None else phase)

    def start(self, job):
        started = super().start(job)
        if started:
            job.type = job.run.config[0]
        return started

    # --- stops ---

    def book(self, job, at_once):
        """What it keeps of the work of this run, and loses. ns that it still has to write."""
        run, every = job.run, round(self.s.checkpoint * S)
        if job.unsaved and self.now < job.unsaved.until:
            if not at_once:
                return job.unsaved.until - self.now
            job.left, job.lost = job.unsaved.left, job.lost + job.unsaved.computed
            self.seen["unsaved"] += 1
        job.unsaved = None
        if not run.computes(self.now):
            return 0
        computed, before = self.now - run.computes_at, job.left
        kept = computed - computed % every if every else 0 if at_once else computed
        job.lost += computed - kept
        job.left -= run.kept if every else 0 if at_once else run.done_by(self.now)
        if every or at_once:
            return 0
        if computed > 0 and self.write > 0:
            job.unsaved = Unsaved(self.now + self.write, before, computed)
        return self.write

    def stop(self, job):
        before = job.left
        self.seen["failed"] += any(node in job.run.place and start == self.now for node, start, _ in self.s.outages)
        self.book(job, True)
        job.vain_stops = 0 if job.left < before else job.vain_stops + 1
        if job.vain_stops > self.most_vain_stops:
            raise InVain
        job.config, job.run, job.state = job.run.config, None, "waiting"

    def resize(self, job, number):
        if job.state != "running":
            return
        old, configs = job.run, self.configs(job)
        config = configs[number % len(configs)]
        if config == old.config:
            return
        place = self.place(config[0], config[1], lambda n: self.free(n) + old.place.get(n, 0))
        if not place:
            self.seen["resize_misfits"] += 1
            return
        is_capped = any(run.level < run.curve.want for run in self.running() if run.level is not None)
        if not self.admitted([run for run in self.running() if run is not old] + [self.new_run(job, config, place, old.phase)]):
            self.seen["resize_refused"] += 1
            return
        writes, had = self.book(job, False), old.phase
        job.run = self.new_run(job, config, place, None, writes)
        job.type, job.resizes = config[0], job.resizes + 1
        self.seen["resized"] += 1
        self.seen["resized_capped"] += is_capped
        self.seen["undone_phases"] += job.run.phase < had

    def decide(self):
        while self.script and self.script[0][0] <= self.now:
            _, rank, number = self.script.pop(0)
            self.resize(self.in_order[rank], number)
        super().decide()

    # --- boundaries ---

    def known(self, run):
        return run.mean

    def preempt(self):
        any_goes = super().preempt()
        self.seen["boundary_preempts"] += any_goes and self.changed
        return any_goes

    def reach_end(self, run):
        if run.is_last():
            run.job.config = run.config
            return super().reach_end(run)
        before, batch = run.curve, run.config[2]
        run.pass_boundary(self.now)
        self.changed = True
        self.seen["boundaries"] += 1
        self.seen["boundaries_capped"] += run.level < run.curve.want and run.curve != before
        self.seen["batches"] += run.config[2] != batch
        return False
