#!/usr/bin/env python3
"""easim new: the four files of each kind of policy; what make does with them; names and folders that are refused. test_install.py
does the same with an installed easim."""
import os
import re

from harness import EASIM, SOURCE, cases, easim, form, run

NAMES = {"least_slack": "LeastSlack", "none": "NonePolicy", "a1__b_": "A1B"}


def make(folder, *words, code=0):
    return run("make", "-s", *words, cwd=folder, env={**os.environ, "CFLAGS": "", "PYTHONDONTWRITEBYTECODE": "1"}, code=code)


def kinds(folder):
    for kind, files in (("--list", ["Makefile", "least_slack.c", "scenario.yaml", "test_least_slack.c"]),
                        ("--free", ["Makefile", "least_slack.c", "scenario.yaml", "test_least_slack.c"]),
                        ("--python", ["Makefile", "least_slack_policy.py", "scenario.yaml", "test_least_slack.py"])):
        out = easim("new", "policy", kind, "least_slack", kind[2:], cwd=folder).stdout
        place = folder / kind[2:]
        assert sorted(path.name for path in place.iterdir()) == files, kind
        assert re.findall(r"^    make (\w+)$", out, re.M) == ["test", "run", "compare"], out
        assert not any("@" in (place / name).read_text().replace("$@", "") for name in files), kind
        check = make(place, "test_least_slack" if kind != "--python" else "-n", *(["test"] if kind == "--python" else []))
        assert check.returncode == 0
        table = make(place, "run").stdout
        assert table.startswith(f"least_slack: policy {'exec' if kind == '--python' else 'least_slack'}, "), table
        assert " refused" not in table and "not declared" not in table, table
    # a list policy and the class in Python are the same shortest job first
    energy = [re.search(r"^  energy  +(\S+)", make(folder / place, "run").stdout, re.M).group(1) for place in ("list", "python")]
    assert energy[0] == energy[1], energy
    run(folder / "list/test_least_slack"), run("python3", "test_least_slack.py", cwd=folder / "python", env={**os.environ, "PYTHONPATH": SOURCE / "tools/python"})
    for place in form(["list", "free", "python"], ["list"]):
        report = make(folder / place, "test")
        assert "0 failed" in report.stdout, report.stdout
    assert len((folder / "list/least_slack.c").read_text().split("*/", 1)[1].strip().splitlines()) <= 20


def list_is_default(folder):
    easim("new", "policy", "a", cwd=folder)
    easim("new", "policy", "a", "b", "--list", cwd=folder)
    assert all((folder / "a" / path.name).read_bytes() == path.read_bytes() for path in (folder / "b").iterdir())


def classes(folder):
    for name, expected in NAMES.items():
        easim("new", "policy", "--python", name, cwd=folder)
        assert f"class {expected}(easim.Policy)" in (folder / name / f"{name}_policy.py").read_text()
        run("python3", f"test_{name}.py", cwd=folder / name, env={**os.environ, "PYTHONPATH": SOURCE / "tools/python"})


def odd_places(folder):
    """A program in a folder whose name has blanks, quotes and signs of make."""
    place = folder / "it's $1 #2"
    (place / "bin").mkdir(parents=True)
    (place / "bin/easim").write_bytes(open(EASIM, "rb").read())
    (place / "bin/easim").chmod(0o755)
    (place / "include").symlink_to(SOURCE / "include"), (place / "policies").symlink_to(SOURCE / "policies")
    run(place / "bin/easim", "new", "policy", "odd", cwd=folder)
    make(folder / "odd", "test_odd", "odd.so")
    run(folder / "odd/test_odd")
    assert make(folder / "odd", "run").stdout.startswith("odd: policy odd, ")


def refused(folder):
    (folder / "full").mkdir()
    (folder / "full/file").write_text("")
    for words, text in (
            (["policy", "zeus"], "easim: NAME: expected a new name, got that of easim's own policy zeus\n"),
            (["policy", "Zeus"], 'easim: NAME: expected a letter a-z, then at most 63 of a-z, 0-9 and _, got "Zeus"\n'),
            (["policy", ""], 'got ""\n'), (["policy", "a-b"], 'got "a-b"\n'), (["policy", "../x"], 'got "../x"\n'), (["policy", "1a"], 'got "1a"\n'),
            (["policy", "x" * 65], f'got "{"x" * 65}"\n'), (["policy", "x", "full"], "easim: full: the folder is not empty\n"),
            (["policy"], "expected policy NAME [DIR]"), (["policies", "x"], "expected policy NAME, got policies"),
            (["policy", "x", "--list", "--python"], "--list: not with --free or --python"), (["policy", "x", "y", "z"], "expected policy NAME [DIR]")):
        assert text in easim("new", *words, cwd=folder, code=2).stderr, words
    assert sorted(path.name for path in folder.iterdir()) == ["full"] and len(list((folder / "full").iterdir())) == 1
    (folder / "file").write_text("")
    easim("new", "policy", "x", "file/x", cwd=folder, code=2)


cases(kinds, list_is_default, classes, odd_places, refused)
