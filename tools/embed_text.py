#!/usr/bin/env python3
"""Writes text files as C strings, PREFIX_NAME for DIR/NAME.ending.
Usage: embed_text.py OUTPUT PREFIX [--join NAME ENDING] FILE... | OUTPUT --filled|--as-is FILE | OUTPUT --terms GLOSSARY OUTPUTS
--join: files of that ending one after the other as one string, PREFIX_NAME.
--filled, --as-is: each section of FILE, which begins with a line "== NAME", as a macro TEXT_NAME. Filled, the lines of a
paragraph are joined by a space, and paragraphs, parted by an empty line, by a line end. Lines before the first section are notes.
--terms: the terms of the glossary, and the columns of the tables with definitions, as rows of an array."""
import re
import sys
from pathlib import Path


def quoted(line):
    return '    "' + line.replace("\\", "\\\\").replace('"', '\\"') + '"'


def literals(text):
    return [quoted(line)[:-1] + '\\n"' for line in text.splitlines()]


def macros(text, filled):
    for name, body in re.findall(r"^== (\w+)\n(.*?)(?=^== |\Z)", text, re.M | re.S):
        if filled:
            *paragraphs, last = [paragraph.replace("\n", " ") for paragraph in body.strip().split("\n\n")]
            lines = [*literals("\n".join(paragraphs)), quoted(last)]
        else:
            lines = literals(body)
        yield f"#define TEXT_{name} \\\n" + " \\\n".join(lines) + "\n"


def plain(text):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("±", "+-")
    return re.sub(r"[`]|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", "", " ".join(text.split())).replace("\\|", "|")


def terms(glossary, outputs):
    """Rows of key, name, where it is, unit, better, definition; the key is the name in small letters with - for blanks."""
    for name, text in re.findall(r"^- \*\*([^*]+)\*\*: ((?:.+\n)(?:  .+\n)*)", glossary, re.M):
        yield name, "glossary", "", "", plain(text)
    for name, text in re.findall(r"^\| (?!word \|)([\w -]+) \| ([^|]+) \|$", glossary, re.M):
        yield name, "glossary", "", "", plain(text)
    for heading, body in re.findall(r"^#+ (.*)\n((?:(?!#).*\n)*)", outputs, re.M):
        for table in re.findall(r"^\| column \| unit \| better \| definition \|\n\|.*\n((?:\|.*\n)*)", body, re.M):
            for row in table.splitlines():
                names, *of_each, text = (cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1])
                lists = [cell.split(", ") if ", " in cell else [cell] * 99 for cell in of_each]  # a unit for all names, or one for each
                for name, unit, better in zip(names.split(", "), *lists):
                    if re.fullmatch(r"[a-z_0-9]+(\.\*)?", name):
                        yield name, re.search(r"\w[\w-]*\.csv", heading)[0], plain(unit).strip("-"), better.strip("-"), plain(text)


def rows(*pages):
    found = sorted((re.sub(r"[^\w.*]+", "-", name.lower().replace("'", "")), *row) for name, *row in ((name, name, *row) for name, *row in terms(*pages)))
    return ["static const struct help_term help_terms[] = {", *("    {" + ", ".join(quoted(cell).strip() for cell in row) + "}," for row in found), "};", ""]


def main():
    output, *words = sys.argv[1:]
    if words[0] in ("--filled", "--as-is"):
        text = "\n".join(macros(Path(words[1]).read_text(encoding="utf-8"), words[0] == "--filled"))
        Path(output).write_text(text, encoding="utf-8")
        return
    if words[0] == "--terms":
        Path(output).write_text("\n".join(rows(*(Path(page).read_text(encoding="utf-8") for page in words[1:]))), encoding="utf-8")
        return
    prefix, *files = words
    joined, ending = None, None
    if files[0] == "--join":
        _, joined, ending, *files = files
    texts = {}
    for path in map(Path, files):
        name = joined if joined and path.suffix == ending else path.stem
        texts[name] = texts.get(name, "") + path.read_text(encoding="utf-8")
    parts = [f"static const char {prefix}_{name}[] =\n" + "\n".join(literals(text)) + ";\n" for name, text in texts.items()]
    # C promises 4095 bytes of a string; compilers have no such limit
    head = '#pragma GCC diagnostic ignored "-Woverlength-strings"\n' if joined else ""
    Path(output).write_text(head + "\n".join(parts), encoding="utf-8")


main()
