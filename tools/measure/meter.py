"""Mean power of each GPU over a window: from NVML's energy counter, else by asking nvidia-smi again and again.

A window that the source cannot tell is a MeterError, never a figure.
"""
import statistics
import subprocess
import time

from nvml import Nvml, NvmlError

SHORTEST_S = 1.0  # the counter moves some ten times a second: shorter windows are mostly rounding
FEWEST_SAMPLES = 5


class MeterError(Exception):
    pass


def mean_power_w(first, last):
    """first, last: (seconds, mJ of each GPU). The counter only grows, until the driver is loaded again."""
    seconds = last[0] - first[0]
    if seconds < SHORTEST_S:
        raise MeterError(f"a window of {seconds:.3g} s is too short for the energy counter")
    used = [after - before for before, after in zip(first[1], last[1])]
    if min(used) < 0:
        raise MeterError("the energy counter went back: the driver was loaded again, or the counter wrapped")
    if min(used) == 0:
        raise MeterError("the energy counter stands still")
    return [mj / 1000 / seconds for mj in used]


class CounterMeter:
    method = "NVML energy counter"

    def __init__(self, names, nvml=None, clock=time.monotonic):
        self.nvml, self.clock = nvml or Nvml(), clock
        self.devices = [self.nvml.device(name) for name in names]
        self.read()  # fails here where GPUs have no such counter

    def read(self):
        return self.clock(), [self.nvml.energy_mj(device) for device in self.devices]

    def start(self):
        try:
            self.first = self.read()
        except NvmlError as error:
            raise MeterError(str(error)) from None

    def stop(self):
        try:
            return mean_power_w(self.first, self.read())
        except NvmlError as error:
            raise MeterError(str(error)) from None


class SmiMeter:
    method = "nvidia-smi power.draw every 100 ms"
    COMMAND = ("nvidia-smi", "--query-gpu=index,power.draw", "--format=csv,noheader,nounits", "-lms", "100", "-i")

    def __init__(self, names):
        self.names, self.process = names, None

    def start(self):
        try:
            self.process = subprocess.Popen([*self.COMMAND, ",".join(self.names)], stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        except OSError as error:
            raise MeterError(f"nvidia-smi: {error.strerror}") from None

    def stop(self):
        self.process.terminate()
        return mean_of_samples(self.process.communicate()[0], len(self.names))


def mean_of_samples(text, gpus):
    """Of lines "index, watts"; the last one may be cut."""
    samples = {}
    for line in text.splitlines(keepends=True):
        if not line.endswith("\n"):
            continue
        index, _, watts = line.partition(",")
        try:
            samples.setdefault(int(index), []).append(float(watts))
        except ValueError:
            raise MeterError(f"nvidia-smi says \"{line.strip()}\"") from None
    if len(samples) != gpus or min(map(len, samples.values())) < FEWEST_SAMPLES:
        raise MeterError("too few samples of nvidia-smi")
    return [statistics.fmean(samples[index]) for index in sorted(samples)]


class NoMeter:
    """Measures no power: stop gives None."""

    def __init__(self, method="none: not a GPU"):
        self.method = method

    def start(self):
        pass

    def stop(self):
        return None


def open_meter(names):
    """The best meter that works on all these GPUs now."""
    try:
        return CounterMeter(names)
    except NvmlError as error:
        why = str(error)
    meter = SmiMeter(names)
    try:
        meter.start()
        time.sleep(2)
        meter.stop()
        return meter
    except MeterError as error:
        return NoMeter(f"none: {why}; {error}")


def rest_w(meter, seconds):
    """Power over some seconds in which nothing is done; None where it cannot be told."""
    try:
        meter.start()
        time.sleep(seconds)
        return meter.stop()
    except MeterError:
        return None
