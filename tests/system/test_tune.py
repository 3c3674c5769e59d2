"""What `easim tune` finds: test_tune.py EASIM SOURCE. Figures are computed again with `easim run`."""
import json
import math
from pathlib import Path
from statistics import mean, stdev

from harness import SOURCE, cases, easim, json_of, rows_of, same_files
from student import agrees, cell, estimate, t_point, t_tail

SEED = str(SOURCE / "configs" / "eas-sim.yaml")
DRAINED = ["--set", "horizon=drain", "--set", "workload.until=10h"]


def tune(out, *options):
    easim("tune", SEED, "--policy", "zeus", "--out", out, "--quiet", *options)
    trials = rows_of(out / "trials.csv")
    return trials, next(t for t in trials if t["best"] == "1")


def run(out, seed, slack, *options):
    easim("run", SEED, "--policy", "zeus", "--seed", seed, "--set", f"policy.params.edp_slack={slack}", "--quiet",
          "--summary-only", "--out", out, *options)
    return rows_of(out / "summary.csv")


def runs_are_enough(out, objective, params, bounds=()):
    """Every figure of trials.csv and check.csv from the rows of runs.csv alone."""
    manifest = json_of(out / "manifest.json")
    seeds = {str(manifest["training_seed"]): {}, str(manifest["seed"]): {}}
    for row in rows_of(out / "runs.csv"):
        own = seeds[row["seed"]].setdefault(row["trial"], [])
        own.append(row)
        assert int(row["replication"]) == len(own)
    trials = rows_of(out / "trials.csv")
    training, judged = seeds.values()
    best = next(t["trial"] for t in trials if t["best"] == "1")
    assert list(training) == [t["trial"] for t in trials] and list(judged) == list(dict.fromkeys(["0", best]))
    assert {len(run) for run in training.values()} == {manifest["training_replications"]}
    assert {len(run) for run in judged.values()} == {manifest["replications"]}
    for trial in trials:
        run = training[trial["trial"]]
        assert all(row[p] == trial[p] for row in run for p in params)
        count, middle, half = estimate([cell(row[objective]) for row in run])
        assert int(trial["n"]) == count
        assert agrees(trial[objective], middle, abs(middle), 1e-12) and agrees(trial["ci95"], half, abs(middle), 1e-7)
        for metric in bounds:
            value = mean(float(row[metric]) for row in run)
            assert agrees(trial[metric], value, abs(value), 1e-12), (trial, value)
    check = {(r["metric"], r["policy"]): r for r in rows_of(out / "check.csv")}
    for metric in {metric for metric, _ in check}:
        before, tuned = ([cell(row[metric]) for row in judged[t]] for t in ("0", best))
        size = max((abs(v) for v in before + tuned if not math.isnan(v)), default=1)
        for name, values in (("before", before), ("tuned", tuned)):
            row, (count, middle, half) = check[metric, name], estimate(values)
            assert int(row["n"]) == count
            assert agrees(row["mean"], middle, size, 1e-12) and agrees(row["ci95"], half, size, 1e-7), row
        differences = [b - a for a, b in zip(before, tuned)]
        count, middle, half = estimate(differences)
        assert int(row["pairs"]) == count, row
        assert agrees(row["diff_mean"], middle, size, 1e-9) and agrees(row["diff_ci95"], half, size, 1e-7), row
        if row["p_value"] not in ("", "1.0"):
            t = abs(middle) / (stdev(differences) / math.sqrt(count))
            assert abs(float(row["p_value"]) - 2 * t_tail(t, count - 1)) < 1e-7, row
        if row["ratio_geo"]:
            logs = [math.log(b / a) for a, b in zip(before, tuned)]
            assert agrees(row["ratio_geo"], math.exp(mean(logs)), 1, 1e-9), row
            half = t_point(count - 1) * stdev(logs) / math.sqrt(count)
            assert agrees(row["ratio_geo_low"], math.exp(mean(logs) - half), 1, 1e-7), row
            assert agrees(row["ratio_geo_high"], math.exp(mean(logs) + half), 1, 1e-7), row
    for name, trial in (("before", trials[0]), ("tuned", next(t for t in trials if t["trial"] == best))):
        settings = manifest["policies"][name]["params"]
        assert all(str(settings[p]) == trial[p] or float(settings[p]) == float(trial[p]) for p in params), settings


def json_says_what_the_files_say(folder):
    """The object of --format json beside trials.csv and check.csv of the same search, a failed bound and all."""
    options = ["tune", SEED, "--policy", "zeus", "--params", "edp_slack=1.5..3", "--objective", "energy_per_work_kwh",
               "--constraint", "jobs_finished>=+1%", "-n", 3, "--training-replications", 3]
    document = json.loads(easim(*options, "--out", folder / "json", "--format", "json").stdout)
    printed = easim(*options, "--out", folder / "csv", "--format", "csv").stdout
    assert printed == (folder / "csv" / "trials.csv").read_text() == (folder / "json" / "trials.csv").read_text()
    trials, check = rows_of(folder / "csv" / "trials.csv"), rows_of(folder / "csv" / "check.csv")
    assert document["trials"][document["best"]]["params"]["edp_slack"] == cell(trials[document["best"]]["edp_slack"])
    assert trials[document["best"]]["best"] == "1" and len(document["trials"]) == len(trials)
    for trial, row in zip(document["trials"], trials):
        assert str(trial["params"]["edp_slack"]) == row["edp_slack"] or trial["params"]["edp_slack"] == cell(row["edp_slack"])
        assert [trial["objective"][k] for k in ("n", "mean", "ci95")] == [
            int(row["n"]), cell(row["energy_per_work_kwh"]), cell(row["ci95"])]
        assert trial["constrained"] == {"jobs_finished": cell(row["jobs_finished"])}
        assert trial["within_bounds"] == (row["within_bounds"] == "1") and trial["failure"] is None
        assert trial["warning"] == row["warning"], (trial, row)
    assert any("," in row["warning"] for row in trials), trials  # quoted in a CSV, not in JSON
    for row in check:
        figures = document["metrics"][row["metric"]][row["policy"]]
        assert all((figures[k] is None and row[k] == "") or figures[k] == cell(row[k]) for k in figures), (row, figures)
    assert document["constraints"] == ["jobs_finished>=+1%"] and document["seed"] == 1 and document["training_seed"] == 2


def finds_edp_slack(folder):
    """docs/studies/notes.csv: 2 was found by hand on seed 2026. Nothing but the range of the policy's own table is given here."""
    out = folder / "slack"
    bound = ["--constraint", "throughput_jobs_per_h>=-1%"]
    trials, best = tune(out, *DRAINED, "--params", "edp_slack", "--objective", "energy_per_work_kwh", *bound,
                        "--training-seed", 2026, "--training-replications", 20, "-n", 12)
    slack = float(best["edp_slack"])
    assert 1.75 <= slack <= 2.2, slack
    assert trials[0]["edp_slack"] == "off" and len({t["edp_slack"] for t in trials}) == len(trials)
    within = [t for t in trials if t["within_bounds"] == "1"]
    assert min(within, key=lambda t: float(t["energy_per_work_kwh"])) == best
    for trial in trials:
        change = float(trial["throughput_jobs_per_h"]) / float(trials[0]["throughput_jobs_per_h"]) - 1
        assert trial["within_bounds"] == str(int(change >= -0.01)), trial
    assert {t["within_bounds"] for t in trials} == {"0", "1"}  # a bound that binds nothing would show nothing
    runs_are_enough(out, "energy_per_work_kwh", ["edp_slack"], ["throughput_jobs_per_h"])
    training = run(folder / "training", 2026, slack, "-n", 20, *DRAINED)
    assert abs(mean(float(r["energy_per_work_kwh"]) for r in training) - float(best["energy_per_work_kwh"])) < 1e-12
    before, tuned = (run(folder / name, 1, value, "-n", 12, *DRAINED)
                     for name, value in (("before", "off"), ("tuned", slack)))
    check = {(r["metric"], r["policy"]): r for r in rows_of(out / "check.csv")}
    for metric in ("energy_per_work_kwh", "throughput_jobs_per_h"):
        differences = [float(b[metric]) - float(a[metric]) for a, b in zip(before, tuned)]
        row = check[metric, "tuned"]
        assert abs(float(row["diff_mean"]) - mean(differences)) < 1e-12 and float(row["diff_ci95"]) > 0
    assert float(check["energy_per_work_kwh", "tuned"]["diff_mean"]) < 0
    assert (out / "tuned.yaml").read_text().splitlines()[1:] == ["params_by_policy:", f"  zeus: {{edp_slack: {best['edp_slack']}}}"]
    scenario = folder / "with.yaml"
    text = (SOURCE / "configs" / "eas-sim.yaml").read_text().replace("models/", f"{SOURCE}/configs/models/")
    scenario.write_text(text + (out / "tuned.yaml").read_text())
    easim("run", scenario, "--policy", "zeus", "-n", 12, *DRAINED, "--quiet", "--summary-only", "--out", folder / "with")
    again = rows_of(folder / "with" / "summary.csv")
    assert [r["energy_kwh"] for r in again] == [r["energy_kwh"] for r in tuned]  # the snippet does what was checked


def two_parameters_and_threads(folder):
    """A narrow range each, more of the metric is better, the same bytes on any number of threads."""
    options = ["--params", "edp_slack=1.5..8,power_basis,tau=10min..2h", "--objective", "throughput_jobs_per_h", "-n", 4]
    for threads in (1, 2, 7):
        trials, best = tune(folder / str(threads), *options, "-t", threads)
        same_files(folder / "1", folder / str(threads), "trials.csv", "tuned.yaml", "check.csv", "runs.csv", "manifest.json")
    assert float(best["throughput_jobs_per_h"]) == max(float(t["throughput_jobs_per_h"]) for t in trials)
    assert all(t["edp_slack"] == "off" or 1.5 <= float(t["edp_slack"]) <= 8 for t in trials)
    assert all(600 <= float(t["tau"]) <= 7200 for t in trials)
    assert {t["power_basis"] for t in trials} == {"gross", "marginal"}
    runs_are_enough(folder / "1", "throughput_jobs_per_h", ["edp_slack", "power_basis", "tau"])
    few, _ = tune(folder / "few", *options, "--max-trials", 5)
    assert few == [dict(row, best=few[i]["best"]) for i, row in enumerate(trials[:5])]


def bounds_on_nothing(folder):
    """A bound on a metric that is 0 to begin with: what keeps it at 0 is within, what does not is not."""
    trials, best = tune(folder / "kept", "--params", "edp_slack=1..8", "--objective", "energy_kwh", "--constraint",
                        "preemptions<=0%", "-n", 2, "--max-trials", 5, "--set", "horizon=3h")
    assert {(t["preemptions"], t["within_bounds"]) for t in trials} == {("0.0", "1")} and best["trial"] != "0", trials
    easim("tune", SEED, "--policy", "aurachronos", "--set", "params_by_policy={aurachronos: {preempt_slack_s: 0}}",
          "--params", "preempt_slack_s=600..3600", "--objective", "deadline_miss_rate", "--constraint",
          "preemptions<=50%", "-n", 2, "--max-trials", 5, "--out", folder / "broken", "--quiet")
    trials = rows_of(folder / "broken" / "trials.csv")
    assert all((t["preemptions"] == "0.0") == (t["within_bounds"] == "1") for t in trials), trials
    assert trials[0]["best"] == "1" and {t["within_bounds"] for t in trials} == {"0", "1"}, trials


def nothing_to_choose_by(folder):
    """In ten minutes some replication finishes no job: there is no energy per job, and the table says so."""
    text = easim("tune", SEED, "--policy", "zeus", "--params", "edp_slack=1..8", "--objective", "energy_per_job_kwh",
                 "--metrics", "preemptions,cap_violation_s", "-n", 3, "--max-trials", 5, "--set", "horizon=600s", "--out",
                 folder / "none").stdout
    assert "there is nothing to choose by" in text and "nan" not in text, text


def values_of_the_scenario(folder):
    """Overrides of models, by their paths: what tune says of a trial is what `easim run --set` says; a value that the
    scenario cannot have is a trial that failed; the scenario beside the results is the one that was asked for."""
    out, power = folder / "paths", "model_overrides[0].set.p0_w.times"
    scaling = "model_overrides[1].set.scaling_efficiency"
    overrides = ["--set", "model_overrides=[{set: {p0_w: {times: 1}}}, {set: {scaling_efficiency: 0.9}}]"]
    trials, best = tune(out, *overrides, "--params", f"{scaling}=0.5..2,{power}=0.5..2,edp_slack=1..8",
                        "--objective", "energy_per_work_kwh", "-n", 2, "--max-trials", 60)
    assert [trials[0][name] for name in ("edp_slack", power, scaling)] == ["off", "1", "0.9"]
    failed = [t for t in trials if t["failure"]]
    assert failed and all(float(t[scaling]) > 1 and "scaling_efficiency" in t["failure"] for t in failed), failed
    assert float(best[power]) == 0.5  # less power at rest is less energy
    runs = rows_of(out / "runs.csv")
    for trial in (trials[0], best, next(t for t in trials if not t["failure"] and t[scaling] != "0.9")):
        values = [word for name in (power, scaling) for word in ("--set", f"{name}={trial[name]}")]
        alone = run(folder / f"path-{trial['trial']}", 2, trial["edp_slack"], "-n", 2, *overrides, *values)
        own = [r["energy_kwh"] for r in runs if r["trial"] == trial["trial"] and r["seed"] == "2"]
        assert own == [r["energy_kwh"] for r in alone], trial
    lines = (out / "tuned.yaml").read_text().splitlines()
    assert lines[1:] == ["params_by_policy:", f"  zeus: {{edp_slack: {best['edp_slack']}}}", f"# in the scenario: {scaling}={best[scaling]}",
                         f"# in the scenario: {power}={best[power]}"]
    assert easim("tune", out / "manifest.json").stdout.strip().endswith("equal")
    assert json_of(out / "manifest.json")["trials_failed"] == len(failed)


def scenario_that_is_gone(folder):
    """The policy's program removes the scenario in the first trial: the tuning ends and names it."""
    scenario = folder / "gone.yaml"
    scenario.write_text(Path(SEED).read_text().replace("models: ", f"models: {SOURCE}/configs/"))
    program = f"sh -c 'rm -f {scenario}; exec python3 {SOURCE}/policies/exec/fcfs.py'"
    done = easim("tune", scenario, "--policy", "exec", "--set", f"policy.params.command={program}", "--quiet", "--set",
                 "model_overrides=[{set: {p0_w: {times: 1}}}]", "--out", folder / "gone", "-n", 1, "--max-trials", 3, "--params",
                 "model_overrides[0].set.p0_w.times=0.5..2,timeout=5..20", "--objective", "jct_mean_s", code=1)
    assert done.stderr == f"easim: {scenario}: changed while it was in use: the results would be of two contents\n", done.stderr
    assert not (folder / "gone").exists()


def power_limits_of_every_trial(folder):
    """One GPU type with levels: what tune says of a trial is what `easim run` says of its parameters, whichever way the
    levels come in, as a parameter that is tuned or as one of the scenario's own."""
    scenario = folder / "limits.yaml"
    scenario.write_text(f"""name: limits
horizon: drain
replications: 2
cluster:
  gpu_types: [{{name: a40, idle_w: 30, ctx_w: 60, tdp_w: 300, memory_gib: 48}}]
  nodes: [{{gpu: a40, gpus: 4}}]
models: {SOURCE}/configs/models/zeus-a40.yaml
workload: {{kind: poisson, rate_per_s: 0.001, k: [1], sizes: {{law: lognormal, mean: 1h, cv: 1}}, until: 10h}}
policy: {{name: zeus, params: {{power_limits: false}}}}
""")
    for name, params, sets in (("tuned", "power_limits", []), ("own", "edp_slack=1..8", ["policy.params.power_limits=true"]),
                               ("both", "power_limits,edp_slack=1..8", [])):
        out, sets = folder / name, [word for text in sets for word in ("--set", text)]
        easim("tune", scenario, "--params", params, "--objective", "energy_kwh", "--max-trials", 6, "--out", out, "--quiet", *sets)
        runs, names = rows_of(out / "runs.csv"), [item.partition("=")[0] for item in params.split(",")]
        for trial in rows_of(out / "trials.csv"):
            for seed in sorted({r["seed"] for r in runs if r["trial"] == trial["trial"]}):
                again = folder / "again" / name / trial["trial"] / seed
                values = [word for p in names for word in ("--set", f"policy.params.{p}={trial[p]}")]
                easim("run", scenario, "--seed", seed, *sets, *values, "--quiet", "--summary-only", "--out", again)
                ours = [r for r in runs if (r["trial"], r["seed"]) == (trial["trial"], seed)]
                for row, single in zip(ours, rows_of(again / "summary.csv"), strict=True):
                    assert all(row[c] == single[c] for c in single if c != "policy"), (trial, row, single)
        limited = {r["limited_gpu_h"] != "0.0" for r in runs}
        assert limited == ({True} if name == "own" else {False, True}), (name, limited)


cases(power_limits_of_every_trial, finds_edp_slack, json_says_what_the_files_say, two_parameters_and_threads, bounds_on_nothing,
      nothing_to_choose_by, values_of_the_scenario, scenario_that_is_gone)
