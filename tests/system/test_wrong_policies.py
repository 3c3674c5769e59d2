"""Wrong policies: what `run`, `run --check` and `policies --test` answer to each of tests/policy/wrong, as its table says.
Usage: test_wrong_policies.py EASIM SOURCE

A column of the table is an exit status, and a pattern that what easim prints must have. Unchecked, a run with a fault that is none
in this scenario ends with 0: then it names --check. --test is the longest, so the short form has a fifth of it.
"""
import csv
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

from harness import SOURCE, TINY, cases, easim, form, need, run

FOLDER = SOURCE / "tests/policy/wrong"
COMPILER = ["tcc"] if shutil.which("tcc") else ["cc", "-O0", "-w"]
LIMITS = {"run": ["--decision-timeout", "300ms"], "check": ["--check", "--decision-timeout", "300ms"], "test": ["--limit", "1"]}
SEED = [SOURCE / "configs/eas-sim.yaml", "-n", "2"]  # with --check: enough jobs for a fault to matter
HINT = "run it once with --check"


def table():
    with open(FOLDER / "answers.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def answer(name, how, folder):
    """Exit status, and all that is printed."""
    module = folder / f"{name}.so"
    if not module.exists():
        run(*COMPILER, "-shared", "-fPIC", f"-I{SOURCE}/include", f"-I{FOLDER}", "-o", module, FOLDER / f"{name}.c")
    words = ["policies", "--test", module] if how == "test" else ["run", *(SEED if how == "check" else [TINY]), "--policy", module, "--force", "--out", folder / f"{name}-{how}"]
    done = easim(*words, *LIMITS[how], code=None)
    return done.returncode, done.stdout + done.stderr


def agrees(row, how, folder):
    code, text = answer(row["policy"], how, folder)
    assert code == int(row[how]), (row["policy"], how, code, text)
    assert re.search(row[f"{how}_says"], text), (row["policy"], how, row[f"{how}_says"], text)
    assert how != "run" or (HINT in text) == (code == 0), (row["policy"], text)
    assert how == "run" or HINT not in text, (row["policy"], text)


def all_agree(rows, how, folder):
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda row: agrees(row, how, folder), rows))
    return len(rows)


def every_source_has_a_row():
    assert [row["policy"] for row in table()] == sorted(path.stem for path in FOLDER.glob("*.c"))
    assert len(table()) >= 60


def every_fault_is_told():
    """By one of the two that look for faults."""
    silent = [row["policy"] for row in table() if row["check"] == row["test"] == "0" and not row["silent"]]
    assert not silent, silent


def of_runs(folder):
    return all_agree(table(), "run", folder)


def of_checked_runs(folder):
    return all_agree(table(), "check", folder)


def of_tests(folder):
    return all_agree([row for row in table() if row["test"] != "-"][::form(1, 5)], "test", folder)


def functions_are_named(folder):
    """From the symbols of a module, its lines only with debugging information."""
    need("addr2line", "gcc")
    assert shutil.which("addr2line") and shutil.which("gcc")
    for options, place in (([], ", in key (replication"), (["-g"], ", in key (loops_in_key.c:"), (["-s"], "processor time (replication")):
        module = folder / "in_key.so"
        run("gcc", *options, "-w", "-shared", "-fPIC", f"-I{SOURCE}/include", f"-I{FOLDER}", "-o", module, FOLDER / "loops_in_key.c")
        told = easim("run", TINY, "--policy", module, "--decision-timeout", "0.2s", "--out", folder / "in_key", code=1).stderr
        assert place in told, (options, told)
    return 3


def other_commands_hint(folder):
    """A module that runs unchecked is named by every command that runs it; easim's own are not."""
    module = folder / "parameters.so"
    run(*COMPILER, "-shared", "-fPIC", f"-I{SOURCE}/include", "-o", module, SOURCE / "policies/examples/parameters.c")
    for policy, hints in ((module, 1), ("pollux", 0)):
        (folder / "hint.yaml").write_text(f"name: hint\nbase: {TINY}\naxes: [{{path: policy.name, values: [zeus, {policy}]}}]\n")
        (folder / "case.yaml").write_text(f"name: case\nsource: made up\nkind: policy\nphysics: made up\nscenario: {TINY}\nset: {{policy.name: {policy}}}\n"
                                          "measured: [{metric: jobs_finished, value: 10, tolerance: 1%}]\n")
        for words in (["sweep", folder / "hint.yaml"], ["validate", folder / "case.yaml"], ["regret", TINY, "--policy", policy],
                      ["compare", TINY, "--policies", f"zeus,{policy}"], ["tune", TINY, "--policy", policy, "--max-trials", "3", "--objective", "energy_kwh", "--params", "tau=1h..2h"]):
            done = easim(*words, "--force", "--out", folder / f"hinted-{words[0]}-{hints}")
            assert done.stderr.count(HINT) == hints, (words, done.stderr)


if __name__ == "__main__":
    cases(every_source_has_a_row, every_fault_is_told, functions_are_named, other_commands_hint, of_runs, of_checked_runs, of_tests, shared=True)
