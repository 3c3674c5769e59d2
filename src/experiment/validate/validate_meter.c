/* A meter beside a run: see validate_meter.h. */
#include "experiment/validate/validate_meter.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRID       1e-6 /* of a step, by which a reading may be off */
#define FINE_PARTS 10
#define LEAST_S    1e-3

static const char *const figure_names[METER_FIGURES] = {
    [METER_MEAN] = "meter_mean_w", [METER_ABSOLUTE] = "meter_absolute_error"};

enum validate_meter_figure validate_meter_find(const char *metric) {
    for (int f = METER_NO_FIGURE + 1; f < METER_FIGURES; f++)
        if (strcmp(metric, figure_names[f]) == 0)
            return (enum validate_meter_figure)f;
    return METER_NO_FIGURE;
}

static bool is_on_grid(double time_s, double step_s) {
    return fabs(time_s / step_s - round(time_s / step_s)) <= GRID;
}

double validate_meter_step_s(const struct validate_meter *meter) {
    const struct meter *m = &meter->meter;
    bool grid = true;
    for (size_t i = 0; i < m->count && grid; i++)
        grid = is_on_grid(m->at[i].begin_s, m->step_s) && is_on_grid(m->at[i].end_s, m->step_s);
    return fmax(LEAST_S, grid ? m->step_s : m->step_s / FINE_PARTS);
}

void validate_power_compare(struct validate_power *power, const struct validate_meter *meter,
                            const struct meter *run) {
    const struct meter *m = &meter->meter;
    size_t first = 0, end = m->count;
    while (first < end && !(m->at[first].end_s > meter->from_s))
        first++;
    while (end > first && m->at[end - 1].end_s > meter->to_s)
        end--;
    power->predicted_w = mem_alloc((end - first) * sizeof *power->predicted_w);
    power->curves = (struct meter_curves){&m->at[first], power->predicted_w, end - first};
    meter_means(run, power->curves.at, power->curves.count, power->predicted_w);
    power->errors = meter_errors_between(&power->curves, -INFINITY, INFINITY);
    power->unknown = power->curves.count - power->errors.readings;
}

void validate_power_finish(struct validate_power *power) {
    free(power->predicted_w);
    *power = (struct validate_power){.predicted_w = NULL};
}
