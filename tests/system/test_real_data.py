"""Published and known results on real logs: test_real_data.py EASIM SOURCE; skipped (exit 77) without EASIM_DATA.

KTH-SP2: waits of every job published with the log (decision 0009). ITP: GPU-seconds are the sum of num_gpu * duration over the
log's rows, an independent computation here, and the figure in the data's README. Series: an idle cluster draws the same
power all the time, so CO2 and cost are energy times the mean of the hours, gaps filled forward here too. Alibaba, Philly: what
import writes against the rows of the log and its README; the Alibaba pods run on their nodes.
"""
import datetime
import gzip
import math
import re
import zoneinfo

from harness import SOURCE, cases, easim, json_of, real_data, rows_of

DATA = real_data()
TRACES = DATA / "traces"


def run(config, out, *options):
    easim("run", SOURCE / "configs" / config, "--out", out, "--quiet", "--check", *options)


def check_waits(folder, log, mean_s, options):
    path = TRACES / "swf" / log
    out = folder / log
    run("kth-sp2-easy.yaml", out, "--set", f"workload.file={path}", *options)
    waits = {row["job_id"]: row["wait_s"] for row in rows_of(out / "jobs.csv")}
    published = {}
    with gzip.open(path, "rt") as file:
        for line in file:
            if not line.startswith(";"):
                fields = line.split()
                published[fields[0]] = fields[2]
    equal = sum(float(waits[job]) == float(wait) for job, wait in published.items())
    mean = sum(float(wait) for wait in waits.values()) / len(waits)
    print(f"{log}: {equal} of {len(published)} waits equal, mean {mean:.6f} s")
    assert len(published) == len(waits) == equal == 28481
    assert f"{mean:.6f}" == mean_s, mean
    return rows_of(out / "summary.csv")[0]


def kth_waits(folder):
    summary = check_waits(folder, "KTH-SP2.pyss_easy_backfill.swf.gz", "6836.872090", [])
    assert f"{float(summary['bsld_mean']):.8f}" == "92.57653973"
    check_waits(folder, "KTH-SP2.pyss_easy_clairvoyant.swf.gz", "6327.681612", ["--set", "workload.estimate=run"])


def itp_gpu_seconds(folder):
    out = folder / "itp"
    run("itp-cluster06.yaml", out, "--policy", "fcfs")
    expected = sum(int(row["num_gpu"]) * int(row["duration"]) for row in rows_of(TRACES / "ms_itp/raw/cluster06.csv"))
    executed = sum(float(row["gpu_s"]) for row in rows_of(out / "jobs.csv"))
    users = sum(float(row["gpu_s"]) for row in rows_of(out / "users.csv"))
    print(f"ITP cluster06: {executed:.0f} GPU-seconds executed")
    assert executed == expected == users == 445963163
    assert all(row["status"] == "finished" for row in rows_of(out / "jobs.csv"))


def itp_readme(folder):
    """What the data's README says of the logs: rows of at least 10 minutes on 1..64 GPUs, a mean load of 0.68 on 128
    GPUs; of the deadlines about half cannot be met."""
    known = {"03": (3011, 595593077, 911907), "06": (2396, 445963163, 16566), "10": (260, 14484569, 2266647)}
    for cluster, (count, gpu_s, first_s) in known.items():
        raw, said = imported(folder, "itp", TRACES / "ms_itp" / "raw" / f"cluster{cluster}.csv")
        assert said == [f"{count} rows read, {count} kept", f"first submit at {first_s} s is now 0"], said
        assert sum(int(row["gpus"]) * float(row["duration_s"]) for row in raw) == gpu_s
        assert min(float(row["duration_s"]) for row in raw) >= 600
        assert {int(row["gpus"]) for row in raw} <= {1, 2, 4, 8, 16, 32, 64}
        got, _ = imported(folder, "itp", TRACES / "ms_itp" / "annotated" / f"cluster{cluster}.csv", "--models")
        assert {row["model"] for row in got} == {"bert", "deepspeech2", "gpt2", "inception3", "resnet50", "vgg16"}
        late = sum(float(row["deadline_s"]) < float(row["submit_s"]) + float(row["duration_s"]) for row in got) / len(got)
        load = gpu_s / float(raw[-1]["submit_s"]) / {"03": 256, "06": 128, "10": 32}[cluster]
        print(f"ITP cluster{cluster}: load {load:.2f}, {late:.2f} of the deadlines cannot be met")
        assert 0.45 < late < 0.55 and (cluster != "06" or f"{load:.2f}" == "0.68")
        assert [row["job_id"] for row in got] == [row["job_id"] for row in raw]


def kth_readme(folder):
    """100 processors; a log whose rows are in start order comes out in order of submit, then number."""
    got, _ = imported(folder, "swf", TRACES / "swf" / "KTH-SP2-1996.swf.gz")
    assert len(got) == 28489 and max(int(row["gpus"]) for row in got) == 100
    for name in ("KTH-SP2.pyss_easy_backfill.swf.gz", "KTH-SP2.pyss_easy_clairvoyant.swf.gz"):
        got, _ = imported(folder, "swf", TRACES / "swf" / name)
        order = [(float(row["submit_s"]), int(row["job_id"])) for row in got]
        with gzip.open(TRACES / "swf" / name, "rt") as file:
            source = [(float(line.split()[1]), int(line.split()[0])) for line in file if not line.startswith(";")]
        assert order == sorted(source) != source and source[0][0] == 0


IDLE = """\
name: idle
horizon: {days}d
start_time: {start}
carbon_g_per_kwh: {{file: {folder}/dcrl_CA_NG_avgCI_2022.csv.gz, column: avg_CI, repeat: true}}
price_per_mwh: {{file: {folder}/US-CAL-CISO_electricity_prices_2022.csv.gz, column: Price (USD/MWh),
                time_column: Datetime ({clock}), repeat: true}}
cluster: {{gpu_types: [{{name: g, idle_w: 60, tdp_w: 400}}], nodes: [{{gpu: g, gpus: 8, base_w: 520}}], pue: 1.2}}
workload: {{kind: trace, file: jobs.csv}}
policy: {{name: fcfs}}
"""


def hourly(path, column):
    """The values of a year, gaps filled forward, and the number of gaps."""
    values, gaps = [], 0
    for row in rows_of(path):
        gaps += not row[column]
        values.append(float(row[column]) if row[column] else values[-1])
    return values, gaps


def idle_year(folder):
    series = DATA / "series"
    carbon, gaps = hourly(series / "dcrl_CA_NG_avgCI_2022.csv.gz", "avg_CI")
    price, no_gaps = hourly(series / "US-CAL-CISO_electricity_prices_2022.csv.gz", "Price (USD/MWh)")
    assert (len(carbon), gaps, len(price), no_gaps) == (8760, 3, 8760, 0) and min(price) < 0
    assert int(max(price)) == 1201
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s\n1,0,1,0\n", encoding="utf-8")
    # the year; and from 30 days before its end 60 days on, so that it begins again
    # and the month of March by the clock of California, which goes forward on the 13th
    for name, start, days, first, clock in (("year", "2022-01-01", 365, 0, "UTC"),
                                            ("turn", "2022-12-02T00:00Z", 60, 8760 - 720, "UTC"),
                                            ("march", "2022-03-01T00:00-08:00", 31, 59 * 24 + 8, "Local")):
        (folder / f"{name}.yaml").write_text(IDLE.format(days=days, start=start, folder=series, clock=clock),
                                             encoding="utf-8")
        run(folder / f"{name}.yaml", folder / name)
        summary = rows_of(folder / name / "summary.csv")[0]
        hours = [(first + hour) % 8760 for hour in range(days * 24)]
        kwh = 1.2 * (8 * 60 + 520) / 1000  # of an hour
        expected = {"co2_kg": kwh * math.fsum(carbon[hour] for hour in hours) / 1000,
                    "cost": kwh * math.fsum(price[hour] for hour in hours) / 1000}
        print(f"{name}: {expected['co2_kg']:.3f} kg of CO2, {expected['cost']:.3f} USD")
        for key, value in expected.items():
            assert math.isclose(float(summary[key]), value, rel_tol=1e-12), (name, key, summary[key], value)
        noted = {entry["key"]: entry for entry in
                 json_of(folder / name / "manifest.json")["series"]}
        assert noted["carbon_g_per_kwh"]["gaps_filled"] == gaps and noted["price_per_mwh"]["rows_read"] == 8760
        assert noted["carbon_g_per_kwh"]["first_gap_line"] == 108
        assert all(entry["shortest_step_s"] == entry["longest_step_s"] == 3600 for entry in noted.values())


def imported(folder, form, path, *options):
    """The rows that import writes of a log, and what it says."""
    out = folder / "imported.csv"
    done = easim("import", form, path, "-o", out, *options)
    return rows_of(out), [line.split(": ", 1)[1] for line in done.stderr.splitlines()]


def alibaba_pods(folder):
    """Rows by reason and GPU-seconds from the rows of the log; the nodes as in the data's README."""
    nodes = TRACES / "alibaba_gpu_v2023" / "openb_node_list_gpu_node.csv"
    for name in ("default", "gpuspec33"):
        path = TRACES / "alibaba_gpu_v2023" / f"openb_pod_list_{name}.csv"
        pods, cluster = rows_of(path), folder / "cluster.yaml"
        got, said = imported(folder, "alibaba-gpu-2023", path, "--nodes", nodes, "--cluster-out", cluster)
        ran = [pod for pod in pods if pod["scheduled_time"] and int(pod["num_gpu"]) > 0]
        running = [pod for pod in ran if pod["pod_phase"] == "Running" and pod["deletion_time"] == "12902960"]
        cpu_only = [pod for pod in pods if pod["num_gpu"] == "0"]
        shared = [pod for pod in ran if int(pod["gpu_milli"]) < 1000]
        expected = sum(int(pod["num_gpu"]) * int(pod["gpu_milli"]) *
                       (int(pod["deletion_time"]) - int(pod["scheduled_time"])) for pod in ran) / 1000
        executed = sum(float(row["duration_s"]) * int(row["gpus"]) * float(row["gpu_share"] or 1) for row in got)
        print(f"Alibaba {name}: {len(got)} of {len(pods)} pods, {executed:.3f} GPU-seconds")
        assert len(pods) == 8152 and len(got) == len(ran) and f"{executed:.3f}" == f"{expected:.3f}"
        assert {row["job_id"]: row["gpu_type"] for row in got} == {pod["name"]: pod["gpu_spec"] for pod in ran}
        pending = sum(not pod["scheduled_time"] for pod in cpu_only)
        assert len(cpu_only) == 1088
        for text in ("8152 rows read", "897 rows dropped: never scheduled", f"{len(shared)} rows changed: part of a GPU",
                     f"{1088 - pending} rows dropped: no GPUs", f"{len(running)} rows changed: running when"):
            assert any(line.startswith(text) for line in said), (text, said)
    assert "1213 rows read, 1213 kept" in said
    groups = re.findall(r'count: (\d+), gpu: "(\w+)", gpus: (\d+)', cluster.read_text(encoding="utf-8"))
    assert sum(int(count) for count, _, _ in groups) == 1213
    assert sum(int(count) * int(gpus) for count, _, gpus in groups) == 6212
    assert ("549", "G2", "8") in groups and ("39", "G3", "8") in groups


def alibaba_run(folder):
    """The pods on their nodes: each holds what it asked for as long as it ran, with parts of GPUs shared, and whole GPUs
    under a policy that does not share. The log has no power: 50 and 300 W here. Energy: jobs, and what is left idle."""
    traces = TRACES / "alibaba_gpu_v2023"
    imported(folder, "alibaba-gpu-2023", traces / "openb_pod_list_default.csv", "--nodes",
             traces / "openb_node_list_gpu_node.csv", "--cluster-out", folder / "cluster.yaml")
    cluster = (folder / "cluster.yaml").read_text(encoding="utf-8").replace('"}', '", idle_w: 50, tdp_w: 300}')
    (folder / "pods.yaml").write_text(f"{cluster}name: pods\nhorizon: drain\npolicy: {{name: fcfs}}\n"
                                      f"workload: {{kind: trace, file: {folder}/imported.csv}}\n", encoding="utf-8")
    pods = {pod["name"]: pod for pod in rows_of(traces / "openb_pod_list_default.csv")
            if pod["scheduled_time"] and int(pod["num_gpu"]) > 0}
    times = {name: int(pod["deletion_time"]) - int(pod["scheduled_time"]) for name, pod in pods.items()}
    asked = {name: int(pod["num_gpu"]) * int(pod["gpu_milli"]) / 1000 for name, pod in pods.items()}
    whole = {name: int(pod["num_gpu"]) for name, pod in pods.items()}
    shared = sum(asked[name] < whole[name] for name in pods)
    for policy, gpus in (("fcfs", asked), ("zeus", asked), ("easy", whole)):
        out = folder / policy
        run(folder / "pods.yaml", out, "--policy", policy, *([] if policy == "fcfs" else ["--summary-only"]))
        summary = rows_of(out / "summary.csv")[0]
        held_s, energy_j = (sum(gpus[name] * times[name] * unit for name in pods) for unit in (1, 300))
        got_s = float(summary["util_alloc"]) * float(summary["sim_s"]) * 6212
        print(f"Alibaba under {policy}: {summary['jobs_finished']} pods, {shared} on parts of GPUs, {got_s:.3f} "
              f"GPU-seconds, {float(summary['wait_mean_s']):.1f} s mean wait")
        assert int(summary["jobs_finished"]) == len(pods) and abs(got_s / held_s - 1) < 1e-9
        assert abs(float(summary["energy_job_kwh"]) * 3.6e6 / energy_j - 1) < 1e-9
        idle_j = 50 * (6212 * float(summary["sim_s"]) - held_s)
        assert abs(float(summary["energy_idle_kwh"]) * 3.6e6 / idle_j - 1) < 1e-9
        notes = json_of(out / "manifest.json")["traces"][0]["notes"]
        assert [note["rows"] for note in notes] == ([shared] if policy == "easy" else []), notes
    for job in rows_of(folder / "fcfs" / "jobs.csv"):
        name = job["job_id"]
        assert float(job["gpu_share"]) * int(job["k"]) == asked[name], job
        assert abs(float(job["gpu_s"]) - asked[name] * times[name]) <= 1e-9 * float(job["gpu_s"]), job


def philly_sample(folder):
    """GPU-seconds are the log's own gpu_time; times by Python's zones, the earlier of two readings."""
    path = TRACES / "philly_format" / "sample.csv"
    got, said = imported(folder, "philly", path)
    log = rows_of(path)
    zone = zoneinfo.ZoneInfo("America/Los_Angeles")
    unix_s = [datetime.datetime.fromisoformat(row["timestamp"]).replace(tzinfo=zone).timestamp() for row in log]
    expected = sorted((at - min(unix_s), number) for number, at in enumerate(unix_s, 1))
    assert [(float(row["submit_s"]), int(row["job_id"])) for row in got] == expected
    executed = sum(float(row["duration_s"]) * int(row["gpus"]) for row in got)
    assert abs(executed / sum(float(row["gpu_time"]) for row in log) - 1) < 1e-9
    print(f"Philly sample: {len(got)} jobs, {executed:.3f} GPU-seconds")
    twice = sum(row["timestamp"].startswith("2017-11-05 01:") for row in log)
    assert path.read_text(encoding="utf-8").endswith("\n\n") and expected != sorted(expected, key=lambda row: row[1])
    assert f"first submit at {min(unix_s):.0f} s (2017-11-04T05:34:10Z) is now 0" in said, said
    assert len(got) == 50 and any(line.startswith(f"{twice} rows changed: a local time") for line in said), said


OUTAGES = """\
name: outages
horizon: 30000000s
cluster:
  gpu_types: [{name: g, idle_w: 0, tdp_w: 1}]
  nodes: [{count: NODES, gpu: g, gpus: 1, base_w: 1000}]
failures: {file: DATA, offset: OFFSETs}
workload: {kind: trace, file: jobs.csv}
policy: {name: fcfs}
"""


def node_seconds_down(rows, nodes, from_s, until_s):
    """By sorting the ends of each node's outages, not by joining rows."""
    total = 0
    for node in range(nodes):
        ends = [(float(row[key]), sign) for row in rows if int(row["node"]) == node
                for key, sign in (("start_s", 1), ("end_s", -1))]
        down, last = 0, 0
        for at, sign in sorted(ends):
            at = min(max(at, from_s), until_s)
            total += (at - last) * (down > 0)
            down, last = down + sign, at
    return total


def infinitehbd_outages(folder):
    """Only base_w draws power, but for the watt of a job for a second, so what is missing of it is node-hours down.

    Two rows overlap an earlier one of their node, as the README says, and a third begins where one ends (line 539)."""
    log = DATA / "failures" / "infinitehbd.csv"
    rows = rows_of(log)
    (folder / "jobs.csv").write_text("job_id,submit_s,gpus,duration_s\na,0,1,1\n", encoding="utf-8")
    for nodes, offset, left_out in ((400, 0, 0), (100, 5e6, sum(int(row["node"]) >= 100 for row in rows) - 3)):
        text = OUTAGES.replace("NODES", str(nodes)).replace("DATA", str(log)).replace("OFFSET", f"{offset:.0f}")
        (folder / "outages.yaml").write_text(text, encoding="utf-8")
        done = easim("run", folder / "outages.yaml", "--out", folder / f"outages-{nodes}", "--check")
        up_s = float(rows_of(folder / f"outages-{nodes}" / "summary.csv")[0]["energy_kwh"]) * 3600 - 0.001
        down_s = node_seconds_down(rows, nodes, offset, offset + 3e7)
        print(f"infinitehbd: {nodes} nodes from {offset:.0f} s on, {down_s / 3600:.3f} node-hours down")
        assert abs(nodes * 3e7 - up_s - down_s) < 0.001, (up_s, down_s)
        assert (f": {left_out} outages of 131 nodes beyond" in done.stdout) == (left_out > 0), done.stdout
        assert nodes < 400 or ": 3 rows joined with an earlier outage" in done.stdout, done.stdout


cases(kth_waits, kth_readme, itp_gpu_seconds, itp_readme, alibaba_pods, alibaba_run, philly_sample, idle_year, infinitehbd_outages,
      shared=True)
