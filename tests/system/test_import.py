"""easim import as a user runs it: test_import.py EASIM SOURCE

Several files as one log, draws that agree with those of a scenario, a node list, and refusal of what cannot be meant.
"""
import json

from harness import SOURCE, cases, easim, json_of, rows_of, same_files

SAMPLE = SOURCE / "workloads" / "itp-sample.csv"
ASSIGN = """\
users: [ada, bo, cy]
deadlines: {share: 0.5, slack: [2, 4]}
assign:
  models: [{model: vit-base-fp32}, {model: resnet50-fp32, weight: 2}]
"""
SCENARIO = """\
name: assign
seed: 9
horizon: drain
cluster:
  gpu_types:
    - {name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}
  nodes:
    - {count: 4, gpu: a100, gpus: 8}
models: MODELS
workload:
  kind: trace
  format: itp
  file: LOG
  k: [1, 2, 4, 8, 16]
  users: [ada, bo, cy]
  assign:
    models: [{model: vit-base-fp32}, {model: resnet50-fp32, weight: 2}]
policy: {name: fcfs}
"""


def draws_of_a_scenario(folder):
    """The first replication of a scenario with the same keys and seed has the same models and users."""
    (folder / "assign.yaml").write_text(ASSIGN, encoding="utf-8")
    text = SCENARIO.replace("MODELS", str(SOURCE / "configs" / "models" / "eas-sim.yaml")).replace("LOG", str(SAMPLE))
    (folder / "c.yaml").write_text(text, encoding="utf-8")
    easim("import", "itp", SAMPLE, "--assign", folder / "assign.yaml", "--seed", 9, "-o", folder / "w.csv")
    easim("run", folder / "c.yaml", "--out", folder / "out", "--quiet")
    imported = {row["job_id"]: (row["model"], row["user"]) for row in rows_of(folder / "w.csv")}
    simulated = {row["job_id"]: (row["model"], row["user"]) for row in rows_of(folder / "out" / "jobs.csv")}
    assert len(imported) == 60 and imported == simulated
    assert len(set(imported.values())) == 6, set(imported.values())


def slurm_sample(folder):
    """What a real Slurm recorded, row by row: jobs, no steps, that had GPUs for some time and were not requeued."""
    log = SOURCE / "workloads" / "slurm-sample.txt"
    easim("import", "slurm", log, "-o", folder / "slurm.csv")
    header, *lines = [line.split("|") for line in log.read_text(encoding="utf-8").splitlines()]
    wanted = {}
    for row in (dict(zip(header, line)) for line in lines):
        tres = dict(part.rsplit("=", 1) for part in row["AllocTRES"].split(",") if part)
        if "." not in row["JobID"] and "gres/gpu" in tres and row["State"] != "REQUEUED" and int(row["ElapsedRaw"]) > 0:
            types = [name.split(":")[1] for name in tres if name.startswith("gres/gpu:")]
            wanted[row["JobID"]] = (row["ElapsedRaw"] + ".0", tres["gres/gpu"], types[0], row["User"])
    found = {row["job_id"]: (row["duration_s"], row["gpus"], row["gpu_type"], row["user"]) for row in rows_of(folder / "slurm.csv")}
    assert found == wanted and len(found) > 10, (found, wanted)


def unused_columns(folder):
    """Each format names the columns that change no job: those that its reader does not take from the row, by its table
    in docs/reference/logs.md; "label" if the workload CSV keeps them."""
    job = [{"jobid": "j", "vc": "v", "user": "u", "status": "Pass", "submitted_time": "2017-10-01 00:00:00",
            "attempts": [{"start_time": "2017-10-01 00:00:00", "end_time": "2017-10-01 00:10:00",
                          "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]}]
    logs = {
        "slurm": ("JobID|Submit|Start|ElapsedRaw|State|AllocTRES|ReqTRES|Eligible\n"
                  "1|2024-01-01T00:00:00|2024-01-01T00:01:00|100|COMPLETED|gres/gpu=2|gres/gpu=2|2024-01-01T00:00:00\n",
                  "columns Start, ReqTRES (label), Eligible (label)"),
        "helios": ("job_id,submit_time,duration,gpu_num,start_time,end_time,state\n"
                   "1,2020-04-01 00:00:00,60,1,2020-04-01 00:00:00,2020-04-01 00:01:00,COMPLETED\n",
                   "columns start_time, end_time, state (label)"),
        "itp": ("job_id,num_gpu,submission_time,duration,model_name\n1,1,0,100,bert\n", "columns model_name (label)"),
        "philly": ("timestamp,duration,num_gpus,cluster,extra\n2017-10-01 00:00:00,60,1,v,x\n", "columns extra (label)"),
        "pollux": ("name,time,application,num_gpus,batch_size,tries\na,0,bert,1,8,3\n", "columns tries (label)"),
        "alibaba-gpu-2023": ("name,cpu_milli,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time\n"
                             "p,1000,1,1000,0,60,0\n", "columns cpu_milli (label)"),
        "alibaba-pai-2020": ("job_id,submit_time,duration,num_gpu,plan_cpu\n1,0,60,1,600\n", "columns plan_cpu (label)"),
        "swf": ("1 0 -1 60 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n",
                "fields 3, 6, 7, 10, 13 (label), 14, 15 (label), 16 (label), 17, 18"),
        "gavel": ("ResNet-18 (batch size 32)\tcmd\tdir\t-n\t0\t100\t1\t1\t-1\t0\n",
                  "columns command (label), working_dir (label), num_steps_arg (label), needs_data_dir (label), "
                  "priority_weight (label), SLO (label)"),
        "philly-json": (json.dumps(job), "members vc (label), status (label)"),
        "workload": ("job_id,submit_s,gpus,duration_s\n1,0,1,60\n", None)}
    for form, (text, unused) in logs.items():
        (folder / form).write_text(text, encoding="utf-8")
        said = easim("import", form, folder / form, "-o", folder / "w.csv").stderr.splitlines()
        expected = [f"{folder / form}: not used: {unused}"] if unused else []
        assert [line for line in said if "not used" in line] == expected, (form, said)
    (folder / "itp").write_text("job_id,num_gpu,submission_time,duration,model_name,batch_size\n1,1,0,100,bert,8\n",
                                encoding="utf-8")
    said = easim("import", "itp", folder / "itp", "--models", "-o", folder / "w.csv").stderr
    assert "not used" not in said, said


def several_files(folder):
    """A log cut in two by lines is the same log with prefixed ids; the later half is read first."""
    header, *lines = SAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "b.csv").write_text(header + "".join(lines[:30]), encoding="utf-8")
    (folder / "a.csv").write_text(header + "".join(lines[30:]), encoding="utf-8")
    said = easim("import", "itp", folder / "a.csv", folder / "b.csv", "-o", folder / "both.csv").stderr.splitlines()
    easim("import", "itp", SAMPLE, "-o", folder / "one.csv")
    both, one = rows_of(folder / "both.csv"), rows_of(folder / "one.csv")
    for row in both:
        part, row["job_id"] = row["job_id"].split("-", 1)
        assert part == ("2" if int(row["job_id"].split("-")[1]) < 30 else "1"), row
    def key(row):
        return float(row["submit_s"]), row["job_id"]

    assert sorted(both, key=key) == sorted(one, key=key)
    assert said[-2:] == ["all files: 60 rows written", "all files: first submit at 1000 s is now 0"], said
    easim("import", "itp", folder / "a.csv", folder / "b.csv", "--from", "2h", "--rows", 5, "-o", folder / "both.csv")
    easim("import", "itp", SAMPLE, "--from", "2h", "--rows", 5, "-o", folder / "one.csv")
    cut = [row | {"job_id": row["job_id"].split("-", 1)[1]} for row in rows_of(folder / "both.csv")]
    assert len(cut) == 5 and cut == rows_of(folder / "one.csv")


def slices(folder):
    """Consecutive slices of time hold every job once."""
    ids = []
    for first, last in (("0", "10h"), ("10h", "20h"), ("20h", "1000d")):
        easim("import", "itp", SAMPLE, "--from", first, "--until", last, "-o", folder / "part.csv")
        part = rows_of(folder / "part.csv")
        assert float(part[0]["submit_s"]) == 0
        ids += [row["job_id"] for row in part]
    easim("import", "itp", SAMPLE, "-o", folder / "one.csv")
    assert ids == [row["job_id"] for row in rows_of(folder / "one.csv")]


HEADER = "job_id,submit_s,user,model,work_samples,duration_s,requested_s,gpus,batch,gpu_type,deadline_s,class,label.of\n"
OPTIONS = ["--from", "2h", "--until", "40h", "--rows", "3:40", "--kill-at-request", "--load-scale", 1.7, "--compress",
           1.25, "--seed", 9]
KEYS = ("slice: {from: 2h, until: 40h, first_row: 3, last_row: 40}, kill_at_request: true, load_scale: 1.7, "
        "time_compression: 1.25")
RUN = """\
name: changed
seed: 9
horizon: drain
cluster: {gpu_types: [{name: g, idle_w: 60, tdp_w: 400}], nodes: [{count: 2, gpu: g, gpus: 8}]}
workload: {kind: trace, WHAT}
policy: {name: easy}
"""


def changes_of_a_scenario(folder):
    """Keys that change the log give the same bytes as the options of import and then a run. The log is as its formulas
    in workloads/README.md, with requests of 3000 s."""
    log = folder / "log.swf"
    lines = [f"{i + 1} {row['submit_s']} -1 {row['duration_s']} {row['gpus']} -1 -1 -1 3000 " + "-1 " * 9
             for i, row in enumerate(itp_rows(folder))]
    log.write_text("\n".join(lines), encoding="utf-8")
    said = easim("import", "swf", log, *OPTIONS, "-o", folder / "w.csv").stderr
    for name, what in (("two", f"file: {folder}/w.csv"), ("one", f"format: swf, file: {log}, {KEYS}")):
        (folder / f"{name}.yaml").write_text(RUN.replace("WHAT", what), encoding="utf-8")
        easim("run", folder / f"{name}.yaml", "--out", folder / name, "--quiet", "--check")
    jobs = rows_of(folder / "two" / "jobs.csv")
    assert len(jobs) > 40 and any("~2" in job["job_id"] for job in jobs)
    same_files(folder / "one", folder / "two", "jobs.csv", "summary.csv", "power.csv", "users.csv", "types.csv")
    trace = json_of(folder / "one" / "manifest.json")["traces"][0]
    assert (trace["rows_read"], trace["rows_kept"]) == (60, len(jobs))
    assert f"first submit at {trace['offset_s']} s is now 0" in said
    for note in trace["notes"]:
        assert f"{note['rows']} rows {note['what']}: {note['reason']} (first: line {note['first_line']})" in said, note


def itp_rows(folder):
    easim("import", "itp", SAMPLE, "-o", folder / "sample.csv")
    return rows_of(folder / "sample.csv")


def order_of_changes(folder):
    """Slices count from the first submit, in local time; the load is scaled before the times are compressed; a seed
    draws the same twice."""
    log = folder / "log.csv"
    log.write_text("timestamp,duration,num_gpus,cluster\n" +
                   "".join(f"2017-11-{day:02d} 12:00:00,60,1,v\n" for day in range(3, 9)), encoding="utf-8")
    # 3 November noon PDT to 5 November noon PST are 49 h
    easim("import", "philly", log, "--until", "49h", "-o", folder / "a.csv")
    assert [row["submit_s"] for row in rows_of(folder / "a.csv")] == ["0.0", "86400.0"]
    easim("import", "philly", log, "--until", "172801s", "--time-zone", "UTC", "-o", folder / "a.csv")
    assert len(rows_of(folder / "a.csv")) == 3
    options = ["--load-scale", 3, "--compress", 2, "-o"]
    easim("import", "philly", log, "--seed", 5, *options, folder / "a.csv")
    easim("import", "philly", log, "--seed", 5, *options, folder / "b.csv")
    easim("import", "philly", log, "--seed", 6, *options, folder / "c.csv")
    texts = [(folder / name).read_text(encoding="utf-8") for name in ("a.csv", "b.csv", "c.csv")]
    assert texts[0] == texts[1] != texts[2]
    noons = {(24 * day + hour) / 2 for day in range(6) for hour in (0, 1)}  # of PDT and PST, at half the distances
    hours = {float(row["submit_s"]) / 3600 for row in rows_of(folder / "a.csv")}
    assert len(rows_of(folder / "a.csv")) == 18 and hours <= noons, hours


def nodes(folder):
    """A log and its node list become a scenario that runs once the power is filled in; A|B runs on either type."""
    (folder / "pods.csv").write_text(
        "name,num_gpu,gpu_milli,gpu_spec,pod_phase,creation_time,deletion_time,scheduled_time\n"
        "p0,1,500,x|y,Succeeded,0,100,0\np1,2,1000,y,Succeeded,0,100,0\np2,9,1000,,Succeeded,0,100,0\n",
        encoding="utf-8")
    (folder / "nodes.csv").write_text("sn,gpu,model\nn1,1,x\nn2,2,y\n", encoding="utf-8")
    easim("import", "alibaba-gpu-2023", folder / "pods.csv", "-o", folder / "pods-easim.csv", "--nodes",
        folder / "nodes.csv", "--cluster-out", folder / "cluster.yaml")
    cluster = (folder / "cluster.yaml").read_text(encoding="utf-8")
    scenario = (f"{cluster}name: pods\nhorizon: drain\nseed: 1\npolicy: {{name: fcfs}}\n"
                f"workload: {{kind: trace, file: {folder}/pods-easim.csv}}\n")
    (folder / "pods.yaml").write_text(scenario, encoding="utf-8")
    easim("check", folder / "pods.yaml", code=2, says="idle_w")
    (folder / "pods.yaml").write_text(scenario.replace('"}', '", idle_w: 50, tdp_w: 300}'), encoding="utf-8")
    easim("run", folder / "pods.yaml", "--out", folder / "pods", "--quiet", "--check")
    status = {row["job_id"]: row["status"] for row in rows_of(folder / "pods" / "jobs.csv")}
    assert status == {"p0": "finished", "p1": "finished", "p2": "rejected"}, status
    manifest = (folder / "pods" / "manifest.json").read_text(encoding="utf-8")
    assert "part of a GPU (gpu_milli" not in manifest and "whole" not in manifest  # fcfs shares GPUs


def pieces(folder):
    """A log whose rows leave in several pieces is the same in a file and on standard output: its own lines."""
    log = folder / "log.csv"
    lines = [f"{i},{i}.5,u{i % 7},,,{i % 911}.25,,1,,,,best_effort,\"a,{i % 3}\"\n" for i in range(30000)]
    log.write_text(HEADER + "".join(lines), encoding="utf-8")
    said = easim("import", "workload", log, "-o", folder / "w.csv").stdout
    shown = easim("import", "workload", log).stdout
    assert said == "" and shown == (folder / "w.csv").read_text(encoding="utf-8") == log.read_text(encoding="utf-8")


cases(draws_of_a_scenario, slurm_sample, unused_columns, several_files, slices, changes_of_a_scenario, order_of_changes, nodes, pieces)
