"""easim attribute and analyze --invest from outside: a case worked by hand, what does not depend on the path, hostile
names, refusals; every investment against a run with the override written by hand: test_attribute_command.py EASIM SOURCE"""
import csv
from pathlib import Path

from harness import SOURCE, TINY, cases, easim, near, rows_of, write_rows

HAND = """\
name: hand
horizon: drain
cluster:
  pue: 1.5
  gpu_types: [{name: g, idle_w: 100, tdp_w: 400}]
  nodes: [{gpu: g, gpus: 2, base_w: 40, ram_w: 10, cpu_idle_w: 50, cpu_w_per_busy_gpu: 30}]
users: [{name: ann, weight: 3}, {name: ben}]
workload: {kind: trace, file: jobs.csv}
policy: {name: fcfs}
price_per_mwh: {file: price.csv, column: price}
"""
NAMES = ["=cmd()|' /C calc'!A0", 'he said "x", twice', "\u202egnp.exe", "<script>alert(1)</script>", "@sum", "a;b|c`d`"]


def record(folder, scenario, *more):
    easim("run", scenario, "--record", "--quiet", "--force", "--out", folder, *more)
    return folder


def table(folder, *words):
    easim("attribute", folder, "--quiet", *words)
    return rows_of(Path(folder) / "attribution.csv")


def by_hand(folder):
    """One node of two GPUs for 3600 s. Ann holds one of them to 3600 s, Ben the other from 0 to 1800; both draw 400 W, the
    free one 100 W. Nodes: 100 W, 30 W for each GPU held. Prices: 100 per MWh to 900 s, then 20."""
    (folder / "hand.yaml").write_text(HAND)
    (folder / "jobs.csv").write_text("job_id,submit_s,user,duration_s,gpus\na,0,ann,3600,1\nb,0,ben,1800,1\n")
    (folder / "price.csv").write_text("time_s,price\n0,100\n900,20\n3600,20\n7200,20\n")
    out = record(folder / "hand", folder / "hand.yaml")
    base = 0.1 + 0.03 + 0.015
    both = 1.5 / 1000 * (100 / 4 + 20 * 3 / 4)  # of 1 kW for the hour
    early, late = 1.5 / 1000 * (100 / 4 + 20 / 4), 1.5 / 1000 * (20 / 2)
    whole, ann, ben, nobody = table(out, "--path", "user")
    for row, energy, gpu_h in ((whole, 0.6 + 0.05 + base, 1.5), (ann, 0.4, 1), (ben, 0.2, 0.5), (nobody, 0.05 + base, 0)):
        near(row["energy_kwh"], energy), near(row["gpu_h"], gpu_h)
    assert nobody["nobody"] == "1" and nobody["user"] == "" and float(nobody["idle_gpu_h"]) == 0.5, nobody
    near(nobody["energy_cpu_kwh"], 0.05 + 0.03 + 0.015), near(nobody["energy_ram_kwh"], 0.01), near(nobody["energy_other_kwh"], 0.04)
    assert nobody["energy_network_kwh"] == "", nobody
    near(ann["cost"], 0.4 * both), near(ben["cost"], 0.4 * early)
    near(nobody["cost"], 0.1 * both + 0.06 * early + (0.03 + 0.1) * late)
    # by use ann held two thirds of the GPU time; in buckets of half an hour a half of the first, all of the second
    _, ann, ben = table(out, "--path", "user", "--idle", "by-use")
    near(ann["energy_kwh"], 0.4 + 2 / 3 * (0.05 + base)), near(ben["energy_kwh"], 0.2 + 1 / 3 * (0.05 + base))
    _, ann, ben = table(out, "--path", "user", "--idle", "by-use", "--bucket", "30min")
    near(ann["energy_kwh"], 0.4 + 0.08 / 2 + 0.05 + 0.065), near(ben["energy_kwh"], 0.2 + 0.08 / 2)
    # by weight 3 to 1, and what ben did not use in the second half hour is his alone
    rows = table(out, "--path", "user/job", "--idle", "by-entitlement", "--bucket", "30min")
    assert [(r["user"], r["job_id"], r["nobody"]) for r in rows] == [
        ("", "", "0"), ("ann", "", "0"), ("ann", "a", "0"), ("ben", "", "0"), ("ben", "b", "0"), ("ben", "", "1")], rows
    near(rows[1]["energy_kwh"], 0.4 + 0.75 * (0.05 + base)), near(rows[4]["energy_kwh"], 0.2 + 0.25 * 0.08)
    near(rows[5]["energy_kwh"], 0.25 * (0.05 + 0.065))


def order_of_the_path(folder):
    """The leaves of a path are those of the path turned round; a level is the same whatever comes below it."""
    out = record(folder / "tiny", TINY)
    for rule in (["--idle", "by-use", "--bucket", "10min"], ["--idle", "by-entitlement"], []):
        there = table(out, "--path", "user/model/gpu_type", *rule)
        back = table(out, "--path", "gpu_type/model/user", *rule)

        def leaves(rows):
            return {(r["user"], r["model"], r["gpu_type"], r["nobody"]): r for r in rows if r["level"] == "3"}
        assert leaves(there).keys() == leaves(back).keys()
        for key, row in leaves(there).items():
            for column in ("energy_kwh", "gpu_h", "co2_kg"):
                assert abs(float(row[column]) - float(leaves(back)[key][column])) <= 1e-12 * 10, (key, column)
        users = {r["user"]: r for r in table(out, "--path", "user", *rule) if r["level"] == "1"}
        for row in there:
            if row["level"] == "1":
                assert abs(float(row["energy_kwh"]) - float(users[row["user"]]["energy_kwh"])) <= 1e-12 * 10


def hostile_names(folder):
    text = "job_id,submit_s,user,duration_s,gpus,label.a/b\n"
    for i, name in enumerate(NAMES):
        quoted = '"' + name.replace('"', '""') + '"'
        text += f"{quoted},{i},{quoted},100,1,{quoted}\n"
    (folder / "hand.yaml").write_text(HAND)
    (folder / "jobs.csv").write_text(text, encoding="utf-8")
    out = record(folder / "hostile", folder / "hand.yaml")
    done = easim("attribute", out, "--path", "label.a\\/b/user/job")
    rows = rows_of(out / "attribution.csv")
    assert {r["label.a/b"] for r in rows if r["level"] == "1"} == {*NAMES, ""}, rows
    assert {(r["user"], r["job_id"]) for r in rows if r["level"] == "3" and r["nobody"] == "0"} == {(n, n) for n in NAMES}
    assert all(len(row) == len(rows[0]) + 0 for row in csv.reader(open(out / "attribution.csv", newline="", encoding="utf-8")))
    assert [r["job_id"] for r in rows_of(out / "blame.csv")] == NAMES
    assert "\x1b" not in done.stdout and "\x00" not in done.stdout, done.stdout


def refusals(folder):
    out = record(folder / "refused", TINY)
    hint = "Try `easim attribute --help' for more information.\n"
    expected = "expected user, model, job, class, gpu_type, time or label.NAME, got "
    for words, message in (
            (["--path", ""], f"easim attribute: --path: {expected}nothing\n{hint}"),
            (["--path", "user//model"], f"easim attribute: --path: an element of \"user//model\" is empty\n{hint}"),
            (["--path", "/user"], f"easim attribute: --path: an element of \"/user\" is empty\n{hint}"),
            (["--path", "users"], f"easim attribute: --path: {expected}\"users\", did you mean \"user\"?\n{hint}"),
            (["--path", "user/user"], f"easim attribute: --path: \"user\" comes twice\n{hint}"),
            (["--path", "label.product"], "easim: no label \"product\" in the workload (there are: note)\n"),
            (["--path", "label.nite"], "easim: no label \"nite\" in the workload (there are: note), did you mean \"note\"?\n"),
            (["--path", "time"], f"easim attribute: time in --path needs --bucket\n{hint}"),
            (["--bucket", "1h"], "easim attribute: --bucket needs time in --path, or --idle other than none\n"
             + hint),
            (["--bucket", "0"], f"easim attribute: --bucket: expected duration > 0 such as 90s or 10h, got \"0\"\n{hint}"),
            (["--bucket", "-1h"], f"easim attribute: --bucket: expected duration > 0 such as 90s or 10h, got \"-1h\"\n{hint}"),
            (["--bucket", "day"], f"easim attribute: --bucket: expected duration > 0 such as 90s or 10h, got \"day\"\n{hint}"),
            (["--bucket", "0.0001"], "easim attribute: --bucket: expected a duration of at least 0.001 s, got \"0.0001\"\n" + hint),
            (["--path", "time", "--bucket", "0.001"],
             "easim: expected longer buckets: 5433551 of them, 2 GPU types and 1 users are more than 10000000 cells\n"),
            (["--idle", "all"], f"easim attribute: --idle: expected none, by-use or by-entitlement, got \"all\"\n{hint}"),
            (["--policy", "fcfs"], f"easim: {out}: no run of policy \"fcfs\" (there are: zeus)\n"),
            (["--replication", "2"], f"easim: {out}: no replication 2 was recorded\n")):
        before = sorted(path.name for path in out.iterdir())
        done = easim("attribute", out, *words, code=2)
        assert done.stderr == message, (words, done.stderr, message)
        assert sorted(path.name for path in out.iterdir()) == before, words
        easim("attribute", out, *words, "--out", out / "refused", code=2)
        assert not (out / "refused").exists(), words


def with_samples(folder):
    """tiny.yaml, with the samples of the jobs that its log knows by their duration: overrides do not change them then."""
    log = rows_of(SOURCE / "workloads/tiny.csv")
    known = {row["job_id"]: row for row in rows_of(record(folder / "samples", TINY) / "workload.csv")}
    for row in log:
        if row["model"]:
            row |= {"work_samples": known[row["job_id"]]["work_samples"], "duration_s": "", "requested_s": ""}
    write_rows(folder / "log.csv", log)
    text = TINY.read_text(encoding="utf-8").replace("../workloads/tiny.csv", str(folder / "log.csv"))
    (folder / "log.yaml").write_text(text.replace("models/", f"{SOURCE}/configs/models/"), encoding="utf-8")
    return folder / "log.yaml"


def invest(folder):
    """All ten jobs come in the first hour: the same as running the log to the end, with the override by hand."""
    scenario = with_samples(folder)
    out = record(folder / "invest", scenario, "--set", "horizon=1h")
    done = easim("analyze", out, "--invest")
    rows = rows_of(out / "invest.csv")

    def kwh(*more):
        easim("run", scenario, "--summary-only", "--quiet", "--force", "--out", folder / "again", *more)
        return rows_of(folder / "again/summary.csv")[0]["energy_kwh"]
    base = kwh()
    assert len(rows) == 9 and [float(r["kwh"]) for r in rows] == sorted(float(r["kwh"]) for r in rows), rows
    for i, row in enumerate(rows):
        override = f"model_overrides=[{{model: {row['model']}, set: {{{row['parameter']}: {{times: {1 / 1.1!r}}}}}}}]"
        assert row["kwh"] == kwh("--set", override) and row["base_kwh"] == base and row["rank"] == str(i + 1), row
        assert abs(float(row["saved_kwh"]) - (float(base) - float(row["kwh"]))) < 1e-12, row
    assert f"1. {rows[0]['parameter']:8} of {rows[0]['model']}:" in done.stdout, done.stdout


cases(by_hand, order_of_the_path, hostile_names, refusals, invest, shared=True)
