/* Running jobs that change in place, on the same GPUs: speed, share, limit. See segments.h. */
#include "engine/contention.h"
#include "engine/gpus.h"
#include "engine/limits.h"
#include "engine/power_cap.h"
#include "engine/segments.h"

/* Its step begins at this instant. */
static bool utilization_is_due(const struct sim *sim, uint32_t job) {
    uint32_t event = sim->uses[job].event;
    return event != EVENT_NONE && eventq_time_ns(&sim->events, event) <= sim->now_ns;
}

/* Its speed has changed: its events move. */
static void move_events(struct sim *sim, uint32_t job) {
    segments_move_end(sim, job);
    if (utilization_changes(sim, job) && !utilization_is_due(sim, job)) {
        segments_cancel_utilization(sim, job);
        segments_await_utilization(sim, job);
    }
}

/* --- limits --- */

/* The hold of its class and place comes to hold. A job that ends at this instant keeps its speed.
 */
static void change_limit(struct sim *sim, uint32_t job) {
    const struct job_run *run = &sim->runs[job];
    bool computes = run->segment == SEGMENT_RUN;
    if ((computes && segments_is_due(sim, job)) || !limits_apply(sim, job) || !computes)
        return;
    if (!limits_has_flag(sim, job, LIMIT_TOUCHED) || limits_has_flag(sim, job, LIMIT_ALONE))
        return;
    if (utilization_changes(sim, job))
        move_events(sim, job);
    else
        limits_end_alone(sim, job, run->remaining - phase_end_work(sim, job),
                         segments_end_of_run(sim, job));
}

/* Its class is another: segment and meter know the old one. */
static void change_wish(struct sim *sim, uint32_t job) {
    struct job_run *run = &sim->runs[job];
    bool computes = run->segment == SEGMENT_RUN;
    if (computes && segments_is_due(sim, job))
        return;
    if (computes) {
        segments_cut_in_place(sim, job, CAUSE_LIMIT);
        segments_meter_off(sim, job);
        limits_take_flag(sim, job, LIMIT_METERED);
    }
    run->config = sim->limits->classes.at.at[sim->limits->class_of[job]].config;
    change_limit(sim, job);
    if (computes) {
        segments_meter_on(sim, job);
        limits_compute(sim, job);
    }
}

static void change_any(struct sim *sim, uint32_t job) {
    if (limits_is_wish(sim, job))
        change_wish(sim, job);
    else
        change_limit(sim, job);
}

void segments_change_limits(struct sim *sim, uint32_t gpu_type) {
    limits_pass_due(sim, gpu_type, change_any);
}

void segments_cut_limited(struct sim *sim) {
    const struct limits *l = sim->limits;
    for (size_t i = 0; sim->cap && sim->tells_segments && i < l->jobs.count; i++)
        if (l->flags.at[i] & LIMIT_METERED && !segments_is_due(sim, l->jobs.at[i])) {
            segments_cut_in_place(sim, l->jobs.at[i], CAUSE_ACCOUNT);
            limits_compute(sim, l->jobs.at[i]);
        }
}

/* A job that began to compute at this instant gets its place, and then the event of its end. */
static void settle_start(struct sim *sim, uint32_t job) {
    bool lacks_event = limits_take_flag(sim, job, LIMIT_ALONE);
    sim->node_batches.members -= lacks_event;
    change_limit(sim, job);
    if (lacks_event && !limits_has_flag(sim, job, LIMIT_ALONE))
        segments_move_end(sim, job);
}

void segments_settle_limits(struct sim *sim) {
    struct limits *l = sim->limits;
    power_cap_settle(sim);
    limits_ask_followed(sim);
    for (size_t i = 0; i < l->fresh.count; i++)
        if (limits_take_flag(sim, l->fresh.at[i], LIMIT_FRESH))
            settle_start(sim, l->fresh.at[i]);
    l->fresh.count = 0;
}

/* --- speed and share --- */

void segments_change_speed(struct sim *sim, uint32_t job, double factor) {
    if (segments_is_due(sim, job))
        return;
    progress_begin_stretch(sim, job);
    sim->progress[job].factor = factor;
    move_events(sim, job);
}

/* Whether a segment of a job in no batch that began before ends, because the wanted share changes
   its power. */
static bool share_cuts(const struct sim *sim, uint32_t job) {
    return sim->runs[job].segment_start_ns < sim->now_ns &&
           gpus_running_at_nw(sim, job, contention_wanted_share(sim, job)) !=
               gpus_present_nw(sim, job);
}

void segments_cut_shares(struct sim *sim) {
    struct contention *c = sim->contention;
    contention_list_batched(sim);
    for (size_t i = 0; i < c->changed.count; i++)
        if (!segments_is_due(sim, c->changed.at[i]) && share_cuts(sim, c->changed.at[i]))
            array_push(&c->cut, c->changed.at[i]);
    sort_array(c->cut.at, c->cut.count, by_uint32);
    for (size_t i = 0; i < c->cut.count; i++)
        segments_cut_in_place(sim, c->cut.at[i], CAUSE_CONTENTION);
}

void segments_change_share(struct sim *sim, uint32_t job) {
    if (segments_is_due(sim, job))
        return;
    if (share_cuts(sim, job))
        segments_cut_in_place(sim, job, CAUSE_CONTENTION);
    segments_meter_off(sim, job);
    progress_begin_stretch(sim, job);
    contention_take_share(sim, job);
    sim->progress[job].factor = progress_factor(sim, job);
    segments_meter_on(sim, job);
    segments_move_end(sim, job);
    contention_join(sim, job);
}
