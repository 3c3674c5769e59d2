"""easim validate: files and logs in which one thing is wrong."""

from base import CONFIG, POISSON, changed, command, pairs

TRY = "Try `easim validate --help' for more information."
CASE = """\
name: v
source: made up
kind: policy
physics: made up
scenario: c.yaml
data: {jobs: jobs.csv, times: times.csv}
set: {workload: {kind: trace, format: workload, file: "${jobs}"}}
jobs: {data: times, where: {policy: a}, columns: {exec_s: held_s}}
measured:
  - {metric: jct_mean_s, value: 100, tolerance: 5%}
  - {metric: makespan_s, fact: {data: times, where: {policy: b}, column: finish_s}, tolerance: 5%}
  - {metric: exec_s, over: median_error, tolerance: 5%}
  - {metric: exec_s, job: "2", tolerance: 5%, expect: fail, reason: known}
"""
JOBS = "job_id,submit_s,duration_s,gpus\n1,0,100,1\n2,10,200.5,2\n"
TIMES = "policy,job_id,held_s,finish_s\na,1,101,120\na,2,190,300\nb,1,3,300\n"
LOG = "job_id,submit_s,start_s,finish_s,gpus,energy_j\n1,0,5,110,1,3000\n2,10,10,200,2,\n"
OWN = "workload: {kind: trace, format: workload, file: jobs.csv}\n"


def case(name, change, *errors, times=TIMES, jobs=JOBS, words=("v.yaml",), files=None, **more):
    """A change of v.yaml, or the whole file."""
    text = change if isinstance(change, (str, bytes)) else changed(CASE, pairs(change)) if change else CASE
    written = {"v.yaml": text, "jobs.csv": jobs, "times.csv": times} | (files or {})
    return command(f"validate: {name}", ["validate", *words, "--out", "out", "--quiet"], *errors,
                   files={path: text for path, text in written.items() if text is not None}, **more)


def log(name, change, *errors, words=(), files=None, **more):
    """A change of log.csv, or the whole file; the scenario is fine."""
    text = change if isinstance(change, (str, bytes)) else changed(LOG, pairs(change)) if change else LOG
    return command(f"validate --measured: {name}",
                   ["validate", "--measured=log.csv", "--scenario=own.yaml", "--out", "out", "--quiet", *words], *errors,
                   files={"log.csv": text, "jobs.csv": JOBS, "own.yaml": changed(CONFIG, [(POISSON, OWN)])} | (files or {}),
                   **more)


METRIC = "metric: exec_s, over: median_error"
CASES = [
    case("no mapping", "- a\n- b\n", "v.yaml:1:1: expected a mapping of keys to values, got a list"),
    case("empty", "# nothing\n", "v.yaml: the file holds no validation"),
    case("no YAML", "name: [v\n",
         "v.yaml:2:1: name: did not find expected ',' or ']' while parsing a flow sequence that starts at line 1"),
    case("unknown key", ("source:", "sources:"),
         "v.yaml:2:1: unknown key \"sources\", did you mean \"source\"?",
         "v.yaml:1:1: key \"source\" is missing"),
    case("kind of nobody", ("kind: policy", "kind: guess"),
         "v.yaml:3:7: kind: expected one of prediction | replay | policy | power, got \"guess\""),
    case("without a name", ("name: v\n", ""), "v.yaml:1:1: key \"name\" is missing"),
    case("name with a slash", ("name: v", "name: a/b"),
         "v.yaml:1:7: name: expected text that can name a folder (no /, no . in front), got \"a/b\""),
    case("name that is hidden", ("name: v", "name: .v"),
         "v.yaml:1:7: name: expected text that can name a folder (no /, no . in front), got \".v\""),
    case("scenario that is not there", ("scenario: c.yaml", "scenario: d.yaml"),
         "d.yaml: cannot open: No such file or directory"),
    case("scenario that is wrong", ("set: {workload:", "set: {horizon: soon, workload:"),
         "v.yaml: set horizon: horizon: expected drain or a duration > 0 and <= 4e9 s, got \"soon\""),
    case("set is no mapping", ('set: {workload: {kind: trace, format: workload, file: "${jobs}"}}', "set: [a]"),
         "v.yaml:7:6: set: expected a mapping from paths to values, got a list"),
    case("path that is none", ("set: {workload:", 'set: {"a]": 1, workload:'),
         "v.yaml:7:7: set: expected \".\" or \"[\" at character 2 of \"a]\""),
    case("data is a list", ("data: {jobs: jobs.csv, times: times.csv}", "data: [jobs.csv]"),
         "v.yaml:6:7: data: expected a mapping from names to files, got a list"),
    case("data without a file", ("times: times.csv", "times: "), "v.yaml:6:31: data.times: expected a file name, got \"\""),
    case("data that nothing uses", ("times: times.csv", "times: times.csv, more: jobs.csv"),
         "v.yaml:6:42: data.more: nothing uses this file: expected ${more} under set, or its name under jobs or measured"),
    case("name that no data has", ("jobs: {data: times", "jobs: {data: time"),
         "v.yaml:8:14: jobs.data: nothing under data is named \"time\", did you mean \"times\"?"),
    case("a data file that is damaged", None,
         "jobs.csv:2:5: duration_s: expected seconds 0..4e9 or empty, got \"x\"",
         jobs="job_id,submit_s,duration_s,gpus\n1,0,x,1\n"),
    case("jobs without data", ("jobs: {data: times, where", "jobs: {where"), "v.yaml:8:7: jobs: key \"data\" is missing"),
    case("unknown column of jobs", ("columns: {exec_s: held_s}", "columns: {exec: held_s}"),
         "v.yaml:8:51: jobs.columns: unknown column \"exec\", did you mean \"exec_s\"?"),
    case("column that the table lacks", ("columns: {exec_s: held_s}", "columns: {exec_s: service_s}"),
         "times.csv:1: column \"service_s\" is missing (columns: policy, job_id, held_s, finish_s)"),
    case("rows of a text that no row has", ("where: {policy: a}", "where: {policy: c}"),
         "times.csv: expected a row for each job, got none that matches where"),
    case("rows of a column that the table lacks", ("where: {policy: a}", "where: {scheduler: a}"),
         "times.csv:1: column \"scheduler\" is missing (columns: policy, job_id, held_s, finish_s)"),
    case("where is a list", ("where: {policy: a}", "where: [a]"),
         "v.yaml:8:28: jobs.where: expected a mapping from columns to texts, got a list"),
    case("the same job twice", None, "times.csv:5:3: job_id: job \"2\" is in line 3 already", times=TIMES + "a,2,5,6\n"),
    case("a job without an id", None, "times.csv:5:3: job_id: expected the id of a job, got \"\"", times=TIMES + "a,,5,6\n"),
    case("a time that is no number", None,
         "times.csv:5:5: held_s: expected a duration in s, 0..4e9, got \"soon\"", times=TIMES + "a,3,soon,6\n"),
    case("a negative service time", None,
         "times.csv:5:5: held_s: expected a duration in s, 0..4e9, got \"-1\"", times=TIMES + "a,3,-1,6\n"),
    case("a row that is too short", None, "times.csv:5:1: expected 4 fields as in the header, found 2", times=TIMES + "a,3\n"),
    case("an empty table", None, "times.csv: empty file, expected a header line", times=""),
    case("measured is empty", (CASE[CASE.index("measured:"):], "measured: []\n"),
         "v.yaml:9:11: measured: expected a list of at least one figure, got an empty list"),
    case("no measured", (CASE[CASE.index("measured:"):], ""), "v.yaml:1:1: key \"measured\" is missing"),
    case("metric of nobody", (METRIC, "metric: exec, over: median_error"),
         "v.yaml:12:5: measured[2].metric: no column of summary.csv or jobs.csv that can be compared is named "
         "\"exec\", did you mean \"exec_s\"?"),
    case("metric that is given to both", (METRIC, "metric: submit_s, over: mean"),
         "v.yaml:12:5: measured[2].metric: no column of summary.csv or jobs.csv that can be compared is named \"submit_s\""),
    case("metric of jobs without saying of which", (METRIC, "metric: exec_s"),
         "v.yaml:12:5: measured[2].over: expected job or over: this is a column of each job"),
    case("of a job and over all", (METRIC, "metric: exec_s, over: mean, job: \"1\""),
         "v.yaml:12:5: measured[2].over: expected job or over, got both"),
    case("summary over jobs", (METRIC, "metric: jct_mean_s, over: mean"),
         "v.yaml:12:5: measured[2].over: not with a column of summary.csv, which is for all jobs together"),
    case("what the table does not tell", (METRIC, "metric: energy_j, over: mean"),
         "v.yaml:12:5: measured[2].metric: the table of measured jobs has no such column, and none to compute it from"),
    case("over of nobody", (METRIC, "metric: exec_s, over: median"),
         "v.yaml:12:28: measured[2].over: expected one of mean | sum | median_error | p90_error | mean_error | most_error, got \"median\""),
    case("value and over", (METRIC, "metric: exec_s, over: mean, value: 3"),
         "v.yaml:12:5: measured[2].value: not with over, which reads the table under jobs"),
    case("value and fact", ("makespan_s, fact", "makespan_s, value: 3, fact"),
         "v.yaml:11:5: measured[1].fact: expected value or fact, got both"),
    case("no value", ("jct_mean_s, value: 100", "jct_mean_s"),
         "v.yaml:10:5: measured[0].value: key \"value\" or \"fact\" is missing"),
    case("a value of 0", ("value: 100", "value: 0"),
         "v.yaml:10:5: measured[0].value: expected a value other than 0, because errors are a share of it"),
    case("a value that is no number", ("value: 100", "value: many"),
         "v.yaml:10:33: measured[0].value: expected number, got \"many\""),
    case("no tolerance", ("value: 100, tolerance: 5%", "value: 100"), "v.yaml:10:5: measured[0]: key \"tolerance\" is missing"),
    case("a tolerance of 0", ("value: 100, tolerance: 5%", "value: 100, tolerance: 0%"),
         "v.yaml:10:49: measured[0].tolerance: expected a share > 0, as 3% or 0.03, got \"0%\""),
    case("a tolerance of nothing", ("value: 100, tolerance: 5%", "value: 100, tolerance: some"),
         "v.yaml:10:49: measured[0].tolerance: expected a share > 0, as 3% or 0.03, got \"some\""),
    case("a failure without a reason", (", reason: known", ""),
         "v.yaml:13:5: measured[3].reason: key \"reason\" is missing: why it is expected to fail"),
    case("a reason without a failure", ("expect: fail, ", ""), "v.yaml:13:5: measured[3].reason: only with expect: fail"),
    case("an expectation of nobody", ("expect: fail", "expect: maybe"),
         "v.yaml:13:55: measured[3].expect: expected one of pass | fail, got \"maybe\""),
    case("a job that was not measured", ('job: "2"', 'job: "7"'),
         "v.yaml:13:5: measured[3].job: no such job in the table of measured jobs"),
    case("a fact in two rows", ("where: {policy: b}", "where: {}"),
         "v.yaml:11:32: measured[1].fact: expected one row of times.csv that matches where, got 3"),
    case("a fact in no row", ("where: {policy: b}", "where: {policy: c}"),
         "v.yaml:11:32: measured[1].fact: expected one row of times.csv that matches where, got 0"),
    case("a fact in a column that is not there", ("column: finish_s", "column: makespan_s"),
         "v.yaml:11:32: measured[1].fact: times.csv has no column \"makespan_s\""),
    case("a fact that is no number", None,
         "times.csv:4:7: finish_s: expected a number, got \"long\"", times=TIMES.replace("b,1,3,300", "b,1,3,long")),
    case("two of one name", None,
         "w.yaml: name: \"v\" is the name of v.yaml, too", words=("v.yaml", "w.yaml"), files={"w.yaml": CASE}),
    case("several replications", ("set: {workload:", "set: {replications: 2, workload:"),
         "v.yaml: expected replications: 1 in a scenario with figures of jobs, got 2"),
    case("file that is not there", None, "x.yaml: cannot open: No such file or directory", words=("x.yaml",)),
    case("a folder", None, "sub: cannot read: Is a directory", words=("sub",), files={"sub": None, "sub/x": "y"}),
    case("a scenario", None,
         "c.yaml:2:1: unknown key \"horizon\"",
         "c.yaml:3:1: unknown key \"seed\"",
         "c.yaml:4:1: unknown key \"cluster\"",
         "c.yaml:9:1: unknown key \"models\"",
         "c.yaml:10:1: unknown key \"workload\"",
         "c.yaml:15:1: unknown key \"policy\"",
         "c.yaml:1:1: key \"source\" is missing",
         "c.yaml:1:1: key \"kind\" is missing",
         "c.yaml:1:1: key \"physics\" is missing",
         "c.yaml:1:1: key \"scenario\" is missing",
         "c.yaml:1:1: key \"measured\" is missing", words=("c.yaml",)),
    case("options of --measured", None,
         "easim validate: --policy: only with --measured",
         "easim validate: --set: only with --measured",
         "easim validate: --tolerance: only with --measured",
         TRY, words=("v.yaml", "--policy=fcfs", "--set=seed=3", "--tolerance=3%")),
    log("no file", None, "gone.csv: cannot open: No such file or directory", words=("--measured=gone.csv",)),
    log("empty", "", "log.csv: empty file, expected a header line"),
    log("a header alone", "job_id,start_s,finish_s\n", "log.csv: expected a row for each job, got none"),
    log("no start_s", ("start_s", "begin_s"), "log.csv:1: column \"start_s\" is missing (columns: job_id, submit_s, begin_s, finish_s, gpus, energy_j)"),
    log("no job_id", ("job_id", "id"), "log.csv:1: column \"job_id\" is missing (columns: id, submit_s, start_s, finish_s, gpus, energy_j)"),
    log("finish before start", ("1,0,5,110", "1,0,115,110"),
        "log.csv:2:9: finish_s: expected a time not before start_s (115), got 110"),
    log("start before submission", ("1,0,5,110", "1,7,5,110"),
        "log.csv:2:5: start_s: expected a time not before submit_s (7), got 5"),
    log("not a number", ("1,0,5,110", "1,0,5,later"),
        "log.csv:2:7: finish_s: expected a time in s within +-4e9, got \"later\""),
    log("inf", ("1,0,5,110", "1,0,inf,110"), "log.csv:2:5: start_s: expected a time in s within +-4e9, got \"inf\""),
    log("half a GPU", ("110,1,3000", "110,0.5,3000"), "log.csv:2:11: gpus: expected a number of GPUs, 1..1048576, got \"0.5\""),
    log("negative energy", ("110,1,3000", "110,1,-3000"),
        "log.csv:2:13: energy_j: expected an energy in J, 0..1e300, got \"-3000\""),
    log("too many cells", ("110,1,3000", "110,1,3000,7"), "log.csv:2:1: expected 6 fields as in the header, found 7"),
    log("the same job twice", ("2,10,10", "1,10,10"), "log.csv:3:1: job_id: job \"1\" is in line 2 already"),
    log("the same column twice", ("gpus,", "start_s,"), "log.csv:1:34: duplicate column \"start_s\""),
    log("no file and no scenario", None,
        "easim validate: --measured: not with FILE.yaml, which has its own figures",
        TRY, words=("v.yaml",), files={"v.yaml": CASE}),
    log("a tolerance of nothing", None,
        "easim validate: --tolerance: expected a share > 0, as 5% or 0.05, got \"0\"",
        TRY, words=("--tolerance=0",)),
    log("a scenario that is wrong", None,
        "--set horizon: horizon: expected drain or a duration > 0 and <= 4e9 s, got \"soon\"", words=("--set=horizon=soon",)),
    command("validate --measured: alone", ["validate", "--measured=log.csv"],
            "easim validate: --measured: only with --scenario",
            TRY, files={"log.csv": LOG}),
    command("validate --scenario: alone", ["validate", "--scenario=c.yaml"],
            "easim validate: --scenario: only with --measured",
            TRY),
]
