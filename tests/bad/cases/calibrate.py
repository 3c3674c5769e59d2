"""Profiles, and the command that calibrates."""

from base import MODELS, Case, changed

TRY = "Try `easim calibrate --help' for more information."
PROFILE = """\
model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu
bert,a100,1,8,100,200
bert,a100,1,16,150,250
bert,a100,2,16,290,240
"""


def profile(name, change, *errors, options=("--output", "out.yaml", "--points", "points.csv"), **more):
    """A change of p.csv. A change that is text is the whole file."""
    text = change if isinstance(change, (str, bytes)) else changed(PROFILE, [change])
    return Case(f"calibrate: {name}", errors, {"p.csv": text, "m.yaml": MODELS}, ("calibrate", "p.csv", *options),
                **more)


def row(name, old, new, *errors):
    return profile(name, (old, new), *errors)


def usage(name, options, *errors):
    return profile(name, PROFILE, *errors, TRY, options=options)



def runs(name, cells, *errors):
    """A row with further columns, NAME=VALUE with commas."""
    names, values = zip(*(cell.split("=") for cell in cells.split(",")))
    return profile(name, f"model,gpu,k,batch_per_gpu,throughput_samples_s,{','.join(names)}\n"
                   f"m,g,2,8,100,{','.join(values)}\n", *errors)


def power(name, log, meter, *errors, options=(), **more):
    return Case(f"calibrate power: {name}", errors, {"l.csv": log, "m.csv": meter},
                ("calibrate", "power", "l.csv", "m.csv", *options), **more)


def failures(name, rows, *errors, options=(), **more):
    return Case(f"calibrate failures: {name}", errors, {"o.csv": rows}, ("calibrate", "failures", "o.csv", *options), **more)


ROWS = "node,start_s,end_s\n0,5,10\n3,7,9\n"
LOG = "job_id,submit_s,duration_s,gpus,utilization\na,0,500,2,0.5\nb,100,300,1,\n"
METER = "time_s,power_w\n" + "".join(f"{t},{400 + t}\n" for t in range(50, 501, 50))
FIRST = "bert,a100,1,8,100,200"
TOKENS = {"unit": "token", "prompt": "included", "batch_limit": "8", "running_batch": "7.5", "itl_p50_ms": "20",
          "itl_p90_ms": "24", "itl_p95_ms": "31", "itl_p99_ms": "52"}


def inference(name, cells, *errors, second=None):
    """A row with these cells, on line 2, the first of them in column 13; perhaps a second one, of which some differ."""
    rows = [cells] if second is None else [cells, {**cells, **second}]
    text = "\n".join(["model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu," + ",".join(cells),
                      *("m,g,2,8,100,300," + ",".join(row.values()) for row in rows), ""])
    return profile(f"inference: {name}", text, *errors)

COLUMNS = (" (columns: model, gpu, k, batch_per_gpu, throughput_samples_s, precision, nodes, power_limit_w, power_w_per_gpu, "
           "evidence, source, global_batch, grad_accum, samples_to_target, run_s, node_power_w, node_floor_w, power_scope, "
           "round, runs, unit, prompt, batch_limit, running_batch, itl_p50_ms, itl_p90_ms, itl_p95_ms, itl_p99_ms, "
           "latency_ms); extra columns are named label.*")

CASES = [
    Case("calibrate: no such file", ("nowhere.csv: cannot open: No such file or directory",), {},
         ("calibrate", "nowhere.csv")),
    profile("empty file", "", "p.csv: empty file, expected a header line"),
    profile("header only", PROFILE.splitlines(keepends=True)[0], "p.csv: the profile holds no rows"),
    profile("columns missing", "model,k,batch_per_gpu\nbert,1,8\n",
            *(f"p.csv:1: column \"{name}\" is missing (columns: model, k, batch_per_gpu)" for name in ("gpu", "throughput_samples_s"))),
    row("unknown column", "power_w_per_gpu", "colour",
        f"p.csv:1: unknown column \"colour\"{COLUMNS}"),
    row("unknown column with suggestion", "power_w_per_gpu", "power_w_per_gpus",
        f"p.csv:1: unknown column \"power_w_per_gpus\", did you mean \"power_w_per_gpu\"?{COLUMNS}"),
    row("column twice", "power_w_per_gpu", "gpu", "p.csv:1:48: duplicate column \"gpu\""),
    row("row too short", FIRST, "bert,a100,1,8", "p.csv:2:1: expected 6 fields as in the header, found 4"),
    row("no GPU at all", FIRST, "bert,a100,0,8,100,200",
        "p.csv:2:11: k: expected integer 1..1000000, got \"0\""),
    row("half a GPU", FIRST, "bert,a100,0.5,8,100,200",
        "p.csv:2:11: k: expected integer 1..1000000, got \"0.5\""),
    row("batch missing", FIRST, "bert,a100,1,,100,200",
        "p.csv:2:13: batch_per_gpu: expected number > 0 and <= 1e9, got \"\""),
    row("standing still", FIRST, "bert,a100,1,8,0,200",
        "p.csv:2:15: throughput_samples_s: expected number > 0 and <= 1e12 or empty, got \"0\""),
    row("throughput that is not a number", FIRST, "bert,a100,1,8,nan,200",
        "p.csv:2:15: throughput_samples_s: expected number > 0 and <= 1e12 or empty, got \"nan\""),
    row("iteration of no time", FIRST, "bert,a100,1,8,1e9,200",
        "p.csv:2:15: throughput_samples_s: expected an iteration of 1e-6..1e5 s, got 8e-09 s "
        "(k x batch_per_gpu / throughput_samples_s)"),
    row("infinite power", FIRST, "bert,a100,1,8,100,inf",
        "p.csv:2:19: power_w_per_gpu: expected number > 0 and <= 100000 or empty, got \"inf\""),
    row("power with a unit", FIRST, "bert,a100,1,8,100,200W",
        "p.csv:2:19: power_w_per_gpu: expected number > 0 and <= 100000 or empty, got \"200W\""),
    row("names missing", FIRST, ",,1,8,100,200",
        "p.csv:2:1: model: expected a name, got \"\"", "p.csv:2:2: gpu: expected a name, got \"\""),
    profile("every bad row", changed(PROFILE, [("1,8,100", "one,8,100"), ("2,16,290", "2,16,-290")]),
            "p.csv:2:11: k: expected integer 1..1000000, got \"one\"",
            "p.csv:4:16: throughput_samples_s: expected number > 0 and <= 1e12 or empty, got \"-290\""),
    profile("more nodes than GPUs", "model,gpu,k,nodes,batch_per_gpu,throughput_samples_s\nm,g,2,3,8,100\n",
            "p.csv:2:7: nodes: expected at most as many nodes as GPUs, got \"3\""),
    profile("limit of nothing", "model,gpu,k,batch_per_gpu,throughput_samples_s,power_limit_w\nm,g,2,8,100,0\n",
            "p.csv:2:13: power_limit_w: expected number > 0 and <= 100000 or empty, got \"0\""),
    profile("evidence in other words",
            "model,gpu,k,batch_per_gpu,throughput_samples_s,evidence\nm,g,2,8,100,hearsay\n",
            "p.csv:2:13: evidence: expected measured, derived, assumed or empty, got \"hearsay\""),
    profile("quote that is not closed", "model,gpu,k,batch_per_gpu,throughput_samples_s\n\"m,g,2,8,100\n",
            "p.csv:2:1: quote not closed on this line"),
    runs("batch of other GPUs", "global_batch=17", "p.csv:2:13: global_batch: expected k x batch_per_gpu, 16, got \"17\""),
    runs("batch of nothing", "global_batch=0",
         "p.csv:2:13: global_batch: expected number > 0 and <= 1e15 or empty, got \"0\""),
    runs("half a micro-step", "grad_accum=0.5",
         "p.csv:2:13: grad_accum: expected integer 1..1000000 or empty, got \"0.5\""),
    runs("target that is no number", "samples_to_target=inf",
         "p.csv:2:13: samples_to_target: expected number > 0 and <= 1e18 or empty, got \"inf\""),
    runs("run without time", "run_s=-1", "p.csv:2:13: run_s: expected number > 0 and <= 1e9 or empty, got \"-1\""),
    runs("power of an unknown place", "power_scope=rack,node_power_w=900",
         "p.csv:2:13: power_scope: expected gpu, node, node_ac, node_dc or empty, got \"rack\""),
    runs("power of a node that is no node's", "node_power_w=900",
         "p.csv:2: power_scope: expected node, node_ac or node_dc, as there is node_power_w, got \"\""),
    runs("scope of nothing", "power_scope=node",
         "p.csv:2:13: power_scope: expected no scope of a power that is not there, got \"node\""),
    runs("node and GPU that do not agree", "power_scope=node_ac,node_power_w=900,power_w_per_gpu=451",
         "p.csv:2:25: power_w_per_gpu: expected the GPU's share of node_power_w, 450, or empty, got \"451\""),
    runs("floor above the mean", "power_scope=node,node_power_w=900,node_floor_w=901",
         "p.csv:2:22: node_floor_w: expected at most node_power_w, got \"901\""),
    inference("unknown unit", {"unit": "image"}, "p.csv:2:17: unit: expected sample, token, output or empty, got \"image\""),
    inference("running batch of samples", {"unit": "sample", "running_batch": "3"},
              "p.csv:2:24: running_batch: expected nothing where the unit is not token or output, got \"3\""),
    inference("tokens without serving", {"unit": "token"},
              "p.csv:2: running_batch: expected the mean of the requests at once: tokens come of serving only, got \"\""),
    inference("quantile missing", {**TOKENS, "itl_p95_ms": ""},
              "p.csv:2:44: itl_p95_ms: expected a quantile in ms: a serving table of tokens needs all four, got \"\""),
    inference("quantiles that fall", {**TOKENS, "itl_p90_ms": "19"},
              "p.csv:2:41: itl_p90_ms: expected at least the quantile before it, got \"19\""),
    inference("more requests than the limit", {**TOKENS, "running_batch": "9"},
              "p.csv:2:34: running_batch: expected at most batch_limit, got \"9\""),
    inference("hardly any requests", {**TOKENS, "running_batch": "1e-300"},
              "p.csv:2:34: running_batch: expected at least 1e-9, as a serving table, got \"1e-300\""),
    inference("no requests", {**TOKENS, "running_batch": "0"},
              "p.csv:2:34: running_batch: expected number > 0 and <= 1e9 or empty, got \"0\""),
    inference("prompts of tokens not said", {**TOKENS, "prompt": ""},
              "p.csv:2:23: prompt: expected included, or the tokens that a prompt token equals, got \"\""),
    inference("no word of prompts", {name: TOKENS[name] for name in TOKENS if name != "prompt"},
              "p.csv:2: prompt: expected included, or the tokens that a prompt token equals, got \"\""),
    inference("prompts of outputs", {"unit": "output", "prompt": "included", "running_batch": "2", "latency_ms": "5"},
              "p.csv:2:24: prompt: expected nothing: outputs have no prompts, got \"included\""),
    inference("quantiles of outputs", {"unit": "output", "running_batch": "2", "latency_ms": "5", "itl_p50_ms": "5"},
              "p.csv:2:28: itl_p50_ms: expected nothing: outputs have one latency, got \"5\""),
    inference("outputs without latency", {"unit": "output", "running_batch": "2"},
              "p.csv:2: latency_ms: expected ms > 0: a serving table of outputs needs it, got \"\""),
    inference("latency of tokens", {**TOKENS, "latency_ms": "5"},
              "p.csv:2:50: latency_ms: expected nothing: tokens have quantiles, got \"5\""),
    inference("power limit", {"unit": "output", "power_limit_w": "400"},
              "p.csv:2:24: power_limit_w: expected no power limit in a row of tokens or outputs, got \"400\""),
    inference("samples to a target", {"unit": "output", "samples_to_target": "400"},
              "p.csv:2:24: samples_to_target: expected nothing in a row of tokens or outputs, got \"400\""),
    inference("tokens and outputs", {**TOKENS, "latency_ms": ""}, "p.csv:3: expected the unit of model \"m\" as in line 2",
              second={**dict.fromkeys(TOKENS, ""), "unit": "output", "running_batch": "2", "latency_ms": "5"}),
    inference("prompts in two ways", TOKENS, "p.csv:3: expected the prompt of model \"m\" as in line 2",
              second={"prompt": "0.1", "batch_limit": "16"}),
    inference("samples and outputs", {"unit": ""}, "p.csv:3: expected another name: model \"m\" has rows of samples, too",
              second={"unit": "output"}),
    profile("inference: no power", "model,gpu,k,batch_per_gpu,throughput_samples_s,unit\nm,g,2,8,100,output\n",
            "p.csv:2: power_w_per_gpu: expected the power: tables of tokens or outputs need it, got \"\""),
    profile("neither throughput nor node power",
            "model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu\nm,g,2,8,,300\n",
            "p.csv:2:9: throughput_samples_s: expected number > 0 and <= 1e12, got \"\""),
    profile("power of nodes alone", "model,gpu,k,batch_per_gpu,throughput_samples_s,node_power_w,power_scope\n"
            "m,g,2,8,,900,node\n", "p.csv: no row has a throughput"),
    profile("folder without write access", PROFILE, "easim: /proc/easim.yaml: cannot create: No such file or directory",
            options=("-o", "/proc/easim.yaml"), exit_code=1),
    profile("no profile", PROFILE, "easim calibrate: expected PROFILE.csv, failures OUTAGES.csv, power LOG.csv METER.csv, plans "
            "ROWS.csv MODELS.yaml, collectives TIMES.csv or limits FILE..., got an extra word: q.csv",
            options=("--", "q.csv")),
    usage("error that is not a number", ("--check", "m.yaml", "--max-error", "5%"),
          "easim calibrate: --max-error: expected number 0..100, got \"5%\""),
    usage("error without models to check", ("--max-error", "0.1"), "easim calibrate: --max-error: only with --check"),
    usage("check that would write", ("--check", "m.yaml", "-o", "n.yaml"),
          "easim calibrate: --output: not with --check"),
    usage("m0 without phi", ("--m0", "8"), "easim calibrate: --m0: only with --phi"),
    failures("no rows", "node,start_s,end_s\n", "o.csv: expected at least one outage, got no row"),
    failures("cells that are wrong", ROWS + "x,1,0\n1,9,8\n",
             'o.csv:4:1: node: expected integer 0..1073741823, got "x"',
             "o.csv:5:5: end_s: expected a time not before start_s (9), got 8"),
    failures("column missing", "node,start,end_s\n0,1,2\n",
             'o.csv:1: column "start_s" is missing, did you mean "start"? (columns: node, start, end_s)'),
    failures("more nodes than there are", ROWS, "o.csv: expected nodes below 3 (--node-count), got node 3",
             options=("--node-count", "3")),
    failures("options of profiles", ROWS, "easim calibrate: --m0 belongs to profiles, not to failures",
             "easim calibrate: --phi belongs to profiles, not to failures",
             "easim calibrate: --output belongs to profiles and power and collectives and limits, not to failures",
             options=("--m0", "8", "--phi", "9", "-o", "x.yaml")),
    failures("too few", ROWS, "o.csv: expected at least 3 times to failure or to repair that ended, got 2 and 2",
             options=("--node-count", "4"), exit_code=1),
    failures("more words", ROWS, "easim calibrate: expected PROFILE.csv, failures OUTAGES.csv, power LOG.csv METER.csv, plans "
            "ROWS.csv MODELS.yaml, collectives TIMES.csv or limits FILE..., got an extra word: q.csv", options=("--", "q.csv")),
    failures("nodes of a type", ROWS,
             "easim calibrate: --node-count: expected N, because outages have no GPU type, got a100=",
             options=("--node-count", "a100=4")),
    power("no power in the meter", LOG, "time_s,power_w\n50,\n100,nan\n150,-4\n",
          "m.csv: expected readings with a power, got none"),
    power("no rows in the meter", LOG, "time_s,power_w\n", "m.csv: expected readings at two times or more, got 0"),
    power("one time in the meter", LOG, "time_s,power_w\n5,1\n5,2\n", "m.csv: expected readings at two times or more, got 1"),
    power("column missing", LOG, "time,power_w\n1,2\n", 'm.csv:1: column "time_s" is missing, did you mean "time"? (columns: time, power_w)'),
    power("cells of the meter", LOG, "time_s,power_w\nx,1\n50,1 kW\n,5\n100,1e16\n",
          'm.csv:2:1: time_s: expected seconds -4e9..4e9, got "x"',
          'm.csv:3:4: power_w: expected watts -1e15..1e15, empty or nan, got "1 kW"',
          'm.csv:4:1: time_s: expected seconds -4e9..4e9, got ""',
          'm.csv:5:5: power_w: expected watts -1e15..1e15, empty or nan, got "1e16"'),
    power("both files", LOG.replace("500", "-5"), METER.replace("50,450", "50,?"),
          'l.csv:2:5: duration_s: expected seconds 0..4e9 or empty, got "-5"',
          'm.csv:2:4: power_w: expected watts -1e15..1e15, empty or nan, got "?"'),
    Case("calibrate power: meter not found", ("n.csv: cannot open: No such file or directory",), {"l.csv": LOG},
         ("calibrate", "power", "l.csv", "n.csv")),
    power("job without a duration", "job_id,submit_s,work_samples,model,gpus\na,0,5,bert,\n", METER,
          'l.csv:2: duration_s: expected how long the job ran, got ""',
          'l.csv:2: gpus: expected the GPUs of the job, got ""'),
    power("no jobs", "job_id,submit_s,duration_s,gpus\na,5,0,1\n", METER,
          "l.csv: expected at least one job with a duration, got none"),
    power("jobs at another time", LOG.replace("a,0,", "a,1000,").replace("b,100,", "b,1100,"), METER,
          "m.csv: expected readings while jobs of l.csv run, 0.277778 h to 0.416667 h, got 0 h to 0.138889 h"),
    power("use above 1", LOG.replace("0.5", "50"), METER, 'l.csv:2:11: utilization: expected number 0..1 or empty, got "50"'),
    power("use over time", LOG, METER, "m.csv:1: column \"job_id\" is missing (columns: time_s, power_w)", "m.csv:1: column \"from_s\" is missing (columns: time_s, power_w)",
          "m.csv:1: column \"utilization\" is missing (columns: time_s, power_w)", options=("--utilization", "m.csv")),
    power("use over time not found", LOG, METER, "n.csv: cannot open: No such file or directory",
          options=("--utilization", "n.csv")),
    power("group that is not there", LOG, METER,
          'l.csv: --by: expected none, model, user or a column label.NAME of the log, got "label.team"',
          options=("--by", "label.team")),
    power("fewer GPUs than jobs hold", LOG, METER,
          "l.csv: --node-count: expected nodes for the 3 GPUs of type gpu that jobs hold at once, got 1 of 2 GPUs",
          options=("--node-count", "1", "--gpus-per-node", "2")),
    power("types that are not there", LOG, METER, 'l.csv: --node-count: the log has no GPU type "h100"',
          'l.csv: --gpus-per-node: the log has no GPU type "b200"',
          options=("--node-count", "h100=4", "--gpus-per-node", "b200=8")),
    power("parts of a node", LOG, METER, 'easim calibrate: --node-count: expected a whole number, got "2.5"', TRY,
          options=("--node-count", "2.5")),
    power("nothing to fit to", LOG, METER, "m.csv: --train: expected a time with readings, which are from 0 h to 0.138889 h",
          options=("--train", "1h:2h")),
    power("time to fit to", LOG, METER, 'easim calibrate: --train: expected [FROM:]TO such as 60h or 12h:60h, got "2h:1h"', TRY,
          options=("--train", "2h:1h")),
    power("idle and base power", LOG, METER, "easim calibrate: --base: not with --idle", TRY,
          options=("--base", "100", "--idle", "50")),
    power("idle power below 0", LOG, METER, 'easim calibrate: --idle: expected number 0..1e+07 (units: W, kW, MW), got "-5"', TRY,
          options=("--idle=-5",)),
    power("base power above what was metered", LOG, METER, "easim: m.csv: no scenario takes 0 W as tdp_w of GPU type gpu; "
          "without --output easim prints the fit", options=("--base", "1000", "-o", "out"), exit_code=1),
    power("powers in nanowatts", LOG, "time_s,power_w\n" + "".join(f"{t},{400e9 + 1e9 * t}\n" for t in range(50, 501, 50)),
          "easim: m.csv: no scenario takes 2e+11 W as tdp_w of GPU type gpu; without --output easim prints the fit",
          options=("-o", "out"), exit_code=1),
    power("no window", LOG, METER, 'easim calibrate: --window: expected duration > 0 such as 90s or 10h, got "0"', TRY,
          options=("--window", "0")),
    power("too many windows", LOG, METER,
          "m.csv: --window: expected at most 1000 windows in 0.138889 h, so 0.5 s or more, got 0.1 s",
          options=("--window", "100ms")),
    power("a meter that is off", LOG, "time_s,power_w\n50,0\n100,0\n150,0\n",
          "m.csv: expected some reading above 0 W while jobs run, got none"),
    power("too few readings", LOG, METER, "m.csv: expected more than 3 readings to fit 3 powers to, got 2",
          options=("--train", "100s"), exit_code=1),
    power("force without a folder", LOG, METER, "easim calibrate: --force: only with --output", TRY, options=("--force",)),
    power("options of others", LOG, METER, "easim calibrate: --only belongs to profiles, not to power",
          "easim calibrate: --until belongs to failures, not to power", options=("--only", "a/b", "--until", "1h")),
    profile("options of power", PROFILE, "easim calibrate: --by belongs to power, not to profiles",
            "easim calibrate: --window belongs to power, not to profiles", options=("--by", "user", "--window", "1h")),
    profile("options of failures", PROFILE, "easim calibrate: --node-count belongs to failures and power, not to profiles",
            "easim calibrate: --until belongs to failures, not to profiles", options=("--node-count", "4", "--until", "1d")),
    profile("two profiles", PROFILE,
            "easim calibrate: expected PROFILE.csv, failures OUTAGES.csv, power LOG.csv METER.csv, plans "
            "ROWS.csv MODELS.yaml, collectives TIMES.csv or limits FILE..., got an extra word: p.csv", options=("p.csv",)),
    usage("check with a form's error", ("--check", "m.yaml", "--max-form-error", "0.1"),
          "easim calibrate: --max-form-error: not with --check"),
    usage("check of some models", ("--check", "m.yaml", "--only", "bert/a100"),
          "easim calibrate: --only: not with --check"),
    profile("only what is not there", PROFILE, "easim calibrate: --only: no rows of \"bert/h100\"",
            "easim calibrate: --only: no rows of \"\"", "easim calibrate: --only: no rows of \"a100\"",
            options=("--only", "bert/h100,,bert/a100,a100", "-o", "out.yaml")),
    profile("models to check not found", PROFILE, "n.yaml: cannot open: No such file or directory",
            options=("--check", "n.yaml")),
]
