"""Programs of protocol 3 behind the policy `exec` that say something else than they may: in answer to hello, as tries, as actions."""

from cases.programs import HEAD, script

READY = HEAD + "echo '{\"ready\": 3, \"message\": 0}'\nread message\n"


def ready(name, members, says):
    """An answer to hello with these members beside the number of the message."""
    return script(f"protocol 3: {name}", f"{HEAD}echo '{{\"message\": 0, {members}}}'\nread more\n", says, where="init")


def answer(name, line, says):
    """An answer to the first decide message: jobs 0 waits, 1 and 2 are still to come."""
    line = line.replace("{\"", "{\"message\": 1, \"", 1) if line.startswith("{\"") and "message" not in line else line
    return script(f"protocol 3: {name}", f"{READY}echo '{line}'\nread more\n", says)


def second(name, line, says):
    """A good try, and this in answer to what came of it."""
    return script(f"protocol 3: {name}", f"{READY}echo '{{\"message\": 1, \"try\": [{{\"remaining\": 0}}]}}'\nread tried\n"
                  f"echo '{line}'\nread more\n", says)


JOB = "expected the number of a job that has arrived"
TRY = "expected start, resize, exchange, remaining, job_nodes or replica_figures"

CASES = [
    ready("a protocol that is still to come", '"ready": 4', "sent ready: expected 2 or 3, the number of the protocol"),
    ready("a protocol between two", '"ready": 2.5', "sent ready: expected 2 or 3, the number of the protocol"),
    ready("the protocol as text", '"ready": "3"', "sent ready: expected 2 or 3, the number of the protocol"),
    ready("the protocol as a list", '"ready": [3]', "sent ready: expected 2 or 3, the number of the protocol"),
    ready("capabilities in protocol 2", '"ready": 2, "capabilities": []', 'sent capabilities, which needs "ready": 3'),
    ready("extensions in protocol 2", '"ready": 2, "extensions": ["services/1"]', 'sent extensions, which needs "ready": 3'),
    ready("capabilities as text", '"ready": 3, "capabilities": "uniform"', "sent capabilities: expected a list of names"),
    ready("capabilities as an object", '"ready": 3, "capabilities": {"uniform": true}',
          "sent capabilities: expected a list of names"),
    ready("no capabilities", '"ready": 3, "capabilities": null', "sent capabilities: expected a list of names"),
    ready("an unknown capability", '"ready": 3, "capabilities": ["uniform", "oracle"]',
          'sent capabilities[1]: expected one of power_cap, fractional_gpu, power_limits, uniform, got "oracle"'),
    ready("a capability by number", '"ready": 3, "capabilities": [1]', "sent capabilities[0]: expected one of power_cap, fractional_gpu, power_limits, uniform, got no text"),
    ready("a capability twice", '"ready": 3, "capabilities": ["uniform", "uniform"]',
          "sent capabilities[1]: uniform is there already"),
    ready("an extension as a capability", '"ready": 3, "capabilities": ["services/1"]',
          'sent capabilities[0]: expected one of power_cap, fractional_gpu, power_limits, uniform, got "services/1"'),
    ready("extensions as a number", '"ready": 3, "extensions": 1', "sent extensions: expected a list of names"),
    ready("an extension that is still to come", '"ready": 3, "extensions": ["power/2"]',
          'sent extensions[0]: expected one of services/1, forecast/1, power/1, got "power/2"'),
    ready("a version that is still to come", '"ready": 3, "extensions": ["forecast/1", "services/2"]',
          'sent extensions[1]: expected one of services/1, forecast/1, power/1, got "services/2"'),
    ready("an extension without a version", '"ready": 3, "extensions": ["services"]',
          'sent extensions[0]: expected one of services/1, forecast/1, power/1, got "services"'),
    ready("an extension twice", '"ready": 3, "extensions": ["forecast/1", "forecast/1"]',
          "sent extensions[1]: forecast/1 is there already"),
    ready("services that the scenario does not grant", '"ready": 3, "extensions": ["services/1"]',
          "asks for services/1: set policy.params.services: true"),
    ready("a cap that the scenario does not grant", '"ready": 3, "capabilities": ["power_cap"]',
          "asks for power_cap: set policy.params.power_cap: true"),
    ready("parts of GPUs that the scenario does not grant", '"ready": 3, "capabilities": ["uniform", "fractional_gpu"]',
          "asks for fractional_gpu: set policy.params.fractional_gpu: true"),
    ready("limits that the scenario does not grant", '"ready": 3, "capabilities": ["power_limits"]',
          "asks for power_limits: set policy.params.power_limits: true"),
    script("protocol 3: a cap that it does not ask for", HEAD + "echo '{\"ready\": 3, \"message\": 0}'\nread more\n",
           "does not ask for power_cap, but policy.params.power_cap is true", params="timeout: 1, power_cap: true", where="init"),
    ready("an unknown member", '"ready": 3, "version": 1', 'sent an unknown member "version", expected "ready"'),
    ready("random numbers in frames", '"ready": 3, "capabilities": ["uniform"], "steps": {"jobs": 1, "configs": 1}',
          "asks for uniform, which frames do not have"),
    script("protocol 3: services that it does not ask for", HEAD + "echo '{\"ready\": 3, \"message\": 0}'\nread more\n",
           "does not ask for services/1, but policy.params.services is true", params="timeout: 1, services: true", where="init"),
    answer("neither actions nor try", '{"message": 1}', 'sent a line without "actions" or "try"'),
    answer("actions and try", '{"actions": [], "try": []}', 'sent an unknown member "try", expected "actions" or "try"'),
    answer("an unknown member of an answer", '{"tries": []}', 'sent an unknown member "tries", expected "actions" or "try"'),
    answer("try is no list", '{"try": {"start": 0, "config": 0}}', "sent try: expected a list of what to try"),
    answer("nothing to try", '{"try": []}', "sent try: expected a list of what to try"),
    answer("try is nothing", '{"try": null}', "sent try: expected a list of what to try"),
    answer("a try that is no object", '{"try": [0]}', 'sent try[0]: expected an object such as {"start": 0, "config": 3}'),
    answer("an empty try", '{"try": [{"remaining": 0}, {}]}',
           'sent try[1]: expected an object such as {"start": 0, "config": 3}'),
    answer("a try of an unknown action", '{"try": [{"launch": 0}]}', f'sent try[0]: {TRY}, got "launch"'),
    answer("a try of a preemption alone", '{"try": [{"preempt": 0}]}', f'sent try[0]: {TRY}, got "preempt"'),
    answer("a try of a rejection", '{"try": [{"reject": 0}]}', f'sent try[0]: {TRY}, got "reject"'),
    answer("a try of a wake-up", '{"try": [{"wake_at": 5}]}', f'sent try[0]: {TRY}, got "wake_at"'),
    answer("a try of a job that has not arrived", '{"try": [{"start": 2, "config": 0}]}', f"sent try[0].start: {JOB}"),
    answer("a try of an unknown job", '{"try": [{"resize": 99, "config": 0}]}', f"sent try[0].resize: {JOB}"),
    answer("a try of a job by its id", '{"try": [{"start": "1", "config": 0}]}', f"sent try[0].start: {JOB}"),
    answer("a try without configuration", '{"try": [{"start": 0}]}', "sent try[0].config: expected 0..0"),
    answer("a try of an unknown configuration", '{"try": [{"start": 0, "config": 1}]}', "sent try[0].config: expected 0..0"),
    answer("an unknown member of a try", '{"try": [{"start": 0, "config": 0, "k": 2}]}', 'sent try[0]: start takes no "k"'),
    answer("a try of an empty exchange", '{"try": [{"exchange": []}]}',
           "sent try[0].exchange: expected a list of starts, preemptions and resizes"),
    answer("a try of an exchange of an unknown job", '{"try": [{"exchange": [{"preempt": 0}, {"start": 5, "config": 0}]}]}',
           f"sent try[0].exchange[1].start: {JOB}"),
    answer("the work left of an unknown job", '{"try": [{"remaining": 7}]}', f"sent try[0].remaining: {JOB}"),
    answer("the work left with more", '{"try": [{"remaining": 0, "config": 0}]}', 'sent try[0]: remaining takes no "config"'),
    answer("replicas where there are none", '{"try": [{"replica_figures": 0, "load": 1}]}',
           "sent try[0].replica_figures: no service was told of (policy.params.services)"),
    answer("the nodes of an unknown job", '{"try": [{"job_nodes": 7}]}', f"sent try[0].job_nodes: {JOB}"),
    answer("the nodes of a job by its id", '{"try": [{"job_nodes": "1"}]}', f"sent try[0].job_nodes: {JOB}"),
    answer("a try with the number of another message", '{"message": 0, "try": [{"remaining": 0}]}', "answered message 0 instead of 1"),
    answer("a try without the number of the message", '{ "try": [{"remaining": 0}]}',
           'sent a line without "message": expected 1, the number of the message that is answered'),
    answer("wake-ups that stay", '{"actions": [{"wake_clear": false}]}', "sent actions[0].wake_clear: expected true"),
    answer("a count that is no text", '{"actions": [{"count": 3}]}', "sent actions[0].count: expected a text"),
    answer("an empty count", '{"actions": [{"count": ""}]}', "sent actions[0].count: expected a text"),
    answer("a name that is no text", '{"actions": [{"count": "x", "name": 3}]}', "sent actions[0].name: expected a text"),
    answer("a count with more", '{"actions": [{"count": "x", "by": 3}]}', 'sent actions[0]: count takes no "by"'),
    answer("a reason without text", '{"actions": [{"reason": 0}]}', "sent actions[0].text: expected a text"),
    answer("a reason of an unknown job", '{"actions": [{"reason": 9, "text": "x"}]}', f"sent actions[0].reason: {JOB}"),
    answer("a limit that it did not ask for", '{"actions": [{"limit": 0, "watts": 200}]}',
           "sent actions[0].limit, but does not ask for power/1"),
    answer("an unknown action", '{"actions": [{"launch": 0}]}',
           "sent actions[0]: expected start, preempt, resize, reject, exchange, scale_up, scale_down, wake_at, wake_clear, count, reason or limit, "
           'got "launch"'),
    answer("a question among actions", '{"actions": [{"remaining": 0}]}',
           "sent actions[0]: expected start, preempt, resize, reject, exchange, scale_up, scale_down, wake_at, wake_clear, count, reason or limit, "
           'got "remaining"'),
    second("actions with the number before the try", '{"message": 1, "actions": []}', "answered message 1 instead of 2"),
    second("a second ready", '{"message": 2, "ready": 3}', 'sent an unknown member "ready", expected "actions" or "try"'),
    second("gives up after a try", '{"message": 2, "fail": "nothing fits"}', "gives up: nothing fits"),
    script("protocol 3: ends after a try", f"{READY}echo '{{\"message\": 1, \"try\": [{{\"remaining\": 0}}]}}'\nread tried\nexit 0\n",
           "exited with status 0 without an answer"),
    script("protocol 3: hangs after a try", f"{READY}echo '{{\"message\": 1, \"try\": [{{\"remaining\": 0}}]}}'\nread tried\nsleep 100\n",
           "gave no answer within 1 s"),
    script("protocol 3: tries without end", READY + "n=1\nwhile :; do echo \"{\\\"message\\\": $n, \\\"try\\\": [{\\\"remaining\\\": 0}]}\"\n"
           "read tried\nn=$((n + 1))\ndone\n", "sent try more than 1000 times in one decision"),
    script("protocol 3: does not wait for what came of its try",
           READY + "printf '{\"message\": 1, \"try\": [{\"remaining\": 0}]}\\n{\"message\": 2, \"actions\": []}\\n'\nread more\nread more\n",
           "sent more than one line for one message"),
    script("protocol 3: a long try", READY + "printf '{\"message\": 1, \"try\": ['\nhead -c 17000000 /dev/zero | tr '\\0' 1\nsleep 100\n",
           "sent a line of more than 16777214 bytes", params="timeout: 20"),
]
