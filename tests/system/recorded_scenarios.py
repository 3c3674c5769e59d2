"""Random scenarios (random_scenario.py), each run with --record in a folder of its own: every other one by the policy
unruly, which preempts and resizes without a reason."""
import subprocess

from random_scenario import Scenario
from support import EASIM

UNRULY = ["--policy", "unruly", "--set", "policy.params={bits: 32, resize: true}", "--set", "cluster.power_cap_w=1e12"]
NO_PROGRESS = "was stopped 1000 times in a row without having kept any of its work"  # as in test_random.py


def recorded_scenarios(folder, seeds):
    """Yields seed and folder, with the record in `out`; a run that makes no progress is left out."""
    for seed in seeds:
        place = folder / str(seed)
        place.mkdir()
        scenario = Scenario(seed)
        if seed % 3 == 2:
            scenario.take_services()
        for name, text in scenario.files.items():
            (place / name).write_text(text)
        command = [EASIM, "run", "scenario.yaml", "--quiet", "--record", "--out", "out"]
        done = subprocess.run(command + (UNRULY if seed % 2 else []), cwd=place, capture_output=True, text=True, timeout=300)
        if done.returncode == 1 and (NO_PROGRESS in done.stderr or
                                     getattr(scenario, "stays", False) and "waiting for ever" in done.stderr):
            continue
        assert done.returncode == 0, (seed, done.stderr)
        yield seed, place
