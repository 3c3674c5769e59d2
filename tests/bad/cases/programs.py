"""Programs behind the policy `exec` that are not there, do not answer, or answer something else."""

from base import CONFIG, MODELS, POISSON, Case, changed

# Three rigid jobs at 0, 10 and 20 s; no model file needed.
THREE = "workload: {kind: periodic, period: 10s, until: {jobs: 3}, sizes: {law: constant, mean: 100s}, rigid: {k: 2}}\n"
HEAD = "read hello\n"
READY = HEAD + "echo '{\"ready\": 2, \"message\": 0}'\nread message\n"


def exec_case(name, params, *errors, files=None, **more):
    text = changed(CONFIG, [("policy: {name: fcfs}\n", f"policy: {{name: exec, params: {params}}}\n"),
                            (POISSON, THREE)])
    return Case(f"exec: {name}", errors, {"c.yaml": text, "m.yaml": MODELS} | (files or {}), **more)


def script(name, text, says, before=(), params="timeout: 1", where="decide"):
    """A run that fails because of what the shell script says or does not say."""
    return exec_case(name, f"{{command: sh p.sh, {params}}}", *before,
                     f"easim: policy exec: {where} failed: program \"sh p.sh\" {says} (at t = 0 s)",
                     files={"p.sh": text}, exit_code=1)


def answer(name, line, says):
    """One answer to the first decide message, with its number; the program then waits for more."""
    line = line.replace("{\"actions\"", "{\"message\": 1, \"actions\"")
    return script(name, f"{READY}echo '{line}'\nread more\n", says)


CASES = [
    exec_case("no command", "{}", "easim: policy exec: init failed: the parameter command is empty: expected a "
              "program (at t = 0 s)", exit_code=1),
    exec_case("empty command", "{command: \"  \"}", "easim: policy exec: init failed: the parameter command is empty: "
              "expected a program (at t = 0 s)", exit_code=1),
    exec_case("program not there", "{command: no-such-program -x}",
              "sh: 1: exec: no-such-program: not found",
              "easim: policy exec: init failed: program \"no-such-program -x\" exited with status 127 without an "
              "answer (sh: command not found?) (at t = 0 s)", exit_code=1),
    exec_case("command is a list", "{command: [python3, p.py]}",
              "c.yaml:11:40: policy.params.command: expected text, got a list"),
    exec_case("timeout is text", "{command: cat, timeout: soon}",
              "c.yaml:11:54: policy.params.timeout: expected duration such as 90s or 10h 1..1000000, got \"soon\""),
    exec_case("timeout of zero", "{command: cat, timeout: 0}",
              "c.yaml:11:54: policy.params.timeout: expected duration such as 90s or 10h 1..1000000, got \"0\""),
    script("dies at once", "exit 3\n", "exited with status 3 without an answer", where="init"),
    script("killed by a signal", HEAD + "kill -9 $$\n", "was killed by signal 9 (Killed) without an answer",
           where="init"),
    script("never ready", "sleep 100\n", "gave no answer within 1 s", params="startup_timeout: 1", where="init"),
    script("hangs", READY + "sleep 100\n", "gave no answer within 1 s"),
    script("ignores SIGTERM", "trap '' TERM\n" + READY + "while :; do sleep 0.1; done\n",
           "gave no answer within 1 s"),
    script("speaks another protocol", HEAD + "echo '{\"ready\": 1}'\nread more\n",
           "sent ready: expected 2 or 3, the number of the protocol", where="init"),
    script("greets with garbage", HEAD + "echo Hello, world\nread more\n",
           "sent a line that is not a JSON object: \"Hello, world\"", where="init"),
    script("half a line", READY + "printf '{\"actions\":'\nexit 0\n", "exited with status 0 in the middle of a line"),
    script("closes its output", READY + "exec >&-\nsleep 100\n", "has closed its standard output but still runs"),
    script("closes its input", "read hello\nexec <&-\necho '{\"ready\": 2, \"message\": 0}'\nsleep 100\n",
           "has closed its standard input but still runs"),
    script("huge line", READY + "head -c 17000000 /dev/zero | tr '\\0' x\nsleep 100\n",
           "sent a line of more than 16777214 bytes", params="timeout: 20"),
    script("two lines", READY + "printf '{\"message\": 1, \"actions\": []}\\n{\"message\": 1, \"actions\": []}\\n'\nread more\n",
           "sent more than one line for one message"),
    answer("not an object", "[]", "sent a line that is not a JSON object: \"[]\""),
    answer("empty line", "", "sent a line that is not a JSON object: \"\""),
    answer("text behind the object", "{\"actions\": []} yes", "sent text behind the JSON value: \"yes\""),
    answer("no number", "{ \"actions\": []}",
           "sent a line without \"message\": expected 1, the number of the message that is answered"),
    answer("number of another message", "{\"message\": 0, \"actions\": []}", "answered message 0 instead of 1"),
    answer("number twice", "{\"message\": 0, \"message\": 1, \"actions\": []}", "sent \"message\" twice in one object"),
    answer("no actions", "{}", "sent a line without \"actions\""),
    answer("unknown member", "{\"action\": []}", "sent an unknown member \"action\", expected \"actions\""),
    answer("actions are no list", "{\"actions\": {}}", "sent actions: expected a list"),
    answer("unknown action", "{\"actions\": [{\"launch\": 0}]}",
           "sent actions[0]: expected start, preempt, resize, reject, exchange, scale_up, scale_down or wake_at, got \"launch\""),
    answer("action is no object", "{\"actions\": [0]}",
           "sent actions[0]: expected an object such as {\"start\": 0, \"config\": 3}"),
    answer("job that has not arrived", "{\"actions\": [{\"start\": 2, \"config\": 0}]}",
           "sent actions[0].start: expected the number of a job that has arrived"),
    answer("job of no workload", "{\"actions\": [{\"start\": 99, \"config\": 0}]}",
           "sent actions[0].start: expected the number of a job that has arrived"),
    answer("job by its id", "{\"actions\": [{\"preempt\": \"1\"}]}",
           "sent actions[0].preempt: expected the number of a job that has arrived"),
    answer("configuration that there is not", "{\"actions\": [{\"start\": 0, \"config\": 9}]}",
           "sent actions[0].config: expected 0..0"),
    answer("start without configuration", "{\"actions\": [{\"start\": 0}]}", "sent actions[0].config: expected 0..0"),
    answer("unknown member of an action, first in the alphabet", "{\"actions\": [{\"start\": 0, \"batch\": 2, \"config\": 0}]}",
           "sent actions[0]: start takes no \"batch\""),
    answer("unknown member beside the one of two", "{\"actions\": [{\"wake_at\": 7, \"at\": 2}]}",
           "sent actions[0]: wake_at takes no \"at\""),
    answer("unknown member of a preemption", "{\"actions\": [{\"at\": 0, \"preempt\": 0}]}", "sent actions[0]: preempt takes no \"at\""),
    answer("unknown member of an action", "{\"actions\": [{\"start\": 0, \"config\": 0, \"k\": 2}]}",
           "sent actions[0]: start takes no \"k\""),
    answer("time that is none", "{\"actions\": [{\"wake_at\": \"soon\"}]}",
           "sent actions[0].wake_at: expected a time in seconds"),
    answer("rejection of a job that has not arrived", "{\"actions\": [{\"reject\": 2}]}",
           "sent actions[0].reject: expected the number of a job that has arrived"),
    answer("rejection with a reason that is no text", "{\"actions\": [{\"reject\": 0, \"reason\": 5}]}",
           "sent actions[0].reason: expected a text"),
    answer("unknown member of a rejection", "{\"actions\": [{\"reject\": 0, \"why\": \"late\"}]}",
           "sent actions[0]: reject takes no \"why\""),
    answer("empty exchange", "{\"actions\": [{\"exchange\": []}]}",
           "sent actions[0].exchange: expected a list of starts, preemptions and resizes"),
    answer("exchange that is no list", "{\"actions\": [{\"exchange\": {\"start\": 0, \"config\": 0}}]}",
           "sent actions[0].exchange: expected a list of starts, preemptions and resizes"),
    answer("unknown member beside an exchange", "{\"actions\": [{\"exchange\": [{\"preempt\": 0}], \"at\": 1}]}",
           "sent actions[0]: exchange takes no \"at\""),
    answer("exchange with a rejection in it", "{\"actions\": [{\"exchange\": [{\"preempt\": 0}, {\"reject\": 0}]}]}",
           'sent actions[0].exchange[1]: expected start, preempt or resize, got "reject"'),
    answer("exchange with a wake-up in it", "{\"actions\": [{\"exchange\": [{\"wake_at\": 5}]}]}",
           'sent actions[0].exchange[0]: expected start, preempt or resize, got "wake_at"'),
    answer("exchange of exchanges", "{\"actions\": [{\"exchange\": [{\"exchange\": []}]}]}",
           'sent actions[0].exchange[0]: expected start, preempt or resize, got "exchange"'),
    answer("exchange with a start without configuration", "{\"actions\": [{\"exchange\": [{\"start\": 0}]}]}",
           "sent actions[0].exchange[0].config: expected 0..0"),
    answer("gives up", "{\"fail\": \"no luck\"}", "gives up: no luck"),
    exec_case("refused action in a strict run", "{command: sh p.sh}",
              "easim: policy exec: resize of job 1 refused: job is not in the right state (at t = 0 s)",
              files={"p.sh": READY + "echo '{\"message\": 1, \"actions\": [{\"resize\": 0, \"config\": 0}]}'\nread more\n"},
              command=("run", "c.yaml", "--out", "out", "--quiet", "--strict"), exit_code=1),
]
