"""What results assume, told once each, where it applies and nowhere else: test_assumptions.py EASIM SOURCE.

The table, manifest.json and the report of small scenarios; each line appears and goes with the key that it names.
"""
import re

from harness import SOURCE, cases, easim, fixed_words, json_of, rows_of
from report_page import text_of

MODELS = """models:
  - {{name: m, m0: 1024, phi: 1000, batches: [8, 16], {fit}gpus: {{slow: {{{form}, range_k: [1, 1], range_batch: [8, {most}]}}{other}}}}}
{speed}"""
FORM = "a_s: 0.04, c_s: 0.005, gamma: 2, alpha_s: 0.01, p0_w: 100, pmax_w: 300, evidence: {}, source: made up"
TYPE = "{{name: {0}, idle_w: 60, ctx_w: 95, tdp_w: 400, memory_gib: 80}}"
SCENARIO = """name: assumed
horizon: drain
cluster:
  gpu_types: [{types}]
  nodes: [{nodes}]
  pue: {pue}
models: models.yaml
workload: {{kind: trace, file: jobs.csv, k: [1]{workload}}}
policy: {{name: fcfs}}
{more}"""
RIGID = "job_id,submit_s,gpus,duration_s,requested_s,utilization\n"
MODELLED = "job_id,submit_s,model,work_samples\na,0,m,100000\nb,1,m,200000\n"
FIT = "fit: {metric: loss, target: 1, runs: 2}, "

TABLE = [row for row in rows_of(SOURCE / "docs/reference/notes.csv") if row["kind"] == "assumption"]
DRAWS = ("rigid jobs draw tdp_w, because their utilization is not known", "workload.utilization")
EQUAL = ("rigid jobs are equally fast on all GPU types", "models: rigid_speed")
NOT_READ = ("policies know run times of rigid jobs exactly; not read by fcfs", "workload.estimate")
NOISE = ("jobs with a model run exactly as it predicts", "noise.speed_sigma")
NO_FIT = ("m0 of 1 of 1 models is not fitted to training runs", "models: m0, phi")
UNPRICED = [("no carbon intensity, so no CO2", "carbon_g_per_kwh"), ("no price, so no cost", "price_per_mwh")]


def evidence(words):
    return (f"evidence of models on GPU types, by the weakest parameter: {words}", "models: evidence")


def pue(value, what):
    return (f"PUE {value} multiplies {what}; energies are without it", "cluster.pue")


def write(folder, jobs, types=("slow",), workload="", more="", speed="", pue=1, fit="", most=16, words=("assumed", "assumed")):
    other = f", fast: {{{FORM.format(words[1])}}}" if "fast" in types else ""
    (folder / "jobs.csv").write_text(jobs)
    (folder / "models.yaml").write_text(MODELS.format(form=FORM.format(words[0]), other=other, speed=speed, fit=fit, most=most))
    (folder / "s.yaml").write_text(SCENARIO.format(
        types=", ".join(map(TYPE.format, types)), nodes=", ".join(f"{{gpu: {name}, gpus: 4}}" for name in types), pue=pue,
        workload=workload, more=more))
    return folder / "s.yaml"


def told(text):
    """The block of a table: [(text, key)]."""
    block = re.search(r"^  assumed, with the key that changes it:\n((?:    .*\n)+)", text, re.MULTILINE)
    return [re.fullmatch(r"    (.*) \[(.*)\]", line).groups() for line in block[1].splitlines()] if block else []


def in_table(text, key):
    """As a row of docs/reference/notes.csv, up to its first semicolon."""
    return any(all(part in text for part in fixed_words(row["text"].partition(";")[0])) and key.endswith(row["key"].removeprefix("workload"))
               for row in TABLE)


def listed(folder):
    rows = [(row["text"], row["key"]) for row in json_of(folder / "manifest.json")["assumptions"]]
    assert all(in_table(*row) for row in rows), rows
    return rows


def run(folder, *words, **changes):
    """Of a run; the same in its manifest, and nothing of it with --quiet."""
    config = write(folder, **changes)
    found = told(easim("run", config, "--out", folder / "o", "--force", *words).stdout)
    assert found == listed(folder / "o"), (found, listed(folder / "o"))
    assert easim("run", config, "--out", folder / "o", "--force", "--quiet", *words).stdout == ""
    return found


def of_rigid_jobs(folder):
    one = RIGID + "a,0,1,100,,\nb,1,1,200,,\n"
    assert run(folder, jobs=one) == [DRAWS, NOT_READ, *UNPRICED]
    assert run(folder, jobs=one, workload=", utilization: 1") == [NOT_READ, *UNPRICED]
    half = RIGID + "a,0,1,100,,0.5\nb,1,1,200,,\n"
    assert run(folder, jobs=half)[0] == ("1 of 2 " + DRAWS[0], DRAWS[1])
    assert run(folder, jobs=RIGID + "a,0,1,100,,0.5\n") == [NOT_READ, *UNPRICED]
    (folder / "u.csv").write_text("job_id,from_s,utilization\na,0,0.5\nb,0,0.25\n")
    assert run(folder, jobs=one, workload=", utilization_file: u.csv") == [NOT_READ, *UNPRICED]
    both = ("slow", "fast")
    assert run(folder, jobs=one, types=both) == [DRAWS, EQUAL, NOT_READ, *UNPRICED]
    assert run(folder, jobs=one, types=both, speed="rigid_speed: {fast: 2}\n") == [DRAWS, NOT_READ, *UNPRICED]
    pinned = "job_id,submit_s,gpus,duration_s,gpu_type\na,0,1,100,slow\n"
    assert run(folder, jobs=pinned, types=both) == [DRAWS, NOT_READ, *UNPRICED]
    asked = RIGID + "a,0,1,100,300,\nb,1,1,200,,\n"
    assert run(folder, jobs=asked) == [DRAWS, *UNPRICED]
    assert run(folder, jobs=asked, workload=", estimate: run") == [DRAWS, NOT_READ, *UNPRICED]
    assert run(folder, jobs=one, workload=", estimate: {factor: {uniform: [1, 3]}}") == [DRAWS, *UNPRICED]
    generated = "workload: {kind: poisson, rate_per_s: 0.01, rigid: {k: [1]}, sizes: {law: constant, mean: 100s}, until: {jobs: 3}}\n"
    config = write(folder, one)
    config.write_text(re.sub("workload: .*\n", generated, config.read_text()))
    assert told(easim("run", config, "--out", folder / "o", "--force").stdout) == [DRAWS, NOT_READ, *UNPRICED]


def of_limits(folder):
    """Under a law that is not measured: of GPU types where jobs without measured limits may have one."""
    law, zeus = "a law not measured gives speeds under power limits on", ("--policy", "zeus", "--set", "policy.params.power_limits=true")

    def laws(*words, **changes):
        config = write(folder, **changes)
        easim("run", config, "--out", folder / "o", "--force", *words)
        return [text for text, key in listed(folder / "o") if key == "cluster.gpu_types: limit_law"]
    capped = ("--set", "cluster.power_cap={watts: 9000, enforce: throttle}")
    for jobs in (RIGID + "a,0,1,100,,0.5\n", MODELLED):
        assert laws(*capped, jobs=jobs) == [f"{law} slow (s 0.3, m 0.7)"]
        assert laws("--set", "cluster.power_cap={watts: 9000}", jobs=jobs) == []
        assert laws(jobs=jobs) == laws("--policy", "zeus", jobs=jobs) == []
        assert laws(*zeus, jobs=jobs) == [f"{law} slow (s 0.3, m 0.7)"]
        assert laws(*zeus, "--set", "cluster.gpu_types[0].limit_law={s: 0.25}", jobs=jobs) == [f"{law} slow (s 0.25, m 0.7)"]
        assert laws(*zeus, "--set", "cluster.gpu_types[0].limit_law={s: 0.25, evidence: measured}", jobs=jobs) == []
    rigid = RIGID + "a,0,1,100,,0.5\n"
    assert laws(*zeus, jobs=rigid, types=("slow", "fast")) == [f"{law} slow (s 0.3, m 0.7), fast (s 0.3, m 0.7)"]
    (folder / "u.csv").write_text("job_id,from_s,utilization\na,0,0.5\n")
    assert laws(*zeus, jobs=rigid, workload=", utilization_file: u.csv") == []
    assert laws(*capped, jobs=rigid, workload=", utilization_file: u.csv") == [f"{law} slow (s 0.3, m 0.7)"]


def of_models(folder):
    assumed = [NOISE, NO_FIT, evidence("1 assumed")]
    assert run(folder, jobs=MODELLED) == [*assumed, *UNPRICED]
    assert run(folder, jobs=MODELLED, more="noise: {speed_sigma: 0.1}\n") == [NO_FIT, evidence("1 assumed"), *UNPRICED]
    assert run(folder, jobs=MODELLED, fit=FIT) == [NOISE, evidence("1 assumed"), *UNPRICED]
    for words, counted in ((("measured", "derived"), "1 measured, 1 derived"), (("derived", "derived"), "2 derived"),
                           (("assumed", "measured"), "1 measured, 1 assumed")):
        found = run(folder, jobs=MODELLED, types=("slow", "fast"), words=words)
        assert evidence(counted) in found, (words, found)
    outside = [text for text, key in run(folder, jobs=MODELLED, most=8) if key == "models: range_k, range_batch"]
    starts = "2 of 2 starts outside the range in which their model was measured: m on slow (2)"
    assert outside == [starts], outside


def of_prices(folder):
    one = RIGID + "a,0,1,100,,1\n"
    assert run(folder, jobs=one, more="carbon_g_per_kwh: 50\n") == [NOT_READ, pue(1, "CO2"), UNPRICED[1]]
    assert run(folder, jobs=one, more="price_per_mwh: 50\n", pue=1.5) == [
        NOT_READ, pue(1.5, "cost"), UNPRICED[0]]
    assert run(folder, jobs=one, more="price_per_mwh: 50\ncarbon_g_per_kwh: 50\n", pue=1.25) == [NOT_READ, pue(1.25, "CO2 and cost")]
    (folder / "carbon.csv").write_text("time_s,carbon_g_per_kwh\n0,50\n3600,70\n7200,60\n")
    assert pue(1, "CO2") in run(folder, jobs=one, more="carbon_g_per_kwh: {file: carbon.csv, repeat: true}\n")


def of_policies(folder):
    """Who reads run times: by what each declares and its parameters make of it."""
    config = write(folder, RIGID + "a,0,1,100,,1\nb,1,1,200,,1\n")
    done = easim("compare", config, "--policies", "fcfs,easy,zeus", "--out", folder / "c")
    who = ("policies know run times of rigid jobs exactly; read by easy, zeus; not read by fcfs", "workload.estimate")
    assert told(done.stdout) == [who, *UNPRICED] == listed(folder / "c"), done.stdout
    assert [text for text, key in listed(folder / "c/easy") if key == "workload.estimate"] == [
        "policies know run times of rigid jobs exactly; read by easy"]
    resized = run(folder, "--policy", "fcfs:resize=true", jobs=RIGID + "a,0,1,100,,1\n")
    assert resized[0][0].endswith("; read by fcfs:resize=true"), resized
    done = easim("compare", config, "--policies", "fcfs,easy", "--out", folder / "d", "--format", "csv")
    assert "assumed" not in done.stdout and "read by easy" in done.stderr, done
    easim("report", folder / "c", "--quiet")
    assert who[0] in text_of(folder / "c/report.html")[0]


cases(of_rigid_jobs, of_limits, of_models, of_prices, of_policies)
