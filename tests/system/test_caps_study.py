"""docs/studies/caps.csv: its rows of fcfs at load 1.2 made again, its work on A40 against a closed form, and what the study shows.
Usage: test_caps_study.py EASIM SOURCE
"""
import os
import re
import subprocess

from harness import EASIM, SOURCE, cases, rows_of

ADMISSIONS = ("full", "efficient", "floor")
POINT = ("physics", "load", "policy", "admission", "cap_percent")
GPUS, BASE_W, IDLE_W, HIGHEST_W = 64, 16 * 120, 30, 17600  # configs/caps.yaml, configs/sweeps/caps-a40.yaml


def table():
    return {tuple(row[name] for name in POINT): row for row in rows_of(SOURCE / "docs/studies/caps.csv")}


def work_left(table, policy, admission, cap, physics="a40"):
    """Work as a share of that without a cap."""
    return 1 + float(table[physics, "1.2", policy, admission, cap]["work_percent"]) / 100


def made_again(folder):
    made = subprocess.run(["sh", "docs/studies/caps.sh", "1.2", "fcfs"], cwd=SOURCE, env={**os.environ, "EASIM": EASIM, "OUT": str(folder)},
                          capture_output=True, text=True, check=True).stdout.splitlines()
    heading, *rows = (SOURCE / "docs/studies/caps.csv").read_text(encoding="utf-8").splitlines()
    assert made == [heading] + [row for row in rows if row.split(",")[1:3] == ["1.2", "fcfs"]], made
    return len(made) - 1


def measured_limits():
    """Of each training W without a limit, and draw in W and speed under each limit; speeds are at most 1."""
    for block in (SOURCE / "configs/models/zeus-a40.yaml").read_text(encoding="utf-8").split("  - name: ")[1:]:
        full_w = float(re.search(r"power_w_per_gpu: ([\d.]+)", block)[1])
        yield full_w, [(full_w * float(power), min(1, 1 / float(time)))
                       for time, power in re.findall(r"time_ratio: ([\d.]+), power_ratio: ([\d.]+)", block)]


def by_hand(cap_w, admission):
    """Share of the work if GPUs of equal parts of the work run at the draw of the admission, as many as the cap has power for.
    GPU time of a training is in proportion to 1 / speed; nodes and free GPUs draw power, too."""
    points = [(full_w, 1.0) if admission == "full" else limits[0] if admission == "floor" else max(limits, key=lambda at: at[1] / at[0])
              for full_w, limits in measured_limits()]
    times = [1 / speed for _, speed in points]
    draw_w = sum(time * watts for time, (watts, _) in zip(times, points)) / sum(times)
    return (cap_w - BASE_W - GPUS * IDLE_W) / (draw_w - IDLE_W) / GPUS * len(times) / sum(times)


def work_on_a40():
    """fcfs takes jobs in their order, so that their mix is that of the workload. The first in the queue leaves on average less than its
    own draw (266 W) unused, 5 % of what jobs may draw above the power of free GPUs; 1 % is chance. Under floor at 60 % all GPUs are busy."""
    rows = table()
    for cap, admissions in (("60", ADMISSIONS[:2]), ("50", ADMISSIONS)):
        for admission in admissions:
            found, expected = work_left(rows, "fcfs", admission, cap), by_hand(HIGHEST_W * int(cap) / 100, admission)
            assert 0.94 * expected <= found <= 1.01 * expected, (cap, admission, found, expected)


def floor_loses():
    """Issue 41: floor is seen to lose where the floor is inefficient; the caps hold; a cap of 100 % changes nothing."""
    rows = table()
    policies = {policy for _, _, policy, _, _ in rows}
    assert len(rows) == 2 * 2 * 9 * 3 * 6 and len(policies) == 9
    for policy in policies:
        for cap in ("60", "50"):
            assert work_left(rows, policy, "floor", cap) < 0.8 * work_left(rows, policy, "efficient", cap), (policy, cap)
        assert work_left(rows, policy, "floor", "50") < 0.8 * work_left(rows, policy, "full", "50"), policy
    for point, row in rows.items():
        assert float(row["violation_s"]) == 0 and int(row["runs"]) == 10, point
        if row["cap_percent"] == "100":
            assert [row[name] for name in row if name.endswith("_percent") and name not in POINT + ("missed_percent",)] == ["0.00"] * 4, point


cases(made_again, work_on_a40, floor_loses)
