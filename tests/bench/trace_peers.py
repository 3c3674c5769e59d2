#!/usr/bin/python3
"""The same PyTorch-profiler traces in HolisticTraceAnalysis and in easim: trace_peers.py [--easim BIN] [--hta PYTHON] [--rounds N]

HTA is MIT-licensed and no part of easim: `pip install HolisticTraceAnalysis==0.5.0 'pandas<3'` in a virtual environment, whose Python
--hta names (its critical path fails with pandas 3). Without it, or without EASIM_DATA, the exit status is 77. easim's figures of every
real trace have to be HTA's, on equal definitions:

- HTA leaves the last of several steps out, so easim gets --steps.
- HTA leaves GPU events without a launch out, so neither gets them.
- HTA takes every event with an argument `stream` for GPU work, also calls of ROCm's runtime and synchronization of CUDA, so it gets
  these without that argument.
- HTA keeps times in us as doubles and cuts kernel types to whole us. So it reads each trace twice: as recorded, without its rounding
  (HTA_DISABLE_NS_ROUNDING), where its temporal breakdown has to be easim's within 0.01 % of the span; and with whole nanoseconds
  in place of us, where everything has to be exact to the last nanosecond: temporal breakdown, kernel types, overlap to HTA's two
  decimals, each kernel's time, and gaps of streams by reason.
- HTA counts overlapping events of one stream as negative gaps, which are added again.

Then the processor time of whole commands, medians of rounds that take turns: HTA's load, four breakdowns and critical path of a step
against `easim trace -o`, which computes all of this and more. Other machines: compare the ratio alone.
"""
import argparse
import gzip
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

VERSION, WITHIN, TIMES = "0.5.0", 1e-4, 20
GPU = ("kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset")
LARGE = 10000  # events of a trace whose speed is measured

# Arguments: a list of [file, gap of kernel_wait], and "all" for the critical path as well. Prints a list of what it found.
IN_HTA = """\
import json, logging, sys, time, warnings
warnings.filterwarnings("ignore")
from hta.trace_analysis import TraceAnalysis
logging.disable(logging.CRITICAL)
began, found = time.process_time(), []
for path, delay in json.loads(sys.argv[1]):
    try:
        analysis = TraceAnalysis(trace_files={0: path}, trace_dir="/")
        temporal = analysis.get_temporal_breakdown(visualize=False).to_dict("records")[0]
        types, kernels = analysis.get_gpu_kernel_breakdown(visualize=False, num_kernels=10**9)
        overlap = analysis.get_comm_comp_overlap(visualize=False).to_dict("records")[0]
        gaps = analysis.get_idle_time_breakdown(visualize=False, consecutive_kernel_delay=delay)[0]
        if sys.argv[2:]:
            assert analysis.critical_path_analysis(0, "ProfilerStep", 1)[1]
            found.append({})
            continue
        order = analysis.t.traces[0].query("stream != -1").sort_values("ts")
        between = order["ts"] - (order["ts"] + order["dur"]).groupby(order["stream"]).shift(1)
        found.append({
            "temporal": temporal, "types": dict(zip(types["kernel_type"], map(int, types["sum"]))), "overlap": overlap["comp_comm_overlap_pctg"],
            "kernels": {k["name"]: [k["sum (us)"], k["sum (us)"] / k["mean (us)"]] for k in kernels.to_dict("records") if k["sum (us)"]},
            "gaps": gaps.to_dict("records"), "negative": between.clip(upper=0).groupby(order["stream"]).sum().to_dict()})
    except (Exception, SystemExit) as error:
        found.append({"fails": f"{type(error).__name__}: {error}".split("\\n")[0]})
print(json.dumps([found, time.process_time() - began], default=float))
"""


def raw_events(text):
    """(event, its text) of a trace. Numbers with a point are decimals."""
    at = text.index("[", text.index('"traceEvents"')) + 1
    decoder, between = json.JSONDecoder(parse_float=Decimal), re.compile(r"[\s,]*")
    while text[at := between.match(text, at).end()] != "]":
        event, end = decoder.raw_decode(text, at)
        yield event, text[at:end]
        at = end


class Trace:
    """A trace without GPU events that have no launch, in three files: for easim, for HTA, and for HTA in nanoseconds."""

    def __init__(self, path, folder):
        data = path.read_bytes()
        events = list(raw_events((gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode(errors="replace")))
        correlation = lambda event: event.get("args", {}).get("correlation")
        is_gpu = lambda event: event.get("ph") == "X" and event.get("cat") in GPU
        launches = {correlation(event) for event, _ in events if event.get("ph") == "X" and not is_gpu(event)} - {None}
        kept = [pair for pair in events if not is_gpu(pair[0]) or correlation(pair[0]) in launches]
        steps = {int(found[1]) for event, _ in events if event.get("cat") in ("user_annotation", "Operator")
                 and (found := re.match(r"ProfilerStep#(\d+)", event["name"]))}
        self.path, self.count, self.left_out = path, len(events), len(events) - len(kept)
        self.steps = ["--steps", f"{min(steps)}:{sorted(steps)[-2]}"] if len(steps) > 1 else []
        self.gpu_events = sum(is_gpu(event) for event, _ in kept)
        self.files = [folder / f"{path.name.split('.')[0]}-{name}.json" for name in ("easim", "hta", "ns")]
        plain = [event | {"args": {k: v for k, v in event["args"].items() if k != "stream"}} if "args" in event and not is_gpu(event) else event
                 for event, _ in kept]
        in_ns = [event | {key: round(Decimal(event[key]) * 1000) for key in ("ts", "dur") if key in event} for event in plain]
        as_text = lambda event: json.dumps(event, default=float)
        texts = [text for _, text in kept], map(as_text, plain), map(as_text, in_ns)
        for file, lines in zip(self.files, texts):
            file.write_text('{"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [\n' + ",\n".join(lines) + "\n]}\n")


def spent(command, **more):
    """(what it printed, processor time)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*map(str, command)], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_hta(python, pairs, *more):
    """(what HTA found in each, processor time of the calls, of the command)"""
    printed, whole = spent([python, "-c", IN_HTA, json.dumps([[str(path), delay] for path, delay in pairs]), *more],
                           env=os.environ | {"HTA_DISABLE_NS_ROUNDING": "1"})
    return *json.loads(printed), whole


def in_easim(easim, trace):
    """Figures of `easim profile kineto` and `easim trace`."""
    both = [json.loads(spent([easim, *words, trace.files[0], *trace.steps, "--format", "json"])[0]) for words in (["profile", "kineto"], ["trace"])]
    both[1]["states"] = {state["name"]: state["us"] for state in both[1]["states"]}
    return both


def ns(us):
    return round(us * 1000)


def sums(types, *wanted):
    return sum(value for name, value in types.items() if all(word in name for word in wanted))


def temporal(found, profile):
    """(part of the breakdown, HTA, easim) in HTA's and in easim's us"""
    return [(f"{name} time", found["temporal"][f"{name}_time(us)"], us) for name, us in (
        ("kernel", profile["gpu_span_us"]), ("idle", profile["gpu_idle_us"]), ("compute", profile["compute_us"]),
        ("non_compute", profile["gpu_busy_us"] - profile["compute_us"]))]


def differences(found, profile, trace):
    """(how many figures, those that differ: name, HTA, easim) of HTA's trace in ns"""
    types, states = found["types"], trace["states"]
    figures = [(name, round(theirs), ns(us)) for name, theirs, us in temporal(found, profile)]
    figures += [(f"{name} of kernel types", value, ns(us)) for name, value, us in (
        ("computation", sums(types, "COMPUTATION"), profile["compute_us"]), ("communication", sums(types, "COMMUNICATION"), profile["communication_us"]),
        ("memory", sums(types, "MEMORY"), profile["memory_us"]), ("both", sums(types, "COMPUTATION", "COMMUNICATION"), profile["overlap_us"]),
        ("communication alone", types.get("COMMUNICATION", 0), profile["exposed_communication_us"]), ("all", sums(types), profile["gpu_busy_us"]),
        ("computation", sums(types, "COMPUTATION"), states["compute"]), ("memory alone", types.get("MEMORY", 0), states["copy"]),
        ("communication without computation", sums(types, "COMMUNICATION") - sums(types, "COMPUTATION", "COMMUNICATION"), states["communication"]))]
    percent = profile["overlap_percent_of_communication"]
    figures += [("overlap, %", "none" if found["overlap"] != found["overlap"] else found["overlap"], "none" if percent is None else round(percent, 2))]
    kernels = {kernel["name"]: kernel for kernel in trace["kernels"]}
    for name, (total, count) in found["kernels"].items():
        if name in kernels:
            figures += [(name, round(total), ns(kernels[name]["total_us"])), (f"count of {name}", round(count), kernels[name]["count"])]
    figures += [("kernels that HTA lacks", 0, sum(kernels[name]["total_us"] > 0 for name in kernels.keys() - found["kernels"].keys()))]
    for stream in profile["idle_by_stream"]:
        for reason, category in (("host_wait", "host_wait"), ("kernel_wait", "kernel_wait"), ("other_wait", "other")):
            theirs = sum(gap["idle_time"] for gap in found["gaps"] if gap["stream"] == stream["stream"] and gap["idle_category"] == category)
            theirs -= found["negative"].get(str(stream["stream"]), 0) if reason == "kernel_wait" else 0
            figures += [(f"{reason} of stream {stream['stream']}", round(theirs), round(stream["stream_idle_us"] * stream[f"{reason}_percent"] * 10)
                         if stream["stream_idle_us"] else 0)]
    return len(figures), [figure for figure in figures if figure[1] != figure[2]]


def compare(options, traces):
    """The number of traces that differ."""
    wrong = 0
    found = in_hta(options.hta, [(file, delay) for trace in traces for file, delay in zip(trace.files[1:], (30, 30000))])[0]
    print(f"  {'trace':<52}{'steps':>8} {'left out':>9} {'as recorded':>14} {'equal to the ns':>16}")
    for trace, recorded, in_ns in zip(traces, found[::2], found[1::2]):
        profile, whole = in_easim(options.easim, trace)
        if fails := recorded.get("fails") or in_ns.get("fails"):
            print(f"  {trace.path.name:<52}HTA fails, {trace.gpu_events} GPU events: {fails}")
            wrong += trace.gpu_events > 0
            continue
        off = max(abs(theirs - ours) for _, theirs, ours in temporal(recorded, profile)) / profile["gpu_span_us"]
        count, differ = differences(in_ns, profile, whole)
        print(f"  {trace.path.name:<52}{trace.steps[1] if trace.steps else 'all':>8} {trace.left_out:>9} {100 * off:>12.5f} % "
              f"{count - len(differ):>9} of {count:>3}")
        for figure, theirs, ours in differ:
            print(f"    {figure[:100]}: HTA {theirs}, easim {ours}")
        wrong += off > WITHIN or bool(differ)
    return wrong


def compare_speed(options, traces, folder):
    """The number of traces where HTA takes less than TIMES the processor time; at least one has to be measured."""
    ratios = []
    for trace in traces:
        rounds = []
        for number in range(options.rounds):
            found, calls, whole = in_hta(options.hta, [(trace.path, 30)], "all")
            if "fails" in found[0]:
                break
            rounds.append((whole, calls, spent([options.easim, "trace", trace.path, "-o", folder / f"{trace.path.name}-{number}"])[1]))
        if len(rounds) < options.rounds:
            print(f"  {trace.path.name:<52}HTA fails: {found[0]['fails'][:80]}")
            continue
        whole, calls, easim = (statistics.median(column) for column in zip(*rounds))
        print(f"  {trace.path.name:<52}{trace.count:>8} events: HTA {whole:.2f} s, of which {calls:.2f} s after its imports, easim {easim:.3f} s: "
              f"{whole / easim:.0f} and {calls / easim:.0f} times")
        ratios.append(whole / easim)
    return sum(ratio < TIMES for ratio in ratios) if ratios else len(traces)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--easim", default="build/easim")
    parser.add_argument("--hta", metavar="PYTHON", default=os.environ.get("EASIM_HTA"), help="a Python that has HTA (default: EASIM_HTA)")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if not os.environ.get("EASIM_DATA") or not options.hta:
        print(f"skipped: {'EASIM_DATA is not set' if options.hta else 'no Python with HolisticTraceAnalysis (EASIM_HTA)'}")
        sys.exit(77)
    version = spent([options.hta, "-c", "import importlib.metadata as m; print(m.version('HolisticTraceAnalysis'), m.version('pandas'))"])[0].split()
    print(f"HolisticTraceAnalysis {version[0]}, pandas {version[1]}")
    if version[0] != VERSION or int(version[1].split(".")[0]) > 2:
        sys.exit(f"expected HolisticTraceAnalysis {VERSION} with pandas below 3")
    folders = [Path(os.environ["EASIM_DATA"], "telemetry", name) for name in ("kineto", "kineto-multirank")]
    traces, damaged = [], []
    with tempfile.TemporaryDirectory(prefix="easim-peers.") as name:
        for path in sorted(path for folder in folders for path in folder.glob("*.json*") if not path.name.startswith("EXPECTED")):
            try:
                traces.append(Trace(path, Path(name)))
            except (EOFError, ValueError):
                damaged.append(path.name)
        print(f"Temporal breakdown, kernel types, overlap, kernels and gaps; damaged and not compared: {', '.join(damaged)}")
        wrong = compare(options, traces)
        print(f"Processor time, medians of {options.rounds}: load, four breakdowns and critical path of a step against easim trace -o")
        slow = compare_speed(options, [trace for trace in traces if trace.count >= LARGE], Path(name))
    if wrong or slow:
        sys.exit(f"{wrong} traces differ, {slow} are not {TIMES} times as fast")


main()
