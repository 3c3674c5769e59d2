"""SIGINT keeps what is finished, and the progress line: test_interrupt.py EASIM SOURCE"""
import csv
import json
import os
import pty
import re
import signal
import subprocess
import tempfile
from pathlib import Path

from support import EASIM, HANGS_S, SOURCE, at_work, some_end


def command(out, replications):
    return [EASIM, "run", str(SOURCE / "configs" / "eas-sim.yaml"), "--out", str(out), "--threads", "2",
            "--replications", str(replications)]


def interrupted_run(folder):
    """A study far too long to end; Ctrl-C when some replications are done."""
    out = folder / "interrupted"
    process = subprocess.Popen(command(out, 100000), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    some_end(process, 3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=HANGS_S)
    assert process.returncode == 130, (process.returncode, errors)
    assert "interrupted" in errors and "\r" not in errors, errors  # not a terminal: no progress line
    manifest = json.loads((out / "manifest.json").read_text())
    with open(out / "summary.csv", newline="", encoding="utf-8") as file:
        summary = list(csv.DictReader(file))
    assert manifest["partial"] is True and 0 < len(summary) == manifest["replications_done"] < 100000
    assert not [name for name in os.listdir(out) if ".tmp" in name], os.listdir(out)
    whole = folder / "whole"
    subprocess.run(command(whole, 1), check=True, capture_output=True)
    first = (whole / "summary.csv").read_text().splitlines()[1]
    assert (out / "summary.csv").read_text().splitlines()[1] == first  # what is kept is right


def on_a_terminal(words, wanted):
    """What a command writes on its standard error, a terminal, which is interrupted when it has written what is wanted; None if
    there are none."""
    try:
        master, slave = pty.openpty()
    except OSError:
        print("progress line: skipped, this machine has no pseudo-terminals")
        return None
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    text, asked = "", False
    try:
        while chunk := os.read(master, 4096):
            text += chunk.decode()
            if not asked and re.search(wanted, text):
                process.send_signal(signal.SIGINT)
                asked = True
    except OSError:
        pass  # the other end is closed
    process.wait(timeout=HANGS_S)
    assert asked, (wanted, text)
    return text


def progress_line(folder):
    """On a terminal a run of over a second shows a line that rewrites itself, and erases it."""
    # the seed protocol: 0.005 jobs/s for 10 h
    text = on_a_terminal(command(folder / "progress", 100000), r"\r\x1b\[K\d+ of 100000 replications, .* million events, 180 jobs expected in each")
    assert text is None or text.rindex("\r\x1b[K") > text.rindex("expected in each"), text


def many_jobs(_folder):
    """0.005 jobs/s for 4e9 s are 20 million: check says so, and run before it begins; not so of the usual 180."""
    config = ["check", SOURCE / "configs/eas-sim.yaml", "--set", "horizon=4e9"]
    text = "about 20 million jobs are expected in each of 10 replications up to the horizon of 4e+09 s: " \
        "at least 800 s of processor time and 9 GB for each replication that is running"  # 4 us and 450 bytes a job
    one = "about 20 million jobs are expected up to the horizon of 4e+09 s: at least 80 s of processor time and 9 GB\n"
    done = subprocess.run([EASIM, *config], capture_output=True, text=True, check=True)
    assert f"  warning: {text}" in done.stdout, done.stdout
    done = subprocess.run([EASIM, *config, "--set", "replications=1"], capture_output=True, text=True, check=True)
    assert f"  warning: {one}" in done.stdout, done.stdout
    usual = subprocess.run([EASIM, *config[:2]], capture_output=True, text=True, check=True)
    assert "warning" not in usual.stdout, usual.stdout
    with tempfile.TemporaryDirectory(prefix="easim-many.") as folder:
        sweep = Path(folder, "sweep.yaml")
        sweep.write_text(f"name: many\nbase: {config[1]}\naxes:\n  - {{path: horizon, values: [4e9, 1h]}}\n")
        for words, of in ((["run", *config[1:]], ""), (["sweep", sweep], "first point: ")):
            process = subprocess.Popen([EASIM, *words, "-t", "1", "--out", f"{folder}/{words[0]}"], stderr=subprocess.PIPE, text=True)
            line = process.stderr.readline()
            process.kill()
            process.communicate(timeout=HANGS_S)
            assert line.startswith(f"easim: {of}{text}"), line
        for quiet in ("--list", "--merge"):
            done = subprocess.run([EASIM, "sweep", sweep, quiet, "--out", f"{folder}/out"], capture_output=True, text=True, check=False)
            assert "million" not in done.stderr, done.stderr


def progress_of_searches(folder):
    """ablate has 2^4 mixtures; tune expects the scenario's parameters, 17 of a grid and 6 of each of 3 finer ones at
    most, then two settings on the other seed."""
    config = str(SOURCE / "configs" / "eas-sim.yaml")
    ablate = ["ablate", config, "zeus:edp_slack=2", "pollux", "-n", "100000", "--out", str(folder / "ablate")]
    tune = ["tune", config, "--policy", "zeus", "--params", "edp_slack=1..3", "--objective", "energy_kwh", "-n", "500",
            "--training-replications", "2000", "--out", str(folder / "tune")]
    for words, count in ((ablate, 2 ** 4 * 100000), (tune, (1 + 17 + 3 * 6) * 2000 + 2 * 500)):
        text = on_a_terminal([EASIM, *words, "-t", "2"], rf"\d+ of {count} replications, [0-9.e+]+/s, \d+ s left, [0-9.]+ million events")
        if text is not None:
            assert "interrupted: there are no results" in text and not (folder / words[0]).exists(), text


def nothing_finished(folder):
    """Interrupted before anything is done, nothing is left behind."""
    out = folder / "nothing"
    process = subprocess.Popen(command(out, 100000) + ["--set", "horizon=3000d"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    at_work(process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=HANGS_S)
    assert process.returncode in (130, -signal.SIGINT), process.returncode
    assert not out.exists() or os.listdir(out) == [], os.listdir(out)


def main():
    checks = [interrupted_run, progress_line, many_jobs, progress_of_searches, nothing_finished]
    with tempfile.TemporaryDirectory(prefix="easim-interrupt.") as folder:
        for check in checks:
            check(Path(folder))
    print(f"{len(checks)} passed, 0 failed")
    print(f"{len(checks)} cases")


main()
