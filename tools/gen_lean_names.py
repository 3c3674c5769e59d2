#!/usr/bin/env python3
"""Writes lean_names.h: other names for the functions that src/engine/lean.c compiles a second time.

Usage: gen_lean_names.py OUTPUT SOURCE...
"""
import re
import sys
from pathlib import Path

FUNCTION = re.compile(r"^(?!(?:FUSED |RARE )?static )\w[\w *]*\b(\w+)\([^;{}]*\) \{$", re.MULTILINE)

names = [name for source in sys.argv[2:] for name in FUNCTION.findall(Path(source).read_text(encoding="utf-8"))]
Path(sys.argv[1]).write_text("/* Made by tools/gen_lean_names.py; do not edit. */\n"
                             + "".join(f"#define {name} lean_{name}\n" for name in names), encoding="utf-8")
