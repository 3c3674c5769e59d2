"""Jobs that share GPUs, against a simulation of every single GPU written down naively: random clusters with sleeping
GPUs and random jobs under fcfs, fcfs without strict, and pollux must start and end at the same times on the same GPU
types. Rules: docs/reference/semantics.md, shared GPUs, sleep, placement. Usage: test_sharing.py EASIM SOURCE
"""
import random
from fractions import Fraction

from harness import cases, easim, rows_of, seeds, write_table

TDP_W = {"g": 400, "h": 700}
TAU_S = 3600  # of pollux
RAN = []


class Gpu:
    def __init__(self):
        self.free, self.jobs, self.part, self.number = 1000, 0, False, None
        self.since = self.awake = Fraction(0)  # free since; has woken up at


class Cluster:
    def __init__(self, nodes, sleep):
        self.sleep = sleep  # by type: (sleep_after, wake_s) or None
        self.nodes = [(gpu_type, [Gpu() for _ in range(gpus)]) for gpu_type, gpus in nodes]

    def of_type(self, gpu_type):
        return [gpus for t, gpus in self.nodes if t == gpu_type]

    def sleeps(self, gpu_type, gpu, now):
        return bool(self.sleep[gpu_type]) and gpu.jobs == 0 and now - gpu.since >= self.sleep[gpu_type][0]

    def free(self, gpu_type, gpus, now):
        """Free GPUs of a node as they are taken: those awake first, the last freed first."""
        return sorted((g for g in gpus if g.jobs == 0), key=lambda g: (self.sleeps(gpu_type, g, now), -g.since))

    def place(self, job, gpu_type, now):
        """The GPUs that a job gets now, each with its node; None: they are not free."""
        nodes = self.of_type(gpu_type)
        room = [(g.free, n, g.number) for n, gpus in enumerate(nodes) for g in gpus
                if g.part and g.free >= job["milli"]]
        if job["milli"] < 1000 and room:
            _, node, number = min(room)
            return [(nodes[node], next(g for g in nodes[node] if g.part and g.number == number))]
        free = [self.free(gpu_type, gpus, now) for gpus in nodes]
        enough = [(len(gpus), n) for n, gpus in enumerate(free) if len(gpus) >= job["k"]]
        if enough:
            return [(nodes[min(enough)[1]], g) for g in free[min(enough)[1]][:job["k"]]]
        order = sorted(range(len(nodes)), key=lambda n: -len(free[n]))
        taken = [(nodes[n], g) for n in order for g in free[n]][:job["k"]]
        return taken if len(taken) == job["k"] else None

    def hold(self, job, gpu_type, taken, now):
        """Returns how long the start waits for GPUs that wake up."""
        part, ready = job["milli"] < 1000, now
        for gpus, g in taken:
            if g.jobs == 0:
                g.awake = now + (self.sleep[gpu_type][1] if self.sleeps(gpu_type, g, now) else 0)
                g.part, used = part, {other.number for other in gpus if other.part}
                g.number = next(n for n in range(len(gpus)) if n not in used) if part else None
            ready = max(ready, g.awake)
            g.jobs, g.free = g.jobs + 1, g.free - job["milli"]
        return ready - now

    @staticmethod
    def give_back(job, taken, now):
        for _, g in taken:
            g.jobs, g.free = g.jobs - 1, g.free + job["milli"]
            if g.jobs == 0:
                g.since, g.part, g.number = now, False, None


def simulate(cluster, jobs, policy, start_s):
    """By job: start, end and GPU type; rejected ones are left out."""
    gpus = {t: sum(map(len, cluster.of_type(t))) for t in TDP_W}
    todo, waiting, running, ran = list(jobs), [], [], {}
    while todo or running:
        now = min([job["submit"] for job in todo[:1]] + [end for end, *_ in running])
        for _, job, taken in [run for run in running if run[0] == now]:
            cluster.give_back(job, taken, now)
        running = [run for run in running if run[0] > now]
        while todo and todo[0]["submit"] == now:
            job = todo.pop(0)
            waiting += [job] if any(job["k"] <= gpus[t] for t in job["types"]) else []
        if policy == "pollux":  # stable: ties by submission
            order = sorted(sorted(waiting, key=lambda job: job["row"]), key=lambda job: float(
                (job["duration"] + start_s) / (1 + (now - job["submit"]) / TAU_S)))
        else:
            order = sorted(waiting, key=lambda job: job["row"])
        for job in order:  # all types are equally fast, so the one that draws less
            places = [(TDP_W[t], t, cluster.place(job, t, now)) for t in job["types"]]
            places = [place for place in places if place[2]]
            if places:
                _, gpu_type, taken = min(places, key=lambda place: place[0])
                end = now + start_s + cluster.hold(job, gpu_type, taken, now) + job["duration"]
                running.append((end, job, taken))
                ran[job["id"]] = (now, end, gpu_type)
                waiting.remove(job)
            elif policy == "fcfs":
                break
    return ran


def draw_jobs(rng, types):
    sizes = rng.choice([[500], [250, 500, 750], range(1, 1000), [1, 999, 400, 600, 334, 333]])
    submit, jobs = 0, []
    for row in range(rng.randrange(20, 100)):
        submit += rng.choice([0, 0, 1, 2, rng.randrange(25)])
        milli = rng.choice(sizes) if rng.random() < 0.8 else 1000
        jobs.append({"id": f"j{row}", "row": row, "submit": Fraction(submit), "milli": milli,
                     "k": rng.choice([1, 1, 2, 3, 5]) if milli == 1000 else 1,
                     "duration": Fraction(rng.randrange(8, 960), 8), "types": rng.choice([types[:1], types[-1:], types])})
    return jobs


def simulated_gpu_by_gpu(seed, folder):
    rng = random.Random(seed)
    types, policy = rng.choice([["g"], ["g", "h"]]), rng.choice(["fcfs", "backfill", "pollux"])
    start_s = rng.choice([0, 3])
    sleep = {t: rng.choice([None, (Fraction(rng.choice([1, 10, 60]), 2), Fraction(rng.choice([0, 4, 15]), 2))])
             for t in types}
    nodes = [(t, rng.randrange(1, 5)) for t in types + rng.choices(types, k=rng.randrange(4))]
    jobs = draw_jobs(rng, types)
    write_table(folder / "jobs.csv", "job_id,submit_s,gpus,duration_s,gpu_type,gpu_share", (
        [job["id"], float(job["submit"]), job["k"], float(job["duration"]), "|".join(job["types"]),
         job["milli"] / 1000 if job["milli"] < 1000 else ""] for job in jobs))
    gpu_types = ", ".join(f"{{name: {t}, idle_w: 50, tdp_w: {TDP_W[t]}" + (
        f", sleep_w: 5, sleep_after: {float(sleep[t][0])}s, wake_s: {float(sleep[t][1])}s}}" if sleep[t] else "}")
                          for t in types)
    params = {"fcfs": "fcfs", "backfill": "fcfs, params: {strict: false}", "pollux": "pollux"}[policy]
    (folder / "s.yaml").write_text(
        f"name: s\nhorizon: drain\npolicy: {{name: {params}}}\ncluster: {{gpu_types: [{gpu_types}], nodes: ["
        + ", ".join(f"{{gpu: {t}, gpus: {gpus}}}" for t, gpus in nodes)
        + f"]}}\nworkload: {{kind: trace, file: jobs.csv, rigid_costs: {{start_s: {start_s}}}}}\n", encoding="utf-8")
    easim("run", folder / "s.yaml", "--check", "--strict", "--quiet", "--out", folder / "out")
    ran = simulate(Cluster(nodes, sleep), jobs, policy, start_s)
    got = {row["job_id"]: (Fraction(row["start_s"]), Fraction(row["finish_s"]), row["gpu_type"])
           for row in rows_of(folder / "out/jobs.csv") if row["status"] != "rejected"}
    wrong = [(job, tuple(map(str, got[job])), tuple(map(str, ran[job]))) for job in got if got[job] != ran.get(job)]
    assert got.keys() == ran.keys() and not wrong, (seed, policy, wrong[:3])
    RAN.append(len(ran))


cases(seeds(simulated_gpu_by_gpu, 80))
assert sum(RAN) > 20 * len(RAN), RAN
