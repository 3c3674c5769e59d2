"""Contention and storage on random scenarios: test_contention.py EASIM SOURCE [--count N]

What each job did and drew in each of its recorded segments, from who computed where and the model files alone: uplinks and
storage are filled naively at every instant (semantics 35), and speed and power follow. Networks that nobody fills, which
change nothing; the same bytes on any number of threads; copies of a run that go another way. Many jobs on one storage, whose
shares change together: by a closed form, and the same bytes if each of them goes its own way.
"""
import math
from collections import defaultdict
from random import Random

from harness import cases, easim, option, rows_of, same_files
from physics import Config, iteration
from random_scenario import Scenario
from waste_again import Recorded

COUNT = option("--count", 30)


def scenario_of(seed, oversubscribed=True):
    """A random scenario whose jobs share uplinks, storage or both, without the noise that one may have."""
    scenario = Scenario(seed)
    scenario.scenario.pop("noise", None)
    scenario.take_contention(oversubscribed)
    return scenario


# ---- a naive simulation of who has which share ----------------------------------------------------------------------


def filled(jobs, capacity):
    """Max-min fair rates of {job: (most, {link: weight})}: the water rises from one stop to the next."""
    rates, rising = {}, set(jobs)
    while rising:
        room = {link: most - sum(jobs[j][1].get(link, 0) * rate for j, rate in rates.items()) for link, most in capacity.items()}
        weight = {link: sum(jobs[j][1].get(link, 0) for j in rising) for link in capacity}
        full = {link: room[link] / weight[link] for link in capacity if weight[link]}
        level = min([*full.values(), *(jobs[j][0] for j in rising)])
        stops = {j for j in rising if jobs[j][0] <= level * (1 + 1e-12) or
                 any(full[link] <= level * (1 + 1e-12) for link in jobs[j][1])}
        rates |= {j: min(level, jobs[j][0]) for j in stops}
        rising -= stops
    return rates


class Place:
    """What a computing job moves and draws: of one segment."""

    def __init__(self, run, segment):
        job, physics = run.jobs[segment.job], run.physics
        self.model, self.k = physics.models[job["model"]], segment.k
        span, g, t = segment.span, self.model["gpus"][segment.gpu], run.cluster.types[segment.gpu]
        own = physics.one(job, segment.phase, segment.gpu, segment.k, segment.b, segment.limit)
        node_gpus = max(1, run.cluster.most[segment.gpu])
        nodes = max(2, -(-segment.k // node_gpus)) if span else 1
        time, watts = iteration(g, segment.k, segment.b, nodes) or iteration(g, segment.k, segment.b, nodes, stand_in=True)
        ratios = Config(segment.gpu, segment.k, segment.b, math.inf, 0, [1, 1], [1, 1], 0)
        if segment.limit < math.inf:
            ratios = physics.limited(self.model, ratios, segment.limit)
        self.goodput, self.time = own.goodput[span], time / ratios.goodput[span]
        self.rate = segment.k * segment.b / self.time
        self.whole_w, self.limit, self.ratio, self.tdp = own.power[span], segment.limit, ratios.power[span], t["tdp_w"]
        self.of_table = "lookup" in g
        self.still = min(t["ctx_w"], self.whole_w) if self.of_table else g["p0_w"]
        self.moving = self.whole_w - self.still if self.of_table else watts - self.still

    def watts(self, share):
        if self.of_table or share == 1:
            return self.still + share * self.moving if self.of_table else self.whole_w
        return min(self.limit, self.ratio * min(self.tdp, self.still + share * self.moving))


class Shares:
    def __init__(self, run):
        self.run, self.known = run, {}
        cluster = run.scenario["cluster"]
        self.network = cluster.get("network")
        self.storage = run.scenario.get("storage", {}).get("bandwidth")
        self.slower = cluster.get("interference", {}).get("slowdown_per_neighbour", 0)
        self.capacity = {}
        for t, tier in enumerate(self.network["tiers"] if self.network else []):
            below = defaultdict(int)
            for n, node in enumerate(run.cluster.nodes):
                below[self.uplink(t, n)] += node.gpus
            self.capacity |= {link: gpus * self.network["link"] / tier["oversubscription"] for link, gpus in below.items()}

    def uplink(self, tier, node):
        return tier, node if tier == 0 else node // self.network["tiers"][tier - 1]["nodes"]

    def weights(self, segment):
        """GPUs of a job below each uplink that it has GPUs outside of, too."""
        found = {}
        for t in range(len(self.network["tiers"])):
            below = defaultdict(int)
            for node, gpus in segment.pieces:
                below[self.uplink(t, node)] += len(gpus)
            found |= below if len(below) > 1 else {}
        return found

    def place(self, segment):
        key = id(segment)
        if key not in self.known:
            self.known[key] = Place(self.run, segment)
        return self.known[key]

    def of(self, held):
        """{segment of a computing job: (its speed by neighbours, what the network leaves, its share)}."""
        on = defaultdict(int)
        for s in held:
            for node in {node for node, _ in s.pieces}:
                on[node] += 1
        own, senders, readers = {}, {}, {}
        for s in held:
            if s.kind in ("run", "lost") and self.run.jobs[s.job]["model"]:
                own[s] = 1 / (1 + self.slower * max(on[node] - 1 for node, _ in s.pieces))
        for s in own if self.network else []:
            weights = self.weights(s)
            if weights:
                senders[s] = (min(self.network["link"], self.place(s).model["sync_bytes"] / self.place(s).time * own[s]), weights)
        rates = filled(senders, self.capacity)
        network = {s: rates[s] / senders[s][0] if s in rates else 1 for s in own}
        for s in own if self.storage else []:
            model = self.place(s).model
            size = model.get("storage_bytes_per_sample", model.get("bytes_per_sample", 0))
            if size:
                readers[s] = (size * self.place(s).rate * own[s] * network[s], {0: 1})
        rates = filled(readers, {0: self.storage})
        return {s: (own[s], network[s], network[s] * (rates[s] / readers[s][0] if s in rates else 1)) for s in own}


def simulate(run, jobs_csv):
    """Returns how many segments were held back."""
    shares = Shares(run)
    segments = [s for s in run.segments if s.kind != "queued" and s.end > s.start]
    ends = sorted({t for s in segments for t in (s.start, s.end)})
    work, joules, lost, held_back = defaultdict(float), defaultdict(float), defaultdict(lambda: [0, 0]), set()
    for start, end in zip(ends, ends[1:]):
        seconds = (end - start) / 1e9
        held = [s for s in segments if s.start <= start < s.end]
        for s, (own, network, share) in shares.of(held).items():
            place = shares.place(s)
            work[s] += place.goodput * own * share * seconds
            joules[s] += s.gpus * place.watts(share) * seconds
            lost[s.job][0] += (1 - network) * seconds
            lost[s.job][1] += (network - share) * seconds
            held_back |= {s} if share < 1 else set()
    for s, expected in joules.items():
        near(s.energy, expected, ("J", s.job, s.start), 1e-3)
    for s, expected in work.items():
        if s.kind == "run" and s.ended != "finished":  # of the last one it is what is left
            near(s.work, expected, ("work", s.job, s.start), 1e-5 * shares.place(s).goodput)
    for row in jobs_csv:
        for column, found in zip(("network_slowed_s", "storage_slowed_s"), lost[row["job_id"]]):
            if column in row:
                near(float(row[column]), found, (column, row["job_id"]), 1e-6)
    return len(held_back)


def near(found, expected, what, absolute):
    assert abs(found - expected) <= 1e-7 * abs(expected) + absolute, (what, found, expected)


def naive_simulation(folder):
    held_back = cut = 0
    for seed in range(1, COUNT + 1):
        path = scenario_of(seed).write(folder / str(seed))
        easim("run", path, "--check", "--record", "--quiet", "--out", path.parent / "out")
        out = path.parent / "out"
        for summary in rows_of(out / "summary.csv"):
            run = Recorded(out, summary["policy"], summary["replication"])
            jobs = [row for row in rows_of(out / "jobs.csv") if row["replication"] == summary["replication"]]
            try:
                held_back += simulate(run, jobs)
            except AssertionError as error:
                raise AssertionError(seed, *error.args) from None
            cut += sum(s.ended == "contention" for s in run.segments)
    assert held_back > 10 * COUNT and cut > 5 * COUNT, (held_back, cut)
    print(f"{COUNT} scenarios, {held_back} segments held back, {cut} cut by a share")


# ---- nothing changes ------------------------------------------------------------------------------------------------


def free_networks(folder):
    """Without oversubscription nobody waits for an uplink: byte for byte as if synchronization were slowed down by it."""
    for seed in range(1, -(-COUNT // 4) + 1):
        outs = []
        for contention in (True, False):
            scenario = scenario_of(seed, oversubscribed=False)
            scenario.cluster["network"]["contention"] = contention
            scenario.write_scenario()
            path = scenario.write(folder / f"{seed}-{contention}")
            easim("run", path, "--quiet", "--decisions", "--out", path.parent / "out")
            outs.append(path.parent / "out")
        same_files(outs[0], outs[1], "summary.csv", "users.csv", "types.csv", "power.csv", "decisions.csv")
        with_column = rows_of(outs[0] / "jobs.csv")
        assert all(row.pop("network_slowed_s") == "0.0" for row in with_column), seed
        assert with_column == rows_of(outs[1] / "jobs.csv"), seed


def threads_and_copies(folder):
    scenario = scenario_of(6)
    scenario.scenario["replications"] = 3
    scenario.write_scenario()
    path = scenario.write(folder / "threads")
    for n in (1, 2, 7):
        easim("run", path, "--quiet", "--threads", n, "--out", folder / f"out{n}")
        same_files(folder / "out1", folder / f"out{n}", "summary.csv", "jobs.csv", "power.csv")
    easim("regret", path, "--quiet", "--check", "--sample", 6, "--out", folder / "regret")


# ---- batches: many jobs that storage holds back ---------------------------------------------------------------------


def crowd(folder, jobs, megabytes=(4, 5, 6), wide=1, own=False):
    """Jobs of one GPU, (submit_s, work_samples, model); storage gives `wide` x 1 GB/s. A job takes 0.5 s for 10 samples of
    `megabytes` each. own: with periodic checkpoints, which come too late to matter, so that no job is in a batch."""
    forms = "a_s: 0.3, c_s: 0.02, gamma: 1, alpha_s: 0.5, p0_w: 100, pmax_w: 400, evidence: assumed, source: by hand"
    interval = ", checkpoint_s: 0, checkpoint_interval_s: 1000000" if own else ""
    folder.mkdir()
    (folder / "models.yaml").write_text("models:\n" + "".join(
        f"  - {{name: m{i}, efficiency: none, batches: [10], sync_bytes: 0, bytes_per_sample: {mb}MB{interval}, gpus: {{g: {{{forms}}}}}}}\n"
        for i, mb in enumerate(megabytes)))
    (folder / "run.yaml").write_text(
        "name: crowd\nhorizon: drain\nmodels: models.yaml\npolicy: {name: fcfs}\nworkload: {kind: trace, file: jobs.csv}\n"
        f"storage: {{bandwidth: {wide}GB/s}}\ncluster:\n  gpu_types: [{{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}}]\n"
        f"  nodes: [{{count: {20 * wide}, gpu: g, gpus: 8}}]\n")
    (folder / "jobs.csv").write_text("job_id,submit_s,model,gpus,work_samples,duration_s\n" + "".join(
        f"{i},{submit},m{model},1,{work},\n" for i, (submit, work, model) in enumerate(jobs)))
    return folder / "run.yaml"


def drawn_jobs(seed, count):
    random = Random(seed)
    times = sorted(round(random.uniform(0, 3000), 3) for _ in range(count))
    return [(time, round(random.uniform(100, 40000), 3), random.randrange(3)) for time in times]


def ends(out):
    return {row["job_id"]: row["finish_s"] for row in rows_of(out / "jobs.csv")}


def batches(folder):
    """Without batches, with segments told or not: the same bytes, and traces have segments in the order of jobs. Twice the
    jobs on twice the storage: the same ends."""
    for seed in range(1, 1 + max(2, COUNT // 10)):
        jobs = drawn_jobs(seed, 400)
        outs = [folder / f"out{seed}-{i}" for i in range(4)]
        easim("run", crowd(folder / f"{seed}", jobs), "--quiet", "--out", outs[0])
        easim("run", folder / f"{seed}" / "run.yaml", "--quiet", "--check", "--record", "--trace", "trace.jsonl", "--out", outs[1])
        easim("run", crowd(folder / f"{seed}-own", jobs, own=True), "--quiet", "--trace", "trace.jsonl", "--out", outs[2])
        for out in outs[1:3]:
            same_files(outs[0], out, "summary.csv", "jobs.csv", "power.csv", "users.csv", "types.csv")
        same_files(outs[1], outs[2], "trace.jsonl")
        assert sum(float(row["storage_slowed_s"]) > 100 for row in rows_of(outs[0] / "jobs.csv")) > 100, seed
        easim("run", crowd(folder / f"{seed}-twice", [job for job in jobs for _ in (0, 1)], wide=2), "--quiet", "--out", outs[3])
        one, twice = ends(outs[0]), ends(outs[3])
        assert all(twice[str(2 * i)] == twice[str(2 * i + 1)] == one[str(i)] for i in range(len(jobs))), seed


def shared_equally(folder):
    """All from 0 on: of n jobs that are left each does 200 / n samples/s of 5 MB, but 20 at most."""
    works = sorted(round(Random(7).uniform(1000, 20000) + 50 * i, 3) for i in range(150))
    easim("run", crowd(folder / "equal", [(0, work, 0) for work in works], megabytes=[5]), "--quiet", "--out", folder / "out")
    time = done = 0
    found = ends(folder / "out")
    for i, work in enumerate(works):
        time += (work - done) / min(20, 200 / (len(works) - i))
        done = work
        near(float(found[str(i)]), time, i, 1e-6)


cases(naive_simulation, free_networks, threads_and_copies, batches, shared_equally)
