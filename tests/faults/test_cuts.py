"""The file of a sweep's run counts as done only if it is whole: cut at every byte, with bytes changed, rows doubled or
taken away, and with the notes beside it cut."""
import csv

from harness import SOURCE, good, run_tests


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


def every_cut(folder):
    sweep, out, run = one_point(folder)
    whole = run.read_bytes()
    joined = (out / "sweep.csv").read_bytes()
    assert state_of(sweep, out) == "done"
    for length in range(len(whole)):
        run.write_bytes(whole[:length])
        assert state_of(sweep, out) == "missing", (length, whole[length - 40:length])
    good("sweep", sweep, "--out", out, "--quiet")  # runs it again
    assert run.read_bytes() == whole and (out / "sweep.csv").read_bytes() == joined


def other_damage(folder):
    sweep, out, run = one_point(folder)
    whole = run.read_bytes()
    header, first, second, end = whole.splitlines(keepends=True)
    changed = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:] for at in range(0, len(whole), 7)]
    for damaged in (header + first + end, header + first + first + second + end, header + second + first + end, header + end,
                    whole + end, whole + first, whole + b"\n", end, b"\0" * len(whole), whole[:200] + b"\0" * (len(whole) - 200),
                    *changed):
        run.write_bytes(damaged)
        assert state_of(sweep, out) == "missing", damaged
    run.write_bytes(whole)
    assert state_of(sweep, out) == "done"


def cut_notes(folder):
    """A point that has something to say is done only with all of it."""
    sweep, out, run = one_point(folder, "tiny", "replications: 2")
    notes = out / "notes" / run.name
    whole = notes.read_bytes()
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        notes.write_bytes(whole[:length])
        assert state_of(sweep, out) == "missing", length
    notes.unlink()
    assert state_of(sweep, out) == "missing"
    good("sweep", sweep, "--out", out, "--quiet")
    assert notes.read_bytes() == whole


if __name__ == "__main__":
    run_tests(every_cut, other_damage, cut_notes)
