"""Published and known results on real logs: test_real_data.py EASIM SOURCE; skipped (exit 77) without EASIM_DATA.

KTH-SP2: waits of every job published with the log (SPEC 9). ITP: GPU-seconds are the sum of num_gpu * duration over the
log's rows, an independent computation here, and the figure in the data's README.
"""
import csv
import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

EASIM, SOURCE = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()


def run(config, out, *options):
    command = [EASIM, "run", str(SOURCE / "configs" / config), "--out", str(out), "--quiet", "--check", *options]
    subprocess.run(command, check=True)


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_waits(folder, data, log, mean_s, options):
    path = data / "traces" / "swf" / log
    out = folder / log
    run("kth-sp2-easy.yaml", out, "--set", f"workload.file={path}", *options)
    waits = {row["job_id"]: row["wait_s"] for row in rows(out / "jobs.csv")}
    published = {}
    with gzip.open(path, "rt") as file:
        for line in file:
            if not line.startswith(";"):
                fields = line.split()
                published[fields[0]] = fields[2]
    equal = sum(float(waits[job]) == float(wait) for job, wait in published.items())
    mean = sum(float(wait) for wait in waits.values()) / len(waits)
    print(f"{log}: {equal} of {len(published)} waits equal, mean {mean:.6f} s")
    assert len(published) == len(waits) == equal == 28481
    assert f"{mean:.6f}" == mean_s, mean
    return rows(out / "summary.csv")[0]


def kth_waits(folder, data):
    summary = check_waits(folder, data, "KTH-SP2.pyss_easy_backfill.swf.gz", "6836.872090", [])
    assert f"{float(summary['bsld_mean']):.8f}" == "92.57653973"
    check_waits(folder, data, "KTH-SP2.pyss_easy_clairvoyant.swf.gz", "6327.681612", ["--set", "workload.estimate=run"])


def itp_gpu_seconds(folder, data):
    out = folder / "itp"
    run("itp-cluster06.yaml", out, "--policy", "fcfs")
    with open(data / "traces" / "ms_itp" / "raw" / "cluster06.csv", newline="", encoding="utf-8") as file:
        expected = sum(int(row["num_gpu"]) * int(row["duration"]) for row in csv.DictReader(file))
    executed = sum(int(row["gpu_s"]) for row in rows(out / "jobs.csv"))
    users = sum(float(row["gpu_s"]) for row in rows(out / "users.csv"))
    print(f"ITP cluster06: {executed} GPU-seconds executed")
    assert executed == expected == users == 445963163
    assert all(row["status"] == "finished" for row in rows(out / "jobs.csv"))


def main():
    if "EASIM_DATA" not in os.environ:
        print("skipped: EASIM_DATA is not set")
        sys.exit(77)
    checks = [kth_waits, itp_gpu_seconds]
    with tempfile.TemporaryDirectory(prefix="easim-data.") as folder:
        for check in checks:
            check(Path(folder), Path(os.environ["EASIM_DATA"]))
    print(f"{len(checks)} passed, 0 failed")


main()
