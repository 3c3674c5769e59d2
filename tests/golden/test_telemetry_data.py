"""Energy and power of real nvidia-smi logs: test_telemetry_data.py EASIM SOURCE; skipped (exit 77) without EASIM_DATA.

Expected: EXPECTED_energy.json beside the logs (trapezoid energy; columns of the file without a header: its README).
"""
import json
import math
import os
import subprocess
import sys
from pathlib import Path

EASIM = str(Path(sys.argv[1]).resolve())
COLUMNS = "timestamp,utilization.gpu,utilization.memory,memory.used,memory.free,temperature.gpu,power.draw"
NAMES = {"n": "samples", "dur_s": "duration_s", "energy_trapz_J": "energy_j", "mean_w_time": "power_mean_w",
         "mean_w_samples": "power_sample_mean_w", "p50": "power_p50_w", "p95": "power_p95_w", "p99": "power_p99_w",
         "max": "power_max_w"}


def figures(*arguments):
    done = subprocess.run([EASIM, "profile", *map(str, arguments), "--format", "json"], capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


def nvidia_smi(folder):
    for expected in json.loads((folder / "EXPECTED_energy.json").read_text()):
        options = ["--columns", COLUMNS] if "noheader" in expected["file"] else []
        found = figures("nvidia-smi", folder / expected["file"], *options)
        devices = {device["device"]: device for device in found["devices"]}
        assert found["bad_rows"] == expected["bad_rows"] and devices.keys() == expected["per_gpu"].keys()
        for gpu, theirs in expected["per_gpu"].items():
            for name, ours in NAMES.items():
                assert math.isclose(devices[gpu][ours], theirs[name], rel_tol=1e-3), (expected["file"], gpu, name)
        print(f"{expected['file']}: {len(devices)} GPUs")


def main():
    if not os.environ.get("EASIM_DATA"):
        sys.exit(77)
    data = Path(os.environ["EASIM_DATA"]) / "telemetry"
    nvidia_smi(data / "nvidia-smi")


main()
