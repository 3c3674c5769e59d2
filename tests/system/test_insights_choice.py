"""Rules of easim analyze about what jobs run on and how: test_insights_choice.py EASIM SOURCE.

For each a scenario on which it speaks and one just beyond its threshold; its figures again from segments.csv and the forms
of the model; its command as it is printed, and what it reports of that run. Rules about load, carbon and trust likewise.
"""
import math
import statistics

from harness import SOURCE, cases, easim, json_of, near, rows_of
from recorded_case import (FAST, SLOW, elastic, figures, goodput, insights, model_file, no_run, power, rigid, run, silent, the,
                           unit_j, what_if)

J_PER_KWH = 3.6e6
PERIODIC = "kind: periodic, period: 600s, until: {jobs: 5}, mix: [{model: m}], sizes: {law: constant, mean: 1h}, users: 3"


def pieces(folder):
    """Computing that was kept: (GPU type, k, b, samples, seconds)."""
    return [(row["gpu_type"], int(row["k"]), float(row["b"] or 0), float(row["work"]), float(row["end_s"]) - float(row["start_s"]))
            for row in rows_of(folder / "segments.csv") if row["kind"] == "run"]


def energy_j(folder):
    return J_PER_KWH * float(rows_of(folder / "summary.csv")[0]["energy_kwh"])


def jobs_j(folder):
    return sum(float(row["energy_j"]) for row in rows_of(folder / "segments.csv"))


def gpu_s(folder, gpus):
    return gpus * float(rows_of(folder / "summary.csv")[0]["sim_s"])


def scaled(model, factor):
    return {**model, "p0_w": factor * model["p0_w"], "pmax_w": factor * model["pmax_w"]}


# ---- what jobs run on -----------------------------------------------------------------------------------------------

def wasted_fast(place):
    """8 fast GPUs gain 1.17 x the speed of 8 slow ones; just more and just less than that of the power."""
    speedup = goodput(FAST, 8, 8) / goodput(SLOW, 8, 8)
    equal = speedup * power(SLOW, 8, 8) / power(FAST, 8, 8)
    fast = scaled(FAST, 1.01 * equal)
    folder = run(place, PERIODIC, {"slow": SLOW, "fast": fast})
    insight = the(folder, "WASTED-FAST")
    work = [w for h, k, b, w, _ in pieces(folder) if (h, k, b) == ("fast", 8, 8)]
    assert len(work) == 5
    over = sum(work) * (unit_j(fast, 8, 8) - unit_j(SLOW, 8, 8))
    said = figures(insight)
    near(said["energy_over_best"], over / J_PER_KWH)
    near(said["speedup"], speedup)
    near(said["power_ratio"], 1.01 * speedup)
    near(said["energy_per_sample"], unit_j(fast, 8, 8))
    near(said["energy_per_sample_other"], unit_j(SLOW, 8, 8))
    near(insight["share"], over / energy_j(folder))
    assert (insight["name"], said["gpu_type"], said["other_gpu_type"], said["starts"]) == ("m", "fast", "slow", 5)
    silent(run(place, PERIODIC, {"slow": SLOW, "fast": scaled(FAST, 0.99 * equal)}), "WASTED-FAST")
    silent(run(place, PERIODIC, {"slow": SLOW, "fast": fast}, nodes=[("slow", 7), ("fast", 8)]), "WASTED-FAST")  # none fitted
    after = what_if(insight)
    silent(after, "WASTED-FAST")
    assert {h for h, *_ in pieces(after)} == {"slow"} and jobs_j(after) < jobs_j(folder)


def slow_cheap(place):
    """zeus takes the type of less energy-delay product. The faster one has 1.25 x that, so it is worth nothing but to those
    who ask for less."""
    def edp(model):
        return unit_j(model, 8, 8) / goodput(model, 8, 8)
    fast = scaled(FAST, 1.25 * edp(SLOW) / edp(FAST))
    folder = run(place, PERIODIC.replace("600s", "700s"), {"slow": SLOW, "fast": fast}, policy="zeus")
    assert {h for h, *_ in pieces(folder)} == {"slow"}
    silent(folder, "SLOW-CHEAP")
    silent(folder, "SLOW-CHEAP", "--rule", "SLOW-CHEAP.ratio=0.81")
    insight = the(folder, "SLOW-CHEAP", "--rule", "SLOW-CHEAP.ratio=0.79")
    said = figures(insight)
    near(said["edp_ratio"], 1 / 1.25)
    near(said["speedup"], goodput(SLOW, 8, 8) / goodput(fast, 8, 8))
    samples = sum(w for *_, w, _ in pieces(folder))
    near(said["time_gained"], samples * (1 / goodput(fast, 8, 8) - 1 / goodput(SLOW, 8, 8)) / 3600)
    near(said["energy_over_best"], samples * (unit_j(SLOW, 8, 8) - unit_j(fast, 8, 8)) / J_PER_KWH)
    assert insight["severity"] == "info"  # it saves energy
    silent(what_if(insight), "SLOW-CHEAP", "--rule", "SLOW-CHEAP.ratio=0.79")


def overscale(place):
    """The speed of 8 GPUs is 8 x 79 / (79 + s) that of one: half of 8 at s = 79 ms."""
    def case(s):
        model = {**FAST, "alpha_s": s, "beta_s": 0}
        return model, run(place, PERIODIC, {"fast": model})
    model, folder = case(0.0791)
    insight = the(folder, "OVERSCALE")
    said = figures(insight)
    samples = sum(w for *_, w, _ in pieces(folder))
    assert {(k, b) for _, k, b, *_ in pieces(folder)} == {(8, 8)}
    near(said["efficiency"], 0.079 / (0.079 + 0.0791))
    near(said["marginal_speedup"], 0.079 / (0.079 + 0.0791))
    near(said["k_at_knee"], 1)
    near(said["energy_lost"], samples * (unit_j(model, 8, 8) - unit_j(model, 1, 8)) / J_PER_KWH)
    near(said["lost"], samples * (8 / goodput(model, 8, 8) - 1 / goodput(model, 1, 8)) / 3600)
    near(said["time_gained"], samples * (1 / goodput(model, 1, 8) - 1 / goodput(model, 8, 8)) / 3600)
    near(insight["share"], said["energy_lost"] * J_PER_KWH / energy_j(folder))
    silent(case(0.0789)[1], "OVERSCALE")
    after = what_if(insight)
    silent(after, "OVERSCALE")
    assert {k for _, k, *_ in pieces(after)} == {1}
    # By what the last GPUs add: from 4 to 8 of them (s(8) = s(4) + 4 beta), with an efficiency above a half.
    model = {**FAST, "alpha_s": 0.001, "beta_s": 0.0082}
    speeds = {k: goodput(model, k, 8) / goodput(model, 1, 8) for k in (1, 2, 4, 8)}
    marginal = (speeds[8] - speeds[4]) / 4
    assert speeds[8] / 8 > 0.5 and 0.2 < marginal < 0.5, speeds
    folder = run(place, PERIODIC, {"fast": model})
    insight = the(folder, "OVERSCALE", "--rule", f"OVERSCALE.least_marginal={marginal + 1e-6}")
    near(figures(insight)["marginal_speedup"], marginal)
    near(figures(insight)["k_at_knee"], 4)
    silent(folder, "OVERSCALE", "--rule", f"OVERSCALE.least_marginal={marginal - 1e-6}")


def underscale(place):
    """A rigid job leaves 4 of 8 GPUs at 1000 s; the job with a model on the others could double, for no more energy if
    nothing is synchronized."""
    jobs = [rigid("r", 0, 4, 1000), elastic("e", 10, 500000)]
    def case(s, policy="pollux"):
        return run(place, (jobs, ", k: [1, 2, 4, 8]"), {"fast": {**FAST, "alpha_s": 0, "beta_s": s}}, policy=policy)
    folder = case(0)
    insight = the(folder, "UNDERSCALE")
    finish = {row["job_id"]: float(row["finish_s"]) for row in rows_of(folder / "jobs.csv")}
    assert finish["e"] > 1100
    near(figures(insight)["idle"], 4 * (finish["e"] - 1000) / 3600)
    near(figures(insight)["time_saved"], (finish["e"] - 1000) / 2)
    near(insight["share"], 4 * (finish["e"] - 1000) / gpu_s(folder, 8))
    silent(case(1e-6), "UNDERSCALE")
    after = what_if(insight)  # pollux may grow jobs
    left = {row["job_id"]: float(row["finish_s"]) for row in rows_of(after / "jobs.csv")}
    assert left["e"] < finish["e"], (left, finish)
    no_run(the(case(0, policy="fcfs"), "UNDERSCALE")) if not has_resize("fcfs") else None


def has_resize(policy):
    return "resize" in easim("policies", policy).stdout


def batch(place):
    """Of a table: 4 samples are faster, 8 take less energy, or just more."""
    def case(watts):
        points = f"{{k: 1, batch: 4, throughput_samples_s: 100, power_w_per_gpu: 300}}, " \
                 f"{{k: 1, batch: 8, throughput_samples_s: 99, power_w_per_gpu: {watts}}}"
        return run(place, PERIODIC.replace("mean: 1h", "mean: 5min") + ", k: [1], b: [4, 8]", {"slow": f"lookup: [{points}]"},
                   memory="mem0_gib: 2\nmem1_gib: 0.5")
    folder = case(290)
    insight = the(folder, "BATCH")
    said = figures(insight)
    samples = sum(w for *_, w, _ in pieces(folder))
    assert {b for _, _, b, *_ in pieces(folder)} == {4}
    near(said["energy_per_sample"], 3)
    near(said["energy_per_sample_best"], 290 / 99)
    near(said["memory_share"], (2 + 0.5 * 4) / 20)
    near(said["energy_over_best"], samples * (3 - 290 / 99) / J_PER_KWH)
    near(insight["share"], samples * (3 - 290 / 99) / energy_j(folder))
    silent(case(3 * 99 * 0.991), "BATCH")  # 0.9 % less: not worth it
    after = what_if(insight)
    silent(after, "BATCH")
    assert jobs_j(after) < jobs_j(folder)


def spread(place):
    """One free GPU on each of two nodes, or two on one."""
    model = {**FAST, "alpha_s": 0.01, "beta_s": 0, "alpha_inter_s": 0.03}
    def case(second):
        jobs = [rigid("a", 0, 3, 5000), rigid("b", 0, second, 5000), elastic("e", 10, 300000)]
        return run(place, (jobs, ", k: [1, 2]"), {"fast": model}, nodes=[("fast", 4), ("fast", 4)])
    folder = case(3)
    insight = the(folder, "SPREAD")
    said = figures(insight)
    samples = sum(w for h, k, b, w, _ in pieces(folder) if b == 8)
    near(samples, 300000)
    lost = samples * (unit_j(model, 2, 8, across=True) - unit_j(model, 2, 8))
    near(said["energy_lost"], lost / J_PER_KWH)
    near(said["slowdown"], goodput(model, 2, 8) / goodput(model, 2, 8, across=True))
    near(said["communication_share"], 0.03 / (0.079 + 0.03))
    near(said["nodes"], 2)
    near(said["least_nodes"], 1)
    near(insight["share"], lost / energy_j(folder))
    silent(case(2), "SPREAD")
    silent(what_if(insight), "SPREAD")
    waste = {row["class"]: float(row["energy_kwh"]) for row in rows_of(folder / "waste.csv") if row.get("class") == "spread"}
    if waste:
        near(waste["spread"], lost / J_PER_KWH)


def comm(place):
    """s of 8 GPUs is a quarter of the iteration at 79 / 3 ms."""
    def case(s):
        return run(place, PERIODIC, {"fast": {**FAST, "alpha_s": s, "beta_s": 0}})
    folder = case(0.0264)
    insight = the(folder, "COMM")
    share = 0.0264 / (0.079 + 0.0264)
    held = sum(k * s for _, k, _, _, s in pieces(folder))
    near(figures(insight)["communication_share"], share)
    near(figures(insight)["communication_share_k8"], share)
    near(figures(insight)["synchronisation"], share * held / 3600)
    near(insight["share"], share * held / gpu_s(folder, 8))
    silent(case(0.0263), "COMM")
    silent(what_if(insight), "COMM")


def imbalance(place):
    """Two nodes, one held all the time and one x of it: the coefficient of variation is (1 - x) / (1 + x), 0.3 at 0.538."""
    def case(x):
        jobs = [rigid("a", 0, 4, 1000), rigid("b", 0, 4, 1000 * x)]
        return run(place, (jobs, ""), nodes=[("slow", 4), ("slow", 4)])
    insight = the(case(0.53), "IMBALANCE")
    near(figures(insight)["node_busy_cv"], 0.47 / 1.53)
    near(figures(insight)["busy_slow"], 1.53 / 2)
    near(figures(insight)["below_mean"], (1.53 / 2 - 0.53) * 4000 / 3600)
    assert "--policy" in insight["what_if"]["command"]  # other policies may choose other GPUs
    silent(case(0.54), "IMBALANCE")
    # One type full, one below a half, whatever the variation.
    jobs = [rigid("a", 0, 4, 1000, **{"user": "u"}), rigid("b", 0, 4, 490)]
    folder = run(place, (jobs, ""), {"slow": SLOW, "fast": FAST}, nodes=[("slow", 4), ("fast", 4)])
    insight = the(folder, "IMBALANCE", "--rule", "IMBALANCE.most_cv=9")
    assert sorted([figures(insight)["busy_slow"], figures(insight)["busy_fast"]])[1] == 1
    silent(folder, "IMBALANCE", "--rule", "IMBALANCE.most_cv=9", "--rule", "IMBALANCE.half=0.49")


def mem_strand(place):
    """8 samples take 2 + 4 of 80 GiB; 12 + 4.1 are more than a fifth. Not on the smallest type; not if it is not known."""
    def case(memory):
        return run(place, PERIODIC, {"slow": SLOW, "fast": FAST}, memory=memory)
    folder = case("mem0_gib: 2\nmem1_gib: 0.5")
    insight = the(folder, "MEM-STRAND")
    held = sum(k * s for h, k, _, _, s in pieces(folder) if h == "fast")
    near(figures(insight)["memory_used"], 6)
    near(figures(insight)["memory_stranded"], 74)
    near(figures(insight)["gpu_hours"], held / 3600)
    near(insight["share"], held / gpu_s(folder, 16))
    no_run(insight)
    silent(case("mem0_gib: 12.1\nmem1_gib: 0.5"), "MEM-STRAND")
    silent(case(""), "MEM-STRAND")


# ---- load, carbon, trust --------------------------------------------------------------------------------------------

def short(place):
    """10 s of set-up, and computing for just less than thrice that, or for as much."""
    def case(duration):
        jobs = [rigid(f"j{i}", 100 * i, 2, duration) for i in range(4)] + [rigid("long", 0, 2, 1000)]
        return run(place, (jobs, ", rigid_costs: {start_s: 10}"))
    folder = case(29.9)
    insight = the(folder, "SHORT")
    rows = [row for row in rows_of(folder / "segments.csv") if row["kind"] == "setup" and row["job_id"] != "long"]
    setup_j = sum(float(row["energy_j"]) for row in rows)
    near(figures(insight)["jobs"], 4)
    near(figures(insight)["set_up_energy"], setup_j / J_PER_KWH)
    near(figures(insight)["overhead"], 10 / 39.9)
    near(insight["share"], setup_j / energy_j(folder))
    jobs = {row["job_id"]: row for row in rows_of(folder / "jobs.csv")}
    for evidence in insight["evidence"]:
        near(evidence["from_s"], float(jobs[evidence["name"]]["submit_s"]))
        near(evidence["to_s"], float(jobs[evidence["name"]]["finish_s"]))
    no_run(insight)
    silent(case(30), "SHORT")


def queue(place):
    """Two GPUs for twice as long as one job's period: 1 more waits every 20 s. With periods as long as jobs nobody does."""
    def case(duration):
        jobs = [rigid(f"j{i}", 10 * i, 2, duration) for i in range(200)]
        return run(place, (jobs, ""), nodes=[("slow", 2)], horizon="2000s")
    folder = case(20)
    insight = the(folder, "QUEUE")
    said = figures(insight)
    waits = [(float(row["submit_s"]), float(row["start_s"] or "inf")) for row in rows_of(folder / "jobs.csv")]
    def waiting(t):
        return sum(1 for submit, start in waits if submit < t <= start)
    counts = [waiting(100 * i) for i in range(21)]
    growth = [(b - a) * 36 for a, b in zip(counts, counts[1:])]
    near(said["slope"], statistics.mean(growth))
    near(said["standard_error"], statistics.stdev(growth) / math.sqrt(20), 1e-6)
    summary = rows_of(folder / "summary.csv")[0]
    near(said["rho"], float(summary["work_submitted_gpu_h"]) / float(summary["work_done_gpu_h"]))
    silent(case(10), "QUEUE")
    after = what_if(insight)
    left = figures(the(after, "QUEUE", "--rule", "QUEUE.standard_errors=0"))["slope"] if queue_grows(after) else 0
    assert left < said["slope"], (left, said)


def queue_grows(folder):
    return bool(insights(folder, "QUEUE", "--rule", "QUEUE.standard_errors=0"))


def carbon(place):
    """500 g/kWh in the last fifth of 1000 s, 100 before: what a job without a deadline takes there, and a job with one."""
    series = "time_s,carbon_g_per_kwh\n0,100\n800,500\n"
    def case(deadline):
        jobs = [rigid("a", 0, 4, 1000, **({"deadline_s": 2000} if deadline else {}))]
        return run(place, (jobs, ""), files=[("carbon.csv", series)], more="carbon_g_per_kwh: {file: carbon.csv}\n")
    folder = case(False)
    insight = the(folder, "CARBON")
    taken = sum(float(row["energy_j"]) for row in rows_of(folder / "segments.csv")) * 200 / 1000 / J_PER_KWH
    near(figures(insight)["energy_at_high_intensity"], taken)
    near(figures(insight)["co2"], taken * 0.5)
    near(figures(insight)["co2_shifted"], taken * 0.1)
    near(insight["share"], taken * 0.4 / float(rows_of(folder / "summary.csv")[0]["co2_kg"]))
    assert insight["share_of"] == "CO2" and "--policy" in insight["what_if"]["command"]
    silent(case(True), "CARBON")
    flat = run(place, ([rigid("a", 0, 4, 1000)], ""), more="carbon_g_per_kwh: 500\n")
    silent(flat, "CARBON")


def warmup(place):
    """All GPUs for 1000 s, then one of them for 251 or 249 s: just more and less than a fifth of the time."""
    def case(tail):
        return run(place, ([rigid("a", 0, 8, 1000), rigid("b", 0, 1, tail)], ""))
    insight = the(case(251), "WARMUP")
    near(figures(insight)["share_outside"], 251 / 1251)
    near(figures(insight)["full_until"], 1000)
    near(figures(insight)["missing"], 7 * 251 / 3600)
    near(insight["share"], 7 * 251 / (8 * 1251))
    silent(case(249), "WARMUP")
    no_run(insight)
    assert "a warm-up of 0 s and a horizon of 1000 s" in insight["recommendation"], insight


def extrapolated(place):
    """8 GPUs where up to 4, or 8, were measured."""
    def case(most):
        text = "gamma: 1, " + ", ".join(f"{k}: {v}" for k, v in FAST.items() if k != "alpha_inter_s") + f", range_k: [1, {most}], range_batch: [1, 8]"
        return run(place, PERIODIC, {"fast": text})
    folder = case(4)
    insight = the(folder, "MODEL-EXTRAPOLATED")
    held = sum(k * s for _, k, _, _, s in pieces(folder))
    near(figures(insight)["jobs"], 5)
    near(figures(insight)["gpu_hours"], held / 3600)
    near(insight["share"], held / gpu_s(folder, 8))
    near(figures(insight)["gpu_hours_by_choice"], held / 3600)
    no_run(insight)
    silent(case(8), "MODEL-EXTRAPOLATED")
    insight = the(run(place, PERIODIC), "MODEL-EXTRAPOLATED")  # no range is stated: nothing else to choose
    assert insight["severity"] == "info" and figures(insight)["gpu_hours_by_choice"] == 0


def seed_noise(place):
    """Of a comparison: what compare.csv says, for just more and just less than |difference| / interval."""
    out = place / "compared"
    easim("compare", SOURCE / "configs" / "eas-sim.yaml", "--policies", "pollux,themis", "--set", "horizon=2h", "-n", "3",
          "--record", "--quiet", "--out", out)
    rows = {row["metric"]: row for row in rows_of(out / "compare.csv") if row["policy"] == "themis" and row["diff_ci95"]}
    for metric in ("energy_kwh", "energy_per_work_kwh", "jct_restricted_mean_s"):
        ratio = abs(float(rows[metric]["diff_mean"])) / float(rows[metric]["diff_ci95"])
        for factor, speaks in ((1 + 1e-9, True), (1 - 1e-9, False)):
            for policy in ("themis", "pollux"):
                found = [figures(i) for i in insights(out, "SEED-NOISE", "--policy", policy, "--rule",
                                                      f"SEED-NOISE.intervals={ratio * factor}")]
                found = [said for said in found if said["metric"] == metric]
                assert bool(found) == speaks, (metric, policy, found)
                if found:
                    near(found[0]["difference"], float(rows[metric]["diff_mean"]))
                    near(found[0]["half_interval"], float(rows[metric]["diff_ci95"]))
                    near(found[0]["replications_needed"], math.ceil(3 / ratio**2), 1e-6)


def clean(place):
    """Jobs of three models and three users hold all GPUs of the one type from 0 to the end, each in its cheapest
    configuration; nobody waits. Nothing is above info, under any policy."""
    models = [{**FAST, "c_s": 0.008 * i} for i in (1, 2, 3)]
    text = "models:\n" + "".join(model_file({"fast": model}).replace("models:\n", "").replace("name: m", f"name: m{i}")
                                 for i, model in enumerate(models))
    jobs = [elastic(f"j{i}", 0, round(1000 * goodput(models[i % 3], 1, 8), 6), model=f"m{i % 3}", user=f"u{i % 3}") for i in range(6)]
    for policy in ("fcfs", "zeus", "pollux", "hades"):
        folder = run(place, (jobs, ", k: [1]"), {"fast": FAST}, nodes=[("fast", 4), ("fast", 2)], policy=policy, files=[("m.yaml", text)])
        easim("analyze", folder, "--quiet")
        for insight in json_of(folder / "insights.json")["insights"]:
            assert insight["severity"] == "info", (policy, insight["id"], insight["finding"])


cases(wasted_fast, slow_cheap, overscale, underscale, batch, spread, comm, imbalance, mem_strand, short, queue, carbon, warmup,
      extrapolated, seed_noise, clean, shared=True)
