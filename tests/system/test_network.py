"""Networks of tiers: test_network.py EASIM SOURCE [--count N]

The placement of every start of random scenarios is found again by the rule of docs/reference/semantics.md (sections 8 and 32), written
down naively over the free GPUs of nodes; one tier with oversubscription 1 is no network, to the last byte; times, powers and
the network's energy of jobs below a leaf and a spine, by hand; the network's power is base power and nothing else.
"""
import json

from harness import cases, easim, option, rows_of, same_files
from random_scenario import Scenario

RUN = ("--quiet", "--check", "--trace", "t.jsonl", "--replications", 1)
COUNT = option("--count", 40)
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
    scenario.write(folder)
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


def placement(folder):
    spans = {}
    for seed in range(1, COUNT + 1):
        scenario = Scenario(seed)
        scenario.scenario["horizon"] = 20000  # jobs that fail again and again do not end
        without_parts(scenario)
        scenario.take_network()
        found = start_as_the_rule_says(scenario, run(folder, scenario, "--force"))
        for span, times in found.items():
            spans[span] = spans.get(span, 0) + times
    assert all(spans.get(span, 0) > 20 for span in range(4)), spans


def one_tier_is_no_network(folder):
    """All files of a run but the manifest, which holds the scenario."""
    for seed in range(1, COUNT // 4 + 1):
        scenario = Scenario(seed)
        if seed % 3 == 0:
            scenario.take_newer()
        plain = run(folder, scenario, "--decisions", name=f"plain-{seed}")
        scenario.cluster["network"] = {"tiers": [{"name": "all", "nodes": 10 ** 6}], "link": "400Gbit/s"}
        scenario.write_scenario()
        network = run(folder, scenario, "--decisions", name=f"network-{seed}")
        names = {path.name for path in plain.iterdir()}
        assert names == {path.name for path in network.iterdir()}
        same_files(plain, network, *names - {"manifest.json", "scenario.yaml"})


BY_HAND = """\
name: hand
horizon: drain
cluster:
  gpu_types: [{name: g, idle_w: 50, ctx_w: 60, tdp_w: 400}]
  nodes: [{count: 4, gpu: g, gpus: 2, base_w: 100}]
  network: {tiers: [{name: leaf, nodes: 2, oversubscription: 1.5}, {name: spine, nodes: 4, oversubscription: 4}],
            switch_ports: 4, switch_w: 30, optics_w: 5, optics_from: spine}
models:
  models:
    - {name: m, m0: 1000, phi: 0, batches: [8], gpus: {g: {a_s: 0.1, c_s: 0.025, gamma: 1, alpha_s: 0.02, beta_s: 0.01,
        alpha_inter_s: 0.05, beta_inter_s: 0.02, p0_w: 100, pmax_w: 300, evidence: assumed, source: by hand}}}
workload: {kind: trace, file: jobs.csv}
policy: {name: fcfs}
"""
HAND_JOBS = "job_id,submit_s,model,work_samples,gpus\none,0,m,1000,1\nnode,1000,m,1000,2\nleaf,2000,m,1000,4\nspine,3000,m,1000,7\n"


def by_hand(folder):
    """t = 0.1 + 0.025 x 8 + s; s: 0, 0.02, (0.05 + 2 x 0.02) x 1.5 below a leaf, (0.05 + 5 x 0.02) x 4 below the spine, where
    leaves have 1.5. A GPU draws 100 + 200 x 0.025 x 8 / t W. Ports: 2 x 8 / 1.5 = 10.67 and 2 x 8 / 4 = 4, so 3 and 1
    switches of 30 W, and 4 x 5 W of optics."""
    (folder / "hand.yaml").write_text(BY_HAND)
    (folder / "jobs.csv").write_text(HAND_JOBS)
    easim("run", folder / "hand.yaml", "--out", folder / "hand", "--quiet", "--check")
    for job, k, s, span in zip(rows_of(folder / "hand/jobs.csv"), (1, 2, 4, 7), (0, 0.02, 0.135, 0.6),
                               ("one_node", "one_node", "leaf", "spine")):
        t = 0.3 + s
        expected_s, watts = 1000 / (k * 8) * t, k * (100 + 200 * 0.2 / t)
        assert job["span"] == span, job
        assert abs(float(job["exec_s"]) - expected_s) < 1e-8, (job, expected_s)
        assert abs(float(job["energy_j"]) / expected_s / watts - 1) < 1e-9, (job, watts)
    summary = rows_of(folder / "hand/summary.csv")[0]
    hours = float(summary["sim_s"]) / 3600
    assert abs(float(summary["energy_network_kwh"]) - 0.14 * hours) < 1e-12, summary
    assert abs(float(summary["energy_base_kwh"]) - 0.54 * hours) < 1e-12, summary


def power_is_base_power(folder):
    """Beside base energy, power at each instant, and what follows from them nothing changes."""
    for seed in range(1, COUNT // 4 + 1):
        scenario = Scenario(seed)
        if "power_cap_w" in scenario.cluster:
            continue
        scenario.scenario["policy"] = {"name": "zeus"}
        scenario.take_network(2)
        plain = run(folder, scenario, name=f"p-{seed}")
        scenario.cluster["network"] |= {"switch_ports": 16, "switch_w": 700.25, "optics_w": 12, "optics_from": "t1"}
        scenario.write_scenario()
        powered = run(folder, scenario, name=f"q-{seed}")
        gpus = sum(node["count"] * node["gpus"] for node in scenario.cluster["nodes"])
        ports = [2 * gpus / tier["oversubscription"] for tier in scenario.tiers]
        watts = sum(-int(-ports[i] // 16) for i in (0, 1)) * 700.25 + ports[1] * 12
        same_files(plain, powered, "jobs.csv", "types.csv")
        before, after = rows_of(plain / "summary.csv")[0], rows_of(powered / "summary.csv")[0]
        kwh = watts * float(after["sim_s"]) / 3.6e6
        assert "energy_network_kwh" not in before and abs(float(after["energy_network_kwh"]) - kwh) <= 1e-9 * kwh
        for name in ("energy_kwh", "energy_base_kwh"):
            assert abs(float(after[name]) - float(before[name]) - kwh) <= 1e-9 * float(after[name]) + 1e-12, (seed, name)
        for one, other in zip(rows_of(plain / "power.csv"), rows_of(powered / "power.csv")):
            assert one["time_s"] == other["time_s"] and abs(float(other["power_w"]) - float(one["power_w"]) - watts) < 1e-6


cases(placement, one_tier_is_no_network, by_hand, power_is_base_power)
