#!/usr/bin/env python3
"""Checks who may use whom. Usage: check_layers.py SOURCE_DIR [--library LIB [--chain ROOM]] | --self-test

Includes, or with the built library also calls: no upward link, and no ring of files (a .c and its .h are one) by both
together. An internal.h holds what the files of a folder share: no file of another folder includes it, and for rings its
users are taken to include what it includes of other folders. No layer but cli names flags ("--out") in its texts. With --chain also prints the longest chain of uses in a room. Prints every violation as file:line: text and exits 1 if
there is one; exits 77, skipped, if the library does not tell its symbols.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

import link_graph
from c_text import TOKEN, without_comments

ORDER = ("base io config cluster model workload bounds policy engine metrics study conformance experiment "
         "insight output cli").split()
SIDE_ROOMS = {"ingest", "calibrate"}
SIDE_MAY_USE = {"base", "io", "config", "model", "workload"}
MAIN_MAY_USE = {"cli", "base"}
STANDARD = {name + ".h" for name in (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal "
    "stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath "
    "threads time uchar wchar wctype").split()}
PUBLIC = ["easim/types.h", "easim/predict.h", "easim/list.h", "easim/params.h", "easim/policy.h", "easim/forecast.h", "easim/services.h", "easim/power.h"]  # each may include those before it
PARTS = ("allocation", "easy", "edp")  # folders in policies/ with parts of policies
MOCK = "mock"  # policies/mock/: headers that include their parts
TALKS_TO_PROGRAMS = "exec"  # policies/exec.c and policies/exec/: may use the system, but nothing of src/
OTHER_PROGRAMS = ("nvidia-smi --query-gpu",)  # whose flags are named
INTERNAL = link_graph.INTERNAL
INTERNAL_LINES = 300  # of an internal.h
CHAINS = {"engine": 12}  # how many modules of a room may use each other one after the other
FLAG = re.compile(r'(?<![\w-])--[a-z]')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include\b[ \t]*(?:"([^"]*)"|<([^>]*)>|(.*))', re.MULTILINE)


def may_include(layer):
    """The layers a file of this layer may include; "main" is src/main.c."""
    if layer == "main":
        return MAIN_MAY_USE
    if layer in SIDE_ROOMS:
        return SIDE_MAY_USE | {layer}
    allowed = set(ORDER[:ORDER.index(layer) + 1])
    return allowed | SIDE_ROOMS if layer == "cli" else allowed


def c_files(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h"))


def includes_of(path):
    """Yields (line, name, "quoted" | "angled" | "computed")."""
    text = without_comments(path.read_text(encoding="utf-8", errors="replace"))
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        for name, kind in zip(match.groups(), ("quoted", "angled", "computed")):
            if name is not None:
                yield line, name.strip(), kind


def flags_in_strings(path):
    """Yields (line, string) of strings that name an option of a command line, as "--out"."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for match in TOKEN.finditer(text):
        string = match["string"] or ""
        for name in OTHER_PROGRAMS:
            string = string.replace(name, "")
        if string.startswith('"') and FLAG.search(string):
            yield text.count("\n", 0, match.start()) + 1, match[0]


class Tree:
    """One source tree; self.found collects (file, line, text)."""

    def __init__(self, root):
        self.root = root.resolve()
        self.src = self.root / "src"
        self.include = self.root / "include"
        self.found = []
        self.edges = {}  # header -> [(line, header)]
        self.generated = set(self.generated_headers())

    def generated_headers(self):
        """Headers that exist in the build folder only: those that a meson.build names."""
        for path in [self.root / "meson.build", *self.src.rglob("meson.build")]:
            if path.is_file():
                text = path.read_text(encoding="utf-8")
                yield from re.findall(r"'(?:[^'\n]*/)?([^'/\n]+\.h)'", text)

    def report(self, path, line, text):
        self.found.append((str(path.relative_to(self.root)), line, text))

    def layer_of(self, path):
        """"main", a layer, or None for a file that belongs to none."""
        parts = path.relative_to(self.src).parts
        if len(parts) == 1:
            return "main" if parts[0] == "main.c" else None
        return parts[0] if parts[0] in ORDER or parts[0] in SIDE_ROOMS else None

    def resolve(self, path, name):
        """The file an include means, or None."""
        for folder in (path.parent, self.src, self.include):
            if (folder / name).is_file():
                return (folder / name).resolve()
        return None

    def check_src_file(self, path):
        layer = self.layer_of(path)
        if layer is None:
            self.report(path, 1, "is in no known layer")
        if path.stem == Path(INTERNAL).stem:
            self.check_internal(path)
        for line, name, kind in includes_of(path):
            target = self.resolve(path, name) if kind == "quoted" else None
            if kind == "computed":
                self.report(path, line, f"include of a macro: {name}")
            elif kind == "angled" and (self.src / name).is_file():
                self.report(path, line, f'<{name}> is ours: write "{name}"')
            elif kind == "quoted" and target is None and Path(name).name not in self.generated:
                self.report(path, line, f'"{name}" is not found')
            elif target:
                self.check_edge(path, layer, line, name, target)
        for line, string in flags_in_strings(path) if layer != "cli" else ():
            self.report(path, line, f"only cli speaks of flags: {string}")

    def check_internal(self, path):
        """An internal.h, or an internal.c, which must not be."""
        if path.suffix == ".c":
            self.report(path, 1, "internal.h has no .c: what it declares is defined in files with names")
        lines = len(path.read_text(encoding="utf-8", errors="replace").splitlines())
        if path.suffix == ".h" and lines >= INTERNAL_LINES:
            self.report(path, INTERNAL_LINES, f"{lines} lines; an internal.h has fewer than {INTERNAL_LINES}")

    def check_edge(self, path, layer, line, name, target):
        self.edges.setdefault(path, []).append((line, target))
        if target.parent == self.include / "easim":
            return
        if self.src not in target.parents:
            self.report(path, line, f'"{name}" is outside src/')
            return
        if target.name == INTERNAL and path.parent != target.parent:
            self.report(path, line, f'"{name}" is for the files of its own folder alone')
        other = self.layer_of(target)
        if layer and other and other not in may_include(layer):
            self.report(path, line, f'{layer} must not include {other}: "{name}"')

    def check_restricted(self, path, allowed, who, parts=()):
        """parts: folders of headers that it may include, too."""
        for line, name, kind in includes_of(path):
            target = (path.parent / name).resolve()
            part = kind == "quoted" and target.parent in parts and target.suffix == ".h" and target.is_file()
            if not part and (kind != "angled" or name not in allowed):
                self.report(path, line, f"{who}, not {name}")

    def check_talking(self, path):
        for line, name, kind in includes_of(path):
            inside = kind == "quoted" and (path.parent / name).resolve().is_relative_to(self.root / "policies")
            if kind == "computed" or kind == "quoted" and not inside or (self.src / name).is_file():
                self.report(path, line, f"a policy that talks to programs includes nothing of easim but "
                                        f"<{PUBLIC[-1]}>, not {name}")

    def check_cycles(self):
        """Reports each include that closes a circle of headers."""
        done = set()

        def visit(path, trail):
            trail.append(path)
            for line, target in self.edges.get(path, []):
                if target in trail:
                    circle = trail[trail.index(target):] + [target]
                    names = " -> ".join(str(step.relative_to(self.root)) for step in circle)
                    self.report(path, line, f"include cycle: {names}")
                elif target not in done:
                    visit(target, trail)
            done.add(trail.pop())

        for path in sorted(self.edges):
            if path.suffix == ".h" and path not in done:
                visit(path, [])

    def check(self):
        """All violations, sorted."""
        for path in c_files(self.src):
            self.check_src_file(path)
        for path in c_files(self.include):
            name = path.relative_to(self.include).as_posix()
            before = PUBLIC[:PUBLIC.index(name)] if name in PUBLIC else []
            self.check_restricted(path, STANDARD | set(before), "public headers include only standard headers "
                                  "and, in the order of types, predict, policy, those before")
        for path in c_files(self.root / "policies"):
            if path.relative_to(self.root / "policies").parts[0] in (TALKS_TO_PROGRAMS, TALKS_TO_PROGRAMS + ".c"):
                self.check_talking(path)
                continue
            self.check_restricted(path, STANDARD | set(PUBLIC),
                                  "policies include only <easim/...>, standard headers and parts of policies",
                                  [(self.root / "policies" / part).resolve() for part in (*PARTS, MOCK)
                                   if part in PARTS or path.parent.name == MOCK])
        self.check_cycles()
        return sorted(set(self.found))


class Links:
    """The files of a tree, and who uses whom in the built library (link_graph.py); found as of Tree."""

    def __init__(self, root, listing):
        self.src = root.resolve() / "src"
        self.calls = link_graph.called(self.src, listing)
        self.edges = link_graph.joined(link_graph.included(self.src), self.calls)
        self.found = []

    def report(self, module, symbol, text):
        """At the first place where the module names the symbol."""
        path = next(path for path in (self.src / (module + suffix) for suffix in (".c", ".h")) if path.is_file())
        text_of_file = path.read_text(encoding="utf-8", errors="replace")
        place = re.search(rf"\b{re.escape(symbol)}\b", text_of_file)
        line = text_of_file.count("\n", 0, place.start()) + 1 if place else 1
        self.found.append((f"src/{path.relative_to(self.src)}", line, text))

    def check_upward(self):
        for (module, other), symbols in self.calls.items():
            layers = [name.split("/")[0] for name in (module, other)]
            if layers[1] not in may_include(layers[0]):
                for symbol in sorted(symbols):
                    self.report(module, symbol, f"{layers[0]} must not use {layers[1]}: {symbol} is of src/{other}.c")

    def check_rings(self):
        for ring in link_graph.rings_of(self.edges):
            circle = link_graph.shortest_circle(ring, self.edges)
            steps = [(module, other, sorted(self.edges[module, other])[-1])
                     for module, other in zip(circle, circle[1:] + circle[:1])]
            way = ", ".join(f"{module} uses {other} ({why})" for module, other, why in steps)
            self.report(circle[0], steps[0][2], f"ring of {len(ring)} files: {way}")

    def check_chains(self):
        for room, limit in CHAINS.items():
            chain = link_graph.longest_chain(self.edges, room)
            if len(chain) > limit:
                why = sorted(self.edges[chain[0], chain[1]])[-1]
                self.report(chain[0], why, f"chain of {len(chain)} modules, limit {limit}: {' > '.join(chain)}")

    def check(self):
        """All violations, sorted."""
        self.check_upward()
        self.check_rings()
        self.check_chains()
        return sorted(set(self.found))


def self_test_of_links():
    """Small trees as what nm lists, and the violations that must be reported, no more."""
    tree = {"src/base/a.h": "", "src/base/a.c": "void a(void) {\n}\n\nvoid f(void) {\n    c();\n}\n",
            "src/base/c.c": "void c(void) {\n}\n", "src/io/b.c": '#include "base/a.h"\n'}
    clean = "l.a:io_b.c.o: U a\nl.a:base_a.c.o:00 T a\nl.a:base_a.c.o: U c\nl.a:base_c.c.o:00 T c\n"
    cases = [
        ("", []),
        ("l.a:base_c.c.o: U a\n",
         ["src/base/a.c:5: ring of 2 files: base/a uses base/c (c), base/c uses base/a (a)"]),
        ("l.a:io_b.c.o:00 D b\nl.a:base_c.c.o: U b\n",
         ["src/base/a.c:5: ring of 3 files: base/a uses base/c (c), base/c uses io/b (b), io/b uses base/a (a)",
          "src/base/c.c:1: base must not use io: b is of src/io/b.c"]),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for extra, expected in cases:
            lines = [f"{file}:{line}: {text}" for file, line, text in Links(Path(folder), clean + extra).check()]
            assert lines == expected, (extra, lines)
        steps = range(CHAINS["engine"] + 1)
        for step in steps:
            Path(folder, "src/engine").mkdir(exist_ok=True)
            Path(folder, f"src/engine/e{step}.c").write_text(f"f{step + 1}();\n", encoding="utf-8")
        for last, count in ((len(steps) - 2, 0), (len(steps) - 1, 1)):
            uses = "".join(f"l.a:engine_e{step}.c.o:00 T f{step}\nl.a:engine_e{step}.c.o: U f{step + 1}\n"
                           for step in steps[:last + 1])
            found = Links(Path(folder), clean + uses).check()
            assert [file for file, _, _ in found] == ["src/engine/e0.c"] * count, found
            assert all(text.startswith(f"chain of {len(steps)} modules, limit {len(steps) - 1}: engine/e0 > engine/e1 > ")
                       for _, _, text in found), found
    return len(cases) + 2


def self_test():
    """Small trees: {file: text} and the violations that must be reported, no more."""
    clean = {
        "include/easim/policy.h": "#include <stdint.h>\n",
        "policies/fifo.c": "#include <easim/policy.h>\n#include <math.h>\n",
        "src/main.c": '#include "cli/cli.h"\n#include "base/a.h"\n',
        "src/base/a.h": '#include "easim/policy.h"\n#include <gsl/gsl_rng.h>\n',
        "src/base/meson.build": "custom_target('v', output: 'v.h')\n",
        "src/cli/cli.h": '#include "ingest/i.h"\n#include "base/v.h"\n#include "../base/a.h"\n',
        "src/ingest/i.h": '#include "workload/w.h"\n#include "easim/policy.h"\n',
        "src/workload/w.h": '#include "base/a.h"\n/* #include "cli/cli.h"\n#include "x.h" */\n'
                            '// #include "y.h"\n',
    }
    cases = [
        ({}, []),
        ({"src/base/b.c": '\n#include "workload/w.h"\n'}, ["src/base/b.c:2: base must not"]),
        ({"src/output/o.c": '/* --out */ int a = sizeof "x--y" - sizeof "nvidia-smi --query-gpu";\n'}, []),
        ({"src/cli/o.c": 'const char *o = "--out";\n'}, []),
        ({"src/output/o.c": '\nconst char *o = "more: --out";\n'}, ["src/output/o.c:2: only cli speaks of flags"]),
        ({"src/engine/e.c": '#include "ingest/i.h"\n'}, ["src/engine/e.c:1: engine must not"]),
        ({"src/cluster/c.h": "", "src/ingest/j.c": '#include "cluster/c.h"\n'},
         ["src/ingest/j.c:1: ingest must not"]),
        ({"src/calibrate/c.c": '#include "ingest/i.h"\n'}, ["src/calibrate/c.c:1: calibrate must"]),
        ({"src/main.c": '#include "workload/w.h"\n'}, ["src/main.c:1: main must not"]),
        ({"src/odd/o.c": ""}, ["src/odd/o.c:1: is in no known layer"]),
        ({"src/stray.h": ""}, ["src/stray.h:1: is in no known layer"]),
        ({"src/io/i.c": '#include "io/gone.h"\n'}, ['src/io/i.c:1: "io/gone.h" is not found']),
        ({"src/io/i.c": "#include <base/a.h>\n"}, ["src/io/i.c:1: <base/a.h> is ours"]),
        ({"src/io/i.c": "#include WHAT\n"}, ["src/io/i.c:1: include of a macro"]),
        ({"src/io/i.c": '#include "../../policies/fifo.c"\n'}, ["src/io/i.c:1: ", "outside src/"]),
        ({"src/io/p.h": '#include "io/q.h"\n', "src/io/q.h": '#include "p.h"\n'},
         ["src/io/q.h:1: include cycle: src/io/p.h -> src/io/q.h -> src/io/p.h"]),
        ({"src/io/internal.h": '#include "base/a.h"\n#include "io/t.h"\n' + "\n" * 297, "src/io/t.h": "",
          "src/io/i.c": '#include "internal.h"\n', "src/io/j.c": '#include "io/internal.h"\n'}, []),
        ({"src/io/internal.h": "\n" * 300}, ["src/io/internal.h:300: 300 lines; an internal.h has fewer than 300"]),
        ({"src/io/internal.h": "", "src/io/internal.c": ""}, ["src/io/internal.c:1: internal.h has no .c"]),
        ({"src/io/internal.h": "", "src/config/c.c": '\n#include "io/internal.h"\n'},
         ['src/config/c.c:2: "io/internal.h" is for the files of its own folder alone']),
        ({"src/io/internal.h": "", "src/io/sub/s.c": '#include "io/internal.h"\n'},
         ['src/io/sub/s.c:1: "io/internal.h" is for the files of its own folder alone']),
        ({"src/io/sub/internal.h": "", "src/io/i.c": '#include "io/sub/internal.h"\n'}, ["src/io/i.c:1: ", "of its own folder alone"]),
        ({"src/io/internal.h": '#include "config/c.h"\n', "src/config/c.h": ""}, ["src/io/internal.h:1: io must not include"]),
        ({"src/io/p.h": '#include "p.h"\n'}, ["src/io/p.h:1: include cycle"]),
        ({"include/easim/policy.h": "#include <unistd.h>\n"}, ["include/easim/policy.h:1: public"]),
        ({"include/easim/policy.h": '#include "stdint.h"\n'}, ["include/easim/policy.h:1: public"]),
        ({"include/easim/predict.h": "#include <easim/types.h>\n", "include/easim/types.h": ""}, []),
        ({"include/easim/types.h": "#include <easim/policy.h>\n"}, ["include/easim/types.h:1: public"]),
        ({"include/easim/extra.h": "#include <easim/types.h>\n", "include/easim/types.h": ""},
         ["include/easim/extra.h:1: public"]),
        ({"policies/p.c": '#include "base/a.h"\n'}, ["policies/p.c:1: policies include only"]),
        ({"policies/mock/m.h": '#include "mock_p.h"\n', "policies/mock/mock_p.h": ""}, []),
        ({"policies/mock/m.h": '#include "mock_q.h"\n'}, ["policies/mock/m.h:1: policies include only"]),
        ({"policies/p.c": '#include "mock_p.h"\n', "policies/mock_p.h": ""}, ["policies/p.c:1: policies include only"]),
        ({"policies/p.c": "#include <unistd.h>\n"}, ["policies/p.c:1: policies include only"]),
        ({"policies/p.c": '#include "allocation/a.h"\n', "policies/allocation/a.h": "#include <easim/policy.h>\n"}, []),
        ({"policies/allocation/a.c": '#include "../../src/base/a.h"\n'}, ["policies/allocation/a.c:1: policies include only"]),
        ({"policies/p.c": '#include "fifo.c"\n'}, ["policies/p.c:1: policies include only"]),
        ({"policies/p.c": '#include "mock/m.h"\n', "policies/mock/m.h": ""}, ["policies/p.c:1: policies include only"]),
        ({"policies/exec.c": '#include <poll.h>\n#include "exec/e.h"\n', "policies/exec/e.h": ""}, []),
        ({"policies/exec/e.c": '#include "../../src/base/a.h"\n'}, ["policies/exec/e.c:1: a policy that talks"]),
        ({"policies/exec.c": "#include <base/a.h>\n"}, ["policies/exec.c:1: a policy that talks"]),
    ]
    for extra, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**clean, **extra}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            lines = [f"{file}:{line}: {text}" for file, line, text in Tree(Path(folder)).check()]
        assert len(lines) == bool(expected), (extra, lines)
        assert all(part in lines[0] for part in expected), (extra, lines)
    print(f"check_layers: {len(cases) + self_test_of_links()} self-tests passed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1].split("\n")[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--chain", metavar="ROOM")
    options = parser.parse_args()
    if not (options.source / "src").is_dir():
        parser.error(f"{options.source} has no folder src")
    if options.library and not options.library.is_file():
        parser.error(f"{options.library} is not built")
    if options.chain and not options.library:
        parser.error("--chain needs --library")
    try:
        checked = Links(options.source, link_graph.listing_of(options.library)) if options.library else Tree(options.source)
        found = checked.check()
    except link_graph.NoSymbols as reason:
        print(f"skipped: {options.library}: {reason}")
        return 77
    if options.chain:
        chain = link_graph.longest_chain(checked.edges, options.chain)
        print(f"{options.chain}: longest chain of uses, {len(chain)} modules: {' > '.join(chain)}")
    for file, line, text in found:
        print(f"{file}:{line}: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
