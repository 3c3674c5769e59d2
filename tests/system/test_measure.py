"""tools/measure from outside and in parts: test_measure.py EASIM SOURCE.

The parts that need no PyTorch run always: the record, arguments, and power from a libnvidia-ml.so.1 compiled here,
whose two GPUs draw a known power, and from a stand-in of nvidia-smi. With PyTorch (of this python or of
/usr/bin/python3; it is not among the required packages) also the networks, against published counts, and tiny ones end
to end on the CPU. No GPU takes part: NCCL, CUDA events and real power are not tested here.
"""
import csv
import importlib.util
import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

from harness import SOURCE, cases, easim, json_of, run, wait_for

TOOL = SOURCE / "tools" / "measure"
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOL))
import meter  # noqa: E402
import record  # noqa: E402
from nvml import Nvml, NvmlError  # noqa: E402

# GPU 0 draws 250 W, GPU 1 350 W; limit 500 W of 700 W by default, which nobody here may change.
LIBRARY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static int device[2];
static int index_of(void *d) { return (int)((int *)d - device); }
static int put(unsigned *at, unsigned value) { *at = value; return 0; }
const char *nvmlErrorString(int code) { return code == 4 ? "Insufficient Permissions" : "Not Found"; }
int nvmlInit_v2(void) { return 0; }
int nvmlSystemGetDriverVersion(char *at, unsigned n) { snprintf(at, n, "1.2.3"); return 0; }
int nvmlDeviceGetCount_v2(unsigned *at) { return put(at, 2); }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **at) { *at = &device[i & 1]; return i < 2 ? 0 : 6; }
int nvmlDeviceGetHandleByUUID(const char *u, void **at) { *at = &device[1]; return strcmp(u, "GPU-1") ? 6 : 0; }
int nvmlDeviceGetName(void *d, char *at, unsigned n) {
    snprintf(at, n, "NVIDIA Made Up%s", getenv("MIXED") && index_of(d) ? " B" : "");
    return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *at) {
    struct timespec now;
    if (getenv("NO_COUNTER"))
        return 3;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *at = (unsigned long long)((250 + 100 * index_of(d)) * (now.tv_sec * 1e3 + now.tv_nsec / 1e6));
    return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *at) { (void)d; return put(at, 500000); }
int nvmlDeviceGetPowerManagementDefaultLimit(void *d, unsigned *at) { (void)d; return put(at, 700000); }
int nvmlDeviceSetPowerManagementLimit(void *d, unsigned mw) { (void)d; (void)mw; return 4; }
int nvmlDeviceGetClockInfo(void *d, int type, unsigned *at) { (void)d; return put(at, type == 1 ? 1980 : 2619); }
"""
SMI = """#!/bin/sh
while :; do echo "0, 240.0"; echo "1, 360.0"; sleep 0.05; done
"""
COUNTS = {  # (all, encoder). ResNet-50, ViT-B/16: torchvision's. ALBERT base v2: its encoder with pooler, as in the
    # Transformers library; with it the heads: 768*128+128 + 2*128 + 30000 (words, weights shared) + 768*2+2 (order)
    "resnet50": (25557032, None), "vit-b16": (86567656, None),
    "albert-base-128": (11683584 + 98432 + 256 + 30000 + 1538, 11683584),
    "albert-base-512": (11683584 + 98432 + 256 + 30000 + 1538, 11683584)}
NETWORKS = """
import json, sys
sys.dont_write_bytecode = True
import torch, models, worker
counts, products = {}, []
def count(layer, inputs, output):
    weights = layer.weight.numel() if isinstance(layer, torch.nn.Conv2d) else layer.in_features * layer.out_features
    places = output[0, 0].numel() if isinstance(layer, torch.nn.Conv2d) else 1
    products.append(weights * places)
for name, (full, tiny) in models.BUILDERS.items():
    network = full()[0]
    encoder = getattr(network, "encoder", None)
    counts[name] = [sum(p.numel() for p in part.parameters()) if part is not None else None
                    for part in (network, encoder)]
    if name == "resnet50":
        for layer in network.modules():
            if isinstance(layer, (torch.nn.Conv2d, torch.nn.Linear)):
                layer.register_forward_hook(count)
        network.eval()(torch.zeros(1, 3, 224, 224))
    small, batch_of, loss_of = tiny()
    loss_of(small, batch_of(3, "cpu")).backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in small.parameters()), name
q, k, v = torch.randn(3, 2, 4, 5, 6).unbind(0)
plain = (q @ k.transpose(-2, -1) / 6 ** 0.5).softmax(-1) @ v
assert torch.allclose(models.attend(q, k, v), plain, atol=1e-6)
summary = worker.summary_of([3.0, 1.0, 2.0, 6.0])
print(json.dumps({"counts": counts, "products": sum(products), "summary": summary}))
"""


def tool(*arguments, code=0, python=sys.executable, **environment):
    done = run(*python.split(), TOOL, *arguments,
               env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", **environment}, code=code)
    return done.stdout + done.stderr


def raises(kind, words, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        assert words in str(error), (words, str(error))
    else:
        raise AssertionError(f"no {kind.__name__} with \"{words}\"")


TORCH = next((python for python in (sys.executable, "/usr/bin/python3") if run(python, "-c", "import torch", code=None).returncode == 0), None)


# ---- Without PyTorch ----

def rows_are_kept_in_order(folder):
    """What was written is read back, in order of numbers; a record without its row is measured again."""
    kept = record.Record(folder / "kept.csv")
    kept.sessions.append({"begin": "now"})
    for k, batch, limit in ((10, 8, "300"), (2, 16, ""), (2, 8, "400"), (2, 8, "300")):
        kept.add_row(("m", "fp32", "g", str(k), str(batch), limit), 0.1 + k, 1 / 3, 'a "quoted", text', {"steps": 5})
    kept.add_without_row("skipped", ("m", "fp32", "g", "2", "32", ""), "out of memory")
    kept.add_without_row("failed", ("m", "fp32", "g", "2", "4", ""), "no luck")
    text = (folder / "kept.csv").read_text(encoding="utf-8")
    assert text.splitlines()[0] == "model,precision,gpu,k,batch_per_gpu,power_limit_w,throughput_samples_s," \
        "power_w_per_gpu,evidence,source"
    assert [line.split(",")[3:6] for line in text.splitlines()[1:]] == [
        ["2", "8", "300"], ["2", "8", "400"], ["2", "16", ""], ["10", "8", "300"]]
    again = record.Record(folder / "kept.csv")
    assert again.rows == kept.rows and again.notes == kept.notes and again.skipped == kept.skipped
    assert again.failed == kept.failed and float(again.rows["m", "fp32", "g", "2", "8", "300"][7]) == 1 / 3
    again.add_row(("m", "fp32", "g", "2", "4", ""), 1, None, "", {})
    assert not again.failed and ",4,,1.0,,measured,\n" in (folder / "kept.csv").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    (folder / "kept.csv").write_text("".join(lines[:2] + lines[3:]), encoding="utf-8")
    assert len(record.Record(folder / "kept.csv").rows) == 3
    assert sorted(path.name for path in folder.iterdir()) == ["kept.csv", "kept.json"]
    for path in list(folder.iterdir()):
        path.unlink()


def foreign_files_are_left_alone(folder):
    head = ",".join(record.HEAD) + "\n"
    for text, method, words in ((head, None, "not written by this tool"), ("a,b\n", "{}", "not a method of this tool"),
                                ("a,b\n", EMPTY, ":1: expected the columns model,"),
                                (head + "m,,g,1,2,,3,4,measured\n", EMPTY, ":2: expected 10 fields"),
                                (head + "m,,g,one,2,,3,4,measured,\n", EMPTY, ":2: expected 10 fields"),
                                (head + 2 * "m,,g,1,2,,3,4,measured,\n", EMPTY, ":3: this configuration stands above")):
        (folder / "foreign.csv").write_text(text, encoding="utf-8")
        (folder / "foreign.json").unlink(missing_ok=True)
        if method:
            (folder / "foreign.json").write_text(method, encoding="utf-8")
        said = tool("-o", folder / "foreign.csv", "--device", "cpu", code=2)
        assert words in said and (folder / "foreign.csv").read_text(encoding="utf-8") == text, said
    assert "does not end in .json" in tool("-o", folder / "a.json", "--device", "cpu", code=2)


EMPTY = '{"sessions": [], "rows": [], "skipped": [], "failed": []}'


def wrong_arguments(folder):
    out = ("-o", folder / "x.csv")
    for arguments, words in (((), "required: -o"), ((*out, "--models", "alexnet"), 'got "alexnet"'),
                             ((*out, "--k", "0"), 'integers 1..1024 with commas, got "0"'),
                             ((*out, "--batches", "8,,9"), 'with commas, got ""'),
                             ((*out, "--k", "1,2,1"), '"1,2,1" names one twice'),
                             ((*out, "--seconds", "nan"), 'expected seconds, got "nan"'),
                             ((*out, "--time-limit", "9m"), 'expected seconds, got "9m"'),
                             ((*out, "--warmup-steps", "0"), "expected at least 1"),
                             ((*out, "--device", "cpu", "--precisions", "tf32"), "neither power limits nor tf32"),
                             ((*out, "--device", "cpu", "--power-limits", "300"), "neither power limits nor tf32")):
        said = tool(*arguments, code=2)
        assert words in said, (words, said)
    assert "needs PyTorch 1.13 or later" in tool(*out, "--device", "cpu", python=f"{sys.executable} -S", code=1)
    assert not (folder / "x.csv").exists()


def energy_by_hand(_folder):
    """Counters in mJ: 500 J and 501 J in 2 s; one that went back, stands still, or a window too short is no figure."""
    assert meter.mean_power_w((10.0, [7, 0]), (12.0, [500007, 501000])) == [250.0, 250.5]
    big = 2 ** 63
    assert meter.mean_power_w((0.0, [big]), (1.0, [big + 3000])) == [3.0]
    raises(meter.MeterError, "went back", meter.mean_power_w, (0.0, [5, 5]), (2.0, [6, 4]))
    raises(meter.MeterError, "stands still", meter.mean_power_w, (0.0, [5, 5]), (2.0, [6, 5]))
    raises(meter.MeterError, "too short", meter.mean_power_w, (0.0, [5]), (0.9, [600]))
    assert meter.mean_of_samples("".join(f"1, {w}.0\n0, 9.5\n" for w in (10, 20, 30, 40, 50)) + "1, 9", 2) == [9.5, 30]
    raises(meter.MeterError, "[N/A]", meter.mean_of_samples, "0, [N/A]\n", 1)
    raises(meter.MeterError, "too few samples", meter.mean_of_samples, "0, 1.0\n" * 9, 2)
    raises(meter.MeterError, "too few samples", meter.mean_of_samples, "0, 1.0\n" * 4, 1)


def made_up_gpus(folder):
    """Through ctypes as with a real driver: names, limits, power of the counter, the other meter, refusals."""
    lib, bin_folder = folder / "lib", folder / "bin"
    lib.mkdir()
    bin_folder.mkdir()
    (folder / "nvml.c").write_text(LIBRARY, encoding="utf-8")
    run("cc", "-shared", "-fPIC", "-o", lib / "libnvidia-ml.so.1", folder / "nvml.c")
    (bin_folder / "nvidia-smi").write_text(SMI, encoding="utf-8")
    (bin_folder / "nvidia-smi").chmod(0o755)
    out = ("-o", folder / "x.csv", "--dry-run", "--models", "vit-b16", "--batches", "8,64")
    with_gpus = {"LD_LIBRARY_PATH": str(lib), "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    with_gpus["CUDA_VISIBLE_DEVICES"] = "0,GPU-1"
    said = tool(*out, "--precisions", "bf16", **with_gpus)
    assert said == "".join(f"vit-b16 bf16 made-up k {k} batch {b}, limit 500 W: to do\n"
                           for k in (1, 2) for b in (8, 64))
    said = tool(*out, "--precisions", "bf16", "--k", "1", "--power-limits", "300,600", **with_gpus)
    assert [line.split("limit ")[1] for line in said.splitlines()] == 2 * ["600 W: to do"] + 2 * ["300 W: to do"]
    assert "expected at most 2, the number of GPUs, got 4" in tool(*out, "--k", "4", code=1, **with_gpus)
    assert "GPUs of one type" in tool("-o", folder / "x.csv", code=1, MIXED="1", **with_gpus)
    with_gpus["CUDA_VISIBLE_DEVICES"] = ""
    assert "no GPU: CUDA_VISIBLE_DEVICES leaves none" in tool("-o", folder / "x.csv", code=1, **with_gpus)
    with_gpus["CUDA_VISIBLE_DEVICES"] = "7"
    assert "nvmlDeviceGetHandleByIndex_v2: Not Found" in tool("-o", folder / "x.csv", code=1, **with_gpus)
    script = "import meter; m = meter.open_meter(['0', 'GPU-1']); print(m.method, meter.rest_w(m, 1.5), sep=';')"
    environment = {**os.environ, **with_gpus, "PYTHONPATH": str(TOOL), "PYTHONDONTWRITEBYTECODE": "1"}
    for extra, method, watts in (({}, "NVML energy counter", (250, 350)),
                                 ({"NO_COUNTER": "1"}, "nvidia-smi power.draw every 100 ms", (240, 360))):
        text = run(sys.executable, "-c", script, env={**environment, **extra}).stdout
        said, powers = text.split(";")
        assert said == method, text
        assert all(math.isclose(x, y, rel_tol=1e-3) for x, y in zip(json.loads(powers), watts, strict=True)), text
    (bin_folder / "nvidia-smi").write_text("#!/bin/sh\necho '0, [N/A]'\n", encoding="utf-8")
    text = run(sys.executable, "-c", script, env={**environment, "NO_COUNTER": "1"}).stdout
    assert text.startswith("none: nvmlDeviceGetTotalEnergyConsumption") and text.endswith(";None\n"), text


class Library:
    """NVML in Python: remembers which limits were set; refuses below 200 W."""

    def __init__(self):
        self.limits, self.history = {0: 700000, 1: 650000}, []

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetEnforcedPowerLimit(self, device, at):
        at._obj.value = self.limits[device]
        return 0

    def nvmlDeviceSetPowerManagementLimit(self, device, mw):
        self.history.append((device, mw.value // 1000))
        if mw.value < 200000:
            return 2
        self.limits[device] = mw.value
        return 0


def limits_are_given_back(_folder):
    """After a run, after a failure and after a refusal."""
    spec = importlib.util.spec_from_file_location("measure", TOOL / "__main__.py")
    measure = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measure)
    raises(NvmlError, "not in this NVML", Nvml(Library()).energy_mj, 0)

    class Given:
        power_limits, time_limit, seconds, warmup_seconds = [300], None, 1, 1
    handlers = [signal.getsignal(name) for name in measure.SIGNALS]
    for limit, fails in ((300, False), (300, True), (100, False)):
        library, machine, seen = Library(), measure.Machine("cpu"), []
        machine.nvml, machine.gpus, machine.devices = Nvml(library), ["0", "1"], [0, 1]
        runner = measure.Runner(Given, machine, None)

        def series_run(series):
            seen.append(dict(library.limits))
            if fails:
                raise measure.Stop("the time limit")
        runner.run_series = series_run
        try:
            runner.run([("m", "fp32", 1, limit, [])])
        except (NvmlError, measure.Stop):
            assert fails or limit == 100
        assert seen == ([{0: 300000, 1: 300000}] if limit == 300 else [])
        assert library.limits == {0: 700000, 1: 650000} and library.history[-2:] == [(0, 700), (1, 650)]
    for name, handler in zip(measure.SIGNALS, handlers):
        signal.signal(name, handler)


# ---- With PyTorch ----

def networks():
    done = run(TORCH, "-c", NETWORKS, env={**os.environ, "PYTHONPATH": str(TOOL)})
    said = json.loads(done.stdout)
    assert {name: tuple(counts) for name, counts in said["counts"].items()} == COUNTS, said
    assert abs(said["products"] / 4.089e9 - 1) < 1e-3, said["products"]  # torchvision: 4.09 GFLOPS, of v1.5
    # of 1, 2, 3, 6: median 2.5, p95 at 2.85 between 3 and 6, sd sqrt((4 + 1 + 0 + 9)/3), mean 3
    expected = {"steps": 4, "iteration_median_s": 2.5, "iteration_p95_s": 5.55, "iteration_cv": math.sqrt(14 / 3) / 3}
    assert all(math.isclose(said["summary"][name], value) for name, value in expected.items()), said


QUICK = ("--device", "cpu", "--tiny", "--seconds", "0.2", "--warmup-seconds", "0", "--warmup-steps", "2")
SCENARIO = """\
name: measured
horizon: drain
cluster:
  gpu_types: [{name: cpu, idle_w: 10, ctx_w: 20, tdp_w: 65, memory_gib: 8}]
  nodes: [{count: 1, gpu: cpu, gpus: 2}]
models: models.yaml
workload: {kind: poisson, rate_per_s: 0.005, k: [1, 2], until: {jobs: 20}, sizes: {law: constant, mean: 1h}}
policy: {name: zeus}
"""


def killed_and_resumed(folder):
    """A killed run keeps its rows byte for byte, leaves no worker, and the next run measures only the rest."""
    arguments = ["-o", str(folder / "p.csv"), *QUICK, "--models", "resnet50,albert-base-128", "--k", "1,2",
                 "--batches", "2,4,1000000000"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", "TMPDIR": str(folder)}
    first = subprocess.Popen([TORCH, str(TOOL), *arguments], stdout=subprocess.PIPE, text=True,
                             env=environment)
    line = first.stdout.readline()
    assert workers_of(folder)
    first.kill()
    first.communicate()
    kept = (folder / "p.csv").read_text(encoding="utf-8").splitlines()
    assert len(kept) >= 2 and line.startswith("resnet50-tiny fp32 cpu k 1 batch 2: "), (line, kept)
    wait_for("its workers have ended", lambda: not workers_of(folder))
    assert "stopped: the time limit" in tool(*arguments, "--time-limit", "0", python=TORCH, code=1)
    out = tool(*arguments, "--dry-run", python=TORCH)
    assert out.count(": done") == len(kept) - 1, (out, kept)
    out = tool(*arguments, python=TORCH)
    assert out.count("skipped: out of memory at batch 1000000000: ") == 4, out
    lines = (folder / "p.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 9 and set(kept) <= set(lines), lines
    out = tool(*arguments, "--dry-run", python=TORCH)
    assert out.count(": done") == 8 and out.count(": skipped: out of memory") == 4, out
    notes = {tuple(note["configuration"].values()): note
             for note in json_of(folder / "p.json")["rows"]}
    for row in csv.DictReader(lines):
        note = notes[tuple(row[column] for column in record.KEY)]
        samples = int(row["k"]) * int(row["batch_per_gpu"]) * note["steps"]
        assert math.isclose(float(row["throughput_samples_s"]), samples / note["window_s"], rel_tol=1e-12)
        assert 0 < note["iteration_median_s"] <= note["iteration_p95_s"] <= note["window_s"] and note["steps"] >= 5
        assert row["power_w_per_gpu"] == "" and row["gpu"] == "cpu" and row["evidence"] == "measured"
        assert row["source"].startswith("easim tools/measure, 20") and row["source"].endswith("power: none: not a GPU")


def workers_of(folder):
    """Command lines of running workers: their job names a scratch file in the folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if b"worker.py" in words and str(folder).encode() in words:
            found.append(words)
    return found


def from_profile_to_run(folder):
    """The rows above have no power: calibrate says so, and the run takes tdp_w of the scenario."""
    out = easim("calibrate", "p.csv", "-o", "models.yaml", cwd=folder).stdout
    assert "resnet50-tiny-fp32 on cpu: 4 rows, 4 configurations" in out and "power" not in out, out
    assert (folder / "models.yaml").read_text(encoding="utf-8").count("power: tdp") == 2
    (folder / "run.yaml").write_text(SCENARIO, encoding="utf-8")
    easim("run", "run.yaml", "--check", "--quiet", "--out", "out", cwd=folder)


def failures_are_tried_again(folder):
    """A worker that ends at once: noted with its last words, exit 1, and measured when it works."""
    broken = folder / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import sys\n"
        "if any('worker.py' in word for word in sys.orig_argv):\n"
        "    raise SystemExit('the dog ate it')\n", encoding="utf-8")
    arguments = ("-o", folder / "f.csv", *QUICK, "--models", "vit-b16", "--batches", "2")
    out = tool(*arguments, python=TORCH, code=1, PYTHONPATH=str(broken))
    assert "vit-b16-tiny fp32 cpu k 1 batch 2: failed: " in out and "the dog ate it" in out, out
    assert ": to do" in tool(*arguments, "--dry-run", python=TORCH)
    tool(*arguments, python=TORCH)
    kept = json_of(folder / "f.json")
    assert len(kept["rows"]) == 1 and kept["failed"] == [] and len(kept["sessions"]) == 2


cases(rows_are_kept_in_order, foreign_files_are_left_alone, wrong_arguments, energy_by_hand, made_up_gpus, limits_are_given_back,
      *([networks, killed_and_resumed, from_profile_to_run, failures_are_tried_again] if TORCH else []), shared=True)
if not TORCH:
    print("not run: 4 checks that need PyTorch (Debian: python3-torch)")
