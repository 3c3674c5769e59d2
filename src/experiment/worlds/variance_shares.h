/* The shares of physics and workloads in the variance of a difference: tables crossed by both, the
   variance shares of one, and those of all (variance table). */
#ifndef EASIM_EXPERIMENT_WORLDS_VARIANCE_SHARES_H
#define EASIM_EXPERIMENT_WORLDS_VARIANCE_SHARES_H

#include "base/arena.h"
#include "experiment/statistics.h"
#include "experiment/worlds/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A complete table of worlds by replications, taken apart: value = mean + world + replication +
   rest. Release with crossed_finish. */
struct crossed {
    size_t worlds, replications;
    size_t *world_at, *replication_at; /* places in the table that was given, rising */
    double mean, base_mean;
    double *world, *replication; /* sum 0 */
    double *rest;                /* [world][replication]; each row and each column sums to 0 */
    double *rest_squares;        /* of each world, summed */
    double rounding;             /* how far a value may be off */
    struct arena arena;          /* of all lists */
};

/* Differences values - base of [worlds][replications], NAN where missing. Kept is a complete part:
   worlds or replications are left out until nothing is missing, first the one of which the largest
   share is missing; of equals a world, and the last. */
void crossed_init(struct crossed *crossed, const double *values, const double *base, size_t worlds,
                  size_t replications);
void crossed_finish(struct crossed *crossed);

/* Mean squares, and the variances of which they are made up; all NAN with fewer than two worlds or
   replications. Variances that are not above rounding are 0. */
struct crossed_squares {
    double ms_worlds, ms_replications, ms_rest;
    double physics, workload, residual; /* variances: between worlds, workloads, and the rest */
};

/* times[w]: how often world w counts, `worlds` in all (a resample); NULL: each once. */
struct crossed_squares crossed_squares_of(const struct crossed *crossed, const unsigned *times);

/* Half of the 95 % t-interval of the mean over worlds and workloads, with the degrees of freedom of
   Satterthwaite (1946). */
struct crossed_interval {
    double ci95, degrees;
};

struct crossed_interval crossed_interval_of(const struct crossed *crossed,
                                            const struct crossed_squares *squares);

/* --- variance shares --- */
/* The sources of the variance of a difference: a group of physics, the workloads, or both at once;
   and how often the difference holds (semantics 18.1 to 18.3). Pure functions; undefined values are
   NAN. */

/* One metric of a policy and of the baseline, [set][world][replication], NAN where missing. Set 0
   has the worlds as drawn; set g > 0 has them with the draws of group g - 1 alone taken from an
   independent second set. */
struct variance_values {
    size_t sets, worlds, replications; /* sets >= 1 */
    const double *policy, *baseline;
    enum metric_better direction;
};

struct variance_shares {
    size_t worlds, replications; /* that are complete: see crossed_init */
    double mean, ci95, degrees;  /* of the difference policy - baseline over both */
    double base_mean;            /* of the baseline over both */
    struct crossed_squares squares;
    struct share_range physics, workload, residual; /* of the sum of the three variances */
    struct better better;                           /* of all worlds that have a pair */
};

/* groups: sets - 1 of them, the total-effect share of each in the variance of physics (Jansen 1999;
   NAN if that is 0). Intervals: percentiles of a bootstrap that resamples worlds with all their
   runs, from the stream "uncertainty bootstrap" of the seed; an end that is not finite is NAN. */
void variance_shares_of(const struct variance_values *values, uint64_t seed,
                        struct variance_shares *ret_shares, struct share_range *ret_groups);

/* --- variance table: the shares of all metrics and policies of a comparison in many worlds --- */

/* Zero-initialise; release with variance_table_finish. */
struct variance_table {
    const struct world_results *results; /* borrowed */
    struct variance_shares *shares;      /* [column][policy]; of the baseline all undefined */
    struct share_range *groups;          /* [column][policy][group] */
};

/* seed: of the bootstrap. Without a baseline everything is undefined. */
void variance_table_init(struct variance_table *variance, const struct world_results *results,
                         uint64_t seed);
void variance_table_finish(struct variance_table *variance);

const struct variance_shares *variance_table_at(const struct variance_table *variance,
                                                unsigned column, size_t policy);
size_t variance_group_count(const struct variance_table *variance);

/* The sources of the variance of a difference: the three variances, then each group in physics.
   Source `place` of VARIANCE_SOURCES + groups. */
#define VARIANCE_SOURCES 3
const char *variance_source_name(const struct variance_table *variance, size_t place);
struct share_range variance_source_share(const struct variance_table *variance, unsigned column,
                                         size_t policy, size_t place);

#endif
