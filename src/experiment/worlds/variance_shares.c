/* Shares of a variance: see variance_shares.h. */
#include "experiment/worlds/variance_shares.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/sort_doubles.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

/* --- the complete part of a table --- */

struct selection {
    const double *values, *base; /* [worlds][replications] */
    size_t worlds, replications; /* of the whole table */
    bool *drop_world, *drop_replication;
    size_t *missing_in_world, *missing_in_replication;
};

static double difference_at(const struct selection *s, size_t w, size_t r) {
    return s->values[w * s->replications + r] - s->base[w * s->replications + r];
}

static size_t count_missing(struct selection *s) {
    size_t count = 0;
    for (size_t w = 0; w < s->worlds; w++)
        s->missing_in_world[w] = 0;
    for (size_t r = 0; r < s->replications; r++)
        s->missing_in_replication[r] = 0;
    for (size_t w = 0; w < s->worlds; w++)
        for (size_t r = 0; r < s->replications; r++)
            if (!s->drop_world[w] && !s->drop_replication[r] && isnan(difference_at(s, w, r))) {
                s->missing_in_world[w]++;
                s->missing_in_replication[r]++;
                count++;
            }
    return count;
}

/* The last of those of which most is missing. */
static size_t find_worst(const size_t *missing, size_t count) {
    size_t worst = 0;
    for (size_t i = 1; i < count; i++)
        worst = missing[i] >= missing[worst] ? i : worst;
    return worst;
}

static size_t count_kept(const bool *dropped, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        kept += !dropped[i];
    return kept;
}

/* All at once: one by one they would be the next, too. */
static void drop_empty(struct selection *s) {
    (void)count_missing(s);
    for (size_t w = 0; w < s->worlds; w++)
        s->drop_world[w] = s->missing_in_world[w] == s->replications;
    for (size_t r = 0; r < s->replications; r++)
        s->drop_replication[r] = s->missing_in_replication[r] == s->worlds;
}

static void drop_until_complete(struct selection *s) {
    drop_empty(s);
    while (count_missing(s) > 0) {
        size_t w = find_worst(s->missing_in_world, s->worlds),
               r = find_worst(s->missing_in_replication, s->replications);
        /* shares missing: of a world over the replications that are kept, and the other way */
        size_t of_world = s->missing_in_world[w] * count_kept(s->drop_world, s->worlds),
               of_replication =
                   s->missing_in_replication[r] * count_kept(s->drop_replication, s->replications);
        if (of_world >= of_replication)
            s->drop_world[w] = true;
        else
            s->drop_replication[r] = true;
    }
}

static size_t *list_kept(const bool *dropped, size_t count, size_t *ret_count,
                         struct arena *arena) {
    size_t *at = arena_alloc(arena, count * sizeof *at);
    *ret_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!dropped[i])
            at[(*ret_count)++] = i;
    return at;
}

/* --- taking it apart --- */

static void take_mean_out(struct crossed *c) {
    for (size_t i = 0; i < c->worlds * c->replications; i++)
        c->mean += c->rest[i] / (double)(c->worlds * c->replications);
    for (size_t i = 0; i < c->worlds * c->replications; i++)
        c->rest[i] -= c->mean;
}

static void take_effects_out(struct crossed *c) {
    for (size_t w = 0; w < c->worlds; w++)
        for (size_t r = 0; r < c->replications; r++) {
            double value = c->rest[w * c->replications + r];
            c->world[w] += value / (double)c->replications;
            c->replication[r] += value / (double)c->worlds;
        }
    for (size_t w = 0; w < c->worlds; w++)
        for (size_t r = 0; r < c->replications; r++)
            c->rest[w * c->replications + r] -= c->world[w] + c->replication[r];
    for (size_t w = 0; w < c->worlds; w++)
        for (size_t r = 0; r < c->replications; r++) {
            double rest = c->rest[w * c->replications + r];
            c->rest_squares[w] += rest * rest;
        }
}

static void fill_kept(struct crossed *c, const struct selection *s) {
    double size = 0;
    for (size_t w = 0; w < c->worlds; w++)
        for (size_t r = 0; r < c->replications; r++) {
            size_t at = c->world_at[w] * s->replications + c->replication_at[r];
            c->rest[w * c->replications + r] = s->values[at] - s->base[at];
            c->base_mean += s->base[at] / (double)(c->worlds * c->replications);
            size = fmax(size, fmax(fabs(s->values[at]), fabs(s->base[at])));
        }
    c->rounding = 10 * DBL_EPSILON * size;
}

void crossed_init(struct crossed *crossed, const double *values, const double *base, size_t worlds,
                  size_t replications) {
    struct crossed c = {0};
    struct arena *arena = &c.arena;
    struct selection s = {
        .values = values,
        .base = base,
        .worlds = worlds,
        .replications = replications,
        .drop_world = arena_alloc(arena, worlds * sizeof *s.drop_world),
        .drop_replication = arena_alloc(arena, replications * sizeof *s.drop_replication),
        .missing_in_world = arena_alloc(arena, worlds * sizeof *s.missing_in_world),
        .missing_in_replication =
            arena_alloc(arena, replications * sizeof *s.missing_in_replication),
    };
    drop_until_complete(&s);
    c.world_at = list_kept(s.drop_world, worlds, &c.worlds, arena);
    c.replication_at = list_kept(s.drop_replication, replications, &c.replications, arena);
    if (c.worlds == 0 || c.replications == 0)
        c.worlds = c.replications = 0;
    c.mean = c.base_mean = c.worlds > 0 ? 0 : NAN;
    c.world = arena_alloc(arena, c.worlds * sizeof *c.world);
    c.replication = arena_alloc(arena, c.replications * sizeof *c.replication);
    c.rest = arena_alloc(arena, c.worlds * c.replications * sizeof *c.rest);
    c.rest_squares = arena_alloc(arena, c.worlds * sizeof *c.rest_squares);
    fill_kept(&c, &s);
    take_mean_out(&c);
    take_effects_out(&c);
    *crossed = c;
}

void crossed_finish(struct crossed *crossed) {
    if (!crossed)
        return;
    arena_finish(&crossed->arena);
    *crossed = (struct crossed){0};
}

/* --- mean squares --- */

static unsigned times_of(const unsigned *times, size_t world) {
    return times ? times[world] : 1;
}

static double world_squares(const struct crossed *c, const unsigned *times) {
    double mean = 0, squares = 0;
    for (size_t w = 0; w < c->worlds; w++)
        mean += times_of(times, w) * c->world[w] / (double)c->worlds;
    for (size_t w = 0; w < c->worlds; w++)
        squares += times_of(times, w) * (c->world[w] - mean) * (c->world[w] - mean);
    return (double)c->replications * squares;
}

/* In a resample the rest of a replication no longer sums to 0, because its mean belongs to the
   replication. The sums of squares are corrected for it, so no table needs to be built again. */
static void split_rest(const struct crossed *c, const unsigned *times, double *ret_replications,
                       double *ret_rest) {
    const size_t replications = c->replications;
    double *restrict means = mem_zalloc(replications, sizeof *means);
    *ret_replications = *ret_rest = 0;
    for (size_t w = 0; w < c->worlds; w++) {
        const double weight = times_of(times, w) / (double)c->worlds,
                     *rest = c->rest + w * replications;
        for (size_t r = 0; r < replications; r++)
            means[r] += weight * rest[r];
        *ret_rest += times_of(times, w) * c->rest_squares[w];
    }
    for (size_t r = 0; r < replications; r++) {
        double effect = c->replication[r] + means[r];
        *ret_replications += (double)c->worlds * effect * effect;
        *ret_rest -= (double)c->worlds * means[r] * means[r];
    }
    free(means);
}

/* Values off by rounding put a mean square off by its root times that. If policies differ in a
   single run, all mean squares are equal, and only rounding is left of a difference. */
static double excess_of(double square, double rest, double rounding) {
    double excess = square - rest, off = 10 * (sqrt(square) + sqrt(rest)) + rounding;
    return excess > rounding * off ? excess : 0;
}

struct crossed_squares crossed_squares_of(const struct crossed *crossed, const unsigned *times) {
    if (crossed->worlds < 2 || crossed->replications < 2)
        return (struct crossed_squares){NAN, NAN, NAN, NAN, NAN, NAN};
    double worlds = (double)crossed->worlds, replications = (double)crossed->replications;
    double of_replications, of_rest;
    struct crossed_squares s = {.ms_worlds = world_squares(crossed, times) / (worlds - 1)};
    split_rest(crossed, times, &of_replications, &of_rest);
    s.ms_replications = of_replications / (replications - 1);
    s.ms_rest = fmax(0, of_rest) / ((worlds - 1) * (replications - 1));
    s.physics = excess_of(s.ms_worlds, s.ms_rest, crossed->rounding) / replications;
    s.workload = excess_of(s.ms_replications, s.ms_rest, crossed->rounding) / worlds;
    s.residual = excess_of(s.ms_rest, 0, crossed->rounding);
    return s;
}

struct crossed_interval crossed_interval_of(const struct crossed *crossed,
                                            const struct crossed_squares *squares) {
    if (isnan(squares->ms_worlds))
        return (struct crossed_interval){NAN, NAN};
    double worlds = (double)crossed->worlds, replications = (double)crossed->replications;
    double with_workloads = squares->ms_worlds + squares->ms_replications - squares->ms_rest;
    double variance = fmax(squares->ms_worlds, with_workloads) / (worlds * replications);
    double degrees = worlds - 1;
    if (squares->workload > 0)
        degrees = with_workloads * with_workloads /
                  (squares->ms_worlds * squares->ms_worlds / (worlds - 1) +
                   squares->ms_replications * squares->ms_replications / (replications - 1) +
                   squares->ms_rest * squares->ms_rest / ((worlds - 1) * (replications - 1)));
    double ci95 = variance > 0 ? gsl_cdf_tdist_Pinv(0.975, degrees) * sqrt(variance) : 0;
    return (struct crossed_interval){ci95, degrees};
}

/* --- variance shares --- */

#define VARIANCE_RESAMPLES 1000 /* of the bootstrap */

/* Data from which the shares of one difference are made. */
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

static double *value_change(const struct variance_values *v, const struct crossed *c, size_t set,
                            size_t world, double *ret_changes) {
    size_t size = v->worlds * v->replications;
    for (size_t r = 0; r < c->replications; r++) {
        size_t at = c->world_at[world] * v->replications + c->replication_at[r];
        double changed = v->policy[set * size + at] - v->baseline[set * size + at];
        ret_changes[r] = changed - (v->policy[at] - v->baseline[at]);
    }
    return ret_changes;
}

static void fill_effects(const struct variance_values *values, struct share_data *data) {
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
    for (size_t i = 0; i < VARIANCE_RESAMPLES; i++)
        if (!isnan(resamples[i]))
            resamples[count++] = resamples[i];
    if (!isfinite(share) || count == 0)
        return (struct share_range){NAN, NAN, NAN};
    sort_doubles(resamples, count);
    double low = gsl_stats_quantile_from_sorted_data(resamples, 1, count, 0.025),
           high = gsl_stats_quantile_from_sorted_data(resamples, 1, count, 0.975);
    return (struct share_range){share, isfinite(low) ? low : NAN, isfinite(high) ? high : NAN};
}

/* The resamples, which are the same for all differences of so many worlds. */
struct draws {
    uint64_t seed;
    size_t worlds;   /* 0: none are drawn yet */
    unsigned *times; /* [resample][world] */
};

static void draw_resamples(struct draws *draws, size_t worlds) {
    if (draws->worlds == worlds)
        return;
    gsl_rng *rng = rng_create(draws->seed, 0, "uncertainty bootstrap");
    free(draws->times);
    draws->times = mem_zalloc(VARIANCE_RESAMPLES * worlds, sizeof *draws->times);
    draws->worlds = worlds;
    for (size_t i = 0; i < VARIANCE_RESAMPLES * worlds; i++)
        draws->times[i / worlds * worlds + gsl_rng_uniform_int(rng, worlds)]++;
    gsl_rng_free(rng);
}

static void bootstrap_ranges(const struct share_data *data, struct draws *draws,
                             struct share_range *ranges) {
    size_t worlds = data->crossed->worlds, columns = SHARE_GROUPS + data->groups;
    double *shares = mem_zalloc(columns, sizeof *shares),
           *resamples = mem_zalloc(columns * VARIANCE_RESAMPLES, sizeof *resamples);
    draw_resamples(draws, worlds);
    for (size_t i = 0; i < VARIANCE_RESAMPLES; i++) {
        fill_shares(data, draws->times + i * worlds, shares);
        for (size_t c = 0; c < columns; c++)
            resamples[c * VARIANCE_RESAMPLES + i] = shares[c];
    }
    fill_shares(data, NULL, shares);
    for (size_t c = 0; c < columns; c++)
        ranges[c] = percentile_range(shares[c], resamples + c * VARIANCE_RESAMPLES);
    free(resamples);
    free(shares);
}

/* If nothing varies, or with one world or one replication, there are no shares. */
static void fill_ranges(const struct variance_values *values, const struct crossed *crossed,
                        struct draws *draws, struct share_range *ranges) {
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
    bootstrap_ranges(&data, draws, ranges);
    free(data.effects);
}

static void find_shares(const struct variance_values *values, struct draws *draws,
                        struct variance_shares *ret_shares, struct share_range *ret_groups) {
    struct crossed crossed;
    struct share_range *ranges = mem_zalloc(SHARE_GROUPS + values->sets - 1, sizeof *ranges);
    crossed_init(&crossed, values->policy, values->baseline, values->worlds, values->replications);
    struct crossed_squares squares = crossed_squares_of(&crossed, NULL);
    struct crossed_interval interval = crossed_interval_of(&crossed, &squares);
    fill_ranges(values, &crossed, draws, ranges);
    *ret_shares = (struct variance_shares){
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

void variance_shares_of(const struct variance_values *values, uint64_t seed,
                        struct variance_shares *ret_shares, struct share_range *ret_groups) {
    struct draws draws = {.seed = seed};
    find_shares(values, &draws, ret_shares, ret_groups);
    free(draws.times);
}

/* --- variance table --- */

static size_t place_of(const struct variance_table *variance, unsigned column, size_t policy) {
    return column * variance->results->policies + policy;
}

/* One column of a policy's runs, [set][world][replication]. */
static void fill_column(const struct world_results *results, unsigned column, size_t policy,
                        double *values) {
    struct world_run run = {.policy = policy};
    for (run.set = 0; run.set < results->sets; run.set++)
        for (run.world = 0; run.world < results->worlds; run.world++)
            for (run.replication = 0; run.replication < results->replications; run.replication++)
                *values++ = world_results_value(results, run, column);
}

static void fill_table(struct variance_table *variance, unsigned column, struct draws *draws) {
    const struct world_results *results = variance->results;
    size_t count = results->sets * results->worlds * results->replications;
    double *values = mem_zalloc(count, sizeof *values), *base = mem_zalloc(count, sizeof *base);
    struct variance_values pair = {.sets = results->sets,
                                   .worlds = results->worlds,
                                   .replications = results->replications,
                                   .policy = values,
                                   .baseline = base,
                                   .direction = metric_table[column].better};
    bool differs = results->baseline != WORLD_NOBODY;
    if (differs)
        fill_column(results, column, results->baseline, base);
    for (size_t p = 0; p < results->policies; p++) {
        size_t at = place_of(variance, column, p);
        fill_column(results, column, p, values);
        pair.worlds = differs && p != results->baseline ? results->worlds : 0;
        find_shares(&pair, draws, &variance->shares[at],
                    variance->groups + at * variance_group_count(variance));
    }
    free(values);
    free(base);
}

void variance_table_init(struct variance_table *variance, const struct world_results *results,
                         uint64_t seed) {
    size_t count = SUMMARY_COUNT * results->policies;
    *variance = (struct variance_table){
        .results = results,
        .shares = mem_zalloc(count, sizeof *variance->shares),
        .groups = mem_zalloc(count * results->sets, sizeof *variance->groups),
    };
    struct draws draws = {.seed = seed};
    for (unsigned column = 0; column < SUMMARY_COUNT; column++)
        fill_table(variance, column, &draws);
    free(draws.times);
}

void variance_table_finish(struct variance_table *variance) {
    if (!variance)
        return;
    free(variance->shares);
    free(variance->groups);
    *variance = (struct variance_table){0};
}

const struct variance_shares *variance_table_at(const struct variance_table *variance,
                                                unsigned column, size_t policy) {
    return &variance->shares[place_of(variance, column, policy)];
}

size_t variance_group_count(const struct variance_table *variance) {
    return variance->results->sets - 1;
}

const char *variance_source_name(const struct variance_table *variance, size_t place) {
    static const char *const names[VARIANCE_SOURCES] = {"physics", "workload", "residual"};
    return place < VARIANCE_SOURCES ? names[place]
                                    : variance->results->groups[place - VARIANCE_SOURCES];
}

struct share_range variance_source_share(const struct variance_table *variance, unsigned column,
                                         size_t policy, size_t place) {
    const struct variance_shares *parts = variance_table_at(variance, column, policy);
    const struct share_range ranges[VARIANCE_SOURCES] = {parts->physics, parts->workload,
                                                         parts->residual};
    if (place < VARIANCE_SOURCES)
        return ranges[place];
    return variance->groups[place_of(variance, column, policy) * variance_group_count(variance) +
                            place - VARIANCE_SOURCES];
}
