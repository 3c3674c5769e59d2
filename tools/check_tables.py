#!/usr/bin/env python3
"""Checks that what is known of metrics and columns stands in one table each, and that docs/outputs.md (and docs/record.md) says the same.

Usage: check_tables.py SOURCE_DIR | --columns SOURCE_DIR | --self-test

--columns prints all of them as CSV, which is tools/python/easim/columns.csv (what the Python package knows of units), and
that is checked, too.

A table is a list of lines X(name, unit, better, ...): METRIC_TABLE in src/metrics/metric_table.h, and NAME_COLUMNS in
src/output/ROOM/NAME_csv.c. In docs/outputs.md each section "## NAME.csv" has tables with the columns column, unit, better
and definition, where a row may tell of several columns: one unit for all, or one for each ("-": none). Names, their
order, units and directions must be those of the table. The writer of a metric must be the file that assigns it.

A second table is: two names of metrics as strings in one file, a label of several words as a string, a metric beside a
string (SUMMARY_COLUMN(name), "..."), or three columns side by side in a header that is typed by hand. It is looked for in
the layers that know metrics: in the others the same words mean something else.
"""

import re
import sys
import tempfile
from pathlib import Path

METRICS = Path("src/metrics/metric_table.h")
TABLES = (Path("src/output/run"), Path("src/output/models"))
DOCS = Path("docs/outputs.md")
PACKAGE_COLUMNS = Path("tools/python/easim/columns.csv")
DOCS_OF_RECORDS = Path("docs/record.md")
LAYERS = ("metrics", "study", "conformance", "experiment", "insight", "output", "cli")
ROW = re.compile(r"^ *X\((\w+), (\w+|\"[^\"]*\"), (NEITHER|LESS|MORE), (.*)\)(?: \\)?$")
BETTER = {"NEITHER": "", "LESS": "less", "MORE": "more"}
COMMON = ["policy", "replication"]
OF_SUMMARY = ["policy", "replication", "seed"]
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')


class Row:
    def __init__(self, file, line, match, units):
        self.file, self.line, self.name, self.rest = file, line, match[1], match[4]
        self.unit = match[2].strip('"') if match[2].startswith('"') else units.get(match[2], "?")
        self.better = BETTER[match[3]]


def read_table(root, file):
    """Rows of all lists X(...) of a file, in order."""
    text = (root / file).read_text(encoding="utf-8")
    units = dict(re.findall(r'#define (METRIC_\w+) +"([^"]*)"', text))
    rows, found = [], []
    for number, line in enumerate(text.splitlines(), 1):
        match = ROW.match(line)
        if match:
            rows.append(Row(file, number, match, units))
        elif re.match(r" *X\(\w+,", line):
            found.append((file, number, "a row of a table is X(name, unit, better, ...) in one line"))
    return rows, found


def read_tables(root):
    """{"NAME.csv": rows}, and what is wrong."""
    tables, found = {}, []
    files = {"summary.csv": METRICS}
    for path in sorted(path for room in TABLES for path in (root / room).glob("*_csv.c")):
        if "_COLUMNS(X)" in path.read_text(encoding="utf-8"):
            files[path.name[:-len("_csv.c")] + ".csv"] = path.relative_to(root)
    for name, file in files.items():
        tables[name], wrong = read_table(root, file)
        found += wrong
    return tables, found


# ---- the document ---------------------------------------------------------------------------------------------------

def each(cell, count):
    """A cell that tells of `count` columns: one value for all, or one for each."""
    values = [value.strip().replace("-", "", 1) if value.strip() == "-" else value.strip() for value in cell.split(",")]
    return values * count if len(values) == 1 else values


def documented(text):
    """{"NAME.csv": [(line, name, unit, better)]} of the tables in the sections of that name."""
    sections, section, header = {}, None, False
    for number, line in enumerate(text.splitlines(), 1):
        heading = re.match(r"#+ +(\S+)", line)
        if heading:
            section = heading[1] if line.startswith("## ") else None
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
                sections.setdefault(section, []).append((number, name, unit, better))
    return sections


def check_docs(root, tables):
    sections, found = documented((root / DOCS).read_text(encoding="utf-8")), []
    records = documented((root / DOCS_OF_RECORDS).read_text(encoding="utf-8")) if (root / DOCS_OF_RECORDS).is_file() else {}
    for name, rows in tables.items():
        docs, sections = (DOCS_OF_RECORDS, sections | records) if name in records else (DOCS, sections)
        shown = [row for row in sections.get(name, []) if row[1] not in OF_SUMMARY and row[1] != "label.*"]
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


# ---- the Python package ---------------------------------------------------------------------------------------------

def columns_of(tables):
    return "file,column,unit,better\n" + "".join(f"{name},{row.name},{row.unit},{row.better}\n" for name in sorted(tables)
                                                 for row in tables[name])


def check_package(root, tables):
    """Its own list is this one, in a checkout that has the package."""
    path = root / PACKAGE_COLUMNS
    if path.is_file() and path.read_text(encoding="utf-8") != columns_of(tables):
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
    tables, found = read_tables(root)
    found += check_writers(root, tables["summary.csv"])
    found += check_docs(root, tables)
    found += check_package(root, tables)
    return found + list(second_tables(root, tables))


# ---- self-test ------------------------------------------------------------------------------------------------------

CLEAN = {
    str(METRICS): '#define METRIC_SHARE    "share"\n#define METRIC_TABLE(X) \\\n'
                  '    X(energy_kwh, "kWh", LESS, LIGHT, metrics, "energy, all") \\\n'
                  '    X(util_all, METRIC_SHARE, MORE, LIGHT, metrics, "use") \\\n'
                  '    X(events, "", NEITHER, LIGHT, metrics, "events")\n',
    "src/metrics/metrics.c": "s->energy_kwh = 1;\ns->util_all += 1;\ns->events++;\n",
    "src/output/run/jobs_csv.c": '#define JOBS_COLUMNS(X) \\\n    X(user, "", NEITHER, text(out, job.user)) \\\n'
                                 '    X(wait_s, "s", LESS, ns(out, job.wait_ns)) \\\n'
                                 '    X(nodes, "", NEITHER, number(out, job.nodes))\n',
    str(DOCS): "## jobs.csv\n\n| column | unit | better | definition |\n|---|---|---|---|\n| policy, replication | | | x |\n"
               "| user, wait_s, nodes | -, s, - | -, less, - | x |\n\n## summary.csv\n\n| column | unit | better | definition |\n"
               "|---|---|---|---|\n| energy_kwh | kWh | less | x |\n\nLater:\n\n"
               "| column | unit | better | definition |\n|---|---|---|---|\n| util_all | share | more | x |\n| events | | | x |\n",
}


def self_test():
    cases = [
        (None, "", "", None),
        (DOCS, "| kWh | less |", "| J | less |", 'energy_kwh is "J", "less"; the table says "kWh", "less"'),
        (DOCS, "| share | more |", "| share | less |", 'util_all is "share", "less"'),
        (DOCS, "-, s, - | -, less, -", "s | -, less, -", 'user is "s", ""'),
        (DOCS, "| util_all |", "| use |", "column use where the table has util_all"),
        (DOCS, "| events | | | x |\n", "", "summary.csv: events is not in docs/outputs.md"),
        (DOCS, "| events | | | x |", "| events, more | | | x |", "more is in no table"),
        (METRICS, "METRIC_SHARE, MORE", "METRIC_SHARE, LESS", 'util_all is "share", "more"'),
        (METRICS, '"kWh", LESS', '"kWh", SOME', "a row of a table is X("),
        ("src/metrics/metrics.c", "s->util_all +=", "x = s->util_all;", "src/metrics/metrics.c does not assign util_all"),
        ("src/cli/a.c", "", 'f("energy_kwh");\nf("util_all");\n', "a second list of metrics: energy_kwh, util_all"),
        ("src/cli/a.c", "", 'f("energy, all");\n', '"energy, all" stands in'),
        ("src/cli/a.c", "", '{SUMMARY_COLUMN(events), "events"},\n', "words for a metric"),
        ("src/cli/a.c", "", 'f("policy,user,wait_s,nodes\\n");\n', "a header typed by hand: user,wait_s,nodes"),
        ("src/cli/a.c", "", 'f("policy,superuser,wait_s,nodes\\n"); g("energy_kwh", "b", "user");\n', None),
        (PACKAGE_COLUMNS, "", "file,column,unit,better\njobs.csv,user,,\njobs.csv,wait_s,s,less\njobs.csv,nodes,,\n"
                              "summary.csv,energy_kwh,kWh,less\nsummary.csv,util_all,share,more\nsummary.csv,events,,\n", None),
        (PACKAGE_COLUMNS, "", "file,column,unit,better\njobs.csv,user,,\n", "make it anew"),
        ("src/engine/a.c", "", 'f("energy_kwh", "util_all", "energy, all");\n', None),
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
    print(f"check_tables: {len(cases)} self-tests passed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    if sys.argv[1:2] == ["--columns"] and len(sys.argv) == 3:
        print(columns_of(read_tables(Path(sys.argv[2]))[0]), end="")
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
