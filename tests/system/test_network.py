"""Networks of tiers: test_network.py EASIM SOURCE [--count N]

The placement of every start of random scenarios is found again by the rule of docs/semantics.md (sections 8 and 32), written
down naively over the free GPUs of nodes; one tier with oversubscription 1 is no network, to the last byte; a training over
leaf and spine by hand.
"""
import json
import sys
import tempfile
from pathlib import Path

from random_scenario import Scenario, lines
from support import easim, rows_of

RUN = ("--quiet", "--check", "--trace", "t.jsonl", "--replications", 1)
POLICIES = ("fcfs", "easy", "pollux", "zeus")  # none moves a job: what a decision starts, it starts on what is free before it


class Tiers:
    """Free GPUs of nodes, and the rule."""

    def __init__(self, scenario):
        groups = scenario.cluster["nodes"]
        self.types = [group["gpu"] for group in groups for _ in range(group["count"])]
        self.gpus = [group["gpus"] for group in groups for _ in range(group["count"])]
        self.free = self.gpus[:]
        tiers = scenario.cluster["network"]["tiers"]
        self.names = ["one_node"] + [tier["name"] for tier in tiers]
        self.width = [1] + [tier["nodes"] for tier in tiers]

    def places(self, span, nodes):
        found = {}
        for n in nodes:
            found.setdefault(n // self.width[span], []).append(n)
        return list(found.values())

    def count(self, nodes):
        return sum(self.free[n] for n in nodes)

    def place(self, nodes, span, k):
        """Nodes with what each gives, of k GPUs in a place of a span; and the lowest span that held them."""
        for lower in range(span):
            enough = [place for place in self.places(lower, nodes) if self.count(place) >= k]
            if enough:
                return self.place(min(enough, key=self.count), lower, k)
        if span == 0:
            return {nodes[0]: k}, 0
        given = {}
        for child in sorted(self.places(span - 1, nodes), key=lambda place: -self.count(place)):
            taken = min(k, self.count(child))
            given |= self.place(child, span - 1, taken)[0] if taken else {}
            k -= taken
        return given, span

    def span_of(self, nodes):
        return next(span for span, width in enumerate(self.width) if len({n // width for n in nodes}) == 1)


def run(folder, scenario, *more, name="out"):
    for file, text in scenario.files.items():
        (folder / file).write_text(text)
    easim("run", folder / "scenario.yaml", "--out", folder / name, *RUN, *more)
    return folder / name


def start_as_the_rule_says(scenario, out):
    """Replays the trace: every start is placed again. Returns how often each span was found."""
    tiers, held, failed, found = Tiers(scenario), {}, set(), {}
    by_type = {t: [n for n, name in enumerate(tiers.types) if name == t] for t in set(tiers.types)}
    jobs = {job["job_id"]: job for job in rows_of(out / "jobs.csv")}
    for line in map(json.loads, (out / "t.jsonl").read_text().splitlines()):
        kind, job = line["kind"], line.get("job")
        if kind in ("finish", "release", "fail") or (kind == "preempt" and not line["checkpoint"]):
            for node, gpus in held.pop(job).items():
                tiers.free[node] += 0 if node in failed else gpus
        elif kind == "start":
            nodes = {node: gpus for node, gpus in line["nodes"]}
            if line["gpus"] >= 1:
                expected, span = tiers.place(by_type[line["gpu_type"]], len(tiers.width) - 1, line["k"])
                assert nodes == expected, (scenario.seed, line, expected, tiers.free)
                assert span == tiers.span_of(nodes), (scenario.seed, line)
                found[span] = found.get(span, 0) + 1
                jobs[job]["last"] = tiers.names[span]
            held[job] = nodes
            for node, gpus in nodes.items():
                tiers.free[node] -= gpus
        elif kind == "node_failure":  # the jobs on it follow
            tiers.free[line["node"]] = 0
            failed.add(line["node"])
        elif kind == "node_repair":
            tiers.free[line["node"]] = tiers.gpus[line["node"]]
            failed.remove(line["node"])
    for job in jobs.values():
        assert len(tiers.width) == 2 or job["span"] == job.get("last", ""), (scenario.seed, job)
    return found


def without_parts(scenario):
    """No job takes part of a GPU, none is moved."""
    scenario.scenario["policy"] = {"name": POLICIES[scenario.seed % len(POLICIES)]}
    for stream in scenario.scenario["workload"]["streams"]:
        if stream["kind"] == "trace":
            rows = [row.rsplit(",", 2) for row in scenario.files["jobs.csv"].splitlines()]
            scenario.files["jobs.csv"] = "".join(f"{row[0]},{row[1] if i == 0 else ''},{row[2]}\n" for i, row in enumerate(rows))
        elif "rigid" in stream:
            stream["rigid"] = {"k": [1, 3, 4, 9]}
        else:
            stream["k"] = [1, 2, 4, 8, 12]
    for node in scenario.cluster["nodes"]:
        node["count"] += 3


def placement(folder, count):
    spans = {}
    for seed in range(1, count + 1):
        scenario = Scenario(seed)
        scenario.scenario["horizon"] = 20000  # jobs that fail again and again do not end
        without_parts(scenario)
        scenario.take_network()
        found = start_as_the_rule_says(scenario, run(folder, scenario, "--force"))
        for span, times in found.items():
            spans[span] = spans.get(span, 0) + times
    assert all(spans.get(span, 0) > 20 for span in range(4)), spans


def one_tier_is_no_network(folder, count):
    """All files of a run but the manifest, which holds the scenario."""
    for seed in range(1, count + 1):
        scenario = Scenario(seed)
        if seed % 3 == 0:
            scenario.take_newer()
        plain = run(folder, scenario, "--decisions", name=f"plain-{seed}")
        scenario.cluster["network"] = {"tiers": [{"name": "all", "nodes": 10 ** 6}], "link": "400Gbit/s"}
        scenario.write_scenario()
        network = run(folder, scenario, "--decisions", name=f"network-{seed}")
        names = {path.name for path in plain.iterdir()}
        assert names == {path.name for path in network.iterdir()}
        for name in names - {"manifest.json", "scenario.yaml"}:
            assert (plain / name).read_bytes() == (network / name).read_bytes(), (seed, name)


def main():
    count = int(sys.argv[4]) if sys.argv[3:4] == ["--count"] else 40
    with tempfile.TemporaryDirectory() as folder:
        placement(Path(folder), count)
        one_tier_is_no_network(Path(folder), count // 4)


main()
