"""SIGINT keeps what is finished, and the progress line: test_interrupt.py EASIM SOURCE"""
import os
import pty
import re
import signal
import subprocess

from harness import HANGS_S, SOURCE, at_work, cases, easim, interrupt, json_of, rows_of, some_work, start


def words(out, replications):
    return ["run", SOURCE / "configs/eas-sim.yaml", "--out", out, "--threads", 2, "--replications", replications]


def interrupted_run(folder):
    """A study far too long to end; Ctrl-C when some replications are done."""
    out = folder / "interrupted"
    process = start(*words(out, 100000))
    some_work(process)
    _, errors = interrupt(process)
    assert "interrupted" in errors and "\r" not in errors, errors  # not a terminal: no progress line
    manifest = json_of(out / "manifest.json")
    summary = rows_of(out / "summary.csv")
    assert manifest["partial"] is True and 0 < len(summary) == manifest["replications_done"] < 100000
    assert not [name for name in os.listdir(out) if ".tmp" in name], os.listdir(out)
    whole = folder / "whole"
    easim(*words(whole, 1))
    first = (whole / "summary.csv").read_text().splitlines()[1]
    assert (out / "summary.csv").read_text().splitlines()[1] == first  # what is kept is right


def on_a_terminal(asked, wanted):
    """What a command writes on its standard error, a terminal, which is interrupted when it has written what is wanted; None if
    there are none."""
    try:
        master, slave = pty.openpty()
    except OSError:
        print("progress line: skipped, this machine has no pseudo-terminals")
        return None
    process = start(*asked, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    text, sent = "", False
    try:
        while chunk := os.read(master, 4096):
            text += chunk.decode()
            if not sent and re.search(wanted, text):
                process.send_signal(signal.SIGINT)
                sent = True
    except OSError:
        pass  # the other end is closed
    process.wait(timeout=HANGS_S)
    assert sent, (wanted, text)
    return text


def progress_line(folder):
    """On a terminal a run of over a second shows a line that rewrites itself, and erases it."""
    # the seed protocol: 0.005 jobs/s for 10 h
    text = on_a_terminal(words(folder / "progress", 100000), r"\r\x1b\[K\d+ of 100000 replications, .* million events, 180 jobs expected in each")
    assert text is None or text.rindex("\r\x1b[K") > text.rindex("expected in each"), text


def many_jobs(folder):
    """0.005 jobs/s for 4e9 s are 20 million: check says so, and run before it begins; not so of the usual 180."""
    config = ["check", SOURCE / "configs/eas-sim.yaml", "--set", "horizon=4e9"]
    text = "about 20 million jobs are expected in each of 10 replications up to the horizon of 4e+09 s: " \
        "at least 80 s of processor time and 0.16 GB, 5.4 GB if recorded, for each replication that is running"  # 0.4 us, 8 and 270 bytes a job
    one = "about 20 million jobs are expected up to the horizon of 4e+09 s: at least 8 s of processor time and 0.16 GB, 5.4 GB if recorded\n"
    easim(*config, prints=f"  warning: {text}")
    easim(*config, "--set", "replications=1", prints=f"  warning: {one}")
    usual = easim(*config[:2])
    assert "warning" not in usual.stdout, usual.stdout
    sweep = folder / "sweep.yaml"
    sweep.write_text(f"name: many\nbase: {config[1]}\naxes:\n  - {{path: horizon, values: [4e9, 1h]}}\n")
    for asked, of in ((["run", *config[1:]], ""), (["sweep", sweep], "first point: ")):
        process = start(*asked, "-t", 1, "--out", folder / f"many {asked[0]}", stdout=None)
        line = process.stderr.readline()
        process.kill()
        process.communicate(timeout=HANGS_S)
        assert line.startswith(f"easim: {of}{text}"), line
    for quiet in ("--list", "--merge"):
        assert "million" not in easim("sweep", sweep, quiet, "--out", folder / "none", code=None).stderr


def progress_of_searches(folder):
    """ablate has 2^4 mixtures; tune expects the scenario's parameters, 17 of a grid and 6 of each of 3 finer ones at
    most, then two settings on the other seed."""
    config = str(SOURCE / "configs" / "eas-sim.yaml")
    ablate = ["ablate", config, "zeus:edp_slack=2", "pollux", "-n", "100000", "--out", str(folder / "ablate")]
    tune = ["tune", config, "--policy", "zeus", "--params", "edp_slack=1..3", "--objective", "energy_kwh", "-n", "500",
            "--training-replications", "2000", "--out", str(folder / "tune")]
    for asked, count in ((ablate, 2 ** 4 * 100000), (tune, (1 + 17 + 3 * 6) * 2000 + 2 * 500)):
        text = on_a_terminal([*asked, "-t", 2], rf"\d+ of {count} replications, [0-9.e+]+/s, \d+ s left, [0-9.]+ million events")
        if text is not None:
            assert "interrupted: there are no results" in text and not (folder / asked[0]).exists(), text


def nothing_finished(folder):
    """Interrupted before anything is done, nothing is left behind."""
    out = folder / "nothing"
    process = start(*words(out, 100000), "--set", "horizon=3000d")
    at_work(process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=HANGS_S)
    assert process.returncode in (130, -signal.SIGINT), process.returncode
    assert not out.exists() or os.listdir(out) == [], os.listdir(out)


cases(interrupted_run, progress_line, many_jobs, progress_of_searches, nothing_finished, shared=True)
