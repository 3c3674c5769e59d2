/* The energy that no schedule is below (semantics 27.2): a linear program chooses prices of GPU
   time, and these prices prove the bound, rounded down, whatever the solver's own rounding was. */
#ifndef EASIM_BOUNDS_ENERGY_BOUND_H
#define EASIM_BOUNDS_ENERGY_BOUND_H

#include "bounds/energy_prices.h"

struct energy_bound {
    double energy_j;
    size_t intervals, groups; /* that the work was split into */
    size_t solved;            /* 0: without prices, so the bound knows of no queue */
};

/* Of all that GPUs and nodes draw up to the end of the last job, or to end_s (INFINITY: the
   former). Needs jobs, and groups that draw no less than idle GPUs (least_spread_w). Rounding here
   and in the engine is allowed for. */
struct energy_bound energy_bound_find(const struct demand *demand, double end_s);

/* What prices prove, rounded down; any do, good or bad. prices: W a GPU, by GPU type, then
   interval; those below 0 are taken for 0, and without a horizon all are made smaller where they
   are worth more than the whole cluster draws at least. */
double energy_bound_certified_j(const struct demand *demand, const struct energy_work *work,
                                const double *prices);

#endif
