"""What the commands say of their own use, and what they take: test_usage.py EASIM SOURCE.

The usage line of `--help` and the SYNOPSIS of the man page name the same operands in the same order, every option of
`--help` stands in a man page, and `easim ablate` takes its operands in that order and no other.
"""
import re
import tempfile

from support import SOURCE, easim

MAN = SOURCE / "docs" / "man"


def commands():
    return re.findall(r"^  (\w+) ", easim("--help").stdout, re.MULTILINE)


def man_page(command):
    return (MAN / f"easim-{command}.1.scd").read_text()


def operands_of_synopsis(command):
    """Of its first form: what is underlined and belongs to no option."""
    words = man_page(command).partition("# SYNOPSIS\n\n")[2].partition("\n")[0].removesuffix("++")
    words = words.partition(f"*easim {command}*")[2].replace("[_OPTIONS_]", "").replace("\\_", "_")
    words = re.sub(r"\[\*-[^\]]*\]|\*--\w+\*=\S+", "", words)  # options named in the line
    return " ".join(words.replace("_", "").split())


def main():
    for command in commands():
        text = easim(command, "--help").stdout
        usage = re.match(r"Usage: easim \w+ \[OPTION\.\.\.\] (.*)", text).group(1)
        assert usage == operands_of_synopsis(command), (command, usage, operands_of_synopsis(command))
        for option in set(re.findall(r"--([a-z][a-z0-9-]+)", text)) - {"usage", "version"}:
            pages = man_page(command), man_page("run")
            assert option == "help" or any(f"--{option}" in page.replace("\\-", "-") for page in pages), (command, option)
    tiny = SOURCE / "configs" / "tiny.yaml"
    with tempfile.TemporaryDirectory() as folder:
        easim("ablate", tiny, "zeus:edp_slack=2", "pollux", "--out", f"{folder}/a", "--quiet")
        easim("ablate", "zeus", "pollux", tiny, "--out", f"{folder}/b", "--quiet", code=2)
    print(f"{len(commands())} commands say what they take")


main()
