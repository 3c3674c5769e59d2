/* What prices of GPU time, instant by instant, prove of completion times (semantics 27.3, f). */
#ifndef EASIM_BOUNDS_TIME_PRICES_H
#define EASIM_BOUNDS_TIME_PRICES_H

#include "bounds/demand.h"

/* Jobs to be bounded, in order of release; the others of the demand occupy nothing. */
struct pricing {
    const struct demand *demand;
    const struct demand_job *const *jobs;
    size_t count;
    double end_s; /* completions count up to there; INFINITY: none */
    /* Where the search for good prices begins; any do: */
    const double *worth;    /* of one GPU, by type: a share of all, >= 0 */
    const double *finish_s; /* of each job in some schedule */
};

/* The sum over the jobs of min(completion, end_s) - release is at least this, in a fixed number of
   steps. */
double time_prices_s(const struct pricing *in);

#endif
