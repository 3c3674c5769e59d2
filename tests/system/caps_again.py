"""Rigid jobs under power caps that are enforced, written down naively: at every event all draws are filled anew, in exact fractions.
The rules: docs/reference/semantics.md on limits, caps, domains and events, on placement (8), the life of a job (10), speed (11) and failures
(12.1). Nothing here knows easim. Powers are whole nW of one GPU or of all, times whole ns."""
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, inf, sqrt

S, NW = 10**9, 10**9


def nw(watts):
    return round(watts * NW)


# ---- One GPU under a limit ----

@dataclass
class Type:
    """A GPU type. Jobs of utilization u draw idle + u (tdp - idle) W."""
    name: str
    idle: float
    ctx: float
    tdp: float
    floor: float
    s: float
    m: float
    delay: float = 0.1  # s
    speed: float = 1    # of jobs

    def power(self, use):
        return self.idle + use * (self.tdp - self.idle)

    def rho(self, p):
        """Speed at a share p of the power without a limit."""
        p = max(p, self.s + 0.1)
        return 1 / (self.m + (1 - self.m) * (1 - self.s) / (p - self.s)) if p < 1 else 1

    def draw(self, rho):
        """The inverse, within what the law holds for."""
        if rho >= 1:
            return 1
        if self.m >= 1 or 1 / rho <= self.m:
            return self.s + 0.1
        return min(1, max(self.s + 0.1, self.s + (1 - self.m) * (1 - self.s) / (1 / rho - self.m)))

    def best(self):
        """Share of the power at which work takes the least energy."""
        if self.m == 0:
            return 1
        return min(1, max(self.s + 0.1, self.s + sqrt(self.s * (1 - self.m) * (1 - self.s) / self.m)))


@dataclass
class Curve:
    """What a GPU of a job counts, in nW: from lo up to want, and between them what is left of the speed with flex."""
    full: int  # computing without a limit
    lo: int
    want: int
    flex: int
    best: int

    @staticmethod
    def of(gpu, full, flex):
        """full: W."""
        least = min(full, max(gpu.floor, (gpu.s + 0.1) * full))
        lo, want = nw(max(gpu.ctx, least)), nw(max(gpu.ctx, full))

        def within(watts):
            return min(want, max(lo, nw(max(gpu.ctx, watts))))
        return Curve(nw(full), lo, want, want if flex == 0 else within(gpu.draw(1 - flex) * full), within(gpu.best() * full))


# ---- What a scenario says ----

@dataclass
class Node:
    type: int
    gpus: int
    base: float = 0
    busy: float = 0  # W for each GPU that is held


@dataclass
class Job:
    name: str
    submit: int  # ns
    gpus: int
    work: float  # s
    use: float = 1
    sla: bool = False
    flex: float = 0
    types: tuple = (0,)


@dataclass
class Rules:
    enforce: str = "none"
    order: str = "equal"
    admit: str = "efficient"
    steps: int = 64
    grace: float = 1


@dataclass
class Domain:
    """Of nodes with a cap in W."""
    name: str
    nodes: frozenset
    cap: float
    parent: int = None  # in the list of domains; None: the cluster


@dataclass
class Event:
    """Demand response: times in ns; one of the two kinds of target."""
    start: int
    duration: int
    reduction: float = None
    target: float = None  # W
    notice: int = 0
    ramp: int = 0
    price: float = None

    @property
    def end(self):
        return self.start + self.duration

    def step_at(self, step):
        """When the cap falls for that time, of 60."""
        return self.start + self.ramp * step // 60


@dataclass
class Scenario:
    types: list
    nodes: list
    jobs: list
    cap: list = field(default_factory=lambda: [(0, inf)])  # (ns, W)
    rules: Rules = field(default_factory=Rules)
    domains: list = field(default_factory=list)
    events: list = field(default_factory=list)
    setup: float = 0
    restart: float = 0
    checkpoint: float = 0  # s between checkpoints that cost nothing; 0: nothing is kept
    strict: bool = True    # the first job that cannot start stops the pass
    slow: float = 0        # by each neighbour
    outages: list = field(default_factory=list)  # (node, from ns, to ns)

    @property
    def constant(self):
        return len(self.cap) == 1


# ---- A job while it holds GPUs ----

class Run:
    """One start of a job. Its level, what each of its GPUs counts, is what it is held at; `change` is (when, level)."""

    def __init__(self, job, gpu, place, now, setup, left):
        self.job, self.gpu, self.place, self.start, self.left = job, gpu, place, now, left
        self.computes_at, self.curve = now + setup, Curve.of(gpu, gpu.power(job.spec.use), job.spec.flex)
        self.speed, self.due = gpu.speed, left  # work a second without a limit; work of this run at `end`
        self.level, self.change = None, None
        self.kept = self.done = 0.0  # work of this run, at its last checkpoint and when its rate changed last
        self.since, self.rate, self.end = None, 0.0, None

    def computes(self, now):
        return now >= self.computes_at

    def draw(self, now):
        return min(self.level, self.curve.full) if self.computes(now) else nw(self.gpu.ctx)

    def rho(self):
        full = self.curve.full
        return self.gpu.rho(min(self.level, full) / full) if self.level < full else 1

    def done_by(self, now):
        return self.done + (now - self.since) / S * self.rate if self.since is not None else 0.0

    def set_rate(self, rate, now):
        """Its end is found once for each rate."""
        if not self.computes(now) or rate == self.rate:
            return
        self.done = self.done_by(now)
        self.since, self.rate = now, rate
        self.end = now + max(0, ceil((self.due - self.done) / rate * S - 0.001))

    def hold(self, level, now):
        """A newer change takes the place of one that is pending, at the time of that."""
        if self.level is None:
            self.level = level
        elif self.change is not None:
            self.change = (self.change[0], level)
        elif level != self.level:
            self.change = (now + round(self.gpu.delay * S), level)
        self.take_change(now)

    def take_change(self, now):
        if self.change is not None and self.change[0] <= now:
            self.level, self.change = self.change[1], None


class EventState:
    """What an event did, from begin to end, and in the hour after it."""

    def __init__(self, spec):
        self.spec, self.baseline, self.target = spec, None, None
        self.before = None  # energy of the cluster when its baseline begins, nW ns
        self.begun = self.over = self.reached = None
        self.energy = self.above = self.worst = self.after = self.held = 0
        self.lost, self.broken, self.rebound, self.flex = 0.0, {}, None, None

    @property
    def notice(self):
        return self.spec.start - self.spec.notice

    @property
    def since(self):
        return max(0, self.notice - 3600 * S)

    def cap(self, now):
        """In W; a ramp falls from the baseline."""
        spec = self.spec
        if not spec.start <= now < spec.end:
            return inf
        step = max(step for step in range(61) if spec.step_at(step) <= now)
        if step == 60 or self.baseline is None:
            return self.target
        return max(self.target, self.baseline - (self.baseline - self.target) * step / 60)

    def is_enough(self, power):
        return self.baseline is not None and power <= nw(self.target + 0.05 * max(0, self.baseline - self.target))


class JobState:
    def __init__(self, spec, number):
        self.spec, self.number, self.state = spec, number, "coming"
        self.run, self.started, self.left = None, None, spec.work
        self.finish, self.type, self.preemptions = None, None, 0
        self.energy = 0  # nW ns
        self.exec = self.lost = self.throttled = self.broken = 0  # ns
        self.throttled_gpu = 0  # GPU ns
        self.limit_lost = 0.0  # s


# ---- Filling ----

class Bound:
    """A cap and the nodes below it."""

    def __init__(self, nodes, depth, order):
        self.nodes, self.depth, self.order, self.cap = nodes, depth, order, None
        self.energy = self.most = self.throttled = self.violation = self.stretch = 0  # nW ns, nW, GPU ns, ns, ns

    def weight(self, run):
        """GPUs of a job below it."""
        return sum(gpus for node, gpus in run.place.items() if node in self.nodes)


def stages_of(order):
    """Of each stage: the jobs that rise in it, from what to what."""
    def lo(run): return run.curve.lo
    def want(run): return run.curve.want
    def flex(run): return run.curve.flex
    if order == "equal":
        return [(lambda run: True, lo, want)]
    if order == "by_class":
        return [(lambda run: run.job.spec.sla, lo, want), (lambda run: not run.job.spec.sla, lo, want)]
    return [(lambda run: run.job.spec.flex == 0, lo, want), (lambda run: run.job.spec.flex > 0, lo, flex),
            (lambda run: run.job.spec.flex > 0, flex, want)]


def fill(runs, bounds, fixed, order):
    """Of each run the fractions by which it rises in its stages. fixed: nW of each bound without the jobs."""
    level = {run: Fraction(run.curve.lo) for run in runs}
    rises = {run: [] for run in runs}

    def committed(bound):
        return fixed[bound] + sum(bound.weight(run) * level[run] for run in runs)
    full = {bound for bound in bounds if bound.cap is not None and committed(bound) > bound.cap}
    for rises_in, low, high in stages_of(order):
        stage = [run for run in runs if rises_in(run)]
        at = Fraction(0)
        going = [run for run in stage if not any(bound in full and bound.weight(run) for bound in bounds)]
        x = {run: Fraction(0) for run in stage}
        while going:
            limits = []
            for bound in bounds:
                slope = sum(bound.weight(run) * (high(run) - low(run)) for run in going)
                if bound.cap is not None and slope > 0:
                    limits.append((at + (bound.cap - committed(bound)) / slope, bound))
            reached = min((limit for limit, _ in limits), default=Fraction(1))
            if reached >= 1:
                reached, stops = Fraction(1), set()
            else:
                stops = {bound for limit, bound in limits if limit == reached}
            for run in going:
                x[run] = reached
                level[run] = low(run) + (high(run) - low(run)) * reached
            full |= stops
            going = [run for run in going if not any(bound.weight(run) for bound in stops)] if reached < 1 else []
            at = reached
        for run in stage:
            rises[run].append(x[run])
    return rises


# ---- The simulation ----

class Simulation:
    domains_reject = True  # a job that its domains forbid on the empty cluster, as one that a constant cap forbids

    def __init__(self, scenario):
        self.s, self.now = scenario, 0
        self.jobs = [JobState(spec, n) for n, spec in enumerate(scenario.jobs)]
        self.in_order = sorted(self.jobs, key=lambda job: (job.spec.submit, job.number))
        self.coming = list(self.in_order)
        for rank, job in enumerate(self.coming):
            job.rank = rank
        self.down, self.steps = set(), {}
        self.energy, self.violation, self.stretch = 0, 0, 0
        self.enforced = scenario.rules.enforce != "none"
        self.cluster = Bound(frozenset(range(len(scenario.nodes))), -1, 0)
        self.bounds = [self.cluster]
        for order, domain in enumerate(scenario.domains):
            self.bounds.append(Bound(domain.nodes, self.depth(domain), order))
            self.bounds[-1].cap = nw(domain.cap)
        self.caps, self.series_cap = list(scenario.cap), inf
        self.events = [EventState(event) for event in scenario.events]
        self.changes = sorted(at for event in scenario.events for at in {event.end, *map(event.step_at, range(61))})
        self.stuck = self.changed = False  # changed: power of a job without a limit

    def depth(self, domain):
        return 0 if domain.parent is None else 1 + self.depth(self.s.domains[domain.parent])

    # --- what is where ---

    def running(self):
        return [job.run for job in self.jobs if job.state == "running"]

    def free(self, node):
        held = sum(run.place.get(node, 0) for run in self.running())
        return 0 if node in self.down else self.s.nodes[node].gpus - held

    def place(self, type_, gpus, free):
        """The fullest node that has room; else the emptiest nodes, and the last piece in the next of them."""
        nodes = [n for n, node in enumerate(self.s.nodes) if node.type == type_]
        if sum(free(n) for n in nodes) < gpus:
            return None
        room = [n for n in nodes if free(n) >= gpus]
        if room:
            return {min(room, key=lambda n: (free(n), n)): gpus}
        place = {}
        for node in sorted(nodes, key=lambda n: (-free(n), n)):
            taken = min(free(node), gpus - sum(place.values()))
            if taken:
                place[node] = taken
        return place

    def fixed(self, bound, runs):
        """Nodes and free GPUs, in nW."""
        total = 0
        for n in bound.nodes - self.down:
            node, held = self.s.nodes[n], sum(run.place.get(n, 0) for run in runs)
            total += nw(node.base) + held * nw(node.busy) + (node.gpus - held) * nw(self.s.types[node.type].idle)
        return total

    def power(self):
        runs = self.running()
        return self.fixed(self.cluster, runs) + sum(sum(run.place.values()) * run.draw(self.now) for run in runs)

    def over(self, bound, runs, count):
        """Whether these jobs are more than a cap if each of their GPUs counts so much."""
        return bound.cap is not None and self.fixed(bound, runs) + sum(
            bound.weight(run) * count(run) for run in runs) > bound.cap

    # --- caps ---

    def entry(self, run):
        curve, spec, rules = run.curve, run.job.spec, self.s.rules
        level = {"full": curve.want, "floor": curve.lo, "efficient": curve.best}[rules.admit]
        if rules.order == "by_class" and spec.sla:
            return curve.want
        return max(level, curve.flex) if rules.order == "by_flex" else level

    def raises(self, bound, runs):
        """Whether these jobs, in place of those that run, draw more there at entry."""
        before, after = (self.fixed(bound, jobs) + sum(bound.weight(run) * self.entry(run) for run in jobs) for jobs in (self.running(), runs))
        return after > before

    def admitted(self, runs):
        return not self.enforced or not any(self.over(bound, runs, self.entry) and self.raises(bound, runs) for bound in self.bounds)

    def group(self, run):
        """Those that have one step: alike in stages, and in domains or, of a job in several, in its GPUs in each."""
        spec, order = run.job.spec, self.s.rules.order
        kind = {"equal": None, "by_class": spec.sla, "by_flex": spec.flex > 0}[order]
        inner = {node: max((bound.depth, bound.order) for bound in self.bounds if node in bound.nodes) for node in run.place}
        gpus = {bound: sum(gpus for node, gpus in run.place.items() if inner[node] == bound) for bound in inner.values()}
        return kind, frozenset(gpus.items() if len(gpus) > 1 else gpus)

    def step(self, group, number, exact):
        """x in steps, with those of the stages of a group as they were."""
        steps = self.s.rules.steps
        if steps == 0:
            return exact
        old, new = self.steps.get((group, number)), floor(exact * steps)
        if old is None or new < old or new >= old + 2 or new == steps:
            self.steps[group, number] = new
        return Fraction(self.steps[group, number], steps)

    def fill(self):
        runs = self.running()
        if not self.enforced:
            for run in runs:
                run.hold(run.curve.want, self.now)
            return
        fixed = {bound: self.fixed(bound, runs) for bound in self.bounds}
        rises = fill(runs, self.bounds, fixed, self.s.rules.order)
        groups = {self.group(run) for run in runs}
        self.steps = {key: value for key, value in self.steps.items() if key[0] in groups}
        for run in runs:
            level, own = Fraction(run.curve.lo), [stage for stage in stages_of(self.s.rules.order) if stage[0](run)]
            for number, ((_, low, high), exact) in enumerate(zip(own, rises[run], strict=True)):
                level += (high(run) - low(run)) * self.step(self.group(run), number, exact)
            run.hold(floor(level), self.now)

    def known(self, run):
        """Its curve as policies know it."""
        return run.curve

    def preempt(self):
        """Until all caps hold with all at their lowest; those below the innermost first. Whether any job had to go."""
        any_goes = False
        for bound in sorted(self.bounds, key=lambda bound: (-bound.depth, bound.order)):
            while self.over(bound, self.running(), lambda run: run.curve.lo):
                below = [run for run in self.running() if bound.weight(run)]
                if not below:
                    break
                first = min(below, key=lambda run: (run.job.spec.sla, -sum(run.place.values()) * self.known(run).want, -run.start,
                                                    -run.job.rank))
                first.job.preemptions, any_goes = first.job.preemptions + 1, True
                self.stop(first.job)
        return any_goes

    # --- jobs ---

    def stop(self, job):
        run = job.run
        if run.computes(self.now):
            computed = self.now - run.computes_at
            every = round(self.s.checkpoint * S)
            job.lost += computed % every if every else computed
            job.left -= run.kept if every else 0
        job.run, job.state = None, "waiting"

    def choices(self, job, free):
        """Where it may run, the fastest first; ties: less power, the earlier type."""
        found = []
        for h in job.spec.types:
            gpu, place = self.s.types[h], self.place(h, job.spec.gpus, free)
            if place:
                found.append((job.spec.work / gpu.speed, gpu.power(job.spec.use), h, place))
        return [(h, place) for _, _, h, place in sorted(found, key=lambda choice: choice[:3])]

    def new_run(self, job, h, place):
        setup = self.s.restart if job.started is not None else self.s.setup
        return Run(job, self.s.types[h], place, self.now, round(setup * S), job.left)

    def start(self, job):
        for h, place in self.choices(job, self.free):
            run = self.new_run(job, h, place)
            if self.admitted(self.running() + [run]):
                job.run, job.state, job.type = run, "running", h
                job.started = self.now if job.started is None else job.started
                return True
        return False

    def decide(self):
        for job in sorted((job for job in self.jobs if job.state == "waiting"), key=lambda job: job.rank):
            if not self.start(job) and self.s.strict:
                break

    def arrive(self, job):
        empty = self.choices(job, lambda n: self.s.nodes[n].gpus)
        if self.enforced:
            bounds = [self.cluster] * self.s.constant + self.bounds[1:] * self.domains_reject
            down, self.down, cap = self.down, set(), self.cluster.cap
            self.cluster.cap = None if self.series_cap == inf else nw(self.series_cap)  # events pass
            empty = [(h, place) for h, place in empty
                     if not any(self.over(bound, [self.new_run(job, h, place)], self.entry) for bound in bounds)]
            self.down, self.cluster.cap = down, cap
        job.state = "waiting" if empty else "rejected"

    # --- time ---

    def next_time(self):
        times = [job.spec.submit for job in self.coming[:1]] + [at for at, _ in self.caps[:1]]
        times += self.changes[:1] + [at for event in self.events for at in (event.since, event.notice) if at > self.now]
        times += [at for _, start, end in self.s.outages for at in (start, end) if at > self.now]
        every = round(self.s.checkpoint * S)
        for run in self.running():
            times += [run.change[0]] if run.change else []
            times += [run.end] if run.end is not None else [run.computes_at]
            if every and run.end is not None:
                times.append(run.computes_at + ((self.now - run.computes_at) // every + 1) * every)
        return min(times)

    def move(self, to):
        took = to - self.now
        power, cap = self.power(), self.cluster.cap
        self.energy += power * took
        for event in self.events:
            self.note(event, power, took)
        if cap is not None and power > cap:
            self.stretch += took
        else:
            self.end_stretch()
        for bound in self.bounds[1:]:
            self.move_domain(bound, took)
        for run in self.running():
            job = run.job
            job.energy += sum(run.place.values()) * run.draw(self.now) * took
            job.exec += took
            if run.computes(self.now):
                job.throttled += took if run.level < run.curve.want else 0
                job.throttled_gpu += took * sum(run.place.values()) if run.level < run.curve.want else 0
                job.limit_lost += (1 - run.rho()) * took / S
                job.broken += took if self.is_broken(run) else 0
        self.now = to

    def move_domain(self, bound, took):
        runs = self.running()
        power = self.fixed(bound, runs) + sum(bound.weight(run) * run.draw(self.now) for run in runs)
        bound.energy += power * took
        bound.most = max(bound.most, power if took else 0)
        bound.throttled += took * sum(bound.weight(run) for run in runs if run.computes(self.now) and run.level < run.curve.want)
        bound.stretch += took
        if power <= bound.cap:
            bound.stretch = 0
        elif bound.stretch > round(self.s.rules.grace * S):
            bound.violation += min(took, bound.stretch - round(self.s.rules.grace * S))

    def is_broken(self, run):
        return run.computes(self.now) and min(run.level, run.curve.full) < min(run.curve.flex, run.curve.full)

    def note(self, event, power, took):
        """What an event is in the time to come, in which nothing changes."""
        spec = event.spec
        if spec.start <= self.now < spec.end:
            event.energy += power * took
            if event.is_enough(power) and event.reached is None:
                event.reached = self.now - spec.start
            if self.now >= spec.start + spec.ramp:
                event.after += took
                event.held += took if event.is_enough(power) else 0
                event.above += max(0, power - nw(event.target)) * took
                event.worst = max(event.worst, power - nw(event.target))
            for run in self.running():
                event.lost += sum(run.place.values()) * (1 - run.rho()) * took / S if run.computes(self.now) else 0
                if self.is_broken(run):
                    event.broken[run.job.number] = event.broken.get(run.job.number, 0) + took
        following = [other.spec.start for other in self.events if other.spec.start >= spec.end]
        if spec.end <= self.now < min([spec.end + 3600 * S, *following]):
            event.rebound = max(event.rebound or 0, power)

    def begin_and_end(self):
        """After all decisions of an instant."""
        for event in self.events:
            if event.spec.start == self.now:
                event.begun, runs = self.now, self.running()
                event.flex = self.fixed(self.cluster, runs) + sum(sum(run.place.values()) * run.curve.flex for run in runs)
            if event.begun is not None:
                event.over = min(self.now, event.spec.end)

    def end_stretch(self):
        self.violation += max(0, self.stretch - (round(self.s.rules.grace * S) if self.enforced else 0))
        self.stretch = 0

    def happen(self):
        """Everything of this instant, and whether the policy decides."""
        decides, every = False, round(self.s.checkpoint * S)
        while self.caps and self.caps[0][0] <= self.now:
            self.series_cap, decides = self.caps.pop(0)[1], True
        for event in self.events:
            if self.now == event.since:
                event.before = self.energy
            if self.now == event.notice or event.notice < 0 == self.now:
                took = event.notice - event.since
                event.baseline = (self.energy - event.before) / NW / took if took > 0 else None
                event.target = (1 - event.spec.reduction) * event.baseline if event.spec.target is None else event.spec.target
        while self.changes and self.changes[0] <= self.now:
            decides = self.changes.pop(0) is not None
        watts = min([self.series_cap] + [event.cap(self.now) for event in self.events])
        self.cluster.cap = None if watts == inf else nw(watts)
        for run in self.running():
            run.take_change(self.now)
            if every and run.since is not None and (self.now - run.computes_at) % every == 0:
                run.kept = run.done_by(self.now)
        for node, start, end in self.s.outages:
            if start == self.now:
                for run in sorted(self.running(), key=lambda run: run.job.rank):
                    if node in run.place:
                        self.stop(run.job)
                self.down.add(node)
                decides = True
            elif end == self.now:
                self.down.discard(node)
                decides = True
        for run in self.running():
            if run.end is not None and run.end <= self.now:
                decides = self.reach_end(run) or decides
        while self.coming and self.coming[0].spec.submit <= self.now:
            self.arrive(self.coming.pop(0))
            decides = True
        return decides

    def reach_end(self, run):
        """All that was due is done; whether the policy decides."""
        run.job.state, run.job.finish, run.job.run = "finished", self.now, None
        return True

    def set_rates(self):
        runs = self.running()
        for run in runs:
            others = max(sum(node in other.place for other in runs) - 1 for node in run.place)
            run.set_rate(run.speed * run.rho() / (1 + self.s.slow * others), self.now)

    def go(self):
        while True:
            decides = self.happen()
            if self.s.rules.enforce == "throttle_then_preempt":
                decides = self.preempt() or decides
            if decides:
                self.decide()
            if decides or self.changed:
                self.fill()
            self.changed = False
            self.set_rates()
            self.begin_and_end()
            if not self.coming and not any(job.state in ("waiting", "running") for job in self.jobs):
                break
            waits = not self.coming and not self.running() and not self.caps and not self.changes
            if waits and not any(end > self.now for _, _, end in self.s.outages):
                self.stuck = True
                break
            self.move(self.next_time())
        self.end_stretch()
        return self
