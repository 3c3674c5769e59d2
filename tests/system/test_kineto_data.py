"""Figures of real Kineto traces: test_kineto_data.py EASIM SOURCE; skipped (exit 77) without EASIM_DATA.

Expected: EXPECTED_*.json beside the traces (whole trace, all steps), within 0.1 %. Those were computed with times in
double precision, which at 1.7e15 us is a grid of 0.25 us: every figure may besides be off by one grid step for each GPU
event in it. Computed here once more with integers, every figure is equal to the nanosecond.
"""
import gzip
import json
import math
import re
from decimal import Decimal

from harness import cases, easim, json_of, real_data

COMMUNICATION = re.compile(r"^nccl|ncclKernel|ncclDevKernel|^rccl|^hccl")
NAMES = {"gpu_span_us": "gpu_span_us", "gpu_busy_us": "gpu_busy_us", "gpu_idle_us": "gpu_idle_us",
         "comp_us": "compute_us", "comm_us": "communication_us", "mem_us": "memory_us",
         "comm_comp_overlap_us": "overlap_us", "exposed_comm_us": "exposed_communication_us"}


def profile(*arguments, code=0):
    return easim("profile", "kineto", *arguments, code=code)


def figures(*arguments, code=0):
    return json.loads(profile(*arguments, "--format", "json", code=code).stdout)


def union(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def length(intervals):
    return sum(end - start for start, end in union(intervals))


def common(first, second):
    """|A and B| = |A| + |B| - |A or B|"""
    return length(first) + length(second) - length(first + second)


def recompute(path):
    """The figures in integer nanoseconds, and the number of GPU events."""
    data = path.read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    groups = {"compute": [], "communication": [], "memory": []}
    for event in json.loads(text, parse_float=str)["traceEvents"]:
        category = event.get("cat", "").lower()
        if event.get("ph") != "X" or category not in ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"):
            continue
        start, duration = (int(Decimal(event[key]) * 1000) for key in ("ts", "dur"))
        name = "memory" if category != "kernel" else "communication" if COMMUNICATION.search(event["name"]) else "compute"
        groups[name].append((start, start + duration))
    every = sum(groups.values(), [])
    if not every:
        return {}, 0
    compute, communication, memory = groups["compute"], groups["communication"], groups["memory"]
    span = max(end for _, end in every) - min(start for start, _ in every)
    result = {"gpu_span_us": span, "gpu_busy_us": length(every), "gpu_idle_us": span - length(every),
              "compute_us": length(compute), "communication_us": length(communication), "memory_us": length(memory),
              "overlap_us": common(communication, compute),
              "exposed_communication_us": length(communication) - common(communication, compute + memory)}
    return {name: value / 1000 for name, value in result.items()}, len(every)


def idle_split(path):
    """HTA's rule (easim's delay of 30 us) on integer nanoseconds: device and stream to idle, host wait and kernel wait."""
    data = path.read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    launches, streams, result = {}, {}, {}
    for event in json.loads(text, parse_float=str)["traceEvents"]:
        category, arguments = event.get("cat", "").lower(), event.get("args") or {}
        if event.get("ph") != "X" or "dur" not in event:
            continue
        start, duration = (int(Decimal(event[key]) * 1000) for key in ("ts", "dur"))
        if category in ("cuda_runtime", "cuda_driver", "runtime", "hip_runtime") and re.search("aunch|emcpy|emset", event["name"]):
            launches[arguments.get("correlation")] = start
        elif category in ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"):
            key = int(arguments["device"]), int(arguments["stream"])
            streams.setdefault(key, []).append((start, start + duration, arguments.get("correlation")))
    for key, events in streams.items():
        free, idle, host, kernel = None, 0, 0, 0
        for start, end, correlation in sorted(events, key=lambda e: e[:2]):
            if free is not None and start > free:
                launch = launches.get(correlation) if correlation else None
                idle += start - free
                if launch is not None and launch > free:
                    host += start - free
                elif start - free < 30_000:
                    kernel += start - free
            free = max(end, free or end)
        result[key] = (idle, host, kernel)
    return result


def check_idle(path, found):
    split = idle_split(path)
    assert [(s["device"], s["stream"]) for s in found["idle_by_stream"]] == sorted(split), path
    for stream in found["idle_by_stream"]:
        idle, host, kernel = split[stream["device"], stream["stream"]]
        assert stream["stream_idle_us"] == idle / 1000, (path, stream)
        if idle > 0:
            for name, part in {"host": host, "kernel": kernel, "other": idle - host - kernel}.items():
                assert abs(stream[f"{name}_wait_percent"] - 100 * part / idle) < 1e-9, (path, name, stream, part)


def close(found, expected, grid=0.0):
    return math.isclose(found, expected, rel_tol=1e-3, abs_tol=max(grid, 1e-9))


def check_trace(path, expected):
    found = figures(path)
    exact, events = recompute(path)
    check_idle(path, found)
    grid = 0.25 * events if any("." in str(expected[name]) for name in NAMES if name in expected) else 0
    for theirs, ours in NAMES.items():
        if theirs in expected:
            assert found[ours] == exact[ours], (path, ours, found[ours], exact[ours])
            assert close(found[ours], expected[theirs], grid), (path, ours, found[ours], expected[theirs])
    for theirs, ours in {"rank": "rank", "world_size": "world_size", "backend": "backend", "gpu": "gpu", "events": "records",
                         "gpu_mem_bytes": "gpu_memory_bytes", "gpu_events": "gpu_events",
                         "comm_kernels": "communication_events"}.items():
        assert found[ours] == expected[theirs], (path, ours, found[ours], expected[theirs])
    assert sorted(map(str, found["streams"])) == expected["streams"] and sorted(map(str, found["devices"])) == expected["devices"]
    assert [step["step"] for step in found["steps"]] == expected.get("steps", []), path
    assert [step["duration_us"] for step in found["steps"]] == expected.get("step_dur_us", []), path
    if "iter_time_us_median" in expected:
        assert close(found["iteration_median_us"], expected["iter_time_us_median"])
    for theirs, ours in {"idle_pct": "idle_percent", "comp_pct": "compute_percent", "noncomp_pct": "noncompute_percent",
                         "overlap_pct_of_comm": "overlap_percent_of_communication"}.items():
        if expected.get(theirs) is not None:  # two decimals
            assert abs(found[ours] - expected[theirs]) <= 0.0051 + expected[theirs] * 1e-3, (path, ours, found[ours])
    copies = {copy["name"]: copy["bytes"] for copy in found["trace_copies"]}
    assert copies == expected["memcpy_bytes"], (path, copies)


def check_traces(folder):
    count = 0
    for expected in json_of(folder / "EXPECTED_profile.json"):
        path = folder / expected["file"]
        if "must_not_crash" not in expected:
            check_trace(path, expected)
            count += 1
            continue
        done = profile(path, "--format", "json", code=3)
        assert re.search(r": truncated at byte \d+.*, \d+ events kept\n", done.stderr), done.stderr
        assert json.loads(done.stdout)["gpu_events"] > 0 or "plain" in path.name
        assert "truncated at byte" in profile(path, "--strict", code=2).stderr
    print(f"{folder.name}: {count} traces")


def moved(path, to, shift_us=0, rank=None):
    """A copy with another clock or another rank."""
    trace = json.loads(gzip.decompress(path.read_bytes()))
    for event in trace["traceEvents"]:
        if "ts" in event:
            event["ts"] += shift_us
    if rank is not None:
        trace["distributedInfo"]["rank"] = rank
    to.write_text(json.dumps(trace))
    return to


def verdicts(found):
    return [(c["i"], c["name"], c["last_rank"], c["waiting_us"]) for c in found["waiting"]["collectives"]]


def matched_ranks(scratch):
    folder = real_data("telemetry/kineto-multirank")
    paths = [folder / f"dlrm_v100_rank{rank}of8.json.gz" for rank in range(4)]
    found = figures(*paths)
    expected = json_of(folder / "EXPECTED_straggler_ranks0-3.json")
    ours = found["waiting"]["collectives"]
    assert len(ours) == len(expected) == found["waiting"]["matched_collectives"]
    for mine, theirs in zip(ours, expected):
        assert all(mine[key] == theirs[key] for key in ("i", "name", "last_rank", "end_spread_us", "lateness_us")), (mine, theirs)
    assert found["waiting"]["straggler_rank"] == 2 and not found["waiting"]["clocks_corrected"]

    shuffled = profile(*(paths[i] for i in (2, 0, 3, 1)), "--format", "json")
    assert json.loads(shuffled.stdout) == found
    assert "4 of 8 ranks have no file: 4-7" in shuffled.stderr

    missing = figures(paths[0], paths[2], paths[3])
    assert missing["waiting"]["straggler_rank"] == 2

    twice = moved(paths[1], scratch / "again.json")
    message = profile(*paths, twice, code=2).stderr
    assert message == f"rank 1 is in two files: {paths[1]} and {twice}\n" or \
        message == f"rank 1 is in two files: {twice} and {paths[1]}\n", message

    for rank in range(4):
        late = moved(paths[rank], scratch / "late.json", shift_us=5000)
        skewed = figures(*(late if i == rank else path for i, path in enumerate(paths)))
        assert verdicts(skewed) == verdicts(found), rank
        assert skewed["waiting"]["straggler_rank"] == 2 and skewed["waiting"]["clocks_corrected"]
        offsets = {row["rank"]: row["clock_offset_us"] for row in skewed["waiting"]["ranks"]}
        others = [offset for number, offset in offsets.items() if number != rank]
        assert all(abs(offsets[rank] - other - 5000) <= 2 for other in others), offsets
        for mine, theirs in zip(skewed["waiting"]["collectives"], expected):
            assert all(abs(value - theirs["lateness_us"][number]) <= theirs["end_spread_us"] + 1
                       for number, value in mine["lateness_us"].items()), (rank, mine)
    print("DLRM: ranks in any order, missing, twice, with another clock")


def traces():
    check_traces(real_data("telemetry/kineto"))


def traces_of_ranks():
    check_traces(real_data("telemetry/kineto-multirank"))


cases(traces, traces_of_ranks, matched_ranks)
