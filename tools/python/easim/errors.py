"""What can go wrong, as exceptions that carry the list of problems that easim reports (docs/reference/messages.md)."""
import re

PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<rest>.*)", re.DOTALL)
PATH = re.compile(r"(?P<path>[A-Za-z_][\w./\[\]-]*): (?P<rest>.*)", re.DOTALL)
OPTION = re.compile(r"(?P<file>--[a-z-]+)(?: (?P<path>[^\s:]+))?: (?P<rest>.*)", re.DOTALL)
PROGRAM = re.compile(r"(?P<file>easim(?: [a-z]+)?): (?P<rest>.*)", re.DOTALL)
NAMED = re.compile(r"(?P<file>[^\s:][^:]*): (?P<rest>.*)", re.DOTALL)


class Problem:
    """One problem: `text` says what; file, line, column (from 1) and path (of a key) where, None where that is not known.

    `file` is an option such as --set if the problem is in its value.
    """

    def __init__(self, text, file=None, line=None, column=None, path=None):
        self.text, self.file, self.line, self.column, self.path = text, file, line, column, path

    def __str__(self):
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return ": ".join(part for part in (place, self.path, self.text) if part)

    def __repr__(self):
        return f"Problem({str(self)!r})"


def problem_of(line):
    """A line that easim has printed on standard error, taken apart."""
    option = OPTION.fullmatch(line)
    if option:
        rest, path = option["rest"], option["path"]
        while path and rest.startswith(path + ": "):
            rest = rest[len(path) + 2:]
        return Problem(rest, option["file"], path=path)
    if PROGRAM.fullmatch(line):
        return Problem(PROGRAM.fullmatch(line)["rest"])
    place = PLACE.fullmatch(line) or NAMED.fullmatch(line)
    if not place:
        return Problem(line)
    of = place.groupdict()
    path = PATH.fullmatch(of["rest"]) if "line" in of else None
    number = {name: int(of[name]) if of.get(name) else None for name in ("line", "column")}
    return Problem(path["rest"] if path else of["rest"], of["file"], path=path["path"] if path else None, **number)


class Error(Exception):
    """easim could not do it.

    problems: list of Problem. exit_code: of the program, None if it was not started. command: its words. result: what it had
    finished before (a Result), or None.
    """

    def __init__(self, problems, exit_code=None, command=(), result=None):
        self.problems = [problem_of(each) if isinstance(each, str) else each for each in problems]
        self.exit_code, self.command, self.result = exit_code, list(command), result
        super().__init__("\n".join(map(str, self.problems)))


class BadInput(Error):
    """Bad usage or bad input: nothing was run (exit status 2)."""


class RunFailed(Error):
    """A run failed, or a result could not be written (exit status 1). What was finished is `result`."""


class ProgramError(Error):
    """The program easim is not found, or its version does not fit this package."""


class ResultWarning(UserWarning):
    """What easim warns of beside its results; notes of less weight are in Result.notes alone."""
