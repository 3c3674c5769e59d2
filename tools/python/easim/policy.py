"""Policies in Python, behind the policy exec of easim (docs/reference/program-policy.md).

    import easim

    class Shortest(easim.Policy):
        def decide(self, view): ...

`easim.run("config.yaml", policy=Shortest)` runs it; `python -m easim.policy mine.py:Shortest tau=3600` is the program that
easim starts for it.
"""
import inspect
import operator
import re
import shlex
import sys
from collections import Counter
from functools import partial
from pathlib import Path


def number_of(value, what):
    """The number of an object of the view, or a whole number as it is."""
    try:
        return operator.index(int(value) if isinstance(value, float) and value.is_integer() else value)
    except TypeError:
        raise TypeError(f"{what}: expected one of the view or its number, got {value!r}") from None


def start(job, config):
    """Starts a waiting job. Jobs and configurations are objects of the view, or their numbers."""
    return {"start": number_of(job, "job"), "config": number_of(config, "config")}


def preempt(job, at_once=False):
    """Takes the GPUs of a running job; at_once: without writing a checkpoint."""
    return {"preempt": number_of(job, "job"), "at_once": bool(at_once)}


def resize(job, config):
    """Moves a running job to another of its configurations."""
    return {"resize": number_of(job, "job"), "config": number_of(config, "config")}


def reject(job, reason=None):
    """Refuses a waiting job for good; results show the reason."""
    return {"reject": number_of(job, "job"), **({} if reason is None else {"reason": str(reason)})}


def exchange(*actions):
    """Does all of these starts, preemptions and resizes, or none; each job once."""
    return {"exchange": list(actions)}


def wake_at(at_s):
    """Asks for a decision at that simulated time."""
    return {"wake_at": float(at_s)}


def wake_clear():
    """Takes back all wake-ups (protocol 3)."""
    return {"wake_clear": True}


def count(what, name=None):
    """Counts one thing for the results: a sentence that is the same for all of its kind, and the name of this one (protocol 3)."""
    return {"count": str(what), **({} if name is None else {"name": str(name)})}


def reason(job, text):
    """Gives the reason why a job waits or starts now, for `easim explain` of that job, view.told (protocol 3)."""
    return {"reason": number_of(job, "job"), "text": str(text)}


def limit(job, watts):
    """Limits the power of each GPU of a running job, which goes on (protocol 3, with power/1)."""
    return {"limit": number_of(job, "job"), "watts": float(watts)}


def scale_up(config):
    """Starts a replica in a configuration of view.replica_configs (with policy.params.services)."""
    return {"scale_up": number_of(config, "config")}


def scale_down(replica):
    """Releases a replica of view.replicas, or its place."""
    return {"scale_down": number_of(replica, "replica")}


class Policy:
    """The base of a policy. Parameters of a subclass are the keyword arguments of its constructor.

    A policy is asked at every decision, and is an object like any other: `Mine().decide(easim.View.of(...))` tests it alone.

    protocol: 3 has view.try_(), random numbers and more, 2 is that of older policies. capabilities, extensions: what a policy
    of protocol 3 is made for, by their names in docs/reference/program-policy.md; `easim.run` sets the parameters that grant them.
    """

    protocol, capabilities, extensions = 2, (), ()

    start, preempt, resize = staticmethod(start), staticmethod(preempt), staticmethod(resize)
    reject, exchange, wake_at = staticmethod(reject), staticmethod(exchange), staticmethod(wake_at)
    scale_up, scale_down = staticmethod(scale_up), staticmethod(scale_down)
    wake_clear, count, reason, limit = staticmethod(wake_clear), staticmethod(count), staticmethod(reason), staticmethod(limit)

    def begin(self, view):
        """Once, before the first decision: types, nodes, users and configurations are there, jobs not yet."""

    def decide(self, view):
        """The actions to take now, a list in the order in which they are tried; [] for none. Takes no effect on the view: count
        what you give away yourself (`view.take`). An exception ends the run, as failed, with its text."""
        raise NotImplementedError(f"{type(self).__name__} has no decide(view)")

    def finish(self, view):
        """Once, after the last decision."""


GRANTS = {"power_cap": "power_cap", "fractional_gpu": "fractional_gpu", "power_limits": "power_limits", "services/1": "services"}


def class_of(policy):
    """The class and the parameters of a subclass of Policy, or of functools.partial of one; None and {} of anything else."""
    made, parameters = (policy.func, policy.keywords) if isinstance(policy, partial) else (policy, {})
    return (made, parameters) if isinstance(made, type) and issubclass(made, Policy) else (None, {})


def grants_of(policy):
    """The parameters of exec that grant what a policy of one's own is made for."""
    made, _ = class_of(policy)
    return {GRANTS[name]: True for name in (*made.capabilities, *made.extensions) if name in GRANTS} if made else {}


def command_of(policy):
    """The command line of a policy of one's own with its parameters; None of anything else."""
    made, parameters = class_of(policy)
    if made is None:
        return None
    try:
        file = Path(inspect.getsourcefile(made) or "").resolve()
    except (TypeError, OSError):
        file = Path()
    if not file.is_file():
        raise ValueError(f"easim starts {made.__name__} as a program of its own: write the class into a file (in a notebook: "
                         "%%writefile mine.py) and import it")
    words = [f"{name}={value}" for name, value in parameters.items()]
    return shlex.join([sys.executable, "-m", "easim.policy", f"{file}:{made.__qualname__}", *words])


def label_of(policy):
    """What results call a class of one's own: its name, in small letters."""
    return re.sub(r"[^a-z0-9_]", "_", class_of(policy)[0].__name__.lower())[:60]


def policy_texts(policies):
    """Policies where several are named: texts, and classes of one's own as the policy exec with its command. A class that is
    listed again, with other parameters, is mine-2, mine-3 ..."""
    texts, seen = [], Counter()
    for policy in policies:
        command = command_of(policy)
        if command is None:
            texts.append(policy)
            continue
        label, quoted = label_of(policy), command.replace("'", "''")
        seen[label] += 1
        number = f"-{seen[label]}" if seen[label] > 1 else ""
        texts.append(f"{label}{number}=exec:command='{quoted}'" + "".join(f":{name}=true" for name in grants_of(policy)))
    return texts


if __name__ == "__main__":
    from easim.serve import main
    sys.exit(main(sys.argv[1:]))
