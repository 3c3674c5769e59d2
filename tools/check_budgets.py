#!/usr/bin/env python3
"""Checks how long files and functions are. Usage: check_budgets.py [--stats] PATH... | --self-test

Hard limits for every C file under the paths, and medians over each folder named src. The function
finder knows clang-formatted C: definitions start at depth 0; prototypes, structs and macros do not
count. A function's length runs from its first line to its closing brace.
"""

import math
import re
import statistics
import sys
import tempfile
from pathlib import Path

from c_text import without_directives

FILE_LINES = 600
PUBLIC_HEADER_LINES = 300
FUNCTION_LINES = 80
PARAMETERS = 6
MEDIAN_FILE_LINES = 200
P90_FUNCTION_LINES = 40
TOKEN = re.compile(r"[A-Za-z_]\w*|\.\.\.|\"[^\"]*\"|[^\s\w]|\w+")


def tokens_of(text):
    """Yields (token, line, starts at column 0)."""
    line, last = 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", last, match.start())
        last = match.start()
        yield match[0], line, last == 0 or text[last - 1] == "\n"


def opening(tokens, close):
    """Index of the parenthesis that tokens[close] closes."""
    depth = 0
    for i in range(close, -1, -1):
        depth += (tokens[i] == ")") - (tokens[i] == "(")
        if depth == 0:
            return i
    return 0


def parameters(tokens):
    """How many parameters stand between two parentheses; "..." and Criterion's .x = y are none."""
    groups, depth = [[]], 0
    for token in tokens:
        depth += (token in "([{") - (token in ")]}")
        if token == "," and depth == 0:
            groups.append([])
        else:
            groups[-1].append(token)
    return sum(1 for group in groups if group not in ([], ["void"], ["..."]) and group[0] != ".")


def function_head(tokens):
    """(name, parameters) if the tokens before a "{" begin a function, else None."""
    depth = 0
    for token in tokens:
        depth += (token == "(") - (token == ")")
        if token == "=" and depth == 0:
            return None
    if not tokens or tokens[-1] != ")":
        return None
    start = opening(tokens, len(tokens) - 1)
    if start == 0 or tokens[start - 1] == "__attribute__":
        return None
    if tokens[start - 1] != ")":
        return tokens[start - 1], parameters(tokens[start + 1:-1])
    # A function that returns a function pointer: void (*name(int a))(int b)
    inner = tokens[opening(tokens, start - 1) + 1:start - 1]
    return function_head(inner)


def functions_of(text):
    """Yields (name, first line, lines, parameters) of every function definition."""
    depth, head, first, current = 0, [], 0, None
    for token, line, at_margin in tokens_of(without_directives(text)):
        if token == "}":
            depth = 0 if at_margin else max(depth - 1, 0)
            if depth == 0:
                if current:
                    yield current[0], first, line - first + 1, current[1]
                head, current = [], None
        elif token == "{" and (depth > 0 or head[-2:-1] != ["extern"] or head[-1][0] != '"'):
            if depth == 0:
                current = function_head(head)
            depth += 1
        elif depth == 0:
            if token in ";{":
                head = []
                continue
            if not head:
                first = line
            head.append(token)


def p90(values):
    """Nearest rank: at least 90 % of the values are not above it."""
    return sorted(values)[math.ceil(0.9 * len(values)) - 1] if values else 0


def check_file(path, problems):
    """Adds the problems of a file; returns (lines, [lines of each function])."""
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = len(text.splitlines())
    public = path.resolve().parts[-3:-1] == ("include", "easim")
    limit = PUBLIC_HEADER_LINES if public else FILE_LINES
    if lines > limit:
        problems.append(f"{path}:{limit + 1}: file has {lines} lines, limit {limit}")
    lengths = []
    for name, line, length, count in functions_of(text):
        lengths.append(length)
        if length > FUNCTION_LINES:
            problems.append(f"{path}:{line}: {name} has {length} lines, limit {FUNCTION_LINES}")
        if count > PARAMETERS:
            problems.append(f"{path}:{line}: {name} has {count} parameters, limit {PARAMETERS}")
    return lines, lengths


def check(root, problems):
    """Checks a file or folder; returns (lines of files, lines of functions)."""
    files = [root] if root.is_file() else sorted(
        path for path in root.rglob("*") if path.suffix in (".c", ".h"))
    measured = [check_file(path, problems) for path in files]
    sizes = [lines for lines, _ in measured]
    lengths = [length for _, of_file in measured for length in of_file]
    if root.resolve().name == "src" and sizes:
        if statistics.median(sizes) > MEDIAN_FILE_LINES:
            problems.append(f"{root}:1: median file has {statistics.median(sizes):g} lines, "
                            f"limit {MEDIAN_FILE_LINES}")
        if p90(lengths) > P90_FUNCTION_LINES:
            problems.append(f"{root}:1: 90 % of the functions have up to {p90(lengths)} lines, "
                            f"limit {P90_FUNCTION_LINES}")
    return sizes, lengths


def print_stats(rows):
    header = ("path", "files", "lines", "median", "max", "functions", "p50", "p90", "max")
    table = [header]
    for name, sizes, lengths in rows:
        table.append((name, len(sizes), sum(sizes), statistics.median(sizes or [0]),
                      max(sizes, default=0), len(lengths), statistics.median(lengths or [0]),
                      p90(lengths), max(lengths, default=0)))
    width = max(len(str(row[0])) for row in table)
    for name, *numbers in table:
        print(f"{name:<{width}}" + "".join(
            f"{number:>10}" if isinstance(number, str) else f"{number:>10g}" for number in numbers))


FOUND_TEXT = r'''
#define MACRO(a) \
    do {         \
    } while (0)
struct point { int x; };
static const int table[] = {1, 2};
enum kind { KIND_A };
int prototype(int a, int b, int c, int d, int e, int f, int g);
extern "C" {
static inline int one(void) { return '{'; }
}
struct __attribute__((packed)) small { char c; };
/* int hidden(void) { */
PRINTF_LIKE(1, 2)
struct point *two(const char *text, /* } */
                  ...) {
    const char *s = "}\"{"; // {
    struct point p = {.x = (1)};
#ifdef A
    if (s) {
#else
    if (p.x) {
#endif
    }
}
void (*three(int number, void (*old)(int, int)))(int) {
    return old;
}
Test(suite, name, .init = setup, .fini = teardown) {
}
'''


def self_test():
    expected = [("one", 9, 1, 0), ("two", 13, 12, 1), ("three", 25, 3, 2), ("Test", 28, 2, 2)]
    found = list(functions_of(FOUND_TEXT[1:]))
    assert found == expected, found

    def function(lines, arguments=1):
        inner = ", ".join(f"int a{i}" for i in range(arguments))
        return f"int f({inner}) {{\n" + "    ;\n" * (lines - 2) + "}\n"

    cases = [
        ({"src/a.c": function(40, 6) + function(80) + function(40) * 9, "src/b.h": "", "src/c.h": ""}, []),
        ({"src/a.c": "\n" * 600, "src/b.c": "", "src/c.h": ""}, []),
        ({"src/a.c": "\n" * 601, "src/b.c": "", "src/c.h": ""}, ["a.c:601: file has 601 lines"]),
        ({"include/easim/types.h": "\n" * 300, "include/easim/policy.h": "\n" * 301},
         ["policy.h:301: file has 301 lines, limit 300"]),
        ({"tests/a.c": "\n" + function(81)}, ["a.c:2: f has 81 lines"]),
        ({"src/a.c": function(5, 7)}, ["a.c:1: f has 7 parameters"]),
        ({"src/a.c": "\n" * 201}, ["src:1: median file has 201 lines"]),
        ({"src/a.c": function(41) * 2 + function(3) * 8}, ["src:1: 90 % of the functions"]),
        ({"tests/a.c": "\n" * 201 + function(41)}, []),
    ]
    for files, wanted in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            problems = []
            for root in sorted(Path(folder).iterdir()):
                check(root, problems)
        assert len(problems) == len(wanted), (wanted, problems)
        assert all(part in line for part, line in zip(wanted, problems)), (wanted, problems)
    print(f"check_budgets: {len(cases) + 1} self-tests passed")


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        self_test()
        return 0
    stats = "--stats" in arguments
    paths = [Path(argument) for argument in arguments if argument != "--stats"]
    absent = [str(path) for path in paths if not path.exists()]
    if not paths or absent:
        print(f"not found: {' '.join(absent)}" if absent else __doc__.strip(), file=sys.stderr)
        return 2
    problems, rows = [], []
    for path in paths:
        rows.append((str(path), *check(path, problems)))
    if stats:
        if len(rows) > 1:
            rows.append(("total", *(sum((row[i] for row in rows), []) for i in (1, 2))))
        print_stats(rows)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
