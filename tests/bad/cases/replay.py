"""Recorded schedules for the policy replay, and tables of policies in general."""

from base import CONFIG, JOBS, MODELS, POISSON, RUN, Case, changed

ROWS = "time_s,job_id,gpus\n0,1,1\n120,1,1\n"
TRACE = [(POISSON, "workload: {kind: trace, file: jobs.csv}\n")]
TIME = "time_s: expected number 0..4000000000, got "
GPUS = "gpus: expected number 0.001..1000000, got "
HEADER = 'r.csv:1: column '
# The value of the parameter is in line 11 of c.yaml, at column 39.
AT = "c.yaml:11:39: policy.params.file: "


def replay(name, rows, *errors, file="r.csv", params=None, **more):
    mapping = params or f"{{file: {file}}}"
    text = changed(CONFIG, TRACE + [("{name: fcfs}", f"{{name: replay, params: {mapping}}}")])
    files = {"c.yaml": text, "m.yaml": MODELS, "jobs.csv": JOBS}
    return Case(f"replay: {name}", errors, files | ({} if rows is None else {"r.csv": rows}), **more)


CASES = [
    replay("file that is not there", None, "r.csv: cannot open: No such file or directory"),
    replay("empty file", "", "r.csv: empty file, expected a header line"),
    replay("header alone", "time_s,job_id,gpus\n", "r.csv: expected rows after the header, got none"),
    replay("no header", "0,1,1\n120,1,2\n", 'r.csv:1:5: duplicate column "1"'),
    replay("columns misspelt", "time,jobid,gpu\n0,1,1\n", f'{HEADER}"time_s" is missing, did you mean "time"? (columns: time, jobid, gpu)',
           f'{HEADER}"job_id" is missing, did you mean "jobid"? (columns: time, jobid, gpu)', f'{HEADER}"gpus" is missing, did you mean "gpu"? (columns: time, jobid, gpu)'),
    replay("one column missing", "time_s,job_id\n0,1\n", f'{HEADER}"gpus" is missing (columns: time_s, job_id)'),
    replay("column twice", "time_s,job_id,gpus,gpus\n0,1,1,1\n", 'r.csv:1:20: duplicate column "gpus"'),
    replay("semicolons", ROWS.replace(",", ";"),
           f'{HEADER}"time_s" is missing, did you mean "time_s;job_id;gpus"? (columns: time_s;job_id;gpus)', f'{HEADER}"job_id" is missing (columns: time_s;job_id;gpus)',
           f'{HEADER}"gpus" is missing (columns: time_s;job_id;gpus)'),
    replay("short and long rows", ROWS + "240,1\n360,1,1,1\n",
           "r.csv:4:1: expected 3 fields as in the header, found 2",
           "r.csv:5:1: expected 3 fields as in the header, found 4"),
    replay("times that are no times", ROWS + "-1,1,1\nnoon,1,1\nnan,1,1\ninf,1,1\n,1,1\n5e9,1,1\n00:10:00,1,1\n",
           f'r.csv:4:1: {TIME}"-1"', f'r.csv:5:1: {TIME}"noon"', f'r.csv:6:1: {TIME}"nan"', f'r.csv:7:1: {TIME}"inf"',
           f'r.csv:8:1: {TIME}""', f'r.csv:9:1: {TIME}"5e9"', f'r.csv:10:1: {TIME}"00:10:00"'),
    replay("GPUs that are none", ROWS + "240,1,0\n240,2,-1\n360,1,two\n360,2,\n480,1,1e7\n",
           f'r.csv:4:7: {GPUS}"0"', f'r.csv:5:7: {GPUS}"-1"', f'r.csv:6:7: {GPUS}"two"', f'r.csv:7:7: {GPUS}""',
           f'r.csv:8:7: {GPUS}"1e7"'),
    replay("no job", ROWS + "240,,1\n", 'r.csv:4:5: job_id: expected text, got ""'),
    replay("job twice at a time", ROWS + "120.0,1,2\n",
           "r.csv:4:1: expected one row for each time_s, job_id, got one as in line 3"),
    replay("job three times at a time", "time_s,job_id,gpus\n1.2e2,2,1\n120,1,1\n120,1,1\n0,2,1\n120.000,1,4\n",
           "r.csv:4:1: expected one row for each time_s, job_id, got one as in line 3",
           "r.csv:6:1: expected one row for each time_s, job_id, got one as in line 3"),
    replay("quote that is open", ROWS + '240,"1,1\n', "r.csv:4:5: quote not closed on this line"),
    replay("NUL", ROWS + "240,1\0,1\n", "r.csv:4:6: NUL byte (is this a text file in UTF-8?)"),
    replay("folder", None, ".: cannot read: Is a directory", file="."),
    replay("list of files", ROWS, f"{AT}expected a file name, got a list", params="{file: [r.csv]}"),
    replay("variable that is not set", ROWS, f"{AT}environment variable EASIM_NOWHERE is not set",
           params='{file: "${EASIM_NOWHERE}/r.csv"}'),
    replay("misspelt parameter", ROWS, 'c.yaml:11:33: policy.params: policy replay has no parameter "flie", did you mean '
           '"file"? (it has: {parameters:replay})', params="{flie: r.csv}"),
    replay("no file named", ROWS, "c.yaml:11:16: policy.params: expected the file \"file\", without which policy replay "
           "cannot run", params="{}"),
    replay("no file named, in a comparison", ROWS, "c.yaml:11:16: policy.params: expected the file \"file\", without which policy "
           "replay cannot run", params="{}", command=("compare", "c.yaml", "--policies", "fcfs,replay", "--quiet")),
    replay("bad file of a policy that does not run", ROWS + "1,1\n", "r.csv:4:1: expected 3 fields as in the header, found 2",
           params="{file: r.csv}}\nparams_by_policy: {replay: {file: r.csv}", command=RUN + ("--policy", "fcfs")),
    replay("tuned", ROWS, "--params: file is a file, which cannot be tuned",
           command=("tune", "c.yaml", "--params", "file", "--objective", "energy_kwh")),
]
