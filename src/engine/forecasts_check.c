/* Checks of forecasts: see forecasts_check.h. What an hour was is summed up from the values that
   the view has had, not from the series. */
#include "engine/forecasts_check.h"

#include "engine/forecasts.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-9 /* of the greatest value of the hour */

struct forecasts_past {
    double least[CHANGE_COUNT], sum[CHANGE_COUNT], most[CHANGE_COUNT]; /* of the present hour */
    double present[CHANGE_COUNT]; /* shown of it; NAN: nothing to compare with */
    int64_t hour;                 /* of which `shown` was shown; -1: none */
    struct easim_forecast *shown;
};

static const char *const value_names[CHANGE_COUNT] = {"power_cap_w", "price_per_mwh",
                                                      "carbon_g_per_kwh"};

static void values_of(const struct easim_forecast *forecast, double values[static CHANGE_COUNT]) {
    values[CHANGE_CAP] = forecast->power_cap_w;
    values[CHANGE_PRICE] = forecast->price_per_mwh;
    values[CHANGE_CARBON] = forecast->carbon_g_per_kwh;
}

static void begin_hour(struct forecasts_past *past) {
    for (int i = 0; i < CHANGE_COUNT; i++) {
        past->least[i] = INFINITY;
        past->sum[i] = past->most[i] = 0;
        past->present[i] = NAN;
    }
}

static struct forecasts_past *past_of(struct sim *sim) {
    struct forecasts *f = &sim->forecasts;
    if (f->past)
        return f->past;
    f->past = mem_zalloc(1, sizeof *f->past);
    f->past->shown = mem_zalloc(f->hours, sizeof *f->past->shown);
    f->past->hour = -1;
    begin_hour(f->past);
    return f->past;
}

/* A stretch within one hour, in which the view has not changed. */
static void add_stretch(const struct sim *sim, struct forecasts_past *past, int64_t duration_ns) {
    const struct easim_view *v = sim->view.v;
    const double now[CHANGE_COUNT] = {v->power_cap_w, v->price_per_mwh, v->carbon_g_per_kwh};
    for (int i = 0; i < CHANGE_COUNT && duration_ns > 0; i++) {
        past->least[i] = fmin(past->least[i], now[i]);
        past->sum[i] += now[i] * (double)duration_ns;
        past->most[i] = fmax(past->most[i], fabs(now[i]));
    }
}

static void end_hour(struct sim *sim, struct forecasts_past *past, int64_t hour) {
    for (int i = 0; i < CHANGE_COUNT; i++) {
        double was = i == CHANGE_CAP ? past->least[i] : past->sum[i] / (double)FORECAST_HOUR_NS;
        bool same =
            past->present[i] == was || fabs(past->present[i] - was) <= ROUNDING * past->most[i];
        if (!isnan(past->present[i]) && !same)
            sim_fail(sim, ERROR_RUN,
                     "check: %s of hour %lld was %.17g, and %.17g was shown at its beginning",
                     value_names[i], (long long)hour, was, past->present[i]);
    }
    begin_hour(past);
}

void forecasts_check_advance(struct sim *sim, int64_t from_ns, int64_t to_ns) {
    struct forecasts_past *past = past_of(sim);
    int64_t hour = from_ns / FORECAST_HOUR_NS, end_ns = (hour + 1) * FORECAST_HOUR_NS;
    add_stretch(sim, past, (to_ns < end_ns ? to_ns : end_ns) - from_ns);
    if (to_ns < end_ns)
        return;
    end_hour(sim, past, hour); /* hours between the two were never shown */
    add_stretch(sim, past, to_ns % FORECAST_HOUR_NS);
}

/* Exact forecasts: what is shown of an hour has been shown of it before. */
static void compare_shown(struct sim *sim, const struct forecasts_past *past) {
    const struct forecasts *f = &sim->forecasts;
    int64_t passed = past->hour < 0 ? f->hours : f->hour - past->hour;
    for (int64_t lead = 0; lead + passed < f->hours; lead++) {
        double now[CHANGE_COUNT], before[CHANGE_COUNT];
        values_of(easim_view_forecast(sim->view.v, (uint32_t)lead), now);
        values_of(&past->shown[lead + passed], before);
        for (int i = 0; i < CHANGE_COUNT; i++)
            if (now[i] != before[i] && !(isnan(now[i]) && isnan(before[i])))
                sim_fail(
                    sim, ERROR_RUN,
                    "check: %s of hour %lld is shown as %.17g, and was as %.17g, without error",
                    value_names[i], (long long)(f->hour + lead), now[i], before[i]);
    }
}

void forecasts_check_shown(struct sim *sim) {
    struct forecasts_past *past = past_of(sim);
    const struct forecasts *f = &sim->forecasts;
    if (f->hour == past->hour)
        return;
    if (sim->options.forecast.error.sigma == 0)
        compare_shown(sim, past);
    for (uint32_t lead = 0; lead < f->hours; lead++)
        past->shown[lead] = *easim_view_forecast(sim->view.v, lead);
    past->hour = f->hour;
    values_of(&past->shown[0], past->present);
}

void forecasts_check_finish(struct sim *sim) {
    if (!sim->forecasts.past)
        return;
    free(sim->forecasts.past->shown);
    free(sim->forecasts.past);
    sim->forecasts.past = NULL;
}
