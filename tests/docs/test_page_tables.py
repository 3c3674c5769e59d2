#!/usr/bin/env python3
"""Checks figures in tables of pages against the CSV files that scripts make. Usage: test_page_tables.py SOURCE_DIR

Every number in a table of these pages, its first column and its heading apart, has to be a number of the CSV file, rounded as it is
on the page, also as hours of seconds or as percent; a number and its interval in one row. The scripts are run by the blocks of the studies,
which take a minute, so that a page cannot be left behind when its CSV file is made anew.
"""
import csv
import re
import sys
from pathlib import Path

NUMBER = r"(?<![\w.,])(-?\d[\d,]*(?:\.\d+)?)(?!\w)"
GROUPS = re.compile(f"{NUMBER} ± {NUMBER}|{NUMBER}(?: %)? \\({NUMBER} \\.\\. {NUMBER}\\)|{NUMBER}")  # what one row of the CSV file has
HOWTOS = "docs/studies/howtos.csv"
STUDIES = ["calibration", "caps", "carbon", "findings", "generation", "lean", "serving", "training"]  # each with a CSV file of its name
PAGES = {"docs/howto/optimum.md": (HOWTOS, "bounds"),
         "docs/howto/decisions.md": (HOWTOS, "regret"), "docs/explanation/statistics.md": (HOWTOS, "worlds"),
         "docs/studies/seed.md": ("docs/studies/seed.csv docs/studies/seed-claims.csv docs/studies/physics.csv", ""),
         "docs/howto/learn-policy.md": ("docs/studies/learning.csv", ""),
         **{f"docs/studies/{name}.md": (f"docs/studies/{name}.csv", "") for name in STUDIES},
         "docs/studies/lean.md": ("docs/studies/lean.csv docs/studies/lean-limits.csv", "")}
LEFT_OUT = {"docs/explanation/statistics.md": "bootstrap-t"}  # tables of other tests, by a word of their heading
SCALES = (1, 1 / 3600, 100, 1e-3)


def table_groups(text, left_out):
    """Numbers as they are in the bodies of tables, those that belong together in one tuple; a table without decimals has no figures."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        heading, _, *rows = block.splitlines()
        if (left_out and left_out in heading) or not re.search(r"\d\.\d", "".join(rows)):
            continue
        for row in rows:
            for cell in row.split("|")[2:]:
                for match in GROUPS.finditer(re.sub(r"`[^`]*`", "", cell)):
                    yield tuple(filter(None, match.groups())), row


def known_rows(path, study):
    """Sets of numbers, one for each row; with the half interval of a difference as a share of the mean of its baseline."""
    with open(path, newline="", encoding="utf-8") as file:
        heading, *lines = csv.reader(file)
    for line in lines:
        cell = dict(zip(heading, line))
        if cell.get("base_mean") and cell["diff_ci95"] and float(cell["base_mean"]):
            line.append(f"{float(cell['diff_ci95']) / float(cell['base_mean']):.9f}")
    rows = [",".join(f'"{cell}"' for cell in line) for line in lines if study in ("", line[0])]
    return [{abs(float(number.replace(",", ""))) for number in re.findall(r"\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?", row)} for row in rows]


def is_known(group, rows):
    def close(number, values, scale):
        half = 0.500001 * 10 ** -len(number.partition(".")[2])
        return any(abs(value * scale - abs(float(number.replace(",", "")))) <= half for value in values)
    return any(all(close(number, values, scale) for number in group) for values in rows for scale in SCALES)


def main():
    source, faults, count = Path(sys.argv[1]), [], 0
    for page, (paths, study) in PAGES.items():
        rows = [row for path in paths.split() for row in known_rows(source / path, study)]
        found = list(table_groups((source / page).read_text(encoding="utf-8"), LEFT_OUT.get(page)))
        count += len(found)
        faults += [f"{page}: {', '.join(group)} is not in {paths}: {row}" for group, row in found if not is_known(group, rows)]
        if not found:
            faults.append(f"{page}: no figures in tables")
    print("\n".join(faults), end="\n" if faults else "")
    print(f"{count} figures")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
