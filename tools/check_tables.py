#!/usr/bin/env python3
"""Checks that what is known of metrics and columns stands in one table each, and that docs/reference/outputs.md (and docs/howto/sweep-slurm.md) says the same.

Usage: check_tables.py SOURCE_DIR | --columns SOURCE_DIR | --limits SOURCE_DIR | --self-test

--columns prints all of them as CSV, which is tools/python/easim/columns.csv (what the Python package knows of units), and
that is checked, too.

--limits prints the limits of input as a table, from the #define lines of LIMITS: docs/reference/scenario.md must have it.

A table is a list of lines X(name, type, unit, better, value): METRIC_TABLE in src/metrics/metric_table.h, and
NAME_COLUMNS(X) in src/output, which is NAME.csv; NAME_COLUMNS_WHICH(X) are columns that only some of these files have. A
line NAME(X) stands for the rows of that list. In the documents each section NAME.csv, or TITLE: NAME.csv, has tables with the columns column,
unit, better and definition, where a row may tell of several columns: one unit for all, or one for each ("-": none); what is
no name (METRIC, label.*, words) tells of columns that depend on the run. Names, their order, units and directions must be
those of the table. Each NAME.csv that docs/reference/outputs.md names has a list, is SAME as another, or is a file in docs/reference: "| NAME.csv | as OTHER.csv". The writer of a metric must be the file that assigns it.

A rule's figures are rows of FIGURES and MORE_FIGURES in RULES. Each SHOW in the files next to RULES must give all figures of its list.

A second table is: two names of metrics as strings in one file, a label of several words as a string, a metric beside a
string (SUMMARY_COLUMN(name), "..."), or three columns side by side in a header that is typed by hand. It is looked for in
the layers that know metrics: in the others the same words mean something else.
"""

import re
import sys
import tempfile
from pathlib import Path

METRICS = Path("src/metrics/metric_table.h")
TABLES, UNITS = Path("src/output"), Path("src/output/columns.h")
DOCS = Path("docs/reference/outputs.md")
PACKAGE_COLUMNS = Path("tools/python/easim/columns.csv")
MORE_DOCS = (Path("docs/howto/sweep-slurm.md"),)
WITH_HYPHEN = {"claim_readings.csv": "claim-readings.csv", "target_readings.csv": "target-readings.csv"}
SAME = {"check.csv": "compare.csv"}  # of the same columns, since one function writes both
LAYERS = ("metrics", "study", "conformance", "experiment", "insight", "output", "cli")
ROW = re.compile(r"^ *X\((\w+), (?:csv\()?(\w+)\)?, (\w+|\"[^\"]*\"), (NEITHER|LESS|MORE), (.*)\)(?: \\)?$")
LIST = re.compile(r"^#define (\w+)\(X\) \\\n((?:.*\\\n)*.*\n)", re.MULTILINE)
TABLE = re.compile(r"(\w+?)_COLUMNS(?:_\w+)?")
FILE = re.compile(r"(?<![\w.-])[a-z][\w-]*\.csv\b")
BETTER = {"NEITHER": "", "LESS": "less", "MORE": "more"}
TYPES = {"text": "text word own_text", "integer": "int natural count own_int INT", "boolean": "flag",
         "real": "real positive limit seconds watts milli energy deadline gpu_ps estimate range own_real REAL"}  # of the readers: of the cells
TYPE_OF = {cell: kind for kind, cells in TYPES.items() for cell in cells.split()}
OF_RUNS = {"policy": "text", "replication": "integer"}  # which RUN_HEADER adds
OF_SUMMARY = ["policy", "replication", "seed"]
DOCS_OF_LIMITS = Path("docs/reference/scenario.md")
RULES = Path("src/insight/rules/rules.def")
OF_RULES = re.compile(r'^(?:MORE_)?FIGURES\((\w+),|\bX(?:_TEXT)?\((\w+),', re.MULTILINE)
SHOWN = re.compile(r"\bSHOW\(\w+, (\w+),([^;]*);|\binsight_figure_of\(\w+, (\w+)_figures\b")
BYTES = "bytes"
# What is limited, in which unit ("": a number), by which macro of which file under src.
LIMITS = (
    ("problems shown of a file; the others are counted", "", "base/error.h", "PROBLEMS_SHOWN"),
    ("a YAML file", BYTES, "io/yaml_doc.c", "FILE_BYTES"),
    ("values of a YAML file, those that aliases repeat included", "", "io/yaml_read.c", "NODES_MAX"),
    ("levels of YAML inside each other", "", "io/internal.h", "YAML_DEPTH_MAX"),
    ("a line of a text file, unpacked", BYTES, "io/lines.h", "LINES_MAX_BYTES"),
    ("columns of a CSV file", "", "io/csv.h", "CSV_MAX_COLUMNS"),
    ("levels of JSON inside each other", "", "io/json_text.c", "MOST_NESTED"),
    ("a value of a JSON trace or answer; longer ones are left out and counted", BYTES, "io/json_stream.h", "JSON_STREAM_MAX_BYTES"),
    ("a time zone file", BYTES, "io/time_zone.c", "FILE_MAX_BYTES"),
    ("a time or duration, in seconds", "", "base/units.h", "TIME_MAX_S"),
    ("name of a policy's folder, with its parameters", BYTES, "config/policy_text.h", "POLICY_FOLDER_MOST_BYTES"),
    ("a policy's own name", BYTES, "config/policy_text.h", "POLICY_NAME_MOST_BYTES"),
    ("power of one GPU, and base_w of a node, in W", "", "config/scenario.h", "SCENARIO_MOST_W"),
    ("peak power of a cluster, in W", "", "cluster/power_meter.h", "POWER_MAX_W"),
    ("GPU types of a cluster", "", "cluster/cluster.h", "CLUSTER_MAX_TYPES"),
    ("GPUs of a node", "", "cluster/cluster.h", "CLUSTER_MAX_NODE_GPUS"),
    ("GPUs of a cluster", "", "cluster/cluster.h", "CLUSTER_MAX_GPUS"),
    ("tiers of a network", "", "cluster/network.h", "NETWORK_MOST_TIERS"),
    ("values of k, and of batches, of one request", "", "model/config_table.h", "CONFIG_MAX_CHOICES"),
    ("phases of a model", "", "model/batches.c", "MODEL_MAX_PHASES"),
    ("batches of a phase", "", "model/batches.h", "MODEL_MAX_BATCHES"),
    ("batch of a GPU", "", "model/laws.h", "BATCH_MOST"),
    ("jobs of an arrival law", "", "workload/stream.h", "ARRIVALS_MOST_JOBS"),
    ("replicas of a service", "", "workload/service.c", "MOST_REPLICAS"),
    ("bins of a diurnal law of demand", "", "workload/service_demand.c", "MOST_BINS"),
    ("tokens of a request", "", "workload/service_demand.c", "MOST_TOKENS"),
    ("hours of a forecast", "", "config/scenario.c", "MOST_HOURS"),
    ("worlds of a comparison", "", "config/uncertainty.c", "MOST_WORLDS"),
    ("points of a sweep", "", "experiment/sweep/axes.h", "SWEEP_MOST_POINTS"),
    ("GPUs of a job in a foreign log", "", "ingest/foreign.h", "FOREIGN_MAX_GPUS"),
    ("a job of philly-json", BYTES, "ingest/logs/philly.c", "JOB_MAX_BYTES"),
    ("GPUs of a row of a profile", "", "ingest/profile.h", "PROFILE_MOST_GPUS"),
    ("columns of a table of measurements", "", "ingest/records/records.h", "RECORDS_MAX_CELLS"),
    ("GPUs of telemetry; others are counted", "", "ingest/telemetry/telemetry.h", "TELEMETRY_MOST_DEVICES"),
    ("rows of measurements in the JSON; the profile CSV has all", "", "ingest/records/records.c", "LISTED_ROWS"),
    ("GPUs of a timeline that a profile distinguishes; others are in sums only", "", "ingest/kineto/kineto_kinds.c", "KINETO_MOST_GPUS"),
    ("GPUs of a timeline in the JSON; others are counted", "", "ingest/kineto/kineto_figures.c", "LISTED_GPUS"),
    ("steps of a Kineto trace; further ones are left out and counted", "", "ingest/kineto/kineto_trace.h", "KINETO_MOST_STEPS"),
    ("launches of a Kineto trace before its first GPU event; others are counted", "", "ingest/kineto/kineto_trace.c", "EARLY_LAUNCHES"),
    ("kinds of GPU events of Kineto traces (class, stream, message); others are in sums only", "", "ingest/kineto/kineto_kinds.c", "KINETO_MOST_KINDS"),
    ("names of these kinds; others are in sums only", BYTES, "ingest/kineto/kineto_kinds.c", "MOST_NAME_BYTES"),
    ("streams of Kineto traces; others are in sums only", "", "ingest/kineto/kineto_kinds.h", "KINETO_MOST_TRACKS"),
    ("kernels of collectives of all ranks; of more none is matched", "", "ingest/kineto/kineto_ranks.h", "KINETO_MOST_PARTS"),
    ("steps of Kineto traces in the JSON; others are counted", "", "ingest/kineto/kineto_job.c", "LISTED_STEPS"),
    ("kernels of collectives in the JSON; others are counted", "", "ingest/kineto/kineto_figures.c", "LISTED_PARTS"),
    ("levels of folders of MLPerf results", "", "ingest/mlperf/mlperf.c", "MOST_DEPTH"),
    ("a manifest that is repeated", BYTES, "study/recorded.c", "MOST_BYTES"),
    ("the header of a recorded table", BYTES, "insight/recorded_table.c", "HEAD_MOST"),
)
OF_IO = re.compile(r"^#define ((?:\w+_)?(?:MAX|MOST)(?:_\w+)?) ", re.MULTILINE)
NOT_OF_INPUT = {"MOST_OBJECT", "MAX_TYPES", "MOST_WHOLE_US"}  # of src/io: where JSON is cut, what a zone file holds, rounding
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')


class Row:
    def __init__(self, file, line, match, units):
        self.file, self.line, self.name, self.rest = file, line, match[1], match[5]
        self.type, self.unit = TYPE_OF.get(match[2], "?"), match[3].strip('"') if match[3].startswith('"') else units.get(match[3], "?")
        self.better = BETTER[match[4]]


def read_lists(root, file):
    """{name of a list: its rows and the names of lists in it}, and what is wrong."""
    text, lists, found = (root / file).read_text(encoding="utf-8"), {}, []
    units = dict(re.findall(r'#define (\w+) +"([^"]*)"', "".join(
        (root / known).read_text(encoding="utf-8") for known in (METRICS, UNITS) if (root / known).is_file()) + text))
    for of in LIST.finditer(text):
        lists[of[1]] = []
        for number, line in enumerate(of[2].splitlines(), text.count("\n", 0, of.start(2)) + 1):
            match = ROW.match(line)
            lists[of[1]] += [Row(file, number, match, units)] if match else re.findall(r"(\w+)\(X\)", line)
            if match and lists[of[1]][-1].type == "?":
                found.append((file, number, f"no type of TYPES: {match[2]}"))
            if not match and re.match(r" *X\(\w+,", line):
                found.append((file, number, "a row of a table is X(name, type, unit, better, ...) in one line"))
    return lists, found


def rows_of(lists, name):
    return [row for item in lists.get(name, []) for row in (rows_of(lists, item) if isinstance(item, str) else [item])]


def read_tables(root):
    """{"NAME.csv": rows}, those of them that RUN_HEADER begins, and what is wrong."""
    lists, found = read_lists(root, METRICS)
    tables, of_runs = {"summary.csv": [row for name in lists for row in rows_of(lists, name)]}, set()
    for path in sorted((root / TABLES).rglob("*.c")):
        lists, wrong = read_lists(root, path.relative_to(root))
        found += wrong
        for name in lists:
            table = TABLE.fullmatch(name)
            if table:
                file = table[1].lower() + ".csv"
                tables.setdefault(WITH_HYPHEN.get(file, file), []).extend(rows_of(lists, name))
        of_runs |= {f"{name.lower()}.csv" for name in re.findall(r"RUN_HEADER\((\w+?)_COLUMNS", path.read_text(encoding="utf-8"))}
    tables |= {name: tables[other] for name, other in SAME.items() if other in tables}
    return tables, of_runs, found


# ---- the document ---------------------------------------------------------------------------------------------------

def each(cell, count):
    """A cell that tells of `count` columns: one value for all, or one for each."""
    values = [value.strip().replace("-", "", 1) if value.strip() == "-" else value.strip() for value in cell.split(",")]
    return values * count if len(values) == 1 else values


def documented(text):
    """{"NAME.csv": [(line, name, unit, better)]} of the tables in the sections of that name."""
    sections, section, header = {}, None, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            heading = re.fullmatch(r"##+ (?:.*: )?([\w-]+\.csv)", line)
            section = heading[1] if heading else None
            if section:
                sections[section] = []
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        if not section or not cells:
            header = False
        elif cells[:3] == ["column", "unit", "better"]:
            header = True
        elif header and not set(cells[0]) <= set("-"):
            names = [name.strip() for name in cells[0].split(",")]
            units, betters = each(cells[1], len(names)), each(cells[2], len(names))
            for place, name in enumerate(names):
                unit = units[place] if place < len(units) else "?"
                better = betters[place] if place < len(betters) else "?"
                sections[section].append((number, name, unit, better))
    return sections


def is_name(name):
    return re.fullmatch(r"[a-z]\w*", name)


def check_docs(root, tables, of_runs):
    sections, found, file_of = {}, [], {}
    for file in (DOCS, *(file for file in MORE_DOCS if (root / file).is_file())):
        told = documented((root / file).read_text(encoding="utf-8"))
        sections, file_of = sections | told, file_of | dict.fromkeys(told, file)
    found += [(file_of[name], sections[name][0][0] if sections[name] else 1, f"{name}: no list {name[:-4].upper()}_COLUMNS is in src/output")
              for name in sections if name not in tables]
    for number, line in enumerate((root / DOCS).read_text(encoding="utf-8").splitlines(), 1):
        found += [(DOCS, number, f"{name}: no list {name[:-4].upper()}_COLUMNS is in src/output, and it is not in SAME")
                  for name in FILE.findall(line) if name not in tables and name not in sections and not (root / DOCS.parent / name).is_file()]
    found += [(DOCS, 1, f"{name}: expected a row | {name} | as {other}") for name, other in SAME.items()
              if name in tables and f"| {name} | as {other}" not in (root / DOCS).read_text(encoding="utf-8")]
    for name, rows in tables.items():
        if name in SAME:
            continue
        docs = file_of.get(name, DOCS)
        dropped = OF_SUMMARY if name in of_runs or name == "summary.csv" else []
        shown = [row for row in sections.get(name, []) if is_name(row[1]) and row[1] not in dropped]
        for row, (line, column, unit, better) in zip(rows, shown):
            if column != row.name:
                found.append((docs, line, f"{name}: column {column} where the table has {row.name}"))
                break
            if (unit, better) != (row.unit, row.better):
                found.append((docs, line, f'{name}: {column} is "{unit}", "{better}"; the table says "{row.unit}", '
                                          f'"{row.better}" ({row.file}:{row.line})'))
        for row in rows[len(shown):]:
            found.append((row.file, row.line, f"{name}: {row.name} is not in {docs}"))
        for line, column, _, _ in shown[len(rows):]:
            found.append((docs, line, f"{name}: {column} is in no table"))
    return found


# ---- limits of input ------------------------------------------------------------------------------------------------

def limit_of(root, file, name):
    """The value of a macro, or None."""
    match = re.search(rf"^#define {name} +((?:[^/\n]|/(?!\*))+)", (root / "src" / file).read_text(encoding="utf-8"), re.MULTILINE)
    if not match:
        return None
    text = re.sub(r"\(size_t\)|INT64_C|(?<=\d)u\b", "", match[1])
    return eval(text, {"__builtins__": {}}) if re.fullmatch(r"[\d\s.e+()<]+", text) else None  # numbers and shifts only


def shown_limit(value, unit):
    if unit == BYTES and value >= 1 << 20 and value % (1 << 20) == 0:
        return f"{int(value) >> 20} MiB"
    return f"{int(value):,}" + (f" {unit}" if unit else "")


def limits_of(root):
    """The table of the documents, as text."""
    rows = [(what, shown_limit(limit_of(root, file, name), unit), f"`src/{file}`") for what, unit, file, name in LIMITS]
    return "| what | at most | source |\n|---|---|---|\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def check_limits(root):
    if not (root / DOCS_OF_LIMITS).is_file():
        return
    unknown = [(file, name) for _, _, file, name in LIMITS if limit_of(root, file, name) is None]
    for file, name in unknown:
        yield Path("src") / file, 1, f"no number is defined as {name}"
    if not unknown and limits_of(root) not in (root / DOCS_OF_LIMITS).read_text(encoding="utf-8"):
        yield DOCS_OF_LIMITS, 1, "make its table of limits anew: python3 tools/check_tables.py --limits ."
    known = {name for _, _, _, name in LIMITS} | NOT_OF_INPUT
    for path in sorted((root / "src/io").glob("*.[ch]")):
        for name in OF_IO.findall(path.read_text(encoding="utf-8")):
            if name not in known:
                yield path.relative_to(root), 1, f"{name} is not in LIMITS of tools/check_tables.py"


# ---- figures of rules -----------------------------------------------------------------------------------------------

def read_figures(text):
    """{list: [(line, figure)]} of RULES."""
    lists, of = {}, ""
    for match in OF_RULES.finditer(text, text.index("*/")):
        of = match[1] or of
        if match[2]:
            lists.setdefault(of, []).append((text.count("\n", 0, match.start()) + 1, match[2]))
    return lists


def check_figures(root):
    lists = read_figures((root / RULES).read_text(encoding="utf-8")) if (root / RULES).is_file() else {}
    unused = dict(lists)
    for path in sorted((root / RULES).parent.glob("*.c")) if lists else ():
        text = path.read_text(encoding="utf-8")
        for match in SHOWN.finditer(text):
            of = match[1] or match[3]
            unused.pop(of, None)
            given = re.findall(r"[,\s]\.(\w+) = ", match[2] or "")
            names = [name for _, name in lists.get(of, [])]
            if match[1] and given != names:
                yield path.relative_to(root), text.count("\n", 0, match.start()) + 1, f"shows {', '.join(given)}; {of} has {', '.join(names)}"
    for of, figures in unused.items():
        yield RULES, figures[0][0], f"nothing shows the figures of {of}"


# ---- the Python package ---------------------------------------------------------------------------------------------

def columns_of(tables, of_runs):
    lines = ["file,column,type,unit,better\n"]
    for name in sorted(tables):
        lines += [f"{name},{column},{kind},,\n" for column, kind in OF_RUNS.items() if name in of_runs]
        lines += [f"{name},{row.name},{row.type},{row.unit},{row.better}\n" for row in tables[name]]
    return "".join(lines)


def check_package(root, tables, of_runs):
    """Its own list is this one, in a checkout that has the package."""
    path = root / PACKAGE_COLUMNS
    if path.is_file() and path.read_text(encoding="utf-8") != columns_of(tables, of_runs):
        yield PACKAGE_COLUMNS, 1, f"make it anew: python3 tools/check_tables.py --columns . > {PACKAGE_COLUMNS}"


# ---- the source -----------------------------------------------------------------------------------------------------

def check_writers(root, metrics):
    """A writer assigns its metric: `->name = `, `.name += ` or `->name++`."""
    found, texts = [], {}
    for row in metrics:
        writer, label = row.rest.split(", ", 2)[1:]
        file = Path("src/metrics") / (writer + ".c")
        if file not in texts:
            texts[file] = (root / file).read_text(encoding="utf-8") if (root / file).is_file() else ""
        if not re.search(r"(->|\.)" + row.name + r"(\+\+| [-+*/]?=\s)", texts[file]):
            found.append((row.file, row.line, f"{file} does not assign {row.name}"))
        row.label = label.strip('"')
    return found


def second_tables(root, tables):
    metrics = {row.name for row in tables["summary.csv"] if "_" in row.name}  # "events" is a word too
    labels = {row.label for row in tables["summary.csv"] if " " in row.label}
    names = [[row.name for row in rows] for rows in tables.values()]
    headers = {",".join(columns[at:at + 3]) for columns in names for at in range(len(columns) - 2)}
    for path in sorted(path for layer in LAYERS for path in (root / "src" / layer).rglob("*.[ch]")):
        file, named = path.relative_to(root), set()
        if file == METRICS:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            strings = [] if line.lstrip().startswith("#include") else STRING.findall(line)
            named |= metrics.intersection(strings)
            if len(named) > 1 and metrics.intersection(strings):
                yield file, number, f"a second list of metrics: {', '.join(sorted(named))}; see {METRICS}"
            for label in labels.intersection(strings):
                yield file, number, f'"{label}" stands in {METRICS} already'
            if strings and re.search(r"SUMMARY_COLUMN\(\w+\), *\"|\", *SUMMARY_COLUMN\(", line):
                yield file, number, f"words for a metric beside those of {METRICS}"
            for text in strings:
                for header in headers:
                    if re.search(rf"(^|,){header}(,|\\n|$)", text):
                        yield file, number, f"a header typed by hand: {header}"


def check(root):
    tables, of_runs, found = read_tables(root)
    found += check_writers(root, tables["summary.csv"])
    found += check_docs(root, tables, of_runs)
    found += check_package(root, tables, of_runs)
    found += check_limits(root)
    found += check_figures(root)
    return found + list(second_tables(root, tables))


# ---- self-test ------------------------------------------------------------------------------------------------------

CLEAN = {
    str(METRICS): '#define METRIC_SHARE    "share"\n#define METRIC_TABLE(X) \\\n'
                  '    X(energy_kwh, REAL, "kWh", LESS, LIGHT, metrics, "energy, all") \\\n'
                  '    X(util_all, REAL, METRIC_SHARE, MORE, LIGHT, metrics, "use") \\\n'
                  '    X(events, INT, "", NEITHER, LIGHT, metrics, "events")\n',
    "src/metrics/metrics.c": "s->energy_kwh = 1;\ns->util_all += 1;\ns->events++;\n",
    "src/output/run/run_tables.c": '#define JOBS_COLUMNS(X) \\\n    X(user, text, "", NEITHER, job.user) \\\n'
                                 '    X(wait_s, seconds, "s", LESS, job.wait_ns) \\\n'
                                 '    X(nodes, int, "", NEITHER, job.nodes)\n'
                                 'RUN_HEADER(JOBS_COLUMNS)\n',
    str(DOCS): "## jobs.csv\n\n| column | unit | better | definition |\n|---|---|---|---|\n| policy, replication | | | x |\n"
               "| user, wait_s, nodes | -, s, - | -, less, - | x |\n\n## summary.csv\n\n| column | unit | better | definition |\n"
               "|---|---|---|---|\n| energy_kwh | kWh | less | x |\n\nLater:\n\n"
               "| column | unit | better | definition |\n|---|---|---|---|\n| util_all | share | more | x |\n| events | | | x |\n",
    str(RULES): '/* FIGURES(rule, X(figure, "unit")) */\nRULE(hol, "HOL")\nFIGURES(hol,\n     X(wait, "s", "x")\n     X_TEXT(by, "x"))\n'
                'MORE_FIGURES(late, X(late_TYPE, "jobs", "x"))\n',
    "src/insight/rules/hol.c": "SHOW(insight, hol, .wait = f(1),\n     .by = g);\ninsight_figure_of(insight, late_figures, 1, 2);\n",
}


COMPARE = '#define COMPARE_COLUMNS(X) \\\n    X(user, csv(text), "", NEITHER, user)\n'


def self_test():
    cases = [
        (None, "", "", None),
        (DOCS, "| kWh | less |", "| J | less |", 'energy_kwh is "J", "less"; the table says "kWh", "less"'),
        (DOCS, "| share | more |", "| share | less |", 'util_all is "share", "less"'),
        (DOCS, "-, s, - | -, less, -", "s | -, less, -", 'user is "s", ""'),
        (DOCS, "| util_all |", "| use |", "column use where the table has util_all"),
        (DOCS, "| events | | | x |\n", "", "summary.csv: events is not in docs/reference/outputs.md"),
        (DOCS, "| events | | | x |", "| events, more | | | x |", "more is in no table"),
        (METRICS, "METRIC_SHARE, MORE", "METRIC_SHARE, LESS", 'util_all is "share", "more"'),
        (METRICS, '"kWh", LESS', '"kWh", SOME', "a row of a table is X("),
        (METRICS, "util_all, REAL", "util_all, RAEL", "no type of TYPES: RAEL"),
        (DOCS, "Later:", "## users.csv\n\nText.\n\n## summary.csv\n", "users.csv: no list USERS_COLUMNS is in src/output"),
        (DOCS, "Later:", "As in users.csv.", "users.csv: no list USERS_COLUMNS is in src/output"),
        (DOCS, "Later:", "As in jobs.csv and NAME.csv.", None),
        ("src/output/compare.c", "", COMPARE, "check.csv: expected a row | check.csv | as compare.csv"),
        ("src/metrics/metrics.c", "s->util_all +=", "x = s->util_all;", "src/metrics/metrics.c does not assign util_all"),
        ("src/cli/a.c", "", 'f("energy_kwh");\nf("util_all");\n', "a second list of metrics: energy_kwh, util_all"),
        ("src/cli/a.c", "", 'f("energy, all");\n', '"energy, all" stands in'),
        ("src/cli/a.c", "", '{SUMMARY_COLUMN(events), "events"},\n', "words for a metric"),
        ("src/cli/a.c", "", 'f("policy,user,wait_s,nodes\\n");\n', "a header typed by hand: user,wait_s,nodes"),
        ("src/cli/a.c", "", 'f("policy,superuser,wait_s,nodes\\n"); g("energy_kwh", "b", "user");\n', None),
        (PACKAGE_COLUMNS, "", "file,column,type,unit,better\njobs.csv,policy,text,,\njobs.csv,replication,integer,,\njobs.csv,user,text,,\n"
                              "jobs.csv,wait_s,real,s,less\njobs.csv,nodes,integer,,\nsummary.csv,energy_kwh,real,kWh,less\n"
                              "summary.csv,util_all,real,share,more\nsummary.csv,events,integer,,\n", None),
        (PACKAGE_COLUMNS, "", "file,column,unit,better\njobs.csv,user,,\n", "make it anew"),
        ("src/engine/a.c", "", 'f("energy_kwh", "util_all", "energy, all");\n', None),
        (RULES, '\n     X_TEXT(by, "x")', "", "shows wait, by; hol has wait"),
        ("src/insight/rules/hol.c", ",\n     .by = g", "", "shows wait; hol has wait, by"),
        ("src/insight/rules/hol.c", "late_figures", "early_figures", "nothing shows the figures of late"),
    ]
    for file, old, new, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            texts = dict(CLEAN)
            if file:
                before = texts.get(str(file), "")
                texts[str(file)] = before.replace(old, new, 1) if old else before + new
                assert texts[str(file)] != before, (file, old)
            for name, text in texts.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            lines = [text for _, _, text in check(Path(folder))]
        assert any(expected in line for line in lines) if expected else not lines, (new, expected, lines)
    source = Path(__file__).resolve().parents[1]  # the limits of another tree: a value, a name and one that is new
    for file, old, new, expected in (("src/io/csv.h", "CSV_MAX_COLUMNS 4096", "CSV_MAX_COLUMNS 4097", "table of limits anew"),
                                     ("src/io/csv.h", "CSV_MAX_COLUMNS 4096", "CSV_COLUMNS 4096", "defined as CSV_MAX_COLUMNS"),
                                     ("src/io/csv.h", "#define CSV_MAX_COLUMNS", "#define CSV_MAX_ROWS 7\n#define CSV_MAX_COLUMNS",
                                      "CSV_MAX_ROWS is not in LIMITS"), (None, "", "", None)):
        with tempfile.TemporaryDirectory() as folder:
            for name in {str(DOCS_OF_LIMITS), *(f"src/{row[2]}" for row in LIMITS)}:
                text = (source / name).read_text(encoding="utf-8")
                assert name != file or old in text, old
                Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, name).write_text(text.replace(old, new, 1) if name == file else text, encoding="utf-8")
            lines = [text for _, _, text in check_limits(Path(folder))]
        assert any(expected in line for line in lines) if expected else not lines, (new, lines)
    print(f"check_tables: {len(cases) + 4} self-tests passed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    if sys.argv[1:2] == ["--columns"] and len(sys.argv) == 3:
        print(columns_of(*read_tables(Path(sys.argv[2]))[:2]), end="")
        return 0
    if sys.argv[1:2] == ["--limits"] and len(sys.argv) == 3:
        print(limits_of(Path(sys.argv[2])), end="")
        return 0
    if len(sys.argv) != 2 or not Path(sys.argv[1], METRICS).is_file():
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found = check(Path(sys.argv[1]))
    for file, line, text in found:
        print(f"{file}:{line}: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
