"""Measurements that cannot be read: easim profile. Odd but readable files: system/test_profile_files.py."""

from base import command

TRY = "Try `easim profile --help' for more information."
NO_JSON = "expected JSON, an object with \"traceEvents\" or an array"


def usage(name, arguments, error):
    return command(f"profile: {name}", ["profile", *arguments], f"easim profile: {error}", TRY)


def kineto(name, text, *errors, arguments=()):
    return command(f"profile: kineto: {name}", ["profile", "kineto", "t.json", *arguments], *errors,
                   files={"t.json": text})


MLENERGY = "task,model_id,gpu_model,num_gpus,batch_size,throughput_per_sec,avg_power_watts"


CASES = [
    usage("no file", ["kineto"], "expected FORMAT FILE..."),
    usage("no format", [], "expected FORMAT FILE..."),
    command("profile: unknown format", ["profile", "kinetto", "t.json"],
            "easim profile: no format is named \"kinetto\" (kineto, nvidia-smi, dcgm, "
            "dcgm-exporter, prometheus, dynolog, ea2p, zeus, codecarbon, mlenergy, mlperf, sia, lambda, elasticflow, points)"),
    usage("unknown output format", ["kineto", "t", "--format", "xml"],
          "--format: expected table, csv or json, got \"xml\""),
    *(usage(f"peaks {text}", ["dcgm", "t", "--peaks", text],
            "--peaks: expected NAME=VALUE with commas, as fp32=19.5,tensor_fp16=312 (TFLOP/s; also fp64, fp16, tf32, "
            f"tensor_fp8; memory in GB/s; clock in MHz), got \"{wrong}\"")
      for text, wrong in {"fp32=19.5,tensor=3": "tensor=3", "fp32=0": "fp32=0", "fp32=nan": "fp32=nan", "fp32": "fp32",
                          "fp32=1,": "", "fp16=1;fp32=2": "fp16=1;fp32=2"}.items()),
    usage("tensor threshold below 0", ["dcgm", "t", "--tensor-threshold", "-1"],
          "--tensor-threshold: expected number 0..1e+06, got \"-1\""),
    command("profile: peaks of a format without pipes", ["profile", "nvidia-smi", "t", "--peaks", "fp32=1"],
            "--peaks: not an option of format nvidia-smi, only of dcgm, dcgm-exporter, prometheus, dynolog"),
    usage("steps without an end", ["kineto", "t", "--steps", "550"], "--steps: expected FIRST:LAST, got \"550\""),
    usage("steps backwards", ["kineto", "t", "--steps", "5:4"], "--steps: expected FIRST:LAST, got \"5:4\""),
    usage("no GPUs", ["kineto", "t", "--gpus", "0"], "--gpus: expected integer 1..1048576, got \"0\""),
    usage("batch that is no number", ["kineto", "t", "--batch", "x"],
          "--batch: expected number 1e-09..1e+09, got \"x\""),
    usage("power limit 0", ["kineto", "t", "--power-limit", "0"],
          "--power-limit: expected number 1e-09..1e+15 (units: W, kW, MW), got \"0\""),
    usage("unknown unit", ["ea2p", "t", "--energy-unit", "cal"], "--energy-unit: expected J, Wh or kWh, got \"cal\""),
    usage("memory without its use", ["ea2p", "t", "--ram", "8x32"],
          "--ram: expected SLOTSxGIB:USE as 8x32:40, got \"8x32\""),
    command("profile: ea2p: unit not said", ["profile", "ea2p", "e.csv"],
            "e.csv: --energy-unit: expected J, Wh or kWh: the file does not say, and there is no config_energy.json "
            "next to it", files={"e.csv": "Project Name,CPU Time [s]\np,1\n"}),
    command("profile: ea2p: a file of something else", ["profile", "ea2p", "e.csv"],
            "e.csv:1: expected a column \"CPU Time [s]\" (is this a file of EA2P?)", files={"e.csv": "a,b\n1,2\n"}),
    command("profile: zeus: empty file", ["profile", "zeus", "z.csv"], "z.csv: empty file, expected a header line",
            files={"z.csv": "\n"}),
    command("profile: zeus: header only", ["profile", "zeus", "z.csv"], "z.csv: no measurement",
            files={"z.csv": "window_name,elapsed_time,gpu0_energy\n"}),
    command("profile: file not found", ["profile", "kineto", "nowhere.json"],
            "nowhere.json: cannot open: No such file or directory"),
    kineto("empty file", "", f"t.json: {NO_JSON}"),
    kineto("no JSON", "ts,dur\n1,2\n", f"t.json: {NO_JSON}"),
    kineto("bad pattern", "[]", "--iteration: expected a regular expression, got \"[\": missing terminating ] for character class (behind character 1)",
           arguments=("--iteration", "[")),
    kineto("no work on a GPU", '{"schema": "1.0.2-chakra.0.0.4", "nodes": [{"id": 2, "name": "aten::addmm", "ctrl_deps": 1}]}',
           "t.json: expected work on a GPU, got none in 0 events: is it a trace of the PyTorch profiler with ProfilerActivity.CUDA?"),
    kineto("no such step", '[{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1}]', "--steps: t.json: no step 1..2", arguments=("--steps", "1:2")),
    kineto("strict: truncated", "{\"traceEvents\": [", "t.json: truncated at byte 17", arguments=("--strict",)),
    command("profile: kineto: every unreadable file is named", ["profile", "kineto", "a.json", "b.json"],
            f"a.json: {NO_JSON}", "b.json: cannot open: No such file or directory", files={"a.json": "x"}),
    command("profile: mlenergy: given what the rows have", ["profile", "mlenergy", "g.csv", "--model", "x", "--gpu", "y",
                                                            "--gpus", "2", "--batch", "3"],
            *(f"g.csv:1: --{option}: the rows of these tables have their own" for option in ("model", "gpu", "gpus", "batch")),
            files={"g.csv": f"{MLENERGY}\ndraw,a,H100,1,1,0.25,500\n"}),
    command("profile: mlenergy: no row of use", ["profile", "mlenergy", "g.csv"],
            "g.csv:2: 1 rows left out, of which this is the first: no power (avg_power_watts)",
            files={"g.csv": f"{MLENERGY}\ndraw,a,H100,1,1,0.25,0\n"}),
    command("profile: mlenergy: no rows", ["profile", "mlenergy", "g.csv"], "g.csv: no measurement",
            files={"g.csv": f"{MLENERGY}\n"}),
    command("profile: mlenergy: no power", ["profile", "mlenergy", "g.csv"],
            "g.csv:1: column \"avg_power_watts\" is missing",
            files={"g.csv": MLENERGY.replace(",avg_power_watts", "") + "\ndraw,a,H100,1,1,0.25\n"}),
    command("profile: points: columns missing", ["profile", "points", "p.csv", "--gpus", "2"],
            "p.csv:1: --gpus: the rows have their own",
            *(f"p.csv:1: column \"{name}\" is missing" for name in ("prompt_tokens", "concurrency", "ttft_ms")),
            files={"p.csv": "model_id,gpu,output_tokens,tpot_ms\na,h100,100,9\n"}),
    command("profile: points: nothing of use", ["profile", "points", "p.csv"], "p.csv: no measurement",
            files={"p.csv": "model_id,gpu,prompt_tokens,output_tokens,concurrency,ttft_ms,tpot_ms\n"}),
    command("calibrate: points without power", ["calibrate", "p.csv", "-o", "m.yaml"],
            "p.csv:2:18: power_w_per_gpu: expected the power: tables of tokens or outputs need it, got \"\"",
            *(f"p.csv:2: itl_{q}_ms: expected a quantile in ms: a serving table of tokens needs all four, got \"\""
              for q in ("p50", "p90", "p95", "p99")),
            files={"p.csv": "model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu,evidence,source,unit,prompt,running_batch\n"
                            "a,h100,2,2,132.7,,measured,x,token,0.05,4\n"}),
    command("profile: mlenergy: samples", ["profile", "mlenergy", "g.csv", "--samples", "3"],
            "--samples: not an option of format mlenergy, only of nvidia-smi, dcgm, dcgm-exporter, prometheus, dynolog, ea2p, "
            "zeus, codecarbon", files={"g.csv": f"{MLENERGY}\ndraw,a,H100,1,1,0.25,500\n"}),
]
