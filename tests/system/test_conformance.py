"""The conformance suite: every shipped policy passes; every plug-in of plugins/faults fails the one check that its
fault belongs to. Usage: test_conformance.py EASIM SOURCE PLUGIN_DIR
"""
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import FILES, SOURCE, TINY, cases, easim, form

(PLUGINS,) = FILES
SCENARIOS = ["malleable jobs", "jobs across nodes", "deadlines", "rigid jobs", "jobs as large as the cluster",
             "one GPU type", "one GPU", "burst of 2,000 jobs", "odd jobs", "jobs that share GPUs", "one event at a time",
             "models with phases", "a network of tiers", "forecasts", "services", "ended in the middle"]
CHECKS = ["loads"] + [f"scenario: {name}" for name in SCENARIOS] + [
    "view is left alone", "no action refused", "parameters", "same run, same decisions", "decides as when asked anew", "structs may grow",
    "does without optional extensions", "two runs at once",
    "names of users do not matter", "reads only what it declares", "power cap", "no memory leaks", "no descriptors or processes left", "process is left alone"]
# a sanitizer build leaves its own handler in place; a build without debugging information has no line
PLACE = "" if os.environ.get("EASIM_SANITIZED") else r", in read_nothing(?: \(in_order\.h:\d+\))?"
SIGNAL = rf"crashed: signal 11, Segmentation fault{PLACE} \(at t = [\d.]+ s, after 0 decisions\)"

# fault: {check that fails: what it says}
FAULTS = {
    "good": {},
    "bad_maximum": {"parameters": r"patience = 100: policy bad_maximum: init failed: too patient \(at t = 0 s\)"},
    "blocks_signals": {"process is left alone": "changes which signals are blocked in \"one GPU\""},
    "by_user_name": {"names of users do not matter": r"action \d+ was start job .* now it is start job .*"},
    "caps_starts_only": {"power cap": r"KEEPS_CAP is declared, but the cap has fallen at t = 3600 s and preemptible jobs run on above it, such as job \d+"},
    "changes_folder": {"process is left alone": "changes its working folder in \"one GPU\""},
    "changes_handlers": {"process is left alone": "changes the handlers of signals in \"one GPU\""},
    "changes_locale": {"process is left alone": "changes its locale in \"one GPU\""},
    "changes_rounding": {"scenario: one GPU": r"policy changes_rounding: decide has changed how floating-point numbers are rounded .*"},
    "changes_umask": {"process is left alone": "changes its umask in \"one GPU\""},
    "clock": {"same run, same decisions": r"action \d+ was start job .* now it is start job .*"},
    "crash": {"scenario: one GPU": SIGNAL},
    "crash_in_init": {f"scenario: {name}": SIGNAL for name in SCENARIOS},
    # 1000: MOST_VAIN_STOPS of engine/segments.c
    "endless_preemptions": {"scenario: one GPU type": r"job \d+ was stopped 1000 times in a row .*"},
    "endless_resizes": {"scenario: one GPU type": r"job \d+ was stopped 1000 times in a row .*"},
    "endless_wakes": {"scenario: one GPU": r"no job has arrived or finished during 100000 decisions: 1 starts, "
                      r"0 preemptions, 0 resizes, 0 limits, 10000\d wake-ups \(at t = .*"},
    "first_cluster": {"two runs at once": r"\"jobs across nodes\" beside \"malleable jobs\": action .*"},
    "gives_up_at_cap": {"power cap": r"policy gives_up_at_cap leaves \d+ jobs waiting for ever: .*"},
    "hang": {"scenario: burst of 2,000 jobs": r"did not end within 2 s of processor time \(at t = .*"},
    "leak": {"no memory leaks": r"2[34]\d\d bytes of the heap are lost in each run"},  # 2385 and malloc's own
    "leaver": {"scenario: one GPU": r"ended the process with exit status 0 \(at t = .*"},
    "odd_nan": {"scenario: odd jobs": r"policy odd_nan: decide failed: the value of the key of job late is not a number .*"},
    "open_files": {"no descriptors or processes left": "1 stay open after each run"},
    "prints": {"process is left alone": r"writes to standard output \"init of\\x1b\[31m prints\" in \"one GPU\""},
    "prints_errors": {"process is left alone": r"writes to standard error \"decided\" in \"one GPU\""},
    "reads_past_end": {"view is left alone": "writes into the view, or reads past an array of it, in: one GPU"},
    "refused": {"no action refused": r"\d+ of \d+ actions: not enough free GPUs \(\d+\)"},
    "sleeper": {"scenario: one GPU": r"did not end within 2 s of processor time \(at t = .*"},
    "small_jobs_only": {"scenario: jobs as large as the cluster": r"policy small_jobs_only leaves \d+ jobs waiting .*"},
    "static_counter": {"two runs at once": r"\".*\" beside \".*\": action .*"},
    **{f"undeclared_{name}": {"reads only what it declares": rf"{name.replace('_', ' ')}: action \d+ was start job .*"}
       for name in ("carbon", "price", "deadlines", "users", "forecasts", "run_times")},
    "writes_view": {"view is left alone": f"writes into the view, or reads past an array of it, in: {', '.join(SCENARIOS)}"},
}


def suite(policy, *more):
    """Exit status, {check: (result, text)} in the order printed, standard error."""
    done = easim("policies", "--test", policy, *more, code=None)
    lines = done.stdout.splitlines()
    checks = {}
    for line in lines[:-1]:
        check, result, text = re.fullmatch(r"(.*?) +(ok|FAILED|skipped)(?:: (.*))?", line).groups()
        checks[check] = (result, text or "")
    return done.returncode, checks, lines[-1:], done.stderr


def results(checks, which):
    return {check: text for check, (result, text) in checks.items() if result == which}


def passes(policy, *more):
    code, checks, last, errors = suite(policy, *more)
    assert list(checks) == CHECKS, (policy, list(checks))
    assert code == 0 and not results(checks, "FAILED") and not errors, (policy, results(checks, "FAILED"), errors)
    skipped = results(checks, "skipped")
    assert set(skipped) <= {"power cap", "decides as when asked anew", "does without optional extensions"}, (policy, skipped)
    assert last == [f"{len(CHECKS) - len(skipped)} ok, 0 failed, {len(skipped)} skipped"], last


def test_shipped_policies():
    for path in form(sorted((SOURCE / "policies").glob("*.c")), [SOURCE / f"policies/{name}.c" for name in ("easy", "exec", "zeus")]):
        if path.stem == "replay":
            continue
        # on a loaded machine a program of Python may need more than the least time to start, which is 1 s
        more = ["--param", f"command=python3 {SOURCE}/policies/exec/fcfs.py", "--param", "startup_timeout=1e4", "--param",
                "timeout=1e4"] if path.stem == "exec" else []
        passes(path.stem, *more)


def test_parameters_that_are_set():
    """bad_maximum takes all values of its one parameter but the greatest: 50 is left alone."""
    _, checks, _, _ = suite(PLUGINS / "faults/bad_maximum.so", "--param", "patience=50")
    assert checks["parameters"] == ("ok", "0 with 0 values, others as they are set"), checks["parameters"]
    _, checks, _, _ = suite(PLUGINS / "faults/bad_maximum.so", "--param", "patience=100")
    assert "too patient" in checks["scenario: one GPU"][1], checks


def test_record():
    """A policy that repeats a record of one workload cannot run others."""
    code, checks, last, errors = suite("replay")
    assert code == 0 and not errors and checks["loads"][0] == "ok", (code, errors, checks)
    assert list(checks) == ["loads", "all others"] and "RECORDED" in results(checks, "skipped")["all others"], checks
    assert last == ["1 ok, 0 failed, 1 skipped"], last


def finds(fault):
    # by the clock four times as much: the others may need it on a loaded machine
    code, checks, _, _ = suite(PLUGINS / "faults" / f"{fault}.so", "--limit", "2" if fault in ("hang", "sleeper") else "20")
    failed, expected = results(checks, "FAILED"), FAULTS[fault]
    assert list(checks) == CHECKS, (fault, list(checks))
    assert code == (1 if expected else 0), (fault, code)
    assert set(failed) == set(expected), (fault, failed)
    for check, pattern in expected.items():
        assert re.fullmatch(pattern, failed[check]), (fault, check, failed[check])


def test_faults():
    present = {path.stem for path in (SOURCE / "tests/policy/plugins/faults").glob("*.c")}
    undeclared = {name for name in FAULTS if name.startswith("undeclared_")}  # all of one source
    assert present == set(FAULTS) - undeclared | {"crash_on_load", "undeclared_input"}, present ^ set(FAULTS)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(finds, form(list(FAULTS), list(FAULTS)[::3])))


def test_ends_of_arrays(folder):
    """With --check the first byte behind each array of the view cannot be read; without, it is the next array's or nobody's."""
    for array in ("nothing", "view", "gpu_types", "nodes", "users", "configs", "jobs", "running", "events"):
        for more in ([], ["--check"]):
            done = easim("run", TINY, "--quiet", "--force", "--out", folder / "out", *more, "--policy", PLUGINS / "past_end.so", "--set",
                         f"policy.params.array={array}", code=None)
            if more and array != "nothing":
                # without easim's own handler in sanitized builds
                told = "ended by signal 11" if os.environ.get("EASIM_SANITIZED") else \
                    r"policy past_end .* crashed: SIGSEGV, a wrong address \(memory that is read-only or hidden"
                assert done.returncode == 1 and re.search(told, done.stderr), (array, done)
            else:
                assert done.returncode == 0, (array, more, done)


def test_declared_power_cap():
    """A policy that declares POWER_CAP and lives with it: the check is not skipped and passes."""
    _, checks, _, _ = suite(PLUGINS / "faults" / "gives_up_at_cap.so")
    assert results(checks, "skipped") == {"decides as when asked anew": "it is a free policy",
                                          "does without optional extensions": "it has none",
                                          "reads only what it declares": "it does not declare what it reads"}, checks


def test_optional_extensions():
    """It lists three that this easim lacks, one that it may lack, and one that it must have."""
    code, checks, _, _ = suite(PLUGINS / "sees_extensions.so")
    assert code == 0 and checks["does without optional extensions"] == ("ok", ""), (code, checks)
    said = easim("policies", PLUGINS / "sees_extensions.so").stdout
    assert "Capabilities: FORECAST SERVICES\n" in said, said
    assert re.findall("Extension that this easim lacks: (.*)", said) == ["easim.unheard_of/1", "easim.forecast/2", "easim.forecast/4294967295"], said


def test_link_to_nothing(folder):
    """A module that is there but cannot be opened is not told as a name that nobody has; another of this name is found behind it."""
    link, fcfs = Path(folder, "gone.so"), Path(folder, "fcfs.so")
    link.symlink_to("../away/gone.so")
    fcfs.symlink_to("../away/fcfs.so")
    environment = os.environ | {"EASIM_POLICY_PATH": f"{folder}:{os.environ.get('EASIM_POLICY_PATH', '')}"}
    why = f"{link}: cannot open: No such file or directory (it is a link to ../away/gone.so)"
    for words, code, expected in ((("policies", "gone"), 2, f"easim: {why}\n"), (("policies", "fcfs"), 0, ""),
                                  (("check", TINY, "--policy", "gone"), 2, f"easim: --policy: {why}\n")):
        done = easim(*words, env=environment, code=None)
        assert (done.returncode, done.stderr) == (code, expected), (words, done)


def test_what_cannot_be_tested():
    """Exit 2, nothing on standard output."""
    crashing = PLUGINS / "faults" / "crash_on_load.so"
    for arguments, message in ((["/nowhere.so"], "easim: cannot load policy: /nowhere.so: .*"),
                               (["zeuss"], "easim: no policy is named \"zeuss\", did you mean \"zeus\"\\? .*"),
                               ([str(crashing)], f"easim: {crashing}: ends the process while it is loaded and its tables are "
                                "read: it was ended by signal 11, Segmentation fault"),
                               (["zeus", "--param", "tua=1"], "--param tua: policy.params: .*has no parameter \"tua\".*"),
                               (["zeus", "--param", "tau"], "(?s)easim policies: --param: expected NAME=VALUE, got \"tau\".*")):
        code, checks, last, errors = suite(*arguments)
        assert code == 2 and not checks and not last, (arguments, code, checks, last)
        assert re.fullmatch(message, errors.strip()), (arguments, errors)


cases(*(value for name, value in globals().items() if name.startswith("test_")))
