"""Claims and targets of sweeps from outside: test_claims.py EASIM SOURCE

Every figure is computed again from `easim run`s of their own. A claim that cannot but hold holds in every reading, and an
axis that changes nothing shows no clear difference.
"""
import itertools
import json
import statistics

from harness import SOURCE, cases, easim, rows_of

T_975 = {1: 12.7062047362, 2: 4.3026527297, 3: 3.1824463053, 4: 2.7764451052}  # Student t, by degrees of freedom
FILES = ["sweep.csv", "claims.csv", "claim-readings.csv", "targets.csv", "target-readings.csv"]

AXES = {  # axis: {label: what it sets}; equal sizes read alike though they are two values
    "policy": {"pollux": ["policy={name: pollux}"], "patient": ["policy={name: zeus, params: {edp_slack: 2}}"]},
    "GPUs": {"free": ["workload.request.k=free"], "asked": ["workload.request.k=uniform"]},
    "size": {0: ["workload.sizes.mean=1h", "workload.sizes.cv=0.5"], 1: ["workload.sizes.mean=2h", "workload.sizes.cv=1"],
             2: ["workload.sizes.mean=1h", "workload.sizes.cv=1.5"]},
}
SIZES = ["1h", "2h", "1h"]
CVS = ["0.5", "1", "1.5"]
PER_WORK = {"cluster": ("energy_kwh", "work_done_gpu_h"), "finished": ("energy_finished_kwh", "jobs_finished")}
ONE = {"": ("throughput_jobs_per_h", None)}
CLAIMS = {  # name: metrics, of, against, sign, points that it is only about
    "per work": (PER_WORK, "patient", "pollux", "less", lambda gpus, size: True),
    "no loss": (ONE, "patient", "pollux", "no less", lambda gpus, size: gpus == "free"),
    "loss, \"small jobs\"": (ONE, "pollux", "patient", "more", lambda gpus, size: size != 1),
    "dearer": ({"": ("energy_kwh", "work_done_gpu_h")}, "patient", "pollux", "more", lambda gpus, size: True),
    "misses": ({"": ("deadline_miss_rate", None)}, "patient", "pollux", "no more", lambda gpus, size: True),
}
TARGETS = {  # name: metrics, of, value, within, only
    "rate": (ONE, "pollux", 12.5, 0.25, lambda gpus, size: True),
    "energy": ({"cluster": ("energy_kwh", None), "finished": ("energy_finished_kwh", None)}, "patient", 14, 0.3,
               lambda gpus, size: gpus == "asked"),
}
SWEEP = f"""\
name: claims
base: {SOURCE}/configs/eas-sim.yaml
set: {{replications: 5, horizon: 3h}}
axes:
  - name: policy
    values: {{pollux: {{policy: {{name: pollux}}}}, patient: {{policy: {{name: zeus, params: {{edp_slack: 2}}}}}}}}
  - {{name: GPUs, path: workload.request.k, values: {{free: free, asked: uniform}}}}
  - zip:
      - {{name: size, path: workload.sizes.mean, values: [1h, 2h, 1h]}}
      - {{path: workload.sizes.cv, values: [0.5, 1, 1.5]}}
"""
CLAIMS_TEXT = """\
claims:
  - name: per work
    metric: {cluster: energy_kwh / work_done_gpu_h, finished: energy_finished_kwh/jobs_finished}
    of: {policy: patient}
    against: {policy: pollux}
    sign: less
  - {name: no loss, metric: throughput_jobs_per_h, of: {policy: patient}, against: {policy: pollux}, sign: no less,
     only: {GPUs: free}}
  - {name: "loss, \\"small jobs\\"", metric: throughput_jobs_per_h, of: {policy: pollux}, against: {policy: patient},
     sign: more, only: {size: [1h], GPUs: [free, asked, free]}}
  - {name: dearer, metric: energy_kwh /work_done_gpu_h, of: {policy: patient}, against: {policy: pollux}, sign: more}
  - {name: misses, metric: deadline_miss_rate, of: {policy: patient}, against: {policy: pollux}, sign: no more}
"""
TARGETS_TEXT = """\
targets:
  - {name: rate, metric: throughput_jobs_per_h, of: {policy: pollux}, value: 12.5, within: 0.25}
  - {name: energy, metric: {cluster: energy_kwh, finished: energy_finished_kwh}, of: {policy: patient}, value: 14,
     within: 0.3, only: {GPUs: asked}}
  - {name: both, all: [rate, energy]}
"""


def near(cell, value):
    if value is None:
        assert cell == "", (cell, value)
    else:
        assert abs(float(cell) - value) <= 1e-9 * max(1, abs(value)), (cell, value)


# ---- what the tables must say, from single runs

def single_runs(folder):
    """(policy, GPUs, size): rows of summary.csv."""
    runs = {}
    for labels in itertools.product(*AXES.values()):
        sets = [text for axis, label in zip(AXES.values(), labels) for text in axis[label]]
        out = folder / f"single-{len(runs)}"
        easim("run", SOURCE / "configs" / "eas-sim.yaml", "--out", out, "--quiet", "--summary-only", "-n", 5, "--set",
              "horizon=3h", *[word for text in sets for word in ("--set", text)])
        runs[labels] = rows_of(out / "summary.csv")
    return runs


def metric_of(rows, metric):
    column, divisor = metric
    values = []
    for row in rows:
        below = 1 if divisor is None else float(row[divisor] or 0)
        values.append(float(row[column]) / below if row[column] and below else None)
    return values


def interval(values):
    return T_975[len(values) - 1] * statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else None


def judge(ours, theirs, sign):
    """n, mean, against_mean, diff, ci95, as_claimed, verdict"""
    pairs = [(a, b) for a, b in zip(ours, theirs) if a is not None and b is not None]
    if not pairs:
        return 0, None, None, None, None, None, "missing"
    diffs = [a - b for a, b in pairs]
    diff, half = statistics.fmean(diffs), interval(diffs)
    towards = diff if sign in ("more", "no less") else -diff
    holds = towards >= 0 if sign.startswith("no") else towards > 0
    clear = half is not None and abs(diff) > half
    verdict = "not clear" if not clear else "clearly so" if towards > 0 else "clearly opposite"
    return (len(pairs), statistics.fmean(a for a, _ in pairs), statistics.fmean(b for _, b in pairs), diff, half, holds,
            verdict)


def points(only):
    return [(gpus, size) for gpus in AXES["GPUs"] for size in AXES["size"] if only(gpus, size)]


def expected_claims(runs):
    """name: [(label, GPUs, size, judgement)]"""
    return {name: [(label, gpus, size, judge(metric_of(runs.get((of, gpus, size), []), metric),
                                             metric_of(runs.get((against, gpus, size), []), metric), sign))
                   for label, metric in metrics.items() for gpus, size in points(only)]
            for name, (metrics, of, against, sign, only) in CLAIMS.items()}


def check_claims(out, runs):
    expected = expected_claims(runs)
    found = rows_of(out / "claim-readings.csv")
    assert list(found[0]) == ["claim", "metric", "axis.policy", "GPUs", "size", "workload.sizes.cv", "n", "mean",
                              "against_mean", "diff", "ci95", "as_claimed", "verdict"]
    wanted = [(name, *reading) for name, readings in expected.items() for reading in readings]
    assert len(found) == len(wanted)
    for row, (name, label, gpus, size, (n, mean, against, diff, half, holds, verdict)) in zip(found, wanted):
        assert (row["claim"], row["metric"], row["axis.policy"]) == (name, label, CLAIMS[name][1]), row
        assert (row["GPUs"], row["size"], row["workload.sizes.cv"]) == (gpus, SIZES[size], CVS[size]), row
        assert int(row["n"]) == n and row["verdict"] == verdict, (row, verdict)
        assert row["as_claimed"] == ("" if holds is None else str(int(holds))), row
        for column, value in (("mean", mean), ("against_mean", against), ("diff", diff), ("ci95", half)):
            near(row[column], value)
    check_shares(rows_of(out / "claims.csv"), expected)
    return {row["verdict"] for row in found}


def check_shares(found, expected):
    """One row for all readings, one for each metric, one for each label of each other axis."""
    wanted = []
    for name, readings in expected.items():
        slices = [("", "", lambda r: True)]
        if len(CLAIMS[name][0]) > 1:
            slices += [("metric", label, lambda r, label=label: r[0] == label) for label in CLAIMS[name][0]]
        slices += [("GPUs", gpus, lambda r, gpus=gpus: r[1] == gpus) for gpus in AXES["GPUs"]]
        slices += [("size", size, lambda r, size=size: SIZES[r[2]] == size) for size in ("1h", "2h")]
        slices += [("workload.sizes.cv", cv, lambda r, cv=cv: CVS[r[2]] == cv) for cv in CVS]
        for axis, value, keep in slices:
            here = [r[3] for r in readings if keep(r)]
            if here:
                wanted.append((name, axis, value, here))
    assert [(r["claim"], r["axis"], r["value"]) for r in found] == [w[:3] for w in wanted]
    for row, (_, _, _, here) in zip(found, wanted):
        known = [j for j in here if j[-1] != "missing"]
        assert (int(row["readings"]), int(row["missing"])) == (len(here), len(here) - len(known)), row
        for column, keep in (("as_claimed", lambda j: j[-2]), ("clearly_so", lambda j: j[-1] == "clearly so"),
                             ("clearly_opposite", lambda j: j[-1] == "clearly opposite")):
            near(row[column], sum(map(keep, known)) / len(known) if known else None)


def target_readings(runs, name):
    metrics, of, value, within, only = TARGETS[name]
    readings = {}
    for label, metric in metrics.items():
        for gpus, size in points(only):
            values = [v for v in metric_of(runs.get((of, gpus, size), []), metric) if v is not None]
            off = abs(statistics.fmean(values) / value - 1) if values else None
            readings[label, gpus, size] = (len(values), statistics.fmean(values) if values else None,
                                           interval(values) if values else None, off, off is not None and off <= within)
    return readings


def check_targets(out, runs):
    expected = {name: target_readings(runs, name) for name in TARGETS}
    expected["both"] = {}
    for (label, gpus, size), energy in expected["energy"].items():
        rate = expected["rate"]["", gpus, size]
        known = energy[0] > 0 and rate[0] > 0
        expected["both"][label, gpus, size] = (min(energy[0], rate[0]), None, None,
                                               max(energy[3], rate[3]) if known else None, energy[4] and rate[4])
    found = rows_of(out / "target-readings.csv")
    wanted = [(name, *key, *reading) for name, readings in expected.items() for key, reading in readings.items()]
    assert len(found) == len(wanted)
    for row, (name, label, gpus, size, n, mean, half, off, within) in zip(found, wanted):
        assert (row["target"], row["metric"], row["GPUs"], row["size"]) == (name, label, gpus, SIZES[size]), row
        assert row["axis.policy"] == ("" if name == "both" else TARGETS[name][1]) and int(row["n"]) == n, row
        assert row["within"] == ("" if off is None else str(int(within))), (row, off)
        for column, value in (("mean", mean), ("ci95", half), ("deviation", off)):
            near(row[column], value)
    for row, (name, readings) in zip(rows_of(out / "targets.csv"), expected.items(), strict=True):
        known = {key: reading for key, reading in readings.items() if reading[3] is not None}
        assert (row["target"], int(row["readings"]), int(row["missing"]), int(row["within"])) == (
            name, len(readings), len(readings) - len(known), sum(reading[4] for reading in known.values())), row
        if known:
            key = min(known, key=lambda key: known[key][3])
            near(row["nearest"], known[key][1])
            near(row["deviation"], known[key][3])
            assert (row["metric"], row["GPUs"], row["size"]) == (key[0], key[1], SIZES[key[2]]), (row, key)
    return sum(reading[4] for readings in expected.values() for reading in readings.values())


def against_single_runs(folder, sweep, runs):
    out = folder / "whole"
    printed = easim("sweep", sweep, "--out", out).stdout
    verdicts = check_claims(out, runs)
    assert verdicts == {"clearly so", "clearly opposite", "not clear"}, verdicts  # the test sees all of them
    assert 0 < check_targets(out, runs) < 24
    assert "12 points: 12 done" in printed and "loss, \"small jobs\"" in printed
    text = easim("sweep", sweep, "--out", out, "--format", "csv").stdout
    assert text == "\n".join((out / name).read_text(encoding="utf-8") for name in ("claims.csv", "targets.csv"))
    document = json.loads(easim("sweep", sweep, "--out", out, "--format", "json").stdout)
    assert (document["points"], document["done"], document["missing"]) == (12, 12, 0)
    warned = {row["run_id"]: [row[name] for name in ("GPUs", "warning")] for row in rows_of(out / "sweep.csv") if row["warning"]}
    assert [[point[name] for name in ("GPUs", "warning")] for point in document["warnings"]] == list(warned.values())
    flat = [(claim["name"], part.get("axis", ""), part.get("value", ""), part["readings"], part["clearly_so"])
            for claim in document["claims"] for part in (claim, *claim["by"])]
    assert flat == [(r["claim"], r["axis"], r["value"], int(r["readings"]), float(r["clearly_so"]))
                    for r in rows_of(out / "claims.csv")]
    for target, row in zip(document["targets"], rows_of(out / "targets.csv"), strict=True):
        assert target["within"] == int(row["within"]) and target["nearest"]["deviation"] == float(row["deviation"])
        assert target["nearest"]["reading"]["GPUs"] == row["GPUs"]
    return {name: (out / name).read_bytes() for name in FILES}


def shards(folder, sweep, runs, whole):
    """A part computes what it can and names the rest; the whole has the same bytes."""
    out = folder / "shards"
    for shard in (1, 3):
        easim("sweep", sweep, "--out", out, "--shard", f"{shard}/5")
    missing = easim("sweep", sweep, "--out", out, "--merge", code=1)
    assert missing.stderr.count("missing: ") == 7, missing.stderr
    order = list(itertools.product(*AXES.values()))  # as in the sweep: the last axis changes fastest
    part = {labels: runs[labels] for i, labels in enumerate(order) if i % 5 in (0, 2)}
    assert "missing" in check_claims(out, part)
    check_targets(out, part)
    easim("sweep", sweep, "--out", out, "--threads", 3)
    assert {name: (out / name).read_bytes() for name in FILES} == whole


def other_claims(folder, sweep):
    """New claims are computed from the runs that are there; without any the files go."""
    out = folder / "whole"
    before = {path.name: path.stat().st_mtime_ns for path in (out / "runs").iterdir()}
    sweep.write_text(SWEEP + TARGETS_TEXT, encoding="utf-8")
    easim("sweep", sweep, "--out", out)
    assert not (out / "claims.csv").exists() and not (out / "claim-readings.csv").exists()
    assert (out / "targets.csv").exists()
    sweep.write_text(SWEEP, encoding="utf-8")
    assert easim("sweep", sweep, "--out", out, "--format", "csv").stdout == ""
    assert sorted(path.name for path in out.iterdir()) == ["manifest.json", "models.yaml", "runs", "scenario.yaml", "sweep.csv"]
    assert {path.name: path.stat().st_mtime_ns for path in (out / "runs").iterdir()} == before


def known_answers(folder):
    """In a queue that serves in the order of arrival, half the run times make no job wait longer, so the claim holds in
    every replication; a name changes nothing."""
    sweep, out = folder / "known.yaml", folder / "known"
    sweep.write_text(f"""\
name: known
base: {SOURCE}/configs/mmc.yaml
set: {{replications: 5}}
axes:
  - {{name: speed, path: workload.sizes.mean, values: {{as it is: 100s, doubled: 50s}}}}
  - {{name: inert, path: name, values: [one, other]}}
  - {{path: workload.rate_per_s, values: [0.02, 0.03]}}
claims:
  - {{name: doubled, metric: {{wait: wait_mean_s, jct: jct_mean_s}}, of: {{speed: doubled}}, against: {{speed: as it is}},
     sign: less}}
  - {{name: halved, metric: wait_mean_s, of: {{speed: as it is}}, against: {{speed: doubled}}, sign: less}}
  - {{name: inert and less, metric: {{wait: wait_mean_s, kwh: energy_kwh}}, of: {{inert: one}}, against: {{inert: other}},
     sign: less}}
  - {{name: inert and no less, metric: {{wait: wait_mean_s, kwh: energy_kwh}}, of: {{inert: one}},
     against: {{inert: other}}, sign: no less}}
  - {{name: crossed, metric: jct_mean_s, of: {{speed: doubled, inert: one}}, against: {{inert: other, speed: as it is}},
     sign: less}}
""", encoding="utf-8")
    easim("sweep", sweep, "--out", out, "--quiet")
    found = {row["claim"]: tuple(float(row[c]) for c in ("readings", "as_claimed", "clearly_so", "clearly_opposite"))
             for row in rows_of(out / "claims.csv") if not row["axis"]}
    assert found == {"doubled": (8, 1, 1, 0), "halved": (4, 0, 0, 1), "inert and less": (8, 0, 0, 0),
                     "inert and no less": (8, 1, 0, 0), "crossed": (2, 1, 1, 0)}, found


def swept(folder):
    sweep = folder / "sweep.yaml"
    sweep.write_text(SWEEP + CLAIMS_TEXT + TARGETS_TEXT, encoding="utf-8")
    runs = single_runs(folder)
    whole = against_single_runs(folder, sweep, runs)
    shards(folder, sweep, runs, whole)
    other_claims(folder, sweep)
    return 3


cases(swept, known_answers)
