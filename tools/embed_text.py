#!/usr/bin/env python3
"""Writes text files as C strings, PREFIX_NAME for DIR/NAME.ending. Usage: embed_text.py OUTPUT PREFIX FILE..."""
import sys
from pathlib import Path


def main():
    output, prefix, *files = sys.argv[1:]
    parts = []
    for path in map(Path, files):
        lines = path.read_text(encoding="utf-8").splitlines()
        escaped = ['    "' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"' for line in lines]
        parts.append(f"static const char {prefix}_{path.stem}[] =\n" + "\n".join(escaped) + ";\n")
    Path(output).write_text("\n".join(parts), encoding="utf-8")


main()
