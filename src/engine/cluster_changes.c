/* Changes of cap, price and carbon: see cluster_changes.h. Invariant: the view holds the values of
 * the present instant. */
#include "engine/cluster_changes.h"

#include "base/units.h"

#define ROUNDS_WITH_FAILURES 100
#define MOST_TIMERS_ALONE    100000 /* one an hour: eleven years */

static void show_value(struct sim *sim, uint32_t which) {
    struct easim_view *v = view_header(&sim->view);
    double *const values[CHANGE_COUNT] = {&v->power_cap_w, &v->price_per_mwh, &v->carbon_g_per_kwh};
    *values[which] = sim->changes.cursors[which].value;
}

static void push_next_change(struct sim *sim, uint32_t which) {
    int64_t next_ns = series_next_ns(&sim->changes.cursors[which]);
    if (next_ns == TIME_NONE_NS)
        return;
    sim_push(sim, next_ns, EVENT_CLUSTER, which);
    sim->changes.pending++;
}

int64_t cluster_changes_common_period_ns(int64_t a_ns, int64_t b_ns) {
    int64_t a = a_ns, b = b_ns, most_ns = (int64_t)TIME_MAX_S * NS_PER_S;
    if (a_ns == 0 || b_ns == 0)
        return a_ns + b_ns;
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a_ns / a > most_ns / b_ns ? most_ns : a_ns / a * b_ns;
}

void cluster_changes_init(struct sim *sim) {
    const struct series *const series[CHANGE_COUNT] = {
        &sim->cluster->cap_series, &sim->options.prices.price, &sim->options.prices.carbon};
    struct cluster_changes *c = &sim->changes;
    for (uint32_t i = 0; i < CHANGE_COUNT; i++) {
        if (!series[i]->kind)
            continue; /* a constant */
        series_start(&c->cursors[i], series[i]);
        show_value(sim, i);
        push_next_change(sim, i);
        c->round_ns = cluster_changes_common_period_ns(c->round_ns, series_period_ns(series[i]));
        if (series_last_ns(series[i]) != TIME_NONE_NS &&
            (!c->end || series_last_ns(series[i]) < series_last_ns(c->end)))
            c->end = series[i];
    }
}

void cluster_changes_apply(struct sim *sim, uint32_t which) {
    struct series_cursor *cursor = &sim->changes.cursors[which];
    sim->changes.pending--;
    series_pass(cursor);
    show_value(sim, which);
    push_next_change(sim, which);
    if (series_period_ns(cursor->series) == 0)
        cluster_changes_reset_round(sim);
    view_add_event(&sim->view, EASIM_EVENT_CLUSTER, EASIM_NONE);
}

void cluster_changes_reset_round(struct sim *sim) {
    sim->changes.idle_since_ns = sim->changes.alone_since_ns = sim->now_ns;
    sim->changes.timers_alone = 0;
}

void cluster_changes_push_timer(struct sim *sim, int64_t time_ns) {
    sim->changes.timers++;
    sim_push(sim, time_ns, EVENT_TIMER, EASIM_NONE);
}

void cluster_changes_pass_timer(struct sim *sim) {
    sim->changes.timers--;
    sim->changes.timers_alone++;
    sim->changes.idle_since_ns = sim->now_ns;
}

void cluster_changes_check_end(struct sim *sim, int64_t to_ns) {
    const struct series *end = sim->changes.end;
    if (end && to_ns > series_last_ns(end))
        sim_fail(sim, ERROR_RUN,
                 "%s: %s ends at t = %.9g s, before the run does; period: DURATION would repeat it",
                 end->kind->path, end->file, units_s(series_last_ns(end)));
}

static bool changes_once_more(const struct series_cursor *cursor) {
    return cursor->series && series_period_ns(cursor->series) == 0 &&
           series_next_ns(cursor) != TIME_NONE_NS;
}

/* A backlog that falls will be gone, and then replicas may go. */
static bool backlog_falls(const struct service_run *run) {
    return run->backlog > 0 &&
           (run->flow == FLOW_LATE ||
            (run->flow == FLOW_BACKLOG && run->demand_per_s < run->capacity_per_s));
}

/* Where services are, a change that does not come again is awaited however far it is. */
static bool once_is_left(const struct sim *sim) {
    bool left = false;
    for (uint32_t i = 0; i < CHANGE_COUNT && sim->services.count > 0; i++)
        left = left || changes_once_more(&sim->changes.cursors[i]);
    for (uint32_t s = 0; s < sim->services.count; s++)
        left = left || changes_once_more(&sim->services.runs[s].demand) ||
               (series_period_ns(sim->services.runs[s].demand.series) == 0 &&
                backlog_falls(&sim->services.runs[s]));
    return left;
}

/* A policy that starts nothing in any state of cap, price and carbon that the repeated series can
   be in together, while nothing else happens, is taken to wait for ever. Before that it may still
   be waiting for one of them. Where nodes fail, one may have failed in the state that it waits for:
   it gets that state many times. So with demands of services, and what replicas do because of them:
   one that is let go may be what a job waits for, and that takes a while (after_ns); none goes of
   a service whose backlog only grows, whose demand then does not count. A policy that
   goes on asking for timers, as rounds do, may wait for a time of its own: it gets very many. */
static bool only_repeats(const struct sim *sim) {
    const struct cluster_changes *c = &sim->changes;
    const struct services *services = &sim->services;
    int64_t rounds = sim->failures.streams ? ROUNDS_WITH_FAILURES : 1;
    int64_t round_ns = cluster_changes_common_period_ns(c->round_ns, services->round_ns);
    if (services->count > 0)
        round_ns += services->after_ns;
    bool timed_out = c->timers_alone > MOST_TIMERS_ALONE;
    uint32_t idle = c->pending + services->pending + (timed_out ? c->timers : 0);
    int64_t since_ns = timed_out ? c->alone_since_ns : c->idle_since_ns;
    return (c->round_ns > 0 || services->count > 0) &&
           sim->events.count + sim->convoys.members == idle + sim->background &&
           (sim->now_ns - since_ns) / rounds > round_ns && !once_is_left(sim);
}

bool cluster_changes_helpful_left(const struct sim *sim) {
    return sim->failures.nodes != sim->failures.gone ||
           (sim->events.count + sim->convoys.members != sim->background && !only_repeats(sim));
}
