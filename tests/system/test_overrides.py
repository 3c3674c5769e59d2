"""model_overrides in whole commands: test_overrides.py EASIM SOURCE

A run with overrides gives the files of a run with the model file edited by hand, byte for byte; models.yaml beside it is
such a file. Paths, axes, perturbations and tuning reach single values, and every command can be repeated.
"""
import csv
import re
import statistics

from harness import SOURCE, cases, easim, json_of, rows_of

SEED = SOURCE / "configs" / "eas-sim.yaml"
MODELS = (SOURCE / "configs" / "models" / "eas-sim.yaml").read_text()
RESULTS = ("jobs.csv", "summary.csv", "aggregate.csv", "power.csv", "types.csv", "users.csv")
ROW3 = "[{set: {m0: 192, phi: 1000, scaling_efficiency: 0.89, p0_share: 0.3}}]"


def run(folder, name, *words, config=SEED):
    easim("run", config, "-n", "1", "-q", "--policy", "zeus", "--out", folder / name, *words)
    return folder / name


def overrides(folder, name, text):
    return run(folder, name, "--set", f"model_overrides={text}")


def with_models(folder, name, text):
    """A run of the seed protocol with another model file."""
    (folder / f"{name}-models.yaml").write_text(text)
    return run(folder, name, "--set", f"models={folder}/{name}-models.yaml")


def same(one, other):
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in RESULTS)


def edited(key, change):
    """The shipped file with every number behind `key` changed, wherever it stands."""
    text, count = re.subn(rf"^( +{key}: )([0-9.e+-]+)", lambda m: m[1] + repr(change(float(m[2]))), MODELS, flags=re.M)
    assert count > 0
    return text


def test_edited_file(folder):
    """times, a value and p0_share against the same done to the file by a regular expression."""
    plain = run(folder, "plain")
    for i, (entry, text) in enumerate((
            ("{set: {c_s: {times: 1.3}}}", edited("c_s", lambda x: x * 1.3)),
            ("{set: {m0: 192}}", edited("m0", lambda x: 192.0)),
            ("{set: {restart_s: {times: 40}, start_s: 77s}}",
             re.sub(r"^( +start_s:) 30", r"\1 77", edited("restart_s", lambda x: x * 40), flags=re.M)),
            ("{set: {p0_share: 0.25}}", re.sub(r"( p0_w: )\d+(\s+pmax_w: )(\d+)",
                                               lambda m: f"{m[1]}{int(m[3]) * 0.25!r}{m[2]}{m[3]}", MODELS)))):
        set_, by_hand = overrides(folder, f"set{i}", f"[{entry}]"), with_models(folder, f"hand{i}", text)
        assert same(set_, by_hand) and not same(set_, plain), entry
    assert same(plain, overrides(folder, "once", "[{set: {c_s: {times: 1}, m0: {times: 1}, p0_w: {times: 1}}}]"))
    six = overrides(folder, "six", "[{set: {c_s: {times: 6}}}]")
    assert same(six, overrides(folder, "two and three", "[{set: {c_s: {times: 2}}}, {set: {c_s: {times: 3}}}]"))
    two = overrides(folder, "by name", "[{gpu: a100, set: {c_s: {times: 6}}}, {gpu: h100, set: {c_s: {times: 6}}}]")
    assert same(six, two)


def test_models_yaml(folder):
    """It is a model file; hashed in the manifest; the evidence says who set what; runs repeat."""
    out = overrides(folder, "three", ROW3)
    manifest = json_of(out / "manifest.json")
    assert "models.yaml" in [entry["file"] for entry in manifest["results"]]
    assert {model["weakest_evidence"] for model in manifest["models"]} == {"assumed (override)"}
    again = run(folder, "again", "--set", f"models={out}/models.yaml")
    assert same(out, again) and (out / "models.yaml").read_bytes() == (again / "models.yaml").read_bytes()
    assert "model_overrides" in (out / "scenario.yaml").read_text()
    assert same(out, run(folder, "inlined", config=out / "scenario.yaml"))
    assert easim("run", out / "manifest.json").stdout == "equal\n"
    easim("check", out / "scenario.yaml")


def parameters(path):
    """By model and GPU type: the numbers that stand in a model file that easim has written."""
    found, model, gpu, batches = {}, None, None, {}
    for line in path.read_text().splitlines():
        indent, text = len(line) - len(line.lstrip(" ")), line.strip()
        if line.startswith("- name: "):
            model = text[8:]
        elif indent == 2 and text.startswith("- "):
            batches[model] = max(batches.get(model, 0), float(text[2:]))
        elif indent == 4 and text.endswith(":"):
            gpu = text[:-1]
        elif indent == 6 and re.fullmatch(r"\w+: [0-9.e+-]+", text):
            key, number = text.split(": ")
            found.setdefault((model, gpu), {})[key] = float(number)
    return found, batches


def test_scaling(folder):
    """r(8)/(8 r(1)) = t(1)/t(8) by the formula, for every model of the seed."""
    for wanted in (0.78, 0.89, 0.99):
        out = overrides(folder, f"seff{wanted}", f"[{{set: {{scaling_efficiency: {wanted}, p0_share: 0.3}}}}]")
        found, batches = parameters(out / "models.yaml")
        assert len(found) == 8
        for (model, gpu), p in found.items():
            one = (p["a_s"] ** p["gamma"] + (p["c_s"] * batches[model]) ** p["gamma"]) ** (1 / p["gamma"])
            assert abs(one / (one + p["alpha_s"]) / wanted - 1) < 1e-13, (model, gpu)
            assert p["p0_w"] == 0.3 * p["pmax_w"] and p["beta_s"] == 0


def test_survey(_):
    """What easim models says of it: scaling of 8 GPUs at the largest batch, and the evidence."""
    entries = "[{set: {scaling_efficiency: 0.89}}, {gpu: h100, set: {alpha_s: {times: 2}}}]"
    largest = {"vit-base-fp32": "128.0", "vit-base-tf32": "256.0", "albert-v2-bf16": "128.0", "resnet50-fp32": "512.0"}
    wanted = {"a100": 0.89, "h100": 1 / (1 + 2 * (1 / 0.89 - 1))}  # of h100 t(8) - t(1) is doubled
    table = easim("models", SEED, "--k", "8", "--format", "csv", "--set", f"model_overrides={entries}").stdout
    rows = [row for row in csv.DictReader(table.splitlines()) if row["b"] == largest[row["model"]]]
    shown = easim("models", SEED, "--parameters", "--model", "resnet50-fp32", "--gpu", "a100", "--set",
                  "model_overrides=[{set: {m0: 192, c_s: {times: 2}}}]").stdout
    assert " m0 192 o, phi 15000," in shown and " a_s 0.035 a, c_s 0.00183486 o," in shown, shown
    assert len(rows) == 8
    for row in rows:
        assert abs(float(row["scaling_efficiency"]) / wanted[row["gpu_type"]] - 1) < 1e-12, row
        assert row["evidence"] == "assumed (override)", row


def test_sweep(folder):
    """Axes on single values, factors and whole lists against single runs; repeated; null: as in the file."""
    (folder / "sweep.yaml").write_text(f"""
name: s
base: {SEED}
set: {{replications: 1, policy: {{name: zeus}}}}
axes:
  - {{path: "model_overrides[0].set.scaling_efficiency", values: [~, 0.8]}}
  - {{path: "model_overrides[1].set.p0_w.times", values: [1, 0.7]}}
  - {{name: reading, path: "model_overrides[2]", values: {{a: {{set: {{m0: 192}}}}, b: {{set: {{m0: {{times: 1}}}}}}}}}}
""")
    easim("sweep", folder / "sweep.yaml", "--out", folder / "sweep", "-q")
    rows = rows_of(folder / "sweep" / "sweep.csv")
    assert len({row["energy_kwh"] for row in rows}) == 8, [row["energy_kwh"] for row in rows]
    for i, row in enumerate(rows):
        entries = [f"{{set: {{p0_w: {{times: {row['model_overrides[1].set.p0_w.times']}}}}}}}"]
        if i >= 4:
            entries.append("{set: {scaling_efficiency: 0.8}}")
        if row["reading"] == "a":
            entries.append("{set: {m0: 192}}")
        alone = rows_of(overrides(folder, f"point{i}", f"[{', '.join(entries)}]") / "summary.csv")[0]
        assert all(row[key] == value for key, value in alone.items()), row
    assert not (folder / "sweep" / "models.yaml").exists()  # every point has its own
    assert easim("sweep", folder / "sweep" / "manifest.json").stdout == "equal\n"


def test_commands(folder):
    """compare with perturbations, ablate and tune take the overrides, and repeat."""
    words = ("-n", "2", "-q", "--set", f"model_overrides={ROW3}")
    easim("compare", SEED, "--policies", "pollux,zeus", "--perturb",
          "model_overrides[0].set.m0=0.5,workload.sizes.mean=-0.2,sizes=-0.2", *words, "--out", folder / "compare")
    easim("ablate", SEED, "zeus", "pollux", *words, "--out", folder / "ablate")
    easim("tune", SEED, "--policy", "zeus", "--params", "edp_slack=1..3", "--objective", "energy_kwh", "--max-trials", "4",
          *words, "--out", folder / "tune")
    perturbed = rows_of(folder / "compare" / "perturb.csv")
    ratios = {name: [row["ratio"] for row in perturbed if row["perturbation"] == name]
              for name in ("model_overrides[0].set.m0", "workload.sizes.mean", "sizes")}
    assert ratios["sizes"] == ratios["workload.sizes.mean"] and {*ratios["model_overrides[0].set.m0"]} != {"1"}
    half = ROW3.replace("192", "288")  # m0 of the perturbed runs: half as much again
    assert (rows_of(folder / "compare" / "perturbed" / "model_overrides[0].set.m0" / "zeus" / "summary.csv")
            == rows_of(run(folder, "half", "-n", "2", "--set", f"model_overrides={half}") / "summary.csv"))
    three = (overrides(folder, "three again", ROW3) / "models.yaml").read_bytes()
    for command in ("compare", "ablate", "tune"):
        assert (folder / command / "models.yaml").read_bytes() == three, command
        assert easim(command, folder / command / "manifest.json").stdout == "equal\n", command


def test_published(folder):
    """What these two settings gave when they were found, 100 replications on other random numbers: jobs/h and kWh of pollux and
    zeus, and the saving in % with its 95 % interval. Differences within both intervals together."""
    rows = {"scaling 0.89, p0 0.3 pmax": (10.90, 55.7, 10.92, 49.8, -10.6, 0.7), "scaling 0.78": (10.90, 57.8, 11.03, 52.5, -9.1, 0.8)}
    easim("sweep", SOURCE / "configs" / "sweeps" / "published-physics.yaml", "--out", folder / "sweep", "-q")
    found = {(row["claim"], row["physics"]): {key: float(row[key]) for key in ("mean", "against_mean", "diff", "ci95")}
             for row in rows_of(folder / "sweep" / "claim-readings.csv")}
    runs = rows_of(folder / "sweep" / "sweep.csv")
    for physics, (jobs, kwh, zeus_jobs, zeus_kwh, saving, half) in rows.items():
        for policy, expected in (("pollux", (jobs, kwh)), ("zeus", (zeus_jobs, zeus_kwh))):
            for column, value in zip(("throughput_jobs_per_h", "energy_kwh"), expected):
                values = [float(row[column]) for row in runs if row["physics"] == physics and row["policy.name"] == policy]
                error = 1.96 * statistics.stdev(values) * (2 / len(values)) ** 0.5
                assert len(values) == 100 and abs(statistics.fmean(values) - value) < error, (physics, policy, column)
        energy = found["kWh", physics]
        share, error = (100 * energy[key] / energy["against_mean"] for key in ("diff", "ci95"))
        assert abs(share - saving) < (error ** 2 + half ** 2) ** 0.5, (physics, share, error)


def test_fitted_sizes(folder):
    """Each physics of physics.yaml has the mean size that gives pollux 10.9 jobs/h: seed 2026, 30 replications, nearer
    than the 0.05 that a mean of 0.01 h more or less may move."""
    text = (SOURCE / "configs" / "sweeps" / "physics.yaml").read_text()
    axis = text[text.index("  - name: physics"):text.index("  - {name: end")]
    (folder / "fit.yaml").write_text(f"name: fit\nbase: {SEED}\nset: {{seed: 2026, replications: 30, \"model_overrides[0].set.p0_share\": ~}}\n"
                                     f"axes:\n{axis}")
    easim("sweep", folder / "fit.yaml", "--out", folder / "fit", "-q")
    jobs = {}
    for row in rows_of(folder / "fit" / "sweep.csv"):
        jobs.setdefault(row["physics"], []).append(float(row["throughput_jobs_per_h"]))
    assert len(jobs) == 20
    for physics, values in jobs.items():
        assert len(values) == 30 and abs(statistics.fmean(values) - 10.9) < 0.025, (physics, statistics.fmean(values))


cases(*(value for name, value in list(globals().items()) if name.startswith("test_")))
