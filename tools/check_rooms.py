#!/usr/bin/env python3
"""Checks that README.md of each room of src names the room's modules. Usage: check_rooms.py SOURCE_DIR | --self-test

A room's table of modules begins with "| module |". Its first column names each .c and .h of the room exactly once, in
backquotes, as a path in the room without suffix; a .c and its .h are one. An internal.h is of no module. Prints every
problem as file:line: text and exits 1 if there is one.
"""
import re
import sys
import tempfile
from pathlib import Path

from check_text import run

HEAD = re.compile(r"\|\s*module\s*\|")
NAME = re.compile(r"`([^`]*)`")
LEFT_OUT = "internal.h"


def modules_of(room):
    return {str(path.relative_to(room).with_suffix("")) for path in room.rglob("*.[ch]") if path.name != LEFT_OUT}


def named_in(text):
    """Yields (line, name) for each name in the first columns of the tables of modules."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if inside and line.startswith("|"):
            for name in NAME.findall(line.split("|")[1]):
                yield number, name
        else:
            inside = bool(HEAD.match(line))


def problems_of(source):
    for room in sorted(path for path in (source / "src").iterdir() if path.is_dir()):
        readme, modules, places = room / "README.md", modules_of(room), {}
        if not readme.is_file():
            yield f"src/{room.name}:1: has no README.md"
            continue
        place = f"src/{room.name}/README.md"
        for line, name in named_in(readme.read_text(encoding="utf-8")):
            if name in places:
                yield f"{place}:{line}: `{name}` is named in line {places[name]}, too"
            elif name not in modules:
                yield f"{place}:{line}: there is no module `{name}`"
            places.setdefault(name, line)
        for name in sorted(modules - set(places)):
            yield f"{place}:1: does not name the module `{name}`"


def check(source):
    return list(problems_of(source))


def self_test():
    table = "# base\n\n| module | what |\n|---|---|\n"
    tree = {"src/main.c": "", "src/base/a.c": "", "src/base/a.h": "", "src/base/internal.h": "", "src/base/sub/b.h": "",
            "src/base/meson.build": "", "src/base/README.md": table + "| `a`, `sub/b` | what `c` is |\n\n| file | `d` |\n|---|---|\n| `e` |\n"}
    cases = [
        ({}, []),
        ({"src/base/c.c": ""}, ["src/base/README.md:1: does not name the module `c`"]),
        ({"src/base/README.md": table + "| `a` | a |\n| `sub/b`, `c` | b |\n"},
         ["src/base/README.md:6: there is no module `c`"]),
        ({"src/base/README.md": table + "| `a` | a |\n| `sub/b`, `a` | b |\n"},
         ["src/base/README.md:6: `a` is named in line 5, too"]),
        ({"src/base/README.md": "| file | what |\n|---|---|\n| `a`, `sub/b` | b |\n"},
         ["src/base/README.md:1: does not name the module `a`", "src/base/README.md:1: does not name the module `sub/b`"]),
        ({"src/io/a.c": ""}, ["src/io:1: has no README.md"]),
    ]
    for extra, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**tree, **extra}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            found = check(Path(folder))
        assert found == expected, (extra, expected, found)
    print(f"check_rooms: {len(cases)} self-tests passed")


if __name__ == "__main__":
    sys.exit(run(__doc__, check, self_test))
