#!/usr/bin/env python3
"""Makes docs/studies/demand-response.csv: demand_response.py EASIM SOURCE [--check]

Runs configs/demand-response.yaml by order, by physics (measured limits, or the law that holds without them) and by policy. charon
alone knows a cap that easim does not enforce: it gets the caps of the events as a series, from the mean baselines of the runs before.
With --check nothing is written: the file must be what would be written, numbers within 1e-6, or the exit status is 1.
"""
import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean, stdev

from made_again import write_or_compare

CONFIG, GPUS, STEPS = "configs/demand-response.yaml", 256, 60
LEVELS = re.compile(r"^        power_limits:\n(?:          .*\n)+", re.MULTILINE)
COLUMNS = ("physics,order,policy,event,replications,held_share,held_share_least,power_saved,work_lost,work_lost_sd,lost_per_saved,"
           "lost_per_saved_most,lost_at_stops,jobs_below_flex,time_below_flex,preemptions")
# physics, order, policy; order none: the cap is a series that charon keeps.
RUNS = [("measured", "by_flex", "fcfs"), ("measured", "equal", "fcfs"), ("law", "by_flex", "fcfs"), ("law", "equal", "fcfs"),
        *(("measured", "by_flex", policy) for policy in ("easy", "pollux", "zeus", "lean")), ("measured", "none", "charon")]


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run(easim, source, folder, *words):
    subprocess.run([easim, "run", source / CONFIG, "--quiet", "--force", "--out", folder, *words], check=True)
    return rows_of(folder / "summary.csv")


def pieces(rows, begin, end):
    """Rows of power.csv with the time for which each holds between two times."""
    for row, following in zip(rows, [*rows[1:], {"time_s": end}]):
        took = min(end, float(following["time_s"])) - max(begin, float(row["time_s"]))
        if took > 0:
            yield row, took


def energy_j(rows, begin, end):
    return sum(took * float(row["power_w"]) for row, took in pieces(rows, begin, end))


def power_of(folder):
    """Rows of power.csv by replication."""
    found = {}
    for row in rows_of(folder / "power.csv"):
        found.setdefault(row["replication"], []).append(row)
    return found


def enforced(easim, source, folder, words):
    """Per event and replication, as shares: time held, power saved, work lost (also on GPUs that the cap leaves idle), of it at
    stops, jobs and time below flex; and preemptions."""
    preemptions = [float(row["preemptions"]) for row in run(easim, source, folder, *words)]
    power, found = power_of(folder), {}
    for row in rows_of(folder / "cap_events.csv"):
        begin, end = float(row["start_s"]), float(row["end_s"])
        hours = (end - begin) / 3600
        idle_h = sum(took * float(own["idle_gpus"]) for own, took in pieces(power[row["replication"]], begin, end)) / 3600
        found.setdefault(row["event"], []).append((
            float(row["held_share"]), 1000 * float(row["shifted_kwh"]) / hours / float(row["baseline_w"]),
            (float(row["lost_gpu_h"]) + idle_h) / hours / GPUS, None, float(row["flex_broken"]) / GPUS, float(row["flex_broken_s"]) / hours / 3600 / GPUS, preemptions[int(row["replication"]) - 1]))
    return found


def series_of(event, baseline_w):
    """Rows of a cap that does what the event does."""
    start, end, ramp = (float(event["start_s"]), float(event["start_s"]) + float(event["duration_s"]), float(event["ramp_s"]))
    cut = float(event["reduction_frac"])
    return [(start + ramp * step / STEPS, baseline_w * (1 - cut * step / STEPS)) for step in range(STEPS + 1)] + [(end, "")]


def by_charon(easim, source, folder, baselines):
    """As `enforced`: one run for each event, so that the work that it costs is known, against one without a cap."""
    keys = ["--policy", "charon", "--set", "cluster.cap_events=null"]
    before = [float(row["work_done_gpu_h"]) for row in
              run(easim, source, folder, *keys, "--set", "cluster.power_cap=null")]
    found = {}
    for number, event in enumerate(rows_of(source / "configs/demand-response.csv"), 1):
        start, end = float(event["start_s"]), float(event["start_s"]) + float(event["duration_s"])
        with (folder / "cap.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("time_s", "power_w"), *series_of(event, baselines[str(number)])])
        summaries = run(easim, source, folder / "out", *keys, "--set", f"cluster.power_cap={{file: {folder / 'cap.csv'}}}")
        for replication, (summary, rows) in enumerate(zip(summaries, power_of(folder / "out").values())):
            notice = start - float(event["notice_s"])
            base_w = energy_j(rows, notice - 3600, notice) / 3600
            ramped, least_w = start + float(event["ramp_s"]), base_w * (1 - 0.95 * float(event["reduction_frac"]))
            held_s = sum(took for row, took in pieces(rows, ramped, end) if float(row["power_w"]) <= least_w)
            found.setdefault(str(number), []).append((
                held_s / (end - ramped), 1 - energy_j(rows, start, end) / (end - start) / base_w,
                (before[replication] - float(summary["work_done_gpu_h"])) / (end - start) * 3600 / GPUS,
                float(summary["lost_gpu_h"]) / (end - start) * 3600 / GPUS, None, None, float(summary["preemptions"])))
    return found


def lines_of(key, found):
    for event, rows in found.items():
        held, saved, lost, *more = zip(*rows)
        ratios = [own / other for own, other in zip(lost, saved)]
        cells = [fmean(held), min(held), fmean(saved), fmean(lost), stdev(lost), fmean(ratios), max(ratios),
                 *("" if column[0] is None else fmean(column) for column in more)]
        yield ",".join([*key, event, str(len(rows)), *(cell if cell == "" else f"{cell:.4f}" for cell in cells)])


def main():
    check = sys.argv[3:] == ["--check"]
    if len(sys.argv) != 3 + check:
        sys.exit(__doc__)
    easim, source = (Path(word).resolve() for word in sys.argv[1:3])
    lines, baselines = [COLUMNS], {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = (source / "configs/models/zeus-v100.yaml").read_text(encoding="utf-8")
        (folder / "law.yaml").write_text(LEVELS.sub("", text), encoding="utf-8")
        for physics, order, policy in RUNS:
            words = ["--policy", policy, "--set", f"cluster.power_cap.order={order}"]
            words += ["--set", f"models={folder / 'law.yaml'}"] if physics == "law" else []
            if order == "none":
                found = by_charon(easim, source, folder, baselines)
            else:
                found = enforced(easim, source, folder, words)
            if policy == "zeus":  # charon takes the same decisions while no cap holds
                baselines = {event: fmean(float(row["baseline_w"]) for row in rows_of(folder / "cap_events.csv") if row["event"] == event)
                             for event in found}
            lines += lines_of((physics, order, policy), found)
    write_or_compare({source / "docs/studies/demand-response.csv": "\n".join(lines) + "\n"}, check)


if __name__ == "__main__":
    main()
