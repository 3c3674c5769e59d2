/* Base operations on a simulation: see sim.h. */
#include "engine/sim.h"

/* --- event_order --- */

#define ROW(kind, rank, subject, decides, name, apply) {name, RANK_##rank, OF_##subject, decides},
const struct event_row event_rows[] = {EVENT_KINDS(ROW)};
#undef ROW

uint32_t event_order_rank(enum event_kind kind, bool arrivals_first) {
    uint32_t rank = event_rows[kind].rank;
    bool late = arrivals_first && rank == RANK_FINISH && kind != EVENT_REQUESTED_FINISH;
    return late ? RANK_LATE_FINISH : rank;
}

/* --- words for what observers are told --- */

const char *const action_names[] = {"start",    "preempt",  "wake",       "reject",     "resize",
                                    "exchange", "scale_up", "scale_down", "wake_clear", "limit"};

const char *const refusal_names[] = {REFUSALS(NAME_OF), [REFUSED_NOT] = "ok"};

const char *const segment_kind_names[] = {
    [SEGMENT_NONE] = "none",         [SEGMENT_QUEUED] = "queued",         [SEGMENT_SETUP] = "setup",
    [SEGMENT_RUN] = "run",           [SEGMENT_CHECKPOINT] = "checkpoint", [SEGMENT_LOST] = "lost",
    [SEGMENT_RESERVED] = "reserved", [SEGMENT_LOADING] = "loading",       [SEGMENT_SERVE] = "serve",
};

const char *const segment_cause_names[] = {SEGMENT_CAUSE_ROWS(NAME_OF)};

/* --- sim --- */

void sim_fail(struct sim *sim, const char *format, ...) {
    if (sim->error.code < 0)
        return;
    struct str text = {0};
    va_list arguments;
    va_start(arguments, format);
    str_addv(&text, format, arguments);
    va_end(arguments);
    str_add(&text, " (at t = ");
    str_add_ns(&text, sim->now_ns);
    error_set(&sim->error, ERROR_RUN, "%s s)", text.text);
    str_finish(&text);
}

void sim_notify(struct sim *sim, uint32_t job, enum job_change change) {
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->job)
            (*o)->job((*o)->context, sim, job, change);
}

/* For a job that holds GPUs: the number of the start by which it got them. Otherwise that of the
   subject of the event. */
static uint64_t number_of(const struct sim *sim, enum event_kind kind, uint32_t payload) {
    if (event_rows[kind].subject == OF_JOB)
        return sim->runs[payload].start;
    if (kind != EVENT_REPLICA)
        return payload == EASIM_NONE ? 0 : payload;
    const struct replica *replica = &sim->services.replicas.at[payload];
    uint64_t of_each = EVENT_NUMBERS / sim->services.count;
    return replica->number < of_each ? replica->service * of_each + replica->number : EVENT_NUMBERS;
}

static void refuse_number(struct sim *sim, enum event_kind kind) {
    static const char *const counted[] = {[OF_CLUSTER] = "signals",
                                          [OF_NODE] = "nodes",
                                          [OF_SERVICE] = "replicas of a service",
                                          [OF_JOB] = "starts, restarts and resizes",
                                          [OF_WORKLOAD] = "jobs"};
    sim_fail(sim, "there are more %s than easim can put in order",
             counted[event_rows[kind].subject]);
}

/* Decision 0009. */
static bool finishes_as_requested(const struct sim *sim, uint32_t job, int64_t time_ns) {
    return !sim->options.engine.coalesce && sim->view.jobs[job].predicted_end_ns == time_ns;
}

uint32_t sim_push(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t payload) {
    bool arrivals_first = sim->options.engine.equal_time != 0;
    uint64_t number = number_of(sim, kind, payload);
    if (number >= EVENT_NUMBERS)
        refuse_number(sim, kind);
    if (arrivals_first && kind == EVENT_FINISH && finishes_as_requested(sim, payload, time_ns))
        kind = EVENT_REQUESTED_FINISH;
    uint64_t order = eventq_order(event_order_rank(kind, arrivals_first),
                                  (uint32_t)number % EVENT_NUMBERS, kind);
    if (kind != EVENT_ARRIVAL)
        return eventq_push(&sim->events, time_ns, order, payload);
    eventq_push_apart(&sim->events, time_ns, order, payload);
    return EVENT_NONE;
}

uint32_t sim_push_background(struct sim *sim, int64_t time_ns, enum event_kind kind,
                             uint32_t node) {
    sim->background++;
    return sim_push(sim, time_ns, kind, node);
}

void sim_cancel_background(struct sim *sim, uint32_t event) {
    sim->background--;
    eventq_cancel(&sim->events, event);
}
