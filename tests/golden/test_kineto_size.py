"""Speed and memory on a large Kineto trace: test_kineto_size.py EASIM SOURCE; skipped (exit 77) in sanitized builds.

At least 80 MB of JSON a second of processor time, at most 64 MiB and 32 bytes for each GPU event. The trace is made here,
events in the form PyTorch writes them; its figures are known: every kernel lasts 5 us, 10 us after the one before.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

EASIM = str(Path(sys.argv[1]).resolve())
KERNELS = 200_000

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


def main():
    if os.environ.get("EASIM_SANITIZED"):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"traceEvents": [\n')
            for part in (CPU_OP, KERNEL):
                for i in range(1, KERNELS + 1):
                    file.write(part.format(ts=1700000000000000 + 10 * i, i=i))
            file.write('  {"ph": "M", "name": "end", "pid": 0, "tid": 0}]}\n')
        done = subprocess.run([EASIM, "profile", "kineto", str(path), "--format", "json"], capture_output=True, check=True)
        size = path.stat().st_size
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(done.stdout)
    assert found["gpu_events"] == KERNELS and found["compute_us"] == 5 * KERNELS
    assert found["gpu_span_us"] == 10 * (KERNELS - 1) + 5
    rate = size / 1e6 / (used.ru_utime + used.ru_stime)
    print(f"{size / 1e6:.0f} MB, {rate:.0f} MB/s, {used.ru_maxrss / 1024:.1f} MiB")
    assert rate >= 80
    assert used.ru_maxrss * 1024 <= (64 << 20) + 32 * KERNELS


main()
