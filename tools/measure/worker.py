"""One process per GPU: trains one model at one precision on k GPUs, batch after batch, and reports each as a JSON line.

Started by __main__.py with a JSON job as its argument. A step is forward, loss, backward and the optimiser's step on
one batch that already lies on the GPU. Batches ascend: the first that does not fit ends the work.
"""
import contextlib
import ctypes
import gc
import json
import math
import os
import signal
import sys
import time

import torch
import torch.distributed as dist

from meter import MeterError, NoMeter, open_meter, rest_w
from models import BUILDERS, optimiser_of
from nvml import Nvml, NvmlError

FEWEST_STEPS = 5
DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl
NO_MEMORY = ("out of memory", "can't allocate memory", "ALLOC_FAILED")


def is_out_of_memory(error):
    return isinstance(error, MemoryError) or any(text in str(error) for text in NO_MEMORY)


def percentile(ordered, share):
    """Linear between order statistics (type 7)."""
    at = share * (len(ordered) - 1)
    low = math.floor(at)
    return ordered[low] + (at - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def summary_of(times):
    """Of the iteration times of a window, s."""
    ordered, mean = sorted(times), sum(times) / len(times)
    deviation = math.sqrt(sum((t - mean) ** 2 for t in times) / (len(times) - 1))
    return {"steps": len(times), "iteration_median_s": percentile(ordered, 0.5),
            "iteration_p95_s": percentile(ordered, 0.95), "iteration_cv": deviation / mean}


class Worker:
    def __init__(self, job, rank):
        self.job, self.rank, self.k = job, rank, job["k"]
        self.cuda = job["device"] == "cuda"
        self.device = torch.device("cuda", rank) if self.cuda else torch.device("cpu")
        self.meter = NoMeter()
        if self.cuda:
            torch.cuda.set_device(self.device)
            if rank == 0:
                self.meter = open_meter(job["gpus"])
        elif "OMP_NUM_THREADS" not in os.environ:
            torch.set_num_threads(max(1, (os.cpu_count() or 1) // self.k))
        tf32 = job["precision"] == "tf32"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
        torch.backends.cudnn.benchmark = True
        if self.k > 1:
            dist.init_process_group("nccl" if self.cuda else "gloo", init_method=f"file://{job['meeting']}", rank=rank,
                                    world_size=self.k)

    def report(self, **what):
        os.write(self.job["pipe"], (json.dumps(what) + "\n").encode())

    def together(self, number=0.0):
        """Waits for all and for their GPUs; the number of rank 0."""
        value = torch.tensor([float(number)], dtype=torch.float64, device=self.device)
        if self.k > 1:
            dist.broadcast(value, 0)
            dist.all_reduce(torch.zeros(1, device=self.device))
        if self.cuda:
            torch.cuda.synchronize()
        return value.item()

    def prepare(self):
        torch.manual_seed(self.rank)
        network, self.batch_of, self.loss_of = BUILDERS[self.job["model"]][self.job["tiny"]]()
        self.network = network.to(self.device)
        self.optimiser = optimiser_of(self.job["model"], self.network)
        if self.k > 1:
            self.network = torch.nn.parallel.DistributedDataParallel(
                self.network, device_ids=[self.rank] if self.cuda else None)

    def step(self, batch):
        autocast = torch.autocast(self.device.type, dtype=torch.bfloat16) if self.job["precision"] == "bf16" \
            else contextlib.nullcontext()
        self.optimiser.zero_grad(set_to_none=True)
        with autocast:
            loss = self.loss_of(self.network, batch)
        loss.backward()
        self.optimiser.step()
        return loss

    def warm_up(self, batch):
        """At least that many steps and seconds; the number of steps that then take the time of the window."""
        started, steps, last = time.monotonic(), 0, 0.0
        while True:
            for _ in range(self.job["warmup_steps"]):
                self.step(batch)
            steps += self.job["warmup_steps"]
            before, now = last, self.together(time.monotonic() - started)
            last = now
            if now >= self.job["warmup_s"] and steps > self.job["warmup_steps"]:
                each = (now - before) / self.job["warmup_steps"]  # the first round also chooses algorithms
                return max(FEWEST_STEPS, math.ceil(self.job["window_s"] / each))

    def mark(self):
        if not self.cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def between(self, first, last):
        return first.elapsed_time(last) / 1000 if self.cuda else last - first

    def window(self, batch, steps):
        """What one window of so many steps showed. The GPU's own events tell the iterations apart: nothing waits."""
        shown = {"power_w": None}
        self.together()
        try:
            self.meter.start()
        except MeterError as error:
            shown["no_power"] = str(error)
        begin = time.perf_counter()
        marks = [self.mark()]
        for _ in range(steps):
            loss = self.step(batch)
            marks.append(self.mark())
        self.together()
        shown["window_s"] = time.perf_counter() - begin
        try:
            if "no_power" not in shown:
                shown["power_w"] = self.meter.stop()
        except MeterError as error:
            shown["no_power"] = str(error)
        if not math.isfinite(loss.item()):
            raise ArithmeticError("the loss is not finite")
        return {**shown, **summary_of([self.between(a, b) for a, b in zip(marks, marks[1:])])}

    def measure(self, size):
        batch = self.batch_of(size, self.device)
        if self.cuda:
            torch.cuda.reset_peak_memory_stats()
        steps = int(self.together(self.warm_up(batch)))
        result = self.window(batch, steps)
        if self.rank > 0:
            return
        result["throughput_samples_s"] = self.k * size * steps / result["window_s"]
        if self.cuda:
            result["memory_gib"] = torch.cuda.max_memory_allocated() / 2 ** 30
            result["memory_reserved_gib"] = torch.cuda.max_memory_reserved() / 2 ** 30
            result["gpus_after"] = self.gpu_states()
        self.report(batch=size, result=result)

    def gpu_states(self):
        try:
            nvml = Nvml()
            return [nvml.state(nvml.device(name)) for name in self.job["gpus"]]
        except NvmlError as error:
            return str(error)

    def run(self):
        self.prepare()
        self.together()
        if self.rank > 0:
            time.sleep(self.job["rest_s"])  # a GPU that waits for another in NCCL does not rest
        else:
            rest = rest_w(self.meter, self.job["rest_s"]) if self.cuda else None
            self.report(ready={"torch": torch.__version__, "cuda": torch.version.cuda,
                               "cudnn": torch.backends.cudnn.version(), "meter": self.meter.method, "context_w": rest,
                               "fused_attention": hasattr(torch.nn.functional, "scaled_dot_product_attention")})
        for size in self.job["batches"]:
            try:
                self.measure(size)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                self.report(batch=size, out_of_memory=str(error).splitlines()[0][:300])
                return
            gc.collect()
            if self.cuda:
                torch.cuda.empty_cache()


def main():
    ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL)  # none outlives a killed parent
    job, rank = json.loads(sys.argv[1]), int(sys.argv[2])
    Worker(job, rank).run()


if __name__ == "__main__":
    main()
