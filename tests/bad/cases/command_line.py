"""Command lines."""

from base import CONFIG, RUN, command

TRY = "Try `easim run --help' or `easim run --usage' for more information."
CHECK = "Try `easim check --help' or `easim check --usage' for more information."


def run(name, arguments, *errors, **more):
    return command(f"command line: {name}", [*RUN, *arguments], *errors, **more)


CASES = [
    command("command line: no command", [], "Usage: easim COMMAND [ARGUMENTS]", first_lines_only=True),
    command("command line: unknown command with suggestion", ["chekc", "c.yaml"],
            "easim: no command is named \"chekc\", did you mean \"check\"?"),
    command("command line: unknown command without suggestion", ["favourite-colour"],
            "easim: no command is named \"favourite-colour\""),
    command("command line: no scenario", ["run"], "easim run: expected CONFIG.yaml", TRY),
    command("command line: no scenario to check", ["check"], "easim check: expected CONFIG.yaml", CHECK),
    run("two scenarios", ["d.yaml"], "easim run: expected one CONFIG.yaml, got another: d.yaml", TRY),
    run("unknown option", ["--fast"], "easim run: unrecognized option '--fast'", TRY),
    run("option without its value", ["--seed"], "easim run: option '--seed' requires an argument", TRY),
    run("no thread", ["--threads", "0"], "easim run: --threads: expected integer 1..1024, got \"0\"", TRY),
    run("threads in words", ["--threads", "many"], "easim run: --threads: expected integer 1..1024, got \"many\"", TRY),
    run("no replication", ["--replications", "0"],
        "easim run: --replications: expected integer 1..1000000, got \"0\"", TRY),
    run("replications past 64 bits", ["-n", "99999999999999999999"],
        "easim run: --replications: expected integer 1..1000000, got \"99999999999999999999\"", TRY),
    run("bad seed", ["--seed", "-1"],
        "easim run: --seed: expected integer 0..9007199254740992, got \"-1\"", TRY),
    run("unknown policy", ["--policy", "zeuss"],
        "--policy: policy.name: no policy is named \"zeuss\", did you mean \"zeus\"? (found: {policies})"),
    run("policy that is a path", ["--policy", "./nowhere.so"],
        "--policy: policy.name: cannot load policy: ./nowhere.so: cannot open shared object file: No such file or "
        "directory"),
    run("set without =", ["--set", "seed"], "--set: expected path=value, got \"seed\""),
    run("set without a path", ["--set", "=1"], "--set: expected path=value, got \"=1\""),
    run("set with a bad path", ["--set", "cluster..pue=1", "--set", "cluster.nodes[x].gpus=1"],
        "--set cluster..pue: expected a name, as in \"cluster.nodes[0].gpus\"",
        "--set cluster.nodes[x].gpus: expected an index in brackets"),
    run("set past the end of a list", ["--set", "cluster.nodes[7].gpus=1"],
        "--set cluster.nodes[7].gpus: index 7 is past the end of a list of 1"),
    run("set below a value", ["--set", "seed.low=1"],
        "--set seed.low: no mapping stands where \"low\" is to be set"),
    run("set of an unknown key", ["--set", "sed=1"],
        "--set sed: unknown key \"sed\", did you mean \"seed\"?"),
    run("set to a bad value", ["--set", "cluster.nodes[0].gpus=eight"],
        "--set cluster.nodes[0].gpus: cluster.nodes[0].gpus: expected integer 1..1048576, got \"eight\""),
    run("set to bad YAML", ["--set", "workload.k=[1, 2"],
        "--set workload.k: did not find expected ',' or ']'"),
    run("results in a folder that is not empty", [],
        "easim: out: the folder is not empty; add --force to write into it", files={"out/precious.txt": "mine\n"}),
    run("results in a folder without a name", ["--out", ""], "easim: --out: expected a folder, got \"\""),
    run("results under a file", ["--out", "c.yaml/out"],
        "easim: c.yaml/out: cannot open folder: Not a directory"),
    run("results in a file", ["--out", "c.yaml"],
        "easim: c.yaml: cannot open folder: Not a directory"),
    run("results in a folder without write access", ["--out", "/proc/easim"],
        "easim: /proc/easim: cannot make folder: No such file or directory", exit_code=1),
    command("command line: check reports all", ["check", "c.yaml"],
            "c.yaml:3:7: seed: expected integer 0..9007199254740992, got \"x\"",
            "c.yaml:8:35: cluster.nodes[0].gpus: expected integer 1..1048576, got \"0\"",
            files={"c.yaml": CONFIG.replace("seed: 1", "seed: x").replace("gpus: 8", "gpus: 0")}),
    command("command line: check with another policy", ["check", "c.yaml", "--policy", "zeus", "--set", "seed=x"],
            "--set seed: seed: expected integer 0..9007199254740992, got \"x\""),
    command("command line: two policies to document", ["policies", "zeus", "fcfs"],
            "easim policies: expected one policy, got another: fcfs",
            "Try `easim policies --help' or `easim policies --usage' for more information."),
]
