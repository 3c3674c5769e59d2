"""easim timeline, read back with a JSON parser: test_timeline.py EASIM SOURCE

EASIM_POLICY_PATH has the plug-in `unruly`, which preempts and resizes by chance. Timelines of random scenarios of everything at
once (random_scenario.py) are taken apart: tracks, pairs, arrows, and their sums against jobs.csv and power.csv, which the run
has written without any of it.
"""
import bisect
import gzip
import json
from collections import Counter, defaultdict
from fractions import Fraction

from harness import SOURCE, TINY, cases, easim, rows_of, write_table
from recorded_scenarios import recorded_scenarios

SEEDS = [*range(1, 31), 86, 94, 98, 104, 112]  # the last ones share GPUs
US = 10**6  # in a second


def parse(text):
    def refuse(name):
        raise AssertionError(f"{name} in JSON")
    return json.loads(text, parse_float=Fraction, parse_constant=refuse)


def close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-9)


class Timeline:
    """The events of a file by phase, with slices by track."""

    def __init__(self, path):
        data = path.read_bytes()
        whole = parse((gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8"))
        self.other, self.events = whole["otherData"], whole["traceEvents"]
        self.end = Fraction(self.other["end_s"]) * US
        self.by = defaultdict(list)
        for event in self.events:
            assert event["ts"] >= 0 and (event["ts"] * 1000).denominator == 1 if isinstance(event["ts"], Fraction) else True
            self.by[event["ph"]].append(event)
        self.tracks = defaultdict(list)
        for event in self.by["X"]:
            assert event["dur"] > 0 and event["ts"] + event["dur"] <= self.end, event
            self.tracks[event["pid"], event["tid"]].append(event)
        for track in self.tracks.values():
            track.sort(key=lambda event: event["ts"])
        self.cluster = max(event["pid"] for event in self.by["M"])
        self.gpu_slices = [event for event in self.by["X"] if event["cat"].startswith("easim.")]

    def names(self):
        """Every track has a name and a place; pids are nodes, tids GPUs and further lanes."""
        named = {kind: {(event["pid"], event["tid"]): event["args"] for event in self.by["M"] if event["name"] == kind}
                 for kind in ("process_name", "process_sort_index", "thread_name", "thread_sort_index")}
        assert set(named["thread_name"]) == set(named["thread_sort_index"]) >= set(self.tracks)
        assert {pid for pid, _ in named["thread_name"]} == set(range(self.cluster + 1))
        assert {pid for pid, _ in named["process_name"]} == set(range(self.cluster + 1)) == {
            pid for pid, _ in named["process_sort_index"]}
        for (pid, tid), args in named["thread_name"].items():
            lane = args["name"].split(", lane ")
            if pid < self.cluster and len(lane) == 1:
                assert args["name"] == f"GPU {tid}", args
        for (pid, tid), track in self.tracks.items():
            for event in track:
                if event["cat"].startswith("easim."):
                    name = named["thread_name"][pid, tid]["name"].split(", lane ")[0]
                    assert name == f"GPU {event['args']['gpu']}" and pid < self.cluster, event

    def no_overlaps(self):
        for place, track in self.tracks.items():
            for one, other in zip(track, track[1:]):
                assert one["ts"] + one["dur"] <= other["ts"], (place, one, other)

    def slice_at(self, event):
        """The slice of its track in which an event lies."""
        track = self.tracks[event["pid"], event["tid"]]
        at = bisect.bisect_right([one["ts"] for one in track], event["ts"]) - 1
        found = track[at] if at >= 0 else None
        assert found and found["ts"] <= event["ts"] < found["ts"] + found["dur"], (event, found)
        return found

    def arrows(self):
        """Pairs of s and f, each inside of a slice; an arrow ends where its slice begins. {name: number}"""
        begins = {event["id"]: event for event in self.by["s"]}
        ends = {event["id"]: event for event in self.by["f"]}
        assert len(begins) == len(self.by["s"]) and len(ends) == len(self.by["f"]) and set(begins) == set(ends)
        for number, begin in begins.items():
            end = ends[number]
            assert (begin["name"], begin["cat"]) == (end["name"], end["cat"]) and begin["ts"] <= end["ts"], (begin, end)
            source, target = self.slice_at(begin), self.slice_at(end)
            assert target["ts"] == end["ts"] and end["bp"] == "e", (end, target)
            if begin["name"] == "start":
                assert begin["pid"] == self.cluster, begin
            else:
                assert source["args"]["job"] == target["args"]["job"], (source, target)
                assert begin["ts"] == source["ts"] + source["dur"] - Fraction(1, 1000), (begin, source)
        return Counter(event["name"] for event in self.by["s"])

    def waits(self):
        """{job: its waits, (from, until, because)}: b and e of one id take turns."""
        waits, open_ = defaultdict(list), {}
        for event in sorted(self.by["b"] + self.by["e"], key=lambda event: (event["ts"], event["ph"] == "b")):
            key = event["cat"], event["id"], event["name"]
            if event["ph"] == "b":
                assert key not in open_, event
                open_[key] = event
            else:
                begin = open_.pop(key)
                assert begin["ts"] < event["ts"], event
                waits[begin["args"]["job"]].append((begin["ts"], event["ts"], begin["args"]["because"]))
        assert not open_
        return waits

    def gpus(self):
        """{(node, gpu): (busy us by union, energy J)}."""
        slices = defaultdict(list)
        for event in self.gpu_slices:
            slices[event["pid"], event["args"]["gpu"]].append(event)
        figures = {}
        for gpu, events in slices.items():
            busy, until = Fraction(0), Fraction(0)
            for event in sorted(events, key=lambda event: event["ts"]):
                start, end = max(event["ts"], until), event["ts"] + event["dur"]
                busy += max(0, end - start)
                until = max(until, end)
            figures[gpu] = busy, sum(event["args"]["energy_j"] for event in events)
        return figures

    def counters(self):
        """{name: its samples, (time, value)}, each another value than the one before."""
        samples = defaultdict(list)
        for event in self.by["C"]:
            assert event["pid"] == self.cluster
            samples[event["name"]].append((event["ts"], event["args"]["value"]))
        for name, values in samples.items():
            times = [time for time, _ in values]
            assert times == sorted(set(times)) and times[-1] < self.end, name
            assert all(one[1] != other[1] for one, other in zip(values, values[1:])), name
        return samples


def value_at(samples, time):
    return samples[bisect.bisect_right([at for at, _ in samples], time) - 1][1]


# --- against the files of the run ---


def same_replicas(own, waits, services, warmup):
    """Slices, waits for GPUs, starts and ends of replicas, which services.csv has, and nobody else."""
    for row in services:
        of = [events for name, events in own.items() if name.rpartition("#")[0] == row["service"]]
        assert all({event["cat"] for event in events} <= {"easim.loading", "easim.serve"} for events in of), of
        if warmup:
            continue
        slices = [event for events in of for event in events]
        assert close(sum(event["dur"] for event in slices) / US / 3600, Fraction(row["replica_gpu_h"])), row
        assert close(sum(event["args"]["energy_j"] for event in slices) / 3600000, Fraction(row["energy_kwh"])), row
        tokens = {(event["name"], event["ts"]): event["args"]["tokens"] for event in slices if event["cat"] == "easim.serve"}
        assert close(sum(tokens.values()), Fraction(row["tokens_served"])), row
    names = {row["service"] for row in services}
    assert {name.rpartition("#")[0] for name in own} <= names, own
    assert all(because == "no GPUs free" for name, of in waits.items() if name.rpartition("#")[0] in names for *_, because in of)


def same_jobs(timeline, rows, services=(), warmup=False):
    """GPU time, energy, lost time and waits of each job."""
    own = defaultdict(list)
    for event in timeline.gpu_slices:
        own[event["args"]["job"]].append(event)
    waits = timeline.waits()
    for row in rows:
        slices = own.pop(row["job_id"], [])
        gpu_us = sum(event["dur"] * event["args"].get("gpu_share", 1) for event in slices)
        assert close(gpu_us / US, Fraction(row["gpu_s"])), (row, float(gpu_us))
        assert close(sum(event["args"]["energy_j"] for event in slices), Fraction(row["energy_j"])), row
        exact = sum(event["dur"] / Fraction(event["args"]["k"]) for event in slices)
        assert exact == Fraction(row["exec_s"]) * US, (row, float(exact))
        lost = sum(event["dur"] / Fraction(event["args"]["k"]) for event in slices if event["cat"] == "easim.lost")
        assert lost == Fraction(row["lost_s"]) * US, (row, float(lost))
        first = [wait for wait in waits[row["job_id"]] if wait[2] == "submitted"]
        assert len(first) <= 1 and (row["start_s"] == "" or sum(b - a for a, b, _ in first) == Fraction(row["wait_s"]) * US), row
        if row["status"] == "rejected":
            assert not slices and not waits[row["job_id"]]
    same_replicas(own, waits, services, warmup)


def same_events(timeline, rows, summary, segments):
    """Arrows and decisions are as many as there were starts and stops."""
    arrows, decisions = timeline.arrows(), Counter(event["name"] for event in timeline.by["i"])
    started = sum(row["start_s"] != "" for row in rows)
    assert arrows["start"] == started, (arrows, started)
    assert decisions["preempt"] == sum(int(row["preemptions"]) for row in rows)
    assert decisions["resize"] == arrows["resize"] == sum(int(row["resizes"]) for row in rows), (decisions, arrows)
    of_replicas = Counter((s["began"], s["segment"] == "1") for s in segments if s["kind"] in ("reserved", "loading", "serve"))
    starts = sum(of_replicas["started", first] for first in (True, False))
    assert decisions["start"] == arrows["start"] + arrows["resume"] + starts, (decisions, arrows, starts)
    assert decisions["reserve"] == of_replicas["reserved", True] and decisions["release"] == sum(
        s["ended"] == "released" for s in segments), decisions
    assert decisions["reject"] == sum(row["status"] == "rejected" for row in rows)
    assert decisions["stopped by a failed node"] >= int(summary["job_failures"])
    submitted = [event for event in timeline.by["X"] if event["cat"] == "submitted"]
    late = sum(Fraction(row["submit_s"]) * US == timeline.end for row in rows)
    assert sum(event["args"]["jobs"] for event in submitted) == len(rows) - late


def same_counters(timeline, rows):
    """As power.csv has it at each of its instants before the end."""
    samples = timeline.counters()
    for row in rows:
        time = Fraction(row["time_s"]) * US
        if time >= timeline.end:
            continue
        assert value_at(samples["power (W)"], time) == Fraction(row["power_w"]), row
        assert value_at(samples["waiting jobs"], time) == int(row["waiting"]), row
        assert value_at(samples["free GPUs"], time) == Fraction(row["idle_gpus"]), row
        assert value_at(samples["power cap (W)"], time) == Fraction(row["cap_w"] or -1), row
    times = {Fraction(row["time_s"]) * US for row in rows}
    for name in ("power (W)", "waiting jobs", "free GPUs"):
        assert {time for time, _ in samples[name]} <= times, name


def same_by_kineto(path, timeline):
    """easim profile kineto: busy time of each GPU to the nanosecond, energy to 1e-9."""
    words = ("profile", "kineto", path, "--strict", "--format", "json")
    gpus = timeline.gpus()
    if not gpus:
        easim(*words, code=2, says="expected work on a GPU, got none")
        return
    found = json.loads(easim(*words).stdout, parse_float=Fraction)
    read = {(row["node"], row["gpu"]): row for row in found["simulated_gpus"]}
    assert set(read) == set(gpus)
    for gpu, (busy, energy) in gpus.items():
        assert abs(read[gpu]["busy_us"] - busy) <= busy / 10**15, (gpu, read[gpu], float(busy))
        assert close(read[gpu]["energy_j"], energy), (gpu, read[gpu], float(energy))
    assert close(found["simulated_energy_j"], sum(energy for _, energy in gpus.values()))
    assert close(found["simulated_busy_us"], sum(busy for busy, _ in gpus.values()))


def thinned(folder, whole, number):
    """At a resolution: time and energy of each GPU stay, tracks and pairs are sound, samples are some of those there were."""
    path = folder / "thin.json"
    done = easim("timeline", folder / "out", "--replication", number, "--resolution", "50s", "--out", path)
    thin = Timeline(path)
    thin.names()
    thin.no_overlaps()
    thin.arrows()
    waits = thin.waits()
    assert all(until - since >= 50 * US for own in waits.values() for since, until, _ in own)
    one, other = whole.gpus(), thin.gpus()
    assert set(one) == set(other)
    assert all(one[gpu][0] == other[gpu][0] and close(one[gpu][1], other[gpu][1]) for gpu in one)
    every, kept = whole.counters(), thin.counters()
    for name, samples in kept.items():
        assert all(value_at(every[name], time) == value for time, value in samples), name
        assert len({time // (50 * US) for time, _ in samples}) == len(samples), name
        for bucket in {time // (50 * US) for time, _ in every[name]}:
            last = min((bucket + 1) * 50 * US, whole.end) - Fraction(1, 1000)
            assert value_at(samples, last) == value_at(every[name], last), (name, bucket)
    decided = Counter()
    for event in thin.by["i"]:
        decided[event["name"]] += event["args"].get("jobs", 1)
    assert decided == Counter(event["name"] for event in whole.by["i"])
    if len(thin.events) < len(whole.events):
        assert f"thinned to a resolution of 50 s: {len(thin.events)} of {len(whole.events)} events" in done.stdout, done.stdout
    segments = sum(event["args"].get("segments", 1) for event in thin.gpu_slices)
    assert segments == len(whole.gpu_slices)
    return len(whole.gpu_slices) - len(thin.gpu_slices)


def random_scenarios(folder):
    """All of it, for everything that easim simulates at once."""
    seen, joined = Counter(), 0
    for seed, place in recorded_scenarios(folder, SEEDS):
        for summary in rows_of(place / "out/summary.csv"):
            number = summary["replication"]
            rows = {name: [row for row in rows_of(place / f"out/{name}.csv") if row["replication"] == number]
                    for name in ("jobs", "power", "segments")}
            services = [row for row in rows_of(place / "out/services.csv") if row["replication"] == number] \
                if (place / "out/services.csv").exists() else []
            path = place / f"t-{number}.json"
            easim("timeline", place / "out", "--replication", number, "--out", path)
            try:
                timeline = Timeline(path)
                assert (timeline.other["policy"], timeline.other["replication"]) == (summary["policy"], int(number))
                timeline.names()
                timeline.no_overlaps()
                same_jobs(timeline, rows["jobs"], services, "warmup" in (place / "scenario.yaml").read_text())
                same_events(timeline, rows["jobs"], summary, rows["segments"])
                same_counters(timeline, rows["power"])
                same_by_kineto(path, timeline)
                if seed % 4 == 1:
                    joined += thinned(place, timeline, number)
            except AssertionError as wrong:
                raise AssertionError(f"scenario {seed}: {wrong}") from wrong
            seen.update(event["cat"] for event in timeline.events if "cat" in event)
            seen.update(event["name"] for event in timeline.events if event["ph"] in "is")
            seen["lanes"] += any(", lane " in event["args"].get("name", "") for event in timeline.by["M"])
    kinds = ["easim.serve", "easim.loading", "release", "easim.run", "easim.setup", "easim.checkpoint", "easim.lost", "rest.asleep", "rest.failed", "queue", "arrow",
             "start", "resume", "resize", "preempt", "reject", "stopped by a failed node", "lanes"]
    assert all(seen[kind] for kind in kinds), seen
    assert joined > 30, joined


# --- by hand ---


def enforced_cap(folder):
    """Power and throttled GPUs as in power.csv; a slice has what the cap cost its segment."""
    easim("run", SOURCE / "configs/power-cap.yaml", "-n", 2, "--record", "--quiet", "--policy", "zeus", "--set", "horizon=12h", "--set", "cluster.power_cap_w=null",
          "--set", "cluster.power_cap={watts: 4000, enforce: throttle}", "--out", folder / "capped")
    for number in "12":
        easim("timeline", folder / "capped", "--replication", number, "--out", folder / f"{number}.json")
        timeline = Timeline(folder / f"{number}.json")
        segments, rows = ([row for row in rows_of(folder / "capped" / name) if row["replication"] == number] for name in ("segments.csv", "power.csv"))
        same_counters(timeline, rows)
        throttled = timeline.counters()["throttled GPUs"]
        assert all(value_at(throttled, Fraction(row["time_s"]) * US) == int(row["throttled_gpus"]) for row in rows if Fraction(row["time_s"]) * US < timeline.end)
        assert any(value > 0 for _, value in throttled)
        for column in ("throttled_s", "limit_lost_s"):
            whole = sum(int(row["k"]) * Fraction(row[column]) for row in segments if row[column])
            told = sum(event["args"].get(column, 0) for event in timeline.gpu_slices)
            assert close(told, whole), (column, float(told), float(whole))


def by_hand(folder):
    """Two jobs on one GPU of 50 W idle, 100 W in set-up: a from 1 s on, b behind it. Every event, by hand."""
    (folder / "jobs.csv").write_text('job_id,submit_s,duration_s,gpus,user,utilization\na,1,3,1,u,0.5\n"b ""\\",2.0005,1.25,1,v,0.5\n')
    (folder / "hand.yaml").write_text(
        "name: hand\nhorizon: drain\nstart_time: '2020-01-01 00:00:00'\n"
        "cluster:\n  gpu_types: [{name: g, idle_w: 50, ctx_w: 100, tdp_w: 300}]\n"
        "  nodes: [{gpu: g, gpus: 1, base_w: 10}]\n"
        "workload: {kind: trace, file: jobs.csv}\npolicy: {name: fcfs}\n")
    easim("run", folder / "hand.yaml", "--quiet", "--record", "--out", folder / "hand")
    said = easim("timeline", folder / "hand").stdout
    timeline = Timeline(folder / "hand/timeline.json")
    assert f"{len(timeline.events)} events, policy fcfs, replication 1\n" in said, said
    slices = [(event["pid"], event["tid"], event["ts"], event["dur"], event["name"], event["cat"]) for event in timeline.by["X"]]
    assert sorted(slices, key=lambda one: (one[0], one[2])) == [
        (0, 0, 1000000, 3000000, "a", "easim.run"), (0, 0, 4000000, 1250000, 'b "\\', "easim.run"),
        (1, 0, 1000000, 1000500, "a", "submitted"), (1, 0, 2000500, 3249500, 'b "\\', "submitted")], slices
    waits = timeline.waits()
    assert waits == {'b "\\': [(2000500, 4000000, "submitted")]}, waits
    assert {(e["ts"], e["name"], e["args"]["job"]) for e in timeline.by["i"]} == {(1000000, "start", "a"),
                                                                                 (4000000, "start", 'b "\\')}
    counters = timeline.counters()
    assert counters["waiting jobs"] == [(0, 0), (2000500, 1), (4000000, 0)]
    assert counters["free GPUs"] == [(0, 1), (1000000, 0)]
    assert counters["power cap (W)"] == [(0, -1)]
    busy_w = counters["power (W)"][1][1] - 10  # of a rigid job, semantics 3; here only that energy is power x time
    assert counters["power (W)"][0] == (0, 60) and len(counters["power (W)"]) == 2, counters
    energies = [event["args"]["energy_j"] for event in timeline.gpu_slices]
    assert energies == [3 * busy_w, Fraction(5, 4) * busy_w], energies
    assert [(e["ts"], e["id"]) for e in timeline.by["s"]] == [(1000000, timeline.by["f"][0]["id"]),
                                                             (2000500, timeline.by["f"][1]["id"])]
    whole = parse((folder / "hand/timeline.json").read_text())
    assert whole["baseTimeNanoseconds"] == 1577836800 * 10**9


def formats_and_choices(folder):
    """Gzipped the same bytes; one replication of several; a choice of resolution by the number of events."""
    out = folder / "several"
    easim("run", SOURCE / "configs/eas-sim.yaml", "--replications", 3, "--quiet", "--record", "--out", out)
    for words, number in (([], 1), (["--replication", 3], 3)):
        easim("timeline", out, *words, prints=f", replication {number} of 3\n")
        plain = (out / "timeline.json").read_bytes()
        assert easim("timeline", out, "--gzip", "--quiet", *words).stdout == ""
        assert gzip.decompress((out / "timeline.json.gz").read_bytes()) == plain
        timeline = Timeline(out / "timeline.json.gz")
        assert timeline.other["replication"] == number
        same_jobs(timeline, [row for row in rows_of(out / "jobs.csv") if row["replication"] == str(number)])
    counts = events_by_resolution(folder, out, timeline)
    fewest = min(counts.values())
    for most in {1000, *(count for count in counts.values() if 1000 < count < len(timeline.events))}:
        few, said = few_events(folder, out, most)
        enough = max(most, fewest)
        assert few.other["resolution_s"] == next(step for step, count in counts.items() if count <= enough), (most, counts)
        assert ("still over --max-events" in said) == (fewest > most), said
    assert easim("timeline", out, "--out", "/dev/null").stdout.startswith("timeline: /dev/null: ")


def events_by_resolution(folder, out, timeline):
    """What replication 3 has at 0, 1, 2, 5, 10, ... ms, up to the first beyond its end."""
    counts = {Fraction(0): len(timeline.events)}
    for power in range(-3, 12):
        for factor in 1, 2, 5:
            step = factor * Fraction(10) ** power
            easim("timeline", out, "--replication", 3, "--resolution", f"{float(step)}s", "--out", folder / "step.json")
            counts[step] = len(Timeline(folder / "step.json").events)
            if step > timeline.other["end_s"]:
                return counts
    raise AssertionError(timeline.other)


def of_comparisons(folder):
    """A policy and a replication of a comparison; easim compare --record writes what easim run --record does."""
    out = folder / "compare"
    easim("compare", SOURCE / "configs/eas-sim.yaml", "--policies", "fcfs,zeus", "--replications", 2, "--quiet", "--record",
          "--out", out)
    for words, policy, number in (([], "fcfs", 1), (["--policy", "zeus", "--replication", 2], "zeus", 2)):
        easim("timeline", out, *words, prints=f"policy {policy} (of 2), replication {number} of 2\n")
        timeline = Timeline(out / "timeline.json")
        assert (timeline.other["policy"], timeline.other["replication"]) == (policy, number)
        rows = [row for row in rows_of(out / f"{policy}/jobs.csv") if row["replication"] == str(number)]
        same_jobs(timeline, rows)


def few_events(folder, out, most):
    said = easim("timeline", out, "--replication", 3, "--max-events", most, "--out", folder / "few.json").stdout
    timeline = Timeline(folder / "few.json")
    shown = f"{float(timeline.other['resolution_s']):.9f}".rstrip("0").rstrip(".")
    assert f"thinned to a resolution of {shown} s: {len(timeline.events)} of " in said, said
    return timeline, said


def hostile_names(folder):
    """HTML, quotes, newlines, 10 kB, right-to-left, formulas and kernels of NCCL as names: text everywhere."""
    names = ['<script>alert(1)</script>', 'q"\'\\', "x" * 10000, "\u202eabc", "=cmd()", "ncclKernel_AllReduce", "a\tb"]
    write_table(folder / "hostile.csv", "job_id,submit_s,duration_s,gpus,user", ([name, i, 10, 1, name] for i, name in enumerate(names)))
    (folder / "hostile.yaml").write_text(
        "name: h\nhorizon: drain\ncluster:\n  gpu_types: [{name: g, idle_w: 1, ctx_w: 2, tdp_w: 3}]\n"
        "  nodes: [{gpu: g, gpus: 2}]\nworkload: {kind: trace, file: hostile.csv}\npolicy: {name: fcfs}\n")
    easim("run", folder / "hostile.yaml", "--quiet", "--record", "--out", folder / "hostile")
    easim("timeline", folder / "hostile")
    path = folder / "hostile/timeline.json"
    timeline = Timeline(path)
    assert {event["name"] for event in timeline.gpu_slices} == set(names)
    assert {event["args"]["user"] for event in timeline.gpu_slices} == set(names)
    assert b"\n" not in path.read_bytes().replace(b"},\n{", b"").replace(b"[\n", b"[").replace(b"\n]}\n", b"").replace(
        b",\n\"traceEvents", b"")
    same_by_kineto(path, timeline)
    assert json.loads(easim("profile", "kineto", path, "--format", "json").stdout)["communication_events"] == 0


def refusals(folder):
    """What is no recorded run, is damaged, or is not in it; nothing is left."""
    easim("run", TINY, "--quiet", "--out", folder / "plain")
    error = easim("timeline", folder / "plain", code=2).stderr
    assert "record" in error and not (folder / "plain/timeline.json").exists(), error
    easim("timeline", folder / "nothing", code=2)
    hand = folder / "hand"
    for words, wanted in ((["--policy", "fcfz"], 'no run of policy "fcfz" was recorded (there are: fcfs), did you mean "fcfs"?'),
                          (["--replication", 2], "replication 2 was not recorded (there are: 1)"),
                          (["--resolution", "1s", "--max-events", 5000], "--max-events"),
                          (["--max-events", 5], "--max-events"), (["--resolution", "-1s"], "--resolution")):
        error = easim("timeline", hand, "--out", folder / "none.json", *words, code=2).stderr
        assert wanted in error and not (folder / "none.json").exists(), (words, error)
    easim("timeline", hand, "--out", folder / "no/such/folder.json", code=1)
    with open(hand / "segments.csv", "a", encoding="utf-8") as file:
        file.write("x\n")
    before = (hand / "timeline.json").read_bytes()
    easim("timeline", hand, code=2, says="segments.csv")
    assert (hand / "timeline.json").read_bytes() == before


cases(enforced_cap, by_hand, formats_and_choices, of_comparisons, hostile_names, refusals, random_scenarios, shared=True)
