"""Services without jobs, simulated naively: tables, demand, replicas, scaling, waiting times, from docs/semantics.md alone.

Every tick is taken, none is left out; times are whole nanoseconds, tokens are real numbers.
"""
import csv
import gzip
import math
from bisect import bisect_right
from datetime import datetime

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

    def running(self, load):
        return self.n if load >= 1 else self.table.least_n(load * self.rate)

    def power(self, load):
        return self.table.power_at(self.running(load))

    def joules(self, load):
        return self.power(load) / (load * self.rate)

    def latency(self, load):
        return self.table.latency_at(self.running(load), self.quantile)


class Demand:
    """Steps (time_ns, rate) from t = 0 on, for ever or again after `period_ns`."""

    def __init__(self, steps, period_ns=None):
        self.times, self.rates, self.period_ns = [t for t, _ in steps], [rate for _, rate in steps], period_ns

    def at(self, t):
        t = t % self.period_ns if self.period_ns else t
        i = bisect_right(self.times, t) - 1
        return self.rates[i] if i >= 0 else 0.0

    def changes(self, end_ns):
        rounds = range(end_ns // self.period_ns + 1) if self.period_ns else [0]
        return sorted({shift + t for r in rounds for shift in [r * (self.period_ns or 0)] for t in self.times if shift + t <= end_ns})

    def most(self, start, end, changes):
        inside = changes[bisect_right(changes, start):bisect_right(changes, end)]
        return max([self.at(max(start, 0))] + [self.at(t) for t in inside])


def read_requests(path):
    """(seconds since the first, prompt tokens, output tokens) of a log."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = [(datetime.fromisoformat(row["TIMESTAMP"][:26]).timestamp(), int(row["ContextTokens"]), int(row["GeneratedTokens"]))
                for row in csv.DictReader(lines)]
    rows.sort()
    return [(t - rows[0][0], prompt, output) for t, prompt, output in rows]


def binned(requests, bin_s, scale=1, repeat=False):
    last = int(requests[-1][0] // bin_s)
    sums = [0] * (last + 1)
    for t, _, output in requests:
        sums[int(t // bin_s)] += output
    bin_ns = round(bin_s * NS)
    steps = [(i * bin_ns, scale * total / bin_s) for i, total in enumerate(sums)]
    end = (last + 1) * bin_ns
    return Demand(steps, end) if repeat else Demand([*steps, (end, 0.0)])


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
        self.backlog = self.demanded = self.served = self.dropped = self.within = self.energy_j = self.gpu_s = 0.0
        self.waits, self.latencies, self.scale_ups = [], [], 0

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


class Cluster:
    """nodes: [(gpu type, GPUs)]; outages: [(start_ns, end_ns, node)]."""

    def __init__(self, nodes, services, end_ns, outages=()):
        self.nodes, self.end_ns, self.outages = nodes, end_ns, outages
        self.free = [gpus for _, gpus in nodes]
        self.failed = [False] * len(nodes)
        self.reservations = self.fulfilled = 0
        self.services = [Service(spec, end_ns) for spec in services]

    def fits(self, config):
        return self.node_for(config) is not None

    def node_for(self, config):
        """The one with fewest free GPUs that has k."""
        able = [(self.free[i], i) for i, (gpu, _) in enumerate(self.nodes) if gpu == config.gpu and self.free[i] >= config.k]
        return min(able)[1] if able else None

    def start(self, service, config, now, at_once=False):
        node = self.node_for(config)
        self.free[node] -= config.k
        loads = not at_once and service.spec["start_s"] > 0
        service.replicas.append(Replica(config, node, "loading" if loads else "ready",
                                        now + round(service.spec["start_s"] * NS), config.k))
        service.scale_ups += not at_once

    def reserve(self, service, config):
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
        service.replicas.append(Replica(config, best, "reserved", None, self.free[best]))
        self.reservations += 1
        self.free[best] = 0
        return True

    def give_back(self, node, gpus, now):
        """GPUs that come free go to a reservation of their node."""
        self.free[node] += gpus
        for service in self.services:
            for r in service.replicas:
                if r.state == "reserved" and r.node == node:
                    taken = min(self.free[node], r.config.k - r.gpus)
                    self.free[node] -= taken
                    r.gpus += taken
                    if r.gpus == r.config.k:
                        loads = service.spec["start_s"] > 0
                        r.state, r.ready_ns = "loading" if loads else "ready", now + round(service.spec["start_s"] * NS)
                        service.scale_ups += 1
                        self.fulfilled += 1

    def release(self, service, replica, now):
        service.replicas.remove(replica)
        self.give_back(replica.node, replica.gpus, now)

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
            config = service.best(most, supply, self.fits)
            if config:
                self.start(service, config, now)
            elif not self.reserve(service, service.best(most, supply, lambda _: True)):
                break
        holders = [r for r in service.replicas if r.state != "reserved"]
        for r in holders:
            if sum(other.config.rate for other in holders if other is not r) < wanted:
                r.spare_ns = None
            elif r.spare_ns is None:
                r.spare_ns = now
        due = [r for r in holders if r.spare_ns is not None and now - r.spare_ns >= round(scaling["down_after_s"] * NS)]
        if service.backlog == 0 and len(holders) > spec["min"] and due:
            most_j = max(r.config.joules(scaling["target"]) for r in due)
            self.release(service, [r for r in due if r.config.joules(scaling["target"]) >= most_j * (1 - 1e-13)][-1], now)

    def fail(self, node):
        self.failed[node], self.free[node] = True, 0
        for service in self.services:
            service.replicas = [r for r in service.replicas if r.node != node]

    def run(self):
        for service in self.services:
            for _ in range(service.spec["min"]):
                self.start(service, service.best(0, 0, self.fits), 0, at_once=True)
        times = {self.end_ns}
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
        for start, end, node in self.outages:
            if end == now:
                self.failed[node], self.free[node] = False, self.nodes[node][1]
        for service in self.services:
            for r in service.replicas:
                if r.state == "loading" and r.ready_ns == now:
                    r.state = "ready"
        failing = [node for start, _, node in self.outages if start == now]
        for node in failing:
            self.fail(node)
        for service in self.services:
            if failing or now % round(service.spec["scaling"]["interval_s"] * NS) == 0:
                self.tick(service, now)
