"""Energy and power of the telemetry samples: test_telemetry_data.py EASIM SOURCE; skipped (exit 77) without EASIM_DATA.

nvidia-smi: EXPECTED_energy.json beside the logs (trapezoid energy; columns of the file without a header: its README). The
others have no expected figures: energies are computed here once more from the text.
"""
import json
import math
import re

from harness import cases, easim, json_of, real_data

COLUMNS = "timestamp,utilization.gpu,utilization.memory,memory.used,memory.free,temperature.gpu,power.draw"
NAMES = {"n": "samples", "dur_s": "duration_s", "energy_trapz_J": "energy_j", "mean_w_time": "power_mean_w",
         "mean_w_samples": "power_sample_mean_w", "p50": "power_p50_w", "p95": "power_p95_w", "p99": "power_p99_w",
         "max": "power_max_w"}


def figures(*arguments):
    done = easim("profile", *arguments, "--format", "json")
    return json.loads(done.stdout)


def nvidia_smi():
    folder = real_data("telemetry/nvidia-smi")
    for expected in json_of(folder / "EXPECTED_energy.json"):
        options = ["--columns", COLUMNS] if "noheader" in expected["file"] else []
        found = figures("nvidia-smi", folder / expected["file"], *options)
        devices = {device["device"]: device for device in found["devices"]}
        assert found["bad_rows"] == expected["bad_rows"] and devices.keys() == expected["per_gpu"].keys()
        for gpu, theirs in expected["per_gpu"].items():
            for name, ours in NAMES.items():
                assert math.isclose(devices[gpu][ours], theirs[name], rel_tol=1e-3), (expected["file"], gpu, name)
        print(f"{expected['file']}: {len(devices)} GPUs")


def trapezoids(points):
    return sum((later - earlier) * (a + b) / 2 for (earlier, a), (later, b) in zip(points, points[1:]))


def check_devices(where, found, power, counter):
    """power: device to (seconds, watts); counter: device to mJ."""
    devices = {device["device"]: device for device in found["devices"]}
    assert devices.keys() == power.keys(), where
    for name, device in devices.items():
        assert math.isclose(device["energy_j"], trapezoids(power[name]), rel_tol=1e-9), (where, name)
        assert math.isclose(device["counter_energy_j"], (counter[name][-1] - counter[name][0]) / 1000, rel_tol=1e-9)
    print(f"{where}: {len(devices)} GPUs")


def dcgm():
    folder = real_data("telemetry/dcgm")
    path, power, counter = folder / "SYNTHETIC_dmon_h100x4_1s.txt", {}, {}
    for line in path.read_text().splitlines():
        if match := re.match(r"GPU (\d+)\s+(.*)", line):
            cells, points = match[2].split(), power.setdefault(match[1], [])
            points.append((len(points), float(cells[4])))
            counter.setdefault(match[1], []).append(int(cells[5]))
    check_devices(path.name, figures("dcgm", path), power, counter)

    path, power, counter = folder / "SYNTHETIC_exporter_k8s_series.prom", {}, {}
    for name, uuid, value, time in re.findall(r'^(\w+)\{.*UUID="([^"]+)".*\} (\S+) (\d+)$', path.read_text(), re.MULTILINE):
        if name == "DCGM_FI_DEV_POWER_USAGE":
            power.setdefault(uuid, []).append((int(time) / 1000, float(value)))
        elif name == "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION":
            counter.setdefault(uuid, []).append(int(value))
    check_devices(path.name, figures("dcgm-exporter", path), power, counter)


def dynolog():
    folder = real_data("telemetry/dynolog")
    path, power = folder / "SYNTHETIC_gpu_cpu_glog.log", {}
    for line in path.read_text().splitlines():
        stamp, _, data = line.partition(" data = ")
        record = json.loads(data) if data else {}
        if "device" in record:
            minute, second = re.search(r"T\d+:(\d+):([\d.]+)Z", stamp).groups()
            power.setdefault(str(record["device"]), []).append((int(minute) * 60 + float(second), float(record["gpu_power_draw"])))
    found = {device["device"]: device["energy_j"] for device in figures("dynolog", path)["devices"]}
    assert found.keys() == power.keys()
    assert all(math.isclose(found[name], trapezoids(power[name]), rel_tol=1e-9) for name in power), found
    print(f"{path.name}: {len(found)} GPUs")


def zeus():
    folder = real_data("telemetry/zeus")
    """A40, ResNet-50, batch 512: 1426 kJ an epoch at 100 W, 760 kJ, the least, at 175 W, 964 kJ at 300 W, as its rows have them."""
    rows = figures("zeus", folder / "summary_power_a40.csv", "--dataset", "imagenet")["rows"]
    energy = {row["power_limit_w"]: row["epoch_energy_j"] for row in rows if row["batch"] == 512}
    assert {limit: round(energy[limit] / 1000) for limit in (100, 175, 300)} == {100: 1426, 175: 760, 300: 964}, energy
    assert min(energy, key=energy.get) == 175
    print(f"summary_power_a40.csv: {len(rows)} rows")


cases(nvidia_smi, dcgm, dynolog, zeus)
