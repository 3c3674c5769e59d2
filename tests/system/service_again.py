"""Services without jobs, simulated naively: tables, demand, replicas, scaling, waiting times, from docs/reference/semantics.md alone.

Every tick is taken, none is left out; times are whole nanoseconds, tokens are real numbers.
"""
import math
from bisect import bisect_right
from datetime import datetime

from harness import rows_of

NS = 10**9
QUANTILES = ("p50", "p90", "p95", "p99")


def pooled(values):
    """The nearest values in least squares that do not fall: the max-min formula of isotonic regression."""
    prefix = [0.0]
    for value in values:
        prefix.append(prefix[-1] + value)
    count = len(values)
    return [max(min((prefix[b] - prefix[a]) / (b - a) for b in range(i + 1, count + 1)) for a in range(i + 1)) for i in range(count)]


class Table:
    """Of one replica: what it gives, draws and takes with n requests."""

    def __init__(self, points, loaded_w):
        self.n = [point["n"] for point in points]
        self.rate = pooled([point["per_s"] for point in points])
        self.power = [point["power_w"] for point in points]
        self.latency = {q: pooled([point["itl_ms"][q] for point in points]) for q in QUANTILES}
        self.loaded_w = loaded_w

    def between(self, n):
        """The piece that n lies in, and how far."""
        i = min(max(bisect_right(self.n, n), 1), len(self.n) - 1)
        return i - 1, (n - self.n[i - 1]) / (self.n[i] - self.n[i - 1])

    def rate_at(self, n):
        if n <= self.n[0]:
            return self.rate[0] * n / self.n[0]
        i, share = self.between(n)
        low, high = self.n[i] / self.rate[i], self.n[i + 1] / self.rate[i + 1]
        return self.rate[i] if self.rate[i] == self.rate[i + 1] else n / (low + share * (high - low))

    def least_n(self, rate):
        """By bisection, as the rate does not fall."""
        low, high = 0.0, self.n[-1]
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (low, middle) if self.rate_at(middle) >= rate * (1 - 1e-15) else (middle, high)
        return high

    def power_at(self, n):
        if n < self.n[0]:
            return self.loaded_w + (self.power[0] - self.loaded_w) * (1 - math.exp(-n)) / (1 - math.exp(-self.n[0]))
        if len(self.n) == 1:
            return self.power[0]
        i, _ = self.between(n)
        share = math.log(n / self.n[i]) / math.log(self.n[i + 1] / self.n[i])
        return self.power[i] + share * (self.power[i + 1] - self.power[i])

    def latency_at(self, n, quantile):
        values = self.latency[quantile]
        if n <= self.n[0] or len(self.n) == 1:
            return values[0]
        i, share = self.between(n)
        return values[i] + share * (values[i + 1] - values[i])

    def full_use(self, limit, quantile, most_ms):
        """Largest n that meets the objective, then the least one that gives as much; None: none does."""
        if self.latency[quantile][0] > most_ms:
            return None
        n = self.n[-1]
        if self.latency[quantile][-1] > most_ms:
            low, high = self.n[0], n
            for _ in range(200):
                middle = (low + high) / 2
                low, high = (middle, high) if self.latency_at(middle, quantile) <= most_ms else (low, middle)
            n = low
        return self.least_n(self.rate_at(min(n, limit)))


class Config:
    def __init__(self, table, gpu, type_number, k, limit, slo):
        self.table, self.gpu, self.type, self.k, self.limit, self.quantile = table, gpu, type_number, k, limit, slo["quantile"]
        self.n = table.full_use(limit, self.quantile, slo["itl_ms"])
        self.rate = table.rate_at(self.n) if self.n else 0

    def most_w(self):
        """The most that it ever draws: of all pieces of the table up to n, which rise or fall within each."""
        ends = [0.0, *(n for n in self.table.n if n < self.n), self.n]
        return max(self.table.power_at(n) for n in ends)

    def running(self, load):
        return self.n if load >= 1 else self.table.least_n(load * self.rate)

    def power(self, load):
        return self.table.power_at(self.running(load))

    def joules(self, load):
        return self.power(load) / (load * self.rate)

    def latency(self, load):
        return self.table.latency_at(self.running(load), self.quantile)


class Demand:
    """Steps (time_ns, rate) from t = 0 on, for ever; or again after `period_ns`, of which rounds begin at `first_ns` and before."""

    def __init__(self, steps, period_ns=None, first_ns=0):
        self.times, self.rates, self.period_ns, self.first_ns = [t for t, _ in steps], [rate for _, rate in steps], period_ns, first_ns

    def at(self, t):
        t = (t - self.first_ns) % self.period_ns if self.period_ns else t
        i = bisect_right(self.times, t) - 1
        return self.rates[i] if i >= 0 else 0.0

    def changes(self, end_ns):
        rounds = range(-1 - self.first_ns // self.period_ns, end_ns // self.period_ns + 1) if self.period_ns else [0]
        every = {self.first_ns + r * (self.period_ns or 0) + t for r in rounds for t in self.times}
        return sorted(t for t in every if 0 <= t <= end_ns)

    def most(self, start, end, changes):
        inside = changes[bisect_right(changes, start):bisect_right(changes, end)]
        return max([self.at(max(start, 0))] + [self.at(t) for t in inside])


def read_requests(path):
    """(seconds since the first, prompt tokens, output tokens) of a log."""
    rows = sorted((datetime.fromisoformat(row["TIMESTAMP"][:26]).timestamp(), int(row["ContextTokens"]), int(row["GeneratedTokens"]))
                  for row in rows_of(path))
    return [(t - rows[0][0], prompt, output) for t, prompt, output in rows]


def binned(requests, bin_s, scale=1, repeat=False, spare=0):
    """spare: bins without a request from the last one to the end of the period."""
    last = int(requests[-1][0] // bin_s)
    sums = [0] * (last + 1)
    for t, _, output in requests:
        sums[int(t // bin_s)] += output
    bin_ns = round(bin_s * NS)
    steps = [(i * bin_ns, scale * total / bin_s) for i, total in enumerate(sums)]
    end = (last + 1) * bin_ns
    if repeat and not spare:
        return Demand(steps, end)
    return Demand([*steps, (end, 0.0)], end + spare * bin_ns if repeat else None)


class Replica:
    def __init__(self, config, node, state, ready_ns, gpus):
        self.config, self.node, self.state, self.ready_ns, self.gpus = config, node, state, ready_ns, gpus
        self.spare_ns = None


def quantile(pieces, share):
    """Least value up to which lie so many of the tokens of pieces (tokens, low, high)."""
    total = sum(tokens for tokens, _, _ in pieces)

    def below(value):
        return sum(tokens * (1.0 if high <= value else 0.0 if low > value else (value - low) / (high - low))
                   for tokens, low, high in pieces)
    if total == 0 or below(1e300) < share * total * (1 - 1e-12):
        return None
    low, high = -1e-9, max([high for _, _, high in pieces if high < math.inf], default=0.0)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if below(middle) >= share * total * (1 - 1e-13) else (middle, high)
    return max(high, 0.0)


class Service:
    """spec: name, demand, slo {itl_ms, quantile, wait_s, timeout_s}, min, max, start_s, scaling, configs (feasible, in order)."""

    def __init__(self, spec, end_ns):
        self.spec, self.demand, self.replicas = spec, spec["demand"], []
        self.changes = self.demand.changes(end_ns)
        self.now = 0
        self.backlog = 0.0
        self.begin()

    def begin(self):
        """Figures are of what comes from now on."""
        self.before = self.backlog
        self.demanded = self.served = self.dropped = self.within = self.energy_j = self.gpu_s = 0.0
        self.waits, self.latencies, self.scale_ups, self.preemptions = [], [], 0, 0

    def ready(self):
        return [r for r in self.replicas if r.state == "ready"]

    def capacity(self):
        return sum(r.config.rate for r in self.ready())

    def advance(self, t):
        """Rates are constant up to t, but for what the backlog does."""
        rate = self.demand.at(self.now)
        capacity = self.capacity()
        timeout = self.spec["slo"].get("timeout_s", math.inf)
        left_s = (t - self.now) / NS
        while left_s > 0:
            level = timeout * capacity if capacity > 0 else math.inf
            drop, drift, until, then = 0.0, rate - capacity if self.backlog > 0 or rate > capacity else 0.0, math.inf, level
            if self.backlog > level * (1 + 1e-12):
                drop, drift, until = rate, -capacity, (self.backlog - level) / capacity
            elif self.backlog >= level * (1 - 1e-12) and rate > capacity:
                self.backlog, drop, drift = level, rate - capacity, 0.0
            elif drift < 0:
                until, then = self.backlog / -drift, 0.0
            elif drift > 0 and level < math.inf:
                until = (level - self.backlog) / drift
            step_s = min(left_s, until)
            self.piece(step_s, rate, capacity, drop, drift)
            left_s -= step_s
            if step_s == until:
                self.backlog = then
        self.now = t

    def piece(self, step_s, rate, capacity, drop, drift):
        full = self.backlog > 0 or rate > capacity
        before, self.backlog = self.backlog, max(self.backlog + drift * step_s, 0.0)
        kept = (rate - drop) * step_s
        served = kept - (self.backlog - before)
        self.demanded, self.dropped, self.served = self.demanded + rate * step_s, self.dropped + drop * step_s, self.served + served
        if capacity > 0:
            low, high = sorted((before / capacity, self.backlog / capacity))
            self.waits.append((kept, low, high))
            limit = self.spec["slo"]["wait_s"]
            self.within += kept * (1.0 if high <= limit * (1 + 1e-12) else 0.0 if low > limit else (limit - low) / (high - low))
        elif kept > 0:
            self.waits.append((kept, math.inf, math.inf))
        load = 1.0 if full else rate / capacity if capacity > 0 else 0.0
        drawn = {}
        for r in self.replicas:
            if r.state == "ready":
                if r.config not in drawn:
                    drawn[r.config] = r.config.power(load), r.config.latency(load)
                self.energy_j += drawn[r.config][0] * step_s
                if served > 0:
                    value = drawn[r.config][1]
                    self.latencies.append((served * r.config.rate / capacity, value, value))
            elif r.state == "loading":
                self.energy_j += r.config.table.ctx_w * r.config.k * step_s
            if r.state != "reserved":
                self.gpu_s += r.config.k * step_s

    def best(self, most, others, fits):
        scaling = self.spec["scaling"]
        found, least = None, math.inf
        for config in self.spec["configs"]:
            rate = min(most * config.rate / (others + config.rate), config.rate) if most > 0 else scaling["target"] * config.rate
            n = min(config.table.least_n(rate), config.n)
            value = config.table.latency_at(n, config.quantile) if scaling["objective"] == "latency" else config.table.power_at(n) / rate
            if value < least * (1 - 1e-12) and fits(config):
                found, least = config, value
        return found


class Naps:
    """Free GPUs of one node, each by itself: which sleep, which wake up, which are awake. wake_ns None: none ever sleeps."""

    def __init__(self, gpus, after_ns, wake_ns):
        self.after_ns, self.wake_ns = after_ns, wake_ns
        self.free, self.asleep, self.waking = [(0, 0)] * gpus, 0, {}  # (free since, awake from); (holder: awake from, ...)

    def fall(self, now):
        """Those that have been free for long enough."""
        if self.wake_ns is not None:
            still = [gpu for gpu in self.free if now - gpu[0] < self.after_ns]
            self.asleep, self.free = self.asleep + len(self.free) - len(still), still

    def take(self, count, holder, now):
        """When the last of them is awake: the last freed of those awake first, then the next to be awake, then those that sleep."""
        self.fall(now)
        order = sorted(range(len(self.free)), key=lambda i: (max(self.free[i][1], now), -self.free[i][0], -i))[:count]
        ready = [self.free[i][1] for i in order]
        self.free = [gpu for i, gpu in enumerate(self.free) if i not in order]
        slept = count - len(ready)
        self.asleep -= slept
        ready += [now + self.wake_ns] * slept if slept else []
        self.waking.setdefault(holder, []).extend(ready)
        return max(ready, default=now)

    def give_back(self, count, holder, now):
        ready = sorted(self.waking.pop(holder, []), reverse=True)
        self.fall(now)
        self.free += [(now, at) for at in ready[:count]]


class Job:
    """What a trace says of a job, and where it is now."""

    def __init__(self, number, may_go):
        self.number, self.may_go = number, may_go  # in order of submission; for a replica
        self.held, self.power_w, self.since, self.running = [], None, None, False  # power_w: of one GPU, as it counts


class Cluster:
    """nodes: [(gpu type, GPUs)]; outages: [(start_ns, end_ns, node)]; beside: what else there is, by the names of BESIDE.

    Of jobs it is given by `facts`, {time_ns: [(kind, job, ...)]} of a trace, what policies and their own work do: start, finish,
    release, preempt. What replicas do to them, it finds by itself: `displaced` has it, (time_ns, job) in order.
    """

    BESIDE = {"warmup_ns": 0, "jobs": {}, "facts": {}, "idle_w": {}, "cpu_w": 0, "base_w": 0, "cap": None, "naps": {}}

    def __init__(self, nodes, services, end_ns, outages=(), **beside):
        self.nodes, self.end_ns, self.outages = nodes, end_ns, outages
        for key, value in {**self.BESIDE, **beside}.items():
            setattr(self, key, value)
        self.free = [gpus for _, gpus in nodes]
        self.failed = [False] * len(nodes)
        self.reservations = self.fulfilled = self.capped = 0
        self.displaced, self.starts = [], 0
        self.services = [Service(spec, end_ns) for spec in services]
        self.sleepers = [Naps(gpus, *self.naps.get(gpu, (None, None))) for gpu, gpus in nodes]

    # ---- Power against the cap ----

    def counted_w(self, replica):
        """Of the GPUs of a replica."""
        config = replica.config
        return max(config.k * config.table.ctx_w, config.most_w())

    def power_w(self):
        """All that counts: idle GPUs as awake, jobs and replicas with their most."""
        total = sum(self.base_w + gpus * self.idle_w[gpu] for i, (gpu, gpus) in enumerate(self.nodes) if not self.failed[i])
        for job in self.jobs.values():
            for node, gpus in job.held:
                total += gpus * (job.power_w + self.cpu_w - self.idle_w[self.nodes[node][0]])
        for service in self.services:
            for r in service.replicas:
                if r.state != "reserved":
                    total += self.counted_w(r) + r.gpus * (self.cpu_w - self.idle_w[r.config.gpu])
        return total

    def cap_w(self, now):
        return self.cap.at(now) if self.cap else math.inf

    def may(self, config, now):
        """With one more of these, on free GPUs."""
        if not self.cap:
            return True
        more = max(config.k * config.table.ctx_w, config.most_w()) + config.k * (self.cpu_w - self.idle_w[config.gpu])
        return self.power_w() + more <= self.cap_w(now) + 1e-9

    # ---- GPUs ----

    def fits(self, config):
        return self.node_for(config) is not None

    def node_for(self, config):
        """The one with fewest free GPUs that has k."""
        able = [(self.free[i], i) for i, (gpu, _) in enumerate(self.nodes) if gpu == config.gpu and self.free[i] >= config.k]
        return min(able)[1] if able else None

    def take(self, node, gpus, holder, now):
        self.free[node] -= gpus
        return self.sleepers[node].take(gpus, holder, now)

    def give_back(self, node, gpus, holder, now):
        self.free[node] += gpus
        self.sleepers[node].give_back(gpus, holder, now)

    def load(self, service, replica, now, at_once=False):
        """On GPUs that it holds."""
        replica.ready_ns = max(replica.awake_ns, now) + (0 if at_once else round(service.spec["start_s"] * NS))
        replica.state = "loading" if replica.ready_ns > now else "ready"
        self.starts += 1
        replica.began = now, self.starts
        service.scale_ups += not at_once

    def start(self, service, config, now, at_once=False):
        node = self.node_for(config)
        replica = Replica(config, node, None, None, config.k)
        replica.awake_ns = self.take(node, config.k, replica, now)
        service.replicas.append(replica)
        self.load(service, replica, now, at_once)

    def reserve(self, service, config, now):
        """Free GPUs of the node that lacks fewest, among those that replicas leave enough."""
        best = None
        for i, (gpu, gpus) in enumerate(self.nodes):
            here = [r for s in self.services for r in s.replicas if r.node == i]
            held = sum(r.config.k for r in here)
            if gpu == config.gpu and not self.failed[i] and not any(r.state == "reserved" for r in here) and gpus - held >= config.k:
                if best is None or self.free[i] > self.free[best]:
                    best = i
        if best is None:
            return False
        replica = Replica(config, best, "reserved", None, 0)
        replica.awake_ns = 0
        service.replicas.append(replica)
        self.reservations += 1
        self.fill(now)
        return True

    def fill(self, now):
        """GPUs that are free go to the reservation of their node; one that has all loads, if the cap lets it."""
        for service in self.services:
            for r in service.replicas:
                if r.state != "reserved":
                    continue
                taken = min(self.free[r.node], r.config.k - r.gpus)
                if taken:
                    r.awake_ns = max(r.awake_ns, self.take(r.node, taken, r, now))
                    r.gpus += taken
                if r.gpus == r.config.k and self.may(r.config, now):
                    self.load(service, r, now)
                    self.fulfilled += 1

    def release(self, service, replica, now):
        service.replicas.remove(replica)
        self.give_back(replica.node, replica.gpus, replica, now)
        self.fill(now)

    # ---- Jobs that give way ----

    def stop_job(self, job, now):
        for node, gpus in job.held:
            self.give_back(node, gpus, job, now)
        job.held, job.running = [], False

    def displace(self, replica, now):
        """Jobs of its node go if that gives it k: most power, latest start, last submitted."""
        victims = [(job.power_w * sum(gpus for _, gpus in job.held), job.since, job.number, name) for name, job in self.jobs.items()
                   if job.running and job.may_go and any(node == replica.node for node, _ in job.held)]
        here = {name: sum(gpus for node, gpus in self.jobs[name].held if node == replica.node) for *_, name in victims}
        if replica.gpus + sum(here.values()) < replica.config.k:
            return 0
        gone = 0
        for *_, name in sorted(victims, reverse=True):
            if replica.gpus + self.free[replica.node] >= replica.config.k:
                break
            self.stop_job(self.jobs[name], now)
            self.displaced.append((now, name))
            gone += 1
        self.fill(now)
        return gone

    # ---- A tick ----

    def tick(self, service, now):
        spec, scaling = service.spec, service.spec["scaling"]
        interval_ns = round(scaling["interval_s"] * NS)
        most = service.demand.most(now - 3 * interval_ns, now, service.changes)
        wanted = most / scaling["target"] + service.backlog / scaling["down_after_s"]
        for r in [r for r in reversed(service.replicas) if r.state == "reserved"]:
            rest = sum(other.config.rate for other in service.replicas if other is not r)
            if rest >= wanted and len(service.replicas) > spec["min"]:
                self.release(service, r, now)
        while len(service.replicas) < spec["max"]:
            supply = sum(r.config.rate for r in service.replicas)
            if len(service.replicas) >= spec["min"] and supply >= wanted:
                break
            config = service.best(most, supply, lambda c: self.fits(c) and self.may(c, now))
            if config:
                self.start(service, config, now)
            elif any(self.fits(c) for c in spec["configs"]):
                break
            elif not self.reserve(service, service.best(most, supply, lambda _: True), now):
                break
        if scaling.get("preempt"):
            for r in [r for r in service.replicas if r.state == "reserved"]:
                if r.state == "reserved":
                    service.preemptions += self.displace(r, now)
        self.release_spare(service, wanted, now)

    def release_spare(self, service, wanted, now):
        spec, scaling = service.spec, service.spec["scaling"]
        holders = sorted((r for r in service.replicas if r.state != "reserved"), key=service.replicas.index)
        for r in holders:
            if sum(other.config.rate for other in holders if other is not r) < wanted:
                r.spare_ns = None
            elif r.spare_ns is None:
                r.spare_ns = now
        due = [r for r in holders if r.spare_ns is not None and now - r.spare_ns >= round(scaling["down_after_s"] * NS)]
        if service.backlog == 0 and len(holders) > spec["min"] and due:
            most_j = max(r.config.joules(scaling["target"]) for r in due)
            self.release(service, [r for r in due if r.config.joules(scaling["target"]) >= most_j * (1 - 1e-13)][-1], now)

    def keep_cap(self, now):
        """The replica that counts most goes, the newest of equals, while the power is above the cap."""
        while self.power_w() > self.cap_w(now) + 1e-9:
            above = [(self.counted_w(r), r.began, s, r) for s in self.services for r in s.replicas if r.state != "reserved"
                     and len([o for o in s.replicas if o.state != "reserved"]) > s.spec["min"]]
            if not above:
                return
            *_, service, replica = max(above, key=lambda entry: (round(entry[0], 6), entry[1]))
            service.replicas.remove(replica)
            self.give_back(replica.node, replica.gpus, replica, now)
            self.capped += 1

    # ---- The run ----

    def fail(self, node, now):
        for job in self.jobs.values():
            if any(n == node for n, _ in job.held):
                self.stop_job(job, now)
        for service in self.services:
            for r in [r for r in service.replicas if r.node == node]:
                service.replicas.remove(r)
        self.failed[node], self.free[node] = True, 0

    def repair(self, node, now):
        gpu, gpus = self.nodes[node]
        self.failed[node], self.free[node] = False, gpus
        self.sleepers[node] = Naps(0, *self.naps.get(gpu, (None, None)))
        self.sleepers[node].free = [(now, now)] * gpus

    def run(self):
        for service in self.services:
            for _ in range(service.spec["min"]):
                self.start(service, service.best(0, 0, self.fits), 0, at_once=True)
        times = {self.end_ns, self.warmup_ns, *self.facts, *(self.cap.times if self.cap else ())}
        for service in self.services:
            times.update(service.changes)
            times.update(range(0, self.end_ns, round(service.spec["scaling"]["interval_s"] * NS)))
        for start, end, _ in self.outages:
            times.update((start, end))
        todo, now = sorted(t for t in times if t is not None and 0 < t <= self.end_ns), 0
        self.instant(0)
        for t in todo:
            while now < t:
                now = min([r.ready_ns for s in self.services for r in s.replicas if r.state == "loading"] + [t])
                for service in self.services:
                    service.advance(now)
                self.instant(now)
        return self

    def instant(self, now):
        facts, failing = self.facts.get(now, []), [node for start, _, node in self.outages if start == now]
        for start, end, node in self.outages:
            if end == now:
                self.repair(node, now)
                self.fill(now)
        for node in failing:
            self.fail(node, now)
            self.fill(now)
        if now == self.warmup_ns:
            for service in self.services:
                service.begin()
        for kind, name, *_ in facts:
            if kind in ("finish", "release"):
                self.stop_job(self.jobs[name], now)
                self.fill(now)
        self.fill(now)
        for service in self.services:
            for r in service.replicas:
                if r.state == "loading" and r.ready_ns == now:
                    r.state = "ready"
        for service in self.services:
            if failing or now % round(service.spec["scaling"]["interval_s"] * NS) == 0:
                self.tick(service, now)
        self.decide([fact for fact in facts if fact[0] in ("preempt", "start", "decision")], now)

    def decide(self, facts, now):
        """Above the cap a policy that keeps it starts nothing, so that all starts come after replicas have gone."""
        for kind, name, *rest in facts:
            if kind == "preempt" and rest[0]:
                self.jobs[name].running = False  # it writes a checkpoint, and holds its GPUs until `release`
            elif kind == "preempt":
                self.stop_job(self.jobs[name], now)
        if facts and self.cap:
            self.fill(now)
            self.keep_cap(now)
            self.fill(now)
        for kind, name, *rest in facts:
            if kind == "start":
                job = self.jobs[name]
                (job.held, job.power_w), job.since, job.running = rest, now, True
                for node, gpus in job.held:
                    self.take(node, gpus, job, now)
        self.fill(now)
