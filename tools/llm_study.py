#!/usr/bin/env python3
"""Makes docs/studies/large-models.csv: llm_study.py EASIM SOURCE [--check | --pages | STUDY...]

Runs configs/llm.yaml under every policy at three loads, and under POLICIES with other optics, placement, oversubscription,
contention and assumed figures, always with the same jobs. Writes docs/studies/large-models.csv, a row for each metric with its mean and, where
there is a setting to compare with, the paired change in per cent, each with half of its 95 % interval; puts the table between
the marks of docs/studies/large-models.md; and makes configs/models/llm-chat.yaml from serving.yaml. STUDY...: only the studies of these names; rows of
others stay. --pages: the page again, from the table that is there. --check: page and models are what their sources say, and CHECKED,
run again, gives its rows to the last digit.
"""
import csv
import math
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev

REPLICATIONS = 10
T_95 = 2.2621571627409915  # of 9 degrees of freedom
LOADS = {"0.6": 2 / 3, "0.9": 1, "1.2": 4 / 3}  # times the rates of configs/llm.yaml
POLICIES = ["easy", "pollux", "zeus", "lean"]
METRICS = ["energy_kwh", "energy_network_kwh", "jct_mean_s", "jct_p95_s", "makespan_s", "util_alloc", "energy_service_kwh",
           "j_per_token", "slo_share"]  # the last three where a run has services, and tells of them
COLUMNS = ["study", "load", "setting", "against", "policy", "metric", "n", "mean", "ci95", "change", "change_ci95"]
SPINE = "cluster.network.tiers[1].oversubscription"
RATES = [1.92e-5, 2.68e-4, 3.55e-4]  # of workload.streams[0], [1], [2]
SERVICES = [3, 4]


@dataclass
class Setting:
    """What differs from configs/llm.yaml, in words of --set, and the setting of the study to compare with."""
    sets: tuple = ()
    against: str = ""


@dataclass
class Study:
    name: str
    settings: dict
    loads: tuple = ("0.6", "0.9", "1.2")
    policies: list = field(default_factory=lambda: POLICIES)


def oversubscribed(contention):
    return {str(o): Setting((f"{SPINE}={o}", f"cluster.network.contention={contention}"), "1" if o > 1 else "")
            for o in (1, 2, 4)}


def bandwidth(factor):
    """Of the transformers: that of bert's trainings is in what was measured."""
    return ("model_overrides=[{model: gpt3-175b, set: {samples_to_target: {times: 16}}}, "
            "{model: llama2-70b-lora, set: {samples_to_target: {times: 90}}}, "
            "{model: bert, set: {samples_to_target: {times: 160}}}, {model: bert, set: {sync_bytes: 1.34e9}}, "
            + ", ".join(f"{{model: {name}, gpu: h100, set: {{network_bytes_s: {{times: {factor}}}}}}}"
                        for name in ("gpt3-175b", "llama2-70b-lora")) + "]")


STUDIES = [
    Study("policies", {"as shipped": Setting()}, policies=["all"]),
    Study("optics", {"pluggable, 15 W": Setting(), "co-packaged, 5 W": Setting(("cluster.network.optics_w=5",), "pluggable, 15 W")}),
    Study("packing", {"leaves of 16 nodes": Setting(), "one tier, no leaves": Setting(
        ("cluster.network.tiers=[{name: spine, nodes: 128, oversubscription: 2}]",), "leaves of 16 nodes")}),
    Study("oversubscription", oversubscribed("false")),
    Study("contention", {**{f"{o}, {word}": Setting((f"{SPINE}={o}", f"cluster.network.contention={value}"),
                                                   f"{o}, alone" if value == "true" else "")
                            for o in (1, 2, 4) for word, value in (("alone", "false"), ("shared", "true"))}}),
    Study("services", {
        "none": Setting(tuple(f"workload.streams[{i}].{key}={value}" for i in SERVICES
                              for key, value in (("demand", "{tokens_per_s: 0}"), ("replicas.min", 0)))),
        "waiting for GPUs": Setting((), "none"),
        "displacing jobs": Setting(tuple(f"workload.streams[{i}].scaling.preempt=true" for i in SERVICES), "none")}),
    Study("assumptions", {
        "as shipped": Setting(),
        "leaves of 8 nodes": Setting(("cluster.network.tiers[0].nodes=8",), "as shipped"),
        "leaves of 32 nodes": Setting(("cluster.network.tiers[0].nodes=32",), "as shipped"),
        "switches of 500 W": Setting(("cluster.network.switch_w=500",), "as shipped"),
        "switches of 2000 W": Setting(("cluster.network.switch_w=2000",), "as shipped"),
        "switches of 128 ports": Setting(("cluster.network.switch_ports=128",), "as shipped"),
        "half the bandwidth between nodes": Setting((bandwidth(0.5),), "as shipped"),
        "twice the bandwidth between nodes": Setting((bandwidth(2),), "as shipped"),
    }, loads=("0.9",)),
]
CHECKED = [("oversubscription", "0.6", ["1", "4"], "pollux")]


# ---- Models of the services ----

CHAT_MODELS = ["meta-llama/Llama-3.1-70B-Instruct", "meta-llama/Llama-3.1-405B-Instruct-FP8"]
HOST_W = 195  # of a GPU: a metered node of 8 H100 that stands idle draws 265 W a GPU, of which 70 W are the GPU's
CHAT_HEAD = f"""# Two chat services of configs/llm.yaml on H100, made by tools/llm_study.py: the tables of serving.yaml with {HOST_W} W a GPU more, the
# share of a host in a node of 8 that stands idle (265 W a GPU, metered, of which 70 W are the GPU's). That a host draws no more
# when its GPUs serve is assumed.
models:
"""


def chat_models(source):
    """The text of configs/models/llm-chat.yaml."""
    models = re.split(r"(?m)^(?=  - name: )", (source / "configs/models/serving.yaml").read_text(encoding="utf-8"))
    text = CHAT_HEAD
    for name in CHAT_MODELS:
        model = next(model for model in models if model.startswith(f'  - name: "{name}"\n'))
        found = re.search(r'      - gpu: "h100"\n        k: (\d+)\n(?:        .*\n)*?        points:\n((?:          - {.*\n)+)', model)
        k = int(found[1])
        text += (f'  - name: "{name}"\n    unit: token\n    prompt: {{included: true}}\n    serving:\n      - gpu: "h100"\n        k: {k}\n'
                 f'        evidence: derived\n        source: "serving.yaml, power_w + {k} x {HOST_W} W"\n        points:\n')
        text += re.sub(r"power_w: ([\d.]+)", lambda watts, more=k * HOST_W: f"power_w: {float(watts[1]) + more:.6g}", found[2])
    return text


# ---- Runs ----

def load_sets(load):
    return tuple(f"workload.streams[{i}].rate_per_s={rate * LOADS[load]!r}" for i, rate in enumerate(RATES))


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run(easim, source, sets, policy):
    """By policy the rows of the replications."""
    with tempfile.TemporaryDirectory(prefix="easim-llm.") as folder:
        words = ["compare", source / "configs/llm.yaml", "--policies", policy] if policy == "all" else \
            ["run", source / "configs/llm.yaml", "--policy", policy]
        done = subprocess.run([easim, *words, "-n", str(REPLICATIONS), "--summary-only", "--quiet", "--threads", "1", "--out", folder,
                               *(word for value in sets for word in ("--set", value))],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{policy}, {sets}: {done.stderr}")
        found = {}
        for path in sorted(Path(folder).rglob("summary.csv")):
            for row in table(path):
                found.setdefault(row["policy"], {})[int(row["replication"])] = row
        return {name: [rows[r] for r in sorted(rows)] for name, rows in found.items()}


def interval(values):
    """Mean and half of its 95 % interval."""
    return fmean(values), T_95 * stdev(values) / math.sqrt(len(values))


def rows_of(study, load, setting, policy, rows, others):
    for metric in METRICS:
        values = [float(row[metric]) for row in rows if row.get(metric)]
        if len(values) != REPLICATIONS:
            continue
        mean, half = interval(values)
        row = {"study": study.name, "load": load, "setting": setting, "against": study.settings[setting].against,
               "policy": policy, "metric": metric, "n": str(len(values)), "mean": repr(mean), "ci95": repr(half)}
        if others:
            base = [float(other[metric] or 0) for other in others]
            if all(base):
                change, half = interval([100 * (value / old - 1) for value, old in zip(values, base)])
                row["change"], row["change_ci95"] = repr(change), repr(half)
        yield row


def run_study(easim, source, study, load, settings, policies):
    """All rows of a study at one load."""
    jobs = [(setting, policy) for setting in settings for policy in policies]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(jobs, pool.map(lambda job: run(
            easim, source, load_sets(load) + study.settings[job[0]].sets, job[1]), jobs)))
    for (setting, given), found in results.items():
        for policy, rows in found.items():
            against = study.settings[setting].against
            others = results[against, given][policy] if against else []
            yield from rows_of(study, load, setting, policy, rows, others)


def run_studies(easim, source, words):
    path = source / "docs/studies/large-models.csv"
    kept = [row for row in (table(path) if path.exists() else []) if words and row["study"] not in words]
    for study in STUDIES:
        if words and study.name not in words:
            continue
        for load in study.loads:
            kept += run_study(easim, source, study, load, list(study.settings), study.policies)
            print(f"{study.name}, {load}", file=sys.stderr)
    order = [study.name for study in STUDIES]
    kept.sort(key=lambda row: order.index(row["study"]))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(kept)


# ---- The page ----

BEGIN, END = ("<!-- {} by tools/llm_study.py, from large-models.csv -->".format(word) for word in ("Begin", "End"))


def digits(value, half):
    """So many that the half interval has two figures, or the value five where it has none but of rounding."""
    scale = half if half > 1e-9 * abs(value) else abs(value) / 1000
    return max(0, 1 - math.floor(math.log10(scale))) if scale > 0 else 0


def with_half(value, half, sign=False):
    value, half = float(value), float(half)
    places = min(digits(value, half), 6)
    return f"{value:{'+' if sign else ''}.{places}f}" + (f" ± {half:.{places}f}" if half > 1e-9 * abs(value) else "")


def find(rows, **want):
    found = [row for row in rows if all(row[key] == value for key, value in want.items())]
    return found[0] if found else None


def change(row):
    if not row or not row["change"]:
        return "-"
    return with_half(row["change"], row["change_ci95"], sign=True) if float(row["change"]) else "0"


SHOWN = [("optics", "co-packaged, 5 W", "energy_kwh"), ("packing", "one tier, no leaves", "energy_kwh"),
         ("oversubscription", "2", "jct_mean_s"), ("oversubscription", "4", "jct_mean_s"), ("contention", "4, shared", "jct_mean_s"),
         ("services", "waiting for GPUs", "jct_mean_s"), ("services", "displacing jobs", "jct_mean_s"),
         ("assumptions", "half the bandwidth between nodes", "jct_mean_s")]
LABELS = {"energy_kwh": "energy", "jct_mean_s": "completion time"}


def page(rows):
    """A line for each of SHOWN: change in per cent of each policy at load 0.9."""
    yield "| study | setting | metric | " + " | ".join(f"`{policy}`" for policy in POLICIES) + " |"
    yield "|---" * (3 + len(POLICIES)) + "|"
    for study, setting, metric in SHOWN:
        cells = [find(rows, study=study, load="0.9", setting=setting, policy=policy, metric=metric) for policy in POLICIES]
        yield f"| {study} | {setting} | {LABELS[metric]} | " + " | ".join(map(change, cells)) + " |"


def made_page(text, rows):
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n\n" + "\n".join(page(rows)) + "\n\n" + END + rest.split(END)[1]


# ---- --check ----

def check(easim, source, text, rows):
    faults = [] if made_page(text, rows) == text else ["docs/studies/large-models.md is not what docs/studies/large-models.csv says: run --pages"]
    if chat_models(source) != (source / "configs/models/llm-chat.yaml").read_text(encoding="utf-8"):
        faults.append("configs/models/llm-chat.yaml is not what configs/models/serving.yaml says")
    for name, load, settings, policy in CHECKED:
        study = next(study for study in STUDIES if study.name == name)
        for row in run_study(easim, source, study, load, settings, [policy]):
            kept = find(rows, **{key: row[key] for key in ("study", "load", "setting", "policy", "metric")})
            if kept != {column: row.get(column, "") for column in COLUMNS}:
                faults.append(f"{name}, {load}, {row['setting']}, {policy}, {row['metric']}: {kept} in large-models.csv, {row} now")
    print("\n".join(faults))
    return 1 if faults else 0


def main(easim, source, *words):
    easim, source = Path(easim).resolve(), Path(source).resolve()
    document = source / "docs/studies/large-models.md"
    if words == ("--check",):
        return check(easim, source, document.read_text(encoding="utf-8"), table(source / "docs/studies/large-models.csv"))
    if words != ("--pages",):
        (source / "configs/models/llm-chat.yaml").write_text(chat_models(source), encoding="utf-8")
        run_studies(easim, source, words)
    document.write_text(made_page(document.read_text(encoding="utf-8"), table(source / "docs/studies/large-models.csv")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
