#!/usr/bin/env python3
"""The results in docs/studies/validation.md: validation_table.py EASIM SOURCE [--check | --update]

Runs every shipped validation (`easim validate`) and writes what stands between the marks "results begin" and "results
end". Those of the physical cluster are run again with other restart costs, and with wrong durations, which must miss.
Without an option it prints that. --check compares it with the document and fails if it differs, if a verdict is not the
expected one, or if it is skipped for missing data; it ends with 77, skipped, without EASIM_DATA.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BEGIN, END = "<!-- results begin -->\n", "<!-- results end -->\n"
AGAINST = {"measurement": "Measured", "simulator": "Other simulators (no measurements)", "theory": "Closed forms (no measurements)"}

COLUMN = {"measurement": "measured", "simulator": "simulated", "theory": "exact"}


def figure(value):
    """About five digits, with separators."""
    if value is None:
        return ""
    digits = max(0, 4 - len(str(int(abs(value))))) if abs(value) >= 1 else 4
    return f"{value:,.{digits}f}"


def percent(value, signed):
    return "" if value is None else f"{100 * value:{'+' if signed else ''}.3g} %"


def verdict(row):
    if row["verdict"] == "skipped":
        return "skipped"
    return row["verdict"] + ("" if row["expect"] == "pass" and row["as_expected"] else
                             ", as expected" if row["as_expected"] else ", **unexpected**")


def notes(these):
    """Each reason once, with the figures that it is of; then what was said of single validations."""
    reasons = {}
    for validation in these:
        for row in validation["rows"]:
            if row["reason"]:
                figures = reasons.setdefault(row["reason"], {}).setdefault(validation["name"], [])
                figures.append(f"{row['metric']}{' ' + row['of'] if row['of'] else ''}")
    for reason, names in reasons.items():
        of = [f"{name}, {', '.join(figures)}" for name, figures in names.items()]
        yield f"- {'; '.join(of)}: {reason}."
    for validation in these:
        for note in validation["notes"]:
            yield f"- {validation['name']}: {note}."


def table(these):
    """Validations of one source and one physics, rows of all in one table."""
    first = these[0]
    yield f"Kind: {first['kind']}. Source: {first['source']}. Physics: {first['physics']}."
    yield ""
    for validation in these:
        if validation["missing"]:
            yield f"Skipped: {validation['name']}, {validation['missing']} is missing."
            yield ""
    yield f"| validation | metric | of | predicted | {COLUMN[first['against']]} | error | tolerance | verdict |"
    yield "|---|---|---|--:|--:|--:|--:|---|"
    for validation in these:
        for row in validation["rows"]:
            unit = f" ({row['unit']})" if row["unit"] else ""
            signed = row["measured"] is not None
            yield (f"| {validation['name']} | {row['metric']}{unit} | {row['of']} | {figure(row['predicted'])} | "
                   f"{figure(row['measured'])} | {percent(row['error'], signed)} | {percent(row['tolerance'], False)} | "
                   f"{verdict(row)} |")
    yield ""
    said = list(notes(these))
    yield from said
    if said:
        yield ""


def wrapped(line):
    """Prose in lines of at most 100 characters; a table row stays one."""
    if line.startswith("|") or len(line) <= 100:
        return [line]
    lines, indent = [], "  " if line.startswith("- ") else ""
    for word in line.split():
        if lines and len(lines[-1]) + 1 + len(word) <= 100:
            lines[-1] += " " + word
        else:
            lines.append((indent if lines else "") + word)
    return lines


def document(results, more):
    lines = []
    for against, heading in AGAINST.items():
        these = [v for v in results["validations"] if v["against"] == against]
        if these:
            lines += [f"### {heading}", ""]
        kinds = dict.fromkeys((v["kind"], v["source"], v["physics"]) for v in these)
        for kind in kinds:
            lines += table([v for v in these if (v["kind"], v["source"], v["physics"]) == kind])
        if against == "measurement":
            lines += more
    lines.append(f"In all {results['passed']} figures pass, {results['failed_as_expected']} fail as expected, "
                 f"{results['unexpected']} are unexpected, {results['skipped']} are skipped.")
    return "".join(part + "\n" for line in lines for part in wrapped(line))


RESTART = "workload.rigid_costs.restart_s: "  # in validations that say what a restart costs
CONTROLS = {"durations x 0.9": lambda seconds, mean: 0.9 * seconds, "durations x 1.1": lambda seconds, mean: 1.1 * seconds,
            "one duration for all": lambda seconds, mean: mean}
FIGURES = (("makespan_s", ""), ("jct_mean_s", ""), ("jct_s", "median error"), ("jct_s", "90 % error"))


def write_control(source, target, change):
    """The workload CSV with other durations."""
    with open(source, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    mean = sum(float(row["duration_s"]) for row in rows) / len(rows)
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(row | {"duration_s": repr(change(float(row["duration_s"]), mean))} for row in rows)


def run_variants(easim, source, folder, variants):
    """variants: (validation, label, changes of its text). Errors by validation and label, in that order."""
    for number, (name, _, changes) in enumerate(variants):
        text = (source / "validation" / f"{name}.yaml").read_text(encoding="utf-8")
        for old, new in [(f"name: {name}", f"name: v{number}"), ("../configs/", f"{source}/configs/"), *changes]:
            if text.count(old) != 1:
                sys.exit(f"{name}.yaml: {old!r} stands there {text.count(old)} times")
            text = text.replace(old, new)
        (folder / f"v{number}.yaml").write_text(text, encoding="utf-8")
    done = subprocess.run([easim, "validate", *(folder / f"v{n}.yaml" for n in range(len(variants))), "--format", "json",
                           "--out", folder / "variants", "--quiet"], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    for (name, label, _), validation in zip(variants, json.loads(done.stdout)["validations"], strict=True):
        yield name, label, {(row["metric"], row["of"].partition(" of ")[0]): row["error"] for row in validation["rows"]}


def variant_table(variants):
    yield "| validation | | makespan | mean completion time | median error of jobs | 90 % error |"
    yield "|---|---|--:|--:|--:|--:|"
    for name, label, errors in variants:
        cells = [percent(errors[figure], not figure[1]) for figure in FIGURES]
        yield f"| {name} | {label} | {' | '.join(cells)} |"
    yield ""


def physical_cluster(easim, source, folder):
    """Errors of the runs of the physical cluster when what is assumed of restarts, or known of durations, is another."""
    names = sorted(path.stem for path in (source / "validation").glob("*.yaml") if RESTART in path.read_text(encoding="utf-8"))
    first = "  workload.rigid_costs.start_s: 20\n"
    others = {f"restart {seconds} s": [(f"{RESTART}20", f"{RESTART}{seconds}")] for seconds in (0, 20, 40)}
    others["restart 20 s, first start, too"] = [(f"  {RESTART}20\n", f"  {RESTART}20\n{first}")]
    restarts = [(name, label, changes) for name in names for label, changes in others.items()]
    controls, log = [], "validation/shockwave_tacc32/jobs.csv"
    for number, (label, change) in enumerate(CONTROLS.items()):
        write_control(Path(os.environ["EASIM_DATA"]) / log, folder / f"jobs{number}.csv", change)
        controls += [(f"tacc32-replay-{policy}", label, [(f"jobs: {log}", f"jobs: {folder}/jobs{number}.csv")])
                     for policy in ("allox", "shockwave")]
    errors = list(run_variants(easim, source, folder, restarts + sorted(controls, key=lambda control: control[0])))
    yield from ("### The physical cluster under other assumptions", "")
    yield ("What is measured is in the tables above, to be read apart: tacc32-profile, how well durations are known; "
           "tacc32-replay, the simulator given durations and the schedule; tacc32-policy, policies of easim's own too. "
           "A restart was taken to cost 20 s and a round 120 s before anything was compared; with other costs:")
    yield ""
    yield from variant_table(errors[:len(restarts)])
    yield ("Negative controls, recorded schedules with wrong durations: each must miss 3 % in makespan or mean completion "
           "time, else a pass above would say little.")
    yield ""
    yield from variant_table(errors[len(restarts):])
    for name, label, error in errors[len(restarts):]:
        if max(abs(error[FIGURES[0]]), abs(error[FIGURES[1]])) <= 0.03:
            sys.exit(f"negative control: {name}, {label}: within 3 %")


def main():
    easim, source, option = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), (sys.argv[3:] or [""])[0]
    if option == "--check" and not os.environ.get("EASIM_DATA"):
        print("skipped: EASIM_DATA is not set")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="easim-validation.") as folder:
        done = subprocess.run([easim, "validate", "--format", "json", "--out", Path(folder) / "out", "--quiet"],
                              capture_output=True, text=True, check=False,
                              env=os.environ | {"EASIM_VALIDATION": str(source / "validation")})
        if not done.stdout:
            sys.exit(done.stderr)
        more = list(physical_cluster(easim, source, Path(folder))) if os.environ.get("EASIM_DATA") else []
    results = json.loads(done.stdout)
    text, path = document(results, more), source / "docs/studies/validation.md"
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    old, _, after = rest.partition(END)
    if option == "--update":
        path.write_text(before + BEGIN + text + END + after, encoding="utf-8")
    elif option == "--check":
        wrong = [name for name in ("unexpected", "skipped") if results[name] > 0]
        if old != text or wrong:
            sys.exit(f"docs/studies/validation.md: {wrong or 'the results differ'}: {sys.argv[0]} EASIM SOURCE --update\n{text}")
        print("1 passed, 0 failed")
    else:
        print(text, end="")


main()
