"""What the two examples that learn in the space `menu` share: the scenario, its cost, and a comparison on jobs that nobody has seen.

    python3 tools/python/examples/menu.py search search.json [PLACE ..]  # beside pollux and lean; `ppo ppo.json` likewise

Places: protocol, load-0.6, load-1.4, generation.
"""
import importlib
import json
import os
import resource
import sys
from pathlib import Path

import numpy

import easim
import easim.gym

HERE = Path(__file__).resolve().parent
CONFIGS = HERE.parents[2] / "configs"
COST = {"energy_kwh": 1, "delay_job_h": 0.5}
SCENARIO = {"horizon": "drain", "workload.until": {"jobs": 60}}
PLACES = {"protocol": ("eas-sim.yaml", SCENARIO, 100), "load-0.6": ("eas-sim.yaml", {**SCENARIO, "workload.rate_per_s": 0.003}, 100),
          "load-1.4": ("eas-sim.yaml", {**SCENARIO, "workload.rate_per_s": 0.007}, 100), "generation": ("generation.yaml", {}, 20)}
UNSEEN = 900_001  # the seed of the comparison; training uses lower ones


def cpu_s():
    """Of this process and of all that it has started and collected, easim too."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def costs(summaries):
    return numpy.array([each["energy_kwh"] + COST["delay_job_h"] * each["jobs_submitted"] * each.get("jct_mean_s", 0) / 3600
                        for each in summaries])


def run(env, agent, seed):
    """The cost of each episode of one start of easim, at a reward of minus COST."""
    totals = []
    for episode in range(env.episodes):
        seen, info = env.reset(seed=seed if episode == 0 else None)
        over, total = False, 0.0
        while not over:
            seen, reward, over, cut, info = env.step(agent(seen, info["action_mask"]))
            total -= reward
            if cut:
                raise RuntimeError("the agent does not come to an end")
        totals.append(total)
    return numpy.where([each["jobs_finished"] == each["jobs_submitted"] for each in env.summaries], costs(env.summaries), totals)


def others(config, scenario, names, seed, replications):
    both = easim.compare(config, list(names), set=scenario, seed=seed, replications=replications, summary_only=True, progress=False)
    rows = {name: both[name].summary for name in names}
    return {name: costs([dict(zip(("energy_kwh", "jobs_submitted", "jct_mean_s"), each)) for each in
                         zip(of["energy_kwh"], of["jobs_submitted"], of["jct_mean_s"])]) for name, of in rows.items()}


def paired(own, other):
    """Mean difference and half its 95 % interval."""
    less = own - other
    return less.mean(), {100: 1.984, 20: 2.093}[len(less)] * less.std(ddof=1) / len(less) ** 0.5


def write(path, found):
    part = Path(f"{path}.part")
    part.write_text(json.dumps(found) + "\n", encoding="utf-8")
    os.replace(part, path)


def main(example, path, *places):
    module, weights = importlib.import_module(example), json.loads(Path(path).read_text(encoding="utf-8"))["weights"]
    print("| jobs | cost | lean | less than lean | pollux | less than pollux |\n|---|---|---|---|---|---|")
    for place in places or PLACES:
        config, scenario, replications = PLACES[place]
        env = module.environment(replications, CONFIGS / config, scenario)
        own = run(env, module.agent(env, weights), UNSEEN)
        env.close()
        row = [place, f"{own.mean():.2f}"]
        for name, other in others(CONFIGS / config, scenario, ("lean", "pollux"), UNSEEN, replications).items():
            mean, half = paired(own, other)
            row += [f"{other.mean():.2f}", f"{-mean:.2f} ± {half:.2f} ({-100 * mean / other.mean():.1f} %)"]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
