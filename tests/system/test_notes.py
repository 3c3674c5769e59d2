"""What is said besides figures, where, and with which shares: test_notes.py EASIM SOURCE. Every share is counted again."""
import json
import re
from statistics import mean, stdev

from harness import SOURCE, cases, easim, fixed_words, json_of, rows_of
from student import t_point

# Two models: "bert" is measured on a100 up to batch 16 and 2 GPUs, on h100 not at all; "vit" knows a100 alone.
FORM = "a_s: 0.04, c_s: 0.005, gamma: 2, alpha_s: 0.01, p0_w: 100, pmax_w: 300, evidence: assumed, source: made up"
MODELS = f"""models:
  - {{name: bert, m0: 1024, phi: 1000, batches: [8, 16, 32], gpus: {{a100: {{{FORM}, range_k: [1, 2], range_batch: [8, 16]}},
      h100: {{{FORM}}}}}}}
  - {{name: vit, m0: 1024, phi: 1000, batches: [8], gpus: {{a100: {{{FORM}, range_k: [1, 8], range_batch: [8, 8]}}}}}}
"""
TYPE = "{{name: {}, idle_w: 60, ctx_w: 95, tdp_w: {}, memory_gib: 80}}"
SCENARIO = """name: notes
horizon: 12h
replications: 3
cluster:
  gpu_types: [{types}]
  nodes: [{nodes}]
{more}models: models.yaml
workload: {{kind: poisson, rate_per_s: {rate}, sizes: {{law: lognormal, mean: 2h, cv: 1}}, mix: [{{model: bert}}, {{model: vit}}]}}
policy: {{name: pollux}}
"""
PLAIN = {"types": TYPE.format("a100", 400) + ", " + TYPE.format("h100", 400), "more": "", "rate": 0.0005,
         "nodes": "{gpu: a100, gpus: 8}, {gpu: h100, gpus: 4}"}


def write(folder, **changes):
    (folder / "models.yaml").write_text(MODELS)
    (folder / "c.yaml").write_text(SCENARIO.format(**(PLAIN | changes)))
    return folder / "c.yaml"


def sweep(folder, name, axis):
    file = folder / f"{name}.yaml"
    file.write_text(f"name: s\nbase: c.yaml\naxes:\n  - {axis}\n")
    return easim("sweep", file, "--out", folder / name).stdout


SERVED = """name: served
horizon: {horizon}
cluster: {{gpu_types: [{{name: g, idle_w: 60, ctx_w: 95, tdp_w: 700, memory_gib: 80}}], nodes: [{{gpu: g, gpus: 4}}]}}
models: served-models.yaml
workload: {{kind: service, name: chat, model: {model}, demand: {demand}, slo: {{itl_ms: 60, wait_s: 10}}, replicas: {{{replicas}}}{more}}}
policy: {{name: fcfs}}
"""
TABLES = """models:
  - {name: m, unit: token, prompt: {included: true}, serving: [{gpu: g, k: 1, evidence: assumed, source: test, points: &p [
      {n: 10, per_s: 1000, power_w: 400, itl_ms: {p50: 5, p90: 8, p95: 9, p99: 40}},
      {n: 30, per_s: 2000, power_w: 600, itl_ms: {p50: 9, p90: 15, p95: 18, p99: 80}}]}]}
  - {name: counts, unit: token, prompt: {output_equivalents: 0.1}, serving: [{gpu: g, k: 1, evidence: assumed, source: test, points: *p}]}
"""
REQUESTS = """TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:17:00,100,30
2023-11-16 18:17:05,20,0
2023-11-16 18:17:04,160,40
"""


def said_of_services(folder):
    """What of a service has no effect, what its log holds, and what prompts are to it. In the last case latency ends at 20 requests,
    half-way from 40 to 80 ms, and what was measured nowhere."""
    (folder / "served-models.yaml").write_text(TABLES)
    (folder / "log.csv").write_text(REQUESTS)
    (folder / "gaps.csv").write_text("time_s,tokens_per_s\n0,5\n10,\n20,7\n")
    log = "{file: log.csv, format: azure-llm, repeat: true}"
    rows = [f"{folder}/log.csv: 1 requests without an output token (first: line 3)", f"{folder}/log.csv: 1 rows earlier than one before them: sorted (first: line 4)"]
    again = "repeated: workload.demand every 10 s"
    ends = "it is always 0 from t = {} s on, {} s before the horizon (period: DURATION would repeat it)"
    path = "workload."
    cases = [
        ({"demand": log}, ["service chat: 4 prompt tokens for each output token; the tables of m were measured with prompts of their "
                           "own, which are not these", *rows, again], []),
        ({"demand": log, "model": "counts"}, ["service chat: 4 prompt tokens for each output token, each as costly as 0.1 output "
                                              "tokens: of the work 71.4 % is output", *rows, again], []),
        ({"demand": "{file: gaps.csv}"}, [f"{folder}/gaps.csv: 1 empty cells, filled with the value before (first: line 3)"],
         [path + "demand: " + ends.format(30, 3570)]),
        ({"demand": "{tokens_per_s: 0}"}, [], [path + "demand: it is always 0"]),
        ({"replicas": "min: 1, max: 1, b: [8, 16, 32, 64], k: [1, 2]"}, [],
         [path + "replicas: impossible configurations: g k 2: the model has no serving table for it",
          path + "replicas.b: from 32 to 64 all have the same effect, because latency or the measured range ends sooner"]),
        ({"more": ", scaling: {target: 0.5}"}, [], [path + "scaling: of no effect unless a replica is lost, because min equals max"]),
        ({}, [], [])]
    for changes, notes, warnings in cases:
        plain = {"horizon": "1h", "model": "m", "demand": "{tokens_per_s: 100}", "replicas": "min: 1, max: 1", "more": ""}
        (folder / "s.yaml").write_text(SERVED.format(**(plain | changes)))
        text = easim("run", folder / "s.yaml", "--out", folder / "served", "--force").stdout
        found = [line.strip() for line in text.splitlines() if line.startswith("  note: ") or line.startswith("  warning: ")]
        finer = [line for line in found if "services alone" in line]  # of a log in bins of 10 s: test_services.py has its figures
        assert len(finer) == (log in changes.values()), (changes, found)
        found = [line for line in found if line not in finer]
        assert [line[6:] for line in found if line.startswith("note: ")] == notes, (changes, found)
        assert [line[9:] for line in found if line.startswith("warning: ")] == warnings, (changes, found)
    with_hashes = json_of(folder / "served" / "manifest.json")["inputs"]
    (folder / "s.yaml").write_text(SERVED.format(**(plain | {"demand": log})))
    easim("run", folder / "s.yaml", "--out", folder / "served", "--force")
    added = {row["key"] for row in json_of(folder / "served" / "manifest.json")["inputs"]} - {
        row["key"] for row in with_hashes}
    assert added == {"workload.demand.file"}, added


def warnings_everywhere(folder):
    """A type that no model knows, and a tdp_w below pmax_w: check, every table, every manifest, and once."""
    config = write(folder, types=", ".join(TYPE.format(*t) for t in (("a100", 250), ("h100", 400), ("v100", 300))),
                   nodes=PLAIN["nodes"] + ", {gpu: v100, gpus: 4}")
    said = ["cluster.gpu_types[2]: no model of the workload's jobs says how they run on v100: its 4 GPUs stay idle"] + [
        f"cluster.gpu_types[0].tdp_w: 250 W is less than the 300 W that {m} may draw on a100 (pmax_w): its power is cut, its "
        "speed is not" for m in ("bert", "vit")]
    commands = {"run": [], "compare": ["--policies", "pollux,zeus,fcfs"], "ablate": ["zeus:edp_slack=2", "pollux"],
                "tune": ["--policy", "zeus", "--params", "tau", "--objective", "energy_kwh", "--max-trials", 3]}
    outputs = {command: easim(command, config, *words, "--out", folder / command).stdout for command, words in commands.items()}
    outputs["sweep"] = sweep(folder, "sweep", "{path: seed, values: [1, 2]}")
    for command, text in outputs.items():
        for warning in said:
            assert text.count(f"  warning: {warning}\n") == 1, (command, warning, text)
        warnings = json_of(folder / command / "manifest.json")["warnings"]
        assert [w for w in warnings if not w.startswith("skewed values")] == said, (command, warnings)
    assert easim("check", config).stdout.splitlines()[1:] == [f"  warning: {w}" for w in said]
    beside = easim("ablate", config, "zeus:edp_slack=2", "pollux", "--out", folder / "csv", "--format", "csv")
    assert all(f"  warning: {w}\n" in beside.stderr and w not in beside.stdout for w in said), beside.stderr
    text = sweep(folder, "two", '{path: "cluster.gpu_types[0].tdp_w", values: [250, 400]}')
    assert f"  warning: {said[1]} (in 1 of 2 points)\n" in text and f"  warning: {said[0]}\n" in text, text
    rows = {row["cluster.gpu_types[0].tdp_w"]: row["warning"] for row in rows_of(folder / "two" / "sweep.csv")}
    points = json.loads(easim("sweep", folder / "two.yaml", "--merge", "--out", folder / "two", "--format", "json").stdout)["warnings"]
    assert {point["cluster.gpu_types[0].tdp_w"]: point["warning"] for point in points} == rows and len(points) == 2, points
    assert said[1] in rows["250"] and said[1] not in rows["400"] and said[0] in rows["400"], rows
    least = json.loads(easim("bound", config, "--quiet", "--out", folder / "bound", "--format", "json").stdout)["bounds"]
    whole = {row["metric"]: row["warning"] for row in rows_of(folder / "bound" / "bounds.csv") if row["replication"] == "mean"}
    assert {bound["metric"]: bound["warning"] for bound in least} == whole, (least, whole)
    assert all(w in warning for w in said for warning in whole.values()), whole


def outside(jobs):
    """Starts outside of the measured range, by model and GPU type, of jobs that started once, and all starts."""
    started = [j for j in jobs if j["start_s"]]
    assert all(j["preemptions"] == j["resizes"] == "0" for j in started)
    found = {}
    for j in started:
        k, b = int(j["k"]), float(j["b"])
        inside = j["gpu_type"] == "a100" and (j["model"] == "vit" or (k <= 2 and b <= 16))
        if not inside:
            name = f"{j['model']} on {j['gpu_type']}"
            found[name] = found.get(name, 0) + 1
    return found, len(started)


def listed(text):
    """What is said once of starts outside, among assumptions or as a note: how many of how many, and by model."""
    notes = re.findall(r"  (?:note:|  ) ?([\d,]+) of ([\d,]+) starts(?: of all policies)? outside the range in which their model was "
                       r"measured: (.*)\n", text)
    assert len(notes) == 1 and text.count("outside the range") == 1, text
    number = lambda digits: int(digits.replace(",", ""))
    parts = {name: number(n) for name, n in re.findall(r"([\w ]+) \(([\d,]+)\)", notes[0][2])}
    return {name.strip(): n for name, n in parts.items()}, number(notes[0][0]), number(notes[0][1])


def shares_of_starts(folder):
    """Of a run, of a comparison (once, of all policies) and of a sweep: counted again from jobs.csv."""
    config, policies = write(folder, rate=0.01), ["pollux", "fcfs", "zeus"]
    sums, starts = {}, 0
    text = easim("compare", config, "--policies", ",".join(policies), "--out", folder / "compare").stdout
    for policy in policies:
        found, own = outside(rows_of(folder / "compare" / policy / "jobs.csv"))
        sums, starts = {n: sums.get(n, 0) + found.get(n, 0) for n in sums | found}, starts + own
        alone = listed(easim("run", config, "--policy", policy, "--out", folder / policy).stdout)
        assert alone == (found, sum(found.values()), own), (policy, alone, found)
    assert listed(text) == (sums, sum(sums.values()), starts) and starts > 1000, (text, sums, starts)
    text = sweep(folder, "sweep", "{path: policy, values: [{name: pollux}, {name: fcfs}, {name: zeus}]}")
    assert listed(text) == (sums, sum(sums.values()), starts), (text, sums, starts)


def caps_that_are_ignored(folder):
    """pollux and zeus know nothing of the cap; charon keeps it. The share of time and the energy are those of summary.csv."""
    config = write(folder, more="  power_cap_w: 2000\n")
    text = easim("compare", config, "--policies", "pollux,charon,zeus", "--out", folder / "compare").stdout
    told = []
    for policy in ("pollux", "zeus"):
        rows = rows_of(folder / "compare" / policy / "summary.csv")
        share = sum(float(r["cap_violation_s"]) for r in rows) / sum(float(r["sim_s"]) for r in rows)
        kwh = mean(float(r["cap_violation_j"]) for r in rows) / 3.6e6
        told.append(f"{policy} for {100 * share:.3g} % of the time, by {kwh:.3g} kWh a run")
        assert share > 0.1
        alone = easim("run", config, "--policy", policy, "--out", folder / policy).stdout
        assert f"  warning: over the power cap, which is ignored (no POWER_CAP): {told[-1]}\n" in alone, alone
    line = f"  warning: over the power cap, which is ignored (no POWER_CAP): {'; '.join(told)}\n"
    assert line in text and text.count("over the power cap, which") == 1, (line, text)
    assert "over the power cap, which" not in easim("run", config, "--policy", "charon", "--out", folder / "charon").stdout
    text = sweep(folder, "sweep", "{path: policy, values: [{name: pollux}, {name: charon}, {name: zeus}]}")
    assert line in text and text.count("over the power cap, which") == 1, (line, text)


def slope(rows, horizon_s):
    """Least squares over waiting jobs as a function of continuous time, jobs/h, by sums over the steps."""
    moment, middle = 0, horizon_s / 2
    for row, after in zip(rows, [float(r["time_s"]) for r in rows[1:]] + [horizon_s]):
        begin = float(row["time_s"])
        moment += int(row["waiting"]) * ((after - middle) ** 2 - (begin - middle) ** 2) / 2
    return 12 * moment / horizon_s ** 3 * 3600


def queues_and_ends(folder):
    """A load that no policy can serve: `run` says that the queue grows and what the end cuts off; a light one does not."""
    config = write(folder, rate=0.01)
    for summary_only in ([], ["--summary-only"]):
        text = easim("run", config, "--out", folder / f"heavy{len(summary_only)}", *summary_only).stdout
        power, jobs = (rows_of(folder / "heavy0" / name) for name in ("power.csv", "jobs.csv"))
        slopes = [slope([r for r in power if r["replication"] == n], 12 * 3600) for n in "123"]
        half = t_point(2) * stdev(slopes) / 3 ** 0.5
        assert (f"  warning: not stationary, the queue grows by {mean(slopes):.3g} +- {half:.3g} waiting jobs an hour\n"
                in text), (slopes, text)
        open_share = mean(mean(j["status"] in ("waiting", "running") for j in jobs if j["replication"] == n) for n in "123")
        assert f"% of the work and {100 * open_share:.1f} % of the jobs unfinished: means over finished jobs" in text, text
    text = easim("run", config, "-n", 1, "--out", folder / "one").stdout
    assert f"queue grows by {slopes[0]:.3g} waiting jobs an hour (one replication: no interval)\n" in text, text
    beside = easim("run", config, "--out", folder / "json", "--format", "json")
    assert "queue grows" in beside.stderr and json.loads(beside.stdout)["replications"] == 3
    text = easim("run", write(folder, rate=0.0002), "--out", folder / "light").stdout
    assert "not stationary" not in text and "replications are equal" not in text, text
    drained = easim("run", config, "--set", "horizon=drain", "--set", "workload.until=1h", "--out", folder / "drained").stdout
    assert "not stationary" not in drained and "unfinished:" not in drained, drained


def rows_of_logs(folder):
    """Dropped and changed rows are so many of so many."""
    log = folder / "log.csv"
    log.write_text("job_id,submit_s,gpus,duration_s\n" + "".join(f"{i},{i},1,100\n" for i in range(1500)))
    config = write(folder)
    text = config.read_text()
    start, end = text.index("workload:"), text.index("policy:")
    config.write_text(text[:start] + "workload: {kind: trace, file: log.csv, slice: {from: 300s}}\n" + text[end:])
    text = easim("compare", config, "--policies", "pollux,fcfs", "--out", folder / "out").stdout
    equal = "  warning: all replications are equal, nothing in the scenario is random: intervals mean nothing\n"
    assert easim("run", config, "--out", folder / "equal").stdout.count(equal) == 1
    assert equal not in easim("run", config, "-n", 1, "--out", folder / "one").stdout
    line = f"  note: {log}: 300 of 1,500 rows dropped: outside of the slice of time (first: line 2)\n"
    assert text.count(line) == 1, text


def timed_decisions(folder):
    """--timing alone says how long a decision takes on average, more than nothing, and of how many, those of summary.csv."""
    line = re.compile(r"  decision, mean: ([0-9.]+) us of processor time, ([0-9]+) decisions\n")
    config = write(folder)
    [(mean_us, decisions)] = line.findall(easim("run", config, "--timing", "--out", folder / "out").stdout)
    assert float(mean_us) > 0, mean_us
    assert int(decisions) == sum(int(row["decisions"]) for row in rows_of(folder / "out/summary.csv")), decisions
    assert not line.search(easim("run", config, "--force", "--out", folder / "out").stdout)


def table_of_notes():
    """Every text of docs/reference/notes.csv is in strings of the sources, its words in capitals and signs apart."""
    code = "".join(path.read_text() for folder in ("output", "study", "workload") for path in sorted((SOURCE / "src" / folder).rglob("*.c")))
    strings = re.sub(r'"\s*"', "", code).replace("%%", "%")
    for row in rows_of(SOURCE / "docs/reference/notes.csv"):
        words = fixed_words(row["text"])
        assert all(part in strings for part in words), (row["text"], [part for part in words if part not in strings])
        assert row["kind"] in ("assumption", "note", "warning") and (row["key"] != "") == (row["kind"] == "assumption") and row["when"], row



cases(table_of_notes, warnings_everywhere, said_of_services, shares_of_starts, caps_that_are_ignored, queues_and_ends, rows_of_logs, timed_decisions)
