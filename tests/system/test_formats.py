"""--format markdown|latex of every command that has tables: test_formats.py EASIM SOURCE.

The same rows and digits in all three: cells of Markdown and of LaTeX, read back by readers of our own, are those of the terminal,
and figures are those of the CSV file, rounded to the digits that are shown. LaTeX uses nothing but tabular and booktabs; pdflatex
compiles it where it is installed.
"""
import csv
import math
import os
import re
import shutil
import subprocess
from pathlib import Path

from harness import SOURCE, cases, easim, rows_in, rows_of

TINY = SOURCE / "configs/tiny.yaml"
SEED = SOURCE / "configs/eas-sim.yaml"
NAME = "a_b"
SCENARIO = ["--set", f"name={NAME}", "--set", "horizon=4h"]
LATEX = {"\\textbackslash{}": "\\", "\\textasciitilde{}": "~", "\\textasciicircum{}": "^", "\\textless{}": "<", "\\textgreater{}": ">",
         "\\textbar{}": "|", "\\textquotedbl{}": '"', "$\\pm$": "+-", "$-$": "-", "\\&": "&", "\\%": "%", "\\$": "$", "\\#": "#",
         "\\_": "_", "\\{": "{", "\\}": "}", "{}[": "[", "~": " "}
ESCAPE = re.compile("|".join(map(re.escape, LATEX)) + r"|\\texttt\{U\+([0-9A-F]+)\}")


def of_latex(text):
    return ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else LATEX[m[0]], text)


def latex_tables(text):
    """Each a list of rows of cells; every command of the text is known, and every table is whole."""
    bare = ESCAPE.sub("", text)
    commands = set(re.findall(r"\\[a-z]+|\\\\", bare))
    assert commands <= {"\\begin", "\\end", "\\toprule", "\\midrule", "\\bottomrule", "\\\\"}, commands
    assert set(re.findall(r"[#$%^~_&]", re.sub(r" & ", "", bare))) <= set(), bare
    tables = []
    for columns, body in re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n\\toprule\n(.*?)\\bottomrule\n\\end\{tabular\}\n", text, re.S):
        rows = [row.split(" & ") for row in body.replace("\\midrule\n", "").split(" \\\\\n")[:-1]]
        assert all(len(row) == len(columns) for row in rows), rows
        tables.append([[of_latex(cell).strip() for cell in row] for row in rows])
    assert len(tables) == text.count("\\begin{") == text.count("\\end{")
    return tables


def of_markdown(text):
    return re.sub(r"\\([\\`*_<|\[\]])", r"\1", text.replace("&nbsp;", " ").replace("\u00b1", "+-")).strip()


def markdown_tables(text):
    tables = []
    for block in re.findall(r"(?:^\|.*\|\n)+", text, re.M):
        rows = [[of_markdown(cell) for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block.splitlines()]
        assert all(len(row) == len(rows[0]) for row in rows), rows
        assert all(cell in ("---", "---:") for cell in rows[1]), rows[1]
        tables.append(rows[:1] + rows[2:])
    return tables


def packed(rows):
    return [re.sub(r"\s+", " ", " ".join(cell for cell in row if cell)).strip() for row in rows]


def printed(*words, format, **more):
    return easim(*words, "--format", format, **more).stdout


def all_formats(folder, *words, out=True, **more):
    """The rows of the terminal, after both others were held against them."""
    place = lambda name: ["--out", folder / name, "--force"] if out else []
    terminal = printed(*words, *place("out"), format="table", **more)
    lines = [re.sub(r"\s+", " ", line).strip() for line in terminal.splitlines()]
    markdown = markdown_tables(printed(*words, *place("out"), format="markdown", **more))
    text = printed(*words, *place("out"), format="latex", **more)
    latex = latex_tables(text)
    assert markdown == latex and markdown, (words, markdown, latex)
    for table in markdown:
        for row in packed(table):
            assert not row or row in lines, (words, row, terminal)
    compile_latex(folder, text)
    return markdown


def compile_latex(folder, text):
    if not shutil.which("pdflatex"):
        return
    page = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\\begin{document}\n" + text + "\\end{document}\n"
    (folder / "page.tex").write_text(page)
    subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def same(shown, value, scale=1.0):
    """A figure as it is shown is the value of the CSV file, rounded to the last digit shown."""
    if value == "":
        return shown == "-"
    digits = shown.lstrip("+")
    place = len(digits.partition(".")[2])
    rough = 0.5000001 * 10.0**-place
    if "." not in digits:  # whole tens, hundreds, thousands
        rough *= 10 ** (len(digits) - len(digits.rstrip("0"))) if digits.strip("-0") else 1
    return abs(float(digits) - scale * float(value)) <= max(rough, 1e-9 * abs(float(value)))


UNIT = {"%": 100, "h": 1 / 3600, "d": 1 / 86400, "MJ s": 1e-6}


def labels():
    """Names of metrics by label, from the table of metrics; those with two labels alike are left out."""
    text = (SOURCE / "src/metrics/metric_table.h").read_text()
    rows = re.findall(r'X\((\w+), \w+, (?:"([^"]*)"|\w+), \w+, (\w+), \w+, "([^"]*)"\)', text)
    return {label: (name, tail) for name, _, tail, label in rows if sum(row[3] == label for row in rows) == 1}


def runs(folder):
    [table] = all_formats(folder, "run", SEED, *SCENARIO, "-n", 5)
    figures, of, checked = {row["metric"]: row for row in rows_of(folder / "out/aggregate.csv")}, labels(), 0
    for label, value, unit in table[1:]:
        if label in of and unit in ("", "s", "h", "jobs/h", "GPU h", "kWh", "kWh/GPU h", "W", "%", "MJ s"):
            row = figures[of[label][0]]
            mean, half = (value.split(" +- ") + [""])[:2]
            assert same(mean, row["mean"], UNIT.get(unit, 1)) and same(half, row["ci95"], UNIT.get(unit, 1)), (label, value, row)
            assert len(half.replace(".", "").strip("0")) <= 3, half
            checked += 1
    assert checked > 15, checked


def titles(text):
    return re.findall(r"^([a-zA-Z][^\n]*?)(?: \(([^()]*)\))?(?:, (?:less|more) is better)\n", text, re.M)


def comparisons(folder):
    """Difference, interval, per cent and p belong to one estimator: the ratio for heavy tails, else the difference."""
    words = ["compare", SEED, *SCENARIO, "-n", 6, "--policies", "fcfs,zeus,pollux", "--metrics", "jct_mean_s,energy_kwh,util_alloc,wait_mean_s"]
    tables = all_formats(folder, *words)
    text = (printed(*words, "--out", folder / "out", "--force", format="table"))
    cells, of, kinds = {(r["metric"], r["policy"]): r for r in rows_of(folder / "out/compare.csv")}, labels(), set()
    metrics = [(of[label], unit) for label, unit in titles(text) if label in of]
    ranked = [table for table in tables if table[0][1:3] == ["policy", "mean"]]
    assert len(metrics) == len(ranked) >= 4, (metrics, ranked)
    for ((name, tail), unit), table in zip(metrics, ranked):
        scale, ratio = UNIT.get(unit, 1), "geometric mean, change in %" in table[0]
        for row in table[1:]:
            cell = cells[name, row[1]]
            mean, half = (row[2].split(" +- ") + [""])[:2]
            assert same(mean, cell["mean"], scale) and same(half, cell["ci95"], scale), (name, row, cell)
            if "baseline" in row:
                continue
            kinds.add(ratio)
            assert not ratio or tail == "HEAVY"
            if ratio:
                change, low, high = re.fullmatch(r"(\S+) \((\S+) \.\. (\S+)\)", row[3]).groups()
                for shown, key in ((change, "ratio_geo"), (low, "ratio_geo_low"), (high, "ratio_geo_high")):
                    assert same(shown, float(cell[key]) - 1, 100), (name, row, cell)
                # zero is in the interval or not, as p is above 0.05 or below; Holm's correction only makes p larger
                assert (float(low) <= 0 <= float(high)) <= (float(row[4].strip(" <*")) > 0.0499), row
            else:
                diff, half = row[3].split(" +- ")
                assert same(diff, cell["diff_mean"], scale) and same(half, cell["diff_ci95"], scale), (name, row, cell)
                assert same(row[4], cell["diff_rel"], 100) and same(row[5].strip(" <*"), cell["p_holm"]), (name, row, cell)
    assert kinds == {True, False}


def t_point_95(n):
    return {6: 2.570582}[n]


def tests_of_ratios(folder):
    """p of the ratio is Student's, of the logarithms: recomputed from the interval that compare.csv has of it."""
    words = ["compare", SEED, *SCENARIO, "-n", 6, "--policies", "fcfs,zeus", "--metrics", "jct_mean_s"]
    tables = all_formats(folder, *words)
    [row] = [r for r in tables[1][1:] if r[1] == "zeus"]
    cell = next(r for r in rows_of(folder / "out/compare.csv") if (r["metric"], r["policy"]) == ("jct_mean_s", "zeus"))
    half = math.log(float(cell["ratio_geo_high"]) / float(cell["ratio_geo_low"])) / 2
    t = abs(math.log(float(cell["ratio_geo"]))) / (half / t_point_95(6))
    p = 1 - integral_of_t(t, 5)
    shown = row[4].strip(" *")
    assert shown == "<0.0001" if p < 1e-4 else abs(float(shown) - p) < 6e-5, (row, t, p)


def integral_of_t(t, degrees):
    """P(|T| <= t) for 5 degrees of freedom: the closed form for odd degrees."""
    assert degrees == 5
    angle = math.atan(t / math.sqrt(5))
    return 2 / math.pi * (angle + math.sin(angle) * (math.cos(angle) + 2 / 3 * math.cos(angle)**3))


def others(folder):
    run = ["run", SEED, *SCENARIO, "-n", 1, "--record", "--out", folder / "recorded"]
    easim(*run)
    rows = all_formats(folder, "attribute", folder / "recorded", out=False)[0]
    first = next(r for r in rows_of(folder / "recorded/attribution.csv"))
    assert same(rows[1][2], float(next(v for k, v in first.items() if k == "energy_j")) / 3.6e6) if "energy_j" in first else rows
    all_formats(folder, "bound", TINY, "-n", 2)
    all_formats(folder, "ablate", SEED, "zeus:edp_slack=2", "pollux", *SCENARIO, "-n", 3)
    all_formats(folder, "tune", SEED, *SCENARIO, "-n", 3, "--policy", "zeus", "--params", "tau", "--objective", "energy_kwh",
                "--max-trials", 3, "--constraint", "jct_mean_s<=10%")
    all_formats(folder, "regret", TINY, "--policy", "fcfs", "-n", 1)
    policies = all_formats(folder, "policies", out=False)[0]
    assert len(policies) > 15 and policies[0][0] == "policy"
    models = all_formats(folder, "models", TINY, "--k", "1,2", out=False)
    shown = rows_in(printed("models", TINY, "--k", "1,2", format="csv"))
    powers = {f"{float(r['power_w']):.4g}" for r in shown if r["power_w"]}
    column = models[0][0].index("W/GPU")
    assert all(row[column] in powers | {"-"} for row in models[0][1:]), powers


def validations(folder):
    table = all_formats(folder, "validate", SOURCE / "validation/mlperf-bert.yaml")[0]
    rows = [row for row in rows_of(folder / "out/validation.csv")]
    assert len(rows) == len(table) - 1 == 2
    for row, shown in zip(rows, table[1:]):
        assert (row["metric"], row["of"]) == (shown[0], shown[1]) and same(shown[5], row["error"], 100), (row, shown)


def sweeps(folder):
    (folder / "s.yaml").write_text(f"""\
name: s
base: {TINY}
axes: [{{path: seed, values: [1, 2, 3]}}, {{name: policy, values: {{zeus: {{policy: {{name: zeus}}}}, fcfs: {{policy: {{name: fcfs}}}}}}}}]
claims: [{{name: "less | energy_of $zeus", metric: energy_kwh, of: {{policy: zeus}}, against: {{policy: fcfs}}, sign: less}}]
""")
    table = all_formats(folder, "sweep", folder / "s.yaml")[0]
    assert table[1][1] == "less | energy_of $zeus", table
    row = next(r for r in rows_of(folder / "out/claims.csv"))
    assert table[1][2] == row["readings"] and same(table[1][4], row["as_claimed"], 100), (table, row)


def names(folder):
    """Ten special characters, a pipe and what is not ASCII in a name."""
    odd = "\\ { } $ & # % _ ~ ^ | \u00e9 [x] <y>"
    rows = rows_of(SOURCE / "workloads/tiny.csv")
    with open(folder / "jobs.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], "user"] if "user" not in rows[0] else [*rows[0]])
        writer.writeheader()
        writer.writerows(row | {"user": odd} for row in rows)
    easim("run", TINY, "--set", f"workload.file={folder / 'jobs.csv'}", "--record", "--out", folder / "recorded")
    table = all_formats(folder, "attribute", folder / "recorded", "--path", "user", out=False)[0]
    assert odd in [row[0] for row in table], table


def refused(folder):
    easim("run", TINY, "--format", "html", code=2, says="expected table, markdown, latex, csv or json")
    easim("policies", "fcfs", "--format", "latex", code=2, says="--format: only for the list of all policies, not for one policy")


cases(runs, comparisons, tests_of_ratios, others, validations, sweeps, names, refused)
