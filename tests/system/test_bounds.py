"""easim bound against what policies reach: test_bounds.py EASIM SOURCE [--count N] [--seed N]

Scenario number n is that of seed n (random_scenario.py), run with its own policy, and every third with all policies:
energy and completion time of no replication may be below the bound, under preemption, resizing, power limits, shares,
sleep, caps, noise, failures and horizons. 1,000 of them: --count 1000; the suite runs 60. Where there is no bound, the
reason is given (REFUSED).
"""
from harness import cases, easim, form, option, rows_of, seeds, write_files
from random_scenario import Scenario

METRICS = ("energy_kwh", "jct_mean_s", "jct_restricted_mean_s")
UNTIL = "energy_kwh until a horizon"  # of the work that the policy did


def compare(scenario, folder):
    """The least value / bound of each metric; {} if all are refused."""
    scenario.write(folder)
    done = easim("run", "scenario.yaml", "--out", "run", "--summary-only", "--quiet", "--bound", cwd=folder, code=(0, 1))
    if done.returncode != 0:  # of 1,000 a few never end: a job fails more often than it checkpoints
        assert "without having kept any of its work" in done.stderr, done.stderr
        return {}
    own = {(row["metric"], row["replication"]): row for row in rows_of(folder / "run/bounds.csv")}
    easim("bound", "scenario.yaml", "--out", "bound", "--quiet", cwd=folder)
    runs = {row["replication"]: row for row in rows_of(folder / "run/summary.csv")}
    least = {}

    def check(name, row):
        value, bound = float(runs[row["replication"]][row["metric"]]), float(row["bound"])
        assert value >= bound, f"{name} of replication {row['replication']}: {value!r} is below {bound!r}"
        least[name] = min(least.get(name, float("inf")), value / bound if bound > 0 else float("inf"))

    for row in rows_of(folder / "bound/bounds.csv"):
        assert row["metric"] in METRICS and (row["bound"] == "") == (row["reason"] != ""), row
        mine = own[row["metric"], row["replication"]]
        if row["replication"] == "mean":
            continue
        if not row["bound"]:
            if mine["bound"] and not scenario.drain:
                assert row["reason"].startswith("a horizon:") and not mine["reason"], (row, mine)
                check(UNTIL, mine)
            continue
        run = runs[row["replication"]]
        # what any schedule may use is more than what this policy may; good weights and prices of time are only searched
        if row["metric"] == "energy_kwh":
            assert float(mine["bound"] or "inf") >= float(row["bound"]) * (1 - 1e-9), row
        left = float(run["jobs_rejected"]) + (float(run["jobs_unfinished"]) if scenario.drain else 0)
        if left > 0 or not run[row["metric"]]:
            continue
        check(row["metric"], row)
    return least


def compare_all(folder):
    """Every policy that takes the scenario and gets through it: how many values were held against a bound."""
    done = easim("compare", "scenario.yaml", "--policies", "all", "--bound", "--summary-only", "--quiet", "--out", "all",
                 cwd=folder, code=(0, 1))
    count = 0
    if not (folder / "all/bounds.csv").exists():  # nobody gets through it
        assert done.returncode == 1 and "without having kept any of its work" in done.stderr, done.stderr[-2000:]
        return count
    for row in rows_of(folder / "all/bounds.csv"):
        assert (row["gap"] == "") == (row["reason"] != "" or row["value"] == ""), row  # no value: no policy takes it
        assert not row["gap"] or float(row["value"]) >= float(row["bound"]) and float(row["gap"]) >= 0, row
        count += row["gap"] != "" and row["replication"] != "mean"
    return count


SMALL = """\
name: small
horizon: drain
models: models.yaml
cluster: {gpu_types: [{name: v, idle_w: 50, ctx_w: 80, tdp_w: 300, memory_gib: 32}], nodes: [{count: 1, gpu: v, gpus: 4}]}
workload: {kind: trace, file: jobs.csv, k: [1, 2]}
policy: {name: fcfs}
"""
MODELS = """\
models: [{name: m, m0: 64, phi: 500, batches: [16], gpus: {v: {a_s: 0.04, c_s: 0.002, gamma: 2, alpha_s: 0.01, p0_w: 90, pmax_w: 280,
  evidence: assumed, source: made up}}}]
"""
JOBS = """\
job_id,submit_s,user,model,work_samples,duration_s,requested_s,gpus,utilization,gpu_share
1,0,u,m,90000,,,,,
2,60,u,,,500,,1,0.5,
"""
NEITHER = "models with phases: their configurations change while they run"
# what is changed: of which metrics there is no bound, and why
REFUSED = {
    "nothing": ({}, {}),
    "a horizon": ({"horizon: drain": "horizon: 5min"},
                  {"energy_kwh": "a horizon: how much work is done depends on the policy"}),
    "a warm-up": ({"k: [1, 2]}": "k: [1, 2], warmup: 30}"}, {"energy_kwh": "a warm-up: energy is of all jobs, measured or not"}),
    "all is warm-up": ({"k: [1, 2]}": "k: [1, 2], warmup: 90}"},
                       {"energy_kwh": "a warm-up: energy is of all jobs, measured or not", "jct_mean_s": "no jobs are measured"}),
    "nodes that fail": ({"gpus: 4}": "gpus: 4, mtbf: 10h, mttr: 1h}"}, {"energy_kwh": "nodes fail: those that are down draw nothing"}),
    "outages of a file": ({"gpus: 4}]}": "gpus: 4}]}\nfailures: {file: outages.csv}"},
                          {"energy_kwh": "nodes fail: those that are down draw nothing"}),
    "shared GPUs": ({"0.5,\n": "0.5,0.4\n"}, {"energy_kwh": "shared GPUs: what they draw depends on who shares them"}),
    "use that changes": ({"k: [1, 2]}": "k: [1, 2], utilization_file: use.csv}"},
                         {"energy_kwh": "the utilization of jobs changes while they run"}),
    "a job below idle": ({"p0_w: 90": "p0_w: 40", "pmax_w: 280": "pmax_w: 45"},
                         {"energy_kwh": "a job draws less than an idle GPU: more GPU time would save energy"}),
    "phases": ({"batches: [16]": "batches: [16], phases: [{until: 0.5, phi: 50}, {until: 1}]"},
               {"energy_kwh": NEITHER, "jct_mean_s": NEITHER}),
    "jobs that nothing can run": ({"1,0,u,m,90000,,,,,\n2,60,u,,,500,,1,0.5,\n": "1,0,u,,,500,,9,,\n"},
                                  {"energy_kwh": "no jobs that can run", "jct_mean_s": "no jobs that can run"}),
}


def refuse(folder):
    """Each condition by itself: the reason stands where the bound would, on the terminal too."""
    for name, (changes, expected) in REFUSED.items():
        files = {"scenario.yaml": SMALL, "models.yaml": MODELS, "jobs.csv": JOBS,
                 "use.csv": "job_id,from_s,utilization\n2,0,0.1\n2,90,0.9\n", "outages.csv": "node,start_s,end_s\n0,100,200\n"}
        for old, new in changes.items():
            assert sum(text.count(old) for text in files.values()) == 1, (name, old)
            files = {file: text.replace(old, new) for file, text in files.items()}
        write_files(folder, files)
        said = easim("bound", "scenario.yaml", "--out", "refused", "--force", cwd=folder).stdout
        rows = [row for row in rows_of(folder / "refused/bounds.csv") if row["replication"] == "1"]
        assert {row["metric"]: row["reason"] for row in rows if row["reason"]} == expected, (name, rows)
        assert all((row["bound"] == "") == (row["reason"] != "") for row in rows) and len(rows) == 2, (name, rows)
        assert all(reason in said for reason in expected.values()), (name, said)
    print(f"{len(REFUSED) - 1} refusals, each with its reason")


BOUNDED, HELD = {}, []


def no_run_is_below(seed, folder):
    least = compare(Scenario(seed), folder)
    for metric, ratio in least.items():
        BOUNDED.setdefault(metric, []).append(ratio)
    if seed % 3 == 0:
        HELD.append(compare_all(folder))


COUNT = option("--count", form(60, 30))
cases(refuse, seeds(no_run_is_below, COUNT))
for metric in (*METRICS, UNTIL):
    ratios = sorted(BOUNDED.get(metric, []))
    assert ratios, f"{metric} was never bounded"
    print(f"{metric}: {len(ratios)} scenarios, least value / bound {ratios[0]:.6f}, median {ratios[len(ratios) // 2]:.4f}")
assert sum(HELD) >= COUNT // 2, HELD
print(f"all policies: {sum(HELD)} values, none below its bound")
