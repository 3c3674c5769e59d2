"""Jobs that are started, resized and preempted at random times on one node of sleeping GPUs, against a simulation of
every single GPU written down naively: the same ends, energies and lost times. The plug-in `script` does what is drawn
here. Rules: docs/reference/semantics.md, life of a job, resizing, sleep. Usage: test_interruptions_by_gpu.py EASIM
"""
import random

from harness import cases, easim, rows_of, seeds

RATES = {1: 1, 2: 1.6, 4: 2}  # samples/s by GPUs, 100 W each
CTX_W, START_S, RESTART_S = 90, 3, 5
SIZES = list(RATES)
ACTIONS = []


class Gpu:
    def __init__(self):
        self.job, self.since, self.ready = None, 0.0, 0.0  # since: free; ready: awake


class Job:
    def __init__(self, number, work):
        self.number, self.work, self.left, self.state = number, work, work, "waiting"
        self.started, self.lost, self.energy, self.end = False, 0.0, 0.0, None
        self.gpus, self.since, self.setup, self.free_at = [], 0.0, 0.0, None
        self.unsaved = None  # of a checkpoint being written: when it is complete, samples, seconds they took

    def computed(self, now):
        return max(0.0, now - self.since - self.setup) if self.state == "running" else 0.0

    def due(self):
        if self.state == "running":
            return self.since + self.setup + self.left / RATES[len(self.gpus)]
        return self.free_at


class Cluster:
    def __init__(self, rng):
        self.gpus = [Gpu() for _ in range(rng.choice([4, 5, 8]))]
        self.after, self.wake, self.checkpoint = rng.choice([4, 10, 25]), rng.choice([0, 6, 15]), rng.choice([0, 2, 9])
        self.jobs = [Job(number, float(rng.randrange(20, 120))) for number in range(rng.randrange(3, 7))]
        self.now, self.script = 0.0, []

    def free(self):
        return [gpu for gpu in self.gpus if gpu.job is None]

    def asleep(self, gpu):
        return self.now - gpu.since >= self.after

    def rank(self, gpu):
        """Awake, the last freed first; still waking, the first to be awake first; asleep."""
        if self.asleep(gpu):
            return 2, 0
        return (0, -gpu.since) if gpu.ready <= self.now else (1, gpu.ready)

    def take(self, job, k, setup):
        job.gpus = sorted(self.free(), key=self.rank)[:k]
        for gpu in job.gpus:
            if self.asleep(gpu):
                gpu.ready = self.now + self.wake
            gpu.job = job
        wait = max(0.0, max(gpu.ready for gpu in job.gpus) - self.now)
        job.state, job.started, job.since, job.setup = "running", True, self.now, setup + wait
        return wait

    def give_back(self, job, state):
        for gpu in job.gpus:
            gpu.job, gpu.since = None, self.now
        job.gpus, job.state = [], state

    def pay(self, job):
        computed = job.computed(self.now)
        job.energy += len(job.gpus) * (100 * computed + CTX_W * (self.now - job.since - computed))

    def pass_time(self, to):
        """Up to a time, whoever is done on the way."""
        while True:
            due = [job for job in self.jobs if job.state in ("running", "writing") and job.due() <= to]
            if not due:
                self.now = to
                return
            job = min(due, key=Job.due)
            self.now = job.due()
            self.pay(job)
            if job.state == "running":
                job.end = self.now
            self.give_back(job, "finished" if job.state == "running" else "waiting")
            job.unsaved = None

    def stop(self, job, at_once):
        """Settles what is done; how long the job has to write yet."""
        computed = job.computed(self.now)
        if job.unsaved and self.now >= job.unsaved[0]:
            job.unsaved = None
        if job.unsaved and at_once:
            job.left += job.unsaved[1]
            job.lost += job.unsaved[2]
            job.unsaved = None
        elif job.unsaved:
            return job.unsaved[0] - self.now
        elif at_once:
            job.lost += computed
        elif computed > 0:
            done = computed * RATES[len(job.gpus)]
            job.left -= done
            job.unsaved = (self.now + self.checkpoint, done, computed) if self.checkpoint else None
            return self.checkpoint
        return 0

    def say(self, what, job, k=1):
        self.script.append(f"{self.now:.9f} {what} {job.number} {SIZES.index(k)}")

    def start(self, job, k):
        if k <= len(self.free()):
            self.say("start", job, k)
            self.take(job, k, RESTART_S if job.started else START_S)

    def resize(self, job, k):
        if k == len(job.gpus) or k > len(self.free()) + len(job.gpus):
            return
        self.say("resize", job, k)
        writes = min(self.checkpoint, self.stop(job, False))
        self.pay(job)
        self.give_back(job, "waiting")
        wait = self.take(job, k, RESTART_S + writes)
        if job.unsaved:
            job.unsaved = (self.now + writes + wait, *job.unsaved[1:])

    def preempt(self, job, at_once):
        self.say("kill" if at_once else "stop", job)
        writes = self.stop(job, at_once)
        self.pay(job)
        if writes > 0:
            job.state, job.since, job.free_at = "writing", self.now, self.now + writes
        else:
            self.give_back(job, "waiting")

    def act(self, rng, job):
        if job.state == "waiting":
            self.start(job, rng.choice(SIZES))
        elif job.state == "running" and job.due() > self.now + 1e-3:
            if rng.random() < 0.5:
                self.resize(job, rng.choice(SIZES))
            else:
                self.preempt(job, rng.random() < 0.5)

    def run(self, rng):
        for _ in range(60):  # times that no end of anything else falls on
            self.pass_time(self.now + rng.randrange(1, 40) / 8 + 1 / 64)
            self.act(rng, rng.choice(self.jobs))
        while any(job.state != "finished" for job in self.jobs):
            self.pass_time(self.now + 5 + 1 / 64)
            for job in self.jobs:
                if job.state == "waiting":
                    self.start(job, 1)


def write(cluster, folder):
    points = ", ".join(f"{{k: {k}, batch: 1, throughput_samples_s: {rate}, power_w_per_gpu: 100}}"
                       for k, rate in RATES.items())
    (folder / "m.yaml").write_text(
        f"models: [{{name: m, m0: 9, phi: 1, batches: [1], start_s: {START_S}, restart_s: {RESTART_S}, checkpoint_s: "
        f"{cluster.checkpoint}, gpus: {{g: {{evidence: assumed, source: by hand, lookup: [{points}]}}}}}}]\n",
        encoding="utf-8")
    (folder / "jobs.csv").write_text("job_id,submit_s,model,work_samples\n" + "".join(
        f"{job.number},0,m,{job.work}\n" for job in cluster.jobs), encoding="utf-8")
    (folder / "s.yaml").write_text(
        "name: s\nhorizon: drain\nmodels: m.yaml\nworkload: {kind: trace, file: jobs.csv}\n"
        f"cluster: {{gpu_types: [{{name: g, idle_w: 50, ctx_w: {CTX_W}, tdp_w: 100, sleep_w: 8, sleep_after: "
        f"{cluster.after}, wake_s: {cluster.wake}}}], nodes: [{{gpu: g, gpus: {len(cluster.gpus)}}}]}}\n"
        f"policy: {{name: script, params: {{actions: \"{', '.join(cluster.script)}\"}}}}\n", encoding="utf-8")


def simulated_gpu_by_gpu(seed, folder):
    rng = random.Random(seed)
    cluster = Cluster(rng)
    cluster.run(rng)
    write(cluster, folder)
    easim("run", folder / "s.yaml", "--check", "--strict", "--quiet", "--out", folder / "out")
    for row in rows_of(folder / "out/jobs.csv"):
        job = cluster.jobs[int(row["job_id"])]
        for column, expected in (("finish_s", job.end), ("energy_j", job.energy), ("lost_s", job.lost)):
            assert abs(float(row[column]) - expected) <= 1e-6 * (1 + expected), (
                seed, job.number, column, row[column], expected, cluster.script)
    ACTIONS.append(len(cluster.script))


cases(seeds(simulated_gpu_by_gpu, 60))
assert sum(ACTIONS) > 20 * len(ACTIONS), ACTIONS
