"""Services: entries of kind service, their demand, logs of requests."""

import gzip

from base import CONFIG, MODELS, POISSON, Case, changed
from cases.series import CONTRADICTION, THREE, UNEVEN, WOULD
from cases.serving import TOKENS

SERVICE = """\
    - kind: service
      name: chat
      model: chat
      demand: {tokens_per_s: 200}
      slo: {itl_ms: 60, wait_s: 10}
      replicas: {max: 4}
"""
SECTION = "workload:\n  streams:\n    - {kind: poisson, rate_per_s: 0.005, sizes: {law: constant, mean: 1h}}\n" + SERVICE
IMAGES = """\
  - name: images
    unit: output
    serving:
      - {gpu: a100, k: 2, evidence: measured, source: here, points: [{n: 4, per_s: 0.5, power_w: 800, latency_ms: 900}]}
"""
LOG = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.98,100,10\n2023-11-16 18:17:04.48,0,20\n"
SERIES = "time_s,tokens_per_s\n0,5\n10,2.5\n"
THERE = (" (services: chat; figures: energy_service_kwh, energy_all_per_work_kwh of all, tokens_before, tokens_demanded, tokens_served, "
         "tokens_dropped, tokens_left, slo_share, j_per_token, token_wait_p50_s, token_wait_p99_s, token_latency_p99_ms, replica_gpu_h, "
         "scale_ups, service_preemptions)")
TUNE = ("tune", "c.yaml", "--params", "workload.streams[0].scaling.target=[0.5,0.9]", "--objective")
HERE = "c.yaml:13:7: workload.streams[1]"
DEMAND = "c.yaml:16:15: workload.streams[1].demand"
REPLICAS = "c.yaml:18:17: workload.streams[1].replicas"
TOKEN_CELL = "expected tokens, a whole number 0..1000000000"
PERIOD = "expected duration such as 90s or 10h 0.001..1000000000"
RATE_CELL = "expected number 0..1000000000000"


def service(name, change, *errors, **files):
    """The service of SECTION with something changed (a pair, or several), beside files by name without .csv."""
    pairs = [change] if isinstance(change, tuple) else change
    prompted = TOKENS.replace("included: true", "output_equivalents: 0.1")
    models = MODELS + "  - name: chat\n" + TOKENS + IMAGES + "  - name: prompted\n" + prompted
    text = changed(changed(CONFIG, [(POISSON, SECTION)]), pairs)
    return Case(f"service: {name}", errors, {"c.yaml": text, "m.yaml": models} |
                {f"{file}.csv": content for file, content in files.items()})


def alone(name, changes, *errors, **more):
    """A service without jobs, and something that it cannot have."""
    text = changed(CONFIG, [(POISSON, "workload:\n  streams:\n" + SERVICE)])
    return Case(f"service: alone: {name}", errors, {"c.yaml": changed(text, changes),
                                                    "m.yaml": MODELS + "  - name: chat\n" + TOKENS}, **more)


def demand(name, value, *errors, **files):
    return service(f"demand: {name}", ("{tokens_per_s: 200}", value), *errors, **files)


def series(name, rows, *errors, more=""):
    return demand(f"series: {name}", "{file: d.csv%s}" % more, *errors, d=rows)


def requests(name, rows, *errors, more=""):
    return demand(f"log: {name}", "{file: d.csv, format: azure-llm%s}" % more, *errors, d=rows)


def scaling(key, *errors):
    return service(f"scaling: {key}", ("      name: chat\n", f"      name: chat\n      scaling: {{{key}}}\n"), *errors)


def outputs(name, changes, *errors):
    return service(f"outputs: {name}", [("model: chat", "model: images"), *changes], *errors)


FIVE = SERVICE.replace("max: 4", "min: 5, max: 5")
FOUR = SERVICE.replace("name: chat", "name: talk").replace("max: 4", "min: 4, max: 4")
NO_FILE = ("{tokens_per_s: 200}", "{outputs_per_s: 0.1}")
NO_ITL = ("itl_ms: 60", "latency_ms: 1000")

CASES = [
    # the entry
    service("unknown key", ("      name: chat\n", "      nam: chat\n"),
            "c.yaml:14:7: workload.streams[1]: unknown key \"nam\", did you mean \"name\"?"),
    service("key of jobs", ("      name: chat\n", "      name: chat\n      rate_per_s: 3\n"),
            "c.yaml:15:7: workload.streams[1]: unknown key \"rate_per_s\""),
    service("keys missing", [("      model: chat\n", ""), ("      demand: {tokens_per_s: 200}\n", ""),
                             ("      slo: {itl_ms: 60, wait_s: 10}\n", ""), ("      replicas: {max: 4}\n", "")],
            f"{HERE}: key \"model\" is missing",
            f"{HERE}: key \"demand\" is missing",
            f"{HERE}: key \"slo\" is missing",
            f"{HERE}: key \"replicas\" is missing"),
    service("name without letters", ("name: chat\n", "name: \"\"\n"),
            "c.yaml:14:13: workload.streams[1].name: expected text, got \"\""),
    service("name twice", (SERVICE, SERVICE + SERVICE),
            "c.yaml:19:7: workload.streams[2].name: service \"chat\" is listed twice"),
    service("hostile name twice", (SERVICE, 2 * SERVICE.replace("name: chat\n", "name: \"a\\nb,\\\"c\\e[31m%s\"\n")),
            "c.yaml:19:7: workload.streams[2].name: service \"a\\x0ab,\"c\\x1b[31m%s\" is listed twice"),
    service("unknown model", ("model: chat", "model: chta"),
            f"{HERE}.model: no model is named \"chta\", did you mean \"chat\"?"),
    service("model without tables", ("model: chat", "model: bert"),
            f"{HERE}.model: model \"bert\" has no serving tables: its serving speed is not known"),
    service("labels that are none", ("      name: chat\n", "      name: chat\n      labels: [a]\n"),
            "c.yaml:15:15: workload.streams[1].labels: expected names and texts: {team: search}, got a list"),
    service("label without a text", ("      name: chat\n", "      name: chat\n      labels: {team: [a], b: }\n"),
            "c.yaml:15:22: workload.streams[1].labels.team: expected a name and a text, got a list",
            "c.yaml:15:30: workload.streams[1].labels.b: expected a name and a text, got \"\""),
    service("start_s below 0", ("      name: chat\n", "      name: chat\n      start_s: -1\n"),
            "c.yaml:15:16: workload.streams[1].start_s: expected duration such as 90s or 10h 0..1000000, got \"-1\""),
    service("alone without a horizon", [("    - {kind: poisson, rate_per_s: 0.005, sizes: {law: constant, mean: 1h}}\n", ""),
                                        ("horizon: 10h", "horizon: drain")],
            "c.yaml:11:3: workload: expected a horizon: services alone never end, and `drain` waits for jobs"),
    # objective
    service("neither objective", ("itl_ms: 60, ", ""),
            f"{HERE}.slo: expected itl_ms (models of tokens) or latency_ms (of outputs), got neither"),
    service("both objectives", ("itl_ms: 60", "itl_ms: 60, latency_ms: 9"),
            f"{HERE}.slo: expected itl_ms (models of tokens) or latency_ms (of outputs), got both"),
    service("objective of outputs", ("itl_ms: 60", "latency_ms: 900"),
            f"{HERE}.slo: expected itl_ms: model \"chat\" counts tokens"),
    service("unknown quantile", ("itl_ms: 60", "itl_ms: 60, quantile: p42"),
            "c.yaml:17:35: workload.streams[1].slo.quantile: expected one of p50 | p90 | p95 | p99, got \"p42\""),
    service("no wait", (", wait_s: 10", ""), "c.yaml:17:12: workload.streams[1].slo: key \"wait_s\" is missing"),
    service("infinite wait", ("wait_s: 10", "wait_s: inf"),
            "c.yaml:17:33: workload.streams[1].slo.wait_s: expected duration such as 90s or 10h 0..4000000000, got \"inf\""),
    service("timeout before wait", ("wait_s: 10", "wait_s: 10, timeout_s: 9.5"),
            f"{HERE}.slo: expected timeout_s of at least wait_s, got 9.5 s and 10 s"),
    service("objective of 0", ("itl_ms: 60", "itl_ms: 0"),
            "c.yaml:17:21: workload.streams[1].slo.itl_ms: expected number > 0 and <= 1000000000, got \"0\""),
    service("objective that nothing meets", ("itl_ms: 60", "itl_ms: 40"),
            f"{HERE}: no replica can serve it within 40 ms: a100 k 1: takes 52 ms at its least load, more than 40 ms"),
    service("objective at another quantile", ("itl_ms: 60", "itl_ms: 19.9, quantile: p50"),
            f"{HERE}: no replica can serve it within 19.9 ms: a100 k 1: takes 20 ms at its least load, more than 19.9 ms"),
    # replicas
    service("min above max", ("max: 4", "min: 5, max: 4"), f"{REPLICAS}: expected min at most max, got 5 and 4"),
    service("max 0", ("max: 4", "max: 0"),
            "c.yaml:18:23: workload.streams[1].replicas.max: expected integer 1..1000000, got \"0\""),
    service("min that does not fit", ("max: 4", "min: 9, max: 9"),
            f"{REPLICAS}.min: expected replicas that fit the empty cluster, got 9, of which 8 fit"),
    service("two that do not fit together", (SERVICE, FIVE + FOUR),
            "c.yaml:24:17: workload.streams[2].replicas.min: expected replicas that fit the empty cluster, got 4, of which "
            "3 fit in addition to those of the services before"),
    service("unknown GPU type", ("max: 4", "max: 4, h: [a100, h100]"),
            f"{REPLICAS}.h[1]: no GPU type is named \"h100\", did you mean \"a100\"?"),
    service("k without a table", ("max: 4", "max: 4, k: [2, 16]"),
            f"{HERE}: no replica can serve it within 60 ms: a100 k 2: the model has no serving table for it; a100 k 16: the "
            f"model has no serving table for it"),
    service("k of 0", ("max: 4", "max: 4, k: [0]"),
            "c.yaml:18:30: workload.streams[1].replicas.k[0]: expected integer 1..1073741824, got \"0\""),
    service("limit of 0", ("max: 4", "max: 4, b: [0]"),
            "c.yaml:18:30: workload.streams[1].replicas.b[0]: expected number > 0 and <= 1000000000, got \"0\""),
    service("replica larger than a node", [("gpus: 8}", "gpus: 1}"), ("model: chat", "model: images"), NO_FILE, NO_ITL],
            f"{HERE}: no replica can serve it within 1000 ms: a100 k 2: a replica is in one node, and the largest has 1"),
    # scaling
    scaling("target: 0", "c.yaml:15:25: workload.streams[1].scaling.target: expected number 0.01..1, got \"0\""),
    scaling("target: 1.2", "c.yaml:15:25: workload.streams[1].scaling.target: expected number 0.01..1, got \"1.2\""),
    scaling("interval: 0",
            "c.yaml:15:27: workload.streams[1].scaling.interval: expected duration such as 90s or 10h 0.001..1000000, got \"0\""),
    scaling("down_after: -5s",
            "c.yaml:15:29: workload.streams[1].scaling.down_after: expected duration such as 90s or 10h 0.001..1000000, got \"-5s\""),
    scaling("objective: money",
            "c.yaml:15:28: workload.streams[1].scaling.objective: expected one of energy | latency, got \"money\""),
    scaling("intervall: 60",
            "c.yaml:15:17: workload.streams[1].scaling: unknown key \"intervall\", did you mean \"interval\"?"),
    # outputs
    outputs("itl", [NO_FILE], f"{HERE}.slo: expected latency_ms: model \"images\" counts outputs"),
    outputs("quantile", [NO_FILE, ("itl_ms: 60", "latency_ms: 1000, quantile: p90")],
            f"{HERE}.slo: expected no quantile: tables of outputs have one latency"),
    outputs("tokens", [NO_ITL], f"{DEMAND}: tokens_per_s belongs to models of tokens: this one counts outputs"),
    outputs("log", [NO_ITL, ("{tokens_per_s: 200}", "{file: d.csv, format: azure-llm}")],
            f"{DEMAND}: format: azure-llm counts tokens, but this model counts outputs"),
    outputs("slow", [NO_FILE, ("itl_ms: 60", "latency_ms: 899")],
            f"{HERE}: no replica can serve it within 899 ms: a100 k 2: takes 900 ms at its least load, more than 899 ms"),
    # demand
    demand("nothing", "{}", f"{DEMAND}: expected tokens_per_s or file, got neither"),
    demand("a number", "200", f"{DEMAND}: expected a mapping of keys to values, got \"200\""),
    demand("infinite", "{tokens_per_s: .inf}",
            f"c.yaml:16:30: workload.streams[1].demand.tokens_per_s: {RATE_CELL}, got \".inf\""),
    demand("not a number", "{tokens_per_s: nan}",
            f"c.yaml:16:30: workload.streams[1].demand.tokens_per_s: {RATE_CELL}, got \"nan\""),
    demand("negative", "{tokens_per_s: -1}", f"c.yaml:16:30: workload.streams[1].demand.tokens_per_s: {RATE_CELL}, got \"-1\""),
    demand("of outputs", "{outputs_per_s: 5}", f"{DEMAND}: outputs_per_s belongs to models of outputs: this one counts tokens"),
    demand("two forms", "{tokens_per_s: 5, file: d.csv}",
            f"{DEMAND}: expected one of tokens_per_s, outputs_per_s and file, got several", d=SERIES),
    demand("keys of a file", "{tokens_per_s: 5, repeat: true}",
            f"{DEMAND}: format, column, time_column, scale and repeat belong to file"),
    demand("keys of a law", "{tokens_per_s: 5, peak: 14h}",
            f"{DEMAND}: peak needs amplitude"),
    demand("period of a constant", "{tokens_per_s: 5, period: 24h}",
            f"{DEMAND}: period needs amplitude or file: without them demand is constant"),
    demand("period of 0", "{file: d.csv, period: 0}", f"c.yaml:16:37: workload.streams[1].demand.period: {PERIOD}, got \"0\"",
            d=SERIES),
    demand("period negative", "{file: d.csv, period: -1h}",
            f"c.yaml:16:37: workload.streams[1].demand.period: {PERIOD}, got \"-1h\"", d=SERIES),
    demand("keys of a law with a file", "{file: d.csv, amplitude: 0.5}",
            f"{DEMAND}: amplitude belongs to tokens_per_s or outputs_per_s", d=SERIES),
    demand("bin of a constant", "{tokens_per_s: 5, bin: 10s}", f"{DEMAND}: bin belongs to amplitude, or to format: azure-llm"),
    demand("period of no whole bins", "{tokens_per_s: 5, amplitude: 0.5, period: 1h, bin: 7min}",
            f"{DEMAND}: expected a period of whole bins, at most 1000000, got bin 420 s in 3600 s"),
    demand("too many bins", "{tokens_per_s: 5, amplitude: 0.5, period: 365d, bin: 1s}",
            f"{DEMAND}: expected a period of whole bins, at most 1000000, got bin 1 s in 31536000 s"),
    demand("amplitude above 1", "{tokens_per_s: 5, amplitude: 1.5}",
            "c.yaml:16:44: workload.streams[1].demand.amplitude: expected number 0..1, got \"1.5\""),
    demand("no such file", "{file: nowhere.csv}", "c.yaml:16:22: workload.streams[1].demand.file: nowhere.csv: cannot open: No such file or directory"),
    demand("unknown format", "{file: d.csv, format: azure}",
            "c.yaml:16:37: workload.streams[1].demand.format: expected one of series | azure-llm, got \"azure\"", d=LOG),
    demand("scale of 0", "{file: d.csv, scale: 0}",
            "c.yaml:16:36: workload.streams[1].demand.scale: expected number > 0 and <= 1000000, got \"0\"", d=SERIES),
    series("empty file", "", "d.csv: empty file, expected a header line"),
    series("no column", SERIES.replace("tokens", "token"),
            "d.csv:1: column \"tokens_per_s\" is missing, did you mean \"token_per_s\"? (columns: time_s, token_per_s)"),
    series("one row", "time_s,tokens_per_s\n0,5\n", "d.csv: expected at least two rows, got 1"),
    series("negative and infinite", "time_s,tokens_per_s\n0,-1\n5,inf\n6,1e999\n7,nan\n8,x\n",
            f"d.csv:2:3: tokens_per_s: {RATE_CELL}, got \"-1\"",
            f"d.csv:3:3: tokens_per_s: {RATE_CELL}, got \"inf\"",
            f"d.csv:4:3: tokens_per_s: {RATE_CELL}, got \"1e999\"",
            f"d.csv:5:3: tokens_per_s: {RATE_CELL}, got \"nan\"",
            f"d.csv:6:3: tokens_per_s: {RATE_CELL}, got \"x\""),
    series("first cell empty", "time_s,tokens_per_s\n0,\n5,1\n",
            "d.csv:2:3: tokens_per_s: expected a number in the first row, got an empty cell"),
    series("times that fall", "time_s,tokens_per_s\n0,1\n5,1\n5,2\n4,2\n",
            "d.csv:4:1: time_s: expected a time after that of the row before, got \"5\"",
            "d.csv:5:1: time_s: expected a time after that of the row before, got \"4\""),
    series("period and no repeat", SERIES, f"c.yaml:16:50: workload.streams[1].demand.repeat: {CONTRADICTION}, got \"false\"",
            more=", period: 20s, repeat: false"),
    series("period shorter than the rows", SERIES,
            "d.csv:3:1: time_s: expected a time less than the period of 10 s after the first row, got \"10\"", more=", period: 10s"),
    series("two rows to repeat", SERIES,
            f"d.csv: expected at least {THREE}, got 2; {WOULD.format(20)}", more=", repeat: true"),
    series("uneven rows to repeat", "time_s,tokens_per_s\n0,1\n10,3\n25,2\n",
            f"d.csv:4:1: time_s: {UNEVEN.format(10, 15)}; {WOULD.format(40)}", more=", repeat: true"),
    series("begins late", "time_s,tokens_per_s\n60,1\n120,2\n",
            f"{DEMAND}: expected demand from t = 0 on or a period, got it from t = 60 s on (d.csv)"),
    series("dates without start_time", "timestamp,tokens_per_s\n2022-01-01T00:00Z,1\n2022-01-01T01:00Z,2\n",
            f"{DEMAND}: expected the key \"start_time\", since d.csv holds date-times: the instant of t = 0"),
    series("bin", SERIES, f"{DEMAND}: bin belongs to amplitude, or to format: azure-llm", more=", bin: 10s"),
    requests("empty file", "", "d.csv: empty file, expected a header line"),
    requests("no row", LOG.splitlines()[0] + "\n", "d.csv: the log holds no request"),
    requests("other columns", "TIME,ContextTokens,Generated\n", "d.csv:1: column \"TIMESTAMP\" is missing (columns: TIME, ContextTokens, Generated)",
            "d.csv:1: column \"GeneratedTokens\" is missing (columns: TIME, ContextTokens, Generated)"),
    requests("bad cells", LOG + "2023-11-16,1,-1\n2023-11-16 25:00,1,2\n2023-11-16 18:18,1.5,inf\n2023-11-16 18:18,,2e9\n12.5,1,1\n",
            f"d.csv:4:14: GeneratedTokens: {TOKEN_CELL}, got \"-1\"",
            "d.csv:5:1: TIMESTAMP: expected a date-time such as 2023-11-16 18:17:03.98, got \"2023-11-16 25:00\"",
            f"d.csv:6:18: ContextTokens: {TOKEN_CELL}, got \"1.5\"",
            f"d.csv:6:22: GeneratedTokens: {TOKEN_CELL}, got \"inf\"",
            f"d.csv:7:18: ContextTokens: {TOKEN_CELL}, got \"\"",
            f"d.csv:7:19: GeneratedTokens: {TOKEN_CELL}, got \"2e9\"",
            "d.csv:8:1: TIMESTAMP: expected a date-time such as 2023-11-16 18:17:03.98, got \"12.5\""),
    requests("short row", LOG + "2023-11-16,1\n", "d.csv:4:1: expected 3 fields as in the header, found 2"),
    requests("cut off", gzip.compress((LOG * 50).encode(), mtime=0)[:60], "d.csv: truncated gzip data after line 0"),
    requests("column", LOG,
            f"{DEMAND}: column and time_column belong to format: series: a log has its own", more=", column: a"),
    service("demand: prompts that count without a ratio", [("model: chat", "model: prompted")],
            f"{DEMAND}: key \"prompt_ratio\" is missing: the model counts prompts (output_equivalents)"),
    requests("prompt_ratio", LOG, f"{DEMAND}: prompt_ratio does not belong to a log, which has it", more=", prompt_ratio: 5"),
    requests("period of no whole bins", LOG, f"{DEMAND}: expected a period of whole bins, got bin 10 s in 86395 s",
            more=", period: 86395s"),
    requests("period and no repeat", LOG, f"c.yaml:16:68: workload.streams[1].demand.repeat: {CONTRADICTION}, got \"false\"",
            more=", period: 1h, repeat: false"),
    requests("period shorter than the rows", LOG + "2023-11-16 18:19:00.98,1,1\n2023-11-16 18:18:00,1,1\n",
            "d.csv:4:1: TIMESTAMP: expected a time less than the period of 110 s after the first request, got one 117 s after it",
            more=", period: 110s"),
    requests("period wrong in both", LOG + "2023-11-16 18:19:00.98,1,1\n",
            f"{DEMAND}: expected a period of whole bins, got bin 10 s in 115 s",
            "d.csv:4:1: TIMESTAMP: expected a time less than the period of 115 s after the first request, got one 117 s after it",
            more=", period: 115s"),
    requests("bin of 0", LOG,
            "c.yaml:16:53: workload.streams[1].demand.bin: expected duration such as 90s or 10h 0.001..1000000, got \"0\"",
            more=", bin: 0"),
    service("job with the name of a replica",
            ("    - {kind: poisson, rate_per_s: 0.005, sizes: {law: constant, mean: 1h}}\n", "    - {kind: trace, file: t.csv}\n"),
            "c.yaml:13:7: workload.streams[1].name: expected another name: a job is called \"chat#12\", as a replica would be",
            t="job_id,submit_s,duration_s,gpus\nchat#,0,60,1\nchat#1x,0,60,1\nchat#12,5,60,1\n"),
    service("two names that files write alike", (SERVICE, SERVICE.replace("chat", '"a\\nb"', 1) + SERVICE.replace("chat", "a b", 1)),
            "c.yaml:19:7: workload.streams[2].name: service \"a b\" is listed twice"),
    alone("bounds", [], "easim: easim cannot bound runs with services",
          command=("bound", "c.yaml", "--quiet", "--out", "out")),
    alone("bounds of a run", [], "easim: easim cannot bound runs with services",
          command=("run", "c.yaml", "--bound", "--quiet", "--out", "out")),
    alone("bounds of a comparison", [], "easim: easim cannot bound runs with services",
          command=("compare", "c.yaml", "--policies", "fcfs,easy", "--bound", "--quiet", "--out", "out")),
    alone("bounds of a policy in hindsight", [], "easim: easim cannot bound runs with services",
          command=("regret", "c.yaml", "--hindsight", "--quiet", "--out", "out")),
    alone("least replicas that do not fit", [("{max: 4}", "{min: 9, max: 9}")],
          "c.yaml:17:17: workload.streams[0].replicas.min: expected replicas that fit the empty cluster, got 9, of which 8 fit"),
    alone("objective of a metric of services", [], "easim tune: --objective: no metric is named \"slo_share\"",
          "Try `easim tune --help' for more information.", command=("tune", "c.yaml", "--objective", "slo_share")),
    alone("objective of a figure that a service has not", [], "--objective: no metric is named \"services.chat.energy_per_token\", "
          f"did you mean \"services.chat.j_per_token\"?{THERE}", command=(*TUNE, "services.chat.energy_per_token")),
    alone("objective of another service", [], f"--objective: no metric is named \"services.code.scale_ups\", did you mean \"services.chat.scale_ups\"?{THERE}",
          command=(*TUNE, "services.code.scale_ups")),
    alone("objective of a service that nobody judges", [], "--objective: neither less nor more of services.chat.scale_ups is better",
          command=(*TUNE, "services.chat.scale_ups")),
    alone("constraint of another service", [], f"--constraint: no metric is named \"services.code.scale_ups\", did you mean \"services.chat.scale_ups\"?{THERE}",
          command=(*TUNE, "services.slo_share", "--constraint", "services.code.scale_ups<=1")),
    Case("service: claim on another service", [f"s.yaml:6:23: claims[0].metric: no column of summary.csv is named \"services.code.scale_ups\", did you mean \"services.chat.scale_ups\"?{THERE}"],
         {"c.yaml": changed(CONFIG, [(POISSON, "workload:\n  streams:\n" + SERVICE)]), "m.yaml": MODELS + "  - name: chat\n" + TOKENS,
          "s.yaml": "name: s\nbase: c.yaml\naxes:\n  - {name: pick, values: {a: {policy.name: fcfs}, b: {policy.name: zeus}}}\nclaims:\n"
                    "  - {name: c, metric: services.code.scale_ups, of: {pick: a}, against: {pick: b}, sign: less}\n"},
         command=("sweep", "s.yaml", "--list")),
]
