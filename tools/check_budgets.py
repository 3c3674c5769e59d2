#!/usr/bin/env python3
"""Checks how long and how many files and functions are. Usage: check_budgets.py [--stats] PATH... | --self-test

Hard limits for every C file under the paths. For each folder named src also how many files there are and how long
most of them are, neither too long nor slips: no .c that only includes or holds but one short function, no folder
for one module, no header of which nobody outside its module uses anything, or one file one function. The files of
all paths count as users. The function finder knows clang-formatted C: definitions start at depth 0; prototypes,
structs and macros do not count. A function's length runs from its first line to its closing brace.
"""

import functools
import math
import re
import statistics
import sys
import tempfile
from pathlib import Path

from c_text import without_comments, without_directives

FILE_LINES = 600
PUBLIC_HEADER_LINES = 300
FUNCTION_LINES = 80
PARAMETERS = 6
INTERNAL_HEADER_LINES = 300
SHORT_FUNCTION_LINES = 20  # a .c with only such a one is a slip
SLIP_LINES = 60  # a shorter .c is one


class Limits:
    """Of a folder src."""
    files = 705  # power limits: check_limits; traces: kineto_job, trace, patterns, stragglers (operations, replay), trace_edit (cut, merge)
    files_a_thousand_lines = 5.5
    room_files = {"engine": 50}
    median_c_lines = (170, 300)
    slips_percent = 5
    median_function_lines = 12
    p90_function_lines = 25
    only_includes = 0
    one_short_function = 0
    one_module_folders = 0
    headers_hardly_used = 0


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


@functools.cache
def functions_of(text):
    """[(name, first line, lines, parameters)] of every function definition."""
    return list(find_functions(text))


def find_functions(text):
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
    limit = PUBLIC_HEADER_LINES if public else INTERNAL_HEADER_LINES if path.name == "internal.h" else FILE_LINES
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


def declared(text):
    """({functions}, {other names}) that a header offers; a tag is "struct x"."""
    functions, names = set(), set()
    names.update(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(?!EASIM_\w+_H$)(\w+)", without_comments(text), re.MULTILINE))
    depth, head, inside, kept = 0, [], [], []
    for token, _, _ in tokens_of(without_directives(text)):
        depth -= token == "}"
        if depth == 0 and token in ";}":
            kept.append((head, inside))
            if token == ";" or function_head(head):
                head, inside = [], []
        elif depth == 0 and token != "{":
            head.append(token)
        else:
            inside.append(token)
        depth += token == "{"
    for head, inside in kept:
        if "(" in head and "=" not in head:
            functions.update(name for name, after in zip(head, head[1:])
                             if after == "(" and re.match(r"[a-z_]", name) and name not in ("__attribute__", "sizeof"))
        elif head and head[0] not in ("extern", "typedef", "struct", "union", "enum", "static"):  # of a function type
            functions.update(token for token, after in zip(head[1:], [*head[2:], ";"]) if after in (";", ","))
        elif "extern" in head:
            names.update(token for token, after in zip(head, [*head[1:], ";"]) if after in ("[", ";", ","))
        if inside and head[:1] and head[0] in ("struct", "union", "enum"):
            names.update([" ".join(head[:2])] if len(head) > 1 else [])
            names.update(token for before, token in zip(inside, inside[1:]) if head[0] == "enum" and before in "{,")
    return functions, {name for name in names if name[-1].isalnum() or name[-1] == "_"} - functions


def words_of(text):
    text = without_comments(text)
    return set(re.findall(r"[A-Za-z_]\w*", text)) | {" ".join(tag) for tag in re.findall(r"\b(struct|union|enum)\s+(\w+)", text)}


def headers_hardly_used(root, texts):
    """Problems of headers under root that nobody uses, or one file for one function; texts: {file: text} of all users."""
    words = {path: words_of(text) for path, text in texts.items()}
    owners = {}
    for path, text in texts.items():
        for name, *_ in functions_of(text) if path.suffix == ".c" and root in path.parents else ():
            owners.setdefault(name, []).append(path)
    for path in sorted(path for path in texts if path.suffix == ".h" and root in path.parents and path.name != "internal.h"):
        functions, names = declared(texts[path])
        own = {path, path.with_suffix(".c")}
        own |= {owner for name in functions for owner in owners.get(name, []) if owner.parent == path.parent}
        used = {name: {user for user, of_user in words.items() if user not in own and name in of_user}
                for name in functions | names}
        users = set().union(*used.values())
        found = sorted(name for name in functions if used[name])
        if not users:
            yield f"{path}:1: nobody outside its module uses this header: make all of it static"
        elif len(users) == 1 and len(found) == 1 and min(users) != root / "main.c":
            yield (f"{path}:1: only {found[0]} is used, by {min(users).name} alone: make it a section of that file, "
                   "or move it to internal.h")


def slips(root, texts):
    """(problems of .c that only include, of those with one short function, of folders for one module)."""
    only_include, short, folders, modules = [], [], [], {}
    for path in sorted(path for path in texts if root in path.parents):
        if path.parent.parent != root and path.parent != root and path.name != "internal.h":
            modules.setdefault(path.parent, set()).add(path.stem)
        code = without_directives(texts[path])
        if path.suffix != ".c":
            continue
        functions = functions_of(texts[path])
        if not code.strip():
            only_include.append(f"{path}:1: holds nothing but includes")
        elif len(functions) == 1 and functions[0][0] != "main" and functions[0][2] < SHORT_FUNCTION_LINES and "=" not in "".join(outer(code)):
            short.append(f"{path}:1: holds only {functions[0][0]}, of {functions[0][2]} lines: no file of its own")
    for folder, stems in modules.items():
        if len(stems) == 1 and not any(other != folder and folder in other.parents for other in modules):
            folders.append(f"{folder}:1: a folder for one module")
    return only_include, short, folders


def outer(code):
    """The characters of code that no brace encloses."""
    depth = 0
    for char in code:
        depth -= char == "}"
        if depth == 0:
            yield char
        depth += char == "{"


def check_src(root, measured, texts, limits):
    """Problems of a folder src; measured: {file: (lines, lines of its functions)}; texts: {file: text} of all paths."""
    sizes = [lines for lines, _ in measured.values()]
    c_sizes = [lines for path, (lines, _) in measured.items() if path.suffix == ".c"] or [0]
    lengths = [length for _, of_file in measured.values() for length in of_file] or [0]
    few = sum(size < SLIP_LINES for size in c_sizes)
    least, most = limits.median_c_lines
    in_rooms = [(f"{room} has {{}} files", sum(1 for path in measured if path.is_relative_to(root / room)), limit)
                for room, limit in limits.room_files.items()]
    for text, value, limit in [
            ("there are {} files", len(sizes), limits.files),
            ("{:.2f} files for 1,000 lines", 1000 * len(sizes) / max(sum(sizes), 1), limits.files_a_thousand_lines),
            *in_rooms,
            ("median .c has {:g} lines", statistics.median(c_sizes), most),
            (f"{{:.1f}} % of the .c have less than {SLIP_LINES} lines", 100 * few / len(c_sizes), limits.slips_percent),
            ("median function has {:g} lines", statistics.median(lengths), limits.median_function_lines),
            ("90 % of the functions have up to {} lines", p90(lengths), limits.p90_function_lines)]:
        if value > limit:
            yield f"{root}:1: {text.format(value)}, limit {limit}"
    if statistics.median(c_sizes) < least:
        yield f"{root}:1: median .c has {statistics.median(c_sizes):g} lines, at least {least}"
    for found, limit in zip((*slips(root, texts), list(headers_hardly_used(root, texts))),
                            (limits.only_includes, limits.one_short_function, limits.one_module_folders,
                             limits.headers_hardly_used)):
        if len(found) > limit:
            yield from found


def c_files(root):
    return [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.suffix in (".c", ".h"))


def check(roots, problems, limits=Limits):
    """Checks files and folders; returns (root, lines of files, lines of functions) of each."""
    measured = {root: {path: check_file(path, problems) for path in c_files(root)} for root in roots}
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for files in measured.values() for path in files}
    for root, files in measured.items():
        if root.resolve().name == "src" and files:
            problems.extend(check_src(root, files, texts, limits))
        yield root, [lines for lines, _ in files.values()], [length for _, of_file in files.values() for length in of_file]


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
    found = functions_of(FOUND_TEXT[1:])
    assert found == expected, found

    def function(lines, arguments=1):
        inner = ", ".join(f"int a{i}" for i in range(arguments))
        return f"int f({inner}) {{\n" + "    ;\n" * (lines - 2) + "}\n"

    head = "#ifndef EASIM_A_H\n#define EASIM_A_H\n"
    user = "static int a(void) {\n    return g(1);\n}\n" + function(20)
    cases = [
        ({"src/a.c": function(25, 6) + function(80) + function(12) * 9, "src/b.h": "#define A 1\n", "tests/a.c": "int b = A;\n"}, []),
        ({"src/a.c": "int a;\n" * 600, "src/b.c": "int a;\n" * 60, "src/c.c": "int a;\n" * 60}, []),
        ({"tests/a.c": "int a;\n" * 601}, ["a.c:601: file has 601 lines, limit 600"]),
        ({"tests/internal.h": "\n" * 300}, []),
        ({"tests/internal.h": "\n" * 301}, ["internal.h:301: file has 301 lines, limit 300"]),
        ({"include/easim/types.h": "\n" * 300, "include/easim/policy.h": "\n" * 301},
         ["policy.h:301: file has 301 lines, limit 300"]),
        ({"tests/a.c": "\n" + function(81)}, ["a.c:2: f has 81 lines"]),
        ({"tests/a.c": function(5, 7)}, ["a.c:1: f has 7 parameters"]),
        ({f"src/{i}.c": "int a;\n" * 60 for i in "abcde"}, ["src:1: there are 5 files, limit 4"]),
        ({"src/a.c": "int a;\n", "src/b.c": "int a;\n" * 65, "src/c.c": "int a;\n" * 65},
         ["src:1: 22.90 files for 1,000 lines, limit 20", "src:1: 33.3 % of the .c have less than 60 lines, limit 25"]),
        ({f"src/room/{i}.c": "int a;\n" * 60 for i in "abcd"}, ["src:1: room has 4 files, limit 3"]),
        ({"src/a.c": "int a;\n" * 301}, ["src:1: median .c has 301 lines, limit 300"]),
        ({"src/a.c": "int a;\n" * 59, "src/b.c": "int a;\n" * 60, "src/c.c": "int a;\n" * 60, "src/d.c": "int a;\n" * 50},
         ["src:1: 50.0 % of the .c have less", "src:1: median .c has 59.5 lines, at least 60"]),
        ({"src/a.c": function(13) + function(12) * 2 + function(25) * 2}, ["src:1: median function has 13 lines, limit 12"]),
        ({"src/a.c": function(26) * 2 + function(3) * 18}, []),
        ({"src/a.c": function(26) * 3 + function(3) * 17}, ["src:1: 90 % of the functions have up to 26 lines, limit 25"]),
        ({"tests/a.c": "int a;\n" * 301 + function(41)}, []),
    ]
    slip_cases = [
        ({"src/a.c": '/* a */\n#include "a.h"\n'}, ["a.c:1: holds nothing but includes"]),
        ({"src/a.c": function(19)}, ["a.c:1: holds only f, of 19 lines"]),
        ({"src/a.c": function(20), "src/b.c": "int t[] = {1};\n" + function(3),
          "src/main.c": "int main(void) {\n}\n", "src/c.c": function(3) + function(3)}, []),
        ({"src/room/a.c": "int a;\n" * 60, "src/room/sub/b.c": "int a;\n" * 60}, ["sub:1: a folder for one module"]),
        ({"src/room/sub/b.c": "int a;\n" * 60, "src/room/sub/c.c": "int a;\n" * 60}, []),
        # headers: m.c alone uses g; a struct, a constant, a table and a second function are used, too
        ({"src/b.h": head + "int g(void);\n", "src/m.c": user}, ["b.h:1: only g is used, by m.c alone"]),
        ({"src/b.h": head + "typedef int reader(int a);\nreader g, h;\n", "src/m.c": user}, ["b.h:1: only g is used, by m.c alone"]),
        ({"src/internal.h": head + "int g(void);\n", "src/m.c": user}, []),
        ({"src/b.h": head + "struct s { int a; };\nPRINTF_LIKE(1, 2)\nint g(void) MUST_CHECK;\n#define NEVER(a) a\n",
          "src/b.c": function(60) + "int h(struct s *s) {\n}\n", "src/m.c": user},
         ["b.h:1: only g is used, by m.c alone"]),
        ({"src/b.h": head + "static inline int g(void) {\n    return 1;\n}\nint h(void);\n",
          "src/m.c": user + "/* h */\n"}, ["b.h:1: only g is used, by m.c alone"]),
        ({"src/b.h": head + "int g(void);\nint h(int a);\n", "src/m.c": user + "int b = h();\n"}, []),
        ({"src/b.h": head + "int g(void);\n", "src/main.c": user}, []),
        *(({"src/b.h": head + f"int g(void);\n{offer}\n", "src/m.c": user, "tests/t.c": f"int a = {used};\n"}, [])
          for offer, used in (("struct s { int a; };", "sizeof(struct s)"), ("enum e { A, B_C };", "B_C"), ("#define N 1", "N"),
                              ("extern const int t[2], u;", "u"), ("extern const int t[2], u;", "t[1]"), ("", "g()"))),
        ({"src/b.h": head + "int g(void);\n", "src/b.c": user}, ["b.h:1: nobody outside its module uses this header"]),
        ({"src/b.h": head, "src/m.c": user}, ["b.h:1: nobody outside its module uses this header"]),
        # n.c holds what b.h offers: it is of b's module, but not if it stands in another folder
        ({"src/b.h": head + "int g(void);\n", "src/n.c": "int g(void) {\n}\n" + function(60)}, ["b.h:1: nobody outside"]),
        ({"src/b.h": head + "int g(void);\n", "tests/n.c": "int g(void) {\n}\n"}, ["b.h:1: only g is used, by n.c alone"]),
    ]

    class Small(Limits):
        files, files_a_thousand_lines, room_files, median_c_lines, slips_percent = 4, 20, {"room": 3}, (60, 300), 25
        one_short_function = one_module_folders = headers_hardly_used = 10

    class NoSlips(Limits):
        files_a_thousand_lines, median_c_lines, slips_percent = 1000, (0, 300), 100
        median_function_lines = p90_function_lines = 80
        one_short_function = one_module_folders = headers_hardly_used = 0

    for files, wanted, limits in [(*case, Small) for case in cases] + [(*case, NoSlips) for case in slip_cases]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            problems = []
            list(check(sorted(Path(folder).iterdir()), problems, limits))
        assert len(problems) == len(wanted), (wanted, problems)
        assert all(part in line for part, line in zip(wanted, problems)), (wanted, problems)
    print(f"check_budgets: {len(cases) + len(slip_cases) + 1} self-tests passed")


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
    problems = []
    rows = [(str(path), *of_path) for path, *of_path in check(paths, problems)]
    if stats:
        if len(rows) > 1:
            rows.append(("total", *(sum((row[i] for row in rows), []) for i in (1, 2))))
        print_stats(rows)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
