#!/usr/bin/env python3
"""Checks what files point to: sections of docs/reference/semantics.md ("semantics 4.2"), decision records ("decision 0007"), and
headings in links between documents, files of docs that a text names ("docs/reference/outputs.md"; tables of CHANGELOG.md may name
former ones), and the sections and files of docs/reference/semantics.csv exist; nothing points to papers that are not in the repository.

Usage: check_citations.py SOURCE_DIR | --self-test
"""

import re
import sys
import tempfile
from pathlib import Path

from check_text import ENDINGS, run, text_files

LEFT_OUT = {"tests/golden/cases", "tests/fuzz/corpus", "tests/profiles", "results", ".git"}
ABSENT = re.compile(r"\b(SPEC|FORMATS|GUIDE|PHYSICS|OPTIMUM|SERVING|TOOLING)\b")
BETWEEN = r"(?:[ \n]|\n *[*#] ?)+"  # a citation may go over the end of a line of a comment
LIST = rf"(?:,?{BETWEEN}(?:and|or|to){BETWEEN}|,{BETWEEN})"
SECTION = re.compile(rf"\bsemantics,?{BETWEEN}(\d+(?:\.\d+)*(?:{LIST}\d+(?:\.\d+)*(?![\d.]*[ \n]*[A-Za-z%/]))*)", re.I)
RECORD = re.compile(rf"\bdecisions?{BETWEEN}(\d{{4}}(?:{LIST}\d{{4}})*)\b|\bdecisions/(\d{{4}}-[\w-]+\.md)", re.I)
DOCUMENT = re.compile(r"docs/(?<![\w.-]docs/)(?<![\w}]/docs/)(?!decisions/)(?:[\w-]+/)*[\w-]+\.(?:md|csv|svg|ipynb|txt)\b")
READ = (*ENDINGS, ".scd", ".def", ".js", ".gp", ".awk", ".csv", ".txt", ".cff", ".ipynb")
LINK = re.compile(r"\]\(([^)\s#]*\.md|)#([^)\s]+)\)")
NUMBERED = re.compile(r"^#{2,6} (\d+(?:\.\d+)*)\.? ", re.M)
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def anchor(heading):
    """The name of a heading in links, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower().strip()).replace(" ", "-")


def anchors(text):
    return {anchor(heading) for heading in re.findall(r"^#{1,6} (.*)$", FENCE.sub("", text), re.M)}


def sections(root):
    path = root / "docs/reference/semantics.md"
    return set(NUMBERED.findall(path.read_text(encoding="utf-8"))) if path.is_file() else set()


def records(root):
    return {path.name for path in (root / "docs/decisions").glob("[0-9][0-9][0-9][0-9]-*.md")}


def problems_of(name, text, root, known, kept):
    """Yields (offset, what is wrong). known: sections; kept: decision records."""
    for match in ABSENT.finditer(text) if name.suffix != ".js" else []:
        yield match.start(), f"{match[1]} is not in the repository: cite docs/reference/semantics.md by section, a decision record or a document"
    for match in SECTION.finditer(text):
        for number in re.findall(r"\d+(?:\.\d+)*", match[1]):
            if number not in known:
                yield match.start(), f"docs/reference/semantics.md has no section {number}"
    for match in RECORD.finditer(text):
        for number in re.findall(r"\d{4}", match[1]) if match[1] else []:
            if not any(record.startswith(number) for record in kept):
                yield match.start(), f"there is no decision record {number}"
        if match[2] and match[2] not in kept:
            yield match.start(), f"there is no decision record {match[2]}"
    for match in DOCUMENT.finditer(text) if name.name != "budgets.csv" else []:  # that has pages to come, too
        former = name.name == "CHANGELOG.md" and text[text.rfind("\n", 0, match.start()) + 1] == "|"
        if not former and not (root / match[0]).is_file():
            yield match.start(), f"there is no {match[0]}"
    for match in LINK.finditer(text) if name.suffix == ".md" else []:
        target = root / name.parent / match[1] if match[1] else root / name
        if target.is_file() and match[2] not in anchors(target.read_text(encoding="utf-8")):
            yield match.start(), f"{match[1] or name.name} has no heading #{match[2]}"


def check(root):
    known, kept, found = sections(root), records(root), []
    for name in text_files(root, LEFT_OUT, READ):
        if str(name) in ("tools/check_citations.py", "tests/docs/test_style_check.py"):
            continue  # files of a test
        text = (root / name).read_text(encoding="utf-8", errors="replace")
        found += [f"{name}:{text.count(chr(10), 0, offset) + 1}: {what}"
                  for offset, what in problems_of(name, text, root, known, kept)]
    map_file = root / "docs/reference/semantics.csv"
    for line, row in enumerate(map_file.read_text(encoding="utf-8").splitlines()[1:] if map_file.is_file() else [], 2):
        section, path, _ = row.split(",", 2)
        if section not in known or not (root / path).exists():
            found.append(f"docs/reference/semantics.csv:{line}: there is no section {section} or no {path}")
    return found


def self_test():
    tree = {"docs/reference/semantics.md": "# S\n\n## 1. Time\n\n### 1.1 Order, of all\n\n## 12. Sleep\n",
            "docs/decisions/0007-abi.md": "# 0007: abi\n"}
    cases = [
        ("a.c", "/* semantics 1, 1.1 and 12 */", None), ("a.c", "/* Semantics 1.2 */", "a.c:1: docs/reference/semantics.md has no section 1.2"),
        ("a.c", "/* as semantics\n * 3 says */", "a.c:1: docs/reference/semantics.md has no section 3"),
        ("a.c", "/* semantics 1 and\n   13 */", "a.c:1: docs/reference/semantics.md has no section 13"),
        ("a.py", "# semantics 1.1, 5 jobs", None), ("a.c", "semantics of 3 jobs", None),
        ("a.h", "\n/* SPEC 4 */", "a.h:2: SPEC is not in the repository"), ("a.sh", "# see GUIDE.md", "a.sh:1: GUIDE"),
        ("a.py", "LOG_FORMATS = 1  # a specification", None), ("tests/bad/cases/a.py", "# FORMATS 1.1", "tests/bad/cases/a.py:1: FORMATS"),
        ("a.c", "/* decision 0007 */", None), ("a.c", "/* decision\n   0008 */", "a.c:1: there is no decision record 0008"),
        ("a.py", "# decisions 0007 and 0009", "a.py:1: there is no decision record 0009"),
        ("a.md", "[x](docs/decisions/0007-abi.md)", None),
        ("a.md", "[x](docs/decisions/0007-policy.md)", "a.md:1: there is no decision record 0007-policy.md"),
        ("a.md", "[x](docs/reference/semantics.md#11-order-of-all)", None),
        ("a.md", "[x](docs/reference/semantics.md#order)", "a.md:1: docs/reference/semantics.md has no heading #order"),
        ("a.scd", "docs/reference/semantics.md, tests/docs/b.csv, ${X}/docs/b.md", None), ("a.def", "\n(../docs/b/c.svg)", "a.def:2: there is no docs/b/c.svg"),
        ("CHANGELOG.md", "| docs/b.md |", None), ("CHANGELOG.md", "- docs/b.md", "CHANGELOG.md:1: there is no docs/b.md"),
        ("docs/reference/semantics.csv", "section,source,what\n1.1,docs/decisions,\n", None),
        ("docs/reference/semantics.csv", "section,source,what\n13,docs,\n", "docs/reference/semantics.csv:2: there is no section 13"),
        ("docs/reference/semantics.csv", "section,source,what\n1,a.c,x\n", "docs/reference/semantics.csv:2: there is no section 1 or no a.c"),
        ("a.md", "# One\n\n```sh\n# two\n```\n[x](#one) [y](#two)", "a.md:6: a.md has no heading #two"),
    ]
    for name, text, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            for path, content in {**tree, name: text}.items():
                Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, path).write_text(content, encoding="utf-8")
            found = check(Path(folder))
        good = len(found) == 1 and found[0].startswith(expected) if expected else not found
        assert good, (name, text, found)
    print(f"check_citations: {len(cases)} self-tests passed")


if __name__ == "__main__":
    sys.exit(run(__doc__, check, self_test))
