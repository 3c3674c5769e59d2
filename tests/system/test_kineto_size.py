"""Speed and memory on large Kineto traces: test_kineto_size.py EASIM SOURCE; skipped (exit 77) in sanitized builds.

At least 80 MB of JSON a second of processor time on a usual trace; at most 64 MiB and 32 bytes for each GPU event on
any. The traces are made here. The usual one has events in the form PyTorch writes them, and its figures are known: every
kernel lasts 5 us, 10 us after the one before. The others are hostile: each has very many of one thing. Nothing of what
does not fit goes without a word, and sums stay right.
"""
import json
import os

import measured
from harness import EASIM, cases, form, skip

KERNELS = 200_000
BOUND = 64 << 20

CPU_OP = """  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::convolution", "pid": 1, "tid": 1,
    "ts": {ts}.250, "dur": 8.125,
    "args": {{
      "External id": {i},"Record function id": 0, "Input Dims": [[64, 3, 224, 224], [64, 3, 7, 7], [], [], [], []], "Ev Idx": {i}
    }}
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
    "ts": {ts}.500, "dur": 4.000,
    "args": {{"External id": {i}, "cbid": 211, "correlation": {i}}}
  }},
"""
KERNEL = """  {{
    "ph": "X", "cat": "kernel", "name": "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(int, float)", "pid": 0,
    "tid": 7, "ts": {ts}.750, "dur": 5.000,
    "args": {{
      "External id": {i}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {i}, "registers per thread": 32,
      "shared memory": 4096, "blocks per SM": 23.7, "warps per SM": 190.2, "grid": [32, 8, 1], "block": [256, 1, 1]
    }}
  }},
"""


def event(category, name, i, arguments="", length=5):
    return f'{{"ph":"X","cat":"{category}","name":"{name}","ts":{10 * i},"dur":{length},"tid":7,"args":{{{arguments}}}}}'


def message(i, group="0", ranks="", kind="allreduce"):
    return (f'"stream":20,"device":0,"Collective name":"{kind}","In msg nelems":{i},"dtype":"Float","Group size":8,'
            f'"Process Group Name":"{group}","Process Group Ranks":"{ranks}"')


def launch(i):
    """All before the first GPU event, in no order."""
    return event("cuda_runtime", "cudaLaunchKernel", i * 1_000_003 % 360_000_000, f'"correlation":{i}')


def crowded(count):
    return f"{count} GPU events of too many messages or streams: in the sums, but not told apart"


def never_closed(i):
    """Each of its 50 lists may be where the next record begins, and is looked at."""
    return event("kernel", "k", i)[:-2] + '"x":' + '[{"name":' * 50


RANKS = "[" + ", ".join(map(str, range(3000))) + "]"
# name: (events of that kind, the text of one, GPU events in it, what is said). easim tells 65536 kinds apart, of which 3
# are "others", with 4 MiB of names (200 bytes of each are kept, and each counts 64 more), and 512 streams.
STEP = "ProfilerStep#1"  # without one, and without work on a GPU, a trace is refused
HOSTILE = {
    "kernel names": (100_000, lambda i: event("kernel", f"kernel_{i:0190}", i, '"stream":7'), 1, ""),
    "communication kernels": (900_000, lambda i: event("kernel", f"ncclKernel_{i:0190}", i, message(i)), 1, crowded(900_000 - 65533)),
    "collectives": (100_000, lambda i: event("kernel", "ncclKernel", i, message(7, kind=f"{i:0190}")), 1, crowded(100_000 - 16513)),
    "message sizes": (100_000, lambda i: event("kernel", "ncclKernel", i, message(i)), 1, crowded(100_000 - 65533)),
    "process groups": (100_000, lambda i: event("kernel", "ncclKernel", i, message(7, group=i)), 1, crowded(100_000 - 65533)),
    "ranks": (5_000, lambda i: event("kernel", "ncclKernel", i, message(7, ranks=f"{i}{RANKS}")), 1, ""),
    "streams": (100_000, lambda i: event("kernel", "k", i, f'"stream":{i},"device":{i % 1000}'), 1, crowded(100_000 - 512)),
    "copies": (100_000, lambda i: event("gpu_memcpy", f"Memcpy {i:0190}", i, '"stream":7,"bytes":8'), 1, ""),
    "steps": (1_000_000, lambda i: event("user_annotation", f"ProfilerStep#{i}", i), 0, f"{1_000_000 - 262_144} steps too many: left out"),
    "launches": (2_200_000, lambda i: launch(i) if i < 2_200_000 else event("user_annotation", STEP, i), 0,
                 f"{2_199_999 - 2_097_152} launches too many or too far off: their kernels count as without one"),
    "annotations": (100_000, lambda i: event("user_annotation", f"{i:0500}" if i > 1 else STEP, i), 0, ""),
    "long names": (60, lambda i: event("kernel", f"nccl{i:01000000}", i, '"stream":7'), 1, ""),
    "long ranks": (60, lambda i: event("kernel", "ncclKernel", i, message(7, ranks=f"{i:01000000}")), 1, ""),
    "nesting": (20, lambda i: event("kernel", "k", i, '"stream":7,"x":' + "[" * 400_000 + "]" * 400_000), 1, ""),
    "no bracket closed": (1, lambda i: '{"x":' * 10_000_000, 0, "1 damaged events left out"),
    "quotes too many": (200_000, lambda i: event("kernel", f'{i}"', i), 0, "200000 damaged events left out"),
    "lists never closed": (15_000, never_closed, 0, "15000 damaged events left out"),
}
METADATA = {
    "deviceProperties": lambda i: json.dumps([{"id": d, "name": f"{i}" * 100, "totalGlobalMem": 1} for d in range(5000)]),
    "distributedInfo": lambda i: json.dumps({"backend": "n" * 500_000, "rank": 3, "world_size": 8}),
    "x" * 900_000: lambda i: "0",
    "INFO": lambda i: "[" + '"text",' * 100_000 + '"text"]',
    "deep": lambda i: "[" * 1_000_000 + "]" * 1_000_000,
    "long": lambda i: '"' + "x" * 3_000_000 + '"',
}


def run(*paths):
    """The figures; the rest as measured.run."""
    output, *others = measured.run(EASIM, "profile", "kineto", *paths, "--format", "json")
    return json.loads(output or "{}"), *others


def usual(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"traceEvents": [\n')
        for part in (CPU_OP, KERNEL):
            for i in range(1, KERNELS + 1):
                file.write(part.format(ts=1700000000000000 + 10 * i, i=i))
        file.write('  {"ph": "M", "name": "end", "pid": 0, "tid": 0}]}\n')
    found, _, _, seconds, peak = run(path)
    assert found["gpu_events"] == KERNELS and found["compute_us"] == 5 * KERNELS
    assert found["gpu_span_us"] == 10 * (KERNELS - 1) + 5
    # launched 0.25 us before each: behind the end of the one before, 5.25 us earlier; 2 s: whole nanoseconds
    assert (found["stream_idle_us"], found["host_wait_percent"]) == (5 * (KERNELS - 1), 100)
    rate = path.stat().st_size / 1e6 / seconds
    print(f"usual: {rate:.0f} MB/s, {peak / 2**20:.1f} MiB")
    assert rate >= 80
    assert peak <= BOUND + 32 * KERNELS


def write(path, texts, rank=0):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'{{"distributedInfo":{{"rank":{rank},"world_size":8}},"traceEvents":[\n')
        for text in texts:
            file.write(text + ",\n")
        file.write("{}]}\n")
    return path


def hostile(path, name, count, text, gpu_events, expected):
    found, said, code, seconds, peak = run(write(path, map(text, range(1, count + 1))))
    gpu_events *= count
    print(f"{name}: {path.stat().st_size / 1e6 / seconds:.0f} MB/s, {peak / 2**20:.1f} MiB for {gpu_events} GPU events")
    assert peak <= BOUND + 32 * gpu_events, name
    assert code == (3 if "damaged" in expected else 0) and (f": {expected}\n" in said if expected else str(path) not in said), said
    assert found["gpu_events"] == gpu_events, name
    assert found["compute_us"] + found["communication_us"] + found["memory_us"] == 5 * gpu_events, name


def given_up(path):
    """What is looked at again grows faster than the file: at some point that is said, and no more is read."""
    found, said, code, _, peak = run(write(path, map(never_closed, range(1, 40_001))))
    assert code == 3 and "too many damaged stretches, given up at byte " in said, said
    assert found["gpu_events"] == 0 and peak <= BOUND


def metadata(path):
    for name, text in METADATA.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write("{")
            for i in range(100):
                file.write(f'"{name}":{text(i)},')
            file.write('"traceEvents":[' + event("kernel", "k", 1, '"stream":7') + "]}")
        found, _, _, _, peak = run(path)
        print(f"metadata {name[:20]}: {peak / 2**20:.1f} MiB")
        assert peak <= BOUND and found["gpu_events"] == 1, name


def ranks(folder, count, kernels, elements):
    """The same collectives on several ranks, with `elements` of the i-th."""
    texts = [event("kernel", "ncclKernel_AllReduce", i, message(elements(i))) for i in range(1, kernels + 1)]
    paths = [write(folder / f"rank{rank}.json", texts, rank) for rank in range(count)]
    found, said, _, _, peak = run(*paths)
    print(f"{count} ranks: {peak / 2**20:.1f} MiB for {count * kernels} GPU events")
    assert peak <= BOUND + 32 * count * kernels
    waiting = found["waiting"]
    listed = len(waiting["collectives"]) + waiting.get("collectives_not_listed", 0)
    assert listed == waiting["matched_collectives"] and waiting["straggler_rank"] is None
    return waiting["matched_collectives"], waiting["unmatched_kernels"], "are too many to match (at most 524288)" in said


def traces(folder):
    path = folder / "trace.json"
    usual(path)
    names = form(list(HOSTILE), ["kernel names", "streams", "annotations", "nesting", "quotes too many"])
    for name in names:
        hostile(path, name, *HOSTILE[name])
    given_up(path)
    if names != list(HOSTILE):
        return len(names) + 2
    metadata(path)
    assert ranks(folder, 2, 262_144, lambda i: 7) == (262_144, 0, False)
    assert ranks(folder, 2, 262_145, lambda i: 7) == (0, 524_290, True)
    # 65533 kinds are told apart: where some of a group are not, it is not matched; ranks together have no more than one
    assert ranks(folder, 2, 70_000, lambda i: i) == (0, 2 * 70_000, False)
    assert ranks(folder, 20, 26_000, lambda i: i) == (26_000, 0, False)
    return len(names) + 7


if os.environ.get("EASIM_SANITIZED"):
    skip("a sanitized build is slower, and larger")
cases(traces)
