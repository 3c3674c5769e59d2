#!/usr/bin/env python3
"""The binary interface of policies as a committed text: policy_layout.py SOURCE (--check | --update) [COMPILER...]

include/layout.txt has the version of the interface, each struct of include/easim with its size and the offset, size, name
and type of its members, the constants of its enums, and those that are macros, as a C program prints them that is made of the headers. --check
compares; --update rewrites the file, but not where a policy that is compiled already would read something else under the
same version: then the draft number has to rise (of a released version the major number), and the minor number of a released
version where anything has grown. --self-test proves that on small layouts.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from c_text import without_directives

HEADERS = ("types.h", "predict.h", "list.h", "params.h", "policy.h", "forecast.h", "services.h", "power.h")


class Refused(Exception):
    pass


def members(body):
    """(name, type) of the members of a struct."""
    for declaration in (" ".join(part.split()) for part in body.split(";")):
        function = re.fullmatch(r"(.+?)\(\*(\w+)\)(\(.*\))", declaration)
        if function:
            yield function[2], f"{function[1]}(*){function[3]}"
        elif declaration:
            kind, names = re.fullmatch(r"((?:const |struct |enum )*\w+) ?(.*)", declaration).groups()
            for name in names.split(","):
                before, name, after = re.fullmatch(r" ?((?:\*|const )*)(\w+)(.*)", name).groups()
                yield name, f"{kind} {before}{after}".strip()


def declared(headers):
    """(keyword, name, members or constants) of all structs and enums, in order."""
    text = "".join(without_directives(path.read_text(encoding="utf-8")) for path in headers)
    for keyword, name, body in re.findall(r"^(struct|enum) (\w+) \{(.*?)\}", text, re.MULTILINE | re.DOTALL):
        yield keyword, name, (members(body) if keyword == "struct" else re.findall(r"^\s*(\w+)", body.replace(",", "\n"), re.MULTILINE))


def program(include):
    print_version = 'printf("interface %u.%u draft %u\\n", EASIM_ABI_MAJOR, EASIM_ABI_MINOR, EASIM_ABI_DRAFT);\n'
    lines = ["#include <easim/forecast.h>\n#include <easim/services.h>\n#include <easim/power.h>\n#include <stdio.h>\nint main(void) {\n", print_version]
    headers = [include / "easim" / header for header in HEADERS]
    macros = [name for path in headers for name in re.findall(r"^#define (EASIM_(?:CAPABILITY|READS|KEEPS|MOST)_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)]
    for keyword, name, content in [("enum", "(macros)", macros), *declared(headers)]:
        if keyword == "enum":
            lines.append(f'puts("enum {name}");\n')
            lines += [f'printf("  %lld {constant}\\n", (long long){constant});\n' for constant in content]
        else:
            lines.append(f'printf("struct {name} %zu\\n", sizeof(struct {name}));\n')
            lines += [f'printf("  %zu %zu {member} {kind}\\n", offsetof(struct {name}, {member}), '
                      f'sizeof ((struct {name} *)0)->{member});\n' for member, kind in content]
    return "".join(lines) + "}\n"


def layout(include, compiler):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "layout.c"
        source.write_text(program(include), encoding="utf-8")
        subprocess.run([*compiler, "-std=c17", f"-I{include}", "-o", f"{folder}/layout", source], check=True)
        return subprocess.run([f"{folder}/layout"], capture_output=True, text=True, check=True).stdout


def version(text):
    """(major, minor, draft)"""
    return tuple(int(number) for number in re.match(r"interface (\d+)\.(\d+) draft (\d+)\n", text).groups())


def parts(text):
    """{"struct easim_job": its lines}; the size of a struct is no part: it may grow."""
    found = {}
    for line in text.splitlines()[1:]:
        if line.startswith("  "):
            latest.append(line)
        else:
            latest = found.setdefault(" ".join(line.split()[:2]), [])
    return found


def check_update(old, new):
    """Refused where the new layout may not have its version."""
    before, after = version(old), version(new)
    released, grown_only = before[2] == 0, all(parts(new).get(name, [])[:len(lines)] == lines for name, lines in parts(old).items())
    if old.splitlines()[1:] == new.splitlines()[1:] or after[0] > before[0]:
        return
    if released and (not grown_only or after[1] <= before[1]):
        raise Refused("a released version: raise " + ("EASIM_ABI_MINOR" if grown_only else "EASIM_ABI_MAJOR"))
    if not released and not grown_only and after <= before and after[2] != 0:
        raise Refused("what compiled policies know has moved: raise EASIM_ABI_DRAFT")


def self_test():
    def text(release, *lines):
        return f"interface {release}\n" + "".join(line + "\n" for line in lines)

    old = ["struct a 16", "  0 8 x double", "  8 8 y double", "enum b", "  0 ONE"]
    grown = ["struct a 24", *old[1:3], "  16 8 z double", *old[3:], "  1 TWO"]
    moved = ["struct a 16", "  0 8 y double", "  8 8 x double", *old[3:]]
    for before, after, lines, good in (("3.0 draft 5", "3.0 draft 5", old, True), ("3.0 draft 5", "3.0 draft 5", grown, True),
                                       ("3.0 draft 5", "3.0 draft 5", moved, False), ("3.0 draft 5", "3.0 draft 6", moved, True),
                                       ("3.0 draft 5", "3.0 draft 5", old[:2] + old[3:], False), ("3.0 draft 5", "3.0 draft 0", moved, True),
                                       ("3.0 draft 0", "3.0 draft 0", grown, False), ("3.0 draft 0", "3.1 draft 0", grown, True),
                                       ("3.0 draft 0", "3.1 draft 0", moved, False), ("3.0 draft 0", "4.0 draft 1", moved, True)):
        try:
            check_update(text(before, *old), text(after, *lines))
            found = True
        except Refused:
            found = False
        assert found == good, (before, after, lines)
    assert list(members("const char *name; uint32_t gpus, free; double power_w[8]; int (*f)(void *p,\n bool now); struct x *const *p")) == \
        [("name", "const char *"), ("gpus", "uint32_t"), ("free", "uint32_t"), ("power_w", "double [8]"), ("f", "int (*)(void *p, bool now)"),
         ("p", "struct x *const *")]
    print("12 passed, 0 failed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) < 3 or sys.argv[2] not in ("--check", "--update"):
        sys.exit(__doc__)
    include = Path(sys.argv[1]).resolve() / "include"
    file, new = include / "layout.txt", layout(include, sys.argv[3:] or ["cc"])
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    try:
        if old:
            check_update(old, new)
    except Refused as refusal:
        sys.exit(f"{file}: {refusal}")
    if sys.argv[2] == "--update":
        file.write_text(new, encoding="utf-8")
    elif old != new:
        differing = [line for line in new.splitlines() if line not in old.splitlines()]
        sys.exit(f"{file}: is not what the headers say; tools/policy_layout.py . --update\n" + "\n".join(differing[:20]))
    else:
        print("1 passed, 0 failed")
    return None


main()
