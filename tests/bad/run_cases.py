#!/usr/bin/env python3
"""Gives easim bad input and compares what it says, word for word. Usage: run_cases.py EASIM PLUGIN_DIR [NAME...]

Each case runs in a folder of its own. It must end with the expected exit code and exactly the expected
lines on standard error, print nothing else, and leave the folder's files as they were: no result, whole
or half-written. NAME: run only the cases whose name contains it.
"""

import difflib
import functools
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))

from cases import CASES  # noqa: E402

TIMEOUT_S = 300
WORKERS = 2


# Ours without what changes messages.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("EASIM_POLICY_PATH", "EASIM_TEST_NONE", "ARGP_HELP_FMT")} | {"LC_ALL": "C"}


def write_files(case, folder, substitute):
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir()
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(substitute(content), encoding="utf-8")


def files_of(folder):
    """Folders too, with None: not even an empty one is left."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def difference(expected, got):
    return [line.rstrip("\n") for line in difflib.unified_diff(expected, got, "expected", "got", n=0, lineterm="")][2:]


def run_case(case, easim, substitute):
    """The faults of a case, as lines; none if it passed."""
    with tempfile.TemporaryDirectory(prefix="easim-bad-") as name:
        folder = Path(name)
        write_files(case, folder, substitute)
        before = files_of(folder)
        try:
            done = subprocess.run([easim, *map(substitute, case.command)], cwd=folder, env=ENVIRONMENT,
                                  input=case.stdin.encode(), capture_output=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return [f"still running after {TIMEOUT_S} s"]
        after = files_of(folder)
    expected = [substitute(line) for line in case.errors]
    got = done.stderr.decode(errors="replace").splitlines()
    if case.first_lines_only:
        got = got[:len(expected)]
    faults = difference(expected, got)
    if done.returncode != case.exit_code:
        faults.append(f"expected exit code {case.exit_code}, got {done.returncode}")
    if done.stdout:
        faults.append(f"on standard output: {done.stdout[:200]!r}")
    if after != before:
        faults.append(f"files made, changed or removed: "
                      f"{', '.join(sorted(n for n in before.keys() | after.keys() if before.get(n, 0) != after.get(n, 0)))}")
    return faults


def policy_names(easim):
    """All policies that this easim finds, as its message lists them."""
    done = subprocess.run([easim, "policies"], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return ", ".join(line.split()[0] for line in done.stdout.splitlines()[1:])  # below the header


def parameter_names(easim, policy):
    """All parameters of a policy, as its message lists them, from its documentation."""
    done = subprocess.run([easim, "policies", policy], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return ", ".join(re.findall(r"^  (\w+)", done.stdout.partition("\nParameters")[2], re.MULTILINE)) or "none"


def summary_columns():
    """The metrics of summary.csv, as messages list them, from the table of metrics."""
    table = (Path(__file__).parents[2] / "src/metrics/metric_table.h").read_text()
    return ", ".join(re.findall(r"X\((\w+),", table.partition("#define METRIC_TABLE(")[2].partition("#define SERVICE_")[0]))


def main(easim, plugins, *parts):
    easim, plugins = os.path.abspath(easim), os.path.abspath(plugins)
    names = [case.name for case in CASES]
    if len(set(names)) < len(names):
        sys.exit(f"two cases of one name: {', '.join(n for n in sorted(set(names)) if names.count(n) > 1)}")
    policies = policy_names(easim)

    @functools.cache
    def parameters(policy):
        return parameter_names(easim, policy)

    def substitute(text):
        text = text.replace("{plugins}", plugins).replace("{policies}", policies).replace("{columns}", summary_columns())
        return re.sub(r"\{parameters:([^}]+)\}", lambda match: parameters(match[1]), text)

    cases = [case for case in CASES if not parts or any(part in case.name for part in parts)]
    with ThreadPoolExecutor(WORKERS) as pool:
        results = list(pool.map(lambda case: run_case(case, easim, substitute), cases))
    failed = 0
    for case, faults in zip(cases, results):
        if faults:
            failed += 1
            print(f"FAILED: {case.name}: easim {' '.join(case.command)}", *faults, sep="\n    ")
    print(f"{len(cases) - failed} passed, {failed} failed")
    print(f"{len(cases)} cases")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
