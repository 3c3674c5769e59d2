"""The policy replay: what a policy decided on random rigid jobs, replayed from its own decisions, gives every job the same
times, energy and number of preemptions, and counts nothing; what is counted is in the notes and the manifest; the file is
an input. Recorded runs of a physical cluster, and negative controls, where EASIM_DATA is set.
"""
import random

from harness import SOURCE, cases, easim, json_of, real_data, rows_of, write_rows

POLICIES = ("fcfs", "easy", "las", "max_min", "tiresias", "allox", "pollux")
CONFIG = """\
name: n
horizon: drain
cluster:
  gpu_types: [{name: g, idle_w: 50, ctx_w: 90, tdp_w: 400}]
  nodes: [{count: 3, gpu: g, gpus: 4}]
workload: {kind: trace, file: jobs.csv, rigid_costs: {start_s: 7, restart_s: 20%s}}
policy: {name: %s}
"""
SAME = ("job_id", "start_s", "finish_s", "k", "energy_j", "gpu_s", "preemptions", "lost_s")


def write_jobs(folder, seed):
    rng, lines, at = random.Random(seed), ["job_id,submit_s,gpus,duration_s"], 0
    for i in range(60):
        at += rng.choice((0, rng.uniform(0, 300)))
        lines.append(f"job {i},{at:.3f},{rng.choice((1, 1, 2, 4, 6))},{rng.uniform(10, 3000):.6f}")
    (folder / "jobs.csv").write_text("\n".join(lines) + "\n")


def write_schedule(folder, stays):
    """stays: job, start, end, GPUs. All who are there at every start and end."""
    lines = ["time_s,job_id,gpus"]
    for t in sorted({s for _, s, _, _ in stays} | {e for _, _, e, _ in stays}, key=float):
        lines += [f"{t},{job},{k}" for job, start, end, k in stays if float(start) <= float(t) < float(end)]
    (folder / "schedule.csv").write_text("\n".join(lines) + "\n")


def stays_of(out):
    """From decisions.csv, and from jobs.csv the ends."""
    stays, begun = [], {}
    for row in rows_of(out / "decisions.csv"):
        assert row["answer"] == "ok", row
        if row["action"] == "start":
            begun[row["job_id"]] = (row["time_s"], row["k"])
        elif row["action"] == "preempt":
            start, k = begun.pop(row["job_id"])
            stays.append((row["job_id"], start, row["time_s"], k))
    ends = {row["job_id"]: row["finish_s"] for row in rows_of(out / "jobs.csv")}
    return stays + [(job, start, ends[job], k) for job, (start, k) in begun.items()]


def comes_back(folder, policy, seed, checkpoint):
    write_jobs(folder, seed)
    (folder / "c.yaml").write_text(CONFIG % (checkpoint, policy))
    out, again = folder / "out", folder / "again"
    easim("run", folder / "c.yaml", "--decisions", "--quiet", "--out", out, "--force")
    write_schedule(folder, stays_of(out))
    done = easim("run", folder / "c.yaml", "--policy", "replay", "--set", f"policy.params.file={folder}/schedule.csv",
                 "--check", "--strict", "--out", again, "--force")
    first, second = ([tuple(row[c] for c in SAME) for row in rows_of(o / "jobs.csv")] for o in (out, again))
    assert first == second, (policy, seed, [pair for pair in zip(first, second) if pair[0] != pair[1]][:3])
    assert "note:" not in done.stdout, done.stdout
    assert "counted_by_policy" not in json_of(again / "manifest.json")


def decisions_come_back(folder):
    preempted = 0
    for number, policy in enumerate(POLICIES):
        for seed in (number, number + 100):
            comes_back(folder, policy, seed, "" if seed < 100 else ", checkpoint_interval_s: 30")
            preempted += sum(int(row["preemptions"]) for row in rows_of(folder / "out/jobs.csv"))
    assert preempted > 100, preempted


def is_an_input(folder):
    """Relative to the scenario, hashed, named when it has changed; what is counted, in the notes and the manifest."""
    (folder / "sub").mkdir()
    (folder / "sub/r.csv").write_text("time_s,job_id,gpus\n0,a,1\n50,a,1\n50,b,1\n200,a,1\n200,x,1\n")
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s\na,0,1,100\nb,0,1,200\n")
    (folder / "c.yaml").write_text((CONFIG % ("", "replay")).replace("replay}", "replay, params: {file: sub/r.csv}}"))
    done = easim("run", folder / "c.yaml", "--out", folder / "o", cwd="/")
    for words in ("1 rows of finished jobs are dropped: a",
                  "1 rows of jobs that the workload does not have, or that were not admitted: x",
                  "1 jobs that run on after their last row, until they are done: b"):
        assert f"  note: {words}\n" in done.stdout, done.stdout
    manifest = json_of(folder / "o/manifest.json")
    assert {"what": "rows of finished jobs are dropped", "count": 1, "names": ["a"], "more_names": False} in manifest[
        "counted_by_policy"], manifest["counted_by_policy"]
    entry, = (entry for entry in manifest["inputs"] if entry["key"] == "policy.params.file")
    assert entry["path"] == "../sub/r.csv" and manifest["policy"]["params"] == {"file": "r.csv"}, manifest
    assert easim("run", folder / "o/manifest.json", cwd="/tmp").stdout == "equal\n"
    with open(folder / "sub/r.csv", "a") as file:
        file.write("210,b,1\n")
    easim("run", folder / "o/manifest.json", code=1, says="r.csv")
    assert "is no use" not in easim("check", folder / "c.yaml").stdout
    (folder / "sub/r.csv").write_text("node,time_s,job_id,gpus\n3,0,a,1\n")
    assert "columns that policy replay does not use: node" in easim("check", folder / "c.yaml").stdout


def points_are_one_note(folder):
    """What is counted in several points of a sweep is one note; the names are those of the first, with a sign that there are
    others."""
    for name, rest in (("one", "200,a,1\n200,b,1\n"), ("two", "200,a,1\n200,b,1\n400,c,1\n")):
        (folder / f"{name}.csv").write_text("time_s,job_id,gpus\n0,a,1\n0,b,1\n0,c,1\n" + rest)
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s\na,0,1,100\nb,0,1,100\nc,0,1,100\n")
    (folder / "c.yaml").write_text((CONFIG % ("", "replay")).replace("replay}", "replay, params: {file: one.csv}}"))
    (folder / "s.yaml").write_text("name: s\nbase: c.yaml\naxes:\n  - {name: file, path: policy.params.file, "
                                   "values: [one.csv, two.csv]}\n")
    easim("sweep", "s.yaml", "--out", "o", cwd=folder, prints="  note: 5 rows of finished jobs are dropped: a, b ...\n")


def physical_errors(folder, policy, measured, jobs=None):
    """Errors of makespan and mean completion time, from jobs.csv, against the physical run."""
    data = "${EASIM_DATA}/validation/shockwave_tacc32"
    easim("run", SOURCE / "configs/tacc32.yaml", "--out", folder / "out", "--force", "--quiet", "--set",
          f"params_by_policy.replay.file={data}/schedule_{policy}.csv", "--set", f"workload.file={jobs or data + '/jobs.csv'}")
    done = [(float(row["submit_s"]), float(row["finish_s"])) for row in rows_of(folder / "out/jobs.csv")]
    assert len(done) == 120, len(done)
    found = max(end for _, end in done), sum(end - submit for submit, end in done) / len(done)
    return [value / wanted - 1 for value, wanted in zip(found, measured, strict=True)]


def physical_cluster(folder):
    """Recorded schedules of runs with the profiled durations: within 3 %; with wrong ones each must miss that."""
    data = real_data("validation/shockwave_tacc32")
    runs = {row["policy"]: (float(row["makespan_s"]), float(row["jct_mean_s"])) for row in rows_of(data / "runs.csv")
            if row["kind"] == "physical"}
    jobs = rows_of(data / "jobs.csv")
    seconds = [float(job["duration_s"]) for job in jobs]
    controls = {"0.9": [0.9 * s for s in seconds], "1.1": [1.1 * s for s in seconds],
                "constant": [sum(seconds) / len(seconds)] * len(seconds)}
    for policy in ("allox", "shockwave"):
        errors = physical_errors(folder, policy, runs[policy])
        assert max(map(abs, errors)) <= 0.03, (policy, errors)
        for name, durations in controls.items():
            write_rows(folder / "jobs.csv", [job | {"duration_s": repr(s)} for job, s in zip(jobs, durations, strict=True)])
            errors = physical_errors(folder, policy, runs[policy], folder / "jobs.csv")
            assert max(map(abs, errors)) > 0.03, (policy, name, errors)


cases(decisions_come_back, is_an_input, points_are_one_note, physical_cluster)
