"""What `easim compare` writes, computed again from the runs' own files: test_compare.py EASIM SOURCE PLUGINS

Expected values come from the policies' summary.csv and power.csv with Python's own arithmetic (the t-distribution by
integrating its density), or from runs of `easim run`; none is stored.
"""
import json
import math
import re
import os
import re
from pathlib import Path
from statistics import mean, stdev

from harness import FILES, SOURCE, TINY, cases, easim, interrupt, json_of, near, rows_of, same_files, some_end, start
from student import t_point, t_tail

(PLUGINS,) = FILES
SEED = str(SOURCE / "configs" / "eas-sim.yaml")
TABLES = ("compare.csv", "pareto.csv", "stationarity.csv")


def compare(out, *options, config=SEED, code=0, **more):
    return easim("compare", config, "--out", out, *options, code=code, **more)


def values(folder, policy, metric):
    return [float(row[metric]) for row in rows_of(folder / policy / "summary.csv")]


def figures_are_right(folder):
    """Means, paired differences, tests, Holm and ratios of four metrics, from the summaries."""
    out, policies, n = folder / "figures", ["pollux", "zeus", "hades", "easy"], 12
    compare(out, "--policies", ",".join(policies), "-n", n, "--quiet")
    table = {(r["metric"], r["policy"]): r for r in rows_of(out / "compare.csv")}
    point = t_point(n - 1)
    for metric in ("energy_kwh", "throughput_jobs_per_h", "jct_mean_s", "jain_gpu_s"):
        base, raw = values(out, "pollux", metric), {}
        first = table[metric, "pollux"]
        assert first["baseline"] == "pollux" and not any(
            first[c] for c in ("diff_mean", "diff_ci95", "diff_rel", "p_value", "p_holm", "pairs", "ratio_geo"))
        for policy in policies[1:]:
            row, own = table[metric, policy], values(out, policy, metric)
            differences = [a - b for a, b in zip(own, base)]
            logs = [math.log(a / b) for a, b in zip(own, base)]
            assert int(row["n"]) == int(row["pairs"]) == n and row["baseline"] == "pollux"
            near(row["mean"], mean(own))
            near(row["ci95"], point * stdev(own) / math.sqrt(n), 1e-7)
            near(row["diff_mean"], mean(differences), 1e-8)
            near(row["diff_ci95"], point * stdev(differences) / math.sqrt(n), 1e-7)
            near(row["diff_rel"], mean(differences) / mean(base), 1e-8)
            t = abs(mean(differences)) / (stdev(differences) / math.sqrt(n))
            assert abs(float(row["p_value"]) - 2 * t_tail(t, n - 1)) < 1e-9
            near(row["ratio_geo"], math.exp(mean(logs)))
            half = point * stdev(logs) / math.sqrt(n)
            near(row["ratio_geo_low"], math.exp(mean(logs) - half), 1e-7)
            near(row["ratio_geo_high"], math.exp(mean(logs) + half), 1e-7)
            raw[policy] = float(row["p_value"])
        least = 0
        for rank, policy in enumerate(sorted(raw, key=raw.get)):
            least = max(least, min(1, (len(raw) - rank) * raw[policy]))
            near(table[metric, policy]["p_holm"], least)
    text = (out / "compare.csv").read_text()
    assert "nan" not in text and "inf" not in text
    assert text.splitlines()[0].startswith(
        "metric,policy,baseline,n,mean,ci95,diff_mean,diff_ci95,diff_rel,p_value,p_holm")


def front_is_right(folder):
    """Three metrics, one of which more is better of; every policy against every other."""
    out, metrics = folder / "front", ["energy_kwh", "jct_restricted_mean_s", "throughput_jobs_per_h"]
    done = compare(out, "--policies", "all", "--pareto", ",".join(metrics), "-n", 3, "--format", "json")
    # One note: it wants a program to speak to, and it decides nothing.
    assert re.match(r"easim compare: note: not compared: replay \(it repeats a recorded schedule\), exec \(.*\)\n", done.stderr), done.stderr
    # Equal rows, from the files: each pair that a note names, and no policy without a note but one of each group.
    figures = {p.parent.name: p.read_text().replace(p.parent.name, "") for p in out.glob("*/summary.csv")}
    pairs = dict(re.findall(r"note: (\S+) equals (\S+) in every figure", done.stderr))
    assert all(figures[a] == figures[b] for a, b in pairs.items()) and len(set(figures.values())) == len(figures) - len(pairs), pairs
    assert pairs["charon"] == pairs["deferral"] == "zeus" and "only charon uses a power cap, and this scenario has none" in done.stderr
    # There are no rigid jobs, but this is not why: easy knows times of malleable ones, too.
    assert pairs["easy"] == "fcfs" and "easy equals fcfs in every figure: both decided the same" in done.stderr
    assert "only deferral uses a series of carbon intensity, a series of prices, a forecast, and" in done.stderr
    table, sign = rows_of(out / "pareto.csv"), [1, 1, -1]
    means = {r["policy"]: [s * float(r[m]) for s, m in zip(sign, metrics)] for r in table}
    beats = lambda a, b: a != b and all(x <= y for x, y in zip(a, b))
    for row in table:
        beaten = any(beats(other, means[row["policy"]]) for other in means.values())
        assert row["front"] == str(int(not beaten)), row
        assert bool(row["dominated_by"]) == beaten
        assert not beaten or beats(means[row["dominated_by"]], means[row["policy"]])
    assert {r["front"] for r in table} == {"0", "1"}
    single = {p: list(zip(*([s * v for v in values(out, p, m)] for s, m in zip(sign, metrics)))) for p in means}
    for row in table:
        own = single[row["policy"]]
        alone = [i for i in range(3) if not any(beats(other[i], own[i]) for other in single.values())]
        near(row["front_share"], len(alone) / 3)


def cells(folder, policy, metric):
    return [float(r[metric]) if r[metric] else None for r in rows_of(folder / policy / "summary.csv")]


def metrics_that_are_missing_in_part(folder):
    """In 50 minutes some replications have no deadline that is due, or finish no job under one of the policies."""
    out, policies, n = folder / "short", ["zeus", "charon", "easy"], 12
    text = compare(out, "--policies", ",".join(policies), "-n", n, "--set", "horizon=50min", "--seed", 5, "--metrics",
                   "jct_mean_s,deadline_miss_rate,cap_violation_s,jobs_submitted", "--pareto", "jct_mean_s,energy_kwh").stdout
    table, partly, other_pairs = {(r["metric"], r["policy"]): r for r in rows_of(out / "compare.csv")}, 0, 0
    for metric in ("jct_mean_s", "deadline_miss_rate", "lateness_p50_s", "cap_violation_s"):
        base = cells(out, "zeus", metric)
        for policy in policies:
            row, own = table[metric, policy], cells(out, policy, metric)
            defined, pairs = [v for v in own if v is not None], [a - b for a, b in zip(own, base) if None not in (a, b)]
            assert int(row["n"]) == len(defined) and row["pairs"] == ("" if policy == "zeus" else str(len(pairs))), row
            assert (row["mean"] == "") == (not defined) and (row["diff_mean"] == "") == (not pairs or policy == "zeus"), row
            partly += 0 < len(defined) < n
            if len(defined) > 0:
                near(row["mean"], mean(defined))
            if len(pairs) > 0 and policy != "zeus":
                paired_base = mean(b for a, b in zip(own, base) if None not in (a, b))
                other_pairs += paired_base != mean(v for v in base if v is not None)
                assert abs(float(row["diff_mean"]) - mean(pairs)) < 1e-9 * max(map(abs, defined)), row
                assert abs(float(row["base_mean"]) - paired_base) <= 1e-12 * abs(paired_base), row
                assert row["diff_rel"] == "" if paired_base == 0 else abs(
                    float(row["diff_rel"]) - mean(pairs) / abs(paired_base)) < 1e-9, row
    assert partly >= 6 and other_pairs >= 1, (partly, other_pairs)  # pairs are fewer than replications of the baseline
    points = [{p: (cells(out, p, "jct_mean_s")[i], cells(out, p, "energy_kwh")[i]) for p in policies} for i in range(n)]
    for row in rows_of(out / "pareto.csv"):
        share = sum(None not in p[row["policy"]] and not any(
            None not in q and q != p[row["policy"]] and all(a <= b for a, b in zip(q, p[row["policy"]]))
            for q in p.values()) for p in points)
        near(row["front_share"], share / n)
    # charon without a cap is zeus: they share a place, and the next one is third
    blocks = {block.split("\n")[0]: block.split("\n")[1:] for block in text.split("\n\n")}
    lines = blocks["completion time, mean (s), less is better"][1:]
    assert [line.split()[:2] for line in lines] == [["1", "zeus"], ["1", "charon"], ["3", "easy"]], lines
    assert lines[0].endswith("baseline, in 11 of 12") and lines[2].endswith("in 11 of 12"), lines
    assert {line.split()[0] for line in blocks["jobs submitted"][1:]} == {"-"}, text  # neither less nor more is better
    assert not any(label.startswith("over the power cap") for label in blocks) and "nan" not in text, text


def what_cannot_be_known_is_said(folder):
    """No relative interval of a metric that is never defined; pairs that all differ alike; files of an earlier run."""
    out = folder / "out"
    text = compare(out, "--policies", "fcfs,zeus", "-n", 2, "--until-ci", "cap_violation_s=2%", "--max-replications", 4,
                   "--perturb", "noise").stdout
    assert "--until-ci: cap_violation_s has no relative interval for every policy after 4 replications" in text, text
    assert "inf" not in text and (out / "perturb.csv").exists()
    text = compare(out, "--policies", "fcfs,zeus", "-n", 2, "--force", config=TINY).stdout
    assert text.count("no test: all pairs differ alike") > 3 and not (out / "perturb.csv").exists(), text
    assert re.search(r"0 +0  until drained: it fills and empties\n", text), text


def stationarity_is_right(folder):
    """Slope of the queue by least squares over a grid of 1 s, shares from jobs.csv, of one replication each."""
    out = folder / "figures"
    table = {r["policy"]: r for r in rows_of(out / "stationarity.csv")}
    for policy in ("pollux", "easy"):
        slopes = []
        for number in range(1, 13):
            steps = [(float(r["time_s"]), int(r["waiting"])) for r in rows_of(out / policy / "power.csv")
                     if int(r["replication"]) == number] + [(36000.0, 0)]
            sum_w = sum_tw = 0.0
            for (start, waiting), (end, _) in zip(steps, steps[1:]):
                sum_w += waiting * (end - start)
                sum_tw += waiting * (end**2 - start**2) / 2
            slopes.append((sum_tw - 18000 * sum_w) / (36000**3 / 12) * 3600)
        near(table[policy]["queue_slope_per_h"], mean(slopes), 1e-7)
        near(table[policy]["queue_slope_ci95"], t_point(11) * stdev(slopes) / math.sqrt(12), 1e-7)
        summary = rows_of(out / policy / "summary.csv")
        shares = [float(r["jobs_unfinished"]) / float(r["jobs_submitted"]) for r in summary]
        near(table[policy]["jobs_unfinished_share"], mean(shares))
        shares = [float(r["work_unfinished_gpu_h"]) / float(r["work_submitted_gpu_h"]) for r in summary]
        near(table[policy]["work_unfinished_share"], mean(shares), 1e-9)
    text = compare(folder / "mmc", "--policies", "fcfs,easy", "-n", 8, config=SOURCE / "configs/mmc.yaml").stdout
    assert text.count("no trend is seen") == 2, text  # an M/M/4 queue after its warm-up
    text = compare(folder / "seed", "--policies", "fcfs,easy", "-n", 3).stdout
    assert text.count("not stationary: it grows") == 2, text


def folders_are_those_of_run(folder):
    """DIR/POLICY is what easim run writes, manifest included, also after replications were added."""
    out = folder / "folders"
    compare(out, "--policies", "zeus,fcfs", "-n", 4, "--quiet", "--set", "params_by_policy={zeus: {edp_slack: 4}}")
    easim("run", SEED, "--policy", "zeus", "-n", 4, "--set", "params_by_policy={zeus: {edp_slack: 4}}", "-q", "--out",
          folder / "alone" / "run")  # as deep as the other: manifests name files from where they stand
    same_files(out / "zeus", folder / "alone" / "run")
    assert json_of(out / "zeus/manifest.json")["policy"]["params"]["edp_slack"] == 4
    added = folder / "added"
    compare(added, "--policies", "zeus,fcfs", "-n", 2, "--until-ci", "energy_kwh=0.5%", "--max-replications", 9, "-q")
    count = json_of(added / "manifest.json")["replications"]
    assert 2 < count <= 9, count
    easim("run", SEED, "--policy", "zeus", "-n", count, "-q", "--out", folder / "alone" / "same")
    same_files(added / "zeus", folder / "alone" / "same")


def threads_do_not_matter(folder):
    outs = []
    for threads in (1, 2, 7):
        out = folder / f"threads{threads}"
        text = compare(out, "--policies", "zeus,pollux,easy", "-n", 3, "--until-ci", "energy_kwh=0.8%", "-t", threads,
                       "--perturb", "sizes=0.2", "--format", "csv").stdout
        assert text == (out / "compare.csv").read_text()
        outs.append(out)
    for out in outs[1:]:
        same_files(outs[0], out)
    reached = json_of(outs[0] / "manifest.json")["until_ci"]
    assert reached["reached"] <= 0.008, reached
    worst = max(float(r["ci95"]) / float(r["mean"]) for r in rows_of(outs[0] / "compare.csv")
                if r["metric"] == "energy_kwh")
    near(reached["reached"], worst)


def identical_policies_do_not_differ(folder):
    """Without deadlines chronos orders jobs as pollux does: the same schedule, every difference 0, no NaN."""
    out = folder / "identical"
    compare(out, "--policies", "pollux,chronos", "--set", "workload.deadlines={share: 0, slack: [1, 2]}", "-n", 3, "-q")
    for row in rows_of(out / "compare.csv"):
        if row["policy"] == "chronos" and int(row["n"]) > 0:
            assert float(row["diff_mean"]) == float(row["diff_ci95"]) == 0, row
            assert float(row["p_value"]) == float(row["p_holm"]) == 1, row
            assert row["ratio_geo"] in ("", "1.0") and row["diff_rel"] in ("", "0.0"), row
    assert [r["front"] for r in rows_of(out / "pareto.csv")] == ["1", "1"]


def one_replication_has_no_intervals(folder):
    out = folder / "one"
    text = compare(out, "--policies", "pollux,zeus", "--baseline", "zeus", "-n", 1).stdout
    assert "one replication: no intervals, no tests" in text and "nan" not in text and "p =" not in text, text
    for row in rows_of(out / "compare.csv"):
        assert row["baseline"] == "zeus"
        assert not (row["ci95"] or row["diff_ci95"] or row["p_value"] or row["p_holm"] or row["ratio_geo_low"]), row
        assert row["policy"] == "zeus" or not row["mean"] or row["diff_mean"], row
    text = compare(folder / "tiny", "--policies", "fcfs,zeus", "-n", 3, config=TINY).stdout
    assert "warning: all replications are equal" in text, text  # a trace without anything drawn


def perturbations_are_runs_of_their_own(folder):
    """arrivals=0.1 is a run at 1.1 times the rate; the ratio of means and its interval from both."""
    out, n = folder / "perturbed", 6
    compare(out, "--policies", "zeus,easy", "-n", n, "--perturb", "arrivals=0.1,sizes=0.25,failures=4,noise", "--quiet")
    failing = [f"cluster.nodes[{i}].{key}" for i in (0, 1) for key in ("mtbf=6h", "mttr=1h")]  # four times a day
    changes = {"arrivals": [f"workload.rate_per_s={0.005 * 1.1}"],
               "sizes": [f"workload.sizes.mean={4.85 * 3600 * 1.25}"],
               "failures": failing, "noise": ["noise={speed_sigma: 0.2}"]}
    for name, sets in changes.items():
        words = [word for change in sets for word in ("--set", change)]
        easim("run", SEED, "--policy", "zeus", "-n", n, "-q", "--summary-only", *words, "--out", folder / name)
        assert (out / "perturbed" / name / "zeus/summary.csv").read_bytes() == (folder / name / "summary.csv").read_bytes()
    table = {(r["perturbation"], r["metric"], r["policy"]): r for r in rows_of(out / "perturb.csv")}
    for policy in ("zeus", "easy"):
        clean = values(out, policy, "jct_restricted_mean_s")
        other = values(out / "perturbed/sizes", policy, "jct_restricted_mean_s")
        row, ratio = table["sizes", "jct_restricted_mean_s", policy], mean(other) / mean(clean)
        near(row["ratio"], ratio)
        left = [a - ratio * b for a, b in zip(other, clean)]
        near(row["ratio_ci95"], t_point(n - 1) * stdev(left) / math.sqrt(n) / mean(clean), 1e-7)
        assert ratio > 1 and row["amount"] == "0.25" and row["n"] == str(n)
    assert float(table["arrivals", "jobs_submitted", "zeus"]["ratio"]) > 1.05


def failures_stay_alone(folder):
    """A policy that fails takes neither the others' results nor their comparison with it."""
    out = folder / "failing"
    done = compare(out, "--policies", f"zeus,{PLUGINS}/fails.so,pollux", "-n", 3, "--quiet", code=1)
    assert "three jobs are too many" in done.stderr
    assert {r["policy"] for r in rows_of(out / "compare.csv")} == {"zeus", "pollux"}
    assert json_of(out / "manifest.json")["failed"] == ["fails"]
    assert len(rows_of(out / "zeus/summary.csv")) == len(rows_of(out / "pollux/summary.csv")) == 3
    out = folder / "baseline"
    done = compare(out, "--policies", f"{PLUGINS}/fails.so,zeus", "-n", 3, code=1)
    assert all(r["baseline"] == r["diff_mean"] == "" for r in rows_of(out / "compare.csv"))
    assert "1 policy, " in done.stdout and "the baseline has no results: no differences" in done.stdout
    done = compare(folder / "all", "--policies", f"{PLUGINS}/fails.so", "-n", 3, code=1)
    assert done.stdout == "" and not list((folder / "all").rglob("*.csv"))


def interruption_keeps_what_is_finished(folder):
    """Stopped while replications are added, the comparison is that of the last number which all policies reached."""
    out = folder / "interrupted"
    process = start("compare", SEED, "--policies", "fcfs,zeus", "-n", 3, "--out", out, "--until-ci", "0.0001%", "--max-replications",
                    1000000, "--summary-only", "--isolate", "always")
    some_end(process, 2 * 3 + 10)  # in both policies those asked for, and some of those that are added
    _, errors = interrupt(process)
    assert "interrupted" in errors, errors
    manifest = json_of(out / "manifest.json")
    counts = {policy: len(rows_of(out / policy / "summary.csv")) for policy in ("fcfs", "zeus")}
    assert manifest["partial"] and 3 <= manifest["replications"] <= min(counts.values()), (manifest, counts)
    for row in rows_of(out / "compare.csv"):
        if row["metric"] == "energy_kwh":
            near(row["mean"], mean(values(out, row["policy"], "energy_kwh")[:manifest["replications"]]))
    partial = [json_of(out / policy / "manifest.json")["partial"] for policy in counts]
    assert any(partial), counts
    assert not list(out.rglob("*.tmp*"))


def formats_agree(folder):
    """JSON and CSV on standard output say what the files say; notes go to standard error; - is standard input."""
    out, text = folder / "formats", Path(SEED).read_text().replace("models/", f"{SOURCE}/configs/models/")
    done = compare(out, "--policies", "pollux,zeus", "--format", "json", "-n", 4, "--perturb", "sizes,noise=0.1",
                   config="-", input=text)
    data = json.loads(done.stdout)
    for row in rows_of(out / "perturb.csv"):
        cell = data["perturbed"][row["perturbation"]]["metrics"][row["metric"]][row["policy"]]
        assert list(cell) == ["n", "clean_mean", "perturbed_mean", "ratio", "ratio_ci95"], cell
        assert all(row[name] == "" if value is None else float(row[name]) == value for name, value in cell.items())
    for row in rows_of(out / "compare.csv"):
        cell = data["metrics"][row["metric"]][row["policy"]]
        for name, value in cell.items():
            assert row[name] == "" if value is None else float(row[name]) == value, (row, name, value)
        assert set(row) - set(cell) == {"metric", "policy", "baseline"}, row
    assert data["baseline"] == "pollux" and data["replications"] == 4
    assert data["pareto"]["metrics"] == ["energy_per_work_kwh", "jct_restricted_mean_s"]
    assert "outside the range" in done.stderr
    done = easim("run", "-", "--format", "csv", "-n", 2, "--out", folder / "run-csv", input=text)
    assert done.stdout == (folder / "run-csv/aggregate.csv").read_text() and "outside the range" in done.stderr
    done = easim("run", "-", "--format", "json", "-n", 2, "-q", "--out", folder / "run-json", input=text)
    metrics = json.loads(done.stdout)["metrics"]
    for row in rows_of(folder / "run-json/aggregate.csv"):
        for name in ("n", "mean", "sd", "ci95"):
            value = metrics[row["metric"]][name]
            assert row[name] == "" if value is None else float(row[name]) == value
    assert done.stderr == ""
    assert easim("check", "-", input=text).stdout == "-: ok\n"


def twelve_replications(folder):
    figures_are_right(folder)
    stationarity_is_right(folder)
    return 2


os.environ["LC_ALL"] = "C"
cases(twelve_replications, front_is_right, metrics_that_are_missing_in_part, what_cannot_be_known_is_said,
      folders_are_those_of_run, threads_do_not_matter, identical_policies_do_not_differ, one_replication_has_no_intervals,
      perturbations_are_runs_of_their_own, failures_stay_alone, interruption_keeps_what_is_finished, formats_agree)
