"""The environment for reinforcement learning of the Python package. Usage: test_gym.py EASIM SOURCE

Runs in a Python with NumPy, this one or Debian's; skipped by name without. What Gymnasium's checker checks is stated here again,
and the checker itself runs where Gymnasium is installed.
"""
import contextlib
import importlib.util
import io
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path

from harness import EASIM, SOURCE, TINY, cases, form, raised, rows_in, rows_of, run, skip

os.environ.update(EASIM=EASIM, PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=str(SOURCE / "tools/python"))
sys.path.insert(0, str(SOURCE / "tools/python"))
sys.dont_write_bytecode = True
if not importlib.util.find_spec("numpy"):
    if sys.executable != "/usr/bin/python3" and run("/usr/bin/python3", "-c", "import numpy", code=None).returncode == 0:
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    skip("NumPy is not installed (Debian: python3-numpy)")

import numpy
import easim
import easim.gym

sys.path.insert(0, str(SOURCE / "tools/python/examples"))
import cem

SEED = SOURCE / "configs/eas-sim.yaml"
SHORT = {"horizon": "2h"}
WEIGHTS = SOURCE / "tools/python/examples/cem.json"


class Random:
    """Random actions that are possible."""

    def __init__(self, env, seed):
        self.env, self.dice, self.steps, self.over = env, numpy.random.default_rng(seed), [], False

    def reset(self, seed=None):
        self.observation, self.info = self.env.reset(seed=seed)
        self.steps, self.over, self.truncated = [(self.observation.copy(), 0.0, self.info["increments"])], False, False
        return self

    def step(self):
        assert not self.over
        action = self.dice.choice(numpy.flatnonzero(self.info["action_mask"]))
        self.observation, reward, self.over, self.truncated, self.info = self.env.step(action)
        self.steps.append((self.observation.copy(), reward, self.info["increments"]))

    def run(self):
        while not self.over:
            self.step()
        return self.steps


def equal(some, others):
    return len(some) == len(others) and all(numpy.array_equal(a[0], b[0]) and a[1:] == b[1:] for a, b in zip(some, others))


def test_seeds():
    """The same seed and actions, the same episode, to the last bit; another seed, another; without a seed, another again, which
    follows from the last one."""
    env, again = easim.gym.Env(SEED, set=SHORT), easim.gym.Env(SEED, set=SHORT)
    one, other = Random(env, 1).reset(5).run(), Random(again, 1).reset(5).run()
    assert equal(one, other) and len(one) > 50
    second, same = Random(env, 2).reset().run(), Random(again, 2).reset().run()
    assert equal(second, same) and not equal(second, Random(env, 2).reset(5).run())
    assert equal(one, Random(env, 1).reset(5).run()) and not equal(one, Random(env, 1).reset(6).run())
    env.close()
    again.close()


def test_two_at_once():
    """Two environments in one process, turn by turn, are what each is alone."""
    alone = []
    for seed in (3, 4):
        env = easim.gym.Env(SEED, set=SHORT)
        alone.append(Random(env, seed).reset(seed).run())
        env.close()
    pair = [Random(easim.gym.Env(SEED, set=SHORT), seed).reset(seed) for seed in (3, 4)]
    while not all(each.over for each in pair):
        for each in pair:
            if not each.over:
                each.step()
    assert all(equal(each.steps, own) for each, own in zip(pair, alone))
    for each in pair:
        each.env.close()


def test_spaces_and_ends():
    """What gymnasium.utils.env_checker asks for: spaces, types, five answers, seeds; and the ends of an episode."""
    env = easim.gym.Env(SEED, set=SHORT, jobs=3, configs=50, max_steps=20)
    assert env.action_space.n == 151 and env.observation_space.shape == (len(env.names),) == (15 + 2 * 4 + 3 * 12,)
    agent = Random(env, 1).reset(1)
    assert agent.observation.dtype == env.observation_space.dtype == numpy.float64 and env.observation_space.contains(agent.observation)
    assert env.action_space.contains(150) and not env.action_space.contains(151)
    before = agent.observation.copy()
    kept = agent.observation
    for _ in range(20):
        agent.step()
        assert env.observation_space.contains(agent.observation) and type(agent.steps[-1][1]) is float
        assert type(agent.over) is bool and type(agent.truncated) is bool and agent.info["action_mask"][150] == 1
    assert agent.truncated and not agent.over and numpy.array_equal(kept, before) and env.action_masks().dtype == bool
    at = {name: place for place, name in enumerate(env.names)}
    assert agent.observation[at["now_s"]] > 0 and before[at["slot0.config_count"]] == 40
    env.reset(seed=2)  # in the middle of an episode
    env.close()
    env = easim.gym.Env(TINY, copy=False, wake_s=3600, configs=64)
    agent = Random(env, 1).reset(1)
    agent.run()
    assert agent.over and agent.observation is env.step.__self__._values
    assert "call reset()" in str(raised(RuntimeError, lambda: env.step(0)))
    env.close()
    env = easim.gym.Env(TINY, configs=8)
    assert "say configs=36 or more" in str(raised(ValueError, lambda: env.reset(seed=1)))
    env.close()


def test_rewards_are_metrics():
    """Increments and rewards over an episode are the metrics of its run, and an episode is the replication of easim run."""
    weights = {"energy_kwh": 2.0, "delay_job_h": 0.5, "missed": 3.0}
    env = easim.gym.Env(SEED, reward=weights, episodes=3)
    agent = Random(env, 8)
    sums = []
    for number in range(3):
        agent.reset(11 if number == 0 else None).run()
        total = numpy.sum([step[2] for step in agent.steps], axis=0)
        reward = sum(step[1] for step in agent.steps)  # the first increments are those before the first decision
        assert abs(reward + sum(numpy.array(list(weights.values())) * (total - agent.steps[0][2]))) < 1e-9
        sums.append(total)
        assert ("metrics" in agent.info) == (number == 2)
    assert "middle of an episode" in str(raised(RuntimeError, lambda: (env.reset(seed=1), env.reset())))
    assert len(env.summaries) == 3 and env.summaries[-1] == agent.info["metrics"]
    for total, metrics in zip(sums, env.summaries):
        wanted = metrics["energy_kwh"], metrics["jct_restricted_mean_s"] * metrics["jobs_submitted"] / 3600, metrics["deadline_missed"]
        assert numpy.allclose(total, wanted, rtol=1e-12), (total, wanted)
    same = easim.run(SEED, policy="fcfs", seed=11, replications=3, quiet=True).summary
    assert list(same["jobs_submitted"]) == [each["jobs_submitted"] for each in env.summaries]  # the same workloads
    env.close()
    assert "expected energy, delay, misses" in str(raised(ValueError, lambda: easim.gym.Env(TINY, reward={"x": 1})))
    assert raised(easim.BadInput, lambda: easim.gym.Env(TINY, set={"horizon": "soon"})).problems[0].path == "horizon"


KILLED = f"""
import sys, easim.gym
env = easim.gym.Env({str(TINY)!r})
env.reset(seed=1)
print(env._process.pid, flush=True)
sys.stdin.read()
"""


class Menus(Random):
    """The same in the space `menu`: at most so many actions that move running jobs, which would go on for ever."""

    def step(self):
        assert not self.over
        may = numpy.flatnonzero(self.env.action_masks())
        starts = len(self.env.cells) * self.env.jobs
        if len(self.steps) > 300:
            may = may[(may < starts) | (may == self.env.action_space.n - 1)]
        if len(may) > 1 and self.observation[self.env.names.index("running")] == 0:
            may = may[:-1]
        self.observation, reward, self.over, self.truncated, self.info = self.env.step(self.dice.choice(may))
        self.steps.append((self.observation.copy(), reward, self.info["increments"]))


def clip(value):
    return numpy.float32(max(-1, min(1, value)))


def cells_of(env, config, job, free, gpus):
    """The cells of a waiting job on nodes of one type each, by the formulas of docs/reference/program-policy.md."""
    found = []
    for n, k in env.cells:
        best = None
        for each in env.hello["configs"][int(job["first_config"]):int(job["first_config"] + job["config_count"])]:
            if (each["gpu_type"], each["k"]) == (n, k):
                s = job["setup_s"] + job["remaining"] / each["goodput"][0]
                j = k * (env.hello["gpu_types"][n]["ctx_w"] * job["setup_s"] + each["power_w"][0] * job["remaining"] / each["goodput"][0])
                best = min(best or (numpy.inf,), (j * s, s, j))
        best_s, edp_js = job["time_best_s"], job["edp_best_js"]
        found += [0.0] * 5 if best is None else [
            float(k <= free[n]), clip(numpy.log(best[1] / best_s) / 4), clip(numpy.log(best[0] / edp_js) / 4),
            clip(numpy.log(best[2] * best_s / edp_js) / 4), clip(k / free[n]) if free[n] else 1.0]
    return found


def test_menu_observes():
    """Every number of an observation against its formula, from the frames of `raw`: the same starts in both."""
    raw = easim.gym.Env(SEED, set=SHORT, jobs=4, configs=64)
    menu = easim.gym.Menu(SEED, set=SHORT, jobs=4, ks=[8, 1, 2, 4])
    seen, shown = raw.reset(seed=3)[0], menu.reset(seed=3)[0]
    assert menu.cells == [(n, k) for n in (0, 1) for k in (1, 2, 4, 8)] and menu.action_space.n == 4 * 8 + 1
    assert len(menu.names) == len(menu.units) == 4 * (5 + 8 * 5) + 2 * 2 + 5 == menu.observation_space.shape[0]
    dice, over, looked = numpy.random.default_rng(4), False, 0
    while not over:
        of = dict(zip(raw.names, seen))
        free, expected = [of["a100.free"], of["h100.free"]], []
        for slot in range(4):
            job = {name: of[f"slot{slot}.{name}"] for name in easim.gym.OF_JOB}
            if job["job"] < 0:
                expected += [0.0] * 45
                continue
            best_s = job["time_best_s"]
            slack = (job["deadline_left_s"] - best_s) / (5 * best_s) if job["has_deadline"] else 1
            expected += [1.0, clip(numpy.log(best_s / 3600) / 5), clip(numpy.log1p(job["age_s"] / best_s) / 3), clip(slack),
                         clip(job["preemptions"] / 3)]
            expected += cells_of(menu, raw.hello, job, free, 8)
            looked += 1
        expected += [free[0] / 8, free[0] / 8, free[1] / 8, free[1] / 8, clip(numpy.log1p(of["waiting"]) / 4),
                     clip(numpy.log1p(of["running"]) / 4), 0.0, 0.0, 0.0]
        assert numpy.allclose(shown, expected, rtol=0, atol=1e-6), [*zip(menu.names, shown, expected)]
        may = numpy.flatnonzero(menu.mask)
        assert [n for n in may[:-1]] == [slot * 8 + n for slot in range(4) for n in range(8) if shown[slot * 45 + 5 + 5 * n] > 0]
        action = int(dice.choice(may))
        shown, _, over, _, _ = menu.step(action)
        if action == menu.action_space.n - 1:
            seen = raw.step(raw.action_space.n - 1)[0]
            continue
        slot, (n, k) = action // 8, menu.cells[action % 8]
        first = int(of[f"slot{slot}.first_config"])
        costs = []
        for place in range(int(of[f"slot{slot}.config_count"])):
            each = raw.hello["configs"][first + place]
            if (each["gpu_type"], each["k"]) == (n, k):
                s = of[f"slot{slot}.setup_s"] + of[f"slot{slot}.remaining"] / each["goodput"][0]
                w = 0.0 + raw.hello["gpu_types"][n]["ctx_w"] * of[f"slot{slot}.setup_s"] + each["power_w"][0] * of[f"slot{slot}.remaining"] / each["goodput"][0]
                costs.append((s * w, place))
        seen = raw.step(raw.action(slot, min(costs)[1]))[0]
    assert looked > 100 and raw._over
    raw.close()
    menu.close()


def test_menu_moves():
    """With all flags: credit at the start changes when a cost counts, not how much; an episode is a run; steps come to an end."""
    sums = []
    for credit in ("as_it_falls", "at_start"):
        env = easim.gym.Menu(SEED, {"energy_kwh": 1, "delay_job_h": 0.5, "missed": 2}, SHORT, jobs=8, running=12, preempt=True, resize=True,
                             limit=True, credit=credit, episodes=3)
        agent = Menus(env, 5)
        sums.append([])
        verbs = {name: 0 for name in ("start", "preempt", "resize", "limit")}
        for number in range(3):
            agent.reset(21 if number == 0 else None)
            while not agent.over:
                assert env.observation_space.contains(agent.observation)
                before = env.mask.copy()
                agent.step()
                for verb in {env.actions[n][0] for n in numpy.flatnonzero(before[:-1])}:
                    verbs[verb] += 1
            total = numpy.sum([step[2] for step in agent.steps[1:]], axis=0)
            sums[-1].append(sum(step[1] for step in agent.steps))
            assert abs(sums[-1][-1] + total @ [1, 0.5, 2]) < 1e-9, credit
        assert verbs["start"] and verbs["preempt"] and verbs["resize"] and sum(each["preemptions"] for each in env.summaries) > 0
        assert all(each["refused_actions"] == 0 for each in env.summaries)  # what the mask offers is possible
        env.close()
    assert numpy.allclose(*sums, rtol=0, atol=1e-9), sums


def test_menu_limits():
    """A level of a running job is one of the limits of its model file, from none to the lowest; its own is none to move to."""
    models = SOURCE / "configs/models/zeus-a40.yaml"
    text = models.read_text(encoding="utf-8").split("  - name: ")[1]
    levels = sorted({float(each) for each in re.findall(r"power_limit_w: ([\d.]+)", text)}, reverse=True)
    config = Path(tempfile.mkdtemp()) / "limits.json"
    config.write_text(json.dumps({
        "name": "limits", "horizon": "drain", "models": str(models), "policy": {"name": "fcfs"},
        "cluster": {"gpu_types": [{"name": "a40", "idle_w": 30, "ctx_w": 60, "tdp_w": 300, "memory_gib": 48}], "nodes": [{"gpu": "a40", "gpus": 4}]},
        "workload": {"kind": "periodic", "period": "1h", "mix": [{"model": text.split()[0]}], "k": [1], "sizes": {"law": "constant", "mean": "20h"},
                     "until": {"jobs": 2}}}), encoding="utf-8")
    env = easim.gym.Menu(config, jobs=1, running=2, limit=True, wake_s=600)
    env.reset(seed=1)
    env.step(0)
    assert {env.actions[n][0] for n in numpy.flatnonzero(env.mask[:-1])} <= {"start"}  # not at the instant of its start
    place = {action: n for n, action in enumerate(env.actions)}
    of = {name: n for n, name in enumerate(env.names)}
    limits = sorted({each["power_limit_w"] or numpy.inf for each in env.hello["configs"]}, reverse=True)
    assert [300.0, *limits[1:]] == levels and len(levels) == 9, (limits, levels)  # that of tdp_w is none
    watts = {}
    for level in (4, 2, 0, 3):
        env.step(env.action_space.n - 1)  # no second move at the instant of the first
        assert env.mask[place["limit", 0, f"limit{level}"]], level
        env.step(place["limit", 0, f"limit{level}"])
        seen, _, _, _, info = env.step(env.action_space.n - 1)
        assert not info["action_mask"][place["limit", 0, f"limit{level}"]]
        assert seen[of["running0.present"]] == 1
        for name in ("time", "edp", "energy"):
            assert seen[of[f"running0.limit{level}.{name}"]] == seen[of[f"running0.now.{name}"]], name
        watts[level] = numpy.exp(4.0 * (float(seen[of["running0.now.energy"]]) - float(seen[of["running0.now.time"]])))
    assert watts[0] > watts[2] > watts[3] > watts[4], watts
    env.close()


def test_menu_ends():
    """A wait after which nothing can happen ends the episode, and each job that never starts costs ten times its least cost."""
    few = {"horizon": "drain", "workload.until": {"jobs": 3}}
    for wake_s in (None, 50.0):
        env = easim.gym.Menu(SEED, set=few, wake_s=wake_s, episodes=2)
        for number in range(2):
            env.reset(seed=6 if number == 0 else None)
            over, total, unfinished, steps = False, 0.0, {}, 0
            jobs = easim.gym.Env(SEED, set=few, episodes=2, jobs=3) if number == 0 else jobs
            jobs.reset(seed=6 if number == 0 else None)
            while not over:
                _, reward, over, _, info = env.step(env.action_space.n - 1)
                total, increments, steps = total + reward, info["increments"], steps + 1
                unfinished["as it fell"] = unfinished.get("as it fell", 0) + increments[0] + 0.5 * increments[1]
            least = 0.0
            for _ in range(2):
                seen = jobs.step(jobs.action_space.n - 1)[0]
            of = dict(zip(jobs.names, seen))
            assert of["waiting"] == 3
            for slot in range(3):
                first, count, left, setup_s = (int(of[f"slot{slot}.{name}"]) if name.endswith(("config", "count")) else of[f"slot{slot}.{name}"]
                                               for name in ("first_config", "config_count", "remaining", "setup_s"))
                least += min((each["k"] * (env.hello["gpu_types"][each["gpu_type"]]["ctx_w"] * setup_s + each["power_w"][0] * left / each["goodput"][0])
                              / 3.6e6 + 0.5 * (setup_s + left / each["goodput"][0]) / 3600) for each in env.hello["configs"][first:first + count])
            assert abs(total + unfinished["as it fell"] + 10 * least) < 1e-6 * least, (total, unfinished, least)
            while not jobs._over:
                seen = jobs.step(int(numpy.flatnonzero(jobs.mask)[0]))[0]
        assert [each["jobs_rejected"] for each in env.summaries] == [3, 3] and steps >= 3
        env.close()
        jobs.close()


def test_menu_ends_with_a_price():
    """A price may change, so easim waits, and says in the end that nothing comes: that ends the episode alike."""
    few, totals = {"horizon": "drain", "workload.until": {"jobs": 3}}, []
    for more in ({}, {"price_per_mwh": 100}):
        env = easim.gym.Menu(SEED, set={**few, **more}, episodes=2)
        env.reset(seed=6)
        totals.append(0.0)
        over = False
        while not over:
            _, reward, over, _, _ = env.step(env.action_space.n - 1)
            totals[-1] += reward
        env.reset()
        env.close()
    assert abs(totals[0] - totals[1]) < 1e-9 * abs(totals[0]), totals


def test_menu_invalid():
    """What is not possible is a wait, an error or costs what was said; a number that is none, too."""
    for invalid in ("wait", "error", 7.5):
        env = easim.gym.Menu(TINY, invalid=invalid, jobs=2, max_steps=3)
        env.reset(seed=1)
        bad = int(numpy.flatnonzero(env.mask == 0)[0])
        now_s = env._now_s
        for action in (bad, env.action_space.n, -1):
            if invalid == "error":
                assert "not possible now" in str(raised(ValueError, lambda: env.step(action)))
                continue
            _, reward, over, cut, _ = env.step(action)
            assert not over and (reward == -7.5 and env._now_s == now_s if invalid == 7.5 else env._now_s > now_s)
        assert invalid == "error" or cut
        env.close()
    for words in ({"invalid": "no"}, {"invalid": -1}, {"credit": "never"}, {"reward": {"x": 1}}):
        raised(ValueError, lambda: easim.gym.Menu(TINY, **words))
    assert "say ks=[1, 2, 4]" in str(raised(ValueError, lambda: easim.gym.Menu(TINY, ks=[1])))


def test_seed_after_an_episode():
    """reset(seed=...) where other replications of the start are still to come, which knock at the door: of a new start."""
    env = easim.gym.Env(TINY, episodes=4, configs=64)
    firsts = [Random(env, 1).reset(seed).run() for seed in [9] * 10]
    assert all(equal(firsts[0], each) for each in firsts)
    params = env._settings()["policy"]["params"]
    assert params["startup_timeout"] == params["timeout"] == 1e6  # an agent may be busy between two episodes
    env.close()


def test_wake_ups():
    """A wait asks for one wake-up, which goes when something else ends it: so many decisions as intervals and events."""
    env = easim.gym.Env(SEED, set=SHORT, wake_s=60)
    observation, _ = env.reset(seed=2)
    over, arrivals, at = False, 1, {name: place for place, name in enumerate(env.names)}
    while not over:
        before = observation
        observation, _, over, _, _ = env.step(env.action_space.n - 1)
        if over:
            break
        passed_s = observation[at["now_s"]] - before[at["now_s"]]
        arrived = observation[at["waiting"]] > before[at["waiting"]]
        assert arrived and passed_s <= 60 or abs(passed_s - 60) < 1e-6, (passed_s, arrived)
        arrivals += arrived
    assert arrivals > 20 and observation[at["decisions"]] <= arrivals + 7200 / 60 + 1
    env.close()


def test_killed_agent():
    """easim says what happened and ends, with its processes; nothing is left of an environment that is closed."""
    agent = subprocess.Popen([sys.executable, "-c", KILLED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    pid = int(agent.stdout.readline())
    ended = [os.pidfd_open(int(each)) for each in [pid, *Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]]
    assert len(ended) == 2
    agent.send_signal(signal.SIGKILL)
    error = agent.stderr.read()  # to its end: nobody holds it any more
    assert "has closed the connection" in error and agent.wait() == -signal.SIGKILL, error
    assert all(select.select([each], [], [], 60)[0] for each in ended)
    env = easim.gym.Env(TINY)
    env.reset(seed=1)
    folder, ended = env._folder.name, os.pidfd_open(env._process.pid)
    env.close()
    assert not os.path.exists(folder) and select.select([ended], [], [], 60)[0]


def test_dead_easim():
    env = easim.gym.Env(TINY)
    env.reset(seed=1)
    os.kill(env._process.pid, signal.SIGKILL)
    error = raised(easim.RunFailed, lambda: [env.step(env.action_space.n - 1) for _ in range(10)])
    assert "easim ended with exit status -9" in str(error), error
    env.close()


def test_checker():
    if not importlib.util.find_spec("gymnasium"):
        skip("Gymnasium is not installed")
    import gymnasium
    from gymnasium.utils.env_checker import check_env
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the bounds of the observation are infinite
        check_env(easim.gym.Env(SEED, set=SHORT), skip_render_check=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not within the observation space range.*")
        env = gymnasium.make("easim/Menu-v0", config=str(SEED), set=SHORT, preempt=True, resize=True)
        check_env(env.unwrapped, skip_render_check=True)
    assert env.spec.id == "easim/Menu-v0" and env.spec.kwargs["preempt"] and gymnasium.make(env.spec).unwrapped.running == 16
    assert gymnasium.make("easim/Menu-v0").unwrapped.action_space.n > 1 and gymnasium.make("easim/Raw-v0", config=str(SEED)).spec.id == "easim/Raw-v0"
    for form in ("sync", "async"):
        several = gymnasium.make_vec("easim/Menu-v0", 2, form, config=str(SEED), set=SHORT)
        together = several.reset(seed=[3, 4])[0]
        for seed, row in zip((3, 4), together):
            assert numpy.array_equal(row, easim.gym.Menu(SEED, set=SHORT).reset(seed=seed)[0])
        assert several.step(numpy.array([several.single_action_space.n - 1] * 2))[0].shape == together.shape
        several.close()
    several = gymnasium.vector.SyncVectorEnv([lambda: easim.gym.Env(SEED, set=SHORT)] * 2)
    together = several.reset(seed=[3, 4])[0]
    for seed, row in zip((3, 4), together):
        assert numpy.array_equal(row, easim.gym.Env(SEED, set=SHORT).reset(seed=seed)[0])
    assert several.step(numpy.array([several.single_action_space.n - 1] * 2))[0].shape == together.shape
    several.close()


def test_stable_baselines3():
    if not importlib.util.find_spec("sb3_contrib"):
        skip("sb3_contrib is not installed")
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_checker import check_env
    env = easim.gym.Menu(SEED, set=SHORT, max_steps=50)
    check_env(env)
    MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=1, device="cpu").learn(128)
    env.close()


def test_example_is_one_policy():
    """What is learned step by step is the policy that runs behind exec: the same metrics of every replication, to the last bit."""
    env = easim.gym.Env(SEED, reward=cem.COST, set=cem.SCENARIO, jobs=cem.SLOTS, configs=cem.CONFIGS, episodes=cem.EPISODES, copy=False)
    weights = cem.Learned(WEIGHTS).weights
    total = cem.rollout(env, weights, seed=77)
    run = easim.run(SEED, policy=partial(cem.Learned, weights=str(WEIGHTS)), set=cem.SCENARIO, seed=77, replications=cem.EPISODES,
                    check=True, strict=True, progress=False)
    for name in ("energy_kwh", "jct_mean_s", "preemptions"):
        assert [each[name] for each in env.summaries] == list(run.summary[name]), name
    firsts = [min(s for s, of in zip(run.jobs["submit_s"], run.jobs["replication"]) if of == n) for n in range(1, cem.EPISODES + 1)]
    before = [(8 * 60 + 8 * 70) * first_s / 3.6e6 for first_s in firsts]  # idle GPUs before the first decision: of no step
    costs = [kwh - idle + 0.5 * 60 * jct_s / 3600 for kwh, idle, jct_s in zip(run.summary["energy_kwh"], before, run.summary["jct_mean_s"])]
    assert abs(total - sum(costs) / len(costs)) < 1e-9 * total, (total, costs)
    env.close()


def test_frames_are_documented():
    """The numbers of docs/reference/protocol.csv are those of the observations, in their order."""
    rows = [(row["message"], row["member"].rpartition(".")) for row in rows_of(SOURCE / "docs/reference/protocol.csv")]

    def named(message):
        return {part: tuple(name for of, (each, _, name) in rows if of == message and each == part) for part in {part for of, (part, _, _) in rows if of == message}}
    assert named("frame") == {"": easim.gym.GLOBALS, "gpu_types[]": easim.gym.OF_TYPE, "forecast[]": easim.gym.OF_HOUR, "slots[]": easim.gym.OF_JOB}
    job, cell, lists = tuple(easim.gym.MENU_JOB), tuple(easim.gym.MENU_CELL), ("cells[]", "limits[]")
    assert named("menu frame") == {"": ("left_j", "left_s", "unfinished", *easim.gym.MENU_CLUSTER), "slots[]": job, "slots[].cells[]": cell,
                                   "running[]": job + lists, "running[].now": (*cell, "cell"), "gpu_types[]": tuple(easim.gym.MENU_TYPE)}


def test_example_learns():
    """A short training: the same weights twice, and what it draws becomes cheaper."""
    shown = []
    small = {**cem.SCENARIO, "workload.until": {"jobs": 15}}
    one, other = (cem.train(4, 8, small, shown.append) for _ in range(2))
    assert numpy.array_equal(one, other) and shown[:4] == shown[4:]
    costs = [float(line.split("mean ")[1].split(",")[0]) for line in shown]
    assert costs[3] < 0.8 * costs[0], shown


def test_example_compared():
    """docs/studies/learning.csv is what its script prints, and shows what it is to show: far better than random."""
    made = run("sh", "docs/studies/learning.sh", cwd=SOURCE, env={**os.environ, "PYTHON": sys.executable}).stdout
    assert made == (SOURCE / "docs/studies/learning.csv").read_text(encoding="utf-8"), made
    mean = {row["policy"]: float(row["value"]) for row in rows_in(made) if row["example"] == "cem" and row["figure"] == "cost"}
    assert mean["learned"] < 0.6 * mean["random"]


def test_search_example():
    """The weights beside the example cost less than lean on jobs that they have not seen; a search goes on where it was saved."""
    import menu
    import search
    config, scenario, _ = menu.PLACES["protocol"]
    env = search.environment(10, menu.CONFIGS / config, scenario)
    weights = json.loads((SOURCE / "tools/python/examples/search.json").read_text(encoding="utf-8"))["weights"]
    own = menu.run(env, search.agent(env, weights), menu.UNSEEN)
    other = menu.others(menu.CONFIGS / config, scenario, ["lean"], menu.UNSEEN, 10)["lean"]
    assert own.mean() < other.mean() and [each["jobs_finished"] for each in env.summaries] == [60] * 10, (own, other)
    env.close()
    path = Path(tempfile.mkdtemp()) / "weights.json"
    for iteration in (1, 2):
        so_far_s = json.loads(path.read_text(encoding="utf-8"))["cpu_s"] if iteration == 2 else 0
        search.main(path, (so_far_s + 0.001) / 60, population=3, elites=2, episodes=6)
        found = json.loads(path.read_text(encoding="utf-8"))
        assert found["iteration"] == iteration == len(found["curve"]) and [*found["weights"]] == search.NAMES


def test_core():
    """With `core` both processes stay on it, and the thread has its own cores back at the end."""
    cores = os.sched_getaffinity(0)
    env = easim.gym.Env(TINY, core=max(cores))
    env.reset(seed=1)
    assert os.sched_getaffinity(0) == os.sched_getaffinity(env._process.pid) == {max(cores)}
    env.close()
    assert os.sched_getaffinity(0) == cores


def test_document():
    """The blocks of docs/howto/learn-policy.md that need NumPy print the text blocks behind them."""
    text = (SOURCE / "docs/howto/learn-policy.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python needs numpy\n(.*?)^```\n\n```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    os.chdir(SOURCE)
    names = {"__name__": "document"}
    for block, expected in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block, "docs/howto/learn-policy.md", "exec"), names)
        assert printed.getvalue() == expected, f"docs/howto/learn-policy.md: printed is\n{printed.getvalue()}"


left_out = form([], [test_example_learns, test_example_compared, test_search_example])
with tempfile.TemporaryDirectory(prefix="easim-gyms.", ignore_cleanup_errors=True) as scratch:
    tempfile.tempdir = os.environ["TMPDIR"] = scratch  # agents that are killed leave theirs in it
    cases(*(test for name, test in list(globals().items()) if name.startswith("test_") and test not in left_out))
