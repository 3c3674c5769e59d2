"""configs/demand-response.yaml: what its two events must give (the bounds of the issue that asked for it), and two controls.
Usage: test_demand_response.py EASIM SOURCE"""
import re

from harness import SOURCE, cases, easim, form, rows_of

CONFIG, GPUS, COUNT = SOURCE / "configs/demand-response.yaml", 256, form(10, 3)
LEVELS = re.compile(r"^        power_limits:\n(?:          .*\n)+", re.MULTILINE)


def run(folder, *words):
    """Rows of cap_events.csv by event, with the share of work that is lost, also on GPUs that the cap leaves idle, over that of power."""
    easim("run", CONFIG, "-n", COUNT, "--check", "--quiet", "--force", "--out", folder / "out", *words)
    found, power = {"1": [], "2": []}, rows_of(folder / "out/power.csv")
    for row in rows_of(folder / "out/cap_events.csv"):
        begin, end = float(row["start_s"]), float(row["end_s"])
        hours, own = (end - begin) / 3600, [held for held in power if held["replication"] == row["replication"]]
        idle_h = sum(max(0, min(end, float(next_["time_s"])) - max(begin, float(held["time_s"]))) * float(held["idle_gpus"])
                     for held, next_ in zip(own, own[1:])) / 3600
        saved = 1000 * float(row["shifted_kwh"]) / hours / float(row["baseline_w"])
        found[row["event"]].append(row | {"ratio": (float(row["lost_gpu_h"]) + idle_h) / hours / GPUS / saved})
    return found


def most(rows, column):
    return max(float(row[column]) for row in rows)


def is_clean(folder):
    """All GPUs are busy from before the first baseline to the second event, in which a start may be refused; check says nothing."""
    done = easim("check", CONFIG)
    assert done.stdout.endswith(": ok\n") and not done.stderr, (done.stdout, done.stderr)
    easim("run", CONFIG, "-n", COUNT, "--quiet", "--out", folder / "out")
    rows = [row for row in rows_of(folder / "out/power.csv") if 79200 <= float(row["time_s"]) < 118800]
    assert len(rows) > 1000 and all(float(row["idle_gpus"]) == 0 for row in rows)


def by_flex(folder):
    found = run(folder)
    for event, ratio, broken in (("1", 0.5, 0), ("2", 0.6, 0.15)):
        rows = found[event]
        assert all(float(row["held_share"]) == 1 for row in rows), rows
        assert most(rows, "ratio") <= ratio, rows
        assert most(rows, "flex_broken") <= broken * GPUS, rows
    for row in found["2"]:  # the whole reduction, within 1 s of the last step; then it stays but for 0.1 s after starts
        power = [(float(own["time_s"]), float(own["power_w"])) for own in rows_of(folder / "out/power.csv") if own["replication"] == row["replication"]]
        start, target = float(row["start_s"]), float(row["target_w"])
        assert min(time for time, watts in power if time >= start and watts <= target) <= start + 30 + 1
        above = sum(later - time for (time, watts), (later, _) in zip(power, power[1:]) if start + 31 <= time < start + 10800 and watts > target)
        assert above <= 0.01 * 10800, above


def controls(folder):
    """The order equal loses less and goes below the flex of many; with the default law each event costs more than with measured limits."""
    flex, equal = run(folder), run(folder, "--set", "cluster.power_cap.order=equal")
    (folder / "law.yaml").write_text(LEVELS.sub("", (SOURCE / "configs/models/zeus-v100.yaml").read_text(encoding="utf-8")), encoding="utf-8")
    law = run(folder, "--set", f"models={folder / 'law.yaml'}")
    for event in flex:
        assert most(equal[event], "ratio") < min(row["ratio"] for row in flex[event])
        assert min(float(row["flex_broken"]) for row in equal[event]) > 0.15 * GPUS
        assert min(row["ratio"] for row in law[event]) > most(flex[event], "ratio")
    assert min(float(row["flex_broken"]) for row in law["2"]) > 0.15 * GPUS


cases(is_clean, by_flex, controls)
