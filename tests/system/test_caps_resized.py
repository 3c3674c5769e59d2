"""Jobs with phases, utilization over time, resizes and failures under caps that are enforced, against a naive simulation
(malleable_again.py): random clusters, models, scripts of resizes, checkpoints, orders, admission, steps, delays, domains, preemption and
demand response events.
EASIM_POLICY_PATH has the plug-ins `scripted_resizes` and `scripted_resizes_lax`.
Usage: test_caps_resized.py EASIM SOURCE [--count N] [--seed N]
"""
import random
from math import inf

from caps_again import NW, Node, Rules, S, Scenario, Type
from caps_scenario import Draw, seconds
from harness import cases, easim, form, near, rows_of, seeds, write_table
from malleable_again import InVain, MalleableJob, MalleableSimulation, Model, Phase, Physics

COUNT = form(1000, 15)
SEEN = {"jobs": 0, "throttled": 0, "preempted": 0, "rejected": 0, "stuck": 0, "in_vain": 0}
COLUMNS = ("a_s", "c_s", "gamma", "alpha_s", "beta_s", "p0_w", "pmax_w")


class MalleableDraw(Draw):
    """Most jobs have a model and may have any number of GPUs; the others are rigid."""

    def __init__(self, seed, events=False):
        super().__init__(seed, False, "resized")
        r, s = self.r, self.scenario
        self.drawn = [self.model(f"m{n}") for n in range(r.choice([1, 2, 3]))]
        self.write_s = r.choice([0, 2.25, 60]) if s.checkpoint == 0 else 0
        if events:
            self.add_events()
        s.jobs = [self.malleable(job) for job in s.jobs]
        if not s.outages and r.random() < 0.4:
            s.outages = self.outages(len(s.nodes))
        end = s.jobs[-1].submit // 10**6 + 400_000  # ms
        first = s.jobs[0].submit // 10**6 + 1
        self.script = [(at * 10**6, r.randrange(len(s.jobs)), r.randrange(100))
                       for at in sorted(r.sample(range(first, end), r.randrange(10, 120)))]

    def model(self, name):
        r, own = self.r, self.r.random() < 0.7
        ends = sorted({self.real(0.02, 0.98, 3) for _ in range(r.choice([0, 1, 2, 3]))}) + [1]
        batches = tuple(sorted(r.sample([1, 2.5, 4, 8, 16, 32], r.choice([1, 2, 3]))))
        phases = [Phase(end, r.choice([None, 0, 100, 900, 20000]),
                        tuple(sorted(r.sample([1, 2, 4, 6, 12, 16, 24, 64, 128], r.choice([1, 2])))) if r.random() < 0.7 else None)
                  for end in ends]
        on = [Physics(self.real(0.02, 0.2, 4), self.real(0.001, 0.02, 5), self.real(1, 4, 3), *self.synchronization(), self.synchronization(),
                      self.real(gpu.idle, gpu.ctx + 100, 3), self.real(gpu.ctx + 100, 1.2 * gpu.tdp, 3)) for gpu in self.scenario.types]
        return Model(name, r.choice([4, 20, 300]), r.choice([0, 50, 4000]), batches, phases if own else [Phase(1)], on)

    def synchronization(self):
        return self.r.choice([(0, 0), (self.real(0, 0.05, 4), self.real(0, 0.01, 4))])

    def malleable(self, job):
        r = self.r
        if r.random() < 0.2:
            ends = sorted({round(job.work * r.uniform(0, 1), 3) for _ in range(r.choice([0, 2, 5]))})
            return MalleableJob(**vars(job), uses=tuple((end, self.real(0, 1, 3)) for end in ends if end < job.work))
        model, sizes = r.choice(self.drawn), (job.gpus,) if r.random() < 0.15 else (1, 2, 3, 4)
        k, h, b = r.choice(sizes), r.choice(job.types), r.choice(model.allowed(0))
        work = round(job.work * model.goodput(h, k, b, False, 0), 3)
        return MalleableJob(**vars(job) | {"work": max(0.001, work), "model": model, "sizes": sizes})

    def cells(self, job):
        keys = super().cells(job)
        if not job.model:
            return keys | {"model": "", "work_samples": ""}
        return keys | {"gpus": job.gpus if len(job.sizes) == 1 else "", "duration_s": "", "utilization": "", "model": job.model.name,
                       "work_samples": job.work}

    def costs(self):
        return super().costs() | {"checkpoint_s": self.write_s}

    def workload_keys(self):
        return {"k": [1, 2, 3, 4], "utilization_file": "uses.csv"}

    def write(self, folder):
        write_table(folder / "uses.csv", "job_id,from_s,utilization", [[job.name, *use] for job in self.scenario.jobs for use in job.uses])
        return super().write(folder)

    def models(self):
        return [self.costs() | {
            "name": model.name, "m0": model.m0, "phi": model.phi, "batches": model.batches,
            "phases": [{"until": phase.until} | ({} if phase.phi is None else {"phi": phase.phi})
                       | ({"batches": phase.batches} if phase.batches else {}) for phase in model.phases],
            "gpus": {gpu.name: {"evidence": "assumed", "source": "drawn", "alpha_inter_s": on.across[0], "beta_inter_s": on.across[1]}
                     | dict(zip(COLUMNS, (on.a, on.c, on.gamma, on.alpha, on.beta, on.p0, on.pmax), strict=True))
                     for gpu, on in zip(self.scenario.types, model.on, strict=True)}} for model in self.drawn]

    def policy_keys(self):
        actions = ", ".join(f"{seconds(at)} resize {rank} {number}" for at, rank, number in self.script)
        return {"name": "scripted_resizes" if self.scenario.strict else "scripted_resizes_lax", "params": {"actions": actions}}


def compare(seed, folder, events=False):
    draw = MalleableDraw(seed, events)
    done = easim("run", draw.write(folder), "--check", "--quiet", "--force", "--out", folder / "out", code=(0, 1))
    naive = MalleableSimulation(draw.scenario, draw.script, draw.write_s)
    in_vain = "without having kept any of its work" in done.stderr
    naive.most_vain_stops = 100 if in_vain else inf  # easim ends after 1,000
    try:
        naive.go()
        assert not in_vain, done.stderr
    except InVain:
        SEEN["in_vain"] += 1
        return
    for name, count in naive.seen.items():
        SEEN[name] = SEEN.get(name, 0) + count
    assert (done.returncode == 1) == naive.stuck, (done.stderr, naive.stuck)
    if naive.stuck:
        assert "waiting for ever" in done.stderr, done.stderr
        SEEN["stuck"] += 1
        return
    for row, job in zip(rows_of(folder / "out/jobs.csv"), naive.in_order, strict=True):
        compare_job(row, job, draw)
    [summary] = rows_of(folder / "out/summary.csv")
    near(float(summary["energy_kwh"]) * 3.6e6, naive.energy / (NW * S), 1e-6)
    near(summary["throttled_gpu_h"], sum(job.throttled_gpu for job in naive.jobs) / S / 3600, 1e-6, 1e-9)
    near(summary["cap_violation_s"] or 0, naive.violation / S, 1e-6, 1e-6)
    for row, bound in zip(rows_of(folder / "out/domains.csv") if draw.scenario.domains else [], naive.bounds[1:], strict=True):
        near(row["power_mean_w"], bound.energy / NW / naive.now, 1e-6)
        near(row["power_max_w"], bound.most / NW, 1e-9)
        near(row["cap_violation_s"], bound.violation / S, 1e-6, 1e-6)
        near(row["throttled_gpu_h"], bound.throttled / S / 3600, 1e-6, 1e-9)


def compare_job(row, job, draw):
    assert row["job_id"] == job.spec.name, (row, job.spec)
    assert row["status"] == ("finished" if job.state == "finished" else "rejected"), row
    SEEN["jobs"] += 1
    SEEN["rejected"] += job.state == "rejected"
    SEEN["preempted"] += job.preemptions > 0
    SEEN["throttled"] += job.limit_lost > 0
    if job.state == "rejected":
        return
    h, k, batch = job.config
    expected = {"start_s": job.started / S, "finish_s": job.finish / S, "energy_j": job.energy / (NW * S), "exec_s": job.exec / S,
                "lost_s": job.lost / S, "preemptions": job.preemptions, "resizes": job.resizes, "throttled_s": job.throttled / S,
                "limit_lost_s": job.limit_lost, "flex_broken_s": job.broken / S, "k": k}
    if batch is not None:
        expected["b"] = batch
    wrong = {name: (row[name], value) for name, value in expected.items() if abs(float(row[name]) - value) > 1e-6 * (1 + value)}
    assert not wrong, (row["job_id"], wrong)
    assert row["gpu_type"] == draw.scenario.types[h].name, row


def preempted_at_a_boundary(folder):
    """In the first 0.3 of its work a GPU draws 100 W and 1/3 of 300 W more, then 7/9: at least its floor of 250 W, above a cap of 240 W up
    to 45 s. So at each boundary until then its job is preempted, and all of its work is lost. All samples count."""
    draw, work, a = MalleableDraw(1), 8.8877, 0.1000000003  # the boundary is within a nanosecond
    first_s, rest_s = 0.3 * work * (a + 0.05), 0.7 * work * (a + 0.35) / 7
    draw.drawn, draw.script, draw.write_s = [Model("m", 1, 0, (1,), [Phase(0.3), Phase(1, 1e15, (7,))],
                                                   [Physics(a, 0.05, 1, 0, 0, (0, 0), 100, 400)])], [], 0
    draw.scenario = Scenario([Type("g", 50, 90, 400, 250, 0.3, 0.7)], [Node(0, 1)],
                             [MalleableJob("j", 0, 1, work, model=draw.drawn[0], sizes=(1,))], [(0, 240), (45 * S, inf)],
                             Rules("throttle_then_preempt", "equal", "floor", 0))
    easim("run", draw.write(folder), "--check", "--quiet", "--record", "--out", folder / "out")
    [row], times = rows_of(folder / "out/jobs.csv"), 45 // first_s
    near(row["finish_s"], (times + 1) * first_s + rest_s, 1e-8)
    near(row["lost_s"], times * first_s, 1e-8)
    near(row["energy_j"], (times + 1) * first_s * 200 + rest_s * (100 + 300 * 7 / 9), 1e-8)
    assert row["preemptions"] == str(int(times)), row
    parts = rows_of(folder / "out/segments.csv")
    near(sum(float(part["work"]) for part in parts if part["kind"] == "run"), work, 1e-9)
    near(sum(float(part["work"]) for part in parts if part["kind"] == "lost"), times * 0.3 * work, 1e-8)


def resized(seed, folder):
    compare(seed, folder)


def eventful(seed, folder):
    compare(seed, folder, True)


def all_of_it_happened(folder):
    """In the scenarios before."""
    del folder
    rare = ["unsaved", "boundary_preempts"] if COUNT >= 1000 else []
    for name in ["throttled", "preempted", "failed", "resized_capped", "resize_refused", "boundaries_capped", "batches", "undone_phases", *rare]:
        assert SEEN[name] > 0, SEEN


cases(preempted_at_a_boundary, seeds(resized, COUNT), seeds(eventful, COUNT // 5), all_of_it_happened)
print(*(f"{name}: {count}" for name, count in SEEN.items()), sep=", ")
