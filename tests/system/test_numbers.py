"""Numbers and units at the borders: test_numbers.py EASIM SOURCE.

Units: a quantity with a unit gives the same bytes as the bare number of its base unit, wherever a quantity stands; a unit
of something else is refused by the units that are accepted. YAML: what easim writes means the same to PyYAML (YAML 1.1;
skipped by name without it) and by the number rules of YAML 1.2. Not finite: nan, inf and 1e999 in every input that is no
telemetry are refused with their place; in telemetry nan and inf are missing values; no output holds one.
"""
import json
import math
import re
import sys

from harness import SOURCE, bytes_of, cases, easim, rows_in

SCENARIO = """name: units
horizon: {horizon}
cluster:
  gpu_types: [{{name: a, idle_w: {idle}, tdp_w: {tdp}, memory_gib: {memory}}}]
  nodes: [{{count: 2, gpu: a, gpus: 4, base_w: {base}}}]
  power_cap_w: {cap}
models: m.yaml
workload: {{kind: poisson, rate_per_s: {rate}, sizes: {{law: exponential, mean: {mean}}}}}
policy: {{name: zeus, params: {{tau: {tau}}}}}
carbon_g_per_kwh: {carbon}
price_per_mwh: {price}
wue_l_per_kwh: {water}
"""
MODELS = """models:
  - name: m
    m0: 1024
    phi: 1000
    batches: [8, 16]
    mem0_gib: {mem0}
    start_s: {start}
    gpus:
      a: {{a_s: {a}, c_s: {c}, gamma: 2, alpha_s: {alpha}, p0_w: {p0}, pmax_w: {pmax}, evidence: assumed, source: made up}}
"""
# key: the bare number, then the same with units; some of them are no binary fractions
QUANTITIES = {
    "horizon": ("36000", "10h", "600 min"), "idle": ("60", "60 W", "0.06 kW"), "tdp": ("400", "0.4kW", "0.0004 MW"),
    "memory": ("80", "80 GiB", "81920 MiB"), "base": ("301.5", "301.5 W", "0.3015 kW"), "cap": ("3005", "3.005 kW", "0.003005 MW"),
    "rate": ("0.005", "0.3 /min", "18/h"), "mean": ("3960", "1.1h", "66 min"), "tau": ("1800", "30 min", "0.5 h"),
    "carbon": ("385.7", "385.7 g/kWh", "0.3857 kg/kWh"), "price": ("82.3", "82.3 EUR/MWh", "0.0823 USD/kWh"),
    "water": ("1.8", "1.8 l/kWh", "1800 l/MWh"),
    "mem0": ("10", "10 GiB", "10240MiB"), "start": ("30", "0.5 min", "30000 ms"), "a": ("0.04", "40 ms", "40000us"),
    "c": ("0.005", "5 ms", "5e-3 s"), "alpha": ("0.01", "10ms", "10000 us"), "p0": ("100", "100W", "0.1 kW"), "pmax": ("300.7", "300.7 W", "0.3007 kW"),
}


def write(folder, values):
    (folder / "s.yaml").write_text(SCENARIO.format(**values))
    (folder / "m.yaml").write_text(MODELS.format(**values))


def results(folder, *options):
    easim("run", "s.yaml", "--quiet", "--out", "out", "--force", *options, cwd=folder)
    return bytes_of(folder / "out", ".csv")


def units(folder):
    bare = {key: texts[0] for key, texts in QUANTITIES.items()}
    write(folder, bare)
    expected = results(folder)
    jobs = rows_in(expected["jobs.csv"].decode())
    assert len(jobs) > 50 and float(rows_in(expected["summary.csv"].decode())[0]["cost"]) > 0
    for column in (1, 2):
        write(folder, {key: texts[column] for key, texts in QUANTITIES.items()})
        assert results(folder) == expected, column
    write(folder, bare)
    assert results(folder, "--set", "cluster.power_cap_w=3.005 kW", "--set", "policy.params.tau=0.5h") == expected
    # a wrong unit names the right ones
    wrong = {"idle": ("60 kWh", "W, kW, MW"), "cap": ("6 J", "W, kW, MW"), "carbon": ("385 g", "g/kWh, kg/kWh, kg/MWh, t/MWh"),
             "price": ("82 EUR", "/MWh, /kWh, with or without a currency as in EUR/MWh"), "a": ("40 W", "ns, us, ms, s, min, h, d, w"),
             "memory": ("80 W", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"), "rate": ("5 Hz", "/s, /min, /h, /d"), "p0": ("1 kw", "W, kW, MW")}
    for key, (text, accepted) in wrong.items():
        write(folder, bare | {key: text})
        said = easim("check", "s.yaml", cwd=folder, code=2).stderr
        assert f'(units: {accepted}), got "{text}"\n' in said and re.match(r"[sm]\.yaml:\d+:\d+: ", said), said


def series(folder):
    write(folder, {key: texts[0] for key, texts in QUANTITIES.items()} | {"cap": "{file: cap.csv}"})
    (folder / "cap.csv").write_text("time_s,power_w\n0,3000\n7200,2500.5\n14400,\n")
    expected = results(folder)
    for text in ("time_s,power_w\n0,3 kW\n120 min,2500.5W\n4h,\n", "time_s,power_w [kW]\n0,3\n7200,2.5005\n14400,\n",
                 "time_s,power_w (MW)\n0,0.003\n7200,2500.5 W\n14400,\n"):
        (folder / "cap.csv").write_text(text)
        assert results(folder) == expected, text
    # a column named with its unit in brackets; brackets that hold no unit are part of a name
    write(folder, {key: texts[0] for key, texts in QUANTITIES.items()} | {"cap": "{file: cap.csv, column: Limit (kW)}"})
    (folder / "cap.csv").write_text("time_s,Limit (kW)\n0,3\n7200,2.5005\n14400,\n")
    assert results(folder) == expected
    write(folder, {key: texts[0] for key, texts in QUANTITIES.items()} | {"cap": "{file: cap.csv, column: Limit (all nodes)}"})
    (folder / "cap.csv").write_text("time_s,Limit (all nodes)\n0,3000\n7200,2500.5\n14400,\n")
    assert results(folder) == expected
    write(folder, {key: texts[0] for key, texts in QUANTITIES.items()} | {"cap": "{file: cap.csv}"})
    (folder / "cap.csv").write_text("time_s,power_w [kWh]\n0,3\n7200,2\n")
    easim("check", "s.yaml", cwd=folder, code=2, says="(units: W, kW, MW), got \"3 kWh\"")


def options(folder):
    file = SOURCE / "tests/profiles/zeus/windows.csv"

    def row(*more):
        return easim("profile", "zeus", file, "--gpu", "X", "--format", "csv", *more, cwd=folder).stdout
    assert row("--power-limit", "0.25 kW") == row("--power-limit", "250") != row()
    easim("profile", "zeus", file, "--power-limit", "250 J", cwd=folder, code=2, says='(units: W, kW, MW), got "250 J"')


# ---- YAML ----

FLOAT_12 = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


def plain_numbers(text):
    """Words of a YAML text outside of quotes and comments that hold a digit first."""
    text = re.sub(r'"(\\.|[^"\\])*"|#[^\n]*', "", text)
    return re.findall(r"(?<![^\s\[{,:])[-+]?\.?[0-9][^\s\]},]*", text)


def yaml_of_calibrate(folder):
    rows = ["model,precision,gpu,k,batch_per_gpu,power_limit_w,throughput_samples_s,power_w_per_gpu,evidence,source"]
    for k in (1, 2, 4, 8):
        for batch in (8, 16, 32, 64):
            t = math.hypot(1.3e-6, 4.1e-9 * batch) + (0 if k == 1 else 2.7e-7 + 3.3e-8 * (k - 2))
            rows.append(f"1e5,,yes,{k},{batch},,{k * batch / t!r},{90 + 2.5 * batch * 3e5 / 1e6 + k!r},measured,on: off #{k}")
    (folder / "p.csv").write_text("\n".join(rows) + "\n")
    easim("calibrate", "p.csv", "-o", "m.yaml", cwd=folder)
    text = (folder / "m.yaml").read_text()
    numbers = plain_numbers(text)
    assert sum("e" in number for number in numbers) >= 5, numbers
    for number in numbers:
        assert FLOAT_12.fullmatch(number) and ("e" not in number or re.fullmatch(r"-?\d+\.\d+e[-+]\d+", number)), number
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("PyYAML is not installed: its reading is not compared")
        return
    read = yaml.safe_load(text)["models"][0]
    assert read["name"] == "1e5" and list(read["gpus"]) == ["yes"], read["name"]
    gpu = read["gpus"]["yes"]
    for key in ("a_s", "c_s", "alpha_s", "beta_s", "p0_w", "pmax_w"):
        if key in gpu:
            assert isinstance(gpu[key], (int, float)), (key, gpu[key])
            assert repr(float(re.search(rf"^        {key}: (\S+)$", text, re.M)[1])) == repr(float(gpu[key])), key

    def numbers_in(value):
        if isinstance(value, dict):
            return sum((numbers_in(v) for v in value.values()), [])
        if isinstance(value, list):
            return sum(map(numbers_in, value), [])
        return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []
    assert sorted(map(float, numbers_in(read))) == sorted(float(n) for n in numbers)


def yaml_of_runs(folder):
    """scenario.yaml of a run: what easim reads as number, null or truth is that to PyYAML, all else is text."""
    values = {key: texts[0] for key, texts in QUANTITIES.items()} | {"rate": "5e-3", "a": "4e-2", "tau": "30min"}
    write(folder, values)
    text = (folder / "s.yaml").read_text().replace("name: units", "name: on") + "users: [{name: yes}, {name: 1:30}, {name: 0010}]\n"
    (folder / "s.yaml").write_text(text)
    easim("run", "s.yaml", "--quiet", "--out", "out", "--set", "noise.speed_sigma=1e-9", cwd=folder)
    kept = (folder / "out" / "scenario.yaml").read_text()
    for number in plain_numbers(kept):
        assert "e" not in number or re.fullmatch(r"-?\d+\.\d+e[-+]\d+", number), number
    easim("check", folder / "out" / "scenario.yaml", cwd=folder)
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    read = yaml.safe_load(kept)
    assert read["name"] == "on" and [user["name"] for user in read["users"]] == ["yes", "1:30", "0010"], read
    assert read["noise"]["speed_sigma"] == 1e-9 and read["workload"]["rate_per_s"] == 5e-3, read
    assert read["policy"]["params"]["tau"] == "30min" and read["cluster"]["power_cap_w"] == 3005


# ---- Not finite ----

TOKENS = ["inf", "-inf", "nan", "Infinity", "NaN(123)", "1e999", "-1e999", "1e400", ".inf", ".nan", "0x1p3"]
LOGS = {  # a good log, and numbers in it that become tokens, with their place
    "workload": ("job_id,submit_s,duration_s,gpus,work_samples,label.x\na,5,60,1,,3\n", {"5": "2:3", "60": "2:5", "1": "2:8", "3": "2:11"}),
    "itp": ("job_id,submission_time,duration,num_gpu,extra\na,5,60,1,3\n", {"5": "2:3", "60": "2:5", "1": "2:8", "3": "2:10"}),
    "philly": ("timestamp,duration,num_gpus,cluster,x\n2017-11-04 01:00:00,60,1,v,3\n", {"60": "2:21", "1,v": "2:24", "3": "2:28"}),
    "alibaba-pai-2020": ("submit_time,duration,num_gpu,x\n5,60,1,3\n", {"5": "2:1", "60": "2:3", "1": "2:6", "3": "2:8"}),
    "helios": ("job_id,user,vc,gpu_num,duration,submit_time,state,x\na,u,v,1,60,2020-04-01 01:00:00,COMPLETED,3\n", {"60": "2:9", "3": "2:42"}),
    "slurm": ("JobID|Submit|Start|ElapsedRaw|State|AllocTRES|x\na|2020-04-01T01:00:00|2020-04-01T01:00:00|60|C|gres/gpu=1|3\n", {"60": "2:43"}),
    "gavel": ("T (batch size 2)\tc\tw\t-n\t0\t77\t1\t1\t-1.0\t5\n", {"77": "1:", "5": "1:"}),
    "pollux": ("name,time,application,num_replicas,batch_size,x\na,5,bert,1,64,3\n", {"5": "2:3", "64": "2:12"}),
    "alibaba-gpu-2023": ("name,num_gpu,gpu_milli,gpu_spec,pod_phase,creation_time,deletion_time,scheduled_time,x\np,1,1000,,Running,5,60,6,3\n",
                         {"5": "2:19", "60": "2:21", "3": "2:26"}),
    "swf": ("1 5 33 60 1 36 37 1 90 310 1 1 1 314 -1 -1 317 318\n",
            {n: "1:" for n in ("5", "60", "90", "33", "36", "37", "310", "314", "317", "318")}),
}


def logs(folder):
    checked = 0
    for name, (good, places) in LOGS.items():
        def refused(text, name=name):
            (folder / "log").write_text(text)
            done = easim(*(["import", name, "log", "-o", "w.csv"] if name != "workload" else ["check", "trace.yaml"]), cwd=folder, code=None)
            return done.returncode, done.stderr
        (folder / "trace.yaml").write_text(
            "name: t\nhorizon: drain\ncluster:\n  gpu_types: [{name: a, idle_w: 60, tdp_w: 400}]\n  nodes: [{count: 2, gpu: a, gpus: 4}]\n"
            "workload: {kind: trace, file: log}\npolicy: {name: fcfs}\n")
        code, said = refused(good)
        assert code == 0, (name, said)
        head = good.rfind("\n", 0, len(good) - 1) + 1
        for number, where in places.items():
            for token in TOKENS:
                separator = {"gavel": "\t", "swf": " ", "slurm": "|"}.get(name, ",")
                old = separator.join(["", number, ""]) if not good[head:].startswith(number) else number + separator
                row = f"{separator}{good[head:-1]}{separator}"
                target = separator + number.split(",")[0] + separator + ("v" if "," in number else "")
                assert target in row, (name, number, old)
                text = good[:head] + row.replace(target, separator + token + separator + ("v" if "," in number else ""), 1)[1:-1] + "\n"
                code, said = refused(text)
                if token == "0x1p3" and (number == "3" or number[0] == "3" and name == "swf"):
                    continue  # a label, and a field of no use, may be any text
                assert code == 2 and f"log:{where}" in said and token in said, (name, number, token, code, said)
                checked += 1
        assert not (folder / "w.csv").exists() or name != "none"
    assert checked > 200
    # a column of text may hold words that spell numbers
    (folder / "log").write_text("job_id,submission_time,duration,num_gpu,queue\na,5,60,1,inf\nb,5,60,1,batch\n")
    easim("import", "itp", "log", "-o", "w.csv", cwd=folder)


def scenarios(folder):
    bare = {key: texts[0] for key, texts in QUANTITIES.items()}
    for key in QUANTITIES:
        for token in TOKENS:
            write(folder, bare | {key: token})
            said = easim("check", "s.yaml", cwd=folder, code=2).stderr
            assert re.match(r"[sm]\.yaml:\d+:\d+: ", said) and f'got "{token}"' in said, said
    write(folder, bare)
    for token in TOKENS:
        said = easim("check", "s.yaml", "--set", f"cluster.power_cap_w={token}", cwd=folder, code=2).stderr
        assert said.startswith("--set cluster.power_cap_w: ") and token in said, said
        easim("profile", "zeus", SOURCE / "tests/profiles/zeus/windows.csv", f"--power-limit={token}", cwd=folder, code=2)
    write(folder, bare | {"cap": "{file: cap.csv}"})
    for token in TOKENS:
        for text, where in ((f"time_s,power_w\n0,{token}\n", "2:3"), (f"time_s,power_w\n{token},3000\n", "2:1")):
            (folder / "cap.csv").write_text(text)
            said = easim("check", "s.yaml", cwd=folder, code=2).stderr
            assert f"cap.csv:{where}: " in said and token in said, said


def telemetry(folder):
    """Missing values: 100, -, 300 W at 0, 10, 20 s; too large a number is no value at all, the row is bad."""
    header = "timestamp, index, name, power.draw [W], utilization.gpu [%]\n"
    rows = "2025/11/20 09:00:0{}.000, 0, Test GPU, {} W, 50 %\n"
    for token in ("inf", "-inf", "nan", "NaN", "Infinity", "nan(7)", "[N/A]"):
        (folder / "t.csv").write_text(header + rows.format(0, 100) + rows.format(2, token) + rows.format(4, 300))
        done = easim("profile", "nvidia-smi", "t.csv", "--format", "json", cwd=folder)
        assert json.loads(done.stdout)["devices"][0]["energy_j"] == 800 and "1 samples without power left out\n" in done.stderr, (token, done)
    for token in ("1e999", "-1e999", "1e400"):
        (folder / "t.csv").write_text(header + rows.format(0, 100) + rows.format(2, token) + rows.format(4, 300))
        done = easim("profile", "nvidia-smi", "t.csv", "--format", "json", cwd=folder, code=3)
        assert json.loads(done.stdout)["devices"][0]["energy_j"] == 800 and "t.csv:3: 1 rows that cannot be read left out" in done.stderr, done
    for token, bad in (("NaN", 0), ("+Inf", 0), ("1e999", 1)):
        pair = '[{}, "{}"]'
        (folder / "t.json").write_text('{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":'
                                       '"DCGM_FI_DEV_POWER_USAGE","UUID":"u"},"values":[' + ",".join(
                                           [pair.format(0, 100), pair.format(2, token), pair.format(4, 300)]) + "]}]}}")
        done = easim("profile", "prometheus", "t.json", "--format", "json", cwd=folder, code=3 if bad else 0)
        assert json.loads(done.stdout)["devices"][0]["energy_j"] == 800, done
        assert ("1 samples without power left out" in done.stderr) == (not bad) and ("cannot be read" in done.stderr) == bool(bad), (token, done)


def cells(folder):
    """The unit of a cell is read, another quantity's makes the row a bad one, as does a negative power or energy; missing values are
    counted in the column that lacks them."""
    def profile(reader, text, *options):
        (folder / "t.csv").write_text(text)
        done = easim("profile", reader, "t.csv", "--format", "json", *options, cwd=folder, code=None)
        return done.returncode, json.loads(done.stdout or "{}"), done.stderr
    bad, missing = ("2 J", "0.2 kWh", "-5", "-5 W", "abc", "1e999", "1 kw"), ("nan", "inf", "N/A", "nan kW", "-")
    power = {"0.2 kW": 200, "200": 200, "200 W": 200, "200W": 200, "0.0002 MW": 200}
    joules = {"2 kJ": 2000, "2000": 2000, "2000 J": 2000, "0.0005 kWh": 1800}
    no_joules = ("2 W", "-5", "-2 kJ", "abc", "1e999")

    def rows(reader, header, row, good, wrong, place, column, *options, unit=1):
        for text, value in good.items():
            code, found, said = profile(reader, f"{header}\n{row.format(text)}\n", *options)
            assert code == 0 and math.isclose(found["rows"][0][place], value * unit) and "missing" not in said, (reader, text, code, said)
        good_row = row.format(next(iter(good)))
        for text in missing:
            code, found, said = profile(reader, f"{header}\n{row.format(text)}\n", *options)
            assert code == 0 and found["rows"][0][place] is None and f't.csv: 1 values missing in column "{column}"\n' in said and \
                "shorter" not in said and "no k" not in said, (reader, text, code, said)
        for text in wrong:
            code, found, said = profile(reader, f"{header}\n{row.format(text)}\n{good_row}\n", *options)
            assert code == 3 and len(found["rows"]) == 1 and "t.csv:2: row left out" in said and "missing" not in said, (reader, text, code, said)

    rows("zeus", "network,batch_size,power_limit,time_per_epoch,average_power", "n,8,300,10,{}", power, bad, "power_w", "average_power")
    rows("zeus", "window_name,elapsed_time,gpu0_energy", "w,10,{}", joules, no_joules, "energy_j", "gpu0_energy")
    kwh = {"0.01": 0.01, "0.01 kWh": 0.01, "10 Wh": 0.01, "36 kJ": 0.01}
    rows("codecarbon", "duration,gpu_energy,energy_consumed,gpu_count", "100,{},1,1", kwh, no_joules, "gpu_energy_j", "gpu_energy", unit=3.6e6)
    rows("ea2p", "Project Name,Datetime,GPU[0],CPU Time [s],Package,Algorithm,Algorithm's parameters", "p,d,{},20,a,b,c", {"600": 600},
         ("2 W", "-5", "abc", "1e999", "1.2.3"), "gpu_energy_j", "GPU[0]", "--energy-unit", "J")

    smi = "timestamp, index, power.draw [W], total_energy_consumption [mJ]\n2025/11/20 09:00:00.000, 0, 200 W, 1000\n2025/11/20 09:00:02.000, 0, {}, {}\n"
    log = 'I20251120 09:00:0{0}.5 7 Logger.cpp:56] time = 2025-11-20T09:00:0{0}.500Z data = {{"device":0,"gpu_power_draw":"{1}"}}\n'

    def devices(reader, text, code, **figures):
        got, found, said = profile(reader, text)
        assert got == code and (code == 0) == ("t.csv:3: 1 rows that cannot be read left out" not in said.replace("t.csv:2:", "t.csv:3:")), (text, said)
        for name, value in figures.items():
            assert found["devices"][0][name] == value, (text, name, found["devices"][0][name])
    for text, value in power.items():
        devices("nvidia-smi", smi.format(text, "[N/A]"), 0, energy_j=2 * value)
        devices("dynolog", log.format(1, 200) + log.format(3, text), 0, energy_j=2 * value)
    for text in (*bad, "200 mWh"):
        devices("nvidia-smi", smi.format(text, "[N/A]"), 3, samples=1, power_mean_w=200)
        devices("dynolog", log.format(1, 200) + log.format(3, text), 3, samples=1, power_mean_w=200)
    for text in ("401000", "401000 mJ", "0.401 kJ", "401 J"):
        devices("nvidia-smi", smi.format("200 W", text), 0, counter_energy_j=400)
    for text in ("-5", "5 W", "abc", "1e999"):
        devices("nvidia-smi", smi.format("200 W", text), 3, samples=1)


def damaged_events(folder):
    """An event whose duration is no number, or below 0, is damage like any other; a list of what is no event is not cut short."""
    def kineto(text, *options):
        (folder / "t.json").write_text(text)
        done = easim("profile", "kineto", "t.json", "--format", "json", *options, cwd=folder, code=None)
        return done.returncode, json.loads(done.stdout or "{}"), done.stderr
    event_text = '{{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":{},"pid":0,"tid":7,"args":{{"stream":7}}}}'
    for text in ("NaN", "1e999", "-5", '"x"'):
        trace = '{"traceEvents":[' + event_text.format(5) + "," + event_text.format(text) + "]}"
        code, found, said = kineto(trace)
        assert code == 3 and found["gpu_events"] == 1 and re.search("1 events with an? (unreadable|negative)", said), (text, code, said)
        assert kineto(trace, "--strict")[0] == 2, text
    code, found, said = kineto('{"traceEvents":["a",1,null]}')
    strangers = "elements of the list of events that are no events (text, numbers, null) left out\n"
    assert "truncated" not in said and "3 " + strangers in said and code == 3, (code, said)
    # behind, between and in front of such elements no event is lost
    for text, events, others in (('[{},"a",1,null]', 1, 3), ('["a", {} , 1 , {}, true,{}]', 3, 3), ('[-1.5e3,{},{}]', 2, 1)):
        code, found, said = kineto(text.replace("{}", event_text.format(5)))
        assert (code, found["records"], found["gpu_events"], found["truncation"]) == (3, events, events, None), (text, found, said)
        assert f"{others} " + strangers in said, said
    assert kineto('{"traceEvents":["a",1')[1]["truncation"]


def written(folder):
    """No file of a run or comparison holds a number that is none."""
    write(folder, {key: texts[0] for key, texts in QUANTITIES.items()} | {"horizon": "1", "rate": "1e-9"})  # no job: nothing to average
    easim("run", "s.yaml", "--quiet", "--out", "none", "--replications", "2", cwd=folder)
    easim("compare", "s.yaml", "--quiet", "--policies", "fcfs,zeus", "--out", "both", "--replications", "2", cwd=folder)
    files = [path for name in ("none", "both") for path in (folder / name).rglob("*") if path.suffix in (".csv", ".json", ".yaml", ".gp")]
    assert len(files) > 8
    for path in files:
        text = path.read_text()
        found = re.search(r"(?i)(?<![\w.])[-+]?(nan|inf|infinity|1e999)(?![\w-])", re.sub(r'"[^"\n]*"', "", text))
        assert not found, (path, found)
        if path.suffix == ".json":
            json.loads(text, parse_constant=lambda word: sys.exit(f"{path}: {word}"))


cases(units, series, options, yaml_of_calibrate, yaml_of_runs, logs, scenarios, telemetry, cells, damaged_events, written)
