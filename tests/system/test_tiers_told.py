"""What easim says of tiers and plans in a recorded run: test_tiers_told.py EASIM SOURCE.

A training that leaf and spine part, by hand: rule SPREAD, explain, timeline, report, waste;
the energy of the network in waste and attribution, which add up to energy_kwh by every rule; plans beside the network; and that nothing of this is told where there is no network and no plan.
"""
import json
import math
import re
from pathlib import Path

import yaml

from harness import cases, easim, json_of, near, rows_of
from recorded_case import FAST, elastic, figures, goodput, rigid, run, silent, the, unit_j
from report_page import data_of

J_PER_KWH = 3.6e6
NETWORK = "{tiers: [{name: leaf, nodes: 2}, {name: spine, nodes: 4, oversubscription: 2}]}"
MODEL = {**FAST, "alpha_s": 0.01, "beta_s": 0, "alpha_inter_s": 0.03}
SPINE = {**MODEL, "alpha_inter_s": 2 * 0.03}  # the largest oversubscription of the tiers that it crosses
SPARSE = [rigid("a", 0, 5, 5000), rigid("b", 0, 5, 5000), elastic("e", 10, 300000)]  # 3 GPUs free in each leaf
K = ", k: [6]"


def case(place, jobs, network=NETWORK, **more):
    return run(place, (jobs, K), {"fast": MODEL}, nodes=[("fast", 4)] * 4, network=network, **more)


def spread(place):
    """6 GPUs on 2 nodes, as few as can be, but of two leaves."""
    folder = case(place, SPARSE)
    insight, = [the(folder, "SPREAD")]
    said = figures(insight)
    samples = 300000
    lost = samples * (unit_j(SPINE, 6, 8, across=True) - unit_j(MODEL, 6, 8, across=True))
    assert insight["finding"].startswith("1 jobs on 2 nodes of one spine where 2 of one leaf would hold them: "), insight["finding"]
    near(said["energy_lost"], lost / J_PER_KWH)
    near(said["slowdown"], goodput(MODEL, 6, 8, across=True) / goodput(SPINE, 6, 8, across=True))
    near(said["communication_share"], 0.06 / (0.079 + 0.06))
    near(insight["share"], lost / (J_PER_KWH * float(rows_of(folder / "summary.csv")[0]["energy_kwh"])))
    spread_kwh, = [float(row["energy_kwh"]) for row in rows_of(folder / "waste.csv") if row["class"] == "spread"]
    near(spread_kwh, lost / J_PER_KWH)
    silent(case(place, [SPARSE[0], SPARSE[2]]), "SPREAD")  # a leaf is free
    return folder


def told(folder):
    """explain, timeline and report of that run."""
    story = json.loads(easim("explain", folder, "e", "--format", "json").stdout)
    team, = story["teams"]
    assert (team["from_s"], team["k"], team["gpu_type"], team["tier"], team["plan"]) == (10, 6, "fast", "spine", None), team
    near(team["sync_share"], 0.06 / 0.139)
    start, = (decision for decision in story["decisions"] if decision["what"] == "started")
    chosen = start["configurations"][start["chosen"]]
    assert (chosen["several_nodes"], chosen["tier"]) == (True, "spine"), chosen
    text = easim("explain", folder, "e").stdout
    assert re.search(r"; fitted, in spine\b.* \(chosen\)\n", text), text
    assert f"  from 10 s 6 x fast, b 8, in spine: {100 * 0.06 / 0.139:.3g} % of an iteration is synchronization\n" in text, text
    assert "teams" in json.loads(easim("explain", folder, "a", "--format", "json").stdout)  # rigid: a tier, no share
    easim("timeline", folder, "--quiet")
    events = json_of(folder / "timeline.json")["traceEvents"]
    slices = {name: [e["args"] for e in events if e.get("args", {}).get("job") == name and e.get("cat") == "easim.run"]
              for name in "ae"}
    assert len(slices["e"]) == 6 and all(args["tier"] == "spine" for args in slices["e"])
    near(slices["e"][0]["sync_share"], 0.06 / 0.139)
    assert {args["tier"] for args in slices["a"]} == {"leaf"} and "sync_share" not in slices["a"][0] | {"plan": 0}
    lanes = report_lanes(folder)
    assert lanes["tiers"] == ["one_node", "leaf", "spine"]
    shown = {lanes["jobs"]["id"][job]: (tier, share) for job, tier, share in zip(lanes["job"], lanes["tier"], lanes["sync_share"])}
    assert shown["a"] == (1, None) and shown["e"][0] == 2
    near(shown["e"][1], 0.06 / 0.139, 1e-3)


def report_lanes(folder):
    if not Path("/usr/share/nodejs/d3/dist/d3.min.js").exists():
        print("report: its data without the page, D3 is not installed")
        d3 = folder.parent / "d3.js"
        d3.write_text("/* none */")
        easim("report", folder, "--d3", d3)
    else:
        easim("report", folder)
    return data_of(folder / "report.html")["policies"][0]["lanes"]


def untold(place):
    """Without a network and without plans nothing of it is there."""
    folder = case(place, SPARSE, network="")
    easim("analyze", folder, "--quiet")
    assert "teams" not in json.loads(easim("explain", folder, "e", "--format", "json").stdout)
    easim("timeline", folder, "--quiet")
    assert not re.search(r'"(tier|plan|sync_share)"', (folder / "timeline.json").read_text())
    assert not {"tiers", "tier", "plans", "plan", "sync_share"} & set(report_lanes(folder))


def plans(place):
    """The plan of a transformer in all three; its share by the parts that `easim models --plans` prints."""
    shape = {"layers": 7, "hidden": 512, "heads": 8, "sequence": 256, "vocabulary": 1000, "parameters": 3e7, "global_batch": 32}
    speed = {"peak_flops": 1e14, "memory_bytes_s": 1e12, "node_bytes_s": 1e11, "network_bytes_s": 1e10, "compute_fraction": 0.5,
             "memory_traffic": 1, "gradient_overlap": 0, "p0_w": 200, "pmax_w": 600, "evidence": "assumed", "source": "test"}
    text = yaml.safe_dump({"models": [{"name": "m", "transformer": shape, "gpus": {"fast": speed}}]})
    folder = run(place, ([SPARSE[0], elastic("e", 10, 3e6)], ", k: [8]"), {"fast": MODEL}, nodes=[("fast", 4)] * 4,
                 network=NETWORK, models=text)
    team, = json.loads(easim("explain", folder, "e", "--format", "json").stdout)["teams"]
    plan, = [row["plan"] for row in rows_of(folder / "jobs.csv") if row["job_id"] == "e"]
    assert team["plan"] == plan and plan.startswith("tp"), team
    lanes = report_lanes(folder)
    numbers = [p for job, p in zip(lanes["job"], lanes["plan"]) if lanes["jobs"]["id"][job] == "e"]
    assert {lanes["plans"][p] for p in numbers} == {plan}
    assert {p for job, p in zip(lanes["job"], lanes["plan"]) if lanes["jobs"]["id"][job] == "a"} == {-1}
    tp, dp = int(re.search(r"tp(\d+)", plan)[1]), int(re.search(r"dp(\d+)", plan)[1])
    assert "pp1" in plan and tp * dp == 8
    # docs/reference/semantics.md, 31.1 and 31.4, in a leaf: the network carries gradients alone
    b, s, layers, h, v = 32, 256, 7, 512, 1000
    compute = 72 * b * s * layers * h * h * (1 + s / (6 * h) + v / (12 * layers * h)) / (8 * 1e14 * 0.5)
    mb = int(re.search(r"mb(\d+)", plan)[1])
    m = b / dp / mb
    memory = 3 * layers * m * s * mb * h * (10 + 24 / tp + 5 * 8 * s / (h * tp)) / 1e12
    tensor = 4 * layers * m * 2 * s * mb * h * 2 * (tp - 1) / tp / 1e11
    gradients = 4 * 3e7 / tp * (dp - 1) / dp / 1e10
    assert team["tier"] == "leaf"
    near(team["sync_share"], (tensor + gradients) / (compute + memory + tensor + gradients), 1e-6)


def energy(place):
    """What the network draws is a row of waste and a column of the attribution, and all still adds up."""
    network = NETWORK.replace("]}", "], link: 400Gbit/s, switch_ports: 4, switch_w: 130.5, optics_w: 7.3}")
    ports = 2 * 16 + 2 * 8  # two of each link: 16 GPUs at 1, at 2
    watts = (math.ceil(32 / 4) + math.ceil(16 / 4)) * 130.5 + ports * 7.3
    folder = case(place, SPARSE, network=network)
    summary, = rows_of(folder / "summary.csv")
    kwh = watts * float(summary["sim_s"]) / J_PER_KWH
    near(float(summary["energy_network_kwh"]), kwh, 1e-9)
    easim("analyze", folder, "--quiet")
    waste = {row["class"]: float(row["energy_kwh"]) for row in rows_of(folder / "waste.csv")}
    near(waste["network"], kwh)
    near(sum(waste.values()), float(summary["energy_kwh"]))
    for rule in ("none", "by-use", "by-entitlement"):
        done = easim("attribute", folder, "--path", "user/job", "--idle", rule, *(() if rule == "none" else ("--bucket", "700s")))
        assert f"network: {kwh:.5g} kWh of them, " in done.stdout, done.stdout
        for level in "012":
            rows = [row for row in rows_of(folder / "attribution.csv") if row["level"] == level]
            near(sum(float(row["energy_fabric_kwh"]) for row in rows), kwh)
            near(sum(float(row["energy_kwh"]) for row in rows), float(summary["energy_kwh"]))
            near(sum(float(row["energy_base_kwh"]) for row in rows), float(summary["energy_base_kwh"]))


def said_of_a_spread_job(place):
    told(spread(place))
    return 1


cases(said_of_a_spread_job, untold, plans, energy)
