"""Policies that end their process, or do not end, in run, tune and ablate: exit status, message, what is kept, and
that nothing else is left. Usage: test_crashes.py EASIM SOURCE PLUGIN_DIR
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from bad_ends import ADDRESS, BAD, BAD_LIST, BASE, PLUGINS, SANITIZED, WHO, ends, none_left, said_by
from harness import EASIM, HANGS_S, TINY, bytes_of, cases, children, easim, form, interrupt, json_of, rows_of, start, state_of, wait_for

GONE = "policy {name} ({path}) crashed: " + ADDRESS


def run(out, how, *more, code=1, policy=BAD, **limits):
    return easim("run", BASE, "--policy", policy, "--set", f"policy.params.how={how}", "--out", out, "--quiet", *more,
                 code=code, **limits)


def no_temporary(folder):
    assert not [path for path in folder.rglob("*") if ".tmp" in path.name], list(folder.rglob("*"))


def each_end_of_a_run(folder):
    """The time of its 20th decision is the one that its own failure there tells."""
    told = said_by(run(folder / "fail", "fail"))[0]
    now_s = float(re.fullmatch(r"easim: policy ends_badly: decide failed: as it was told \(at t = ([0-9.]+) s\)",
                               told)[1])
    for how, text in ends(WHO).items():
        done = run(folder / how, how, "-n", 3)
        said = f"easim: {text} (replication 1, at t = {now_s:.9g} s, after 19 decisions)"
        assert said_by(done) == [said] and done.stdout == "", (how, done.stderr)
        assert bytes_of(folder / how) == {}, (how, bytes_of(folder / how))
    none_left()


def what_was_finished_is_kept(folder):
    """Of 10 replications 6, 7 and 8 come to decision 87: kept are those before, with any --threads."""
    options = ["-n", 10, "--seed", 2, "--set", "horizon=4h", "--set", "policy.params.after=87"]
    run(folder / "whole", "not", *options, code=0)
    whole = bytes_of(folder / "whole")
    for threads in (1, 3, 7):
        out = folder / f"kept-{threads}"
        done = run(out, "exit", "--threads", threads, *options)
        assert "(replication 6, at t = " in done.stderr, done.stderr
        no_temporary(out)
        manifest = json_of(out / "manifest.json")
        assert manifest["partial"] is True and manifest["replications_done"] == 5
        for name in ("summary.csv", "jobs.csv", "power.csv"):
            assert whole[name].startswith((out / name).read_bytes()), name
        assert len(rows_of(out / "summary.csv")) == 5


def rows_that_have_left_are_taken_back(folder):
    """The replication of most decisions fails at the last of them, long after its first rows have gone to the files: there
    is nothing of it in them, and all of those before it."""
    options = ["-n", 6, "--seed", 2, "--set", "horizon=500h", "--set", "policy.params.how=not"]
    run(folder / "long", "not", *options, code=0)
    decisions = [float(row["decisions"]) for row in rows_of(folder / "long" / "summary.csv")]
    most = decisions.index(max(decisions))
    whole = {name: (folder / "long" / name).read_bytes() for name in ("summary.csv", "jobs.csv", "power.csv")}
    assert most > 0 and decisions.count(max(decisions)) == 1 and len(whole["power.csv"]) > 6 * 2 * 2**17, decisions
    options[-1:] = ["policy.params.after=%d" % max(decisions)]
    for threads in (1, 3):
        out = folder / f"taken-back-{threads}"
        done = run(out, "exit", "--threads", threads, *options)
        assert f"(replication {most + 1}, at t = " in done.stderr, done.stderr
        no_temporary(out)
        for name, text in whole.items():
            ends_at = text.index(b"\nends_badly,%d," % (most + 1)) + 1
            assert (out / name).read_bytes() == text[:ends_at], name


def before_the_first_decision(folder):
    for name, code, text, more in (
            ("faults/crash_in_init", 1, GONE + " (replication 1, at t = 0 s, after 0 decisions)", []),
            ("overflows", 1, GONE + " (replication 1, at t = 0 s, after 1 decisions)", []),
            ("write_view", 1, GONE + " (memory that is read-only or hidden, as the view and the memory after its arrays in a checked run) (replication 1, at t = "
             "0 s, after 1 decisions)", ["--check"])):
        if SANITIZED:
            break  # a sanitizer's own handler reports crashes
        path = PLUGINS / f"{name}.so"
        done = easim("run", TINY, "--policy", path, "--quiet", "--out", folder / path.stem, *more, code=code)
        said = text.format(path=path, name=path.stem)
        assert said_by(done)[0].startswith(f"easim: {said[:-12]}"), (said, done.stderr)
        assert bytes_of(folder / path.stem) == {}


def while_it_is_loaded(folder):
    """A constructor that crashes, a wrong pointer in a table, a destructor that leaves: bad input, of every command that
    loads policies."""
    for name, how in (("faults/crash_on_load", "was ended by signal 11, Segmentation fault"),
                      ("wild_params", "was ended by signal 11, Segmentation fault"),
                      ("leave_on_unload", "ended its process with exit status 0")):
        path = PLUGINS / f"{name}.so"
        text = f"{path}: ends the process while it is loaded and its tables are read: it {how}"
        for words in (["run", TINY, "--policy", path], ["check", TINY, "--policy", path, "--trust"],
                      ["policies", path], ["policies", path, "--test"],
                      ["compare", TINY, "--policies", f"fcfs,{path}"], ["ablate", TINY, "fcfs", path],
                      ["tune", TINY, "--policy", path, "--params", "x", "--objective", "energy_kwh"]):
            done = easim(*words, code=2, cwd=folder)
            assert done.stderr.rstrip().endswith(text) and done.stdout == "", (words, done.stderr)
        assert "is not loaded" in easim("check", TINY, "--policy", path, code=0).stdout
        easim("gen", TINY, "--policy", path, code=0)
    assert bytes_of(folder) == {}
    alone = folder / "policies"
    alone.mkdir()
    (alone / "crash_on_load.so").symlink_to(PLUGINS / "faults/crash_on_load.so")
    done = easim("policies", env=os.environ | {"EASIM_POLICY_PATH": str(alone)})
    assert f"crash_on_load  cannot be loaded: {alone}/crash_on_load.so: ends the process" in done.stdout, done.stdout


def one_of_easims_own_is_damaged(folder):
    """A library that ends too early is memory without a file, which raises SIGBUS."""
    program = shutil.copy(EASIM, folder / "easim")
    (folder / "policies").mkdir()
    own = shutil.copy(Path(EASIM).parent / "policies/zeus.so", folder / "policies/zeus.so")
    os.truncate(own, 9000)
    text = f"easim: {own}: crashes while it is loaded: build or install easim again\n"
    for words in (("run", TINY, "--policy", "zeus", "--out", folder / "out"), ("policies", "zeus"), ("policies", own)):
        done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False, timeout=HANGS_S,
                              env={k: v for k, v in os.environ.items() if k != "EASIM_POLICY_PATH"})
        assert (done.returncode, done.stderr, done.stdout) == (2, text, ""), (words, done)
    assert not (folder / "out").exists()


def a_copy_gives_no_results(folder):
    """A policy that forks, after which both go on: the results are those of one, also of a long run, whose rows leave before its
    end."""
    for length, more in (("short", ["-n", 2]), ("long", ["-n", 1, "--set", "horizon=500h"])):
        for how in ("not", "two"):
            run(folder / length / how, how, *more, code=0)
        once = bytes_of(folder / length / "not", ".csv")
        assert once == bytes_of(folder / length / "two", ".csv")
    assert len(once["power.csv"]) > 2 * 2**17, len(once["power.csv"])  # 128 KiB at a time leave
    none_left()


def a_signal_of_its_own(folder):
    """SIGTERM asks a run to end; one that easim has not sent is no interruption by the user."""
    done = run(folder / "out", "terminate", "-n", 2, "--set", "horizon=100h")
    assert said_by(done) == ["easim: policy ends_badly: replication 1 was interrupted by a signal that easim has not "
                             "sent"], done.stderr
    assert bytes_of(folder / "out") == {}


def out_of_memory(folder):
    """With 300 MiB of addresses: the policy takes it in scratch memory; the engine itself, for too many jobs."""
    if SANITIZED:
        return  # they need more addresses
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
    done = run(folder / "hog", "hog", preexec_fn=limit)
    assert re.fullmatch(rf"easim: out of memory in decide of {re.escape(WHO)}: no room for \d+ more bytes \(replication "
                        r"1, at t = [0-9.]+ s, after 19 decisions\)\n", done.stderr), done.stderr
    huge = PLUGINS / "huge_state.so"
    done = easim("run", BASE, "--policy", huge, "--out", folder / "huge", "--quiet", code=1)
    assert said_by(done)[0] == (f"easim: out of memory in the state_size of policy huge_state ({huge}): no room for {1 << 62} "
                                "more bytes (replication 1, at t = 0 s, after 0 decisions)"), done.stderr
    many = ["--set", "workload={kind: poisson, rate_per_s: 1, sizes: {law: constant, mean: 1}, rigid: {k: 1}, until: "
            "{jobs: 5000000}}", "--set", "horizon=drain"]
    done = run(folder / "many", "not", *many, preexec_fn=limit)
    assert re.fullmatch(rf"easim: out of memory in easim itself, not in {re.escape(WHO)}: no room for \d+ more bytes "
                        r"\(easim was generating the jobs of replication 1\)\n", done.stderr), done.stderr
    assert bytes_of(folder) == {}


def in_a_search(folder):
    """The scenario's own parameters fail: there is nothing to compare with. Other values: failed trials."""
    words = ["tune", BASE, "--policy", BAD, "--params", "after=1..300", "--objective", "energy_kwh", "--set",
             "policy.params.how=kill", "--set", "horizon=4h", "-n", 2, "--quiet", "--out", folder / "tune"]
    done = easim(*words, code=1)
    assert said_by(done)[0].startswith(f"easim: {ends(WHO)['kill']} (replication 1, at t = "), done.stderr
    assert not (folder / "tune").exists()
    easim(*words, "--set", "policy.params.after=1000", code=0)
    failures = {float(row["after"]): row["failure"] for row in rows_of(folder / "tune/trials.csv")}
    assert any(failures.values()), failures
    for after, text in failures.items():
        if text:
            assert text.startswith(f"{ends(WHO)['kill']} (replication ") and text.endswith(
                f"after {after - 1:.0f} decisions)"), (after, text)
        else:
            assert after > 40, failures


def memory_of_a_list_policy(folder):
    """Its pass asks other callbacks than decide, of which it has none: which one is not told."""
    if SANITIZED:
        return  # found by the sanitizer
    who = f"policy ends_badly_list ({BAD_LIST})"
    text = ends(who)["scratch"].replace("in decide of", "in a callback of")
    done = run(folder / "list", "scratch", policy=BAD_LIST)
    assert said_by(done)[0].startswith(f"easim: {text} (replication 1, at t = "), done.stderr


def failed_trials_are_told(folder):
    """As many as there are in trials.csv, whose first message is the one that is told, in every format."""
    words = ["tune", BASE, "--policy", BAD, "--params", "after=1..300", "--objective", "energy_kwh", "--set",
             "policy.params.how=exit", "--set", "policy.params.after=1000", "--set", "horizon=4h", "-n", 2,
             "--max-trials", 4]
    table = easim(*words, "--out", folder / "table").stdout
    failures = [row["failure"] for row in rows_of(folder / "table/trials.csv") if row["failure"]]
    assert failures and failures[0].startswith(ends(WHO)["exit"]), failures
    note = f"{len(failures)} of 4 trials failed, the first: {failures[0]}"
    assert note in table, (note, table)
    easim(*words, "--out", folder / "csv", "--format", "csv", says=note)
    document = json.loads(easim(*words, "--out", folder / "json", "--format", "json").stdout)
    for told in (document, json_of(folder / "table/manifest.json")):
        assert told["trials_failed"] == len(failures) and told["first_failure"] == failures[0], told


def interrupted_before_any_replication(folder):
    """Of two policies the second loops in both replications: those of the first are kept, the second is missing."""
    out = folder / "compare"
    _, errors = interrupt_loops(["compare", BASE, "--policies", f"fcfs,{BAD}", "-n", 2, "--set", "horizon=4h", "--threads", 2,
                           "--set", "params_by_policy={ends_badly: {how: loop}}", "--out", out, "--quiet"], 2)
    assert errors.endswith("; 1 more, too: 0 of 2 replications of policy ends_badly are finished and kept, and so are "
                           "results that were finished before\n"), errors
    manifest = json_of(out / "manifest.json")
    assert (manifest["policies"], manifest["failed"], manifest["missing"]) == (["fcfs"], [], ["ends_badly"]), manifest
    assert len(rows_of(out / "fcfs/summary.csv")) == 2 and not (out / "ends_badly").exists()


def easim_is_generating_jobs(folder):
    """4e9 s at 0.005 jobs a second are 20 million jobs: no callback of the policy has run when the signal comes. A record keeps all
    jobs; else they are made as they arrive, and the run ends within the 2 s."""
    words = ["run", BASE, "--policy", "fcfs", "--set", "horizon=4000000000s", "--set", "workload.rate_per_s=0.005", "-n", 1,
             "--out", folder / "out", "--quiet"]
    _, errors = interrupt_loops([*words, "--record"], 0)
    assert errors == ("easim: interrupted, and a replication was killed because it did not end within 2 s (easim was "
                      "generating the jobs of replication 1): 0 of 1 replications are finished and kept\n"), errors
    assert not (folder / "out").exists()
    process = start(*words)
    wait_for("a child that runs", lambda: any(state_of(child)[1] > 0.2 for child in children(process.pid)), process)
    _, errors = interrupt(process, signal.SIGINT)
    assert errors == "easim: interrupted: 0 of 1 replications are finished and kept\n", errors


def in_an_ablation(folder):
    """The second policy alone is run first, then the first one's key in it. Of a mixture both policies are named, unless
    an instruction tells which, and always which component is whose."""
    def mixture(how):
        return rf"mixture: key of A \(ends_badly_list:how={how}\); [a-z, ]*admission[a-z, ]* of B \(pollux\)"

    bad, good = f"{BAD_LIST}:how=exit", "pollux"
    who = f"policy ends_badly_list ({BAD_LIST})"
    done = easim("ablate", BASE, good, bad, "-n", 2, "--out", folder / "out", "--quiet", code=1)
    assert said_by(done)[0].startswith(f"easim: B (ends_badly_list:how=exit): {ends(who)['exit']} (replication 1, at t = "), done.stderr
    done = easim("ablate", BASE, bad, good, "-n", 2, "--out", folder / "out", "--quiet", code=1)
    both = rf"policy ends_badly_list \({re.escape(str(BAD_LIST))}\) or policy pollux \(\S+/pollux.so\)"
    assert re.match(rf"easim: {mixture('exit')}: the run of {both} ended its process with exit status 0 \(replication 1, at t = ",
                    said_by(done)[0]), done.stderr
    done = easim("ablate", BASE, f"{BAD_LIST}:how=crash", good, "-n", 2, "--out", folder / "out", "--quiet", code=1)
    told = rf"the run of {both} was ended by signal 11" if SANITIZED else rf"{re.escape(who)} crashed: {ADDRESS}"
    assert re.match(rf"easim: {mixture('crash')}: {told}", said_by(done)[0]), done.stderr
    assert not (folder / "out").exists()


def interrupt_loops(words, number, signal_number=signal.SIGINT):
    """Starts easim, waits until only so many children are left, and they loop (number: 0, one that generates jobs); then one
    signal."""
    with tempfile.TemporaryDirectory(prefix="easim-loops.") as loops:
        process = start(*words, env=os.environ | {"ENDS_BADLY_LOOPS": loops})

        def only_these():
            looping = {int(name) for name in os.listdir(loops)}
            return len(looping) == number and children(process.pid) == looping and state_of(process.pid)[0] == "S"

        def generates():
            return any(state_of(child)[1] > 0.2 for child in children(process.pid))

        wait_for(f"{number} loop", only_these if number else generates, process)
        begun = time.monotonic()
        told = interrupt(process, signal_number)
    assert time.monotonic() - begun > 1.9, told
    none_left()
    return told


def one_that_loops(folder):
    """Replications 6, 7 and 8 loop at decision 87; the seven others are kept. Searches keep nothing."""
    looping = ["-n", 10, "--seed", 2, "--set", "horizon=4h", "--threads", 4, "--quiet"]
    params = ["--set", "policy.params.how=loop", "--set", "policy.params.after=87"]
    text = f"easim: interrupted, and the run of {WHO} was killed because it did not end within 2 s (replication 6, at t = "
    for number in (signal.SIGINT, signal.SIGTERM):
        out = folder / f"run-{number}"
        _, errors = interrupt_loops(["run", BASE, "--policy", BAD, *looping, *params, "--out", out], 3, number)
        assert errors.startswith(text) and errors.endswith(
            " s, after 86 decisions); 2 more, too: 7 of 10 replications are finished and kept\n"), errors
        manifest = json_of(out / "manifest.json")
        assert manifest["partial"] is True and manifest["replications_done"] == 7
        assert [row["replication"] for row in rows_of(out / "summary.csv")] == ["1", "2", "3", "4", "5", "9", "10"]
        no_temporary(out)
    own = ["--set", "params_by_policy={ends_badly: {how: loop, after: 87}}"]
    out = folder / "compare"
    _, errors = interrupt_loops(["compare", BASE, "--policies", f"fcfs,{BAD}", *looping, *own, "--out", out], 3)
    assert errors.startswith(text) and "7 of 10 replications of policy ends_badly are finished and kept, and so are results that were finished before\n" in errors, errors
    assert len(rows_of(out / "fcfs/summary.csv")) == 10 and len(rows_of(out / "ends_badly/summary.csv")) == 7
    no_temporary(out)
    manifest = json_of(out / "manifest.json")
    assert manifest["failed"] == [] and manifest["missing"] == ["ends_badly"] and manifest["partial"] is True, manifest
    _, errors = interrupt_loops(["tune", BASE, "--policy", BAD, "--params", "after=50..100", "--objective", "energy_kwh",
                           *looping, *params, "--set", "seed=3", "--training-seed", 2, "--out", folder / "tune"], 3)
    assert errors.startswith(text) and errors.endswith("; 2 more, too: there are no results\n"), errors
    who = f"policy ends_badly_list ({BAD_LIST})"
    _, errors = interrupt_loops(["ablate", BASE, "pollux", f"{BAD_LIST}:how=loop", "-n", 2, "--threads", 2, "--out",
                           folder / "ablate", "--quiet"], 2)
    assert errors.startswith(text.replace(WHO, who).replace("replication 6", "replication 1")), errors
    assert errors.endswith("; 1 more, too: there are no results\n"), errors
    assert not (folder / "tune").exists() and not (folder / "ablate").exists()


cases(each_end_of_a_run, before_the_first_decision, while_it_is_loaded, one_of_easims_own_is_damaged, a_copy_gives_no_results, a_signal_of_its_own, out_of_memory,
      in_an_ablation, one_that_loops, memory_of_a_list_policy, interrupted_before_any_replication, easim_is_generating_jobs,
      *form([what_was_finished_is_kept, rows_that_have_left_are_taken_back, in_a_search, failed_trials_are_told], []))
