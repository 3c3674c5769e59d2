"""The policy `exec` and programs that end, do not end, or answer too often: each is named, nothing is left behind, and no answer
is taken for another. Usage: test_exec_ends.py EASIM SOURCE
"""
import json
import os
import re
import resource
import subprocess
import sys

from harness import SOURCE, TINY, cases, easim, interrupt, start, state_of, wait_for


def run(config, folder, *more, command, code=0):
    return easim("run", config, "--policy", "exec", "--out", folder, "--quiet", *more, "--set",
                 f"policy.params.command={json.dumps(command)}", code=code).stderr


def test_nothing_left_behind(folder):
    """A program that ignores SIGTERM and has started others: all of them are gone when easim is."""
    (folder / "p.sh").write_text(f"trap '' TERM\nsleep 1000 &\necho $! $$ > {folder}/pids\nread hello\n"
                                 "echo '{\"ready\": 2, \"message\": 0}'\nread message\nwhile :; do sleep 0.1; done\n")
    error = run(TINY, folder / "out", "--set", "policy.params.timeout=1", command=f"sh {folder}/p.sh", code=1)
    assert "gave no answer within 1 s" in error, error
    for pid in (folder / "pids").read_text().split():
        wait_for("the programs have ended", lambda pid=pid: not alive(pid))


def test_input_closed(folder):
    """A program that closes its input and lives on: easim hears of it and is not ended by SIGPIPE."""
    (folder / "p.sh").write_text("read hello; exec 0<&-; echo '{\"ready\": 2, \"message\": 0}'; sleep 1000\n")
    error = run(TINY, folder / "out", command=f"sh {folder}/p.sh", code=1)
    assert f'program "sh {folder}/p.sh" has closed its standard input but still runs' in error, error


# As fcfs; answers message 3 again: at once, together with the next answer, or after a while.
TWICE = f"""\
import json, sys, time
sys.path.insert(0, {str(SOURCE / "policies/exec")!r})
sys.dont_write_bytecode = True
import fcfs
how, kept = sys.argv[1], ""
for line in sys.stdin:
    message = json.loads(line)
    answer = {{"message": message["message"]}}
    if message["type"] == "hello":
        policy, answer["ready"] = fcfs.Fcfs(message), 2
    elif message["type"] == "decide":
        answer["actions"] = policy.decide(message)
    else:
        break
    text = json.dumps(answer) + "\\n"
    if answer["message"] == 3:
        kept = text
    elif answer["message"] == 4 and how == "instead":
        text = kept
    elif answer["message"] == 5 and how == "before":
        text = kept + text
    sys.stdout.write(text)
    sys.stdout.flush()
    if answer["message"] == 3 and how == "at once":
        sys.stdout.write(text)
        sys.stdout.flush()
"""


def test_answered_twice(folder):
    """An answer too many is never taken for that to another message, however the bytes come; the program and the message are
    named."""
    (folder / "p.py").write_text(TWICE)
    command = f"{sys.executable} {folder}/p.py"
    run(SOURCE / "configs/eas-sim.yaml", folder / "good", "-n", "1", command=f"{command} never")
    for how, said in (("at once", "(answered message 3 instead of 4|sent more than one line for one message)"),
                      ("instead", "answered message 3 instead of 4"),
                      ("before", "(answered message 3 instead of 5|sent more than one line for one message)")):
        for i in range(24 if how == "at once" else 1):
            error = run(SOURCE / "configs/eas-sim.yaml", folder / f"{how}-{i}", "-n", "1", command=f"{command} '{how}'", code=1)
            name = re.escape(f"easim: policy exec: decide failed: program \"{command} '{how}'\" ")
            assert re.search(f"^{name}{said} \\(at t = .*\\)$", error, re.M), (how, error)


def test_nul_byte(folder):
    """What stands behind a NUL byte is not lost without a word."""
    (folder / "p.sh").write_text("""read hello; printf '{"ready": 2, "message": 0}\\0 {"actions": []}\\n'; sleep 1000\n""")
    error = run(TINY, folder / "out", command=f"sh {folder}/p.sh", code=1)
    assert f'program "sh {folder}/p.sh" sent a NUL byte in a line' in error, error


def test_no_files_left(folder):
    """Where no more files can be opened, that is the reason given. The search for leaks needs files, too, so it is left out."""
    said = set()
    sanitizer = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    for files in range(4, 30):
        done = easim("run", TINY, "--policy", "exec", "--out", folder / "out", "--quiet", "--set", "policy.params.command=cat", env=sanitizer,
                     preexec_fn=lambda n=files: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)), code=None)
        own = set(re.findall(r"policy exec: init failed: (.*) \(at t = 0 s\)", done.stderr))
        assert own or "Too many open files" in done.stderr, (files, done.stderr)
        said |= own
    assert 'program "cat" sent an unknown member "type", expected "ready"' in said, said
    assert all("Too many open files" in text or "unknown member" in text for text in said), said


def test_how_it_ended(folder):
    """The shell's status for a command it does not find is explained, no other is (POSIX: sh, exit status 127)."""
    for command, end in (("no-such-program", "exited with status 127 without an answer (sh: command not found?)"),
                         ("sh -c 'exit 3'", "exited with status 3 without an answer")):
        error = run(TINY, folder / "out", command=command, code=1)
        said = error.splitlines()[-1]  # behind what sh says
        assert said == f'easim: policy exec: init failed: program "{command}" {end} (at t = 0 s)', error


def test_long_reasons(folder):
    """What a program says of itself is not cut, nor is its name; of over 1,000 characters the middle is."""
    for length in (800, 3000):
        why = "a" + "b" * length + "c"
        (folder / "p.sh").write_text("read hello; echo '{\"ready\": 2, \"message\": 0}'; read message; "
                                     f"echo '{{\"fail\": \"{why}\"}}'\n")
        error = run(TINY, folder / "out", command=f"sh {folder}/p.sh", code=1)
        if length < 1000:
            assert f'program "sh {folder}/p.sh" gives up: {why} (at t = 0 s)' in error, error
        else:
            assert re.search(r'gives up: ab+ \.\.\. b+c \(at t = 0 s\)$', error.strip()), error


def alive(pid):
    """A zombie waits for init, which is not easim's business."""
    return state_of(pid)[0] not in (None, "Z")


def test_interrupted(folder):
    """A program that does not answer: 2 s after ^C it is gone, whatever it thinks of signals and closed pipes."""
    (folder / "p.sh").write_text("trap '' TERM INT PIPE\nread hello\necho '{\"ready\": 2, \"message\": 0}'\nread message\n"
                                 f"echo $$ >{folder}/pid.new; mv {folder}/pid.new {folder}/pid\nwhile :; do sleep 0.1; done\n")
    process = start("run", TINY, "--policy", "exec", "--quiet", "--out", folder / "out", "--set", f"policy.params.command=sh {folder}/p.sh",
                    "--set", "policy.params.timeout=1000")
    wait_for("the program has been asked", (folder / "pid").exists, process)
    _, errors = interrupt(process)
    assert "the run of policy exec (" in errors, errors
    wait_for("the program has ended", lambda: not alive((folder / "pid").read_text().strip()))


def test_killed(folder):
    """easim is killed by SIGKILL, and so can end nothing: its program ends all the same, also one that ignores signals and
    closed pipes; of run, and of each command whose runs have processes of their own."""
    for command in (["run"], ["compare", "--policies", "exec,fcfs"], ["tune", "--params", "timeout", "--objective", "energy_kwh"]):
        (folder / "pid").unlink(missing_ok=True)
        (folder / "p.sh").write_text(f"trap '' TERM INT PIPE HUP\nread hello\necho '{{\"ready\": 2, \"message\": 0}}'\nread message\n"
                                     f"echo $$ >{folder}/pid.new; mv {folder}/pid.new {folder}/pid\nwhile :; do sleep 0.1; done\n")
        more = [] if command[0] == "compare" else ["--policy", "exec"]
        text = f"sh {folder}/p.sh"
        parameters = f"params_by_policy.exec={{command: {text}}}" if not more else f"policy.params.command={text}"
        process = start(command[0], TINY, *command[1:], *more, "--quiet", "--out", folder / "out", "-n", 1, "--set", parameters, "--force",
                        stdout=None, stderr=subprocess.DEVNULL, start_new_session=True)
        wait_for("the program has been asked", (folder / "pid").exists, process)
        pid = (folder / "pid").read_text().strip()
        assert alive(pid)
        process.kill()
        process.wait()
        wait_for(f"the program of {command[0]} has ended", lambda: not alive(pid))


os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
cases(*(value for name, value in list(globals().items()) if name.startswith("test_")))
