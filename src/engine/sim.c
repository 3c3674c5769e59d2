/* Base operations on a simulation: see sim.h. */
#include "engine/sim.h"

/* --- event_order --- */

#define ROW(kind, rank, subject, decides, name, apply) {name, RANK_##rank, OF_##subject, decides},
const struct event_row event_rows[] = {EVENT_KINDS(ROW)};
#undef ROW

uint32_t event_order_rank(enum event_kind kind, bool arrivals_first) {
    uint32_t rank = event_rows[kind].rank;
    return arrivals_first && rank == RANK_FINISH ? RANK_LATE_FINISH : rank;
}

/* --- sim --- */

void sim_fail(struct sim *sim, int code, const char *format, ...) {
    if (sim->error.code < 0)
        return;
    struct str text = {0};
    va_list arguments;
    va_start(arguments, format);
    str_addv(&text, format, arguments);
    va_end(arguments);
    str_add(&text, " (at t = ");
    str_add_ns(&text, sim->now_ns);
    error_set(&sim->error, code, "%s s)", text.text);
    str_finish(&text);
}

void sim_notify(struct sim *sim, uint32_t job, enum job_change change) {
    for (const struct observer *const *o = sim->observers; *o; o++)
        if ((*o)->job)
            (*o)->job((*o)->context, sim, job, change);
}

uint32_t sim_push(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t payload) {
    uint32_t rank = event_order_rank(kind, sim->options.engine.equal_time != 0);
    if (sim->due.is_used && kind == EVENT_FINISH && time_ns == sim->now_ns)
        array_push(&sim->due.added, (struct due_job){.job = payload});
    if (kind != EVENT_ARRIVAL || sim->due.is_used) /* due jobs are visited in the heap's order */
        return eventq_push(&sim->events, time_ns, rank, kind, payload);
    eventq_push_apart(&sim->events, time_ns, rank, kind, payload);
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
