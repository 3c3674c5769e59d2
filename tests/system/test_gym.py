"""The environment for reinforcement learning of the Python package. Usage: test_gym.py EASIM SOURCE

Runs in a Python with NumPy, this one or Debian's; skipped by name without. What Gymnasium's checker checks is stated here again,
and the checker itself runs where Gymnasium is installed.
"""
import contextlib
import importlib.util
import io
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

from harness import EASIM, SOURCE, TINY, cases, form, raised, run, skip

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
    several = gymnasium.vector.SyncVectorEnv([lambda: easim.gym.Env(SEED, set=SHORT)] * 2)
    together = several.reset(seed=[3, 4])[0]
    for seed, row in zip((3, 4), together):
        assert numpy.array_equal(row, easim.gym.Env(SEED, set=SHORT).reset(seed=seed)[0])
    assert several.step(numpy.array([several.single_action_space.n - 1] * 2))[0].shape == together.shape
    several.close()


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


def test_example_learns():
    """A short training: the same weights twice, and what it draws becomes cheaper."""
    shown = []
    small = {**cem.SCENARIO, "workload.until": {"jobs": 15}}
    one, other = (cem.train(4, 8, small, shown.append) for _ in range(2))
    assert numpy.array_equal(one, other) and shown[:4] == shown[4:]
    costs = [float(line.split("mean ")[1].split(",")[0]) for line in shown]
    assert costs[3] < 0.8 * costs[0], shown


def test_example_compared():
    """The table of docs/python.md, and what it is to show: far better than random."""
    text = (SOURCE / "docs/python.md").read_text(encoding="utf-8")
    rows = list(cem.compare())
    table = "".join("| " + " | ".join(row) + " |\n" for row in rows)
    assert table in text, table
    mean = {row[0]: [float(cell.split(" ± ")[0]) for cell in row[1:4]] for row in rows}
    assert mean["learned"][2] < 0.6 * mean["random"][2]


def test_core():
    """With `core` both processes stay on it, and the thread has its own cores back at the end."""
    cores = os.sched_getaffinity(0)
    env = easim.gym.Env(TINY, core=max(cores))
    env.reset(seed=1)
    assert os.sched_getaffinity(0) == os.sched_getaffinity(env._process.pid) == {max(cores)}
    env.close()
    assert os.sched_getaffinity(0) == cores


def test_document():
    """The blocks of docs/python.md that need NumPy print the text blocks behind them."""
    text = (SOURCE / "docs/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python needs numpy\n(.*?)^```\n\n```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    os.chdir(SOURCE)
    names = {"__name__": "document"}
    for block, expected in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block, "docs/python.md", "exec"), names)
        assert printed.getvalue() == expected, f"docs/python.md: printed is\n{printed.getvalue()}"


left_out = form([], [test_example_learns, test_example_compared])
with tempfile.TemporaryDirectory(prefix="easim-gyms.", ignore_cleanup_errors=True) as scratch:
    tempfile.tempdir = os.environ["TMPDIR"] = scratch  # agents that are killed leave theirs in it
    cases(*(test for name, test in list(globals().items()) if name.startswith("test_") and test not in left_out))
