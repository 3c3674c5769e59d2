"""Perturbed logs (semantics 30): test_perturbed_logs.py EASIM SOURCE. What `easim gen` writes of each replication is taken
apart into days, each of which must be one of the log's."""
import filecmp
import math
import re

from harness import cases, easim, json_of, rows_of

DAY = 86400
# Times within the day of the jobs of five days, one of them empty; the last day of the log ends at 20:00.
DAYS = [[0, 1000.5, 40000], [86399.999], [], [10, 10, 70000], [3600, 72000]]
COUNT = sum(map(len, DAYS))
CONFIG = """name: perturbed
horizon: drain
seed: 3
replications: 4
cluster:
  gpu_types: [{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}]
  nodes: [{gpu: a100, gpus: 2}]
workload: {kind: trace, file: log.csv}
policy: {name: fcfs}
"""


def write_log(folder, days):
    """Job n of day d is dD-N, with a user, run time, deadline and label of its own; the longest run over several days."""
    lines = ["job_id,user,submit_s,duration_s,gpus,deadline_s,label.day"]
    for d, times in enumerate(days):
        for n, at in enumerate(times):
            submit = d * DAY + at
            lines.append(f"d{d}-{n},u{d}{n},{submit:.3f},{1000 * (d + 1) + n * 90000},1,{submit + 500 + 7 * n:.3f},day{d}")
    (folder / "log.csv").write_text("\n".join(lines) + "\n")
    (folder / "c.yaml").write_text(CONFIG)


def drawn(folder, replication, perturb, *options):
    text = easim("gen", folder / "c.yaml", "--quiet", "--replication", replication, "--set", f"workload.perturb={perturb}",
                 "--set", f"replications={replication}", "-o", folder / "gen.csv", *options)
    assert text.stderr == "" or "warning" in text.stderr, text.stderr
    return rows_of(folder / "gen.csv")


def day_of(rows, day):
    return [r for r in rows if day * DAY <= float(r["submit_s"]) < (day + 1) * DAY]


def source_day(log, rows, day):
    """The day of the log that these rows are, all of it and nothing else, moved by whole days."""
    ours = [re.sub("~[0-9~]+$", "", r["job_id"]) for r in rows]
    for d in range(len(DAYS)):
        theirs = day_of(log, d)
        if ours != [r["job_id"] for r in theirs]:
            continue
        for new, old in zip(rows, theirs):
            shift = (day - d) * DAY
            assert abs(float(new["submit_s"]) - float(old["submit_s"]) - shift) < 1e-6, (new, old)
            assert abs(float(new["deadline_s"]) - float(old["deadline_s"]) - shift) < 1e-6, (new, old)
            assert all(new[k] == old[k] for k in ("user", "gpus", "label.day")) and float(new["duration_s"]) == float(old["duration_s"]), (new, old)
        return d
    raise AssertionError(f"day {day} is none of the log: {ours}")


def bootstrap(folder):
    """Blocks of one and of three days: whole days of the log, those of a block one after the other and around its end; each
    as often as the others; ids once."""
    write_log(folder, DAYS)
    log, n = rows_of(folder / "log.csv"), len(DAYS)
    for block, draws in ((1, 60), (3, 40)):
        starts, jobs, seen = [], [], set()
        for replication in range(1, draws + 1):
            rows = drawn(folder, replication, f"{{bootstrap_days: {block}}}")
            ids = [r["job_id"] for r in rows]
            assert len(set(ids)) == len(ids) and [float(r["submit_s"]) for r in rows] == sorted(float(r["submit_s"]) for r in rows)
            days = [source_day(log, day_of(rows, d), d) for d in range(n)]
            for at in range(0, n, block):
                assert days[at:at + block] == [(days[at] + i) % n for i in range(min(block, n - at))], days
                starts.append(days[at])
            assert all(f"d{d}-{i}" in ids for d in set(days) for i in range(len(DAYS[d])))  # the first of equal ids keeps it
            jobs.append(len(rows))
            seen.add(tuple(days))
        assert len(seen) > draws / 4
        share, sd = 1 / n, math.sqrt((1 - 1 / n) / n / len(starts))
        assert all(abs(starts.count(d) / len(starts) - share) < 4.5 * sd for d in range(n)), starts
        # the mean number of jobs is that of the log: its variance over a day is that of the days' numbers
        variance = sum((len(d) - COUNT / n) ** 2 for d in DAYS) / n
        assert abs(sum(jobs) / draws - COUNT) < 4.5 * math.sqrt(n * block * variance / draws), jobs


def same_days(folder):
    """Of a log whose days are alike the bootstrap is that log, whichever days are drawn."""
    write_log(folder, [[100, 5000]] * 4)
    log = rows_of(folder / "log.csv")
    for replication in (1, 5):
        rows = drawn(folder, replication, "{bootstrap_days: 2}")
        assert [float(r["submit_s"]) for r in rows] == [float(r["submit_s"]) for r in log]


def scaled(folder):
    """Compression by 2 halves all submits and keeps what is relative to them; load is scaled in jobs; of both and of days
    what each does to the other's result."""
    write_log(folder, DAYS)
    for perturb in ("bootstrap_days: 1", "load_scale: 3", "bootstrap_days: 2, load_scale: 0.5"):
        plain = drawn(folder, 2, f"{{{perturb}}}")
        fast = drawn(folder, 2, f"{{{perturb}, time_compression: 2}}")
        slow = drawn(folder, 2, f"{{{perturb}, time_compression: 0.5}}")
        for rows, factor in ((fast, 2), (slow, 0.5)):
            assert [r["job_id"] for r in rows] == [r["job_id"] for r in plain]
            for new, old in zip(rows, plain):
                assert abs(float(new["submit_s"]) * factor - float(old["submit_s"])) < 1e-6, (new, old)
                slack = [float(r["deadline_s"]) - float(r["submit_s"]) for r in (new, old)]
                assert abs(slack[0] - slack[1]) < 1e-6 and new["duration_s"] == old["duration_s"], (new, old)
    counts = [len(drawn(folder, r, "{load_scale: 1.5}")) for r in range(1, 41)]
    assert min(counts) >= COUNT and max(counts) <= 2 * COUNT and len(set(counts)) > 2
    assert abs(sum(counts) / 40 - 1.5 * COUNT) < 4.5 * math.sqrt(COUNT / 4 / 40), counts
    assert all(len(drawn(folder, r, "{load_scale: 3}")) == 3 * COUNT for r in (1, 2))
    assert drawn(folder, 1, "{load_scale: 1.5}") == drawn(folder, 1, "{load_scale: 1.5}")
    assert drawn(folder, 1, "{load_scale: 1.5}") != drawn(folder, 1, "{load_scale: 1.5}", "--seed", 4)
    # days of the log as load_scale and time_compression of the stream leave it
    rows = drawn(folder, 1, "{bootstrap_days: 1}", "--set", "workload.time_compression=2")
    assert float(rows[-1]["submit_s"]) < 3 * DAY


def runs(folder):
    """Every replication has a log of its own, the same on any threads; what gen writes of it runs to the same jobs; the
    manifest repeats; factors of 1 change no byte and say so."""
    write_log(folder, DAYS)
    perturb = ("--set", "workload.perturb={bootstrap_days: 1, load_scale: 1.5}")
    for threads in (1, 2):
        easim("run", folder / "c.yaml", *perturb, "-q", "-t", threads, "--check", "--out", folder / str(threads))
        assert filecmp.cmp(folder / "1/jobs.csv", folder / str(threads) / "jobs.csv", shallow=False)
    manifest = json_of(folder / "1/manifest.json")
    assert manifest["traces"][0]["perturbed_days"] == 5
    assert easim("run", folder / "1/manifest.json").stdout.strip().endswith("equal")
    jobs = rows_of(folder / "1/jobs.csv")
    logs = [[(j["job_id"], j["submit_s"]) for j in jobs if j["replication"] == str(r)] for r in range(1, 5)]
    assert len({tuple(log) for log in logs}) == 4
    easim("gen", folder / "c.yaml", *perturb, "--replication", 3, "-q", "-o", folder / "third.csv")
    easim("run", folder / "c.yaml", "--set", "workload.file=" + str(folder / "third.csv"), "-n", 1, "-q", "--out", folder / "again")
    third = [{k: v for k, v in j.items() if k != "replication"} for j in jobs if j["replication"] == "3"]
    assert [{k: v for k, v in j.items() if k != "replication"} for j in rows_of(folder / "again/jobs.csv")] == third
    easim("run", folder / "c.yaml", "-q", "--out", folder / "plain")
    done = easim("run", folder / "c.yaml", "--set", "workload.perturb={load_scale: 1, time_compression: 1}", "--out", folder / "ones")
    assert filecmp.cmp(folder / "plain/jobs.csv", folder / "ones/jobs.csv", shallow=False)
    for words in ("workload.perturb.load_scale: of no effect, it is 1", "workload.perturb.time_compression: of no effect, it is 1",
                  "workload.perturb: it draws nothing, so all replications have the same log"):
        assert words in done.stdout + done.stderr, done
    write_log(folder, DAYS[:4] + [[3600]])
    done = easim("run", folder / "c.yaml", "--set", "workload.perturb={bootstrap_days: 1}", "--out", folder / "short")
    assert "the last of 5 days has jobs in its first 1 h only, and is drawn as a whole day" in done.stdout + done.stderr, done


def intervals(folder):
    """A comparison says that its intervals do not cover arrivals, unless the log is perturbed; then they are wider than
    none; the check of tune has other workloads than its search."""
    write_log(folder, DAYS)
    said = "intervals do not cover arrivals"
    plain = easim("compare", folder / "c.yaml", "--policies", "fcfs,easy", "--summary-only", "--out", folder / "plain").stdout
    other = easim("compare", folder / "c.yaml", "--policies", "fcfs,easy", "--summary-only", "--set",
                  "workload.perturb={bootstrap_days: 1}", "--out", folder / "other").stdout
    assert said in plain and said not in other, (plain, other)
    half = {name: next(float(r["ci95"]) for r in rows_of(folder / name / "compare.csv") if r["metric"] == "energy_kwh")
            for name in ("plain", "other")}
    assert half["plain"] == 0 < half["other"], half
    for perturb, same in (("{bootstrap_days: 1}", False), ("{time_compression: 2}", True)):
        easim("tune", folder / "c.yaml", "--params", "cluster.gpu_types[0].idle_w=50..70", "--objective", "energy_kwh", "-n", 2,
              "--max-trials", 3, "-q", "--force", "--set", f"workload.perturb={perturb}", "--out", folder / "tuned")
        assert json_of(folder / "tuned/manifest.json")["same_workloads"] == same


cases(bootstrap, same_days, scaled, runs, intervals)
