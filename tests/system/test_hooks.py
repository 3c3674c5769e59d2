"""The hooks of .githooks, enabled as CONTRIBUTING.md says, in a repository of its own. Usage: test_hooks.py EASIM SOURCE

Exit 77 (skipped) without git. What is refused: a subject of 73 characters, no empty line below it, a file that breaks
a check of style; what is right goes through.
"""
import os
import shutil

from harness import SOURCE, cases, form, need, run

ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
               "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
IDENTITY = ["-c", "user.name=a", "-c", "user.email=a@example.org"]


def git(folder, *words, code=0):
    return run("git", *IDENTITY, *words, cwd=folder, env=ENVIRONMENT, code=code)


def commit(folder, message, refused=""):
    git(folder, "add", "--all")
    done = git(folder, "commit", "--allow-empty", "-m", message, code=1 if refused else 0)
    assert refused in done.stdout + done.stderr, done


def commits(folder):
    shutil.copytree(SOURCE / ".githooks", folder / ".githooks", ignore=shutil.ignore_patterns("pre-commit"))
    git(folder, "init", "-q")
    git(folder, "config", "core.hooksPath", ".githooks")
    commit(folder, "é" * 72 + "\n\nWhy.")
    commit(folder, "x" * 73, "at most 72 characters")
    commit(folder, "two\nlines", "empty line")
    for part in (".githooks", "tools", "docs", "src", "include", "policies", "tests"):
        shutil.copytree(SOURCE / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    shutil.copy(SOURCE / ".clang-format", folder)
    (folder / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--no-verify", "-m", "what is there already")
    source = folder / "src/base/a.c"
    source.write_text('#include "cli/cli.h"\n', encoding="utf-8")
    commit(folder, "an upward link", "base must not include cli")
    if form(True, False):
        if shutil.which("clang-format-14") or shutil.which("clang-format"):
            source.write_text("int  base ;\n", encoding="utf-8")
            commit(folder, "spaces", "clang-format")
        source.write_text(f"/* semantics {99} */\nint base;\n", encoding="utf-8")
        commit(folder, "a section that does not exist", "no section 99")
    source.write_text("/* semantics 1 */\nint base;\n", encoding="utf-8")
    commit(folder, "as it should be")


need("git")
cases(commits)
