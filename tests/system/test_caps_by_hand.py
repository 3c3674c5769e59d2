"""Enforced power caps by hand: test_caps_by_hand.py EASIM SOURCE

GPUs have idle_w 50, ctx_w 90, tdp_w 400, floor_w 160, follow a change after 0.1 s, and have the law s 0.3, m 0.7: at a share
p of its power a job has the speed rho(p) = 1 / (0.7 + 0.21 / (p - 0.3)). Jobs of utilization u draw 50 + 350 u W, on one GPU.
"""
import json

from harness import cases, easim, near, rows_of, write_table
from test_services import one_row, run as run_with_services, service

FLEX_P = 0.3 + 0.21 / (4 / 3 - 0.7)  # a share of the power with 3/4 of the speed: flex 0.25


def rho(p):
    return 1 / (0.7 + 0.21 / (p - 0.3))


def run(folder, jobs, cap, rules, nodes=2, types=None, steps_of_use=(), more_costs=None, domains=None):
    """jobs: name, submit_s, duration_s, utilization, flex, GPU type. cap: W, or rows of time and W. Rows of jobs.csv by name, and of
    summary.csv."""
    types = types or [{}]
    gpus = [{"name": "g", "idle_w": 50, "ctx_w": 90, "tdp_w": 400, "floor_w": 160, "limit_law": {"s": 0.3, "m": 0.7}} | keys for keys in types]
    write_table(folder / "jobs.csv", "job_id,submit_s,gpus,duration_s,utilization,flex,gpu_type",
                [[name, at, 1, work, use, flex, of_type] for name, at, work, use, flex, of_type in jobs])
    workload = {"kind": "trace", "file": "jobs.csv", "rigid_costs": {"start_s": 0, "restart_s": 0, "checkpoint_s": 0} | (more_costs or {})}
    if steps_of_use:
        write_table(folder / "use.csv", "job_id,from_s,utilization", steps_of_use)
        workload["utilization_file"] = "use.csv"
    watts = {"watts": cap}
    if isinstance(cap, list):
        write_table(folder / "cap.csv", "time_s,power_w", cap)
        watts = {"file": "cap.csv"}
    idle = {"name": "m", "m0": 8, "phi": 1, "batches": [1], "gpus": {gpus[0]["name"]: {
        "a_s": 0.1, "c_s": 0.01, "gamma": 1, "alpha_s": 0, "p0_w": 20, "pmax_w": 30, "evidence": "assumed", "source": "none"}}}
    speeds = {gpu["name"]: gpu.pop("speed", 1) for gpu in gpus}
    (folder / "s.yaml").write_text(json.dumps({
        "name": "s", "horizon": "drain", "policy": {"name": "fcfs"},
        "cluster": {"gpu_types": gpus, "nodes": [{"gpu": gpu["name"], "gpus": nodes} for gpu in gpus],
                    "power_cap": watts | {"enforce": "throttle", "steps": 0, "admit": "floor"} | rules} |
        ({"power_domains": domains} if domains else {}),
        "workload": workload, "models": {"rigid_speed": speeds, "models": [idle]}}), encoding="utf-8")
    easim("run", folder / "s.yaml", "--check", "--quiet", "--force", "--out", folder / "out")
    return {row["job_id"]: row for row in rows_of(folder / "out/jobs.csv")}, one_row(folder / "out", "summary.csv")


def held_with_context(folder):
    """ctx_w 200 W: a GPU counts at least that, whatever its job could be lowered to, and also while it is set up. a, b, c want 400,
    260 and 120 W and count 200 + 200 x, 200 + 60 x and 200. With a node of 3 GPUs and 800 W: x = 200 / 260. c draws 120 W."""
    keys = {"ctx_w": 200}
    jobs = [("a", 0, 1000, 1, 0, "g"), ("b", 0, 1000, 0.6, 0, "g"), ("c", 0, 5000, 0.2, 0, "g")]
    found, _ = run(folder, jobs, 800, {}, nodes=3, types=[keys])
    x = 200 / 260
    a_w, b_w = 200 + 200 * x, 200 + 60 * x
    # b is the faster one; then a may rise to 400 W, and does 0.1 s later
    end_b = 1000 / rho(b_w / 260)
    near(found["b"]["finish_s"], end_b)
    near(found["b"]["energy_j"], b_w * end_b)
    slow_s = end_b + 0.1
    end_a = slow_s + 1000 - slow_s * rho(a_w / 400)
    near(found["a"]["finish_s"], end_a)
    near(found["a"]["energy_j"], a_w * slow_s + 400 * (end_a - slow_s))
    near(found["c"]["finish_s"], 5000)
    near(found["c"]["energy_j"], 120 * 5000)
    # During set-up, too: two jobs at lo and a third are above 590 W, so it waits for c, without 50 W of an idle GPU for 540 W.
    found, _ = run(folder, jobs[:2] + [("d", 10, 100, 1, 0, "g")], 599, {}, nodes=3, types=[keys], more_costs={"start_s": 3000})
    assert float(found["d"]["start_s"]) >= 3000, found["d"]


def starts_keep_flex(folder):
    """Two jobs of flex 0.25 at 400 W need 2 x 252.63 W: 505.27 W. Below that the second one waits, although both could run at 160 W,
    and nobody is below its flex. The same with flex 0, at 2 x 400 W."""
    jobs = [("a", 0, 1000, 1, 0.25, "g"), ("b", 10, 1000, 1, 0.25, "g")]
    for cap, waits in ((505, True), (506, False)):
        for admit in ("floor", "efficient"):  # the draw of least energy is below 252.63 W: p = 0.3 + sqrt(0.3 x 0.21 / 0.7) = 0.6
            found, summary = run(folder, jobs, cap, {"order": "by_flex", "admit": admit})
            near(found["b"]["start_s"], 1000 if waits else 10)
            assert summary["flex_broken"] == "0", (cap, summary)
            near(found["a"]["finish_s"], 1000 if waits else 10.1 + 989.9 / rho(cap / 800))
    rigid = [(*job[:4], 0, "g") for job in jobs]
    for cap, waits in ((799, True), (800, False)):
        found, summary = run(folder, rigid, cap, {"order": "by_flex"})
        near(found["b"]["start_s"], 1000 if waits else 10)
        assert (summary["flex_broken"], found["a"]["throttled_s"]) == ("0", "0.0"), summary


def flex_and_utilization(folder):
    """Of a, flex 0.25, the utilization is 1, from 150 to 250 s of its work 0.5 (225 W); b, flex 0, takes 400 W throughout. 700 W leave
    300 W for a, from 60 s on 620 W leave 220 W: below its flex (252.63 W) at full utilization, of 225 W at half of it only 2 %."""
    jobs = [("a", 0, 400, 1, 0.25, "g"), ("b", 0, 3000, 1, 0, "g")]
    found, summary = run(folder, jobs, [[0, 700], [60, 620]], {"order": "by_flex"}, steps_of_use=[["a", 150, 0.5], ["a", 250, 1]])
    at_300, at_220, at_half = rho(300 / 400), rho(220 / 400), rho(220 / 225)
    assert 220 < FLEX_P * 400 < 300
    first = 60.1 * at_300
    end = 60.1 + (150 - first) / at_220 + 100 / at_half + 150 / at_220
    near(found["a"]["finish_s"], end)
    near(found["a"]["energy_j"], 300 * 60.1 + 220 * (end - 60.1))
    near(found["a"]["throttled_s"], end)
    near(found["a"]["limit_lost_s"], end - 400)
    near(found["b"]["finish_s"], 3000)
    near(found["b"]["throttled_s"], 0)
    assert summary["flex_broken"] == "1", summary
    # With 300 W throughout a half-used GPU is at its full 225 W; when its use rises it draws 400 W until the change holds.
    found, summary = run(folder, jobs, 700, {"order": "by_flex", "grace": "0s"}, steps_of_use=[["a", 150, 0.5], ["a", 250, 1]])
    end = 150 / at_300 + 100 + 0.1 + 149.9 / at_300
    near(found["a"]["finish_s"], end)
    near(found["a"]["energy_j"], 300 * (end - 100.1) + 225 * 100 + 400 * 0.1)
    near(summary["cap_violation_s"], 0.1, absolute=1e-9)
    near(summary["cap_violation_j"], 100 * 0.1, absolute=1e-6)
    assert summary["flex_broken"] == "0", summary


def use_changes(folder):
    """What a job draws from the instant at which its utilization is another, until the change of its limit holds. The cap leaves 300 W."""
    at_300 = rho(300 / 400)
    # It comes to be at its wish, of 268.2... W, and the 300 W of before are forgotten: 400 W, until the change holds after its end.
    middle = 0.6234567891234
    found, _ = run(folder, [("a", 0, 300, 1, 0, "g")], 350, {}, types=[{"limit_delay_s": 200}], steps_of_use=[["a", 100, middle], ["a", 200, 1]])
    near(found["a"]["finish_s"], 100 / at_300 + 200)
    near(found["a"]["energy_j"], 300 * 100 / at_300 + (50 + 350 * middle) * 100 + 400 * 100)
    # The cap leaves 100 W of 120 W; then the least of 400 W is 160 W, which it draws at once, and goes on to.
    keys = {"floor_w": 100, "limit_delay_s": 5}
    found, _ = run(folder, [("a", 0, 100, 0.2, 0, "g")], 150, {}, types=[keys], steps_of_use=[["a", 0, 0.2], ["a", 50, 1]])
    near(found["a"]["finish_s"], 50 / rho(100 / 120) + 50 / rho(160 / 400))
    near(found["a"]["energy_j"], 100 * 50 / rho(100 / 120) + 160 * 50 / rho(160 / 400))
    # Without delay the change holds at that instant: 300 W of 400, then of 365 W, then 155 W, which are below the floor of 160 W. So no
    # share of these can be lost, and 300 W before were above its flex.
    found, summary = run(folder, [("a", 0, 300, 1, 0.25, "g")], 350, {"order": "by_flex"}, types=[{"limit_delay_s": 0}],
                         steps_of_use=[["a", 100, 0.9], ["a", 200, 0.3]])
    slow_s = 100 / at_300 + 100 / rho(300 / 365)
    near(found["a"]["finish_s"], slow_s + 100)
    near(found["a"]["energy_j"], 300 * slow_s + 155 * 100)
    near(found["a"]["throttled_s"], slow_s)
    assert (summary["flex_broken"], found["a"]["flex_broken_s"]) == ("0", "0.0"), found["a"]
    # Of a job that was slowed its policy sees each draw: 225 W at 150 s, then 155 W.
    found, _ = run(folder, [("a", 0, 300, 1, 0, "g")], [[0, 350], [150, 351]], {}, steps_of_use=[["a", 100, 0.5], ["a", 200, 0.3]])
    near(found["a"]["finish_s"], 100 / at_300 + 200)
    near(found["a"]["energy_j"], 300 * 100 / at_300 + 225 * 100 + 155 * 100)


def use_of_lost_work(folder):
    """A job that is preempted in its second 50 s, in which it could draw 160 W at least, starts again with the 155 W of its first, below the
    new cap of 158 W at once."""
    cap = [[0, 170], [60, 158], [100, ""]]
    found, _ = run(folder, [("a", 0, 80, 0.3, 0, "g")], cap, {"enforce": "throttle_then_preempt"}, nodes=1, steps_of_use=[["a", 50, 1]])
    near(found["a"]["lost_s"], 60)
    near(found["a"]["finish_s"], 60 + 80)
    near(found["a"]["energy_j"], 155 * 50 + 400 * 0.1 + 170 * 9.9 + 155 * 50 + 400 * 30)


def left_after_a_stop(folder):
    """A slowed job that is preempted has left what its checkpoint of each 10 s says, also if its policy has seen it change meanwhile. So it
    goes back to the GPU of twice the speed, where it ends earlier, not to that of less power. 300 W up to 20.1 s, then 270 W, until 45 s."""
    types = [{"name": "fast", "speed": 2}, {"name": "slow", "tdp_w": 200, "floor_w": 160}]
    cap = [[0, 350], [20, 320], [45, 205], [60, ""]]
    found, _ = run(folder, [("a", 0, 100, 1, 0, "fast|slow")], cap, {"enforce": "throttle_then_preempt"}, nodes=1, types=types,
                   more_costs={"checkpoint_interval_s": 10})
    kept = 2 * (20.1 * rho(300 / 400) + 19.9 * rho(270 / 400))
    assert found["a"]["preemptions"] == "1" and found["a"]["gpu_type"] == "fast", found["a"]
    near(found["a"]["finish_s"], 60 + (100 - kept) / 2)
    near(found["a"]["energy_j"], 20.1 * 300 + 24.9 * 270 + (100 - kept) / 2 * 400)


def services_count_at_most(folder):
    """A replica counts with the most it may draw, 600 W, here and while it draws 400 W (test_services.py). Of 1,740 W it, its node of 100 W
    and a free GPU of 60 W leave 980 W for the two GPUs of a job of 700 W each: 490 W, p = 0.7."""
    write_table(folder / "jobs.csv", "job_id,submit_s,gpus,duration_s,utilization", [["a", 0, 2, 1000, 1]])
    jobs = "{kind: trace, file: jobs.csv}"
    cap = "  power_cap: {watts: 1740, enforce: throttle, admit: floor, steps: 0}\n"
    out = run_with_services(folder, [service(), jobs], horizon="1300s", nodes="[{count: 1, gpu: g, gpus: 4, base_w: 100}]", cap=cap)
    row, end = one_row(out, "jobs.csv"), 1000 / rho(0.7)
    near(row["finish_s"], end)
    near(row["energy_j"], 2 * 490 * end)
    near(one_row(out)["energy_kwh"], 400 * 1300 / 3.6e6)
    near(one_row(out, "summary.csv")["cap_violation_s"], 0)


def replicas_go_last(folder):
    """Two replicas (1,200 W), node (100 W) and job (2 x 280 W at least): 1,860 W. From 300 s on 1,400 W: the job goes, which leaves 1,420 W with
    two free GPUs (120 W), so one replica goes as well; with 1,450 W both stay. Below throttle nobody goes."""
    write_table(folder / "jobs.csv", "job_id,submit_s,gpus,duration_s,utilization", [["a", 0, 2, 2000, 1]])
    jobs = "{kind: trace, file: jobs.csv}"
    for enforce, watts, replicas, preemptions in (("throttle_then_preempt", 1400, 1, "1"), ("throttle_then_preempt", 1450, 2, "1"),
                                                  ("throttle", 1400, 2, "0")):
        (folder / "cap.csv").write_text(f"time_s,power_w\n0,3000\n300,{watts}\n500,3000\n")
        cap = f"  power_cap: {{file: cap.csv, enforce: {enforce}, admit: floor, steps: 0}}\n"
        out = run_with_services(folder, [service(demand="{tokens_per_s: 3000}", replicas=1, most=2, more=", start_s: 0s"), jobs],
                                horizon="400s", nodes="[{count: 1, gpu: g, gpus: 4, base_w: 100}]", cap=cap)
        assert one_row(out)["replicas_end"] == str(replicas), (enforce, watts, one_row(out))
        assert one_row(out, "jobs.csv")["preemptions"] == preemptions, one_row(out, "jobs.csv")


def refused_by_admission(folder):
    """a draws 400 W; b would make it 800 W at full power, above 700 W, although limits would bring both down to the cap."""
    run(folder, [("a", 0, 1000, 1, 0, "g"), ("b", 10, 100, 1, 0, "g")], 700, {"admit": "full"})
    easim("run", folder / "s.yaml", "--record", "--quiet", "--force", "--out", folder / "out")
    told = easim("explain", folder / "out", "b").stdout
    assert "it fitted, but the enforced cap did not admit its start" in told, told
    assert "would raise the power" not in told, told


def another_domain_is_full(folder):
    """From 100 s on a wants 400 W (before: 225 W) where 300 W may be, and gets that 0.1 s later. c, of 225 W, waits there for its end. b
    is elsewhere: that the domain of a is above its cap at full power is nothing to it."""
    jobs = [("a", 0, 1000, 1, 0, "g"), ("b", 200, 100, 1, 0, "h"), ("c", 200, 100, 0.5, 0, "g")]
    found, _ = run(folder, jobs, 2000, {"admit": "full"}, nodes=1, types=[{}, {"name": "h"}], steps_of_use=[("a", 0, 0.5), ("a", 100, 1)],
                   domains=[{"name": "rack", "nodes": "0", "cap": 300}])
    end_a = 100.1 + (1000 - 100.1) / rho(300 / 400)
    near(found["a"]["finish_s"], end_a)
    near(found["b"]["start_s"], 200)
    near(found["c"]["start_s"], end_a)


cases(another_domain_is_full, refused_by_admission, held_with_context, starts_keep_flex, flex_and_utilization, use_changes, use_of_lost_work, left_after_a_stop, services_count_at_most, replicas_go_last)
