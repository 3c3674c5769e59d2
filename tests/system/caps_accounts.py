"""Accounts of a recorded run under an enforced cap, from waste.csv, blame.csv, attribution.csv and what `easim explain` says,
against the naive simulation of caps_again.py."""
import json
from math import fsum

from caps_again import NW, S
from harness import easim, near, rows_of, write_table

HELD = ("useful", "slowed", "throttled", "set-up", "reconfigured", "failed")


def with_accounts(path, r):
    """Gives a scenario a warm-up, and a price and a carbon intensity that change while jobs run."""
    scenario = json.loads(path.read_text(encoding="utf-8"))
    end = 60 + float(max(row["submit_s"] for row in rows_of(path.parent / "jobs.csv")))
    warmup = r.choice([0, 0, round(r.uniform(0, end), 3)])
    scenario["workload"]["warmup"] = f"{warmup}s"
    for key, column in (("price_per_mwh", "price_per_mwh"), ("carbon_g_per_kwh", "carbon_g_per_kwh")):
        times = [0] + sorted(r.sample(range(1, 10**6), 12)) + [10**9]
        write_table(path.parent / f"{key}.csv", f"time_s,{column}", [[time / 1000, r.randrange(10, 500)] for time in times])
        scenario[key] = {"file": f"{key}.csv"}
    path.write_text(json.dumps(scenario, indent=1), encoding="utf-8")
    return warmup


def classes_of(out):
    """{class: (J, GPU s)}; they add up to all of the run."""
    easim("analyze", out, "--verify", "none", "--quiet")
    waste = {row["class"]: (float(row["energy_j"]), 3600 * float(row["gpu_h"])) for row in rows_of(out / "waste.csv")}
    [summary] = rows_of(out / "summary.csv")
    near(fsum(j for j, _ in waste.values()), 3.6e6 * float(summary["energy_kwh"]), 1e-9)
    return waste, summary


def check(draw, naive, out, warmup):
    """All classes, all parts of each job's time, and all CO2 and cost."""
    waste, summary = classes_of(out)
    s, lost = draw.scenario, any(job.lost for job in naive.jobs)
    if not warmup:
        gpus = sum(node.gpus for node in s.nodes)
        near(fsum(gpu_s for _, gpu_s in waste.values()), gpus * float(summary["sim_s"]), 1e-9)
        near(fsum(waste[name][0] for name in HELD), sum(job.energy for job in naive.jobs) / (NW * S), 1e-6, 1e-6)
        own = sum(job.spec.gpus * job.limit_lost for job in naive.jobs)
        assert waste["throttled"][1] <= own * (1 + 1e-6) + 1e-6, (waste["throttled"], own)
        if not lost:  # else some was for nothing, and counts as that
            near(waste["throttled"][1], own, 1e-6, 1e-6)
        # Useful is what the jobs need at their wish, which is no limit: work / speed at the power without a limit.
        done = [job for job in naive.jobs if job.state == "finished"]
        if all(len(job.spec.types) == 1 for job in done):
            needs = [(job.spec.gpus * job.spec.work / s.types[job.type].speed, s.types[job.type].power(job.spec.use)) for job in done]
            near(waste["useful"][1], fsum(gpu_s for gpu_s, _ in needs), 1e-6, 1e-6)
            near(waste["useful"][0], fsum(gpu_s * watts for gpu_s, watts in needs), 1e-6, 1e-6)
            if not s.slow:
                near(waste["slowed"][0], 0, 0, 1e-6 * (1 + waste["useful"][0]))
    speeds = {gpu.name: gpu.speed for gpu in s.types}
    for row in rows_of(out / "segments.csv"):  # kept or lost: what is left of its time, at the speed of its wish, is its work
        if row["kind"] in ("run", "lost") and not s.slow:
            left_s = float(row["end_s"]) - float(row["start_s"]) - float(row["limit_lost_s"])
            near(row["work"], left_s * speeds[row["gpu_type"]], 1e-6, 1e-6)
    easim("attribute", out, "--quiet")
    [everything] = [row for row in rows_of(out / "attribution.csv") if row["level"] == "0"]
    near(everything["energy_kwh"], float(summary["energy_kwh"]), 1e-9)
    near(everything["co2_kg"], float(summary["co2_kg"]), 1e-9)
    near(everything["cost"], float(summary["cost"]), 1e-9)
    parts = [name for name in rows_of(out / "blame.csv")[0] if name.endswith("_s") and name not in ("submit_s", "time_s", "late_s", "capped_s")]
    for row, job in zip(rows_of(out / "blame.csv"), naive.in_order, strict=True):
        near(fsum(float(row[part]) for part in parts), float(row["time_s"]), 1e-12, 1e-9)
        assert row["capped_s"] == "", row  # unknown
        if not job.lost:
            near(row["throttled_s"], job.limit_lost, 1e-6, 1e-6)
    return waste["throttled"][1] > 0
