#!/usr/bin/env python3
"""Values of the formulas of easim/predict.h and of the accessors: predict.py predict.csv [--check]

Writes the table, or compares it. It is frozen with policy interface 3.0: within a major version no value in it changes, so that a
policy that is compiled already computes what it did. The formulas are those of docs/reference/semantics.md (4, 5.1, 5.3, 15), written
once more here; a double operation in another order would be another value. An input that a row does not name is 0.
test_predict.c computes each row with the headers and compares all bits.
"""
import math
import sys
from pathlib import Path
from random import Random

ROWS = 80  # of each function
PENDING, WAITING, RUNNING, CHECKPOINTING, FINISHED, REJECTED = range(6)
NONE, NOFIT = 2**32 - 1, -1
INF = math.inf


class Draw(dict):
    """Inputs of a row; what is not drawn is 0. Every fourth row names those too that its value does not depend on."""

    def __init__(self, random, names_all):
        super().__init__()
        self.random, self.names_all, self.read = random, names_all, None

    def __getitem__(self, name):
        if self.read is not None:
            self.read.add(name)
        return self.get(name, 0)

    def drawn(self):
        """From here on what is read is what counts."""
        self.read = None if self.names_all else set()
        return self

    def named(self):
        return {name: value for name, value in self.items() if value and (self.read is None or name in self.read)}

    def real(self, name, low, high):
        self[name] = round(self.random.uniform(low, high), 3)
        return self[name]

    def whole(self, name, low, high):
        self[name] = self.random.randint(low, high)
        return self[name]

    def one(self, name, *values):
        self[name] = self.random.choice(values)
        return self[name]


# ---- jobs and users -------------------------------------------------------------------------------------------------

def draw_config(d):
    d.one("config.k", 1, 2, 3, 4, 6, 8, 16)
    if d.random.random() < 0.25:
        d["config.k"] = 1
        d.whole("config.milli", 1, 999)
    for span in range(2):
        d.real(f"config.goodput[{span}]", 0.05, 900)
        d.real(f"config.power_w[{span}]", 60, 1200)
    d.real("type.ctx_w", 40, 130)
    d.real("type.idle_w", 20, 90)


def draw_job(d, *states):
    """A job that may run, at a goodput and power that are not those of its configuration."""
    d["job.state"] = d.random.choice(states)
    d.real("view.now_s", 0, 90000)
    d["job.start_s"] = round(d["view.now_s"] * d.random.random(), 3)
    d.real("job.setup_s", 0, 200)
    d.one("job.span", 0, 1)
    d.real("job.remaining", 1, 200000)
    d.real("job.goodput_now", 0.05, 60)
    d.real("job.power_now_w", 60, 1200)
    d.real("job.checkpoint_s", 0, 90)
    d.real("job.restart_s", 0, 90)
    if d.random.random() < 0.5:
        d.real("job.checkpoint_interval_s", 20, 4000)
    if d.random.random() < 0.4:
        d["job.rate_s"] = round(d.random.uniform(d["job.start_s"], d["view.now_s"]), 3)
        d.real("job.unsaved_work", 0, 500)
    if d.random.random() < 0.3:
        d["job.saved_at_s"] = round(d["view.now_s"] + d.random.uniform(-60, 60), 3)
    d.one("at_once", 0, 1)


def computing_s(d):
    return max(0.0, d["view.now_s"] - d["job.start_s"] - d["job.setup_s"])


def rate_computing_s(d):
    return min(computing_s(d), d["view.now_s"] - d["job.rate_s"])


def remaining(d):
    if d["job.state"] != RUNNING:
        return d["job.remaining"]
    return max(0.0, d["job.remaining"] - rate_computing_s(d) * d["job.goodput_now"])


def lost_s(d, at_once):
    if d["job.checkpoint_interval_s"] > 0:
        return math.fmod(computing_s(d), d["job.checkpoint_interval_s"])
    return computing_s(d) if at_once else 0.0


def lost_work(d):
    """Behind the instant at which the rate changed the work is known; before it, seconds count."""
    seconds, since = lost_s(d, False), rate_computing_s(d)
    if seconds > since:
        return since * d["job.goodput_now"] + d["job.unsaved_work"]
    return seconds * d["job.goodput_now"]


def writes_s(d):
    if d["job.checkpoint_interval_s"] > 0:
        return 0.0
    return max(d["job.checkpoint_s"] if computing_s(d) > 0 else 0.0, d["job.saved_at_s"] - d["view.now_s"])


def gpus(d):
    return d["config.milli"] / 1000 if d["config.milli"] else float(d["config.k"])


def held_gpu_s(d):
    if d["job.state"] not in (RUNNING, CHECKPOINTING) or d["job.config"] == NONE:
        return d["job.held_gpu_s"]
    return d["job.held_gpu_s"] + gpus(d) * (d["view.now_s"] - d["job.start_s"])


def kept_s(d):
    if d["job.state"] != RUNNING:
        return d["job.kept_s"]
    return d["job.kept_s"] + computing_s(d) - lost_s(d, False)


def kept_gpu_s(d):
    if d["job.state"] != RUNNING:
        return d["job.kept_gpu_s"]
    return d["job.kept_gpu_s"] + gpus(d) * (kept_s(d) - d["job.kept_s"])


def job_rows(name, value, *states):
    def row(d):
        draw_job(d, *states)
        return name, value(d.drawn())
    return row


def past_rows(name, value):
    def row(d):
        draw_config(d)
        draw_job(d, WAITING, RUNNING, RUNNING, RUNNING, CHECKPOINTING, FINISHED, REJECTED)
        if d["job.state"] == WAITING or (d["job.state"] == CHECKPOINTING and d.random.random() < 0.5):
            d["job.config"] = NONE
        for past in ("held_gpu_s", "kept_s", "kept_gpu_s"):
            d.real(f"job.{past}", 0, 5000)
        return name, value(d.drawn())
    return row


def usage(d):
    now_s = d.real("view.now_s", 0, 90000)
    as_of_s = d["user.as_of_s"] = round(now_s * d.random.random(), 3)
    gpu_s = d.real("user.gpu_s", 0, 70000)
    held = d.whole("user.allocated_gpus", 0, 64) + d.one("user.shared_milli", 0, 0, 350, 1999) / 1000
    half_life_s = d.one("view.usage_half_life_s", INF, 3600, 86400.5, 1234.567)
    if half_life_s == INF:
        return "easim_user_usage_s", gpu_s + held * (now_s - as_of_s)
    fade = math.exp2(-(now_s - as_of_s) / half_life_s)
    return "easim_user_usage_s", gpu_s * fade + held * (1 - fade) * half_life_s / 0.69314718055994531


def age(d):
    return "easim_job_age_s", d.real("view.now_s", 0, 90000) - d.real("job.submit_s", 0, 90000)


def predicted_end(d):
    now_ns = d.whole("view.now_ns", 0, 10**13)
    end_ns = d.one("end_ns", now_ns - 5, now_ns, now_ns + 1, now_ns + 10**9, d.random.randint(0, 10**13))
    return "easim_predicted_end_ns", max(end_ns, now_ns + 1)


# ---- placement ------------------------------------------------------------------------------------------------------

def draw_room(d):
    """Up to four spans, of which each has at least what the one before has."""
    draw_config(d)
    d["config.k"] = 1 if d["config.milli"] else d.random.randint(1, 12)
    spans = d.whole("view.span_count", 2, 4)
    for span in range(spans):
        d[f"config.goodput[{span}]"] = d.random.choice([0, 1.5, 2.25, 3])
    free, most = 0, 0
    for span in range(spans):
        most = d[f"type.span_gpus_max[{span}]"] = most + d.random.choice([0, 2, 4, 8])
        free = d[f"type.span_free_max[{span}]"] = min(most, max(free, d.random.randint(0, 12)))
    d["type.node_gpus_max"], d["type.node_free_max"] = d["type.span_gpus_max[0]"], d["type.span_free_max[0]"]
    d["type.gpus"], d["type.free"] = most, free
    d.one("type.shared_free_max_milli", 0, 250, 600)


def room(d):
    k, milli = d["config.k"], d["config.milli"]
    if k <= d["type.node_free_max"] or (milli and milli <= d["type.shared_free_max_milli"]):
        return 0
    if k > d["type.free"]:
        return NOFIT
    return next((s for s in range(1, d["view.span_count"] - 1) if k <= d[f"type.span_free_max[{s}]"]), d["view.span_count"] - 1)


def fit(d):
    span = room(d)
    return span if span >= 0 and d[f"config.goodput[{span}]"] > 0 else NOFIT


def fit_later(d):
    """Any span up to the highest that it could get must be known, if the job could be in one of that kind."""
    k, last = d["config.k"], d["view.span_count"] - 1
    known = [d[f"config.goodput[{s}]"] > 0 for s in range(last + 1)]
    if k <= d["type.node_free_max"] or d["type.node_gpus_max"] == d["type.gpus"]:
        return 0 if known[0] else NOFIT
    if k <= d["type.node_gpus_max"] and not known[0]:
        return NOFIT
    span = 1
    while span < last and k > d[f"type.span_free_max[{span}]"] and d[f"type.span_gpus_max[{span}]"] != d["type.gpus"]:
        if k <= d[f"type.span_gpus_max[{span}]"] and not known[span]:
            return NOFIT
        span += 1
    return span if known[span] else NOFIT


def room_rows(name, value):
    def row(d):
        draw_room(d)
        return name, value(d.drawn())
    return row


def fits(d):
    draw_room(d)
    state, exact, answer = d.one("job.state", WAITING, RUNNING), d.one("view.fit_is_exact", 0, 1), d.one("answer", 0, 1, 2, -1, -2, -3)
    return "easim_fits", fit(d) if exact and state == WAITING else answer


# ---- predictions ----------------------------------------------------------------------------------------------------

def choice(d, setup_s, work_s, power_w):
    energy_j = gpus(d) * (d["type.ctx_w"] * setup_s + power_w * work_s)
    time_s = setup_s + work_s
    return {"time_s": time_s, "energy_j": energy_j, "edp_js": energy_j * time_s, "setup_s": setup_s, "gpus": gpus(d),
            "power_w": power_w, "ctx_w": d["type.ctx_w"], "idle_w": d["type.idle_w"]}


def choice_rows(name, of, *states):
    def row(d):
        draw_config(d)
        draw_job(d, *states)
        d.one("span", 0, 1)
        member, value = d.random.choice(list(of(d.drawn()).items())[:d.random.choice([3, 3, 3, 8])])
        return f"{name}.{member}", value
    return row


def predict(d):
    span = d["span"]
    return choice(d, d["job.setup_s"], d["job.remaining"] / d[f"config.goodput[{span}]"], d[f"config.power_w[{span}]"])


def predict_running(d):
    setup_s = max(0.0, d["job.start_s"] + d["job.setup_s"] - d["view.now_s"])
    return choice(d, setup_s, remaining(d) / d["job.goodput_now"], d["job.power_now_w"])


def predict_resized(d):
    span = d["span"]
    work = remaining(d) + lost_work(d)
    setup_s = d["job.restart_s"] + min(d["job.checkpoint_s"], writes_s(d))
    return choice(d, setup_s, work / d[f"config.goodput[{span}]"], d[f"config.power_w[{span}]"])


def choice_edp(d):
    time_s, energy_j = d.real("choice.time_s", 1, 90000), d.real("choice.energy_j", 1, 1e8)
    held, idle_w = d.one("choice.gpus", 1, 2, 8, 0.35), d.real("choice.idle_w", 20, 90)
    exponent, marginal = d.one("exponent", 0, 0.5, 1, 1, 1.7, 2, 3.25), d.one("marginal", 0, 1)
    energy_j -= held * idle_w * time_s if marginal else 0.0
    return "easim_choice_edp", energy_j * (time_s if exponent == 1 else math.pow(time_s, exponent))


# ---- accessors ------------------------------------------------------------------------------------------------------

ARRAYS = ("gpu_type", "node", "user", "config", "running", "checkpointing", "event")

ACCESSORS = (*(f"easim_view_{array}" for array in ARRAYS), "easim_forecast_at", "easim_service_at", "easim_replica_config_at", "easim_replica_at")


def accessor(d):
    """The place of an element in its array, in bytes."""
    name = d.random.choice(ACCESSORS)
    place = d.whole("index", 0, 100000) * d.one("stride", 8, 24, 72, 176, 304)
    return name, place + (d.whole("site", 0, 7) * d.one("site_stride", 0, 96, 1328) if name == "easim_forecast_at" else 0)


def draw_jobs(d):
    """A job by its number of three, one event, and whether the job of that number is here."""
    d.one("index", 0, 1, 2, 3, 77, NONE)
    d.one("job.here", 0, 0, 1)
    d.one("event.job", 0, 1, 2, 3, NONE)


def view_job(d):
    """1: it is in the view."""
    draw_jobs(d)
    return "easim_view_job", int(d["index"] < 3 and bool(d["job.here"] or d["event.job"] == d["index"]))


def has_event(d):
    draw_jobs(d)
    return "easim_view_has_event_of", int(d["event.job"] == d["index"])


def job_memory(d):
    """Its place, in bytes; -1: none."""
    draw_jobs(d)
    state, stride = d.one("job.state", PENDING, WAITING, RUNNING, FINISHED), d.one("stride", 16, 32, 176)
    return "easim_job_memory", d["index"] * stride if d["index"] < 3 and state != PENDING else -1


FAMILIES = (
    usage, age, predicted_end, accessor, view_job, has_event, job_memory, choice_edp, fits,
    job_rows("easim_job_computing_s", computing_s, RUNNING),
    job_rows("easim_job_rate_computing_s", rate_computing_s, RUNNING),
    job_rows("easim_job_remaining", remaining, WAITING, RUNNING, RUNNING, CHECKPOINTING, FINISHED),
    job_rows("easim_job_lost_s", lambda d: lost_s(d, d["at_once"]), RUNNING),
    job_rows("easim_job_lost_work", lost_work, RUNNING),
    job_rows("easim_job_writes_s", writes_s, RUNNING),
    past_rows("easim_config_gpus", gpus),
    past_rows("easim_job_held_gpu_s", held_gpu_s),
    past_rows("easim_job_kept_s", kept_s),
    past_rows("easim_job_kept_gpu_s", kept_gpu_s),
    room_rows("easim_room", room),
    room_rows("easim_fit", fit),
    room_rows("easim_fit_later", fit_later),
    choice_rows("easim_predict", predict, WAITING),
    choice_rows("easim_predict_running", predict_running, RUNNING),
    choice_rows("easim_predict_resized", predict_resized, RUNNING),
)


def table():
    lines = ["function,inputs,value"]
    for number, family in enumerate(FAMILIES):
        for row in range(ROWS):
            draw = Draw(Random(f"predict {number} {row}"), row % 4 == 0)
            name, value = family(draw)
            inputs = " ".join(f"{key}={read!r}" for key, read in draw.named().items())
            lines.append(f"{name},{inputs},{float(value)!r}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    path, text = Path(sys.argv[1]), table()
    if sys.argv[2:] == ["--check"]:
        assert path.read_text(encoding="utf-8") == text, f"{path} is not what {sys.argv[0]} writes"
    else:
        path.write_text(text, encoding="utf-8")
