#!/usr/bin/env python3
"""What authors of policies compile: every public header alone, the mock, the examples and the policies of easim, with gcc and clang,
as C11, C17, C++17 and C++20, without a warning. Examples pass --test. Policies that tcc compiles decide the same.
"""
import shutil
from concurrent.futures import ThreadPoolExecutor

from harness import EASIM, SOURCE, TINY, cases, easim, form, rows_of, run

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
EXAMPLES = sorted((SOURCE / "policies/examples").glob("*.c"))
POLICIES = sorted((SOURCE / "policies").glob("*.c"))
HEADERS = sorted((SOURCE / "include/easim").glob("*.h"))
FLAGS = [f"-I{SOURCE}/include", f"-I{SOURCE}/policies/mock", "-I/usr/include/cjson", "-D_GNU_SOURCE"]


def accepted(compiler, language, standard, *files):
    if not shutil.which(compiler):
        print(f"{compiler}: skipped: not installed")
        return
    more = ["-Wno-missing-field-initializers"] if language == "c++" else []  # in C++ it warns of designated members, too
    run(compiler, "-x", language, f"-std={standard}", *WARNINGS, *more, *FLAGS, "-fsyntax-only", *files)


def compilers(folder):
    """Each header alone, in a file of its own."""
    alone = []
    for header in HEADERS:
        file = folder / f"{header.stem}.c"
        file.write_text(f"#include <easim/{header.name}>\n")
        alone.append(file)
    mocked = folder / "mocked.c"
    mocked.write_text('#include "policy_mock.h"\nint main(void) { struct mock m; mock_init(&m, &easim_policy); mock_finish(&m); return 0; }\n')
    parts = sorted((SOURCE / "policies").glob("*/*.c"))
    c_files = [*alone, mocked, *EXAMPLES, *POLICIES, *(part for part in parts if part not in EXAMPLES)]
    jobs = [("gcc", "c", "c11", *c_files), ("clang", "c", "c17", *c_files), ("g++", "c++", "c++20", *alone, *EXAMPLES), ("clang++", "c++", "c++17", *alone)]
    jobs += form([("gcc", "c", "c17", *c_files), ("clang", "c", "c11", *c_files), ("g++", "c++", "c++17", *alone), ("clang++", "c++", "c++20", *alone, *EXAMPLES)], [])
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: accepted(*job), jobs))


def examples(folder):
    """The examples do what they say on tiny.yaml, and pass all checks."""
    for example in EXAMPLES:
        module = folder / f"{example.stem}.so"
        run("cc", "-shared", "-fPIC", "-fvisibility=hidden", *FLAGS[:1], "-o", module, example)
        table = easim("run", TINY, "--policy", module, "--check", "--strict", "--out", folder / example.stem).stdout
        assert f"policy {example.stem}," in table, table
        if form(True, False):
            assert " 0 failed" in easim("policies", "--test", module).stdout
    served = ("--strict", "--check", "--set", "policy.params={}", "--quiet")
    for name, config in ("services", SOURCE / "tests/golden/protocol2/scenario.yaml"), ("exchange", SOURCE / "configs/eas-sim.yaml"):
        easim("run", config, "--policy", folder / f"{name}.so", *served, "--out", folder / f"{name}-2")
    assert [row["scale_ups"] for row in rows_of(folder / "services-2/services.csv")] == ["2"]
    assert int(rows_of(folder / "exchange-2/summary.csv")[0]["preemptions"]) > 0
    jobs = (folder / "wake_up/jobs.csv").read_text().splitlines()
    start = jobs[0].split(",").index("start_s")
    assert {float(row.split(",")[start]) % 3600 for row in jobs[1:]} == {0}, jobs


def shipped_by_tcc(folder):
    """tcc knows no visibility and no link with libcjson by pkg-config: exec, which needs that, is left out."""
    if not shutil.which("tcc"):
        print("tcc: skipped: not installed")
        return
    parts = {"easy": "easy/*.c", "goodput": "allocation/*.c", "sia": "allocation/*.c"}
    for policy in form(POLICIES, [p for p in POLICIES if p.stem in ("easy", "lean", "sia")]):
        if policy.stem in ("exec", "replay"):  # replay needs a record
            continue
        module = folder / policy.name.replace(".c", ".so")
        more = sorted((SOURCE / "policies").glob(parts[policy.stem])) if policy.stem in parts else []
        run("tcc", "-shared", *FLAGS[:1], "-o", module, policy, *more, "-lm")
        for name, place in ((module, "tcc"), (policy.stem, "own")):
            easim("run", TINY, "--policy", name, "--out", folder / policy.stem / place, "--quiet")
        assert (folder / policy.stem / "tcc/jobs.csv").read_bytes() == (folder / policy.stem / "own/jobs.csv").read_bytes(), policy


cases(compilers, examples, shipped_by_tcc)
