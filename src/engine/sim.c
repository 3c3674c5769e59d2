/* Base operations on a simulation: see sim.h. */
#include "engine/sim.h"

#include "base/units.h"

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

/* Rank of an event class among the events of one instant. */
static uint32_t class_rank(const struct sim *sim, enum event_kind kind) {
    static const uint8_t ranks[] = {
        [EVENT_CLUSTER] = 0, [EVENT_FAILURE] = 1,   [EVENT_REPAIR] = 1, [EVENT_MEASURE] = 2,
        [EVENT_SLEEP] = 3,   [EVENT_COMPUTING] = 4, [EVENT_FINISH] = 5, [EVENT_RELEASE] = 5,
        [EVENT_ARRIVAL] = 6, [EVENT_TIMER] = 8};
    bool arrivals_first = sim->options.engine.equal_time != 0;
    bool at_end = kind == EVENT_FINISH || kind == EVENT_RELEASE;
    return ranks[kind] + (arrivals_first && at_end ? 2 : 0);
}

uint32_t sim_push(struct sim *sim, int64_t time_ns, enum event_kind kind, uint32_t payload) {
    return eventq_push(&sim->events, time_ns, class_rank(sim, kind), kind, payload);
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
