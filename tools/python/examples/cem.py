"""A small policy that is learned: the cross-entropy method over the weights of a linear score, with NumPy alone.

    python3 tools/python/examples/cem.py train weights.json     # some minutes on two cores
    python3 tools/python/examples/cem.py compare [weights.json] # beside the shipped policies, on other seeds

The agent scores each start that is possible now, of the first 16 jobs of the queue, by eight features, and takes the best one
above 0, else it waits; where nothing runs it takes the best one. What it is to make small is energy (kWh) plus half the hours
that jobs spend in the system. It is trained step by step, in easim.gym.Env, and compared as a policy behind `exec`.
"""
import json
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy

import easim
import easim.gym

HERE = Path(__file__).resolve().parent
CONFIG = HERE.parents[2] / "configs/eas-sim.yaml"
SCENARIO = {"horizon": "drain", "workload.until": {"jobs": 60}}
COST = {"energy_kwh": 1, "delay_job_h": 0.5}
SLOTS, CONFIGS, EPISODES, POPULATION, ELITES, ITERATIONS, FIRST_SEED = 16, 64, 4, 32, 8, 20, 1000
FEATURES = ("slowdown", "energy x time", "size", "GPUs", "GPUs x queue", "share of the free", "age", "one")


def features(time_s, energy_j, k, time_best_s, edp_best_js, age_s, free_gpus, waiting):
    """A row for each start: logarithms of what it takes against the best, of its size, and how much is free and waits."""
    log_k = numpy.log(k)
    return numpy.column_stack([numpy.log(time_s / time_best_s), numpy.log(energy_j * time_s / edp_best_js),
                               numpy.log(time_best_s / 3600), log_k, log_k * numpy.log1p(waiting), k / free_gpus,
                               numpy.log1p(age_s / time_best_s), numpy.ones(len(k))])


def choose(rows, weights, running):
    """The place of the best start, or None to wait."""
    if len(rows) == 0:
        return None
    scores = rows @ weights
    best = int(numpy.argmax(scores))
    return best if scores[best] > 0 or running == 0 else None


class Agent:
    """The policy in an environment."""

    def __init__(self, env):
        self.env, configs, types = env, env.hello["configs"], env.hello["gpu_types"]
        self.k = numpy.array([each["k"] for each in configs])
        self.gpu_type = numpy.array([each["gpu_type"] for each in configs])
        self.goodput, self.power_w = (numpy.array([each[name] for each in configs], dtype=float) for name in ("goodput", "power_w"))
        self.ctx_w = numpy.array([types[each["gpu_type"]]["ctx_w"] for each in configs])
        self.at = {name: place for place, name in enumerate(env.names)}
        self.node_free = [self.at[f"{each['name']}.node_free_max"] for each in types]
        self.slots = slice(self.at["slot0.job"], None)

    def action(self, seen, mask, weights):
        slot, place = divmod(numpy.flatnonzero(mask[:-1]), self.env.configs)
        of_job = seen[self.slots].reshape(self.env.jobs, -1)[slot].T
        _, first, _, age_s, remaining, setup_s, _, _, time_best_s, edp_best_js, _, _ = of_job
        config = first.astype(int) + place
        span = (self.k[config] > seen[self.node_free][self.gpu_type[config]]).astype(int)
        computing_s = remaining / self.goodput[config, span]
        energy_j = self.k[config] * (self.ctx_w[config] * setup_s + self.power_w[config, span] * computing_s)
        rows = features(setup_s + computing_s, energy_j, self.k[config], time_best_s, edp_best_js, age_s, seen[self.at["free_gpus"]],
                        seen[self.at["waiting"]])
        best = choose(rows, weights, seen[self.at["running"]])
        return self.env.jobs * self.env.configs if best is None else self.env.action(slot[best], place[best])


class Learned(easim.Policy):
    """The same policy behind `exec`; weights: a file that `train` has written, by default the one beside this."""

    def __init__(self, weights=HERE / "cem.json"):
        self.weights = numpy.array(list(json.loads(Path(weights).read_text(encoding="utf-8")).values()))

    def decide(self, view):
        actions, waiting, running = [], view.waiting, len(view.running)
        while True:
            starts = [(job, config, view.predicted_time_s(job, config)) for job in waiting[:SLOTS] for config in job.configs
                      if view.span(config) is not None]
            columns = [(time_s, view.predicted_energy_j(job, config), config.k, job.time_best_s, job.edp_best_js,
                        view.now_s - job.submit_s) for job, config, time_s in starts]
            rows = features(*numpy.array(columns).T, view.free_gpus, len(waiting)) if starts else []
            best = choose(rows, self.weights, running)
            if best is None:
                return actions
            job, config, _ = starts[best]
            actions.append(self.start(job, config))
            view.take(config)
            waiting.remove(job)
            running += 1


class Random(easim.Policy):
    """Starts any job in any configuration, as long as one fits."""

    def __init__(self, seed=1):
        self.dice = numpy.random.default_rng(int(seed))

    def decide(self, view):
        actions, waiting = [], view.waiting
        while True:
            starts = [(job, config) for job in waiting[:SLOTS] for config in job.configs if view.span(config) is not None]
            if not starts:
                return actions
            job, config = starts[self.dice.integers(len(starts))]
            actions.append(self.start(job, config))
            view.take(config)
            waiting.remove(job)


def rollout(env, weights, seed):
    """Mean cost of the episodes of one start of easim."""
    total = 0.0
    for episode in range(EPISODES):
        seen, info = env.reset(seed=seed if episode == 0 else None)
        agent, over = Agent(env), False  # configurations are numbered anew in each replication
        while not over:
            seen, reward, over, _, info = env.step(agent.action(seen, info["action_mask"], weights))
            total -= reward
    return total / EPISODES


WORKER = {}


def begin_worker(scenario, cores):
    env = easim.gym.Env(CONFIG, reward=COST, set=scenario, jobs=SLOTS, configs=CONFIGS, episodes=EPISODES, copy=False, core=cores.get())
    WORKER["env"] = env


def cost(weights, seed):
    return rollout(WORKER["env"], weights, seed)


def train(iterations=ITERATIONS, population=POPULATION, scenario=None, show=print):
    """Weights by the cross-entropy method. Each iteration tries its population on the same new jobs, keeps the best quarter, and
    draws the next one around it."""
    dice = numpy.random.default_rng(1)
    mean, spread = numpy.zeros(len(FEATURES)), numpy.ones(len(FEATURES))
    own = sorted(os.sched_getaffinity(0))[:2]
    cores = multiprocessing.SimpleQueue()
    for core in own:
        cores.put(core)
    with ProcessPoolExecutor(len(own), initializer=begin_worker, initargs=(scenario or SCENARIO, cores)) as pool:
        for iteration in range(iterations):
            drawn = mean + spread * dice.standard_normal((population, len(FEATURES)))
            costs = numpy.array(list(pool.map(partial(cost, seed=FIRST_SEED + iteration), drawn)))
            elite = drawn[numpy.argsort(costs, kind="stable")[:max(2, population * ELITES // POPULATION)]]
            mean, spread = elite.mean(axis=0), elite.std(axis=0) + 0.3 * 0.8 ** iteration
            show(f"iteration {iteration + 1}: mean {costs.mean():.1f}, best {costs.min():.1f}")
    return mean


NAMES = ("fcfs", "easy", "pollux", "themis", "chronos", "zeus", "hades", "aurachronos", "charon", "lean")
T_975 = 2.0930240544  # Student t, 19 degrees of freedom


def compare(weights=""):
    """Rows: policy, energy, mean hours, cost, and how much more it costs than what was learned on the same jobs."""
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    command = f"exec:command='{sys.executable} -m easim.policy cem"  # by module: paths make long names of folders
    policies = {**{name: name for name in NAMES}, "random": f"{command}:Random'",
                "learned": f"{command}:Learned{weights and f' weights={Path(weights).resolve()}'}'"}
    both = easim.compare(CONFIG, list(policies.values()), set=SCENARIO, replications=20, summary_only=True, progress=False)
    found = {}
    for name, policy in policies.items():
        summary = both[policy].summary
        kwh, hours = numpy.array(summary["energy_kwh"]), numpy.array(summary["jct_mean_s"]) / 3600
        jobs = SCENARIO["workload.until"]["jobs"]
        found[name] = kwh, hours, COST["energy_kwh"] * kwh + COST["delay_job_h"] * jobs * hours
    for name, (kwh, hours, cost) in found.items():
        yield name, *(f"{values.mean():.{digits}f} ± {T_975 * values.std(ddof=1) / len(values) ** 0.5:.{digits}f}" if values.any() else ""
                      for values, digits in ((kwh, 1), (hours, 2), (cost, 1), (cost - found["learned"][2], 1)))


def main():
    if sys.argv[1:2] == ["train"] and len(sys.argv) == 3:
        weights = {name: round(float(each), 4) for name, each in zip(FEATURES, train())}
        Path(sys.argv[2]).write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    elif sys.argv[1:2] == ["compare"]:
        print("| policy | kWh | hours | cost | more than learned |\n|---|---|---|---|---|")
        for row in compare(*sys.argv[2:3]):
            print("| " + " | ".join(row) + " |")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
