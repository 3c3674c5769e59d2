"""Random scenarios for the naive simulation of caps_again.py, and the same as files of easim."""
import json
import random
from dataclasses import replace
from math import inf

from caps_again import S, Domain, Event, Job, Node, Rules, Scenario, Type
from harness import write_rows, write_table

EVENTS = "start_s,duration_s,reduction_frac,target_w,notice_s,ramp_s,price_per_kwh"


class Draw:
    """A scenario from a seed. plain: nothing is enforced."""

    def __init__(self, seed, plain, policy="fcfs"):
        self.r, self.plain, self.policy = random.Random(f"caps {plain} {seed}" + (policy if policy != "fcfs" else "")), plain, policy
        r = self.r
        types = [self.gpu_type(name) for name in r.choice(["a", "a", "ab"])]
        nodes = [Node(h, r.choice([1, 2, 4, 4, 8]), self.real(0, 200, 1), r.choice([0, 0, self.real(0, 20, 2)]))
                 for h in range(len(types)) for _ in range(r.randrange(1, 4))]
        r.shuffle(nodes)
        self.scenario = s = Scenario(types, nodes, self.jobs(types, nodes))
        s.setup, s.restart = r.choice([0, 0, 7.25, 40]), r.choice([0, 3.5, 60])
        s.checkpoint = r.choice([0, 10, 77.7])
        s.strict, s.slow = r.random() < 0.8, r.choice([0, 0, 0, 0.3])
        s.rules = Rules() if plain else Rules(
            r.choice(["throttle", "throttle_then_preempt"]), r.choice(["equal", "by_class", "by_flex"]),
            r.choice(["full", "efficient", "efficient", "floor", "floor"]), r.choice([0, 64, 64, 7]), r.choice([0, 0.05, 1, 30]))
        s.domains = [] if plain or r.random() < 0.6 else self.domains(len(nodes))
        s.cap = self.caps()
        s.outages = self.outages(len(nodes)) if r.random() < 0.2 else []
        self.asked = {}
        if policy == "easy":
            s.slow = 0  # neighbours, which it does not predict
            if not s.outages and s.rules.enforce == "throttle":
                self.asked = {job.name: round(job.work * r.choice([0.5, 1, 1, 1.7, 4]), 6) for job in s.jobs}

    def real(self, low, high, digits):
        return round(self.r.uniform(low, high), digits)

    def gpu_type(self, name):
        r, idle = self.r, self.real(20, 80, 3)
        ctx = round(idle + r.choice([0, self.real(0, 60, 3), self.real(0, 150, 3)]), 3)
        tdp = round(ctx + self.real(100, 500, 3), 3)
        return Type(name, idle, ctx, tdp, round(tdp * self.real(0.15, 0.7, 2), 3), self.real(0, 0.6, 3), self.real(0.05, 0.95, 3),
                    r.choice([0, 0.1, 0.1, 2.5, 30]), r.choice([1, 1, self.real(0.5, 3, 3)]))

    def jobs(self, types, nodes):
        r, submit, jobs = self.r, 0, []
        most = {h: sum(node.gpus for node in nodes if node.type == h) for h in range(len(types))}
        mean = r.choice([1, 4, 15])
        for n in range(r.randrange(5, 40)):
            submit += r.choice([0, r.randrange(10**6 * mean)])  # us
            h = tuple(sorted(r.sample(list(most), r.choice([1, len(types)]))))
            k = min(r.choice([1, 1, 2, 3, 4, 8]), max(most[t] for t in h))
            jobs.append(Job(f"j{n}", submit * 1000, k, self.real(1, r.choice([60, 400]), 6), self.real(*r.choice([(0.1, 1), (0.6, 1)]), 3), r.random() < 0.4,
                            0 if r.random() < 0.4 else self.real(0.01, 0.8, 2), h))
        return jobs

    def watts(self, nodes):
        """A cap of these nodes, from just above what they draw at rest up."""
        s = self.scenario
        rest = sum(node.base + node.gpus * s.types[node.type].idle for node in nodes)
        most = sum(node.gpus * (s.types[node.type].tdp - s.types[node.type].idle) for node in nodes)
        return round(rest + self.r.choice([0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.1]) * self.r.uniform(0.9, 1) * most, 4)

    def caps(self):
        r = self.r
        if self.scenario.domains and r.random() < 0.2:
            return [(0, inf)]
        if r.random() < 0.25:
            return [(0, self.watts(self.scenario.nodes))]
        end = self.scenario.jobs[-1].submit // 10**6 + 300_000  # ms
        times = sorted(r.sample(range(1, end), r.randrange(2, 20)))
        rows = [(at * 10**6, inf if r.random() < 0.15 else self.watts(self.scenario.nodes)) for at in times]
        return [(0, inf)] + rows + [(rows[-1][0] + 10**11, inf)]

    def domains(self, count):
        """A tree of ranges of nodes."""
        r, found = self.r, []

        def divide(first, last, parent, depth):
            at = first
            while at < last:
                to = r.randrange(at, last) + 1
                if r.random() < 0.7:
                    own = list(range(at, to))
                    cap = self.watts([self.scenario.nodes[n] for n in own])
                    found.append(Domain(f"d{len(found)}", frozenset(own), cap, parent))
                    if depth < 2 and r.random() < 0.4:
                        divide(at, to, len(found) - 1, depth + 1)
                at = to
        divide(0, count, None, 0)
        return found

    def outages(self, nodes):
        r, found = self.r, []
        for node in range(nodes):
            at = 0
            for _ in range(r.randrange(3)):
                start = at + r.randrange(1, 10**6)  # ms
                at = start + r.randrange(1, 3 * 10**5)
                found.append((node, start * 10**6, at * 10**6))
                at += 1
        return found

    def move_cap_often(self):
        """A few kinds of jobs, which change together again and again before somebody looks at one of them."""
        r, s = self.r, self.scenario
        kinds, haste = s.jobs[:3], r.choice([1, 50, 50])
        s.jobs = [replace(r.choice(kinds), name=job.name, submit=job.submit // haste, work=self.real(300, 900, 6)) for job in s.jobs]
        s.checkpoint, s.outages, s.rules = 0, [], replace(s.rules, steps=r.choice([64, 64, 7]))
        times = range(0, r.randrange(80, 300) * 5 * 10**9, 5 * 10**9)
        s.cap = [(0, inf)] + [(at + r.randrange(1, 10**9), self.watts(s.nodes)) for at in times] + [(times[-1] + 10**11, inf)]

    def add_events(self):
        """Some events, one after the other; now and then one that a whole hour comes before."""
        r, s = random.Random(f"events {self.r.random()}"), self.scenario
        first, at = r.random() < 0.3, 0
        if first:
            s.jobs.append(Job("long", s.jobs[-1].submit, 1, round(r.uniform(6000, 9000), 3), flex=r.choice([0, 0.3]), types=s.jobs[-1].types))
        for _ in range(r.randrange(1, 4)):
            start = at + r.choice([0, r.randrange(1, 10**8), r.randrange(1, 4 * 10**8)]) + first * r.randrange(3 * 10**9, 4 * 10**9)  # us
            duration, notice = r.randrange(10**6, 3 * 10**8), r.choice([0, r.randrange(1, 10**8), r.randrange(1, 4 * 10**9)])
            at, first, early = start + duration, False, start <= notice
            ramp = 0 if early else r.choice([0, r.randrange(1, 61), r.randrange(1, duration), duration])
            target = early or r.random() < 0.3
            s.events.append(Event(start * 1000, duration * 1000, None if target else round(r.uniform(0.02, 0.6), 3),
                                  self.watts(s.nodes) if target else None, notice * 1000, ramp * 1000, r.choice([None, 0, 2.5])))

    def write(self, folder):
        s, constant = self.scenario, self.scenario.constant
        write_rows(folder / "jobs.csv", [self.cells(job) for job in s.jobs])
        if not constant:
            write_table(folder / "cap.csv", "time_s,power_w", [[seconds(at), "" if cap == inf else cap] for at, cap in s.cap])
        cap = {"watts": s.cap[0][1]} if constant and s.cap[0][1] < inf else {} if constant else {"file": "cap.csv"}
        cluster = {"gpu_types": [self.type_keys(gpu) for gpu in s.types],
                   "nodes": [{"gpu": s.types[node.type].name, "gpus": node.gpus, "base_w": node.base, "cpu_w_per_busy_gpu": node.busy}
                             for node in s.nodes]}
        if s.slow:
            cluster["interference"] = {"slowdown_per_neighbour": s.slow}
        if self.plain and s.rules.enforce == "none":
            cluster["power_cap_w"] = cap.get("watts", cap)
        else:
            rules = s.rules
            cluster["power_cap"] = cap | {"enforce": rules.enforce, "order": rules.order, "admit": rules.admit,
                                          "steps": rules.steps, "grace": f"{rules.grace}s"}
        if s.events:
            write_table(folder / "events.csv", EVENTS, [
                [seconds(e.start), seconds(e.duration), *("" if cell is None else cell for cell in (e.reduction, e.target)),
                 seconds(e.notice), seconds(e.ramp), "" if e.price is None else e.price] for e in s.events])
            cluster["cap_events"] = "events.csv"
        if s.domains:
            cluster["power_domains"] = [
                {"name": d.name, "nodes": [f"{min(d.nodes)}-{max(d.nodes)}"], "cap": d.cap}
                | ({} if d.parent is None else {"parent": s.domains[d.parent].name}) for d in s.domains]
        scenario = {"name": "s", "horizon": "drain", "cluster": cluster,
                    "workload": {"kind": "trace", "file": "jobs.csv", "rigid_costs": self.costs()} | self.workload_keys(),
                    "models": {"rigid_speed": {gpu.name: gpu.speed for gpu in s.types}, "models": self.models()},
                    "policy": self.policy_keys()}
        if s.outages:
            write_table(folder / "outages.csv", "node,start_s,end_s",
                        [[node, seconds(start), seconds(end)] for node, start, end in s.outages])
            scenario["failures"] = {"file": "outages.csv"}
        (folder / "s.yaml").write_text(json.dumps(scenario, indent=1), encoding="utf-8")
        return folder / "s.yaml"

    def cells(self, job):
        """A row of the workload."""
        keys = {"job_id": job.name, "submit_s": seconds(job.submit), "gpus": job.gpus, "duration_s": job.work,
                "gpu_type": "|".join(self.scenario.types[h].name for h in job.types), "utilization": job.use,
                "class": "sla" if job.sla else "best_effort"}
        return keys | ({} if self.plain else {"flex": job.flex}) | ({"requested_s": self.asked[job.name]} if self.asked else {})

    def costs(self):
        s = self.scenario
        return {"start_s": s.setup, "restart_s": s.restart, "checkpoint_s": 0, "checkpoint_interval_s": s.checkpoint}

    def workload_keys(self):
        return {}

    def models(self):
        return [unused(self.scenario.types)]

    def policy_keys(self):
        return {"name": "easy"} if self.policy == "easy" else {"name": "fcfs", "params": {"strict": self.scenario.strict}}

    def type_keys(self, gpu):
        keys = {"name": gpu.name, "idle_w": gpu.idle, "ctx_w": gpu.ctx, "tdp_w": gpu.tdp}
        if self.plain:
            return keys
        return keys | {"floor_w": gpu.floor, "limit_law": {"s": gpu.s, "m": gpu.m}, "limit_delay_s": gpu.delay}


def unused(types):
    """A model, which a file of models needs."""
    return {"name": "m", "m0": 8, "phi": 1, "batches": [1], "gpus": {types[0].name: {
        "a_s": 0.1, "c_s": 0.01, "gamma": 1, "alpha_s": 0, "p0_w": 20, "pmax_w": 30, "evidence": "assumed", "source": "none"}}}


def seconds(time_ns):
    whole, part = divmod(time_ns, S)
    return f"{whole}.{part:09}"
