"""Recorded logs as workload, and easim import."""

import gzip

from base import JOBS, command, log, workload

KNOWN = ("(columns: job_id, submit_s, user, model, work_samples, duration_s, requested_s, gpus, batch, gpu_type, deadline_s, class, "
         "utilization, gpu_share, flex); extra columns are named label.*")
SECONDS = "seconds 0..4e9 or empty"
SWF = """\
; MaxProcs: 8
1 0 -1 100 2 -1 -1 2 200 -1 1 1 1 -1 1 1 -1 -1
2 10 -1 100 2 -1 -1 2 200 -1 1 1 1 -1 1 1 -1 -1
"""
LOG_FORMATS = "swf, itp, philly, philly-json, alibaba-gpu-2023, alibaba-pai-2020, helios, acme, gavel, pollux, sia, slurm"
TRY = "Try `easim import --help' for more information."
ITP = "job_id,num_gpu,submission_time,duration\n1,1,0,100\n"


def rows(name, text, *errors):
    """A log of rows below the header of JOBS."""
    return log(f"log: {name}", JOBS.splitlines()[0] + "\n" + text, *errors)


def option(name, value, error):
    """An option of import with a bad value."""
    return command(f"import: {name} {value}", ["import", "swf", "log.swf", name, value], f"easim import: {error}", TRY,
                   files={"log.swf": SWF})


DAYS = JOBS.splitlines()[0] + "\n1,0,u1,,,100,,1,,,,\n2,90000,u1,,,100,,1,,,,\n3,260000,u1,,,100,,1,,,,\n"


def perturb(name, value, *errors, rows=DAYS):
    """A log of four days (one of them empty) with a key perturb."""
    case = workload(f"perturb: {name}", f"workload: {{kind: trace, file: jobs.csv, perturb: {value}}}\n", *errors)
    case.files["jobs.csv"] = rows
    return case


CASES = [
    workload("log: file missing", "workload: {kind: trace}\n",
             "c.yaml:10:11: workload: key \"file\" is missing (kind: trace)"),
    workload("log: file not found", "workload: {kind: trace, file: nowhere.csv}\n",
             "c.yaml:10:31: workload.file: nowhere.csv: cannot open: No such file or directory"),
    workload("log: folder instead of a file", "workload: {kind: trace, file: .}\n",
             ".: cannot read: Is a directory"),
    workload("log: variable that is not set", "workload: {kind: trace, file: \"${EASIM_TEST_NONE}/jobs.csv\"}\n",
             "c.yaml:10:31: workload.file: environment variable EASIM_TEST_NONE is not set"),
    workload("log: unknown format", "workload: {kind: trace, format: sfw, file: jobs.csv}\n",
             f"c.yaml:10:11: workload.format: expected one of workload | {LOG_FORMATS.replace(', ', ' | ')}, got \"sfw\""),
    workload("log: with a rate", "workload: {kind: trace, file: jobs.csv, rate_per_s: 1}\n",
             "c.yaml:10:11: workload: rate_per_s, load, sizes, mix and rigid do not belong to kind: trace (see "
             "assign)"),
    workload("log: assigned to an unknown model",
             "workload: {kind: trace, file: jobs.csv, assign: {models: [{model: gpt}]}}\n",
             "c.yaml:10:59: workload.assign.models[0].model: no model is named \"gpt\""),
    log("log: empty file", "", "jobs.csv: empty file, expected a header line"),
    log("log: header only", JOBS.splitlines()[0] + "\n", "jobs.csv: the log holds no usable job"),
    log("log: columns missing", "user,gpus\nu1,1\n",
        "jobs.csv:1: column \"job_id\" is missing (columns: user, gpus)", "jobs.csv:1: column \"submit_s\" is missing (columns: user, gpus)"),
    log("log: unknown column with suggestion", ("requested_s", "request_s"),
        f"jobs.csv:1: unknown column \"request_s\", did you mean \"requested_s\"? {KNOWN}"),
    log("log: unknown column without suggestion", ("requested_s", "favourite_colour"),
        f"jobs.csv:1: unknown column \"favourite_colour\" {KNOWN}"),
    log("log: column twice", ("requested_s", "user"), "jobs.csv:1:52: duplicate column \"user\""),
    log("log: column without a name", ("requested_s", ""), "jobs.csv:1:52: empty column name"),
    rows("job twice", "a,0,u1,,,100,,1,,,,\nb,1,u1,,,100,,1,,,,\na,2,u1,,,100,,1,,,,\n",
         "jobs.csv:4:1: job_id: job \"a\" is listed twice"),
    rows("job without an id", ",0,u1,,,100,,1,,,,\n", "jobs.csv:2:1: job_id: expected a job id, got \"\""),
    rows("no submit", "1,,u1,,,100,,1,,,,\n", "jobs.csv:2:3: submit_s: expected seconds 0..4e9, got \"\""),
    rows("negative submit", "1,-5,u1,,,100,,1,,,,\n", "jobs.csv:2:3: submit_s: expected seconds 0..4e9, got \"-5\""),
    rows("submit with a unit", "1,5s,u1,,,100,,1,,,,\n", "jobs.csv:2:3: submit_s: expected seconds 0..4e9, got \"5s\""),
    rows("not a number", "1,0,u1,,,NaN,,1,,,,\n", f"jobs.csv:2:10: duration_s: expected {SECONDS}, got \"NaN\""),
    rows("batches that are none", "1,0,u1,bert,5,,,2,0,,,\n2,0,u1,bert,5,,,2,-0.5,,,\n3,0,u1,bert,5,,,2,nan,,,\n"
         "4,0,u1,bert,5,,,2,1/2,,,\n5,0,u1,bert,5,,,2,2e9,,,\n",
         *(f"jobs.csv:{line}:19: batch: expected number > 0 and <= 1e9 or empty, got \"{text}\""
           for line, text in enumerate(("0", "-0.5", "nan", "1/2", "2e9"), 2))),
    rows("infinite work", "1,0,u1,bert,inf,,,,,,,\n",
         "jobs.csv:2:13: work_samples: expected samples 0..1e300 or empty, got \"inf\""),
    rows("hexadecimal duration", "1,0,u1,,,0x64,,1,,,,\n",
         f"jobs.csv:2:10: duration_s: expected {SECONDS}, got \"0x64\""),
    rows("half a GPU", "1,0,u1,,,100,,0.5,,,,\n",
         "jobs.csv:2:15: gpus: expected integer 1..1073741824 or empty, got \"0.5\""),
    rows("too few fields", "1,0,u1\n2,0,u1,,,100,,0,,,,\n",
         "jobs.csv:2:1: expected 12 fields as in the header, found 3",
         "jobs.csv:3:15: gpus: expected integer 1..1073741824 or empty, got \"0\""),
    rows("too many fields", "1,0,u1,,,100,,1,,,,,\n", "jobs.csv:2:1: expected 12 fields as in the header, found 13"),
    rows("quote not closed", "1,0,\"u1,,,100,,1,,,,\n", "jobs.csv:2:5: quote not closed on this line"),
    rows("unknown class", "1,0,u1,,,100,,1,,,,urgent\n",
         "jobs.csv:2:20: class: expected best_effort, sla or empty, got \"urgent\""),
    rows("no GPUs", "1,0,u1,,,100,,,,,,\n", "jobs.csv:2: gpus: a job without a model needs gpus"),
    rows("no duration", "1,0,u1,,,,,1,,,,\n", "jobs.csv:2: duration_s: a job without a model needs duration_s"),
    rows("no work", "1,0,u1,bert,,,,1,,,,\n",
         "jobs.csv:2: work_samples: a job with a model needs work_samples or duration_s"),
    rows("no GPUs of a recorded duration", "1,0,u1,bert,,100,,,,,,\n",
         "jobs.csv:2: gpus: a job with duration_s but no work_samples needs gpus"),
    rows("unknown model", "1,0,u1,brt,100,,,,,,,\n",
         "jobs.csv:2: model: no model is named \"brt\", did you mean \"bert\"?"),
    rows("unknown GPU type", "1,0,u1,,,100,,1,,v100,,\n",
         "jobs.csv:2: gpu_type: no GPU type is named \"v100\", did you mean \"a100\"?"),
    rows("deadline of words", "1,0,u1,,,100,,1,,,tomorrow,\n",
         "jobs.csv:2:19: deadline_s: expected seconds -4e9..4e9 or empty, got \"tomorrow\""),
    rows("several problems of one row", "1,x,u1,,,y,,z,,,,w\n",
         "jobs.csv:2:3: submit_s: expected seconds 0..4e9, got \"x\"",
         f"jobs.csv:2:10: duration_s: expected {SECONDS}, got \"y\"",
         "jobs.csv:2:13: gpus: expected integer 1..1073741824 or empty, got \"z\"",
         "jobs.csv:2:18: class: expected best_effort, sla or empty, got \"w\""),
    rows("NUL byte", "1,0,u\0,,,100,,1,,,,\n", "jobs.csv:2:6: NUL byte (is this a text file in UTF-8?)"),
    log("log: truncated gzip", gzip.compress(JOBS.encode(), mtime=0)[:-8],
        "jobs.csv.gz: truncated gzip data after line 3", path="jobs.csv.gz"),
    log("log: damaged gzip", b"\x1f\x8bnothing of that kind",
        "jobs.csv.gz: damaged gzip data after line 0: unknown compression method", path="jobs.csv.gz"),
    log("swf: bad fields", SWF.replace("2 10 -1 100 2", "2 ten -1 long 2.5"),
        "log.swf:3:3: field 2: expected number, got \"ten\"",
        "log.swf:3:10: field 4: expected number, got \"long\"",
        "log.swf:3:15: field 5: expected integer, got \"2.5\"", path="log.swf", format="swf"),
    log("swf: too few fields", SWF + "3 20 -1 100\n", "log.swf:4:1: expected at least 18 fields, found 4",
        path="log.swf", format="swf"),
    log("swf: job twice", SWF.replace("2 10", "1 10"), "log.swf:3: job 1 is listed twice (first on line 2)",
        path="log.swf", format="swf"),
    log("swf: comments only", "; nothing\n", "log.swf: the log holds no usable job", path="log.swf", format="swf"),
    log("itp: bad header", ITP.replace("num_gpu", "gpus"), "log.csv:1: column \"num_gpu\" is missing",
        path="log.csv", format="itp"),
    log("itp: bad row", ITP + "1,none,0,100\n",
        "log.csv:3:3: num_gpu: expected integer 0..2^30, got \"none\"",
        "log.csv:3:1: job_id: job \"1\" is listed twice",
        path="log.csv", format="itp"),
    command("import: unknown format", ["import", "lsf", "jobs.csv"],
            f"easim import: no format is named \"lsf\" ({LOG_FORMATS}, workload)"),
    command("import: file not found", ["import", "swf", "nowhere.swf", "-o", "jobs.csv"],
            "nowhere.swf: cannot open: No such file or directory"),
    command("import: bad rows", ["import", "swf", "log.swf", "-o", "jobs.csv"],
            "log.swf:1:1: expected at least 18 fields, found 3", files={"log.swf": "1 2 3\n"}),
    command("import: bad estimate", ["import", "swf", "log.swf", "--estimate", "best"],
            "easim import: --estimate: expected requested or run, got \"best\"",
            TRY),
    command("import: no file", ["import", "swf"], "easim import: expected FORMAT FILE...",
            TRY),
    command("import: output in no folder", ["import", "swf", "log.swf", "-o", "nowhere/jobs.csv"],
            "easim: nowhere/jobs.csv: cannot create: No such file or directory", files={"log.swf": SWF}, exit_code=1),
    option("--rows", "0", "--rows: expected N or FIRST:LAST, got \"0\""),
    option("--rows", "5:2", "--rows: expected N or FIRST:LAST, got \"5:2\""),
    option("--from", "noon", "--from: expected duration >= 0 such as 90s or 10h, got \"noon\""),
    option("--compress", "0.5", "--compress: expected number 1..1e+06, got \"0.5\""),
    option("--load-scale", "nan", "--load-scale: expected number 1e-06..1000, got \"nan\""),
    option("--work", "cifar10", "--work: expected MODEL=SAMPLES, got \"cifar10\""),
    option("--seed", "-1", "--seed: expected integer 0..9223372036854775807, got \"-1\""),
    option("--time-zone", "../zone",
           "--time-zone: expected a time zone (UTC, +08:00, America/Los_Angeles), got \"../zone\""),
    option("--lead", "1h", "expected --lead with --from, and --rows that begin with the first"),
    option("--lead", "noon", "--lead: expected duration >= 0 such as 90s or 10h, got \"noon\""),
    option("--until", "0s", "expected --from before --until"),
    option("--nodes", "nodes.csv", "--nodes: only with --cluster-out"),
    option("--cluster-out", "c.yaml", "--cluster-out: only with --nodes"),
    option("--seed", "7", "--seed: only with --load-scale or --assign"),
    *[command(f"import: {name} of another format", ["import", form, "log.swf", name, *value],
              f"{name}: not an option of format {form}, only of {formats}", files={"log.swf": SWF})
      for form, name, value, formats in (
          ("swf", "--models", [], "itp"),
          ("swf", "--time-zone", ["UTC"], "philly, philly-json, helios, acme, slurm"),
          ("workload", "--work", ["a=5"], "pollux, sia"))],
    command("import: nodes of another format",
            ["import", "swf", "log.swf", "--nodes", "nodes.csv", "--cluster-out", "cluster.yaml"],
            "--nodes: not an option of format swf, only of alibaba-gpu-2023", files={"log.swf": SWF}),
    command("import: bad node list, bad log",
            ["import", "alibaba-gpu-2023", "log.swf", "--nodes", "n.csv", "--cluster-out", "cluster.yaml"],
            "n.csv:2:3: gpu: expected integer 0..2^30, got \"two\"", files={"log.swf": SWF, "n.csv": "sn,gpu,model\nn,two,x\n"}),
    command("import: node list without GPUs",
            ["import", "alibaba-gpu-2023", "log.swf", "--nodes", "n.csv", "--cluster-out", "cluster.yaml"],
            "n.csv: the list holds no node with GPUs", files={"log.swf": SWF, "n.csv": "sn,gpu,model\nn,0,x\n"}),
    command("import: bad assignment", ["import", "swf", "log.swf", "--assign", "a.yaml"],
            "a.yaml:1:10: assign: unknown key \"colour\"",
            files={"log.swf": SWF, "a.yaml": "assign: {colour: red}\n"}),
    command("import: what a workload CSV cannot hold", ["import", "swf", "log.swf", "--assign", "a.yaml"],
            "a.yaml:1:1: assign.malleable: a workload CSV cannot hold it: it belongs to the scenario that runs the log",
            files={"log.swf": SWF, "a.yaml": "assign: {malleable: 0.5}\n"}),
    command("import: JSON of truncated gzip", ["import", "philly-json", "log.json.gz"],
            "log.json.gz: truncated gzip data",
            files={"log.json.gz": gzip.compress(b"[\n{\"jobid\": \"a\", \"vc\": \"b\"}]", mtime=0)[:30]}),
    command("import: JSON of damaged gzip", ["import", "philly-json", "log.json.gz"],
            "log.json.gz: damaged gzip data: unknown compression method",
            files={"log.json.gz": b"\x1f\x8bnothing of that kind"}),
    command("import: JSON that ends early", ["import", "philly-json", "log.json"],
            "log.json:2: the file ends within this job", files={"log.json": "[\n{\"jobid\": \"a\", "}),
    *[log(f"log: GPU share {share}", ("gpu_type,deadline_s,class\n1,0,u1,,,100,,1,,,,",
                                      f"gpu_type,deadline_s,gpu_share\n1,0,u1,,,100,,1,,,,{share}"),
          f"jobs.csv:2:20: gpu_share: expected multiple of 0.001 in 0.001..1 or empty, got \"{share}\"")
      for share in ("1.5", "0", "-0.25", "0.0005", "0.2505", "half")],
    log("log: GPU share of two GPUs", ("gpu_type,deadline_s,class\n1,0,u1,,,100,,1,,,,",
                                       "gpu_type,deadline_s,gpu_share\n1,0,u1,,,100,,2,,,,0.5"),
        "jobs.csv:2:20: gpu_share: expected 1 or empty unless gpus is 1, got \"0.5\""),
    log("log: GPU share of a job with a model", ("gpu_type,deadline_s,class\n1,0,u1,,,100,,1,,,,",
                                                 "gpu_type,deadline_s,gpu_share\n1,0,u1,bert,,100,,1,,,,0.5"),
        "jobs.csv:2:24: gpu_share: expected 1 or empty for a job with a model, got \"0.5\""),
    log("log: alternatives with an unknown GPU type", ("a100,,", "a100|b100,,"),
        "jobs.csv:3: gpu_type: no GPU type is named \"b100\", did you mean \"a100\"?"),
    workload("log: slices of generated jobs", "workload: {kind: poisson, rate_per_s: 1, sizes: {law: constant, mean: 1h},"
             " slice: {from: 1h}}\n",
             "c.yaml:10:11: workload: slice, kill_at_request, load_scale and time_compression belong to kind: trace"),
    workload("log: slices of nothing", "workload: {kind: trace, file: jobs.csv, slice: {from: 2h, until: 1h, "
             "first_row: 3, last_row: 2}}\n",
             "c.yaml:10:11: workload: slice: expected from before until",
             "c.yaml:10:11: workload: slice: expected first_row up to last_row"),
    *[workload(f"log: lead {name}", f"workload: {{kind: trace, file: jobs.csv, slice: {value}}}\n", error) for name, value, error in (
        ("without from", "{lead: 1h}", "c.yaml:10:11: workload: slice: expected from with lead, which is the time before it"),
        ("of rows", "{from: 1h, first_row: 2, lead: 1h}",
         "c.yaml:10:11: workload: slice: expected no first_row with lead: the slice begins at from"),
        ("below 0", "{from: 1h, lead: -1h}",
         "c.yaml:10:65: workload.slice.lead: expected duration such as 90s or 10h 0..4000000000, got \"-1h\""),
        ("of no time", "{from: 1h, lead: week}",
         "c.yaml:10:65: workload.slice.lead: expected duration such as 90s or 10h 0..4000000000, got \"week\""))],
    workload("log: lead of generated jobs", "workload: {kind: poisson, rate_per_s: 1, sizes: {law: constant, mean: 1h},"
             " slice: {from: 2h, lead: 1h}}\n",
             "c.yaml:10:11: workload: slice, kill_at_request, load_scale and time_compression belong to kind: trace"),
    log("log: lead as long as the run", JOBS + "late,50000,u1,,,100,,1,,,,\n",
        "c.yaml:10:11: workload.slice.lead: expected less than the horizon", format="workload, slice: {from: 11h, lead: 2000h}"),
    log("log: lead without a slice", JOBS, "jobs.csv: the log holds no usable job", format="workload, slice: {from: 1h, lead: 2h}"),
    workload("log: changes out of range", "workload: {kind: trace, file: jobs.csv, load_scale: 0, time_compression: 0.5, "
             "slice: {rows: 5, from: noon}}\n",
             "c.yaml:10:87: workload.slice: unknown key \"rows\"",
             "c.yaml:10:102: workload.slice.from: expected duration such as 90s or 10h 0..4000000000, got \"noon\"",
             "c.yaml:10:53: workload.load_scale: expected number 1e-6..1000, got \"0\"",
             "c.yaml:10:74: workload.time_compression: expected number 1..1000000, got \"0.5\""),
    log("log: slice without jobs", JOBS, "jobs.csv: the log holds no usable job", format="workload, slice: {from: 1h}"),
    workload("log: option of another format", "workload: {kind: trace, file: jobs.csv, time_zone: UTC}\n",
             "c.yaml:10:11: workload: key \"time_zone\" means nothing to format workload"),
    workload("log: work of generated jobs", "workload: {kind: poisson, rate_per_s: 1, sizes: {law: constant, mean: 1h}, "
             "work: [{model: bert, samples: 5}]}\n", "c.yaml:10:11: workload: key \"work\" belongs to kind: trace"),
    perturb("nothing in it", "{}",
            "c.yaml:10:50: workload.perturb: expected bootstrap_days, load_scale or time_compression, got nothing"),
    perturb("no mapping", "1d",
            "c.yaml:10:50: workload.perturb: expected a mapping of keys to values, got \"1d\""),
    perturb("unknown key", "{bootstrap: 1}",
            "c.yaml:10:51: workload.perturb: unknown key \"bootstrap\", did you mean \"bootstrap_days\"?"),
    perturb("no days", "{bootstrap_days: 0}",
            "c.yaml:10:67: workload.perturb.bootstrap_days: expected integer 1..36500, got \"0\""),
    perturb("days before now", "{bootstrap_days: -1}",
            "c.yaml:10:67: workload.perturb.bootstrap_days: expected integer 1..36500, got \"-1\""),
    perturb("half a day", "{bootstrap_days: 0.5}",
            "c.yaml:10:67: workload.perturb.bootstrap_days: expected integer 1..36500, got \"0.5\""),
    perturb("days as a duration", "{bootstrap_days: 2d}",
            "c.yaml:10:67: workload.perturb.bootstrap_days: expected integer 1..36500, got \"2d\""),
    perturb("block as long as the log", "{bootstrap_days: 4}",
            "c.yaml:10:50: workload.perturb: bootstrap_days: expected less than the 4 days of the log, got 4"),
    perturb("block longer than the log", "{bootstrap_days: 30}",
            "c.yaml:10:50: workload.perturb: bootstrap_days: expected less than the 4 days of the log, got 30"),
    perturb("days of a log of one day", "{bootstrap_days: 1}",
            "c.yaml:10:50: workload.perturb: bootstrap_days: the log has one day, and every draw of it would be that day", rows=JOBS),
    perturb("no load", "{load_scale: 0}",
            "c.yaml:10:63: workload.perturb.load_scale: expected number 1e-6..1000, got \"0\""),
    perturb("a load that is no number", "{load_scale: .nan}",
            "c.yaml:10:63: workload.perturb.load_scale: expected number 1e-6..1000, got \".nan\""),
    perturb("loads as a list", "{load_scale: [1, 2]}",
            "c.yaml:10:63: workload.perturb.load_scale: expected number 1e-6..1000, got a list"),
    perturb("no time", "{time_compression: 0}",
            "c.yaml:10:69: workload.perturb.time_compression: expected number 0.01..1000000, got \"0\""),
    perturb("time beyond what there is", "{time_compression: 0.01}",
            "c.yaml:10:50: workload.perturb: a deadline or a submit could be beyond 4e9 s",
            rows=DAYS + "4,3999000000,u1,,,100,,1,,,,\n"),
    perturb("deadline beyond what there is", "{bootstrap_days: 1}",
            "c.yaml:10:50: workload.perturb: a deadline or a submit could be beyond 4e9 s", rows=DAYS + "4,260001,u1,,,100,,1,,,3999999999,\n"),
    workload("perturb: of generated jobs",
             "workload: {kind: poisson, rate_per_s: 1, sizes: {law: constant, mean: 1h}, perturb: {load_scale: 2}}\n",
             "c.yaml:10:11: workload: key \"perturb\" belongs to kind: trace"),
    workload("perturb: beside streams",
             "workload: {perturb: {load_scale: 2}, streams: [{kind: poisson, rate_per_s: 1}]}\n",
             "c.yaml:10:12: workload: unknown key \"perturb\""),
]
