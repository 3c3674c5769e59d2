"""MaskablePPO in the space `menu`, starts only: one small network scores every cell of every slot.

    python3 tools/python/examples/ppo.py ppo.json [MINUTES]   # trains on, from the best that ppo.json has, if it is there; needs sb3_contrib
"""
import json
import sys
import time
from pathlib import Path

import numpy
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.vec_env import DummyVecEnv

import easim.gym
from menu import CONFIGS, COST, SCENARIO, cpu_s, run, write

SLOTS, ENVS, STEPS, SCALE = 32, 8, 512, 20  # rewards are costs / SCALE
BEGIN = 32_768  # steps at a high rate of learning


class Scorer(torch.nn.Module):
    """Features of (slot, cell) -> score; of the cluster and the queue -> score of the wait, and the value."""

    def __init__(self, cells, seen, width=32):
        super().__init__()
        self.cells, self.cluster = cells, seen - SLOTS * (5 + 5 * cells)
        self.latent_dim_pi = SLOTS * cells + 1
        self.latent_dim_vf = width + 3
        inputs = 5 + 5 + 4 + cells + self.cluster
        net = lambda size, last: torch.nn.Sequential(torch.nn.Linear(size, width), torch.nn.Tanh(), torch.nn.Linear(width, width),
                                                     torch.nn.Tanh(), *([torch.nn.Linear(width, 1)] if last else []))
        self.score, self.wait, self.value = net(inputs, True), net(self.cluster + 17, True), net(self.cluster + 17, False)

    def parts(self, seen):
        slots = seen[:, :-self.cluster].reshape(len(seen), SLOTS, -1)
        job, cell, cluster = slots[:, :, :5], slots[:, :, 5:].reshape(len(seen), SLOTS, self.cells, 5), seen[:, -self.cluster:]
        fits, there = cell[..., 0] > 0, job[..., 0:1]
        edp = torch.where(fits, cell[..., 2], 1.0)
        time = torch.where(fits, cell[..., 1], 1.0)
        least = edp.min(2).values, time.min(2).values
        short = torch.where(there[..., 0] > 0, job[..., 1], 1.0)
        shortest = short.min(1, keepdim=True).values
        hours = torch.exp(5 * job[..., 1]) * there[..., 0]
        queue = torch.stack([hours.sum(1), (torch.expm1(3 * job[..., 2]) * hours).sum(1),
                             (hours.sort(1).values * torch.arange(SLOTS, 0, -1)).sum(1)], 1) / SCALE  # work, waits, and what SJF adds
        pooled = torch.cat([queue, cluster, job.sum(1) / SLOTS, (job * there).max(1).values, shortest, least[0].min(1, keepdim=True).values,
                            least[1].min(1, keepdim=True).values, fits.any(2).sum(1, keepdim=True) / SLOTS], 1)
        more = torch.stack([4 * (edp - least[0][..., None]), 4 * (time - least[1][..., None]),
                            (3 * (job[..., 1] - shortest))[..., None].expand_as(edp), least[0][..., None].expand_as(edp)], 3)
        return job, cell, more, fits, cluster, pooled

    def forward(self, seen):
        job, cell, more, fits, cluster, pooled = self.parts(seen)
        return self.scores(job, cell, more, fits, cluster, pooled), self.judge(pooled)

    def scores(self, job, cell, more, fits, cluster, pooled):
        at, slot, place = fits.nonzero(as_tuple=True)
        rows = torch.cat([job[at, slot], cell[at, slot, place], more[at, slot, place],
                          torch.nn.functional.one_hot(place, self.cells).float(), cluster[at]], 1)
        scores = torch.zeros(fits.shape)
        scores[at, slot, place] = self.score(rows)[:, 0]
        return torch.cat([scores.flatten(1), self.wait(pooled)], 1)

    def forward_actor(self, seen):
        return self.scores(*self.parts(seen))

    def forward_critic(self, seen):
        return self.judge(self.parts(seen)[-1])

    def judge(self, pooled):
        return torch.cat([pooled[:, :3], self.value(pooled)], 1)


class Policy(MaskableActorCriticPolicy):
    def _build_mlp_extractor(self):
        self.mlp_extractor = Scorer((self.action_space.n - 1) // SLOTS, self.observation_space.shape[0])

    def _build(self, schedule):
        super()._build(schedule)
        self.action_net = torch.nn.Identity()
        self.optimizer = self.optimizer_class(self.parameters(), lr=schedule(1), **self.optimizer_kwargs)


class Busy(easim.gym.Menu):
    """Where nothing runs, but something could, to wait is no choice."""

    def action_masks(self):
        may = super().action_masks()
        may[-1] = self._values[-4] > 0 or not may[:-1].any()  # ln(1 + running jobs) / 4
        return may


def environment(episodes, config=CONFIGS / "eas-sim.yaml", scenario=None, scale=1):
    return Busy(config, {name: each / scale for name, each in COST.items()}, SCENARIO if scenario is None else scenario, jobs=SLOTS,
                credit="at_start", episodes=episodes)


def agent(env, weights):
    scorer = Scorer(len(env.cells), env.observation_space.shape[0])
    start = "mlp_extractor."
    scorer.load_state_dict({name[len(start):]: torch.tensor(each) for name, each in weights.items() if name.startswith(start)})

    def choose(seen, mask):
        with torch.no_grad():
            scores = scorer.forward_actor(torch.as_tensor(seen)[None])[0].numpy()
        return int(numpy.where(env.action_masks(), scores, -numpy.inf).argmax())
    return choose


def main(path, minutes=30.0):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    env = DummyVecEnv([lambda: environment(40, scale=SCALE)] * ENVS)
    env.seed(1000)
    model = MaskablePPO(Policy, env, n_steps=STEPS, batch_size=1024, n_epochs=4, gamma=1.0, gae_lambda=0.95, ent_coef=0.003, learning_rate=1e-3,
                        max_grad_norm=0.5, seed=1)
    found = {"steps": 0, "cpu_s": 0.0, "curve": [], "weights": None}
    if Path(path).exists():
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        model.policy.load_state_dict({name: torch.tensor(each) for name, each in found["weights"].items()})
        env.seed(1000 + found["steps"] % 100_000)
    test = environment(40)
    begun, before = cpu_s(), found["cpu_s"]
    while found["cpu_s"] < 60 * minutes:
        begins = found["steps"] < BEGIN
        model.lr_schedule, model.ent_coef = (lambda _: 1e-3 if begins else 2e-4), 0.003 if begins else 0.0
        model.learn(2 * ENVS * STEPS, reset_num_timesteps=False)
        found["steps"] += 2 * ENVS * STEPS
        found["cpu_s"] = round(before + cpu_s() - begun, 1)
        latest = {name: numpy.round(each.double().numpy(), 5).tolist() for name, each in model.policy.state_dict().items()}
        cost = round(float(run(test, agent(test, latest), 500_001).mean()), 2)
        if cost < min([each for _, _, each in found["curve"]], default=numpy.inf):
            found["weights"] = latest  # the best of the seeds for this choice, which no comparison uses
        found["curve"].append([found["cpu_s"], found["steps"], cost])
        write(path, found)
        print(found["curve"][-1], time.strftime("%H:%M:%S"), flush=True)
    env.close()
    test.close()


if __name__ == "__main__":
    main(sys.argv[1], *map(float, sys.argv[2:3]))
