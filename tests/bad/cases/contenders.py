"""Policies with parameters behind their names: texts that are none, parameters that there are not, twice the same."""

from base import CONFIG, RUN, changed, command
from cases.compare import compare

HAS = "(it has: {parameters:zeus})"
LABEL = "expected a label of a-z, 0-9, _ . and -, at most 64 of them"
SLACK = "expected number 1..1000000000, or off"
OWN = changed(CONFIG, [("{name: fcfs}", "{name: \"zeus:edp_slack=low\"}")])
TWICE = changed(CONFIG, [("{name: fcfs}", "{name: \"zeus:tau=1h:tau=2h\"}")])


def contender(name, policies, *errors, **more):
    return compare(f"parameters: {name}", ["--policies", policies], *errors, **more)


def text(name, policy, error):
    return contender(name, f"fcfs,{policy}", f"{'easim: ' * error.startswith('no policy')}--policies: {error}")


def run(name, policy, *errors, config=CONFIG, words=()):
    return command(f"policy with parameters: {name}", [*RUN, *(["--policy", policy] if policy else []), *words], *errors,
                   files={"c.yaml": config})


CASES = [
    text("none behind the colon", "zeus:", "expected PARAM=VALUE behind \"zeus:\", got \"\""),
    text("no value", "zeus:edp_slack", "expected PARAM=VALUE behind \"zeus:\", got \"edp_slack\""),
    text("no name of a parameter", "zeus:=2", "expected PARAM=VALUE behind \"zeus:\", got \"=2\""),
    text("two colons", "zeus::tau=1h", "expected PARAM=VALUE behind \"zeus:\", got \"\""),
    text("no policy", ":tau=1h", "expected a policy, got \":tau=1h\""),
    text("nothing between commas", ",pollux", "expected a policy, got \"\""),
    text("twice the same parameter", "zeus:tau=1h:tau=2h", "parameter \"tau\" is given twice"),
    text("quotes that are not closed", "zeus:tau=\"1h", "expected quotes that are closed, got \"\"1h\""),
    text("more behind the quotes", "zeus:tau=\"1h\"2", "expected a colon or the end after the quotes, got \"\"1h\"2\""),
    text("path in quotes that are not closed", "\"./mine.so:tau=1h",
         "expected a path in quotes, then a colon or the end, got \"\"./mine.so:tau=1h\""),
    text("of all", "all:tau=1h", "expected parameters of one policy, not of all, got \"all:tau=1h\""),
    text("of a policy that there is not", "zeuss:tau=1h",
         "no policy is named \"zeuss\", did you mean \"zeus\"? (found: {policies})"),
    contender("all twice", "all,all", "--policies: all is listed twice"),
    contender("one of all again", "all,zeus", "--policies: policy \"zeus\" is listed twice"),
    contender("unknown", "zeus,zeus:foo=1",
              f"--policies zeus:foo=1: policy.params: policy zeus has no parameter \"foo\" {HAS}"),
    contender("unknown with a suggestion", "zeus:edp_slak=2",
              "--policies zeus:edp_slak=2: policy.params: policy zeus has no parameter \"edp_slak\", did you mean "
              f"\"edp_slack\"? {HAS}"),
    contender("unknown by its case", "zeus:TAU=1h",
              f"--policies zeus:TAU=1h: policy.params: policy zeus has no parameter \"TAU\" {HAS}"),
    contender("of another policy", "zeus,fcfs:edp_slack=2",
              "--policies fcfs:edp_slack=2: policy.params: policy fcfs has no parameter \"edp_slack\" "
              "(it has: {parameters:fcfs})"),
    contender("two wrong ones of two policies", "zeus:edp_slack=low:tau=0,pollux:tau=soon",
              f"--policies zeus:edp_slack=low:tau=0: policy.params.edp_slack: {SLACK}, got \"low\"",
              "--policies zeus:edp_slack=low:tau=0: policy.params.tau: expected duration such as 90s or 10h "
              "0.001..1000000000, got \"0\"",
              "--policies pollux:tau=soon: policy.params.tau: expected duration such as 90s or 10h 0.001..1000000000, "
              "got \"soon\""),
    contender("without a value", "zeus:tau=",
              "--policies zeus:tau=: expected a value, got \"\"; ~ leaves it to the default"),
    contender("a list", "zeus:tau=\"1h\":edp_slack=[2]",
              f"--policies zeus:tau=\"1h\":edp_slack=[2]: policy.params.edp_slack: {SLACK}, got a list"),
    contender("twice the same text", "zeus:tau=1h,fcfs,zeus:tau=1h", "--policies: policy \"zeus:tau=1h\" is listed twice"),
    contender("twice the same from two places", "{plugins}/good.so:tau=1h,{plugins}/./good.so:tau=1h",
              "--policies: {plugins}/good.so:tau=1h and {plugins}/./good.so:tau=1h are both policy \"good:tau=1h\": "
              "expected a label for each, such as old={plugins}/good.so:tau=1h,new={plugins}/./good.so:tau=1h"),
    contender("label twice", "old=zeus,old=fcfs", "--policies: old=zeus and old=fcfs are both policy \"old\": "
              "expected a label for each, such as old=zeus,new=fcfs"),
    contender("label that is the name of another", "zeus=fcfs,zeus", "--policies: zeus=fcfs and zeus are both policy "
              "\"zeus\": expected a label for each, such as old=fcfs,new=zeus"),
    text("empty label", "=zeus", f"{LABEL}, got \"\""),
    text("label with a comma", "\"a,b\"=zeus", f"{LABEL}, got \"\"a,b\"\""),
    text("label with a capital letter", "Old=zeus", f"{LABEL}, got \"Old\""),
    text("label without a policy", "old=", "expected a policy, got \"\""),
    run("label in the file", None, f"c.yaml:15:29: policy.label: {LABEL}, got \"a b\"",
        config=changed(CONFIG, [("{name: fcfs}", "{name: fcfs, label: a b}")])),
    compare("parameters: baseline without them", ["--policies", "zeus:tau=2h,fcfs", "--baseline", "zeus"],
            "--baseline: \"zeus\" is not among the policies compared, did you mean \"zeus:tau=2h\"?"),
    compare("parameters: perturbed, though the text has the last word",
            ["--policies", "zeus,zeus:tau=2h", "--set", "policy.params.tau=1h", "--perturb", "policy.params.tau=0.1"],
            "--perturb policy.params.tau: of no effect on zeus:tau=2h, which sets it itself"),
    contender("too long for a folder", f"zeus:tau=\"{'1' * 180}\"",
              f"--policies zeus:tau=\"{'1' * 180}\": policy.variant: expected printable text of at most 176 bytes, of which all "
              "except a-z, A-Z, 0-9 and _-=+. count three times, because it names a folder, "
              f"got \"tau=\"{'1' * 75}\"",
              f"--policies zeus:tau=\"{'1' * 180}\": policy.params.tau: expected duration such as 90s or 10h "
              f"0.001..1000000000, got \"{'1' * 80}\""),
    run("unknown", "zeus:foo=1", f"--policy zeus:foo=1: policy.params: policy zeus has no parameter \"foo\" {HAS}"),
    run("no value", "zeus:tau", "--policy: expected PARAM=VALUE behind \"zeus:\", got \"tau\""),
    run("in the file", None, f"c.yaml:15:16: policy.params.edp_slack: {SLACK}, got \"low\"", config=OWN),
    run("twice in the file", None, "c.yaml:15:16: policy.name: parameter \"tau\" is given twice", config=TWICE),
    run("set", None, f"--set policy.name: policy.params.edp_slack: {SLACK}, got \"low\"",
        words=["--set", "policy.name=zeus:edp_slack=low"]),
    run("variant that no terminal could show", None,
        "--set policy.variant: policy.variant: expected printable text of at most 176 bytes, of which all except a-z, A-Z, 0-9 "
        "and _-=+. count three times, because it names a folder, got \"a\\x1b[1m\"", words=["--set", "policy.variant=\"a\\e[1m\""]),
    run("variant that is too long", None,
        "--set policy.variant: policy.variant: expected printable text of at most 176 bytes, of which all except a-z, A-Z, 0-9 "
        f"and _-=+. count three times, because it names a folder, got \"{'/' * 60}\"", words=["--set", f"policy.variant={'/' * 60}"]),
]
