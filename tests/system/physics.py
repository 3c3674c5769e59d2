"""Goodput and power of configurations, and which of them a job may have, from a scenario and a model file alone, by
docs/reference/semantics.md 2, 3, 9 and 15. Nothing here knows easim."""
import math
from dataclasses import dataclass, field

EQUAL = 1 + 1e-9  # ratio of batches that are one
ONE_NODE, ACROSS = 0, 1


@dataclass
class Config:
    gpu: str
    k: int
    b: float
    limit: float  # math.inf: none
    milli: int  # 0: whole GPUs
    goodput: list  # by span; 0: not known
    power: list
    empty: int  # span on the empty cluster

    @property
    def gpus(self):
        return self.milli / 1000 if self.milli else self.k

    def gpu_s(self, span):
        """GPU-seconds of a unit of work."""
        return self.gpus / self.goodput[span]

    def energy(self, span):
        return self.gpus * self.power[span] / self.goodput[span]


@dataclass
class Node:
    gpu: str
    gpus: int
    fixed_w: float
    cpu_w: float
    busy: int = 0  # GPUs held as a whole, or failed
    shared: dict = field(default_factory=dict)  # GPU: thousandths held

    def free(self):
        return self.gpus - self.busy - sum(held > 0 for held in self.shared.values())


class Cluster:
    def __init__(self, scenario):
        cluster = scenario["cluster"]
        self.types = {t["name"]: t for t in cluster["gpu_types"]}
        self.nodes = [Node(n["gpu"], n["gpus"],
                           sum(n.get(key, 0) for key in ("base_w", "cpu_idle_w", "ram_w", "network_w", "other_w")),
                           n.get("cpu_w_per_busy_gpu", 0))
                      for n in cluster["nodes"] for _ in range(n.get("count", 1))]
        self.total = {name: sum(n.gpus for n in self.nodes if n.gpu == name) for name in self.types}
        self.most = {name: max([n.gpus for n in self.nodes if n.gpu == name], default=0) for name in self.types}


def monotone(values):
    """Pool adjacent violators: the least squares fit that never falls, by its minimax formula."""
    def mean(a, b):
        return sum(values[a:b + 1]) / (b + 1 - a)
    n = len(values)
    return [max(min(mean(a, b) for b in range(i, n)) for a in range(i + 1)) for i in range(n)]


def norm(x, y, gamma):
    return x + y if gamma == 1 else (x ** gamma + y ** gamma) ** (1 / gamma)


def same(a, b):
    return a <= b * EQUAL and b <= a * EQUAL


def formula_s(g, k, b, nodes):
    local = norm(g["a_s"], g["c_s"] * b, g.get("gamma", 1)) * k ** g.get("scaling_exponent", 0)
    alpha, beta = g.get("alpha_s", 0), g.get("beta_s", 0)
    if nodes > 1:
        alpha, beta = g.get("alpha_inter_s", alpha), g.get("beta_inter_s", beta)
    log = nodes > 1 and g.get("sync_inter") == "log2"
    sync = 0 if k == 1 else alpha + beta * (math.log2(nodes) if log else k - 2)
    return norm(local, sync, g.get("sync_gamma", 1))


def looked_up(g, k, b, spans):
    """(iteration, power) among the points of these spans, linear in the batch, then in k; or None."""
    by_k = {}
    for across in spans:
        points = {}
        for p in g["lookup"]:
            if bool(p.get("across_nodes")) == bool(across):
                points.setdefault(p["k"], []).append((p["batch"], p["k"] * p["batch"] / p["throughput_samples_s"],
                                                      p["power_w_per_gpu"]))
        for at, of_k in points.items():
            found = between(sorted(of_k), b)
            if found:
                by_k[at] = found
    below, above = [at for at in by_k if at <= k], [at for at in by_k if at >= k]
    if not below or not above:
        return None
    low, high = max(below), min(above)
    share = (k - low) / (high - low) if high > low else 0
    return tuple(x + share * (y - x) for x, y in zip(by_k[low], by_k[high]))


def between(points, b):
    for point in points:
        if same(point[0], b):
            return point[1:]
    low, high = [p for p in points if p[0] < b], [p for p in points if p[0] > b]
    if not low or not high:
        return None
    low, high = low[-1], high[0]
    share = (b - low[0]) / (high[0] - low[0])
    return tuple(x + share * (y - x) for x, y in zip(low[1:], high[1:]))


def steps_of(g, k, b):
    return next((s["steps"] for s in g.get("grad_accum", []) if s["k"] == k and same(s["batch"], b)), 1)


def iteration(g, k, b, nodes, stand_in=False):
    """(time, power without tdp_w) of a GPU type of a model; None: not known."""
    table = g.get("lookup")
    spans, steps = {0}, steps_of(g, k, b)
    if table:
        apart = nodes > 1 and any(p.get("across_nodes") for p in table)
        spans = {0, 1} if stand_in else {1} if apart else {0}
        if any(p["k"] == k and same(p["batch"], b) and (int(bool(p.get("across_nodes"))) in spans) for p in table):
            steps = 1
        found = looked_up(g, k, b / steps, sorted(spans))
        return found and (found[0] * steps, found[1])
    time = formula_s(g, k, b / steps, nodes)
    return time * steps, g["p0_w"] + (g["pmax_w"] - g["p0_w"]) * g["c_s"] * (b / steps) / time


class Physics:
    """limits: whether jobs may run under power limits; shares: on parts of GPUs."""

    def __init__(self, cluster, file, limits, shares):
        self.cluster, self.has_limits, self.shares = cluster, limits, shares
        self.models = {m["name"]: m for m in file.get("models") or []}
        self.rigid_speed = file.get("rigid_speed") or {}
        self.known = {}

    def phases(self, name):
        return (self.models[name].get("phases") if name else None) or [{"until": 1}]

    def plain(self, model, phase, gpu, k, b):
        """Without a limit; None: known in no span."""
        g, t = model["gpus"][gpu], self.cluster.types[gpu]
        batch, m0 = k * b, model.get("m0", 0)
        phi = phase.get("phi", model.get("phi"))
        efficiency = 1 if model.get("efficiency") == "none" or batch <= m0 else (phi + m0) / (phi + batch)
        goodput, power, node_gpus = [0, 0], [None, None], max(1, self.cluster.most[gpu])
        for span in (ONE_NODE, ACROSS):
            nodes = 1 if span == ONE_NODE else max(2, -(-k // node_gpus))
            value = iteration(g, k, b, nodes)
            if not value and span == ACROSS and k > self.cluster.most[gpu]:
                value = iteration(g, k, b, nodes, stand_in=True)
            if value:
                goodput[span], power[span] = k * b / value[0] * efficiency, min(t["tdp_w"], value[1])
        if goodput == [0, 0]:
            return None
        power = [p if p is not None else power[1 - i] for i, p in enumerate(power)]
        return Config(gpu, k, b, math.inf, 0, goodput, power, int(k > self.cluster.most[gpu]))

    def limited(self, model, config, limit):
        """Under a limit: by the measured levels of the model (None: a rigid job), else by the law of the GPU type."""
        limits = (model or {"gpus": {config.gpu: {}}})["gpus"][config.gpu].get("power_limits") or {"levels": []}
        c = Config(**{**vars(config), "goodput": list(config.goodput), "power": list(config.power), "limit": limit})
        tdp = self.cluster.types[config.gpu]["tdp_w"]
        for span in (ONE_NODE, ACROSS):
            if not limits["levels"]:
                s, m = self.law(config.gpu)
                full = c.power[span]
                c.power[span] = min(full, max(limit, (s + 0.1) * full))
                p = c.power[span] / full if full > 0 else 1
                c.goodput[span] /= m + (1 - m) * (1 - s) / (p - s) if p < 1 else 1
                continue
            levels = [level for level in limits["levels"] if level["power_limit_w"] < tdp]
            draws, speeds = [], []
            for level in levels:
                points = [p for p in limits.get("points", []) if p["power_limit_w"] == level["power_limit_w"]
                          and p.get("time_ratio") is not None and p.get("power_ratio") is not None]
                near = min(points, default=level, key=lambda p: (
                    bool(p.get("across_nodes")) != bool(span), abs(math.log(p["k"] / c.k)), abs(math.log(p["batch"] / c.b))))
                draws.append(near["power_ratio"])
                speeds.append(1 / near["time_ratio"])
            at = [level["power_limit_w"] for level in levels].index(limit)
            c.goodput[span] *= min(1, monotone(speeds + [1])[at])
            c.power[span] *= min(1, monotone(draws + [1])[at])
        return c

    def law(self, gpu):
        law = self.cluster.types[gpu].get("limit_law") or {}
        return law.get("s", 0.3), law.get("m", 0.7)

    def limits(self, gpu, g):
        """The limits that a configuration on the GPU type may have, of a model there (None: a rigid job)."""
        t = self.cluster.types[gpu]
        levels = ((g or {}).get("power_limits") or {}).get("levels") or []
        if levels:
            return [level["power_limit_w"] for level in levels if t.get("floor_w", 0) <= level["power_limit_w"] < t["tdp_w"]]
        (s, m), floor, tdp = self.law(gpu), t.get("floor_w", 0.4 * t["tdp_w"]), t["tdp_w"]
        lowest = max(floor / tdp, s + 0.1)
        least = 1 / (m + (1 - m) * (1 - s) / (lowest - s)) if lowest < 1 else 1
        found = []
        for i in range(4):
            rho = least + (1 - least) * i / 4
            p = max(s + (1 - m) * (1 - s) / (1 / rho - m) if m < 1 else 0, s + 0.1)
            limit = max(floor, tdp * min(1, p))
            if limit < tdp and (not found or limit > found[-1]):
                found.append(limit)
        return found

    def one(self, job, phase, gpu, k, b, limit=math.inf, milli=0, use=None):
        """A configuration as it is named; of a rigid job at some utilization."""
        if not job["model"]:
            t = self.cluster.types[gpu]
            busy = t.get("busy_w") or t["idle_w"]
            power = busy + (job["utilization"] if use is None else use) * (t["tdp_w"] - busy)
            speed = self.rigid_speed.get(gpu, 1)
            plain = Config(gpu, k, 0, math.inf, milli, [speed, speed], [power, power], int(k > self.cluster.most[gpu]))
            return plain if limit == math.inf else self.limited(None, plain, limit)
        model = self.models[job["model"]]
        plain = self.plain(model, self.phases(job["model"])[phase], gpu, k, b)
        return plain if limit == math.inf else self.limited(model, plain, limit)

    def could_be_placed(self, c):
        apart = c.empty == ONE_NODE and c.k > 1 and self.cluster.most[c.gpu] < self.cluster.total[c.gpu]
        return c.goodput[c.empty] > 0 or apart

    def with_batches(self, job, phase, batches):
        """batches: a list, or None: those of the model, which may depend on the GPU type."""
        model, found = self.models[job["model"]], []
        for gpu in self.cluster.types:
            if gpu not in model["gpus"] or (job["h"] and gpu not in job["h"]):
                continue
            g, t = model["gpus"][gpu], self.cluster.types[gpu]
            allowed = g if g.get("batches") or g.get("global_batches") else model
            for k in job["k"]:
                if k > self.cluster.total[gpu]:
                    continue
                own = batches or allowed.get("batches") or [b / k for b in allowed["global_batches"]]
                for b in sorted(own):
                    step = b / steps_of(g, k, b)
                    if model.get("mem0_gib", 0) + model.get("mem1_gib", 0) * step > t["memory_gib"] or \
                            step > g.get("most_batch", math.inf) * EQUAL:
                        continue
                    c = self.plain(model, phase, gpu, k, b)
                    if not c or not self.could_be_placed(c):
                        continue
                    found.append(c)
                    found += [self.limited(model, c, limit) for limit in (self.limits(gpu, g) if self.has_limits else [])]
        return found if any(c.goodput[c.empty] > 0 for c in found) else []

    def configs(self, job, number):
        """All that a job may have in a phase. job: model, k, b, h (lists; empty: all), utilization, milli."""
        key = (job["model"], tuple(job["k"]), tuple(job["b"]), tuple(job["h"]), job["utilization"], job["milli"], number)
        if key not in self.known:
            self.known[key] = self.find_configs(job, number)
        return self.known[key]

    def find_configs(self, job, number):
        if not job["model"]:
            milli = job["milli"] if self.shares else 0
            return [self.one(job, 0, gpu, job["k"][0], 0, limit, milli) for gpu in self.cluster.types
                    if (not job["h"] or gpu in job["h"]) and job["k"][0] <= self.cluster.total[gpu]
                    for limit in [math.inf, *(self.limits(gpu, None) if self.has_limits and not milli and not job["changes"] else [])]]
        phase = self.phases(job["model"])[number]
        stated, own = phase.get("batches"), job["b"]
        if not stated or (number == 0 and own):
            found = self.with_batches(job, phase, own)
        else:
            both = [b for b in stated if b in own] if own else stated
            found = self.with_batches(job, phase, both or stated) or self.with_batches(job, phase, stated)
        if found or number == 0:
            return found
        return [self.one(job, number, c.gpu, c.k, c.b, c.limit) for c in self.configs(job, number - 1)]
