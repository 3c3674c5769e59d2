"""A sweep as a job array on a real Slurm: test_sweep_slurm.py EASIM SOURCE

An array of 8 tasks over two nodes, of which one task is killed while it runs and one node drained; submitted again,
it runs what is missing, and the joined table has the bytes of the serial one. Skipped where Slurm is not installed.
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import EASIM, SOURCE, cases, need, run

CLUSTER = SOURCE / "tests" / "support" / "slurm_cluster.sh"
POINTS = 64
# Tasks of over a second on two shared cores, so that there is something to kill.
SWEEP = f"""\
name: slurm
base: {SOURCE}/configs/eas-sim.yaml
set: {{replications: 80}}
axes:
  - {{path: policy.name, values: [zeus, pollux]}}
  - {{path: seed, range: {{from: 1, to: {POINTS // 2}, step: 1}}}}
"""


def free_port():
    """The first of three free ports."""
    for port in range(20000 + os.getpid() % 10000, 60000, 7):
        try:
            for offset in range(3):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port + offset))
            return port
        except OSError:
            continue
    raise SystemExit("no free ports")


def queue(*options):
    return run("squeue", "-h", "-r", *options).stdout.split()


def wait_for(what, holds, seconds=600):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"after {seconds} s: {what}\n{run('squeue', '-r').stdout}"
        time.sleep(0.1)


def submit(sweep, out):
    words = run(EASIM, "sweep", sweep, "--out", out, "--engine", "slurm", "--tasks", 8).stdout.split()
    assert words[0] == "array" and words[2] == "merge", words
    return words[1], words[3]


def wait_all():
    """Also for a merge whose dependency never comes true: it is gone from the queue, or stays and fails here."""
    wait_for("jobs are left", lambda: not queue("-t", "PD,R,CG,CF", "-o", "%i"))


def kill_one_task(array):
    """A kill -9 of all processes of one running task, its script too; of another if that one was done before it came."""
    while True:
        wait_for("no task runs", lambda: queue("-j", array, "-t", "R", "-o", "%i"))
        task = max(queue("-j", array, "-t", "R", "-o", "%i"))  # the last that began
        run("scancel", "--signal=KILL", "--full", task).stdout
        wait_for("the task goes on", lambda killed=task: killed not in queue("-j", array, "-t", "R,CG", "-o", "%i"))
        if "JobState=COMPLETED" not in run("scontrol", "-o", "show", "job", task).stdout:
            return task


def drained_node(array):
    """Takes a node out while it runs something; returns its name."""
    nodes = queue("-j", array, "-t", "R", "-o", "%N")
    run("scontrol", "update", f"NodeName={nodes[0]}", "State=DRAIN", "Reason=test").stdout
    return nodes[0]


def disturbed(sweep, out):
    """Submits the sweep, kills a task and drains a node. Returns that node, the log of the merge and what it misses."""
    array, _ = submit(sweep, out)
    wait_for("not two nodes at work", lambda: len(set(queue("-j", array, "-t", "R", "-o", "%N"))) == 2)
    task = kill_one_task(array)
    node = drained_node(array)
    wait_all()
    log = (out / "slurm" / "merge.log").read_text(encoding="utf-8")
    missing = sum(line.startswith("missing: ") for line in log.splitlines())
    print(f"killed {task}, drained {node}: {missing} of {POINTS} runs are missing")
    return node, log, missing


def with_cluster(folder):
    sweep, serial = folder / "sweep.yaml", folder / "serial"
    sweep.write_text(SWEEP, encoding="utf-8")
    run(EASIM, "sweep", sweep, "--out", serial, "--quiet").stdout
    for attempt in range(5):  # a kill between the last point of a task and its end takes nothing
        out = folder / f"array results {attempt}"
        node, log, missing = disturbed(sweep, out)
        if missing > 0:
            break
        run("scontrol", "update", f"NodeName={node}", "State=RESUME").stdout
    assert 0 < missing <= POINTS // 8, log  # some of one task, and nothing of the others
    kept = {line for path in (out / "runs").iterdir() for line in re.findall(rb"^run,(.{16})", path.read_bytes(), re.M)}
    assert POINTS - missing <= len(kept) <= POINTS - missing + 1  # the last may be half
    again, _ = submit(sweep, out)
    assert len(queue("-t", "all", "-j", again, "-o", "%i")) == 1  # the tasks that have all they need are left out
    wait_all()
    assert (out / "sweep.csv").read_bytes() == (serial / "sweep.csv").read_bytes()
    run("scontrol", "update", f"NodeName={node}", "State=RESUME").stdout
    run(EASIM, "sweep", sweep, "--out", out, "--engine", "slurm", prints=f"{POINTS} points: {POINTS} done, 0 failed, 0 missing")


def array():
    folder = Path(tempfile.mkdtemp(prefix="easim-slurm-", dir="/tmp"))  # short, for munge's socket
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # meson's timeout: stop the daemons all the same
    try:
        with open(folder / "start.log", "w", encoding="utf-8") as log:
            started = run(CLUSTER, "start", folder, free_port(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=600,
                          code=None).returncode
        assert started == 0, (folder / "start.log").read_text(encoding="utf-8")
        with_cluster(folder)
    finally:
        subprocess.run([CLUSTER, "stop", folder], stdin=subprocess.DEVNULL, check=False)
        shutil.rmtree(folder, ignore_errors=True)


os.environ["PATH"] += ":/usr/sbin"
need("sbatch", "slurmctld", "slurmd", "munged")
cases(array)
