#!/usr/bin/env python3
"""Which source file uses which: by #include, and by the symbols of the built library. Usage: link_graph.py --self-test

A .c and its .h are one module, named by its path under src without the suffix. A .c without a header of its own is a module,
too: calls lead to it, although its contract stands in the header of another. An internal.h is no module: it is a contract of
several .c files, and calls show which of them use each other; what it includes of other folders counts for its users. check_layers.py asks this for rings.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from c_text import without_comments

INTERNAL = "internal.h"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)\.h"', re.MULTILINE)
SYMBOL = re.compile(r"^.*?([^:/]+\.o):\s*[0-9a-f]* ([A-Za-z]) (\S+)$", re.MULTILINE)
DEFINED = "TDBRCVW"  # kinds of nm that others can link to


class NoSymbols(Exception):
    """The library does not tell what it defines."""


def objects_of(src):
    """{name of an object in Meson's library: module}."""
    objects = {}
    for path in sorted(src.rglob("*.c")):
        name = str(path.relative_to(src)).replace("/", "_") + ".o"
        if name in objects:
            raise ValueError(f"{path.relative_to(src)}: its object has the name of that of {objects[name]}.c")
        objects[name] = str(path.relative_to(src).with_suffix(""))
    return objects


def headers_of(path, src):
    """The headers of src that a file includes."""
    for name in INCLUDE.findall(without_comments(path.read_text(encoding="utf-8", errors="replace"))):
        target = next((folder / (name + ".h") for folder in (path.parent, src) if (folder / (name + ".h")).is_file()), None)
        if target:
            yield target.resolve()


def included(src):
    """{(module, module that it includes): {"#include"}}."""
    src, edges = src.resolve(), {}
    for path in sorted(src.rglob("*.[ch]")):
        targets = set(headers_of(path, src)) if path.name != INTERNAL else set()
        for shared in [target for target in targets if target.name == INTERNAL]:
            targets |= {target for target in headers_of(shared, src) if target.parent != shared.parent}
        module = str(path.relative_to(src).with_suffix(""))
        for target in targets:
            other = str(target.relative_to(src).with_suffix(""))
            if other != module and target.name != INTERNAL:
                edges.setdefault((module, other), set()).add("#include")
    return edges


def listing_of(library):
    """What nm says of an archive; of anything else of its objects, which Meson keeps in a folder beside it."""
    library = Path(library)
    files = [library] if library.suffix == ".a" else sorted(Path(str(library) + ".p").glob("*.o"))
    return subprocess.run(["nm", "-A", *files], capture_output=True, text=True, check=True).stdout


def called(src, listing):
    """{(module, module that defines symbols which it uses): the symbols}, from what nm -A prints."""
    objects, definer, uses = objects_of(src), {}, []
    for thing, kind, symbol in SYMBOL.findall(listing):
        if thing in objects and kind == "U":
            uses.append((objects[thing], symbol))
        elif thing in objects and kind in DEFINED:
            definer[symbol] = objects[thing]
    if not definer:
        raise NoSymbols("nm finds no symbols of src in it")
    edges = {}
    for module, symbol in uses:
        if definer.get(symbol, module) != module:
            edges.setdefault((module, definer[symbol]), set()).add(symbol)
    return edges


def joined(*several):
    """One {(module, other): {why}} of several."""
    edges = {}
    for some in several:
        for edge, reasons in some.items():
            edges.setdefault(edge, set()).update(reasons)
    return edges


def rings_of(edges):
    """Sets of modules that reach each other: Tarjan's strongly connected components, without recursion."""
    uses = {}
    for module, other in edges:
        uses.setdefault(module, set()).add(other)
        uses.setdefault(other, set())
    index, low, stack, rings = {}, {}, [], []
    for start in sorted(uses):
        if start in index:
            continue
        work = [(start, iter(sorted(uses[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        while work:
            module, rest = work[-1]
            other = next(rest, None)
            if other is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[module])
                if low[module] == index[module]:
                    ring = stack[stack.index(module):]
                    del stack[stack.index(module):]
                    if len(ring) > 1:
                        rings.append(sorted(ring))
            elif other not in index:
                index[other] = low[other] = len(index)
                stack.append(other)
                work.append((other, iter(sorted(uses[other]))))
            elif other in stack:
                low[module] = min(low[module], index[other])
    return sorted(rings)


def shortest_circle(ring, edges):
    """A shortest way through a ring from a module back to itself, as a list of modules without the return."""
    best = None
    for start in ring:
        before, reached = {}, [start]
        for module in reached:
            for other in ring:
                if (module, other) in edges and other not in before:
                    before[other] = module
                    reached.append(other)
            if start in before:
                break
        way = [before[start]]
        while way[-1] != start:
            way.append(before[way[-1]])
        if best is None or len(way) < len(best):
            best = way[::-1]
    return best


def longest_chain(edges, room):
    """A longest list of modules of a room in which each uses the next; within a ring no use counts."""
    ring_of = {module: number for number, ring in enumerate(rings_of(edges)) for module in ring}
    uses, chains = {}, {}
    for module, other in edges:
        if module.startswith(room + "/") and other.startswith(room + "/"):
            uses.setdefault(module, set())
            uses.setdefault(other, set())
            if ring_of.get(module, -1) != ring_of.get(other, -2):
                uses[module].add(other)

    def chain_from(module):
        if module not in chains:
            below = [chain_from(other) for other in sorted(uses[module])]
            chains[module] = [module] + max(below, key=len, default=[])
        return chains[module]
    return max((chain_from(module) for module in sorted(uses)), key=len, default=[])


def self_test():
    """Canned listings and small trees; the circles that must be found are drawn beside each."""
    trees = {
        "a/x.c": '#include "a/x.h"\n', "a/x.h": '/* #include "b/y.h" */\n', "a/z.c": '#include "x.h"\n',
        "b/y.c": '#include "a/x.h"\n', "b/y.h": "", "b/w.c": '#include "b/y.h"\n', "b/w.h": '#include "gone.h"\n',
    }
    by_include = {("a/z", "a/x"), ("b/y", "a/x"), ("b/w", "b/y")}
    archive = ("lib.a:lib.a.p/a_x.c.o:0000000000000010 T x_go\nlib.a:lib.a.p/a_x.c.o:0000000000000000 t hidden\n"
               "lib.a:lib.a.p/a_z.c.o:                 U {}\nlib.a:lib.a.p/a_z.c.o:0000000000000000 R z_table\n"
               "lib.a:lib.a.p/b_y.c.o:                 U z_table\nlib.a:lib.a.p/b_y.c.o:0000000000000000 T y_go\n"
               "lib.a:lib.a.p/b_y.c.o:                 U malloc\nlib.a:lib.a.p/other.c.o:0000000000000000 T malloc\n")
    with tempfile.TemporaryDirectory() as folder:
        src = Path(folder)
        for name, text in trees.items():
            (src / name).parent.mkdir(exist_ok=True)
            (src / name).write_text(text)
        includes = included(src)
        assert set(includes) == by_include, includes
        for symbol, ring in (("x_go", []), ("hidden", []), ("y_go", [["a/z", "b/y"]])):
            calls = called(src, archive.format(symbol))
            assert rings_of(joined(includes, calls)) == ring, (symbol, calls)
        assert calls == {("a/z", "b/y"): {"y_go"}, ("b/y", "a/z"): {"z_table"}}
        assert rings_of(includes) == []
        try:
            called(src, "lib.a:other.o:0000000000000000 T f\n")
            raise AssertionError("a library without symbols of src")
        except NoSymbols:
            pass
        # p and q share an internal.h: only calls join them; n's contract stands in x.h, and calls lead to n
        for name, text in (("a/internal.h", '#include "a/x.h"\n#include "b/w.h"\n'), ("a/p.c", '#include "internal.h"\n'),
                           ("a/q.c", '#include "a/internal.h"\n'), ("a/n.c", '#include "a/x.h"\n')):
            (src / name).write_text(text)
        assert set(included(src)) == by_include | {("a/n", "a/x"), ("a/p", "b/w"), ("a/q", "b/w")}, included(src)
        shared = "l.a:a_{}.c.o: U {}\nl.a:a_p.c.o:00 T p_go\nl.a:a_q.c.o:00 T q_go\nl.a:a_n.c.o:00 T n_go\n"
        for user, symbol, edge in (("p", "q_go", ("a/p", "a/q")), ("p", "n_go", ("a/p", "a/n"))):
            assert set(called(src, shared.format(user, symbol))) == {edge}
        both = shared.format("p", "q_go") + "l.a:a_q.c.o: U p_go\n"
        assert rings_of(joined(included(src), called(src, both))) == [["a/p", "a/q"]]
        (src / "a_x.c").write_text("")
        try:
            objects_of(src)
            raise AssertionError("two objects of one name")
        except ValueError:
            pass
    edges = {edge: {"f"} for edge in (("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("c", "b"), ("d", "e"), ("f", "a"),
                                      ("g", "h"), ("h", "g"))}
    rings = rings_of(edges)
    assert rings == [["a", "b", "c", "d"], ["g", "h"]], rings
    assert sorted(shortest_circle(rings[0], edges)) == ["b", "c"] and shortest_circle(rings[1], edges) == ["g", "h"]
    uses = [("a/p", "a/q"), ("a/q", "a/r"), ("a/p", "a/r"), ("a/r", "b/s"), ("b/s", "b/t"), ("a/u", "a/v"), ("a/v", "a/u")]
    assert longest_chain(dict.fromkeys(uses), "a") == ["a/p", "a/q", "a/r"]
    assert longest_chain(dict.fromkeys(uses), "b") == ["b/s", "b/t"] and longest_chain({}, "b") == []
    assert longest_chain(dict.fromkeys([*uses, ("a/r", "a/q")]), "a") == ["a/p", "a/q"]  # a ring of two counts once
    circle = {edge: {"f"} for edge in (("a", "b"), ("b", "c"), ("c", "a"))}
    assert shortest_circle(["a", "b", "c"], circle) == ["a", "b", "c"]
    print("link_graph: self-tests passed")


if __name__ == "__main__":
    if sys.argv[1:] != ["--self-test"]:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    self_test()
