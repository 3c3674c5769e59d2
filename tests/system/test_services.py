"""Services in a run, worked out by hand: test_services.py EASIM SOURCE

A replica of the model below gives 2000 tokens a second at 30 requests (the 99 % quantile of its latency is 20 ms, within
the objective of 60), draws 600 W then, and 400 W at 10 requests and 1000 tokens a second. Below that rates are linear in
the requests n, and power is 90 + (400 - 90) (1 - e^-n) / (1 - e^-10), 90 W being ctx_w of its one GPU.
"""
import json
import math
from fractions import Fraction

from harness import SOURCE, cases, easim, near, real_data, rows_of, same_files
from recorded_case import SLOW, model_file

MODEL = """models:
  - name: m
    unit: token
    prompt: {included: true}
    serving:
      - {gpu: g, k: 1, evidence: assumed, source: test, points: [
          {limit: 64, n: 10, per_s: 1000, power_w: 400, itl_ms: {p50: 5, p90: 8, p95: 9, p99: 10}},
          {limit: 128, n: 30, per_s: 2000, power_w: 600, itl_ms: {p50: 9, p90: 15, p95: 18, p99: 20}}]}
"""
CAPACITY = 2000


def power_w(per_s):
    """Of a replica that gives at most 1000 tokens a second, or all it can."""
    n = per_s / 100
    return 600 if per_s >= CAPACITY else 90 + 310 * -math.expm1(-n) / -math.expm1(-10)


def power_between_w(per_s):
    """Between the points n/X is linear in n: n = 10 + 20 w at X = n / (0.01 + 0.005 w), P linear in log n."""
    w = (per_s * 0.01 - 10) / (20 - per_s * 0.005)
    return 400 + 200 * math.log((10 + 20 * w) / 10) / math.log(3)


def service(name="chat", demand="{tokens_per_s: 1000}", replicas=1, most=None, slo="itl_ms: 60, wait_s: 10", more=""):
    return (f"{{kind: service, name: {name}, model: m, demand: {demand}, slo: {{{slo}}}, "
            f"replicas: {{min: {replicas}, max: {most or replicas}}}{more}}}")


def run(folder, streams, horizon="100s", nodes="[{count: 2, gpu: g, gpus: 4, base_w: 100}]", top="", warmup="0s", gpu="",
        k=1, policy="fcfs", cap="", code=0, options=()):
    """The folder of results of a scenario, checked after every event."""
    folder.mkdir(exist_ok=True)
    (folder / "m.yaml").write_text(MODEL.replace("k: 1", f"k: {k}"))
    lines = "".join(f"    - {stream}\n" for stream in streams)
    (folder / "c.yaml").write_text(
        f"name: c\nhorizon: {horizon}\nseed: 1\nreplications: 1\npolicy: {{name: {policy}}}\nmodels: [m.yaml]\n"
        f"cluster:\n  gpu_types: [{{name: g, idle_w: 60, ctx_w: 90, tdp_w: 700, memory_gib: 80{gpu}}}]\n  nodes: {nodes}\n{cap}"
        f"{top}workload:\n  warmup: {warmup}\n  streams:\n{lines}")
    out = folder / "out"
    easim("run", folder / "c.yaml", "--check", "--force", "--quiet", "--out", out, *options, code=code)
    return out


def course(folder, name, rows):
    (folder / name).write_text("time_s,tokens_per_s\n" + "".join(f"{time_s},{value}\n" for time_s, value in rows))
    return f"{{file: {name}}}"


def one_row(out, name="services.csv"):
    [row] = rows_of(out / name)
    return row


def energy_adds_up(out, end_s):
    """Parts of the summary, types and the integral of power.csv are the same energy."""
    total = one_row(out, "summary.csv")
    parts = sum(float(total[f"energy_{part}_kwh"]) for part in ("job", "service", "idle", "base"))
    near(total["energy_kwh"], parts)
    steps = [(Fraction(row["time_s"]), Fraction(row["power_w"])) for row in rows_of(out / "power.csv")]
    ends = [time_s for time_s, _ in steps[1:]] + [end_s]
    near(total["energy_kwh"], float(sum((end - start) * watts for (start, watts), end in zip(steps, ends)) / 3600000))
    of_types = sum(float(row["energy_kwh"]) for row in rows_of(out / "types.csv"))
    near(total["energy_kwh"], of_types + float(total["energy_base_kwh"]))
    near(sum(float(row["energy_kwh"]) for row in rows_of(out / "services.csv")), float(total["energy_service_kwh"]))
    gpu_h = sum(float(row["alloc_gpu_h"]) for row in rows_of(out / "types.csv"))
    near(total["util_alloc"], gpu_h * 3600 / end_s / sum(int(row["gpus"]) for row in rows_of(out / "types.csv")))


def half_of_capacity(folder):
    """1000 of 2000 tokens a second: 10 requests, 400 W, 0.4 J a token; two replicas share 2000 in the same way."""
    for replicas in (1, 2):
        out = run(folder, [service(demand=f"{{tokens_per_s: {replicas * 1000}}}", replicas=replicas)])
        row = one_row(out)
        near(row["tokens_demanded"], replicas * 100000)
        near(row["tokens_served"], replicas * 100000)
        near(row["energy_kwh"], replicas * 400 * 100 / 3.6e6)
        near(row["j_per_token"], 0.4)
        near(row["latency_p99_ms"], 10)
        near(row["slo_share"], 1)
        near(row["replica_gpu_h"], replicas * 100 / 3600)
        assert (row["wait_p99_s"], row["tokens_left"], row["scale_ups"]) == ("0.0", "0.0", "0"), row
        assert one_row(out, "power.csv")["alloc_gpus"] == f"{replicas}.0"
        energy_adds_up(out, 100)


PULSE = [(0, 500), (10, 5000), (14, 700), (40, 0)]  # the last row holds as long as the one before it
# B = 3000 (t - 10) up to 12000 at 14, then falls by 1300 a second: 0 at 14 + 120/13, between two nanoseconds.
EMPTY_S = Fraction(14) + Fraction(120, 13)


def pulse(folder):
    """A pulse of demand above capacity: backlog, waiting times and energy by hand."""
    out = run(folder, [service(demand=course(folder, "d.csv", PULSE), slo="itl_ms: 60, wait_s: 4")], horizon="40s",
              options=("--trace", "t.jsonl"))
    row = one_row(out)
    demanded = 5000 + 20000 + 700 * 26
    near(row["tokens_demanded"], demanded)
    near(row["tokens_served"], demanded)
    # Waits of 4 s begin at B = 8000: at 10 + 8/3 on the way up, at 14 + 40/13 on the way down.
    late = 5000 * (4 - 8 / 3) + 700 * 40 / 13
    near(row["slo_share"], 1 - late / demanded)
    # Tokens that wait are spread evenly over 0..6 s, on the way up and down.
    waiting = 20000 + 700 * 120 / 13
    for share, column in ((0.5, "wait_p50_s"), (0.99, "wait_p99_s")):
        near(row[column], (share * demanded - (demanded - waiting)) / waiting * 6)
    busy_s = float(EMPTY_S) - 10
    energy_j = 10 * power_w(500) + 600 * busy_s + (30 - busy_s) * power_w(700)
    near(row["energy_kwh"], energy_j / 3.6e6)
    near(row["latency_p99_ms"], 20)
    energy_adds_up(out, 40)
    events = [json.loads(line) for line in (out / "t.jsonl").read_text().splitlines()]
    backlogs = [(e["time_ns"], e["tokens"]) for e in events if e["kind"] == "backlog"]
    times = [Fraction(10) + Fraction(8, 3), Fraction(14) + Fraction(40, 13), EMPTY_S]
    assert [time_ns for time_ns, _ in backlogs] == [math.ceil(time_s * 10**9) for time_s in times], backlogs
    assert backlogs[-1][1] == 0 and all(abs(tokens - 8000) < 1e-5 for _, tokens in backlogs[:2]), backlogs


def timeout(folder):
    """Longest wait 2 s: from B = 4000 on, at 10 + 4/3 s, 3000 tokens a second are dropped."""
    out = run(folder, [service(demand=course(folder, "d.csv", PULSE), slo="itl_ms: 60, wait_s: 1, timeout_s: 2")], horizon="40s")
    row = one_row(out)
    near(row["tokens_dropped"], 3000 * (4 - 4 / 3))
    near(row["tokens_served"], 43200 - 3000 * (4 - 4 / 3))
    # Within 1 s: B below 2000, up to 10 + 2/3, from 14 + 2000/1300 on.
    near(row["slo_share"], (5000 + 5000 * 2 / 3 + 700 * (26 - 20 / 13)) / 43200)
    near(row["wait_p99_s"], 2)
    energy_adds_up(out, 40)


def node_failure(folder):
    """Its only replica is gone from 10 s on: nothing is served, waits are infinite, nothing is dropped."""
    (folder / "o.csv").write_text("node,start_s,end_s\n0,10,\n")
    out = run(folder, [service(slo="itl_ms: 60, wait_s: 4, timeout_s: 5")], horizon="40s",
              nodes="[{count: 1, gpu: g, gpus: 1}]", top="failures: {file: o.csv}\n")
    row = one_row(out)
    assert (row["tokens_served"], row["tokens_left"], row["tokens_dropped"]) == ("10000.0", "30000.0", "0.0"), row
    assert (row["wait_p50_s"], row["slo_share"], row["replicas_end"]) == ("", "0.25", "0"), row
    near(row["energy_kwh"], 400 * 10 / 3.6e6)
    energy_adds_up(out, 40)


def warmup(folder):
    """What waits at the end of the warm-up counts as there before."""
    out = run(folder, [service(demand=course(folder, "d.csv", PULSE))], horizon="20s", warmup="12s")
    row = one_row(out)
    near(row["tokens_before"], 6000)
    near(row["tokens_demanded"], 5000 * 2 + 700 * 6)
    near(row["tokens_served"], 2000 * 8)
    near(row["tokens_left"], 6000 + 14200 - 16000)
    near(row["energy_kwh"], 600 * 8 / 3.6e6)


def beside_jobs(folder):
    """Replicas come before jobs, in the order of the file; a job takes what they leave, and its figures are its own."""
    job = "{kind: periodic, period: 10h, sizes: {law: constant, mean: 50s}, rigid: {k: 3}, until: {jobs: 1}}"
    out = run(folder, [job, service("a", replicas=3), service("b", demand="{tokens_per_s: 0}", replicas=2)], horizon="drain",
              nodes="[{count: 2, gpu: g, gpus: 4, cpu_w_per_busy_gpu: 7, base_w: 100}]")
    total = one_row(out, "summary.csv")
    assert (total["jobs_finished"], total["sim_s"], total["makespan_s"]) == ("1", "50.0", "50.0"), total
    near(total["energy_job_kwh"], 3 * 700 * 50 / 3.6e6)
    a, b = rows_of(out / "services.csv")
    near(a["energy_kwh"], 3 * power_w(1000 / 3) * 50 / 3.6e6, 1e-8)
    near(b["energy_kwh"], 2 * 90 * 50 / 3.6e6)
    assert (b["slo_share"], b["j_per_token"], b["latency_p99_ms"]) == ("", "", ""), b
    near(total["energy_base_kwh"], (200 + 7 * 8) * 50 / 3.6e6)
    service_kwh = float(total["energy_service_kwh"])
    near(total["energy_per_work_kwh"], (float(total["energy_kwh"]) - service_kwh) / (150 / 3600))
    near(total["energy_all_per_work_kwh"], float(total["energy_kwh"]) / (150 / 3600))
    energy_adds_up(out, 50)


def equal_to_none(folder):
    """A service that never gets a request and whose replica draws as an idle GPU leaves everything else as it was."""
    job = "{kind: poisson, rate_per_s: 0.05, sizes: {law: exponential, mean: 60s}, rigid: {k: 2}}"
    before = (run(folder, [job], horizon="1h", nodes="[{count: 2, gpu: g, gpus: 4}]") / "jobs.csv").read_text()
    beside = run(folder, [job, service(demand="{tokens_per_s: 0}")], horizon="1h",
                 nodes="[{count: 1, gpu: g, gpus: 1}, {count: 2, gpu: g, gpus: 4}]")
    assert before == (beside / "jobs.csv").read_text()


def scaling(folder):
    """A rush that needs three replicas more, which load for 90 s and go one a tick, 300 s after the last was wanted.

    At 120 s 5000 / 0.8 tokens a second are wanted and 60000 / 300 more for the backlog: 6450, which 4 replicas give. From
    210 s on the backlog, 330000, falls by 3000 a second up to 320 s. The window of the tick at 600 s is the first without
    the rush: 500 / 0.8 are wanted, which one replica gives, so all are spare from then on.
    """
    rush = [(0, 1000), (100, 5000), (400, 500), (3000, 0)]
    out = run(folder, [service(demand=course(folder, "d.csv", rush), most=5, more=", start_s: 90s, "
                               "scaling: {target: 0.8, interval: 60s, down_after: 300s}")], horizon="2000s")
    row = one_row(out)
    assert (row["scale_ups"], row["tokens_dropped"], row["tokens_left"], row["replicas_end"]) == ("3", "0.0", "0.0", "1"), row
    held = []
    for power in rows_of(out / "power.csv"):
        if not held or held[-1][1] != power["alloc_gpus"]:
            held.append((power["time_s"], power["alloc_gpus"]))
    assert held == [("0.0", "1.0"), ("120.0", "4.0"), ("900.0", "3.0"), ("960.0", "2.0"), ("1020.0", "1.0")], held
    near(row["replica_gpu_h"], (2000 + 780 + 840 + 900) / 3600)
    near(row["slo_share"], 1 - 5000 * (320 - 100 - 20000 / 3000 - 80 / 3) / (100000 + 1500000 + 800000))
    alone_w, even_w = power_w(500), [power_w(500 / n) for n in (2, 3, 4)]
    busy_j = 100 * power_w(1000) + 110 * 600 + 3 * 90 * 90 + 110 * 4 * 600 + 80 * 4 * power_between_w(1250)
    calm_j = 500 * 4 * even_w[2] + 60 * 3 * even_w[1] + 60 * 2 * even_w[0] + 980 * alone_w
    near(row["energy_kwh"], (busy_j + calm_j) / 3.6e6)
    energy_adds_up(out, 2000)


JOBS = """job_id,submit_s,duration_s,gpus,class
a,0,100,1,best_effort
b,0,250,1,best_effort
c,10,50,1,best_effort
"""
LATE = [(0, 0), (20, 1000), (400, 0), (2000, 0), (2001, 0)]


def reservation(folder, preempt=False):
    """A replica of both GPUs of the only node, wanted from the tick at 30 s on, while jobs a and b hold them.

    It gets the GPU of a at 100 s, ahead of job c, and that of b at 250 s, and is ready at 260. Of 240000 tokens that wait
    by then 100000 are left when demand ends at 400, none at 450. At 510 s the demand is out of the window: spare, so gone
    60 s later, and c starts.
    """
    (folder / "jobs.csv").write_text(JOBS)
    job = f"{{kind: trace, file: jobs.csv, preemptible: {str(preempt).lower()}}}"
    chat = service(demand=course(folder, "d.csv", LATE), replicas=0, most=1, more=", start_s: 10s, scaling: {interval: 30s, "
                   f"down_after: 60s, preempt: {str(preempt).lower()}}}")
    out = run(folder, [job, chat], nodes="[{count: 1, gpu: g, gpus: 2}]", k=2, horizon="drain", options=("--trace", "t.jsonl", "--record"))
    events = [json.loads(line) for line in (out / "t.jsonl").read_text().splitlines()]
    [ready_ns] = [e["time_ns"] for e in events if e["kind"] == "replica_ready"]
    jobs = {row["job_id"]: row for row in rows_of(out / "jobs.csv")}
    row = one_row(out)
    energy_adds_up(out, Fraction(one_row(out, "summary.csv")["sim_s"]))
    rests = [(r["gpu"], r["state"], r["start_s"], r["end_s"]) for r in rows_of(out / "gpus.csv")]
    return ready_ns / 1e9, jobs, row, rows_of(out / "power.csv"), rests


def reserved(folder):
    ready_s, jobs, row, power, rests = reservation(folder)
    assert ready_s == 260 and (jobs["a"]["finish_s"], jobs["b"]["finish_s"]) == ("100.0", "250.0"), ready_s
    assert (jobs["c"]["start_s"], jobs["c"]["finish_s"]) == ("570.0", "620.0"), jobs["c"]
    near(row["replica_gpu_h"], 2 * (570 - 250) / 3600)
    held = {p["time_s"]: (p["alloc_gpus"], p["idle_gpus"]) for p in power}
    assert held["100.0"] == ("1.0", "1.0") and held["250.0"] == ("2.0", "0.0"), held  # reserved, but idle
    assert row["preemptions"] == "0" and row["slo_share"] == "0.0", row
    assert rests == [("0", "reserved", "100.0", "250.0"), ("1", "free", "570.0", "620.0")], rests  # c is on GPU 0 in the end


def displacing(folder):
    """The same where it may displace: at 30 s both jobs go, and come back when it is gone, in their order."""
    ready_s, jobs, row, *_ = reservation(folder, preempt=True)
    assert ready_s == 40 and row["preemptions"] == "2", (ready_s, row)
    # 20000 tokens wait at 40 s, none from 60 s on: gone at 510 + 60 as before; what both had done is lost.
    assert (jobs["a"]["preemptions"], jobs["b"]["preemptions"], jobs["c"]["preemptions"]) == ("1", "1", "0")
    assert jobs["c"]["start_s"] == "670.0", jobs["c"]
    assert (jobs["a"]["finish_s"], jobs["b"]["finish_s"]) == ("670.0", "820.0"), (jobs["a"], jobs["b"])


def falling_cap(folder):
    """Of two replicas, which count with 600 W each, the cap of charon allows one from 300 s on, if that is the least; fcfs does
    not keep it."""
    (folder / "cap.csv").write_text("time_s,power_w\n0,2000\n300,1000\n")
    for policy, least, held, violation in (("charon", 1, 1, "0.0"), ("charon", 2, 2, "100.0"), ("fcfs", 1, 2, "100.0")):
        out = run(folder, [service(demand="{tokens_per_s: 3000}", replicas=least, most=3, more=", start_s: 0s")], horizon="400s", policy=policy,
                  nodes="[{count: 1, gpu: g, gpus: 4}]", cap="  power_cap_w: {file: cap.csv}\n")
        rows = rows_of(out / "power.csv")
        assert ([float(row["alloc_gpus"]) for row in rows if float(row["time_s"]) >= 0][-1], rows[0]["alloc_gpus"]) == (held, "2.0"), rows
        assert one_row(out, "summary.csv")["cap_violation_s"] == violation, policy
        assert one_row(out)["replicas_end"] == str(held)
        energy_adds_up(out, 400)


def waking(folder):
    """A replica that takes a sleeping GPU is ready after 5 s to wake it and 20 s to load."""
    out = run(folder, [service(demand=course(folder, "d.csv", [(0, 0), (50, 1000), (400, 0)]), replicas=0, most=1,
                               more=", start_s: 20s, scaling: {interval: 60s}")], horizon="200s",
              nodes="[{count: 1, gpu: g, gpus: 1}]", gpu=", sleep_w: 10, sleep_after: 30, wake_s: 5", options=("--trace", "t.jsonl"))
    events = [json.loads(line) for line in (out / "t.jsonl").read_text().splitlines()]
    assert [e["time_ns"] for e in events if e["kind"] == "replica_ready"] == [85 * 10**9]
    row = one_row(out)
    # 35000 tokens wait at 85 s, which 1000 a second more than demand serve by 120 s.
    near(row["energy_kwh"], (25 * 90 + 35 * 600 + 80 * 400) / 3.6e6)
    energy_adds_up(out, 200)


def stuck(folder):
    """A job that needs the GPU of a replica that never goes: a diagnosis, though demand comes again for ever."""
    job = "{kind: periodic, period: 1h, sizes: {law: constant, mean: 50s}, rigid: {k: 2}, until: {jobs: 1}}"
    for demand in ("{tokens_per_s: 1000}", "{file: d.csv, period: 2min}"):
        course(folder, "d.csv", [(0, 1000), (60, 10)])
        run(folder, [job, service(demand=demand)], horizon="drain", nodes="[{count: 1, gpu: g, gpus: 2}]", code=1)
        told = easim("run", folder / "c.yaml", "--quiet", "--force", "--out", folder / "out", code=1).stderr
        assert "leaves 1 jobs waiting for ever" in told and "1 of 2 GPUs are free; services hold 1" in told, told


def stuck_until(folder):
    """Demand comes again every 120 s, and down_after + start_s + (4 + max) interval are 300 + 90 + 5 * 60 s: of the changes,
    one a minute, the first behind 810 s ends the run."""
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s\na,0,2,50\n")
    demand = course(folder, "d.csv", [(0, 1000), (60, 10)])[:-1] + ", period: 120s}"
    run(folder, ["{kind: trace, file: jobs.csv}", service(demand=demand, more=", start_s: 90s, scaling: {interval: 60s, down_after: 300s}")],
        horizon="drain", nodes="[{count: 1, gpu: g, gpus: 2}]", code=1)
    told = easim("run", folder / "c.yaml", "--quiet", "--force", "--out", folder / "out", code=1).stderr
    assert "leaves 1 jobs waiting for ever" in told and "(at t = 840 s)" in told, told


def stuck_growing(folder):
    """Three services that are asked for more than they can give: 4662, 4654 and 4641 tokens a second in the mean, with periods
    that come together again after 1382 years only. Once each backlog can only grow the run ends.

    It may fall by 1900 a second for 1711, 1717 and 1727 s. Above 1727 * 1900 + 300 * 2000 = 3.88e6 tokens that of the last one is
    lasting; it grows by 7000 a second, so at 555 s, and 600 s is the next tick.
    """
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s\na,0,4,50\n")
    streams = ["{kind: trace, name: log, file: jobs.csv}"]
    for i, period_s in enumerate((3511, 3517, 3527)):
        streams.append(service(f"chat{i}", course(folder, "d.csv", [(0, 9000), (1800, 100)])[:-1] + f", period: {period_s}s}}"))
    run(folder, streams, horizon="drain", nodes="[{count: 1, gpu: g, gpus: 4}]", code=1)
    told = easim("run", folder / "c.yaml", "--quiet", "--force", "--out", folder / "out", code=1).stderr
    assert ("leaves 1 jobs waiting for ever: nothing runs, nothing but services goes on, 1 of 4 GPUs are free; services hold 3, and the "
            "backlog of service chat0 can only grow; ") in told and "(at t = 600 s)" in told, told
    # what may be dropped may fall; then it lasts as it did: no replica goes while there is a backlog, and none is known to last
    run(folder, [*streams[:1], streams[1].replace("wait_s: 10", "wait_s: 10, timeout_s: 20")], horizon="drain",
        nodes="[{count: 1, gpu: g, gpus: 4}]", code=1)
    told = easim("run", folder / "c.yaml", "--quiet", "--force", "--out", folder / "out", code=1).stderr
    assert "services hold 1; the first" in told and "can only grow" not in told, told


def stuck_by_cap(folder):
    """Two replicas of 600 W and their node of 100 W are above the cap of 1000 W, which charon keeps. One beside a job of 188 W is
    not, so that the next one waits for the job's GPU, and holds it for nothing from 400 s on."""
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s,utilization\na,0,1,400,0.2\nb,10,1,50,0.2\n")
    run(folder, ["{kind: trace, file: jobs.csv}", service(demand="{tokens_per_s: 3000}", most=2)],
        horizon="drain", policy="charon", nodes="[{count: 1, gpu: g, gpus: 2, base_w: 100}]", cap="  power_cap_w: 1000\n", code=1)
    told = easim("run", folder / "c.yaml", "--quiet", "--force", "--out", folder / "out", code=1).stderr
    assert "leaves 1 jobs waiting for ever" in told and "the first of them is job b" in told, told
    assert "services hold 2, and the power cap keeps a replica of service chat from loading; " in told, told


def overloaded(folder):
    """Demand above what all of `max` replicas can give, 2000 tokens a second each: told by check, and below the table of the run."""
    repeated = course(folder, "a.csv", [(0, 1000), (60, 9000)])[:-1] + ", period: 240s}"
    once = course(folder, "b.csv", [(0, 1000), (60, 9000), (80, 1000)])
    grows, waits = "the backlog grows as long as this lasts", "meanwhile requests wait"
    for demand, most, horizon, more, told in (
            ("{tokens_per_s: 4000}", 2, "100s", "", None),  # as much; in bins but for rounding
            ("{tokens_per_s: 4000, amplitude: 1e-13, period: 7h, bin: 3s}", 2, "7h", "", None),
            ("{tokens_per_s: 5000}", 2, "100s", "", "5000 5000 4000 0 100 " + grows),
            ("{tokens_per_s: 5000}", 2, "100s", ", timeout_s: 20", "5000 5000 4000 0 100 requests that would wait longer than timeout_s are not served"),
            (repeated, 2, "1h", "", "9000 7000 4000 60 75 " + grows),   # a round: (60 * 1000 + 180 * 9000) / 240
            (repeated, 4, "1h", "", "9000 7000 8000 60 75 " + waits),
            (repeated, 2, "100s", "", "9000 4200 4000 60 40 " + grows),  # the run: (60 * 1000 + 40 * 9000) / 100
            (repeated, 2, "60s", "", None),
            (once, 2, "1h", "", "9000 2600 4000 60 20 " + waits),       # until it ends, at 100 s
            ("{tokens_per_s: 20000}", 100, "100s", "", "20000 20000 16000 0 100 " + grows)):  # all of 8 GPUs
        run(folder, [service(demand=demand, most=most, slo="itl_ms: 60, wait_s: 10" + more)], horizon=horizon)
        checked = easim("check", folder / "c.yaml").stdout
        table = easim("run", folder / "c.yaml", "--force", "--out", folder / "out").stdout
        if told:
            peak, mean, capacity, first, share, end = told.split(" ", 5)
            told = (f"  warning: workload.streams[0].demand: up to {peak} tokens/s, {mean} on average, more than replicas.max of {most} can "
                    f"give here, at most {capacity}: first at t = {first} s, for {share} % of the time; {end}\n")
            assert told in checked and told in table, (told, checked, table)
        else:
            assert "more than replicas.max" not in checked + table, checked
    job = "{kind: periodic, period: 1h, sizes: {law: constant, mean: 50s}, rigid: {k: 3}, until: {jobs: 1}}"
    row = one_row(run(folder, [job, service(demand="{tokens_per_s: 5000}")], horizon="drain"))
    assert "the backlog grows until the last job ends the run\n" in easim("check", folder / "c.yaml").stdout
    near(row["tokens_left"], 50 * 3000)


def real_logs(folder):
    """An hour of the Azure logs, once: every generated token is demanded, and served by the end (skipped without EASIM_DATA)."""
    data, out = real_data("serving"), folder / "out"
    sets = [word for i in (1, 2) for word in ("--set", f"workload.streams[{i}].demand.repeat=false")]
    easim("run", SOURCE / "configs/serving.yaml", "-n", 1, "--check", "--quiet", "--out", out, "--set", "horizon=2h",
          "--set", "workload.warmup=0s", *sets)
    for row, log, scale in zip(rows_of(out / "services.csv"), ("conv", "code"), (3, 20)):
        tokens = sum(int(line["GeneratedTokens"]) for line in rows_of(data / f"azure_llm_2023_{log}.csv.gz"))
        near(row["tokens_demanded"], scale * tokens)
        near(row["tokens_served"], scale * tokens)
        assert (row["tokens_dropped"], row["tokens_left"]) == ("0.0", "0.0"), row
    energy_adds_up(out, 7200)


def compared(folder):
    """A comparison has the further figures of services and of a network, and only where the scenario has them; as summary.csv has them."""
    streams = ["{kind: poisson, rate_per_s: 0.01, sizes: {law: constant, mean: 60s}, rigid: {k: [1, 2]}}", service(demand="{tokens_per_s: 2100}")]
    run(folder, streams)
    network = "  network: {tiers: [{name: leaf, nodes: 2}], link: 10GB/s, switch_ports: 8, switch_w: 300, optics_w: 5}\n"
    text = (folder / "c.yaml").read_text()
    for number, (scenario, expected, absent) in enumerate((
            (text, ("slo_share", "j_per_token", "energy_service_kwh", "scale_ups"), ("energy_network_kwh",)),
            (text.replace("workload:", network + "workload:", 1), ("slo_share", "energy_network_kwh"), ()),
            (text.replace(f"    - {streams[1]}\n", ""), (), ("slo_share", "energy_network_kwh")))):
        (folder / "c.yaml").write_text(scenario)
        out = folder / f"compared{number}"
        told = easim("compare", folder / "c.yaml", "--policies", "fcfs,zeus", "-n", 2, "--out", out).stdout
        rows = {(row["metric"], row["policy"]): row for row in rows_of(out / "compare.csv")}
        for metric in expected:
            for policy in ("fcfs", "zeus"):
                mean = sum(float(row[metric]) for row in rows_of(out / policy / "summary.csv")) / 2
                near(rows[metric, policy]["mean"], mean)
        assert not any(metric in absent for metric, _ in rows), absent
        assert ("tokens within the SLO" in told, "energy of switches and optics" in told) == (
            "slo_share" in expected, "energy_network_kwh" in expected), told
        metrics = json.loads(easim("compare", folder / "c.yaml", "--policies", "fcfs,zeus", "-n", 2, "--out", out, "--force", "--format",
                                   "json").stdout)["metrics"]
        assert set(expected) <= set(metrics) and not set(absent) & set(metrics)


def invested(folder):
    """Where to invest: the run again, drained, with its services; as it was it takes what it took."""
    run(folder, [service()])
    (folder / "t.yaml").write_text(model_file({"g": SLOW}).replace("- name: m", "- name: t"))
    text = (folder / "c.yaml").read_text()
    jobs = "    - {kind: poisson, rate_per_s: 0.02, until: {jobs: 5}, sizes: {law: constant, mean: 60s}, k: [1, 2]}\n"
    (folder / "c.yaml").write_text(text.replace("[m.yaml]", "[m.yaml, t.yaml]").replace("horizon: 100s", "horizon: drain")
                                   .replace("  streams:\n", "  streams:\n" + jobs))
    out = folder / "recorded"
    easim("run", folder / "c.yaml", "--record", "--check", "--quiet", "--out", out)
    easim("analyze", out, "--invest", "--quiet")
    rows = rows_of(out / "invest.csv")
    assert {row["base_kwh"] for row in rows} == {one_row(out, "summary.csv")["energy_kwh"]}, rows
    assert {row["model"] for row in rows} == {"t"} and float(rows[0]["kwh"]) < float(rows[0]["base_kwh"]), rows


def shorter_bins(folder):
    """A note of what bins of 1 s would change, services alone: 10000 tokens at 0 and at 10 s are 1000 a second in bins of 10 s.

    In bins of 1 s a replica takes 5 s of full use for each and rests for 5, (600 W 5 s + 90 W 5 s) / 10000 tokens; B / S grows by
    4 s in the second in which they come, so that half of them wait for less than 2 s.
    """
    (folder / "d.csv").write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-29 10:00:00.0,1,10000\n2024-02-29 10:00:10.0,1,10000\n")
    job = "{kind: periodic, period: 10h, sizes: {law: constant, mean: 50s}, rigid: {k: 3}, until: {jobs: 1}}"
    log = "{file: d.csv, format: azure-llm, bin: 10s}"
    run(folder, [job, service(demand=log, slo="itl_ms: 60, wait_s: 2")], horizon="20s")
    easim("run", folder / "c.yaml", "--force", "--out", folder / "out",
          prints="note: service chat, services alone up to t = 20 s: 0.4 J per token and 100 % within the objective in bins of 10 s, " "0.345 J per token and 50 % within the objective in bins of 1 s\n")
    told = easim("run", folder / "c.yaml", "--force", "--summary-only", "--out", folder / "out").stdout
    assert "in bins of" not in told, told


def greatest_demand(folder):
    """A nanosecond holds 1000 tokens: all that wait are accounted for, though times are whole."""
    row = one_row(run(folder, [service(demand="{tokens_per_s: 1e12}")]))
    near(row["tokens_demanded"], 1e14)
    near(row["tokens_served"], CAPACITY * 100)
    near(row["tokens_left"], 1e14 - CAPACITY * 100)


FIGURES = {"energy_service_kwh": "energy_kwh", "tokens_before": "tokens_before", "tokens_demanded": "tokens_demanded",
           "tokens_served": "tokens_served", "tokens_dropped": "tokens_dropped", "tokens_left": "tokens_left", "slo_share": "slo_share",
           "j_per_token": "j_per_token", "token_wait_p50_s": "wait_p50_s", "token_wait_p99_s": "wait_p99_s",
           "token_latency_p99_ms": "latency_p99_ms", "replica_gpu_h": "replica_gpu_h", "scale_ups": "scale_ups",
           "service_preemptions": "preemptions"}  # of a service: its column of services.csv


def figures_of_runs(folder, *options):
    """{replication: {metric: cell}} of `easim run`: of single services from services.csv, of all together from summary.csv."""
    out = folder / "alone"
    easim("run", folder / "c.yaml", "--force", "--quiet", "--out", out, *options)
    rows = {}
    for row in rows_of(out / "services.csv"):
        rows.setdefault(row["replication"], {}).update({f"services.{row['service']}.{f}": row[c] for f, c in FIGURES.items()})
    for row in rows_of(out / "summary.csv"):
        rows[row["replication"]].update({f"services.{f}": row[f] for f in [*FIGURES, "energy_all_per_work_kwh"]})
    return rows


def single_services(folder):
    """Figures of single services in sweep, tune, compare and ablate are those of services.csv of runs, cell by cell."""
    (folder / "t.yaml").write_text(model_file({"g": SLOW}).replace("- name: m", "- name: t"))
    jobs = "{kind: poisson, rate_per_s: 0.05, sizes: {law: exponential, mean: 20s}, k: [1, 2]}"
    course(folder, "d.csv", [(0, 2500), (200, 500), (400, 2500)])
    two = [service("chat", "{file: d.csv}", 1, 3, more=", start_s: 20"), service('"a, b"', "{tokens_per_s: 700}", 1, 2)]
    run(folder, two, horizon="600s", policy="lean")
    config = folder / "c.yaml"
    config.write_text(config.read_text().replace("[m.yaml]", "[m.yaml, t.yaml]").replace("replications: 1", "replications: 2")
                      .replace("  streams:\n", f"  streams:\n    - {jobs}\n"))
    set_ = "workload.streams[1].scaling.target"

    (folder / "s.yaml").write_text(
        f"name: s\nbase: c.yaml\naxes:\n  - {{name: load, path: '{set_}', values: [0.5, 0.9]}}\n"
        "  - {name: other, path: 'workload.streams[2].name', values: ['a, b', code]}\n"
        "claims:\n  - {name: less, metric: services.chat.energy_service_kwh / services.tokens_served, of: {load: 0.9}, "
        "against: {load: 0.5}, sign: less}\n")
    for threads in (1, 3):
        easim("sweep", folder / "s.yaml", "--quiet", "--threads", threads, "--out", folder / f"sweep{threads}")
    same_files(folder / "sweep1", folder / "sweep3", "sweep.csv", "claims.csv", "claim-readings.csv")
    rows = rows_of(folder / "sweep1" / "sweep.csv")
    names = list(rows[0])
    assert names[names.index("warning") - 1] == "bsld_dedicated_mean" and names[names.index("warning") + 1] == "services.energy_service_kwh"
    assert len(rows) == 8
    for row in rows:
        alone = figures_of_runs(folder, "--set", f"{set_}={row['load']}", "--set", f"workload.streams[2].name={json.dumps(row['other'])}")
        own = alone[row["replication"]]
        assert {name: row[name] for name in own} == own, row
        left = [name for name in names if name.startswith("services.") and name not in own]
        assert len(left) == len(FIGURES) and all(row[name] == "" for name in left), left  # of the other name
    ratios = {(row["load"], row["replication"]): float(row["services.chat.energy_service_kwh"]) / float(row["services.tokens_served"])
              for row in rows if row["other"] == "code"}
    reading = next(r for r in rows_of(folder / "sweep1" / "claim-readings.csv") if r["other"] == "code")
    near(reading["mean"], (ratios["0.9", "1"] + ratios["0.9", "2"]) / 2)
    near(reading["against_mean"], (ratios["0.5", "1"] + ratios["0.5", "2"]) / 2)

    out = folder / "tune"
    easim("tune", config, "--params", f"{set_}=[0.5,0.9]", "--objective", "services.chat.j_per_token", "--constraint",
          "services.a, b.slo_share>=-1%", "--training-seed", 7, "--quiet", "--out", out)
    trials = rows_of(out / "trials.csv")
    assert len(trials) == 3
    for trial in trials:
        sets = ("--set", f"{set_}={trial[set_]}") if trial[set_] else ()
        alone = figures_of_runs(folder, "--seed", 7, *sets)
        for name in ("services.chat.j_per_token", "services.a, b.slo_share"):
            near(trial[name], sum(float(row[name]) for row in alone.values()) / 2)
        for row in rows_of(out / "runs.csv"):
            if row["trial"] == trial["trial"] and row["seed"] == "7":
                own = alone[row["replication"]]
                assert {name: row[name] for name in own} == own, row
    best = min(trials, key=lambda t: float(t["services.chat.j_per_token"]))
    assert float(next(t for t in trials if t["best"] == "1")["services.chat.j_per_token"]) == float(best["services.chat.j_per_token"])
    assert "services.chat.j_per_token" in {row["metric"] for row in rows_of(out / "check.csv")}

    easim("compare", config, "--policies", "lean,fcfs", "--quiet", "--out", folder / "compare")
    of_policy = {policy: figures_of_runs(folder, "--policy", policy) for policy in ("lean", "fcfs")}
    cells = {(row["metric"], row["policy"]): row["mean"] for row in rows_of(folder / "compare" / "compare.csv")}
    for policy, alone in of_policy.items():
        singles = [name for name in alone["1"] if name.count(".") == 2]
        assert len(singles) == 2 * len(FIGURES)
        for name in singles:
            values = [float(row[name]) for row in alone.values() if row[name]]
            assert bool(values) == bool(cells[name, policy]), name
            near(cells[name, policy] or 0, sum(values) / max(len(values), 1))

    easim("ablate", config, "zeus", "pollux", "--quiet", "--out", folder / "ablate")
    alone = figures_of_runs(folder, "--policy", "zeus")
    totals = {row["metric"] for row in rows_of(folder / "ablate" / "ablate.csv")}
    assert {name for name in alone["1"] if name.count(".") == 2} <= totals and "slo_share" in totals
    zeus = [row for row in rows_of(folder / "ablate" / "runs.csv") if {row[c] for c in ("key", "objective", "admission")} <= {"zeus"}]
    for row in zeus[-2:]:
        own = alone[row["replication"]]
        assert {name: row[name] for name in own} == own, row


if __name__ == "__main__":
    cases(half_of_capacity, pulse, timeout, node_failure, warmup, beside_jobs, equal_to_none, scaling, reserved, displacing, falling_cap,
          waking, stuck, stuck_until, stuck_growing, stuck_by_cap, overloaded, real_logs, compared, invested, shorter_bins, greatest_demand,
          single_services)
