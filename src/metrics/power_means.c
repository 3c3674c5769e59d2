/* Mean power of intervals: see power_means.h. Invariant: at_nw holds the intervals that are over,
   energy is that of the present one up to now_ns. */
#include "metrics/power_means.h"

#include "base/units.h"
#include "engine/sim.h"

#include <stdlib.h>

/* Power is never negative, so this rounds to the nearest. */
static int64_t mean_nw(int128 energy, int64_t duration_ns) {
    return (int64_t)((energy + duration_ns / 2) / duration_ns);
}

static void end_interval(struct power_means *means, int64_t duration_ns) {
    array_push(&means->at_nw, mean_nw(means->energy, duration_ns));
    means->energy = 0;
}

static void on_advance(void *context, const struct sim *sim, int64_t from_ns, int64_t to_ns) {
    struct power_means *means = context;
    int64_t power_nw = power_meter_total_nw(&sim->meter);
    means->now_ns = to_ns;
    while (from_ns < to_ns && means->at_nw.count <= POWER_MEANS_MOST) {
        int64_t left_ns = means->step_ns - from_ns % means->step_ns,
                part_ns = left_ns < to_ns - from_ns ? left_ns : to_ns - from_ns;
        means->energy += (int128)power_nw * part_ns;
        from_ns += part_ns;
        if (part_ns == left_ns)
            end_interval(means, means->step_ns);
    }
}

void power_means_init(struct power_means *means, int64_t step_ns) {
    *means = (struct power_means){.step_ns = step_ns,
                                  .observer = {.context = means, .advance = on_advance}};
}

int power_means_close(struct power_means *means, struct error *reterr) {
    int64_t rest_ns = means->now_ns % means->step_ns;
    int64_t count = means->now_ns / means->step_ns + (rest_ns > 0);
    if (count > POWER_MEANS_MOST)
        return error_set(reterr, ERROR_INPUT,
                         "mean power: expected at most %d intervals in a run, got %lld of %.9g s",
                         POWER_MEANS_MOST, (long long)count, units_s(means->step_ns));
    if (rest_ns > 0)
        end_interval(means, rest_ns);
    return 0;
}

int64_t power_means_end_ns(const struct power_means *means, size_t i) {
    int64_t begin_ns = (int64_t)i * means->step_ns;
    return means->now_ns - begin_ns < means->step_ns ? means->now_ns : begin_ns + means->step_ns;
}

void power_means_finish(struct power_means *means) {
    free(means->at_nw.at);
    *means = (struct power_means){0};
}
