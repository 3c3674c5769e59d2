/* Two-way analysis of differences that are crossed: every world with the workload of every
   replication (semantics 18.1). Pure functions; undefined values are NAN. */
#ifndef EASIM_EXPERIMENT_WORLDS_CROSSED_H
#define EASIM_EXPERIMENT_WORLDS_CROSSED_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
