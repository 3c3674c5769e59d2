"""A result of a sweep's run counts only if it is whole: cut at every byte, with bytes changed, rows doubled or taken away, with
its notes cut; what stands behind it changes nothing."""
import csv

from faults import good
from harness import SOURCE, cases, form


def one_point(folder, base="eas-sim", sets="replications: 2, horizon: 1h"):
    """A sweep of a single point, and the file of its run."""
    sweep, out = folder / "sweep.yaml", folder / "out"
    sweep.write_text(f"name: cuts\nbase: {SOURCE}/configs/{base}.yaml\nset: {{{sets}}}\n"
                     "axes:\n  - {path: seed, values: [7]}\n", encoding="utf-8")
    good("sweep", sweep, "--out", out, "--quiet")
    run, = (out / "runs").iterdir()
    return sweep, out, run


def state_of(sweep, out):
    row, = csv.DictReader(good("sweep", sweep, "--out", out, "--list").out.splitlines())
    return row["state"]


def first_line(line, column, number):
    """That of a block with another number in a column, and the hash of what is then before it: FNV-1a."""
    cells = line.split(b",")
    text = b"".join(cell + b"," for cell in cells[:column] + [b"%d" % number] + cells[column + 1:-1])
    value = 0xcbf29ce484222325
    for byte in text:
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return text + b"%016x\n" % value


def every_cut(folder):
    sweep, out, run = one_point(folder)
    whole = run.read_bytes()
    joined = (out / "sweep.csv").read_bytes()
    assert state_of(sweep, out) == "done"
    for length in [*range(0, len(whole) - 1, form(1, 5)), len(whole) - 1]:
        run.write_bytes(whole[:length])
        assert state_of(sweep, out) == "missing", (length, whole[length - 40:length])
    good("sweep", sweep, "--out", out, "--quiet")  # runs it again
    assert run.read_bytes() == whole[:-1] + b"\n" + whole and (out / "sweep.csv").read_bytes() == joined


def other_damage(folder):
    sweep, out, run = one_point(folder)
    whole = run.read_bytes()
    start = whole.index(b"inputs,")
    run_line, notes = whole[:start].split(b"\n", 1)
    header, first, second, end = whole[start:].splitlines(keepends=True)
    changed = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:] for at in range(0, len(whole), form(7, 35))]
    for damaged in (header + first + end, header + first + first + second + end, header + second + first + end, header + end):
        for length in (len(whole) - start, len(damaged)):
            run.write_bytes(first_line(run_line, 4, length) + notes + damaged)
            assert state_of(sweep, out) == "missing", damaged
    for damaged in (end, b"\0" * len(whole), whole[:200] + b"\0" * (len(whole) - 200), *changed):
        run.write_bytes(damaged)
        assert state_of(sweep, out) == "missing", damaged
    for beside in (b"", end, first, b"\n", run_line + b"\n", whole[:-1] + b"\n", run_line + b"\n" + b"\0" * 99 + b"\n"):
        run.write_bytes(beside + whole + beside)
        assert state_of(sweep, out) == "done", beside


def half_and_whole(folder):
    """Cut at any byte, and whole behind it, after the line end that a process which takes the file over adds."""
    sweep, out, run = one_point(folder)
    whole = run.read_bytes()
    for length in range(0, len(whole), form(11, 33)):
        run.write_bytes(whole[:length] + b"\n" + whole)
        assert state_of(sweep, out) == "done", length


def cut_notes(folder):
    """A point that has something to say is done only with all of it."""
    sweep, out, run = one_point(folder, "tiny", "replications: 2")
    whole = run.read_bytes()
    first, rest = whole.split(b"\n", 1)
    notes, text = (int(cell) for cell in first.split(b",")[3:5])
    assert notes > 0 and notes + text == len(rest)
    for length in (0, 1, notes // 2, notes - 1):
        run.write_bytes(first_line(first, 3, length) + rest[:length] + rest[notes:])
        assert state_of(sweep, out) == "missing", length
    good("sweep", sweep, "--out", out, "--quiet")
    assert run.read_bytes().endswith(whole)


if __name__ == "__main__":
    cases(every_cut, other_damage, half_and_whole, cut_notes)
