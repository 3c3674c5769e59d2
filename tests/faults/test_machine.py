"""A fault of the machine is no result: with one at any call, commands that read a recorded folder or run it again end with exit 1 and
say why, or with the same bytes. Usage: test_machine.py EASIM SOURCE SHIM [--most N], N calls of each kind, spread over all (30; 2
with EASIM_TESTS=short)"""
import ctypes
import errno
import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

from faults import each_call, easim, good
from harness import EASIM, SOURCE, cases, form, option

TINY, D3 = SOURCE / "configs/tiny.yaml", Path("/usr/share/nodejs/d3/dist/d3.min.js")
FAULTS = [("malloc", "ENOMEM"), ("map", "ENOMEM"), ("read", "EIO"), ("stat", "EIO"), ("realpath", "EIO"), ("folder", "EMFILE"),
          ("open", "EMFILE"), ("memfd", "EMFILE"), ("write", "ENOSPC"), ("fork", "EAGAIN"), ("pidfd", "ENOSYS"), ("pidfd", "EPERM")]
OF_FILES = ("read", "stat", "realpath", "folder", "open")
MANY = 1000000  # calls in a row: the machine goes on failing
NO_PROCESS = [count * "easim: cannot start a process: Resource temporarily unavailable\n" for count in (1, 2)]


def commands(folder):
    recorded, out = folder / "recorded", folder / "out"
    good("run", TINY, "--record", "--quiet", "--out", recorded)
    yield "explain", recorded, "resnet-1", "--what-if", "all"
    yield "analyze", recorded, "--out", out
    yield "analyze", recorded, "--verify", "none", "--invest", "--out", out
    if D3.exists():
        yield "report", recorded, "--out", out
    yield "run", recorded / "manifest.json"


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file() and ".tmp-" not in path.name}


def is_told(ended, where):
    """Exit 1, and nothing said but why."""
    assert ended.code == 1 and re.search("^easim: .", ended.said, re.M), where
    assert ended.out in ("", "the repetition wrote no results\n"), where


def at_every_call(folder):
    out = folder / "out"
    for words in commands(folder):
        shutil.rmtree(out, ignore_errors=True)
        before, whole, same, tried, told = files_of(folder / "recorded"), good(*words), files_of(out), 0, 0
        for call, error in FAULTS:
            for number, ended in each_call(MOST, *words, prepare=lambda: shutil.rmtree(out, ignore_errors=True), call=call, do=error):
                where = (call, error, number, str(ended))
                assert ended.code == 0 or call != "pidfd", where
                tried += 1
                if ended.code == 0:
                    assert ended.out == whole.out and files_of(out) == same, where
                else:
                    told += 1
                    is_told(ended, where)
                    assert call not in OF_FILES or re.search("^easim: .*/", ended.said, re.M), ("no name", where)
                    assert files_of(out).items() <= same.items(), where
                assert files_of(folder / "recorded") == before, where
        print(f"{' '.join(map(str, words[:2]))}: {told} of {tried} told", flush=True)


def that_goes_on(folder):
    """What failed is tried again, then told: no table, and no file written or replaced."""
    first = form(0, 1)
    out = folder / "out"
    for words in list(commands(folder))[:3]:
        for fault in ({"call": "memfd", "do": "EMFILE"}, {"call": "fork", "do": "EAGAIN"},
                      {"call": "write", "do": "ENOSPC", "path": "memfd:easim"}, {"call": "write", "do": "EIO", "path": "memfd:easim"},
                      {"call": "malloc", "do": "ENOMEM", "who": "children"}):
            count = easim(*words, **fault).calls
            for number in (1, count - 1)[first:]:
                shutil.rmtree(out, ignore_errors=True)
                out.mkdir()
                (out / "insights.md").write_text("earlier\n", encoding="utf-8")
                ended = easim(*words, at=number, times=MANY, **fault)
                where = (fault, number, str(ended))
                assert ended.hits > 1, where
                is_told(ended, where)
                why = "out of memory" if fault["call"] == "malloc" else os.strerror(getattr(errno, fault["do"]))
                assert why in ended.said and files_of(out) == {"insights.md": b"earlier\n"}, where


def of_a_file_by_name(folder):
    """A file that is there and cannot be read, or be looked for, is neither a missing section, nor another result, nor a path that is
    valid from one folder alone."""
    recorded = folder / "recorded"
    good("run", TINY, "--record", "--quiet", "--out", recorded)
    (folder / "sweep.yaml").write_text(f"name: s\nbase: {TINY}\naxes: [{{path: seed, values: [1, 2]}}]\n", encoding="utf-8")
    (folder / "v.yaml").write_text(f"name: v\nsource: x\nkind: policy\nphysics: x\nscenario: {TINY}\nmeasured: [{{metric: jobs_finished, "
                                   "value: 10, tolerance: 1%}]\n", encoding="utf-8")
    shutil.copy(next(Path(f) / "easy.so" for f in os.environ["EASIM_POLICY_PATH"].split(":")), folder / "mine.so")
    good("run", TINY, "--policy", folder / "mine.so", "--record", "--quiet", "--out", folder / "foreign")
    for words, fault, said in (
            (("explain", folder / "foreign", "resnet-1", "--what-if", "all"), {"call": "realpath", "path": "mine.so"}, "mine.so: cannot follow the path"),
            (("check", TINY, "--policy", "fcfs"), {"call": "stat", "path": "fcfs.so", "at": 1}, "policies/fcfs.so: cannot read"),
            (("check", TINY), {"call": "read", "path": "tiny.yaml"}, f"{TINY}: cannot read"),
            (("sweep", folder / "sweep.yaml", "--out", folder / "out"), {"call": "read", "path": "sweep.yaml", "at": 4}, f"{folder}/sweep.yaml: cannot read"),
            (("validate", folder / "v.yaml", "--out", folder / "out"), {"call": "read", "path": "v.yaml", "at": 4}, f"{folder}/v.yaml: cannot read"),
            (("report", recorded, "--out", folder / "out"), {"call": "stat", "path": "users.csv"}, f"{recorded}/users.csv: cannot read"),
            (("run", recorded / "manifest.json"), {"call": "read", "path": "results/jobs.csv"}, "results/jobs.csv: cannot read"),
            (("analyze", recorded, "--verify", "none", "--out", folder / "out"), {"call": "realpath"}, f"{recorded}: cannot follow the path")):
        if words[0] == "report" and not D3.exists():
            continue
        last = {"at": easim(*words, **fault | {"at": 0}).calls}
        shutil.rmtree(folder / "out", ignore_errors=True)
        ended = easim(*words, do="EIO", **last | fault)
        assert ended.hits == 1, ended
        is_told(ended, str(ended))
        assert re.fullmatch(rf"easim: \S*{said}: Input/output error\n", ended.said), (said, str(ended))
        assert not (folder / "out").exists(), ended
    if os.geteuid() != 0:  # who may read everything
        (recorded / "jobs.csv").chmod(0)
        ended = easim("explain", recorded, "resnet-1")
        assert ended.code == 2 and ended.said == f"easim: {recorded}/jobs.csv: cannot read: Permission denied\n", ended


def bad_input_writes_nothing(folder):
    """--invest of a record whose policy is gone: all of it is read first."""
    policies, recorded, out = folder / "policies", folder / "recorded", folder / "out"
    policies.mkdir()
    shutil.copy(next(Path(f) / "easy.so" for f in os.environ["EASIM_POLICY_PATH"].split(":")), policies / "mine.so")
    environment = os.environ | {"EASIM_POLICY_PATH": str(policies)}
    ended = easim("run", TINY, "--policy", "mine", "--record", "--quiet", "--out", recorded, environment=environment)
    assert ended.code == 0, ended
    (policies / "mine.so").unlink()
    before = files_of(recorded)
    for more in ((), ("--out", out)):
        ended = easim("analyze", recorded, "--invest", *more, environment=environment)
        assert ended.code == 2 and "mine" in ended.said and not ended.out, ended
        assert files_of(recorded) == before and not out.exists(), ended


def of_a_program(folder):
    """A program of exec that gets no process is no failure of the policy: the run is tried again, then the command says why."""
    out = folder / "out"
    words = ("run", TINY, "--policy", "exec", "--set", f"policy.params.command=python3 {SOURCE}/policies/exec/fcfs.py", "--quiet", "--out", out)
    good(*words)
    same = files_of(out)
    for times in (1, MANY):
        shutil.rmtree(out)
        ended = easim(*words, call="fork", do="EAGAIN", who="children", at=1, times=times)
        if times == 1:
            assert ended.code == 0 and ended.hits == 1 and files_of(out) == same, ended
        else:
            is_told(ended, str(ended))
            assert "Resource temporarily unavailable" in ended.said and not out.exists(), ended


def filter_calls():
    """In a process that is about to run easim: from now on pidfd_open and close_range are refused with EPERM, as by an old profile of a
    container. seccomp(2): a program of 8 bytes an instruction, load the number of the call, compare, return."""
    libc, refuse, allow = ctypes.CDLL(None, use_errno=True), 0x00050000 | errno.EPERM, 0x7fff0000
    words = ((0x20, 0, 0, 0), (0x15, 1, 0, 434), (0x15, 0, 1, 436), (0x06, 0, 0, refuse), (0x06, 0, 0, allow))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *word) for word in words))
    program = struct.pack("@HP", len(words), ctypes.addressof(code))
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def without_pidfd(folder):
    """Linux before 5.3, a filter of calls, valgrind: the same bytes."""
    out = folder / "out"
    good("run", TINY, "--record", "--quiet", "--out", folder / "recorded")
    for words in (("run", TINY, "-n", 5, "-t", 2, "--out", out), ("compare", TINY, "--policies", "fcfs,zeus", "-t", 2, "--out", out),
                  ("regret", TINY, "-t", 2, "--out", out), ("explain", folder / "recorded", "resnet-1", "--what-if", "all"),
                  ("policies", "zeus", "--test")):
        shutil.rmtree(out, ignore_errors=True)
        whole, same = good(*words), files_of(out)
        for fault in ({"do": "ENOSYS"}, {"do": "EPERM"}, {"do": "EPERM", "call": "pidfd,range"}):
            shutil.rmtree(out, ignore_errors=True)
            ended = easim(*words, at=1, times=MANY, **{"call": "pidfd"} | fault)
            assert ended.code == 0 and ended.hits == ended.calls > 1, ended
            assert (ended.out, ended.said, files_of(out)) == (whole.out, whole.said, same), ended
        shutil.rmtree(out, ignore_errors=True)
        done = subprocess.run([str(word) for word in (EASIM, *words)], capture_output=True, text=True, check=False, preexec_fn=filter_calls)
        assert (done.returncode, done.stdout, done.stderr, files_of(out)) == (0, whole.out, whole.said, same), (words, done)


def descriptors_of_the_parent(folder):
    """A policy sees none of them, also without close_range (Linux before 5.9): what a program of exec lists is the same,
    but for pipes, of which easim closes its ends meanwhile."""
    listed, seen = folder / "listed", []
    command = f"ls -l /proc/$PPID/fd | grep -vc pipe: >{listed}; exec python3 {SOURCE}/policies/exec/fcfs.py"
    (folder / "program.sh").write_text(command, encoding="utf-8")
    for fault in ({}, {"call": "range", "do": "ENOSYS", "at": 1, "times": MANY}):
        ended = easim("run", TINY, "--policy", "exec", "--set", f"policy.params.command=sh {folder}/program.sh", "--quiet", "--out",
                      folder / f"out{len(seen)}", **fault)
        assert ended.code == 0 and (not fault or ended.hits > 0), ended
        seen.append(int(listed.read_text(encoding="utf-8")))
    assert seen[0] == seen[1] > 3, seen


def no_process(folder):
    """A fork that keeps failing names no policy, wherever it begins: where a module that is not easim's own is tried, or later; a
    comparison says so of each policy."""
    (folder / "sweep.yaml").write_text(f"name: s\nbase: {TINY}\naxes: [{{path: seed, values: [1, 2]}}]\n", encoding="utf-8")
    foreign = shutil.copy(Path(EASIM).parent / "policies/zeus.so", folder / "foreign.so")
    for words in (("run", TINY), ("compare", TINY, "--policies", "fcfs,zeus"), ("sweep", folder / "sweep.yaml"), ("regret", TINY),
                  ("run", TINY, "--policy", foreign), ("policies", foreign), ("policies", "zeus", "--test")):
        for at in (1, 2):
            where = ("--out", folder / "out", "--quiet") if words[0] in ("run", "compare", "sweep", "regret") else ()
            ended = easim(*words, *where, call="fork", do="EAGAIN", who="parent", at=at, times=MANY)
            assert ended.hits > 1 or at == 2, ended
            if ended.hits > 0:
                assert ended.code == 1 and ended.said in NO_PROCESS[:2 if words[0] == "compare" else 1], ended
            shutil.rmtree(folder / "out", ignore_errors=True)


def no_padding_is_handed_in(folder):
    """What copies hand in is initialized, by valgrind, which has no pidfd_open before 3.20."""
    if not shutil.which("valgrind"):
        print("no valgrind")
        return
    words = [str(word) for word in ("valgrind", "--quiet", "--trace-children=yes", EASIM, "bound", TINY, "--quiet", "--out", folder / "out")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0 and "uninitialised" not in done.stderr, done.stderr


if __name__ == "__main__":
    MOST = option("--most", form(30, 2))
    cases(at_every_call, that_goes_on, of_a_file_by_name, of_a_program, bad_input_writes_nothing, without_pidfd,
          descriptors_of_the_parent, no_process, no_padding_is_handed_in)
