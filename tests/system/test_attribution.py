"""What easim attribute says of random runs of everything easim simulates, computed again from their CSV files and
models.yaml alone: test_attribution.py EASIM SOURCE [--count N] [--seed N]

Whose the energy was: every row of attribution.csv, for several paths and each rule for idle energy. Where the time went:
every part of every job but the cap's share (test_blame.c has that), who made room for whom, the chain back from the
last finish, what nodes cost, and causes of missed deadlines as far as they need no prediction. Written down naively, by
interval, where the program sweeps over time."""
from collections import defaultdict
from itertools import pairwise
from random import Random

import yaml

from harness import cases, easim, option, rows_of, seeds
from random_scenario import Scenario, lines
from recorded_scenarios import record
from test_record import gpus_of, ns, thousandths

SEEN = set()
PARTS = ["queued", "capped", "setup", "run", "slowed", "lost", "resized", "preempted", "failed"]
COMPONENTS = ["cpu", "ram", "network", "other"]


def near(got, expected, scale, what):
    """To 1e-9 of a total, or of the figure itself."""
    got = float(got) if got != "" else 0.0
    assert abs(got - expected) <= 1e-9 * max(abs(scale), abs(expected), 1e-12), f"{what}: {got!r}, expected {expected!r}"


# --- a run as its files have it ---

class Run:
    def __init__(self, scenario, folder, number):
        def of(name):
            return [row for row in rows_of(folder / name) if row["replication"] == number]
        self.number, self.scenario = number, scenario
        self.jobs = {j["job_id"]: j | {"place": i} for i, j in enumerate(of("jobs.csv"))}
        self.end = ns(of("recorded.csv")[0]["end_s"])
        self.start = min(ns(str(scenario.warmup_s)), self.end)
        self.summary, self.users = of("summary.csv")[0], {u["user"]: float(u["weight"]) for u in of("users.csv")}
        self.nodes = [node for entry in scenario.cluster["nodes"] for node in [entry] * entry.get("count", 1)]
        self.types = {t["name"]: t for t in scenario.types}
        self.life = defaultdict(list)
        for s in of("segments.csv"):
            s["from"], s["to"], s["at"] = ns(s["start_s"]), ns(s["end_s"]), gpus_of(s["nodes"])
            s["energy"], s["job"] = float(s["energy_j"]), s["job_id"]
            self.life[s["job_id"]].append(s)
        self.services = {service["name"]: service for service in getattr(scenario, "services", [])}
        for name in [*self.life]:
            if name not in self.jobs:
                service = self.services[name.rpartition("#")[0]]
                self.jobs[name] = {"user": service.get("user", "default"), "model": service["model"], "class": "service", "finish_s": "",
                                   "deadline_s": "", "missed": "0", "place": len(self.jobs), **{f"label.{k}": v for k, v in service.get("labels", {}).items()}}
        for service in self.services.values():
            self.users.setdefault(service.get("user", "default"), 1.0)
        self.held = [s for life in self.life.values() for s in life if s["kind"] not in ("queued", "reserved")]
        self.rests = [(int(r["node"]), len(gpus_of("0:" + r["gpu"])), r["state"], ns(r["start_s"]), ns(r["end_s"]))
                      for r in of("gpus.csv")]
        steps = [row for row in rows_of(folder / "series.csv")]
        self.steps = [(ns(row["time_s"]), float(row["price_per_mwh"] or "nan"), float(row["carbon_g_per_kwh"] or "nan"))
                      for row in steps]
        self.pue = scenario.cluster.get("pue", 1)
        self.models = {m["name"]: m for m in read_models(folder / "models.yaml")}

    def price(self, of_carbon):
        """Of a W from one instant to another, in kg or money: the step function, step by step."""
        column = 2 if of_carbon else 1
        ends = [step[0] for step in self.steps[1:]] + [1 << 62]

        def integral(start, stop):
            return self.pue * sum((min(stop, end) - max(start, step[0])) / 1e9 / 3.6e6 * step[column] / 1000
                                  for step, end in zip(self.steps, ends) if step[0] < stop and end > start)
        return integral


def read_models(path):
    """Numbers as such: 1e9 is a text in YAML 1.1."""
    models = yaml.safe_load(path.read_text(encoding="utf-8"))["models"] if path.exists() else []
    for model in models:
        for key in {"m0", "phi", "flops_per_sample", "bytes_per_sample"} & {*model}:
            model[key] = float(model[key])
    return models


def seconds(start, stop):
    return (stop - start) / 1e9


def cut(intervals, start, stop):
    """(what, from, to) of each part that is inside."""
    for what, begin, end in intervals:
        if max(begin, start) < min(end, stop):
            yield what, max(begin, start), min(end, stop)


# --- whose the energy was ---

def cells_of(run, bucket):
    """[(bucket, GPU type, from, to)]"""
    edges = sorted({run.start, run.end}) if bucket is None else sorted(
        {run.start, run.end} | {t for t in range(run.start // bucket * bucket, run.end, bucket) if run.start < t < run.end})
    for start, stop in pairwise(edges):
        for name in run.types:
            yield (0 if bucket is None else start // bucket), name, start, stop


def cell_sums(run, name, start, stop, weigh):
    """Idle, and the nodes by component, of the nodes with a GPU type, of W weighed over time; and GPU time idle, failed."""
    t, sums = run.types[name], defaultdict(float)
    for n, node in enumerate(run.nodes):
        if node["gpu"] != name:
            continue
        held = sum(weigh(a, b) * sum(at[0] == n for at in s["at"]) * thousandths(s) / 1000 / int(s["k"])
                   for s, a, b in cut([(s, s["from"], s["to"]) for s in run.held], start, stop))
        state = defaultdict(float)
        for (count, what), a, b in cut([((r[1], r[2]), r[3], r[4]) for r in run.rests if r[0] == n], start, stop):
            state[what] += weigh(a, b) * count
        idle = weigh(start, stop) * node["gpus"] - held - state["failed"]
        sums["idle_gpu"] += idle
        sums["failed_gpu"] += state["failed"]
        sums["idle"] += (idle - state["asleep"]) * t["idle_w"] + state["asleep"] * t.get("sleep_w", 0)
        up = weigh(start, stop) - state["failed"] / node["gpus"]
        sums["cpu"] += node.get("cpu_idle_w", 0) * up + node.get("cpu_w_per_busy_gpu", 0) * held
        for component, keys in (("ram", ["ram_w"]), ("network", ["network_w"]), ("other", ["base_w", "other_w"])):
            sums[component] += sum(node.get(key, 0) for key in keys) * up
    return sums


def apart(run, sums, share, add):
    """A share of a cell, with every way to weigh it; add(figure, value)."""
    plain, by_carbon, by_price = sums
    for key in ("idle_gpu", "idle", *COMPONENTS):
        add(key, share * plain[key])
    for key, weighed in (("co2", by_carbon), ("cost", by_price)):
        add(key, share * sum(weighed[component] for component in ("idle", *COMPONENTS)))


def values_of(run, path, job, name, bucket):
    j = run.jobs[job]
    of = {"user": j["user"], "model": j["model"], "job": job, "class": j["class"], "gpu_type": name, "time": bucket,
          "label.n": j.get("label.n", "")}
    return tuple(of[element] for element in path)


def samples(run, s):
    m = run.models[run.jobs[s["job"]]["model"]]
    if m.get("efficiency") == "none":
        return float(s["work"])
    phi = m.get("phi")
    if m.get("phases"):
        phi = m["phases"][int(s["phase"] or 0)].get("phi", phi)
    batch = int(s["k"]) * float(s["b"])
    return float(s["work"]) / ((phi + m["m0"]) / (phi + batch) if batch > m["m0"] else 1)


def count_models(run, s, share, add):
    if run.jobs[s["job"]]["class"] == "service":
        return
    model = run.models.get(run.jobs[s["job"]]["model"], {})
    flops, size = model.get("flops_per_sample"), model.get("bytes_per_sample")
    gpu_s = seconds(s["from"], s["to"]) * thousandths(s) / 1000 * share
    done = samples(run, s) * share if s["kind"] == "run" and model else 0
    peak, memory = (run.types[s["gpu_type"]].get(key) for key in ("peak_flops", "memory_bytes_s"))
    if size:
        add("bytes", done * size), add("bytes_gpu_s", gpu_s)
    if flops:
        add("flops", done * flops), add("flops_gpu_s", gpu_s)
        if peak:
            add("peaked", done * flops), add("peak", gpu_s * peak)
            if size and memory:
                add("roof", gpu_s * min(peak, flops / size * memory)), add("roof_gpu_s", gpu_s)
                add("memory_gpu_s", gpu_s * (flops / size * memory < peak))


def expected_rows(run, path, rule, bucket):
    rows, jobs = defaultdict(lambda: defaultdict(float)), defaultdict(set)
    carbon, price = run.price(True), run.price(False)

    def adder(values):
        def add(key, value):
            for level in range(len(path) + 1):
                rows[level, values[:level]][key] += value
        return add
    adder(tuple([None] * len(path)))("used", 0)
    rows.clear()
    rows[0, ()]["used"] += 0
    for number, name, start, stop in cells_of(run, bucket):
        use = defaultdict(float)
        for s, a, b in cut([(s, s["from"], s["to"]) for s in run.held if s["gpu_type"] == name], start, stop):
            gpu_s = seconds(a, b) * thousandths(s) / 1000
            watts, share = s["energy"] / seconds(s["from"], s["to"]), seconds(a, b) / seconds(s["from"], s["to"])
            values = values_of(run, path, s["job"], name, number)
            add = adder(values)
            add("used", gpu_s), add("job", watts * seconds(a, b))
            add("co2", watts * carbon(a, b)), add("cost", watts * price(a, b))
            count_models(run, s, share, add)
            use[s["job"]] += gpu_s
            for level in range(len(path) + 1):
                jobs[level, values[:level]].add(s["job"])
        sums = [cell_sums(run, name, start, stop, weigh) for weigh in (seconds, carbon, price)]
        nobody = {"gpu_type": name, "time": number}
        adder_of_nobody = adder(tuple(nobody.get(element) for element in path))
        if sums[0]["failed_gpu"] > 1e-9:
            adder_of_nobody("failed_gpu", sums[0]["failed_gpu"])
        if rule == "by-entitlement":
            everything = sum(run.users.values())
            for user, weight in run.users.items():
                own = {job: used for job, used in use.items() if run.jobs[job]["user"] == user}
                for job, used in own.items():
                    apart(run, sums, weight / everything * used / sum(own.values()),
                          adder(values_of(run, path, job, name, number)))
                if not own:
                    apart(run, sums, weight / everything,
                          adder(tuple((nobody | {"user": user}).get(element) for element in path)))
        elif rule == "none" or not use:
            apart(run, sums, 1, adder_of_nobody)
        else:
            for job, used in use.items():
                apart(run, sums, used / sum(use.values()), adder(values_of(run, path, job, name, number)))
    return rows, jobs


def key_of(row, path, bucket):
    """The level and the values of a row, None of nobody. Only GPU type, bucket, and a user by weight are known then."""
    level = int(row["level"])
    columns = {"job": "job_id", "time": "from_s"}
    texts = [row[columns.get(element, element)] for element in path[:level]]
    values = [(int(ns(text)) // bucket if element == "time" else text) for element, text in zip(path, texts)]
    if row["nobody"] == "1":
        known = {"gpu_type", "time"} | ({"user"} if texts and "user" in path[:level] and row["user"] else set())
        values = [value if element in known else None for element, value in zip(path, values)]
    return level, tuple(values)


def check_attribution(run, rows, path, rule, bucket):
    expected, jobs = expected_rows(run, path, rule, bucket)
    got = {key_of(row, path, bucket): row for row in rows}
    assert len(got) == len(rows), "two rows of one place"
    assert set(got) == set(expected), (set(got) ^ set(expected), path, rule)
    total = expected[0, ()]
    kwh = 3.6e6
    scale = (total["job"] + total["idle"] + sum(total[c] for c in COMPONENTS)) / kwh
    for key, row in got.items():
        e = expected[key]
        base = sum(e[c] for c in COMPONENTS)
        for column, value in (("energy_kwh", e["job"] + e["idle"] + base), ("energy_job_kwh", e["job"]),
                              ("energy_idle_kwh", e["idle"]), ("energy_base_kwh", base), ("energy_gpu_kwh", e["job"] + e["idle"]),
                              *[(f"energy_{c}_kwh", e[c]) for c in COMPONENTS]):
            near(row[column], value / kwh, scale, (key, column))
        for column, value, of in (("gpu_h", e["used"], "used"), ("idle_gpu_h", e["idle_gpu"], "idle_gpu"),
                                  ("failed_gpu_h", e["failed_gpu"], "failed_gpu")):
            near(row[column], value / 3600, sum(total[k] for k in ("used", "idle_gpu", "failed_gpu")) / 3600, (key, column, of))
        for column, figure in (("co2_kg", "co2"), ("cost", "cost")):
            if total[figure] == total[figure]:
                near(row[column], e[figure], sum(abs(x[figure]) for x in expected.values()), (key, column))
            else:
                assert row[column] == "", (key, row)
        for column, above, below, factor in (
                ("flops_s_per_gpu", "flops", "flops_gpu_s", 1), ("utilization", "peaked", "peak", 1),
                ("roofline_flops_s_per_gpu", "roof", "roof_gpu_s", 1), ("memory_bound_share", "memory_gpu_s", "roof_gpu_s", 1),
                ("gpu_h_per_byte", "bytes_gpu_s", "bytes", 1 / 3600)):
            assert (row[column] != "") == (e[below] > 0), (key, column, row[column], e[below])
            if row[column]:
                near(row[column], e[above] / e[below] * factor, 0, (key, column))
        assert int(row["jobs"]) == len(jobs[key]), (key, row["jobs"], jobs[key])
    for column in ("energy_kwh", "energy_job_kwh", "energy_idle_kwh", "energy_base_kwh", "co2_kg", "cost"):
        whole = got[0, ()][column]
        of_services = float(run.summary.get("energy_service_kwh") or 0) if column == "energy_job_kwh" else 0
        near(whole, float(run.summary[column] or 0) + of_services, 0, f"{column} of summary.csv")
        for level in range(1, len(path) + 1):
            near(whole, sum(float(row[column] or 0) for key, row in got.items() if key[0] == level),
                 sum(abs(float(row[column] or 0)) for row in rows), f"{column} of level {level}")


# --- where the time went ---

def slowed_s(run, s, slowdown):
    """Of a run: time lost to neighbours, and by node the energy of it after the warm-up."""
    others = [o for o in run.held if o["job"] != s["job"] and run.jobs[o["job"]]["class"] != "service" and o["from"] < s["to"] and o["to"] > s["from"]]
    edges = sorted({s["from"], s["to"]} | {t for o in others for t in (o["from"], o["to"]) if s["from"] < t < s["to"]})
    lost, by_node = 0, defaultdict(float)
    for a, b in pairwise(edges):
        company = defaultdict(set)
        for o in others:
            if o["from"] <= a and o["to"] >= b:
                for node, _, _ in o["at"]:
                    company[node].add(o["job"])
        count, node = max(((len(company[node]), -node) for node, _, _ in s["at"]))
        lost += seconds(a, b) * slowdown * count / (1 + slowdown * count)
        measured = seconds(max(a, run.start), max(b, run.start))
        by_node[-node] += measured * slowdown * count / (1 + slowdown * count) * s["energy"] / seconds(s["from"], s["to"])
    return lost, by_node


def loss_cause(life, i):
    while life[i]["ended"] in ("phase", "utilization") and i + 1 < len(life) and life[i + 1]["kind"] == "lost":
        i += 1
    return life[i]["ended"]


def parts_of(run, life, by_node):
    slowdown = run.scenario.cluster.get("interference", {}).get("slowdown_per_neighbour", 0)
    parts, lost_to = dict.fromkeys(PARTS, 0), defaultdict(int)
    for i, s in enumerate(life):
        length = s["to"] - s["from"]
        stops = [x["began"] for x in life[:i + 1] if x["began"] in ("preempted", "saved", "failed")]
        blamed = {"preempted": "preempted", "saved": "preempted", "failed": "failed"}.get(stops[-1]) if stops else None
        if s["kind"] in ("queued", "reserved"):
            parts[blamed or "queued"] += length
        elif s["kind"] == "serve":
            parts["run"] += length
        elif s["kind"] in ("setup", "loading"):
            parts["resized" if s["began"] == "resized" else blamed or "setup"] += length
        elif s["kind"] == "checkpoint":
            parts["preempted"] += length
        elif s["kind"] == "lost":
            parts["lost"] += length
            lost_to[loss_cause(life, i)] += length
        else:
            lost, at = slowed_s(run, s, slowdown) if slowdown else (0, {})
            parts["slowed"] += lost * 1e9
            parts["run"] += length - lost * 1e9
            for node, joules in at.items():
                by_node[node] += joules
    return parts, lost_to


def holdings_of(run):
    """By job: [(first segment, from, to, waited)]."""
    out = defaultdict(list)
    for job, life in run.life.items():
        waited, fresh = 0, True
        for s in life:
            if s["kind"] in ("queued", "reserved"):
                waited = s["to"] - s["from"]
                fresh = fresh or waited > 0
            elif fresh:
                out[job].append([s, s["from"], s["to"], waited])
                fresh = False
            else:
                out[job][-1][2] = s["to"]
    return out


def releases_of(run):
    """By GPU: [(when, job)], where a job ceases to hold it."""
    spans, out = defaultdict(list), defaultdict(list)
    for s in sorted(run.held, key=lambda s: s["from"]):
        for node, gpu, _ in s["at"]:
            mine = spans[node, gpu, s["job"]]
            if mine and mine[-1] == s["from"]:
                mine.pop()
            mine.append(s["to"])
    for (node, gpu, job), ends in spans.items():
        out[node, gpu] += [(end, job) for end in ends]
    return out


def behind(run, holding, releases):
    s, start, _, waited = holding
    before = [(end, -run.jobs[job]["place"], job) for node, gpu, _ in s["at"] for end, job in releases[node, gpu]
              if end <= start] if waited else []
    return max(before, default=None)


def check_path(run, links, holdings, releases):
    done = [(ns(j["finish_s"]), -j["place"], j["job_id"]) for j in run.jobs.values() if j["finish_s"]]
    expected, until, job = [], *(max(done)[::2] if done else (0, None))
    while job is not None:
        holding = max((h for h in holdings[job] if h[1] < until), key=lambda h: h[1])
        last = behind(run, holding, releases)
        expected.append((job, holding[1], until, holding[1] - last[0] if last else 0))
        until, job = (last[0], last[2]) if last else (0, None)
    got = [(r["job_id"], ns(r["start_s"]), ns(r["end_s"]), ns(r["gap_s"])) for r in links]
    assert got == expected[::-1], (got, expected[::-1])
    return {link[0] for link in got}


def check_cause(run, row, parts, lost_to):
    """As far as no prediction is needed."""
    job = run.jobs[row["job_id"]]
    late = job["missed"] == "1"
    assert bool(row["miss_cause"]) == late, (row, job)
    if not late or not job["finish_s"]:
        return
    lateness = seconds(ns(job["deadline_s"]), ns(job["finish_s"]))
    near(row["late_s"], lateness, 0, "late_s")
    so_far = 0
    for cause, cost in (("queued behind", parts["queued"]), ("capped", parts["capped"]),
                        ("preempted", parts["preempted"] + lost_to["preempted"] + lost_to["saved"])):
        so_far += cost
        if cost > 0 and so_far / 1e9 >= lateness:
            assert row["miss_cause"] == cause, (row, cause, so_far, lateness)
            return
    assert row["miss_cause"] in ("infeasible at submit", "failed", "resized", "slowed", "configuration"), row


def after(run, failure):
    """Whether it is measured: at one instant failures come before the end of the warm-up (semantics 1.2)."""
    return run.start == 0 or failure > run.start


def check_nodes(run, rows, by_node):
    expected = defaultdict(lambda: [0, 0, 0, 0, 0])
    for node, count, state, start, stop in run.rests:
        if state == "failed":
            expected[node][0] += after(run, start) / (run.nodes[node]["gpus"] / count)
            expected[node][1] += seconds(max(start, run.start), max(stop, run.start)) * count / 3600
    for life in run.life.values():
        for i, s in enumerate(life):
            if s["ended"] != "failed" or s["kind"] in ("queued", "reserved") or not after(run, s["to"]):
                continue
            node = next(n for n, _, _ in s["at"] if any(r[0] == n and r[2] == "failed" and r[3] == s["to"] for r in run.rests))
            expected[node][2] += 1
            while i >= 0 and life[i]["kind"] == "lost":
                expected[node][3] += seconds(life[i]["from"], life[i]["to"]) * thousandths(life[i]) / 1000 / 3600
                expected[node][4] += life[i]["energy"] / 3.6e6
                i -= 1
    got = {int(r["node"]): r for r in rows}
    assert set(got) == {n for n in range(len(run.nodes)) if expected[n][0] or expected[n][1] or by_node[n]}, (got, expected, by_node)
    near(run.summary["node_failures"], sum(e[0] for e in expected.values()), 0, "node_failures of summary.csv")
    for n, r in got.items():
        for column, value in zip(("failures", "down_gpu_h", "stopped_jobs", "lost_gpu_h", "lost_kwh"), expected[n]):
            near(r[column], value, 0, (n, column))
        near(r["slowed_j"], by_node[n], 0, (n, "slowed_j"))


def check_blame(run, folder):
    def of(name):
        return [row for row in rows_of(folder / name) if row["replication"] == run.number]
    holdings, releases, by_node = holdings_of(run), releases_of(run), defaultdict(float)
    critical = check_path(run, of("critical_path.csv"), holdings, releases)
    rows = of("blame.csv")
    assert [row["job_id"] for row in rows] == list(run.jobs), "one row a job"
    for row in rows:
        job, life = row["job_id"], run.life.get(row["job_id"], [])
        got = {part: ns(row[part + "_s"]) for part in PARTS}
        assert sum(got.values()) == ns(row["time_s"]) == (life[-1]["to"] - life[0]["from"] if life else 0), row
        if run.jobs[job]["finish_s"]:
            assert row["time_s"] == run.jobs[job]["jct_s"], row
        parts, lost_to = parts_of(run, life, by_node)
        if run.scenario.policy != "charon":
            assert got["capped"] == 0, row
        waits = ("queued", "capped", "preempted", "failed")  # of which the cap may explain some
        assert abs(sum(got[p] for p in waits) - sum(parts[p] for p in waits)) <= 2, (row, parts)
        for part in PARTS:
            if part not in waits or got["capped"] == 0:
                assert abs(got[part] - parts[part]) <= 1 + len(life), (part, row, parts)
        first = holdings[job][0] if holdings[job] else None
        last = behind(run, first, releases) if first else None
        assert row["behind"] == (last[2] if last else ""), (row, last)
        assert (row["critical"] == "1") == (job in critical), row
        check_cause(run, row, got, lost_to)
        assert (row["measured"] == "1") == (ns(row["submit_s"]) >= ns(str(run.scenario.warmup_s))), row
    check_nodes(run, of("node_blame.csv"), by_node)
    misses = sum(bool(row["miss_cause"]) and row["measured"] == "1" for row in rows)
    near(run.summary["deadline_missed"], misses, 0, "deadline_missed of summary.csv")
    return misses, sum(ns(row["time_s"]) for row in rows if row["measured"] == "1") / 3.6e12


def check_report(run, misses, hours, text):
    """Of the measured jobs, as summary.csv."""
    assert f"time of all {'measured ' if run.scenario.warmup_s else ''}jobs, {hours:.6g} h:" in text, (hours, text)
    assert (f"deadlines missed: {misses}, by first cause:" in text) == (misses > 0) == ("deadlines missed" in text), (misses, text)
    assert ("of the makespan with the warm-up, " in text) <= bool(run.scenario.warmup_s), text


# --- all of it ---

def with_counts(scenario):
    """Models that say what a sample takes, and GPU types with peaks; drawn apart."""
    r = Random(f"counts of {scenario.seed}")
    for model in scenario.models:
        if r.random() < 0.7:
            model["flops_per_sample"] = r.choice([1e9, 3e11])
        if r.random() < 0.6:
            model["bytes_per_sample"] = r.choice([1e6, 2.5e9])
    for t in scenario.types:
        if r.random() < 0.7:
            t["peak_flops"] = 3.12e14
            if r.random() < 0.7:
                t["memory_bytes_s"] = 2e12
    for node in scenario.cluster["nodes"]:
        if r.random() < 0.3:
            node |= {"network_w": 17.25, "other_w": 3}
    scenario.files["models.yaml"] = lines({"models": scenario.models} | ({"rigid_speed": scenario.rigid_speed}
                                                                        if scenario.rigid_speed else {}))
    scenario.files["scenario.yaml"] = lines(scenario.scenario)
    return scenario


def requests(scenario):
    r = Random(f"requests of {scenario.seed}")
    elements = ["user", "model", "job", "class", "gpu_type"] + (["label.n"] if "jobs.csv" in scenario.files or hasattr(scenario, "services") else [])
    for rule in ("none", "by-use", "by-entitlement"):
        path = r.sample(elements, r.randint(1, 3))
        bucket = r.choice([None, 600, 3600.5, 100000])
        if bucket and (rule == "none" or r.random() < 0.5):
            path.insert(r.randint(0, len(path)), "time")
        yield path, rule, bucket


def attributed(seed, folder):
    scenario = with_counts(Scenario(seed))
    if seed % 3 == 1:
        scenario.take_services()
        scenario.services[0] |= {"user": "serving, \"me\"", "labels": {"n": "blue", "more": "=1"}}
        scenario.write_scenario()
    if not record(scenario, folder, "--threads", 1):
        return
    SEEN.update({"services"} if hasattr(scenario, "services") else ())
    runs = [Run(scenario, folder / "out", row["replication"]) for row in rows_of(folder / "out/recorded.csv")]
    for path, rule, bucket in requests(scenario):
        words = ["--path", "/".join(path), "--idle", rule] + (["--bucket", f"{bucket}s"] if bucket else [])
        done = easim("attribute", "out", *words, "--quiet", cwd=folder)
        assert not done.stderr, (words, done.stderr)
        for run in runs:
            rows = [row for row in rows_of(folder / "out/attribution.csv") if row["replication"] == run.number]
            check_attribution(run, rows, path, rule, ns(str(bucket)) if bucket else None)
    told = [check_blame(run, folder / "out") for run in runs]
    check_report(runs[0], *told[0], easim("attribute", "out", cwd=folder).stdout)
    rows = rows_of(folder / "out/blame.csv")
    SEEN.update("warm-up" for row in rows if row["miss_cause"] and row["measured"] == "0")
    SEEN.update({part for part in PARTS for row in rows if row[part + "_s"] != "0"} | {row["miss_cause"] for row in rows})
    SEEN.update({"behind" for row in rows if row["behind"]} | {"links" for _ in rows_of(folder / "out/critical_path.csv")[1:]})


EVERYTHING = {"queued", "setup", "run", "slowed", "lost", "resized", "preempted", "failed", "behind", "links",
              "queued behind", "infeasible at submit", "services", "warm-up"}

cases(seeds(attributed, 20))
assert option("--count", 20) < 20 or EVERYTHING <= SEEN, f"never seen: {EVERYTHING - SEEN}"
