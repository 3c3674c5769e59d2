"""easim validate: every figure of validation.csv computed again in Python from jobs.csv, summary.csv and the measured
tables; verdicts, exit status, skipped files, logs of one's own, repetition. Usage: test_validate.py EASIM SOURCE
"""
import json
import os
import random
import re
import statistics

from harness import SOURCE, cases, easim, interrupt, json_of, number, rows_in, rows_of, some_work, start, wait_for, write_table

SCENARIO = """\
name: lab
horizon: drain
cluster:
  gpu_types:
    - {name: v100, idle_w: 40, ctx_w: 60, tdp_w: 300, memory_gib: 16}
  nodes:
    - {count: 2, gpu: v100, gpus: 4}
workload:
  kind: trace
  format: workload
  file: elsewhere.csv
  utilization: 0.7
policy: {name: fcfs}
"""
HEAD = """\
name: %s
source: made up
kind: policy
physics: durations as given
scenario: lab.yaml
data: {jobs: d/jobs.csv, times: d/times.csv, runs: d/runs.csv}
set: {workload.file: "${jobs}"}
jobs: {data: times, where: {policy: fast}, columns: {exec_s: service_s}}
measured:
"""
COLUMNS = ("start_s", "finish_s", "wait_s", "run_s", "exec_s", "jct_s", "energy_j")


def write_data(folder):
    """Jobs, and what somebody measured of them: noise around what they take; two policies in one table."""
    draw = random.Random(17)
    at, jobs = 0.0, []
    for n in range(41):
        at += draw.expovariate(1 / 97.3)
        jobs.append([f"j{n}", f"{at:.3f}", f"{draw.lognormvariate(6, 1):.4f}", draw.choice((1, 1, 2, 3, 4))])
    write_table(folder / "d/jobs.csv", "job_id,submit_s,duration_s,gpus", jobs)
    write_table(folder / "d/times.csv", "policy,job_id,service_s,jct_s,wait_s", [  # one was not measured
        *(["fast", f"j{n}", f"{draw.uniform(80, 900):.3f}", f"{draw.uniform(100, 4000):.3f}", f"{max(0, draw.uniform(-50, 90)):.3f}"]
          for n in range(40)), ["slow", "j0", 1, 1, 1]])
    (folder / "d/runs.csv").write_text("policy,kind,makespan_s\nfast,physical,5012.5\nfast,simulated,4000\nslow,physical,3\n")
    (folder / "lab.yaml").write_text(SCENARIO)


def predicted_of(path):
    """The jobs of a run, with what follows."""
    jobs = {}
    for row in rows_of(path):
        job = {name: number(row[name]) for name in COLUMNS if name in row} | {"submit_s": number(row["submit_s"])}
        job["run_s"] = job["finish_s"] - job["start_s"]
        jobs[row["job_id"]] = job
    return jobs


def quantile(values, share):
    """The usual one: linear between the values at (n - 1) share (Hyndman and Fan 1996, type 7)."""
    values = sorted(values)
    at = (len(values) - 1) * share
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def close(got, wanted):
    return abs(float(got) - wanted) <= 1e-9 * abs(wanted) + 1e-15


def figures(folder, lines):
    """Of a file with these lines: its rows, after the JSON and the CSV on standard output were compared with them."""
    (folder / "v.yaml").write_text(HEAD % "v" + "\n".join(f"  - {line}" for line in lines) + "\n")
    words = ["validate", folder / "v.yaml", "--out", folder / "out", "--force"]
    code = 1 if any("UNEXPECTED" in line for line in lines) else 0
    printed = easim(*words, "--format", "csv", code=code).stdout
    rows = rows_of(folder / "out/validation.csv")
    assert rows_in(printed) == rows
    same = json.loads(easim(*words, "--format", "json", code=code).stdout)["validations"][0]
    for row, twin in zip(rows, same["rows"], strict=True):
        for name in ("predicted", "measured", "error", "tolerance"):
            assert number(row[name]) == twin[name], (row, twin)
        assert (row["verdict"], row["metric"], row["of"], row["expect"]) == tuple(
            twin[key] for key in ("verdict", "metric", "of", "expect"))
        assert {"yes": True, "no": False}[row["as_expected"]] == twin["as_expected"]
    return rows


def check_figures(folder):
    rows = figures(folder, [
        "{metric: jct_mean_s, value: 1234.5, tolerance: 1000%}",
        "{metric: makespan_s, fact: {data: runs, where: {policy: fast, kind: physical}}, tolerance: 900%}",
        "{metric: exec_s, over: sum, tolerance: 900%}",
        "{metric: jct_s, over: mean, tolerance: 900%}",
        "{metric: jct_s, over: median_error, tolerance: 900%}",
        "{metric: jct_s, over: p90_error, tolerance: 900%}",
        "{metric: wait_s, over: p90_error, tolerance: 9000000%}",
        "{metric: jct_s, over: mean_error, tolerance: 900%}",
        "{metric: wait_s, over: most_error, tolerance: 9000000000%}",
        "{metric: jct_s, job: j7, tolerance: 900%}",
        "{metric: energy_j, job: j40, value: 22222, tolerance: 99999%}"])
    run = predicted_of(folder / "out/v/jobs.csv")
    table = {row["job_id"]: row for row in rows_of(folder / "d/times.csv") if row["policy"] == "fast"}
    measured = {"exec_s": {}, "jct_s": {}, "wait_s": {}}
    for job, row in table.items():
        for name, column in (("exec_s", "service_s"), ("jct_s", "jct_s"), ("wait_s", "wait_s")):
            measured[name][job] = float(row[column])
    summary = rows_of(folder / "out/v/summary.csv")[0]
    errors = {name: [abs(run[job][name] / value - 1) for job, value in values.items() if value > 0]
              for name, values in measured.items()}
    pairs = [(float(summary["jct_mean_s"]), 1234.5), (float(summary["makespan_s"]), 5012.5),
             (sum(run[job]["exec_s"] for job in table), sum(measured["exec_s"].values())),
             (statistics.fmean(run[job]["jct_s"] for job in table), statistics.fmean(measured["jct_s"].values())),
             None, None, None, None, None, (run["j7"]["jct_s"], measured["jct_s"]["j7"]), (run["j40"]["energy_j"], 22222)]
    for row, pair in zip(rows, pairs, strict=True):
        if pair:
            assert close(row["predicted"], pair[0]) and close(row["measured"], pair[1]), (row, pair)
            assert close(row["error"], pair[0] / pair[1] - 1), (row, pair)
        else:
            assert row["predicted"] == row["measured"] == ""
    assert close(rows[4]["error"], statistics.median(errors["jct_s"]))
    assert close(rows[5]["error"], quantile(errors["jct_s"], 0.9))
    assert close(rows[6]["error"], quantile(errors["wait_s"], 0.9))
    assert close(rows[7]["error"], statistics.fmean(errors["jct_s"])) and rows[7]["of"] == "mean error of 40 jobs"
    assert close(rows[8]["error"], max(errors["wait_s"]))
    zeros = sum(value == 0 for value in measured["wait_s"].values())
    assert zeros > 0 and rows[6]["of"] == f"90 % error of {40 - zeros} jobs"
    text = easim("validate", folder / "v.yaml", "--out", folder / "out", "--force").stdout
    assert f"{zeros} of 40 jobs have a measured wait_s of 0, so their error is undefined" in text
    assert "1 of 41 jobs of the run were not measured: j40" in text
    single = {(row["job_id"], row["metric"]): row for row in rows_of(folder / "out/validation_jobs.csv")}
    assert set(single) == {(job, name) for job in table for name in measured}
    for (job, name), row in single.items():
        value = measured[name][job]
        assert close(row["predicted"], run[job][name]) and close(row["measured"], value)
        assert row["error"] == "" if value == 0 else close(row["error"], run[job][name] / value - 1)
    return float(rows[0]["error"])


def check_verdicts(folder, error):
    """An error at, above and below the tolerance, expected to pass and to fail."""
    above, below = abs(error) * 0.999, abs(error) * 1.001
    base = "metric: jct_mean_s, value: 1234.5"
    for tolerance, expect, verdict, good in ((below, "pass", "pass", "yes"), (above, "fail", "fail", "yes"),
                                             (above, "pass", "fail", "no"), (below, "fail", "pass", "no")):
        reason = ", expect: fail, reason: known" if expect == "fail" else ""
        row = figures(folder, [f"{{{base}, tolerance: {tolerance!r}{reason}}}" + ("" if good == "yes" else " # UNEXPECTED"),
                               "{metric: jct_s, over: mean, tolerance: 90000%}",
                               "{metric: makespan_s, fact: {data: runs, where: {policy: slow}}, tolerance: 9000000%}"])[0]
        assert (row["verdict"], row["expect"], row["as_expected"]) == (verdict, expect, good), row


def check_missing(folder):
    """Data that are not there: skipped by name, never passed. They may be below EASIM_DATA, too. A job that did not end
    makes its figure fail, and no failure that was expected for another reason."""
    (folder / "d/times.csv").rename(folder / "d/gone.csv")
    words = ["validate", folder / "v.yaml", "--out", folder / "out2", "--force"]
    text = easim(*words).stdout
    assert "skipped: d/times.csv is missing" in text
    assert "0 passed, 0 failed as expected, 0 unexpected, 3 skipped (v)\n" in text
    assert [row["verdict"] for row in rows_of(folder / "out2/validation.csv")] == ["skipped"] * 3
    assert not (folder / "out2/v").exists()
    (folder / "data/d").mkdir(parents=True)
    (folder / "d/gone.csv").rename(folder / "data/d/times.csv")
    assert "3 skipped" not in easim(*words, env=os.environ | {"EASIM_DATA": str(folder / "data")}, code=1).stdout
    assert easim("validate", folder / "out2/manifest.json").stdout == "equal\n"  # wherever EASIM_DATA is now
    (folder / "data/d/times.csv").rename(folder / "d/times.csv")
    figures_of_cut = HEAD % "cut" + ("  - {metric: jct_s, over: mean, tolerance: 1%, expect: fail, reason: other}\n"
                                     "  - {metric: jct_s, job: j39, tolerance: 1%, expect: fail, reason: other}\n")
    (folder / "cut.yaml").write_text(figures_of_cut.replace("set: {", "set: {horizon: 1h, ").replace(", runs: d/runs.csv", ""))
    text = easim("validate", folder / "cut.yaml", "--out", folder / "out3", code=1).stdout
    assert "2 unexpected" in text and "measured jobs have no jct_s in the run: " in text, text
    assert "measured jobs are not in the run, so figures over jobs cannot pass: " in text and "job j39 is not in the run: jct_s" in text, text


def check_failed_run(folder):
    """A run that fails is a validation that fails, and the others go on."""
    (folder / "stuck.yaml").write_text(HEAD.replace("set: {", "set: {policy: {name: exec}, ") % "stuck"
                                       + "  - {metric: jct_mean_s, value: 1, tolerance: 1%, expect: fail, reason: x}\n"
                                         "  - {metric: jct_s, over: mean, tolerance: 1%}\n"
                                         "  - {metric: makespan_s, fact: {data: runs, where: {policy: slow}}, tolerance: 1%}\n")
    (folder / "v.yaml").write_text(HEAD % "v" + "  - {metric: jct_s, over: mean, tolerance: 9000%}\n"
                                   "  - {metric: makespan_s, fact: {data: runs, where: {policy: slow}}, tolerance: 9000000%}\n")
    text = easim("validate", folder / "stuck.yaml", folder / "v.yaml", "--out", folder / "out4", code=1).stdout
    assert "the run failed: policy exec: init failed" in text and "2 passed, 0 failed as expected, 3 unexpected" in text, text
    assert easim("validate", folder / "out4/manifest.json").stdout == "equal\n"


def check_interrupted(folder):
    """What was finished is kept and marked partial."""
    (folder / "long.yaml").write_text(f"name: long\nsource: x\nkind: policy\nphysics: x\nscenario: {SOURCE}/configs/eas-sim.yaml\n"
                                      "set: {replications: 100000}\nmeasured: [{metric: jct_mean_s, value: 1, tolerance: 1%}]\n")
    out = folder / "out5"
    process = start("validate", folder / "v.yaml", folder / "long.yaml", "--out", out)
    wait_for("the first is done", (out / "v/manifest.json").exists, process)
    some_work(process)  # of the second
    _, said = interrupt(process)
    assert "interrupted: 1 of 2 validations are finished and kept" in said, said
    manifest = json_of(out / "manifest.json")
    assert manifest["partial"] and manifest["folders"] == ["v"] and not (out / "long").exists()
    assert {row["validation"] for row in rows_of(out / "validation.csv")} == {"v"}


def weak_points(folder, values, control):
    """Last lines of three validations whose measured completion time is `values` times the predicted one, and of a control of the
    first whose is `control` times."""
    write_data(folder)
    text = (HEAD % "first").replace("jobs: {data: times, where: {policy: fast}, columns: {exec_s: service_s}}\n", "")
    text = text.replace(", times: d/times.csv, runs: d/runs.csv", "")
    [row] = rows_in(easim("validate", written(folder / "a.yaml", text, 1), "--format", "csv", "--force", "--out", folder / "weak").stdout)
    mean = float(row["predicted"])
    files = [written(folder / f"{n}.yaml", text.replace("name: first", f"name: v{n}"), value * mean) for n, value in enumerate(values)]
    files.append(written(folder / "c.yaml", text.replace("name: first", "name: c\ncontrol_of: v0"), control * mean))
    alone = easim("validate", files[-1], "--out", folder / "weak", "--force").stdout
    assert "note: c is a control of v0, which is not among these validations\n" in alone, alone
    said = easim("validate", *files, "--out", folder / "weak", "--force").stdout
    assert "is a control of" not in said, said
    return [line for line in said.splitlines() if line.startswith("weak: ")]


def written(path, text, value):
    path.write_text(f"{text}  - {{metric: jct_mean_s, value: {value!r}, tolerance: 9000000%}}\n", encoding="utf-8")
    return path


def check_weak(folder):
    """Errors 1 / value - 1: a bias is three of one side, a weak model one whose control is less than 1.1 times as far off."""
    control = "weak: v0, jct_mean_s: 20.0 %, its control "
    assert weak_points(folder, (1.25, 1.6, 2), 2) == ["weak: all 3 jct_mean_s (policy) are predicted too low: -50.0 to -20.0 %"]
    assert weak_points(folder, (0.8, 0.5, 0.4), 0.1) == ["weak: all 3 jct_mean_s (policy) are predicted too high: +25.0 to +150.0 %"]
    assert weak_points(folder, (1.25, 1.6, 0.9), 1 / 0.79) == [control + "21.0 %"]
    assert weak_points(folder, (1.25, 1.6), 1 / 0.77) == []  # two are no bias, and 23 % is far enough


def check_shipped(folder):
    """Without EASIM_DATA the shipped validations that need it are skipped by the name of a file that is nowhere, and the
    others are as they say."""
    names = {path.stem for path in (SOURCE / "validation").glob("*.yaml")}
    there = {key: value for key, value in os.environ.items() if key != "EASIM_DATA"} | {"EASIM_VALIDATION": str(SOURCE / "validation")}
    found = json.loads(easim("validate", "--format", "json", "--quiet", "--out", folder / "shipped", env=there).stdout)
    assert {v["name"] for v in found["validations"]} == names and found["unexpected"] == 0, found
    skipped = [v for v in found["validations"] if v["missing"]]
    assert skipped and len(skipped) < len(names)
    controls = {path.stem: re.findall(r"(?m)^control_of: (.*)$", path.read_text()) for path in (SOURCE / "validation").glob("*.yaml")}
    assert sum(map(len, controls.values())) >= 9 and all(of in names for found_of in controls.values() for of in found_of), controls
    for validation in skipped:
        assert f": {validation['missing']}" in (SOURCE / f"validation/{validation['name']}.yaml").read_text(), validation
        assert not (SOURCE / "validation" / validation["missing"]).exists()
    assert found["skipped"] == sum(len(v["rows"]) for v in skipped)
    assert not any(row["verdict"] != "skipped" for v in skipped for row in v["rows"])


def check_own_log(folder):
    """A run's own jobs as the log: no error. Then a log with noise, other GPUs, and jobs of nobody."""
    (folder / "own.yaml").write_text(SCENARIO.replace("elsewhere.csv", "d/jobs.csv"))
    easim("run", folder / "own.yaml", "--out", folder / "own", "--quiet")
    run = rows_of(folder / "own/jobs.csv")
    write_table(folder / "log.csv", "job_id,start_s,finish_s,gpus,energy_j,note", (
        [*(row[name] for name in ("job_id", "start_s", "finish_s", "k", "energy_j")), "x"] for row in run))
    words = ["validate", "--scenario", folder / "own.yaml", "--measured", folder / "log.csv", "--force"]
    easim(*words, "--out", folder / "same", "--tolerance", "0.0000001%")
    rows = rows_of(folder / "same/validation.csv")
    assert len(rows) == 11 and all(abs(float(row["error"])) < 1e-12 for row in rows), rows
    assert easim("validate", folder / "same/manifest.json").stdout == "equal\n"
    of_gpus = "the predicted energy_j is that of the GPUs of a job, "
    assert of_gpus not in easim(*words, "--out", folder / "same").stdout
    assert easim(*words, "--out", folder / "nodes", "--set", "cluster.nodes[0].base_w=100").stdout.count(of_gpus) == 1
    at_once = [row for row in run if row["start_s"] == row["submit_s"]]
    assert len(at_once) > 2, run
    for early_s, alarms in ((0.4e-9, 0), (2e-9, len(at_once))):  # the clock of a run has 1 ns: less is rounding
        for submit in (False, True):
            (folder / "log.csv").write_text(f"job_id,start_s,finish_s{',submit_s' * submit}\n" + "".join(
                f"{row['job_id']},{float(row['start_s']) - early_s:.10f},{row['finish_s']}{',' + row['submit_s'] if submit else ''}\n"
                for row in at_once), encoding="utf-8")
            done = easim(*words, "--out", folder / "early", code=2 if alarms and submit else 0)
            assert done.stdout.count("began before the run submits them") == (alarms > 0 and not submit), (early_s, submit, done)
            assert done.stderr.count("expected a time not before submit_s") == alarms * submit, (early_s, submit, done)
            if not alarms:
                assert {row["measured"] for row in rows_of(folder / "early/validation.csv") if row["metric"] == "wait_s"} == {"0.0"}
    draw = random.Random(5)
    for row in run[:30]:
        row["finish_s"] = str(float(row["finish_s"]) * draw.uniform(1, 1.2))
    write_table(folder / "log.csv", "job_id,start_s,finish_s,gpus", [*(
        [row["job_id"], row["start_s"], row["finish_s"], int(row["k"]) + (n == 3)] for n, row in enumerate(run[:30])), ["stranger", 1, 2, 1]])
    text = easim(*words, "--out", folder / "noise").stdout
    assert text.count("stranger") == 1, text
    assert "1 of 31 measured jobs are not in the run, so figures over jobs cannot pass: stranger" in text and "without a tolerance" in text
    assert "1 of 31 measured jobs had another number of GPUs in the run: j3" in text
    rows = {(row["metric"], row["of"]): row for row in rows_of(folder / "noise/validation.csv")}
    mine = predicted_of(folder / "own/jobs.csv")
    log = {row["job_id"]: float(row["finish_s"]) for row in run[:30]}
    first = min(mine[job]["submit_s"] for job in log)
    assert close(rows["makespan_s", "30 jobs"]["measured"], max(log.values()) - first)
    assert close(rows["makespan_s", "30 jobs"]["predicted"], max(mine[job]["finish_s"] for job in log) - first)
    errors = [mine[job]["jct_s"] / (finish - mine[job]["submit_s"]) - 1 for job, finish in log.items()]
    assert close(rows["jct_s", "median error of 30 jobs"]["error"], statistics.median(map(abs, errors)))
    assert {row["verdict"] for row in rows.values()} == {""}
    easim(*words, "--out", folder / "noise", "--tolerance", "0.1%", code=1)
    for finished in (1, 0):  # only jobs whose end is known make a makespan
        (folder / "log.csv").write_text("job_id,start_s,finish_s\n" + "".join(
            f"{row['job_id']},{row['start_s']},{row['finish_s'] if n < finished else ''}\n" for n, row in enumerate(run[:2])))
        easim(*words, "--out", folder / "running")
        span = rows_of(folder / "running/validation.csv")[0]
        assert (span["metric"], span["of"]) == ("makespan_s", "1 jobs" if finished else ""), span
        assert finished or span["predicted"] == span["measured"] == "", span
        job = mine[run[0]["job_id"]]
        assert not finished or (close(span["predicted"], job["finish_s"] - job["submit_s"]) and
                                close(span["measured"], float(run[0]["finish_s"]) - job["submit_s"])), span


def of_a_lab(folder):
    (folder / "d").mkdir()
    write_data(folder)
    error = check_figures(folder)
    check_verdicts(folder, error)
    return 2


cases(of_a_lab, check_missing, check_failed_run, check_interrupted, check_weak, check_shipped, check_own_log, shared=True)
