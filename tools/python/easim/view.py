"""What a policy sees: objects put together from the messages of the exec protocol (docs/reference/program-policy.md).

Every object has the members of the protocol, under the same names and in the same units, later ones too; a number of a user,
GPU type or configuration is kept as it is, and the object behind it is found with `view.users[...]` and the like.
"""
from __future__ import annotations

import bisect
from typing import Optional

from easim.placement import choose, free_in, places_of


class Record:
    """An object with the members of a JSON object."""

    def __init__(self, members):
        self.__dict__.update(members)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items() if name[0] != '_')})"


class GpuType(Record):
    name: str
    gpus: int  # in the cluster
    node_gpus_max: int
    idle_w: float
    ctx_w: float
    tdp_w: float
    memory_gib: float
    free: int
    node_free_max: int  # most free GPUs of one node
    failed: int
    asleep: int
    shared_free_max_milli: int = 0  # with fractional_gpu: most that is free of one GPU held in part

    @property
    def free_max(self):
        """Most free GPUs of one place of each span: in one node, below one switch, ..., in all."""
        return self.__dict__.get("span_free_max") or [self.node_free_max, self.free]


class Node(Record):
    node: int  # number
    gpu_type: int
    gpus: int
    free: int
    failed: bool


class User(Record):
    user: int  # number
    name: str
    weight: float
    allocated_gpus: int
    gpu_s: float  # held up to as_of_s
    as_of_s: float


class Config(Record):
    config: int  # number
    k: int
    batch: float  # per GPU; 0: rigid
    gpu_type: int
    goodput: list  # by span (0 in one node, 1 across nodes; with a network of several tiers 1, 2 ..): reference samples/s; None: never placed so
    power_w: list  # by span: of one GPU computing
    power_limit_w: Optional[float]
    empty_span: int
    extrapolated: bool
    milli: int = 0  # thousandths of a GPU that others may share, with fractional_gpu; 0: whole GPUs

    def __index__(self):
        return self.config


class Job(Record):
    job: int  # number
    id: str
    user: int
    model: Optional[int]  # None: rigid
    state: str  # waiting, running, checkpointing; finished or rejected: only in the events of that decision
    submit_s: float
    deadline_s: Optional[float]
    sla: bool
    preemptible: bool
    remaining: float  # reference samples, when it last started, was queued or changed its phase
    setup_s: float
    time_best_s: float
    edp_best_js: float
    best_config: int
    preemptions: int
    resizes: int
    first_config: int
    config_count: int
    config: Optional[int] = None  # of a running job
    span: Optional[int] = None
    start_s: Optional[float] = None
    predicted_end_ns: Optional[int] = None
    goodput_now: Optional[float] = None  # of a running job, in protocol 3
    power_now_w: Optional[float] = None
    wish_w: Optional[float] = None  # with power/1, in W of one GPU: the limit that the policy chose; None: none
    draw_w: Optional[float] = None  # what holds: power while it computes,
    speed: Optional[float] = None  # and speed as a share of that without a limit; None: it has none to set
    least_w: Optional[float] = None
    most_w: Optional[float] = None

    @property
    def configs(self):
        """Its configurations, of its present phase."""
        return self._configs[self.first_config:self.first_config + self.config_count]

    def __index__(self):
        return self.job


class Service(Record):
    service: int  # number
    name: str
    min: int
    max: int
    ready: int
    loading: int
    demand_per_s: float
    backlog: float
    ready_per_s: float
    loading_per_s: float
    first_config: int
    config_count: int
    wait_s: float
    timeout_s: Optional[float]
    start_s: float
    target: float

    @property
    def configs(self):
        """Its feasible configurations."""
        return self._configs[self.first_config:self.first_config + self.config_count]


class ReplicaConfig(Record):
    config: int  # number
    service: int
    gpu_type: int
    k: int
    limit: Optional[float]
    most_per_s: float
    most_w: float
    target_j_per_token: float
    target_latency_ms: float
    j_per_token: list  # at the loads 0.1, 0.2 .. 1, as the next two
    power_w: list
    latency_ms: list

    def __index__(self):
        return self.config


class Replica(Record):
    replica: int  # place
    state: str  # loading, ready
    service: int
    number: int
    config: int
    node: int
    since_s: float
    ready_s: float

    def __index__(self):
        return self.replica


class Event(Record):
    kind: str  # arrival, finish, timer, cluster, service, other; in protocol 3 cap, price, failure, repair in place of cluster
    job: Optional[Job]
    node: Optional[Node] = None  # that failed or was repaired, in protocol 3


class Answer(str):
    """What an action or a try is answered: "ok", "nofit", "invalid" or "cap", with more of it as members, in protocol 3."""

    span: Optional[int] = None  # of a try: its placement
    power_w: Optional[float] = None  # and power of the cluster with it; told with "cap", too
    part: Optional[int] = None  # of a refused exchange: which part is to blame

    def __new__(cls, given):
        answer = super().__new__(cls, given["answer"] if isinstance(given, dict) else given)
        answer.__dict__.update(given if isinstance(given, dict) else {})
        return answer


class View:
    """The cluster and its jobs at a decision.

    now_s, now_ns, power_w, power_cap_w, energy_j, free_gpus: as in the message
    price_per_mwh, carbon_g_per_kwh: as in the message
    jobs: the jobs that are there, by number
    gpu_types, nodes, users, configs: lists by number, each with all members of hello and what is free of it now
    services, replica_configs, replicas: lists, empty without the parameter `services` of exec
    events, answers, checkpointing: of this decision; the job of an event is the object
    forecast: each clock hour from the present one on, as last sent
    progress: with the parameter `progress` of exec, as in the message
    uniform, told, job_count, usage_half_life_s: protocol 3, as in the message
    """

    uniform, told = (), None

    def __init__(self, hello, ask=None):
        self._ask = ask
        self.gpu_types = [GpuType(each) for each in hello["gpu_types"]]
        self.nodes = [Node({"node": number, "free": each["gpus"], "failed": False, **each}) for number, each in enumerate(hello["nodes"])]
        self.users = [User({"user": number, "allocated_gpus": 0, "gpu_s": 0.0, "as_of_s": 0.0, **each})
                      for number, each in enumerate(hello["users"])]
        self.configs = [Config({"config": number, **each}) for number, each in enumerate(hello["configs"])]
        self.replica_configs = [ReplicaConfig({"config": number, **each}) for number, each in enumerate(hello.get("replica_configs", []))]
        self.services = [Service({"service": number, "_configs": self.replica_configs, **each})
                         for number, each in enumerate(hello.get("services", []))]
        self.replicas = []
        self.jobs, self.events, self.answers, self.forecast, self.checkpointing = {}, [], [], [], []
        self.now_s, self.now_ns, self.message = 0.0, 0, 0
        self._span_nodes = [each["nodes"] for each in hello.get("spans", [{"nodes": 1}, {"nodes": len(self.nodes)}])]
        self._waiting, self._taken = [], []  # numbers of waiting jobs; what take() has changed
        self._of_type = [[node for node in self.nodes if node.gpu_type == number] for number in range(len(self.gpu_types))]

    @property
    def waiting(self):
        """Waiting jobs in the order of their submission."""
        return [self.jobs[number] for number in self._waiting]

    @property
    def running(self):
        """Running jobs in the order of their submission."""
        return [job for job in self.jobs.values() if job.state == "running"]

    def _update(self, message):
        """Takes a decide message in: what it says has changed."""
        for node, free in self._taken:
            node.free = free
        self._taken = []
        for gpu_type in self.gpu_types:
            gpu_type.__dict__.pop("span_free_max", None)  # told again where there are several tiers
        for told, of in (("gpu_types", self.gpu_types), ("users", self.users), ("nodes", self.nodes)):
            for place, each in enumerate(message.pop(told)):
                of[each.get(told[:-1], place)].__dict__.update(each)
        for service, each in zip(self.services, message.pop("services", [])):
            service.__dict__.update(each)
        self.replicas = [Replica(each) for each in message.pop("replicas", [])]
        for each in message.pop("arrived"):
            job = self.jobs[each["job"]] = Job(each)
            job._configs = self.configs
        over = [self._change(each) for each in message.pop("jobs")]
        self.events = [Event({**each, "job": self.jobs.get(each["job"]), **self._node_of(each)}) for each in message.pop("events")]
        self.answers = [Answer(each) for each in message.pop("answers")]
        for job in over:
            if job is not None:
                self.jobs.pop(job.job, None)
        self.__dict__.update(message)

    def _node_of(self, event):
        node = event.get("node")
        return {} if node is None else {"node": self.nodes[node]}

    def try_(self, *actions):
        """Answers that easim would give to starts, resizes and exchanges now, each alone; nothing happens. Protocol 3, at most 1,000 times a decision."""
        if self._ask is None:
            raise RuntimeError("a view made by hand has no easim to try with: give it a function that answers, View.of(..., ask=f)")
        return [Answer(each) for each in self._ask(list(actions))] if actions else []

    def remaining(self, job):
        """Work that a job has left now, measured; counts as a try."""
        return self.try_({"remaining": int(job)})[0].__dict__["remaining"]

    def job_nodes(self, job):
        """Pairs of a node and the GPUs of the job there; counts as a try."""
        return [(self.nodes[each["node"]], each["gpus"]) for each in self.try_({"job_nodes": int(job)})[0].__dict__["nodes"]]

    def replica_figures(self, config, load):
        """j_per_token, power_w, latency_ms and running of a replica in a configuration at a load, 0 to 1; counts as a try."""
        return Record({name: value for name, value in self.try_({"replica_figures": int(config), "load": load})[0].__dict__.items()
                       if name != "answer"})

    def _change(self, each):
        """A job that has changed; returns it if it is over."""
        job = self.jobs[each["job"]]
        for name in ("config", "span", "start_s", "predicted_end_ns", "goodput_now", "power_now_w", "rate_s", "saved_at_s", "wish_w",
                     "draw_w", "speed", "least_w", "most_w"):
            job.__dict__.pop(name, None)
        job.__dict__.update(each)
        place = bisect.bisect_left(self._waiting, job.job)
        there = self._waiting[place:place + 1] == [job.job]
        if job.state == "waiting" and not there:
            self._waiting.insert(place, job.job)
        elif job.state != "waiting" and there:
            del self._waiting[place]
        return job if job.state in ("finished", "rejected") else None

    def span(self, config):
        """Placement of a start now: 0 in one node, 1 (with tiers 2 ..) across nodes; None if it does not fit."""
        if config.milli and config.milli <= self.gpu_types[config.gpu_type].shared_free_max_milli:
            return 0
        for span, free in enumerate(self.gpu_types[config.gpu_type].free_max):
            if config.k <= free:
                return None if config.goodput[span] is None else span
        return None

    def predicted_time_s(self, job, config):
        """Predicted time of a start now, set-up included; None if it does not fit."""
        span = self.span(config)
        return None if span is None else job.setup_s + job.remaining / config.goodput[span]

    def predicted_energy_j(self, job, config):
        """Predicted energy of its GPUs for a start now; None if it does not fit."""
        span = self.span(config)
        if span is None:
            return None
        ctx_w = self.gpu_types[config.gpu_type].ctx_w
        return (config.milli / 1000 or config.k) * (ctx_w * job.setup_s + config.power_w[span] * job.remaining / config.goodput[span])

    def take(self, config):
        """Counts the GPUs of a start as taken, where easim will place it, until the next decision."""
        if config.milli:
            raise ValueError("take counts whole GPUs: try starts on parts of GPUs together, in an exchange")
        gpu_type, nodes = self.gpu_types[config.gpu_type], self._of_type[config.gpu_type]
        self._taken[:0] = reversed(list(choose(nodes, len(self._span_nodes) - 1, config.k, self._span_nodes)))
        gpu_type.free -= config.k
        gpu_type.node_free_max = max(node.free for node in nodes)
        gpu_type.span_free_max = [max(map(free_in, places_of(nodes, count))) for count in self._span_nodes]
        self.free_gpus -= config.k

    @classmethod
    def of(cls, gpu_types=(), nodes=(), configs=(), jobs=(), users=(), ask=None, **members):
        """A view made by hand, for tests: lists of dictionaries with members of the protocol. Defaults: one GPU type, one node
        with its GPUs, one user; jobs that arrive now and may have all configurations. `ask` answers try_(); `members` are
        those of the view, such as now_s=60."""
        types = [{"name": f"gpu{n}", "gpus": 1, "idle_w": 50.0, "ctx_w": 90.0, "tdp_w": 400.0, "memory_gib": 80.0, **each}
                 for n, each in enumerate(gpu_types or [{}])]
        nodes = [{"gpu_type": 0, **each} for each in nodes] or [{"gpu_type": n, "gpus": each["gpus"]} for n, each in enumerate(types)]
        for number, each in enumerate(types):
            own = [node["gpus"] for node in nodes if node["gpu_type"] == number]
            each.update(gpus=sum(own), node_gpus_max=max(own, default=0))
        users = [{"name": f"user{n}", "weight": 1.0, **each} for n, each in enumerate(users or [{}])]
        configs = [{"k": 1, "batch": 0, "gpu_type": 0, "empty_span": 0, "extrapolated": False, "goodput": [1.0, 1.0],
                    "power_w": [300.0, 300.0], "power_limit_w": None, **each} for each in configs or [{}]]
        view = cls({"gpu_types": types, "nodes": nodes, "users": users, "configs": configs}, ask)
        now_s = members.get("now_s", 0.0)
        arrived = [{"job": n, "id": str(n), "user": 0, "model": 0, "submit_s": now_s, "submit_ns": round(now_s * 1e9), "deadline_s": None,
                    "first_config": 0, "config_count": len(configs), "sla": False, "preemptible": True, "restart_s": 0.0,
                    "checkpoint_s": 0.0, "checkpoint_interval_s": 0.0, "state": "waiting", "remaining": 1.0, "setup_s": 0.0,
                    "time_best_s": 1.0, "edp_best_js": 1.0, "best_config": 0, "preemptions": 0, "resizes": 0, "held_gpu_s": 0.0,
                    "kept_s": 0.0, "kept_gpu_s": 0.0, **each} for n, each in enumerate(jobs)]
        held = [0] * len(nodes)
        for each in arrived:
            if each["state"] == "running":
                _hold(configs[each["config"]], nodes, held)
        free = [node["gpus"] - taken for node, taken in zip(nodes, held)]
        of_type = [[gpus for gpus, node in zip(free, nodes) if node["gpu_type"] == n] for n in range(len(types))]
        view._update({"now_s": now_s, "now_ns": round(now_s * 1e9), "power_w": 0.0, "power_cap_w": None, "price_per_mwh": None,
                     "carbon_g_per_kwh": None, "energy_j": 0.0, "answers": [], "free_gpus": sum(free),
                     "events": [{"kind": "arrival", "job": each["job"]} for each in arrived if each["state"] == "waiting"],
                     "arrived": arrived, "jobs": arrived, "users": [],
                     "gpu_types": [{"free": sum(own), "node_free_max": max(own, default=0), "failed": 0, "asleep": 0} for own in of_type],
                     "nodes": [{"node": n, "free": gpus, "failed": False} for n, gpus in enumerate(free)], "checkpointing": [], **members})
        return view


def _hold(config, nodes, held):
    """GPUs of a running job of a view made by hand, on the first nodes with room."""
    left = config["k"]
    for number, node in enumerate(nodes):
        taken = min(left, node["gpus"] - held[number]) if node["gpu_type"] == config["gpu_type"] else 0
        held[number] += taken
        left -= taken
    if left > 0:
        raise ValueError("the running jobs hold more GPUs than there are")
