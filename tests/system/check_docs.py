#!/usr/bin/env python3
"""Runs what the documents say. Usage: check_docs.py EASIM SOURCE_DIR TMPDIR [DOCUMENT...]

- Every fenced sh block of README.md, CONTRIBUTING.md, docs, policies/README.md and configs/README.md runs, command by command, in a
  folder under TMPDIR that links to the parts of the source the commands name; `build/easim` and `easim` are EASIM.
  A fenced text block right after one must be the block's standard output; a line of three dots stands for any lines.
  A block "sh slow" or "sh needs EASIM_DATA slow" takes more than one second of processor time, or needs what such a one leaves:
  with EASIM_TESTS=short it is not run. A block "sh skip: REASON" is not run, a block "sh needs EASIM_DATA" only where that is set. A block "python file=NAME" is a
  file there for the commands.
- Every configs/*.yaml passes `easim check`, runs, and passes `easim run --check` (one replication, the large ones cut).
- Every relative link of every .md file leads somewhere, docs/README.md to every document, and CITATION.cff and CHANGELOG.md
  begin with the version of easim.
With DOCUMENTs, only these and the links. A document is left at the first thing that is wrong in it; ends with status 1 if one
was. What is left out is printed, and which commands take the most processor time.
"""
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

LINKS = ["configs", "workloads", "tools", "policies", "include", "tests", "docs", "validation", "README.md"]
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "policies/README.md", "configs/README.md"]  # and docs/**/*.md
PROGRAMS = {"easim", "build/easim", "cc", "gnuplot", "cat", "head", "tail", "cut", "grep", "sort", "diff", "ls",
            "python3", "man", "cd", "awk", "sed", "join", "for", "if", "sqlite3", "printf"}
OPTIONAL = {r"gnuplot|easim plot\b": "gnuplot", "sqlite3": "sqlite3",
            r"easim report\b": "/usr/share/nodejs/d3/dist/d3.min.js"}  # commands: what only they need, programs or files
# These set up or test a whole checkout; the gate (.ci/run) does that.
NOT_RUN = [r"(sudo )?apt-get ", r"git clone ", r"meson (setup|compile|test|install)\b", r"sh tools/setup\.sh\b",
           r"git config core\.hooksPath \.githooks",  # tests/system/test_hooks.py
           r"pip install "]  # tests/system/test_python.py
CUT = {"kth-sp2-easy.yaml": "{jobs: 2000}"}  # with --check each decision changes the protection of memory twice
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")


DEAREST = []  # processor time and text of each command


class Wrong(Exception):
    pass


def commands_of(block):
    """The commands of a block: lines, joined where a line ends in a backslash, a pipe, inside quotes, or inside a loop."""
    command = ""
    for line in block.splitlines():
        command += line
        if command.endswith("\\"):
            command = command[:-1]
            continue
        try:
            words = shlex.split(command, comments=True)
        except ValueError:  # an open quote
            command += "\n"
            continue
        opened, closed = (sum(words.count(word) for word in pair) for pair in (("do", "if"), ("done", "fi")))
        if opened > closed or words[-1:] == ["|"]:
            command += "\n"
            continue
        if words:
            yield command
        command = ""
    if command:
        raise Wrong(f"a command does not end: {command}")


def left_to_the_gate(command):
    return any(re.match(pattern, command) for pattern in NOT_RUN)


def missing(command):
    return next((name for pattern, name in OPTIONAL.items() if re.search(pattern, command) and
                 not (shutil.which(name) or Path(name).exists())), None)


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, folder, environment):
    before = processor_s()
    done = subprocess.run(["bash", "-euc", command], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=3000)
    DEAREST.append((processor_s() - before, command))
    if done.returncode != 0:
        raise Wrong(f"exit {done.returncode}: {command}\n{done.stdout}{done.stderr}")
    return done.stdout


def run_block(where, block, folder, environment):
    """Standard output of a block; None if part of it was left to the gate."""
    output = ""
    for command in commands_of(block):
        program = shlex.split(command, comments=True)[0]
        if left_to_the_gate(command):
            print(f"{where}: not run here (CI runs it): {command}")
            output = None
        elif missing(command):
            print(f"{where}: not run: {missing(command)} is not installed: {command}")
            output = None
        elif program not in PROGRAMS:
            raise Wrong(f"{where}: {program} is not among the programs that documents use")
        else:
            try:
                printed = run(command, folder, environment)
            except Wrong as problem:
                raise Wrong(f"{where}: {problem}") from None
            output = None if output is None else output + printed
    return output


def compare(where, expected, found):
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in expected.splitlines())
    if not re.fullmatch(pattern, found):
        raise Wrong(f"{where}: the commands before it print something else:\n{found}")


def check_document(path, source, folder, environment):
    text = path.read_text(encoding="utf-8")
    output, before = None, 0  # of the sh block just before, and where it ended
    for fence in FENCE.finditer(text):
        where = f"{path.relative_to(source)}:{text.count(chr(10), 0, fence.start()) + 1}"
        info, follows = fence["info"].strip(), not text[before:fence.start()].strip()
        if info == "text" and follows and output is not None:
            compare(where, fence["text"], output)
        output, before = None, fence.end()
        if info.startswith("python file="):
            (folder / info.split("=", 1)[1]).write_text(fence["text"], encoding="utf-8")
        slow, info = info.endswith(" slow"), info.removesuffix(" slow")
        if slow and environment.get("EASIM_TESTS") == "short":
            print(f"{where}: left to tools/nightly.sh")
        elif info == "sh" or (info == "sh needs EASIM_DATA" and environment.get("EASIM_DATA")):
            before_s = processor_s()
            output = run_block(where, fence["text"], folder, environment)
            if processor_s() - before_s > 1 and not slow:
                print(f"{where}: took {processor_s() - before_s:.1f} s of processor time: make it \"sh slow\"")
        elif info == "sh needs EASIM_DATA":
            print(f"{where}: skipped: EASIM_DATA is not set")
        elif info.startswith("sh"):
            if not re.fullmatch(r"sh skip: \S.*", info):
                raise Wrong(f"{where}: expected sh, sh needs EASIM_DATA, either with slow behind it, or sh skip: REASON, got {info}")
            print(f"{where}: skipped: {info.split(':', 1)[1].strip()}")


def check_configs(source, folder, environment):
    for path in sorted((source / "configs").glob("*.yaml")):
        if "${EASIM_DATA}" in path.read_text(encoding="utf-8") and not environment.get("EASIM_DATA"):
            print(f"configs/{path.name}: skipped: EASIM_DATA is not set")
            continue
        out = f"--quiet --summary-only --force --out results/check/{path.stem}"
        cut = f"--set 'workload.until={CUT[path.name]}'" if path.name in CUT else ""
        run(f"easim check configs/{path.name}", folder, environment)
        run(f"easim run configs/{path.name} {out}", folder, environment)
        run(f"easim run configs/{path.name} {out} --check --strict --replications 1 {cut}", folder, environment)


def check_links(source):
    tracked = [p for p in source.rglob("*.md") if not p.relative_to(source).parts[0].startswith(("build", ".", "results"))]
    for path in sorted(tracked):
        text = FENCE.sub("", path.read_text(encoding="utf-8"))
        for link in LINK.finditer(text):
            target = link["target"].split("#")[0]
            if target and "://" not in target and not (path.parent / target).exists():
                raise Wrong(f"{path.relative_to(source)}: the link {link['target']} leads nowhere")


def check_index(source):
    index = (source / "docs/README.md").read_text(encoding="utf-8")
    named = {link["target"].split("#")[0] for link in LINK.finditer(index)} | {"README.md"}
    unnamed = {str(path.relative_to(source / "docs")) for kind in ("*.md", "*.ipynb") for path in (source / "docs").rglob(kind)
               if path.parent.name != "decisions"} - named
    if unnamed:
        raise Wrong(f"docs/README.md does not name {', '.join(sorted(unnamed))}")
    version = re.search(r"^  version: '(.+)'", (source / "meson.build").read_text(encoding="utf-8"), re.MULTILINE)[1]
    for name, pattern in (("CITATION.cff", r"^version: (\S+)"), ("CHANGELOG.md", r"^## (\S+)")):
        stated = re.search(pattern, (source / name).read_text(encoding="utf-8"), re.MULTILINE)[1]
        if stated != version:
            raise Wrong(f"{name} begins with version {stated}, meson.build has {version}")


def prepare(easim, source, folder):
    """A folder like a built checkout, and an environment in which easim is the program under test."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "build").mkdir(parents=True)
    (folder / "bin").mkdir()
    for name in LINKS:
        (folder / name).symlink_to(source / name)
    for name in ("build/easim", "bin/easim"):
        (folder / name).symlink_to(easim)
    environment = dict(os.environ, LC_ALL="C.UTF-8", PATH=f"{folder / 'bin'}:{os.environ['PATH']}",
                       EASIM_VALIDATION=str(source / "validation"), PYTHONPATH=str(source / "tools/python"), PYTHONDONTWRITEBYTECODE="1")
    return environment


def main():
    if len(sys.argv) < 4:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    easim, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    folder = Path(sys.argv[3]).resolve() / "check_docs"
    environment = prepare(easim, source, folder)
    documents = [source / name for name in sys.argv[4:]]
    checks = [(check_links, source), (check_index, source)]
    if not documents:
        checks.append((check_configs, source, folder, environment))
        documents = [source / name for name in DOCUMENTS] + sorted((source / "docs").rglob("*.md"))
    checks += [(check_document, document, source, folder, environment) for document in documents]
    wrong = 0
    for check, *arguments in checks:
        try:
            check(*arguments)
        except (Wrong, subprocess.TimeoutExpired) as problem:
            print(f"check_docs: {problem}", file=sys.stderr)
            wrong += 1
    for seconds, command in sorted(DEAREST, reverse=True)[:20]:
        print(f"{seconds:.1f} s: {command}")
    print(f"check_docs: {len(documents)} documents, {wrong} of {len(checks)} checks failed")
    print(f"{len(checks)} cases")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
