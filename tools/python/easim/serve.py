"""The program behind `python -m easim.policy FILE.py:CLASS|MODULE:CLASS [PARAM=VALUE...]`: asks a policy, message by message."""
import importlib
import importlib.util
import json
import os
import sys
import traceback

from easim.policy import Policy
from easim.view import View

HELLO, PROTOCOLS = 2, (2, 3)  # the protocol in which easim says hello, and those that a policy may speak
USAGE = "usage: python -m easim.policy FILE.py:CLASS|MODULE:CLASS [PARAM=VALUE...]"


def load(text):
    """The class that FILE.py:CLASS or MODULE:CLASS names."""
    source, _, name = text.rpartition(":")
    if not source or not name:
        raise ValueError(f"{text}: expected FILE.py:CLASS or MODULE:CLASS")
    if source.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(source)))
        spec = importlib.util.spec_from_file_location(os.path.basename(source)[:-3], source)
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, os.getcwd())
        module = importlib.import_module(source)
    found = module
    for part in name.split("."):
        found = getattr(found, part)
    if not (isinstance(found, type) and issubclass(found, Policy)):
        raise ValueError(f"{text} is not a subclass of easim.Policy")
    return found


def value_of(text):
    """The value of a parameter: JSON, or else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def ready(policy):
    """What a policy says to hello."""
    asked = {name: list(value) for name in ("capabilities", "extensions") if (value := getattr(policy, name))}
    if policy.protocol not in PROTOCOLS:
        raise ValueError(f"{type(policy).__name__}.protocol: expected 2 or 3, got {policy.protocol!r}")
    if asked and policy.protocol < 3:
        raise ValueError(f"{type(policy).__name__} has {' and '.join(asked)}, which need protocol = 3")
    return {"ready": policy.protocol, **asked}


def actions_of(policy, view):
    actions = policy.decide(view)
    if actions is None or isinstance(actions, (str, bytes, dict)) or not hasattr(actions, "__iter__"):
        raise TypeError(f"{type(policy).__name__}.decide returned {actions!r}: expected a list of actions, [] for none")
    return list(actions)


class Server:
    """Answers messages until the last."""

    def __init__(self, make, lines, write):
        self.make, self.lines, self.write = make, iter(lines), write
        self.policy, self.view, self.number, self.decides = None, None, 0, False

    def hear(self):
        message = json.loads(next(self.lines))
        self.number = message["message"]
        return message

    def say(self, answer):
        self.write(json.dumps({"message": self.number, **answer}) + "\n")

    def ask(self, tries):
        """What view.try_() does."""
        if self.policy.protocol < 3:
            raise RuntimeError(f"{type(self.policy).__name__} tries, which needs protocol = 3")
        if not self.decides:
            raise RuntimeError("nothing can be tried outside of decide")
        self.say({"try": tries})
        return self.hear()["answers"]

    def answer_to(self, message):
        """The answer to a message; None to the last."""
        if message["type"] == "hello":
            if message["protocol"] != HELLO:
                raise ValueError(f"easim speaks protocol {message['protocol']}, this package {HELLO}")
            self.policy = self.make()
            self.view = View(message, self.ask)
            said = ready(self.policy)
            self.policy.begin(self.view)
            return said
        if message["type"] == "finish":
            self.policy.finish(self.view)
            return None
        self.view._update(message)
        self.decides = True
        actions = actions_of(self.policy, self.view)
        self.decides = False
        return {"actions": actions}

    def serve(self):
        """An exception of the policy ends the run with its text, and is printed. Returns the exit status."""
        answer = {}
        while answer is not None:
            try:
                message = self.hear()
            except StopIteration:  # easim has ended
                return 0
            try:
                answer = self.answer_to(message)
                if answer is not None:
                    self.say(answer)
            except Exception as error:
                traceback.print_exc()
                self.say({"fail": f"{type(error).__name__}: {error}"})
                return 1
        return 0


def main(words):
    if not words or words[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    parameters = dict(word.partition("=")[::2] for word in words[1:])
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the policy prints is for people

    def write(text):
        out.write(text)
        out.flush()

    return Server(lambda: load(words[0])(**{name: value_of(text) for name, text in parameters.items()}), sys.stdin.buffer, write).serve()
