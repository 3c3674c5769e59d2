/* Policies compared on the same workloads: replication n of every policy meets the same jobs, so
   differences are taken pair by pair. Pure functions over finished replications. */
#ifndef EASIM_EXPERIMENT_COMPARE_H
#define EASIM_EXPERIMENT_COMPARE_H

#include "bounds/bound.h"
#include "experiment/statistics.h"
#include "metrics/summary.h"
#include "study/replicate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One policy; the arrays hold the replications by number. */
struct compare_series {
    const char *policy;
    const struct summary *summaries;
    const struct trend *trends; /* NULL if not asked for */
    const struct bound *bounds; /* of the energy of its work under a horizon; or NULL */
};

#define COMPARE_NOBODY ((size_t)-1)

struct comparison {
    const struct compare_series *series;
    size_t count;
    uint32_t replications;
    size_t baseline; /* index, or COMPARE_NOBODY: no differences can be told */
    bool bootstrap;  /* intervals and tests by bootstrap_t, of streams of this seed */
    uint64_t seed;
};

const char *compare_baseline(const struct comparison *comparison); /* its name, or NULL */

/* One metric of one policy. */
struct compare_cell {
    struct estimate estimate;
    struct paired paired; /* to the baseline; n = 0 for the baseline itself */
    double relative;      /* mean difference / |mean of the baseline|, both over the pairs */
    /* Corrected for the number of policies that are compared with the baseline: of the difference,
       and of the ratio of geometric means. */
    double p_holm, ratio_p_holm;
};

/* cells: one per series. */
void compare_metric(const struct comparison *comparison, unsigned column,
                    struct compare_cell *cells);

/* The skewness of a metric over its replications that is largest by size, and its policy; or 0. */
double compare_skewness(const struct comparison *comparison, unsigned column, size_t *ret_series);

/* Place in the Pareto front over the means. */
struct compare_place {
    size_t dominator; /* see pareto_dominators */
    double share;     /* of the replications in which the policy is on that replication's front */
};

/* places: one per series. columns: `dimensions` metrics of which less or more is better. */
void compare_pareto(const struct comparison *comparison, const unsigned *columns,
                    unsigned dimensions, struct compare_place *places);

/* The policy that dominates a series; NULL: none does, or figures of its own are missing. */
const char *compare_dominator(const struct comparison *comparison,
                              const struct compare_place *place, size_t series);

/* Trends of one policy over its replications. */
struct compare_trend {
    struct estimate queue_per_h, work_unfinished, jobs_unfinished;
};

/* For the member of struct trend at an offset. */
struct estimate compare_trend_estimate(const struct trend *trends, uint32_t count, size_t offset);
struct compare_trend compare_trend(const struct comparison *comparison, size_t series);

/* One metric of one policy (the same place in both), by what it was without the perturbation. */
struct ratio compare_ratio(const struct comparison *perturbed, const struct comparison *clean,
                           size_t series, unsigned column);

/* When there are replications enough. */
struct compare_goal {
    unsigned column;
    double relative; /* ci95 <= relative * |mean|, for every policy */
    uint32_t most;   /* replications */
};

/* Largest ci95 / |mean| over the policies; INFINITY if it is not known for one (n = 1, mean 0). */
double compare_precision(const struct comparison *comparison, unsigned column);
/* Number of replications for the next step: more than there are, at most twice as many; the same
   number if the goal or the bound is reached. */
uint32_t compare_next_count(const struct comparison *comparison, const struct compare_goal *goal);

/* --- pareto: Pareto fronts of a few points in two or three dimensions; pure functions --- */

#define PARETO_MOST 3 /* dimensions */

/* Smaller is better in every dimension; a point with a NAN is out of competition. */
struct pareto_point {
    double at[PARETO_MOST];
};

#define PARETO_NOBODY ((size_t)-1)

/* For each point the first one that dominates it (no worse in any dimension, better in one),
   PARETO_NOBODY for points on the front, and itself for points out of competition. Equal points do
   not dominate each other. */
void pareto_dominators(const struct pareto_point *points, size_t count, unsigned dimensions,
                       size_t *dominators);

#endif
