/* What the rows of a regret say together: how large it is, and where. */
#ifndef EASIM_EXPERIMENT_REGRET_SPREAD_H
#define EASIM_EXPERIMENT_REGRET_SPREAD_H

#include "experiment/regret/regret.h"

/* A decision point with what is known of it. */
struct regret_point {
    size_t first, count; /* its rows: the chosen action first */
    size_t best;         /* row */
    double regret; /* the chosen value minus the best one, in the unit of the metric; 0 if none
                      is better by more than rounding (1e-9 of it) */
};

/* Points that have something in common. */
struct regret_group {
    uint64_t key; /* k, the number of the GPU type, or the least number of waiting jobs */
    size_t points, best;
    double sum; /* of their regrets */
};

enum regret_grouping { REGRET_BY_K, REGRET_BY_TYPE, REGRET_BY_WAITING, REGRET_GROUPINGS };

struct regret_spread {
    ARRAY_OF(struct regret_point) points;
    ARRAY_OF(struct regret_point) worst; /* by regret, most first; those without are not in it */
    size_t best;                         /* points at which the chosen action was best */
    size_t waits;                        /* at which waiting was better than every start */
    double mean, median, p90, most;
    ARRAY_OF(struct regret_group) groups[REGRET_GROUPINGS]; /* by key, ascending */
};

/* A key of 0 by k stands for parts of a GPU; jobs waiting go by powers of two. */
void regret_spread_init(struct regret_spread *spread, const struct regret *regret);
void regret_spread_finish(struct regret_spread *spread);

#endif
