/* Ends of members that have no event: a change of their speed costs none, and they are looked at
   when they might end, at the speed of their full power. */
#include "engine/limits.h"

#include "base/units.h"

#include <math.h>

/* A member with less to go, or with less than a part of its run, has an event: few are changed with
   an event of their own, and few are looked at again and again. */
#define SOON_NS   1000000000
#define SOON_PART 32
/* More than what rounding does to the time to go. */
#define SLACK    1e-6
#define SLACK_NS 4096

/* When it ends if nothing holds it back from from_ns on. */
static void wake_later(struct sim *sim, size_t i, int64_t from_ns, int64_t end_ns) {
    struct limits *l = sim->limits;
    double speed = l->members.at[i].hold.goodput / l->classes.at.at[l->held.at[i]].fastest;
    double least_ns = (double)(end_ns - from_ns) * speed * (1 - SLACK) - SLACK_NS;
    l->rests.at[i].wake_ns = from_ns + (int64_t)fmax(0, least_ns);
    timeheap_push(&l->wakes, (double)l->rests.at[i].wake_ns, l->jobs.at[i]);
}

void limits_end_alone(struct sim *sim, uint32_t job, double end_work, enum event_kind kind) {
    struct limits *l = sim->limits;
    size_t i = limits_part(sim, job);
    int64_t end_ns = limits_reach_ns(sim, job, end_work);
    if (sim->runs[job].event != EVENT_NONE)
        eventq_cancel(&sim->events, sim->runs[job].event);
    sim->runs[job].event = EVENT_NONE;
    l->rests.at[i].end_work = end_work;
    l->rests.at[i].end_kind = (uint8_t)kind;
    l->flags.at[i] |= LIMIT_ALONE;
    sim->node_batches.members++;
    wake_later(sim, i, sim->now_ns, end_ns);
}

void limits_end_with_event(struct sim *sim, uint32_t job) {
    if (!limits_has_flag(sim, job, LIMIT_ALONE))
        return;
    sim->limits->flags.at[limits_part(sim, job)] &= (uint8_t)~LIMIT_ALONE;
    sim->node_batches.members--;
}

int64_t limits_next_event_ns(struct sim *sim) {
    struct limits *l = sim->limits;
    uint32_t job;
    while (l->wakes.entries.count > 0) {
        double entry_ns = l->wakes.entries.at[0].time_s;
        if (!timeheap_pop_due(&l->wakes, (double)eventq_next_ns(&sim->events), &job))
            break;
        if (!limits_has_flag(sim, job, LIMIT_ALONE) ||
            entry_ns != (double)l->rests.at[limits_index(sim, job)].wake_ns)
            continue; /* of before */
        struct limit_rest *rest = &l->rests.at[limits_index(sim, job)];
        int64_t end_ns = limits_reach_ns(sim, job, rest->end_work);
        int64_t part_ns = (rest->wake_ns - sim->progress[job].began_ns) / SOON_PART;
        if (end_ns - rest->wake_ns >= (part_ns > SOON_NS ? part_ns : SOON_NS)) {
            wake_later(sim, limits_index(sim, job), rest->wake_ns, end_ns);
            continue;
        }
        limits_end_with_event(sim, job);
        sim->runs[job].event = sim_push(sim, end_ns, rest->end_kind, job);
    }
    return eventq_next_ns(&sim->events);
}
