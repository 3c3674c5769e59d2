"""Completion in zsh and fish, by these shells themselves: test_completion.py EASIM SOURCE

Both know the commands of `easim --help` and the options of each command's --help, with the words that options take; zsh is
asked on a terminal of its own, as a user does. bash is in test_usage.py. A shell that is not installed is skipped by name.
"""
import os
import pty
import re
import select
import shutil

from harness import EASIM, cases, commands, easim, run

# What the function gives _arguments: a line for each of its arguments.
ZSH_OPTIONS = """
_arguments() { print -rl -- "$@" }
compdef() { : }
source $1
words=(easim $2 '') CURRENT=3
_easim
"""
# A shell whose easim prints the words that it is given, after completion.
ZSH_START = """
PS1= PS2= RPS1=
autoload -U compinit && compinit -D -u
source $FOLDER/_easim
easim() { if [[ $1 == policies ]]; then command easim policies; else print -r -- "<${(j:|:)@}>"; fi }
cd $FOLDER
bindkey '^I' complete-word
print ready
"""


def options_of_help(command):
    return sorted(re.findall(r"^  (?:-\S, |    )(--[a-z0-9-]+)", easim(command, "--help").stdout, re.MULTILINE))


def fish(folder, environment):
    def complete(line):
        done = run("fish", "--no-config", "-c", f"source easim.fish; complete -C '{line}'", cwd=folder, env=environment)
        assert done.stderr == "", done.stderr
        return [text.split("\t")[0] for text in done.stdout.splitlines()]

    assert sorted(complete("easim ")) == sorted([*commands(), "help"])
    assert complete("easim help lower") == ["lower-bound"]
    for command in commands():
        found = complete(f"easim {command} --")
        assert sorted(found) == options_of_help(command), (command, found)
    assert sorted(complete("easim run --format ")) == ["csv", "json", "latex", "markdown", "table"]
    assert complete("easim import -e re") == ["requested"]
    assert complete("easim run --policy ze") == ["zeus"]
    assert complete("easim run ti") == ["tiny.yaml"] and complete("easim run --out ti") == ["tiny.yaml"]


class Terminal:
    """zsh on a terminal: complete(line) types the line and a tab, and returns the words that the command then gets."""

    def __init__(self, folder, environment):
        (folder / "start").write_text(ZSH_START)
        self.pid, self.at = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**environment, "FOLDER": str(folder), "TERM": "dumb", "HOME": str(folder)})
        os.write(self.at, b"source ./start\n")
        self.read(r"\nready")

    def read(self, pattern):
        text = ""
        while not re.search(pattern, text):
            assert select.select([self.at], [], [], 30)[0], text
            text += os.read(self.at, 4096).decode()
        return text

    def complete(self, line):
        os.write(self.at, line.encode() + b"\t\n")
        return re.search(r"<([^<>\n]*)>\r?\n", self.read(r"<[^<>\n]*>\r?\n"))[1].strip().split("|")

    def close(self):
        os.close(self.at)
        os.waitpid(self.pid, 0)


def zsh(folder, environment):
    for command in commands():
        done = run("zsh", "-f", "-c", ZSH_OPTIONS, "zsh", folder / "_easim", command, env=environment)
        found = re.findall(r"^(?:\([^)]*\))?\*?(--[a-z0-9-]+)=?\[", done.stdout, re.MULTILINE)
        assert sorted(found) == options_of_help(command) and done.stderr == "", (command, found, done.stderr)
    terminal = Terminal(folder, environment)
    for line, words in (("easim ru", "run"), ("easim help lower", "help lower-bound"), ("easim pro", "profile"), ("easim run --summ", "run --summary-only"),
                        ("easim run --format j", "run --format json"), ("easim import -e re", "import -e requested"),
                        ("easim run --policy=ze", "run --policy=zeus"), ("easim run ti", "run tiny.yaml"),
                        ("easim run --set a=1 --set b=2 -q --out ti", "run --set a=1 --set b=2 -q --out tiny.yaml")):
        found = terminal.complete(line)
        assert found == words.split(" "), (line, found)
    terminal.close()


def shells(folder):
    (folder / "tiny.yaml").write_text("")
    (folder / "easim").symlink_to(EASIM)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(folder), "XDG_DATA_HOME": str(folder), "LC_ALL": "C.UTF-8"}
    done = 0
    for shell, file, check in (("fish", "easim.fish", fish), ("zsh", "_easim", zsh)):
        (folder / file).write_text(easim("completion", shell).stdout)
        if shutil.which(shell):
            check(folder, environment)
            done += 1
        else:
            print(f"{shell}: skipped: not installed")
    return done


cases(shells)
