"""Measures training throughput and power on the GPUs of this machine and writes a profile for `easim calibrate`.

python3 tools/measure -o profile.csv       see README.md beside this file, and --help
"""
import argparse
import datetime
import importlib.util
import json
import os
import platform
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from meter import open_meter, rest_w
from nvml import Nvml, NvmlError
from record import BadRecord, Record

BATCHES = {"resnet50": [8, 16, 32, 64, 128, 256, 512], "vit-b16": [4, 8, 16, 32, 64, 128, 256],
           "albert-base-128": [8, 16, 32, 64, 128, 256, 512], "albert-base-512": [4, 8, 16, 32, 64, 128]}
DEFAULT_MODELS = ["resnet50", "vit-b16", "albert-base-512"]
PRECISIONS = ["fp32", "tf32", "bf16"]
WORKER = str(Path(__file__).resolve().with_name("worker.py"))
SIGNALS = signal.SIGINT, signal.SIGTERM
DONE, UNFINISHED, USAGE, INTERRUPTED = 0, 1, 2, 130


class Problem(Exception):
    """Nothing can be measured, or not so."""


class Stop(Exception):
    """The time is over, or somebody asked to stop; the text says which."""


# ---- What to measure ----

def listed(known=None, most=10 ** 9):
    """Parser of a list with commas: of known names, or of integers 1..most."""
    def parse(text):
        values = text.split(",")
        for value in values:
            if known and value not in known:
                raise argparse.ArgumentTypeError(f"expected some of {', '.join(known)}, got \"{value}\"")
            if not known and not (value.isdecimal() and 1 <= int(value) <= most):
                raise argparse.ArgumentTypeError(f"expected integers 1..{most} with commas, got \"{value}\"")
        if len(set(values)) < len(values):
            raise argparse.ArgumentTypeError(f"\"{text}\" names one twice")
        return values if known else sorted(map(int, values))
    return parse


def seconds(text):
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"expected seconds, got \"{text}\"")
    return value


def arguments():
    parser = argparse.ArgumentParser(prog="python3 tools/measure", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("-o", "--output", required=True, metavar="FILE.csv", help="profile; FILE.json beside it gets the method")
    add("--models", type=listed(BATCHES), default=DEFAULT_MODELS, help=f"of {', '.join(BATCHES)}")
    add("--precisions", type=listed(PRECISIONS), help="fp32 (TF32 off), tf32, bf16 (autocast); default: all, CPU: fp32")
    add("--k", type=listed(most=1024), help="numbers of GPUs (default: 1, 2, 4, 8 as far as there are)")
    add("--batches", type=listed(), help="per GPU (default: powers of two, by model)")
    add("--device", choices=["cuda", "cpu"], default="cuda", help="cpu: this machine's processor, without power")
    add("--seconds", type=seconds, default=10, help="length of a measured window (default 10)")
    add("--warmup-seconds", type=seconds, default=5, help="before each window, at least (default 5)")
    add("--warmup-steps", type=int, default=10, help="steps between two looks at that clock (default 10)")
    add("--rest-seconds", type=seconds, default=3, help="for the power of GPUs that do nothing (default 3)")
    add("--time-limit", type=seconds, help="stop after so many seconds; the next run goes on")
    add("--power-limits", type=listed(most=100000), help="W; sets each of these (needs root), then the old one again")
    add("--tiny", action="store_true", help="small stand-ins, named MODEL-tiny: to try the tool")
    add("--dry-run", action="store_true", help="list the configurations and stop")
    a = parser.parse_args()
    if a.device == "cpu" and (a.power_limits or "tf32" in (a.precisions or [])):
        parser.error("--device cpu has neither power limits nor tf32")
    if a.warmup_steps < 1:
        parser.error("--warmup-steps: expected at least 1")
    a.precisions = a.precisions or (["fp32"] if a.device == "cpu" else PRECISIONS)
    return a


class Machine:
    """The GPUs that CUDA_VISIBLE_DEVICES leaves, which have to be alike, or the processor."""

    def __init__(self, device):
        self.nvml, self.gpus, self.devices, self.column, self.driver = None, [], [], "cpu", None
        self.description = {"cpus": os.cpu_count(), "system": platform.platform()}
        if device == "cuda":
            self.find_gpus()

    def find_gpus(self):
        try:
            self.nvml = Nvml()
            visible = os.environ.get("CUDA_VISIBLE_DEVICES")
            self.gpus = [name.strip() for name in visible.split(",") if name.strip()] if visible is not None \
                else [str(i) for i in range(self.nvml.count())]
            self.devices = [self.nvml.device(name) for name in self.gpus]
            names = [self.nvml.name(device) for device in self.devices]
            self.driver = self.nvml.driver()
        except NvmlError as error:
            raise Problem(f"no GPU: {error} (--device cpu tries the tool without one)") from None
        if not names:
            raise Problem("no GPU: CUDA_VISIBLE_DEVICES leaves none")
        if len(set(names)) != 1:
            raise Problem(f"expected GPUs of one type, got {names}: choose some by CUDA_VISIBLE_DEVICES")
        self.column = "-".join(names[0].lower().removeprefix("nvidia ").split())
        self.description.update(gpu=names[0], gpus=len(names), driver=self.driver,
                                before=[self.nvml.state(device) for device in self.devices],
                                power_limit_w=self.limits(), default_power_limit_w=self.default_limits())

    def limits(self):
        return [self.told(self.nvml.limit_w, device) for device in self.devices]

    def default_limits(self):
        return [self.told(self.nvml.default_limit_w, device) for device in self.devices]

    @staticmethod
    def told(ask, device):
        try:
            return ask(device)
        except NvmlError:
            return None

    def limit_in_force(self):
        """For the column: empty if the cards are as they were made."""
        if not self.gpus or self.limits() == self.default_limits():
            return ""
        if len(set(self.limits())) != 1:
            raise Problem(f"expected one power limit, got {self.limits()} W")
        return f"{self.limits()[0]:g}"

    def set_limits(self, watts):
        for device, limit in zip(self.devices, watts):
            self.nvml.set_limit_w(device, limit)


def plan(a, gpu_count, gpu, limit_in_force):
    """Series of (model, precision, k, limit, keys by ascending batch); limit None: leave it as it is."""
    ks = a.k or [k for k in (1, 2, 4, 8) if k <= max(1, gpu_count)]
    if gpu_count and ks[-1] > gpu_count:
        raise Problem(f"--k: expected at most {gpu_count}, the number of GPUs, got {ks[-1]}")
    for limit in sorted(a.power_limits, reverse=True) if a.power_limits else [None]:
        for model in a.models:
            for precision in a.precisions:
                for k in ks:
                    yield model, precision, k, limit, [
                        (model + ("-tiny" if a.tiny else ""), precision, gpu, str(k), str(batch),
                         limit_in_force if limit is None else str(limit)) for batch in a.batches or BATCHES[model]]


def state_of(record, key):
    if key in record.rows:
        return "done"
    return f"skipped: {record.skipped[key]['reason']}" if key in record.skipped else "to do"


# ---- Measuring ----

class Runner:
    def __init__(self, a, machine, record):
        self.a, self.machine, self.record = a, machine, record
        self.end = time.monotonic() + a.time_limit if a.time_limit is not None else float("inf")
        self.patience_s = 300 + 20 * (a.seconds + a.warmup_seconds)  # the longest a batch may take
        self.failures = 0

    def check_time(self):
        if time.monotonic() + self.a.seconds + self.a.warmup_seconds > self.end:
            raise Stop("the time limit; the same command goes on from here")

    def open_session(self):
        idle = rest_w(open_meter(self.machine.gpus), self.a.rest_seconds) if self.machine.gpus else None
        self.record.sessions.append({
            "tool": "easim tools/measure",
            "begin": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "arguments": sys.argv[1:], "python": platform.python_version(), "idle_w": idle, **self.machine.description,
            "method": {"throughput": "k x batch x steps / length of the window",
                       "power": "mean of the GPUs used over that window",
                       "iteration": "between marks after each step, CUDA events on a GPU", "seconds": self.a.seconds,
                       "warmup_seconds": self.a.warmup_seconds, "warmup_steps": self.a.warmup_steps}})

    def source(self, ready):
        session = self.record.sessions[-1]
        driver = f", driver {self.machine.driver}" if self.machine.driver else ""
        return f"{session['tool']}, {session['begin'][:10]}{driver}, torch {ready['torch']}, power: {ready['meter']}"

    def job(self, series, keys, pipe, meeting):
        model, precision, k, _, _ = series
        return json.dumps({"model": model, "precision": precision, "k": k, "tiny": self.a.tiny, "device": self.a.device,
                           "gpus": self.machine.gpus[:k], "batches": [int(key[4]) for key in keys],
                           "window_s": self.a.seconds, "warmup_s": self.a.warmup_seconds,
                           "warmup_steps": self.a.warmup_steps, "rest_s": self.a.rest_seconds, "pipe": pipe,
                           "meeting": meeting})

    def run_series(self, series):
        """Measures what is still to do; what cannot be measured is noted with the reason."""
        keys = [key for key in series[4] if state_of(self.record, key) == "to do"]
        if not keys:
            return
        self.check_time()
        environment = dict(os.environ, CUDA_DEVICE_ORDER="PCI_BUS_ID")
        if self.machine.gpus:
            environment["CUDA_VISIBLE_DEVICES"] = ",".join(self.machine.gpus[:series[2]])
        else:
            environment.setdefault("GLOO_SOCKET_IFNAME", "lo")
        with tempfile.TemporaryDirectory(prefix="easim-measure.") as folder:
            log, (reading, writing) = Path(folder, "log"), os.pipe()
            job = self.job(series, keys, writing, str(Path(folder, "meeting")))
            with open(log, "wb") as errors:
                workers = [subprocess.Popen([sys.executable, WORKER, job, str(rank)], stdout=errors, stderr=errors,
                                            pass_fds=[writing], env=environment) for rank in range(series[2])]
            os.close(writing)
            try:
                left, why = self.listen(reading, keys)
            finally:
                os.close(reading)
                for worker in workers:
                    worker.kill()
                    worker.wait()
            if left:
                said = log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:]
                print("\n".join(said), file=sys.stderr)
                self.note("failed", left[0], why or (said or ["the workers ended without a word"])[-1][:300])
                self.failures += 1

    def listen(self, reading, keys):
        """Takes down reports; the keys that got none, and why if that is known here."""
        with selectors.DefaultSelector() as selector, os.fdopen(os.dup(reading), "rb") as lines:
            os.set_blocking(lines.fileno(), False)
            selector.register(lines, selectors.EVENT_READ)
            begun, text, ready = time.monotonic(), b"", {}
            while True:
                until = min(begun + self.patience_s, self.end)
                if not selector.select(max(0, until - time.monotonic())):
                    if time.monotonic() >= self.end:
                        raise Stop("the time limit; the same command goes on from here")
                    return keys, f"no result within {self.patience_s:g} s"
                some = lines.read()
                if not some:
                    return keys, None
                *whole, text = (text + some).split(b"\n")
                for report in map(json.loads, whole):
                    ready, keys = self.take(report, ready, keys)
                    begun = time.monotonic()
                    if not keys:
                        return [], None  # workers out of memory may say so one after the other
                    self.check_time()

    def take(self, report, ready, keys):
        if "ready" in report:
            return report["ready"], keys
        key, batch = keys[0], str(report["batch"])
        if "out_of_memory" in report:
            for one in keys:
                self.note("skipped", one, f"out of memory at batch {batch}: {report['out_of_memory']}")
            return ready, []
        result = report["result"]
        power = result["power_w"] and sum(result["power_w"]) / len(result["power_w"])
        self.record.add_row(key, result["throughput_samples_s"], power, self.source(ready), {**ready, **result})
        print(f"{' '.join(key[:3])} k {key[3]} batch {batch}: {result['throughput_samples_s']:.5g} samples/s, "
              f"{f'{power:.1f} W per GPU' if power else 'no power'}, iterations vary by "
              f"{100 * result['iteration_cv']:.1f} %", flush=True)
        return ready, keys[1:]

    def note(self, kind, key, reason):
        self.record.add_without_row(kind, key, reason)
        print(f"{' '.join(key[:3])} k {key[3]} batch {key[4]}: {kind}: {reason}", flush=True)

    def run(self, todo):
        old = self.machine.limits() if self.a.power_limits else []
        if None in old:
            raise Problem("--power-limits: these GPUs do not tell theirs")
        try:
            for series in todo:
                if old:
                    self.machine.set_limits([series[3]] * len(old))
                self.run_series(series)
        finally:
            for name in SIGNALS:
                signal.signal(name, signal.SIG_IGN)
            self.machine.set_limits(old)


def stop_by_signal(number_of_signal, _):
    raise Stop(signal.Signals(number_of_signal).name)


def machine_for(a):
    try:
        return Machine(a.device)
    except Problem as problem:
        if not a.dry_run:
            raise
        print(f"measure: {problem}", file=sys.stderr)
        return None


def measure(a):
    record = Record(a.output)
    machine = machine_for(a)
    gpu, limit = (machine.column, machine.limit_in_force()) if machine else ("GPU", "")
    todo = list(plan(a, len(machine.gpus) if machine else 0, gpu, limit))
    if a.dry_run:
        for key in (key for series in todo for key in series[4]):
            watts = f", limit {key[5]} W" if key[5] else ""
            print(f"{' '.join(key[:3])} k {key[3]} batch {key[4]}{watts}: {state_of(record, key)}")
        return DONE
    if importlib.util.find_spec("torch") is None:
        raise Problem("needs PyTorch 1.13 or later: https://pytorch.org/get-started, or Debian's python3-torch")
    runner = Runner(a, machine, record)
    runner.open_session()
    for name in SIGNALS:
        signal.signal(name, stop_by_signal)
    try:
        runner.run(todo)
    except Stop as stop:
        print(f"stopped: {stop}", file=sys.stderr)
        return INTERRUPTED if str(stop).startswith("SIG") else UNFINISHED
    return UNFINISHED if runner.failures else DONE


def main():
    try:
        return measure(arguments())
    except BadRecord as problem:
        print(f"measure: {problem}", file=sys.stderr)
        return USAGE
    except (Problem, NvmlError, OSError) as problem:
        print(f"measure: {problem}", file=sys.stderr)
        return UNFINISHED


if __name__ == "__main__":
    sys.exit(main())
