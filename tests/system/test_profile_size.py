"""Hostile files for the readers of easim profile: test_profile_size.py EASIM SOURCE; skipped (exit 77) in sanitized builds.

Each file has far too much of one thing: a line of 200 MB, a million columns, labels, members or brackets, of devices or
rows. It is read in a second of processor time and at 20 MB/s or more (most at hundreds: nothing is quadratic, which would take
minutes; the second is for a busy machine), in 128 MiB; and what is left out is said. Kineto traces: test_kineto_size.py.
"""
import gzip
import os

import measured
from harness import EASIM, cases, skip

MILLION = 1_000_000
LEAST_RATE = 20  # MB/s
MOST_BYTES = 128 << 20

STAMP = "I20251120 09:00:00.500000 77 Logger.cpp:56] time = 2025-11-20T09:00:00.500Z data = "
SERIES = '{"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","UUID":"%s"},"value":[1,"100"]}'
HEADS = {  # a good beginning, with one measurement
    "nvidia-smi": "timestamp,uuid,name,power.draw [W]\n2025/11/20 09:00:00,u,n,1 W\n",
    "dcgm": "#Entity         POWER\nID W\nGPU 0 100\n",
    "dcgm-exporter": 'DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-0"} 100 1763629200000\n',
    "dynolog": STAMP + '{"device":0,"gpu_power_draw":"100.000"}\n',
    "ea2p": "Project Name,Datetime,GPU 0,CPU Time [s],Package,Algorithm,P\np,1,600,20,a,b,c\n",
    "zeus": "start_time,window_name,elapsed_time,gpu0_energy\n1,w,10,100\n",
    "codecarbon": "timestamp,project_name,run_id,duration,energy_consumed,gpu_energy,gpu_count\n1,p,a,10,1,1,1\n",
    "prometheus": '{"data":{"result":[' + SERIES % "u",
}
ROWS = ("ea2p", "zeus", "codecarbon")
UNREAD = "rows that cannot be read left out, this is the first"
REFUSED = "row left out: it does not fit its header or cannot be read"


def files():
    """reader, what there is too much of, text, exit status, part of what is said."""
    for reader, head in HEADS.items():
        if reader == "prometheus":
            continue
        wide = head + ("1," * MILLION + "\n") * 4
        ignored = reader in ("dcgm", "dynolog")  # lines of these that are no rows
        yield reader, "columns", wide, 0 if ignored else 3, "" if ignored else REFUSED if reader in ROWS else UNREAD
        yield reader, "words", head + ("GPU " * MILLION + "\n") * 4, 0 if reader == "dynolog" else 3, ""
        yield reader, "quotes", head + ('"' * 4 * MILLION + "\n") * 2, 0 if ignored else 3, ""
    for reader in ROWS:
        wide = ",".join(f"c{i}" for i in range(MILLION)) + "\n"
        yield reader, "header", wide + HEADS[reader], 2, ":1:1: expected at most 256 columns, found 1000000"
        yield reader, "bad rows", HEADS[reader] + "x\n" * MILLION, 3, f"{MILLION} rows left out"
        yield reader, "rows", HEADS[reader] + (HEADS[reader].split("\n")[1] + "\n") * (MILLION // 5), 0, ""
    yield ("nvidia-smi", "header", ",".join(f"c{i}" for i in range(MILLION)) + "\n" + HEADS["nvidia-smi"], 2,
           "expected a header with power.draw")
    yield "nvidia-smi", "names", HEADS["nvidia-smi"] + ("x" + "," * 1023 + "\n") * 20_000, 3, f"20000 {UNREAD}"
    yield ("nvidia-smi", "devices", HEADS["nvidia-smi"] + "".join(f"2025/11/20 09:00:00,u{i},n,1 W\n" for i in range(MILLION // 2)), 0,
           f"{MILLION // 2 - 65535} samples of more than 65536 devices left out")
    yield "dcgm-exporter", "labels", (HEADS["dcgm-exporter"] + "DCGM_FI_DEV_POWER_USAGE{" + ",".join(f'l{i}="v"' for i in range(MILLION)) +
                                      "} 1\n"), 0, ""
    yield "dcgm-exporter", "escapes", HEADS["dcgm-exporter"] + 'DCGM_FI_DEV_POWER_USAGE{a="' + '\\"' * 4 * MILLION + "\n", 3, f"1 {UNREAD}"
    yield "dynolog", "brackets", HEADS["dynolog"] + STAMP + '{"device":' + "[" * MILLION + "]" * MILLION + "}\n", 3, f"1 {UNREAD}"
    yield "dynolog", "members", HEADS["dynolog"] + "{" + ",".join(f'"k{i}":1' for i in range(MILLION)) + "}\n", 0, ""
    head = HEADS["prometheus"]
    yield "prometheus", "brackets", head + ',{"metric":' + "[" * MILLION + "]" * MILLION + "}]}}", 3, f"1 {UNREAD}"
    yield "prometheus", "labels", head + ',{"metric":{' + ",".join(f'"l{i}":"v"' for i in range(MILLION)) + "}}]}}", 3, f"1 {UNREAD}"
    yield ("prometheus", "devices", head + "".join("," + SERIES % f"u{i}" for i in range(MILLION // 10)) + "]}}", 0,
           f"{MILLION // 10 - 65535} samples of more than 65536 devices left out")


def check(reader, what, path, size, code, message):
    most_s = 1 + size / 1e6 / LEAST_RATE
    unit = ["--energy-unit", "J"] if reader == "ea2p" else []
    for _ in range(3):  # a neighbour on the same core slows it, nothing makes it faster
        _, said, found, seconds, peak = measured.run(EASIM, "profile", reader, path, "--gpu", "X", *unit, "--format", "csv")
        if seconds <= most_s:
            break
    print(f"{reader}, {what}: {size / 1e6:.0f} MB in {seconds:.2f} s, {peak / 2**20:.0f} MiB")
    assert found == code and message in said, (reader, what, found, said[:300])
    assert seconds <= most_s, (reader, what, seconds)
    assert peak <= MOST_BYTES, (reader, what, peak)


def too_much(folder):
    tried = list(files())
    path = folder / "file"
    for reader, what, text, code, message in tried:
        path.write_text(text)
        check(reader, what, path, len(text), code, message)
    line = gzip.compress(b"x" * 200 * MILLION, 1)
    for reader, head in HEADS.items():
        if reader == "prometheus":
            path.write_bytes(gzip.compress(head.encode() + b',{"metric":{"x":"') + line + gzip.compress(b'"}}]}}'))
        else:
            path.write_bytes(gzip.compress(head.encode()) + line)
        check(reader, "a line", path, 200 * MILLION, *((3, f"1 {UNREAD}") if reader == "prometheus" else (2, "line longer than 16777216 bytes")))
    return len(tried) + len(HEADS)


if os.environ.get("EASIM_SANITIZED"):
    skip("a sanitized build is slower, and larger")
cases(too_much)
