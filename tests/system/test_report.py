"""The page of easim report: test_report.py EASIM SOURCE; skipped without D3, its browser part without Chromium.

What the page holds is computed again from the results; then a headless browser does with it what people do.
"""
import base64
import hashlib
import html.parser
import json
import math
import re
import shutil
from pathlib import Path

import browser
import test_services as serving
from harness import SOURCE, TINY, cases, easim, form, json_of, number, rows_of, skip
from report_page import data_of, packed_of

D3 = Path("/usr/share/nodejs/d3/dist/d3.min.js")
SEED = SOURCE / "configs/eas-sim.yaml"
HOSTILE = ["</script><script>window.pwned=1</script>", "<img src=x onerror=window.pwned=1>", "'\"`${window.pwned=1}", "=cmd()",
           "\u202eright to left", "\u2028line\u2029para", "<!--<script>", "&lt;b&gt;", "x" * 10000, "]]>"]


class Elements(html.parser.HTMLParser):
    """Tags with their attributes, and the text of scripts, as a browser's parser sees them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.lasttag == "script" and self.scripts:
            self.scripts[-1] += data


def report(folder, *words):
    easim("report", folder, *words)
    return data_of(folder / "report.html")


# ---- what is in the page ---------------------------------------------------------------------------------------------

def estimates(folder):
    """Means and intervals are those of aggregate.csv, to the last digit; the head is that of the manifest."""
    data = report(folder / "run")
    for row in rows_of(folder / "run/aggregate.csv"):
        if int(row["n"]) > 0:
            assert data["policies"][0]["estimates"][row["metric"]] == [int(row["n"]), number(row["mean"]), number(row["ci95"])], row
    manifest = (folder / "run/manifest.json").read_bytes()
    assert data["manifest_sha256"] == hashlib.sha256(manifest).hexdigest()
    assert data["manifest"] == json.loads(manifest) and data["comparison"] is None
    users = data["policies"][0]["users"]
    expected = [r for r in rows_of(folder / "run/users.csv") if r["replication"] == "1"]
    assert [dict(zip(users["columns"], r))["energy_kwh"] for r in users["rows"]] == [float(r["energy_kwh"]) for r in expected]
    words = (folder / "run/models.yaml").read_text()
    for p in data["physics"]: # every source that is stated stands in the file
        assert p["source"] is None or p["source"][:40] in words or "\\" in words, p
    assert {p["evidence"] for p in data["physics"] if p["gpu_type"]} <= {"measured", "derived", "assumed", "override", None}


def curves(folder):
    """Points of the distributions: shares of all rows of jobs.csv that are measured, counted again one by one."""
    easim("run", SEED, "-n", 2, "--quiet", "--out", folder / "warm", "--set", "workload.warmup=3h")
    easim("report", folder / "warm", "--quiet")
    for run, warmup_s in (("run", 0), ("warm", 3 * 3600)):
        check_curves(folder / run, warmup_s)


def check_curves(run, warmup_s):
    data = data_of(run / "report.html")["policies"][0]["curves"]
    rows = [row for row in rows_of(run / "jobs.csv") if float(row["submit_s"]) >= warmup_s]
    assert data["jobs"] == len(rows) == sum(int(row["jobs_submitted"]) for row in rows_of(run / "summary.csv"))
    jct = [float(r["jct_s"]) for r in rows if r["jct_s"]]
    slowdowns = [max(1, float(r["jct_s"]) / max(10, float(r["exec_s"]))) for r in rows if r["jct_s"]]
    waits = [float(r["wait_s"]) for r in rows if r["wait_s"]]
    for key, values in (("jct_s", jct), ("slowdown", slowdowns), ("wait_s", waits)):
        curve = data[key]
        assert curve["count"] == len(values) and len(curve["x"]) == len(curve["share"]) <= 440, key
        assert math.isclose(curve["share"][-1], len(values) / len(rows), rel_tol=1e-5), key
        assert curve["x"] == sorted(curve["x"]) and math.isclose(curve["x"][-1], max(values), rel_tol=1e-5), key
        for x, share in zip(curve["x"], curve["share"]): # x is rounded to 6 digits, so are ties with it
            below, up_to = sum(v < x * (1 - 1e-5) for v in values) / len(rows), sum(v <= x * (1 + 1e-5) for v in values) / len(rows)
            assert below <= share <= up_to + 1e-5, (key, x, share, below, up_to)


def power_again(rows, end_s, from_s, to_s):
    """Mean, least and largest power of a stretch of time, each row holding until the next."""
    joules, low, high = 0, math.inf, -math.inf
    for row, following in zip(rows, [*rows[1:], None]):
        a, b = max(from_s, float(row["time_s"])), min(to_s, float(following["time_s"]) if following else end_s)
        if b > a:
            watts = float(row["power_w"])
            joules, low, high = joules + watts * (b - a), min(low, watts), max(high, watts)
    return joules / (to_s - from_s), low, high


def power(folder):
    """Few rows as they are; of many, bins whose means keep the energy, and their extremes."""
    for words, binned in (([], False), (["--set", "workload.rate_per_s=0.2", "--set", "horizon=20h", "-n", 1], True)):
        out = folder / f"power{binned}"
        easim("run", SEED, "--policy", "fcfs", "--quiet", "--out", out, *words)
        levels = report(out)["policies"][0]["power"]
        rows = [r for r in rows_of(out / "power.csv") if r["replication"] == "1"]
        assert levels["rows"] == len(rows) and (len(levels["levels"]) > 1) == binned == (len(rows) > 3000)
        if not binned:
            assert all(math.isclose(float(r["power_w"]), w, rel_tol=6e-5)
                       for r, w in zip(rows, levels["levels"][0]["power_w"], strict=True))
            continue
        level, end_s = levels["levels"][0], levels["end_s"]
        for i in range(0, 600, 7):
            mean, low, high = power_again(rows, end_s, i * level["step_s"], (i + 1) * level["step_s"])
            got = level["power_w"][i], level["low_w"][i], level["high_w"][i]
            assert all(math.isclose(g, w, rel_tol=6e-5) for g, w in zip(got, (mean, low, high))), (i, got, mean, low, high)
        means = [sum(level["power_w"]) / 600, sum(levels["levels"][1]["power_w"]) / 6000]
        assert math.isclose(*means, rel_tol=1e-5), means


def enforced(folder):
    """Under an enforced cap: throttled GPUs as in power.csv, the jobs that lost most time, in order, and the rows of summary.csv and
    domains.csv. Without one the page has none of them."""
    run, = report(folder / "enforced")["policies"]
    rows = rows_of(folder / "enforced/power.csv")
    assert [int(row["throttled_gpus"]) for row in rows] == run["power"]["levels"][0]["throttled_gpus"] and any(run["power"]["levels"][0]["throttled_gpus"])
    jobs = sorted(rows_of(folder / "enforced/jobs.csv"), key=lambda row: -float(row["limit_lost_s"] or 0))
    assert [job["job"] for job in run["slowed"]] == [row["job_id"] for row in jobs[:10] if float(row["limit_lost_s"]) > 0] and run["slowed"]
    for job, row in zip(run["slowed"], jobs):
        assert [job[c] for c in ("limit_lost_s", "throttled_s", "exec_s")] == [float(row[c]) for c in ("limit_lost_s", "throttled_s", "exec_s")], job
    [summary] = rows_of(folder / "enforced/summary.csv")
    found = dict(zip(run["limits"]["columns"], run["limits"]["rows"][0]))
    assert all(found[c] == float(summary[c]) for c in ("throttled_gpu_h", "flex_broken", "capped_starts"))
    assert [row[2] for row in run["domains"]["rows"]] == ["left"] == [row["domain"] for row in rows_of(folder / "enforced/domains.csv")]
    assert any(c["name"] == "throttled" for c in run["waste"]) and "throttled" in run["blame"]["parts"]
    other = report(folder / "capped")["policies"][0]
    assert not {"slowed", "limits", "domains"} & other.keys() and "throttled_gpus" not in other["power"]["levels"][0]
    assert "throttled" not in other["blame"]["parts"]


def enforced_page(page, folder):
    """The page says it."""
    words = text_of(page, "#power").replace("\u202f", "")
    for text in ("What the enforced cap did", "below the power of their wish", "The jobs that the cap slowed most", "Power domains", "left"):
        assert text in words, (text, words)
    assert "throttled GPUs" in page.run("[...document.querySelectorAll('#power svg text')].map((t) => t.textContent)")
    slowed = page.run("[...document.querySelectorAll('#power table')].find((t) => t.innerText.includes('slowed by the cap')).querySelectorAll('tbody tr').length")
    assert slowed == len(data_of(folder / "enforced/report.html")["policies"][0]["slowed"]), slowed
    assert "throttled" in text_of(page, "#waste")


def comparison(folder):
    """Tables of the comparison as they are; every policy has its own figures."""
    data = report(folder / "compare")
    compare = data["comparison"]["compare"]
    rows = rows_of(folder / "compare/compare.csv")
    assert len(compare["rows"]) == len(rows)
    for got, row in zip(compare["rows"], rows):
        assert got == [row[c] if c in ("metric", "policy", "baseline") else number(row[c]) for c in compare["columns"]], row
    assert [p["name"] for p in data["policies"]] == ["fcfs", "zeus", "easy"] and data["manifest"]["baseline"] == "fcfs"
    assert all(p["curves"]["jobs"] > 0 and p["power"]["rows"] > 0 for p in data["policies"])
    for p in data["policies"]:  # the color and marker of easim plot
        assert f'X("{p["name"]}", "{p["color"]}", {p["marker"]})' in (SOURCE / "policies/colors.h").read_text(), p["name"]
    segments = rows_of(folder / "compare/segments.csv")
    for p in data["policies"]:
        energy = sum(float(r["energy_j"]) for r in segments if r["policy"] == p["name"] and r["replication"] == "1")
        assert math.isclose(sum(p["lanes"]["energy_j"]), energy, rel_tol=1e-5), p["name"]
    assert report(folder / "compare", "--policy", "easy")["shown"] == "easy"
    assert report(folder / "compare", "--replication", "2")["policies"][1]["lanes"]["jobs"]["id"]


def bounded(folder):
    """What no schedule is below, where it is one figure for all policies: none under a horizon."""
    easim("compare", TINY, "--policies", "fcfs,zeus,easy", "--bound", "--quiet", "--out", folder / "bounded")
    means = {row["metric"]: float(row["bound"]) for row in rows_of(folder / "bounded/bounds.csv") if row["replication"] == "mean"}
    assert report(folder / "bounded")["comparison"]["bounds"] == means and len(means) == 2
    easim("compare", TINY, "--set", "horizon=10h", "--policies", "fcfs,zeus", "--bound", "--quiet", "--out", folder / "to 10h")
    assert report(folder / "to 10h")["comparison"]["bounds"] == {}
    assert data_of(folder / "compare/report.html")["comparison"]["bounds"] == {}


def same_again(folder):
    """The same results give the same page, and results stay results."""
    before = (folder / "run/report.html").read_bytes()
    easim("report", folder / "run")
    why = "These results were not recorded (option record, or record: true in the scenario): what every GPU did is not known."
    assert data_of(folder / "run/report.html")["policies"][0]["absent"]["lanes"] == why
    assert (folder / "run/report.html").read_bytes() == before
    assert easim("run", folder / "run/manifest.json").stdout.strip() == "equal"
    easim("report", folder / "run", "--out", folder / "pages/new", "--quiet")
    assert [p.name for p in (folder / "pages/new").iterdir()] == ["report.html"]


def needs_nothing(folder):
    """No address that a browser would ask for, nothing that is loaded; D3 with its notice of licence."""
    text = (folder / "run/report.html").read_text(encoding="utf-8")
    elements = Elements(text)
    for tag, attributes in elements.tags:
        assert "src" not in attributes and tag not in ("link", "iframe", "object", "embed", "base"), (tag, attributes)
        assert attributes.get("href", "#").startswith("#"), attributes
    assert "url(" not in text.split("</style>")[0] and "@import" not in text.split("</style>")[0]
    assert "Copyright" in D3.read_text(encoding="utf-8").splitlines()[0] and D3.read_text(encoding="utf-8").splitlines()[0] in text
    assert len(elements.scripts) == 3 # D3, the data, the page's own


# ---- recorded runs ---------------------------------------------------------------------------------------------------

def gpu_places(text):
    """(node, gpu) of "3:0-3;4:0-1" or of "3:2/1"."""
    for part in text.split(";"):
        node, gpus = part.split(":")
        first, _, last = gpus.split("/")[0].partition("-")
        yield from ((int(node), gpu) for gpu in range(int(first), int(last or first) + 1))


def lanes(folder):
    """Every segment that holds GPUs, on the GPUs of segments.csv; GPUs asleep and failed as in gpus.csv."""
    policy = report(folder / "recorded")["policies"][0]
    got, rows = policy["lanes"], [r for r in rows_of(folder / "recorded/segments.csv") if r["kind"] != "queued"]
    first = {node: lane for lane, _, _, node in got["nodes"]}
    expected = sorted((r["job_id"], round(float(r["start_s"]), 3), r["kind"], r["gpu_type"],
                       tuple(sorted(first[node] + gpu for node, gpu in gpu_places(r["nodes"])))) for r in rows if r["nodes"])
    kinds = ["setup", "run", "checkpoint", "lost"]
    held = lambda i: tuple(sorted(lane for p in range(got["place"][i], got["place"][i + 1], 2)
                                  for lane in range(got["gpus"][p], got["gpus"][p] + got["gpus"][p + 1])))
    seen = sorted((got["jobs"]["id"][j], round(got["start_s"][i], 3), kinds[got["kind"][i]], got["types"][got["type"][i]], held(i))
                  for i, j in enumerate(got["job"]) if held(i))
    assert seen == expected and got["segments_all"] == len(rows) > 100
    assert math.isclose(sum(got["energy_j"]), sum(float(r["energy_j"]) for r in rows), rel_tol=1e-5)
    rests = [r for r in rows_of(folder / "recorded/gpus.csv") if r["state"] in ("asleep", "failed")]
    seconds = lambda kind: sum((float(r["end_s"]) - float(r["start_s"])) * len(list(gpu_places(f"{r['node']}:{r['gpu']}")))
                               for r in rests if r["state"] == kind)
    for place, kind in ((1, "asleep"), (2, "failed")):
        mine = sum(n * s for n, s, state in zip(got["rest"]["count"], got["rest"]["length_s"], got["rest"]["state"]) if state == place)
        assert math.isclose(mine, seconds(kind), rel_tol=1e-5) and mine > 0, kind
    jobs = {r["job_id"]: r for r in rows_of(folder / "recorded/jobs.csv")}
    for i, name in enumerate(got["jobs"]["id"]):
        assert (got["jobs"]["user"][i], got["jobs"]["model"][i]) == (jobs[name]["user"], jobs[name]["model"])
        assert got["jobs"]["jct_s"][i] is None or math.isclose(got["jobs"]["jct_s"][i], float(jobs[name]["jct_s"]), abs_tol=1.001e-3)


def heat(folder):
    """Cells add up: GPU time that jobs held, and the energy of all GPUs, classes to the energy of the cluster."""
    policy = data_of(folder / "recorded/report.html")["policies"][0]
    summary = rows_of(folder / "recorded/summary.csv")[0]
    joules = {c["name"]: c["j"] for c in policy["waste"]}
    assert math.isclose(sum(joules.values()), float(summary["energy_kwh"]) * 3.6e6, rel_tol=1e-9)
    gpus = (float(summary["energy_kwh"]) - float(summary["energy_base_kwh"])) * 3.6e6
    held = sum(float(r["gpu_s"]) for r in rows_of(folder / "recorded/jobs.csv"))
    counts = [row[1] for row in policy["heat"]["rows"] for _ in range(policy["heat"]["columns"])]
    step_s = policy["heat"]["end_s"] / policy["heat"]["columns"]
    for key, expected in (("occupancy", held), ("power_w", gpus), ("useful_w", joules["useful"])):
        got = sum(s / 4095 * n for s, n in zip(policy["heat"][key], counts, strict=True)) * step_s * policy["heat"]["most"][key]
        assert math.isclose(got, expected, rel_tol=2e-4), (key, got, expected)
    assert policy["heat"]["columns"] in (960, 3840)
    assert policy["insights"]["manifest_sha256"] == data_of(folder / "recorded/report.html")["manifest_sha256"]


def attribution(folder):
    """Nodes add up to what is above them, all to the energy of the cluster; users have what users.csv says."""
    a = data_of(folder / "recorded/report.html")["policies"][0]["attribution"]
    nodes, energy = a["nodes"], float(rows_of(folder / "recorded/summary.csv")[0]["energy_kwh"]) * 3.6e6
    below = {}
    for i, parent in enumerate(nodes["parent"]):
        if i > 0:
            below.setdefault(parent, []).append(i)
    assert math.isclose(nodes["energy_j"][0], energy, rel_tol=1e-5) and a["path"] == ["user", "model", "job"]
    for parent, children in below.items():
        for key in ("energy_j", "gpu_s"):
            assert math.isclose(sum(nodes[key][c] for c in children), nodes[key][parent], rel_tol=1e-4), (parent, key)
    expected = {r["user"]: float(r["energy_kwh"]) * 3.6e6 for r in rows_of(folder / "recorded/users.csv")}
    got = {nodes["name"][c]: nodes["energy_j"][c] for c in below[0] if not nodes["name"][c].startswith("no job")}
    assert got.keys() == {u for u, j in expected.items() if j > 0}
    assert all(math.isclose(got[u], expected[u], rel_tol=1e-5) for u in got)


def services(folder):
    """The reservation of test_services.py: 380000 tokens from 260 to 450 s, at 2000 a second; ready to 570 s; b reserves from 100 s."""
    place = folder / "services"
    place.mkdir()
    (place / "jobs.csv").write_text(serving.JOBS)
    chat = serving.service('"<b>chat"', serving.course(place, "d.csv", serving.LATE), 0, 1,
                           more=", start_s: 10s, scaling: {interval: 30s, down_after: 60s}")
    out = serving.run(place, ["{kind: trace, file: jobs.csv}", chat], k=2, nodes="[{count: 1, gpu: g, gpus: 2}]", horizon="drain",
                      options=("--record",))
    policy = report(out)["policies"][0]
    [row] = [dict(zip(policy["services"]["columns"], r)) for r in policy["services"]["rows"]]
    assert (row["service"], row["tokens_served"], row["slo_share"]) == ("<b>chat", 380000, 0), row
    [curves], step = policy["service_curves"]["services"], policy["service_curves"]["step_s"]
    assert curves["name"] == "<b>chat" and curves["unit"] == "tokens" and len(curves["served"]) == 600
    assert math.isclose(sum(curves["served"]) * step, 380000, rel_tol=1e-4)
    assert math.isclose(sum(curves["capacity"]) * step, 2000 * 310, rel_tol=1e-4)
    assert math.isclose(sum(curves["replicas"]) * step, 310, rel_tol=1e-4)
    assert max(curves["served"]) == max(curves["capacity"]) == 2000
    lanes = policy["lanes"]
    mine = [(lanes["kind"][i], lanes["start_s"][i], lanes["length_s"][i]) for i, j in enumerate(lanes["job"]) if lanes["jobs"]["id"][j] == "<b>chat#1"]
    assert mine == [(5, 250, 10), (6, 260, 190), (6, 450, 120)], mine
    assert [(lanes["rest"]["state"][i], lanes["rest"]["start_s"][i], lanes["rest"]["length_s"][i]) for i in range(len(lanes["rest"]["state"]))] == [
        (3, 100, 150)], lanes["rest"]
    assert policy["absent"].keys() == {"power", "curves", "users"}
    plain = data_of(folder / "recorded/report.html")["policies"][0]
    assert plain["services"] is None and plain["service_curves"] is None


# ---- several runs, a sweep -------------------------------------------------------------------------------------------

def job_times(policy, run):
    """The parts of a job's time add up to it, the sums to those of all jobs; what missed its deadline has a cause and by how much."""
    blame, rows = policy["blame"], [r for r in rows_of(run / "jobs.csv") if r["replication"] == "1"]
    [summary] = [r for r in rows_of(run / "summary.csv") if r["replication"] == "1"]
    assert policy["jobs"]["id"] == [r["job_id"] for r in rows] and policy["jobs"]["all"] == len(rows)
    end_s, late = float(summary["sim_s"]), 0
    for row, parts, (cause, late_s) in zip(rows, blame["of_s"], blame["missed"], strict=True):
        assert math.isclose(sum(parts), float(row["jct_s"] or end_s - float(row["submit_s"])), rel_tol=1e-5, abs_tol=5e-3), (row, parts)
        assert (cause is None) == (row["missed"] != "1"), (row, cause)
        assert (late_s is None) == (cause is None or row["finish_s"] != ""), (row, late_s)  # else it follows from the finish
        late += bool(cause and row["finish_s"])
    for place, total in enumerate(blame["sums_s"]):
        assert math.isclose(total, sum(parts[place] for parts in blame["of_s"]), rel_tol=1e-4, abs_tol=1e-3), place
    return late


def several(folder):
    """Runs beside each other, each with its own record, models and hash; only the one with a cap makes jobs wait for it."""
    data = data_of(folder / "several/report.html")
    assert data["comparison"] is None and [Path(p["name"]).name for p in data["policies"]] == ["capped", "free"]
    late = 0
    for p, name in zip(data["policies"], ("capped", "free")):
        late += job_times(p, folder / name)
        assert p["sha256"] == hashlib.sha256((folder / name / "manifest.json").read_bytes()).hexdigest() and p["manifest"] == json_of(folder / name / "manifest.json")
        assert p["lanes"]["job"] and p["physics"], name
        assert [dict(zip(p["series"]["columns"], r))["price_per_mwh"] for r in p["series"]["rows"]][:1] == [87.5]
    capped, free = (p["blame"]["sums_s"][p["blame"]["parts"].index("capped")] for p in data["policies"])
    assert capped > 3600 and free == 0 and late > 0, (capped, free, late)
    assert data["policies"][0]["start_s"] == 1748757600 == data["policies"][1]["start_s"]  # 2025-06-01T06:00Z
    easim("report", folder / "capped", folder / "free", "--verify", "none", cwd=folder, prints="report: ./report.html\n")
    assert data_of(folder / "report.html")["policies"] == data["policies"]


def swept(folder):
    """A sweep's rows are those of its file."""
    rows, sweep = rows_of(folder / "swept/sweep.csv"), data_of(folder / "swept/report.html")["sweep"]
    assert len(rows) == 12 and sweep["columns"] == list(rows[0])
    for row, got in zip(rows, sweep["rows"], strict=True):
        for name, cell in zip(sweep["columns"], got, strict=True):
            assert cell == (row[name] if name in ("run_id", "policy", "policy.name", "warning") else number(row[name])), (name, cell, row[name])


# ---- hostile names, bad folders --------------------------------------------------------------------------------------

def hostile_run(folder):
    """A recorded run whose scenario, jobs, users and labels have such names; the names."""
    quoted = ['"' + n.replace('"', '""') + '"' for n in HOSTILE]
    lines = [f"{n},{i * 10},{n},,,{60 + i},{60 + i},1,,,,,{n}" for i, n in enumerate(quoted)]
    write(folder / "hostile.csv", "job_id,submit_s,user,model,work_samples,duration_s,requested_s,gpus,batch,gpu_type,deadline_s,"
                                  "class,label.product\n" + "\n".join(lines) + "\n")
    write(folder / "hostile.yaml",
          "name: \"<img src=x onerror=window.pwned=1>\\n<b>\"\nhorizon: drain\nrecord: true\ncluster:\n"
          "  gpu_types: [{name: \"a<b>100\", idle_w: 50, tdp_w: 400}]\n  nodes: [{gpu: \"a<b>100\", gpus: 2}]\n"
          "policy: {name: fcfs}\nworkload: {kind: trace, file: hostile.csv}\n")
    return HOSTILE


def hostile(folder):
    """Names of any sort are text: the page has the same elements as one of harmless names."""
    names = hostile_run(folder)
    easim("run", folder / "hostile.yaml", "--quiet", "--out", folder / "hostile")
    data = report(folder / "hostile")
    users = data["policies"][0]["users"]
    assert sorted(dict(zip(users["columns"], r))["user"] for r in users["rows"]) == sorted(names)
    text = (folder / "hostile/report.html").read_text(encoding="utf-8")
    own = Elements(text)
    assert [t for t in own.tags] == [t for t in Elements((folder / "run/report.html").read_text(encoding="utf-8")).tags]
    assert re.fullmatch("[A-Za-z0-9+/]+=*", packed_of(folder / "hostile/report.html"))


def refused(folder):
    """Damaged, foreign and half-written folders: one line, and no page."""
    easim("models", SEED, "--quiet", "--out", folder / "models")
    bad = {"foreign": None, "models": None}
    (folder / "foreign").mkdir()
    write(folder / "foreign/notes.txt", "x\n")
    for name, harm in (("changed", lambda d: (d / "jobs.csv").write_text("job\n1\n")), ("cut", lambda d: cut(d / "power.csv")),
                       ("missing", lambda d: (d / "users.csv").unlink()), ("half", lambda d: (d / "manifest.json").unlink()),
                       ("no_json", lambda d: (d / "manifest.json").write_text("{"))):
        shutil.copytree(folder / "run", folder / name, ignore=shutil.ignore_patterns("report.html"))
        harm(folder / name)
        bad[name] = None
    shutil.copytree(folder / "hostile", folder / "no_runs", ignore=shutil.ignore_patterns("report.html"))
    no_runs(folder / "no_runs")
    bad["no_runs"] = None
    for name in bad:
        before = sorted(p.name for p in (folder / name).iterdir())
        done = easim("report", folder / name, code=2)
        assert done.stderr.count("\n") == 1 and name in done.stderr and not done.stdout, done
        assert sorted(p.name for p in (folder / name).iterdir()) == before, name
    places = [folder / name for name in "abcdefghijklm"]
    for folders, says in (([folder / "run", folder / "run/"], f"{folder}/run: the same folder as {folder}/run"),
                          ([folder / "run", folder / "compare"], f"{folder}/compare: several folders must be runs: aggregate.csv is missing"),
                          ([folder / "recorded", folder / "swept"], f"{folder}/swept: several folders must be runs: aggregate.csv is missing"),
                          ([folder / "run", folder / "nowhere"], f"{folder}/nowhere: cannot open folder"), (places, f"{folder}/m: expected at most 12 folders, got 13"),
                          ([folder / "run", folder / "cut"], f"{folder}/cut/power.csv"), ([folder / "swept", "--policy", "fcfs"], f"{folder}/swept: a sweep has no policy"),
                          ([folder / "swept", "--replication", 2], f"{folder}/swept: a sweep has no policy or replication to show"),
                          ([folder / "run", folder / "recorded", "--replication", 2], f"{folder}/recorded: there is no replication 2")):
        done = easim("report", *folders, "--out", folder / "nothing", code=2)
        assert done.stderr.startswith(f"easim: {says}") and done.stderr.count("\n") == 1 and not (folder / "nothing").exists(), done
    for words in (["--d3", folder / "none.js"], ["--d3", TINY], ["--policy", "nobody"], ["--replication", 99]):
        done = easim("report", folder / "run", "--out", folder / "nothing", *words, code=2)
        assert done.stderr.count("\n") == 1 and not (folder / "nothing").exists(), done


def no_runs(folder):
    """A recorded folder whose manifest agrees that there are none in it."""
    head = (folder / "recorded.csv").read_bytes().splitlines(keepends=True)[0]
    (folder / "recorded.csv").write_bytes(head)
    manifest = json_of(folder / "manifest.json")
    entry = next(e for e in manifest["results"] if e["file"] == "recorded.csv")
    entry |= {"bytes": len(head), "sha256": hashlib.sha256(head).hexdigest()}
    write(folder / "manifest.json", json.dumps(manifest))


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


# ---- in a browser ----------------------------------------------------------------------------------------------------

def quiet(page):
    errors = [e for e in page.errors if "willReadFrequently" not in e]  # a hint about this test's own reading of pixels
    assert not errors, errors
    outside = [r for r in page.requests if not r.startswith("file:")]
    assert not outside and len(page.requests) > 0, outside


def box_of(page, selector):
    page.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center', behavior: 'instant'}})")
    page.settle()
    return page.run(f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                    " return [b.x, b.y, b.width, b.height]; })()")


def text_of(page, selector):
    return page.run(f"document.querySelector({json.dumps(selector)}).innerText")


def tip(page):
    return page.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText")


def structure(page):
    """Landmarks, one first heading, a section for each entry of the contents, names for what has a focus."""
    assert page.run("document.querySelectorAll('h1').length") == 1
    assert page.run("['header', 'nav', 'main', 'footer'].every((t) => document.querySelectorAll('body > ' + t + ', .columns > ' + t).length === 1)")
    assert page.run("[...document.querySelectorAll('nav a')].every((a) => document.querySelector(a.getAttribute('href')))")
    assert page.run("document.querySelectorAll('main > section').length === document.querySelectorAll('nav a').length")
    nameless = page.run("[...document.querySelectorAll('button, select, [tabindex=\"0\"]')].filter((e) => !(e.getAttribute('aria-label') || "
                        "e.textContent.trim() || e.closest('label'))).map((e) => e.outerHTML.slice(0, 100))")
    assert nameless == [], nameless
    assert page.run("[...document.querySelectorAll('main figure svg')].every((s) => s.getAttribute('aria-label') || s.getAttribute('aria-hidden'))")
    levels = page.run("[...document.querySelectorAll('main h2, main h3, main h4')].map((h) => +h.tagName[1])")
    assert levels[0] == 2 and all(b - a <= 1 for a, b in zip(levels, levels[1:])), levels


def summary_words(page, folder):
    """The paragraph says what the comparison's terminal says: the change of a skewed metric by geometric means (outputs.md),
    and how much the end left unfinished."""
    lead, zeus = text_of(page, ".lead").replace("\u00a0", " "), folder / "compare/zeus"
    row = next(r for r in rows_of(folder / "compare/compare.csv") if (r["metric"], r["policy"]) == ("jct_restricted_mean_s", "zeus"))
    assert "Under zeus," in lead and f"{100 * abs(float(row['ratio_geo']) - 1):.3g} % lower (geometric means" in lead, lead
    rows = rows_of(zeus / "summary.csv")
    left, all_work = (sum(float(r[c]) for r in rows) for c in ("work_unfinished_gpu_h", "work_submitted_gpu_h"))
    assert f"The end left {100 * left / all_work:.2g} % of the submitted work unfinished" in lead, lead


def one_unit(page):
    """A column of the attribution has one unit, in its head."""
    heads = page.run("[...document.querySelectorAll('#attribution thead th')].map((e) => e.innerText.split('\\n').pop())")
    assert heads[1] == "kWh" and heads[2] == "GPU h", heads
    cells = page.run("[...document.querySelectorAll('#attribution tbody td')].map((e) => e.innerText)")
    assert not any("kJ" in c or "Wh" in c for c in cells), cells


def zooming(page):
    """Buttons, wheel and keys move all charts over time together."""
    shown = lambda: text_of(page, "#power .shown-time")
    assert "the whole run" in shown(), shown()
    page.run("document.querySelector('#power button[aria-label=\"zoom in\"]').click()")
    page.settle()
    zoomed = shown()
    assert " to " in zoomed, zoomed
    x, y, width, height = box_of(page, "#power .surface")
    page.mouse("mouseWheel", x + width / 2, y + height / 2, deltaX=0, deltaY=-240, modifiers=2)
    page.settle()
    assert shown() not in (zoomed, ""), shown()
    page.run("document.querySelector('#power .surface').focus()")
    before = shown()
    page.key("ArrowRight")
    assert shown() != before
    page.key("0", "0")
    assert "the whole run" in shown()


def tooltips(page):
    x, y, width, height = box_of(page, "#power .surface")
    page.mouse("mouseMoved", x + width / 2, y + height / 2)
    page.settle()
    assert "power" in tip(page) and "W" in tip(page), tip(page)
    page.mouse("mouseMoved", 2, 2)
    page.settle()
    assert tip(page) == ""


def switching(page):
    """Another policy: its name, its figures, no trace of the first one's."""
    said = set()
    for place, policy in enumerate(page.run("[...document.querySelectorAll('#policy option')].map((o) => o.textContent)")):
        page.run(f"(() => {{ const s = document.getElementById('policy'); s.value = '{place}'; s.dispatchEvent(new Event('change')); }})()")
        page.settle()
        assert f"Under {policy}," in text_of(page, ".lead"), text_of(page, ".lead")
        said.add(text_of(page, ".lead").replace(policy, ""))
    assert len(said) == place + 1 > 1
    for theme in ("dark", "light", "auto"):
        page.run(f"(() => {{ const s = document.getElementById('theme'); s.value = '{theme}'; s.dispatchEvent(new Event('change')); }})()")
        page.settle()
    paper = page.run("(() => { const s = document.getElementById('theme'); const seen = ['dark', 'light'].map((t) => { s.value = t; "
                     "s.dispatchEvent(new Event('change')); return getComputedStyle(document.body).backgroundColor; }); return seen; })()")
    assert paper[0] != paper[1], paper


def choose(page, label, text):
    """Chooses in the select of the timeline with that label."""
    page.run(f"""(() => {{ const s = [...document.querySelectorAll('#timeline label')].find((l) => l.textContent.startsWith({json.dumps(label)}))
        .querySelector('select'); s.value = [...s.options].find((o) => o.textContent === {json.dumps(text)}).value;
        s.dispatchEvent(new Event('change')); }})()""")
    page.settle()


def colours_of(page, selector):
    """How many pixels a canvas has of each colour."""
    return page.run(f"""(() => {{ const c = document.querySelector({json.dumps(selector)}), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const seen = {{}}; for (let i = 0; i < d.length; i += 4) {{ const k = d[i] + ',' + d[i + 1] + ',' + d[i + 2]; seen[k] = (seen[k] || 0) + 1; }}
        return seen; }})()""")


def timeline(page):
    """Filters make all others pale and say how many jobs match; tips and keys tell of a segment; levels of zoom differ."""
    all_users = colours_of(page, "#timeline canvas")
    users = page.run("[...[...document.querySelectorAll('#timeline label')].find((l) => l.textContent.startsWith('User')).querySelectorAll('option')].map((o) => o.textContent)")
    assert len(users) > 2 and users[0] == "all"
    choose(page, "User", users[1])
    assert "the filters" in text_of(page, "#timeline figcaption"), text_of(page, "#timeline figcaption")
    filtered = colours_of(page, "#timeline canvas")
    assert len(filtered) < len(all_users), (len(filtered), len(all_users))
    box_of(page, "#timeline .surface")  # where it stays: scrolling hides the tip
    page.run("document.querySelector('#timeline .surface').focus()")
    page.settle()
    page.key("n", "n")
    assert f"user {users[1]}" in tip(page).replace("\n", " "), tip(page)
    assert re.match(r"job \S+\n", tip(page)), tip(page)
    page.key("Escape")
    assert tip(page) == ""
    choose(page, "User", "all")
    choose(page, "Colored by", "what it does")
    assert "set-up" in text_of(page, "#timeline .legend")
    x, y, width, height = box_of(page, "#timeline .surface")
    told = set()
    for step in range(1, 20):
        page.mouse("mouseMoved", x + width * step / 20, y + height * ((step * 7) % 20 + 0.5) / 20)
        page.settle()
        told.add(tip(page).split("\n")[0].split(" ")[0])
    assert "job" in told, told
    before = colours_of(page, "#heat canvas")
    page.run("(() => { const s = document.querySelector('#heat select'); s.value = 'power_w'; s.dispatchEvent(new Event('change')); })()")
    page.settle()
    assert colours_of(page, "#heat canvas") != before
    for _ in range(4):
        page.key("+", "+")
    page.run("document.querySelector('#timeline button[aria-label=\"zoom in\"]').click()")
    page.settle()
    assert " to " in text_of(page, "#timeline .shown-time")


def drilling(page):
    """Enter goes into a bar of the icicle, and back on the uppermost one."""
    first = text_of(page, "#attribution .crumbs")
    user = page.run("[...document.querySelectorAll('#attribution tbody th button')].map((b) => b.innerText)[0]")
    page.run("document.querySelectorAll('#attribution .icicle g[role=button]')[0].focus()")
    page.key("Enter")
    assert f"user {user}" in text_of(page, "#attribution .crumbs"), text_of(page, "#attribution .crumbs")
    assert page.run("document.querySelector('#attribution thead th').innerText") == "model"
    page.key("Enter")
    assert text_of(page, "#attribution .crumbs") == first


def keyboard(page):
    """The tab key reaches the controls in the order in which they stand, and a chart."""
    seen = []
    for _ in range(400):
        page.key("Tab")
        seen.append(page.run("(() => { const e = document.activeElement; return e.id || e.className && e.className.baseVal === undefined && e.className || e.tagName; })()"))
        if "surface" in seen:
            break
    assert seen[0] == "skip" and seen.index("policy") < seen.index("theme") < seen.index("print") < seen.index("surface"), seen


def tables_behind(page):
    """Every table behind a figure opens and has rows."""
    page.run("document.querySelectorAll('main details').forEach((d) => { d.open = true; })")
    page.settle()
    page.settle()
    empty = page.run("[...document.querySelectorAll('main details')].filter((d) => !d.querySelector('tbody tr') && !d.querySelector('article'))"
                     ".map((d) => d.innerText.slice(0, 80))")
    assert empty == [], empty


def fits(page, narrow=lambda page: None):
    """No width needs to scroll the page sideways; what else holds of a narrow one."""
    for width in (1280, 420):
        page.size(width, 900)
        page.settle()
        page.settle()
        assert page.run("document.documentElement.scrollWidth") <= width, width
    narrow(page)
    page.size(1280, 900)
    page.settle()


def shading(page):
    """Two strips, left of the least energy and below the least completion time, and no mark on them."""
    strips = page.run("[...document.querySelectorAll('rect.unreached')].map((e) => e.getBoundingClientRect().toJSON())")
    left, below = strips
    marks = page.run("[...document.querySelector('rect.unreached').parentNode.querySelectorAll('g.series > path')]"
                     ".map((e) => e.getBoundingClientRect().toJSON())")
    assert left["width"] > 5 and below["height"] > 5 and left["left"] == below["left"] and len(marks) == 3, strips
    for mark in marks:
        assert mark["left"] + mark["width"] / 2 > left["right"] and mark["top"] + mark["height"] / 2 < below["top"], (mark, strips)
    assert "Shaded: no schedule of these jobs is there." in page.run("document.body.innerText")


def chart_window(page, chart):
    """The stretch of time that a chart shows, from two of its ticks and their places."""
    ticks = page.run(f"[...document.querySelectorAll('{chart} .axis .tick')].map((t) => [t.getBoundingClientRect().x + t.getBoundingClientRect().width / 2, t.textContent])")
    box = page.run(f"document.querySelector('{chart}').getBoundingClientRect().toJSON()")
    (x0, t0), (x1, t1) = ((x, float(t)) for x, t in (ticks[0], ticks[-1]))
    per_pixel = (t1 - t0) / (x1 - x0)
    return t0 - (x0 - box["left"] - 62) * per_pixel, t1 + (box["right"] - 16 - x1) * per_pixel  # the margins of time.js


def windows(page):
    """What a chart shows is what is listed as shown, at any width of the page."""
    for width in (1400, 420, 1280):
        page.size(width, 900)
        page.run("document.querySelector('#power button[aria-label=\"show the whole run\"]').click()")
        for _ in range(3):
            page.run("document.querySelector('#power button[aria-label=\"zoom in\"]').click()")
        page.run("document.querySelector('#power button[aria-label=\"later\"]').click()")
        page.settle()
        page.settle()
        listed = [float(t.split()[0]) for t in text_of(page, "#power .shown-time").removeprefix("Shown: ").split(" of ")[0].split(" to ")]
        shown = chart_window(page, "#power figure svg")
        assert all(abs(a - b) < 0.03 * (listed[1] - listed[0]) for a, b in zip(listed, shown)), (width, listed, shown)
    page.run("document.querySelector('#power button[aria-label=\"show the whole run\"]').click()")


def cues(page):
    """A table that is wider than its place says so, and no other."""
    seen = set()
    for width in (420, 1400):
        page.size(width, 900)
        page.settle()
        page.settle()
        for wide, hidden, what in page.run("[...document.querySelectorAll('main .cue')].filter((c) => c.nextSibling.innerText)"
                                     ".map((c) => [c.nextSibling.scrollWidth > c.nextSibling.clientWidth + 1, c.hidden, c.nextSibling.innerText.slice(0, 60)])"):
            assert wide != hidden, (width, what)
            seen.add((width, wide))
    assert (420, True) in seen and (1400, False) in seen, seen


def find(page, text):
    page.run(f"(() => {{ const s = document.getElementById('search'); s.value = {json.dumps(text)}; s.dispatchEvent(new Event('input')); }})()")
    return page.run("[...document.querySelectorAll('#found li')].map((l) => l.innerText)")


def five_answers(page, folder):
    """The five questions as headings, each with its answer: that of the results, computed again."""
    text = text_of(page, "#answers").replace("\u00a0", " ").replace("\u202f", "")
    heads = page.run("[...document.querySelectorAll('#answers h3')].map((h) => h.innerText)")
    assert heads == ["Why was a job late?", "What did the power cap cost?", "Which policy suits my price?", "Who used most?", "What is assumed?"], heads
    data = data_of(folder / "several/report.html")["policies"][0]
    parts, sums = data["blame"]["parts"], data["blame"]["sums_s"]
    assert f"For {sums[parts.index('capped')] / 3600:.3g} job hours of waiting" in text and "only the cap kept it from starting" in text, text
    latest = max((late or (float(r["finish_s"]) - float(r["deadline_s"]) if cause and r["finish_s"] else 0), r["job_id"])
                 for r, (cause, late) in zip(rows_of(folder / "capped/jobs.csv"), data["blame"]["missed"]))
    assert f"Job {latest[1]} of user" in text and "It missed its deadline by" in text, (latest, text)
    means = [{r["metric"]: number(r["mean"]) for r in rows_of(folder / name / "aggregate.csv")} for name in ("capped", "free")]
    waits = [f"{m['wait_mean_s'] / 60:.3g} min" for m in means]
    assert f"Under capped a job that started had waited {waits[0]} on average, without the cap {waits[1]}." in text, (waits, text)
    before, after = ({r["user"]: float(r["jct_mean_s"]) for r in rows_of(folder / name / "users.csv") if r["replication"] == "1" and r["jct_mean_s"]} for name in ("free", "capped"))
    changes = sorted((after[u] - before[u], u) for u in after if u in before)
    assert re.search(rf"the largest change is that of {changes[-1][1]} \(.*, the least that of {changes[0][1]} \(", text), (changes, text)
    late_jobs(page, folder)
    assert "one replication" in text_of(page, "#uncertainty") and "easim compare" in text_of(page, "#uncertainty pre") and "--policies " in text_of(page, "#uncertainty pre")
    change = means[0]["jct_restricted_mean_s"] / means[1]["jct_restricted_mean_s"] - 1
    assert f"(+{100 * change:.3g} %)" in text, (change, text)
    minutes = [m["jct_restricted_mean_s"] / 60 for m in means]
    assert f"capped against free, without a cap: completion time, restricted mean {minutes[1]:.3g} min to {minutes[0]:.3g} min (+{100 * change:.3g} %)" in text, (minutes, text)
    users = [r for r in rows_of(folder / "capped/users.csv") if r["replication"] == "1"]
    most = max(users, key=lambda r: float(r["energy_kwh"]))
    assert f"User {most['user']}: {100 * float(most['energy_kwh']) / sum(float(r['energy_kwh']) for r in users):.3g} % of the energy" in text, text
    assumed = json_of(folder / "capped/manifest.json")["assumptions"]
    assert all(line["text"] in text_of(page, "#answers") for line in assumed)
    count = sum(line["key"] != "models: evidence" for line in assumed)
    assert 0 < count < len(assumed) and f"\n{count} assumptions, each with" in text_of(page, "#answers"), (count, text_of(page, "#answers"))
    costs(page, means)
    assert find(page, "u1")[0] == "user u1" and find(page, "3")[0] == "job 3" and find(page, "job 3") == find(page, "3") and find(page, "no such")[0] == "0 matches"
    find(page, "3")
    page.run("document.querySelector('#found button').click()")
    page.settle()
    assert text_of(page, "#job-answer").startswith("Job 3 of user"), text_of(page, "#job-answer")
    find(page, "u1")
    page.run("document.querySelector('#found button').click()")
    page.settle()
    assert "user u1" in text_of(page, "#attribution .crumbs") and "the filters" in text_of(page, "#timeline figcaption")


def costs(page, means):
    """Energy at the price, unfinished work counted, and the hours of jobs: the order for a value of an hour, and from where on it turns."""
    def row(m):
        energy = m["cost"] * m["work_submitted_gpu_h"] / (m["work_submitted_gpu_h"] - m["work_unfinished_gpu_h"])
        return energy, m["jct_restricted_mean_s"] / 3600 * m["jobs_submitted"]
    rows = dict(zip(("capped", "free"), map(row, means)))
    for value in (0, 1e6):
        page.run(f"(() => {{ const i = document.querySelectorAll('#answers input')[1]; i.value = '{value}'; i.dispatchEvent(new Event('input')); }})()")
        order = page.run("[...document.querySelectorAll('#answers .scroll')].find((s) => s.innerText.includes('cost of both')).innerText").split("\n")
        names = [Path(line.split("\t")[0]).name for line in order if "\t" in line][1:]
        assert f"{names[0]} costs least at these numbers" in text_of(page, "#answers"), text_of(page, "#answers")
        assert names == sorted(rows, key=lambda name: rows[name][0] + value * rows[name][1]), (value, order, rows)
    cheap, quick = (min(rows, key=lambda name: rows[name][i]) for i in (0, 1))
    turn = (rows[quick][0] - rows[cheap][0]) / (rows[cheap][1] - rows[quick][1]) if cheap != quick else None
    said = f"If an hour is worth less than {turn:.3g}, {cheap} costs least; from there on {quick}." if turn else "It does so whatever an hour is worth."
    assert said in text_of(page, "#answers"), (said, text_of(page, "#answers"))


def typed_prices(page):
    """A wrong number takes the answer away until it is mended, whichever field is typed in; 87.5 is the price of all hours in made()."""
    def typed(field, value):
        page.run(f"(() => {{ const i = document.querySelectorAll('#answers input')[{field}]; i.value = '{value}'; i.dispatchEvent(new Event('input')); }})()")
        return text_of(page, "#answers").replace("\u00a0", " ")
    assert "paid 87.5 on average" in typed(1, 1) and "Its price never changed" in typed(1, 1) and "costs least at these numbers" in typed(1, 1)
    for field, value, wanted in ((1, "-1", "Expected the worth of an hour as a number from 0 on, got -1."), (1, "", "a number from 0 on, got none."),
                                 (0, "", "Expected the price of electricity as a number, got none."), (0, "90", "Expected the worth of an hour")):
        text = typed(field, value)
        assert wanted in text and "costs least at these numbers" not in text, (field, value, text)
    assert "costs least at these numbers" in typed(1, 2) and "Expected" not in typed(1, 2)


def price_curve(page, folder):
    """Of a price that changes the page says the mean that was paid and its span: those of summary.csv and of the scenario."""
    (folder / "prices.csv").write_text("time_s,price_per_mwh\n0,-10\n3600,120\n7200,40\n")
    for policy in ("fcfs", "easy"):
        easim("run", SEED, "-n", 1, "--record", "--quiet", "--policy", policy, "--out", folder / f"priced/{policy}", "--set", "horizon=3h", "--set",
              f"price_per_mwh={{file: {folder / 'prices.csv'}}}")
    easim("report", folder / "priced/fcfs", folder / "priced/easy", "--out", folder / "priced/page", "--quiet", "--verify", "none")
    page.open(folder / "priced/page/report.html")
    first, text = rows_of(folder / "priced/fcfs/summary.csv")[0], text_of(page, "#answers").replace("\u00a0", " ")
    assert f"paid {1000 * float(first['cost']) / float(first['energy_kwh']):.3g} on average" in text and "keeps its shape, from \u221210 to 120 before scaling" in text, text
    page.run("(() => { const i = document.querySelectorAll('#answers input')[0]; i.value = '-5'; i.dispatchEvent(new Event('input')); })()")
    assert "Expected the price of electricity as a number from 0 on, got -5." in text_of(page, "#answers")  # a curve turned upside down is another curve
    quiet(page)


def fairness_words(page, folder):
    """Each Jain index says what it compares; that of the shares themselves is computed again from users.csv."""
    held = [float(r["gpu_s"]) for r in rows_of(folder / "capped/users.csv") if r["replication"] == "1"]
    text = text_of(page, "#fairness")
    own = sum(held) ** 2 / len(held) / sum(h * h for h in held)
    assert f"(their own index is {own:.3g})" in text and "the lesser of its demand and its entitled share" in text, (own, text)


def cap_fits(page):
    """The widest table of the answers fits the page at a usual width, and shares change by points."""
    page.size(1400, 900)
    page.settle()
    page.settle()
    wide = page.run("[...document.querySelectorAll('#answers .scroll')].filter((s) => s.innerText.includes('cap in the way')).map((s) => [s.scrollWidth, s.clientWidth, s.innerText])")
    assert len(wide) == 1 and wide[0][0] <= wide[0][1], wide
    assert "points)" in wide[0][2], wide
    page.size(1280, 900)
    page.settle()


def price_and_calendar(page, folder):
    """The end of the sums is what summary.csv has; times are those of the calendar."""
    page.run("[...document.querySelectorAll('#power details')].forEach((d) => { d.open = true; })")
    page.settle()
    page.settle()
    rows = page.run("[...document.querySelectorAll('#power details')].pop().querySelector('tbody').innerText").replace("\u202f", "").split("\n")
    last = rows[-1].split("\t")
    summary = rows_of(folder / "capped/summary.csv")[0]
    assert math.isclose(float(last[-1]), float(summary["cost"]), rel_tol=1e-4) and last[0].startswith("2025-06-01 "), (last, summary["cost"])
    assert "time (UTC), from 2025-06-01 06:00 on" in text_of(page, "#timeline figure"), text_of(page, "#timeline figure")


def words_explained(page):
    """Words of the field and ours lead to their meanings; names that somebody wrote do not."""
    linked = page.run("[...document.querySelectorAll('a.word')].map((a) => [a.innerText.toLowerCase(), (document.querySelector(a.hash) || {innerText: ''}).innerText.toLowerCase(), "
                      "document.querySelector(a.hash).nextSibling.innerText === a.title && a.title.length > 10])")
    assert linked and all(word == head and same for word, head, same in linked), linked
    assert {"m0", "phi", "restricted mean", "replication", "jain index"} <= {word for word, _, _ in linked}, linked
    assert page.run("document.querySelectorAll('bdi a.word, pre a.word, button a.word').length") == 0


def one_count(page):
    """Summary and section name the same number of things to look at, and it is that of the articles."""
    said = [re.search(r"The rules found (\d+) things? to look at \((.*?)\)", text_of(page, place)) for place in (".lead", "#insights")]
    shown = page.run("[...document.querySelectorAll('#insights > article .severity')].map((s) => s.innerText.toLowerCase())")
    assert all(said) and said[0].group() == said[1].group() and int(said[0].group(1)) == len(shown) > 0, (said, shown)
    assert sum(int(part.split()[0]) for part in said[0].group(2).split(", ")) == len(shown), said


def late_jobs(page, folder):
    """The list has all late jobs but the one that is shown; of that its deadline, and the cap while it waited, as in power.csv."""
    rows = {r["job_id"]: r for r in rows_of(folder / "capped/jobs.csv") if r["replication"] == "1"}
    shown = text_of(page, "#job-answer").split()[1]
    others = {job for job, r in rows.items() if r["missed"] == "1"} - {shown}
    assert f"Other late jobs: {len(others)}" in text_of(page, "#job-answer"), (others, text_of(page, "#job-answer"))
    page.run("document.querySelector('#job-answer details').open = true")
    page.settle()
    assert set(page.run("[...document.querySelectorAll('#job-answer details tbody th')].map((h) => h.innerText)")) == others
    row, text = rows[shown], text_of(page, "#job-answer").replace("\u00a0", " ")
    after = (float(row["deadline_s"]) - float(row["submit_s"])) / 60
    assert re.search(rf"Its deadline was 2025-06-01 \S+, ({after:.3g} min|{after / 60:.3g} h) after submission", text), (after, text)
    begin, end = float(row["submit_s"]), float(row["start_s"] or 5 * 3600)
    power = [r for r in rows_of(folder / "capped/power.csv") if r["replication"] == "1"]
    ends = [float(r["time_s"]) for r in power[1:]] + [5 * 3600]
    held = [(r, min(end, to) - max(begin, float(r["time_s"]))) for r, to in zip(power, ends) if begin < to and float(r["time_s"]) < end]
    caps = sorted({float(r["cap_w"]) for r, _ in held})
    watts = lambda w: f"{w / 1000:.3g} kW" if w >= 2000 else f"{w:.3g} W"
    mean = sum(float(r["power_w"]) * t for r, t in held) / sum(t for _, t in held)
    assert end > begin and f"The power cap was {' to '.join(dict.fromkeys(map(watts, (caps[0], caps[-1]))))} while it waited, and the cluster drew {watts(mean)}" in text, (caps, mean, text)
    free = {r["job_id"]: r for r in rows_of(folder / "free/jobs.csv") if r["replication"] == "1"}
    choose = lambda place: page.run(f"(() => {{ const s = document.getElementById('policy'); s.value = '{place}'; s.dispatchEvent(new Event('change')); }})()")
    for job, r in rows.items():  # late before it started, and for its configuration; met without the cap
        find(page, job)
        page.run("document.querySelector('#found button').click()")
        words = text_of(page, "#job-answer")
        slower = "it ran in slower configurations than its fastest" in words
        assert ("it was late before it started, and then" in words) == (slower and float(r["start_s"]) > float(r["deadline_s"])), words
    choose(1)
    for job in [job for job, r in free.items() if r["missed"] == "0" and rows[job]["missed"] == "1"]:
        find(page, job)
        page.run("document.querySelector('#found button').click()")
        assert "It met its deadline; it was late in capped." in text_of(page, "#job-answer"), job
    choose(0)


def told_apart(page, folder):
    """Runs have the color of their policy (test_plot_crowded.py knows how far apart these are); those of one policy differ in dash and mark.
    A copy of a run coincides with it everywhere, which is drawn and said. All charts of a run have its mark."""
    shutil.copytree(folder / "compare/fcfs", folder / "twin")
    easim("report", folder / "compare/fcfs", folder / "compare/zeus", folder / "twin", "--out", folder / "twins")
    page.open(folder / "twins/report.html")
    runs = data_of(folder / "twins/report.html")["policies"]
    table = (SOURCE / "policies/colors.h").read_text()
    assert all(f'X("{p["manifest"]["policy"]["name"]}", "{p["color"]}", {p["marker"]})' in table for p in runs), runs
    looks = page.run("[...document.querySelectorAll('#times > .legend svg')].map((s) => [s.querySelector('line').getAttribute('stroke-dasharray'), "
                     "...['fill', 'stroke', 'd'].map((a) => s.querySelector('.mark path').getAttribute(a))].join())")
    assert len(looks) == len(set(looks)) == 3, looks
    names = page.run("[...document.querySelectorAll('#policies tbody th')].slice(0, 3).map((h) => h.innerText)")
    assert names == ["compare/fcfs", "compare/zeus", "twin"], names
    for place in ("#times figure", "#policies figure:last-of-type"):
        assert re.search(r"compare/fcfs and twin (coincide|are in one place)", text_of(page, "#times figure")), text_of(page, place)
    lines = page.run("[...document.querySelectorAll('#times figure svg')].map((s) => [...s.querySelectorAll('path.series')].map((p) => [p.getAttribute('d'), p.getAttribute('stroke-dasharray')]))")
    for drawn in lines:
        [first] = [i for i, (d, _) in enumerate(drawn) if [e[0] for e in drawn].count(d) == 2][:1]
        assert drawn[first][1] is None and drawn[first + 1] == [drawn[first][0], "7 7"], drawn  # one over the other, with gaps
    marks = page.run("[...document.querySelectorAll('#policies figure:first-of-type .mark path')].map((p) => [p.getAttribute('fill'), p.getAttribute('stroke')].join())")
    assert len(set(marks)) == 3 and len({marks.count(m) for m in marks}) == 1, marks
    sizes = page.run("[...document.querySelectorAll('#policies .chart')].pop().querySelectorAll('.mark path').values().map((p) => p.getBBox().width).toArray()")
    assert max(sizes) > 1.3 * min(sizes), sizes
    unpaired_differences(page, folder)
    quiet(page)


def caption_of(page, figure):
    return page.run(f"[...document.querySelectorAll('#policies figure')][{figure}].querySelector('figcaption').innerText")


def captions(page, intervals):
    """Captions speak of intervals and of a line where these are drawn."""
    assert ("95 %" in caption_of(page, 0)) == ("95 %" in caption_of(page, 1)) == intervals, caption_of(page, 1)
    drawn = page.run("(() => { const s = [...document.querySelectorAll('#policies figure svg')].pop(); return [s.querySelectorAll('g.series > line').length, s.querySelector('path[fill=none][stroke*=accent]').getTotalLength()]; })()")
    assert (drawn[0] > 0) == intervals and (drawn[1] > 0) == ("The line joins" in caption_of(page, 1)), (drawn, caption_of(page, 1))


def differences_shown(page, folder):
    """Each difference from the baseline with its interval, as compare.csv has it."""
    cells = page.run("[...document.querySelectorAll('#uncertainty tbody tr')].map((r) => [...r.children].map((c) => c.innerText))")
    heads = page.run("[...document.querySelectorAll('#uncertainty thead th')].map((h) => h.innerText.split('\\n')[0])")
    rows = {(r["metric"], r["policy"]): r for r in rows_of(folder / "compare/compare.csv")}
    assert [c[0] for c in cells] == ["zeus", "easy"], cells
    for cell in cells:
        row = rows["energy_kwh", cell[0]]
        if float(row["diff_mean"]) == 0:
            assert cell[heads.index("energy")] == "the same", cell
            continue
        got = [float(v.replace("\u2212", "-")) for v in re.findall("[\u2212\\d.]+", cell[heads.index("energy")])]
        assert math.isclose(got[0], float(row["diff_mean"]), rel_tol=0.05, abs_tol=0.1) and math.isclose(got[1], float(row["diff_ci95"]), rel_tol=0.05), (got, row)


def unpaired_differences(page, folder):
    """Of several runs half an interval is the root of the sum of squares of those of both."""
    rows = {name: {r["metric"]: r for r in rows_of(folder / f"compare/{name}/aggregate.csv")} for name in ("fcfs", "zeus")}
    half = math.hypot(*(float(rows[name]["energy_kwh"]["ci95"]) for name in rows))
    apart = float(rows["zeus"]["energy_kwh"]["mean"]) - float(rows["fcfs"]["energy_kwh"]["mean"])
    cells = page.run("[...document.querySelectorAll('#uncertainty tbody tr')].map((r) => r.innerText.split('\\t'))")
    heads = page.run("[...document.querySelectorAll('#uncertainty thead th')].map((h) => h.innerText.split('\\n')[0])")
    [got] = [re.findall("[\u2212\\d.]+", c[heads.index("energy")]) for c in cells if c[0] == "compare/zeus"]
    assert math.isclose(float(got[0].replace("\u2212", "-")), apart, rel_tol=0.05) and math.isclose(float(got[1]), half, rel_tol=0.05), (got, apart, half)


def whole_words(page):
    """On a narrow page no word of a table is broken, and no box that scrolls ends within a row."""
    broken = page.run("""(() => { const out = [];
        for (const cell of document.querySelectorAll('main th, main td')) {
          const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
          while (walker.nextNode())
            for (const found of walker.currentNode.data.matchAll(/[^\\s-]+/g)) {
              const range = document.createRange();
              range.setStart(walker.currentNode, found.index);
              range.setEnd(walker.currentNode, found.index + found[0].length);
              if (found[0].length < 20 && new Set([...range.getClientRects()].map((b) => Math.round(b.top))).size > 1) out.push(cell.innerText);
            }
        } return out; })()""")
    assert broken == [], broken
    cut = page.run("""[...document.querySelectorAll('main .scroll.tall')].filter((s) => s.innerText && s.scrollHeight > s.clientHeight + 12).map((s) =>
        Math.min(...[...s.querySelectorAll('tr')].map((r) => Math.abs(r.getBoundingClientRect().bottom - s.getBoundingClientRect().top - s.clientHeight))))""")
    assert cut and max(cut) < 2, cut
    assert page.run("[...document.querySelectorAll('main .scroll')].every((s) => s.scrollTop === 0)")
    page.call("Emulation.setEmulatedMedia", media="print")
    assert page.run("[...document.querySelectorAll('main .scroll.tall')].every((s) => s.scrollHeight <= s.clientHeight + 1)")  # on paper all rows are there
    page.call("Emulation.setEmulatedMedia", media="")


def many_nodes(page, folder):
    """Of 40 nodes as many are named as there is room for, in their order, and GPU types where they begin."""
    easim("run", SEED, "-n", 1, "--record", "--quiet", "--out", folder / "nodes", "--set", "cluster.nodes[0].count=40", "--set", "horizon=15min")
    easim("report", folder / "nodes", "--quiet", "--verify", "none")
    page.open(folder / "nodes/report.html")
    for chart in ("#heat", "#timeline"):
        labels = page.run(f"[...document.querySelectorAll('{chart} svg text')].filter((t) => t.textContent.startsWith('node ')).map((t) => [+t.textContent.slice(5), +t.getAttribute('y')])")
        assert len(labels) > 8 and labels == sorted(labels) and min(b[1] - a[1] for a, b in zip(labels, labels[1:])) >= 12, labels
        assert page.run(f"[...document.querySelectorAll('{chart} svg text')].some((t) => t.textContent === 'a100')"), chart
    quiet(page)


def side_by_side(page, folder):
    """One time axis for both runs; jobs of both by id, with the times of each."""
    ticks = page.run("[...document.querySelectorAll('#runs figure svg')].map((s) => [...s.querySelectorAll('.axis .tick')].map((t) => t.textContent).join())")
    assert len(ticks) == 2 and ticks[0] == ticks[1] != "", ticks
    rows = [r.replace("\u00a0", " ").split("\t") for r in page.run(
        "[...document.querySelectorAll('#runs tbody tr')].map((r) => r.innerText)")]
    runs = [{r["job_id"]: r for r in rows_of(folder / name / "jobs.csv") if r["replication"] == "1"} for name in ("capped", "free")]
    assert len(rows) == min(60, len(runs[0])), len(rows)
    worst = max(runs[0], key=lambda job: abs(in_system(runs[0][job]) - in_system(runs[1][job])))
    assert rows[0][0] == worst, (rows[0], worst)


def in_system(row, end_s=5 * 3600):
    return float(row["jct_s"] or end_s - float(row["submit_s"]))


def sweep_page(page, folder):
    """The map's cells and each point's table are means over the rows of sweep.csv."""
    rows = rows_of(folder / "swept/sweep.csv")
    mean = lambda chosen: sum(float(r["energy_per_work_kwh"]) for r in chosen) / len(chosen)
    cells = page.run("[...document.querySelectorAll('#map figure g[role=img]')].map((g) => g.getAttribute('aria-label'))")
    assert len(cells) == 6, cells
    for policy in ("fcfs", "zeus"):
        for gpus in ("4", "6", "8"):
            wanted = mean([r for r in rows if r["policy"] == policy and r["cluster.nodes[0].gpus"] == gpus])
            [cell] = [c for c in cells if c.startswith(f"{gpus}, {policy}: ")]
            assert math.isclose(float(cell.split(": ")[1].split("\u00a0")[0]), wanted, rel_tol=6e-3), (cell, wanted)
    assert page.run("document.querySelectorAll('#lines figure .mark').length") == 6
    drawn = page.run("[...document.querySelectorAll('#lines path.series')].map((p) => p.getAttribute('stroke'))")
    compared = data_of(folder / "compare/report.html")["policies"][:2]  # fcfs, zeus
    assert drawn == [p["color"] for p in compared], drawn
    assert [(p["color"], p["marker"]) for p in compared] == [tuple(s.values()) for s in data_of(folder / "swept/report.html")["styles"].values()]
    assert page.run("new Set([...document.querySelectorAll('#lines .mark path')].map((p) => p.getAttribute('d').replace(/[\\d.-]+/g, ''))).size") == 2  # forms
    assert text_of(page, "#points table").count("fcfs") == 3
    page.run("(() => { const s = document.querySelector('#points select'); s.value = '5'; s.dispatchEvent(new Event('change')); })()")
    assert "at policy.name zeus, cluster.nodes[0].gpus 8" in text_of(page, "#points"), text_of(page, "#points")
    page.run("(() => { const s = document.querySelector('#map select'); s.value = 'jobs_finished'; s.dispatchEvent(new Event('change')); })()")
    page.settle()
    label = page.run("document.querySelector('#lines svg').getAttribute('aria-label')")
    assert label.endswith("along cluster.nodes[0].gpus") and "finished" in label, label


def search_finds_all(page, folder):
    """Every job and user is the first that its name finds, whatever the end of an id; a click opens the story of that job."""
    ids = ["0", "00", "7", "007", "-7", "job-000", "job-099", "job-100", "x", "12345678901234567890", "9007199254740993", "a1b2", "1e5", "\u00e97", "2.50",
           *(f"{i * 7919 % 100003}" for i in range(60, 460)), *(hashlib.sha256(bytes([i])).hexdigest()[:16] for i in range(40))]
    jobs = [(name, i * 5, f"who {i % 7}") for i, name in enumerate(ids)]
    write(folder / "ids.csv", "job_id,submit_s,user,duration_s,requested_s,gpus\n" + "".join(f"{name},{at},{user},{20 + at % 9},30,1\n" for name, at, user in jobs))
    write(folder / "ids.yaml", "name: ids\nhorizon: drain\nrecord: true\ncluster: {gpu_types: [{name: g, idle_w: 50, tdp_w: 400}], nodes: [{gpu: g, gpus: 4}]}\n"
                               "policy: {name: fcfs}\nworkload: {kind: trace, file: ids.csv}\n")
    easim("run", folder / "ids.yaml", "--quiet", "--out", folder / "ids")
    easim("report", folder / "ids", "--quiet", "--verify", "none")
    rows = rows_of(folder / "ids/jobs.csv")
    assert [r["job_id"] for r in rows] == ids == data_of(folder / "ids/report.html")["policies"][0]["jobs"]["id"] and len(set(ids)) == len(ids)
    page.open(folder / "ids/report.html")
    found = page.run("""(() => {
        const box = document.getElementById('search');
        return %s.map((words) => {
          box.value = words;
          box.dispatchEvent(new Event('input'));
          const [first] = document.querySelectorAll('#found button');
          if (!first || !words.startsWith('job ')) return first && first.innerText;
          first.click();
          return [first.innerText, document.querySelector('#job-answer p').innerText];
        }); })()""" % json.dumps([f"job {name}" for name in ids] + [f"user who {i}" for i in range(7)]))
    assert found[len(ids):] == [f"user who {i}" for i in range(7)], found[len(ids):]
    shown = lambda time_s: f"{time_s:.3g} s" if time_s < 180 else f"{time_s / 60:.3g} min"
    for row, (button, story) in zip(rows, found):
        assert button == f"job {row['job_id']}" and story.startswith(f"Job {row['job_id']} of user {row['user']}, submitted at "), (row, button, story)
        assert f" after {shown(float(row['jct_s']))}. " in story.replace("\u00a0", " "), (row, story)


def cannot_unpack(page, folder):
    """Without the browser's unpacking, or with damaged data, the page says so."""
    text = (folder / "run/report.html").read_text(encoding="utf-8")
    packed = packed_of(folder / "run/report.html")
    write(folder / "cut.html", text.replace(packed, packed[:len(packed) // 8 * 4]))
    page.open(folder / "cut.html")
    assert text_of(page, "main") == "This page cannot be shown: its data is damaged. Make or copy it again.", text_of(page, "main")
    write(folder / "old.html", text.replace("<script>", "<script>delete window.DecompressionStream;", 1))
    page.open(folder / "old.html")
    assert text_of(page, "main").startswith("This page cannot be shown: this browser cannot unpack its data. Chrome"), text_of(page, "main")
    assert len(page.errors) == 2, page.errors
    page.errors.clear()


def several_in_browser(folder):
    page = browser.Page()
    try:
        for check in (search_finds_all, cannot_unpack):
            check(page, folder)
            quiet(page)
        page.open(folder / "recorded/report.html")
        for check in (windows, cues, one_count):
            check(page)
            quiet(page)
        nodes = page.run("[...document.querySelectorAll('#heat svg text')].map((t) => t.textContent).filter((t) => /node|GPU/.test(t))")
        assert nodes == page.run("[...document.querySelectorAll('#timeline svg text')].map((t) => t.textContent).filter((t) => /node|GPU/.test(t))") and nodes[0] == "node 0", nodes
        page.open(folder / "several/report.html")
        for check in (structure, side_by_side, five_answers, price_and_calendar, typed_prices, fairness_words, cap_fits):
            check(page, folder) if check not in (structure, typed_prices, cap_fits) else check(page)
            quiet(page)
        tables_behind(page)
        fits(page, whole_words)
        captions(page, False)
        words_explained(page)
        for check in form([told_apart, price_curve, many_nodes], [told_apart, price_curve]):
            check(page, folder)
        page.open(folder / "enforced/report.html")
        structure(page)
        enforced_page(page, folder)
        tables_behind(page)
        fits(page, whole_words)
        words_explained(page)
        page.open(folder / "swept/report.html")
        structure(page)
        sweep_page(page, folder)
        tables_behind(page)
        fits(page, whole_words)
        quiet(page)
    finally:
        page.close()


def in_browser(folder):
    page = browser.Page()
    try:
        page.open(folder / "compare/report.html")
        summary_words(page, folder)
        assumed = json_of(folder / "compare/manifest.json")["assumptions"]
        shown = text_of(page, "#answers")
        assert assumed and all(line["text"] in shown and line["key"] in shown for line in assumed), (assumed, shown)
        one_unit(page)
        captions(page, True)
        differences_shown(page, folder)
        for check in (keyboard, structure, zooming, tooltips, switching, tables_behind, fits):
            check(page)
            quiet(page)
        assert page.run("document.querySelectorAll('rect.unreached').length") == 0
        page.open(folder / "bounded/report.html")
        shading(page)
        quiet(page)
        page.open(folder / "recorded/report.html")
        for check in (structure, timeline, drilling, tables_behind, fits):
            check(page)
            quiet(page)
        page.open(folder / "hostile/report.html")
        assert page.run("window.pwned") is None and page.run("document.getElementById('title').innerText").startswith("<img src=x")
        tables_behind(page)
        shown = page.run("[...document.querySelectorAll('#fairness tbody th')].map((e) => e.innerText)")
        assert any(s.startswith("<img src=x onerror") for s in shown) and any("=cmd()" in s for s in shown), shown
        assert not any("\u202e" in s for s in shown)
        cut = page.run("[...document.querySelectorAll('#fairness svg text')].filter((t) => t.firstChild.data.endsWith('\u2026')).map((t) => t.querySelector('title') && t.querySelector('title').textContent)")
        assert "x" * 400 + "\u2026" in cut and all(cut), cut  # a name that is cut has the whole as its tip
        fits(page)
        quiet(page)
        printed = base64.b64decode(page.call("Page.printToPDF")["data"])
        assert printed.startswith(b"%PDF") and len(printed) > 20000
        quiet(page)
    finally:
        page.close()


def made(folder):
    easim("run", SEED, "-n", 2, "--quiet", "--out", folder / "run")
    easim("compare", SEED, "-n", 3, "--policies", "fcfs,zeus,easy", "--record", "--quiet", "--out", folder / "compare")
    easim("run", SOURCE / "configs/failures.yaml", "-n", 1, "--record", "--quiet", "--out", folder / "recorded", "--set",
          "workload.rate_per_s=0.002")
    short = [SOURCE / "configs/power-cap.yaml", "-n", 1, "--record", "--quiet", "--set", "horizon=5h", "--set", "price_per_mwh=87.5", "--set", "start_time=2025-06-01T06:00Z"]
    easim("run", *short, "--out", folder / "capped")
    easim("run", *short, "--set", "cluster.power_cap_w=null", "--out", folder / "free")
    easim("run", SOURCE / "configs/power-cap.yaml", "-n", 1, "--record", "--quiet", "--policy", "zeus", "--set", "horizon=12h", "--set", "cluster.power_cap_w=null",
          "--set", "cluster.power_cap={watts: 4000, enforce: throttle}", "--set", "cluster.power_domains=[{name: left, nodes: [0-1], cap: 2100}]",
          "--out", folder / "enforced")
    easim("report", folder / "capped", folder / "free", "--out", folder / "several", "--verify", "none")
    easim("sweep", write(folder / "swept.yaml", f"name: swept\nbase: {SEED}\nset: {{replications: 2, horizon: 2h}}\naxes: [{{path: policy.name, values: [fcfs, zeus]}}, "
                         "{path: \"cluster.nodes[0].gpus\", values: [4, 6, 8]}]\n"), "--quiet", "--out", folder / "swept")
    easim("report", folder / "swept")
    return 0


if not D3.exists():
    easim("report", ".", code=2)
    skip("D3 is not installed (node-d3)")
cases(made, lanes, heat, attribution, services, estimates, curves, power, enforced, comparison, bounded, several, swept, same_again, needs_nothing, hostile, refused,
      *([in_browser, several_in_browser] if browser.find() else []), shared=True)
if not browser.find():
    print("skipped: the browser part, Chromium is not installed")
