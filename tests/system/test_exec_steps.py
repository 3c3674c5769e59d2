"""The compact form of the exec protocol (docs/reference/program-policy.md, "Step by step"): an agent that needs nothing but Python decides as
fcfs, and what it is told adds up to the results. Usage: test_exec_steps.py EASIM SOURCE
"""
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

from harness import EASIM, SOURCE, TINY, cases, easim, rows_of

GLOBALS = ["over", "now_s", "energy_j", "power_w", "power_cap_w", "price_per_mwh", "carbon_g_per_kwh", "free_gpus", "waiting",
           "running", "checkpointing", "decisions", "answer", "late", "most_configs"]
OF_TYPE = ["free", "node_free_max", "failed", "asleep"]
OF_HOUR = ["power_cap_w", "price_per_mwh", "carbon_g_per_kwh"]
OF_JOB = ["job", "first_config", "config_count", "age_s", "remaining", "setup_s", "has_deadline", "deadline_left_s", "time_best_s",
          "edp_best_js", "preemptions", "sla"]
WAIT = 0xffffffff
# a100 have room for 9, but no node for 8 or 4: configurations across nodes
NODES = "cluster.nodes=[{count: 3, gpu: a100, gpus: 3}, {gpu: h100, gpus: 5}, {gpu: h100, gpus: 3}]"


class Frame:
    """One frame, taken apart in the order of the document."""

    def __init__(self, hello, jobs, configs, data):
        values = iter(struct.unpack_from(f"={self.values(hello, jobs)}d", data))
        self.of = {name: next(values) for name in GLOBALS}
        self.types = [{name: next(values) for name in OF_TYPE} for _ in hello["gpu_types"]]
        self.hours = [{name: next(values) for name in OF_HOUR} for _ in range(hello["forecast_hours"])]
        self.slots = [{name: next(values) for name in OF_JOB} for _ in range(jobs)]
        mask = data[8 * self.values(hello, jobs):]
        self.mask = [mask[slot * configs:(slot + 1) * configs] for slot in range(jobs)]
        assert mask[-1] == 1 and len(mask) == jobs * configs + 1 and set(mask) <= {0, 1}

    @staticmethod
    def values(hello, jobs):
        return len(GLOBALS) + len(OF_TYPE) * len(hello["gpu_types"]) + len(OF_HOUR) * hello["forecast_hours"] + len(OF_JOB) * jobs


def read(stream, size):
    data = b""
    while len(data) < size:
        some = stream.recv(size - len(data))
        assert some, "easim has closed the connection"
        data += some
    return data


class Agent:
    """Listens, and starts easim, which connects once for each replication."""

    def __init__(self, folder, config, *words, jobs=4, configs=64, wake_s=None):
        self.room = {"jobs": jobs, "configs": configs} | ({} if wake_s is None else {"wake_s": wake_s})
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "agent"))
        self.listener.listen()
        self.listener.settimeout(300)
        self.easim = subprocess.Popen([EASIM, "run", config, "--policy", "exec", "--set", f"policy.params.socket={folder}/agent",
                                       "--out", folder / "out", "--decisions", "--quiet", "--threads", "1", *words],
                                      stderr=subprocess.PIPE, text=True)

    def meet(self):
        self.stream = self.listener.accept()[0]
        line = b""
        while not line.endswith(b"\n"):
            line += self.stream.recv(1 << 20)
        self.hello = json.loads(line)
        self.stream.sendall(json.dumps({"message": 0, "ready": 2, "steps": self.room}).encode() + b"\n")

    def frame(self):
        jobs, configs = self.room["jobs"], self.room["configs"]
        return Frame(self.hello, jobs, configs, read(self.stream, 8 * Frame.values(self.hello, jobs) + jobs * configs + 1))

    def act(self, slot, config=0):
        self.stream.sendall(struct.pack("=II", slot, config))

    def end(self, code=0):
        error = self.easim.communicate(timeout=300)[1]
        assert self.easim.returncode == code, (self.easim.returncode, error)
        return error


def fcfs(hello, frame):
    """The configuration of least predicted time that fits now, of the head of the queue; ties as fcfs has them."""
    head, best = frame.slots[0], None
    for place in range(int(head["config_count"])):
        config = hello["configs"][int(head["first_config"]) + place]
        k, of_type = config["k"], frame.types[config["gpu_type"]]
        span = 0 if k <= of_type["node_free_max"] else 1 if k <= of_type["free"] else None
        fits = span is not None and config["goodput"][span] is not None
        assert frame.mask[0][place] == fits, (config, of_type)
        if fits:
            time_s = head["setup_s"] + head["remaining"] / config["goodput"][span]
            rank = (time_s, k, config["power_w"][span], config["gpu_type"], config["batch"])
            best = min(filter(None, [best, (rank, place)]))
    return best and best[1]


def decisions(folder):
    return [line.split(",", 1)[1] for line in (folder / "decisions.csv").read_text().splitlines()]


def test_as_fcfs(folder):
    """Two replications: the same decisions, and energy, time in the system and missed deadlines add up to the metrics."""
    words = ["--set", NODES, "--replications", "2", "--set", "horizon=6h"]
    agent = Agent(folder, SOURCE / "configs/eas-sim.yaml", *words)
    sums, across = [], 0
    for _ in range(2):
        agent.meet()
        energy_j = late = job_s = last_s = present = 0
        while True:
            frame = agent.frame()
            energy_j, late = energy_j + frame.of["energy_j"], late + frame.of["late"]
            job_s, last_s = job_s + present * (frame.of["now_s"] - last_s), frame.of["now_s"]
            present = frame.of["waiting"] + frame.of["running"] + frame.of["checkpointing"]
            assert frame.of["answer"] == 0 and frame.of["free_gpus"] == sum(each["free"] for each in frame.types)
            numbers = [slot["job"] for slot in frame.slots if slot["job"] >= 0]
            assert numbers == sorted(numbers) and len(numbers) == min(4, frame.of["waiting"])
            if frame.of["over"]:
                break
            chosen = fcfs(agent.hello, frame)
            agent.act(*((WAIT,) if chosen is None else (0, chosen)))
        sums.append((energy_j / 3.6e6, late, job_s))
    agent.end()
    easim("run", SOURCE / "configs/eas-sim.yaml", "--policy", "fcfs", "--decisions", "--out", folder / "fcfs", "--quiet", *words)
    assert decisions(folder / "fcfs") == decisions(folder / "out")
    for (energy_kwh, late, job_s), row in zip(sums, rows_of(folder / "out/summary.csv")):
        assert abs(energy_kwh / float(row["energy_kwh"]) - 1) < 1e-12 and late == float(row["deadline_missed"]) > 0, row
        # of all jobs, min(finish, end) - submit
        assert abs(job_s / (float(row["jct_restricted_mean_s"]) * float(row["jobs_submitted"])) - 1) < 1e-9, row


def test_actions_that_are_none(folder):
    """A slot or configuration that is not there is answered -2, one that does not fit -1, and a wait may end by itself."""
    agent = Agent(folder, TINY, jobs=2, wake_s=7.5)
    agent.meet()
    assert agent.frame().of["now_s"] == 0
    for slot, config, answer in ((1, 0, -2), (9, 0, -2), (0, 60, -2)):
        agent.act(slot, config)
        frame = agent.frame()
        assert frame.of["answer"] == answer and frame.of["decisions"] == 1 and frame.of["energy_j"] == 0, vars(frame)
    places = range(int(frame.slots[0]["config_count"]))
    k = [agent.hello["configs"][int(frame.slots[0]["first_config"]) + place]["k"] for place in places]
    agent.act(0, k.index(4))
    frame = agent.frame()
    assert (frame.of["answer"], frame.of["free_gpus"], frame.of["running"], frame.slots[0]["job"]) == (0, 4, 1, -1)
    for after_s in (7.5, 15, 22.5):
        agent.act(WAIT)
        assert agent.frame().of["now_s"] == after_s
    while 1 not in frame.mask[1]:
        agent.act(WAIT)
        frame = agent.frame()
    second = frame.slots[1]["job"]
    agent.act(1, frame.mask[1].index(1))  # the second of the queue, before the first
    frame = agent.frame()
    assert frame.of["answer"] == 0 and second not in [slot["job"] for slot in frame.slots] and frame.slots[0]["job"] >= 0
    agent.act(0, frame.mask[0].index(0))
    assert agent.frame().of["answer"] == -1
    agent.stream.close()
    assert "has closed the connection" in agent.end(1)


def test_bad_ends(folder):
    """Each is an error that names the socket and what happened; the results folder keeps no half of a result."""
    easim("run", TINY, "--policy", "exec", "--set", f"policy.params.socket={folder}/none", "--out",
          folder / "none-out", code=1, says=f'program "{folder}/none" cannot be reached: No such file')
    easim("run", TINY, "--policy", "exec", "--set", f"policy.params.socket=/{'x' * 200}", "--out",
          folder / "none-out", code=1, says="cannot be reached: File name too long")
    for number, room in enumerate(({"jobs": 0, "configs": 4}, {"jobs": 4}, {"jobs": 4, "configs": 4, "wake_s": -1}, {"jobs": 1e9, "configs": 4},
                                    {"menu": {}}, {"menu": 4}, {"menu": {"slots": 0, "cells": [[0, 1]]}}, {"menu": {"slots": 2, "cells": []}},
                                    {"menu": {"slots": 2, "cells": [[0, 1], [9, 1]]}}, {"menu": {"slots": 2, "cells": [[0, 0]]}},
                                    {"menu": {"slots": 2, "cells": [[0]]}}, {"menu": {"slots": 5000, "cells": [[0, 1]]}},
                                    {"menu": {"slots": 2, "cells": [[0, 1]]}, "wake_s": -1}, {"menu": {"slots": 2, "cells": [[0, 1]], "running": -1}},
                                    {"menu": {"slots": 2, "cells": [[0, 1]], "choose": "x"}})):
        (folder / str(number)).mkdir()
        agent = Agent(folder / str(number), TINY)
        agent.room = room
        agent.meet()
        assert f"sent steps{'.menu' * ('menu' in room)}: expected" in agent.end(1), room
    (folder / "silent").mkdir()
    agent = Agent(folder / "silent", TINY, "--set", "policy.params.timeout=1")
    agent.meet()
    agent.frame()
    assert "gave no answer within 1 s" in agent.end(1)


KILLED = """\
import sys
sys.argv = {argv!r}
sys.path.insert(0, {here!r})
import test_exec_steps as own
agent = own.Agent(own.Path({folder!r}), own.TINY)
agent.meet()
agent.frame()
print(agent.easim.pid, flush=True)
sys.stdin.read()
"""


def test_killed_agent(folder):
    """An agent that is killed: easim says so and ends, with all of its processes."""
    text = KILLED.format(argv=["x", EASIM, str(SOURCE)], here=str(Path(__file__).parent), folder=str(folder))
    agent = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    pid = int(agent.stdout.readline())
    ended = os.pidfd_open(pid)
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    assert children, "a replication runs in a process of its own"
    below = [os.pidfd_open(int(child)) for child in children]
    agent.send_signal(signal.SIGKILL)
    agent.wait()
    for one in [ended, *below]:
        assert select.select([one], [], [], 60)[0], "left behind"


if __name__ == "__main__":
    cases(*(value for name, value in list(globals().items()) if name.startswith("test_")))
