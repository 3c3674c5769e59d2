"""More problems than are shown: 20 of each file, and how many more there are."""

from base import CONFIG, MODELS, Case, changed, command, log
from cases.compare import compare
from cases.sweep import SEEDS, sweep

SHOWN = 20  # PROBLEMS_SHOWN of src/base/error.h
HEAD = "job_id,submit_s,gpus,duration_s\n"


def keys(count):
    """Unknown keys behind a file of 15 lines, as c.yaml and m.yaml have."""
    return "".join(f"zz{i}: 1\n" for i in range(count))


def unknown(count, file="c.yaml"):
    return [f"{file}:{16 + i}:1: unknown key \"zz{i}\"" for i in range(min(count, SHOWN))]


def lines(file, text, count, first=1):
    return [f"{file}:{first + i}{text}" for i in range(min(count, SHOWN))]


def more(file, count):
    return f"{file}: ... and {count} more"


SWF = "1 x 0 10 1 -1 -1 1 20 -1 1 1 1 -1 -1 -1 -1 -1\n"
GAVEL = "a\tb\n"
NUL = b"1 0 0\0 10\n"

CASES = [
    Case("20 problems of a file", tuple(unknown(20)), {"c.yaml": CONFIG + keys(20), "m.yaml": MODELS}),
    Case("21 problems of a file", (*unknown(21), more("c.yaml", 1)), {"c.yaml": CONFIG + keys(21), "m.yaml": MODELS}),
    Case("many problems of two files", (*unknown(30), *unknown(25, "m.yaml"), more("c.yaml", 10), more("m.yaml", 5)),
         {"c.yaml": CONFIG + keys(30), "m.yaml": MODELS + keys(25)}),
    log("many problems of a log: cells", HEAD + "".join(f"{1000 + i},x,1,2\n" for i in range(1000)),
        *lines("jobs.csv", ":6: submit_s: expected seconds 0..4e9, got \"x\"", 1000, first=2), more("jobs.csv", 980)),
    log("many problems of a log: fields", HEAD + 1000 * "1,0,1\n",
        *lines("jobs.csv", ":1: expected 4 fields as in the header, found 3", 1000, first=2), more("jobs.csv", 980)),
    compare("many problems of a scenario, two policies", ["--policies", "fcfs,zeus"], *unknown(1020), more("c.yaml", 1000),
            files={"c.yaml": CONFIG + keys(1020)}),
    sweep("many problems of a point", SEEDS, *unknown(24), more("c.yaml", 4), files={"c.yaml": CONFIG + keys(24)}),
    command("import: many problems of swf", ["import", "swf", "log", "--output", "o.csv"],
            *lines("log", ":3: field 2: expected number, got \"x\"", 120), more("log", 100), files={"log": 120 * SWF}),
    command("import: many lines of swf that are no text", ["import", "swf", "log", "--output", "o.csv"],
            *lines("log", ":6: NUL byte (is this a text file in UTF-8?)", 22), more("log", 2), files={"log": 22 * NUL}),
    command("import: many problems of gavel", ["import", "gavel", "log", "--output", "o.csv"],
            *lines("log", ":1: expected 9 or 10 fields separated by tabs, found 2", 1020), more("log", 1000),
            files={"log": 1020 * GAVEL}),
    command("import: many problems of philly-json", ["import", "philly-json", "log", "--output", "o.csv"],
            *lines("log", ": expected a job as a JSON object, got something else", 500), more("log", 480),
            files={"log": "[" + ",\n".join(500 * ["1"]) + "]"}),
    command("import: many problems of itp", ["import", "itp", "log", "--output", "o.csv"],
            *lines("log", ":5: num_gpu: expected integer 0..2^30, got \"x\"", 120, first=2), more("log", 100),
            files={"log": "job_id,num_gpu,submission_time,duration\n" + "".join(f"{100 + i},x,0,1\n" for i in range(120))}),
]
