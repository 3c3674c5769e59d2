"""Utilization of recorded jobs over time."""

import gzip

from base import CONFIG, JOBS, MODELS, POISSON, Case, changed

WORKLOAD = "workload: {kind: trace, file: jobs.csv, utilization_file: u.csv}\n"
HEAD = "job_id,from_s,utilization\n"
SHARE, SECONDS = "expected number 0..1, got ", "expected seconds 0..4e9, got "


def use(name, rows, *errors, workload=WORKLOAD, jobs=JOBS):
    text = changed(CONFIG, [(POISSON, workload)])
    return Case(f"utilization: {name}", errors, {"c.yaml": text, "m.yaml": MODELS, "jobs.csv": jobs, "u.csv": rows})


CASES = [
    use("time that goes back", HEAD + "1,0,0.5\n1,60,0.25\n1,30,1\n",
        "u.csv:4:3: from_s: expected more than the 60 of the row of this job before, got 30"),
    use("a time twice", HEAD + "1,0,0.5\n1,60,0.25\n1,60,0.3\n1,60,0.25\n",
        "u.csv:4:3: from_s: expected more than the 60 of the row of this job before, got 60",
        "u.csv:5:3: from_s: expected more than the 60 of the row of this job before, got 60"),
    use("a time twice, with rows of another job between", HEAD + "1,0,0.5\n2,0,0.25\n1,0,0.5\n",
        "u.csv:4:3: from_s: expected more than the 0 of the row of this job before, got 0"),
    use("times twice behind the end of the job", HEAD + "1,200,0.5\n1,200,0.25\n",
        "u.csv:3:3: from_s: expected more than the 200 of the row of this job before, got 200"),
    use("shares outside 0..1", HEAD + "1,0,1.01\n1,1,-0.2\n1,2,50%\n1,3,nan\n1,4,\n",
        f'u.csv:2:5: utilization: {SHARE}"1.01"', f'u.csv:3:5: utilization: {SHARE}"-0.2"',
        f'u.csv:4:5: utilization: {SHARE}"50%"', f'u.csv:5:5: utilization: {SHARE}"nan"',
        f'u.csv:6:5: utilization: {SHARE}""'),
    use("times that are none", HEAD + "1,-1,0.5\n1,soon,0.5\n1,5e9,0.5\n1,,0.5\n1,inf,2\n",
        f'u.csv:2:3: from_s: {SECONDS}"-1"', f'u.csv:3:3: from_s: {SECONDS}"soon"',
        f'u.csv:4:3: from_s: {SECONDS}"5e9"', f'u.csv:5:3: from_s: {SECONDS}""',
        f'u.csv:6:3: from_s: {SECONDS}"inf"', f'u.csv:6:7: utilization: {SHARE}"2"'),
    use("wrong cells of jobs that nobody knows", HEAD + "7,0,2\n7,x,1\n",
        f'u.csv:2:5: utilization: {SHARE}"2"', f'u.csv:3:3: from_s: {SECONDS}"x"'),
    use("no job", HEAD + ",0,0.5\n", 'u.csv:2:1: job_id: expected a job id, got ""'),
    use("short row", HEAD + "1,0\n1,0,0.5\n", "u.csv:2:1: expected 3 fields as in the header, found 2"),
    use("columns missing", "job,time_s,utilisation\n1,0,0.5\n", 'u.csv:1: column "job_id" is missing (columns: job, time_s, utilisation)',
        'u.csv:1: column "from_s" is missing (columns: job, time_s, utilisation)', 'u.csv:1: column "utilization" is missing, did you mean "utilisation"? (columns: job, time_s, utilisation)'),
    use("column twice", "job_id,from_s,utilization,from_s\n1,0,1,0\n", 'u.csv:1:27: duplicate column "from_s"'),
    use("empty file", "", "u.csv: empty file, expected a header line"),
    use("cut off", gzip.compress((HEAD + "1,0,0.5\n1,9,0.5\n").encode(), mtime=0)[:-9],
        "u.csv: truncated gzip data after line 3"),
    use("file that is not there", HEAD, "c.yaml:10:59: workload.utilization_file: v.csv: cannot open: No such file or directory",
        workload=WORKLOAD.replace("u.csv", "v.csv")),
    use("log and file with problems", HEAD + "1,0,7\n", 'jobs.csv:2:3: submit_s: expected seconds 0..4e9, got "x"',
        jobs=JOBS.replace("1,0,u1", "1,x,u1")),
    use("of generated jobs", HEAD, 'c.yaml:10:11: workload: key "utilization_file" belongs to kind: trace',
        workload="workload: {kind: poisson, rate_per_s: 1, sizes: {law: constant, mean: 1h}, utilization_file: u.csv}\n"),
    use("of jobs that all get a model", HEAD + "1,0,0.5\n",
        "c.yaml:10:11: workload: utilization_file is for jobs without a model, and assign gives one to all",
        workload=WORKLOAD.replace("u.csv", "u.csv, assign: {models: [{model: bert}]}")),
    use("no file named", HEAD, "c.yaml:10:59: workload.utilization_file: expected a file name, got a list",
        workload=WORKLOAD.replace("u.csv", "[u.csv]")),
]
