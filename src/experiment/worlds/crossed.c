/* Two-way analysis of crossed differences: see crossed.h. */
#include "experiment/worlds/crossed.h"

#include "base/mem.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
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

static size_t *list_kept(const bool *dropped, size_t count, size_t *ret_count) {
    size_t *at = mem_zalloc(count, sizeof *at);
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
    struct selection s = {
        .values = values,
        .base = base,
        .worlds = worlds,
        .replications = replications,
        .drop_world = mem_zalloc(worlds, sizeof *s.drop_world),
        .drop_replication = mem_zalloc(replications, sizeof *s.drop_replication),
        .missing_in_world = mem_zalloc(worlds, sizeof *s.missing_in_world),
        .missing_in_replication = mem_zalloc(replications, sizeof *s.missing_in_replication),
    };
    struct crossed c = {0};
    drop_until_complete(&s);
    c.world_at = list_kept(s.drop_world, worlds, &c.worlds);
    c.replication_at = list_kept(s.drop_replication, replications, &c.replications);
    if (c.worlds == 0 || c.replications == 0)
        c.worlds = c.replications = 0;
    c.mean = c.base_mean = c.worlds > 0 ? 0 : NAN;
    c.world = mem_zalloc(c.worlds, sizeof *c.world);
    c.replication = mem_zalloc(c.replications, sizeof *c.replication);
    c.rest = mem_zalloc(c.worlds * c.replications, sizeof *c.rest);
    c.rest_squares = mem_zalloc(c.worlds, sizeof *c.rest_squares);
    fill_kept(&c, &s);
    take_mean_out(&c);
    take_effects_out(&c);
    *crossed = c;
    free(s.drop_world);
    free(s.drop_replication);
    free(s.missing_in_world);
    free(s.missing_in_replication);
}

void crossed_finish(struct crossed *crossed) {
    if (!crossed)
        return;
    free(crossed->world_at);
    free(crossed->replication_at);
    free(crossed->world);
    free(crossed->replication);
    free(crossed->rest);
    free(crossed->rest_squares);
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

/* In a resample the rest of a replication no longer sums to 0: its mean belongs to the replication.
   The sums of squares are corrected for it, so that no table need be built anew. */
static void split_rest(const struct crossed *c, const unsigned *times, double *ret_replications,
                       double *ret_rest) {
    double *means = mem_zalloc(c->replications, sizeof *means);
    *ret_replications = *ret_rest = 0;
    for (size_t w = 0; w < c->worlds; w++) {
        double weight = times_of(times, w) / (double)c->worlds;
        for (size_t r = 0; r < c->replications && weight > 0; r++)
            means[r] += weight * c->rest[w * c->replications + r];
        *ret_rest += times_of(times, w) * c->rest_squares[w];
    }
    for (size_t r = 0; r < c->replications; r++) {
        double effect = c->replication[r] + means[r];
        *ret_replications += (double)c->worlds * effect * effect;
        *ret_rest -= (double)c->worlds * means[r] * means[r];
    }
    free(means);
}

/* Values off by rounding put a mean square off by its root times that. Where policies differ in a
   single run, all mean squares are equal, and what is left of a difference is rounding only. */
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
