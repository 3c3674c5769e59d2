"""A search for a policy in the space `menu` with preempt and resize: the cross-entropy method over what lean has fixed, and more.

    python3 tools/python/examples/search.py search.json [MINUTES]   # searches on, from search.json if it is there

A job's cell is the one of least ln E + a ln T, with an exponent a that depends on the queue and on the job; it starts if that is
not far above its least on the empty cluster. Running jobs move to a better cell, with a price on GPUs while others wait, and those
with long to go give way to short ones.
"""
import json
import sys
import time
from pathlib import Path

import numpy

import easim.gym
from menu import CONFIGS, COST, SCENARIO, cpu_s, run, write

SLOTS, RUNNING = 40, 16
# name: where the search begins, and how widely
PARAMS = {"a_idle": (0.5, 0.15), "a_busy": (-0.25, 0.15), "a_size": (0.0, 0.05), "a_queue": (0.0, 0.05), "share": (0.0, 0.1),
          "slack": (0.69, 0.2), "slack_busy": (0.0, 0.2), "slack_age": (0.0, 0.1), "age": (0.0, 0.2), "worse": (0.0, 0.3),
          "a_running": (0.0, 0.1), "price": (0.1, 0.15), "gain": (0.1, 0.05), "gain_busy": (0.4, 0.2), "displace": (1.1, 0.3),
          "displace_age": (0.7, 0.4), "displace_next": (-1.5, 0.5), "displace_gpus": (0.0, 0.2),
          "type": (0.0, 0.1), "type_busy": (0.0, 0.1), "area": (0.0, 0.2), "gpus_busy": (0.0, 0.1), "slack_next": (0.0, 0.1)}
NAMES = list(PARAMS)


def agent(env, weights):
    return Agent(env, [weights[name] for name in NAMES])


class Agent:
    """Chooses among the actions that are possible. ln T and the like are of hours and of ratios."""

    def __init__(self, env, weights):
        self.cells, self.w = len(env.cells), dict(zip(NAMES, map(float, weights)))
        self.log_k = numpy.log([k for _, k in env.cells])
        self.type = numpy.array([n for n, _ in env.cells], dtype=float) / max(1, env.cells[-1][0])
        self.at_running = SLOTS * (5 + 5 * self.cells)
        self.end = self.at_running + RUNNING * (11 + 5 * self.cells)
        self.at_cluster = self.end + 2 * len(env.hello["gpu_types"])
        self.starts, self.preempts = SLOTS * self.cells, SLOTS * self.cells + RUNNING
        self.waits, self.preempted = env.action_space.n - 1, False

    def __call__(self, seen, mask):
        action = self.choose(seen, mask)
        self.preempted = action != self.waits and (self.preempted or self.starts <= action < self.preempts)  # one in a decision
        return action

    def choose(self, seen, mask):
        w = self.w
        waiting = round(numpy.expm1(4.0 * seen[self.at_cluster]))
        busy, shown = min(1.0, max(0, waiting - 1) / 3), min(waiting, SLOTS)
        exponent = w["a_idle"] + w["a_busy"] * busy + w["a_queue"] * numpy.log1p(waiting)
        blocked = None
        if waiting:
            slots = seen[:self.at_running].reshape(SLOTS, -1)[:shown]
            size, age = 5 * slots[:, 1], 3 * slots[:, 2]
            cells = slots[:, 5:].reshape(shown, self.cells, 5)
            a = numpy.clip(exponent + w["a_size"] * size, 0, 3)
            bias = (w["type"] + w["type_busy"] * busy) * self.type + w["gpus_busy"] * busy * self.log_k
            score = 4 * cells[..., 3] + a[:, None] * 4 * cells[..., 1] + bias + numpy.where(cells[..., 4] > 0, 0, 1e3)
            least = score.min(1)
            fitting = numpy.where(mask[:shown * self.cells].reshape(shown, -1) > 0, score + w["share"] * cells[..., 4], 1e6)
            best = fitting.argmin(1)
            above = fitting[numpy.arange(shown), best] - least
            slack = w["slack"] + w["slack_busy"] * busy + w["slack_age"] * age + w["slack_next"] * (self.next(seen) - size)
            may = above <= numpy.maximum(0.02, slack)
            area = 4 * cells[numpy.arange(shown), best, 1] + self.log_k[best]
            order = w["age"] * age - size - w["worse"] * numpy.minimum(above, 10) - w["area"] * area
            if not may.any() and seen[self.at_cluster + 1] < 0.01:
                may = above < 1e3  # where nothing runs something starts
            if may.any():
                slot = int(numpy.where(may, order, -1e9).argmax())
                return slot * self.cells + int(best[slot])
            blocked = size[int(order.argmax())]
        return self.move(seen, mask, exponent, blocked)

    def running(self, seen):
        shown = min(RUNNING, round(numpy.expm1(4.0 * seen[self.at_cluster + 1])))
        return seen[self.at_running:self.end].reshape(RUNNING, -1)[:shown], shown

    def next(self, seen):
        """When the next running job is predicted to end."""
        slots, shown = self.running(seen)
        return (5 * slots[:, 1] + 4 * slots[:, 6]).min() if shown else -3.0

    def move(self, seen, mask, exponent, blocked):
        w = self.w
        slots, shown = self.running(seen)
        if shown == 0:
            return self.waits
        now, cells = slots[:, 5:11], slots[:, 11:].reshape(shown, self.cells, 5)
        left = 5 * slots[:, 1] + 4 * now[:, 1]
        place = numpy.rint(now[:, 5] * self.cells).astype(int) - 1
        if blocked is not None and not self.preempted:
            age = numpy.log(numpy.maximum(1e-3, numpy.expm1(3 * slots[:, 2]))) + 5 * slots[:, 1] - left  # ln of age / time left
            gives_way = (mask[self.starts:self.starts + shown] > 0) & (left - blocked > w["displace"]) & (age <= w["displace_age"])
            if gives_way.any() and left.min() - blocked > w["displace_next"]:
                return self.starts + int(numpy.where(gives_way, left + w["displace_gpus"] * self.log_k[place], -1e9).argmax())
        may = mask[self.preempts:self.preempts + shown * self.cells].reshape(shown, -1) > 0
        if not may.any():
            return self.waits
        a = numpy.clip(exponent + w["a_running"] + w["a_size"] * left, 0, 3)
        price = 0.0 if blocked is None else w["price"]
        before = 4 * now[:, 3] + a * 4 * now[:, 1] + price * self.log_k[place]
        after = numpy.where(may, 4 * cells[..., 3] + a[:, None] * 4 * cells[..., 1] + price * self.log_k, 1e6)
        best = after.argmin(1)
        gain = before - after[numpy.arange(shown), best]
        slot = int(gain.argmax())
        if gain[slot] <= (w["gain"] if blocked is None else w["gain_busy"]):
            return self.waits
        return self.preempts + slot * self.cells + int(best[slot])


def environment(episodes, config=CONFIGS / "eas-sim.yaml", scenario=None):
    return easim.gym.Menu(config, COST, SCENARIO if scenario is None else scenario, jobs=SLOTS, running=RUNNING, choose=0.4, preempt=True, resize=True,
                          episodes=episodes, copy=False, max_steps=20_000)


def main(path, minutes=90.0, population=24, elites=6, episodes=12):
    loads = {1.0: episodes, 0.6: episodes // 6, 1.4: episodes // 6}
    envs = [environment(count, scenario={**SCENARIO, "workload.rate_per_s": 0.005 * load}) for load, count in loads.items()]
    envs.append(environment(1, CONFIGS / "generation.yaml", {}))  # other models and GPUs, so that it does not learn these by heart
    mean, spread = (numpy.array(each) for each in zip(*PARAMS.values()))
    least = spread / 10
    found = {"iteration": 0, "cpu_s": 0.0, "curve": [], "weights": {}}
    if Path(path).exists():
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        mean, spread = (numpy.array([found[name][each] for each in NAMES]) for name in ("weights", "spread"))
    begun, before = cpu_s(), found["cpu_s"]
    while found["cpu_s"] < 60 * minutes:
        dice = numpy.random.default_rng(found["iteration"])
        drawn = mean + spread * dice.standard_normal((population, len(NAMES)))
        drawn[0] = mean
        costs = numpy.zeros(population)
        for n, weights in enumerate(drawn):
            try:
                costs[n] = numpy.mean([run(env, Agent(env, weights), 1 + found["iteration"]).mean() for env in envs])
            except RuntimeError:
                costs[n] = 1e6
        elite = drawn[numpy.argsort(costs, kind="stable")[:elites]]
        mean, spread = 0.5 * mean + 0.5 * elite.mean(0), numpy.maximum(least, 0.7 * spread + 0.3 * elite.std(0))
        found["iteration"] += 1
        found["cpu_s"] = round(before + cpu_s() - begun, 1)
        found["curve"].append([found["cpu_s"], round(float(costs[0]), 2), round(float(costs.min()), 2)])
        found["weights"] = {name: round(float(each), 4) for name, each in zip(NAMES, mean)}
        found["spread"] = {name: round(float(each), 4) for name, each in zip(NAMES, spread)}
        write(path, found)
        print(found["iteration"], found["curve"][-1], found["weights"], time.strftime("%H:%M:%S"), flush=True)
    for env in envs:
        env.close()


if __name__ == "__main__":
    main(sys.argv[1], *map(float, sys.argv[2:3]))
