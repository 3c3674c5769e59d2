"""Recorded logs as workload: easim's CSV, SWF and ITP."""

import gzip

from base import JOBS, command, log, workload

SECONDS = "seconds 0..4e9 or empty"
SWF = """\
; MaxProcs: 8
1 0 -1 100 2 -1 -1 2 200 -1 1 1 1 -1 1 1 -1 -1
2 10 -1 100 2 -1 -1 2 200 -1 1 1 1 -1 1 1 -1 -1
"""
ITP = "job_id,num_gpu,submission_time,duration\n1,1,0,100\n"


def rows(name, text, *errors):
    """A log of rows below the header of JOBS."""
    return log(f"log: {name}", JOBS.splitlines()[0] + "\n" + text, *errors)


CASES = [
    workload("log: file missing", "workload: {kind: trace}\n",
             "c.yaml:10:11: workload: key \"file\" is missing (kind: trace)"),
    workload("log: file not found", "workload: {kind: trace, file: nowhere.csv}\n",
             "nowhere.csv: cannot open: No such file or directory"),
    workload("log: folder instead of a file", "workload: {kind: trace, file: .}\n",
             ".: cannot read: Is a directory"),
    workload("log: variable that is not set", "workload: {kind: trace, file: \"${EASIM_TEST_NONE}/jobs.csv\"}\n",
             "c.yaml:10:31: workload.file: environment variable EASIM_TEST_NONE is not set"),
    workload("log: unknown format", "workload: {kind: trace, format: sfw, file: jobs.csv}\n",
             "c.yaml:10:11: workload.format: expected one of workload | swf | itp, got \"sfw\""),
    workload("log: with a rate", "workload: {kind: trace, file: jobs.csv, rate_per_s: 1}\n",
             "c.yaml:10:11: workload: rate_per_s, load, sizes, mix and rigid do not belong to kind: trace (see "
             "assign)"),
    workload("log: assigned to an unknown model",
             "workload: {kind: trace, file: jobs.csv, assign: {models: [{model: gpt}]}}\n",
             "c.yaml:10:59: workload.assign.models[0].model: no model is named \"gpt\""),
    log("log: empty file", "", "jobs.csv: empty file, expected a header line"),
    log("log: header only", JOBS.splitlines()[0] + "\n", "jobs.csv: the log holds no usable job"),
    log("log: columns missing", "user,gpus\nu1,1\n",
        "jobs.csv:1: column \"job_id\" is missing", "jobs.csv:1: column \"submit_s\" is missing"),
    log("log: unknown column with suggestion", ("requested_s", "request_s"),
        "jobs.csv:1: unknown column \"request_s\", did you mean \"requested_s\"?"),
    log("log: unknown column without suggestion", ("requested_s", "favourite_colour"),
        "jobs.csv:1: unknown column \"favourite_colour\" (extra columns are named label.*)"),
    log("log: column twice", ("requested_s", "user"), "jobs.csv:1:52: duplicate column \"user\""),
    log("log: column without a name", ("requested_s", ""), "jobs.csv:1:52: empty column name"),
    rows("job twice", "a,0,u1,,,100,,1,,,,\nb,1,u1,,,100,,1,,,,\na,2,u1,,,100,,1,,,,\n",
         "jobs.csv:4:1: job_id: job \"a\" is listed twice"),
    rows("job without an id", ",0,u1,,,100,,1,,,,\n", "jobs.csv:2:1: job_id: expected a job id, got \"\""),
    rows("no submit", "1,,u1,,,100,,1,,,,\n", "jobs.csv:2:3: submit_s: expected seconds 0..4e9, got \"\""),
    rows("negative submit", "1,-5,u1,,,100,,1,,,,\n", "jobs.csv:2:3: submit_s: expected seconds 0..4e9, got \"-5\""),
    rows("submit with a unit", "1,5s,u1,,,100,,1,,,,\n", "jobs.csv:2:3: submit_s: expected seconds 0..4e9, got \"5s\""),
    rows("not a number", "1,0,u1,,,NaN,,1,,,,\n", f"jobs.csv:2:10: duration_s: expected {SECONDS}, got \"NaN\""),
    rows("infinite work", "1,0,u1,bert,inf,,,,,,,\n",
         "jobs.csv:2:13: work_samples: expected samples >= 0 or empty, got \"inf\""),
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
         "jobs.csv:2:20: class: expected sla, best_effort or empty, got \"urgent\""),
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
         "jobs.csv:2:18: class: expected sla, best_effort or empty, got \"w\""),
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
    command("import: unknown format", ["import", "slurm", "jobs.csv"],
            "easim import: no format is named \"slurm\" (swf, itp, workload)"),
    command("import: file not found", ["import", "swf", "nowhere.swf", "-o", "jobs.csv"],
            "nowhere.swf: cannot open: No such file or directory"),
    command("import: bad rows", ["import", "swf", "log.swf", "-o", "jobs.csv"],
            "log.swf:1:1: expected at least 18 fields, found 3", files={"log.swf": "1 2 3\n"}),
    command("import: bad estimate", ["import", "swf", "log.swf", "--estimate", "best"],
            "easim import: --estimate: expected run or requested, got \"best\"",
            "Try `easim import --help' or `easim import --usage' for more information."),
    command("import: no file", ["import", "swf"], "easim import: expected FORMAT FILE",
            "Try `easim import --help' or `easim import --usage' for more information."),
    command("import: output in no folder", ["import", "swf", "log.swf", "-o", "nowhere/jobs.csv"],
            "easim: nowhere/jobs.csv: cannot create: No such file or directory", files={"log.swf": SWF}, exit_code=1),
]
