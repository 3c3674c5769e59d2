#!/usr/bin/env python3
"""First come, first served, as a program behind the policy `exec`: decides as the built-in fcfs, action by action.

    easim run configs/eas-sim.yaml --policy exec --set 'policy.params.command=python3 policies/exec/fcfs.py'

Each line of standard input is a message, each line of standard output its answer (docs/reference/program-policy.md).
"""
import bisect
import json
import sys


class Cluster:
    """Free GPUs by type and node, with the placement of easim (docs/reference/semantics.md)."""

    def __init__(self, hello):
        self.types = [node["gpu_type"] for node in hello["nodes"]]
        spans = hello.get("spans", [{"nodes": 1}, {"nodes": len(self.types)}])  # absent: two
        self.span_nodes = [span["nodes"] for span in spans]
        self.told = [node["gpus"] for node in hello["nodes"]]
        self.nodes = [[n for n, of in enumerate(self.types) if of == t] for t in range(len(hello["gpu_types"]))]

    def update(self, message):
        for node in message["nodes"]:
            self.told[node["node"]] = node["free"]
        self.free = self.told[:]  # what was planned since may be over: a node is named only if it differs from what was told
        self.free_max = [each.get("span_free_max", [each["node_free_max"], each["free"]]) for each in message["gpu_types"]]

    def span(self, config):
        """0: fits into one node; 1 ..: into that span across nodes; None: not at all."""
        fitting = [span for span, free in enumerate(self.free_max[config["gpu_type"]]) if config["k"] <= free]
        return fitting[0] if fitting and config["goodput"][fitting[0]] is not None else None  # null: never placed so

    def places(self, span, nodes):
        """Nodes by the place of a span that they are in: each alone, those below one switch, all."""
        places = {}
        for n in nodes:
            places.setdefault(n // self.span_nodes[span], []).append(n)
        return list(places.values())

    def free_in(self, nodes):
        return sum(self.free[n] for n in nodes)

    def take_in(self, nodes, span, k):
        """k of these nodes, a place of a span: of the lowest place in it that has them, there the freest places first."""
        for lower in range(span):
            fitting = [place for place in self.places(lower, nodes) if self.free_in(place) >= k]
            if fitting:
                return self.take_in(min(fitting, key=self.free_in), lower, k)
        if span == 0:
            self.free[nodes[0]] -= k
            return None
        for place in sorted(self.places(span - 1, nodes), key=self.free_in, reverse=True):
            taken = min(k, self.free_in(place))
            if taken > 0:
                self.take_in(place, span - 1, taken)
            k -= taken
        return None

    def take(self, config):
        nodes, last = self.nodes[config["gpu_type"]], len(self.span_nodes) - 1
        self.take_in(nodes, last, config["k"])
        self.free_max[config["gpu_type"]] = [max(map(self.free_in, self.places(span, nodes))) for span in range(last + 1)]


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
