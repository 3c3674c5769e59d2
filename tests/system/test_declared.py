"""Whether policies read what they declare, and nothing else: test_declared.py EASIM SOURCE.

Every shipped policy decides in two random scenarios, under several of its parameters, and again with one input changed: other
values of the carbon intensity or the price at the same instants, other deadlines and classes, other users and weights, other
forecasts, other requested times of rigid jobs, another power cap. Jobs may then run elsewhere or at other times only if the policy
declares that input, and do so in some scenario for each input that it declares. The program of `exec` reads all of each message.
"""
import random
import re
import sys

from harness import SOURCE, cases, easim, rows_of

# By seed: the most time between arrivals, so that many jobs wait, or few; and parameters under which a policy may read more.
SCENARIOS = {1: (1200, ["lean:deadlines=true:price_series=true", "pollux:strict=true", "zeus:edp_slack=1.5", "themis:time_slack=1"]),
             2: (3000, ["fcfs:strict=false", "deferral:signal=price", "charon:base=pollux", "chronos:order=slack", "pollux:round_s=10min",
                        "las:round_s=off", "greenflow:budget=0.4:window=30min", "max_min:round_s=1h", "hades:edp_slack=2",
                        "aurachronos:preempt_slack_s=1h"])}
INPUTS = ["carbon", "price", "deadlines", "users", "forecasts", "run times", "cap"]
HOURS, JOBS = 48, 60
DECIDED = "job_id start_s finish_s status gpu_type k b nodes energy_j gpu_s preemptions resizes lost_s".split()
# The choice among configurations that fit depends on every byte that the program was told.
PROGRAM = """
import json, sys, zlib
told, jobs, waiting = 0, {}, []
for line in sys.stdin:
    told = zlib.crc32(line.encode(), told)
    message = json.loads(line)
    answer = {"message": message["message"]}
    if message["type"] == "hello":
        answer["ready"], configs = 2, message["configs"]
    elif message["type"] == "decide":
        jobs.update((job["job"], job) for job in message["arrived"])
        waiting += [job["job"] for job in message["arrived"]]
        free, answer["actions"] = [of["node_free_max"] for of in message["gpu_types"]], []
        for number in waiting[:]:
            job = jobs[number]
            fitting = [c for c in range(job["first_config"], job["first_config"] + job["config_count"])
                       if configs[c]["k"] <= free[configs[c]["gpu_type"]]]
            if fitting:
                chosen = fitting[told % len(fitting)]
                free[configs[chosen]["gpu_type"]] -= configs[chosen]["k"]
                answer["actions"].append({"start": number, "config": chosen})
                waiting.remove(number)
    print(json.dumps(answer), flush=True) if message["type"] != "finish" else sys.exit()
"""


def write_series(place, rng, name, column, least, most, other):
    """Hourly values; the other ones change at the same hours."""
    values = [round(rng.uniform(least, most), 3) for _ in range(HOURS)]
    values = [round(least + most - value, 3) for value in values] if other else values
    (place / name).write_text(f"time_s,{column}\n" + "".join(f"{3600 * hour},{value}\n" for hour, value in enumerate(values)))


def write_jobs(place, seed, other):
    """Half of the jobs are rigid. Each column has its own random numbers, so that the others stay when one changes."""
    draw = {name: random.Random(f"{seed} {name}") for name in ("jobs", "users", "deadlines", "run times")}
    for name in other & draw.keys():
        draw[name] = random.Random(f"{seed} other {name}")
    rng, at, lines = draw["jobs"], 0, []
    for number in range(JOBS):
        at += rng.randrange(60, SCENARIOS[seed][0])
        run_s = rng.randrange(600, 9000)
        rigid = f",,{run_s},{round(run_s * draw['run times'].uniform(0.5, 4))},{rng.choice([1, 1, 2, 4])}"
        trained = f"{rng.choice(['resnet50-fp32', 'vit-base-fp32', 'albert-v2-bf16'])},{rng.randrange(200000, 2000000)},,,"
        fields = draw["deadlines"]
        due, slack, sla = fields.random() < 0.6, fields.randrange(2000, 20000), fields.random() < 0.5
        lines.append(f"j{number},{at},{draw['users'].choice('abcd')},{rigid if number % 2 else trained},{at + slack if due else ''},"
                     f"{'sla' if sla else 'best_effort'}\n")
    (place / "jobs.csv").write_text("job_id,submit_s,user,model,work_samples,duration_s,requested_s,gpus,deadline_s,class\n" + "".join(lines))
    return [round(draw["users"].uniform(0.5, 4), 2) for _ in "abcd"]


def write_scenario(place, seed, other=frozenset(), params=""):
    place.mkdir()
    weights = write_jobs(place, seed, other)
    rng = random.Random(f"{seed} series")
    write_series(place, rng, "carbon.csv", "carbon_g_per_kwh", 50, 600, "carbon" in other)
    write_series(place, rng, "price.csv", "price_per_mwh", 20, 300, "price" in other)
    write_series(place, rng, "cap.csv", "power_w", 2500, 4500, "cap" in other)
    models = (SOURCE / "configs/models/eas-sim.yaml").read_text()
    (place / "models.yaml").write_text(models + "rigid_speed: {h100: 2}\n")
    (place / "s.yaml").write_text(f"""\
name: declared
seed: {seed}
cluster:
  gpu_types:
    - {{name: a100, idle_w: 60, ctx_w: 98, tdp_w: 400, memory_gib: 80}}
    - {{name: h100, idle_w: 70, ctx_w: 110, tdp_w: 700, memory_gib: 80}}
  nodes: [{{gpu: a100, gpus: 4, base_w: 250}}, {{gpu: h100, gpus: 4, base_w: 300}}]
  power_cap_w: {{file: cap.csv}}
models: models.yaml
users: [{", ".join(f"{{name: {name}, weight: {weight}}}" for name, weight in zip("abcd", weights))}]
workload: {{kind: trace, file: jobs.csv, k: [1, 2, 4], rigid_costs: {{start_s: 20, restart_s: 40, checkpoint_s: 30}}}}
policy: {{name: fcfs}}
horizon: drain
carbon_g_per_kwh: {{file: carbon.csv, repeat: true}}
price_per_mwh: {{file: price.csv, repeat: true}}
forecast: {{hours: 12, error: {{sigma: {1 if "forecasts" in other else 0.1}}}}}
{params}""")


def decided(place, policies):
    """By policy: when and where its jobs ran."""
    easim("compare", place / "s.yaml", "--policies", ",".join(policies), "--quiet", "--out", place / "out", "--threads", "1")
    found = {rows[0]["policy"]: [tuple(row[name] for name in DECIDED) for row in rows]
             for rows in map(rows_of, (place / "out").glob("*/jobs.csv"))}
    assert found.keys() == set(policies) and {len(rows) for rows in found.values()} == {JOBS}, (place, found.keys())
    return found


def write_schedule(folder, seed):
    """Of fcfs, for replay: who runs at each start and each end."""
    write_scenario(folder / "first", seed)
    easim("run", folder / "first/s.yaml", "--quiet", "--out", folder / "first/out")
    stays = [(row["job_id"], float(row["start_s"]), float(row["finish_s"]), row["k"]) for row in rows_of(folder / "first/out/jobs.csv")]
    times = sorted({start for _, start, _, _ in stays})
    (folder / "schedule.csv").write_text("time_s,job_id,gpus\n" + "".join(
        f"{time!r},{job},{k}\n" for time in times for job, start, finish, k in stays if start <= time < finish))


def resized(folder, requested_s):
    """An option of the host reads run times for fcfs: at 500 s, when a has left the H100, b moves if it seems worth 40 s."""
    place = folder / f"resize {requested_s}"
    write_scenario(place, 1)
    (place / "jobs.csv").write_text(f"job_id,submit_s,gpus,duration_s,requested_s\na,0,4,960,960\nb,0,4,3000,{requested_s}\n")
    easim("run", place / "s.yaml", "--policy", "fcfs:resize=true", "--quiet", "--out", place / "out")
    return [row["resizes"] for row in rows_of(place / "out/jobs.csv")]


def declared():
    """{policy: what it reads and keeps}, as `easim policies` lists it."""
    listed = re.findall(r"^\| (\S+) \| .* \| ([^|]+) \| (cap)? +\|$", easim("policies", "--format", "markdown").stdout.replace("\\", ""), re.M)
    shipped = {path.stem for path in (SOURCE / "policies").glob("*.c")}
    assert {name for name, _, _ in listed} - {"policy"} == shipped, (listed, shipped)
    words = {name: {*reads.split(", "), *([keeps] if keeps else [])} - {"nothing"} for name, reads, keeps in listed if name != "policy"}
    assert all(told <= set(INPUTS) for told in words.values()), words
    return words


def as_declared(folder):
    told = declared()
    assert (resized(folder, 3000), resized(folder, 520)) == (["0", "1"], ["0", "0"])
    differing = set()
    for seed, (_, policies) in SCENARIOS.items():
        policies = [*(told if seed == 1 else ()), *policies]
        place = folder / str(seed)
        place.mkdir()
        (place / "program.py").write_text(PROGRAM)
        write_schedule(place, seed)
        params = (f"params_by_policy:\n  exec: {{command: {sys.executable} {place}/program.py}}\n"
                  f"  replay: {{file: {place}/schedule.csv}}\n")
        write_scenario(place / "as it is", seed, params=params)
        before = decided(place / "as it is", policies)
        for changed in INPUTS:
            write_scenario(place / changed, seed, {changed}, params)
            after = decided(place / changed, policies)
            differing |= {(policy, changed) for policy in policies if after[policy] != before[policy]}
    differing.discard(("exec", "cap"))  # its program sees the cap, and easim does not know what it makes of it
    undeclared = [(policy, changed) for policy, changed in sorted(differing) if changed not in told[policy.partition(":")[0]]]
    idle = [(name, word) for name, words in told.items() for word in words
            if not any(policy.partition(":")[0] == name and changed == word for policy, changed in differing)]
    assert not undeclared, f"read, and not declared: {undeclared}"
    assert not idle, f"declared, and nothing shows it: {idle}"
    return len(SCENARIOS) * len(INPUTS)


cases(as_declared)
