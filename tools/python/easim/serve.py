"""The program behind `python -m easim.policy FILE.py:CLASS|MODULE:CLASS [PARAM=VALUE...]`: asks a policy, message by message."""
import importlib
import importlib.util
import json
import os
import sys
import traceback

from easim.policy import Policy
from easim.view import View

PROTOCOL = 2
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


def answer_to(message, state):
    """The answer to one message, or None to the last; `state` holds policy and view."""
    number = {"message": message["message"]}
    if message["type"] == "hello":
        if message["protocol"] != PROTOCOL:
            raise ValueError(f"easim speaks protocol {message['protocol']}, this package {PROTOCOL}")
        state["view"] = View(message)
        state["policy"].begin(state["view"])
        return {**number, "ready": PROTOCOL}
    if message["type"] == "finish":
        state["policy"].finish(state["view"])
        return None
    state["view"].update(message)
    actions = state["policy"].decide(state["view"])
    return {**number, "actions": [] if actions is None else list(actions)}


def serve(make, lines, write):
    """Answers messages until the last. An exception of the policy ends the run with its text, and is printed."""
    state = {}
    for line in lines:
        message = json.loads(line)
        try:
            if "policy" not in state:
                state["policy"] = make()
            answer = answer_to(message, state)
        except Exception as error:
            traceback.print_exc()
            write(json.dumps({"message": message["message"], "fail": f"{type(error).__name__}: {error}"}) + "\n")
            return 1
        if answer is None:
            return 0
        write(json.dumps(answer) + "\n")
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

    return serve(lambda: load(words[0])(**{name: value_of(text) for name, text in parameters.items()}), sys.stdin.buffer, write)
