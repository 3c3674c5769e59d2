"""EASY backfilling against the rule of docs/reference/semantics.md 5.8 written down naively: random jobs on one to three GPU types, bound
to one, to two of them or to none, rigid ones whose requests are longer, equal or shorter than what they take and others with
a model, must start at the same times on the same types with as many GPUs. So must the jobs of logs in whole minutes, in the
mode of published waits (1.2): there an instant has several arrivals and ends. Usage: test_easy.py EASIM SOURCE [--count N]
"""
import random
from fractions import Fraction
from math import ceil

from harness import cases, easim, rows_of, seeds, write_table

LOGS, LOG_JOBS = 40, 390  # in whole minutes
SECOND = 10**9
MINUTE = 60 * SECOND
K = [1, 2, 4, 8]  # of jobs that leave it open
SETUP = 5         # s, of jobs with a model


# ---- The rule ----

class Queues:
    """Jobs wait for, and run on, GPU types, of which free holds the free GPUs. All times are in ns."""

    def __init__(self, types):
        self.free, self.waiting, self.running, self.now = [t["gpus"] for t in types], [], [], 0

    def shadow(self, type_, k):
        """When k GPUs of the type are free by the requests, and how many more are free then."""
        ends = sorted((max(job["expected"], self.now + 1), job["k"]) for job in self.running if job["type"] == type_)
        for end in [self.now] + [end for end, _ in ends]:
            free = self.free[type_] + sum(gpus for at, gpus in ends if at <= end)
            if free >= k:
                return end, free - k
        raise AssertionError("the head never fits")

    def decide(self):
        heads = {}  # GPU type: its shadow time, its extra GPUs
        for job in list(self.waiting):
            if not self.start(job, heads):
                places = [(*self.shadow(c["type"], c["k"]), order, c["type"]) for order, c in enumerate(job["candidates"])
                          if c["type"] not in heads]
                if places:
                    shadow, extra, _, type_ = min(places, key=lambda place: (place[0], place[2]))
                    heads[type_] = [shadow, extra]

    def start(self, job, heads):
        for c in job["candidates"]:
            if c["k"] > self.free[c["type"]]:
                continue
            head = heads.get(c["type"])
            if head and self.now + c["asked"] > head[0]:
                if c["k"] > head[1]:
                    continue
                head[1] -= c["k"]
            job |= {"start": self.now, "end": self.now + c["takes"], "expected": self.now + c["asked"], "k": c["k"],
                    "type": c["type"]}
            self.free[c["type"]] -= c["k"]
            self.waiting.remove(job)
            self.running.append(job)
            return True
        return False

    def finish(self, job):
        self.running.remove(job)
        self.free[job["type"]] += job["k"]

    def fits(self, job):
        return any(c["k"] <= self.free[c["type"]] for c in job["candidates"])


def simulate(types, jobs, mode):
    queues, coming = Queues(types), list(jobs)
    while coming or queues.running:
        now = queues.now = min([job["submit"] for job in coming[:1]] + [job["end"] for job in queues.running])
        ends = sorted((job for job in queues.running if job["end"] == now), key=lambda job: job["started"])
        arrivals = [job for job in coming if job["submit"] == now]
        coming = coming[len(arrivals):]
        step = {"together": together, "one by one": one_by_one, "published": published}[mode]
        step(queues, ends, arrivals)
    return jobs


def number_starts(queues):
    """Ends of one instant come in the order of the starts."""
    count = max((job.get("started", 0) for job in queues.running), default=0)
    for job in queues.running:  # in that order
        if "started" not in job:
            count += 1
            job["started"] = count


def decide_after(queues, arrival=None):
    if arrival is None or queues.fits(arrival):
        queues.decide()
        number_starts(queues)


def together(queues, ends, arrivals):
    for job in ends:
        queues.finish(job)
    queues.waiting += arrivals
    decide_after(queues, arrivals[0] if len(arrivals) == 1 and not ends else None)


def one_by_one(queues, ends, arrivals):
    for job in ends:
        queues.finish(job)
        decide_after(queues)
    for job in arrivals:
        queues.waiting.append(job)
        decide_after(queues, job)


def published(queues, ends, arrivals):
    """Who ends as requested is gone before the first decision of the instant."""
    for job in arrivals:
        finish_as_requested(queues)
        queues.waiting.append(job)
        decide_after(queues, job)
    for job in ends:
        finish_as_requested(queues)
        if job in queues.running:
            queues.finish(job)
        decide_after(queues)


def finish_as_requested(queues):
    for job in [job for job in queues.running if job["end"] == job["expected"] == queues.now]:
        queues.finish(job)


# ---- Scenarios ----

def ns(time_s):
    return ceil(time_s * SECOND - Fraction(1, 1000))


def order(choice):
    return choice["time"], choice["k"], choice["power"], choice["type"]


def find_candidates(choices):
    """The best of each type, the best first: least T, fewer GPUs, less power, the earlier type."""
    best = {}
    for choice in sorted(choices, key=order):
        best.setdefault(choice["type"], choice)
    return sorted(best.values(), key=order)


def draw_types(rng, equal):
    types = []
    for _ in range(rng.randrange(1, 4)):
        node = rng.choice([1, 4, 8, 20])
        types.append({"node": node, "gpus": node * rng.randrange(1, 1 + 24 // node), "tdp": rng.choice([300, 300, 400]),
                      "speed": 1 if equal else rng.choice([1, 2, Fraction(3, 2), Fraction(1, 2)]),
                      "table": {k: (2 ** rng.randrange(4), rng.choice([200, 250])) for k in K}})  # samples/s, W
    return types


def draw_job(rng, types, with_models):
    allowed = sorted(rng.sample(range(len(types)), min(len(types), rng.choice([1, 2, 9, 9]))))
    most = max(types[h]["gpus"] for h in allowed)
    job = {"types": allowed, "gpus": min(most, rng.choice([1, 1, 1, 2, 3, 4, 8, most])), "model": False}
    if with_models and rng.random() < 0.3:
        job |= {"model": True, "work": rng.randrange(1, 400), "gpus": rng.choice([None, 1, 2, 4])}
        if job["gpus"] and job["gpus"] > most:
            job["gpus"] = 1
        choices = [{"type": h, "k": k, "time": SETUP + Fraction(job["work"], types[h]["table"][k][0]),
                    "power": types[h]["table"][k][1]}
                   for h in allowed for k in ([job["gpus"]] if job["gpus"] else K) if k <= types[h]["gpus"]]
        for choice in choices:
            choice["asked"] = choice["takes"] = ns(choice["time"])
    else:
        duration = Fraction(rng.randrange(8, 1600), 8)
        requested = duration * rng.choice([Fraction(1, 2), 1, 1, 2, 5]) if rng.random() < 0.8 else Fraction(150)
        job |= {"duration": duration, "requested": requested}
        choices = [{"type": h, "k": job["gpus"], "time": requested / types[h]["speed"], "power": types[h]["tdp"],
                    "asked": ns(requested / types[h]["speed"]), "takes": ns(duration / types[h]["speed"])}
                   for h in allowed if job["gpus"] <= types[h]["gpus"]]
    return job | {"candidates": find_candidates(choices)}


def draw_jobs(rng, types, with_models):
    submit, jobs = 0, []
    for row in range(rng.randrange(40, 120)):
        submit += rng.choice([0, 0, 1, 3, rng.randrange(40)])
        jobs.append(draw_job(rng, types, with_models) | {"id": f"j{row}", "submit": submit * SECOND})
    return jobs


def write_jobs(path, types, jobs):
    rows = []
    for job in jobs:
        names = "|".join(f"g{h}" for h in job["types"]) if len(job["types"]) < len(types) else ""
        model = ["m", job["work"]] if job["model"] else ["", ""]
        times = ["", ""] if job["model"] else [float(job["duration"]), float(job["requested"])]
        rows.append([job["id"], job["submit"] // SECOND, *model, job["gpus"] or "", names, *times])
    write_table(path, "job_id,submit_s,model,work_samples,gpus,gpu_type,duration_s,requested_s", rows)


def write_models(path, types):
    speeds = ", ".join(f"g{h}: {float(t['speed'])}" for h, t in enumerate(types))
    lines = [f"rigid_speed: {{{speeds}}}", f"models: [{{name: m, m0: 1000, phi: 1, batches: [1], start_s: {SETUP}, gpus: {{"]
    for h, gpu in enumerate(types):
        points = ", ".join(f"{{k: {k}, batch: 1, throughput_samples_s: {rate}, power_w_per_gpu: {power}}}"
                           for k, (rate, power) in gpu["table"].items())
        lines.append(f"  g{h}: {{evidence: assumed, source: drawn, lookup: [{points}]}},")
    path.write_text("\n".join([*lines, "  }}]"]) + "\n", encoding="utf-8")


ENGINES = {"together": "", "one by one": "engine: {coalesce: false}\n",
           "published": "engine: {coalesce: false, equal_time: arrivals_first}\n"}


def start_as_in_plain_easy(seed, folder):
    rng = random.Random(seed)
    with_models = rng.random() < 0.7
    types = draw_types(rng, not with_models)
    jobs = draw_jobs(rng, types, with_models)
    mode = rng.choice(["together", "together", *ENGINES])
    wrong = compare(types, jobs, mode, folder, with_models)
    assert not wrong, (seed, mode, wrong[:3])


def draw_log(rng):
    """One machine and a log in whole minutes, where several jobs come, and several end, at an instant."""
    gpus, minute, jobs = rng.choice([32, 48, 64]), 0, []
    for row in range(LOG_JOBS):
        minute += rng.choice([0, 0, 0, 1, 2, 4])
        takes = rng.choice([1, 2, 3, 5, 10, 15, 30])
        asked = takes * rng.choice([1, 1, 2, 4])
        candidate = {"type": 0, "k": rng.choice([1, 2, 4, 8, 12, 16]), "takes": takes * MINUTE, "asked": asked * MINUTE}
        jobs.append({"id": f"j{row}", "submit": minute * MINUTE, "types": [0], "gpus": candidate["k"], "model": False,
                     "duration": takes * 60, "requested": asked * 60, "candidates": [candidate]})
    return [{"node": 1, "gpus": gpus, "tdp": 300}], jobs


def logs_in_whole_minutes(folder):
    for seed in range(LOGS):
        types, jobs = draw_log(random.Random(f"log {seed}"))
        wrong = compare(types, jobs, "published", folder)
        assert not wrong, (seed, f"{len(wrong)} of {len(jobs)}", wrong[:3])
    return LOGS


def compare(types, jobs, mode, folder, with_models=False):
    write_jobs(folder / "jobs.csv", types, jobs)
    if with_models:
        write_models(folder / "m.yaml", types)
    gpu_types = ", ".join(f"{{name: g{h}, idle_w: 50, tdp_w: {t['tdp']}}}" for h, t in enumerate(types))
    nodes = ", ".join(f"{{count: {t['gpus'] // t['node']}, gpu: g{h}, gpus: {t['node']}}}" for h, t in enumerate(types))
    (folder / "s.yaml").write_text(
        f"name: s\nhorizon: drain\npolicy: {{name: easy}}\nworkload: {{kind: trace, file: jobs.csv, k: {K}}}\n"
        f"{'models: m.yaml' if with_models else ''}\n{ENGINES[mode]}"
        f"cluster: {{gpu_types: [{gpu_types}], nodes: [{nodes}]}}\n", encoding="utf-8")
    easim("run", folder / "s.yaml", "--check", "--quiet", "--force", "--out", folder / "out")
    got = {row["job_id"]: (Fraction(row["start_s"]), row["gpu_type"], int(row["k"])) for row in rows_of(folder / "out/jobs.csv")}
    return [(job["id"], got[job["id"]], expected) for job in simulate(types, jobs, mode)
            if got[job["id"]] != (expected := (Fraction(job["start"], SECOND), f"g{job['type']}", job["k"]))]


cases(seeds(start_as_in_plain_easy, 60), logs_in_whole_minutes)
