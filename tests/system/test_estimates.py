"""What policies take as the run time of jobs without a model (`estimate` of a stream): test_estimates.py EASIM SOURCE.

The cluster has four GPUs. Under `easy` a (3 GPUs, 10 s) starts at 0, b (4 GPUs) waits for it, and c (1 GPU, from 2 on) may
pass b if it is expected to end before a is: every start below is worked out by hand from the T of the jobs.
"""
import math

from harness import cases, easim, json_of, rows_of

LOG = "job_id,submit_s,gpus,duration_s,requested_s\na,0,3,10,10\nb,1,4,5,5\nc,2,1,8,9\n"
BASE = """name: estimates
horizon: {horizon}
seed: 7
replications: {replications}
cluster: {{gpu_types: [{{name: g, idle_w: 50, tdp_w: 400}}], nodes: [{{gpu: g, gpus: 4}}]}}
workload: {workload}
policy: {{name: easy}}
"""
RIGID = ("kind: poisson, rate_per_s: 0.01, rigid: {k: [1, 2, 4]}, sizes: {law: exponential, mean: 238.5s}, users: 3, "
         "deadlines: {share: 0.5, slack: [1.5, 4]}, until: {jobs: 400}")
UNIFORM = "{factor: {uniform: [1.5, 3.25]}}"


def write(folder, workload="{kind: trace, file: jobs.csv}", horizon="drain", replications=1, log=LOG):
    (folder / "jobs.csv").write_text(log)
    config = folder / "c.yaml"
    config.write_text(BASE.format(workload=workload, horizon=horizon, replications=replications))
    return config


def estimate(text):
    return [] if text is None else ["--set", f"workload.estimate={text}"]


def starts(config, text):
    easim("run", config, *estimate(text), "--out", config.parent / "out", "--force", "--quiet")
    return {row["job_id"]: float(row["start_s"]) for row in rows_of(config.parent / "out/jobs.csv")}


def gen(config, *words):
    easim("gen", config, "-o", config.parent / "gen.csv", "--quiet", *words)
    return rows_of(config.parent / "gen.csv")


def by_hand(folder):
    """T of a, b, c: 10, 5, 9 as requested, c would end at 11, after a, and waits for b; 10, 5, 8 by run time, c ends at 10;
    30, 15, 24 by factor 3, c is expected at 26, before a. A log without requests has run times for them."""
    config = write(folder)
    late, early = {"a": 0, "b": 10, "c": 15}, {"a": 0, "b": 10, "c": 2}
    assert starts(config, None) == starts(config, "requested") == late
    assert starts(config, "run") == starts(config, "{factor: 3}") == early
    swf = "".join(f"{n} {submit} -1 {run} {k} -1 -1 {k} {asked} -1 1 1 1 -1 -1 -1 -1 -1\n"
                  for n, (submit, k, run, asked) in enumerate(((0, 3, 10, 10), (1, 4, 5, 5), (2, 1, 8, 9)), 1))
    config = write(folder, "{kind: trace, format: swf, file: jobs.csv}", log=swf)
    assert list(starts(config, None).values()) == [0, 10, 15] and list(starts(config, "run").values()) == [0, 10, 2]
    itp = "job_id,submission_time,duration,num_gpu\na,0,10,3\nb,1,5,4\nc,2,8,1\n"
    config = write(folder, "{kind: trace, format: itp, file: jobs.csv}", log=itp)
    assert starts(config, None) == starts(config, "{factor: 3}") == early


def factors(folder):
    """requested_s = run time x F to the nanosecond; run times, deadlines and all else are as without the key."""
    for workload in ("{kind: trace, file: jobs.csv}", "{" + RIGID + "}"):
        config = write(folder, workload)
        plain, run = gen(config), gen(config, *estimate("run"))
        assert [r | {"requested_s": ""} for r in plain] == run and len(run) in (3, 400)
        thrice = gen(config, *estimate("{factor: 2.385}"))
        assert all(r["requested_s"] == f"{float(r['duration_s']) * 2.385:.9f}".rstrip("0").rstrip(".") for r in thrice), thrice
        assert [r | {"requested_s": ""} for r in thrice] == run
    drawn = gen(config, *estimate(UNIFORM))
    assert [r | {"requested_s": ""} for r in drawn] == run
    ratios = [float(r["requested_s"]) / float(r["duration_s"]) for r in drawn]
    assert min(ratios) >= 1.5 and max(ratios) < 3.25 and len(set(ratios)) == 400
    assert abs(sum(ratios) / 400 - 2.375) < 4.5 * 1.75 / math.sqrt(12 * 400)  # 4.5 standard errors of the mean
    assert drawn == gen(config, *estimate(UNIFORM))
    assert ratios != [float(r["requested_s"]) / float(r["duration_s"]) for r in gen(config, *estimate(UNIFORM), "--seed", 8)]
    second = gen(config, *estimate(UNIFORM), "--replication", 2, "--set", "replications=2")
    assert sorted(ratios) != sorted(float(r["requested_s"]) / float(r["duration_s"]) for r in second)
    words = gen(config, *estimate("{factor: {choice: {half: 0.5, same: 1}}}"))
    of = [round(float(r["requested_s"] or r["duration_s"]) / float(r["duration_s"]), 6) for r in words]
    assert set(of) == {0.5, 1} and 160 <= of.count(1) <= 240, of  # 4 standard deviations of 400 draws of 1/2


def streams_apart(folder):
    """Each stream draws its own factors, whatever the others do; jobs with a model draw, and change nobody's factor."""
    both = "{streams: [{name: x, %s%s}, {name: y, %s, estimate: %s}]}"
    alone = gen(write(folder, both % (RIGID, "", RIGID, UNIFORM)))
    beside = gen(write(folder, both % (RIGID, ", estimate: " + UNIFORM, RIGID, UNIFORM)))
    ours, theirs = ([r for r in rows if r["job_id"].startswith("y-")] for rows in (alone, beside))
    assert ours == theirs and len(ours) == 400
    x = {r["job_id"][2:]: float(r["requested_s"]) / float(r["duration_s"]) for r in beside if r["job_id"].startswith("x-")}
    y = {r["job_id"][2:]: float(r["requested_s"]) / float(r["duration_s"]) for r in theirs}
    assert sum(abs(x[n] - y[n]) > 1e-6 for n in x) > 390
    log = "job_id,submit_s,gpus,duration_s,requested_s,model\na,0,1,10,,\nb,1,1,5,9,%s\nc,2,1,8,9,\n"
    config = write(folder, log=log % "")
    rigid = gen(config, *estimate(UNIFORM))
    config = write(folder, log=log % "m")
    model = ("models={models: [{name: m, m0: 8, phi: 100, batches: [8], gpus: {g: {a_s: 0.1, c_s: 0.01, gamma: 2, alpha_s: 0, p0_w: 100, "
             "pmax_w: 300, evidence: assumed, source: test}}}]}")
    mixed = gen(config, *estimate(UNIFORM), "--set", model)
    assert [r["requested_s"] for r in mixed] == [rigid[0]["requested_s"], "", rigid[2]["requested_s"]]
    told = [easim("check", config, *estimate(text), "--set", model, *more).stderr + easim(
        "check", config, *estimate(text), "--set", model, *more).stdout for text, more in (
            (UNIFORM, ()), ("run", ("--set", "workload.assign={models: [{model: m}]}")), (None, ()))]
    assert "workload.estimate: of no effect on jobs with a model\n" in told[0], told
    assert "workload.estimate: of no effect, all its jobs have a model\n" in told[1], told
    assert "estimate" not in told[2], told
    done = easim("check", write(folder, "{" + RIGID + "}"), *estimate("run"))
    assert "workload.estimate: of no effect, no job asks for another time than its run time" in done.stdout + done.stderr


def limits(folder):
    """Run times that kill_at_request cuts are cut at the request of the log, whatever policies take. An estimate is at most
    4e9 s, as a workload CSV may hold; import has requests and run times alike."""
    log = "job_id,submit_s,gpus,duration_s,requested_s\na,0,1,100,50\nb,1,1,3e9,\nc,2,1,0,7\n"
    config = write(folder, "{kind: trace, file: jobs.csv, kill_at_request: true}", log=log)
    for text, asked in (("requested", ["", "", "7.0"]), ("run", ["", "", ""]), ("{factor: 3}", ["150.0", "4000000000.0", ""])):
        rows = gen(config, *estimate(text))
        assert [r["requested_s"] for r in rows] == asked and [r["duration_s"] for r in rows] == ["50.0", "3000000000.0", "0.0"], rows
    out = easim("import", "workload", folder / "jobs.csv", "--estimate", "run", "--kill-at-request")
    assert [line.split(",")[5:7] for line in out.stdout.splitlines()[1:]] == [["50.0"] * 2, ["3000000000.0"] * 2, ["0.0"] * 2]
    assert "2 rows changed: run time taken as the requested time (first: line 3)\n" in out.stderr, out.stderr


def again(folder):
    """A log written by gen runs as the scenario does; a run repeats from its manifest, which says what was estimated; a
    sweep has it as an axis."""
    config = write(folder, "{" + RIGID + "}", replications=3)
    easim("run", config, *estimate(UNIFORM), "-q", "--out", folder / "own")
    manifest = json_of(folder / "own/manifest.json")
    assert manifest["estimates"] == [{"stream": "s1", "estimate": UNIFORM}], manifest["estimates"]
    easim("run", folder / "own/manifest.json")  # fails unless its files come out the same
    gen(config, *estimate(UNIFORM))
    easim("run", config, "-q", "-n", 1, "--set", f"workload={{kind: trace, file: {folder}/gen.csv}}", "--out", folder / "again")
    own = [row for row in rows_of(folder / "own/jobs.csv") if row["replication"] == "1"]
    assert own == rows_of(folder / "again/jobs.csv") and len(own) == 400
    sweep = folder / "sweep.yaml"
    sweep.write_text("name: swept\nbase: c.yaml\n"
                     f"axes: [{{path: workload.estimate, values: [requested, run, {UNIFORM}]}}]\n")
    easim("sweep", sweep, "--out", folder / "swept", "-q")
    waits = [row["wait_mean_s"] for row in rows_of(folder / "swept/sweep.csv")]
    assert len(waits) == 9 and waits[:3] == waits[3:6] and all(a != b for a, b in zip(waits, waits[6:])), waits


cases(by_hand, factors, streams_apart, limits, again)
