"""What the commands say of their own use, and what they take: test_usage.py EASIM SOURCE OPTIONS_SECTION.

The table of options (src/cli/option_table.c) is the one place that knows them: `--help`, the OPTIONS section of the man
page and the completion of bash name the same options of a command, each once, and the command takes each of them. Usage
line and SYNOPSIS name the same operands in the same order, and `easim ablate` takes its operands in that order and no
other.
"""
import os
import re

from harness import EASIM, FILES, SOURCE, TINY, cases, commands, easim, run

(OPTIONS_SECTION,) = FILES
VERSION = easim("--version").stdout.split()[1]
MAN = SOURCE / "docs" / "man"
TABLE = SOURCE / "src" / "cli" / "option_table.c"

REPLACES = "A file that a command writes replaces one of the same name whole."
NEEDS = " A folder of results that is not empty needs --force; that of a sweep needs it only to start again."

GROUPS = {
    "Start": ["init", "check", "run", "compare", "report"],
    "Data": ["import", "profile", "trace", "calibrate", "gen"],
    "Study": ["sweep", "tune", "ablate", "validate", "bound", "regret"],
    "Understand": ["analyze", "explain", "attribute", "timeline", "plot"],
    "Reference": ["models", "policies", "schema", "new", "completion"],
}

# Completes one command line as bash does: its words, the last one to be completed.
COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_easim
printf '%s\\n' "${COMPREPLY[@]}"
"""


def man_source(command):
    return (MAN / f"easim-{command}.1.scd").read_text()


def man_page(command):
    return run(OPTIONS_SECTION, command, input=man_source(command)).stdout


def operands_of_synopsis(command):
    """Of its first form: what is underlined and belongs to no option."""
    words = man_source(command).partition("# SYNOPSIS\n\n")[2].partition("\n")[0].removesuffix("++")
    words = words.partition(f"*easim {command}*")[2].replace("[_OPTIONS_]", "").replace("\\_", "_")
    words = re.sub(r"\[\*-[^\]]*\]|\*--\w+\*=\S+", "", words)  # options named in the line
    return " ".join(words.replace("_", "").split())


def options_of_help(command):
    """In the order of --help, as "-o --out"."""
    return [" ".join(pair).strip() for pair in
            re.findall(r"^  (?:(-\S), |    )(--[a-z0-9-]+)", easim(command, "--help").stdout, re.MULTILINE)]


def options_of_man(command):
    section = man_page(command).partition("# OPTIONS\n\n")[2].partition("\n# ")[0]
    return [" ".join(pair).strip() for pair in re.findall(r"^(?:\*(-\S)\*, )?\*(--[a-z0-9-]+)\*", section, re.MULTILINE)]


def complete(script, *words):
    done = run("bash", "-c", COMPLETE, "bash", script, "easim", *words,
               env={**os.environ, "PATH": f"{os.path.dirname(EASIM)}:{os.environ['PATH']}"})
    assert done.stderr == "", done.stderr
    return [line for line in done.stdout.split("\n") if line]


def check_table():
    """No option is written down a second time: not in the pages, and no other file of cli parses words. Its help is short."""
    helps = re.findall(r'\.help =\s+"((?:[^"\\]|\\.)*)"}', TABLE.read_text())
    assert len(helps) == TABLE.read_text().count(".help =") > 150 and max(map(len, helps)) <= 104, max(helps, key=len)
    for page in MAN.glob("easim-*.scd"):
        assert "# OPTIONS\n\n@OPTIONS@\n\n#" in page.read_text(), page
    for path in (SOURCE / "src" / "cli").iterdir():
        text = path.read_text()
        assert "argp" not in text and ("getopt" not in text or path.name == "option_parse.c"), path


def check_command(command, script):
    assert man_page(command).startswith(f'easim-{command}(1) "easim {VERSION}"\n\n# NAME\n'), command
    text = easim(command, "--help").stdout
    assert easim(command, "-?").stdout == text, command
    for said in (text, man_page(command)):
        words = " ".join(said.split())
        assert REPLACES in words and (REPLACES + NEEDS in words) == any("--force" in option for option in options_of_help(command)), command
    usage = re.match(r"Usage: easim \w+ \[OPTION\.\.\.\] (.*)", text).group(1)
    assert usage == operands_of_synopsis(command), (command, usage, operands_of_synopsis(command))
    options = options_of_help(command)
    longs = [words.split()[-1] for words in options]
    assert len(set(longs)) == len(longs) and "--help" in longs, (command, longs)
    assert sorted(options_of_man(command)) == sorted(options), (command, options, options_of_man(command))
    assert sorted(complete(script, command, "-")) == sorted(longs), (command, longs, complete(script, command, "-"))
    for option in longs:  # two words that mean the same to getopt: it is known, and either misses a value or takes none
        if option != "--help":
            assert f'{{"{option[2:]}", ' in TABLE.read_text(), option
            takes = re.search(rf"{option}=", text) is not None
            error = easim(command, option if takes else f"{option}=1", code=2).stderr.splitlines()[0]
            expected = "requires an argument" if takes else "takes no argument"
            assert error == f"easim {command}: option '{option}' {expected}", error
    slip = longs[0][:-1] + "_"
    error = easim(command, slip, code=2).stderr
    assert error == (f"easim {command}: unrecognized option '{slip}', did you mean \"{longs[0]}\"?\n"
                     f"Try `easim {command} --help' for more information.\n"), error


def check_groups():
    groups = re.findall(r"^(\w+):\n((?:  .*\n)+)", easim("--help").stdout, re.MULTILINE)
    assert {topic: re.findall(r"^  (\w+)", rows, re.MULTILINE) for topic, rows in groups} == GROUPS, groups


def bare(text):
    return re.sub(r"[\W_]+", "", re.sub(r"\]\([^)]*\)", "]", text.replace("±", "")))


def pages_of_terms():
    """What the pages say: (name, place, unit, better, definition) of each column and term."""
    file = head = None
    for line in (SOURCE / "docs" / "reference" / "outputs.md").read_text().split("\n"):
        if line.startswith("#"):
            file = next((word.strip(",:`") for word in line.split() if ".csv" in word), None)
        cells = [cell.strip().replace("\\|", "|") for cell in line.replace("\\|", "\0").split("|")[1:-1]]
        head = (head or cells) if cells else None
        if head == ["column", "unit", "better", "definition"] and cells != head and not cells[0].startswith("--"):
            names = cells[0].split(", ")
            for at, name in enumerate(names):
                if name and all(letter.islower() or letter.isdigit() or letter == "_" for letter in name):
                    unit, better = (cell.split(", ")[at] if ", " in cell else cell for cell in cells[1:3])
                    yield name, file, unit.strip("-"), better.strip("-"), cells[3].replace("\0", "|")
    for part in (SOURCE / "docs" / "glossary.md").read_text().replace("\n  ", " ").split("\n"):
        if part.startswith("- **"):
            name, _, text = part[4:].partition("**: ")
            yield name, "glossary", "", "", text
        elif part.startswith("| ") and "what it means" not in part:
            yield (*part[2:].split(" | ")[:1], "glossary", "", "", part.partition(" | ")[2].strip(" |"))


def check_terms():
    known, told = list(pages_of_terms()), {}
    for name, place, unit, better, text in known:
        if name in commands():
            continue
        if name not in told:
            told[name] = easim("help", name).stdout
        line = f"{name} ({place})" + (f", {unit}" if unit else "") + (f", better: {better}" if better else "") + "\n"
        assert bare(line + text) in bare(told[name]) and line in told[name], (line, text, told[name])
    for name, lines in told.items():
        assert lines.count(f"\n{name} (") == sum(row[0] == name for row in known) - 1, name
    assert easim("help", "Lower bound").stdout == easim("help", "lower-bound").stdout
    assert len(known) > 600 and len(told) > 350


def check_completion(script):
    assert complete(script, "") == [*commands(), "help", "--help", "--version"]
    assert complete(script, "help", "energy_k") == ["energy_kwh"] and complete(script, "help", "lower") == ["lower-bound"]
    assert complete(script, "co") == ["compare", "completion"]
    assert complete(script, "run", "--format", "") == ["table", "markdown", "latex", "csv", "json"]
    assert complete(script, "run", "--format", "=", "c") == ["csv"]
    assert complete(script, "import", "-e", "r") == ["requested", "run"]
    assert complete(script, "run", "--policy", "ze") == ["zeus"]
    assert complete(script, "run", "c") == []  # files, which bash itself completes


def of_every_command(folder):
    script = folder / "easim.bash"
    script.write_text(easim("completion", "bash").stdout)
    check_table()
    check_groups()
    check_terms()
    check_completion(script)
    for command in commands():
        check_command(command, script)
    easim("ablate", TINY, "zeus:edp_slack=2", "pollux", "--out", f"{folder}/a", "--quiet")
    for words in (["gen", TINY], ["import", "itp", SOURCE / "workloads" / "itp-sample.csv"]):
        path = folder / f"{words[0]}.csv"
        easim(*words, "-o", path)
        text = path.read_text()
        path.write_text(text + "more\n" * 10000)
        easim(*words, "-o", path, "--force")
        assert path.read_text() == text, words
    easim("check", TINY, "--force")
    easim("ablate", "zeus", "pollux", TINY, "--out", f"{folder}/b", "--quiet", code=2)
    return len(commands()) + 2


cases(of_every_command)
