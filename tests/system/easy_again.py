"""EASY backfilling under an enforced cap, written down naively: docs/reference/semantics.md 5.8 on top of the simulation of caps.
A reservation is found by going through the ends of all running jobs. Rigid jobs alone, whose GPUs may be in any nodes of a type."""
from caps_again import Simulation, S
from math import ceil, inf


class EasySimulation(Simulation):
    """Jobs of which asked[name] is the requested time in s; the others ask for what they take."""
    asked, does_nothing = {}, False
    reserves_power = True  # False: the head reserves GPUs alone, for a test that this differs

    # --- what starts need and ends give ---

    def left_as_asked(self, job):
        return job.left + self.asked.get(job.spec.name, job.spec.work) - job.spec.work

    def asked_ns(self, job, h):
        setup = self.s.restart if job.started is not None else self.s.setup
        return ceil((setup + self.left_as_asked(job) / self.s.types[h].speed) * S - 0.001)

    def expected_end(self, run):
        """At the present speed; of a job that starts in this decision, at full speed."""
        if run.level is None:
            return self.now + self.asked_ns(run.job, run.job.type)
        left = max(0, run.left + self.left_as_asked(run.job) - run.job.left - run.done_by(self.now))
        end = max(self.now, run.computes_at) + ceil(left / (run.gpu.speed * run.rho()) * S - 0.001)
        return max(end, self.now + 1)

    def added(self, run):
        """What a running job adds at its entry draw to free GPUs, in nW."""
        nodes, idle = self.s.nodes, round(run.gpu.idle * S)
        return sum(gpus * (self.entry(run) - idle + round(nodes[n].busy * S)) for n, gpus in run.place.items())

    def most_added(self, job, h):
        """The most that it may add there."""
        busy = max((n for n, node in enumerate(self.s.nodes) if node.type == h), key=lambda n: self.s.nodes[n].busy)
        return self.added(self.new_run(job, h, {busy: job.spec.gpus}))

    def room(self):
        if self.cluster.cap is None:
            return inf
        runs = self.running()
        return self.cluster.cap - self.fixed(self.cluster, runs) - sum(self.cluster.weight(run) * self.entry(run) for run in runs)

    def free_gpus(self, h):
        return sum(self.free(n) for n, node in enumerate(self.s.nodes) if node.type == h)

    def candidates(self, job):
        empty = self.choices(job, lambda n: self.s.nodes[n].gpus)
        return sorted((h for h, _ in empty), key=lambda h: (self.asked_ns(job, h), self.s.types[h].power(job.spec.use), h))

    # --- the rule ---

    def reservation(self, job, h, heads):
        """(never, shadow, extra GPUs, extra nW, its own need); None: the cap has no power for it."""
        k, need, room = job.spec.gpus, self.most_added(job, h), self.room() if self.reserves_power else inf
        ends = sorted((self.expected_end(run), run.job.type == h and run.job.spec.gpus, self.added(run)) for run in self.running())
        need_all = need + sum(head["need"] for head in heads.values())
        powered = next((at for at in [self.now] + [end for end, _, _ in ends]
                        if room + sum(power for end, _, power in ends if end <= at) >= need_all), None)
        if powered is None:
            return None
        own = [self.now] + [end for end, gpus, _ in ends if gpus]
        gpus_by = {at: self.free_gpus(h) + sum(gpus for end, gpus, _ in ends if gpus and end <= at) for at in own + [powered]}
        shadow = max(powered, next((at for at in own if gpus_by[at] >= k), own[-1]))
        free = gpus_by.get(shadow)
        if free < k:
            return True, shadow, 0, inf, 0
        if room == inf:
            return False, shadow, free - k, inf, 0
        return False, shadow, free - k, room + sum(power for end, _, power in ends if end <= shadow) - need_all, need

    def may_pass(self, heads, h, k, end, power):
        head = heads.get(h)
        if heads and power > self.room():
            return False
        if head and end > head["shadow"] and k > head["extra"]:
            return False
        return not any(end > head["shadow"] and power > head["extra_nw"] for head in heads.values())

    def start_beside(self, job, heads):
        for h in self.candidates(job):
            k, end, power = job.spec.gpus, self.now + self.asked_ns(job, h), self.most_added(job, h)
            if k > self.free_gpus(h) or not self.may_pass(heads, h, k, end, power):
                continue
            run = self.new_run(job, h, self.place(h, k, self.free))
            if not self.admitted(self.running() + [run]):
                continue
            for type_, head in heads.items():
                if end > head["shadow"]:
                    head["extra"] -= k if type_ == h else 0
                    head["extra_nw"] -= power
            job.run, job.state, job.type = run, "running", h
            return True
        return False

    def decide(self):
        heads = {}
        if self.does_nothing:
            return
        for job in sorted((job for job in self.jobs if job.state == "waiting"), key=lambda job: job.rank):
            if self.start_beside(job, heads):
                continue
            found = [(*place[:2], order, h, place) for order, h in enumerate(self.candidates(job)) if h not in heads
                     if (place := self.reservation(job, h, heads))]
            if found:
                *_, h, (_, shadow, extra, extra_nw, need) = min(found, key=lambda one: one[:3])
                heads[h] = {"shadow": shadow, "extra": extra, "extra_nw": extra_nw, "need": need}
        for job in self.jobs:
            if job.run and job.started is None:
                job.started = self.now

    def happen(self):
        """easy does nothing for a single arrival that does not fit."""
        outage = any(self.now in (start, end) for _, start, end in self.s.outages)
        ends = any(run.end is not None and run.end <= self.now for run in self.running())
        others = outage or ends or bool(self.caps and self.caps[0][0] <= self.now)
        coming = [job for job in self.coming if job.spec.submit <= self.now]
        decides = super().happen()
        arrived = [job for job in coming if job.state == "waiting"]  # easy does not see jobs that are rejected
        self.does_nothing = not others and len(arrived) == 1 and not any(
            arrived[0].spec.gpus <= self.free_gpus(h) for h in self.candidates(arrived[0]))
        return decides
