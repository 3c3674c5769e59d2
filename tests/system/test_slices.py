"""Slices of a log and their leads (semantics 36): test_slices.py EASIM SOURCE.

A lead as long as the beginning of the log leaves the whole log, so the run must be that of the whole log with the slice's
beginning as warm-up; a shorter one must be the run of what is left of the log, written to a file by this test.
"""
from random import Random

from harness import cases, easim, json_of, rows_of, same_files

HOUR = 3600
CONFIG = """name: sliced
horizon: {horizon}
seed: 5
start_time: {start}
carbon_g_per_kwh: {{file: carbon.csv}}
cluster: {{gpu_types: [{{name: g, idle_w: 50, tdp_w: 400}}], nodes: [{{count: 2, gpu: g, gpus: 4}}]}}
workload: {{kind: trace, file: {log}{keys}}}
policy: {{name: easy}}
"""
DRAWN = ", users: 3, deadlines: {share: 0.5, slack: [1.2, 3]}, estimate: {factor: {uniform: [1, 3]}}"
EMPTY = "begins on an empty cluster"


def log_of(folder, name="log.csv", since=0.0):
    """Two days of jobs, every hour some, the first at 0; those from `since` on, which is 0 in the file."""
    r, rows = Random(2385), []
    for n in range(300):
        submit = 0 if n == 0 else round(r.uniform(0, 48 * HOUR), 3)
        rows.append((submit, r.choice([1, 1, 2, 4]), round(r.expovariate(1 / 3000), 3) + 1))
    rows.sort()
    kept = [(n, *row) for n, row in enumerate(rows) if row[0] >= since]
    (folder / name).write_text("job_id,submit_s,gpus,duration_s\n" + "".join(
        f"j{n},{submit - since:.3f},{k},{length:.3f}\n" for n, submit, k, length in kept))
    (folder / "carbon.csv").write_text("timestamp,carbon_g_per_kwh\n" + "".join(
        f"2024-01-{1 + h // 24:02}T{h % 24:02}:00Z,{100 + 37 * h % 211}\n" for h in range(24 * 6)))
    return {f"j{n}": submit for n, (submit, *_) in enumerate(rows)}


def run(folder, name, keys="", log="log.csv", horizon="60h", start="2024-01-01T00:00Z", words=()):
    (folder / f"{name}.yaml").write_text(CONFIG.format(keys=keys, log=log, horizon=horizon, start=start))
    return easim("run", folder / f"{name}.yaml", "--out", folder / name, *words)


def same(folder, one, other):
    same_files(folder / one, folder / other, "jobs.csv", "power.csv", "summary.csv", "types.csv", "users.csv")


def whole_log(folder):
    """A lead up to the first job, or longer, is the whole log with that warm-up and horizon; compressed too."""
    submits = log_of(folder)
    for n, (more, factor) in enumerate((("", 1), (DRAWN, 1), (DRAWN + ", time_compression: 2", 2), (", perturb: {time_compression: 4}", 4))):
        run(folder, f"whole{n}", f"{more}, warmup: {10 * HOUR / factor:g}")
        for lead in ("10h", "20d"):
            run(folder, f"lead{n}{lead}", f"{more}, slice: {{from: 10h, lead: {lead}}}")
            same(folder, f"whole{n}", f"lead{n}{lead}")
    counted = int(rows_of(folder / "lead010h/summary.csv")[0]["jobs_submitted"])
    assert counted == sum(submit >= 10 * HOUR for submit in submits.values()) < 300, counted
    run(folder, "until", ", slice: {from: 10h, until: 20h, lead: 10h}")
    run(folder, "short", ", slice: {until: 20h}, warmup: 10h")
    same(folder, "until", "short")


def parts(folder):
    """t = 0 is the beginning of the lead; jobs before it are not there, those in it are warm-up."""
    for lead in (1, 5.25, 12.5):
        since = (30 - lead) * HOUR
        submits = log_of(folder)
        name = f"lead{lead}"
        start = f"2024-01-{1 + int(30 - lead) // 24:02}T{int(30 - lead) % 24:02}:{int((30 - lead) % 1 * 60):02}Z"
        run(folder, name, f", slice: {{from: 30h, lead: {lead * HOUR:g}}}", start=start, horizon="40h")
        jobs = {row["job_id"]: float(row["submit_s"]) for row in rows_of(folder / name / "jobs.csv")}
        assert set(jobs) == {j for j, submit in submits.items() if submit >= since} and len(jobs) < 250
        assert all(abs(jobs[j] - (submits[j] - since)) < 1e-6 for j in jobs)
        measured = int(rows_of(folder / name / "summary.csv")[0]["jobs_submitted"])
        assert measured == sum(submit >= 30 * HOUR for submit in submits.values()) < len(jobs)
        log_of(folder, "rest.csv", since)
        run(folder, f"rest{lead}", f", warmup: {lead * HOUR:g}", log="rest.csv", start=start, horizon="40h")
        same(folder, name, f"rest{lead}")
        assert float(rows_of(folder / name / "summary.csv")[0]["co2_kg"]) > 0
        told = json_of(folder / name / "manifest.json")["traces"][0]
        assert told["offset_s"] == since and told["notes"][1]["reason"] == "of the slice's lead, run as warm-up", told
        assert told["notes"][1]["rows"] == len(jobs) - measured, told
        easim("run", folder / name / "manifest.json")  # fails unless its files come out the same


def no_lead(folder):
    """A lead of 0 is none, and says that the cluster is empty; so does every command that prints notes."""
    log_of(folder)
    done = run(folder, "none", ", slice: {from: 10h}")
    zero = run(folder, "zero", ", slice: {from: 10h, lead: 0}")
    same(folder, "none", "zero")
    assert rows_of(folder / "none/jobs.csv")[0]["submit_s"] == "0.0"
    for text in (done.stdout, zero.stdout, easim("check", folder / "none.yaml").stdout,
                 json_of(folder / "none/manifest.json")["warnings"][0],
                 run(folder, "rows", ", slice: {first_row: 5}").stdout):
        assert "workload.slice: " + EMPTY in text and "slice.lead: 7d" in text, text
    for keys in ("", ", slice: {until: 10h}", ", slice: {last_row: 9}", ", slice: {from: 10h, lead: 2h}", ", slice: {from: 10h}, warmup: 1h"):
        assert EMPTY not in run(folder, "quiet", keys, words=("--force",)).stdout, keys


def with_others(folder):
    """The measured time begins when the warm-up and all leads are over; what has no effect then is said."""
    log_of(folder)

    def sim_s(keys):
        done = run(folder, "one", keys, words=("--force",))
        return float(rows_of(folder / "one/summary.csv")[0]["sim_s"]) / HOUR, done.stdout
    lead = ", slice: {from: 30h, lead: 6h}"
    assert sim_s(lead)[0] == 54
    covered = sim_s(lead + ", warmup: 2h")
    assert covered[0] == 54 and "workload.warmup: of no effect, workload.slice.lead ends later" in covered[1], covered
    longer = sim_s(lead + ", warmup: 8h")
    assert longer[0] == 52 and "of no effect" not in longer[1], longer
    assert "workload.slice.lead: the log begins 108000 s before the slice" in sim_s(", slice: {from: 30h, lead: 31h}")[1]
    for scale in ("load_scale: 0.5", "load_scale: 2.5", "perturb: {bootstrap_days: 1}", "perturb: {load_scale: 0.3}"):
        assert sim_s(f", slice: {{from: 30h, lead: 25h}}, {scale}")[0] == 35  # t = 0 stays, whatever is drawn
    first = float(rows_of(folder / "one/jobs.csv")[0]["submit_s"])
    assert first > 0, first
    two = (f"{{streams: [{{name: x, kind: trace, file: {folder}/log.csv, slice: {{from: 30h, lead: 6h}}}}, "
           f"{{name: y, kind: trace, file: {folder}/log.csv, slice: {{from: 20h, lead: 9h}}}}, " "{name: z, kind: periodic, period: 1h, rigid: {k: 1}, sizes: {law: constant, mean: 1h}}]}")
    done = easim("run", folder / "one.yaml", "--set", f"workload={two}", "--out", folder / "two", "--record")
    assert float(rows_of(folder / "two/summary.csv")[0]["sim_s"]) == 51 * HOUR
    assert ("workload.streams[0].slice: begins 10800 s before the measured time, which begins when workload.streams[1].slice.lead ends\n"
            in done.stdout), done.stdout
    easim("attribute", folder / "two", "--quiet")  # the record alone says when the measured time begins
    rows = rows_of(folder / "two/blame.csv")
    assert all((row["measured"] == "1") == (float(row["submit_s"]) >= 9 * HOUR) for row in rows) and done.stderr == ""
    assert sum(row["measured"] == "1" for row in rows) == int(rows_of(folder / "two/summary.csv")[0]["jobs_submitted"])


def as_files(folder):
    """import and gen write the lead as jobs, and say which warm-up it is."""
    log_of(folder)
    run(folder, "own", ", slice: {from: 30h, lead: 6h}", start="2024-01-02T00:00Z", horizon="30h")
    done = easim("import", "workload", folder / "log.csv", "--from", "30h", "--lead", "6h", "-o", folder / "part.csv")
    assert done.stderr.endswith("the slice begins at 21600 s: run it with workload.warmup=21600\n"), done.stderr
    assert "lead at 86400 s is now 0\n" in done.stderr, done.stderr
    run(folder, "imported", ", warmup: 21600", log="part.csv", start="2024-01-02T00:00Z", horizon="30h")
    same(folder, "own", "imported")
    section = easim("gen", folder / "own.yaml", "-o", folder / "gen.csv").stderr
    assert section.endswith("{kind: trace, file: " + str(folder / "gen.csv") + ", warmup: 21600}\n"), section
    run(folder, "generated", ", warmup: 21600", log="gen.csv", start="2024-01-02T00:00Z", horizon="30h")
    same(folder, "own", "generated")
    cut = easim("import", "workload", folder / "log.csv", "--from", "30h", "-o", folder / "cut.csv").stderr
    assert cut.endswith("the slice begins on an empty cluster: --lead 7d keeps the jobs of the 7 days before\n"), cut


cases(whole_log, parts, no_lead, with_others, as_files)
