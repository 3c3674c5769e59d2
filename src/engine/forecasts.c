/* Forecasts: see forecasts.h. Invariant: the rings hold the hours of the view. The numbers drawn
   for an hour depend on the hour alone, so that whoever asks, and when, changes no forecast. */
#include "engine/forecasts.h"

#include "base/units.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

uint32_t forecasts_hours(const struct sim *sim) {
    bool reads = sim->module->policy->capabilities & EASIM_CAPABILITY_FORECAST;
    return reads ? (uint32_t)sim->options.forecast.hours : 0;
}

/* ---- What comes ---- */

/* What holds in a whole hour from from_ns on: the mean of a series over time, of a limit the least;
   NAN: the series does not reach that far. The cursor is at from_ns or before, and goes on to the
   end of that hour. */
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
static void show_series(struct sim *sim, uint32_t which, double present) {
    const struct forecasts *f = &sim->forecasts;
    const struct forecast_series *series = &f->series[which];
    const double sigma = sim->options.forecast.error.sigma,
                 carry = sim->options.forecast.error.correlation,
                 fresh = sigma * sqrt(1 - carry * carry);
    double error = 0, variance = 0;
    for (uint32_t lead = 0; lead < f->hours; lead++) {
        struct easim_forecast *shown = view_forecast(&sim->view, lead);
        double *const places[CHANGE_COUNT] = {&shown->power_cap_w, &shown->price_per_mwh,
                                              &shown->carbon_g_per_kwh};
        size_t at = (size_t)(f->hour + lead) % f->hours;
        *places[which] = series->values ? series->values[at] : present;
        if (!series->shocks || lead == 0)
            continue;
        error = carry * error + fresh * series->shocks[at];
        variance = carry * carry * variance + fresh * fresh;
        *places[which] *= exp(error - variance / 2);
    }
}

static void show_hours(struct sim *sim) {
    const struct easim_view *v = sim->view.v;
    const double present[CHANGE_COUNT] = {v->power_cap_w, v->price_per_mwh, v->carbon_g_per_kwh};
    for (uint32_t lead = 0; lead < sim->forecasts.hours; lead++)
        view_forecast(&sim->view, lead)->from_s =
            units_s((sim->forecasts.hour + lead) * FORECAST_HOUR_NS);
    for (uint32_t i = 0; i < CHANGE_COUNT; i++)
        show_series(sim, i, present[i]);
}

void forecasts_update(struct sim *sim) {
    struct forecasts *f = &sim->forecasts;
    int64_t hour = sim->now_ns / FORECAST_HOUR_NS;
    if (f->hours == 0 || hour == f->hour)
        return;
    int64_t known = f->hour < 0 ? 0 : f->hour + f->hours; /* the first hour that is not */
    for (; known < hour + f->hours; known++)
        for (uint32_t i = 0; i < CHANGE_COUNT; i++)
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
    static const char *const streams[CHANGE_COUNT] = {
        "forecast/power_cap_w", "forecast/price_per_mwh", "forecast/carbon_g_per_kwh"};
    const struct series *const series[CHANGE_COUNT] = {
        &sim->cluster->cap_series, &sim->options.prices.price, &sim->options.prices.carbon};
    struct forecasts *f = &sim->forecasts;
    f->hours = forecasts_hours(sim);
    f->hour = -1;
    for (uint32_t i = 0; i < CHANGE_COUNT && f->hours > 0; i++)
        if (series[i]->kind)
            start_series(sim, &f->series[i], series[i], streams[i]);
    forecasts_update(sim);
}

void forecasts_finish(struct sim *sim) {
    for (uint32_t i = 0; i < CHANGE_COUNT; i++) {
        struct forecast_series *series = &sim->forecasts.series[i];
        free(series->values);
        free(series->shocks);
        if (series->stream)
            gsl_rng_free(series->stream);
    }
}
