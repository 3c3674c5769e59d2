"""Anti-patterns of easim trace: test_trace_patterns.py EASIM SOURCE.

Expected: each rule has made traces just above and not above its threshold, mostly exactly at it. Times are whole us in a window of 1,000 us,
so values follow by hand from the lengths; thresholds are those of the table in docs/reference/traces.md.
"""
import csv
import json

from harness import cases, real_data
from test_trace_job import PLAIN, Rank, found, trace

WORLD_2 = {**PLAIN, "Group size": 2, "Process Group Ranks": "[0, 1]"}


def alone():
    return Rank().step(0, 0, 1000)


def in_row(lengths, name="k", **more):
    """Kernels without gaps, without launches."""
    rank, at = alone(), 0
    for i, length in enumerate(lengths):
        rank.kernel(name, at, at + length, i + 1, **more)
        at += length
    return rank


def launched(host):
    return alone().call("cudaLaunchKernel", 0, host, 1).kernel("k", host, 1000, 1)


def blocks(few):
    # 107 blocks for 108 SMs; 54 x 2 are as many as SMs
    return alone().kernel("few", 0, few, 1, grid=[107, 1, 1]).kernel("enough", few, 1000, 2, grid=[54, 2, 1])


def copies(sizes, name="Memcpy DtoH (Device -> Pinned)"):
    rank = alone()
    for i, size in enumerate(sizes):
        rank.kernel(name, 10 * i, 10 * i + 1, i + 1, category="gpu_memcpy", bytes=size)
    return rank


def pageable(size, length):
    return (alone().kernel("Memcpy HtoD (Pageable -> Device)", 0, length, 1, category="gpu_memcpy", bytes=size)
            .kernel("Memcpy HtoD (Pinned -> Device)", 500, 501, 2, category="gpu_memcpy", bytes=1000))


def overlapped(length, exposed):
    return alone().kernel("ncclDevKernel_AllReduce", 0, length, 1).kernel("k", exposed, 1000, 2, stream=8)


def messages(sizes_and_lengths):
    rank, at = alone(), 0
    for i, (floats, length) in enumerate(sizes_and_lengths):
        rank.kernel("ncclDevKernel_AllReduce", at, at + length, i + 1, **{**PLAIN, "In msg nelems": floats, "Out msg nelems": floats})
        at += length
    return rank


def pair(late, collective, sizes):
    """Two ranks; the second begins the collective `late` us after the first, at 1; it ends at 1,000 on both."""
    made = []
    for number, size in enumerate(sizes):
        at = late * number
        made.append(Rank(number, 2).step(0, 0, 1000).call("cudaLaunchKernel", at, at + 1, 1).kernel(
            "ncclDevKernel_SendRecv", at + 1, 1000, 1, **{**WORLD_2, "Collective name": collective, "In msg nelems": size, "Out msg nelems": 1}))
    return made


def loading(length):
    return (alone().add("user_annotation", "next_batch", 0, length).call("cudaLaunchKernel", length, length + 1, 1)
            .kernel("k", length + 1, 1000, 1))


def collected(name, length, category="user_annotation"):
    return alone().add("python_function", "/home/gc/train.py(7): main", 0, 1000).add(category, name, 0, length)


def allocated(count):
    rank = Rank().step(0, 0, 500).step(1, 500, 1000)
    for i in range(count):
        rank.call("cudaMalloc" if i % 2 else "cudaFree", 10 * i, 10 * i + 1)
    return rank


SMALL, LARGE = 262143, 262144  # floats: 1 MiB is not small
# rule, the value looked at, trace, [not above, its value], [above, its value]
CASES = (
    ("launch-bound", "value", launched, (300, 30), (301, 30.1)),
    ("small kernels", "value", lambda n: in_row([9] * n + [10] * (10 - n)), (5, 50), (6, 60)),
    ("small kernels", "second_value", lambda length: in_row([9] * 6 + [length] * 5), (98, 100 * 54 / 544), (97, 100 * 54 / 539)),
    ("few blocks", "value", blocks, (200, 20), (201, 20.1)),
    ("synchronizing calls", "value", lambda t: alone().call("cudaStreamSynchronize", 0, t), (50, 5), (51, 5.1)),
    ("small reads", "value", lambda n: copies([64] * n + [65] * 9), (10, 10), (11, 11)),
    ("pageable copies", "value", lambda size: pageable(size, 11), (1000, 50), (1001, 100 * 1001 / 2001)),
    ("pageable copies", "second_value", lambda t: pageable(2000, t), (10, 1), (11, 1.1)),
    ("exposed copies", "value", lambda t: alone().kernel("Memcpy DtoD (Device -> Device)", 0, t, 1, category="gpu_memcpy", bytes=1), (50, 5), (51, 5.1)),
    ("no overlap", "value", lambda t: overlapped(210, t), (105, 50), (106, 100 * 106 / 210)),
    ("no overlap", "second_value", lambda t: overlapped(t, t), (100, 10), (101, 10.1)),
    ("small collectives", "value", lambda n: messages([(SMALL, 50)] * n + [(LARGE, 50)] * 2), (2, 50), (3, 60)),
    ("small collectives", "second_value", lambda t: messages([(SMALL, 10), (SMALL, 10), (LARGE, t)]), (80, 20), (79, 100 * 20 / 99)),
    # half of the lateness on average over two ranks
    ("imbalance", "value", lambda late: pair(late, "allreduce", (9, 9)), (100, 5), (101, 5.05)),
    ("unbalanced experts", "value", lambda size: pair(100, "all_to_allv", (size, 1000 - size)), (600, 1.2), (601, 1.202)),
    ("unbalanced experts", "second_value", lambda late: pair(late, "all_to_allv", (800, 200)), (40, 2), (41, 2.05)),
    ("data loading", "value", loading, (50, 5), (51, 5.1)),
    ("gc pauses", "value", lambda t: collected("Python GC", t), (10, 1), (11, 1.1)),
    ("gc pauses", "value", lambda t: collected("<built-in function collect>", t, "python_function"), (10, 1), (11, 1.1)),
    ("allocator", "value", allocated, (2, 1), (3, 1.5)),
    ("allocator", "second_value", lambda total: alone().memory(1, total, 0, total, 100), (70, 30), (69, 31)),
)


def judged(folder, ranks):
    ranks = ranks if isinstance(ranks, list) else [ranks]
    paths = [rank.write(folder / f"{number}.json") for number, rank in enumerate(ranks)]
    return {row["name"]: row for row in found(*paths)["patterns"]}


def test_thresholds(folder):
    for rule, key, make, below, above in CASES:
        for (x, value), is_found in (below, False), (above, True):
            row = judged(folder, make(x))[rule]
            assert row["found"] is is_found and abs(row[key] - value) < 1e-9 and row["missing"] is None, (rule, x, row)
    rules = {rule for rule, *_ in CASES}
    assert len(rules) == 14, rules  # all but the clock, which needs telemetry
    return 2 * len(CASES)


def test_near_misses(folder):
    """Cases beside a threshold that must not count."""
    assert judged(folder, in_row([10] * 10))["small kernels"]["value"] == 0
    assert judged(folder, copies([65] * 20))["small reads"]["value"] == 0
    assert judged(folder, copies([8] * 20, "Memcpy HtoD (Pinned -> Device)"))["small reads"]["value"] == 0
    assert judged(folder, collected("segcount", 900))["gc pauses"]["value"] == 0
    assert judged(folder, messages([(LARGE, 9)] * 3))["small collectives"]["value"] == 0
    assert judged(folder, alone().call("cudaMallocHost", 0, 1).call("cudaFreeHost", 1, 2))["allocator"]["value"] == 0
    # Two threads inside synchronize calls at the same time: 0..40 and 20..50
    both = alone().call("cudaStreamSynchronize", 0, 40).call("cudaEventSynchronize", 20, 50, thread=2)
    assert judged(folder, both)["synchronizing calls"]["value"] == 5
    # A collection inside another one counts once; one before the steps does not count
    inside = collected("gc", 10).add("user_annotation", "gc: generation 2", 2, 8).add("user_annotation", "gc", -20, -10)
    assert judged(folder, inside)["gc pauses"]["value"] == 1
    # Communication is no small kernel and has few blocks by design
    assert judged(folder, alone().kernel("ncclDevKernel_AllReduce", 0, 5, 1, grid=[2, 1, 1]))["few blocks"]["found"] is None
    return 9


def missing(folder, ranks):
    return {name: row["missing"] for name, row in judged(folder, ranks).items() if row["found"] is None}


def test_missing_inputs(folder):
    none = missing(folder, alone())
    assert none == {
        "launch-bound": "GPU work", "small kernels": "compute kernels", "few blocks": "grids of kernels", "synchronizing calls": "calls of the runtime",
        "small reads": "GPU work", "pageable copies": "GPU work", "exposed copies": "GPU work", "no overlap": "communication",
        "small collectives": "communication", "imbalance": "matched collectives of several ranks",
        "unbalanced experts": "all-to-all of several ranks with sizes", "gc pauses": "Python frames",
        "allocator": "calls with marked steps, nor reserved memory", "clock": "telemetry"}, none
    rank = blocks(100)
    rank.top["deviceProperties"][0].pop("numSms")
    assert missing(folder, rank)["few blocks"] == "SM count (numSms)"
    unsized = alone().kernel("Memcpy HtoD (Pageable -> Device)", 0, 5, 1, category="gpu_memcpy")
    assert missing(folder, unsized)["pageable copies"] == "sizes of copies"
    assert missing(folder, copies([9], "Memcpy DtoH (Device -> Host)"))["pageable copies"] == "names of copies that tell pinned memory"
    assert missing(folder, overlapped(100, 50))["small collectives"] == "sizes of messages"
    assert missing(folder, Rank().kernel("Memcpy DtoH (Device -> Pinned)", 0, 5, 1, category="gpu_memcpy", bytes=4))["small reads"] == "marked steps"
    assert missing(folder, Rank().step(0, 5, 5))["launch-bound"] == "window"
    return 7


def test_worst_rank(folder):
    # Rank 1 synchronizes most, 90 of 1,000 us, rank 2 has no calls.
    ranks = [Rank(number, 3).step(0, 0, 1000) for number in range(3)]
    ranks[0].call("cudaStreamSynchronize", 0, 60)
    ranks[1].call("cudaStreamSynchronize", 0, 90)
    row = judged(folder, ranks)["synchronizing calls"]
    assert (row["found"], row["rank"], row["value"], row["ranks_judged"], row["missing"]) == (True, 1, 9, 2, "calls of the runtime"), row
    rows = judged(folder, pair(102, "all_to_allv", (200, 800)))
    assert rows["unbalanced experts"]["rank"] == 1 and rows["imbalance"]["rank"] is None, rows
    return 3


def test_files(folder):
    path = launched(301).write(folder / "a.json")
    shown = trace(path, "-o", folder / "out").stdout
    assert "  launch-bound; host and dispatch, % of the path: 30.1 > 30\n    try: CUDA graphs, compilation, a larger batch\n" in shown, shown
    assert "clock (no telemetry)" in shown and "anti-patterns: 1 found, 7 of 15 not judged" in shown, shown
    rows = list(csv.DictReader((folder / "out/patterns.csv").open()))
    whole = json.loads((folder / "out/trace.json").read_text())["patterns"]
    assert [row["name"] for row in rows] == [row["name"] for row in whole] and len(rows) == 15
    assert 'section("patterns"' in (folder / "out/trace.html").read_text()
    return 4


def test_real(folder):
    """Shares of the path by the prototype of TRACES.md: host 54 and input 39 % in resnet50, whose only copies are 12 pageable ones."""
    rows = {row["name"]: row for row in found(real_data("telemetry") / "kineto/resnet50_v100_numworkers0_step5-10_2021.json.gz")["patterns"]}
    assert abs(rows["launch-bound"]["value"] - 54) < 1 and abs(rows["data loading"]["value"] - 39) < 1 and rows["pageable copies"]["value"] == 100
    assert {name for name, row in rows.items() if row["found"]} == {"launch-bound", "data loading", "pageable copies"}
    return 2


if __name__ == "__main__":
    cases(test_thresholds, test_near_misses, test_missing_inputs, test_worst_rank, test_files, test_real)
