#!/usr/bin/env python3
"""Checks text files: no tabs, blanks at line ends or CR; UTF-8; one newline at the end; decision records of at most 20
lines; C of at most 100 columns, where strings do not count: they are not split mid-sentence; paragraphs and list items
of documents of at most 100 columns. In src only model/job_kind.h tells the kind of a job from its model,
and only cli/cli.c prints: names that others wrote reach a terminal without control characters.

Usage: check_text.py SOURCE_DIR | --self-test
Inputs that are wrong on purpose or compared byte for byte (tests/bad, tests/fuzz, tests/golden) and
build folders are left out.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

ENDINGS = (".c", ".h", ".py", ".sh", ".md", ".yaml", ".build")
NAMES = {"run", "meson_options.txt", "packages.txt", "pre-commit", "commit-msg", ".gitignore", ".editorconfig", ".clang-format"}
WIDTH, STRING = 100, re.compile(r'"(\\.|[^"\\])*"')
INFERS_KIND, TELLS_KIND = re.compile(r"\bmodel *[!=]= *EASIM_NONE\b"), "src/model/job_kind.h"
PRINTS = re.compile(r"\b(v?f?printf|f?puts|put(char|c)|fputc|perror)\(")
MAY_PRINT = {"src/cli/cli.c", "src/cli/progress_line.c", "src/base/mem.c"}
RECORD, RECORD_LINES = "docs/decisions/[0-9][0-9][0-9][0-9]-*.md", 20
LEFT_OUT = {"tests/bad", "tests/fuzz", "tests/golden", "results", ".git"}


def text_files(root, left_out=LEFT_OUT, endings=ENDINGS):
    for folder, folders, names in os.walk(root):
        inside = Path(folder).relative_to(root)
        folders[:] = sorted(name for name in folders
                            if str(inside / name) not in left_out and name != "__pycache__"
                            and not (inside == Path(".") and name.startswith("build")))
        for name in sorted(names):
            if name.endswith(endings) or name in NAMES:
                yield inside / name


def problems_of(data):
    """Yields (line, what is wrong)."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        yield data.count(b"\n", 0, error.start) + 1, "not UTF-8"
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if b"\t" in line:
            yield number, "tab"
        if line != line.rstrip():
            yield number, "blank or CR at the end of the line"
    if lines[-1]:
        yield len(lines), "no newline at the end of the file"
    elif data.endswith(b"\n\n") or data == b"\n":
        yield len(lines) - 1, "empty line at the end of the file"


def wide_prose(text):
    """Yields the numbers of lines of Markdown that are too wide: tables, code and decision records may be, and a link."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and len(line) > WIDTH and " " in line.strip() and not re.match(r" *[|]|    ", line):
            yield number


def problems_of_file(name, data):
    yield from problems_of(data)
    lines = data.count(b"\n")
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if name.suffix in (".c", ".h") and len(STRING.sub('""', line)) > WIDTH:
            yield number, f"wider than {WIDTH} columns"
        if name.parts[0] == "src" and str(name) != TELLS_KIND and INFERS_KIND.search(line):
            yield number, f"infers the kind of a job from its model: ask for the kind ({TELLS_KIND})"
        if name.parts[0] == "src" and str(name) not in MAY_PRINT and PRINTS.search(STRING.sub('""', line)):
            yield number, "prints: cli_say or cli_show (cli/cli.h) show what others wrote as text"
    if name.suffix == ".md" and not name.match(RECORD):
        for number in wide_prose(data.decode("utf-8", "replace")):
            yield number, f"prose wider than {WIDTH} columns"
    if name.match(RECORD) and lines > RECORD_LINES:
        yield lines, f"a decision record has at most {RECORD_LINES} lines"


def check(root):
    return [f"{name}:{line}: {text}" for name in text_files(root)
            for line, text in problems_of_file(name, (root / name).read_bytes())]


def self_test():
    cases = [
        ("a.md", b"one\n\ntwo\n", None), ("a.md", b"", None), ("a.txt", b"\t", None),
        ("a.c", b"x" * 100 + b"\n", None), ("a.c", b"\n" + b"x" * 101 + b"\n", "a.c:2: wider"),
        ("a.h", b'f("' + b"x" * 101 + b'");\n', None),
        ("a.md", b"x " * 50 + b"xx\n", "a.md:1: prose wider"), ("docs/decisions/0001-time.md", b"x " * 50 + b"xx\n", None),
        ("a.md", b"```\n" + b"x " * 50 + b"xx\n```\n    " + b"x " * 50 + b"x\n| " + b"x " * 50 + b"|\n", None),
        ("a.md", b"```\n```\n- " + b"x " * 50 + b"x\n", "a.md:3: prose wider"),
        ("a.py", b"if:\n\tpass\n", "a.py:2: tab"), ("b/a.yaml", b"a: \n", "b/a.yaml:1: blank"),
        ("a.sh", b"ls\r\n", "a.sh:1: blank or CR"), ("meson.build", b"x", "meson.build:1: no newline"),
        ("a.md", b"x\n\n", "a.md:2: empty line"), (".ci/run", b"\xff\n", ".ci/run:1: not UTF-8"),
        ("tests/bad/a.yaml", b"\t", None), ("build-x/a.md", b"\t", None),
        ("src/a.c", b"if (job->model == EASIM_NONE)\n", "src/a.c:1: infers the kind"),
        ("src/model/job_kind.h", b"return model == EASIM_NONE;\n", None),
        ("src/cli/a.c", b"fputs(name, stderr);\n", "src/cli/a.c:1: prints"), ("src/cli/a.c", b'    snprintf(a, 8, "puts(");\n', None),
        ("src/cli/cli.c", b"fputs(name, stderr);\n", None), ("tests/a.c", b"puts(name);\n", None),
        ("policies/a.c", b"if (job->model != EASIM_NONE)\n", None),
        ("src/build/a.md", b"\t\n", "src/build/a.md:1: tab"),
        ("docs/decisions/0001-time.md", b"x\n" * 20, None), ("docs/decisions/README.md", b"x\n" * 21, None),
        ("docs/decisions/0001-time.md", b"x\n" * 21, "docs/decisions/0001-time.md:21: a decision record"),
    ]
    for name, data, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            found = check(Path(folder))
        good = found[0].startswith(expected) if expected and found else not expected and not found
        assert good, (name, data, found)
    print(f"check_text: {len(cases)} self-tests passed")


def run(usage, check_tree, test_itself):
    """The main program of a check: --self-test, or what is found in a folder, a line each."""
    if sys.argv[1:] == ["--self-test"]:
        test_itself()
        return 0
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print(usage.strip(), file=sys.stderr)
        return 2
    found = check_tree(Path(sys.argv[1]))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(run(__doc__, check, self_test))
