"""What the files of a run must satisfy, checked on real runs: test_files.py EASIM SOURCE

Every expected value is derived from other files of the same run or from a second run, never from a stored result.
"""
import filecmp
import os
from fractions import Fraction

from harness import SOURCE, cases, easim, json_of, near, rows_of, same_files, write_table

RESULTS = ["summary.csv", "aggregate.csv", "jobs.csv", "users.csv", "types.csv", "power.csv", "manifest.json"]


def run(config, out, *options, code=0):
    return easim("run", SOURCE / "configs" / config, "--out", out, *options, cwd=out.parent, code=code)


def threads_do_not_matter(folder):
    """Files are byte-identical for any thread count, and from run to run."""
    for threads in ("1", "2", "7"):
        run("eas-sim.yaml", folder / threads, "--threads", threads, "--policy", "zeus", "--quiet")
        same_files(folder / "1", folder / threads, *RESULTS)


def energy_adds_up(folder):
    """Energy of jobs, idle GPUs and nodes is the integral of power.csv, for every replication."""
    out = folder / "energy"
    run("eas-sim.yaml", out, "--set", "cluster.nodes[0].base_w=321.5", "--check", "--quiet")
    power = rows_of(out / "power.csv")
    for summary in rows_of(out / "summary.csv"):
        number, end_s = summary["replication"], float(summary["sim_s"])
        steps = [(float(r["time_s"]), float(r["power_w"])) for r in power if r["replication"] == number]
        ends = [time_s for time_s, _ in steps[1:]] + [end_s]
        assert steps[0] == (0, 8 * 60 + 8 * 70 + 321.5)  # nothing runs: idle GPUs and the base of one node
        joules = sum((end - start) * watts for (start, watts), end in zip(steps, ends))
        near(joules / 3.6e6, float(summary["energy_kwh"]))
        parts = sum(float(summary[c]) for c in ("energy_job_kwh", "energy_idle_kwh", "energy_base_kwh"))
        near(parts, float(summary["energy_kwh"]))
        jobs = [r for r in rows_of(out / "jobs.csv") if r["replication"] == number]
        near(sum(float(r["energy_j"]) for r in jobs) / 3.6e6, float(summary["energy_job_kwh"]))
        finished_j = sum(float(r["energy_j"]) for r in jobs if r["status"] == "finished")
        near(finished_j / 3.6e6, float(summary["energy_finished_kwh"]))
        users = [r for r in rows_of(out / "users.csv") if r["replication"] == number]
        near(sum(float(r["energy_kwh"]) for r in users), float(summary["energy_job_kwh"]))
        types = [r for r in rows_of(out / "types.csv") if r["replication"] == number]
        near(sum(float(r["energy_kwh"]) for r in types) + 321.5 * end_s / 3.6e6, float(summary["energy_kwh"]))
        near(sum(float(r["alloc_gpu_h"]) for r in types), sum(float(r["gpu_s"]) for r in users) / 3600)


def meter_is_the_integral(folder):
    """Rows of meter.csv are means of power.csv, to the nanowatt, up to the end of each replication."""
    out = folder / "meter"
    run("eas-sim.yaml", out, "--set", "horizon=2h", "--meter", "70.3s", "--quiet")
    power, meter = rows_of(out / "power.csv"), rows_of(out / "meter.csv")
    for number in {r["replication"] for r in meter}:
        steps = [(Fraction(r["time_s"]), Fraction(r["power_w"])) for r in power if r["replication"] == number]
        steps.append((Fraction(7200), None))
        begin_s = Fraction(0)
        for row in (r for r in meter if r["replication"] == number):
            end_s = Fraction(row["time_s"])
            assert end_s == min(begin_s + Fraction("70.3"), 7200), row
            joules = sum(watts * max(0, min(end_s, until_s) - max(begin_s, from_s))
                         for (from_s, watts), (until_s, _) in zip(steps, steps[1:]))
            assert abs(joules / (end_s - begin_s) - Fraction(row["power_w"])) <= Fraction(1, 2 * 10**9), row
            begin_s = end_s
        assert begin_s == 7200
    assert "meter.csv" in json_of(out / "manifest.json")["files"]
    run("eas-sim.yaml", out, "--set", "horizon=2h", "--quiet", "--force")
    assert not (out / "meter.csv").exists()


def jobs_agree_with_summary(folder):
    """Means, counts and deadlines of summary.csv, computed again from jobs.csv."""
    out = folder / "jobs"
    run("eas-sim.yaml", out, "--quiet", "--set", "workload.sizes.mean=1h")
    for summary in rows_of(out / "summary.csv"):
        jobs = [r for r in rows_of(out / "jobs.csv") if r["replication"] == summary["replication"]]
        done = [r for r in jobs if r["status"] == "finished"]
        assert len(jobs) == int(summary["jobs_submitted"]) and len(done) == int(summary["jobs_finished"])
        near(sum(float(r["jct_s"]) for r in done) / len(done), float(summary["jct_mean_s"]))
        waits = [float(r["wait_s"]) for r in jobs if r["wait_s"]]
        near(sum(waits) / len(waits), float(summary["wait_mean_s"]))
        slow = [max(1, float(r["jct_s"]) / max(float(r["exec_s"]), 10)) for r in done]
        near(sum(slow) / len(slow), float(summary["bsld_mean"]))
        due = [r for r in jobs if r["deadline_s"] and float(r["deadline_s"]) <= 36000]
        missed = [r for r in due if not r["finish_s"] or float(r["finish_s"]) > float(r["deadline_s"])]
        assert len(due) == int(summary["deadline_jobs"]) and len(missed) == int(summary["deadline_missed"])
        times = sorted(float(r["jct_s"]) for r in done)
        place = 0.95 * (len(times) - 1)  # type 7 of Hyndman and Fan
        low = int(place)
        near(times[low] + (place - low) * (times[low + 1] - times[low]), float(summary["jct_p95_s"]))
        near(float(summary["throughput_jobs_per_h"]), len(done) / 10)


def sums_need_no_rows(folder):
    """Memory of jobs that are over is given back during a run, unless decisions.csv may name them: sums and rows are as with all jobs at hand, bit by bit."""
    jobs = [(f"j{i}", 20 * i, 40 if i % 97 == 5 else 1 + i % 3, 5000 if i == 700 else 30 + i % 41) for i in range(4000)]
    write_table(folder / "long.csv", "job_id,submit_s,gpus,duration_s", jobs)
    (folder / "long.yaml").write_text("""name: long
horizon: 70000s
cluster:
  gpu_types: [{name: g, idle_w: 20, tdp_w: 100}]
  nodes: [{count: 2, gpu: g, gpus: 4, mtbf: 5h, mttr: 2min}]
workload: {streams: [{kind: trace, file: long.csv}], warmup: 9000s}
policy: {name: fcfs}
""")
    for policy in ("fcfs", "las"):
        for name, *words in (("kept", "--decisions"), ("rows", ), ("sums", "--summary-only"), ("both", "--decisions", "--summary-only")):
            easim("run", folder / "long.yaml", "--out", folder / (policy + name), "--policy", policy, "--quiet", *words)
            same_files(folder / (policy + "kept"), folder / (policy + name), "summary.csv", "aggregate.csv")
        same_files(folder / (policy + "kept"), folder / (policy + "rows"), "jobs.csv", "power.csv", "users.csv", "types.csv")
        same_files(folder / (policy + "kept"), folder / (policy + "both"), "decisions.csv")
    summary = rows_of(folder / "fcfssums" / "summary.csv")[0]
    assert min(int(summary[f"jobs_{how}"]) for how in ("finished", "rejected")) > 30 and int(summary["job_failures"]) > 0


COMING_MACHINES = f"""replications: 2
cluster:
  gpu_types: [{{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}}]
  nodes: [{{count: 4, gpu: a100, gpus: 4}}]
models: {SOURCE / "configs/models/eas-sim.yaml"}
"""


def come_as_one(folder, name, horizon, workload, *policies):
    """The runs with the jobs made as they arrive have the rows, sums and warnings of the run with all of them at hand."""
    (folder / f"{name}.yaml").write_text(f"name: come\nhorizon: {horizon}\n{COMING_MACHINES}workload: {{{workload}}}\npolicy: {{name: fcfs}}\n")
    for policy in policies:
        results = [folder / f"{name}{policy}{how}" for how in ("kept", "rows", "sums")]
        said = []
        for out, words in zip(results, (["--decisions"], [], ["--summary-only"])):
            done = easim("run", folder / f"{name}.yaml", "--out", out, "--policy", policy, *words)
            said.append([line for line in done.stdout.splitlines() if "warning" in line])
            same_files(results[0], out, "summary.csv", "aggregate.csv")
        same_files(*results[:2], "jobs.csv", "power.csv", "users.csv", "types.csv")
        assert said[0] == said[1] == said[2], said
    return rows_of(results[1] / "summary.csv")


def jobs_come_one_by_one(folder):
    """Without decisions.csv generated jobs are made as they arrive: sums and rows are as with it, bit by bit."""
    modelled = """kind: {kind}, load: {load}, until: {until}, users: 7, k: [1, 2, 4], warmup: 5h,
  mix: [{{model: vit-base-fp32}}, {{model: albert-v2-bf16, weight: {rare}}}], request: {{k: {k}}},
  deadlines: {{share: 0.3, slack: [1.1, 3]}}, flex: [{{share: 0.5, flex: 0.2}}, {{share: 0.5, flex: 0}}],
  sizes: {{law: lognormal, mean: 20min, cv: 1.2}}, {more}"""
    rigid = """kind: periodic, period: 40s, until: {jobs: 5000}, users: [ann, bob],
  sizes: {law: exponential, mean: 5min}, rigid: {k: [1, 2, 2, 8, 64]}"""
    loads = [modelled.format(kind="poisson", load=1.1, until="{jobs: 3000}", rare=1, k="free", more=""),
             modelled.format(kind="poisson", load=0.8, until="8d", rare=0.0005, k="uniform", more=""),
             modelled.format(kind="diurnal", load=0.9, until="{jobs: 1500}", rare=1e-9, k="free", more="amplitude: 0.7, peak: 14h"),
             modelled.format(kind="poisson", load=0.5, until="1s", rare=1, k="free", more=""), rigid]
    for number, load in enumerate(loads):
        policies = ("fcfs",) if load is rigid else ("fcfs", "lean")
        come_as_one(folder, f"come{number}", "drain" if number % 2 else "2d" if load is rigid else "8d", load, *policies)


def write_coming_log(path, jobs, outlives, labels=()):
    """Rigid and modelled jobs that are not in order, several at each time; one of them may outlive all others."""
    lines = ["job_id,submit_s,user,model,work_samples,duration_s,requested_s,gpus,gpu_type,deadline_s,class,utilization,gpu_share,flex"
             + "".join(f",label.{label}" for label in labels)]
    for i in range(jobs):
        place = i * 7919 % jobs  # coprime: each once
        submit_s = place // 3 * 60
        gpus, duration_s = 1 + place % 4, 900000 if place == outlives else 30 + place * 37 % 400
        cells = [f"j{place}", submit_s, f"u{place % 11}" if place % 5 else ""]
        if place % 9 == 4 and place != outlives:
            cells += ["vit-base-fp32", 1000 + place % 13 * 5000, "", "", gpus, "", "", "", "", "", ""]
        else:
            cells += ["", "", duration_s, duration_s * 2 if place % 2 else "", gpus, "a100" if place % 6 == 1 else "",
                      submit_s + 500 if place % 8 == 3 else "", ("", "sla", "best_effort")[place % 3], 0.1 * (place % 10) if place % 7 else "",
                      0.5 if gpus == 1 and place % 12 == 0 else "", 0.25 if place % 4 == 2 else ""]
        lines.append(",".join(map(str, cells + [f"{label}{place % 17}" for label in labels])))
    path.write_text("\n".join(lines) + "\n")


def logged_jobs_come_one_by_one(folder):
    """So are those of logs, and of several streams, with jobs of the same times, one that outlives all others, and none."""
    write_coming_log(folder / "long.csv", 5000, 700, ("queue", "note"))
    write_coming_log(folder / "more.csv", 3001, 2)
    text = (folder / "long.csv").read_text()
    (folder / "change.csv").write_text("job_id,from_s,utilization\n" + "".join(f"j{i},0,0.3\nj{i},20,0.9\n" for i in range(0, 5000, 18)))
    made = ("kind: periodic, period: 60s, until: {{jobs: {jobs}}}, users: [u3, u4, zoe], "
            "sizes: {{law: exponential, mean: {mean}}}, rigid: {{k: {k}}}")
    mixed = ("kind: poisson, load: 0.3, until: {jobs: 2500}, users: 4, k: [1, 2, 4], mix: [{model: vit-base-fp32}, "
             "{model: albert-v2-bf16}], sizes: {law: lognormal, mean: 20min, cv: 1.2}")
    long, more = "kind: trace, file: long.csv", "kind: trace, file: more.csv"
    cases = {"log": (long, "drain"), "cut": (long + ", until: {jobs: 2900}, users: [u2, x, y]", "1d"),
             "changes": (long + ", utilization_file: change.csv", "drain"), "draws": (long + ", deadlines: {share: 0.4, slack: [1, 3]}", "drain")}
    streams = {"made": [made.format(jobs=2000, mean="90s", k="[1, 2]"), made.format(jobs=2500, mean="2min", k="[2, 4, 4]")],
               "twins": [mixed, mixed], "logs": [more, more],
               "all": [mixed, more, made.format(jobs=1500, mean="3min", k="[1]")], "labelled": [long, mixed]}
    for name, parts in streams.items():
        parts = ", ".join(f"{{name: s{i}, {part}}}" for i, part in enumerate(parts))
        cases[name] = (f"streams: [{parts}], warmup: 3h", "drain" if name != "all" else "1d")
    for name, (workload, horizon) in cases.items():
        rows = come_as_one(folder, f"logged{name}", horizon, workload, "fcfs", "easy")
        assert int(rows[0]["jobs_submitted"]) > 1000, (name, rows[0]["jobs_submitted"])
    (folder / "empty.csv").write_text(text.splitlines()[0] + "\n")
    write_table(folder / "late.csv", "job_id,submit_s,gpus,duration_s", [("a", 100, 1, 5)])
    (folder / "bad.csv").write_text(text + "last,x,,,,5,,1,,,,,,,,\nlast,7,,,,,,1,,,,,,,,\n")
    done = easim("run", folder / "loggedlog.yaml", "--set", f"workload.file={folder / 'bad.csv'}", "--out", folder / "bad", "--summary-only",
                 code=2, says="bad.csv:5002:6: submit_s: expected")
    assert 'bad.csv:5003:1: job_id: job "last" is listed twice' in done.stderr and not (folder / "bad").exists(), done.stderr
    easim("run", folder / "loggedlog.yaml", "--set", f"workload.file={folder / 'empty.csv'}", "--out", folder / "empty", "--summary-only",
          code=2, says="empty.csv: the log holds no usable job")
    assert come_as_one(folder, "before", "drain", "kind: trace, file: late.csv, until: 50s", "fcfs")[0]["jobs_submitted"] == "0"


def numbers_read_back(folder):
    """Every number is the shortest text that reads back: Python's repr gives the same digits."""
    for name in ("jobs.csv", "summary.csv", "power.csv"):
        for row in rows_of(folder / "jobs" / name)[:200]:
            for cell in row.values():
                try:
                    value = float(cell)
                except (TypeError, ValueError):
                    continue
                assert cell not in ("nan", "inf", "-nan"), (name, cell)
                digits = repr(value).split("e")[0].replace(".", "").strip("-0")
                assert cell.split("e")[0].replace(".", "").strip("-0") == digits, (name, cell, repr(value))


def overrides_work(folder):
    manifest = json_of(folder / "energy" / "manifest.json")
    assert manifest["policy"]["name"] == "pollux" and manifest["partial"] is False
    run("eas-sim.yaml", folder / "set", "--policy", "zeus", "--seed", "7", "--replications", "2", "--set",
        "policy.params={edp_slack: 2.5}", "--summary-only", "--quiet")
    manifest = json_of(folder / "set" / "manifest.json")
    assert manifest["policy"]["params"]["edp_slack"] == 2.5 and manifest["seed"] == 7
    assert sorted(os.listdir(folder / "set")) == ["aggregate.csv", "manifest.json", "models.yaml", "scenario.yaml", "summary.csv"]
    summary = rows_of(folder / "set" / "summary.csv")
    assert [r["replication"] for r in summary] == ["1", "2"] and summary[0]["seed"] == "7"


def folders_are_protected(folder):
    out = folder / "set"
    done = run("eas-sim.yaml", out, "--quiet", code=2)
    assert "the folder is not empty" in done.stderr
    run("eas-sim.yaml", out, "--quiet", "--force", "--replications", "1")


def standard_input_works(folder):
    text = (SOURCE / "configs" / "eas-sim.yaml").read_text()
    text = text.replace("models/eas-sim.yaml", str(SOURCE / "configs" / "models" / "eas-sim.yaml"))
    easim("run", "-", "--out", folder / "stdin", "--quiet", input=text)
    assert filecmp.cmp(folder / "stdin" / "jobs.csv", folder / "1" / "jobs.csv") is False  # another policy
    run("eas-sim.yaml", folder / "pollux", "--quiet")
    assert filecmp.cmp(folder / "stdin" / "jobs.csv", folder / "pollux" / "jobs.csv", shallow=False)


cases(threads_do_not_matter, energy_adds_up, meter_is_the_integral, jobs_agree_with_summary, sums_need_no_rows, jobs_come_one_by_one, logged_jobs_come_one_by_one, numbers_read_back,
      overrides_work, folders_are_protected, standard_input_works, shared=True)
