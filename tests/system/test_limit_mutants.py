"""Mistakes in power limits that tests must notice, each by its own test: test_limit_mutants.py EASIM SOURCE BUILD

A mistake is one text in a file of src in place of another. That file alone is compiled again, and goes before the library when
easim, or the tests of policies, are linked. Without a mistake the same tests pass.
"""
import json
import shlex
import sys
from pathlib import Path

from harness import FILES, SOURCE, cases, form, run, skip

BUILD = FILES[0]
KEEPS_TIME = "l->pending.at[i] >= 0 || l->flags.at[i] & LIMIT_FRESH"
ASKED = "!changed[t->group] || t->pending >= 0 ||"
CONTEXT = "ctx_nw = power_nw(all->cluster->gpu_types[c->gpu_type].ctx_w);\n    int64_t full_nw"
# Words: of a Python test, or "policy" and a suite of its program; and what it prints then.
BY_HAND, AGAIN = ["test_caps_by_hand.py"], ["test_caps_again.py"]
MISTAKES = {
    "a pending wish takes the time of the newer one": (
        "limits.c", KEEPS_TIME, "l->flags.at[i] & LIMIT_FRESH", ["policy", "set_limits"], "pending_change_keeps_its_time"),
    "a pending change of the host takes the time of the newer one": (
        "limit_tracks.c", ASKED, "!changed[t->group] ||", [*AGAIN, "capped", "--count", "60"], "has put off a change"),
    "what a job counts omits ctx_w": (
        "limit_class.c", CONTEXT, "ctx_nw = 0;\n    int64_t full_nw", [*BY_HAND, "held_with_context"], "failed: held_with_context"),
    "a start pushes a job below its flex": (
        "limit_class.c", "c->entry_nw = between(flex_nw, c->entry_nw, want_nw);", "", [*BY_HAND, "starts_keep_flex"],
        "failed: starts_keep_flex"),
    "a start slows a job of flex 0": (
        "limit_class.c", "rules->order == CAP_ORDER_BY_FLEX ? want_nw : c->entry_nw;", "c->entry_nw;", [*BY_HAND, "starts_keep_flex"],
        "failed: starts_keep_flex"),
    "an event takes its baseline from two hours": (
        "cluster_signals.c", "((int64_t)3600 * NS_PER_S)", "((int64_t)7200 * NS_PER_S)", [*AGAIN, "events_by_hand"], "failed: events_by_hand"),
    "a ramp falls by half until its end": (
        "cluster_signals.c", "* step / CAP_EVENT_STEPS;\n    return", "* step / 2 / CAP_EVENT_STEPS;\n    return", [*AGAIN, "events_by_hand"],
        "failed: events_by_hand"),
    "forecasts show events from the next hour on": (
        "cluster_signals.c", "(hour == f->hour && f->noticed == sim->changes.events.noticed)", "hour == f->hour", ["policy", "forecasts"],
        "forecasts::events"),
    "a job at its least draw is below its flex": (
        "limit_class.c", "return draw_w > least_w ?", "return least_w > 0 ?", [*AGAIN, "eventful", "--seed", "80", "--count", "10"], "flex_broken_s"),
    "flexibility of before is that of the present utilization": (
        "limits.c", "broken_before_ns - broken_ns(l, i, m->throttled_ns);", "0 * broken_before_ns;", [*BY_HAND, "use_changes"],
        "failed: use_changes"),
    "a draw stays below the least of the new power": (
        "limits.c", "gpu_nw > least_nw ? gpu_nw : least_nw", "gpu_nw + 0 * least_nw", [*BY_HAND, "use_changes"], "failed: use_changes"),
    "a stopped job waits with the utilization of its lost work": (
        "jobs.c", "    if (utilization_changes(sim, job))\n        utilization_begin(sim, job);\n", "", [*BY_HAND, "use_of_lost_work"],
        "failed: use_of_lost_work"),
    "a change to what the last filling gave its new power": (
        "in_place.c", "power_cap_settle(sim);\n    limits_ask_followed(sim);", "limits_ask_followed(sim);\n    power_cap_settle(sim);",
        ["test_caps_resized.py", "resized", "--seed", "114", "--count", "1"], "limit_lost_s"),
    # Those of --check, which the tests of caps have on.
    "draws never rise again": (
        "power_cap.c", "x != place->x[r];", "x < place->x[r];", [*BY_HAND, "held_with_context"], "does not draw what it should"),
    "draws stay as the last cap had them": (
        "power_cap.c", "if (sim->cap)\n        sim->cap->is_dirty = true;", "", [*BY_HAND, "starts_keep_flex"], "are to draw more than cap 0 allows"),
    "those with flex rise first": (
        "power_cap.c", "[GROUP_RIGID] = {.stage = {0}, .ranges = 1}", "[GROUP_RIGID] = {.stage = {2}, .ranges = 1}",
        [*BY_HAND, "flex_and_utilization"], "is to draw"),
    "energy at the draw that is to come": (
        "limits.c", "m->energy += (int128)m->hold.nw * passed_ns;\n        m->throttled_ns", "m->energy += (int128)m->hold.nw;\n        m->throttled_ns",
        [*AGAIN, "capped", "--count", "60"], "check: "),
    # Members of a track.
    "energy of a track at the draw that is to come": (
        "limit_tracks.c", "t->total.energy += (int128)old.nw * passed_ns;", "t->total.energy += (int128)hold.nw * passed_ns;",
        [*AGAIN, "moved_often", "--count", "10"], "differs without --check"),
    "work of a track at the speed that is to come": (
        "limit_tracks.c", "units_s(sim->now_ns - t->done_ns) * old.goodput;", "units_s(sim->now_ns - t->done_ns) * hold.goodput;",
        [*AGAIN, "moved_often", "--count", "10"], "differs without --check"),
}


def words_of(target):
    """The command that links a program."""
    shown = run("ninja", "-C", BUILD, "-t", "commands", target).stdout.splitlines()
    return shlex.split(next(line for line in reversed(shown) if f"-o {target} " in line))


def text_of(name):
    return (SOURCE / "src/engine" / name).read_text(encoding="utf-8")


def compiled(folder, name, old, new):
    """The object of a file of the engine with another text in it."""
    path = SOURCE / "src/engine" / name
    (folder / name).write_text(f'#line 1 "{path}"\n{text_of(name).replace(old, new)}', encoding="utf-8")
    entry = next(entry for entry in json.loads((BUILD / "compile_commands.json").read_text())
                 if Path(entry["directory"], entry["file"]).resolve() == path)
    words = shlex.split(entry["command"])
    for option, of in (("-o", "mistake.o"), ("-MF", "mistake.d"), ("-c", name)):
        words[words.index(option) + 1] = str(folder / of)
    run(*words, "-Wno-error", cwd=BUILD)
    return folder / "mistake.o"


def linked(folder, target, objects):
    words = words_of(target)
    if "src/libeasim.a" not in words:
        skip("easim is not linked with a static library")
    words[words.index("-o") + 1] = str(folder / "program")
    at = words.index("src/libeasim.a")
    run(*words[:at], *objects, *words[at:], cwd=BUILD)
    return folder / "program"


def tested(folder, test, objects):
    """The exit status of a test with such objects, and all that it prints."""
    if test[0] == "policy":
        done = run(linked(folder, "tests/policy/policy", objects), *test[1:], "--jobs", "1", code=None)
    else:
        program = linked(folder, "easim", objects)
        done = run(sys.executable, SOURCE / "tests/system" / test[0], program, SOURCE, *test[1:], code=None)
    return done.returncode, done.stdout + done.stderr


def without_one(folder):
    for test in {tuple(test) for *_, test, _ in MISTAKES.values()}:
        code, told = tested(folder, test, [])
        assert code == 0, (test, told)


def each_is_noticed(folder):
    for mistake, (name, old, new, test, says) in MISTAKES.items():
        code, told = tested(folder, test, [compiled(folder, name, old, new)])
        assert code != 0, f"{mistake}: {' '.join(test)} passes"
        assert says in told, (mistake, says, told)
        print(f"{mistake}: {' '.join(test)} says {says!r}")
    return len(MISTAKES)


def texts_are_there(folder):
    for name, old, *_ in MISTAKES.values():
        assert text_of(name).count(old) == 1, (name, old)
    return len(MISTAKES)


cases(texts_are_there, *form([without_one, each_is_noticed], []))
