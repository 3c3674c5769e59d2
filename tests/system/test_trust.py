"""Folders of a stranger run nothing and load nothing without --trust: test_trust.py EASIM SOURCE PLUGINS

Every folder is what a stranger would send: results of a policy of theirs, or such as they may write with an editor, with
hashes that match. Its code leaves a mark: a line of a program, of the constructor of a module, of a connection to a socket.
Each command is tried on each folder: no mark without --trust, the answer of decision 0081, and with it the mark, so the test
would see one. What is known gives the same bytes with --trust and without.
"""
import contextlib
import hashlib
import json
import os
import shutil
import socket
import sys
import threading
from pathlib import Path

from harness import FILES, SOURCE, TINY, bytes_of, cases, easim, form, json_of, run
from report_page import text_of

MODULE = r"""
#include <stdio.h>
__attribute__((constructor)) static void mark(void) {
    FILE *file = fopen(MARK, "a");
    if (file)
        fprintf(file, "loaded\n"), fclose(file);
}
"""
CLASS = """open({mark!r}, "a").write("imported\\n")
import easim
class Mine(easim.Policy):
    def decide(self, view):
        actions = []
        for job in view.waiting:
            fitting = [config for config in job.configs if view.span(config) is not None]
            if fitting:
                view.take(fitting[0])
                actions.append(self.start(job, fitting[0]))
        return actions
"""
JOB = "resnet-1"
ADVICE = "; add --trust if you trust its author\n"


class Stranger:
    """A place with a module, a program and a class that leave a mark, and the folders made of them."""

    def __init__(self, place):
        self.place, self.mark = place, place / "mark"
        self.env = {**os.environ, "TMPDIR": str(place / "tmp"), "PYTHONPATH": str(SOURCE / "tools/python")}
        (place / "tmp").mkdir()
        text = (TINY).read_text().replace("models/eas-sim.yaml", f"{SOURCE}/configs/models/eas-sim.yaml")
        self.config = place / "config.yaml"
        self.config.write_text(text.replace("../workloads/tiny.csv", f"{SOURCE}/workloads/tiny.csv"))
        (place / "program").write_text(f"echo started >> {self.mark}\nexec {sys.executable} {SOURCE}/policies/exec/fcfs.py\n")
        self.command = f"sh {place}/program"
        (place / "mine.py").write_text(CLASS.format(mark=str(self.mark)))
        for name in ("zeus", "pollux"):  # under names of their own, and one that is known
            own = (SOURCE / f"policies/{name}.c").read_text()
            if name == "pollux":
                own = own.replace('"pollux"', '"evil"')
            (place / f"{name}.c").write_text(MODULE + own)
            run("cc", "-shared", "-fPIC", "-fvisibility=hidden", f'-DMARK="{self.mark}"', f"-I{SOURCE / 'include'}",
                f"-I{SOURCE / 'policies'}", "-o", {"pollux": "evil.so"}.get(name, f"{name}.so"), f"{name}.c", "-lm", cwd=place)

    def marked(self):
        there = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return there

    def easim(self, *words, cwd=None, env=None):
        return easim(*words, cwd=cwd or self.place, env=self.env | (env or {}), code=None)

    def make(self, name, command, *words):
        """Results that the stranger made at home."""
        out = self.place / name
        done = self.easim(command, *words, "--out", out, "--quiet")
        assert done.returncode == 0, (name, done.stderr)
        self.marked()
        return out

    def run(self, name, *words):
        return self.make(name, "run", self.config, "--record", *words)


def forge(folder, change, inner=""):
    """scenario.yaml and manifest.json by an editor, with hashes that match."""
    path, scenario = folder / inner / "manifest.json", folder / inner / "scenario.yaml"
    manifest = json_of(path)
    text = change(scenario.read_text(), manifest)
    if text is not None:
        scenario.write_text(text)
        manifest["scenario"] |= {"bytes": len(text.encode()), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    path.write_text(json.dumps(manifest, indent=1))
    return folder


def replaced(old, new):
    def change(text, _manifest):
        assert old in text, (old, text)
        return text.replace(old, new)
    return change


def under_a_known_name(module):
    """inputs[].path of the known name leads to a module of the stranger, with its hash."""
    def change(_text, manifest):
        [entry] = [one for one in manifest["inputs"] if one.get("name") == "zeus"]
        entry |= {"path": str(module), "bytes": module.stat().st_size, "sha256": hashlib.sha256(module.read_bytes()).hexdigest()}
    return change


def with_options(*words):
    def change(_text, manifest):
        manifest["options"] += words
    return change


# --- the folders: what makes them; with their command, what it would do, and whether scenario.yaml asks for it, too ---

def folders(s):
    run, load, evil = f'would run "{s.command}" (policy exec)', f"would load {s.place}/evil.so", f"{s.place}/evil.so"
    program = ["--policy", "exec", "--set", f"policy.params.command={s.command}"]
    agent_at, python = s.place / "agent", f"{sys.executable} -m easim.policy {s.place}/mine.py:Mine"

    def with_socket():
        return forge(s.run("socket", *program), lambda text, _: text.replace("command:", "socket:").replace(
            f'"{s.command}"', f'"{agent_at}"')), "run", f'would open "{agent_at}" (policy exec)', True

    def module():
        folder = s.run("module", "--policy", evil)
        shutil.copy(evil, folder)
        return forge(folder, replaced('"../evil.so"', '"./evil.so"')), "run", f"would load {folder}/evil.so", True

    def known_name():
        folder = s.run("known name", "--policy", "zeus")
        shutil.copy(s.place / "zeus.so", folder)
        return forge(folder, under_a_known_name(folder / "zeus.so")), "run", f"would load {folder}/zeus.so", None

    def options(name, *words):
        return forge(s.run(name, "--policy", "fcfs"), with_options(*words)), "run", load, False

    def sweep(name, text):
        (s.place / f"{name}.yaml").write_text(f"name: s\nbase: config.yaml\n{text}\n")
        return s.make(name, "sweep", s.place / f"{name}.yaml"), "sweep"

    def scenario(command, *words):
        return s.make(command, command, s.config, "--set", f"policy={{name: {evil}}}", *words), command, load, True
    tune = ["--params", f"policy=[zeus,{evil}]", "--objective", "energy_kwh", "-n", "2"]
    return {
        "above": lambda: (s.run("above", "--policy", evil), "run", load, True),
        "command": lambda: (s.run("command", *program), "run", run, True),
        "socket": with_socket, "module": module, "known name": known_name,
        "options": lambda: options("options", f"--policy={evil}"),
        "options set": lambda: options("options set", f"--set=policy.name={evil}"),
        "sweep": lambda: (*sweep("sweep", f"set: {{params_by_policy: {{exec: {{command: {s.command}}}}}, policy.params: {{}}}}\n"
                                 "axes:\n  - {path: policy.name, values: [fcfs, zeus, exec]}"), run, False),
        "sweep of modules": lambda: (*sweep("modules", "axes:\n  - {path: policy.name, values: [zeus, ./evil.so]}"), load, False),
        "tune": lambda: (s.make("tune", "tune", s.config, *tune), "tune", load, False),
        "ablate": lambda: (s.make("ablate", "ablate", s.config, "zeus", evil, "-n", "2"), "ablate", load, False),
        "compare": lambda: (s.make("compare", "compare", s.config, "--policies", f"zeus,{evil}", "--record"), "compare", load, False),
        "class": lambda: (s.run("class", "--policy", "exec", "--set", f"policy.params.command={python}"), "run",
                          f'would run "{python}" (policy exec)', True),
        "by policy": lambda: (s.run("by policy", "--policy", "exec", "--set", f"params_by_policy={{exec: {{command: {s.command}}}}}"),
                              "run", run, True),
        "text": lambda: (s.run("text", "--policy", f"exec:command='{s.command}'"), "run", run, True),
        "text beside zeus": lambda: (s.make("text beside zeus", "compare", s.config, "--policies",
                                            f"zeus,exec:command='{s.command}'", "--record"), "compare", run, False),
        "bound": lambda: scenario("bound"), "regret": lambda: scenario("regret", "--sample", "1"),
    }


# --- what is tried on them ---

@contextlib.contextmanager
def agent(s):
    """A program that listens on the socket: that easim connects is the mark."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(s.place / "agent"))
        listening.listen(64)

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    s.mark.write_text("connected")
                    connection.close()
        thread = threading.Thread(target=serve)
        thread.start()
        yield
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def look(s, folder, would, own):
    """Commands that read a recorded folder. own: the run of the folder, or its first, is that of the policy."""
    plain = "analyze", folder, "--rule", "IDLE.least_share=0"
    for words in (["attribute", folder], ["timeline", folder], ["report", folder], ["plot", folder, "--force", "-q"],
                  [*plain, "--verify", "none"], plain, ["explain", folder, JOB]):
        done = s.easim(*words)
        assert done.returncode == 0 and not s.marked(), (words, done)
    does = would.replace("would", "policy exec would").removesuffix(" (policy exec)") if "exec" in would else f"it {would}"
    report = text_of(folder / "report.html")[0]
    told = s.easim("explain", folder, JOB).stdout
    insights = [one["what_if"] for one in json_of(folder / "insights.json")["insights"]]
    assert insights
    if not own:
        for policy in set(json_of(folder / "manifest.json").get("policies", [])) - {"zeus"}:
            done = s.easim("explain", folder, JOB, "--policy", policy)
            assert f"the run is not repeated: {does}" in done.stdout and not s.marked(), (policy, done)
        assert "not repeated" not in told and any(one["verdict"] != "not simulated" for one in insights), (told, insights)
        return
    assert f"the run is not repeated: {does}" in told and told.count("; --trust runs it\n") == 1, told
    assert {one["verdict"] for one in insights} <= {"not simulated", "none"}, insights
    assert all(one["command"] is None or "--policy" in one["command"] for one in insights), insights  # another's
    assert any(one["unsure"].startswith(does) and one["unsure"].endswith("; --trust runs it") for one in insights), insights
    assert "; easim analyze --trust runs it" in report and "scenario.yaml --record --set" not in report, folder
    before = bytes_of(folder)
    for words in (["explain", folder, JOB, "--what-if", "all"], [*plain, "--invest"], [*plain, "--invest", "--verify", "none"]):
        done = s.easim(*words)
        assert done.returncode == 2 and done.stdout == "" and not s.marked(), (words, done)
        assert done.stderr.startswith(f"easim: {folder}: {would}") and done.stderr.endswith(ADVICE), done.stderr
        assert done.stderr.count("\n") == 1
    assert bytes_of(folder) == before
    for words in (["explain", folder, JOB], ["explain", folder, JOB, "--what-if", "wait"], plain, [*plain, "--verify", "none", "--invest"]):
        s.easim(*words, "--trust")
        assert s.marked(), words
    assert any(one["what_if"]["command"] for one in json_of(folder / "insights.json")["insights"]) or \
        "would open" in would


def ask(s, folder, own):
    """Commands that take a scenario and run nothing."""
    scenario = folder / "scenario.yaml"
    for words in (["check", scenario], ["gen", scenario, "-q"], ["models", scenario]):
        done = s.easim(*words)
        assert done.returncode == 0 and not s.marked(), (words, done)
        warned = "is not loaded, so its parameters are unchecked (--trust loads it)\n" in done.stdout
        assert warned == (words[0] == "check" and ".so" in scenario.read_text()), done
    assert s.easim("check", scenario, "--trust").returncode == 0
    assert s.marked() == (own and ".so" in scenario.read_text())


def again(s, folder, command, would):
    """easim COMMAND MANIFEST, from within and without."""
    before = bytes_of(folder)
    for more in ([], ["--out", s.place / "new"]):
        done = s.easim(command, folder / "manifest.json", *more)
        assert done.returncode == 2 and done.stdout == "" and not s.marked(), (folder, done)
        assert f"easim: {folder}: {would}" in done.stderr and done.stderr.endswith(ADVICE), (would, done.stderr)
    done = s.easim(command, "manifest.json", cwd=folder)
    assert done.returncode == 2 and not s.marked() and f"easim: {folder}: {would}" in done.stderr, done
    assert bytes_of(folder) == before and not (s.place / "new").exists() and not list((s.place / "tmp").iterdir())
    done = s.easim(command, folder / "manifest.json", "--trust")
    assert s.marked() and "--trust" not in done.stderr, done
    assert done.returncode == (1 if "would open" in would or "options" in folder.name else 0), done


def known(s):
    """--trust adds nothing to what is known, and a text that names nothing is as good as a number."""
    path = s.env["EASIM_POLICY_PATH"]
    for name, command, words in (("zeus", "run", ["--policy", "zeus", "--record"]), ("script", "run", ["--policy", "script", "--set",
                                 "policy.params.actions=0 start 0 0", "--set", "horizon=2h"]), ("all", "compare", ["--policies", "all"])):
        s.env["EASIM_POLICY_PATH"] = path + (f":{FILES[0]}" if name == "script" else "")
        folder = s.make(name, command, s.config, *words)
        for more in ([], ["--trust"]):
            done = s.easim(command, folder / "manifest.json", *more)
            assert (done.returncode, done.stdout) == (0, "equal\n"), done
    folder = s.place / "zeus"
    for words in (["explain", folder, JOB], ["explain", folder, JOB, "--what-if", "wait"], ["analyze", folder], ["analyze", folder, "--invest"]):
        told = []
        for more in ([], ["--trust"]):
            done = s.easim(*words, *more)
            assert done.returncode == 0 and "not repeated" not in done.stdout, done
            told.append((done.stdout, bytes_of(folder)))
        assert told[0] == told[1], words
    (s.place / "mine").mkdir()  # EASIM_POLICY_PATH is relative to the user's folder, not to one that the manifest says to be in
    shutil.copy(Path(s.easim("policies", "fcfs").stdout.split("Module:")[1].split()[0]), s.place / "mine/own.so")
    s.env["EASIM_POLICY_PATH"] = str(s.place / "mine")
    folder = s.run("named", "--policy", "own")
    (folder / "mine").mkdir()
    shutil.copy(s.place / "evil.so", folder / "mine/own.so")
    forge(folder, lambda _, manifest: manifest.update(working_folder="."))
    s.env["EASIM_POLICY_PATH"] = "mine"
    done = s.easim("run", folder / "manifest.json")
    assert (done.returncode, done.stdout) == (0, "equal\n") and not s.marked(), done
    s.env["EASIM_POLICY_PATH"] = path
    done = s.easim("models", s.make("surveyed", "models", s.config) / "manifest.json", "--trust")
    assert done.returncode == 2 and "--trust: models loads no policy\n" in done.stderr, done
    for more, code in (([], 2), (["--trust"], 2)):
        done = s.easim("check", s.config, "--policy", "./gone.so", *more)
        assert done.returncode == code and "cannot load policy: " in done.stderr and done.stdout == "", done


def strangers(place):
    s = Stranger(place)
    made = folders(s)
    tried = form(list(made), ["above", "known name", "options set", "sweep", "text beside zeus"])
    for which in tried:
        folder, command, would, own = made[which]()
        with agent(s) if which == "socket" else contextlib.nullcontext():
            if (folder / "recorded.csv").exists():
                look(s, folder, would, own is not False)
            ask(s, folder, own is True)
            again(s, folder, command, would)
    known(s)
    return len(tried) + 1


cases(strangers)
