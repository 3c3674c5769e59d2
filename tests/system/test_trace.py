"""The trace of a run: test_trace.py EASIM SOURCE

EASIM_POLICY_PATH has the plug-in `unruly`, which preempts and wakes by chance. jobs.csv, decisions.csv, the counts of summary.csv and the GPUs of power.csv are made again from traces of random scenarios of
everything at once (random_scenario.py) and compared cell by cell. Every line has the fields of its row in docs/reference/trace.md.
"""
import json
import os
import re
from fractions import Fraction

from harness import EASIM, SOURCE, TINY, bytes_of, cases, easim, interrupt, json_of, rows_of, run, start, wait_for
from random_scenario import Scenario

SEEDS = range(1, 61)
# preempts one job in ten decisions (unruly.c); what would keep a cap it does not look for
UNRULY = ["--policy", "unruly", "--set", "policy.params={bits: 32, resize: true}", "--set", "cluster.power_cap_w=1e12"]
HOLDS = ("start", "resize")
EVENTS = {"submit", "reject", "compute", "phase", "utilization", "release", "finish", "timer", "measure", "cap", "price", "carbon",
          "node_failure", "node_repair", "sleep"}  # what the event set holds; other lines are what follows from them
OF_SERVICES = {"demand", "backlog", "replica_ready", "scaling"}
NO_PROGRESS = "was stopped 1000 times in a row without having kept any of its work"  # as in test_random.py


def fields_of_docs():
    """{kind: its fields in order} of the table in docs/reference/trace.md."""
    text = (SOURCE / "docs/reference/trace.md").read_text(encoding="utf-8").replace("`", "")
    rows = re.findall(r"^\| ([a-z_, ]+) \|([a-z_, ]*)\|", text.split("| kind |")[1].split("\n\n")[0], re.MULTILINE)
    return {kind: ["time_ns", "kind", *fields.strip().split(", ")] if fields.strip() else ["time_ns", "kind"]
            for kinds, fields in rows for kind in kinds.split(", ")}


def lines_of(path):
    """Lines of a trace, decimals exact."""
    return [json.loads(line, parse_float=Fraction) for line in path.read_text(encoding="utf-8").splitlines()]


def seconds(time_ns):
    """Nanoseconds as jobs.csv has them."""
    if time_ns is None:
        return ""
    whole, rest = divmod(abs(time_ns), 10**9)
    return "-" * (time_ns < 0) + f"{whole}." + (f"{rest:09d}".rstrip("0") or "0")


def real_of(value):
    return "" if value is None else str(float(value))


def text_of(value):
    return "" if value is None else str(float(value)) if isinstance(value, Fraction) else str(value)


class Job:
    """What a trace says of a job."""

    def __init__(self, line):
        self.submit, self.status = line, "waiting"
        self.first_ns = self.finish_ns = self.held_since_ns = self.config = None
        self.held_ns, self.gpu_ns = 0, Fraction(0)
        self.lost_ns = self.preemptions = self.resizes = 0
        self.energy_j = None

    def hold(self, line):
        if self.held_since_ns is not None:  # a resize
            self.let_go(line["time_ns"])
        if self.first_ns is None:
            self.first_ns = line["time_ns"]
        self.held_since_ns, self.config, self.status = line["time_ns"], line, "running"

    def let_go(self, now_ns):
        self.held_ns += now_ns - self.held_since_ns
        self.gpu_ns += (now_ns - self.held_since_ns) * Fraction(self.config["gpus"])
        self.held_since_ns, self.status = None, "waiting"

    def follow(self, line):
        kind = line["kind"]
        if kind in HOLDS:
            self.hold(line)
        elif kind in ("release", "fail", "finish") or (kind == "preempt" and not line["checkpoint"]):
            self.let_go(line["time_ns"])
        self.lost_ns = line.get("lost_ns", self.lost_ns)
        if kind == "phase":
            assert line["model_phase"] > 0 and line["gpus"] == self.config["gpus"] and line["k"] == self.config["k"], line
            self.config = self.config | {"batch": line["batch"]}
        self.preemptions += kind == "preempt"
        self.resizes += kind == "resize"
        if kind == "finish":
            self.status, self.finish_ns, self.energy_j = "finished", line["time_ns"], line["energy_j"]

    def row(self):
        """Cells of jobs.csv."""
        start_ns, config = self.submit["time_ns"], self.config or {}
        wait_ns = None if self.first_ns is None else self.first_ns - start_ns
        jct_ns = None if self.finish_ns is None else self.finish_ns - start_ns
        return {"job_id": self.submit["job"], "user": self.submit["user"], "model": text_of(self.submit["model"]),
                "submit_s": seconds(start_ns), "start_s": seconds(self.first_ns), "finish_s": seconds(self.finish_ns),
                "deadline_s": seconds(self.submit["deadline_ns"]), "status": self.status,
                "gpu_type": text_of(config.get("gpu_type")), "k": text_of(config.get("k")),
                "b": real_of(config.get("batch")), "nodes": text_of(len(config["nodes"]) if config else None),
                "wait_s": seconds(wait_ns), "exec_s": seconds(self.held_ns), "jct_s": seconds(jct_ns),
                "preemptions": str(self.preemptions), "resizes": str(self.resizes), "lost_s": seconds(self.lost_ns)}


def jobs_of(lines):
    """{job_id: Job}, in the order of submission, at the end of the run."""
    jobs = {}
    for line in lines:
        if line["kind"] in ("submit", "reject"):
            jobs[line["job"]] = Job(line)
            jobs[line["job"]].status = "rejected" if line["kind"] == "reject" else "waiting"
        elif "job" in line and line["kind"] not in ("action", "compute", "segment"):
            jobs[line["job"]].follow(line)
    for job in jobs.values():
        if job.held_since_ns is not None:
            job.let_go(lines[-1]["time_ns"])
            job.status = "running"
    return jobs


def same_jobs(lines, rows):
    jobs = jobs_of(lines)
    assert list(jobs) == [row["job_id"] for row in rows]
    for row, job in zip(rows, jobs.values()):
        again = job.row()
        assert again == {column: row[column] for column in again}, (again, row)
        exact = job.gpu_ns / 10**9
        assert exact == Fraction(row["gpu_s"]) or float(exact) == float(row["gpu_s"]), (exact, row)
        if job.energy_j is not None:
            assert job.energy_j == Fraction(row["energy_j"]), row


def same_segments(lines, rows):
    """They fill the life of a job, are what its other lines say, and have its energy."""
    segments, other = {}, {}
    for line in lines:
        if line["kind"] == "segment":
            segments.setdefault(line["job"], []).append(line)
        elif "job" in line and line["kind"] not in ("action", "reject"):
            other.setdefault(line["job"], []).append(line)
    for row in rows:
        own = segments.pop(row["job_id"], [])
        if row["status"] == "rejected":
            assert not own, own
            continue
        events = other[row["job_id"]]
        words = {"submit": "submitted", "start": "started", "compute": "set_up", "preempt": "preempted", "phase": "phase",
                 "utilization": "utilization", "release": "saved", "resize": "resized", "fail": "failed", "finish": "finished"}
        causes = [(line["time_ns"], words[line["kind"]]) for line in events]
        assert causes[:len(own)] == [(s["start_ns"], s["began"]) for s in own], (causes, own)
        ends = causes[1:] + ([] if row["status"] == "finished" else [(lines[-1]["time_ns"], None)])
        assert ends == [(s["time_ns"], s["ended"]) for s in own], (ends, own)
        held = [s for s in own if s["segment"] != "queued"]
        assert all((s["gpus"] is None) == (s["segment"] == "queued") for s in own), own
        assert seconds(sum(s["time_ns"] - s["start_ns"] for s in held)) == row["exec_s"], (own, row)
        for kind, cause in (("run", "set_up"), ("run", "phase"), ("run", "utilization"), ("queued", "submitted"), ("queued", "saved"), ("queued", "failed")):
            assert all(s["segment"] == kind for s in own if s["began"] == cause), (kind, own)
        energy = sum(s["energy_j"] for s in own)
        assert abs(energy - Fraction(row["energy_j"])) <= Fraction(row["energy_j"]) / 10**12, (own, row)
    assert not segments


def powers_of_steps(lines, types):
    """A part of a run that begins with a step of the utilization draws what that says; no step says what holds."""
    value = {}
    for line in lines:
        if line["kind"] == "utilization":
            assert value.get(line["job"]) != line["utilization"], line
            value[line["job"]] = line["utilization"]
        elif line["kind"] == "segment" and line["began"] == "utilization":
            t = types[line["gpu_type"]]
            watts = t["idle_w"] + (t["tdp_w"] - t["idle_w"]) * float(value[line["job"]])
            joules = watts * float(line["gpus"]) * (line["time_ns"] - line["start_ns"]) / 1e9
            assert abs(float(line["energy_j"]) - joules) <= 1e-9 * (1 + joules), (line, watts)
        elif line["kind"] in ("start", "resize"):
            value.pop(line["job"], None)


def same_decisions(lines, rows):
    """decisions.csv has a row for each action, and for each rejection."""
    again = []
    for line in lines:
        if line["kind"] == "reject":
            again.append([seconds(line["time_ns"]), "reject", line["job"], "", "", "", line["reason"], ""])
        elif line["kind"] == "action":
            again.append([seconds(line["time_ns"]), line["action"], *(text_of(line[name]) for name in ("job", "gpu_type", "k")),
                          real_of(line["batch"]), text_of(line["answer"]), real_of(line["power_limit_w"])])
    columns = ("time_s", "action", "job_id", "gpu_type", "k", "b", "answer", "power_limit_w")
    assert again == [[row[column] for column in columns] for row in rows]


def every_event(lines, summary):
    """As many lines of events and decisions as the engine has counted; decisions are numbered."""
    assert sum(line["kind"] in EVENTS for line in lines) == int(summary["events"]) == lines[-1]["events"]
    numbers = [line["decision"] for line in lines if line["kind"] == "decision"]
    assert numbers == list(range(1, int(summary["decisions"]) + 1)) and lines[-1]["decisions"] == len(numbers)
    last = 0
    for line in lines:
        assert line["kind"] != "action" or line["decision"] == last, line
        last = line["decision"] if line["kind"] == "decision" else last
    times = [line["time_ns"] for line in lines]
    assert times == sorted(times) and [lines[0]["kind"], lines[-1]["kind"]] == ["run", "end"]


def same_gpus(lines, rows):
    """GPUs held at each instant of power.csv, by node: never more than there are, none on a node that has failed."""
    sizes = {line["node"]: line["gpus"] for line in lines if "gpus" in line and "node" in line}
    held, failed, allocated = {}, set(), {}
    for line in lines:
        kind, job = line["kind"], line.get("job")
        if kind in HOLDS:
            held[job] = line
            assert sum(Fraction(gpus) for _, gpus in line["nodes"]) == Fraction(line["gpus"]), line
        elif kind in ("release", "fail", "finish") or (kind == "preempt" and not line["checkpoint"]):
            del held[job]
        elif kind == "node_failure":
            failed.add(line["node"])
        elif kind == "node_repair":
            failed.remove(line["node"])
        allocated[line["time_ns"]] = sum(Fraction(hold["gpus"]) for hold in held.values())
        if kind == "decision":  # all events of the instant so far are done
            on_node = {}
            for hold in held.values():
                for node, gpus in hold["nodes"]:
                    on_node[node] = on_node.get(node, 0) + Fraction(gpus)
            assert not failed & set(on_node), (failed, on_node)
            assert all(gpus <= sizes.get(node, gpus) for node, gpus in on_node.items()), on_node
    for row in rows:
        time_ns = Fraction(row["time_s"]) * 10**9
        assert allocated.get(time_ns, 0) == Fraction(row["alloc_gpus"]), (row, allocated.get(time_ns))


def random_scenarios(folder):
    """Everything made again from the traces of random scenarios; all kinds of lines but of services are among them."""
    documented, kinds = fields_of_docs(), set()
    for seed in SEEDS:
        place = folder / str(seed)
        place.mkdir()
        scenario = Scenario(seed)
        scenario.write(place)
        done = easim("run", "scenario.yaml", "--quiet", "--decisions", "--trace", "t.jsonl", "--out", "out", *(UNRULY if seed % 2 else []),
                     cwd=place, code=(0, 1))
        if done.returncode == 1:
            assert NO_PROGRESS in done.stderr and not (place / "out/t.jsonl").exists(), (seed, done.stderr)
            continue
        tables = {name: rows_of(place / "out" / (name + ".csv")) for name in ("summary", "jobs", "decisions", "power")}
        for summary in tables["summary"]:
            number = summary["replication"]
            lines = lines_of(place / "out" / ("t.jsonl" if len(tables["summary"]) == 1 else f"t-{number}.jsonl"))
            rows = {name: [row for row in table if row["replication"] == number] for name, table in tables.items()}
            for line in lines:
                assert list(line) == documented[line["kind"]], (seed, line)
            assert (lines[0]["policy"], lines[0]["replication"]) == (summary["policy"], int(number))
            assert lines[0]["seed"] == int(summary["seed"]) == seed
            try:
                same_jobs(lines, rows["jobs"])
                same_segments(lines, rows["jobs"])
                powers_of_steps(lines, {t["name"]: t for t in scenario.types})
                same_decisions(lines, rows["decisions"])
                every_event(lines, summary)
                same_gpus(lines, rows["power"])
            except AssertionError as wrong:
                raise AssertionError(f"scenario {seed}: {wrong}") from wrong
            kinds |= {line["kind"] for line in lines}
    assert kinds == set(documented) - OF_SERVICES, set(documented) - OF_SERVICES ^ kinds


def of_services(folder):
    """Their lines are as documented; the host looks at a service every interval, or when a node fails; a replica of a number
    is ready once."""
    scenario, documented = Scenario(20), fields_of_docs()
    scenario.take_services()
    scenario.write(folder)
    easim("run", "scenario.yaml", "-n", "1", "--quiet", "--trace", "t.jsonl", "--out", "out", cwd=folder)
    lines = [line for line in lines_of(folder / "out/t.jsonl") if line["kind"] in OF_SERVICES | {"node_failure"}]
    assert OF_SERVICES <= {line["kind"] for line in lines}
    assert all(list(line) == documented[line["kind"]] for line in lines)
    streams = scenario.scenario["workload"]["streams"]
    intervals_ns = [round(s["scaling"]["interval"] * 10**9) for s in streams if s["kind"] == "service"]
    failures_ns = {line["time_ns"] for line in lines if line["kind"] == "node_failure"}
    ticks_ns = [line["time_ns"] for line in lines if line["kind"] == "scaling"]
    assert all(t in failures_ns or any(t % ns == 0 for ns in intervals_ns) for t in ticks_ns), ticks_ns
    ready = [(line["service"], line["replica"]) for line in lines if line["kind"] == "replica_ready"]
    assert len(set(ready)) == len(ready) > 1, ready


def refused_actions(folder):
    """A plug-in that asks for wrong things (misuse.c): each is there, with the answer."""
    for kind, answer in (("no_such_job", "no such job"), ("config_above", "not a configuration of that job"),
                         ("start_twice", "job is not in the right state"), ("wake_now", "not a time in the future"),
                         ("preempt_waiting", "job is not in the right state")):
        out = folder / kind
        easim("run", TINY, "--quiet", "--decisions", "--policy", "misuse", "--set",
              f"policy.params.kind={kind}", "--trace", "t.jsonl", "--out", out)
        lines = lines_of(out / "t.jsonl")
        same_decisions(lines, rows_of(out / "decisions.csv"))
        assert answer in {line["answer"] for line in lines if line["kind"] == "action"}, (kind, lines)


def changes_nothing(folder):
    """No other file has other bytes; threads do not matter; the manifest names each trace, and repeats it."""
    config = SOURCE / "configs/eas-sim.yaml"
    easim("run", config, "--quiet", "--out", folder / "without")
    without = bytes_of(folder / "without")
    for threads in (1, 2, 7):
        easim("run", config, "--quiet", "--threads", threads, "--trace", "t.jsonl", "--out", folder / f"threads-{threads}")
    traced = bytes_of(folder / "threads-1")
    names = {f"t-{number}.jsonl" for number in range(1, 11)}
    assert set(traced) == set(without) | names
    assert all(traced[name] == text for name, text in without.items() if name != "manifest.json")
    assert traced == bytes_of(folder / "threads-2") == bytes_of(folder / "threads-7")
    manifest = json.loads(traced["manifest.json"])
    assert manifest["options"] == ["--trace=t.jsonl"] and names <= set(manifest["files"])
    hashes = run("sha256sum", *sorted(names), cwd=folder / "threads-1")
    assert {line.split()[1]: line.split()[0] for line in hashes.stdout.splitlines()} == {
        result["file"]: result["sha256"] for result in manifest["results"] if result["file"] in names}
    assert easim("run", folder / "threads-1/manifest.json").stdout == "equal\n"
    with open(folder / "threads-1/t-3.jsonl", "a", encoding="utf-8") as file:
        file.write("{}\n")
    assert "damaged: t-3.jsonl" in easim("run", folder / "threads-1/manifest.json", code=1).stdout


def names_of_files(folder):
    """A number goes in front of the last suffix; a trace of another run in the same folder is replaced."""
    for name, first in (("a.b.jsonl", "a.b-1.jsonl"), ("trace", "trace-1")):
        easim("run", TINY, "--quiet", "--force", "--replications", 2, "--trace", name, "--out", folder / "names")
        assert (folder / "names" / first).exists() and not (folder / "names" / name).exists()
    (folder / "names/once").write_text("of an earlier run\n")
    easim("run", TINY, "--quiet", "--force", "--summary-only", "--trace", "once", "--out", folder / "names")
    assert lines_of(folder / "names/once")[-1]["kind"] == "end" and not (folder / "names/jobs.csv").exists()


def odd_texts(folder):
    """Ids with quotes, control characters and bytes that are no UTF-8; exact times beyond 2^53 ns."""
    (folder / "jobs.csv").write_bytes(b'job_id,submit_s,duration_s,gpus,user\n'
                                      b'"a ""b"" \\ \x01 \xc3\xa9",0,5,1,u\n'
                                      b'b\xff\xed\xa0\x80c,10000000.123456789,7.000000001,1,u\n')
    (folder / "odd.yaml").write_text("name: odd\nhorizon: drain\ncluster:\n  gpu_types: [{name: g, idle_w: 1, ctx_w: 2, "
                                     "tdp_w: 3}]\n  nodes: [{gpu: g, gpus: 1}]\n"
                                     "workload: {kind: trace, file: jobs.csv}\npolicy: {name: fcfs}\n")
    easim("run", folder / "odd.yaml", "--quiet", "--trace", "t.jsonl", "--out", folder / "odd")
    ends = [line for line in lines_of(folder / "odd/t.jsonl") if line["kind"] == "finish"]
    assert [line["job"] for line in ends] == ['a "b" \\ \x01 \u00e9', "b" + 4 * "\ufffd" + "c"], ends
    assert [line["time_ns"] for line in ends] == [5 * 10**9, 10000007123456790]  # 10000000.123456789 + 7.000000001 s


def what_is_left(folder):
    """Of a failed run nothing; of an interrupted one the traces of what is in summary.csv, whole."""
    easim("run", TINY, "--quiet", "--policy", "misuse", "--strict", "--trace", "t", "--out", folder / "failed", code=1)
    assert not (folder / "failed").exists()
    out = folder / "interrupted"
    process = start("run", SOURCE / "configs/eas-sim.yaml", "--replications", 100000, "--threads", 2, "--trace", "t.jsonl", "--out", out)
    wait_for("ten traces, and two that are written", lambda: list(out.glob("t.jsonl.tmp-*/12")), process)
    interrupt(process)
    summary = rows_of(out / "summary.csv")
    traces = {f"t-{row['replication']}.jsonl" for row in summary}
    assert len(summary) >= 8 and {name for name in os.listdir(out) if name.startswith("t-")} == traces
    assert not [name for name in os.listdir(out) if ".tmp" in name]
    for name in traces:
        text = (out / name).read_text(encoding="utf-8")
        assert text.endswith("}\n") and json.loads(text.splitlines()[-1])["kind"] == "end"
    assert traces <= set(json_of(out / "manifest.json")["files"])


# As fcfs, with a wake-up.
WAKES = f"""\
import json, sys
sys.path.insert(0, {str(SOURCE / "policies/exec")!r})
sys.dont_write_bytecode = True
import fcfs
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        policy, wake = fcfs.Fcfs(message), [{{"wake_at": float(sys.argv[1])}}]
        print(json.dumps({{"ready": 2, "message": 0}}), flush=True)
    elif message["type"] == "decide":
        print(json.dumps({{"message": message["message"], "actions": policy.decide(message) + wake}}), flush=True)
        wake = []
"""


def order_of_an_instant(folder):
    """Everything at the very ns at which node 0 fails: the order of semantics 1.2, in both of its forms."""
    cluster = ("cluster: {pue: 1, %sgpu_types: [{name: g, idle_w: 50, tdp_w: 400}, {name: z, idle_w: 50, tdp_w: 700, sleep_w: 5, "
               "sleep_after: %s}], nodes: [{gpu: g, gpus: 2, mtbf: 20min, mttr: 1h}, {gpu: g, gpus: 6}, {gpu: z, gpus: 1}]}\n")
    head = "name: n\nhorizon: 9h\nseed: 3\npolicy: {name: exec}\n"
    jobs = "job_id,submit_s,gpus,duration_s\n%s"
    (folder / "p.py").write_text(WAKES)

    def lines(name, text, wake_s, rows, *more):
        (folder / "jobs.csv").write_text(jobs % rows)
        (folder / f"{name}.yaml").write_text(text)
        easim("run", folder / f"{name}.yaml", "--quiet", "--trace", "t.jsonl", "--out", folder / name, *more, "--set",
              f"policy.params.command=python3 {folder}/p.py {wake_s}")
        return lines_of(folder / name / "t.jsonl")

    alone = lines("alone", head + cluster % ("", "9h") + "workload: {kind: trace, file: jobs.csv}\n", 1, "x,1,1,1\n")
    at_ns = next(line["time_ns"] for line in alone if line["kind"] == "node_failure")
    at_s = seconds(at_ns)
    for name in ("power_w", "price_per_mwh", "carbon_g_per_kwh"):
        (folder / f"{name}.csv").write_text(f"time_s,{name}\n0,4000\n100,4500\n{at_s},5000\n40000,5000\n")
    text = (head + cluster % ("power_cap_w: {file: power_w.csv}, ", f"{at_s}s") +
            "price_per_mwh: {file: price_per_mwh.csv}\ncarbon_g_per_kwh: {file: carbon_g_per_kwh.csv}\n" +
            f"workload: {{kind: trace, file: jobs.csv, warmup: {at_s}s, rigid_costs: {{start_s: 10}}}}\n")
    rows = (f"long,0,5,{seconds(at_ns - 10**10)}\n"  # ends, after 10 s of set-up
            "hit,1,2,9000\n"  # on node 0
            f"new,{seconds(at_ns - 10**10)},1,500\n"  # its set-up ends
            f"last,{at_s},1,50\n")
    before, after = ["node_failure", "measure", "sleep", "compute"], ["timer"]
    for equal_time, both in (("finishes_first", ["finish", "submit"]), ("arrivals_first", ["submit", "finish"])):
        found = [line for line in lines(equal_time, text, at_s, rows, "--set", f"engine.equal_time={equal_time}")
                 if line["time_ns"] == at_ns and line["kind"] in EVENTS]
        kinds = [line["kind"] for line in found]
        assert sorted(kinds[:3]) == ["cap", "carbon", "price"] and kinds[3:] == before + both + after, kinds
        assert [line["job"] for line in found if line["kind"] in ("compute", "finish")] == ["new", "long"], found


def disk_full(folder):
    """A trace that cannot be written fails the run, and nothing is left."""
    limit = "ulimit -f 40; trap '' XFSZ; exec \"$@\""  # 40 KiB: no trace of the seed protocol is that short
    run("bash", "-c", limit, "sh", EASIM, "run", SOURCE / "configs/eas-sim.yaml", "--quiet", "--summary-only", "--threads", "2",
        "--trace", "t.jsonl", "--out", folder / "full", code=1, says="cannot write: File too large")
    assert not (folder / "full").exists(), os.listdir(folder / "full")


cases(random_scenarios, of_services, refused_actions, changes_nothing, names_of_files, odd_texts, what_is_left, order_of_an_instant,
      disk_full)
