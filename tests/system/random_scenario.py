"""A random scenario of everything easim simulates, from a seed: a folder of small files. Nothing here knows easim."""
import csv
import io
import json
from random import Random

JOB_COLUMNS = ["job_id", "submit_s", "user", "model", "work_samples", "duration_s", "requested_s", "gpus", "batch",
               "gpu_type", "deadline_s", "class", "utilization", "gpu_share", "label.n"]
POLICIES = ["fcfs", "easy", "pollux", "themis", "chronos", "zeus", "hades", "aurachronos", "charon", "las",
            "max_min", "tiresias", "allox"]
NEWER = ["lean", "goodput", "sia", "green", "greenflow", "deferral"]  # take_newer: what a seed draws stays as it was
NODES_OF_TIERS = [[2, 4, 64], [3, 64], [1, 2, 64], [64], [2, 64]]


class Scenario:
    """.files maps names to texts; the rest is what was drawn, for who computes with it."""

    def __init__(self, seed):
        self.r, self.seed = Random(seed), seed
        r = self.r
        self.files = {}
        self.types = [self.gpu_type(name) for name in ["v", "a", "h"][:r.choice([1, 1, 2, 2, 3])]]
        self.drain = self.chance(0.6)
        self.horizon_s = r.choice([1800, 3600.5, 7200, 20000])
        self.warmup_s = r.choice([600, 1500.25]) if self.chance(0.25) else 0
        self.policy = r.choice(POLICIES)
        self.cluster = self.draw_cluster()
        self.batches = {}  # of each model, as first drawn
        self.models = [self.model(f"m{i}") for i in range(r.choice([1, 2, 3]))]
        for model in self.models:
            self.forms(model)
        self.rigid_speed = {t["name"]: round(r.uniform(0.5, 3), 3) for t in self.types} if self.chance(0.3) else {}
        self.served = []  # models of services
        self.write_models()
        self.scenario = self.draw_scenario()
        if seed % 6 == 0:
            self.calm()
        self.write_scenario()

    def write_scenario(self):
        self.files["scenario.yaml"] = f"# seed {self.seed} of tests/system/random_scenario.py\n" + lines(self.scenario)

    def write(self, folder):
        folder.mkdir(exist_ok=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder / "scenario.yaml"

    def chance(self, share):
        return self.r.random() < share

    def real(self, low, high, digits=3):
        return round(self.r.uniform(low, high), digits)

    # --- cluster ---

    def gpu_type(self, name):
        idle = self.real(20, 80, 1)
        ctx = round(idle + self.real(0, 60, 1), 1)
        t = {"name": name, "idle_w": idle, "ctx_w": ctx, "tdp_w": round(ctx + self.real(100, 500, 1), 1),
             "memory_gib": self.r.choice([16, 40, 80])}
        if self.chance(0.3):
            t |= {"sleep_w": self.real(0, idle, 1), "sleep_after": self.r.choice([0, 30, 300]),
                  "wake_s": self.r.choice([0, 2.5, 20])}
        return t

    def draw_cluster(self):
        r, nodes = self.r, []
        for t in self.types:
            for _ in range(r.choice([1, 1, 2])):
                node = {"count": r.choice([1, 1, 2, 3]), "gpu": t["name"], "gpus": r.choice([1, 2, 3, 4, 4, 8])}
                if self.chance(0.5):
                    node |= {"base_w": self.real(0, 300, 1)}
                if self.chance(0.2):
                    node |= {"cpu_idle_w": 40.5, "ram_w": 12, "cpu_w_per_busy_gpu": self.real(0, 30, 2)}
                if self.chance(0.25):
                    node |= {"mtbf": r.choice(["20min", "2h"]), "mttr": r.choice(["2min", "30min"])}
                nodes.append(node)
        r.shuffle(nodes)
        cluster = {"gpu_types": self.types, "nodes": nodes}
        if self.chance(0.4):
            cluster["pue"] = self.real(1, 2)
        if self.chance(0.3):
            cluster["interference"] = {"slowdown_per_neighbour": r.choice([0.05, 0.5])}
        if self.policy == "charon" or self.chance(0.25):
            cluster["power_cap_w"] = self.cap(nodes)
        return cluster

    def cap(self, nodes):
        by_name = {t["name"]: t for t in self.types}
        idle = sum(n.get("count", 1) * (n["gpus"] * by_name[n["gpu"]]["idle_w"] + n.get("base_w", 0) +
                                        n.get("cpu_idle_w", 0) + n.get("ram_w", 0)) for n in nodes)
        most = idle + sum(n.get("count", 1) * n["gpus"] * (by_name[n["gpu"]]["tdp_w"] - by_name[n["gpu"]]["idle_w"])
                          for n in nodes)

        def watts():
            return round(idle + self.r.choice([0.2, 0.5, 0.8, 1]) * (most - idle), 1)
        if self.chance(0.5):
            return watts()
        times = sorted(self.r.sample(range(0, 7200, 7), 4))
        rows = [[time_s, "" if self.chance(0.2) else watts()] for time_s in times] + [[7500, ""]]
        self.files["cap.csv"] = table(["time_s", "power_w"], rows)
        return {"file": "cap.csv"}

    # --- models ---

    def model(self, name):
        r = self.r
        batches = sorted(r.sample([0.375, 4, 8, 16, 32, 64], r.choice([1, 2, 3])))
        known = r.sample(self.types, r.randint(1, len(self.types)))
        self.batches[name] = batches
        m = {"name": name, "m0": r.choice([8, 64, 1024]), "phi": r.choice([0, 500, 20000]), "batches": batches}
        for key, values in (("start_s", [0, 12, 30.5]), ("restart_s", [0, 20, 45.25]), ("checkpoint_s", [0, 5, 17.5]),
                            ("checkpoint_interval_s", [0, 0, 60, 600])):
            m[key] = r.choice(values)
        if self.chance(0.3):
            m |= {"mem0_gib": 2, "mem1_gib": self.real(0, 1.5)}
        m["gpus"] = {t["name"]: self.on_type(t, batches) for t in known}
        return m | self.phases(name, batches)

    def phases(self, name, batches):
        """Of a third of the models: noise scales that rise and fall, some with batches of their own. Drawn apart, so
        that the rest of a scenario stays what its seed says."""
        r = Random(f"phases of {name}, {self.seed}")
        if r.random() > 0.35:
            return {}
        ends = sorted({round(r.uniform(0.01, 0.99), 3) for _ in range(r.choice([0, 1, 1, 2, 4]))}) + [1]
        states_batches, phases = r.random() < 0.6, []
        for end in ends:
            phases.append({"until": end} | ({"phi": r.choice([0, 300, 5000, 100000])} if r.random() < 0.8 else {}))
            if states_batches and r.random() < 0.7:
                phases[-1]["batches"] = sorted(r.sample([1, 2, 4, 8, 12.5, 16, 32, 48, 64, 128], r.choice([1, 1, 2, 3])))
        return {"phases": phases}

    def forms(self, model):
        """Of some models: outputs that all count, batches of all GPUs or of one GPU type, steps, log2. Drawn apart."""
        r, batches = Random(f"forms of {model['name']}, {self.seed}"), self.batches[model["name"]]
        if r.random() < 0.2:
            model["efficiency"] = "none"
            for place in [model, *model.get("phases", [])]:
                place.pop("phi", None)
            del model["m0"]
        whole = r.random() < 0.3 and not any("lookup" in on for on in model["gpus"].values())
        if whole:
            del model["batches"]
            model["global_batches"] = [4 * b for b in batches]
        for on in model["gpus"].values():
            allowed = batches
            if "lookup" not in on and r.random() < 0.3:
                on |= {"sync_inter": "log2", "beta_inter_s": round(r.uniform(0, 0.02), 4)}
            if "lookup" not in on and r.random() < 0.2:
                on["batches"] = allowed = r.sample([0.125, 3, 12, 24.5], r.choice([1, 2]))
            if r.random() < 0.3:
                on["grad_accum"] = [{"k": k, "batch": 4 * b / k if whole and allowed is batches else b,
                                     "steps": r.choice([2, 3, 8])}
                                    for k in (1, 2, 4) for b in allowed if r.random() < 0.5] or [{"k": 1, "batch": 7, "steps": 2}]

    def overrides(self):
        """Of a third of the scenarios: a list for model_overrides, or None. Drawn apart."""
        r, entries = Random(f"overrides of {self.seed}"), []
        most = {t["name"]: max((n["gpus"] for n in self.cluster["nodes"] if n["gpu"] == t["name"]), default=0)
                for t in self.types}
        while r.random() < 0.5:
            model, factor = r.choice(self.models), round(r.uniform(0.6, 1.6), 3)
            gpu, on = r.choice(list(model["gpus"].items()))
            sets = [({"gpu": gpu} if r.random() < 0.5 else {}) | {"set": {key: {"times": factor}}} for key in ("c_s", "alpha_s")]
            sets.append({"set": {"pmax_w": {"times": round(factor + 0.4, 3)}, "a_s": 0.04}})
            if "m0" in model:
                sets += [{"model": model["name"], "set": {"m0": r.choice([2, 300])}}] * 2
            if most[gpu] > 1 and not ({"lookup", "beta_s", "grad_accum"} & {*on}) and "mem0_gib" not in model:
                sets += [{"model": model["name"], "gpu": gpu, "set": {"scaling_efficiency": round(r.uniform(0.4, 0.65), 3)}}] * 6
            entries.append(r.choice(sets))
        return entries or None

    def calm(self):
        """Nothing disturbs a job, so that the formulas can be held against each: the log alone, without rigid jobs."""
        self.scenario.pop("noise", None)
        self.cluster.pop("interference", None)
        for place in self.cluster["nodes"] + self.types:
            for key in ("mtbf", "mttr", "sleep_w", "sleep_after", "wake_s"):
                place.pop(key, None)
        for key in ("power_limits", "resize", "shrink", "resize_gain", "resize_interval_s"):
            self.scenario["policy"]["params"].pop(key, None)
        self.scenario["workload"]["streams"] = [self.trace() | {"preemptible": False}]
        for job in self.jobs:
            if "model" not in job:
                job |= {"model": self.models[0]["name"], "work_samples": 100 * job["duration_s"], "gpus": self.r.choice([1, 2, 4])}
                for key in ("duration_s", "requested_s", "utilization", "gpu_share"):
                    job.pop(key, None)
        self.files["jobs.csv"] = table(JOB_COLUMNS, [[job.get(c, "") for c in JOB_COLUMNS] for job in self.jobs])

    def on_type(self, t, batches):
        r = self.r
        p0, low = t["ctx_w"], t["idle_w"]
        least = self.real(low, p0, 1)
        on = {"evidence": "assumed", "source": "drawn"}
        if self.chance(0.25):
            on["lookup"] = self.lookup(t, batches, least)
        else:
            on |= {"a_s": self.real(0.01, 0.1, 4), "c_s": self.real(0.0005, 0.01, 5), "gamma": self.real(1, 4),
                   "alpha_s": self.real(0, 0.02, 4), "p0_w": least, "pmax_w": self.real(p0, t["tdp_w"] * 1.05, 1)}
            if self.chance(0.5):
                on |= {"beta_s": self.real(0, 0.002, 5), "alpha_inter_s": self.real(0.02, 0.05, 4)}
            if self.chance(0.2):
                on |= {"sync_gamma": self.real(1, 4), "scaling_exponent": self.real(0, 0.2)}
        if self.chance(0.3):
            limits = sorted(r.sample(range(int(0.5 * t["tdp_w"]), int(t["tdp_w"])), 2))
            on["power_limits"] = {"levels": [self.level(watts) for watts in limits]}
        return on

    def level(self, watts):
        time_ratio, power_ratio = self.real(1, 1.5), self.real(0.6, 1)
        return {"power_limit_w": watts, "time_ratio": time_ratio, "power_ratio": power_ratio,
                "energy_ratio": time_ratio * power_ratio, "configurations": 3}

    def lookup(self, t, batches, least):
        points = []
        for across in [False, True] if self.chance(0.4) else [False]:
            for k in [2, 4, 8] if across else [1, 2, 4]:
                for b in {batches[0], batches[-1]}:
                    points.append({"k": k, "batch": b, "power_w_per_gpu": self.real(least, t["tdp_w"], 1),
                                   "throughput_samples_s": self.real(20, 400) * k ** 0.8} |
                                  ({"across_nodes": True} if across else {}))
        return points

    # --- workload ---

    def draw_scenario(self):
        r = self.r
        s = {"name": "random", "seed": self.seed, "horizon": "drain" if self.drain else self.horizon_s,
             "replications": r.choice([1, 1, 2]), "models": "models.yaml", "cluster": self.cluster}
        if self.chance(0.3):
            s["engine"] = {"coalesce": self.chance(0.5), "equal_time": r.choice(["finishes_first", "arrivals_first"])}
        s["users"] = [{"name": f"u{i}", "weight": r.choice([0.5, 1, 3])} for i in range(1, r.choice([2, 4]))]
        if self.chance(0.3):
            s["noise"] = {"speed_sigma": r.choice([0.1, 0.5])}
        for key, values in (("price_per_mwh", (-20, 200)), ("carbon_g_per_kwh", (0, 700)), ("wue_l_per_kwh", (0, 3))):
            if self.chance(0.4):
                s[key] = self.price(key, values) if key != "wue_l_per_kwh" and self.chance(0.4) else self.real(*values)
        streams = [self.trace()] if self.chance(0.5) else []
        while not streams or (len(streams) < 3 and self.chance(0.4)):
            streams.append(self.stream())
        s["workload"] = {"streams": streams, "warmup": self.warmup_s}
        if self.chance(0.5):
            s["workload"]["rigid_costs"] = {"start_s": r.choice([0, 3]), "restart_s": r.choice([0, 7.5]),
                                            "checkpoint_s": r.choice([0, 4]),
                                            "checkpoint_interval_s": r.choice([0, 120])}
        s["policy"] = {"name": self.policy, "params": self.params()}
        entries = self.overrides()
        return s | ({"model_overrides": entries} if entries else {})

    def price(self, key, values):
        rows = [[time_s, "" if time_s and self.chance(0.1) else self.real(*values)] for time_s in range(0, 7200, 900)]
        self.files[key + ".csv"] = table(["time_s", key], rows)
        return {"file": key + ".csv", "repeat": True}

    def stream(self):
        r = self.r
        s = {"kind": r.choice(["poisson", "poisson", "periodic", "diurnal"]),
             "sizes": {"law": r.choice(["constant", "exponential", "lognormal"]),
                       "mean": r.choice(["2min", "10min", "40min"])}}
        if s["kind"] == "periodic":
            s["period"] = r.choice([60, 300, 400.125])
        else:
            s["rate_per_s"] = r.choice([0.002, 0.01, 0.05])
        if s["kind"] == "diurnal":
            s |= {"period": "1h", "peak": "20min", "amplitude": 0.9}
        s["until"] = {"jobs": r.choice([3, 10, 25])}
        if self.chance(0.3):
            s["rigid"] = {"k": r.choice([[1], [1, 2], [1, 3, 4]])}
            s["utilization"] = self.real(0, 1)
        else:
            s["k"] = r.choice([[1], [1, 2, 4], [1, 2, 4, 8], [2, 3, 6]])
            if self.chance(0.2):
                s["request"] = {"k": "uniform"}
        if self.chance(0.5):
            s["deadlines"] = {"share": r.choice([0.3, 1]), "slack": r.choice([[1, 1.2], [1.1, 4]])}
        if self.chance(0.3):
            s["users"] = 3
        s["preemptible"] = self.chance(0.8)
        return s

    def trace(self):
        """Malleable, fixed and partly fixed jobs, rigid ones on whole GPUs and on parts of one."""
        self.jobs = [self.job(i) for i in range(self.r.choice([1, 8, 20]))]
        self.files["jobs.csv"] = table(JOB_COLUMNS, [[job.get(c, "") for c in JOB_COLUMNS] for job in self.jobs])
        stream = {"kind": "trace", "file": "jobs.csv", "k": [1, 2, 4], "preemptible": self.chance(0.8)}
        return stream | self.utilization()

    def utilization(self):
        """Of half the logs: steps of some jobs, of those with a model and of unknown ones too, one job after the other or
        mixed; self.steps is job_id: [(from_s, utilization)]. Drawn apart."""
        r = Random(f"utilization of {self.seed}")
        self.steps = {}
        if r.random() < 0.5:
            return {}
        for job in [*self.jobs, {"job_id": "nobody"}]:
            if r.random() < 0.3:
                continue
            length = job.get("duration_s", 100)
            starts = {round(r.uniform(0, 1.1 * length), r.choice([0, 3, 9])) for _ in range(r.choice([1, 2, 5, 30]))}
            starts |= {0} if r.random() < 0.6 else set()
            self.steps[job["job_id"]] = [(start, r.choice([0, 1, 0.5, round(r.random(), 3)])) for start in sorted(starts)]
        rows = [[job, start, value] for job, steps in self.steps.items() for start, value in steps]
        if r.random() < 0.4:
            rows.sort(key=lambda row: row[1])
        self.files["use.csv"] = table(["job_id", "from_s", "utilization"], rows)
        return {"utilization_file": "use.csv"}

    def job(self, i):
        r = self.r
        submit_s = r.choice([0, 60, round(r.uniform(0, 4000), 6)])
        job = {"job_id": f"t{i}", "submit_s": submit_s, "user": r.choice(["u1", "x", ""]), "label.n": i}
        if self.chance(0.5):
            model = r.choice(self.models)
            job |= {"model": model["name"], "work_samples": self.real(10, 60000)}
            if self.chance(0.3):
                job["gpus"] = r.choice([1, 2, 4])
            if self.chance(0.2):
                job["batch"] = r.choice(self.batches[model["name"]])
            if self.chance(0.2):
                job["gpu_type"] = r.choice(list(model["gpus"]))
        else:
            duration = r.choice([1, 60, round(r.uniform(1, 3000), 4)])
            job |= {"duration_s": duration, "gpus": r.choice([1, 1, 2, 4]), "utilization": self.real(0, 1)}
            if self.chance(0.6):
                job["requested_s"] = round(duration * r.choice([0.5, 1, 3]), 4)
            if self.chance(0.3):
                job["gpu_type"] = r.choice(self.types)["name"]
            if self.chance(0.4):
                job |= {"gpus": 1, "gpu_share": r.choice([0.001, 0.25, 0.5, 0.7, 1])}
        if self.chance(0.3):
            job["deadline_s"] = round(submit_s + r.choice([0, 300, 3000]), 3)
        if self.chance(0.2):
            job["class"] = r.choice(["sla", "best_effort"])
        return job

    def params(self):
        r, p = self.r, {}
        if self.policy == "easy":
            return p
        p |= {"resize": self.chance(0.5), "shrink": self.chance(0.5), "resize_gain": r.choice([0, 0.1]),
              "resize_interval_s": r.choice([0, 60, 300])}
        if self.chance(0.3):
            p["strict"] = self.chance(0.5)
        if self.policy not in ("aurachronos", "charon") and self.chance(0.2):
            p["round_s"] = r.choice([60, 120, 600, "off"])
        if self.policy in ("pollux", "themis", "chronos") and self.chance(0.3):
            p["time_slack"] = r.choice([1, 1.5, 4])
        if self.policy in ("zeus", "hades", "aurachronos", "charon"):
            p |= {"power_basis": self.basis(), "edp_exponent": r.choice([1, 1, 0, 2])}
            if self.chance(0.4):
                p["edp_slack"] = r.choice([1, 1.5, 4])
        if self.policy in ("themis", "hades") and self.chance(0.5):
            p["half_life_s"] = r.choice([60, 3600])
        if self.policy == "chronos":
            p["order"] = r.choice(["deadline", "slack"])
        if self.policy == "aurachronos":
            p |= {"urgent_objective": r.choice(["edp", "time"]), "deadline_margin_s": r.choice([0, 60]),
                  "preempt_slack_s": r.choice([0, 600, 10000]), "max_preemptions": r.choice([0, 1, 3])}
        if self.policy in ("zeus", "charon"):
            p["power_limits"] = self.chance(0.5)
        if self.policy == "charon":
            p["base"] = r.choice(["zeus", "pollux"])
        return p

    def take_newer(self):
        """Another policy, one of NEWER, with parameters of its own and forecasts perhaps. Drawn apart."""
        r, p = Random(f"newer policy of {self.seed}"), self.scenario["policy"]["params"]
        self.policy = r.choice(NEWER)
        if self.policy in ("goodput", "sia"):  # no list policies: they have none of the parameters of those
            p = {"round_s": r.choice([10, 60, 300]), "most_steps": r.choice([0, 1000, 8000000]), "p": r.choice([-4, -1, -0.5])}
        else:
            p = {key: p[key] for key in ("resize", "shrink", "resize_gain", "resize_interval_s", "strict") if key in p}
        if self.policy == "lean":
            p |= {"deadlines": r.random() < 0.5, "price_series": r.random() < 0.5, "displace": r.choice([1, 3, "off"]),
                  "displace_age": r.choice([0, 2, 1e9]), "slack": r.choice([1, 2, "off"])}
        if r.random() < 0.6 and {"carbon_g_per_kwh", "price_per_mwh"} & {*self.scenario}:
            self.scenario["forecast"] = {"hours": r.choice([1, 2, 24]), "error": {"sigma": r.choice([0, 0.2])}}
        self.scenario["policy"] = {"name": self.policy, "params": p}
        self.write_scenario()

    def take_unruly(self):
        """The policy of tests/policy/plugins/unruly.c: all that a list policy may do, by chance. Drawn apart."""
        r, p = Random(f"unruly policy of {self.seed}"), self.scenario["policy"]["params"]
        self.policy = "unruly"
        p = {key: p[key] for key in ("resize", "shrink", "resize_gain", "resize_interval_s", "strict") if key in p}
        self.scenario["policy"] = {"name": "unruly", "params": p | {"bits": r.randrange(4096), "tau": r.choice([60, 3600])}}
        self.write_scenario()

    def take_services(self):
        """One to three services beside the jobs. On GPUs that jobs may want, too, their demand ends and their least number
        is 0, so that no job waits for ever; on a GPU type of their own they do as they like. Drawn apart."""
        r = Random(f"services of {self.seed}")
        self.stays = False  # a replica may stay for ever
        own = "power_cap_w" not in self.cluster and r.random() < 0.5
        if own:
            idle = round(r.uniform(20, 80), 1)
            self.types.append({"name": "s", "idle_w": idle, "ctx_w": idle + r.choice([0, 30]), "tdp_w": 900, "memory_gib": 80} |
                              r.choice([{}, {"sleep_w": 10, "sleep_after": 120, "wake_s": 15}]))
            self.cluster["nodes"] += [{"count": r.choice([1, 2]), "gpu": "s", "gpus": r.choice([4, 8])} |
                                      r.choice([{}, {"mtbf": "1h", "mttr": "10min"}]) for _ in range(r.choice([1, 2]))]
        self.services = []
        for i in range(r.choice([1, 1, 2, 3])):
            apart = own and r.random() < 0.6
            names = ["s"] if apart else sorted({r.choice([t for t in self.types if t["name"] != "s"])["name"] for _ in range(3)})
            self.served.append({"name": f"serve{i}", "unit": "token", "prompt": {"included": True}, "serving":
                           [self.serving(r, name, k) for name in names for k in [1, 2, 4][:r.choice([1, 1, 2, 3])]]})
            self.services.append(self.service(r, i, apart, self.served[-1]["serving"]))
        self.write_models()
        self.scenario["workload"]["streams"] += self.services
        self.write_scenario()

    @staticmethod
    def serving(r, gpu, k):
        points, n, per_s, watts, ms = [], 0, 0, k * round(r.uniform(100, 300), 1), round(r.uniform(5, 30), 2)
        for limit in (8, 32, 128)[:r.choice([1, 2, 3])]:
            n, per_s = limit - round(r.uniform(0, limit / 4), 3), round(per_s + r.uniform(50, 1500), 2)
            points.append({"limit": limit, "n": n, "per_s": per_s, "power_w": round(watts, 1),
                           "itl_ms": {"p50": ms, "p90": round(ms + 3, 2), "p95": round(ms + 5, 2), "p99": round(ms + 20, 2)}})
            watts, ms = watts + r.uniform(-20, 150), round(ms + r.uniform(0, 15), 2)
        return {"gpu": gpu, "k": k, "evidence": "assumed", "source": "drawn", "points": points}

    def service(self, r, i, apart, tables):
        least_ms = max(point["itl_ms"]["p99"] for table in tables for point in table["points"][:1])
        per_s = max(point["per_s"] for table in tables for point in table["points"])
        service = {"kind": "service", "name": f"chat {i}", "model": f"serve{i}",
                   "slo": {"itl_ms": round(least_ms * r.choice([1, 1.2, 3]) + 0.01, 3), "wait_s": r.choice([0, 1, 10, 60]),
                           "quantile": r.choice(["p50", "p99"])},
                   "replicas": {"min": 0, "max": r.choice([1, 2, 5])}, "start_s": r.choice([0, 20, 90.5]),
                   "scaling": {"target": r.choice([0.5, 0.8, 1]), "interval": r.choice([7.5, 30, 60, 200]),
                               "down_after": r.choice([30, 300, 1000]), "preempt": r.random() < 0.5,
                               "objective": r.choice(["energy", "latency"])}}
        if r.random() < 0.4:
            service["slo"]["timeout_s"] = max(service["slo"]["wait_s"], r.choice([0.5, 5, 100]))
        if apart and r.random() < 0.4:
            service["demand"] = {"tokens_per_s": round(per_s * r.uniform(0, 3), 2)}
            service["replicas"]["min"] = r.choice([0, 1])
            self.stays = True
            return service
        times = sorted(r.sample(range(1, 4000), r.choice([1, 5, 30])))
        steps = [[time_s, r.choice([0, round(per_s * r.uniform(0, 4), 2)])] for time_s in [0, *times]]
        self.files[f"demand{i}.csv"] = table(["time_s", "tokens_per_s"], steps + [[4000, 0], [4001, 0]])
        repeats = apart and r.random() < 0.5
        self.stays = self.stays or repeats
        service["demand"] = {"file": f"demand{i}.csv"} | ({"period": 4002} if repeats else {})
        return service

    def take_network(self, tier_count=None):
        """Tiers of switches above the nodes. Drawn apart."""
        r, nodes = Random(f"network of {self.seed}"), sum(n["count"] for n in self.cluster["nodes"])
        self.tiers, width = [], 1
        for i in range(tier_count or r.choice([1, 2, 2, 3, 3, 4])):
            width *= r.choice([1, 2, 2, 3])
            self.tiers.append({"name": f"t{i}", "nodes": width, "oversubscription": r.choice([1, 1, 1.5, 4])})
        self.tiers[-1]["nodes"] = max(nodes + r.choice([0, 1, 100]), width)
        self.cluster["network"] = {"tiers": self.tiers}
        self.write_scenario()

    def take_contention(self, oversubscribed=True):
        """Uplinks that jobs share, storage or both. Drawn apart."""
        r = Random(f"contention of {self.seed}")
        has_network, has_storage = r.choice([(True, False), (False, True), (True, True)]) if oversubscribed else (True, False)
        tiers = [{"name": f"t{i}", "nodes": n, "oversubscription": r.choice([1, 2, 5, 12.5]) if oversubscribed else 1}
                 for i, n in enumerate(r.choice(NODES_OF_TIERS))]
        sync_bytes = [10 ** r.uniform(6, 9) for _ in self.models]
        for model, count in zip(self.models, sync_bytes):
            model["sync_bytes"] = round(count)
            if has_storage and r.random() < 0.8:
                model[r.choice(["bytes_per_sample", "storage_bytes_per_sample"])] = r.choice([1000, 2500.5])
        if has_network:
            self.cluster["network"] = {"tiers": tiers, "link": round(10 ** r.uniform(7, 9)), "contention": True}
        if has_storage:
            self.scenario["storage"] = {"bandwidth": round(10 ** r.uniform(5.2, 6.7), 3)}
        self.write_models()
        self.write_scenario()

    def write_models(self):
        rigid = {"rigid_speed": self.rigid_speed} if self.rigid_speed else {}
        self.files["models.yaml"] = lines({"models": self.models + self.served} | rigid)

    def basis(self):
        """marginal is refused where a configuration draws less than an idle GPU, as one under a limit may."""
        limited = any("power_limits" in on for m in self.models for on in m["gpus"].values())
        return "gross" if limited else self.r.choice(["gross", "gross", "marginal"])


def table(columns, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *rows])
    return text.getvalue()


def lines(mapping):
    """YAML: one line for each key, and for each item of a list below it."""
    text = ""
    for key, value in mapping.items():
        if isinstance(value, list):
            text += f"{key}:\n" + "".join(f"  - {json.dumps(item)}\n" for item in value)
        else:
            text += f"{key}: {json.dumps(value)}\n"
    return text
