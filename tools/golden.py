#!/usr/bin/env python3
"""Compares runs with committed results, byte by byte: golden.py EASIM SOURCE CASE... [--update]

A case is a folder with `command` (arguments of easim, one line, run in the source folder; {out} is a fresh folder) and
`expected/`, the files that must come out, stdout included. --update rewrites them: explain every changed byte in the
commit. What depends on the machine is compared as "-" or by name: in manifest.json version and commit, and path, size and hash of
policy modules, which every compiler builds differently; there and in scenario.yaml the way from the results to the
source, so that of scenario.yaml no size and hash are compared either.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


CONTENTS = rb'"bytes":\s*\d+,\s*"sha256":\s*"[0-9a-f]{64}"'
NO_CONTENTS = b'"bytes": "-", "sha256": "-"'
VARIES = (
    (rb'("(?:easim_version|commit)":\s*)"[^"]*"', rb'\1"-"'),
    (rb'("key":\s*"policy.name",\s*"name":\s*"[^"]*",\s*"path":\s*)"[^"]*",\s*' + CONTENTS,
     rb'\1"-", ' + NO_CONTENTS),
    (rb'("file":\s*"scenario.yaml",\s*)' + CONTENTS, rb'\1' + NO_CONTENTS),
)


def read(path, source):
    """The bytes to be compared; of the files under expected/ they are there as they are."""
    data = path.read_bytes()
    if path.name not in ("manifest.json", "scenario.yaml"):
        return data
    way = os.path.relpath(source.resolve(), path.parent.resolve())
    data = data.replace(way.encode() + b"/", b"{source}/")
    for pattern, instead in VARIES if path.name == "manifest.json" else ():
        data = re.sub(pattern, instead, data)
    return data


def produce(easim, source, case, folder):
    out = folder / "out"
    words = shlex.split((case / "command").read_text().replace("{out}", str(out)))
    done = subprocess.run([easim, *words], cwd=source, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{case.name}: exit {done.returncode}: {done.stderr.decode()}")
    out.mkdir(exist_ok=True)
    (out / "stdout").write_bytes(done.stdout.replace(str(out).encode(), b"{out}"))
    return out


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def compare(case, out, source):
    expected = case / "expected"
    names = sorted({str(path.relative_to(folder)) for folder in (expected, out) for path in files_in(folder)})
    wrong = []
    for name in names:
        if not (expected / name).exists() or not (out / name).exists():
            wrong.append(f"{case.name}: {name} is only in {'the run' if (out / name).exists() else 'expected/'}")
        elif (expected / name).read_bytes() != read(out / name, source):
            wrong.append(f"{case.name}: {name} differs")
    return wrong


def main():
    arguments = [word for word in sys.argv[1:] if word != "--update"]
    easim, source, wrong = str(Path(arguments[0]).resolve()), Path(arguments[1]), []
    for case in map(Path, arguments[2:]):
        with tempfile.TemporaryDirectory(prefix="easim-golden.") as folder:
            out = produce(easim, source, case, Path(folder))
            if "--update" in sys.argv:
                shutil.rmtree(case / "expected", ignore_errors=True)
                (case / "expected").mkdir()
                for path in files_in(out):
                    kept = case / "expected" / path.relative_to(out)
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    kept.write_bytes(read(path, source))
            wrong += compare(case, out, source)
    print("\n".join(wrong) or "all as expected")
    sys.exit(1 if wrong else 0)


main()
