#!/usr/bin/env python3
"""The hooks of .githooks, enabled as CONTRIBUTING.md says, in a repository of its own. Usage: test_hooks.py EASIM SOURCE

Exit 77 (skipped) without git. What is refused: a subject of 73 characters, no empty line below it, a file that breaks
a check of style; what is right goes through.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from support import SOURCE, form

ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
               "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
IDENTITY = ["-c", "user.name=a", "-c", "user.email=a@example.org"]


def git(folder, *words):
    return subprocess.run(["git", *IDENTITY, *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)


def commit(folder, message):
    git(folder, "add", "--all")
    return git(folder, "commit", "--allow-empty", "-m", message)


def main():
    if not shutil.which("git"):
        print("skipped: git is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(SOURCE / ".githooks", folder / ".githooks", ignore=shutil.ignore_patterns("pre-commit"))
        assert git(folder, "init", "-q").returncode == 0
        assert git(folder, "config", "core.hooksPath", ".githooks").returncode == 0

        done = commit(folder, "é" * 72 + "\n\nWhy.")
        assert done.returncode == 0, done.stderr
        done = commit(folder, "x" * 73)
        assert done.returncode != 0 and "at most 72 characters" in done.stderr, done.stderr
        done = commit(folder, "two\nlines")
        assert done.returncode != 0 and "empty line" in done.stderr, done.stderr

        for part in (".githooks", "tools", "docs", "src", "include", "policies"):
            shutil.copytree(SOURCE / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        (folder / "tests").mkdir()
        shutil.copy(SOURCE / ".clang-format", folder)
        (folder / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
        git(folder, "add", "--all")
        assert git(folder, "commit", "--no-verify", "-m", "what is there already").returncode == 0

        (folder / "src/base/a.c").write_text('#include "cli/cli.h"\n', encoding="utf-8")
        done = commit(folder, "an upward link")
        assert done.returncode != 0 and "base must not include cli" in done.stdout + done.stderr, done
        if form(True, False):
            (folder / "src/base/a.c").write_text("int  base ;\n", encoding="utf-8")
            done = commit(folder, "spaces")
            if shutil.which("clang-format-14") or shutil.which("clang-format"):
                assert done.returncode != 0 and "clang-format" in done.stderr, done
            (folder / "src/base/a.c").write_text(f"/* semantics {99} */\nint base;\n", encoding="utf-8")
            done = commit(folder, "a section that does not exist")
            assert done.returncode != 0 and "no section 99" in done.stdout + done.stderr, done
        (folder / "src/base/a.c").write_text("/* semantics 1 */\nint base;\n", encoding="utf-8")
        done = commit(folder, "as it should be")
        assert done.returncode == 0, done
    print("1 cases")
    return 0


sys.exit(main())
