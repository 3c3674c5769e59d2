/* Cap, price and carbon intensity over time: see cluster_signals.h. */
#include "engine/cluster_signals.h"

#include "base/timeheap.h"
#include "base/units.h"
#include "engine/power_cap.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

/* --- cap_events --- */
/* Invariant: of each event that has not ended, its next change is in the event set. */

#define BASELINE_NS ((int64_t)3600 * NS_PER_S)

static void show_value(struct sim *sim, uint32_t which) {
    struct easim_view *v = view_header(&sim->view);
    double *const values[SIGNALS] = {&v->power_cap_w, &v->price_per_mwh, &v->carbon_g_per_kwh};
    *values[which] = sim->changes.cursors[which].value;
    v->power_cap_w = fmin(v->power_cap_w, sim->changes.events.cap_w);
    v->fit_is_exact = !power_cap_binds(sim);
}

static int64_t step_ns(const struct cap_event *event, uint32_t step) {
    return event->start_ns + (int64_t)((int128)event->ramp_ns * step / CAP_EVENT_STEPS);
}

/* The step at a time after the start. */
static uint32_t step_at(const struct cap_event *event, uint32_t step, int64_t at_ns) {
    while (step < CAP_EVENT_STEPS && step_ns(event, step + 1) <= at_ns)
        step++;
    return step;
}

static double step_w(const struct cap_event_run *run, uint32_t step) {
    if (step == CAP_EVENT_STEPS || isnan(run->baseline_w))
        return run->target_w;
    double fall_w = (run->baseline_w - run->target_w) * step / CAP_EVENT_STEPS;
    return fmax(run->target_w, run->baseline_w - fall_w);
}

static void pass_event(struct sim *sim, uint32_t number) {
    const struct cap_event *event = &sim->cluster->cap_events.at[number];
    struct cap_event_state *s = &sim->changes.events;
    bool is_over = sim->now_ns >= cap_event_end_ns(event);
    s->step = step_at(event, s->present == number ? s->step : 0, sim->now_ns);
    s->present = is_over ? EASIM_NONE : number;
    s->cap_w = is_over ? INFINITY : step_w(&s->runs[number], s->step);
    show_value(sim, SIGNAL_CAP);
    cluster_changes_reset_round(sim);
    if (!is_over)
        sim_push(sim,
                 s->step < CAP_EVENT_STEPS ? step_ns(event, s->step + 1) : cap_event_end_ns(event),
                 EVENT_CLUSTER, SIGNALS + number);
}

static void take_notice(struct sim *sim, uint32_t number, int64_t measured_ns) {
    const struct cap_event *event = &sim->cluster->cap_events.at[number];
    struct cap_event_run *run = &sim->changes.events.runs[number];
    run->baseline_w = measured_ns > 0 ? power_j(run->energy) / units_s(measured_ns) : NAN;
    run->target_w =
        isnan(event->target_w) ? (1 - event->reduction_frac) * run->baseline_w : event->target_w;
    run->is_noticed = true;
    sim->changes.events.noticed++;
}

void cap_events_advance(struct sim *sim, int64_t from_ns) {
    struct cap_event_state *s = &sim->changes.events;
    if (!s->runs || sim->now_ns <= s->look_ns)
        return;
    s->look_ns = INT64_MAX;
    for (uint32_t e = 0; e < sim->cluster->cap_events.count; e++) {
        const struct cap_event *event = &sim->cluster->cap_events.at[e];
        int64_t notice_ns = event->start_ns - event->notice_ns,
                since_ns = notice_ns > BASELINE_NS ? notice_ns - BASELINE_NS : 0,
                begin_ns = since_ns > from_ns ? since_ns : from_ns,
                end_ns = notice_ns < sim->now_ns ? notice_ns : sim->now_ns;
        if (s->runs[e].is_noticed)
            continue;
        if (end_ns > begin_ns)
            s->runs[e].energy += (int128)sim->meter.advanced_nw * (end_ns - begin_ns);
        if (notice_ns <= sim->now_ns)
            take_notice(sim, e, notice_ns - since_ns);
        else if (since_ns < s->look_ns)
            s->look_ns = since_ns;
    }
}

static void begin_events(struct sim *sim) {
    const struct cap_events *events = &sim->cluster->cap_events;
    struct cap_event_state *s = &sim->changes.events;
    *s = (struct cap_event_state){.present = EASIM_NONE, .look_ns = -1, .cap_w = INFINITY};
    if (events->count == 0)
        return;
    s->runs = mem_zalloc(events->count, sizeof *s->runs);
    for (uint32_t e = 0; e < events->count; e++) {
        s->runs[e].baseline_w = s->runs[e].target_w = NAN;
        sim_push(sim, events->at[e].start_ns, EVENT_CLUSTER, SIGNALS + e);
    }
    cap_events_advance(sim, 0);
}

/* The least cap that events which have been noticed set in an hour. */
static double least_event_w(const struct sim *sim, int64_t from_ns) {
    double least_w = INFINITY;
    for (uint32_t e = 0; e < sim->cluster->cap_events.count; e++) {
        const struct cap_event *event = &sim->cluster->cap_events.at[e];
        const struct cap_event_run *run = &sim->changes.events.runs[e];
        int64_t to_ns = from_ns + FORECAST_HOUR_NS, end_ns = cap_event_end_ns(event);
        to_ns = to_ns < end_ns ? to_ns : end_ns;
        if (run->is_noticed && event->start_ns < to_ns && end_ns > from_ns)
            least_w = fmin(least_w, step_w(run, step_at(event, 0, to_ns - 1)));
    }
    return least_w;
}

/* --- cluster_changes --- */
/* Invariant: the view holds the values of the present instant. */

#define ROUNDS_WITH_FAILURES 100
#define MOST_TIMERS_ALONE    100000 /* one an hour: eleven years */

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
    struct cluster_changes *c = &sim->changes;
    begin_events(sim);
    for (uint32_t i = 0; i < SIGNALS; i++) {
        const struct series *series = &sim->options.signals[i];
        series_start(&c->cursors[i], series);
        show_value(sim, i);
        push_next_change(sim, i);
        c->round_ns = cluster_changes_common_period_ns(c->round_ns, series_period_ns(series));
        if (series_last_ns(series) != TIME_NONE_NS &&
            (!c->end || series_last_ns(series) < series_last_ns(c->end)))
            c->end = series;
    }
}

static void pass_change(struct sim *sim, uint32_t which) {
    struct series_cursor *cursor = &sim->changes.cursors[which];
    sim->changes.pending--;
    series_pass(cursor);
    show_value(sim, which);
    push_next_change(sim, which);
    if (series_period_ns(cursor->series) == 0)
        cluster_changes_reset_round(sim);
}

void cluster_changes_apply(struct sim *sim, uint32_t which) {
    if (which < SIGNALS)
        pass_change(sim, which);
    else
        pass_event(sim, which - SIGNALS);
    view_add_event(&sim->view,
                   which == SIGNAL_CAP || which >= SIGNALS ? EASIM_EVENT_CAP : EASIM_EVENT_PRICE,
                   EASIM_NONE, EASIM_NONE);
}

void cluster_changes_finish(struct sim *sim) {
    free(sim->changes.events.runs);
}

void cluster_changes_reset_round(struct sim *sim) {
    sim->changes.idle_since_ns = sim->changes.alone_since_ns = sim->now_ns;
    sim->changes.timers_alone = 0;
}

void cluster_changes_check_end(struct sim *sim, int64_t to_ns) {
    const struct series *end = sim->changes.end;
    if (end && to_ns > series_last_ns(end))
        sim_fail(sim,
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
           (run->flow == SERVICE_FLOW_LATE ||
            (run->flow == SERVICE_FLOW_BACKLOG && run->demand_per_s < run->capacity_per_s));
}

/* If there are services, the run waits for a change that happens once, however far it is. */
static bool once_is_left(const struct sim *sim) {
    bool left = false;
    for (uint32_t i = 0; i < SIGNALS && sim->services.count > 0; i++)
        left = left || changes_once_more(&sim->changes.cursors[i]);
    for (uint32_t s = 0; s < sim->services.count; s++)
        left = left || changes_once_more(&sim->services.runs[s].demand) ||
               (series_period_ns(sim->services.runs[s].demand.series) == 0 &&
                backlog_falls(&sim->services.runs[s]));
    return left;
}

/* A repeated series of cap, price or carbon may never let the policy start a job. It counts as
   waiting for ever if it starts nothing in any state that the series can be in together, while
   nothing else happens. Three things delay this verdict. If nodes fail, one may have failed in the
   state that the job waits for, so the policy gets that state many times. If services have demands,
   a job may wait for a replica to be released, which takes a while (after_ns); a service whose
   backlog only grows releases none, so its demand does not count. If the policy goes on asking for
   timers, as rounds do, it may wait for a time of its own, so it gets very many. */
static bool only_repeats(const struct sim *sim) {
    const struct cluster_changes *c = &sim->changes;
    const struct services *services = &sim->services;
    if (c->round_ns == 0 && services->count == 0)
        return false;
    int64_t rounds = sim->failures.streams ? ROUNDS_WITH_FAILURES : 1;
    int64_t round_ns = cluster_changes_common_period_ns(c->round_ns, services->round_ns);
    if (services->count > 0)
        round_ns += services->after_ns;
    bool timed_out = c->timers_alone > MOST_TIMERS_ALONE;
    uint32_t idle = c->pending + services->pending + (timed_out && sim->wake_ups.pending);
    int64_t since_ns = timed_out ? c->alone_since_ns : c->idle_since_ns;
    return sim->events.count + sim->node_batches.members == idle + sim->background &&
           (sim->now_ns - since_ns) / rounds > round_ns && !once_is_left(sim);
}

bool cluster_changes_helpful_left(const struct sim *sim) {
    return sim->failures.nodes != sim->failures.gone ||
           (sim->events.count + sim->node_batches.members != sim->background && !only_repeats(sim));
}

/* --- wake_ups --- */
/* Invariant: while there are any the event of the earliest is pending. A heap may hold an instant
   more than once; all of it goes when it comes. */

#define MOST_WOKEN     1000000
#define WOKEN_WINDOW_S 1000

#define EARLIER(a, b)    ((a) < (b))
#define PUT(place, time) at[place] = (time)

/* The event follows the earliest instant. */
static void await_earliest(struct sim *sim) {
    struct wake_ups *w = &sim->wake_ups;
    w->pending = w->times.count > 0;
    if (w->pending)
        w->event = sim_push(sim, w->times.at[0], EVENT_TIMER, EASIM_NONE);
}

static void stop_awaiting(struct sim *sim) {
    if (sim->wake_ups.pending)
        eventq_cancel(&sim->events, sim->wake_ups.event);
    sim->wake_ups.pending = false;
}

void wake_ups_add(struct sim *sim, int64_t time_ns) {
    struct wake_ups *w = &sim->wake_ups;
    if (w->pending && (time_ns == w->last_ns || time_ns == w->times.at[0]))
        return; /* in time what is asked for again and again takes no memory */
    array_push(&w->times, time_ns);
    int64_t *at = w->times.at;
    HEAP_UP(at, w->times.count - 1, time_ns, EARLIER, PUT);
    w->last_ns = time_ns;
    if (at[0] < time_ns && w->pending)
        return;
    stop_awaiting(sim);
    await_earliest(sim);
}

/* The host's own stay: for this instant, which a policy cannot ask for, and for the next round. */
void wake_ups_clear(struct sim *sim) {
    struct wake_ups *w = &sim->wake_ups;
    const struct rounds *rounds = &sim->list.rounds;
    bool again = w->pending && w->times.at[0] <= sim->now_ns;
    stop_awaiting(sim);
    w->times.count = 0;
    w->last_ns = -1;
    if (again)
        wake_ups_add(sim, sim->now_ns);
    if (list_in_rounds(&sim->list) && rounds->asked > rounds->number)
        wake_ups_add(sim, rounds->asked * rounds->round_ns);
}

void wake_ups_pass(struct sim *sim) {
    struct wake_ups *w = &sim->wake_ups;
    int64_t *at = w->times.at;
    while (w->times.count > 0 && at[0] <= sim->now_ns) {
        size_t count = --w->times.count;
        int64_t moving = at[count];
        HEAP_DOWN(at, count, 0, moving, EARLIER, PUT);
    }
    if (w->last_ns <= sim->now_ns)
        w->last_ns = -1;
    await_earliest(sim);
    sim->changes.timers_alone++;
    sim->changes.idle_since_ns = sim->now_ns;
}

static bool is_woken(const struct sim *sim) {
    uint32_t i = 0, count = sim->view.v->event_count;
    while (i < count && sim->view.events[i].kind == EASIM_EVENT_TIMER)
        i++;
    return count > 0 && i == count;
}

/* The times of the last decisions in a row are kept: the window is any of that length. */
void wake_ups_count_decision(struct sim *sim) {
    struct wake_ups *w = &sim->wake_ups;
    if (!is_woken(sim)) {
        w->woken = 0;
        return;
    }
    if (!w->woken_ns)
        w->woken_ns = mem_zalloc(MOST_WOKEN, sizeof *w->woken_ns);
    w->woken_ns[w->woken++ % MOST_WOKEN] = sim->now_ns;
    if (w->woken >= MOST_WOKEN &&
        sim->now_ns - w->woken_ns[w->woken % MOST_WOKEN] <= WOKEN_WINDOW_S * NS_PER_S)
        sim_fail(
            sim,
            "policy %s: only wake-ups have caused the last %d decisions, within %d s: expected "
            "fewer",
            sim->module->policy->name, MOST_WOKEN, WOKEN_WINDOW_S);
}

void wake_ups_finish(struct sim *sim) {
    free(sim->wake_ups.times.at);
    free(sim->wake_ups.woken_ns);
}

/* --- forecasts --- */
/* Invariant: the rings hold the hours of the view. The numbers drawn for an hour depend on the hour
   alone, so that no question changes a forecast. */

uint32_t forecasts_hours(const struct sim *sim) {
    bool reads = sim->module->policy->capabilities & CAPABILITY_FORECAST;
    return reads ? (uint32_t)sim->options.forecast.hours : 0;
}

/* ---- What comes ---- */

/* The value for a whole hour from from_ns on: the mean of a series over time, or the least of a
   limit. NAN: the series does not reach that far. The cursor is at from_ns or before, and moves to
   the end of that hour. */
static double hour_value(struct series_cursor *cursor, int64_t from_ns) {
    const int64_t to_ns = from_ns + FORECAST_HOUR_NS, last_ns = series_last_ns(cursor->series);
    while (series_next_ns(cursor) <= from_ns)
        series_pass(cursor);
    double least = cursor->value, sum = 0;
    int64_t at_ns = from_ns, next_ns = series_next_ns(cursor);
    bool changes = next_ns < to_ns;
    for (; next_ns < to_ns; next_ns = series_next_ns(cursor)) {
        sum += cursor->value * (double)(next_ns - at_ns);
        series_pass(cursor);
        least = fmin(least, cursor->value);
        at_ns = next_ns;
    }
    if (last_ns != TIME_NONE_NS && last_ns < to_ns)
        return NAN;
    if (!changes || cursor->series->kind->is_limit)
        return least;
    return (sum + cursor->value * (double)(to_ns - at_ns)) / (double)FORECAST_HOUR_NS;
}

/* The next hour that is not in the rings yet. */
static void look_ahead(struct forecast_series *series, uint32_t hours, int64_t hour) {
    series->values[hour % hours] = hour_value(&series->cursor, hour * FORECAST_HOUR_NS);
    if (series->shocks)
        series->shocks[hour % hours] = gsl_ran_ugaussian(series->stream);
}

/* ---- What is forecast ---- */

/* An AR(1) error that begins with 0 at the present hour: of lead h its variance is v = sigma^2 (1 -
   correlation^2h). The factor exp(e - v / 2) has the mean 1. */
static void show_series(struct sim *sim, uint32_t which) {
    const struct forecasts *f = &sim->forecasts;
    const struct forecast_series *series = &f->series[which];
    const double sigma = sim->options.forecast.error.sigma,
                 carry = sim->options.forecast.error.correlation,
                 fresh = sigma * sqrt(1 - carry * carry);
    double error = 0, variance = 0;
    for (uint32_t lead = 0; lead < f->hours; lead++) {
        struct easim_forecast_hour *shown = view_forecast_hour(&sim->view, lead);
        double *const places[SIGNALS] = {&shown->power_cap_w, &shown->price_per_mwh,
                                         &shown->carbon_g_per_kwh};
        size_t at = (size_t)(f->hour + lead) % f->hours;
        *places[which] = series->values ? series->values[at] : sim->changes.cursors[which].value;
        if (!series->shocks || lead == 0)
            continue;
        error = carry * error + fresh * series->shocks[at];
        variance = carry * carry * variance + fresh * fresh;
        *places[which] *= exp(error - variance / 2);
    }
}

static void show_hours(struct sim *sim) {
    for (uint32_t lead = 0; lead < sim->forecasts.hours; lead++)
        view_forecast_hour(&sim->view, lead)->from_s =
            units_s((sim->forecasts.hour + lead) * FORECAST_HOUR_NS);
    for (uint32_t i = 0; i < SIGNALS; i++)
        show_series(sim, i);
    for (uint32_t lead = 0; lead < sim->forecasts.hours; lead++) {
        struct easim_forecast_hour *shown = view_forecast_hour(&sim->view, lead);
        shown->power_cap_w =
            fmin(shown->power_cap_w,
                 least_event_w(sim, (sim->forecasts.hour + lead) * FORECAST_HOUR_NS));
    }
}

void forecasts_update(struct sim *sim) {
    struct forecasts *f = &sim->forecasts;
    int64_t hour = sim->now_ns / FORECAST_HOUR_NS;
    if (f->hours == 0 || (hour == f->hour && f->noticed == sim->changes.events.noticed))
        return;
    f->noticed = sim->changes.events.noticed;
    int64_t known = f->hour < 0 ? 0 : f->hour + f->hours; /* the first hour that is not */
    for (; known < hour + f->hours; known++)
        for (uint32_t i = 0; i < SIGNALS; i++)
            if (f->series[i].values)
                look_ahead(&f->series[i], f->hours, known);
    f->hour = hour;
    show_hours(sim);
}

/* ---- The life of a run ---- */

static void start_series(struct sim *sim, struct forecast_series *series,
                         const struct series *source, const char *name) {
    const struct sim_options *o = &sim->options;
    series_start(&series->cursor, source);
    series->values = mem_zalloc(sim->forecasts.hours, sizeof *series->values);
    if (o->forecast.error.sigma == 0)
        return;
    series->shocks = mem_zalloc(sim->forecasts.hours, sizeof *series->shocks);
    series->stream = rng_create(o->seed, o->replication, name);
}

void forecasts_init(struct sim *sim) {
    static const char *const streams[SIGNALS] = {"forecast/power_cap_w", "forecast/price_per_mwh",
                                                 "forecast/carbon_g_per_kwh"};
    struct forecasts *f = &sim->forecasts;
    f->hours = forecasts_hours(sim);
    f->hour = -1;
    for (uint32_t i = 0; i < SIGNALS && f->hours > 0; i++)
        if (sim->options.signals[i].kind)
            start_series(sim, &f->series[i], &sim->options.signals[i], streams[i]);
    forecasts_update(sim);
}

void forecasts_finish(struct sim *sim) {
    for (uint32_t i = 0; i < SIGNALS; i++) {
        struct forecast_series *series = &sim->forecasts.series[i];
        free(series->values);
        free(series->shocks);
        if (series->stream)
            gsl_rng_free(series->stream);
    }
}
