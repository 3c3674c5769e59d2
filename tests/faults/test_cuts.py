"""A result of a sweep's run counts only if it is whole: cut at every byte, with bytes changed, rows doubled or taken away, with
its notes cut, without the names of its columns; what stands behind it changes nothing."""
import csv
import shutil

from faults import easim, good
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


def fnv(value, text):
    """FNV-1a over words of eight bytes, and over the bytes that are left."""
    whole = len(text) // 8 * 8
    for word in [int.from_bytes(text[at:at + 8], "little") for at in range(0, whole, 8)] + list(text[whole:]):
        value = (value ^ word) * 0x100000001b3 % 2**64
    return value


def fnv_bytes(text):
    value = 0xcbf29ce484222325
    for byte in text:
        value = fnv(value, bytes([byte]))
    return value


def block(line, notes, rows):
    """That of a first line, with other notes and rows, their lengths, and the hash of all that."""
    head = b",".join(line.split(b",")[:5] + [b"%d,%d," % (len(notes), len(rows))])
    return head + b"%016x\n" % fnv(fnv(0xcbf29ce484222325, head), notes + rows) + notes + rows


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


def parts_of(whole):
    """The first line of a block, its notes and its rows."""
    line, body = whole.split(b"\n", 1)
    notes, rows = (int(cell) for cell in line.split(b",")[5:7])
    assert notes + rows == len(body)
    return line, body[:notes], body[notes:]


def other_damage(folder):
    sweep, out, run = one_point(folder)
    whole = run.read_bytes()
    line, notes, rows = parts_of(whole)
    first, second = rows.splitlines(keepends=True)
    assert block(line, notes, rows) == whole
    changed = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:] for at in range(0, len(whole), form(7, 35))]
    for damaged in (first, first + first + second, second + first, b""):
        length = b",%d," % len(rows), b",%d," % len(damaged)
        for start in (line, line.replace(*length)):
            run.write_bytes(start + b"\n" + notes + damaged)
            assert state_of(sweep, out) == "missing", damaged
    other = line.split(b",")
    for damaged in (block(line, notes, b""), block(b",".join(other[:4] + [b"0123456789abcdef"]), notes, rows),
                    block(b",".join(other[:2] + [b"0" * 16] + other[3:]), notes, rows), first, b"\0" * len(whole),
                    whole[:200] + b"\0" * (len(whole) - 200), *changed):
        run.write_bytes(damaged)
        assert state_of(sweep, out) == "missing", damaged
    for beside in (b"", first, b"\n", line + b"\n", whole[:-1] + b"\n", line + b"\n" + b"\0" * 99 + b"\n"):
        run.write_bytes(beside + whole + beside)
        assert state_of(sweep, out) == "done", beside


def shared_columns(folder):
    """Names of columns that not every scenario has stand once in a file, before or behind their rows, or in another file;
    without them a point is missing."""
    sweep, out, run = one_point(folder, "llm", "replications: 1, horizon: 1h")
    joined, whole = (out / "sweep.csv").read_bytes(), run.read_bytes()
    sweep.write_text(sweep.read_text(encoding="utf-8").replace("[7]", "[7, 8]"), encoding="utf-8")
    good("sweep", sweep, "--out", out, "--quiet")
    assert run.read_bytes().startswith(whole) and (out / "sweep.csv").read_bytes().startswith(joined)
    sweep.write_text(sweep.read_text(encoding="utf-8").replace("[7, 8]", "[7]"), encoding="utf-8")
    start, names, points = whole.split(b"\n", 2)
    assert start == b"columns,%016x" % fnv_bytes(names) and points.startswith(b"run,")
    columns = start + b"\n" + names + b"\n"
    for text in (points, b"columns\n" + points, columns[1:] + points, columns.replace(b"policy", b"polity") + points,
                 columns[:-1] + b",more\n" + points, start + b"\n" + points):
        run.write_bytes(text)
        assert state_of(sweep, out) == "missing", text[:200]
    run.write_bytes(points)
    good("sweep", sweep, "--out", out, "--quiet")
    assert run.read_bytes().startswith(points + columns + b"run,") and (out / "sweep.csv").read_bytes() == joined
    for text, other in ((points + columns, b""), (points, columns), (columns + columns + points + columns, b"columns,\n")):
        run.write_bytes(text)
        (out / "runs" / "other.points").write_bytes(other)
        assert state_of(sweep, out) == "done"
        good("sweep", sweep, "--out", out, "--merge")
        assert (out / "sweep.csv").read_bytes() == joined


def columns_of_a_failed_write(folder):
    """A write of a point and its columns fails, which ends the sweep, or does half: points before it stay, others come."""
    sweep, out, run = one_point(folder, "llm", "replications: 1, horizon: 1h")
    sweep.write_text(sweep.read_text(encoding="utf-8").replace("[7]", "[7, 8, 9]"), encoding="utf-8")
    words = ("sweep", sweep, "--quiet", "-t", "1", "--out")
    good(*words, folder / "whole")
    expected = (folder / "whole" / "sweep.csv").read_bytes()
    for do in ("EIO", "short"):
        for at in (1, 2, 3):
            shutil.rmtree(out)
            ended = easim(*words, out, call="write", path=f"/{run.name}", at=at, do=do)
            states = [row["state"] for row in csv.DictReader(good("sweep", sweep, "--out", out, "--list").out.splitlines())]
            done = 3 if do == "short" else at - 1
            assert ended.hits == 1 and ended.code == (done < 3), (do, at, str(ended))
            assert states == ["done"] * done + ["missing"] * (3 - done), (do, at, states)
            good(*words, out)
            assert (out / "sweep.csv").read_bytes() == expected, (do, at)
    sweep.write_text(sweep.read_text(encoding="utf-8").replace("[7, 8, 9]", "[1, 2, 3, 4, 5, 6]"), encoding="utf-8")
    shutil.rmtree(out)  # others, which are running, are written after the failure: with their columns
    easim("sweep", sweep, "--quiet", "-t", "3", "--out", out, call="write", path=f"/{run.name}", at=1, do="EIO")
    listed = good("sweep", sweep, "--out", out, "--list").out
    assert listed.count(",done\n") == run.read_bytes().count(b"\nrun,"), (listed, run.read_bytes()[:200])


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
    line, notes, rows = parts_of(whole)
    assert notes
    for length in (0, 1, len(notes) // 2, len(notes) - 1):
        lengths = b",%d,%d," % (len(notes), len(rows)), b",%d,%d," % (length, len(rows))
        run.write_bytes(line.replace(*lengths) + b"\n" + notes[:length] + rows)
        assert state_of(sweep, out) == "missing", length
    good("sweep", sweep, "--out", out, "--quiet")
    assert run.read_bytes().endswith(whole)


if __name__ == "__main__":
    cases(every_cut, other_damage, shared_columns, columns_of_a_failed_write, half_and_whole, cut_notes)
