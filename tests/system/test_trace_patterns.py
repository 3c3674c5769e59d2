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
    assert len(rules) == 14, rules  # all except the clock: test_clock_threshold
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
        "allocator": "calls with marked steps, nor reserved memory", "clock": "telemetry of its GPU"}, none
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


# --- the clock, from telemetry ---

NEAR = 1e-4  # %: readers of telemetry have times since 1970 in doubles of seconds, exact to 0.24 us of this second
BASE = 1_763_629_200_000_000_000  # 2025-11-20 09:00:00
LOW, NOT_LOW = 1268, 1269         # MHz: 90 % of the 1,410 MHz of an A100 by its data sheet are 1,269


def second(rank=0, world=1, device=0, base=BASE, gpu="NVIDIA A100-SXM4-80GB"):
    """A window of 1 s of one GPU."""
    made = Rank(rank, world, gpu=gpu).step(0, 0, 1_000_000).kernel("k", 0, 1_000_000, 1)
    made.events[-1]["args"]["device"] = device
    if base is not None:
        made.top["baseTimeNanoseconds"] = base
    return made


def exporter(folder, samples, gpu=0, name="clock.prom", field="SM_CLOCK", base=BASE):
    """Text of dcgm-exporter; samples: ms of the window and MHz."""
    lines = ("" if at is None else f" {base // 1_000_000 + at}" for at, _ in samples)
    (folder / name).write_text("".join(f'DCGM_FI_DEV_{field}{{gpu="{gpu}",UUID="GPU-abc{gpu}",Hostname="n"}} {mhz}{stamp}\n'
                                       for (_, mhz), stamp in zip(samples, lines)))
    return folder / name


def clock(folder, ranks, telemetry, *words, code=0, **more):
    paths = [rank.write(folder / f"c{number}.json") for number, rank in enumerate(ranks if isinstance(ranks, list) else [ranks])]
    done = trace(*paths, "--telemetry", telemetry, *words, "--format", "json", code=code, **more)
    if code == 2:
        return done.stderr
    whole = json.loads(done.stdout)
    return {row["name"]: row for row in whole["patterns"]}["clock"], whole["clocks"], done.stderr


def held(low_ms, mhz=LOW):
    """Low from 200 ms on for that long. The sample before the window holds at its begin, and one after it holds until 1,400."""
    return [(-300, 1410), (200, mhz), (200 + low_ms, 1410), (700, NOT_LOW), (1050, 1000), (1400, 1410)]


def test_clock_threshold(folder):
    for low_ms, is_found in (49, False), (51, True):
        row, (rank,), says = clock(folder, second(), exporter(folder, held(low_ms)))
        assert (row["found"], row["missing"], row["rank"]) == (is_found, None, 0) and abs(row["value"] - low_ms / 10) < NEAR, row
        assert abs(rank.pop("low_us") - 1000 * low_ms) < 1e4 * NEAR, rank
        assert rank == {"rank": 0, "gpu": 0, "whole_file": False, "samples": 4, "maximum_mhz": 1410, "judged_us": 1e6}, rank
        assert "clock" not in says, says
    # At 90 % exactly, and at every other maximum: by --peaks, and the highest in the file, as 1,980 of 1,410 by the data sheet.
    assert clock(folder, second(), exporter(folder, held(51, NOT_LOW)))[0]["value"] == 0
    assert abs(clock(folder, second(), exporter(folder, held(51, NOT_LOW)), "--peaks", "clock=1411")[0]["value"] - (51 + 300) / 10) < NEAR
    row, (rank,), _ = clock(folder, second(), exporter(folder, [(-9, 1980), (0, 1782), (500, 1781), (1100, 1781)]))
    assert abs(row["value"] - 50) < NEAR and rank["maximum_mhz"] == 1980, (row, rank)
    shown = trace(folder / "c0.json", "--telemetry", exporter(folder, held(51))).stdout
    assert "  clock; SM clock under 90 % of its maximum, % of time: 5.1 > 5\n    try: power cap, cooling\n" in shown and "no telemetry" not in shown, shown
    return 8


def test_clock_formats(folder):
    """The same samples in the other formats; dcgmi dmon has no times, so the whole file is judged, 1 of 4 samples."""
    (folder / "p.json").write_text(json.dumps({"status": "success", "data": {"resultType": "matrix", "result": [
        {"metric": {"__name__": "DCGM_FI_DEV_SM_CLOCK", "gpu": "0", "UUID": "GPU-1", "Hostname": "n"},
         "values": [[BASE // 10 ** 9 + at / 1000, str(mhz)] for at, mhz in held(51)]}]}}))
    stamp = lambda at: f"2025-11-20T{'08:59:59' if at < 0 else '09:00:00' if at < 1000 else '09:00:01'}.{at % 1000:03d}Z"
    (folder / "d.log").write_text("".join(f'I20251120 09:00:00.500000 77 Logger.cpp:56] time = {stamp(at)} data = {{"device":0,"gpu_frequency_mhz":{mhz}}}\n'
                                          for at, mhz in held(51)))
    for name in "p.json", "d.log":
        row, (rank,), _ = clock(folder, second(), folder / name)
        assert row["found"] and abs(row["value"] - 5.1) < NEAR and rank["samples"] == 4, (name, row, rank)
    (folder / "dmon.txt").write_text("#Entity   SMCLK\nID\n" + "".join(f"GPU 0     {mhz}\nGPU 1     900\n" for mhz in (1410, LOW, 1410, 1410)))
    row, (rank,), says = clock(folder, second(), folder / "dmon.txt")
    assert row["found"] and row["value"] == 25 and row["what"].endswith("% of the whole telemetry file") and rank["whole_file"], (row, rank)
    assert "dmon.txt has no wall-clock times: the clock is judged over the whole file" in says, says
    # Nor has a trace with times since the start of the host and without a base.
    row, _, says = clock(folder, second(base=None), exporter(folder, [(0, LOW), (100, 1410), (200, 1410), (300, 1410)]))
    assert abs(row["value"] - 25) < NEAR and "c0.json has no wall-clock times: the clock is judged over the whole file" in says, (row, says)
    return 4


def test_clock_ranks(folder):
    """Each rank has its GPU; a rank without GPU work is not judged; samples from 600 ms on cover 40 % of the window."""
    text = exporter(folder, held(51)).read_text() + exporter(folder, held(100), 3).read_text()
    (folder / "two.prom").write_text(text)
    row, ranks, _ = clock(folder, [second(0, 3), second(1, 3, 3), Rank(2, 3).step(0, 0, 9)], folder / "two.prom")
    assert (row["rank"], row["ranks_judged"], row["missing"]) == (1, 2, "telemetry of its GPU") and abs(row["value"] - 10) < NEAR, row
    assert [(rank["gpu"], rank["samples"]) for rank in ranks] == [(0, 4), (3, 4), (None, 0)], ranks
    row, (rank,), says = clock(folder, second(), exporter(folder, [(600, LOW), (700, 1410), (1300, 1410)]))
    assert abs(row["value"] - 25) < NEAR and abs(rank["judged_us"] - 4e5) < 1 and f"cover 40.0 % of the window of {folder}/c0.json: the clock is judged in this part" in says, (row, says)
    several = second().kernel("k", 0, 9, 2)
    several.events[-1]["args"]["device"] = 1
    assert "c0.json ran on several GPUs: only the clock of GPU 0 is judged" in clock(folder, several, exporter(folder, held(51)))[2]
    assert "the highest one in" in clock(folder, second(gpu="Strange GPU"), exporter(folder, held(51)))[2]
    return 5


def test_clock_bad(folder):
    def refused(says, ranks, path, *words):
        clock(folder, ranks, path, *words, code=2, says=says)
    refused("expected two or more samples of the SM clock of GPU 0", second(), exporter(folder, held(51), field="POWER_USAGE"))
    refused("expected two or more samples of the SM clock of GPU 0", second(), exporter(folder, held(51)[:1]))
    refused(f"expected samples in the window of {folder}/c0.json, 2025-11-20 09:00:00.000 to 2025-11-20 09:00:01.000 UTC, "
            "got them from 2025-11-20 09:59:59.700 to 2025-11-20 10:00:01.750", second(), exporter(folder, held(51), base=BASE + 3_600_000_000_000))
    refused(f"expected GPU 0, on which {folder}/c0.json ran, got GPU 5 (CUDA_VISIBLE_DEVICES gives GPUs other numbers)", second(), exporter(folder, held(51), 5))
    refused(f"expected the ranks of one host, each on its own GPU, got {folder}/c0.json and {folder}/c1.json on GPU 0", [second(0, 2), second(1, 2)], exporter(folder, held(51)))
    hosts = exporter(folder, held(51)).read_text()
    (folder / "hosts.prom").write_text(hosts + hosts.replace("GPU-abc", "GPU-xyz"))
    refused("expected the GPUs of one host, got GPU 0 of 2", second(), folder / "hosts.prom")
    refused("expected GPU events with the number of their GPU", Rank().step(0, 0, 9), exporter(folder, held(51)))
    refused("none.prom: cannot open", second(), folder / "none.prom")
    refused("--telemetry: expected a file, got standard input", second(), "-")
    refused("expected telemetry of dcgm, dcgm-exporter, prometheus or dynolog, got none of it", second(), folder / "c0.json")
    (folder / "host.log").write_text('I20251120 09:00:00.5 7 L.cpp:5] time = 2025-11-20T09:00:00.500Z data = {"cpu_util":"9"}\n')
    refused(f"expected GPU 0, on which {folder}/c0.json ran, got none", second(), folder / "host.log")
    (folder / "x.csv").write_text("timestamp, index, clocks.sm [MHz]\n2025/11/20 09:00:00.000, 0, 1410 MHz\n")
    refused("expected telemetry of dcgm, dcgm-exporter, prometheus or dynolog, got none of it", second(), folder / "x.csv")
    (folder / "bad.prom").write_text('DCGM_FI_DEV_SM_CLOCK{gpu="0} 5\nDCGM_FI_DEV_SM_CLOCK{gpu="0"} fast\n')
    refused("bad.prom: expected what dcgm-exporter writes, found no readable row of it", second(), folder / "bad.prom")
    # Some rows are bad: the others count, and the exit status is 3.
    (folder / "some.prom").write_text(hosts + "nonsense\n")
    row, _, says = clock(folder, second(), folder / "some.prom", code=3)
    assert abs(row["value"] - 5.1) < NEAR and "some.prom:7: 1 rows that cannot be read left out" in says, (row, says)
    refused("some.prom:7: row that cannot be read", second(), folder / "some.prom", "--strict")
    trace("cut", folder / "c0.json", "--steps", "0:0", "-o", folder / "y.json", "--telemetry", folder / "some.prom", code=2,
          says="--telemetry does not belong to cut")
    return 15


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
    assert "clock (no telemetry of its GPU)" in shown and "anti-patterns: 1 found, 7 of 15 not judged" in shown, shown
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
    cases(test_thresholds, test_near_misses, test_missing_inputs, test_clock_threshold, test_clock_formats, test_clock_ranks, test_clock_bad, test_worst_rank, test_files, test_real)
