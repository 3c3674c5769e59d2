"""A machine that fails once, or goes on failing, while a sweep or another command runs: what failed is tried again, then told;
no point of a sweep is recorded as failed, and nothing that was finished is lost."""
import csv

from faults import each_call, easim, good, leftovers
from harness import SOURCE, cases
from test_force import content_of, is_whole

MOST = 25  # places of each kind of call
CONFIG = SOURCE / "configs/eas-sim.yaml"
SWEEP = f"name: transient\nbase: {CONFIG}\nset: {{replications: 1, horizon: 1h}}\naxes:\n  - {{path: seed, values: [1, 2, 3]}}\n"


def in_a_sweep(folder):
    """One call fails, in a child or in the parent; or it goes on failing. The next sweep finds nothing that failed."""
    sweep, out, whole = folder / "sweep.yaml", folder / "out", folder / "whole"
    sweep.write_text(SWEEP, encoding="utf-8")
    words = ("sweep", sweep, "--quiet", "-t", "2", "--out")
    good(*words, whole)
    expected = (whole / "sweep.csv").read_bytes()
    ends = {0: 0, 1: 0, 2: 0}
    for fault in ({"call": "malloc", "do": "ENOMEM", "who": "children"}, {"call": "open", "do": "EMFILE", "who": "children"},
                  {"call": "read", "do": "EIO"}, {"call": "fork", "do": "EAGAIN"},
                  {"call": "malloc", "do": "ENOMEM", "who": "children", "times": 1000000},
                  {"call": "open", "do": "EMFILE", "who": "children", "times": 1000000},
                  {"call": "fork", "do": "EAGAIN", "times": 1000000}):
        for number, ended in each_call(MOST, *words, out, **fault):
            assert ended.code in ends, (fault, number, str(ended))
            assert ended.code == 0 or ended.said, (fault, number, str(ended))
            assert not (out / "failures.csv").exists(), (fault, number, str(ended))
            ends[ended.code] += 1
            if out.exists():
                states = [row["state"] for row in csv.DictReader(good("sweep", sweep, "--out", out, "--list").out.splitlines())]
                assert "failed" not in states, (fault, number, states)
                assert ended.code != 0 or (out / "sweep.csv").read_bytes() == expected, (fault, number, str(ended))
                good(*words, out)
                assert (out / "sweep.csv").read_bytes() == expected and not leftovers(out), (fault, number, leftovers(out))
                for path in (out / "runs").iterdir():
                    path.unlink()
                (out / "sweep.csv").unlink()
                (out / "manifest.json").unlink()
    assert ends[0] > MOST and ends[1] > MOST, ends


def interruptions_of_calls(folder):
    """EINTR, at each of the first calls of every kind, changes nothing."""
    words = ("run", CONFIG, "-n", "2", "--set", "horizon=1h", "--quiet", "--out")
    good(*words, folder / "whole")
    expected = content_of(folder / "whole")
    for call in ("open", "read", "write", "close", "rename", "unlink", "mkdir", "fsync"):
        out = folder / call
        calls = easim(*words, out, call=call).calls
        for number in range(1, calls + 1) if calls < MOST else range(1, calls + 1, calls // MOST):
            out = folder / f"{call}-{number}"
            ended = easim(*words, out, call=call, do="EINTR", at=number)
            missed = ended.calls < number  # how often the bell of the children is read depends on who is faster
            assert ended.code == 0 and (ended.hits == 1 or missed), (call, number, str(ended))
            assert content_of(out) == expected, (call, number)


def in_other_commands(folder):
    """A second try of a replication whose memory or process failed gives the same results."""
    for command, words in (("run", (CONFIG,)), ("compare", (CONFIG, "--policies", "fcfs,zeus")),
                           ("ablate", (CONFIG, "zeus", "pollux"))):
        words = (command, *words, "-n", "2", "--set", "horizon=1h", "--quiet", "-t", "2", "--out")
        whole = folder / f"{command}-whole"
        good(*words, whole)
        for fault in ({"call": "malloc", "do": "ENOMEM", "who": "children"}, {"call": "fork", "do": "EAGAIN"}):
            calls = easim(*words, folder / f"{command}-{fault['call']}", **fault).calls
            for number in range(1, calls + 1, max(1, calls // 10)):
                out = folder / f"{command}-{fault['call']}-{number}"
                ended = easim(*words, out, at=number, **fault)
                assert ended.code in (0, 1, 2), (number, str(ended))
                assert ended.code != 0 or content_of(out) == content_of(whole), (number, str(ended))
                assert ended.code == 0 or ended.said and not is_whole(out), (number, str(ended))


if __name__ == "__main__":
    cases(in_a_sweep, interruptions_of_calls, in_other_commands)
