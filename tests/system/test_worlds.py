"""A comparison in many worlds, computed again from single runs: test_worlds.py EASIM SOURCE

No expected value is stored: each is that of `easim run` in that world with the jobs that `easim gen` writes of the central
scenario, of the central comparison, or of another comparison with the same streams.
"""
import math
import os
from pathlib import Path

import yaml

from harness import SOURCE, cases, easim, interrupt, json_of, rows_of, same_files, some_end, start, wait_for

SCENARIO = f"""\
name: worlds
horizon: 9h
seed: 2385
replications: 3
cluster:
  gpu_types:
    - {{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 0.4 kW, memory_gib: 80}}
    - {{name: h100, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}}
  nodes:
    - {{count: 1, gpu: a100, gpus: 8, base_w: 0}}
    - {{count: 1, gpu: h100, gpus: 8, base_w: 113}}
models: {SOURCE}/configs/models/eas-sim.yaml
model_overrides:
  - {{set: {{p0_w: {{times: 1.0}}, scaling_efficiency: ~}}}}
workload:
  kind: poisson
  rate_per_s: 0.006
  mix: [{{model: vit-base-fp32}}, {{model: albert-v2-bf16}}, {{model: resnet50-fp32}}]
  k: [1, 2, 4, 8]
  sizes: {{law: lognormal, mean: 2.3h, cv: 1.5}}
  users: 3
  deadlines: {{share: 0.4, slack: [1.5, 6]}}
policy: {{name: pollux}}
"""

SCALING = '{group: scaling, path: "model_overrides[0].set.scaling_efficiency", law: {uniform: [0.78, 0.97]}}'
POWER = '{group: power, path: "model_overrides[0].set.p0_w.times", law: {loguniform: [0.7, 1.4]}}'
BASE = '{group: power, path: "cluster.nodes[1].base_w", law: {lognormal: [113, 0.4]}}'
TDP = '{group: tdp, path: "cluster.gpu_types[0].tdp_w", law: {normal: [0.4, 0.02]}}'
EFFICIENCY = ("{group: efficiency, path: model_overrides, law: {choice: {as shipped: [], MLPerf-like: [{set: {m0: 3264, "
              "phi: 40700}}], two: [{model: vit-base-fp32, set: {m0: 200, phi: 928}}, {model: albert-v2-bf16, "
              "set: {m0: 12, phi: 774}}]}}}")
CHOICES = {"as shipped": [], "MLPerf-like": ["{set: {m0: 3264, phi: 40700}}"],
           "two": ["{model: vit-base-fp32, set: {m0: 200, phi: 928}}", "{model: albert-v2-bf16, set: {m0: 12, phi: 774}}"]}
ALL = (SCALING, POWER, TDP, EFFICIENCY, BASE)
RUN = ("set", "group", "world", "policy", "replication")
POLICIES = ("pollux", "zeus", "easy")


def scenario(folder, worlds, *parameters, more="", name="c.yaml"):
    path = folder / name
    section = f"uncertainty: {{worlds: {worlds}{more}, parameters: [{', '.join(parameters)}]}}\n" if worlds else ""
    path.write_text(SCENARIO + section, encoding="utf-8")
    return path


def compare(config, out, *options, **more):
    return easim("compare", config, "--policies", ",".join(POLICIES), "--summary-only", "--out", out, *options, **more)


def metrics_of(rows):
    columns = list(rows[0])
    return columns[columns.index("sim_s"):]


def draws_of(rows):
    """By set and world: what was drawn."""
    columns = list(rows[0])
    names = columns[len(RUN):columns.index("sim_s")]
    return {(r["set"], r["world"]): {name: r[name] for name in names} for r in rows}


def one_world_is_a_comparison(folder):
    """worlds: 1, in which nothing is drawn: every table is that of the scenario without the key, byte for byte."""
    plain, one = folder / "plain", folder / "one"
    done = [compare(scenario(folder, 0), plain), compare(scenario(folder, 1, name="one.yaml"), one)]
    names = sorted(str(p.relative_to(plain)) for p in plain.rglob("*") if p.is_file())
    assert names == sorted(str(p.relative_to(one)) for p in one.rglob("*") if p.is_file())
    same_files(plain, one, *(name for name in names if name.endswith(".csv")))
    said = [line for line in done[1].stdout.splitlines() if line not in done[0].stdout.splitlines()]
    assert said == ["  warning: uncertainty: of no effect, it has one world, in which nothing is drawn",
                    f"results: {one}"], said


def equal_worlds(folder):
    """Worlds in which nothing is drawn are run all the same, from shared workloads: each run is that of the centre."""
    out = folder / "equal"
    done = compare(scenario(folder, 2), out)
    assert "nothing is drawn, so all 2 worlds are the central one" in done.stdout, done.stdout
    rows = rows_of(out / "worlds.csv")
    assert len(rows) == 2 * len(POLICIES) * 3
    central = {(p, r["replication"]): r for p in POLICIES for r in rows_of(out / p / "summary.csv")}
    for row in rows:
        own = central[row["policy"], row["replication"]]
        assert all(row[m] == own[m] for m in metrics_of(rows)), row


def sets_of(draws):
    """The options that put a scenario into a world."""
    words = []
    for name, value in draws.items():
        if name == "model_overrides/efficiency":
            for i, entry in enumerate(CHOICES[value]):
                words += ["--set", f"model_overrides[{i + 1}]={entry}"]
        else:
            words += ["--set", f"{name}={value}{' kW' if name.endswith('tdp_w') else ''}"]
    return words


def worlds_are_single_runs(folder):
    """Every run of every world and set, by `easim run` with the jobs of the centre as a log. What is counted in units of
    work is counted in those of the centre, which a log does not have."""
    config, out = scenario(folder, 3, *ALL), folder / "single"
    compare(config, out)
    rows = rows_of(out / "worlds.csv")
    draws = draws_of(rows)
    assert len(draws) == 3 * 5 and len(rows) == 3 * 5 * len(POLICIES) * 3
    central = {(p, r["replication"]): r for p in POLICIES for r in rows_of(out / p / "summary.csv")}
    in_work = [m for m in metrics_of(rows) if "work" in m or m in ("ftf_mean", "ftf_max", "bsld_dedicated_mean")]
    sections = {}
    for replication in ("1", "2"):
        log = folder / f"jobs{replication}.csv"
        said = easim("gen", config, "-r", replication, "-o", log).stderr
        sections[replication] = said[said.index("workload"):].strip().strip("'\"")
        assert str(log) in sections[replication], said
    checked = changed = 0
    for (number, world), values in draws.items():
        for replication, section in sections.items():
            policy = POLICIES[checked % len(POLICIES)]
            single = folder / "run"
            easim("run", config, "--policy", policy, *sets_of(values), "--set", section.replace("workload: ", "workload=", 1),
                  "--set", "replications=1", "--summary-only", "--quiet", "--force", "--out", single)
            own, = rows_of(single / "summary.csv")
            row, = (r for r in rows if [r[c] for c in ("set", "world", "policy", "replication")] ==
                    [number, world, policy, replication])
            for metric in metrics_of(rows):
                assert metric in in_work or row[metric] == own[metric], (number, world, metric, row[metric], own[metric])
            assert row["work_submitted_gpu_h"] == central[policy, replication]["work_submitted_gpu_h"]
            checked += 1
            changed += row["energy_kwh"] != central[policy, replication]["energy_kwh"]
    assert checked == 30 and changed == 30, (checked, changed)


def groups_change_alone(folder):
    """In set g only the draws of group g are others, in every world."""
    rows = rows_of(folder / "single" / "worlds.csv")
    draws = draws_of(rows)
    groups = {r["set"]: r["group"] for r in rows}
    assert groups == {"0": "", "1": "scaling", "2": "power", "3": "tdp", "4": "efficiency"}, groups
    of_group = {"scaling": {"model_overrides[0].set.scaling_efficiency"}, "tdp": {"cluster.gpu_types[0].tdp_w"},
                "power": {"model_overrides[0].set.p0_w.times", "cluster.nodes[1].base_w"},
                "efficiency": {"model_overrides/efficiency"}}
    for (number, world), values in draws.items():
        differ = {name for name in values if values[name] != draws["0", world][name]}
        may = of_group.get(groups[number], set())
        assert differ == may or (groups[number] == "efficiency" and differ <= may), (number, world, differ)


def streams_are_named(folder):
    """Parameters added, removed and in another order, other worlds, other laws beside them: no other draw changes."""
    all_of_it = draws_of(rows_of(folder / "single" / "worlds.csv"))
    fewer = folder / "fewer"
    compare(scenario(folder, 5, BASE, '{group: x, path: "cluster.gpu_types[1].idle_w", law: {choice: [70, 80]}}', SCALING,
                     more=", shares: false"), fewer, "-n", "1")
    some = draws_of(rows_of(fewer / "worlds.csv"))
    assert len(some) == 5
    for world in ("1", "2", "3"):
        for name in ("model_overrides[0].set.scaling_efficiency", "cluster.nodes[1].base_w"):
            assert some["0", world][name] == all_of_it["0", world][name], (world, name)
    assert len({values["cluster.nodes[1].base_w"] for values in some.values()}) == 5
    other = folder / "other"
    compare(scenario(folder, 3, SCALING, more=", shares: false"), other, "-n", "1", "--seed", "7")
    for world in ("1", "2", "3"):
        name = "model_overrides[0].set.scaling_efficiency"
        assert draws_of(rows_of(other / "worlds.csv"))["0", world][name] != some["0", world][name]


def redraws(folder):
    """Bounds: a draw inside stays as it was, one outside is drawn again; worlds that no override reaches likewise."""
    name = "model_overrides[0].set.p0_w.times"
    law = '{group: a, path: "' + name + '", law: {normal: [1, 0.5]}'
    free, bound = folder / "free", folder / "bound"
    compare(scenario(folder, 24, law + "}", more=", shares: false"), free, "-n", "1")
    done = compare(scenario(folder, 24, law + ", bounds: [0.8, 1.2]}", more=", shares: false"), bound, "-n", "1")
    first, second = (draws_of(rows_of(out / "worlds.csv")) for out in (free, bound))
    outside = 0
    for key, values in first.items():
        inside = 0.8 <= float(values[name]) <= 1.2
        outside += not inside
        assert 0.8 <= float(second[key][name]) <= 1.2
        assert (second[key][name] == values[name]) == inside, key
    counted = json_of(bound / "manifest.json")["worlds"]["redrawn"][name]
    # a draw is inside with probability 0.31: 24 worlds take 53 more on average
    assert 5 < outside <= counted < 150, (outside, counted)
    assert f"note: uncertainty: {counted} draws of {name} were outside of its bounds" in done.stdout, done.stdout
    # p0_w 1.9 times as large is below pmax_w, and pmax_w 0.55 times as large above p0_w, but not both at once
    pair = ('{group: a, path: "model_overrides[0].set.p0_w.times", law: {choice: [1, 1.9]}}',
            '{group: b, path: "model_overrides[1].set.pmax_w.times", law: {choice: [0.55, 1]}}')
    config = scenario(folder, 20, *pair, more=", shares: false")
    done = compare(config, folder / "pair", "-n", "1", "--set", "model_overrides[1]={set: {pmax_w: {times: 1}}}")
    values = [tuple(d.values()) for d in draws_of(rows_of(folder / "pair" / "worlds.csv")).values()]
    assert set(values) == {("1", "0.55"), ("1", "1"), ("1.9", "1")}, values
    state = json_of(folder / "pair" / "manifest.json")["worlds"]
    # three of four pairs can be run: 20 worlds take 27 draws on average
    assert 1 <= state["unreached"] < 30 and state["redrawn"] == {}, state
    assert f"note: uncertainty: {state['unreached']} worlds could not be run and were drawn again" in done.stdout, done.stdout


FITTED = f"""\
name: fitted
horizon: 9h
seed: 2385
cluster:
  gpu_types:
    - {{name: h100, idle_w: 70, ctx_w: 110, tdp_w: 1300, memory_gib: 80}}
    - {{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 1300, memory_gib: 80}}
    - {{name: h200, idle_w: 70, ctx_w: 110, tdp_w: 1300, memory_gib: 141}}
  nodes: [{{count: 2, gpu: h100, gpus: 8}}, {{count: 1, gpu: a100, gpus: 8}}, {{count: 1, gpu: h200, gpus: 8}}]
models: {SOURCE}/configs/models/mlperf.yaml
model_overrides: [{{model: bert, set: {{c_s: {{times: 1.1}}}}}}]
workload:
  kind: periodic
  period: 1h
  mix: [{{model: bert}}, {{model: retinanet}}]
  k: [8]
  sizes: {{law: constant, mean: 9h}}
policy: {{name: pollux}}
"""


def fits_of(model):
    """By group of parameters of a shipped model, as columns name it: means, and covariance by pair."""
    for gpu, on in [("", model)] + [("/" + gpu, on) for gpu, on in model["gpus"].items()]:
        fit = on.get("fit", {})
        keys = list(fit.get("standard_errors", ()))
        if "covariance" in fit:
            yield (f"calibration/{model['name']}{gpu}/", {k: on[k] for k in keys},
                   {(a, b): fit["covariance"][i][j] for i, a in enumerate(keys) for j, b in enumerate(keys)})


def fitted_parameters(folder):
    """Draws of 300 worlds against means and covariances of the model file; one world by `easim run`."""
    config, out, worlds = folder / "fitted.yaml", folder / "fitted", 300
    config.write_text(FITTED + f"uncertainty: {{worlds: {worlds}, calibration: true, shares: false}}\n", encoding="utf-8")
    easim("compare", config, "--policies", "pollux", "--summary-only", "--out", out,
          prints="note: uncertainty: calibration: without a covariance, nothing is drawn for bert on h200, retinanet on h200\n")
    rows = rows_of(out / "worlds.csv")
    draws = {name: [float(v[name]) for v in draws_of(rows).values()] for name in draws_of(rows)["0", "1"]}
    expected = set()
    for model in yaml.safe_load(Path(f"{SOURCE}/configs/models/mlperf.yaml").read_text())["models"]:
        if model["name"] not in ("bert", "retinanet"):
            continue
        for prefix, means, covariance in fits_of(model):
            if prefix.endswith("gb200/"):
                continue
            for (a, b), value in covariance.items():
                if "samples_to_target" in (a, b):
                    continue
                expected.add(prefix + a)
                x, y = draws[prefix + a], draws[prefix + b]
                found = sum((p - means[a]) * (q - means[b]) for p, q in zip(x, y)) / worlds
                # variance of a product of two normals: var_a var_b + cov^2
                error = math.sqrt((covariance[a, a] * covariance[b, b] + value ** 2) / worlds)
                assert abs(found - value) < 4.5 * error, (prefix, a, b, found, value, error)
                assert abs(sum(x) / worlds - means[a]) < 4.5 * math.sqrt(covariance[a, a] / worlds), (prefix, a)
    assert expected == set(draws), expected ^ set(draws)
    entries = {}
    for name, values in draws.items():
        place, key = name.removeprefix("calibration/").rsplit("/", 1)
        entries.setdefault(place, []).append(f"{key}: {values[6]!r}")
    own = ", ".join("{model: %s%s, set: {%s}}" % (place.split("/")[0], "".join(f", gpu: {g}" for g in place.split("/")[1:]),
                                                   ", ".join(values)) for place, values in entries.items())
    log = folder / "fitted.csv"
    said = easim("gen", config, "-o", log).stderr
    easim("run", config, "--set", f"model_overrides=[{own}, {{model: bert, set: {{c_s: {{times: 1.1}}}}}}]", "--set",
          said[said.index("workload"):].strip().strip("'\"").replace("workload: ", "workload=", 1), "--summary-only", "--quiet",
          "--out", folder / "fitted-run")
    single, = rows_of(folder / "fitted-run" / "summary.csv")
    row = next(r for r in rows if r["world"] == "7")
    central, = rows_of(out / "pollux" / "summary.csv")
    assert row["energy_kwh"] == single["energy_kwh"] != central["energy_kwh"]
    assert row["jct_mean_s"] == single["jct_mean_s"] != central["jct_mean_s"]


def fit_beside_scaling(folder):
    """A parameter of the scenario's own override, which stands behind the entries of the fit in every world: drawn with the fit, a
    world is that of `easim run` with both; a law of one value gives the worlds of the fit alone."""
    config, fit = folder / "both.yaml", "uncertainty: {worlds: 5, calibration: true, shares: %s%s}\n"
    scaling = ", parameters: [{group: scaling, path: 'model_overrides[0].set.c_s.times', law: {%s}}]"
    worlds = {}
    for name, shares, parameters in (("fit", "false", ""), ("one", "false", scaling % "choice: [1.1]"), ("both", "true", scaling % "uniform: [0.6, 1.9]")):
        config.write_text(FITTED + fit % (shares, parameters), encoding="utf-8")
        easim("check", config)
        easim("compare", config, "--policies", "pollux", "--summary-only", "--quiet", "--out", folder / f"beside-{name}")
        worlds[name] = rows_of(folder / f"beside-{name}" / "worlds.csv")
    column = "model_overrides[0].set.c_s.times"
    for a, b in zip(worlds["fit"], worlds["one"], strict=True):
        assert b.pop(column) == "1.1" and a == b, (a, b)
    sums = {v["energy_kwh"] for v in worlds["fit"]}
    drawn = draws_of(worlds["both"])["0", "3"]
    assert len(worlds["both"]) == 15 and float(drawn[column]) != 1.1 and len(sums) == 5, (drawn, sums)
    log, entries = folder / "both.csv", {}
    for name in drawn:
        if name != column:
            place, key = name.removeprefix("calibration/").rsplit("/", 1)
            entries.setdefault(place, []).append(f"{key}: {drawn[name]}")
    own = ", ".join("{model: %s%s, set: {%s}}" % (place.split("/")[0], "".join(f", gpu: {g}" for g in place.split("/")[1:]),
                                                   ", ".join(values)) for place, values in entries.items())
    said = easim("gen", config, "-o", log).stderr
    easim("run", config, "--set", f"model_overrides=[{own}, {{model: bert, set: {{c_s: {{times: {drawn[column]}}}}}}}]", "--set",
          said[said.index("workload"):].strip().strip("'\"").replace("workload: ", "workload=", 1), "--set", "uncertainty=~",
          "--summary-only", "--quiet", "--out", folder / "both-run")
    single, = rows_of(folder / "both-run" / "summary.csv")
    row = next(r for r in worlds["both"] if (r["set"], r["world"]) == ("0", "3"))
    assert row["energy_kwh"] == single["energy_kwh"] and row["jct_mean_s"] == single["jct_mean_s"], (row, single)


def fitted_bounds(folder):
    """A synchronization of 0.01 +- 0.02 s is never negative, and a p0_w of 250 +- 60 W never above a pmax_w of 300 +- 40 W."""
    model = ("{name: net, m0: 64, phi: 1000, batches: [8, 16], gpus: {h100: {a_s: 0.04, c_s: 0.005, gamma: 2, alpha_s: 0.01, "
             "p0_w: 250, pmax_w: 300, evidence: assumed, source: made up, fit: {standard_errors: {alpha_s: 0.02, p0_w: 60, "
             "pmax_w: 40}, covariance: [[4e-4, 0, 0], [0, 3600, 0], [0, 0, 1600]]}}}}")
    config, out = folder / "fitted.yaml", folder / "bounds"
    config.write_text(FITTED, encoding="utf-8")
    done = easim("compare", config, "--policies", "pollux", "--summary-only", "--out", out,
                 "--set", f"models={{models: [{model}]}}", "--set", "model_overrides=~", "--set", "workload.mix=[{model: net}]",
                 "--set", "uncertainty={worlds: 60, calibration: true, shares: false}")
    draws = list(draws_of(rows_of(out / "worlds.csv")).values())
    place = "calibration/net/h100"
    assert len(draws) == 60 and all(float(d[f"{place}/alpha_s"]) >= 0 for d in draws)
    assert all(0 < float(d[f"{place}/p0_w"]) <= float(d[f"{place}/pmax_w"]) for d in draws)
    counted = json_of(out / "manifest.json")["worlds"]["redrawn"][place]
    # alpha_s >= 0 in 69 %, pmax_w >= p0_w in 76 %: 60 worlds take 54 draws more on average
    assert 20 < counted < 110 and f"{counted} draws of {place} were outside of its bounds" in done.stdout, done.stdout
    assert "without a covariance, nothing is drawn for net (m0 and phi)" in done.stdout, done.stdout


def beside_other_options(folder):
    """Perturbations and --until-ci are of the central physics; the worlds have as many replications as it took."""
    out, plain = folder / "beside", folder / "without"
    options = ("--perturb", "sizes=0.2", "--until-ci", "energy_kwh=2%", "--max-replications", "16")
    compare(scenario(folder, 0), plain, *options)
    compare(scenario(folder, 2, POWER, more=", shares: false"), out, *options)
    same_files(out, plain, "compare.csv", "perturb.csv", "pollux/summary.csv")
    count = json_of(out / "manifest.json")["replications"]
    assert count > 3 and {r["replication"] for r in rows_of(out / "worlds.csv")} == {str(i + 1) for i in range(count)}


def a_policy_fails_in_some_worlds(folder):
    """zeus by its power above idle cannot run where idle GPUs draw more than busy ones: it is missing there, and said."""
    high = '{group: idle, path: "cluster.gpu_types[0].idle_w", law: {choice: [60, 390]}}'
    out = folder / "fails"
    done = compare(scenario(folder, 12, high, more=", shares: false"), out, "-n", "2", "--set", "cluster.gpu_types[0].ctx_w=395",
                   "--set", "params_by_policy={zeus: {power_basis: marginal}}", code=1)
    rows = rows_of(out / "worlds.csv")
    drawn = {r["world"]: r["cluster.gpu_types[0].idle_w"] for r in rows}
    cold = {w for w, v in drawn.items() if v == "60"}
    assert len(drawn) == 12 and 0 < len(cold) < 12
    assert {r["world"] for r in rows if r["policy"] == "zeus"} == cold
    assert f"in {12 - len(cold)} worlds, policy zeus: " in done.stderr, done.stderr
    manifest = json_of(out / "manifest.json")
    assert manifest["worlds"]["failed"] == 12 - len(cold) and manifest["worlds"]["finished"] == 12 and manifest["partial"]
    counts = {r["policy"]: r["worlds"] for r in rows_of(out / "differences.csv") if r["metric"] == "energy_kwh"}
    assert counts == {"zeus": str(len(cold)), "easy": "12"}, counts


def said_of_some_worlds(folder):
    """What only some worlds warn of is told once, with their number, in words of the first."""
    idle = '{group: idle, path: "cluster.gpu_types[0].idle_w", law: {uniform: [20, 390]}}'
    out = folder / "warned"
    done = compare(scenario(folder, 12, idle, more=", shares: false"), out, "-n", "1", "--set", "cluster.power_cap_w=2000",
                   "--set", "cluster.gpu_types[0].ctx_w=395")
    drawn = {int(w): float(v["cluster.gpu_types[0].idle_w"]) for (_, w), v in draws_of(rows_of(out / "worlds.csv")).items()}
    # 8 a100, 8 h100 of 70 W, a node of 113 W
    over = {w: 8 * v + 8 * 70 + 113 for w, v in drawn.items() if 8 * v + 8 * 70 + 113 > 2000}
    assert 0 < len(over) < 12
    said, = (line for line in done.stdout.splitlines() if "infeasible" in line)
    assert said.startswith(f"  note: in {len(over)} of 12 worlds: cluster.power_cap_w: infeasible"), said
    watts = float(said.split(" than the ")[1].split(" W that idle")[0])
    assert abs(watts - over[min(over)]) < 1e-4, (said, over)  # power is counted in whole units


def any_number_of_threads(folder):
    config = scenario(folder, 3, *ALL)
    for threads in (1, 7):
        out = folder / f"threads{threads}"
        compare(config, out, "--threads", threads)
        same_files(out, folder / "single", "worlds.csv", "differences.csv", "budget.csv", "compare.csv", "manifest.json")


def repeated(folder):
    easim("compare", folder / "single" / "manifest.json", prints="equal")
    manifest = json_of(folder / "single" / "manifest.json")
    assert manifest["worlds"] == {"asked": 3, "finished": 3, "groups": ["scaling", "power", "tdp", "efficiency"],
                                  "shares": True, "finished_for_shares": 12, "failed": 0, "unreached": 0, "redrawn": {}}
    names = {file["path"] if isinstance(file, dict) else file for file in manifest["files"]}
    assert {"worlds.csv", "differences.csv", "budget.csv"} <= names, names


def interrupted(folder):
    """The finished worlds are kept, each whole and as it would have been."""
    out, whole = folder / "interrupted", folder / "whole"
    config = scenario(folder, 1500, *ALL, more=", shares: false")
    process = start("compare", config, "--policies", ",".join(POLICIES), "--summary-only", "--isolate", "always", "--out", out)
    wait_for("the last policy has run in the central physics", (out / "easy" / "manifest.json").exists, process)
    some_end(process, 3 * len(POLICIES) * 3)  # those of three worlds, which begin one after the other
    _, errors = interrupt(process)
    manifest = json_of(out / "manifest.json")
    kept = manifest["worlds"]["finished"]
    assert manifest["partial"] and 0 < kept < 1500 and f"{kept} of 1500 worlds are finished and kept" in errors, errors
    rows = rows_of(out / "worlds.csv")
    numbers = sorted({int(r["world"]) for r in rows})
    assert len(rows) == kept * len(POLICIES) * 3 and len(numbers) == kept, (len(rows), kept)
    assert not [name for name in os.listdir(out) if ".tmp" in name], os.listdir(out)
    compare(config, whole, "--set", f"uncertainty.worlds={min(numbers[-1], 6)}")
    first = (whole / "worlds.csv").read_text().splitlines()
    assert all(line in first for line in (out / "worlds.csv").read_text().splitlines()
               if line.split(",")[2] in ("world", *map(str, numbers[:numbers.index(min(numbers[-1], 6)) + 1])))


def one_workload(folder):
    """Without replications there is a sign in each world, and it is said what there is not."""
    done = compare(scenario(folder, 3, SCALING), folder / "one-workload", "-n", "1")
    assert "over 3 worlds, all with one workload; " in done.stdout and "uncertainty.shares: of no effect here" in done.stdout
    assert "by the sign alone" in done.stdout and "variance: " not in done.stdout, done.stdout
    done = compare(scenario(folder, 3, SCALING, more=", shares: false"), folder / "one-workload", "-n", "1", "--force")
    assert "all with one workload; " in done.stdout and "uncertainty.shares" not in done.stdout, done.stdout


def said_elsewhere(folder):
    """Commands that run one physics say that the section is of no use to them."""
    config = scenario(folder, 3, *ALL)
    done = easim("run", config, "-n", "1", "--summary-only", "--out", folder / "run1")
    assert "warning: uncertainty: of no effect here, easim compare runs its worlds" in done.stdout, done.stdout
    assert "warning" not in easim("check", config).stdout
    done = easim("sweep", SOURCE / "configs" / "sweeps" / "sizes.yaml", "--list")
    assert "uncertainty" not in done.stdout + done.stderr


cases(one_world_is_a_comparison, equal_worlds, worlds_are_single_runs, groups_change_alone, streams_are_named, redraws,
      fitted_parameters, fit_beside_scaling, fitted_bounds, beside_other_options, a_policy_fails_in_some_worlds, said_of_some_worlds,
      any_number_of_threads, repeated, interrupted, one_workload, said_elsewhere, shared=True)
