#!/usr/bin/env python3
"""Writes text files as C strings, PREFIX_NAME for DIR/NAME.ending.
Usage: embed_text.py OUTPUT PREFIX [--join NAME ENDING] FILE...
--join: files of that ending one after the other as one string, PREFIX_NAME."""
import sys
from pathlib import Path


def literal(text):
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in text.splitlines()]
    return "\n".join('    "' + line + '\\n"' for line in escaped)


def main():
    output, prefix, *files = sys.argv[1:]
    joined, ending = None, None
    if files[0] == "--join":
        _, joined, ending, *files = files
    texts = {}
    for path in map(Path, files):
        name = joined if joined and path.suffix == ending else path.stem
        texts[name] = texts.get(name, "") + path.read_text(encoding="utf-8")
    parts = [f"static const char {prefix}_{name}[] =\n{literal(text)};\n" for name, text in texts.items()]
    # C promises 4095 bytes of a string; compilers have no such limit
    head = '#pragma GCC diagnostic ignored "-Woverlength-strings"\n' if joined else ""
    Path(output).write_text(head + "\n".join(parts), encoding="utf-8")


main()
