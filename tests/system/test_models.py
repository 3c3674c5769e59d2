"""`easim models`: test_models.py EASIM SOURCE.

Figures of models.csv are computed again here from the YAML files alone, by the formulas of docs/reference/semantics.md 3: forms of
configs/models/eas-sim.yaml, the power limits of zeus-a40.yaml, a lookup table with points on both sides of a node.
"""
import math
import re
import shutil

import yaml

from harness import SOURCE, TINY, cases, easim, rows_in, rows_of

EXACT = 1e-12  # of doubles that are computed in another order

LOOKUP = """\
models:
  - name: looked-up
    m0: 8
    phi: 24
    mem0_gib: 2
    mem1_gib: 3
    batches: [4, 6, 8, 16]
    gpus:
      g1:
        lookup:
          - {k: 1, batch: 4, throughput_samples_s: 4, power_w_per_gpu: 100}
          - {k: 1, batch: 8, throughput_samples_s: 5, power_w_per_gpu: 130}
          - {k: 3, batch: 4, throughput_samples_s: 11, power_w_per_gpu: 90}
          - {k: 3, batch: 8, throughput_samples_s: 14, power_w_per_gpu: 120}
          - {k: 4, batch: 4, throughput_samples_s: 12, power_w_per_gpu: 80, across_nodes: true}
        evidence: measured
        source: made up
        range_k: [1, 4]
        range_batch: [4, 8]
"""


def near(got, expected):
    assert math.isclose(float(got), expected, rel_tol=EXACT), (got, expected)


def models(*words, code=0, **more):
    return easim("models", *words, code=code, **more)


def table(*words):
    return rows_in(models(*words, "--format", "csv").stdout)


def of(rows, **wanted):
    found = [row for row in rows if all(row[key] == (f"{float(value)}" if key == "b" else str(value)) for key, value in wanted.items())]
    assert len(found) == 1, (wanted, found)
    return found[0]


# ---- forms ----------------------------------------------------------------------------------------------------------

def form(model, gpu, k, b, across):
    """Time of an iteration, and power of a GPU without the limit of its tdp_w (semantics 3.1 and 3.3)."""
    g = model["gpus"][gpu]
    local = (g["a_s"] ** g["gamma"] + (g["c_s"] * b) ** g["gamma"]) ** (1 / g["gamma"])
    alpha = g.get("alpha_inter_s", g["alpha_s"]) if across else g["alpha_s"]
    beta = g.get("beta_inter_s", g.get("beta_s", 0)) if across else g.get("beta_s", 0)
    time = local + (alpha + beta * (k - 2) if k > 1 else 0)
    return time, g["p0_w"] + (g["pmax_w"] - g["p0_w"]) * g["c_s"] * b / time


def check_form_row(row, model, tdp_w, memory_gib):
    k, b = int(row["k"]), float(row["b"])
    time, power = form(model, row["gpu_type"], k, b, row["span"] == "across_nodes")
    efficiency = min(1, (model["phi"] + model["m0"]) / (model["phi"] + max(k * b, model["m0"])))
    power = min(power, tdp_w)
    one = form(model, row["gpu_type"], 1, b, False)[0]
    for name, expected in {
            "iteration_s": time, "rate_per_s": k * b / time, "efficiency": efficiency, "global_batch": k * b,
            "goodput_per_s": k * b / time * efficiency, "power_w": power,
            "energy_per_unit_j": k * power * time / (k * b * efficiency),
            "memory_gib": model["mem0_gib"] + model["mem1_gib"] * b}.items():
        near(row[name], expected)
    if row["base_k"]:
        assert row["base_k"] == "1", row
        near(row["speedup"], k * one / time)
        near(row["scaling_efficiency"], one / time)
    allowed = b in model["batches"]
    state = "batch" if not allowed else "memory" if float(row["memory_gib"]) > memory_gib else "ok"
    assert row["state"] == state, (row, state)
    return row["range"]


def check_forms():
    path = SOURCE / "configs" / "models" / "eas-sim.yaml"
    file = {model["name"]: model for model in yaml.safe_load(path.read_text())["models"]}
    words = ("--tdp", "300", "--tdp", "h100=600", "--memory", "a100=40", "--memory", "h100=80GiB", "--gpus-per-node", "4")
    rows = table(path, *words)
    limits = {"a100": (300, 40), "h100": (600, 80)}
    ranges = {check_form_row(row, file[row["model"]], *limits[row["gpu_type"]]) for row in rows}
    assert ranges == {"inside", "outside", "not_stated"}, ranges
    assert {row["model"] for row in rows} == set(file)
    assert {row["state"] for row in rows} == {"ok", "memory"}
    # Each k of the range and up to a node, each allowed batch, each span that there is.
    for name, model in file.items():
        for gpu, g in model["gpus"].items():
            least, most = g.get("range_k", [1, 1])
            most = max(most, 4)
            counts = sorted({least, most} | {2 ** n for n in range(12) if least <= 2 ** n <= most})
            expected = [(k, b, span) for k in counts for b in sorted(model["batches"])
                        for span in ["one_node"] * (k <= 4) + ["across_nodes"] * (k > 1)]
            got = [(int(r["k"]), float(r["b"]), r["span"]) for r in rows if (r["model"], r["gpu_type"]) == (name, gpu)]
            assert got == expected, (name, gpu, got)
    # Filters leave rows out and change none, also where what a figure is relative to is left out.
    chosen = table(path, *words, "--model", "resnet50-fp32", "--gpu", "h100", "--k", "8,4", "--span", "across_nodes")
    assert chosen == [row for row in rows if row["model"] == "resnet50-fp32" and row["gpu_type"] == "h100"
                      and row["k"] in "48" and row["span"] == "across_nodes"], chosen
    # A batch that no job may have, and a real one.
    for row in table(path, *words, "--batch", "12.5,16", "--model", "albert-v2-bf16"):
        check_form_row(row, file["albert-v2-bf16"], *limits[row["gpu_type"]])


def check_efficiency():
    """Where the global batch is above m0: no allowed one of the file is, so k is 64."""
    path = SOURCE / "configs" / "models" / "eas-sim.yaml"
    file = {model["name"]: model for model in yaml.safe_load(path.read_text())["models"]}
    rows = table(path, "--k", "64", "--tdp", "1000", "--memory", "1000")
    for row in rows:
        check_form_row(row, file[row["model"]], 1000, 1000)
    assert min(float(row["efficiency"]) for row in rows) < 0.9


# ---- power limits, lookup -------------------------------------------------------------------------------------------

def check_limits():
    path = SOURCE / "configs" / "models" / "zeus-a40.yaml"
    model = yaml.safe_load(path.read_text())["models"][0]
    gpu = model["gpus"]["a40"]
    point = gpu["lookup"][0]
    rows = [row for row in table(path, "--power-limits", "--tdp", "300") if row["model"] == model["name"]]
    levels = [level for level in gpu["power_limits"]["levels"] if level["power_limit_w"] < 300]
    assert [row["power_limit_w"] for row in rows] == [""] + [str(float(l["power_limit_w"])) for l in reversed(levels)]
    near(rows[0]["rate_per_s"], point["throughput_samples_s"])
    near(rows[0]["power_w"], point["power_w_per_gpu"])
    for row, level in zip(rows[1:], reversed(levels)):
        rate = point["throughput_samples_s"] / max(1, level["time_ratio"])
        power = point["power_w_per_gpu"] * min(1, level["power_ratio"])  # monotone, so nothing is pooled
        near(row["rate_per_s"], rate)
        near(row["iteration_s"], 512 / rate)
        near(row["power_w"], power)
        near(row["energy_per_unit_j"], power / rate)
        assert row["speedup"] == row["scaling_efficiency"] == "1.0" and row["state"] == "ok", row
    assert len(table(path)) == 3


def check_lookup(folder):
    path = folder / "lookup.yaml"
    path.write_text(LOOKUP)
    rows = table(path, "--memory", "40", "--k", "1,2,3,4", "--gpus-per-node", "8")
    time = {(1, 4): 1, (1, 8): 1.6, (3, 4): 12 / 11, (3, 8): 24 / 14}  # k b / throughput
    power = {(1, 4): 100, (1, 8): 130, (3, 4): 90, (3, 8): 120}
    for quantity, at in ("iteration_s", time), ("power_w", power):
        near(of(rows, k=1, b=6)[quantity], (at[1, 4] + at[1, 8]) / 2)
        near(of(rows, k=3, b=8, span="one_node")[quantity], at[3, 8])
        near(of(rows, k=2, b=6, span="one_node")[quantity], sum(at.values()) / 4)
    row = of(rows, k=2, b=8, span="one_node")  # B = 16: (24 + 8) / (24 + 16)
    near(row["efficiency"], 0.8)
    near(row["goodput_per_s"], 0.8 * 16 / ((1.6 + 24 / 14) / 2))
    near(row["energy_per_unit_j"], 2 * 125 / float(row["goodput_per_s"]))
    near(of(rows, k=4, b=4, span="across_nodes")["rate_per_s"], 12)
    states = {(int(r["k"]), r["b"], r["span"]): r["state"] for r in rows}
    assert states[4, "4.0", "one_node"] == states[2, "4.0", "across_nodes"] == states[1, "16.0", "one_node"].replace(
        "memory", "no_point") == "no_point", states  # b 16 needs 50 GiB: that is the first reason
    assert {state for state in states.values()} == {"ok", "no_point", "memory"}
    assert all(r["range"] == ("inside" if r["b"] != "16.0" else "outside") for r in rows)
    for row in rows:
        known = row["state"] != "no_point" and row["b"] != "16.0"
        assert all((row[name] != "") == known for name in ("iteration_s", "rate_per_s", "power_w", "energy_per_unit_j")), row
    shown = models(path, "--memory", "40").stdout
    assert "looked-up on g1: speed by lookup, power by lookup, evidence measured, measured k 1..4, b 4..8\n" in shown
    assert "does not fit the memory of a GPU (40 GiB): b 16\n" in shown and "outside the lookup table: " in shown, shown


LARGE = """\
models:
  - name: large
    efficiency: none
    unit: output
    mem0_gib: 1
    mem1_gib: 2
    gpus:
      g2:
        global_batches: [8, 64]
        gpus_per_node: 4
        grad_accum: [{k: 2, batch: 32, steps: 4}]
        sync_inter: log2
        a_s: 0.3
        c_s: 0.05
        gamma: 1.7
        alpha_s: 0.02
        beta_s: 0.003
        alpha_inter_s: 0.04
        beta_inter_s: 0.05
        p0_w: 200
        pmax_w: 650
        evidence: {a_s: measured, c_s: assumed, gamma: derived}
        source: made up
        range_k: [1, 96]
        range_batch: [0.1, 64]
"""


def check_large(folder):
    """Fractions of a batch, steps, log2 across nodes, work without efficiency, nodes as measured."""
    path = folder / "large.yaml"
    path.write_text(LARGE)
    rows = table(path)
    ks = [1, 2, 4, 8, 16, 32, 64, 96]
    assert [(int(r["k"]), r["span"]) for r in rows] == [
        (k, span) for k in ks for _ in (8, 64) for span in ["one_node"] * (k <= 4) + ["across_nodes"] * (k > 1)]
    for row in rows:
        k, whole = int(row["k"]), float(row["global_batch"])
        b, steps = whole / k, 4 if row["k"] == "2" and row["global_batch"] == "64.0" else 1
        near(row["b"], b)
        across = row["span"] == "across_nodes"
        sync = 0.04 + 0.05 * math.log2(max(2, -(-k // 4))) if across else 0.02 + 0.003 * (k - 2) if k > 1 else 0
        part = b / steps
        time = (0.3 ** 1.7 + (0.05 * part) ** 1.7) ** (1 / 1.7) + sync
        power = 200 + 450 * 0.05 * part / time
        alone = (0.3 ** 1.7 + (0.05 * b) ** 1.7) ** (1 / 1.7)
        for name, expected in {"steps": steps, "iteration_s": steps * time, "rate_per_s": whole / (steps * time),
                               "goodput_per_s": whole / (steps * time), "power_w": power, "memory_gib": 1 + 2 * part,
                               "energy_per_unit_j": k * power * steps * time / whole,
                               "scaling_efficiency": alone / (steps * time)}.items():
            near(row[name], expected)
        assert (row["efficiency"], row["unit"], row["range"], row["base_k"], row["evidence"]) == (
            "", "output", "outside" if b < 0.1 else "inside", "1", "assumed"), row
    assert {row["range"] for row in table(path, "--gpus-per-node", "8")} == {"outside"}  # it was measured on others
    assert {row["power_scope"] for row in rows} == {"gpu"}
    (folder / "scope.yaml").write_text(LARGE.replace("        p0_w", "        power_scope: node_ac\n        p0_w"))
    assert {row["power_scope"] for row in table(folder / "scope.yaml")} == {"node_ac"}
    assert ", power is a GPU's share of its node (node_ac)\n" in models(folder / "scope.yaml").stdout
    (folder / "most.yaml").write_text(LARGE.replace("        p0_w", "        most_batch: 12\n        p0_w"))
    states = {(r["k"], r["b"]): r["state"] for r in table(folder / "most.yaml", "--span", "one_node")}
    assert states == {("1", "8.0"): "ok", ("1", "64.0"): "memory", ("2", "4.0"): "ok", ("2", "32.0"): "ok", ("4", "2.0"): "ok",
                      ("4", "16.0"): "memory"}, states  # 4 steps of 8 on 2 GPUs
    assert "does not fit the memory of a GPU (most_batch 12): b 16, 64\n" in models(folder / "most.yaml", "--k", "1,4").stdout.replace(
        "b 64, 16", "b 16, 64")
    shown = models(path, "--k", "64").stdout
    assert "J/output" in shown and "outputs" not in shown and "nodes of 4 GPUs" in shown, shown


PHASES = LARGE.replace("    efficiency: none\n    unit: output\n", """\
    m0: 16
    phases: [{until: 0.3, phi: 90}, {until: 1, phi: 400, batches: [4, 16]}]
""").replace("global_batches: [8, 64]", "batches: [2, 16]")


def check_phases(folder):
    """Each phase has its noise scale and its batches; speed and power have none."""
    path = folder / "phases.yaml"
    path.write_text(PHASES)
    rows = table(path, "--k", "8", "--span", "across_nodes")
    assert [(r["phase"], r["b"]) for r in rows] == [("1", "2.0"), ("1", "16.0"), ("2", "4.0"), ("2", "16.0")]
    for row in rows:
        phi, whole = {"1": 90, "2": 400}[row["phase"]], float(row["global_batch"])
        near(row["efficiency"], (phi + 16) / (phi + max(16, whole)))
        near(row["goodput_per_s"], float(row["rate_per_s"]) * float(row["efficiency"]))
        assert row["state"] == "ok", row
    assert rows[1]["rate_per_s"] == rows[3]["rate_per_s"]
    assert [r["state"] for r in table(path, "--k", "8", "--span", "across_nodes", "--batch", "2")] == ["ok", "batch"]
    assert re.search(r"^ +phase +k +b +span ", models(path, "--k", "8").stdout, re.M)


def check_overrides():
    """What a scenario overrides is what is shown."""
    change = "model_overrides=[{model: resnet50-fp32, gpu: h100, set: {scaling_efficiency: 0.8, p0_share: 0.5}}]"
    rows = table(SOURCE / "configs" / "eas-sim.yaml", "--set", change, "--model", "resnet50-fp32", "--k", "1,8")
    near(of(rows, gpu_type="h100", k=8, b=512)["scaling_efficiency"], 0.8)
    time = float(of(rows, gpu_type="h100", k=1, b=16)["iteration_s"])
    near(of(rows, gpu_type="h100", k=1, b=16)["power_w"], 280 + 280 * 16 / 1925 / time)
    shown = models(SOURCE / "configs" / "eas-sim.yaml", "--set", change, "--parameters", "--model", "resnet50-fp32").stdout
    made_of = " ".join(shown.split())
    assert "a100: a_s 0.035 a, c_s 0.000917431 d, gamma 1.5 a, alpha_s 0.0055 d," in made_of, shown
    assert "p0_w 280 o, pmax_w 560 a" in made_of and "batches 16 32 64 128 256 512, m0 8192, phi 15000," in made_of, shown
    assert {r["evidence"] for r in rows if r["gpu_type"] == "h100"} != {r["evidence"] for r in rows if r["gpu_type"] == "a100"}


# ---- scenarios ------------------------------------------------------------------------------------------------------

def check_scenario(folder):
    """A scenario's cluster and jobs; --set reaches them; the rows that are ok are the configurations of its jobs."""
    path = SOURCE / "configs" / "eas-sim.yaml"
    rows = table(path)
    assert {row["span"] for row in rows} == {"one_node"} and {int(row["k"]) for row in rows} == {1, 2, 4, 8}
    file = {m["name"]: m for m in yaml.safe_load((SOURCE / "configs/models/eas-sim.yaml").read_text())["models"]}
    tdp = {"a100": 400, "h100": 700}
    for row in rows:
        check_form_row(row, file[row["model"]], tdp[row["gpu_type"]], 80)
    wider = table(path, "--set", "workload.k=[2,16]", "--set", "cluster.nodes[0].count=2")
    assert {(r["gpu_type"], r["k"], r["span"]) for r in wider} == {
        ("a100", "2", "one_node"), ("a100", "2", "across_nodes"), ("a100", "16", "across_nodes"), ("h100", "2", "one_node"),
        ("h100", "16", "across_nodes")}
    assert {r["state"] for r in wider if r["gpu_type"] == "h100" and r["k"] == "16"} == {"gpus"}
    less = table(path, "--set", "workload.b=[16,100]", "--k", "1")
    assert {(row["b"], row["state"]) for row in less} == {("16.0", "ok"), ("100.0", "ok")}
    assert table(path, "--set", f"models={SOURCE}/configs/models/zeus-a40.yaml", "--set", "cluster.gpu_types[0].name=a40", "--set",
                 "cluster.nodes[0].gpu=a40", "--set", "workload.mix=[{model: resnet50}]", "--k", "1")[0]["gpu_type"] == "a40"
    piped = models("-", "--format", "csv", input=LOOKUP).stdout
    (folder / "piped.yaml").write_text(LOOKUP)
    assert piped == models(folder / "piped.yaml", "--format", "csv").stdout


# ---- the folder -----------------------------------------------------------------------------------------------------

PROFILE = """\
model,gpu,k,batch_per_gpu,throughput_samples_s,power_w_per_gpu,nodes,evidence,source
looked-up,g1,1,4,4.4,110,,measured,made up
looked-up,g1,2,6,8,,,measured,made up
other,g1,2,6,8,,,measured,made up
"""


def check_folder(folder):
    path, out = folder / "lookup.yaml", folder / "out"
    (folder / "profile.csv").write_text(PROFILE)
    printed = models(path, "-o", out, "--profile", folder / "profile.csv").stdout
    assert "note: 2 of 3 rows of " in printed, printed
    assert rows_of(out / "models.csv") == table(path)
    points = rows_of(out / "measured.csv")
    assert [p["source"] for p in points] == ["lookup"] * 5 + ["profile"] * 2
    for p in points[:5]:
        assert p["rate_per_s"] and p["power_w"] == p["power_modelled_w"]
        near(p["rate_per_s"], float(p["rate_modelled_per_s"]))
    near(points[5]["rate_per_s"], 4.4)
    near(points[5]["rate_modelled_per_s"], 4)
    near(points[5]["energy_per_unit_j"], 110 / 4.4)
    near(points[5]["energy_modelled_per_unit_j"], 100 / 4)
    near(points[6]["rate_modelled_per_s"], 12 / ((1 + 1.6 + 12 / 11 + 24 / 14) / 4))
    assert points[6]["power_w"] == points[6]["energy_per_unit_j"] == ""
    assert models(out / "manifest.json").stdout == "equal\n"
    (folder / "profile.csv").write_text(PROFILE.replace("4.4", "4.5"))
    again = models(out / "manifest.json", code=1)
    assert "differs: measured.csv" in again.stdout and "changed input" in again.stdout, again
    # The kept models are a model file that gives the same rows.
    assert models(out / "scenario.yaml", "--format", "csv").stdout == (out / "models.csv").read_text()
    models(path, "-o", out, code=2)
    models(path, "-o", out, "--force", "--quiet")
    assert models(TINY, "-o", folder / "tiny", "--quiet").stdout == ""
    assert models(folder / "tiny" / "manifest.json").stdout == "equal\n"


# ---- figures --------------------------------------------------------------------------------------------------------

def check_figures(folder):
    """What is drawn: curves of one batch through all k, energy over both, and the measured points on them."""
    if not shutil.which("gnuplot"):
        print("skipped: figures, gnuplot is not installed")
        return
    path, out = SOURCE / "configs" / "models" / "eas-sim.yaml", folder / "figures"
    models(path, "--tdp", "700", "-o", out, "--quiet", "--model", "resnet50-fp32", "--model", "albert-v2-bf16")
    assert easim("plot", out, "--format", "svg,png").stdout.count("not possible") == 0
    rows = [row for row in rows_of(out / "models.csv") if row["span"] == "one_node"]
    for figure, y in ("speedup", "speedup"), ("energy_k", "energy_per_unit_j"):
        assert (out / "figures" / f"{figure}.svg").stat().st_size > 10000
        drawn = rows_of(out / "figures" / f"{figure}.csv")
        expected = [(r["model"], r["gpu_type"], float(r["k"]), r["b"]) for r in rows if r["b"] in (
            ("16.0", "512.0") if r["model"] == "resnet50-fp32" else ("4.0", "128.0"))]
        got = [(r["model"], r["gpu_type"], float(r["x"]), r["held"]) for r in drawn if r["variant"] != "0"]
        assert sorted(got) == sorted(expected), (figure, got)
        for point in drawn:
            if point["variant"] == "0":
                assert point["x"] == point["y"] and figure == "speedup"
                continue
            row = of(rows, model=point["model"], gpu_type=point["gpu_type"], k=int(float(point["x"])), b=point["held"])
            near(point["y"], float(row[y]))
            assert point["variant"] == ("2" if point["held"] in ("4.0", "16.0") else "1")
    drawn = rows_of(out / "figures" / "energy_b.csv")
    assert sorted((r["model"], r["gpu_type"], float(r["held"]), r["x"]) for r in drawn) == sorted(
        (r["model"], r["gpu_type"], float(r["k"]), r["b"]) for r in rows if r["k"] in "18")
    # Measured points: those of the lookup table meet its curve, those of a profile do not; held is what reaches most k.
    models(folder / "lookup.yaml", "-o", folder / "l", "--quiet", "--profile", folder / "profile.csv")
    done = easim("plot", folder / "l", "--figures", "speedup,energy_k")
    points = [(r["x"], float(r["y"])) for r in rows_of(folder / "l" / "figures" / "speedup.csv") if r["variant"] == "3"]
    assert [(x, round(y, 6)) for x, y in points] == [("1.0", 1), ("3.0", 2.75), ("4.0", 3), ("1.0", 1.125)], points
    assert "4 of 7 measured points are on a curve that is drawn" in done.stdout, done.stdout
    # No batch has two k here, the global batch 16 has: half the GPUs, twice the batch.
    text = LOOKUP[:LOOKUP.index("          - {k: 1")] + """\
          - {k: 1, batch: 16, throughput_samples_s: 4, power_w_per_gpu: 100}
          - {k: 2, batch: 8, throughput_samples_s: 7, power_w_per_gpu: 100}
          - {k: 4, batch: 4, throughput_samples_s: 10, power_w_per_gpu: 100}
        evidence: measured
        source: made up
"""
    (folder / "global.yaml").write_text(text)
    models(folder / "global.yaml", "-o", folder / "g", "--quiet", "--span", "one_node")
    easim("plot", folder / "g", "--figures", "speedup")
    assert [(r["variant"], r["x"], r["held"], r["y"]) for r in rows_of(folder / "g" / "figures" / "speedup.csv")] == [
        (v, *point) for v in "13" for point in (("1.0", "16.0", "1.0"), ("2.0", "16.0", "1.75"), ("4.0", "16.0", "2.5"))] + [
        ("0", "1.0", "", "1.0"), ("0", "4.0", "", "4.0")]
    error = easim("plot", folder / "g", "--figures", "pareto", "--force", code=2).stderr
    assert "pareto: not possible: " in error and "is a folder of easim models" in error, error


def check_phases_of_tables(folder):
    """Noise scale and batches of each phase, the model's own where it has none."""
    path = folder / "phases-lookup.yaml"
    path.write_text(LOOKUP.replace("phi:", "phases: [{until: 0.3, phi: 12, batches: [4, 8]}, {until: 1}]\n    phi:"))
    rows = table(path, "--k", "2", "--gpus-per-node", "8", "--span", "one_node")
    near(of(rows, phase=1, b=8)["efficiency"], (12 + 8) / (12 + 16))
    near(of(rows, phase=2, b=8)["efficiency"], (24 + 8) / (24 + 16))
    assert {row["b"] for row in rows if row["phase"] == "1" and row["state"] == "ok"} == {"4.0", "8.0"}, rows
    assert {row["b"] for row in rows if row["phase"] == "2" and row["state"] == "ok"} == {"4.0", "6.0", "8.0"}, rows


cases(check_forms, check_efficiency, check_limits, check_lookup, check_phases_of_tables, check_large, check_phases, check_overrides,
      check_scenario, check_folder, check_figures, shared=True)
