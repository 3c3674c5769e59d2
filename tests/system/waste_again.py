"""The waste classes of a recorded run, computed again naively: at every instant all that is free and all who wait are
written down anew. From segments.csv, gpus.csv, workload.csv, recorded.csv, scenario.yaml and models.yaml alone, by
docs/reference/semantics.md 24."""
import math
from collections import defaultdict
from decimal import Decimal

import yaml

from harness import rows_of
from physics import ACROSS, ONE_NODE, Cluster, Physics
from service_again import Config, Table

CLASSES = ["base", "asleep", "failed node", "reserved", "held back", "fragmented", "idle", "set-up", "reconfigured", "failed",
           "slowed", "spread", "batch", "over-scaled", "misplaced", "crowded out", "underused", "useful"]
STEPS = ["spread", "batch", "over-scaled", "misplaced", "crowded out"]
REPLICA_KINDS = ("reserved", "loading", "serve")
TIE = 1e-12  # of energies: computed in another order, they may fall on either side of each other


def ns(text):
    return int(Decimal(text) * 10 ** 9)


def gpus_of(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


class Segment:
    def __init__(self, row):
        self.job, self.kind, self.began, self.ended = row["job_id"], row["kind"], row["began"], row["ended"]
        self.start, self.end = ns(row["start_s"]), ns(row["end_s"])
        self.energy, self.work = float(row["energy_j"]), float(row["work"] or 0)
        self.gpu, self.k, self.b = row["gpu_type"], int(row["k"] or 0), float(row["b"] or 0)
        self.limit = float(row["power_limit_w"] or "inf")
        self.milli = round(1000 * float(row["gpu_share"])) if row["gpu_share"] else 0
        self.phase = int(row["phase"] or 0)
        self.pieces = [(int(node), gpus_of(gpus.split("/")[0])) for node, gpus in
                       (piece.split(":") for piece in row["nodes"].split(";") if piece)]
        self.span = ACROSS if len({number for number, _ in self.pieces}) > 1 else ONE_NODE

    @property
    def gpus(self):
        return self.milli / 1000 if self.milli else self.k


class Recorded:
    """One replication of a policy."""

    def __init__(self, folder, policy, replication):
        self.scenario = yaml.safe_load((folder / "scenario.yaml").read_text())
        self.models = yaml.safe_load((folder / "models.yaml").read_text()) or {}
        self.cluster = Cluster(self.scenario)
        mine = {"policy": policy, "replication": replication}
        segments = [r for r in rows_of(folder / "segments.csv") if mine.items() <= r.items()]
        self.rests = [(ns(r["start_s"]), ns(r["end_s"]), int(r["node"]), len(gpus_of(r["gpu"])), r["state"])
                      for r in rows_of(folder / "gpus.csv") if mine.items() <= r.items()]
        self.summary = next(r for r in rows_of(folder / "summary.csv") if mine.items() <= r.items())
        about = next(r for r in rows_of(folder / "recorded.csv") if mine.items() <= r.items())
        self.physics = Physics(self.cluster, self.models, about["power_limits"] == "1", about["gpu_shares"] == "1")
        self.jobs, self.of_job = {}, defaultdict(list)
        names = list(self.cluster.types)
        workload = self.scenario.get("workload") or {}
        changes = any("utilization_file" in stream for stream in workload.get("streams") or [workload])
        for row in rows_of(folder / "workload.csv"):
            if row["replication"] == replication:
                self.jobs[row["job_id"]] = {
                    "model": row["model"], "k": [int(k) for k in row["k"].split(";") if k],
                    "b": [float(b) for b in row["b"].split(";") if b], "h": [names[int(h)] for h in row["h"].split(";") if h],
                    "utilization": float(row["utilization"] or 1), "milli": round(1000 * float(row["gpu_share"] or 0)), "changes": changes}
        for row in segments:
            self.of_job[row["job_id"]].append(Segment(row))
        self.segments = [s for of in self.of_job.values() for s in of]
        entries = (self.scenario.get("workload") or {}).get("streams") or []
        self.services = {entry["name"]: self.token_costs(entry) for entry in entries if entry["kind"] == "service"}
        self.end = ns(about["end_s"])
        self.begin = max(0, self.end - ns(self.summary["sim_s"]))
        self.amounts = {name: [[], []] for name in CLASSES}  # J, GPU s
        self.tied = False

    def add(self, name, joules, gpu_s):
        self.amounts[name][0].append(joules)
        self.amounts[name][1].append(gpu_s)

    def within(self, start, end):
        return max(0, min(end, self.end) - max(start, self.begin)) / 1e9

    # --- replicas ---

    def token_costs(self, service):
        """{(gpu, k, b): (J, GPU s) of a token in full use} of the feasible configurations."""
        tables = next(m["serving"] for m in self.models["models"] if m["name"] == service["model"])
        slo = {"itl_ms": service["slo"]["itl_ms"], "quantile": service["slo"].get("quantile") or "p99"}
        allowed, costs = service["replicas"], {}
        for table in tables:
            gpu, k = table["gpu"], table["k"]
            if gpu not in self.cluster.types or gpu not in allowed.get("h", [gpu]) or k not in allowed.get("k", [k]) or \
                    not any(node.gpu == gpu and node.gpus >= k for node in self.cluster.nodes):
                continue
            t = self.cluster.types[gpu]
            for limit in allowed.get("b", [math.inf]):
                c = Config(Table(table["points"], k * t.get("ctx_w", t["idle_w"])), gpu, 0, k, limit, slo)
                if c.n:
                    costs[gpu, k, 0 if limit == math.inf else limit] = (c.power(1) / c.rate, k / c.rate)
        return costs

    def replica(self, name, is_replacement):
        service = name.rpartition("#")[0]
        for s in self.of_job[name]:
            seconds, whole = self.within(s.start, s.end), (s.end - s.start) / 1e9
            if s.kind == "reserved" or not seconds:
                continue
            joules, gpu_s, tokens = s.energy * seconds / whole, s.k * seconds, s.work * seconds / whole
            if s.kind == "loading":
                self.add("failed" if is_replacement else "set-up", joules, gpu_s)
                continue
            own, least = self.services[service][s.gpu, s.k, s.b], min(self.services[service].values())
            self.add("underused", max(0, joules - tokens * own[0]), gpu_s - tokens * own[1])
            self.add("misplaced", *(tokens * (a - b) for a, b in zip(own, least)))
            self.add("useful", joules - max(0, joules - tokens * own[0]) - tokens * (own[0] - least[0]), tokens * least[1])

    def replicas(self):
        """The loading of the next replica that gets GPUs after one has failed counts as the failure's."""
        for service in self.services:
            names = [name for name, of in self.of_job.items() if of[0].kind in REPLICA_KINDS and name.rpartition("#")[0] == service]
            lives = [[s for s in self.of_job[name] if s.kind != "reserved"] for name in names]
            failures = sorted(of[-1].end for of in lives if of and of[-1].ended == "failed")
            replacements = set()
            for start, name in sorted((of[0].start, name) for name, of in zip(names, lives) if of):
                if failures and failures[0] <= start:
                    failures.pop(0)
                    replacements.add(name)
            for name in names:
                self.replica(name, name in replacements)

    # --- free GPUs ---

    def state(self, at):
        """Nodes as they are from an instant on."""
        for node in self.cluster.nodes:
            node.busy, node.shared = 0, {}
        for s in self.segments:
            if s.start <= at < s.end:
                for number, gpus in s.pieces:
                    node = self.cluster.nodes[number]
                    if s.milli:
                        node.shared[gpus[0]] = node.shared.get(gpus[0], 0) + s.milli
                    else:
                        node.busy += len(gpus)
        asleep = defaultdict(int)
        for start, end, number, count, state in self.rests:
            if start <= at < end and state in ("failed", "reserved"):
                self.cluster.nodes[number].busy += count
            if start <= at < end and state == "asleep":
                asleep[self.cluster.nodes[number].gpu] += count
        return asleep

    def fits(self, config, own=None):
        """own: a segment whose GPUs count as free."""
        nodes = [(number, node) for number, node in enumerate(self.cluster.nodes) if node.gpu == config.gpu]
        free = {number: node.free() for number, node in nodes}
        for number, gpus in own.pieces if own and own.gpu == config.gpu else []:
            free[number] += len(gpus)
        if config.milli:
            return any(free.values()) or any(1000 - held >= config.milli for _, node in nodes for held in node.shared.values())
        span = ONE_NODE if max(free.values()) >= config.k else ACROSS
        return config.k <= sum(free.values()) and config.goodput[span] > 0

    def free_gpus(self):
        times = sorted({t for s in self.segments for t in (s.start, s.end)} |
                       {t for rest in self.rests for t in rest[:2]} | {0, self.begin, self.end})
        for start, end in zip(times, times[1:]):
            seconds = self.within(start, end)
            if not seconds:
                continue
            asleep = self.state(start)
            waiting = [s for s in self.segments if s.kind == "queued" and s.start <= start < s.end]
            wanted = [self.physics.configs(self.jobs[s.job], s.phase) for s in waiting]
            for gpu, t in self.cluster.types.items():
                free = sum(node.free() + sum(1000 - held for held in node.shared.values() if held) / 1000
                           for node in self.cluster.nodes if node.gpu == gpu) - asleep[gpu]
                there = [c for configs in wanted for c in configs if c.gpu == gpu]
                name = "idle" if not there else "held back" if any(map(self.fits, there)) else "fragmented"
                self.add(name, free * t["idle_w"] * seconds, free * seconds)

    def rest(self):
        for start, end, number, count, state in self.rests:
            node, gpu_s = self.cluster.nodes[number], self.within(start, end) * count
            if state == "asleep":
                self.add("asleep", gpu_s * self.cluster.types[node.gpu].get("sleep_w", 0), gpu_s)
            if state == "reserved":
                self.add("reserved", gpu_s * self.cluster.types[node.gpu]["idle_w"], gpu_s)
            if state == "failed":
                self.add("failed node", 0, gpu_s)
                self.add("base", -node.fixed_w * gpu_s / node.gpus, 0)
        for node in self.cluster.nodes:
            self.add("base", node.fixed_w * self.within(0, self.end), 0)
        for s in self.segments:
            for number, gpus in s.pieces:
                held = s.milli / 1000 if s.milli else len(gpus)
                self.add("base", self.cluster.nodes[number].cpu_w * held * self.within(s.start, s.end), 0)

    # --- jobs ---

    def interval_s(self, job):
        model = self.jobs[job]["model"]
        costs = self.physics.models[model] if model else self.rigid_costs()
        return costs.get("checkpoint_interval_s", 0)

    def rigid_costs(self):
        return (self.scenario.get("workload") or {}).get("rigid_costs") or {}

    def what_took(self, job, i):
        """The class of lost work: by the instant after which it was gone for good."""
        of = self.of_job[job]
        while of[i].ended in ("phase", "utilization"):
            i += 1
        if of[i].ended == "failed":
            return "failed"
        if self.interval_s(job) == 0:
            for s in of[i + 1:]:
                if s.kind != "checkpoint" and not (s.kind == "setup" and s.began == "resized"):
                    break
                if s.ended == "failed":
                    return "failed"
        return "reconfigured"

    def job(self, job):
        latest, hold = None, None
        for i, s in enumerate(self.of_job[job]):
            if s.kind == "queued":
                hold = None
            elif hold is None or s.began == "resized":
                hold = s
            seconds, whole = self.within(s.start, s.end), (s.end - s.start) / 1e9
            if s.kind != "queued" and seconds:
                part = seconds / whole
                if s.kind == "run":
                    self.computing(s, hold, s.energy * part, s.work * part, seconds)
                else:
                    name = self.what_took(job, i) if s.kind == "lost" else latest or "set-up"
                    self.add(name, s.energy * part, s.gpus * seconds)
            latest = {"preempted": "reconfigured", "resized": "reconfigured", "failed": "failed"}.get(s.ended, latest)

    def computing(self, s, hold, joules, work, seconds):
        job = self.jobs[s.job]
        if not job["model"]:
            share = work / self.physics.rigid_speed.get(s.gpu, 1) / seconds
            self.add("useful", joules * share, s.gpus * seconds * share)
            self.add("slowed", joules * (1 - share), s.gpus * seconds * (1 - share))
            return
        self.state(hold.start)
        own = self.physics.one(job, s.phase, s.gpu, s.k, s.b, s.limit)
        allowed = [c for c in self.physics.configs(job, s.phase) if c.goodput[c.empty] > 0]
        of_type = [c for c in allowed if c.gpu == s.gpu]
        steps = [[c for c in of_type if c.k == s.k], [c for c in of_type if c.k <= s.k],
                 [c for c in allowed if self.fits(c, hold)], allowed]
        span = own.empty if own.goodput[own.empty] > 0 else s.span
        costs = [(own.energy(s.span), own.gpu_s(s.span)), (own.energy(span), own.gpu_s(span))]
        best = (own, span)
        for candidates in steps:
            best = self.cheapest([best] + [(c, c.empty) for c in candidates])
            costs.append((best[0].energy(best[1]), best[0].gpu_s(best[1])))
        self.add("slowed", joules - work * costs[0][0], s.gpus * seconds - work * costs[0][1])
        for name, before, after in zip(STEPS, costs, costs[1:]):
            self.add(name, *(work * (x - y) for x, y in zip(before, after)))
        self.add("useful", *(work * x for x in costs[-1]))

    def cheapest(self, choices):
        names = list(self.cluster.types)
        least = min(c.energy(span) for c, span in choices)
        near = [(c, span) for c, span in choices if c.energy(span) <= least * (1 + TIE)]
        self.tied = self.tied or len({(c.gpu, c.k, c.b, c.limit) for c, _ in near}) > 1
        return min(near, key=lambda x: (x[0].k, x[0].power[x[1]], names.index(x[0].gpu), x[0].b, -x[0].limit))

    def waste(self):
        """{class: (J, GPU s)}"""
        self.free_gpus()
        self.rest()
        for job in self.of_job:
            if job in self.jobs:
                self.job(job)
        self.replicas()
        return {name: tuple(map(math.fsum, sums)) for name, sums in self.amounts.items()}
