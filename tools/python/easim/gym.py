"""An environment for reinforcement learning, in the form of Gymnasium (which need not be installed), over NumPy.

    import easim.gym
    env = easim.gym.Env("configs/eas-sim.yaml", reward={"energy_kwh": 1, "delay_job_h": 0.1})
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action(slot=0, config=3))

The environment listens on a socket and starts easim, whose policy exec asks it step by step (docs/reference/program-policy.md).
"""
import csv
import json
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

from easim import binary
from easim.call import call
from easim.errors import RunFailed
from easim.policy import GRANTS

try:
    import gymnasium
    from gymnasium import spaces
    BASE = gymnasium.Env
except ImportError:
    from easim import spaces
    BASE = object

PROTOCOL = 3
GLOBALS = ("over", "now_s", "energy_j", "power_w", "power_cap_w", "price_per_mwh", "carbon_g_per_kwh", "free_gpus", "waiting",
           "running", "checkpointing", "decisions", "answer", "late", "most_configs")
OF_TYPE = ("free", "node_free_max", "failed", "asleep")
OF_HOUR = ("power_cap_w", "price_per_mwh", "carbon_g_per_kwh")
OF_JOB = ("job", "first_config", "config_count", "age_s", "remaining", "setup_s", "has_deadline", "deadline_left_s", "time_best_s",
          "edp_best_js", "preemptions", "sla")
INCREMENTS = ("energy_kwh", "delay_job_h", "missed")
REWARDS = {"energy": {"energy_kwh": 1.0}, "delay": {"delay_job_h": 1.0}, "misses": {"missed": 1.0}}
ACTION = struct.Struct("=II")
WAIT = ACTION.pack(0xffffffff, 0)
HEAD = struct.Struct(f"={len(GLOBALS)}d")


class Env(BASE):
    """A scenario in which the agent starts jobs.

    config, set, easim, options: as of easim.run
    reward: `"energy"`, `"delay"`, `"misses"`, or weights of energy_kwh, delay_job_h (hours that all jobs spend in the system) and missed
        (deadlines); minus the weighted sum of these since the last step
    jobs: slots: jobs that the agent sees, from the head of the queue
    configs: room for the configurations of each
    wake_s: longest time of a wait; None: until something happens
    max_steps: steps after which an episode is truncated
    episodes: episodes that share one start of easim, as replications of one seed; a start costs as much as 200 steps
    copy: False: observations and masks are one array each, which changes in place
    core: number of a processor core on which this thread and easim stay until close(); None: any

    An episode is one replication, and seed S of reset() is `easim run --seed S`.
    """

    metadata = {"render_modes": []}
    render_mode = None
    _bounds, _params = (-numpy.inf, numpy.inf), {}

    def __init__(self, config, reward="energy", set=None, *, jobs=16, configs=64, wake_s=None, max_steps=None, episodes=1,
                 copy=True, core=None, easim=None, **options):
        self._easim, self._config, self._set, self._options = binary.find(easim), os.fspath(config), dict(set or {}), options
        weights = REWARDS[reward] if isinstance(reward, str) else dict(reward)
        if not {*weights} <= {*INCREMENTS}:
            raise ValueError(f"reward: expected {', '.join(REWARDS)}, or weights of {', '.join(INCREMENTS)}")
        self._weights = tuple(-float(weights.get(name, 0)) for name in INCREMENTS)
        self.jobs, self.configs, self.max_steps = jobs, configs, max_steps
        self._wake_s = wake_s or 0
        self.episodes, self._copy, self._left, self._process, self._agent = episodes, copy, 0, None, None
        self._cores = None
        if core is not None:
            self._cores = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {core})  # what it starts stays there, too
        self._folder, self._listener, self._starts = tempfile.TemporaryDirectory(prefix="easim-gym."), None, 0
        self._hello, self._random, self._steps, self._over, self.summaries = None, None, None, False, []
        done = call([self._easim, "check", self._config, *binary.words_of(self._easim, "check", {"set": self._settings()})], progress=False)
        if done.code != 0:
            raise done.failure()
        self._start(0)  # it says how large an observation is
        self._meet()
        self._wait = self.mask.size - 1
        self.action_space = spaces.Discrete(self._wait + 1)
        self.observation_space = spaces.Box(*self._bounds, self._values.shape, self._values.dtype.type)

    # ---- easim ----

    def _settings(self):
        params = {"socket": os.path.join(self._folder.name, f"agent{self._starts}"), "timeout": 1e6, "startup_timeout": 1e6}
        return {**self._set, "policy": {"name": "exec", "params": {**params, **self._params}}}

    def _start(self, seed):
        self._stop()
        self._starts += 1  # a socket of its own: replications of the last start may still knock at theirs
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(os.path.join(self._folder.name, f"agent{self._starts}"))
        self._listener.listen(1)
        options = {**self._options, "set": self._settings(), "seed": seed, "replications": self.episodes, "threads": 1,
                   "out": os.path.join(self._folder.name, "run"), "force": True, "summary_only": True, "quiet": True}
        words = [self._easim, "run", self._config, *binary.words_of(self._easim, "run", options)]
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self._ended = os.pidfd_open(self._process.pid)
        self._left = self.episodes

    def _failed(self):
        code = self._process.wait()
        raise RunFailed([f"easim ended with exit status {code}; what it said is on standard error"], code, self._process.args)

    def _stop(self):
        if self._process:
            if self._process.poll() is None:
                self._process.kill()  # its own children end with it, before they see the connection closed
                self._process.wait()
            os.close(self._ended)
            self._process = None
        if self._agent:
            self._agent.close()
            self._agent = None
        if self._listener:
            os.unlink(self._listener.getsockname())
            self._listener.close()
            self._listener = None

    def _meet(self):
        """The next replication connects and says hello; the same hello as before needs no second look."""
        if self._agent:
            self._agent.close()
        if self._listener not in select.select([self._listener, self._ended], [], [])[0]:
            self._failed()
        self._agent = self._listener.accept()[0]
        self._left -= 1
        hello = b""
        while not hello.endswith(b"\n"):
            some = self._agent.recv(1 << 20)
            if not some:
                self._failed()
            hello += some
        if hello != self._hello:
            self._hello = hello
            self._lay_out(json.loads(hello))
        granted = {**{name.removeprefix("policy.params."): value for name, value in self._set.items()}, **self._params}
        asked = [name for name in GRANTS if granted.get(GRANTS[name])]
        ready = {"ready": PROTOCOL, "capabilities": [name for name in asked if "/" not in name],
                 "extensions": [name for name in asked if "/" in name]}
        self._agent.sendall(json.dumps({"message": 0, **ready, "steps": self._form()}).encode() + b"\n")
        self._receive()

    def _form(self):
        return {"jobs": self.jobs, "configs": self.configs, "wake_s": self._wake_s}

    def _lay_out(self, hello):
        self.hello = hello
        self.names = [*GLOBALS, *(f"{each['name']}.{name}" for each in hello["gpu_types"] for name in OF_TYPE),
                      *(f"hour{n}.{name}" for n in range(hello["forecast_hours"]) for name in OF_HOUR)]
        self._job_at = len(self.names)
        self.names += [f"slot{n}.{name}" for n in range(self.jobs) for name in OF_JOB]
        self._frame = bytearray(8 * len(self.names) + self.jobs * self.configs + 1)
        self._values = numpy.frombuffer(self._frame, numpy.float64, len(self.names))
        self.mask = numpy.frombuffer(self._frame, numpy.int8, -1, 8 * len(self.names))

    def _receive(self):
        got = self._agent.recv_into(self._frame)
        while 0 < got < len(self._frame):
            more = self._agent.recv_into(memoryview(self._frame)[got:])
            got = got + more if more else 0
        if got == 0:
            self._failed()

    # ---- Gymnasium ----

    def reset(self, *, seed=None, options=None):
        if BASE is not object:
            super().reset(seed=seed)
        elif seed is not None or self._random is None:
            self._random = numpy.random.default_rng(seed)
        if seed is None and not self._over and self._steps is not None and self.episodes > 1:
            raise RuntimeError("reset() in the middle of an episode needs a seed where several episodes share one start of easim")
        if seed is None and self._left == 0:
            seed = int((self.np_random if BASE is not object else self._random).integers(1 << 31))
        if seed is not None:
            self._start(seed)
        self._meet()
        self._steps = 0
        return self._observation(), self._info(self._look(0.0, 0.0))

    def action(self, slot, config):
        """The number of an action: start the job in this slot in the config-th of its configurations."""
        return slot * self.configs + config

    def step(self, action):
        return self._step(WAIT if action == self._wait else ACTION.pack(*divmod(int(action), self.configs)))

    def _step(self, action):
        if self._over or self._steps is None:
            raise RuntimeError("the episode is over: call reset()")
        try:
            self._agent.send(action)
            self._receive()
        except ConnectionError:
            self._failed()
        self._steps += 1
        increments = self._look(self._present, self._now_s)
        info = self._info(increments)
        if self._over and self._left == 0:
            info["metrics"] = self._metrics()
        return self._observation(), self._reward(increments), self._over, not self._over and self._steps == self.max_steps, info

    def _reward(self, increments):
        (of_energy, of_delay, of_misses), (energy_kwh, delay_job_h, missed) = self._weights, increments
        return of_energy * energy_kwh + of_delay * delay_job_h + of_misses * missed

    def _look(self, present, since_s):
        """Takes the head of the frame in; the increments since that time, when so many jobs were in the system."""
        (over, self._now_s, energy_j, _, _, _, _, _, waiting, running, checkpointing, _, _, late, most) = HEAD.unpack_from(self._frame)
        self._over, self._present = over == 1, waiting + running + checkpointing
        if most > self.configs:
            raise ValueError(f"a job has {most:.0f} configurations: say configs={most:.0f} or more")
        return energy_j / 3.6e6, present * (self._now_s - since_s) / 3600, late

    def _observation(self):
        return self._values.copy() if self._copy else self._values

    def _info(self, increments):
        """action_mask: 1 where an action is possible now."""
        return {"action_mask": self.mask.copy() if self._copy else self.mask, "increments": increments}

    def action_masks(self):
        """As MaskablePPO asks for it."""
        return self.mask.astype(bool)

    def _metrics(self):
        """The columns of summary.csv of this episode; of all episodes of this start in `summaries`."""
        if self._process.wait() != 0:
            self._failed()
        with open(Path(self._folder.name) / "run/summary.csv", newline="", encoding="utf-8") as file:
            self.summaries = [{name: float(cell) for name, cell in row.items() if cell and name not in ("policy",)}
                              for row in csv.DictReader(file)]
        return self.summaries[-1]

    def close(self):
        self._stop()
        if self._cores:
            os.sched_setaffinity(0, self._cores)
        self._folder.cleanup()

    def __del__(self):
        if getattr(self, "_folder", None) and os.path.exists(self._folder.name):
            self.close()


# ---- the space `menu` ----

LEVELS, LEFT = 5, struct.Struct("=3d")
MENU_JOB = {"present": "1", "time_best": "ln(T* / 1 h) / 5", "age": "ln(1 + age / T*) / 3", "slack": "slack / (5 T*)", "preemptions": "1 / 3"}
MENU_CELL = {"fits": "1", "time": "ln(T / T*) / 4", "edp": "ln(E T / EDP*) / 4", "energy": "ln(E T* / EDP*) / 4",
             "gpus": "GPUs / free GPUs"}
MENU_TYPE = {"free": "share of all", "node_free_max": "share of the largest node"}
MENU_CLUSTER = {"waiting": "ln(1 + jobs) / 4", "running": "ln(1 + jobs) / 4", "power": "share of the cap", "price": "500 per MWh",
                "carbon": "1000 g/kWh"}


def example():
    """The scenario of an environment that is given none: tiny.yaml."""
    places = [Path(__file__).resolve().parents[3], *(Path(each, "share/easim") for each in (Path(binary.find()).parents[1], sys.prefix))]
    return next(path for path in (place / "configs/tiny.yaml" for place in places) if path.exists())


class Menu(Env):
    """The same with few actions and an observation in [-1, 1]: the space `menu`.

    An action starts the job of a slot in a cell: GPUs of one type, whose batch and power limit are those of least E T^choose that
    fit now. A wait after which nothing can happen ends the episode, and each job that never starts costs ten times its least cost
    on the empty cluster.

    config: as of easim.run; None: configs/tiny.yaml
    reward: as of Env; None: weights 1 of energy_kwh and 0.5 of delay_job_h
    jobs: as of Env
    ks: numbers of GPUs of cells; None: those that the jobs of the scenario may have
    choose: exponent of time in the choice of batch and power limit
    running: running jobs that the agent can act on, if one of the next three is True
    preempt: True: actions that stop a running job
    resize: True: actions that move a running job into a cell
    limit: True: actions that give a running job one of five power limits, from none to the lowest
    credit: `"as_it_falls"`, or `"at_start"`: the predicted cost of a job counts at its start, and is corrected later; sums over an episode
        are equal
    invalid: an impossible action is a wait (`"wait"`) or a ValueError (`"error"`), or does nothing and costs this number
    max_steps: steps after which an episode is truncated
    options: as of Env, without `configs`
    """

    _bounds = (-1.0, 1.0)

    def __init__(self, config=None, reward=None, set=None, *, jobs=16, ks=None, choose=1.0, running=16, preempt=False, resize=False,
                 limit=False, credit="as_it_falls", invalid="wait", max_steps=100_000, **options):
        if credit not in ("as_it_falls", "at_start"):
            raise ValueError(f'credit: expected "as_it_falls" or "at_start", got {credit!r}')
        if invalid not in ("wait", "error") and not (isinstance(invalid, (int, float)) and invalid >= 0):
            raise ValueError(f'invalid: expected "wait", "error" or a cost >= 0, got {invalid!r}')
        self._ks, self._choose, self._at_start, self._invalid = ks and sorted(ks), float(choose), credit == "at_start", invalid
        self._flags = {"preempt": bool(preempt), "resize": bool(resize), "limit": bool(limit)}
        self.running, self.cells, self._params = running * any(self._flags.values()), None, {"power_limits": True} if limit else {}
        super().__init__(example() if config is None else config, reward or {"energy_kwh": 1, "delay_job_h": 0.5}, set, jobs=jobs,
                         max_steps=max_steps, **options)

    def _form(self):
        of_energy, of_delay, _ = self._weights
        return {"wake_s": self._wake_s, "menu": {"slots": self.jobs, "running": self.running, "choose": self._choose, "cells": self.cells,
                                                 "cost_per_j": -of_energy / 3.6e6, "cost_per_s": -of_delay / 3600, **self._flags}}

    def _lay_out(self, hello):
        self.hello, found = hello, sorted({each["k"] for each in hello["configs"]})
        if self.cells is None:
            self._ks = self._ks or found
            self.cells = [(n, k) for n, each in enumerate(hello["gpu_types"]) for k in self._ks if k <= each["gpus"]]
        if not {*found} <= {*self._ks}:
            raise ValueError(f"jobs of this episode may have {found} GPUs: say ks={sorted({*found, *self._ks})}")
        cells = [f"{hello['gpu_types'][n]['name']}x{k}" for n, k in self.cells]
        moves = {"resize": cells * self._flags["resize"], "limit": [f"limit{n}" for n in range(LEVELS)] * self._flags["limit"]}
        named = []
        for kind, count, of in ("slot", self.jobs, cells), ("running", self.running, ["now", *moves["resize"], *moves["limit"]]):
            for n in range(count):
                named += [(f"{kind}{n}.{name}", unit) for name, unit in MENU_JOB.items()]
                named += [(f"{kind}{n}.{cell}.{name}", unit) for cell in of
                          for name, unit in [*MENU_CELL.items(), ("cell", "(1 + its place) / cells")][:5 + (cell == "now")]]
        named += [(f"{each['name']}.{name}", unit) for each in hello["gpu_types"] for name, unit in MENU_TYPE.items()]
        self.names, self.units = map(list, zip(*named, *MENU_CLUSTER.items()))
        self.actions = [("start", slot, cell) for slot in range(self.jobs) for cell in cells]
        self.actions += [("preempt", slot, None) for slot in range(self.running * self._flags["preempt"])]
        self.actions += [(verb, slot, cell) for verb, of in moves.items() for slot in range(self.running) for cell in of]
        at = HEAD.size + LEFT.size
        self._frame = bytearray(at + 4 * len(self.names) + len(self.actions) + 1)
        self._values = numpy.frombuffer(self._frame, numpy.float32, len(self.names), at)
        self.mask = numpy.frombuffer(self._frame, numpy.int8, -1, at + 4 * len(self.names))

    def action(self, slot, config):
        """The number of an action: start the job in this slot in the cell of this number; `actions` lists all but the wait."""
        return slot * len(self.cells) + config

    def reset(self, *, seed=None, options=None):
        if seed is None and self._steps is not None and not self._over:
            self._left, self._over = 0, True  # cut off: the other replications of its start go with it
        self._credited = 0.0
        try:
            return super().reset(seed=seed, options=options)
        except RunFailed:
            if not self._is_stuck():
                raise
            self._left = 0
            return super().reset(seed=seed, options=options)

    def _is_stuck(self):
        """Whether easim has ended the run, since the agent left jobs waiting for ever where a price might have changed."""
        return self._over and LEFT.unpack_from(self._frame, HEAD.size)[2] > 0 and self._process.returncode == 1

    def _metrics(self):
        try:
            return super()._metrics()
        except RunFailed:
            if not self._is_stuck():
                raise
            return {}

    def step(self, action):
        action, wait = int(action), self._wait
        if not (0 <= action <= wait and self.mask[action]):
            if self._invalid == "error":
                raise ValueError(f"action {action} is not possible now: action_masks() has those that are")
            if self._invalid != "wait":
                return self._nothing()
            action = wait
        return self._step(WAIT if action == wait else ACTION.pack(action, 0))

    def _nothing(self):
        if self._over or self._steps is None:
            raise RuntimeError("the episode is over: call reset()")
        self._steps += 1
        return self._observation(), -float(self._invalid), False, self._steps == self.max_steps, self._info((0.0, 0.0, 0.0))

    def _reward(self, increments):
        reward = super()._reward(increments)
        left_j, left_s, unfinished = LEFT.unpack_from(self._frame, HEAD.size)
        if self._at_start:
            of_energy, of_delay, _ = self._weights
            credited = of_energy * left_j / 3.6e6 + of_delay * left_s / 3600
            reward, self._credited = reward + credited - self._credited, credited
        return reward - 10 * unfinished if self._over else reward


if BASE is not object:
    gymnasium.register("easim/Raw-v0", "easim.gym:Env")
    gymnasium.register("easim/Menu-v0", "easim.gym:Menu")
