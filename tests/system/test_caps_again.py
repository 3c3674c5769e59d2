"""Power caps that are enforced, against a naive simulation that fills all draws anew at every event (caps_again.py): random clusters
and rigid jobs under fcfs and first fit. Orders, admission, steps, delays, series of caps, domains, preemption, set-up, checkpoints,
failures, neighbors and demand response events are drawn. First the naive simulation itself, against a case by hand and closed forms.
Then relations between runs.
Usage: test_caps_again.py EASIM SOURCE [--count N] [--seed N]
"""
import json
import random
from dataclasses import replace
from math import fsum, inf

import yaml

import caps_accounts
from caps_again import (NW, S, Bound, Curve, Domain, Job, JobState, Node, Rules, Run, Scenario, Simulation, Type, fill,
                        stages_of)
from caps_scenario import EVENTS, Draw, unused
from easy_again import EasySimulation
from harness import SOURCE, cases, easim, form, near, rows_of, seeds, write_table

PLAIN, EQUAL, CAPPED, EVENTFUL = 60, form(20, 8), form(1000, 60), form(400, 20)
EASY, OFTEN, WHOLE = form(1000, 20), form(200, 10), form(True, False)
FILLS, RELATED, ACCOUNTED = form(3000, 300), form(40, 2), form(200, 12)
TYPE = Type("g", idle=50, ctx=90, tdp=400, floor=160, s=0.3, m=0.7)
OF_LIMITS = {"throttled_gpu_h", "flex_broken", "capped_starts"}  # further rows of aggregate.csv
SEEN = {"jobs": 0, "throttled": 0, "preempted": 0, "rejected": 0, "stuck": 0, "violated": 0, "accounted": 0, "bounded": 0, "domains": 0,
        "events": 0, "held": 0, "broken": 0}


def joules(energy):
    return energy / (NW * S)


# ---- The naive simulation alone ----

def case_by_hand(folder):
    """Two jobs whose cap falls, by hand (figures_of_the_law has what they draw then): ends and energies."""
    del folder
    jobs = [Job("A", 0, 2, 1000, use=1), Job("B", 0, 4, 800, use=(250 - 50) / 350)]
    a, b = Simulation(Scenario([TYPE], [Node(0, 8, base=100)], jobs, [(0, inf), (200 * S, 1500)],
                               Rules("throttle", admit="floor", steps=0))).go().jobs
    near(b.finish / S, 879.398529, 1e-6)
    near(a.finish / S, 1161.761555, 1e-6)
    near(joules(b.energy), 733834.559, 1e-6)
    near(joules(a.energy), 735295.378, 1e-6)


def energy_in_buckets(folder):
    """The two jobs of that case in buckets of 100 s, in each of which the price is another one: A draws 2 x 400 W up to 200.1 s, 2 x 1800/7 W
    up to 0.1 s after the end of B, then 800 W; B draws 4 x 250 W, then 4 x 1375/7 W. With one price what a slowed job draws in a bucket is
    not recorded."""
    write_table(folder / "cap.csv", "time_s,power_w", [[0, ""], [200, 1500]])
    write_table(folder / "price.csv", "time_s,price_per_mwh", [[100 * n, 10 + n % 2] for n in range(100)])
    cluster = {"power_cap": {"file": "cap.csv", "enforce": "throttle", "admit": "floor", "steps": 0}}
    ends = {"A": 1161.761555, "B": 879.398529}
    draws = {"A": [(0, 800), (200.1, 3600 / 7), (ends["B"] + 0.1, 800), (ends["A"], 0)], "B": [(0, 1000), (200.1, 5500 / 7), (ends["B"], 0)]}
    asks = ("attribute", folder / "out", "--path", "job/time", "--bucket", "100s", "--quiet")
    run_by_hand(folder, (1000, 800), (0, 0), cluster, price_per_mwh={"file": "price.csv"})
    easim(*asks)
    rows = [row for row in rows_of(folder / "out/attribution.csv") if row["level"] == "2" and row["job_id"] in draws]
    for row in rows:
        first, steps = float(row["from_s"]), draws[row["job_id"]]
        watt_s = sum(watts * max(0, min(to, first + 100) - max(at, first)) for (at, watts), (to, _) in zip(steps, steps[1:]))
        near(float(row["energy_job_kwh"]) * 3.6e6, watt_s, 1e-6, 1e-3)
    assert len(rows) == 12 + 9, rows
    for name, of_job in (("A", 735295.378), ("B", 733834.559)):
        near(fsum(float(row["energy_job_kwh"]) for row in rows if row["job_id"] == name) * 3.6e6, of_job, 1e-6)
    run_by_hand(folder, (1000, 800), (0, 0), cluster)
    easim(*asks, code=2, says="expected no bucket that ends within 0..1161.761554624 s, got one at 100 s: the cap slows job A then")


def charon_leaves_it_to_the_host(folder):
    """Where the host keeps the cap, the view is never above it when a policy decides: charon preempts nobody for it, and does as zeus."""
    text = (SOURCE / "configs/power-cap.yaml").read_text(encoding="utf-8")
    text = text.replace("power_cap_w: {file: power-cap.csv}", "power_cap: {file: power-cap.csv, enforce: throttle_then_preempt}")
    (folder / "power-cap.csv").write_bytes((SOURCE / "configs/power-cap.csv").read_bytes())
    text = text.replace("models/eas-sim.yaml", f"{SOURCE}/configs/models/eas-sim.yaml").replace("replications: 10", "replications: 2")
    (folder / "s.yaml").write_text(text, encoding="utf-8")
    rows = []
    for policy in ("charon", "zeus"):
        easim("run", folder / "s.yaml", "--policy", policy, "--check", "--quiet", "--out", folder / policy)
        rows.append([row | {"policy": ""} for row in rows_of(folder / policy / "jobs.csv")])
    assert rows[0] == rows[1]
    assert any(float(row["throttled_s"]) > 0 for row in rows[0])


def figures_of_the_law(folder):
    """Draws and speeds of that case after the fall: x = 17/42, 1800/7 and 1375/7 W, 16/21 and 68/77 of the speed."""
    del folder
    jobs = [Job("A", 0, 2, 1000, use=1), Job("B", 0, 4, 800, use=(250 - 50) / 350)]
    done = Simulation(Scenario([TYPE], [Node(0, 8, base=100)], jobs, [(0, 1500)], Rules("throttle", admit="floor", steps=0)))
    done.happen()
    done.decide()
    done.fill()
    for job, watts, rho in zip(done.jobs, (1800 / 7, 1375 / 7), (16 / 21, 68 / 77), strict=True):
        near(job.run.level / NW, watts, 1e-6)
        near(job.run.rho(), rho, 1e-6)
        x = (job.run.level - job.run.curve.lo) / (job.run.curve.want - job.run.curve.lo)
        near(x, 17 / 42, 1e-6)


def run_by_hand(folder, work, flex, cluster, **more):
    """The two jobs of that case, of so many s and with that flex, on their 8 GPUs; with more keys."""
    write_table(folder / "jobs.csv", "job_id,submit_s,gpus,duration_s,utilization,flex", [["A", 0, 2, work[0], 1, flex[0]], ["B", 0, 4, work[1], 200 / 350, flex[1]]])
    keys = {"name": "g", "idle_w": 50, "ctx_w": 90, "tdp_w": 400, "floor_w": 160, "limit_law": {"s": 0.3, "m": 0.7}}
    (folder / "s.yaml").write_text(json.dumps({
        "name": "s", "horizon": "drain", "policy": {"name": "fcfs"},
        "cluster": {"gpu_types": [keys], "nodes": [{"gpu": "g", "gpus": 8, "base_w": 100}]} | cluster,
        "workload": {"kind": "trace", "file": "jobs.csv", "rigid_costs": {"start_s": 0, "restart_s": 0, "checkpoint_s": 0}},
        "models": {"rigid_speed": {"g": 1}, "models": [unused([TYPE])]}} | more), encoding="utf-8")
    easim("run", folder / "s.yaml", "--check", "--quiet", "--force", "--record", "--out", folder / "out")


def events_by_hand(folder):
    """Events for those jobs, which draw 2,000 W: 25 % less at once, as above 0.1 s later, where B of flex 0.1 loses 9/77 of its speed and A
    of flex 0.25 less than that, 5/21. Then 1,700 W after a ramp of 30 s, and one after the end of the run. The baseline of the second one
    is 2,000 W but for the 0.1 s after the first in which 1,500 W go on."""
    write_table(folder / "e.csv", EVENTS, [[7200, 3600, 0.25, "", 600, 0, 2], [14400, 600, "", 1700, "", 30, ""], [1e6, 600, 0.1, "", "", "", 1]])
    run_by_hand(folder, (20000, 20000), (0.25, 0.1), {"power_cap": {"enforce": "throttle", "admit": "floor", "steps": 0}, "cap_events": "e.csv"})
    first, second, last = rows_of(folder / "out/cap_events.csv")
    held, base = 3599.9, 2000 - 500 * 0.1 / 3600
    flex = [400 - (0.3 + 0.21 / (1 / 0.75 - 0.7)) * 400, 250 - (0.3 + 0.21 / (1 / 0.9 - 0.7)) * 250]  # W of a GPU, by the inverse of the law
    for row, expected in ((first, {
            "event": 1, "end_s": 10800, "baseline_w": 2000, "target_w": 1500, "held_share": held / 3600, "reached_s": 0.1, "shortfall_w": 500,
            "shifted_kwh": 500 * held / 3.6e6, "lost_gpu_h": (2 * 5 / 21 + 4 * 9 / 77) * held / 3600, "flex_broken": 1, "flex_broken_s": held,
            "flex_reduction_w": 2 * flex[0] + 4 * flex[1], "rebound_w": 2000, "penalty": 500 * 0.1 / 3.6e6 * 2}),
            (second, {"baseline_w": base, "target_w": 1700, "held_share": 1, "reached_s": 57 / 2 + 0.1, "shortfall_w": (base - 1700) / 60})):
        for column, value in expected.items():
            near(row[column], value, 1e-9)
    assert second["penalty"] == "" and second["flex_broken"] == "0", second
    assert last["start_s"] == "1000000.0" and not any(last[column] for column in list(last)[4:]), last
    assert [row["flex_broken_s"] for row in rows_of(folder / "out/jobs.csv")] == ["0.0", "3600.0"]  # 0.1 s of them after the event
    caps = {float(row["time_s"]): row["cap_w"] for row in rows_of(folder / "out/power.csv")}
    for step in range(61):
        near(caps[14400 + step / 2], base - (base - 1700) * step / 60, 1e-9)
    assert caps[15000.0] == caps[10800.0] == ""


def tables_by_hand(folder):
    """What tables say of that case. What is given back holds 0.1 s later:
    B ends at e = 879.398529 s, so A is slowed until e + 0.1 s, at 16/21 of its speed, and B until e, at 68/77. Power is above
    the cap for 0.1 s, by 500 W, of which a grace of 0.05 s takes half."""
    end, begin = 879.398529413, 200.1
    write_table(folder / "cap.csv", "time_s,power_w", [[0, ""], [200, 1500]])
    run_by_hand(folder, (1000, 800), (0, 0), {"power_cap": {"file": "cap.csv", "enforce": "throttle", "admit": "floor", "steps": 0, "grace": "0.05s"}})
    accounts_by_hand(folder / "out", end)
    a, b = rows_of(folder / "out/jobs.csv")
    near(a["throttled_s"], end + 0.1 - begin, 1e-9)
    near(b["throttled_s"], end - begin, 1e-9)
    near(a["limit_lost_s"], 5 / 21 * (end + 0.1 - begin), 1e-6)
    near(b["limit_lost_s"], 9 / 77 * (end - begin), 1e-6)
    [summary] = rows_of(folder / "out/summary.csv")
    near(summary["throttled_gpu_h"], (2 * (end + 0.1 - begin) + 4 * (end - begin)) / 3600, 1e-9)
    assert (summary["flex_broken"], summary["capped_starts"]) == ("2", "0"), summary  # their flex is 0
    near(summary["cap_violation_s"], 0.05, 1e-9)
    near(summary["cap_violation_j"], 25, 1e-9)
    held = [(float(row["time_s"]), int(row["throttled_gpus"])) for row in rows_of(folder / "out/power.csv")]
    assert [gpus for _, gpus in held] == [0, 0, 6, 2, 0, 0], held
    rows = rows_of(folder / "out/caps.csv")  # alone after B, A is within the cap: 100 + 2 x 400 + 6 x 50 W
    assert [(row["domain"], row["stage"]) for row in rows] == 3 * [("cluster", "1")], rows
    for row, (time, x, watts) in zip(rows, ((0, 1, 2000), (200, 17 / 42, 1500), (end, 1, 1200)), strict=True):
        near(row["time_s"], time, 1e-9, 1e-9)
        near(row["x"], x, 1e-9)
        near(row["power_w"], watts, 1e-9)


def accounts_by_hand(out, end):
    """All of both jobs is useful: 2,000 GPU s at 400 W and 3,200 at 250 W. The rest of what they drew (case_by_hand) is of the cap, below 0
    as it saved energy, with the GPU time that it cost: k times lost_s, 5/21 of the time of A below its wish, 9/77 of that of B."""
    waste, _ = caps_accounts.classes_of(out)
    a, b = 5 / 21 * (end - 200), 9 / 77 * (end - 200.1)
    near(waste["useful"][0], 1.6e6, 1e-9)
    near(waste["useful"][1], 5200, 1e-9)
    near(waste["throttled"][0], 733834.559 + 735295.378 - 1.6e6, 1e-6)
    near(waste["throttled"][1], 2 * a + 4 * b, 1e-6)
    near(waste["slowed"][0], 0, absolute=1e-5)
    for name, held, lost in (("A", end - 200, a), ("B", end - 200.1, b)):
        [words] = [line for line in easim("explain", out, name).stdout.split("\n") if "slowed by the cap" in line]
        assert words == f"  computing, slowed by the cap: {lost:.3f} s", words
        row = json.loads(easim("explain", out, name, "--format", "json").stdout)
        near(row["time_s"]["throttled"], lost, 1e-6)
        near(row["time_s"]["run"], {"A": 1000, "B": 800}[name], 1e-6)
        assert held > lost


def equal_jobs(folder):
    """n jobs of w s at p of their power take w / rho(p); a cap that never binds changes nothing."""
    del folder
    for seed in range(50):
        r = random.Random(f"equal {seed}")
        gpu = Type("g", 40, 60, 400, floor=100, s=round(r.uniform(0, 0.5), 2), m=round(r.uniform(0, 0.9), 2))
        count, work, p = r.randrange(1, 9), r.uniform(10, 1000), r.uniform(gpu.s + 0.1, 1)
        p = max(p, gpu.floor / gpu.tdp)
        order = r.choice(["equal", "by_class", "by_flex"])
        jobs = [Job(f"j{n}", 0, 2, work, flex=0.9) for n in range(count)]

        def ran(cap):
            rules = Rules("throttle", order, "floor", 0)
            return Simulation(Scenario([gpu], [Node(0, 2 * count, base=33)], jobs, [(0, cap)], rules)).go()
        for job in ran(33 + 2 * count * p * gpu.tdp).jobs:
            near(job.finish / S, work / gpu.rho(p), 1e-6)
            near(job.limit_lost, work / gpu.rho(p) * (1 - gpu.rho(p)), 1e-6, 1e-6)
            near(joules(job.energy), 2 * p * gpu.tdp * work / gpu.rho(p), 1e-6)
        for cap in (inf, 33 + 2 * count * gpu.tdp):
            for job in ran(cap).jobs:
                near(job.finish / S, work, 1e-6)
                assert job.throttled == job.limit_lost == 0


def draw_fill(r):
    """Jobs on random nodes under a random tree of caps, in W: low and narrow draws too, and caps below what all draw at least."""
    nodes = r.randrange(1, 9)
    bounds = [Bound(frozenset(range(nodes)), -1, 0)]
    for n in range(r.randrange(5)):
        above = r.choice(bounds)
        bounds.append(Bound(frozenset(r.sample(sorted(above.nodes), r.randrange(1, 1 + len(above.nodes)))), above.depth + 1, n))
    runs = []
    for n in range(r.randrange(1, 13)):
        flex = r.choice([0, 0.5])
        lo, middle, want = sorted(r.choices(range(100, 400), k=3))
        run = Run(JobState(Job(f"j{n}", 0, 1, 1, sla=r.random() < 0.5, flex=flex), n), TYPE, {}, 0, 0, 1)
        run.place = {node: r.randrange(1, 5) for node in r.sample(range(nodes), r.choice([1, 1, 1, nodes]))}
        run.curve = Curve(want, lo, want, middle if flex else want, lo)
        runs.append(run)
    fixed = {bound: 50 * len(bound.nodes) for bound in bounds}
    for bound in bounds:
        low, high = (fixed[bound] + sum(bound.weight(run) * draw(run) for run in runs)
                     for draw in (lambda run: run.curve.lo, lambda run: run.curve.want))
        bound.cap = r.choice([None, r.randrange(low, high + 2), r.randrange(low, high + 2), low - r.randrange(2)])
    return runs, bounds, fixed


def fills_are_fair(folder):
    """What progressive filling gives, known by its result: caps hold; a job that stops has a full cap above it, under which no other
    job of its stage has risen further and no job of a later stage at all."""
    del folder
    for seed in range(FILLS):
        r = random.Random(f"fill {seed}")
        (runs, bounds, fixed), order = draw_fill(r), r.choice(["equal", "by_class", "by_flex"])
        rises, stages = fill(runs, bounds, fixed, order), stages_of(order)
        place = {run: [(at, *low_high) for at, (own, *low_high) in enumerate(stages) if own(run)] for run in runs}
        level = {run: run.curve.lo + sum((high(run) - low(run)) * x for (_, low, high), x in zip(place[run], rises[run], strict=True))
                 for run in runs}
        risen = {run: {at: x for (at, _, _), x in zip(place[run], rises[run], strict=True)} for run in runs}

        def committed(bound, draws):
            return fixed[bound] + sum(bound.weight(run) * draws[run] for run in runs)
        least = {run: run.curve.lo for run in runs}
        over = [bound for bound in bounds if bound.cap is not None and committed(bound, least) > bound.cap]
        full = [bound for bound in bounds if bound.cap is not None and committed(bound, level) == bound.cap]
        for bound in bounds:
            assert bound.cap is None or bound in over or committed(bound, level) <= bound.cap, seed
        for run in runs:
            own = [bound for bound in over if bound.weight(run)]
            assert not own or set(rises[run]) == {0}, seed
            for at, x in () if own else risen[run].items():
                assert 0 <= x <= 1, seed
                assert x == 1 or any(bound.weight(run) and all(
                    other_x <= x if other_at == at else other_at < at or other_x == 0 for other in runs if bound.weight(other)
                    for other_at, other_x in risen[other].items() if level[other] > other.curve.lo) for bound in full), seed
    return FILLS


# ---- easim against it ----

def compare_unchecked(path, folder):
    """--check looks at all jobs at each instant. Those that nobody looks at do the same."""
    easim("run", path, "--quiet", "--force", "--out", folder / "unchecked")
    for name in ("jobs.csv", "summary.csv", "power.csv"):
        assert (folder / "unchecked" / name).read_bytes() == (folder / "out" / name).read_bytes(), f"{name} differs without --check"


def compare(seed, folder, plain, policy="fcfs", events=False, often=False):
    draw = Draw(seed, plain, policy)
    if often:
        draw.move_cap_often()
    if events:
        draw.add_events()
    path = draw.write(folder)
    naive = (EasySimulation if policy == "easy" else Simulation)(draw.scenario)
    naive.asked = draw.asked
    naive.go()
    done = easim("run", path, "--check", "--quiet", "--force", "--out", folder / "out", code=(0, 1))
    assert (done.returncode == 1) == naive.stuck, (done.stderr, naive.stuck)
    if naive.stuck:
        assert "waiting for ever" in done.stderr, done.stderr
        SEEN["stuck"] += 1
        return
    if often or WHOLE:
        compare_unchecked(path, folder)
    for row, job in zip(rows_of(folder / "out/jobs.csv"), naive.in_order, strict=True):
        compare_job(row, job, draw)
    summary, = rows_of(folder / "out/summary.csv")
    near(float(summary["energy_kwh"]) * 3.6e6, joules(naive.energy), 1e-6)
    if not plain:
        gpu_h = sum(job.throttled_gpu for job in naive.jobs) / S / 3600
        near(summary["throttled_gpu_h"], gpu_h, 1e-6, 1e-9)
    if draw.scenario.domains:
        compare_domains(rows_of(folder / "out/domains.csv"), naive, draw)
    else:
        assert not (folder / "out/domains.csv").exists()
    if summary["cap_violation_s"]:
        near(float(summary["cap_violation_s"]), naive.violation / S, 1e-6, 1e-6)
        SEEN["violated"] += naive.violation > 0
    if events:
        rows = rows_of(folder / "out/cap_events.csv")
        for row, event in zip(rows, naive.events, strict=True):
            compare_event(row, event)


def compare_event(row, event):
    spec, watts = event.spec, 1 / NW
    base, flex = event.baseline, event.flex
    known = event.begun is not None
    priced = known and spec.price is not None
    expected = {
        "start_s": spec.start / S, "end_s": known and event.over / S, "baseline_w": known and base, "target_w": known and event.target,
        "held_share": base is not None and event.after > 0 and event.held / event.after,
        "reached_s": event.reached is not None and event.reached / S, "shortfall_w": known and event.worst * watts,
        "shifted_kwh": known and base is not None and (base * (event.over - spec.start) / S - joules(event.energy)) / 3.6e6,
        "lost_gpu_h": known and event.lost / 3600, "flex_broken": known and len(event.broken),
        "flex_broken_s": known and sum(event.broken.values()) / S, "flex_reduction_w": known and base is not None and base - flex * watts,
        "rebound_w": event.rebound is not None and event.rebound * watts, "penalty": priced and joules(event.above) / 3.6e6 * spec.price}
    for column, value in expected.items():
        if value is False or value is None:
            assert row[column] == "", (row, column, value)
        else:
            assert abs(float(row[column]) - value) <= 1e-6 * (1 + abs(value)), (row, column, value)
    SEEN["events"] += known
    SEEN["held"] += known and event.held > 0
    SEEN["broken"] += known and len(event.broken) > 0


def domain_of_all(folder):
    """A domain of all nodes draws what the cluster does, less its network: with services; with GPUs that sleep and nodes that fail; with
    shared GPUs and set-ups."""
    write_table(folder / "jobs.csv", "job_id,submit_s,gpus,duration_s,utilization,gpu_share",
                [["a", 0, 1, 60, 0.9, 0.3], ["b", 5, 1, 50, 0.5, 0.6], ["c", 10, 3, 45, 1, ""]])
    (folder / "s.yaml").write_text(json.dumps({
        "name": "s", "horizon": "drain", "policy": {"name": "zeus"}, "cluster": {
            "gpu_types": [{"name": "g", "idle_w": 50, "ctx_w": 90, "tdp_w": 400, "sleep_w": 7, "sleep_after": "20s", "wake_s": 3}],
            "nodes": [{"gpu": "g", "gpus": 4, "count": 2, "base_w": 100, "cpu_w_per_busy_gpu": 11}]},
        "workload": {"kind": "trace", "file": "jobs.csv", "rigid_costs": {"start_s": 4, "restart_s": 4}},
        "models": {"rigid_speed": {"g": 1}, "models": [unused([TYPE])]}}), encoding="utf-8")
    for path in (SOURCE / "configs/llm.yaml", SOURCE / "configs/failures.yaml", folder / "s.yaml"):
        nodes = sum(node.get("count", 1) for node in yaml.safe_load(path.read_text(encoding="utf-8"))["cluster"]["nodes"])
        easim("run", path, "-n", 1, "--check", "--quiet", "--force", "--out", folder / "out", "--set", "cluster.power_cap={enforce: throttle}",
              "--set", f"cluster.power_domains=[{{name: all, nodes: [0-{nodes - 1}], cap: 9000000}}]")
        [row], [summary] = rows_of(folder / "out/domains.csv"), rows_of(folder / "out/summary.csv")
        network_w = float(summary.get("energy_network_kwh") or 0) * 3.6e6 / float(summary["sim_s"])
        near(row["power_mean_w"], float(summary["power_mean_w"]) - network_w, 1e-9)
        near(row["power_max_w"], float(summary["power_max_w"]) - network_w, 1e-9)


def compare_domains(rows, naive, draw):
    for row, domain, bound in zip(rows, draw.scenario.domains, naive.bounds[1:], strict=True):
        assert row["domain"] == domain.name, (row, domain)
        near(row["cap_w"], domain.cap, 1e-12)
        near(row["power_mean_w"], bound.energy / NW / naive.now, 1e-6)
        near(row["power_max_w"], bound.most / NW, 1e-9)
        near(row["cap_violation_s"], bound.violation / S, 1e-6, 1e-6)
        near(row["throttled_gpu_h"], bound.throttled / S / 3600, 1e-6, 1e-9)
        SEEN["domains"] += 1


def compare_job(row, job, draw):
    assert row["job_id"] == job.spec.name, (row, job.spec)
    assert row["status"] == ("finished" if job.state == "finished" else "rejected"), row
    SEEN["jobs"] += 1
    SEEN["rejected"] += job.state == "rejected"
    SEEN["preempted"] += job.preemptions > 0
    SEEN["throttled"] += job.limit_lost > 0
    if job.state == "rejected":
        return
    expected = {"start_s": job.started / S, "finish_s": job.finish / S, "energy_j": joules(job.energy), "exec_s": job.exec / S,
                "lost_s": job.lost / S, "preemptions": job.preemptions}
    if not draw.plain:
        expected |= {"throttled_s": job.throttled / S, "limit_lost_s": job.limit_lost, "flex_broken_s": job.broken / S}
    wrong = {name: (row[name], value) for name, value in expected.items() if abs(float(row[name]) - value) > 1e-6 * (1 + value)}
    assert not wrong, (row["job_id"], wrong)
    assert row["gpu_type"] == draw.scenario.types[job.type].name, row


def without_effect(seed, folder):
    """A cap that never binds: no figure of any table is another one."""
    tables = {}
    for enforce in ("none", "throttle", "throttle_then_preempt"):
        draw = Draw(seed, True)
        draw.scenario.cap, draw.scenario.rules = [(0, 1e9)], Rules(enforce, draw.r.choice(["equal", "by_class", "by_flex"]))
        path = draw.write(folder)
        easim("run", path, "--check", "--quiet", "--decisions", "--force", "--out", folder / enforce)
        tables[enforce] = {table.name: rows_of(table) for table in (folder / enforce).glob("*.csv")}
    for enforce in ("throttle", "throttle_then_preempt"):
        for name, rows in tables["none"].items():
            others = [row for row in tables[enforce][name] if row.get("metric") not in OF_LIMITS]
            for one, other in zip(rows, others, strict=True):
                assert one == {column: other[column] for column in one}, (enforce, name, one, other)


# ---- Relations between runs ----

OF_SCALE = {"energy_j", "edp_js"}  # of jobs.csv


def jobs_of(folder, name, scenario, draw):
    """Rows of jobs.csv of a scenario that has been changed."""
    draw.scenario, place = scenario, folder / name
    place.mkdir()
    easim("run", draw.write(place), "--check", "--quiet", "--out", place / "out", code=(0, 1))
    return rows_of(place / "out/jobs.csv") if (place / "out/jobs.csv").exists() else None


def scaled(seed, folder):
    """Twice all powers and caps: the same times, twice the energy. nW are rounded, so times may differ in the nanosecond."""
    draw = Draw(seed, False)
    s = draw.scenario
    one = jobs_of(folder, "one", s, draw)
    twice = replace(s, types=[replace(t, idle=2 * t.idle, ctx=2 * t.ctx, tdp=2 * t.tdp, floor=2 * t.floor) for t in s.types],
                    nodes=[replace(n, base=2 * n.base, busy=2 * n.busy) for n in s.nodes],
                    cap=[(at, 2 * cap) for at, cap in s.cap], domains=[replace(d, cap=2 * d.cap) for d in s.domains])
    two = jobs_of(folder, "two", twice, draw)
    assert (one is None) == (two is None)
    for a, b in zip(one or [], two or [], strict=True):
        for column, value in a.items():
            if column in OF_SCALE and value:
                near(b[column], 2 * float(value), 1e-8, 1e-6)
            elif column.endswith("_s") and value:
                near(b[column], float(value), 1e-8, 1e-6)
            else:
                assert value == b[column], (column, a, b)


def like_a_domain(seed, folder):
    """A domain of all nodes with the cap of the cluster, inside of it or in place of it, changes no job."""
    draw = Draw(seed, False)
    s = draw.scenario
    s.cap, s.domains = [(0, draw.watts(s.nodes))], []
    everything = frozenset(range(len(s.nodes)))
    one = jobs_of(folder, "one", s, draw)
    assert one == jobs_of(folder, "both", replace(s, domains=[Domain("all", everything, s.cap[0][1])]), draw)
    assert one == jobs_of(folder, "domain", replace(s, domains=[Domain("all", everything, s.cap[0][1])], cap=[(0, inf)]), draw)


def without_a_cap(seed, folder):
    """An enforced cap that is never there changes no job and no total, of a run with plain limits or with none."""
    draw = Draw(seed, True)
    s = draw.scenario
    s.cap = [(0, inf), (10**9, inf)]
    tables = []
    for enforce in ("none", "throttle", "throttle_then_preempt"):
        jobs = jobs_of(folder, enforce, replace(s, rules=replace(s.rules, enforce=enforce)), draw)
        place = folder / enforce / "out/summary.csv"
        tables.append((jobs, rows_of(place) if place.exists() else []))
    for jobs, summary in tables[1:]:
        for one, other in zip((tables[0][0] or []) + tables[0][1], (jobs or []) + summary, strict=True):
            assert one == {column: other[column] for column in one}, (one, other)


def monotone(seed, folder):
    """All jobs run from 0 s on and none ends: if the cap is lower at all times, so is what all draw, never more, at each instant."""
    draw = Draw(seed, False)
    s = draw.scenario
    gpus = [node.gpus for node in s.nodes]
    jobs = [replace(job, submit=0, work=1e6, gpus=1, use=1, types=(node.type,)) for node, job in
            zip([node for node in s.nodes for _ in range(node.gpus)], s.jobs * sum(gpus), strict=False)]
    jobs = [replace(job, name=f"j{n}") for n, job in enumerate(jobs)]
    rest = sum(node.base + node.gpus * (node.busy + s.types[node.type].tdp) for node in s.nodes)
    caps = [(n * 100 * S, round(rest * draw.r.uniform(0.5, 0.95), 3)) for n in range(1, 12)]
    courses = []
    for name, factor in (("high", 1), ("low", draw.r.uniform(0.7, 0.95))):
        lower = replace(s, jobs=jobs, cap=[(0, inf)] + [(at, round(cap * factor, 3)) for at, cap in caps], setup=0, outages=[],
                        domains=[], rules=replace(s.rules, enforce="throttle", steps=0))
        draw.scenario, place = lower, folder / name
        place.mkdir()
        path = draw.write(place)
        path.write_text(path.read_text().replace('"drain"', '"1500s"'))
        easim("run", path, "--check", "--quiet", "--out", place / "out")
        courses.append([(float(row["time_s"]), float(row["power_w"])) for row in rows_of(place / "out/power.csv")])
        assert all(row["status"] == "running" for row in rows_of(place / "out/jobs.csv"))
    assert courses[0] != courses[1]
    moments = sorted({at for course in courses for at, _ in course})
    for moment in moments:
        high, low = (next(watts for at, watts in reversed(course) if at <= moment) for course in courses)
        assert low <= high + 1e-6, (moment, high, low)


def plain(seed, folder):
    compare(seed, folder, True)


def capped(seed, folder):
    compare(seed, folder, False)


def moved_often(seed, folder):
    compare(seed, folder, False, often=True)


def easy_capped(seed, folder):
    compare(seed, folder, False, "easy")


def bound_by_hand(folder):
    """A job of 1,000 s at 400 W alone on the only GPU, with the law 0.3, 0.7 from 160 W up. At d W it draws 1,000 d / rho(d) J, least at
    d_eff = 0.6 of 400 W: 1.4 x 240 kJ. A part from d to d + 7.5 W counts d and rho(d + 7.5 W). Without an enforced cap: 400 kJ."""
    gpu = Type("g", idle=50, ctx=90, tdp=400, floor=160, s=0.3, m=0.7)
    draw, found = Draw(1, False), {}
    draw.scenario = Scenario([gpu], [Node(0, 1)], [Job("j", 0, 1, 1000)], [(0, 300)])
    for enforce in ("throttle", "none"):
        draw.scenario.rules = Rules(enforce, "equal", "floor", 0)
        easim("bound", draw.write(folder), "--quiet", "--force", "--out", folder / "out")
        found[enforce] = {row["metric"]: float(row["bound"]) for row in rows_of(folder / "out/bounds.csv")}
        near(found[enforce]["jct_mean_s"], 1000, 1e-7)
    parts = [160 + 7.5 * i for i in range(33)]
    least = min(low / gpu.rho(high / 400) for low, high in zip(parts, parts[1:]))
    near(found["throttle"]["energy_kwh"] * 3.6e6, 1000 * least, 1e-7)
    assert 0.96 * 336e3 < 1000 * least <= 336e3
    near(found["none"]["energy_kwh"] * 3.6e6, 400e3, 1e-7)


def bounded(seed, folder):
    """No run is below its bounds."""
    draw = Draw(seed, False)
    done = easim("run", draw.write(folder), "--bound", "--quiet", "--force", "--out", folder / "out", code=(0, 1))
    if done.returncode == 1 or any(row["status"] == "rejected" for row in rows_of(folder / "out/jobs.csv")):
        return
    [summary] = rows_of(folder / "out/summary.csv")
    for row in rows_of(folder / "out/bounds.csv"):
        if row["bound"]:
            assert float(row["bound"]) <= float(summary[row["metric"]]), (seed, row, summary[row["metric"]])
            SEEN["bounded"] += 1


def accounted(seed, folder):
    """What is recorded of a run accounts for all of it."""
    draw = Draw(seed, False)
    path = draw.write(folder)
    warmup = caps_accounts.with_accounts(path, draw.r)
    naive = Simulation(draw.scenario).go()
    if not naive.stuck:
        easim("run", path, "--check", "--quiet", "--record", "--force", "--out", folder / "out")
        SEEN["accounted"] += caps_accounts.check(draw, naive, folder / "out", warmup)


def eventful(seed, folder):
    compare(seed, folder, False, events=True)


cases(case_by_hand, energy_in_buckets, charon_leaves_it_to_the_host,
      figures_of_the_law, tables_by_hand, events_by_hand, equal_jobs, fills_are_fair, seeds(plain, PLAIN), seeds(without_effect, EQUAL), seeds(scaled, RELATED), seeds(like_a_domain, RELATED),
      seeds(without_a_cap, RELATED), seeds(monotone, RELATED), seeds(capped, CAPPED), seeds(moved_often, OFTEN), seeds(easy_capped, EASY), seeds(eventful, EVENTFUL),
      bound_by_hand, domain_of_all, seeds(accounted, ACCOUNTED), seeds(bounded, ACCOUNTED))
print(*(f"{name}: {count}" for name, count in SEEN.items()), sep=", ")
