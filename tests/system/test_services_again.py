"""Random services against the naive simulation of service_again.py: test_services_again.py EASIM SOURCE [--count N] [--seed N]

Scaled services of random tables, demands and objectives on random clusters whose nodes fail, with jobs under one of seven policies,
falling caps, GPUs that sleep and a warm-up, run with --check: every figure of services.csv is compared, and who was displaced when.
What policies do, and when jobs end, the simulation is told by the trace. Shipped tables serve requests one by one (continuous
batching: all that run get a token in n / X(n) seconds), against the fluid of a run. With EASIM_DATA also the request logs of Azure,
one hour each, every token accounted.
"""
import gzip
import heapq
import json
import math
import random
import re
from collections import Counter, deque

from harness import SOURCE, cases, easim, option, real_data, rows_of, seeds
from service_again import NS, Cluster, Config, Demand, Job, Table, binned, quantile, read_requests

FIGURES = ("tokens_before", "tokens_demanded", "tokens_served", "tokens_dropped", "tokens_left", "slo_share", "energy_kwh", "wait_p50_s", "wait_p99_s",
           "latency_p99_ms", "replica_gpu_h", "replicas_end", "scale_ups", "preemptions")
NAMES = ("chat", "a b", "c,\"d\"", "#1")


# ---- Random scenarios ----

def random_points(r):
    """Iterations get longer with n; now and then a rate falls, which pooling mends."""
    n, points = r.uniform(0.5, 12), []
    start_s, more_s, base_w, latency = r.uniform(0.005, 0.03), r.uniform(0.0001, 0.002), r.uniform(150, 500), r.uniform(5, 30)
    for _ in range(r.randint(1, 5)):
        rate = n / (start_s + more_s * n) * (r.uniform(0.7, 0.95) if r.random() < 0.15 else 1)
        ms = sorted(latency * r.uniform(0.8, 1.5) * (1 + n / 60) for _ in range(4))
        points.append({"n": round(n, 3), "per_s": round(rate, 3), "power_w": round(base_w + 40 * math.log1p(n) * r.uniform(0.8, 1.2), 2),
                       "itl_ms": dict(zip(("p50", "p90", "p95", "p99"), (round(m, 3) for m in ms)))})
        n *= r.uniform(1.3, 3)
    return points


def random_demand(r, horizon_s, typical, folder, number):
    """YAML and the same for the simulation. typical: tokens a second that a few replicas give."""
    kind = r.choice(("constant", "series", "series", "log", "law", "none"))
    if kind == "constant":
        rate = round(typical * r.uniform(0.2, 2), 2)
        return f"{{tokens_per_s: {rate}}}", Demand([(0, rate)])
    if kind == "none":
        return "{tokens_per_s: 0}", Demand([(0, 0.0)])
    name = f"d{number}.csv"
    repeat = r.random() < 0.5
    apart = random.Random(f"period of {number} in {typical}")
    if kind == "law":
        period, bins, mean, amplitude = r.choice((600, 1800)), r.choice((6, 20)), round(typical, 2), round(r.uniform(0, 1), 2)
        peak = r.randint(0, 900)
        w = 2 * math.pi / period
        edges = [period * i / bins for i in range(bins + 1)]
        steps = [(round(a * NS), mean * (1 + amplitude * (math.sin(w * (b - peak)) - math.sin(w * (a - peak))) / (w * (b - a))))
                 for a, b in zip(edges, edges[1:])]
        return (f"{{tokens_per_s: {mean}, amplitude: {amplitude}, period: {period}s, peak: {peak}s, bin: {period // bins}s}}",
                Demand(steps, period * NS))
    if kind == "series":
        times = sorted(r.sample(range(1, horizon_s), r.randint(1, 12)))
        rows = [(t, round(typical * r.choice((0, 0.3, 1, 1, 3)) * r.uniform(0.5, 1.5), 3)) for t in [0, *times]]
        last = rows[-1][0]
        end = last + apart.choice((1, last, 0.375)) if repeat else 2 * last - rows[-2][0]
        first = apart.choice((0, -30, 7, 5 * horizon_s)) if repeat else 0
        (folder / name).write_text("time_s,tokens_per_s\n" + "".join(f"{first + t},{rate}\n" for t, rate in rows))
        steps = [(t * NS, rate) for t, rate in rows]
        if not repeat:
            return f"{{file: {name}}}", Demand([*steps, (end * NS, 0.0)])
        return f"{{file: {name}, period: {end}s}}", Demand(steps, round(end * NS), first * NS)
    requests = sorted(round(r.uniform(0, horizon_s * 0.6), 3) for _ in range(r.randint(2, 200)))
    requests = [(t - requests[0], 5, max(1, round(typical * r.uniform(0, 30)))) for t in requests]
    with gzip.open(folder / f"{name}.gz", "wt", encoding="utf-8") as out:
        out.write("TIMESTAMP,ContextTokens,GeneratedTokens\n")
        for t, prompt, output in requests:
            minutes, seconds = divmod(t, 60)
            out.write(f"2024-02-29 {int(minutes) // 60:02}:{int(minutes) % 60:02}:{seconds:09.6f},{prompt},{output}\n")
    bin_s = r.choice((1, 10, 37.5, 240))
    read = read_requests(folder / f"{name}.gz")
    spare = apart.choice((0, 0, 1, 5))
    again = ", repeat: true" if repeat else ""
    if repeat and spare:
        again = f", period: {(read[-1][0] // bin_s + 1 + spare) * bin_s:.9g}s"
    return (f"{{file: {name}.gz, format: azure-llm, bin: {bin_s}s, scale: 0.25{again}}}", binned(read, bin_s, 0.25, repeat, spare))


JOB_POLICIES = ("fcfs", "easy", "zeus", "pollux", "las", "tiresias", "charon")


class Beside:
    """What else a scenario has: jobs of every kind, a policy, a cap, GPUs that sleep, a warm-up, an end with the last job."""

    def __init__(self, r, types, ctx_w, nodes, horizon_s, folder):
        self.idle_w = {gpu: r.choice((30, 60)) for gpu in types}
        self.cpu_w, self.tdp_w = r.choice((0, 7.5)), {gpu: r.choice((250, 400, 700)) for gpu in types}
        self.busy_w = {gpu: max(ctx_w[gpu], self.idle_w[gpu]) + 10 for gpu in types}
        self.ctx_w, self.naps, self.gpu_types, self.streams, self.drain = ctx_w, {}, [], [], False
        self.policy, self.cap, self.cap_text = r.choice(JOB_POLICIES), None, ""
        self.warmup_s = r.choice((0, 0, 60, 333.25))
        for gpu in types:
            sleeps = ""
            if r.random() < 0.3:
                after, wake = r.choice((40, 200)), r.choice((0, 4.5, 30))
                self.naps[gpu] = after * NS, round(wake * NS)
                sleeps = f", sleep_w: 5, sleep_after: {after}, wake_s: {wake}"
            self.gpu_types.append(f"{{name: {gpu}, idle_w: {self.idle_w[gpu]}, ctx_w: {ctx_w[gpu]}, busy_w: {self.busy_w[gpu]}, "
                                  f"tdp_w: {self.tdp_w[gpu]}, memory_gib: 80{sleeps}}}")
        if r.random() < 0.75:
            self.add_jobs(r, types, nodes, horizon_s, folder)
        if self.policy == "charon" or r.random() < 0.2:
            self.add_cap(r, nodes, horizon_s, folder)

    def add_jobs(self, r, types, nodes, horizon_s, folder):
        self.drain = r.random() < 0.2
        most = {gpu: sum(gpus for g, gpus in nodes if g == gpu) for gpu in types}
        for preemptible in (True, False)[:r.randint(1, 2)]:
            rows = []
            for i in range(r.randint(1, 40)):
                kind = r.choice(("best", "best", "sla"))
                only = r.choice(("", *types))
                k = min(r.choice((1, 1, 1, 2, 3, 4, 8)), most[only] if only else max(most.values()))
                rows.append(f"{'go' if preemptible else 'stay'}-{kind}-{i},{r.uniform(0, horizon_s * 0.9):.3f},"
                            f"{r.expovariate(2 / horizon_s) + 1:.3f},{k},{'sla' if kind == 'sla' else 'best_effort'},"
                            f"{r.choice((0.2, 0.7, 1))},{only}\n")
            name = f"jobs-{preemptible}.csv".lower()
            (folder / name).write_text("job_id,submit_s,duration_s,gpus,class,utilization,gpu_type\n" + "".join(rows))
            self.streams.append(f"    - {{kind: trace, file: {name}, preemptible: {str(preemptible).lower()}}}\n")

    def add_cap(self, r, nodes, horizon_s, folder):
        """Mostly falling, and up again."""
        idle = sum(50 + gpus * self.idle_w[gpu] for gpu, gpus in nodes)
        full = sum(50 + gpus * (self.tdp_w[gpu] + self.cpu_w) for gpu, gpus in nodes)
        times = [0, *sorted(r.sample(range(1, horizon_s), r.randint(1, 6)))]
        steps = [(t, round(idle + (full - idle) * r.uniform(0.1, 1) * (1 if t else 1.2), 3)) for t in times]
        (folder / "cap.csv").write_text("time_s,power_w\n" + "".join(f"{t},{watts}\n" for t, watts in steps))
        self.cap_text = "  power_cap_w: {file: cap.csv}\n"
        if self.policy == "charon":
            self.cap = Demand([(t * NS, watts) for t, watts in steps])

    def read_jobs(self, trace):
        """Jobs and facts for the simulation; who was displaced for replicas, not by a decision of the policy; the end of the run."""
        jobs, facts, displaced, decided_ns = {}, {}, [], None
        utilizations = {}
        for path in trace.parent.parent.glob("jobs-*.csv"):
            utilizations.update((row["job_id"], float(row["utilization"])) for row in rows_of(path))
        for line in trace.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            now, kind, name = event["time_ns"], event["kind"], event.get("job")
            of_job = facts.setdefault(now, []) if kind in ("start", "finish", "release", "preempt", "decision") else None
            if kind == "submit":
                jobs[name] = Job(len(jobs), "go-best" in name)
            elif kind == "decision":
                decided_ns = now
                of_job.append(("decision", None))
            elif kind == "preempt" and decided_ns != now:
                displaced.append((now, name))
            elif kind == "preempt":
                of_job.append((kind, name, event["checkpoint"]))
            elif kind == "start":
                gpu = event["gpu_type"]
                use = next(value for job, value in utilizations.items() if name.endswith(job))
                power_w = max(self.ctx_w[gpu], self.busy_w[gpu] + use * (self.tdp_w[gpu] - self.busy_w[gpu]))
                of_job.append((kind, name, event["nodes"], power_w))
            elif kind in ("finish", "release"):
                of_job.append((kind, name))
        return {"jobs": jobs, "facts": facts}, displaced, now

    def keys(self):
        return {"warmup_ns": round(self.warmup_s * NS), "idle_w": self.idle_w, "cpu_w": self.cpu_w, "base_w": 50, "cap": self.cap,
                "naps": self.naps}


def random_scenario(seed, folder):
    """What c.yaml says: nodes, services, horizon, outages, and what else there is."""
    r = random.Random(seed)
    horizon_s = r.choice((600, 1500, 4000))
    types = ["g", "h"][:r.randint(1, 2)]
    ctx_w = {gpu: r.randint(40, 90) for gpu in types}
    nodes = [(r.choice(types), r.choice((1, 2, 4, 8))) for _ in range(r.choice((0, 0, 1, 4)))]
    nodes += [(gpu, r.choice((4, 5))) for gpu in types]
    models, streams, specs = [], [], []
    for number in range(r.randint(1, 3)):
        tables = {(gpu, k): random_points(r) for gpu in types for k in r.sample((1, 2, 4), r.randint(1, 2))}
        text = "".join(f"      - {{gpu: {gpu}, k: {k}, evidence: assumed, source: test, points: {points}}}\n"
                       for (gpu, k), points in tables.items())
        models.append(f"  - name: m{number}\n    unit: token\n    prompt: {{included: true}}\n    serving:\n{text}")
        quantile_name = r.choice(("p50", "p90", "p95", "p99"))
        slo = {"itl_ms": round(max(points[0]["itl_ms"][quantile_name] for points in tables.values()) * r.uniform(0.9, 2), 3),
               "quantile": quantile_name, "wait_s": r.choice((0, 1, 10, 60))}
        if r.random() < 0.3:
            slo["timeout_s"] = slo["wait_s"] + r.choice((1, 30, 200))
        scaling = {"target": round(r.uniform(0.3, 1), 2), "interval_s": r.choice((7, 60, 90)), "down_after_s": r.choice((30, 200, 333)),
                   "objective": r.choice(("energy", "latency")), "preempt": r.random() < 0.5}
        limits = sorted(r.sample((2, 5, 16, 64, 500), r.randint(1, 3))) if r.random() < 0.6 else [math.inf]
        configs = []
        for (gpu, k), points in tables.items():
            table = Table(points, k * ctx_w[gpu])
            table.ctx_w = ctx_w[gpu]
            configs += [Config(table, gpu, types.index(gpu), k, limit, slo) for limit in limits]
        configs = [c for c in configs if c.n and any(gpu == c.gpu and gpus >= c.k for gpu, gpus in nodes)]
        if not configs:
            continue
        configs.sort(key=lambda c: (c.k, c.power(scaling["target"]), c.type, c.limit))
        yaml, demand = random_demand(r, horizon_s, r.uniform(0.3, 3) * configs[0].rate, folder, number)
        least = r.choice((0, 0, 1))
        spec = {"name": NAMES[number], "demand": demand, "slo": slo, "min": least, "max": max(1, least) + r.choice((0, 1, 3, 8)),
                "start_s": r.choice((0, 13.7, 90)), "scaling": scaling, "configs": configs}
        limit_text = "" if limits == [math.inf] else f", b: {limits}"
        wait = ", ".join(f"{key}: {value}" for key, value in slo.items())
        streams.append(
            f"    - kind: service\n      name: {quoted(spec['name'])}\n      model: m{number}\n      demand: {yaml}\n      slo: {{{wait}}}\n"
            f"      replicas: {{min: {least}, max: {spec['max']}{limit_text}}}\n      start_s: {spec['start_s']}\n      scaling: "
            f"{{target: {scaling['target']}, interval: {scaling['interval_s']}s, down_after: {scaling['down_after_s']}s, "
            f"objective: {scaling['objective']}, preempt: {str(scaling['preempt']).lower()}}}\n")
        specs.append(spec)
    if not specs:
        return None
    beside = Beside(r, types, ctx_w, nodes, horizon_s, folder)
    streams += beside.streams
    outages = []
    if r.random() < 0.5:
        for node in range(len(nodes)):
            if r.random() < 0.4:
                start = r.randint(0, horizon_s) + 0.25
                outages.append((start, start + r.randint(1, horizon_s) if r.random() < 0.7 else None, node))
    (folder / "o.csv").write_text("node,start_s,end_s\n" + "".join(f"{n},{a},{b or ''}\n" for a, b, n in outages))
    (folder / "m.yaml").write_text("models:\n" + "".join(models))
    node_text = ", ".join(f"{{gpu: {gpu}, gpus: {gpus}, base_w: 50, cpu_w_per_busy_gpu: {beside.cpu_w}}}" for gpu, gpus in nodes)
    (folder / "c.yaml").write_text(
        f"name: again\nhorizon: {'drain' if beside.drain else f'{horizon_s}s'}\nseed: {seed}\ncluster:\n"
        f"  gpu_types: [{', '.join(beside.gpu_types)}]\n  nodes: [{node_text}]\n{beside.cap_text}"
        f"models: m.yaml\n{'failures: {file: o.csv}' if outages else ''}\nworkload:\n  warmup: {beside.warmup_s}s\n"
        f"  streams:\n{''.join(streams)}policy: {{name: {beside.policy}}}\n")
    times = [(round(a * NS), round(b * NS) if b else None, n) for a, b, n in outages]
    return nodes, specs, horizon_s * NS, times, beside


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


# ---- Comparison ----

def figures_of(service):
    number = len([r for r in service.replicas if r.state != "reserved"])
    return {"tokens_demanded": service.demanded, "tokens_served": service.served, "tokens_dropped": service.dropped,
            "tokens_left": service.backlog, "tokens_before": service.before, "slo_share": service.within / service.demanded if service.demanded else None,
            "energy_kwh": service.energy_j / 3.6e6, "wait_p50_s": quantile(service.waits, 0.5),
            "wait_p99_s": quantile(service.waits, 0.99), "latency_p99_ms": quantile(service.latencies, 0.99),
            "replica_gpu_h": service.gpu_s / 3600, "replicas_end": number, "scale_ups": service.scale_ups, "preemptions": service.preemptions}


def compare(rows, cluster, what):
    """The figures of services.csv are those of the simulation."""
    assert len(rows) == len(cluster.services), (what, rows)
    for row, service in zip(rows, cluster.services):
        assert row["service"] == service.spec["name"], (what, row)
        expected, scale = figures_of(service), max(service.demanded, 1)
        for name in FIGURES:
            found = float(row[name]) if row[name] else None
            tolerance = 1e-7 * scale if name.startswith("tokens") else 1e-6
            same = found == expected[name] if None in (found, expected[name]) else math.isclose(
                found, expected[name], rel_tol=1e-6, abs_tol=tolerance)
            assert same, (what, row["service"], name, found, expected[name])
        left = float(row["tokens_before"]) + float(row["tokens_demanded"]) - sum(
            float(row[f"tokens_{name}"]) for name in ("served", "dropped", "left"))
        assert abs(left) <= 1e-9 * scale, (what, row, left)


def simulate(scenario, out):
    """With what the run in `out` says of jobs; they gave way to the same replicas at the same times."""
    nodes, specs, end_ns, outages, beside = scenario
    given, displaced, drained_ns = beside.read_jobs(out / "t.jsonl")
    end_ns = drained_ns if beside.drain else end_ns
    cluster = Cluster(nodes, specs, end_ns, outages, **beside.keys(), **given).run()
    return cluster, displaced


COUNTED, COUNT = Counter(), option("--count", 40)


def as_simulated(seed, folder):
    scenario = random_scenario(seed, folder)
    if not scenario:
        return
    if not room(Cluster(*scenario[:4])):
        easim("check", folder / "c.yaml", code=2, says="expected replicas that fit the empty cluster")
        return
    done = easim("run", folder / "c.yaml", "--check", "--quiet", "--trace", "t.jsonl", "--out", folder / "out", code=(0, 1))
    if done.returncode == 1:
        assert re.search("waiting for ever|stopped 1000 times in a row", done.stderr), done.stderr
        COUNTED["stuck"] += 1
        return
    cluster, displaced = simulate(scenario, folder / "out")
    assert cluster.displaced == displaced, (cluster.displaced, displaced)
    compare(rows_of(folder / "out" / "services.csv"), cluster, seed)
    COUNTED.update(scenarios=1, jobs=len(cluster.jobs), scaled=sum(service.scale_ups for service in cluster.services),
                   reserved=cluster.reservations, fulfilled=cluster.fulfilled, displaced=len(displaced), capped=cluster.capped)


def room(cluster):
    """Whether `min` replicas of all services find room."""
    free = list(cluster.free)
    try:
        for service in cluster.services:
            for _ in range(service.spec["min"]):
                cluster.start(service, service.best(0, 0, cluster.fits), 0, at_once=True)
    except AttributeError:
        return False
    finally:
        cluster.free = free
        for service in cluster.services:
            service.replicas.clear()
    return True


# ---- Request by request ----

def serve_requests(table, most, requests):
    """J and tokens of a replica that serves requests (arrival in s, tokens), at most `most` at once, and when it is done."""
    now, joules, iterations, coming = 0.0, 0.0, 0, 0
    ends, queue = [], deque()  # iterations at which requests that run are done
    while coming < len(requests) or ends or queue:
        while queue and len(ends) < most:
            heapq.heappush(ends, iterations + queue.popleft())
        n, arrival = len(ends), requests[coming][0] if coming < len(requests) else math.inf
        if n == 0:
            joules += table.power_at(0) * (arrival - now)
            now = arrival
        else:
            step_s = n / table.rate_at(n)
            steps = ends[0] - iterations
            if arrival < math.inf and n < most:
                steps = min(steps, max(1, math.ceil((arrival - now) / step_s)))
            joules += table.power_at(n) * steps * step_s
            now, iterations = now + steps * step_s, iterations + steps
            while ends and ends[0] <= iterations:
                heapq.heappop(ends)
        while coming < len(requests) and requests[coming][0] <= now:
            queue.append(requests[coming][1])
            coming += 1
    return joules, now


def shipped_tables():
    """Points by (model, GPU type, k) of configs/models/serving.yaml."""
    tables, model, gpu, k = {}, None, None, None
    for line in (SOURCE / "configs/models/serving.yaml").read_text(encoding="utf-8").splitlines():
        if found := re.match(r'  - name: "(.*)"', line):
            model = found[1]
        elif found := re.match(r'      - gpu: "(.*)"', line):
            gpu = found[1]
        elif found := re.match(r"        k: (\d+)", line):
            k = int(found[1])
        elif line.startswith("          - {limit"):
            point = {key: float(value) for key, value in re.findall(r"(\w+): ([-\d.e+]+)", line)}
            point["itl_ms"] = {q: point[q] for q in ("p50", "p90", "p95", "p99")}
            tables.setdefault((model, gpu, k), []).append(point)
    return tables


CTX_W = {"h100": 95, "b200": 140}


def fluid(folder, services, horizon_s, nodes=40, prompt="{included: true}"):
    """Rows of services.csv of a run of services (model, GPU type, k, YAML of the demand, more keys)."""
    text = (SOURCE / "configs/models/serving.yaml").read_text(encoding="utf-8")
    (folder / "m.yaml").write_text(text.replace("prompt: {included: true}", f"prompt: {prompt}"))
    entries = "".join(
        f"    - kind: service\n      name: s{i}\n      model: {model}\n      demand: {demand}\n      slo: {{itl_ms: 1e6, wait_s: 10}}\n"
        f"      replicas: {{min: 1, max: 1, k: {k}, h: {gpu}}}\n{more}" for i, (model, gpu, k, demand, more) in enumerate(services))
    types = ", ".join(f"{{name: {gpu}, idle_w: 60, ctx_w: {watts}, tdp_w: 1000, memory_gib: 80}}" for gpu, watts in CTX_W.items())
    (folder / "c.yaml").write_text(
        f"name: fluid\nhorizon: {horizon_s}s\ncluster:\n  gpu_types: [{types}]\n  nodes: [{{count: {nodes}, gpu: h100, gpus: 8}}, "
        f"{{count: {nodes}, gpu: b200, gpus: 8}}]\nmodels: m.yaml\nworkload:\n"
        f"  streams:\n{entries}policy: {{name: fcfs}}\n")
    easim("run", folder / "c.yaml", "--check", "--quiet", "--force", "--out", folder / "out")
    return rows_of(folder / "out" / "services.csv")


def requests_of_poisson(folder):
    """Every ninth table at several loads, Poisson arrivals, lengths of mean 200: J a token and tokens a second of a run within 5 %. Where
    rates were measured to fall, and are flat, a rate does not say how many requests run: no load near is taken."""
    r, horizon_s, cases, services, flat = random.Random(1), 1800, [], [], 0
    for (model, gpu, k), points in list(shipped_tables().items())[::9]:
        table = Table(points, k * CTX_W[gpu])
        for n in (n for n in (12, 30, 80) if n < 0.8 * table.n[-1]):
            if any(a == b and low < 2 * n and high > n / 2 for a, b, low, high in zip(table.rate, table.rate[1:], table.n, table.n[1:])):
                flat += 1
                continue
            at, requests = 0.0, []
            while at < horizon_s:
                requests.append((at, 1 + int(r.expovariate(1 / 200))))
                at += r.expovariate(table.rate_at(n) / 200)
            tokens = sum(length for _, length in requests)
            cases.append((model, gpu, k, n, tokens, *serve_requests(table, int(table.n[-1]), requests)))
            services.append((model, gpu, k, f"{{tokens_per_s: {tokens / horizon_s}}}", ""))
    for row, (model, gpu, k, n, tokens, joules, end_s) in zip(fluid(folder, services, horizon_s), cases):
        for found, expected in ((float(row["j_per_token"]), joules / tokens), (float(row["tokens_served"]) / horizon_s, tokens / end_s)):
            assert math.isclose(found, expected, rel_tol=0.05), (model, gpu, k, n, found, expected)
    assert len(cases) > 20
    print(f"{len(cases)} loads request by request: within 5 % ({flat} where rates are flat left out)")


# ---- Real logs ----

LOG_MODEL = "Qwen/Qwen3-14B/lm-arena-chat", "h100", 1
LARGE_MODEL = "meta-llama/Llama-3.1-70B-Instruct", "h100", 4


def real_logs(folder):
    """Of an hour of real requests every token is served, with scaling, as in the naive simulation. In bins they take the energy that
    they take one by one, within 5 %: of 10 s for conversations and where code's prompts are work, too, at 0.016 of an output token; of
    5 s for code without its prompts, whose answers of 28 tokens come in bursts."""
    data, points = real_data("serving"), shipped_tables()[LOG_MODEL]
    table = Table(points, CTX_W["h100"])
    table.ctx_w = CTX_W["h100"]
    for log, scale in (("conv", 9), ("code", 40)):
        path = data / f"azure_llm_2023_{log}.csv.gz"
        requests = read_requests(path)
        slo = {"itl_ms": 60, "quantile": "p99", "wait_s": 10}
        scaling = {"target": 0.8, "interval_s": 60, "down_after_s": 300, "objective": "energy"}
        spec = {"name": "s0", "demand": binned(requests, 10, scale), "slo": slo, "min": 1, "max": 12, "start_s": 90, "scaling": scaling,
                "configs": [Config(table, "h100", 0, 1, math.inf, slo)]}
        cluster = Cluster([("h100", 8)] * 2 + [("b200", 8)] * 2, [spec], 3600 * NS)
        yaml = f"{{file: {path}, format: azure-llm, bin: 10s, scale: {scale}}}"
        [row] = fluid(folder, [(*LOG_MODEL, yaml, "      start_s: 90\n")], 3600, nodes=2)
        text = (folder / "c.yaml").read_text().replace("itl_ms: 1e6", "itl_ms: 60").replace("max: 1,", "max: 12,")
        (folder / "c.yaml").write_text(text)
        easim("run", folder / "c.yaml", "--check", "--quiet", "--force", "--out", folder / "out")
        rows = rows_of(folder / "out" / "services.csv")
        compare(rows, cluster.run(), log)
        tokens = scale * sum(output for _, _, output in requests)
        for found in (row, rows[0]):
            assert math.isclose(float(found["tokens_demanded"]), tokens, rel_tol=1e-9), (log, found, tokens)
        print(f"{log}: {len(requests)} requests, {tokens} tokens: equal; {rows[0]['j_per_token']} J a token, "
              f"{rows[0]['slo_share']} within the SLO, {rows[0]['replica_gpu_h']} GPU h")
    for log, scale, model, bin_s, q in (("conv", 1, LOG_MODEL, 10, 0), ("conv", 3, LOG_MODEL, 10, 0), ("code", 20, LOG_MODEL, 5, 0),
                                        ("code", 20, LARGE_MODEL, 5, 0), ("code", 20, LOG_MODEL, 10, 0.016)):
        one_by_one(folder, data / f"azure_llm_2023_{log}.csv.gz", scale, model, bin_s, q)


def one_by_one(folder, path, scale, key, bin_s, q):
    """Users of a log times scale, each within half a second of one of the log's: one replica, request by request, against bins."""
    table, r = Table(shipped_tables()[key], key[2] * CTX_W[key[1]]), random.Random(1)
    arrivals = sorted((max(0, t + (r.uniform(-0.5, 0.5) if copy else 0)), round(output + q * prompt), output)
                      for t, prompt, output in read_requests(path) for copy in range(scale) if output)
    joules, end_s = serve_requests(table, int(table.n[-1]), [(t, work) for t, work, _ in arrivals])
    yaml = f"{{file: {path}, format: azure-llm, bin: {bin_s}s, scale: {scale}}}"
    prompt = f"{{output_equivalents: {q}}}" if q else "{included: true}"
    [row] = fluid(folder, [(*key, yaml, "")], math.ceil(end_s), nodes=2, prompt=prompt)
    found, expected = float(row["j_per_token"]), joules / sum(output for *_, output in arrivals)
    print(f"{path.name} x {scale} on {key[0]}, prompts {q}: {found:.4g} J a token in bins of {bin_s} s, {expected:.4g} request by request")
    assert math.isclose(found, expected, rel_tol=0.05), (path, scale, key, found, expected)


cases(seeds(as_simulated, COUNT), requests_of_poisson, real_logs)
print(f"{COUNTED['scenarios']} random scenarios, {COUNTED['jobs']} jobs, {COUNTED['scaled']} scale-ups, {COUNTED['reserved']} "
      f"reservations, of which {COUNTED['fulfilled']} were served, {COUNTED['displaced']} jobs displaced, {COUNTED['capped']} "
      f"replicas gone for the cap: equal; {COUNTED['stuck']} where jobs wait for ever")
assert COUNTED["scenarios"] > COUNT / 2 and COUNTED["scaled"] > COUNT
