"""What --record writes, on random scenarios of everything easim simulates: test_record.py EASIM SOURCE REWRITE_RECORD

Every number is recomputed from the files alone, in integers: segments of a job tile its life and add to its row of
jobs.csv; on every GPU the jobs and the times free, asleep and failed tile [0, end]; all energies add to that of the
cluster. REWRITE_RECORD reads the folder back as the program does, and writes it again: the same bytes."""
import csv
import hashlib
import io
import json
import shutil
from collections import defaultdict
from random import Random

from harness import FILES, cases, easim, json_of, option, rows_of, run, same_files, seeds, write_files, write_rows
from random_scenario import Scenario
from recorded_scenarios import drawn, record

(REWRITE,), SEEN = FILES or [None], set()
RUN = ("run", "scenario.yaml", "--record", "--quiet", "--out")
THREADED = 3  # the seed of a scenario with several of everything
ENERGY = 10 ** 18
REPLICA_KINDS = ["reserved", "loading", "serve"]


def scaled(text, unit):
    """A decimal as an integer of 1/unit, exactly."""
    whole, _, rest = text.partition(".")
    digits = len(str(unit)) - 1
    assert len(rest) <= digits, text
    return int(whole or 0) * unit + int((rest + "0" * digits)[:digits] or 0)


def ns(text):
    return scaled(text, 10 ** 9)


def gpus_of(text):
    """"3:0-3;4:0" as [(node, gpu, lane)]; lane None: of a whole GPU."""
    out = []
    for piece in filter(None, text.split(";")):
        node, _, rest = piece.partition(":")
        rest, _, lane = rest.partition("/")
        first, _, last = rest.partition("-")
        out += [(int(node), g, int(lane) if lane else None) for g in range(int(first), int(last or first) + 1)]
    assert len(set(out)) == len(out), text
    return out


class Run:
    """One replication of a folder."""

    def __init__(self, scenario, folder, number):
        def of(name):
            return [row for row in rows_of(folder / name) if row["replication"] == number]
        self.scenario = scenario
        self.jobs, self.segments, self.gpus = of("jobs.csv"), of("segments.csv"), of("gpus.csv")
        self.workload, self.recorded = of("workload.csv"), of("recorded.csv")[0]
        self.summary = of("summary.csv")[0]
        self.services = of("services.csv") if (folder / "services.csv").exists() else []
        self.end = ns(self.recorded["end_s"])
        self.nodes = [node for entry in scenario.cluster["nodes"] for node in [entry] * entry.get("count", 1)]
        self.types = {t["name"]: t for t in scenario.types}
        self.by_job = defaultdict(list)
        for s in self.segments:
            s["from"], s["to"] = ns(s["start_s"]), ns(s["end_s"])
            s["energy"], s["at"] = scaled(s["energy_j"], ENERGY), gpus_of(s["nodes"])
            self.by_job[s["job_id"]].append(s)


def near(a, b, what, relative=1e-9):
    assert abs(a - b) <= relative * max(abs(a), abs(b)) + 1e-300, f"{what}: {a!r} and {b!r}"


def lives(run):
    """Segments follow each other from the submission to the finish, and add to the row of jobs.csv exactly."""
    assert int(run.recorded["jobs_submitted"]) == len(run.jobs) and len(run.segments) == int(run.recorded["segments"])
    for job in run.jobs:
        life = run.by_job.pop(job["job_id"], [])
        if job["status"] == "rejected":
            assert not life, job
            continue
        assert [s["segment"] for s in life] == [str(i + 1) for i in range(len(life))], job
        assert life[0]["kind"] == "queued" and life[0]["began"] == "submitted" and life[0]["from"] == ns(job["submit_s"])
        for before, after in zip(life, life[1:]):
            assert before["to"] == after["from"] and before["ended"] == after["began"], (before, after)
        assert life[-1]["to"] == (ns(job["finish_s"]) if job["finish_s"] else run.end), job
        assert (life[-1]["ended"] == "finished") == (job["status"] == "finished"), job
        if job["wait_s"]:
            assert life[0]["to"] - life[0]["from"] == ns(job["wait_s"]) and life[0]["ended"] == "started", job
        sums(job, life)
    assert all(row["kind"] in REPLICA_KINDS for life in run.by_job.values() for row in life), run.by_job


def replicas(run):
    """Those of each service are numbered; their segments follow each other, draw a constant power, and add to services.csv."""
    specs = {service["name"]: service for service in getattr(run.scenario, "services", [])}
    by_service = defaultdict(list)
    for name, life in run.by_job.items():
        service, _, number = name.rpartition("#")
        by_service[service].append((int(number), life))
        assert [s["segment"] for s in life] == [str(i + 1) for i in range(len(life))], life
        for before, after in zip(life, life[1:]):
            assert before["to"] == after["from"] and before["ended"] == after["began"], (before, after)
            assert REPLICA_KINDS.index(before["kind"]) <= REPLICA_KINDS.index(after["kind"]), (before, after)
            assert (before["kind"] == after["kind"]) == (after["began"] == "load"), (before, after)
        assert life[0]["began"] in ("reserved", "started") and life[-1]["ended"] in ("released", "failed", "end_of_run"), life
        assert (life[-1]["ended"] == "end_of_run") == (life[-1]["to"] == run.end) or life[-1]["ended"] != "end_of_run", life
        for s in life:
            length, held = s["to"] - s["from"], s["kind"] != "reserved"
            assert bool(s["k"]) == held and (held or (s["energy"] == 0 and not s["at"])), s
            assert length == 0 or s["energy"] % length == 0, s
            if s["kind"] == "loading":
                assert s["energy"] == length * int(s["k"]) * round(run.types[s["gpu_type"]]["ctx_w"] * 1e9), s
                start_ns = round(specs[service].get("start_s", 0) * 1e9)
                assert length >= start_ns or s["ended"] != "set_up", s  # longer where GPUs wake up
        assert len({(s["gpu_type"], s["k"], s["b"]) for s in life if s["k"]}) <= 1, life
        assert len({s["nodes"] for s in life if s["nodes"]}) <= 1, life
    for service, found in by_service.items():
        assert [number for number, _ in found] == [*range(1, len(found) + 1)], (service, [number for number, _ in found])
    for row in run.services:
        if run.scenario.warmup_s:
            continue
        held = [s for _, life in by_service[row["service"]] for s in life if s["k"]]
        near(sum(s["energy"] for s in held) / ENERGY / 3.6e6, float(row["energy_kwh"]), row)
        near(sum((s["to"] - s["from"]) * int(s["k"]) for s in held) / 3.6e12, float(row["replica_gpu_h"]), row)
        near(sum(float(s["work"]) for s in held), float(row["tokens_served"]), row)
        starts = sum("started" in (life[0]["began"], life[0]["ended"]) for _, life in by_service[row["service"]])
        assert starts - specs[row["service"]]["replicas"]["min"] == int(row["scale_ups"]), row


def sums(job, life):
    held = [s for s in life if s["kind"] != "queued"]
    lost = [s for s in held if s["kind"] == "lost"]
    assert all(not s["k"] and not s["at"] and s["energy"] == 0 for s in life if s["kind"] == "queued"), life
    assert sum(s["to"] - s["from"] for s in held) == ns(job["exec_s"]), job
    assert sum(s["to"] - s["from"] for s in lost) == ns(job["lost_s"]), job
    assert float(sum(s["energy"] for s in held)) / 1e18 == float(job["energy_j"]), job  # rounded as jobs.csv rounds
    gpu_ns = sum((s["to"] - s["from"]) * thousandths(s) for s in held)
    assert gpu_ns % 1000 or gpu_ns // 1000 == ns(job["gpu_s"]), job
    near(gpu_ns / 1e12, float(job["gpu_s"]), job)
    assert sum(s["ended"] == "preempted" for s in life) == int(job["preemptions"]), job
    assert sum(s["ended"] == "resized" for s in life) == int(job["resizes"]), job
    if held:
        assert (held[-1]["gpu_type"], held[-1]["k"]) == (job["gpu_type"], job["k"]), job


def thousandths(segment):
    return round(float(segment["gpu_share"]) * 1000) if segment["gpu_share"] else 1000 * int(segment["k"])


def work(run):
    """What is kept of a finished job's work is all of it; rows of set-ups and checkpoints did none."""
    specs = {w["job_id"]: w for w in run.workload}
    done = defaultdict(float)
    for s in run.segments:
        assert float(s["work"]) >= 0 and (s["kind"] in ("run", "lost", "serve") or s["work"] == "0.0"), s
        done[s["job_id"]] += float(s["work"]) if s["kind"] != "lost" else 0
    for job in run.jobs:
        if job["status"] == "rejected":
            continue  # its work may be unknown
        whole = float(specs[job["job_id"]]["work_samples"] or specs[job["job_id"]]["duration_s"])
        if job["status"] == "finished":
            near(done[job["job_id"]], whole, job["job_id"], 1e-9)
        else:
            assert done[job["job_id"]] <= whole * (1 + 1e-9), job


def holdings(run):
    """By GPU: intervals (from, to, lane) of jobs; lane None: the whole GPU."""
    held = defaultdict(list)
    for s in run.segments:
        if s["kind"] in ("queued", "reserved") or s["from"] == s["to"]:
            continue
        shared = bool(s["gpu_share"])
        assert len(s["at"]) == int(s["k"]) and all((lane is not None) == shared for _, _, lane in s["at"]), s
        for node, gpu, lane in s["at"]:
            assert run.nodes[node]["gpu"] == s["gpu_type"], s
            held[node, gpu].append((s["from"], s["to"], lane))
    return held


def tiles(run):
    """Every GPU at every time: one whole job, or lanes that do not overlap, or at rest; no gap."""
    held = holdings(run)
    rests = defaultdict(list)
    for row in run.gpus:
        start, end = ns(row["start_s"]), ns(row["end_s"])
        assert 0 <= start < end <= run.end, row
        for node, gpu, _ in gpus_of(f'{row["node"]}:{row["gpu"]}'):
            rests[node, gpu].append((start, end, row["state"]))
    for node, entry in enumerate(run.nodes):
        for gpu in range(entry["gpus"]):
            tile(held.pop((node, gpu), []), rests.pop((node, gpu), []), run.end, (node, gpu))
    assert not held and not rests, (held, rests)


def tile(held, rests, end, place):
    lanes = defaultdict(list)
    for start, stop, lane in held:
        lanes[lane].append((start, stop))
    assert all(a[1] <= b[0] for lane in lanes.values() for a, b in zip(sorted(lane), sorted(lane)[1:])), (place, lanes)
    covered, at = union(held), 0
    whole = union([x for x in held if x[2] is None])
    shared = union([x for x in held if x[2] is not None])
    assert sum(b - a for a, b in covered) == sum(b - a for a, b in whole) + sum(b - a for a, b in shared), place
    for start, stop in sorted(covered + [(a, b) for a, b, _ in rests]):
        assert start == at, (place, start, at)
        at = stop
    assert at == end, (place, at, end)
    for before, after in zip(rests, rests[1:]):
        assert before[1] <= after[0] and not (before[1] == after[0] and before[2] == after[2]), (place, before, after)


def union(intervals):
    out = []
    for start, stop, *_ in sorted((a, b) for a, b, *_ in intervals):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(stop, out[-1][1]))
        else:
            out.append((start, stop))
    return out


def energy(run):
    """Segments, GPUs at rest, and nodes, in watts of the scenario: the energy of the whole cluster."""
    total = sum(s["energy"] for s in run.segments) / ENERGY
    held_s = defaultdict(float)  # by node: GPU-seconds held
    failed_s = defaultdict(float)
    free_s, asleep_s = defaultdict(float), defaultdict(float)
    for s in run.segments:
        for node, _, _ in s["at"]:
            held_s[node] += (s["to"] - s["from"]) / 1e9 * (thousandths(s) / 1000 / int(s["k"]))
    for row in run.gpus:
        seconds = (ns(row["end_s"]) - ns(row["start_s"])) / 1e9
        count = len(gpus_of(f'0:{row["gpu"]}'))
        {"free": free_s, "reserved": free_s, "asleep": asleep_s, "failed": failed_s}[row["state"]][int(row["node"])] += seconds * count
    for n, node in enumerate(run.nodes):
        t = run.types[node["gpu"]]
        gpu_s = run.end / 1e9 * node["gpus"]
        idle_s = gpu_s - held_s[n] - asleep_s[n] - failed_s[n]  # free parts of shared ones, too
        assert idle_s >= free_s[n] - 1e-6, (n, idle_s, free_s[n])
        fixed_w = node.get("base_w", 0) + node.get("cpu_idle_w", 0) + node.get("ram_w", 0)
        total += t["idle_w"] * idle_s + t.get("sleep_w", 0) * asleep_s[n]
        total += fixed_w * (run.end / 1e9 - failed_s[n] / node["gpus"]) + node.get("cpu_w_per_busy_gpu", 0) * held_s[n]
    near(total, float(run.recorded["energy_j"]), "energy of the cluster")
    if not run.scenario.warmup_s:
        near(total / 3.6e6, float(run.summary["energy_kwh"]), "energy_kwh")


def read_back(folder):
    for name in ("segments.csv", "gpus.csv"):
        assert run(REWRITE, folder, name, text=False).stdout == (folder / name).read_bytes(), name
    jobs = run(REWRITE, folder, "jobs").stdout.splitlines()
    columns = ["policy", "replication", "job_id", "user", "model", "", "submit_s", "start_s", "finish_s", "exec_s", "lost_s",
               "energy_j", "gpu_s", "deadline_s", "preemptions", "resizes"]
    written = rows_of(folder / "jobs.csv")
    assert len(jobs) == len(written)
    for line, row in zip(csv.reader(jobs), written):
        for cell, column in zip(line, columns):
            assert not column or cell == row[column] or (row["status"] == "rejected" and cell in ("0", "")), (column, line, row)


def each_row_adds_up(seed, folder):
    scenario = drawn(seed)
    if not record(scenario, folder, "--check", "--threads", 1):
        return
    for row in rows_of(folder / "out" / "recorded.csv"):
        recorded = Run(scenario, folder / "out", row["replication"])
        for s in recorded.segments:
            SEEN.update({s["kind"], s["began"], s["ended"]}, {"share"} if s["gpu_share"] else (), {"limit"} if s["power_limit_w"] else ())
        SEEN.update(row["state"] for row in recorded.gpus)
        for check in (lives, replicas, work, tiles, energy):
            check(recorded)
    read_back(folder / "out")


def same_bytes(folder):
    """For 1, 2 and 7 processes; and again, from the manifest."""
    Scenario(THREADED).write(folder)
    for threads in ("1", "2", "7"):
        easim(*RUN, folder / threads, "--threads", threads, "--set", "replications=4", cwd=folder)
        same_files(folder / "1", folder / threads)
    assert len((folder / "1/segments.csv").read_bytes()) > 2000
    easim("run", folder / "1" / "manifest.json")
    easim("run", "scenario.yaml", "--set", "replications=4", "--out", "plain", "--quiet", cwd=folder)
    same_files(folder / "plain", folder / "1", *(path.name for path in (folder / "plain").glob("*.csv")))


def comparison(folder):
    """Segments of all policies are in one file: each as a run of the policy alone has them."""
    Scenario(THREADED).write(folder)
    policies = ["zeus", "fcfs", "pollux"]
    easim("compare", "scenario.yaml", "--set", "replications=2", "--set", "record=true", "--policies", ",".join(policies),
          "--out", "all", "--quiet", cwd=folder)
    alone = {}
    for policy in policies:
        easim("run", "scenario.yaml", "--set", "replications=2", "--set", "policy.params={}", "--policy", policy,
              "--record", "--summary-only", "--quiet", "--out", policy, cwd=folder)
        for file in ("segments.csv", "gpus.csv", "recorded.csv", "workload.csv"):
            head, _, rows = (folder / policy / file).read_text(encoding="utf-8").partition("\n")
            assert rows and alone.setdefault(file, head + "\n").startswith(head + "\n")
            alone[file] = head + "\n" + rows if file == "workload.csv" else alone[file] + rows
    for file, text in alone.items():
        assert (folder / "all" / file).read_text(encoding="utf-8") == text, file
    for file in ("segments.csv", "gpus.csv"):
        assert run(REWRITE, folder / "all", file, text=False).stdout == (folder / "all" / file).read_bytes()
    assert "equal" in easim("compare", folder / "all" / "manifest.json").stdout
    easim("compare", "scenario.yaml", "--policies", "fcfs,zeus", "--out", "all", "--force", "--quiet", cwd=folder)
    assert not (folder / "all" / "segments.csv").exists() and not (folder / "all" / "series.csv").exists()


# --- folders that are not as they should be, and names ---

NAMES = ["=cmd()|' /C calc'!A0", 'say "hi", <b>you</b> & me', "two\nlines", "\u202eright to left\u202c", " blanks ", "x" * 10000, "a;b:0-3/1"]


def hostile_scenario():
    """Every text that a user chooses is one of NAMES."""
    def name(i):
        return NAMES[i % len(NAMES)]
    point = {"k": 1, "batch": 1, "throughput_samples_s": 2, "power_w_per_gpu": 150}
    jobs = [[name(i) + f" {i}", i, name(i), name(2) if i % 2 else name(0), 50 + i, 1, name(i + 3)] for i in range(14)]
    models = [{"name": name(m), "m0": 9, "phi": 1, "batches": [1], "gpus":
               {name(g): {"evidence": "assumed", "source": name(4), "lookup": [point, point | {"k": 2}]} for g in (1, 2)}} for m in (0, 2)]
    scenario = {"name": "hostile", "horizon": "drain", "models": [{"models": models}], "users": [{"name": name(i), "weight": 2} for i in range(5)],
                "cluster": {"gpu_types": [{"name": name(g), "idle_w": 50, "tdp_w": 300} for g in (1, 2)],
                            "nodes": [{"gpu": name(g), "gpus": 2} for g in (1, 2)]},
                "workload": {"kind": "trace", "file": "jobs.csv", "k": [1, 2]}, "policy": {"name": "zeus"}}
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["job_id", "submit_s", "user", "model", "work_samples", "gpus", "label." + name(1)])
    for row in jobs:  # a field of a log ends on its own line
        table.writerow([cell.replace("\n", " ") if isinstance(cell, str) and i != 3 else cell for i, cell in enumerate(row)])
    return {"scenario.yaml": json.dumps(scenario), "jobs.csv": out.getvalue().replace("two\nlines", "two lines")}


def hostile(folder):
    files = hostile_scenario()
    files["scenario.yaml"] = files["scenario.yaml"].replace('"name": "two\\nlines", "m0"', '"name": "two lines", "m0"')
    write_files(folder, files)
    easim(*RUN, "out", "--check", cwd=folder)
    read_back(folder / "out")
    rows = list(csv.reader(io.StringIO(run(REWRITE, folder / "out", "jobs").stdout)))
    assert len(rows) == 14 and {row[2].rsplit(" ", 1)[0] for row in rows} == {n.replace("\n", " ").lstrip() for n in NAMES}
    assert rows[0][-1] == NAMES[3] and rows[0][4] == NAMES[0], rows[0]


def large_jobs(folder):
    """Jobs of more GPUs than a node may have (2^20), over several nodes and of more than the cluster has, are read back."""
    scenario = {"name": "large", "horizon": "drain", "policy": {"name": "fcfs"}, "workload": {"kind": "trace", "file": "jobs.csv"},
                "cluster": {"gpu_types": [{"name": "v", "idle_w": 50, "ctx_w": 80, "tdp_w": 400}],
                            "nodes": [{"gpu": "v", "gpus": 1024, "count": 1025}]}}
    (folder / "scenario.yaml").write_text(json.dumps(scenario), encoding="utf-8")
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s\na,0,1048577,100\nb,1,1073741824,50\n", encoding="utf-8")
    easim(*RUN, "out", cwd=folder)
    read_back(folder / "out")
    assert [row["k"] for row in rows_of(folder / "out/workload.csv")] == ["1048577", "1073741824"]
    # kWh of 1,048,577 GPUs at their tdp_w for 100 s, and of 1,023 idle ones
    easim("attribute", "out", cwd=folder, prints=f" {(1048577 * 400 + 1023 * 50) * 100 / 3.6e6:.0f} ")


def refresh(folder, name):
    """The manifest has the hash of what now stands there: as if easim had written it."""
    manifest = json_of(folder / "manifest.json")
    data = (folder / name).read_bytes()
    for entry in manifest["results"]:
        if entry["file"] == name:
            entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


# file, what in it, by what, what is then said
DAMAGES = [
    ("segments.csv", ",work,", ",werk,", "segments.csv:1: column work is missing"),
    ("segments.csv", ",submitted,", ",emitted,", "began: expected one of the words"),
    ("segments.csv", ",setup,", ",set-up,", "kind: expected one of the words"),
    ("segments.csv", ",run,", ",run,1e3", "start_s: expected a time in s"),
    ("segments.csv", ",run,", ",run,1", "start_s: expected a segment that follows"),
    ("segments.csv", ",0:", ",99:", "nodes: expected GPUs of the scenario's nodes"),
    ("segments.csv", ",0:0,", ",0:0/1000,", "nodes: expected GPUs of the scenario's nodes"),
    ("segments.csv", ",0:0,", ",0:0/1,", "nodes: expected the k GPUs of gpu_type"),
    ("segments.csv", ",0:0-1,", ",0:0,", "nodes: expected the k GPUs of gpu_type"),
    ("segments.csv", ",0:0-1,", ",,", "nodes: expected the k GPUs of gpu_type"),
    ("segments.csv", ",v,1,", ",v,77,", "k: expected a configuration that the job allows"),
    ("segments.csv", ",v,1,", ",w,1,", "gpu_type: expected a GPU type of the scenario"),
    ("segments.csv", "\n", "\n\n", "segments.csv:2: expected as many fields"),
    ("gpus.csv", ",free,", ",fled,", "gpus.csv:2: state: expected one of the words"),
    ("gpus.csv", ",free,", ",free,9999999", "gpus.csv:2: end_s: expected a time after start_s"),
    ("gpus.csv", "1,free,13228.", "1,free,28.", "gpus.csv:3: start_s: expected rows of a GPU one after the other"),
    ("gpus.csv", "1,free,13228.730202052,13259.", "1,free,0.1,0.", "gpus.csv:3: start_s: expected rows of a GPU one after the other"),
    ("workload.csv", "best_effort", "best", "class: expected one of the words"),
    ("workload.csv", ",843962.4,", ",,", "workload.csv:2: work_samples: expected how much work it is"),
    ("workload.csv", ",843962.4,", ",-8,", "workload.csv:2: work_samples: expected a number in its range"),
    ("segments.csv", ",843962.4,", ",1e301,", "segments.csv:3: work: expected a number in its range"),
    ("workload.csv", ",m0,", ",m9,", "model: expected a model of models.yaml"),
    ("recorded.csv", "aurachronos,1,", "aurachronos,x,", "recorded.csv:2: replication: expected an integer"),
    ("recorded.csv", "segments_bytes", "bytes", "column segments_bytes is missing"),
    ("series.csv", "\n0.0,", "\nnow,", "series.csv:2: time_s: expected a time in s"),
    ("models.yaml", "m0", "m0\t", "models.yaml"),
]


def refused(folder, expected):
    done = run(REWRITE, folder, "nothing", code=2)
    assert done.stdout == "" and done.stderr.count("\n") == 1 and expected in done.stderr, (expected, done)


def replaced(folder, file, old, new, expected):
    copy = folder / "copy"
    shutil.copytree(folder / "whole", copy)
    text = (copy / file).read_text(encoding="utf-8")
    assert old in text, (file, old)
    (copy / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    refused(copy, f"{file}: is not what manifest.json lists")
    refresh(copy, file)
    repair_lengths(copy)
    refused(copy, expected)
    shutil.rmtree(copy)


def damaged(folder):
    Scenario(THREADED).write(folder)
    easim(*RUN, "whole", "--set", "replications=1", cwd=folder)
    easim("run", "scenario.yaml", "--out", "plain", "--quiet", cwd=folder)
    refused(folder / "plain", "segments.csv, gpus.csv, workload.csv, recorded.csv, series.csv: easim run did not record it: "
            "use the option record of run or compare, or `record: true` in the scenario")
    refused(folder, "manifest.json is missing")
    refused(folder / "nowhere", "cannot open folder: No such file or directory")
    for file, old, new, expected in DAMAGES:
        replaced(folder, file, old, new, expected)
    mutated(folder / "whole", folder)


# by what of a replica, by what, what is then said
SERVED = [
    (",serve,", ",run,", "job_id: expected a job of workload.csv"),
    (",loading,", ",reserved,", "start_s: expected a segment that follows"),
    ("#1,1,", "#0,1,", "job_id: expected a replica of a service, by service and number"),
    ("#1,1,", "#x,1,", "job_id: expected a replica of a service, by service and number"),
    ("#1,1,", "1,1,", "job_id: expected a replica of a service, by service and number"),
    ("chat 0#1,1,", "chat 9#1,1,", "job_id: expected a replica of a service, by service and number"),
    ("chat 0#2,1,", "chat 0#1,1,", "start_s: expected a segment that follows"),
    (",started,load\n", ",started,loaded\n", "ended: expected one of the words"),
]
SERVING_SEED = 2


def damaged_services(folder):
    scenario = Scenario(SERVING_SEED)
    scenario.take_services()
    scenario.write(folder)
    easim(*RUN, "whole", "--set", "replications=1", cwd=folder)
    for old, new, expected in SERVED:
        replaced(folder, "segments.csv", old, new, expected)
    mutated(folder / "whole", folder)


def repair_lengths(folder):
    """recorded.csv tells the length of what is there, of one run."""
    rows = rows_of(folder / "recorded.csv")
    if len(rows) != 1 or "segments_bytes" not in rows[0]:
        return
    for file in ("segments", "gpus", "workload"):
        data = (folder / (file + ".csv")).read_bytes()
        rows[0][file + "_bytes"] = len(data) - data.index(b"\n") - 1
    write_rows(folder / "recorded.csv", rows)
    refresh(folder, "recorded.csv")


def mutated(whole, folder):
    """Bytes anywhere: read or refused with one line, never a crash."""
    r, refusals = Random(16), 0
    copy = folder / "copy"
    shutil.copytree(whole, copy)
    for _ in range(60):
        file = r.choice(["segments.csv", "gpus.csv", "workload.csv", "recorded.csv", "series.csv"])
        data = before = (copy / file).read_bytes()
        for _ in range(r.choice([1, 1, 3])):
            at = r.randrange(len(data))
            data = data[:at] + r.choice([b"", b"9", b",", b'"', b"\n", b"-", b"\0", bytes([r.randrange(256)])]) + \
                data[at + r.choice([0, 1, 1, 20]):]
        (copy / file).write_bytes(data)
        refresh(copy, file)
        done = run(REWRITE, copy, "segments.csv", errors="replace", code=(0, 2))
        assert (done.returncode == 0) == (done.stderr == ""), (file, data, done)
        assert done.returncode == 0 or done.stderr.count("\n") == 1, done.stderr
        refusals += done.returncode == 2
        (copy / file).write_bytes(before)
        refresh(copy, file)
    assert 20 < refusals, refusals


def gpu_numbers(folder):
    """On a node of 37 GPUs that sleep after 600 s a job gets those awake first, the one freed last, then the lowest: by hand
    from submissions and run times, in microseconds."""
    r, now, free, held, jobs = Random(23), 0, dict.fromkeys(range(37), 0), [], []
    while len(jobs) < 400:
        now, k, runs = now + round(r.expovariate(1 / 9e7)), r.choice([1, 1, 2, 3, 7, 20]), round(r.expovariate(1 / 5e8)) + 1
        free |= {g: end for end, gpus in held if end <= now for g in gpus}
        held = [h for h in held if h[0] > now]
        order = sorted(free, key=lambda g: (now - free[g] >= 6e8, -free[g] if now - free[g] < 6e8 else 0, g))[:k]
        if len(order) == k:
            wakes = max(now - free.pop(g) for g in order) >= 6e8
            held.append((now + runs + 20_000_000 * wakes, order))
            jobs.append((now, runs, sorted(order)))
    write_files(folder, {"s.yaml": "name: numbers\nhorizon: drain\nworkload: {kind: trace, file: jobs.csv}\npolicy: {name: fcfs}\ncluster: {gpu_types: ["
                         "{name: g, idle_w: 60, ctx_w: 95, tdp_w: 400, memory_gib: 80, sleep_w: 9, sleep_after: 10min, wake_s: 20}], nodes: [{count: 1, gpu: g, gpus: 37}]}\n",
                         "jobs.csv": "job_id,submit_s,gpus,duration_s\n" + "".join(f"{i},{now / 1e6:.6f},{len(gpus)},{runs / 1e6:.6f}\n" for i, (now, runs, gpus) in enumerate(jobs))})
    easim("run", "s.yaml", "--record", "--quiet", "--out", "out", cwd=folder)
    got = {int(row["job_id"]): [g for _, g, _ in gpus_of(row["nodes"])] for row in rows_of(folder / "out/segments.csv") if row["kind"] == "run"}
    assert got == {i: gpus for i, (_, _, gpus) in enumerate(jobs)}, [(i, got[i], j) for i, j in enumerate(jobs) if got[i] != j[2]][:3]


def shared_gpus_of_two_types(folder):
    """Each job has half of a GPU of its type, which is another node; two of them fill one GPU."""
    write_files(folder, {"s.yaml": "name: halves\nhorizon: drain\nworkload: {kind: trace, file: jobs.csv}\npolicy: {name: fcfs}\ncluster: {gpu_types: ["
                         + ", ".join(f"{{name: {t}, idle_w: 60, ctx_w: 95, tdp_w: 400, memory_gib: 80}}" for t in "ab")
                         + "], nodes: [{count: 1, gpu: a, gpus: 2}, {count: 1, gpu: b, gpus: 2}]}\n",
                         "jobs.csv": "job_id,submit_s,gpus,gpu_share,gpu_type,duration_s\n"
                         + "".join(f"{t}{i},{i},1,0.5,{t},100\n" for i in range(3) for t in "ab")})
    easim("run", "s.yaml", "--record", "--quiet", "--out", "out", cwd=folder)
    got = {row["job_id"]: [(n, g) for n, g, _ in gpus_of(row["nodes"])] for row in rows_of(folder / "out/segments.csv") if row["kind"] == "run"}
    assert got == {f"{t}{i}": [(n, i // 2)] for n, t in enumerate("ab") for i in range(3)}, got


EVERYTHING = {"queued", "setup", "run", "checkpoint", "lost", "submitted", "started", "set_up", "phase", "utilization",
              "preempted", "saved", "resized", "failed", "finished", "end_of_run", "share", "limit", "free", "asleep", "reserved", "loading",
              "serve", "load", "released"}


if __name__ == "__main__":
    cases(same_bytes, comparison, gpu_numbers, shared_gpus_of_two_types, hostile, large_jobs, damaged, damaged_services, seeds(each_row_adds_up, 40))
    assert option("--count", 40) < 40 or EVERYTHING <= SEEN, f"never seen: {EVERYTHING - SEEN}"
