/* Trends over the measured time of one run. */
#include "experiment/trend.h"

#include "base/units.h"

#include <math.h>

/* The number of waiting jobs w is constant between rows, so both integrals are exact:
   slope = 12 / D^3 * integral of (t - middle) w(t) dt over a time of length D. */
static double queue_slope_per_h(const struct metrics *m, int64_t end_ns) {
    const struct power_row *rows = m->power_rows.at;
    double start_s = units_s(m->start_ns), length_h = (units_s(end_ns) - start_s) / S_PER_H, moment = 0;
    for (size_t i = 0; i < m->power_rows.count; i++) {
        int64_t from_ns = rows[i].time_ns > m->start_ns ? rows[i].time_ns : m->start_ns;
        int64_t to_ns = i + 1 < m->power_rows.count ? rows[i + 1].time_ns : end_ns;
        if (to_ns <= from_ns)
            continue;
        double from_h = (units_s(from_ns) - start_s) / S_PER_H - length_h / 2;
        double to_h = (units_s(to_ns) - start_s) / S_PER_H - length_h / 2;
        moment += rows[i].waiting * (to_h * to_h - from_h * from_h) / 2;
    }
    return 12 * moment / (length_h * length_h * length_h);
}

static double work_submitted_gpu_s(const struct sim *sim) {
    double sum = 0;
    for (uint32_t j = 0; j < sim->next_arrival; j++)
        sum += sim->workload->jobs.at[j].reference_gpu_s;
    return sum;
}

struct trend trend_of(const struct metrics *m, const struct sim *sim) {
    const struct summary *s = &m->summary;
    double submitted_gpu_s = work_submitted_gpu_s(sim);
    bool drained = sim->options.horizon_ns == TIME_NONE_NS;
    return (struct trend){.queue_per_h = drained ? NAN : queue_slope_per_h(m, sim->options.horizon_ns),
                          .work_unfinished =
                              submitted_gpu_s > 0 ? s->work_unfinished_gpu_h * S_PER_H / submitted_gpu_s : NAN,
                          .jobs_unfinished = s->jobs_submitted > 0 ? s->jobs_unfinished / s->jobs_submitted : NAN};
}
