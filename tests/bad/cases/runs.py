"""Runs that begin well and fail: exit code 1, and no file is left."""

from base import CONFIG, MODELS, POISSON, Case, changed, plugin

# Three rigid jobs at 0, 10 and 20 s; everything is known.
THREE = "workload: {kind: periodic, period: 10s, until: {jobs: 3}, sizes: {law: constant, mean: 100s}, rigid: {k: 2}}\n"
# One job of the model.
ONE_BERT = "workload: {kind: periodic, period: 10s, until: {jobs: 1}, sizes: {law: constant, mean: 100s}}\n"
STRICT = ("run", "c.yaml", "--out", "out", "--quiet", "--strict")


def run(name, file, error, **more):
    return plugin(f"run: {name}", file, f"easim: {error}", workload_section=THREE, exit_code=1, **more)


def refused(name, number, error):
    return run(name, "undeclared", error, params=f"{{most: {number}}}", command=STRICT)


def model_run(name, change, file, error):
    """As run, with one job of a changed model."""
    case = plugin(f"run: {name}", file, f"easim: {error}", workload_section=ONE_BERT, exit_code=1)
    case.files["m.yaml"] = changed(MODELS, [change])
    return case


CASES = [
    run("key that is not a number", "nan_key",
        "policy nan_key: decide failed: the value of the key of job 1 is not a number (at t = 0 s)"),
    run("objective that is not a number", "nan_objective",
        "policy nan_objective: decide failed: the objective of job 1 is not a number (at t = 0 s)"),
    run("a level that there is not", "wrong_level",
        "policy wrong_level: decide failed: level gave 2, and the policy has 2 (at t = 0 s)"),
    run("key that depends on the level", "key_by_level",
        "policy key_by_level: decide failed: the key of job 1 depends on the level in more than objective_max (at t = 0 s)"),
    run("policy gives up", "fails", "policy fails: decide failed: three jobs are too many (at t = 20 s)"),
    run("policy gives up without a word", "fails_silently",
        "policy fails_silently: decide failed: it gave no reason (at t = 0 s)"),
    run("policy refuses to run", "init_fails", "policy init_fails: init failed: no run today (at t = 0 s)"),
    run("jobs wait for ever", "stuck",
        "policy stuck leaves 3 jobs waiting for ever: nothing runs, nothing will happen, 8 of 8 GPUs are free; the "
        "first of them is job 1 (at t = 20 s)"),
    run("replications on threads", "fails",
        "policy fails: decide failed: three jobs are too many (at t = 20 s)",
        command=("run", "c.yaml", "--out", "out", "--replications", "8", "--threads", "4")),
    refused("preemption without its capability", 1,
            "policy undeclared: preempt of job 1 refused: capability not declared (at t = 0 s)"),
    refused("wake-up without its capability", 2,
            "policy undeclared: wake refused: capability not declared (at t = 0 s)"),
    refused("start in a foreign configuration", 3,
            "policy undeclared: start of job 1 refused: not a configuration of that job (at t = 0 s)"),
    refused("start before submission", 4,
            "policy undeclared: start of job 3 refused: job is not in the right state (at t = 0 s)"),
    refused("start of no job", 5, "policy undeclared: start of job (none) refused: no such job (at t = 0 s)"),
    refused("resize without its capability", 6,
            "policy undeclared: resize of job 1 refused: capability not declared (at t = 0 s)"),
    model_run("resized for ever", ("phi: 1000\n", "phi: 1000\n    checkpoint_interval_s: 1h\n"), "endless_resize",
              "job 1 was stopped 1000 times in a row without having kept any of its work (at t = 1001 s)"),
    # 8 free GPUs draw 480 W, a job at least 569 W; edp_slack 1 admits its best configuration only, which draws more
    # A constant cap would reject it.
    Case("run: edp_slack admits nothing within the power cap",
         ("easim: policy charon leaves 1 jobs waiting for ever: nothing runs, nothing will happen, 8 of 8 GPUs are "
          "free; the first of them is job 1 (at t = 0 s)",),
         {"c.yaml": changed(CONFIG, [("policy: {name: fcfs}", "policy: {name: charon, params: {edp_slack: 1}}"),
                                     ("cluster:\n", "cluster:\n  power_cap_w: {file: cap.csv}\n"),
                                     (POISSON, ONE_BERT)]),
          "m.yaml": MODELS, "cap.csv": "time_s,power_w\n0,900\n"}, exit_code=1),
]
