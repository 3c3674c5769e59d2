/* The budget of a difference: see budget.h. */
#include "experiment/worlds/budget.h"

#include "base/mem.h"
#include "base/rng.h"
#include "experiment/t_interval.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

/* What the shares of one difference are made from. */
struct share_data {
    const struct crossed *crossed;
    size_t groups;
    double *effects; /* [group][world of crossed]: half the square of what the group's draw changes
                        in that world, less its noise; NAN where a run is missing */
};

enum {
    SHARE_PHYSICS,
    SHARE_WORKLOAD,
    SHARE_RESIDUAL,
    SHARE_GROUPS
}; /* places of a row of shares */

static double *value_change(const struct budget_values *v, const struct crossed *c, size_t set,
                            size_t world, double *ret_changes) {
    size_t size = v->worlds * v->replications;
    for (size_t r = 0; r < c->replications; r++) {
        size_t at = c->world_at[world] * v->replications + c->replication_at[r];
        double changed = v->policy[set * size + at] - v->baseline[set * size + at];
        ret_changes[r] = changed - (v->policy[at] - v->baseline[at]);
    }
    return ret_changes;
}

static void fill_effects(const struct budget_values *values, struct share_data *data) {
    const struct crossed *c = data->crossed;
    double *changes = mem_zalloc(c->replications, sizeof *changes);
    for (size_t g = 0; g < data->groups; g++)
        for (size_t w = 0; w < c->worlds; w++) {
            struct estimate change =
                t_interval_of(value_change(values, c, g + 1, w, changes), c->replications);
            double noise = change.sd * change.sd / (double)change.n;
            data->effects[g * c->worlds + w] =
                change.n < c->replications ? NAN : (change.mean * change.mean - noise) / 2;
        }
    free(changes);
}

/* The variance that a group's draws make, over the worlds that have it. */
static double group_variance(const struct share_data *data, size_t group, const unsigned *times) {
    double sum = 0, count = 0;
    for (size_t w = 0; w < data->crossed->worlds; w++) {
        double effect = data->effects[group * data->crossed->worlds + w];
        if (isnan(effect))
            continue;
        sum += (times ? times[w] : 1) * effect;
        count += times ? times[w] : 1;
    }
    return count > 0 ? fmax(0, sum / count) : NAN;
}

/* 0 / 0 is NAN, anything else / 0 infinite. */
static void fill_shares(const struct share_data *data, const unsigned *times, double *shares) {
    struct crossed_squares s = crossed_squares_of(data->crossed, times);
    double all = s.physics + s.workload + s.residual;
    shares[SHARE_PHYSICS] = s.physics / all;
    shares[SHARE_WORKLOAD] = s.workload / all;
    shares[SHARE_RESIDUAL] = s.residual / all;
    for (size_t g = 0; g < data->groups; g++)
        shares[SHARE_GROUPS + g] = group_variance(data, g, times) / s.physics;
}

/* Percentiles of the resamples in which the share is defined; sorts them. */
static struct share_range percentile_range(double share, double *resamples) {
    size_t count = 0;
    for (size_t i = 0; i < BUDGET_RESAMPLES; i++)
        if (!isnan(resamples[i]))
            resamples[count++] = resamples[i];
    if (!isfinite(share) || count == 0)
        return (struct share_range){NAN, NAN, NAN};
    gsl_sort(resamples, 1, count);
    double low = gsl_stats_quantile_from_sorted_data(resamples, 1, count, 0.025),
           high = gsl_stats_quantile_from_sorted_data(resamples, 1, count, 0.975);
    return (struct share_range){share, isfinite(low) ? low : NAN, isfinite(high) ? high : NAN};
}

static void draw_resample(gsl_rng *rng, size_t worlds, unsigned *times) {
    for (size_t w = 0; w < worlds; w++)
        times[w] = 0;
    for (size_t w = 0; w < worlds; w++)
        times[gsl_rng_uniform_int(rng, worlds)]++;
}

static void bootstrap_ranges(const struct share_data *data, uint64_t seed,
                             struct share_range *ranges) {
    size_t worlds = data->crossed->worlds, columns = SHARE_GROUPS + data->groups;
    double *shares = mem_zalloc(columns, sizeof *shares),
           *resamples = mem_zalloc(columns * BUDGET_RESAMPLES, sizeof *resamples);
    unsigned *times = mem_zalloc(worlds, sizeof *times);
    gsl_rng *rng = rng_create(seed, 0, "uncertainty bootstrap");
    for (size_t i = 0; i < BUDGET_RESAMPLES; i++) {
        draw_resample(rng, worlds, times);
        fill_shares(data, times, shares);
        for (size_t c = 0; c < columns; c++)
            resamples[c * BUDGET_RESAMPLES + i] = shares[c];
    }
    fill_shares(data, NULL, shares);
    for (size_t c = 0; c < columns; c++)
        ranges[c] = percentile_range(shares[c], resamples + c * BUDGET_RESAMPLES);
    gsl_rng_free(rng);
    free(times);
    free(resamples);
    free(shares);
}

/* Where nothing varies, or with one world or one replication, there are no shares. */
static void fill_ranges(const struct budget_values *values, const struct crossed *crossed,
                        uint64_t seed, struct share_range *ranges) {
    size_t groups = values->sets - 1;
    struct crossed_squares squares = crossed_squares_of(crossed, NULL);
    for (size_t c = 0; c < SHARE_GROUPS + groups; c++)
        ranges[c] = (struct share_range){NAN, NAN, NAN};
    if (!(squares.physics + squares.workload + squares.residual > 0))
        return;
    struct share_data data = {
        .crossed = crossed,
        .groups = groups,
        .effects = mem_zalloc(groups * crossed->worlds, sizeof *data.effects),
    };
    fill_effects(values, &data);
    bootstrap_ranges(&data, seed, ranges);
    free(data.effects);
}

void budget_of(const struct budget_values *values, uint64_t seed, struct budget *ret_budget,
               struct share_range *ret_groups) {
    struct crossed crossed;
    struct share_range *ranges = mem_zalloc(SHARE_GROUPS + values->sets - 1, sizeof *ranges);
    crossed_init(&crossed, values->policy, values->baseline, values->worlds, values->replications);
    struct crossed_squares squares = crossed_squares_of(&crossed, NULL);
    struct crossed_interval interval = crossed_interval_of(&crossed, &squares);
    fill_ranges(values, &crossed, seed, ranges);
    *ret_budget = (struct budget){
        .worlds = crossed.worlds,
        .replications = crossed.replications,
        .mean = crossed.mean,
        .ci95 = interval.ci95,
        .degrees = interval.degrees,
        .base_mean = crossed.base_mean,
        .squares = squares,
        .physics = ranges[SHARE_PHYSICS],
        .workload = ranges[SHARE_WORKLOAD],
        .residual = ranges[SHARE_RESIDUAL],
        .better = better_of(values->policy, values->baseline, values->worlds, values->replications,
                            values->direction),
    };
    for (size_t g = 0; g + 1 < values->sets; g++)
        ret_groups[g] = ranges[SHARE_GROUPS + g];
    crossed_finish(&crossed);
    free(ranges);
}
