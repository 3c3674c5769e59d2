#!/usr/bin/env python3
"""The results in docs/validation.md: validation_table.py EASIM SOURCE [--check | --update]

Runs every shipped validation (`easim validate`) and writes what stands between the marks "results begin" and "results
end". Without an option it prints that. --check compares it with the document and fails if it differs, if a verdict is not
the expected one, or if it is skipped for missing data; it ends with 77, skipped, without EASIM_DATA.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BEGIN, END = "<!-- results begin -->\n", "<!-- results end -->\n"
AGAINST = {"measurement": "Measured", "simulator": "Other simulators (no measurements)", "theory": "Closed forms (no measurements)"}

COLUMN = {"measurement": "measured", "simulator": "simulated", "theory": "exact"}


def figure(value):
    """About five digits, with separators."""
    if value is None:
        return ""
    digits = max(0, 4 - len(str(int(abs(value))))) if abs(value) >= 1 else 4
    return f"{value:,.{digits}f}"


def percent(value, signed):
    return "" if value is None else f"{100 * value:{'+' if signed else ''}.3g} %"


def verdict(row):
    if row["verdict"] == "skipped":
        return "skipped"
    return row["verdict"] + ("" if row["expect"] == "pass" and row["as_expected"] else
                             ", as expected" if row["as_expected"] else ", **unexpected**")


def notes(validation):
    for row in validation["rows"]:
        if row["reason"]:
            yield f"- {validation['name']}, {row['metric']}{' ' + row['of'] if row['of'] else ''}: {row['reason']}."
    for note in validation["notes"]:
        yield f"- {validation['name']}: {note}."


def table(these):
    """Validations of one source and one physics, rows of all in one table."""
    first = these[0]
    yield f"Kind: {first['kind']}. Source: {first['source']}. Physics: {first['physics']}."
    yield ""
    for validation in these:
        if validation["missing"]:
            yield f"Skipped: {validation['name']}, {validation['missing']} is missing."
            yield ""
    yield f"| validation | metric | of | predicted | {COLUMN[first['against']]} | error | tolerance | verdict |"
    yield "|---|---|---|--:|--:|--:|--:|---|"
    for validation in these:
        for row in validation["rows"]:
            unit = f" ({row['unit']})" if row["unit"] else ""
            signed = row["measured"] is not None
            yield (f"| {validation['name']} | {row['metric']}{unit} | {row['of']} | {figure(row['predicted'])} | "
                   f"{figure(row['measured'])} | {percent(row['error'], signed)} | {percent(row['tolerance'], False)} | "
                   f"{verdict(row)} |")
    yield ""
    said = [line for validation in these for line in notes(validation)]
    yield from said
    if said:
        yield ""


def wrapped(line):
    """Prose in lines of at most 100 characters; a table row stays one."""
    if line.startswith("|") or len(line) <= 100:
        return [line]
    lines, indent = [], "  " if line.startswith("- ") else ""
    for word in line.split():
        if lines and len(lines[-1]) + 1 + len(word) <= 100:
            lines[-1] += " " + word
        else:
            lines.append((indent if lines else "") + word)
    return lines


def document(results):
    lines = []
    for against, heading in AGAINST.items():
        these = [v for v in results["validations"] if v["against"] == against]
        if these:
            lines += [f"### {heading}", ""]
        kinds = dict.fromkeys((v["kind"], v["source"], v["physics"]) for v in these)
        for kind in kinds:
            lines += table([v for v in these if (v["kind"], v["source"], v["physics"]) == kind])
    lines.append(f"In all {results['passed']} figures pass, {results['failed_as_expected']} fail as expected, "
                 f"{results['unexpected']} are unexpected, {results['skipped']} are skipped.")
    return "".join(part + "\n" for line in lines for part in wrapped(line))


def main():
    easim, source, option = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), (sys.argv[3:] or [""])[0]
    if option == "--check" and not os.environ.get("EASIM_DATA"):
        print("skipped: EASIM_DATA is not set")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="easim-validation.") as folder:
        done = subprocess.run([easim, "validate", "--format", "json", "--out", Path(folder) / "out", "--quiet"],
                              capture_output=True, text=True, check=False,
                              env=os.environ | {"EASIM_VALIDATION": str(source / "validation")})
    if not done.stdout:
        sys.exit(done.stderr)
    results = json.loads(done.stdout)
    text, path = document(results), source / "docs/validation.md"
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    old, _, after = rest.partition(END)
    if option == "--update":
        path.write_text(before + BEGIN + text + END + after, encoding="utf-8")
    elif option == "--check":
        wrong = [name for name in ("unexpected", "skipped") if results[name] > 0]
        if old != text or wrong:
            sys.exit(f"docs/validation.md: {wrong or 'the results differ'}: {sys.argv[0]} EASIM SOURCE --update\n{text}")
        print("1 passed, 0 failed")
    else:
        print(text, end="")


main()
