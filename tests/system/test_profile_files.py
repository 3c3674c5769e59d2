"""Small files with one quirk each: test_profile_files.py EASIM SOURCE. Files: tests/profiles/FORMAT.

Kineto: most files hold the same six events, whose figures follow by hand. In microseconds: step 5 at 1000..1100; gemm
1010..1030, AllReduce 1020..1050, copy 1045..1055 (4096 bytes), relu 1075..1080. So span 1010..1080, busy 45 + 5, overlap
1020..1030, exposed 1030..1045.
"""
import gzip
import json
import math
import shutil

from harness import SOURCE, cases, easim

PROFILES = SOURCE / "tests/profiles"

BASE = {"rank": 3, "world_size": 8, "gpu_events": 4, "communication_events": 1, "gpu_span_us": 70, "gpu_busy_us": 50,
        "gpu_idle_us": 20, "compute_us": 25, "communication_us": 30, "memory_us": 10, "overlap_us": 10,
        "exposed_communication_us": 15, "iteration_median_us": 100, "step_count": 1, "truncation": None}
UNKNOWN = {"rank": None, "world_size": None}
NO_BATCH = "--batch: there is no throughput without it\n"
NO_SIZE = "--gpus: there is no throughput without it\n" + NO_BATCH
NO_STEP = "--iteration: no iteration is marked: no throughput; a pattern names the annotation that begins one\n"
EARLY = {"gpu_events": 3, "gpu_span_us": 45, "gpu_busy_us": 45, "gpu_idle_us": 0, "compute_us": 20}  # without relu
EMPTY = dict.fromkeys(("gpu_events", "communication_events", "gpu_span_us", "gpu_busy_us", "gpu_idle_us", "compute_us",
                       "communication_us", "memory_us", "overlap_us", "exposed_communication_us"), 0)


def changed(**figures):
    return {**BASE, **figures}


# files and options: (exit code, figures of the JSON or None, standard error; {} is the folder)
KINETO = {
    "plain.json": (0, changed(records=6, gpu="Test GPU", gpu_memory_bytes=1000, backend="nccl", streams=[7, 20],
                              trace_copies=[{"name": "Memcpy HtoD", "count": 1, "bytes": 4096}]), NO_BATCH),
    "plain.json --strict": (0, BASE, NO_BATCH),
    "plain.json.gz": (0, BASE, NO_BATCH),
    # metadata, counters, flows, instants; and spans of categories that are no GPU work, 3 ms each
    "other_events.json": (0, changed(records=20), NO_BATCH),
    "key_order.json": (0, changed(gpu="Test GPU"), NO_BATCH),
    "no_rank.json": (0, changed(**UNKNOWN, backend="nccl"), NO_SIZE),
    "no_information.json": (0, changed(**UNKNOWN, gpu=None, backend=None), NO_SIZE),
    "cpu_only.json": (0, changed(**EMPTY), NO_BATCH),
    "error_arrays.json": (0, BASE, NO_BATCH),
    "bare_array.json": (0, changed(**UNKNOWN), NO_SIZE),
    "old_categories.json": (0, BASE, NO_BATCH),
    "step_twice.json": (0, BASE, NO_BATCH),
    # a timeline of easim (docs/howto/publish.md). GPU 1 of node 0 has two lanes: 0 .. 1000.5 and 500 .. 1500.25; by union 1500.25.
    # No name makes a kernel of a job, waits and sleep are no work; gpu_busy is of any GPU: node 0's and 2000 .. 2003
    "simulated.json": (0, changed(**UNKNOWN | EMPTY | {"gpu_events": 5, "gpu_span_us": 2003.0, "gpu_busy_us": 1503.25,
                                                       "gpu_idle_us": 499.75, "compute_us": 1001.5, "memory_us": 1002.25},
                                  iteration_median_us=None, step_count=0, simulated_busy_us=1506.375,
                                  simulated_energy_j=4.377, simulated_gpus=[
        {"node": 0, "gpu": 1, "slices": 2, "busy_us": 1500.25, "energy_j": 4.25},
        {"node": 7, "gpu": 1, "slices": 2, "busy_us": 3, "energy_j": 0.125},
        {"node": 7, "gpu": 0, "slices": 1, "busy_us": 3.125, "energy_j": 0.002}]),
        "{}/simulated.json: 1 slices without energy_j\n"
        "{}/simulated.json: a timeline of easim: its times and energies are simulated, not measured\n"),
    "no_step.json": (0, changed(iteration_median_us=None, step_count=0), NO_STEP),
    # steps 1000..1100 and 1100..1190; the third is open
    "iteration_pattern.json --iteration ^Optimizer": (0, changed(iteration_median_us=95, step_count=2), NO_BATCH),
    # a: .789 + .007 = .796; b: .795 .. 58.001, behind the end of the step: together 1.212
    "nanoseconds.json": (0, changed(**EMPTY | {"gpu_events": 2, "gpu_span_us": 1.212, "gpu_busy_us": 1.212,
                                               "compute_us": 1.212}, iteration_median_us=1.5), NO_BATCH),
    "durations.json": (3, changed(gpu_events=5),
                       "{}/durations.json: 1 events without start or duration left out\n"
                       "{}/durations.json: 1 events with a negative duration left out\n"
                       "{}/durations.json: 1 events with an unreadable start or duration left out\n" + NO_BATCH),
    "out_of_order.json": (0, BASE, NO_BATCH),
    "big_number.json": (0, BASE, NO_BATCH),
    "nan_inf.json": (0, BASE, NO_BATCH),
    "nan_inf.json --strict": (2, None, "{}/nan_inf.json: expected valid JSON, got a bad value at byte 345\n"),
    "backslash.json": (0, changed(records=7), NO_BATCH),
    "backslash.json --strict": (2, None, "{}/backslash.json: expected valid JSON, got a bad value at byte 89\n"),
    "backslash_before_quote.json": (3, changed(records=6),
                                    "{}/backslash_before_quote.json: 1 damaged events left out\n" + NO_BATCH),
    "damaged_event.json": (3, changed(records=6), "{}/damaged_event.json: 1 damaged events left out\n" + NO_BATCH),
    "quotes_in_three_events.json": (3, changed(records=6), "{}/quotes_in_three_events.json: 3 damaged events left out\n" + NO_BATCH),
    "quote_in_last_event.json": (3, changed(records=6), "{}/quote_in_last_event.json: 1 damaged events left out\n" + NO_BATCH),
    "list_never_closed.json": (3, changed(records=6), "{}/list_never_closed.json: 1 damaged events left out\n" + NO_BATCH),
    "launch_without_name.json": (0, changed(records=7), NO_BATCH),
    "control_bytes.json": (0, changed(records=7), NO_BATCH),
    "trailing_comma.json": (0, BASE, NO_BATCH),
    "truncated.json": (3, changed(**EARLY, records=5, truncation="truncated at byte 917"),
                       "{}/truncated.json: truncated at byte 917, 5 events kept\n" + NO_BATCH),
    "truncated_between.json": (3, changed(**EARLY, records=5, truncation="truncated at byte 875"),
                               "{}/truncated_between.json: truncated at byte 875, 5 events kept\n" + NO_BATCH),
    "truncated.json --strict": (2, None, "{}/truncated.json: truncated at byte 917\n"),
    # 6 events and 183 kernels of 0.5 us from 2000 us on, 1 us apart
    "truncated.json.gz": (3, changed(gpu_events=187, gpu_span_us=1172.5, gpu_busy_us=141.5, compute_us=116.5,
                                     gpu_idle_us=1031, truncation="truncated at byte 28847 (damaged compressed data)"),
                          "{}/truncated.json.gz: truncated at byte 28847 (damaged compressed data), 189 events kept\n" + NO_BATCH),
    "unfinished.json.tmp": (0, BASE, "{}/unfinished.json.tmp: ends in .tmp: an export that was not finished\n" + NO_BATCH),
    "text_ids.json": (0, changed(**EMPTY | {"gpu_events": 1, "gpu_span_us": 20, "gpu_busy_us": 20, "compute_us": 20},
                                 streams=[-1], iteration_median_us=None, step_count=0), NO_STEP),
    "crlf_bom.json": (0, BASE, NO_BATCH),
    "display_unit.json": (0, changed(**UNKNOWN), NO_SIZE),
    "memory.json": (0, changed(peak_allocated_bytes=650, peak_reserved_bytes=700), NO_BATCH),
    "deep.json": (0, changed(records=7), NO_BATCH),
    "deep.json --strict": (2, None, "{}/deep.json: expected valid JSON, got a bad value at byte 89\n"),
    "rccl.json": (0, changed(**EMPTY | {"gpu_events": 3, "communication_events": 1, "gpu_span_us": 25, "gpu_busy_us": 15,
                                        "gpu_idle_us": 10, "compute_us": 10, "communication_us": 5,
                                        "exposed_communication_us": 5}, iteration_median_us=None, step_count=0), NO_STEP),
    "rccl.json --communication ^my": (0, {"communication_us": 5, "compute_us": 10}, NO_STEP),
    # the figures of the whole trace hold what runs before, between and after the steps
    "outside_steps.json": (0, {"gpu_events": 7, "gpu_busy_us": 185, "gpu_span_us": 460, "steps": [550, 551, 552]}, NO_BATCH),
    # launched in step 551: 1120..1160 and, though it runs in step 552, 1210..1240; without a launch, 1170..1175
    "outside_steps.json --steps 551:551": (0, {"gpu_events": 3, "gpu_busy_us": 75, "gpu_span_us": 120, "steps": [551]}, NO_BATCH),
    "outside_steps.json --steps 551:555": (0, {"gpu_events": 4, "gpu_busy_us": 95, "steps": [551, 552]}, NO_BATCH),
    "outside_steps.json --steps 560:561": (2, None, "--steps: {}/outside_steps.json: no step 560..561\n"),
    # Stream 7: before its events 2 to 6 gaps of 5 us (launched before the gap began), 80 (launched as it began), 40 (launched
    # 1 ns after), 4 and 130 (no launch). Stream 8: its second lies within its first; 30, launched 1 after that one's end.
    "idle.json": (0, {"stream_idle_us": 289, "host_wait_percent": 7000 / 289, "kernel_wait_percent": 900 / 289,
                      "other_wait_percent": 21000 / 289, "idle_by_stream": [
        {"device": 0, "stream": 7, "gpu_events": 6, "stream_idle_us": 259, "host_wait_percent": 4000 / 259,
         "kernel_wait_percent": 900 / 259},
        {"stream": 8, "gpu_events": 3, "stream_idle_us": 30, "host_wait_percent": 100, "other_wait_percent": 0}]}, NO_STEP),
    "idle.json --kernel-delay 80": (0, {"kernel_wait_percent": 900 / 289, "other_wait_percent": 21000 / 289}, NO_STEP),
    "idle.json --kernel-delay 80.001": (0, {"kernel_wait_percent": 8900 / 289}, NO_STEP),
    "plain.json rank3_again.json": (2, None, "rank 3 is in two files: {}/plain.json and {}/rank3_again.json\n"),
    "rank3_again.json plain.json": (2, None, "rank 3 is in two files: {}/plain.json and {}/rank3_again.json\n"),
    "plain.json no_rank.json": (2, None, "{}/no_rank.json: no distributedInfo.rank, which each of several files needs\n"),
    "plain.json --communication (": (2, None, '--communication: expected a regular expression, got "(": missing closing parenthesis (behind character 1)\n'),
}

# Two GPUs: a draws 100, 200, 200 W at 0, 1, 3 s: 150 + 400 J; b 50, 50, 70 W at 0.5, 1.5, 3.5 s: 50 + 120 J. Quantiles
# interpolate: the 95 % of 50, 50, 70 lies at 1.9 of 0..2.
A = {"device": "GPU-a", "samples": 3, "changes": 2, "duration_s": 3, "energy_j": 550, "counter_energy_j": None,
     "power_mean_w": 550 / 3, "power_sample_mean_w": 500 / 3, "power_p50_w": 200, "power_p95_w": 200, "power_max_w": 200,
     "utilization_mean_%": 190 / 3, "memory_used_max_mib": 3000, "power_capped_share": 1 / 3, "gpu": "Test GPU"}
B = {"device": "GPU-b", "samples": 3, "changes": 2, "duration_s": 3, "energy_j": 170, "power_mean_w": 170 / 3,
     "power_p50_w": 50, "power_p95_w": 68, "power_max_w": 70, "utilization_mean_%": 0}
RISE = {"samples": 2, "duration_s": 2, "energy_j": 30, "power_mean_w": 15}  # 10 W, 2 s later 20 W
NO_TIMES = "--interval: no times in the file: rows taken to be 1 s apart\n"
NO_KEY = "no column tells GPUs apart (uuid, pci.bus_id, index): all rows count as one GPU\n"
NO_HEADER = ":1:1: expected a header with power.draw, or the columns of a file without one\n"
CAPTION = "timestamp,index,uuid,name,power.draw,utilization.gpu,memory.used,enforced.power.limit,clocks_event_reasons.active"


def unread(file, rows, line):
    where = f"{file}:{line}" if line else file
    return f"{{}}/{where}: {rows} rows that cannot be read left out, this is the first\n"


NVIDIA = {
    "units.csv": (0, {"rows": 6, "bad_rows": 0, "devices": [A, B]}, ""),
    "units.csv --strict": (0, {"devices": [A, B]}, ""),
    # without its idle ends, 200 W at 1 and 3 s; b, idle all the time, stays as it is
    "units.csv --trim-idle": (0, {"devices": [{"energy_j": 400, "duration_s": 2}, B]}, ""),
    "no_units.csv": (0, {"devices": [A, B]}, ""),
    "no_header.csv": (2, None, "{}/no_header.csv" + NO_HEADER),
    "no_header.csv --columns " + CAPTION: (0, {"devices": [A, B]}, ""),
    "crlf_bom_blank.csv": (0, {"devices": [A, B]}, ""),
    "repeated_header.csv": (0, {"rows": 6, "bad_rows": 0, "devices": [A, B]}, ""),
    "repeated_rows.csv": (0, {"rows": 10, "repeated_rows": 4, "devices": [A, B]},
                          "4 rows that repeat an earlier one left out\n"),
    "partial_last_line.csv": (0, {"devices": [A, B]}, "1 last lines without a line end left out\n"),
    "backwards.csv": (0, {"devices": [A, B]}, "1 times before the one above: rows were sorted\n"),
    # the reasons of the ten samples are given: no cap
    "missing.csv": (0, {"devices": [A | {"power_capped_share": 1 / 13}, B]}, "10 samples without power left out\n10 samples without utilization\n10 samples without memory used\n"),
    "bad_cells.csv": (3, {"bad_rows": 2, "devices": [A, B]}, unread("bad_cells.csv", 2, 8)),
    "bad_cells.csv --strict": (2, None, "{}/bad_cells.csv:8: row that cannot be read\n"),
    "truncated.csv.gz": (3, {"devices": [{"samples": 2}, {"samples": 2}]},
                         "{}/truncated.csv.gz: truncated gzip data after line 5, 4 rows kept\n"),
    "truncated.csv.gz --strict": (2, None, "{}/truncated.csv.gz: truncated gzip data after line 5\n"),
    "mig.csv": (0, {"devices": [{"energy_j": 433.78, "memory_used_max_mib": 100}]}, "2 samples without utilization\n"),
    "instant_only.csv": (0, {"devices": [RISE]}, NO_KEY),
    "average_missing.csv": (0, {"devices": [RISE]}, ""),
    # 10 W, 2 s later 20 W; the second has a counter
    "a100.csv": (0, {"devices": [RISE, RISE | {"counter_energy_j": 30}]},
                 "2 samples without a reading of the energy counter\n"
                 "1 A100 or H100 without an energy counter: their sensors see about 25 % of the time\n"),
    # bare cells are in the unit of the header, a unit in a cell goes before it: 10 W, 20 W; 512 and 256 MiB
    "kilowatts.csv": (0, {"devices": [RISE | {"memory_used_max_mib": 512}]}, ""),
    "kilowatts.csv --trim-idle": (0, {"devices": [RISE]}, "--trim-idle: no effect: the input has no utilization\n"),
    "unknown_unit.csv": (2, None, '{}/unknown_unit.csv:1:1: expected W, kW, MW as unit of a column, got "power.draw [VA]"\n'),
    "no_header.csv --columns timestamp,power.draw[VA]": (
        2, None, 'columns: expected W, kW, MW as unit of a column, got "power.draw[VA]"\n'),
    "quoted_name.csv": (0, {"devices": [RISE | {"device": "00:01", "gpu": "Test, with comma"}]}, ""),
    "milliseconds.csv": (0, {"devices": [RISE]}, NO_KEY),
    # the column gpu tells them apart, not index; 09:00 at +08:00 is 01:00 UTC
    "iso_zone.csv": (0, {"devices": [RISE | {"device": "0"}, {"device": "1", "energy_j": 80}]}, ""),
    # 110 J, then a reset and 40 J, then 200 J
    "counter.csv": (0, {"devices": [{"energy_j": 400, "counter_energy_j": 350}]}, "1 resets of an energy counter\n"),
    # 100, 120, 140 W and 50, none, 70 W, each a second apart
    "dmon.txt": (0, {"devices": [{"device": "0", "energy_j": 240, "utilization_mean_%": 100},
                                 {"device": "1", "samples": 2, "energy_j": 120}]},
                 "1 samples without power left out\n3 samples without utilization\n" + NO_TIMES),
    "dmon.txt --interval 2": (0, {"devices": [{"energy_j": 480}, {"energy_j": 240}]},
                              "1 samples without power left out\n3 samples without utilization\n" + NO_TIMES.replace("1 s", "2 s")),
    "dmon_time.txt": (0, {"devices": [{"duration_s": 2, "energy_j": 220}]}, ""),
    "dmon_date_time.txt": (0, {"devices": [{"duration_s": 2, "energy_j": 220}]}, ""),
    "no_power.csv": (2, None, "{}/no_power.csv" + NO_HEADER),
}

def pipes(device, *, tensor, fp32, fp16, clock, tensor_clock, precision, peaks, mfu_of=None):
    """pipes.txt: a second at 915 MHz with tensor activity 0.5 and one at 1830 MHz with 0.25; FP32 0.125 and FP16 0.375 in both. The
    first sample has no activity, the last one an impossible one. TFLOP/s, MHz; 300 W."""
    seconds = [share * tensor * (mhz / tensor_clock if tensor_clock else 1) +
               (0.125 * fp32 + 0.375 * fp16) * (mhz / clock if clock else 1) for mhz, share in ((915, 0.5), (1830, 0.25))]
    mean = sum(seconds) / 2
    return (0, {"flops": [{"device": "0", "peaks_of": peaks, "tensor_precision": precision, "samples": 2, "duration_s": 2,
                           "tflop_s": mean, "mfu": mean / tensor, "pj_per_flop": 300 / mean,
                           "sm_clock_share": (915 + 1830) / 2 / tensor_clock if tensor_clock else None}],
                "flops_over_time": [{"device": "0", "tflop_s": second} for second in seconds]}, device)


LEFT_OUT = ("2 samples without all pipes, or with an activity outside 0 to 1, have no FLOP/s\n"
            "FLOP/s are estimates from the activity of pipes: Meta found counters up to 10 % higher; easim has no data to check this\n")
NO_PIPES = "".join(f"1 samples without {name} activity\n" for name in ("tensor", "FP64", "FP32", "FP16")) + NO_TIMES
NO_FLOPS = "--peaks: 1 devices have no FLOP/s: "
NO_PEAKS = "the peaks of their GPU type are not known\n"
DCGM_MISSING = "2 samples without memory used\n1 samples without SM activity\n1 samples without a reading of the energy counter\n"
# GPU 0: 100, 200 W a second apart, its counter 160 J; memory and activity without the blanks. Other entities do not count.
DCGM = {
    "dmon.txt": (0, {"rows": 4, "devices": [
        {"device": "0", "energy_j": 150, "counter_energy_j": 160, "sm_active_mean": 0.5, "memory_used_max_mib": 30},
        {"device": "1", "energy_j": 50, "counter_energy_j": None, "sm_active_mean": 0.125}]}, DCGM_MISSING + NO_TIMES),
    "dmon.txt --interval 0.5": (0, {"devices": [{"energy_j": 75}, {"energy_j": 25}]},
                              DCGM_MISSING + NO_TIMES.replace("1 s", "0.5 s")),
    "bad_rows.txt": (3, {"bad_rows": 2, "devices": [{"samples": 2, "energy_j": 200}]},
                     unread("bad_rows.txt", 2, 4) + "1 last lines without a line end left out\n" + NO_TIMES),
    "new_names.txt": (0, {"devices": [RISE | {"duration_s": 1, "energy_j": 15, "utilization_mean_%": 75,
                                              "tensor_active_mean": 0.5}]}, NO_FLOPS + NO_PEAKS + NO_TIMES),
    "string_field.txt": (0, {"bad_rows": 0, "devices": [{"samples": 2, "energy_j": 15}]}, NO_TIMES),
    # 0.375 > 1 x 0.125: FP16
    "pipes.txt --gpu H100": pipes(LEFT_OUT + NO_PIPES, tensor=989.4, fp32=66.9, fp16=133.8, clock=1980, tensor_clock=1830,
                                  precision="fp16", peaks="H100"),
    "pipes.txt --gpu H100 --tensor-threshold 4": pipes(LEFT_OUT + NO_PIPES, tensor=494.7, fp32=66.9, fp16=133.8, clock=1980,
                                                       tensor_clock=1830, precision="tf32", peaks="H100"),
    "pipes.txt --gpu Tesla_V100-SXM2 --tensor-threshold 4": pipes(
        LEFT_OUT + NO_PIPES, tensor=125, fp32=15.7, fp16=31.4, clock=1530, tensor_clock=1530, precision="fp16", peaks="V100"),
    "pipes.txt --gpu H100 --precision TF32": pipes(LEFT_OUT + NO_PIPES, tensor=494.7, fp32=66.9, fp16=133.8, clock=1980,
                                                   tensor_clock=1830, precision="tf32", peaks="H100"),
    "pipes.txt --gpu H100 --peaks tensor_fp16=800,clock=1000": pipes(
        LEFT_OUT + NO_PIPES, tensor=800, fp32=66.9, fp16=133.8, clock=1000, tensor_clock=1000, precision="fp16", peaks="H100"),
    "pipes.txt --peaks tensor_fp16=100,fp16=20": pipes(
        "1 devices whose FP32 peak is not known: its FLOP count as 0\n" + LEFT_OUT + NO_PIPES, tensor=100, fp32=0, fp16=20,
        clock=None, tensor_clock=None, precision="fp16", peaks="given"),
    "pipes.txt --gpu H1000": (0, {"devices": [{"samples": 4}]}, NO_FLOPS + NO_PEAKS + NO_PIPES),
    "pipes.txt --peaks fp32=10": (0, {"devices": [{"samples": 4}]}, NO_FLOPS + "the peak of tensor cores is not known\n" + NO_PIPES),
    "no_header.txt": (2, None, '{}/no_header.txt: expected dcgmi dmon with a line "#Entity ..."\n'),
}

BLANK = "1 samples without memory used\n"
# 100, 200, 200 W a second apart: 350 J. The counter: 160 J, then a reset and 30 J. The blank of memory does not count.
SERIES = {"device": "GPU-0", "samples": 3, "energy_j": 350, "counter_energy_j": 190, "memory_used_max_mib": 30,
          "gpu": "Test GPU"}
RESET = "1 resets of an energy counter\n"
EXPORTER = {
    "series.prom": (0, {"rows": 12, "devices": [SERIES]}, BLANK + RESET),
    "repeated.prom": (0, {"repeated_rows": 9, "devices": [SERIES]}, "9 rows that repeat an earlier one left out\n" + BLANK + RESET),
    "partial_last_line.prom": (0, {"devices": [SERIES]}, "1 last lines without a line end left out\n" + BLANK + RESET),
    "bad_rows.prom": (3, {"bad_rows": 4, "devices": [SERIES]}, unread("bad_rows.prom", 4, 15) + BLANK + RESET),
    # both instances show the board's power: it counts once
    "mig.prom": (0, {"devices": [{"energy_j": 400, "duration_s": 2, "sm_active_mean": 0.5}]}, ""),
    "scrapes.prom": (0, {"devices": [{"energy_j": 400}, {"energy_j": 20}]}, NO_TIMES),
    "scrape_1.prom scrape_2.prom --interval 10": (0, {"devices": [{"energy_j": 1500}]}, NO_TIMES.replace("1 s", "10 s")),
    "blanks.prom": (0, {"devices": [{"samples": 0}] * 5 + [{"samples": 1}]}, "5 samples without power left out\n" + NO_TIMES),
}

# 100 W, 1.5 s later 200 W; the counter rises by 300 J in 2 s
MATRIX = {"device": "GPU-a", "samples": 2, "energy_j": 225, "counter_energy_j": 300}
NO_POWER = "1 samples without power left out\n"
PROMETHEUS = {
    "matrix.json": (0, {"devices": [MATRIX]}, NO_POWER),
    "vector.json": (0, {"devices": [{"power_mean_w": 100}, {"power_mean_w": 300}]}, ""),
    "truncated.json": (3, {"devices": [MATRIX | {"counter_energy_j": None}]},
                       "{}/truncated.json: truncated at byte 350, 3 rows kept\n" + NO_POWER),
    "truncated.json --strict": (2, None, "{}/truncated.json: truncated at byte 350\n"),
    "bad_value.json": (3, {"rows": 4, "devices": [{"samples": 2, "energy_j": 300}]}, unread("bad_value.json", 1, 0)),
    "no_labels.json": (2, None, "{}/no_labels.json: no power of any GPU\n"),
    "error.json": (2, None, "{}/error.json: the server answered with an error, bad_data: parse error\n"),
    "error_timeout.json": (2, None, "{}/error_timeout.json: the server answered with an error, timeout: query \"DCGM_FI_DEV_POWER_USAGE\" "
                                    "timed out in expression evaluation\n"),
    "error_no_reason.json": (2, None, "{}/error_no_reason.json: the server answered with an error: it gives no reason\n"),
    "scalar.json": (2, None, "{}/scalar.json: data.resultType: expected vector or matrix, got \"scalar\"\n"),
    "warnings.json": (0, {"devices": [{"power_mean_w": 100}]},
                      "{}/warnings.json: the server's warning: results truncated due to limit\n"
                      "{}/warnings.json: the server's warning: PromQL warning: \u2082 mixed\n"
                      "{}/warnings.json: the server's information: metric might not be a counter\n"),
}

# Ten seconds apart, device 0: 100, 200 W; device 1: 10, 30 W
LOGGED = [{"device": "0", "duration_s": 10, "energy_j": 1500, "sm_active_mean": 0.625, "utilization_mean_%": 90},
          {"device": "1", "duration_s": 10, "energy_j": 200}]
DYNOLOG = {
    "glog.log": (0, {"rows": 4, "bad_rows": 0, "devices": LOGGED}, ""),
    "host_records.log": (0, {"rows": 5, "bad_rows": 0, "devices": LOGGED}, ""),
    "time_unset.log": (0, {"devices": LOGGED}, ""),
    "plain.jsonl --interval 10": (0, {"devices": LOGGED}, NO_TIMES.replace("1 s", "10 s")),
    "ellipsis.log": (3, {"bad_rows": 1, "devices": LOGGED}, unread("ellipsis.log", 1, 9)),
    "cut.log": (3, {"bad_rows": 1, "devices": LOGGED}, unread("cut.log", 1, 9)),
    "no_stamp.log": (3, {"bad_rows": 1, "devices": LOGGED}, unread("no_stamp.log", 1, 9)),
    "no_power.log": (0, {"devices": LOGGED}, "2 samples without power left out\n1 samples without SM activity\n"),
}

# 600 J of two GPUs, 40 J of the package (core and uncore are inside), 10 J of memory, 1000 J of all, in 20 s
REPORT = {"elapsed_s": 20, "gpus": 2, "gpu_energy_j": 600, "gpu_power_w": 30, "cpu_power_w": 2, "memory_power_w": 0.5,
          "system_power_w": 50}


def left_out(file, line):
    return f"{{}}/{file}:{line}: row left out: it does not fit its header or cannot be read\n"


EA2P = {
    "joules.csv": (0, {"rows": [REPORT | {"line": 2}]}, ""),  # the unit of config_energy.json
    "joules.csv --energy-unit Wh": (0, {"rows": [{"gpu_energy_j": 600 * 3600, "gpu_power_w": 108000}]}, ""),
    "joules.csv --energy-unit kWh": (0, {"rows": [{"gpu_energy_j": 600 * 3600 * 1000}]}, ""),
    "other_devices.csv": (3, {"rows": [REPORT, REPORT | {"line": 4}]}, left_out("other_devices.csv", 3)),
    "other_devices.csv --strict": (2, None, "{}/other_devices.csv:3: row that does not fit its header or cannot be read\n"),
    # the row of totals, which sums the times as well, does not count
    "ranks.csv": (0, {"rows": [REPORT, REPORT | {"gpu_energy_j": 400, "gpu_power_w": 20}]}, ""),
    "xeon.csv": (0, {"rows": [{"gpus": 1, "gpu_power_w": 0.075, "cpu_power_w": 0.05, "memory_power_w": 0.025}]}, ""),
    "amd.csv": (0, {"rows": [{"gpus": 0, "gpu_power_w": None, "cpu_power_w": 8}]}, ""),
    # EA2P's model: 5 W a module of 32 GB, 75 % of it up to half used; 4 W of 16 GB, 35 % up to 5 %; DDR3 4.5 W, 85 %
    "joules.csv --ram 8x32:40": (0, {"ram_model_w": 8 * 5 * 0.75}, ""),
    "joules.csv --ram 4x16:5": (0, {"ram_model_w": 4 * 4 * 0.35}, ""),
    "joules.csv --ram 2x256:10": (0, {"ram_model_w": 2 * 10 * 0.65}, ""),
    "joules.csv --ram 4x16:ddr3:70.5": (0, {"ram_model_w": 4 * 4.5 * 0.85}, ""),
    # 20 s / 1.25 s and 2 readings, 1 s each by the file: 18 s
    "joules.csv --rescale 1.25": (0, {"rows": [REPORT | {"gpu_energy_j": 600 * 20 / 18, "gpu_power_w": 600 / 18,
                                                         "gpu_rescale_factor": 20 / 18}]}, ""),
    "thousand_dots.csv": (0, {"rows": [{"gpu_energy_j": 600, "cpu_power_w": None}]},
                          "{}/thousand_dots.csv: 1 values missing in column \"package 0\"\n"),
    "amd.csv --rescale 1.25": (0, {"rows": [{"gpu_power_w": None, "cpu_power_w": 8}]},
                               "{}/amd.csv:1: --rescale: no effect: no energies of GPUs\n"),
    "not_ea2p.csv": (2, None, '{}/not_ea2p.csv:1: expected a column "CPU Time [s]" (is this a file of EA2P?)\n'),
}

ZEUS = {
    "windows.csv": (0, {"rows": [
        {"window": "__GlobalPowerLimitOptimizer_300", "power_limit_w": 300, "power_w_per_gpu": 250},
        {"power_limit_w": 275, "power_w_per_gpu": 200}, {"window": "epoch_7", "power_limit_w": None, "power_w_per_gpu": 250},
        {"power_w_per_gpu": None}, {"power_w_per_gpu": None}]},
        "{}/windows.csv: 1 values missing in column \"gpu0_energy\"\n"
        "{}/windows.csv: 1 windows without energy: shorter than the counter's update\n"),
    "bad_rows.csv": (3, {"rows": [{"power_w_per_gpu": 25}, {"power_w_per_gpu": 15}]},
                     left_out("bad_rows.csv", 3) + left_out("bad_rows.csv", 4)),
    "missing.csv": (3, {"rows": [{"power_w_per_gpu": None}, {"power_w_per_gpu": 10}, {"power_w_per_gpu": 10}]},
                    left_out("missing.csv", 4) +
                    "{}/missing.csv: 1 values missing in column \"gpu0_energy\"\n"),
    "partial_last_line.csv": (0, {"rows": [{"power_w_per_gpu": 10}]},
                              "{}/partial_last_line.csv:3: last line without a line end left out\n"),
    "sweep.csv --dataset imagenet": (3, {"rows": [
        {"model": "resnet50", "batch": 512, "power_limit_w": 100, "epoch_s": 100, "epoch_energy_j": 10690},
        {"batch": 512, "power_limit_w": 125, "epoch_energy_j": 6000}]},
        left_out("sweep.csv", 5) + "{}/sweep.csv: 1 rows of other datasets left out\n"),
    "other.csv": (2, None, "".join(f'{{}}/other.csv:1: column "{name}" is missing\n'
                                   for name in ("power_limit", "time_per_epoch", "average_power"))),
}

# 0.0125 kWh in 100 s, of which 0.01 kWh of GPUs
RUN = {"run_id": "a", "duration_s": 100, "energy_j": 45000, "gpu_energy_j": 36000, "cpu_energy_j": 7200, "ram_energy_j": 1800}
CODECARBON = {
    "runs.csv": (0, {"rows": [RUN, {"run_id": "b", "gpu_energy_j": 18000}]}, ""),
    "cumulative.csv": (0, {"rows": [RUN | {"line": 4}, {"run_id": "b"}, {"run_id": None}, {"run_id": None}]},
                       "{}/cumulative.csv: 1 earlier rows of a run left out: rows are cumulative\n"),
    "shifted.csv": (3, {"rows": [RUN]}, left_out("shifted.csv", 3)),
    "version_1.csv": (0, {"rows": [{"energy_j": 0.0013 * 3.6e6, "gpu_energy_j": None}]}, ""),
    "version_3.csv": (0, {"rows": [RUN]}, ""),
    "no_duration.csv": (2, None, '{}/no_duration.csv:1: column "duration" is missing\n'),
}

# What is left out, and how often what is said of the rows.
MLPERF_RESNET = {"model": "resnet", "k": 8, "global_batch": 400}
FROM_SAMPLES = "rows without a throughput that counts all GPUs: samples_to_target / run_s\n"
REPEATED = ("repeat another one's k, batch, throughput and run_s: each run counts once, in the earliest round; every power "
            "reading is kept\n")
MLPERF_REFUSED = (
    "{}/refused.csv:2: left out: resnet on H100, k 8, global batch 400: throughput x run_s / samples_to_target is 1.60005, "
    "expected 0.8 to 1.6\n"
    "{}/refused.csv:5: left out: resnet on H100, k 8, global batch 400: throughput x run_s / samples_to_target is 0.799987, "
    "expected 0.8 to 1.6\n"
    "{}/refused.csv:6: left out: bert on A100, k 8, global batch 400: neither a logged throughput nor samples_to_target in samples\n"
    "{}/refused.csv:7: left out: dlrm_dcnv2 on A100, k 8, global batch 400: neither a logged throughput nor samples_to_target in samples\n"
    "{}/refused.csv:8: left out: retinanet on A100, k 8, global batch 400: neither a throughput of all GPUs nor samples_to_target in samples\n"
    "5 of 7 rows left out\n"
    "1 of 7 rows have samples_to_target in epochs: no convergence in samples\n"
    "1 of 7 rows have samples_to_target of at most 1: absent\n"
    f"1 of 7 rows {REPEATED}")
MLPERF = {
    # v4.0 counts, with the reading at the plug of v4.1; those of dc and of an unknown place have rows of their own
    "table.csv": (0, {"rows_read": 9, "rows_repeated": 3, "power_readings": 3, "rows": [
        MLPERF_RESNET | {"round": "v10.0", "throughput_samples_s": None, "samples_to_target": None, "node_power_w": 5000,
                         "power_scope": "node_dc"},
        MLPERF_RESNET | {"round": "v4.0", "throughput_samples_s": 1000, "samples_to_target": 45000, "node_power_w": 5200,
                         "power_scope": "node_ac"},
        MLPERF_RESNET | {"round": "v4.1", "throughput_samples_s": None, "node_power_w": 5100, "power_scope": "node"},
        {"model": "retinanet", "throughput_samples_s": 50000 / 100}, {"model": "bert", "throughput_samples_s": 60000 / 100},
        {"model": "rnnt", "throughput_samples_s": 900, "samples_to_target": None},
        {"model": "unet3d", "samples_to_target": 4.2e6 / 168}, {"model": "stable_diffusion", "samples_to_target": None}]},
        "2 of 9 " + FROM_SAMPLES + "1 of 9 rows have samples_to_target in epochs: no convergence in samples\n"
        "1 of 9 rows have samples_to_target of at most 1: absent\n"
        "1 of 9 rows of unet3d have samples_to_target above 10^6: divided by 168\n" + f"3 of 9 rows {REPEATED}"),
    # 1000 x 50 s over 62500 and 31250 is just 0.8 and 1.6
    "refused.csv": (0, {"rows_left_out": 5, "rows": [{"samples_to_target": 31250}]}, MLPERF_REFUSED),
    # 5 million images; 100, 130, 110 thousand a second behind the first interval. More: test_mlperf_files.py
    "log.txt": (0, {"rows_read": 1, "rows": [{"model": "resnet", "gpu": "H100", "k": 16, "global_batch": 1600, "run_s": 50,
                                              "throughput_samples_s": 110000, "samples_to_target": 5000000}]},
                'GPU type H100: accelerator_model_name "NVIDIA H100-SXM5-80GB"\n'),
    "empty.txt": (2, None, '{}/empty.txt: expected lines with :::MLLOG, or a table with a column "benchmark"\n'),
    "aborted.txt": (2, None, "{}/aborted.txt:4: 1 records that are no JSON left out, this is the first\n"
                             "{}/aborted.txt:6: left out: run_stop with status aborted\n{}/aborted.txt: no measurement\n"),
    "nothing_left.csv": (2, None, "{}/nothing_left.csv:2: left out: bert on A100, k 8, global batch 400: neither a logged "
                         "throughput nor samples_to_target in samples\n1 of 1 rows left out\n"
                         "1 of 1 rows have samples_to_target of at most 1: absent\n{}/nothing_left.csv: no measurement\n"),
    "other_table.csv": (2, None, "".join(f'{{}}/other_table.csv:1: column "{name}" is missing{near} (columns: round, submitter, system, bench, '
                                         "global_batch, n_runs, run_s_mean, throughput_median)\n" for name, near in (
        ("benchmark", ""), ("gpu", ""), ("gpus", ""), ("nodes", ""), ("run_s", ', did you mean "run_s_mean"?'),
        ("throughput_samples_per_s", ""), ("samples_to_target", "")))),
}


def point(model, gpu, k, nodes, batch, rate):
    return {"model": model, "gpu": gpu, "k": k, "nodes": nodes, "batch_per_gpu": batch, "throughput_samples_s": rate}


SIA = {
    # samples of all GPUs over the time of a step; 12 is one GPU on a node and two on another
    "bert-placements-dgx-ext.csv": (0, {"rows": [
        point("bert", "dgx-ext", 1, 1, 4, 4 / 0.5), point("bert", "dgx-ext", 3, 2, 6, 3 * 6 / 0.25),
        point("bert", "dgx-ext", 12, 3, 8, 12 * 8 / 2.0)]}, ""),
    "imagenet-scalability-rtx.csv": (3, {"rows": [
        point("imagenet", "rtx", 3, 2, 20, 3 * 20 / 0.125), point("imagenet", "rtx", 8, 2, 28, 8 * 28 / 0.25)]},
        "".join(left_out("imagenet-scalability-rtx.csv", line) for line in (3, 4, 5))),
    "imagenet-scalability-rtx.csv --strict": (
        2, None, "{}/imagenet-scalability-rtx.csv:3: row that does not fit its header or cannot be read\n"),
    "bad_placements.csv --gpu x --model m": (3, {"rows": [point("m", "x", 1, 1, 4, 8)]},
                                             "".join(left_out("bad_placements.csv", line) for line in range(3, 8))),
    "bert-placements-dgx-ext.csv --batch 4 --gpus 2": (
        2, None, "{}/bert-placements-dgx-ext.csv:1: --batch: the rows have their own\n"
                 "{}/bert-placements-dgx-ext.csv:1: --gpus: the rows have their own\n"),
    "other.csv": (2, None, '{}/other.csv:1: column "step_time" is missing\n{}/other.csv:1: column "num_replicas" is missing\n'),
}

LAMBDA_COLUMNS = ('{}/small-throughput-fp16.csv:1: column "gnmt" left out: its throughput is not in samples\n'
                  '{}/small-throughput-fp16.csv:1: column "new_task" left out: no task of the benchmark\n')
LAMBDA = {
    # batches are of all GPUs, in small-bs-fp16.csv: 192 and 258 of four; 0, and no row, is none
    "small-throughput-fp16.csv": (3, {"rows": [
        point("ssd", "Quadro RTX 8000", 1, 1, 256, 182), point("ssd", "Cloud V100 16GB", 4, 1, 48, 900),
        point("resnet50", "Cloud V100 16GB", 4, 1, 64.5, 1000)]},
        LAMBDA_COLUMNS + left_out("small-throughput-fp16.csv", 6) +
        "{}/small-throughput-fp16.csv: 2 cells that are empty or 0 left out: not measured\n"
        "{}/small-throughput-fp16.csv: 3 throughputs left out: the table of batches has none for them\n"),
    "alone-throughput-fp32.csv": (2, None, "{}/alone-bs-fp32.csv: cannot open: No such file or directory "
                                           "(the batches of {}/alone-throughput-fp32.csv)\n"),
    "alone-throughput-fp32.csv --batch 3": (0, {"rows": [point("resnet50", "X", 1, 1, 3, 5)]}, ""),
    "small-bs-fp16.csv": (2, None, '{}/small-bs-fp16.csv: --batch: expected a name with "throughput", to find the batches in the '
                                   'table with "bs" in its place\n'),
    "alone-throughput-fp32.csv --model m --gpus 2": (
        2, None, "{}/alone-throughput-fp32.csv:1: --gpus: the rows have their own\n"
                 "{}/alone-throughput-fp32.csv:1: --model: the rows have their own\n"),
    "other_v2.csv": (2, None, '{}/other_v2.csv:1: column "name_gpu" is missing\n{}/other_v2.csv:1: column "num_gpu" is missing\n'),
}

NODES_OF_8 = "--gpus-per-node: taken to be 8, as in the published tables\n"
ELASTICFLOW = {
    # iterations/s times the global batch; 16 GPUs are two nodes of 8
    "small.csv": (3, {"rows": [
        point("small", None, 1, 1, 64, 64 * 6), point("small", None, 2, 1, 32, 64 * 9.5), point("small", None, 1, 1, 24, 24 * 3),
        point("small", None, 16, 2, 1.5, 24 * 10)]},
        left_out("small.csv", 4) + "{}/small.csv: 2 cells that are empty or 0 left out: not measured\n" + NODES_OF_8),
    "no_line_end.csv --gpu a --gpus-per-node 4 --model m": (0, {"rows": [
        point("m", "a", 1, 1, 64, 64 * 6), point("m", "a", 2, 1, 32, 64 * 9.5), point("m", "a", 20, 5, 64 / 20, 64 * 12)]}, ""),
    "whole.csv --gpus-per-node 8": (0, {"rows": [point("whole", None, k, 1, batch / k, batch * rate) for k, batch, rate in
                                                 ((1, 64, 6), (2, 64, 9.5), (1, 128, 3), (2, 128, 5.5))]}, ""),
    "bad_cells.csv": (3, {"rows": [point("bad_cells", None, 1, 1, 64, 384), point("bad_cells", None, 2, 1, 32, 576)]},
                      "".join(left_out("bad_cells.csv", line) for line in (2, 3, 4)) + NODES_OF_8),
    "other.csv --batch 2 --gpus 2": (
        2, None, '{}/other.csv:1: column "global_batch_size" is missing\n'
                 '{}/other.csv:1: expected a number of GPUs as name of a column, got "batch"\n'
                 '{}/other.csv:1: expected a number of GPUs as name of a column, got "two"\n'
                 "{}/other.csv:1: --batch: the rows have their own\n{}/other.csv:1: --gpus: the rows have their own\n"),
}


def profile(reader, arguments, output="json"):
    files = {path.name for path in (PROFILES / reader).iterdir()}
    words = [PROFILES / reader / word if word in files else word for word in arguments.split()]
    done = easim("profile", reader, *words, "--format", output, code=None)
    return done.returncode, done.stdout, done.stderr.replace(str(PROFILES / reader), "{}")


def check(reader, arguments, code, expected, message):
    found_code, output, found_message = profile(reader, arguments)
    assert (found_code, found_message) == (code, message), (arguments, found_code, found_message)
    assert (output == "") == (expected is None), (arguments, output)
    found = json.loads(output) if output else {}
    if "steps" in (expected or {}):
        found["steps"] = [step["step"] for step in found["steps"]]
    same(arguments, found, expected or {})


def same(where, found, expected):
    """Every expected figure is there; what is found beside it does not matter."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            same(f"{where}: {name}", found[name], value)
    elif isinstance(expected, list):
        assert len(found) == len(expected), (where, found)
        for one, other in zip(found, expected):
            same(where, one, other)
    elif isinstance(expected, float):
        assert math.isclose(found, expected, rel_tol=1e-12), (where, found, expected)
    else:
        assert found == expected, (where, found, expected)


def collectives():
    """Last to come: 110 us for 1 MiB twice, 410 us for 4 MiB, so 10 us and 100 us/MiB. The AllGathers, one and two, have no
    partner that is certain."""
    _, output, _ = profile("kineto", "cost_rank1.json cost_rank0.json")
    found = json.loads(output)
    waiting, cost = found["waiting"], found["collective_cost"]
    assert [(c["last_rank"], c["waiting_us"]) for c in waiting["collectives"]] == [(1, 30), (0, 20), (0, 1)]
    assert [c["lateness_us"] for c in waiting["collectives"]] == [{"0": 0, "1": 30}, {"0": 20, "1": 0}, {"0": 1, "1": 0}]
    assert (waiting["matched_collectives"], waiting["unmatched_kernels"], waiting["straggler_rank"]) == (3, 3, 1)
    assert [(c["collective"], c["points"], c["sizes"]) for c in cost] == [("allreduce", 3, 2)]
    assert abs(cost[0]["alpha_us"] - 10) < 1e-9 and abs(cost[0]["beta_us_per_mib"] - 100) < 1e-9
    # one rank knows of no waiting: the shortest of each size, 110 and 410 us, and one size of the other
    alone = json.loads(profile("kineto", "cost_rank0.json")[1])["collective_cost"]
    assert abs(alone[0]["alpha_us"] - 10) < 1e-9 and alone[0]["may_include_waiting"] and alone[1]["alpha_us"] is None


def clocks():
    """Times count from baseTimeNanoseconds: both end at once, one began 2 us later."""
    found = json.loads(profile("kineto", "base_time.json base_time_rank1.json")[1])["waiting"]["collectives"]
    assert [(c["lateness_us"], c["end_spread_us"]) for c in found] == [({"0": 0, "1": 2}, 0)]


def rows():
    """8 GPUs, 32 samples each in 100 us."""
    header = "model,precision,gpu,k,batch_per_gpu,power_limit_w,throughput_samples_s,power_w_per_gpu,evidence,source\n"
    code, output, message = profile("kineto", "plain.json --batch 32 --model m --precision FP16", "csv")
    source = f"kineto {PROFILES}/kineto/plain.json\n"
    assert (code, message) == (0, "")
    assert output == header + f"m,FP16,Test GPU,8,32.0,,2560000.0,,measured,{source}", output
    _, output, _ = profile("kineto", "plain.json --gpus 2 --batch 5 --gpu X --power-limit 300", "csv")
    assert output == header + f",,X,2,5.0,300.0,100000.0,,measured,{source}", output
    _, output, message = profile("kineto", "no_step.json --gpu X", "csv")
    assert message == (NO_STEP + "--model: 1 of 1 rows have no model\n"
                       "--batch: 1 of 1 rows have no batch_per_gpu\n"), message
    assert output == header + f",,X,8,,,,,,kineto {PROFILES}/kineto/no_step.json\n", output


def power_rows():
    """Means of 550 J and 170 J in 3 s each; 900 samples in those 3 s; the counter's 350 J in 4 s. GPUs of two files with
    an index only are different ones, with a uuid the same."""
    def row(arguments):
        return profile("nvidia-smi", arguments, "csv")[1].splitlines()[1]
    source = f"nvidia-smi {PROFILES}/nvidia-smi"
    assert row("units.csv") == f',,Test GPU,2,,300.0,,120.0,measured,"{source}/units.csv, power samples"'
    assert row("units.csv --samples 900 --batch 8 --model m").startswith("m,,Test GPU,2,8.0,300.0,300.0,120.0,measured,")
    assert row("counter.csv --gpu X") == f',,X,1,,,,87.5,measured,"{source}/counter.csv, energy counter"'
    assert row("instant_only.csv milliseconds.csv --gpu X").startswith(",,X,2,,,,15.0,")
    assert row("units.csv no_units.csv").startswith(",,Test GPU,2,,300.0,,")


def ea2p_configurations(folder):
    """The unit and the nominal interval are in config_energy.json, if anywhere. joules.csv: 600 in 20 s."""
    file = shutil.copy(PROFILES / "ea2p" / "joules.csv", folder)

    def found(config, *options):
        if config is not None:
            (folder / "config_energy.json").write_text(config)
        done = easim("profile", "ea2p", file, *options, "--format", "json", code=None)
        return json.loads(done.stdout)["rows"][0]["gpu_energy_j"] if done.returncode == 0 else done.stderr.replace(file, "{}")
    assert found("{}") == 600 * 3600  # it does not say: Wh, as in EA2P
    (folder / "config_energy.json").unlink()
    no_unit = "{}: --energy-unit: expected J, Wh or kWh: the file does not say, and there is no config_energy.json next to it\n"
    no_interval = ("{}: --rescale: expected sampling_freq in a config_energy.json next to the file: the nominal interval is "
                   "not known\n")
    assert found(None) == no_unit
    assert found(None, "--energy-unit", "J", "--rescale", "1.25") == no_interval
    for unit, joules in {"J": 1, "Wh": 3600, "WH": 3600, "kWh": 3.6e6, "KWH": 3.6e6, "parsec": 3600}.items():
        assert found(f'{{"energy_unit": "{unit}"}}') == 600 * joules, unit
    assert found(None, "--energy-unit", "J", "--rescale", "1.25") == no_interval
    assert found('{"energy_unit": "J", "sampling_freq": 0.5}', "--rescale", "0.4") == \
        "{}: --rescale: expected at least sampling_freq, 0.5 s, got 0.4 s\n"
    # a file of any length: what stands behind 100 kB is read as well
    assert found(json.dumps({"comment": "x" * 100_000, "energy_unit": "J", "sampling_freq": 0.5})) == 600
    # 40 readings of 0.5 s in 20 s and two more, of 0.5 s each by the file
    assert math.isclose(found(None, "--rescale", "0.5"), 600 * 20 / (42 * 0.5))


# A file of each format, and options it needs.
WHOLE = {"kineto": "plain.json", "nvidia-smi": "units.csv", "dcgm": "dmon.txt", "dcgm-exporter": "series.prom",
         "prometheus": "matrix.json", "dynolog": "glog.log", "ea2p": "joules.csv --energy-unit J", "zeus": "windows.csv",
         "codecarbon": "runs.csv", "mlperf": "log.txt", "sia": "bert-placements-dgx-ext.csv",
         "lambda": "alone-throughput-fp32.csv --batch 3", "elasticflow": "whole.csv --gpus-per-node 4"}


def common_rules(folder):
    """What every reader survives: the figures are those of the file itself."""
    for reader, words in WHOLE.items():
        name, *options = words.split()
        data = (PROFILES / reader / name).read_bytes()
        lines = data.splitlines(keepends=True)

        def figures(content, code=0, name=name, reader=reader, options=tuple(options)):
            path = folder / name
            path.write_bytes(content)
            done = easim("profile", reader, path, *options, "--format", "json", code=code, env={"LC_ALL": "de_DE.UTF-8"})
            found = json.loads(done.stdout)
            for row in found.get("rows", []) if isinstance(found.get("rows"), list) else []:
                row.pop("line", None)  # blank lines count
            return found
        plain = figures(data)
        assert figures(gzip.compress(data)) == plain, reader  # whatever the name
        assert figures(data.replace(b"\n", b"\r\n")) == plain, reader
        assert figures(b"\xef\xbb\xbf" + data) == plain, reader
        assert figures(b"\n".join(line for line in lines) + b"\n") == plain, reader
        assert figures(b"".join(line.rstrip(b"\n") + b" \t \n" for line in lines)) == plain, reader
        # without the checksum at its end: everything is there, but only where brackets close is that known
        cut = figures(gzip.compress(data)[:-8], code=0 if reader in ("kineto", "prometheus") else 3)
        for key in plain.keys() - {"truncation", "bad_rows", "records"}:
            assert cut[key] == plain[key], (reader, key)
    for reader, name in {"nvidia-smi": "units.csv", "zeus": "windows.csv", "codecarbon": "runs.csv"}.items():
        lines = (PROFILES / reader / name).read_text().splitlines()
        more = [line + (", new.thing [MiB]" if i == 0 else ", text") for i, line in enumerate(lines)]
        file = folder / name
        file.write_text("\n".join(more) + "\n")
        done = easim("profile", reader, file, "--format", "json")
        assert json.loads(done.stdout) == json.loads(profile(reader, name)[1]), reader
    text = (PROFILES / "nvidia-smi" / "units.csv").read_text().replace("clocks_event_reasons.active", "clocks_throttle_reasons.active")
    file = folder / "units.csv"
    file.write_text(text)
    done = easim("profile", "nvidia-smi", file, "--format", "json")
    assert json.loads(done.stdout) == json.loads(profile("nvidia-smi", "units.csv")[1])


def power_models():
    """P = 70 W + 400 W * SM + 150 W * tensor + 80 W * DRAM at ten places, whatever the order of rows and series."""
    for reader, file in {"dcgm": "power_model.txt", "dcgm-exporter": "power_model.prom", "prometheus": "power_model.json",
                         "dynolog": "power_model.log"}.items():
        model, = json.loads(profile(reader, file)[1])["power_model"]
        assert model["points"] == 10 and abs(model["r_squared"] - 1) < 1e-12 and model["residual_w"] < 1e-4, (reader, model)
        for name, watts in {"idle_w": 70, "sm_w": 400, "tensor_w": 150, "dram_w": 80}.items():
            assert abs(model[name] - watts) < 1e-9, (reader, name, model)
    assert json.loads(profile("dcgm", "dmon.txt")[1])["power_model"] == []  # two samples
    assert "power_model" not in json.loads(profile("nvidia-smi", "units.csv")[1])


def result_rows():
    def row(reader, arguments, number=1):
        return profile(reader, arguments, "csv")[1].splitlines()[number]
    # 600 J of 2 GPUs in 20 s; 900 samples in 20 s
    assert row("ea2p", "joules.csv --samples 900 --gpu X").startswith(",,X,2,,,45.0,15.0,measured,ea2p ")
    assert row("ea2p", "joules.csv --rescale 2.5 --gpu X").startswith(",,X,2,,,,30.0,derived,ea2p ")  # 20 / 10
    assert row("ea2p", "amd.csv --gpu X").startswith(",,X,,,,,,,")
    assert row("zeus", "windows.csv --model m --batch 8 --samples 900 --gpu X", 2).startswith("m,,X,2,8.0,275.0,72.0,200.0,measured,")
    # an epoch of 51200 samples in 50 s; one GPU
    assert row("zeus", "sweep.csv --dataset imagenet --samples 51200 --gpu A40", 2).startswith(
        "resnet50,,A40,1,512.0,125.0,1024.0,120.0,measured,")
    # an option goes before what the file says
    assert row("zeus", "windows.csv --power-limit 111 --gpu X", 1).startswith(",,X,2,,111.0,")
    assert row("codecarbon", "runs.csv").startswith(",,Test GPU,2,,,,180.0,measured,")


def needed_and_useless_options(folder):
    """A profile row without a GPU type is of no use to anybody: refused, nothing is written. Options that a format has no use
    for are refused, those that a file has no use for are said."""
    for reader, file in (("zeus", "windows.csv"), ("ea2p", "joules.csv"), ("dcgm", "dmon.txt"), ("nvidia-smi", "counter.csv")):
        output = folder / "profile.csv"
        code, printed, message = profile(reader, f"{file} -o {output}", "table")
        assert (code, printed, output.exists()) == (2, "", False), (reader, code, printed)
        assert message.startswith("--gpu: expected the GPU type: the input does not name it, and "), message
        assert profile(reader, file, "json")[0] == 0  # figures need none
        assert profile(reader, f"{file} --gpu X -o {output}", "table")[0] == 0 and ",X," in output.read_text()
        output.unlink()
    only = {"--steps 1:2": "kineto", "--iteration x": "kineto", "--communication x": "kineto", "--kernel-delay 5": "kineto",
            "--columns a,b": "nvidia-smi", "--dataset x": "zeus", "--energy-unit J": "ea2p", "--ram 8x32:40": "ea2p", "--rescale 2": "ea2p",
            "--power-scope node": "mlperf", "--gpus-per-node 8": "elasticflow",
            "--interval 2": "nvidia-smi, dcgm, dcgm-exporter, dynolog",
            "--trim-idle": "nvidia-smi, dcgm, dcgm-exporter, prometheus, dynolog",
            "--samples 5": "nvidia-smi, dcgm, dcgm-exporter, prometheus, dynolog, ea2p, zeus, codecarbon"}
    refused = 0
    for option, formats in only.items():
        for reader, file in WHOLE.items():
            code, _, message = profile(reader, f"{file.split()[0]} {option}")
            text = f"{option.split()[0]}: not an option of format {reader}, only of {formats}\n"
            assert (text == message and code == 2) == (reader not in formats.split(", ")), (reader, option, message)
            refused += code == 2 and text == message
    assert refused == 11 * 12 + 9 + 8 + 5
    assert "--interval: no effect: the input has times\n" in profile("nvidia-smi", "units.csv --interval 2")[2]
    assert "--trim-idle: no effect: the input has no utilization\n" in profile("nvidia-smi", "counter.csv --trim-idle")[2]
    for option, text in {"--batch 8": "--batch: the rows of a sweep have their own",
                         "--power-limit 8": "--power-limit: the rows of a sweep have their own"}.items():
        assert profile("zeus", f"sweep.csv {option}")[::2] == (2, f"{{}}/sweep.csv:1: {text}\n")
    assert profile("zeus", "windows.csv --dataset x")[::2] == (
        2, "{}/windows.csv:1: --dataset: measurement windows have none\n")


def mlenergy(model, gpu, k, batch, power_w, **more):
    return {"model": model, "gpu": gpu, "k": k, "batch_size": batch, "power_w": power_w, **more}


def why(file, line, count, reason):
    return f"{{}}/{file}:{line}: {count} rows left out, of which this is the first: {reason}\n"


NO_TABLE = "; there is no serving table without it"
MLENERGY_REASONS = (
    "".join(left_out("left_out.csv", line) for line in (8, 9, 10, 11)) +
    why("left_out.csv", 3, 2, "no power (avg_power_watts)") +
    why("left_out.csv", 5, 1, "no rate (throughput_per_sec, output_throughput_tokens_per_sec)") +
    why("left_out.csv", 6, 1, "an energy that is not power over rate, by more than 5 %") +
    why("left_out.csv", 7, 1, "a rate that is not batch_size over batch_latency_s, by more than 5 %"))
MLENERGY = {
    # of two layouts the faster one; of two as fast, that of less energy; names with the task where a model has two
    "generation.csv": (0, {"rows": [
        mlenergy("lab/a", "h100", 1, 2, 600, layout=None), mlenergy("lab/a", "h100", 2, 1, 960, layout="ring 2", energy_j=1200),
        mlenergy("lab/a", "h100", 8, 4, 2000, layout="ulysses 2 x ring 4"), mlenergy("lab/b/draw", "nvidia-h200", 1, 1, 500),
        mlenergy("lab/b/film", "h100", 1, 1, 700), mlenergy("lab/c", "h100", 1, 1, 500), mlenergy("lab/c", "h100", 1, 1, 500)]},
        "2 of 9 rows left out: slower layouts of the same GPUs and batch size (the layout of each row is in its source)\n"),
    "left_out.csv": (3, {"rows": [mlenergy("lab/a", "h100", 1, 1, 500)]}, MLENERGY_REASONS),
    "left_out.csv --strict": (2, None, MLENERGY_REASONS.replace("".join(left_out("left_out.csv", line) for line in (8, 9, 10, 11)),
                              "{}/left_out.csv:8: row that does not fit its header or cannot be read\n")),
    # the layout that reaches 500 tokens/s
    "serving.csv": (0, {"rows": [
        {"model": "lab/llm", "gpu": "h100", "k": 2, "batch_limit": 8, "running_batch": 7.5, "tokens_per_s": 300, "power_w": 620},
        {"batch_limit": 16, "running_batch": 15, "tokens_per_s": 500, "layout": "tensor 2"}]},
        "1 of 3 rows left out: layouts of the same GPUs that reach a lower rate (the layout of each row is in its source)\n"),
    "serving_left_out.csv": (3, {"rows": [{"batch_limit": 8}]},
        why("serving_left_out.csv", 3, 1, "no latency quantiles (median, p90, p95, p99 itl_ms) or running batch "
            "(avg_batch_size)" + NO_TABLE) +
        why("serving_left_out.csv", 4, 1, "latency quantiles that fall from the median to p99") +
        why("serving_left_out.csv", 5, 1, "a running batch (avg_batch_size) above its limit (max_num_seqs)")),
    "no_power.csv": (2, None, why("no_power.csv", 2, 2, "no power (avg_power_watts)" + NO_TABLE)),
    "no_quantiles.csv": (2, None, "".join(f'{{}}/no_quantiles.csv:1: column "{name}" is missing: there is no serving table '
                                          "without it\n" for name in ("avg_power_watts", "p90_itl_ms", "p95_itl_ms", "p99_itl_ms"))),
    "other.csv": (2, None, '{}/other.csv:1: expected a column "batch_size" (generation) or "max_num_seqs" (serving)\n'),
    # both kinds in one profile
    "generation.csv serving.csv": (0, {"rows": [{"batch_size": 2}, *[{}] * 6, {"batch_limit": 8}, {"batch_limit": 16}]},
        "2 of 9 rows left out: slower layouts of the same GPUs and batch size (the layout of each row is in its source)\n"
        "1 of 3 rows left out: layouts of the same GPUs that reach a lower rate (the layout of each row is in its source)\n"),
}
NO_POWER = "no power and no latency quantiles: there is no serving table without them\n"
POINTS = {
    # A request takes 0.244 + 100 x 0.028 = 3.044 s, with the long prompt 10.212 s: 1 ms a prompt token, 20 ms an output token.
    # With 16 at once it would take 4.244 s on the line from 4 (3.044 s) to 64 (9.044 s), and takes 4.544 s.
    "runs.csv": (0, {
        "rows": [{"model": "lab/llm", "gpu": "h100", "k": 2, "prompt_tokens": 1024, "running_batch": 4,
                  "tokens_per_s": 4 * 101 / 3.044, "output_equivalents": 0.05, "setup": "vllm 1.2, tensor 2"},
                 {"prompt_tokens": 8192, "running_batch": 4, "tokens_per_s": 4 * 101 / 10.212, "output_equivalents": 0.05},
                 {"running_batch": 16, "output_equivalents": None}, {"running_batch": 64, "tokens_per_s": 64 * 101 / 9.044},
                 {"running_batch": 16, "setup": "vllm 1.3, tensor 2"}],
        "prompts": [{"running_batch": 4, "comparisons": 1, "output_equivalents_median": 0.05, "p10": 0.05, "p90": 0.05}],
        "throughput_left_out": {"points": 1, "median_percent": 100 * (4.544 / 4.244 - 1),
                                "worst": "lab/llm on h100, k 2, 16 at once (line 5)"}}, NO_POWER),
    "faster.csv": (0, {"rows": [{"gpu": "b-200", "k": 1, "setup": None, "output_equivalents": None}, {}],
                       "throughput_left_out": {"points": 0}},
                   "1 of 1 comparisons have long prompts that take less time: their runs get no output_equivalents\n" + NO_POWER),
    "left_out.csv": (3, {"rows": [{"k": 8, "setup": "x, tensor 4, data 2, expert 8"}], "prompts": []},
                     "".join(left_out("left_out.csv", line) for line in range(3, 10)) + NO_POWER),
}


OTHERS = {"base_time.json", "base_time_rank1.json", "cost_rank0.json", "cost_rank1.json",
          "config_energy.json", "power_model.txt", "power_model.prom", "power_model.json", "power_model.log"}  # see below


def one_quirk_each():
    readers = {"kineto": KINETO, "nvidia-smi": NVIDIA, "dcgm": DCGM,
                          "dcgm-exporter": EXPORTER, "prometheus": PROMETHEUS, "dynolog": DYNOLOG, "ea2p": EA2P, "zeus": ZEUS,
                          "codecarbon": CODECARBON, "mlperf": MLPERF, "mlenergy": MLENERGY, "sia": SIA, "lambda": LAMBDA,
                          "elasticflow": ELASTICFLOW, "points": POINTS}
    for reader, files in readers.items():
        for arguments, case in files.items():
            check(reader, arguments, *case)
        used = {word for arguments in files for word in arguments.split()} | OTHERS
        unused = {path.name for path in (PROFILES / reader).iterdir()} - used
        assert not unused, unused
        print(f"{reader}: {len(files)} files")
    return sum(map(len, readers.values()))


cases(one_quirk_each, collectives, clocks, rows, power_rows, power_models, ea2p_configurations, common_rules, result_rows,
      needed_and_useless_options)
