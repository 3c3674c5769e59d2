#!/usr/bin/env python3
"""First come, first served, as a program behind the policy `exec`: decides as the built-in fcfs, action by action.

    easim run configs/eas-sim.yaml --policy exec --set 'policy.params.command=python3 policies/exec/fcfs.py'

Each line of standard input is a message, each line of standard output its answer (docs/exec-policy.md).
"""
import bisect
import json
import sys


class Cluster:
    """Free GPUs by type and node, with the placement of easim (docs/semantics.md)."""

    def __init__(self, hello):
        self.types = [node["gpu_type"] for node in hello["nodes"]]
        self.told = [node["gpus"] for node in hello["nodes"]]
        self.nodes = [[n for n, of in enumerate(self.types) if of == t] for t in range(len(hello["gpu_types"]))]

    def update(self, message):
        for node in message["nodes"]:
            self.told[node["node"]] = node["free"]
        self.free = self.told[:]  # what was planned since may be over: a node is named only if it differs from what was told
        self.type_free = [each["free"] for each in message["gpu_types"]]
        self.node_free_max = [each["node_free_max"] for each in message["gpu_types"]]

    def span(self, config):
        """0: fits into one node; 1: across nodes; None: not at all."""
        k, gpu_type = config["k"], config["gpu_type"]
        span = 0 if k <= self.node_free_max[gpu_type] else 1 if k <= self.type_free[gpu_type] else None
        return None if span is None or config["goodput"][span] is None else span  # null: never placed so

    def take(self, config):
        k, gpu_type = config["k"], config["gpu_type"]
        nodes = self.nodes[gpu_type]
        fitting = [n for n in nodes if self.free[n] >= k]
        if fitting:
            self.free[min(fitting, key=lambda n: self.free[n])] -= k
        else:
            for n in sorted(nodes, key=lambda n: -self.free[n]):
                taken = min(k, self.free[n])
                self.free[n] -= taken
                k -= taken
        self.type_free[gpu_type] -= config["k"]
        self.node_free_max[gpu_type] = max(self.free[n] for n in nodes)


class Fcfs:
    def __init__(self, hello):
        self.configs = hello["configs"]
        self.cluster = Cluster(hello)
        self.jobs = {}
        self.waiting = []  # numbers of jobs, in order of submission

    def choose(self, job):
        """The configuration of least predicted time that fits now; ties: fewer GPUs, less power, type, batch."""
        best, best_config = None, None
        for number in range(job["first_config"], job["first_config"] + job["config_count"]):
            config = self.configs[number]
            span = self.cluster.span(config)
            if span is not None:
                time_s = job["setup_s"] + job["remaining"] / config["goodput"][span]
                rank = (time_s, config["k"], config["power_w"][span], config["gpu_type"], config["batch"])
                if best is None or rank < best:
                    best, best_config = rank, number
        return best_config

    def queue(self, change):
        """A job that has arrived, or that a failed node has stopped, waits in its place."""
        place = bisect.bisect_left(self.waiting, change["job"])
        if change["state"] == "waiting" and self.waiting[place:place + 1] != [change["job"]]:
            self.waiting.insert(place, change["job"])

    def decide(self, message):
        self.cluster.update(message)
        for job in message["arrived"]:
            self.jobs[job["job"]] = job
        for change in message["jobs"]:
            if change["state"] == "finished":
                del self.jobs[change["job"]]
            else:
                self.jobs[change["job"]].update(change)
                self.queue(change)
        actions, started = [], 0
        for number in self.waiting:
            config = self.choose(self.jobs[number])
            if config is None:
                break
            self.cluster.take(self.configs[config])
            actions.append({"start": number, "config": config})
            started += 1
        del self.waiting[:started]
        return actions


def main():
    policy = None
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "hello":
            policy = Fcfs(message)
            answer = {"message": message["message"], "ready": 2}
        elif message["type"] == "decide":
            answer = {"message": message["message"], "actions": policy.decide(message)}
        else:
            return
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
