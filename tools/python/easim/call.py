"""Starts easim and hears it out: its progress, its notes, its problems."""
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import termios

from easim.errors import BadInput, Error, RunFailed

ERASE = "\r\x1b[K"  # begins what easim writes of its progress
COUNT = re.compile(r"(\d+) of (\d+) ")
FAILURES = {1: RunFailed, 2: BadInput}


def shell():
    """The notebook's kernel, or None."""
    ipython = sys.modules.get("IPython")
    interactive = ipython.get_ipython() if ipython else None
    return interactive if getattr(interactive, "kernel", None) else None


class NotebookLine:
    """One output of the cell, replaced as the run goes on and emptied at its end."""

    def __init__(self):
        from IPython.display import display
        self.handle = display({"text/plain": ""}, raw=True, display_id=True)

    def __call__(self, done, count, text):
        share = f"<progress value='{done}' max='{count}'></progress> " if count else ""
        self.handle.update({"text/html": f"{share}{text}", "text/plain": text}, raw=True)

    def close(self):
        self.handle.update({"text/plain": ""}, raw=True)


class TerminalLine:
    def __call__(self, done, count, text):
        sys.stderr.write(ERASE + text)
        sys.stderr.flush()

    def close(self):
        sys.stderr.write(ERASE)
        sys.stderr.flush()


class Called:
    """A function of the caller: progress(done, count, text)."""

    def __init__(self, function):
        self.function = function

    def __call__(self, done, count, text):
        self.function(done, count, text)

    def close(self):
        pass


def shown_by(progress):
    """What shows the progress, or None. None: in a notebook and on a terminal; True: always; or a function."""
    if callable(progress):
        return Called(progress)
    if progress is False or (progress is None and not shell() and not sys.stderr.isatty()):
        return None
    return NotebookLine() if shell() else TerminalLine()


class Heard:
    """Standard error of easim, taken apart into lines and the progress line, as it comes."""

    def __init__(self, show):
        self.show, self.rest, self.lines, self.said = show, "", [], None

    def take(self, text):
        self.rest += text
        *lines, self.rest = self.rest.split("\n")
        for line in lines:
            self.line(line)
        present = self.rest.rpartition(ERASE)[2]
        if self.show and ERASE in self.rest and present and present != self.said:
            count = COUNT.match(present)
            self.show(*(map(int, count.groups()) if count else (0, 0)), present)
            self.said = present

    def line(self, line):
        line = line.rpartition(ERASE)[2].rstrip("\r")
        if line.strip():
            self.lines.append(line)

    def end(self):
        self.line(self.rest)
        if self.show:
            self.show.close()


def open_stream(on_terminal):
    """Both ends of what is standard error for easim. Only a terminal is told of progress."""
    if not on_terminal:
        return os.pipe()
    ours, theirs = pty.openpty()
    modes = termios.tcgetattr(theirs)
    modes[1] &= ~termios.OPOST  # lines end as they are written
    termios.tcsetattr(theirs, termios.TCSANOW, modes)
    return ours, theirs


def read_some(stream):
    try:
        return os.read(stream, 65536)
    except OSError:  # a terminal whose other end is closed
        return b""


def hear(process, stream, heard):
    """Until easim ends. An interrupt is handed on: easim keeps what is finished and ends within 2 s."""
    interrupted = False
    while True:
        try:
            some = read_some(stream)
            if not some:
                break
            heard.take(some.decode("utf-8", "replace"))
        except KeyboardInterrupt:
            interrupted = True
            process.send_signal(signal.SIGINT)
    process.wait()
    if interrupted:
        raise KeyboardInterrupt


class Done:
    """What a command said: standard output, and the lines of standard error, taken apart into notes, problems and the rest, which
    is what a policy has printed."""

    def __init__(self, words, code, output, lines):
        self.words, self.code, self.output = words, code, output
        self.notes = [line.strip() for line in lines if line.lstrip().startswith(("note: ", "warning: "))]
        lines = [line for line in lines if line.strip() not in self.notes and not line.startswith("Try `")]
        own = [place for place, line in enumerate(lines) if line.startswith(("easim: ", f"easim {words[1]}: "))]
        first = len(lines) if code == 0 else own[0] if code == 1 and own else 0
        self.rest, self.problems = lines[:first], lines[first:]

    def failure(self, result=None):
        lines = self.problems or [f"easim ended with exit status {self.code}: {shlex.join(self.words)}"]
        return FAILURES.get(self.code, Error)(lines, self.code, self.words, result)


def call(words, progress=None, text=None, environment=None):
    """Runs easim (words[0] is its path) and returns what it said (Done), whatever its exit status. `text` is its standard
    input."""
    show = shown_by(progress)
    heard = Heard(show)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as given:
        given.write((text or "").encode())
        given.seek(0)
        ours, theirs = open_stream(show is not None)
        try:
            process = subprocess.Popen(words, stdin=given, stdout=output, stderr=theirs, env={**os.environ, **(environment or {})})
        finally:
            os.close(theirs)
        try:
            hear(process, ours, heard)
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            os.close(ours)
            heard.end()
        output.seek(0)
        done = Done(words, process.returncode, output.read().decode("utf-8", "surrogateescape"), heard.lines)
    for line in done.rest:
        print(line, file=sys.stderr)
    return done
