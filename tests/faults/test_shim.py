"""The shim itself: each kind of call is counted and hit, and what it does is what it says."""
import signal

from faults import easim, good
from harness import SOURCE, cases

CONFIG = SOURCE / "configs/tiny.yaml"


def calls_are_counted_and_hit(folder):
    for call in ("write", "read", "open", "close", "rename", "mkdir", "fork", "malloc"):
        words = ("run", CONFIG, "--quiet", "--out", folder / call)
        calls = easim(*words, call=call).calls
        assert calls > 0, call
        ended = easim("run", CONFIG, "--quiet", "--out", folder / f"{call}-hit", call=call, at=1, do="kill", who="parent")
        assert (ended.hits, ended.code) == (1, -signal.SIGKILL), ended


def an_error_is_told(folder):
    ended = easim("run", CONFIG, "--quiet", "--out", folder / "full", call="write", at=1, do="ENOSPC", path="summary.csv")
    assert ended.code == 1 and "summary.csv: cannot write: No space left on device" in ended.said, ended
    assert not (folder / "full").exists()


def half_a_write_is_completed(folder):
    good("run", CONFIG, "--quiet", "--out", folder / "whole")
    ended = easim("run", CONFIG, "--quiet", "--out", folder / "halves", call="write", at=1, times=1000, do="short")
    assert ended.code == 0 and ended.hits > 8, ended
    for path in (folder / "whole").iterdir():
        assert path.read_bytes() == (folder / "halves" / path.name).read_bytes(), path


cases(calls_are_counted_and_hit, an_error_is_told, half_a_write_is_completed)
