/* Slope of the queue: see queue_slope.h. The number of waiting jobs is constant between instants,
   so the integral is exact: slope = 12 / D^3 * integral of (t - middle) w(t) dt over a time of
   length D. */
#include "metrics/queue_slope.h"

#include "base/units.h"

#include <math.h>

static double length_h(const struct sim *sim) {
    return (units_s(sim->options.horizon_ns) - units_s(sim->workload->warmup_ns)) / S_PER_H;
}

static double from_middle_h(const struct sim *sim, int64_t time_ns) {
    return (units_s(time_ns) - units_s(sim->workload->warmup_ns)) / S_PER_H - length_h(sim) / 2;
}

/* The moment up to to_ns: as many wait as after the last instant. */
static double moment_at(const struct queue_slope *slope, const struct sim *sim, int64_t to_ns) {
    int64_t from_ns =
        slope->since_ns > sim->workload->warmup_ns ? slope->since_ns : sim->workload->warmup_ns;
    if (to_ns <= from_ns)
        return slope->moment;
    double from_h = from_middle_h(sim, from_ns), to_h = from_middle_h(sim, to_ns);
    return slope->moment + slope->waiting * (to_h * to_h - from_h * from_h) / 2;
}

void queue_slope_note(struct queue_slope *slope, const struct sim *sim) {
    if (sim->options.horizon_ns == TIME_NONE_NS)
        return;
    slope->moment = moment_at(slope, sim, sim->now_ns);
    slope->since_ns = sim->now_ns;
    slope->waiting = sim->waiting;
}

double queue_slope_per_h(const struct queue_slope *slope, const struct sim *sim) {
    if (sim->options.horizon_ns == TIME_NONE_NS)
        return NAN;
    double hours = length_h(sim);
    return 12 * moment_at(slope, sim, sim->options.horizon_ns) / (hours * hours * hours);
}
