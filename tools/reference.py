#!/usr/bin/env python3
"""Fills the sections of documents that come from the code.

Usage: reference.py --write | --check EASIM SOURCE_DIR

A section lies between the lines <!-- generated: WHAT --> and <!-- end -->, in a page under docs. --write fills all of them, --check
prints what would change (exit 1). EASIM is the program of this source, which prints most of what is filled in. WHAT is one of

keys of KIND PATH   the keys of a mapping in `easim schema KIND`, such as scenario cluster.gpu_types[]. PATH may be absent; [] is an item
                    of a list, {} a value of a mapping, /N the N-th of several mappings. A mapping inside is linked if it has a section
                    on the page; otherwise its keys are in the same table, except those of model_overrides[].set, which are all of a model
commands            a section a command, from `easim help COMMAND`; messages by command, messages of a policy: rows of docs/reference/messages.csv
policies            a section a policy, from `easim policies NAME`
members of MESSAGE  of the policy exec: rows of docs/reference/protocol.csv
arguments of NAME,
methods of NAME     of the Python package, such as gym.Env: lines NAME: MEANING of its docstring; public methods, or functions of a module
units               of src/base/units.c
limits              of input: tools/check_tables.py --limits
formats of COMMAND  from `easim help COMMAND`, each with a link to its section
rules, thresholds,
figures             of src/insight/rules/rules.def
"""

import ast
import csv
import difflib
import functools
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

MARK = re.compile(r"(<!-- generated: ([^\n]*?) -->\n).*?(<!-- end -->)", re.DOTALL)
DEFAULT = re.compile(r"(?:^|\s*)(?:\(|; )default:? ((?:[^()]|\([^()]*\))*)\)?$")
QUANTITY = {"ns": "duration", "W": "W", "B": "size", "/MWh": "currency/MWh", "/s": "1/s", "B/s": "B/s"}  # by the first unit of a pattern
DIMENSIONS = {"TIME": "time | s", "GIB": "memory of a GPU | GiB", "BYTES": "bytes | B", "POWER": "power | W", "ENERGY": "energy in joules | J",
              "ENERGY_KWH": "energy in kWh | kWh", "CARBON": "carbon intensity | g/kWh", "PRICE": "price | currency/MWh",
              "WATER": "water | l/kWh", "RATE": "rate of arrivals | 1/s", "BANDWIDTH": "bandwidth | B/s"}


def table(head, *rows):
    rows = [" | ".join(" ".join(re.sub(r"(\||(?<![\w*])\*(?=\w))", r"\\\1", str(cell)).split()) for cell in row) for row in rows]
    return "\n".join(["| " + " | ".join(head.split(", ")) + " |", "|---" * len(head.split(", ")) + "|", *(f"| {row} |" for row in rows)]) + "\n\n"


def anchor(heading):
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def number(value):
    short = re.sub(r"e([+-])0*", lambda match: "e" + match[1].strip("+"), f"{value:g}")
    return short if float(short) == value else str(value)


def bounds(node):
    least, above, below = node.get("minimum"), node.get("exclusiveMinimum"), node.get("exclusiveMaximum", 1e20)
    most = node.get("maximum", 1e20)
    if least is not None and most < 1e20:
        return f" {number(least)}..{number(most)}"
    low = f" > {number(above)}" if above is not None else f" >= {number(least)}" if least is not None else ""
    high = f" at most {number(most)}" if most < 1e20 else f" below {number(below)}" if below < 1e20 else ""
    return low + ("," if low and high else "") + high


def values(node):
    """What a key may have, in words."""
    kind = node.get("type") if isinstance(node.get("type"), str) else "text" if "type" in node else "any"
    if "anyOf" in node:
        kinds = [values(branch) for branch in node["anyOf"] if "pattern" not in branch]
        for units in re.findall(r"\(([^()?*]+)\)\)\?\$", " ".join(branch.get("pattern", "") for branch in node["anyOf"]))[:1]:
            first = units.split("|")[0].replace("\\", "").rpartition("]")[2].lstrip("*")
            kinds[0] = kinds[0].replace("number", QUANTITY.get(first, first))
        return " or ".join(kind for at, kind in enumerate(kinds) if kind not in kinds[:at] and not any(other.startswith("list of " + kind[:6]) for other in kinds))
    if "const" in node or "enum" in node:
        return ", ".join(f"`{choice}`" for choice in node.get("enum", [node.get("const")]))
    if kind == "array":
        return "list of " + re.sub(r"^(text|mapping|number|integer)\b", r"\1s", values(node.get("items", {}))) + (f" ({node['maxItems']} at most)" if node.get("maxItems", 2) > 2 else "")
    return {"object": "mapping", "boolean": "`true`, `false`", "string": "text"}.get(kind, kind) + bounds(node) * (kind in ("number", "integer"))


def mappings(node):
    """The mappings that a key may have as its value or in it, each with what is written after the key."""
    found = [("", node)] if node.get("properties") else [row for branch in node.get("anyOf", []) for row in mappings(branch)]
    return found + [(mark + after, inner) for name, mark in (("items", "[]"), ("additionalProperties", ".NAME")) if isinstance(node.get(name), dict)
                    for after, inner in mappings(node[name])]


def find(node, path):
    """The mapping at the path of a mark."""
    for name, of, at in re.findall(r"(\w+)(\[\]|\{\})?(?:/(\d+))?", path):
        node = next(inner["properties"][name] for after, inner in mappings(node) if not after and name in inner["properties"])
        node = [inner for after, inner in mappings(node) if after == {"[]": "[]", "{}": ".NAME"}.get(of, "")][int(at or 1) - 1]
    return node


def key_rows(node, sections, before=""):
    for key, value in node["properties"].items():
        meaning, default = value.get("description", ""), value.get("default", "")
        if told := DEFAULT.search(meaning):
            meaning, default = meaning[:told.start()], told[1]
        default = number(default) if type(default) in (int, float) else "" if default is None else str(default).replace("True", "true").replace("False", "false")
        inside = [(after, inner, sections.get(json.dumps(inner["properties"]))) for after, inner in mappings(value)] if key != "set" else []
        link = next((link for _, _, link in inside if link), None)
        yield (f"**`{before}{key}`**" if key in node.get("required", []) else f"`{before}{key}`",
               values(value).replace("mapping", f"[mapping](#{link})" if link else "mapping", 1), default.replace(number(2**53), ""), meaning)
        for after, inner, link in inside:
            yield from key_rows(inner, sections, before + key + after + ".") if not link else ()


class Reference:
    def __init__(self, easim, root):
        self.easim, self.root = easim, root

    def call(self, *command):
        return subprocess.run([*(command if command[0] == sys.executable else (self.easim, *command))], capture_output=True, text=True, check=True).stdout

    def keys(self, what, page):
        sections = {}
        for match in [match for match in MARK.finditer(page) if match[2].startswith("keys of ")]:
            kind, _, path = match[2][8:].partition(" ")
            node = find(json.loads(self.call("schema", kind)), path)
            heading = re.findall(r"^#+ (.*)", page[:match.start()], re.MULTILINE)[-1]
            sections.setdefault(json.dumps(node["properties"]), anchor(heading))
            this = node if match[2] == what else locals().get("this")
        return table("key, values, default, meaning", *key_rows(this, sections))

    def helps(self):
        """Of each command: its name, and its help as far as the exit codes."""
        for name in re.findall(r"^  ([a-z]+) ", self.call("help"), re.MULTILINE):
            yield name, self.call("help", name).partition("Exit codes: ")[0]

    def commands(self):
        for name, page in self.helps():
            first, *rest = page.rstrip().split("\n\n")
            usage, about = re.match(r"Usage: (.*?)\n(?! )(.*)", first + "\n", re.DOTALL).groups()
            yield f"## {name}\n\n{textwrap.fill('`' + usage + '`', 100, break_on_hyphens=False)}\n\n{textwrap.fill(about, 100)}\n\n"
            options = re.findall(r"^ {2,6}((?:-., )?--\S+)\s+(.*(?:\n {8,}.*)*)", "\n".join(rest), re.MULTILINE)
            yield table("option, meaning", *((f"`{option}`", what) for option, what in options if "--help" not in option)) if options[1:] else ""

    def policies(self):
        for name in re.findall(r"^  ([a-z_]\w*)  ", self.call("policies"), re.MULTILINE)[1:]:
            page, _, parameters = self.call("policies", name).partition("Parameters:\n")
            title, *parts, facts = page.strip().split("\n\n")
            rows = re.findall(r"^  (\w+) +(.*(?:\n {20,}\S.*)*?)\n +([^;\n]*); default (.*)", parameters, re.MULTILINE)
            text = "\n\n".join(textwrap.fill(part, 100) for part in (title, *parts))
            yield f"## {name}\n\n{text}\n\n" + table("property, value", *(line.split(": ", 1) for line in facts.splitlines() if line[:3] not in ("Int", "Mod")))
            yield table("parameter, values, default, meaning", *((f"`{of}`", kind, default, what) for of, what, kind, default in rows)) if rows else ""

    def formats(self, command, page):
        headings = re.findall(r"^##+ (.*)", page, re.MULTILINE)
        for name, what in re.findall(r"^  (\S+) +(.*)", self.call("help", command).partition("\nFormats:\n")[2], re.MULTILINE):
            of = next((heading for heading in headings if name in re.split(r", | and ", heading)), None)
            yield (f"[{name}](#{anchor(of)})" if of else name), what

    def units(self):
        found = re.findall(r'\{DIMENSION_(\w+), "([^"]+)"', (self.root / "src/base/units.c").read_text(encoding="utf-8"))
        return table("quantity, bare number, units", *((*told.split(" | "), " ".join(unit for of, unit in found if of == name)) for name, told in DIMENSIONS.items()))

    def rules(self, shown="rules"):
        text = (self.root / "src/insight/rules/rules.def").read_text(encoding="utf-8").partition("*/")[2]
        text, rule, rows = re.sub(r'"\s*\n\s*"', "", text), "", {"rules": [], "thresholds": [], "figures": []}
        for kind, given in re.findall(r"^(RULE|THRESHOLD\w*|(?:MORE_)?FIGURES)\(\w+, ?(.*?)\)\n(?=[A-Z#\n])", text, re.MULTILINE | re.DOTALL):
            words, first = re.findall(r'"((?:[^"\\]|\\.)*)"', given), given.replace(" ", "").split(",")
            if kind == "RULE":
                rule, better = words[0], "".join(re.findall(r"SUMMARY_COLUMN\((\w+)\)", given))
                share = first[1][9:].replace("ENERGY", "energy").replace("GPU_HOURS", "GPU-hours").replace("JOBS", "jobs")
                rows["rules"].append((rule, words[1], share, words[3], words[2], f"`{better}`" * bool(better)))
            elif "FIGURES" in kind:
                rows["figures"] += [(f"{rule}.{name}", unit, meaning.replace('\\"', '"')) for name, unit, meaning in
                                    re.findall(r'\bX(?:_TEXT)?\((\w+), (?:"([^"]*)", )?"((?:[^"\\]|\\.)*)"', given)]
            else:
                rows["thresholds"].append((f"`{rule}.{first[0]}`", "> " * (kind == "THRESHOLD_ABOVE") + f"{first[1]}..{first[2]}", first[3], words[-1]))
        heads = {"rules": "rule, finds, share of, reported if, try, measure", "thresholds": "threshold, values, default, meaning",
                 "figures": "figure, unit, meaning"}
        return table(heads[shown], *rows[shown])

    def messages(self, of_policy=False):
        rows = [(*row[:3], f"`{row[3]}`" * bool(row[3])) for row in csv.reader((self.root / "docs/reference/messages.csv").open(encoding="utf-8"))]
        rows = [row[2:] if of_policy else row for row in rows[1:] if (row[0] == "a policy") == of_policy]
        return table("the policy, message" if of_policy else "command, exit, when, message", *rows)

    def members(self, message):
        rows = csv.reader((self.root / "docs/reference/protocol.csv").open(encoding="utf-8"))
        rows = [(f"`{member}`", protocol, meaning) for of, member, protocol, meaning in rows if of == message]
        kind, alike = "entry" if rows[0][0].startswith("`{") else "member", len({protocol for _, protocol, _ in rows}) == 1
        return table(f"{kind}, meaning" if alike else f"{kind}, protocol, meaning", *(row[::1 + alike] for row in rows))

    def python(self, kind, name):
        rows = list(self.docstrings(kind, name))
        alike = not any(default for _, default, _ in rows)
        return table("name, meaning" if alike else "name, default, meaning", *(row[::1 + alike] for row in rows))

    def docstrings(self, kind, name):
        module, _, name = name.partition(".")
        tree = ast.parse((self.root / f"tools/python/easim/{module}.py").read_text(encoding="utf-8"))
        node = next(each for each in tree.body if getattr(each, "name", None) == name) if name else tree
        if kind == "arguments":
            init = next((each for each in node.body if getattr(each, "name", None) == "__init__"), node).args
            defaults = {each.arg: ast.unparse(default) for each, default in [*zip(init.args[::-1], init.defaults[::-1]), *zip(init.kwonlyargs, init.kw_defaults)]
                        if default is not None}
            for names, meaning in re.findall(r"^(\w+(?:, \w+)*): (.*(?:\n    .*)*)", ast.get_docstring(node), re.MULTILINE):
                default = {defaults.get(each, "None") for each in names.split(", ")} - {"None"}
                yield ", ".join(f"`{each}`" for each in names.split(", ")), f"`{default.pop()}`" if default else "", meaning
        else:
            for each in node.body:
                if isinstance(each, ast.ClassDef) and not name:
                    break
                if isinstance(each, ast.FunctionDef) and each.name[0] != "_" and each.name != "number_of":
                    of = [getattr(of, "id", "") for of in each.decorator_list]
                    each.args.args = each.args.args[bool(name):]
                    given = "..." if "classmethod" in of else ast.unparse(each.args).replace("*actions", "action, ...")
                    yield f"`{each.name}`" if "property" in of else f"`{each.name}({given})`", "", ast.get_docstring(each)

    def fill(self, page):
        made = {"commands": self.commands, "policies": self.policies, "units": self.units, **{shown: functools.partial(self.rules, shown) for shown in ("rules", "thresholds", "figures")},
                "messages by command": self.messages, "messages of a policy": lambda: self.messages(True),
                "limits": lambda: self.call(sys.executable, str(self.root / "tools/check_tables.py"), "--limits", str(self.root))}

        def section(match):
            kind, _, of = match[2].partition(" of ")
            text = (self.keys(match[2], page) if kind == "keys" else table("format, contents", *self.formats(of, page)) if kind == "formats" else
                    self.members(of) if kind == "members" else
                    self.python(kind, of) if kind in ("arguments", "methods") else
                    "".join(made[match[2]]()) if match[2] in made else None)
            return match[0] if text is None else f"{match[1]}\n{text.strip()}\n\n{match[3]}"
        return MARK.sub(section, page)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("--write", "--check"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    root, changed = Path(sys.argv[3]), False
    reference = Reference(str(Path(sys.argv[2]).resolve()), root)
    for path in sorted((root / "docs").rglob("*.md")):
        old = path.read_text(encoding="utf-8")
        new = reference.fill(old)
        if new != old and sys.argv[1] == "--write":
            path.write_text(new, encoding="utf-8")
        elif new != old:
            changed = True
            print(*difflib.unified_diff(old.splitlines(), new.splitlines(), str(path), "from the code", lineterm="", n=0), sep="\n")
    if changed:
        print("mend: change the help in the code if it is wrong, then python3 tools/reference.py --write build/easim .")
    return changed


if __name__ == "__main__":
    sys.exit(main())
