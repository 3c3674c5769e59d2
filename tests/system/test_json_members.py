"""docs/reference/json.csv lists each member of the JSON that easim writes, and no other: test_json_members.py EASIM SOURCE. So does values.csv
for words in columns.

A member is names with points between them: [] is an item of a list, {a,b} is a and b, a word in capitals is any name. Several that
have one meaning are in one row, with ", " between them. Rows without a condition are in every such file; the others are in some.
"""
import json
import re

from harness import SOURCE, TINY, cases, easim, json_of, rows_of, write_files

EAS = SOURCE / "configs/eas-sim.yaml"
PRINTED, PRINTS = "--format json", ("--format", "json", "-q")
SELDOM = {"missing": "compare", "data_folder": "validate", "counted_by_policy": "run"}  # after an interruption; real data; of few policies
SERVED = """name: served
horizon: 10min
cluster: {gpu_types: [{name: g, idle_w: 60, ctx_w: 95, tdp_w: 700, memory_gib: 80}], nodes: [{gpu: g, gpus: 2}]}
models: models.yaml
record: true
workload:
  streams:
    - {kind: trace, file: jobs.csv}
    - {kind: service, name: chat, model: m, demand: {file: demand.csv, period: 300s}, slo: {itl_ms: 60, wait_s: 10}, replicas: {min: 0, max: 2},
       start_s: 1s, scaling: {interval: 10s, down_after: 10s}}
policy: {name: fcfs}
"""
MODEL = """models:
  - {name: m, unit: token, prompt: {included: true}, serving: [{gpu: g, k: 1, evidence: assumed, source: test, points: [
      {n: 10, per_s: 1000, power_w: 400, itl_ms: {p50: 5, p90: 8, p95: 9, p99: 40}},
      {n: 30, per_s: 2000, power_w: 600, itl_ms: {p50: 9, p90: 15, p95: 18, p99: 80}}]}]}
"""
SWEEP = """name: s
base: {}
set: {{replications: 2, horizon: 1h}}
axes: [{{path: policy.name, values: [pollux, zeus], label: policy}}, {{path: seed, values: [1, 2]}}]
claims: [{{name: less, metric: energy_kwh, of: {{policy.name: zeus}}, against: {{policy.name: pollux}}, sign: less}}]
targets: [{{name: t, metric: {{a: energy_kwh, b: jct_mean_s}}, value: 5, within: 0.5}}]
"""
LAB = """name: lab
horizon: drain
cluster: {gpu_types: [{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}], nodes: [{gpu: a100, gpus: 4}]}
workload: {kind: trace, format: workload, file: w.csv, utilization: 0.6}
policy: {name: fcfs}
"""


def paths(value, place=()):
    """Of all members in it."""
    if isinstance(value, dict) and value:
        for name, inside in value.items():
            yield from paths(inside, (*place, name))
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for item in value:
            yield from paths(item, (*place, "[]"))
    elif place:
        yield place


def forms(member):
    """Of one in the table, as tuples of names."""
    braces = re.search(r"\{([^}]*)\}", member)
    if braces:
        return [form for name in braces[1].split(",") for form in forms(member[:braces.start()] + name + member[braces.end():])]
    return [tuple(name for part in member.split(".") for name in re.findall(r"\[\]|[^\[\]]+", part))]


def has_form(place, form):
    return len(place) <= len(form) and all(name == wanted or wanted.isupper() for name, wanted in zip(place, form))


def of_command(row, command):
    words = row["command"].split()
    return (command in words) != (words[0] == "all")


def compare(folder):
    common = ("compare", EAS, "--policies", "fcfs,zeus", "-n", "2", "--set", "horizon=1h", *PRINTS)
    more = ("--perturb", "arrivals=0.1", "--until-ci", "energy_kwh=0.5", "--max-replications", "3", "--bound")
    yield "compare", easim(*common, *more, "--out", folder / "compare"), folder / "compare"
    yield "compare", easim(*common, "-n", "5", "--interval", "bootstrap-t", "--out", folder / "resampled"), folder / "resampled"
    uncertain = ("compare", SOURCE / "configs/uncertainty.yaml", "--policies", "pollux,zeus", "-n", "2", "--set", "horizon=1h")
    yield "compare", easim(*uncertain, "--set", "uncertainty.worlds=2", *PRINTS, "--out", folder / "worlds"), folder / "worlds"


def odd_runs(folder):
    """Resizes on a network, a perturbed log with estimates and warnings, a job that the policy rejects, a validation."""
    network = ("--set", "cluster.network={tiers: [{name: leaf, nodes: 2, oversubscription: 1}], link: 400Gbit/s}")
    named = ("--set", "policy.label=mine", "--set", "policy.variant=v")
    resizes = ("--policy", "pollux:resize=true:resize_gain=0.01:resize_interval_s=60", "--set", "horizon=6h", "--set", "workload.rate_per_s=0.002")
    easim("run", EAS, "-n", "1", *resizes, *network, *named, "--record", "-q", "--out", folder / "resized")
    yield "run", None, folder / "resized"
    resized = [row["job_id"] for row in rows_of(folder / "resized/jobs.csv") if row["resizes"] == "1"]
    yield "explain", easim("explain", folder / "resized", resized[0], "--what-if", "wait", *PRINTS[:2]), None
    log = ("--set", "workload.estimate={factor: 2}", "--set", "workload.perturb={time_compression: 2}", "--set", "horizon=1h")
    cap = (*log, "--set", "cluster.power_cap_w=100", "--set", f"carbon_g_per_kwh={{file: {folder}/carbon.csv}}")
    write_files(folder, {"carbon.csv": "time_s,carbon_g_per_kwh\n0,5\n1200,\n2400,7\n"})
    easim("run", TINY, *cap, "--policy", "fcfs", "-q", "--out", folder / "odd", cwd=folder)
    yield "run", None, folder / "odd"
    yield "regret", easim("regret", TINY, "-n", "1", *log, *PRINTS, "--out", folder / "horizon"), folder / "horizon"
    easim("run", TINY, "--policy", "charon", "--set", "cluster.power_cap_w=1500", "--record", "-q", "--out", folder / "capped")
    yield "run", None, folder / "capped"
    yield "explain", easim("explain", folder / "capped", "rigid-1", *PRINTS[:2]), None
    write_files(folder, {"ran.csv": "job_id,submit_s,start_s,finish_s,gpus\na,0,0,100,1\nb,1,1,51,1\n",
                         "w.csv": "job_id,submit_s,duration_s,gpus\na,0,100,1\nb,1,50,1\n", "lab.yaml": LAB})
    yield "validate", easim("validate", "--measured", "./ran.csv", "--scenario", "lab.yaml", "--tolerance", "5%", *PRINTS, "--out", "lab",
                            cwd=folder), folder / "lab"


def runs(folder):
    out = {name: folder / name for name in "run carbon slurm served ablate tune bound regret job models sweep".split()}
    yield "run", easim("run", TINY, "--record", "--bound", "-n", "2", "--set", "cluster.power_cap_w=4000", *PRINTS, "--out", out["run"]), out["run"]
    easim("analyze", out["run"], "-q")
    yield "analyze", None, out["run"]
    yield "run", easim("run", SOURCE / "configs/carbon-price.yaml", "-n", "1", "--set", "horizon=4h", *PRINTS, "--out", out["carbon"]), out["carbon"]
    yield "run", easim("run", SOURCE / "configs/slurm-sample.yaml", *PRINTS, "--out", out["slurm"]), out["slurm"]
    write_files(folder, {"served.yaml": SERVED, "models.yaml": MODEL, "demand.csv": "time_s,tokens_per_s\n0,0\n50,1500\n200,0\n",
                         "jobs.csv": "job_id,submit_s,gpus,duration_s\na,0,2,100\nb,10,2,100\nc,20,1,400\n"})
    yield "run", easim("run", folder / "served.yaml", *PRINTS, "--out", out["served"]), out["served"]
    yield "ablate", easim("ablate", TINY, "zeus", "pollux", "-n", "2", *PRINTS, "--out", out["ablate"]), out["ablate"]
    yield "tune", easim("tune", TINY, "--policy", "zeus", "--params", "edp_slack=[1.5,off]", "--objective", "energy_kwh", "--constraint",
                        "jct_mean_s<=10%", "-n", "2", *PRINTS, "--out", out["tune"]), out["tune"]
    yield "bound", easim("bound", TINY, *PRINTS, "--out", out["bound"]), out["bound"]
    yield "regret", easim("regret", TINY, "-n", "1", "--hindsight", *PRINTS, "--out", out["regret"]), out["regret"]
    yield "regret", easim("regret", TINY, "-n", "1", "--job", "rigid-1", *PRINTS, "--out", out["job"]), out["job"]
    easim("models", TINY, "-q", "--out", out["models"])
    yield "models", None, out["models"]
    write_files(folder, {"sweep.yaml": SWEEP.format(EAS)})
    yield "sweep", easim("sweep", folder / "sweep.yaml", *PRINTS, "--out", out["sweep"]), out["sweep"]
    for job in ("rigid-1", "--latest"):
        yield "explain", easim("explain", out["run"], job, "--what-if", "all", *PRINTS[:2]), None
    ids = sorted({row["job_id"] for row in rows_of(out["served"] / "segments.csv")})
    for job in ids:
        yield "explain", easim("explain", out["served"], job, *PRINTS[:2]), None


def test_members(folder):
    table = rows_of(SOURCE / "docs/reference/json.csv")
    rows = [(row, [form for member in row["member"].split(", ") for form in forms(member)]) for row in table]
    seen, faults, count = set(), set(), 0
    for command, printed, out in (*runs(folder), *odd_runs(folder), *compare(folder)):
        texts = {PRINTED: json.loads(printed.stdout)} if printed else {}
        for name in ("manifest.json", "insights.json"):
            if out and (out / name).exists() and name == ("insights.json" if command == "analyze" else "manifest.json"):
                texts[name] = json_of(out / name)
        for file, text in texts.items():
            there, count = set(paths(text)), count + 1
            mine = [(row, number, form) for number, (row, known) in enumerate(rows) if row["file"] == file and of_command(row, command)
                    for form in known]
            for place in there:
                found = [(number, form) for _, number, form in mine if has_form(place, form)]
                seen.update(found)
                faults |= set() if found else {f"{command} {file}: {'.'.join(place)} is not in json.csv"}
            faults |= {f"{command} {file}: has no {'.'.join(form)}" for row, number, form in mine
                       if not row["if"] and not any(has_form(place, form) for place in there)}
    for number, (row, known) in enumerate(rows):
        faults |= {f"never: {row['command']} {row['file']}: {'.'.join(form)}, if {row['if']}" for form in known
                   if (number, form) not in seen and row["command"] != SELDOM.get(form[0])}
    print("\n".join(sorted(faults)))
    assert not faults
    return count


def words_of(file, begin, end):
    text = (SOURCE / "src" / file).read_text().partition(begin)[2].partition(end)[0]
    return set(re.findall(r'"(\w+)"', re.sub(r"/\*.*?\*/", "", text))) - {"none"}


def test_values():
    """docs/reference/values.csv has the words that the code has."""
    known = {("segments.csv", "kind"): words_of("engine/sim.c", "segment_kind_names[] = {", "};"),
             ("segments.csv", "began, ended"): words_of("engine/observer.h", "#define SEGMENT_CAUSE_ROWS(X)", "enum segment_cause"),
             ("models.csv", "state"): words_of("model/survey.c", "survey_state_names[] = {", "};"),
             ("perturb.csv", "perturbation"): words_of("experiment/perturb.c", "perturbations[] = {", "};") | {"PATH"}}
    found = {}
    for row in rows_of(SOURCE / "docs/reference/values.csv"):
        found.setdefault((row["file"], row["column"]), set()).add(row["value"])
        assert row["meaning"], row
    assert found == known, (found, known)


if __name__ == "__main__":
    cases(test_members, test_values)
