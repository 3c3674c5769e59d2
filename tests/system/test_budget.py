"""budget.csv and differences.csv, computed again from worlds.csv: test_budget.py EASIM SOURCE

The analysis of variance, shares and P are written down in Python, from the published formulas. An output that is linear
in two parameters gives the shares that follow from its coefficients; these come from a run's own files.
"""
import math
from statistics import mean, variance

from harness import SOURCE, cases, easim, rows_of
from student import t_point, t_tail

POLICIES = ["pollux", "easy", "fcfs"]
METRICS = {"energy_kwh": -1, "energy_per_work_kwh": -1, "throughput_jobs_per_h": 1}
# Idle power changes no decision of these policies, so energy is linear in it; base power is the same for all of them.
LAWS = [("a100", "cluster.gpu_types[0].idle_w", 5, 95), ("h100", "cluster.gpu_types[1].idle_w", 30, 100),
        ("base", "cluster.nodes[0].base_w", 0, 500)]
WORLDS, REPLICATIONS = 64, 6


def scenario(folder, worlds):
    text = (SOURCE / "configs" / "eas-sim.yaml").read_text()
    text = text.replace("models: models/", f"models: {SOURCE}/configs/models/")
    text = text.replace("horizon: 10h", "horizon: 6h").replace("k: [1, 2, 4, 8]", "request: {k: uniform}")
    text += f"uncertainty:\n  worlds: {worlds}\n  parameters:\n"
    for group, path, low, high in LAWS:
        text += f'    - {{group: {group}, path: "{path}", law: {{uniform: [{low}, {high}]}}}}\n'
    file = folder / f"worlds-{worlds}.yaml"
    file.write_text(text)
    return file


def close(a, b, relative=1e-7):
    assert abs(float(a) - b) <= relative * max(abs(float(a)), abs(b), 1e-12), (a, b)


def differences(rows, metric, policy):
    """[set][world][replication] of policy - pollux."""
    cells = {(r["policy"], r["set"], r["world"], r["replication"]): float(r[metric]) for r in rows}
    numbers = [sorted({r[key] for r in rows}, key=int) for key in ("set", "world", "replication")]
    return [[[cells[policy, s, w, r] - cells["pollux", s, w, r] for r in numbers[2]] for w in numbers[1]] for s in numbers[0]]


def two_way(x):
    """Mean squares of worlds, replications and the rest, from sums of squares of means."""
    w_count, r_count = len(x), len(x[0])
    grand = mean(map(mean, x))
    of_worlds, of_reps = [mean(row) for row in x], [mean(column) for column in zip(*x)]
    rest = sum((x[w][r] - of_worlds[w] - of_reps[r] + grand) ** 2 for w in range(w_count) for r in range(r_count))
    return r_count * variance(of_worlds), w_count * variance(of_reps), rest / ((w_count - 1) * (r_count - 1))


def check_interval(row, x):
    w, r = len(x), len(x[0])
    ms_w, ms_r, ms_e = two_way(x)
    close(row["diff_mean"], mean(map(mean, x)))
    close(row["physics_var"], max(0, ms_w - ms_e) / r, 1e-6)
    close(row["workload_var"], max(0, ms_r - ms_e) / w, 1e-6)
    close(row["residual_var"], ms_e, 1e-6)
    both = ms_w + ms_r - ms_e
    if both > ms_w:
        degrees = both ** 2 / (ms_w ** 2 / (w - 1) + ms_r ** 2 / (r - 1) + ms_e ** 2 / ((w - 1) * (r - 1)))
    else:
        degrees = w - 1
    close(row["degrees"], degrees, 1e-6)
    close(row["diff_ci95"], t_point(degrees) * math.sqrt(max(ms_w, both) / (w * r)), 1e-6)


def wilson(hits, n, z=1.959963984540054):
    middle, half = hits / n + z * z / (2 * n), z * math.sqrt(hits / n * (1 - hits / n) / n + z * z / (4 * n * n))
    return hits / n, (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def check_better(row, x, direction):
    ahead = clearly = worse = 0
    for world in x:
        gain, error = direction * mean(world), math.sqrt(variance(world) / len(world))
        ahead += gain > 0
        clear = error == 0 or 2 * t_tail(abs(gain) / error, len(world) - 1, 1000) < 0.05
        clearly += gain > 0 and clear
        worse += gain < 0 and clear
    for name, hits in (("p_better", clearly), ("p_worse", worse), ("sign_better", ahead)):
        for end, value in zip(("", "_low", "_high"), wilson(hits, len(x))):
            assert abs(float(row[name + end]) - value) < 1e-9, (row, name, hits)


def check_shares(shares, sets):
    """Jansen's total effects; the interval holds the share."""
    x, replications = sets[0], len(sets[0][0])
    ms_w, ms_r, ms_e = two_way(x)
    parts = [max(0, ms_w - ms_e) / replications, max(0, ms_r - ms_e) / len(x), ms_e]
    expected = {name: part / sum(parts) for name, part in zip(("physics", "workload", "residual"), parts)}
    for (group, *_), changed in zip(LAWS, sets[1:]):
        effects = []
        for before, after in zip(x, changed):
            change = [b - a for a, b in zip(before, after)]
            effects.append((mean(change) ** 2 - variance(change) / replications) / 2)
        expected[group] = max(0, mean(effects)) / parts[0]
    assert list(shares) == list(expected), (list(shares), list(expected))
    for source, value in expected.items():
        row = shares[source]
        close(row["share"], value, 1e-6)
        assert float(row["ci_low"]) <= float(row["share"]) * (1 + 1e-12) and float(row["share"]) <= float(row["ci_high"]) * (1 + 1e-12), row
    return expected


def linear_shares(out):
    """From the hours in which the policies do not hold the GPUs of each type: what a world's mean difference is made of."""
    held = {}
    for policy in POLICIES:
        for row in rows_of(out / policy / "types.csv"):
            held.setdefault((policy, row["gpu_type"]), []).append(float(row["alloc_gpu_h"]))
    shares = {}
    for policy in POLICIES[1:]:
        parts = [(mean(held[policy, group]) - mean(held["pollux", group])) ** 2 * (high - low) ** 2
                 for group, _, low, high in LAWS[:2]]
        shares[policy] = [part / sum(parts) for part in parts] + [0]
    return shares


def check_known_shares(shares, expected):
    """Within three standard errors, as the interval tells them; the base power has no influence."""
    for (group, *_), value in zip(LAWS, expected):
        row = shares[group]
        error = (float(row["ci_high"]) - float(row["ci_low"])) / 3.92
        assert abs(float(row["share"]) - value) <= 3 * error + 1e-5, (row, value)
    assert float(shares["base"]["ci_low"]) == 0, shares["base"]


def figures_are_right(folder):
    out = folder / "worlds"
    easim("compare", scenario(folder, WORLDS), "--policies", ",".join(POLICIES), "-n", REPLICATIONS, "--quiet", "--out", out)
    rows, table, shares = rows_of(out / "worlds.csv"), {}, {}
    for row in rows_of(out / "differences.csv"):
        table[row["metric"], row["policy"]] = row
    for row in rows_of(out / "budget.csv"):
        shares.setdefault((row["metric"], row["policy"]), {})[row["source"]] = row
    assert {policy for _, policy in table} == set(POLICIES[1:])
    known = linear_shares(out)
    for metric, direction in METRICS.items():
        for policy in POLICIES[1:]:
            row, sets = table[metric, policy], differences(rows, metric, policy)
            assert (row["baseline"], row["worlds"], row["replications"]) == ("pollux", str(WORLDS), str(REPLICATIONS))
            check_better(row, sets[0], direction)
            if metric == "throughput_jobs_per_h":  # no world changes a decision
                assert float(row["physics_var"]) == 0 and all(shares[metric, policy][law[0]]["share"] == "" for law in LAWS)
                continue
            check_interval(row, sets[0])
            check_shares(shares[metric, policy], sets)
            if metric == "energy_kwh":
                check_known_shares(shares[metric, policy], known[policy])


cases(figures_are_right)
