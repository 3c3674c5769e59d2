"""Random scenarios (random_scenario.py), each run with --record in a folder of its own: every other one by the policy
unruly, which preempts and resizes without a reason."""
from harness import easim
from random_scenario import Scenario

UNRULY = ["--policy", "unruly", "--set", "policy.params={bits: 32, resize: true}", "--set", "cluster.power_cap_w=1e12"]
NO_PROGRESS = "was stopped 1000 times in a row without having kept any of its work"


def drawn(seed):
    """Every third one with services."""
    scenario = Scenario(seed)
    if seed % 3 == 2:
        scenario.take_services()
    return scenario


def record(scenario, folder, *words):
    """The record, in `out`; None of a run that makes no progress, or that waits for GPUs that a replica keeps."""
    scenario.write(folder)
    done = easim("run", "scenario.yaml", "--quiet", "--record", "--out", "out", *words, cwd=folder, code=(0, 1))
    if done.returncode == 0:
        return folder / "out"
    assert NO_PROGRESS in done.stderr or getattr(scenario, "stays", False) and "waiting for ever" in done.stderr, done.stderr
    return None


def recorded_scenarios(folder, seeds):
    """Yields seed and folder, with the record in `out`."""
    for seed in seeds:
        if record(drawn(seed), folder / str(seed), *(UNRULY if seed % 2 else [])):
            yield seed, folder / str(seed)
