/* P(B better than A): the share of worlds in which it is (semantics 18.3). Pure functions;
   undefined values are NAN. */
#ifndef EASIM_EXPERIMENT_WORLDS_BETTER_H
#define EASIM_EXPERIMENT_WORLDS_BETTER_H

#include "experiment/paired_test.h"
#include "metrics/metric_table.h"

#include <stddef.h>

/* A share 0..1 and its 95 % interval. */
struct share_range {
    double share, low, high;
};

/* Of count worlds, with the interval of Wilson (1927); count 0: NAN. */
struct share_range better_wilson(size_t hits, size_t count);

/* Of one world: 1 if the policy of these pairs is better, -1 if it is worse, 0 if neither: no
   difference above rounding, no direction, or, with clearly, none by the test: two-sided p < 0.05
   over the replications. A difference that is the same in every one needs no test, but two of them.
 */
int better_verdict(const struct paired *paired, enum metric_better direction, bool clearly);

struct better {
    size_t worlds; /* with a pair: the others do not count */
    struct share_range
        clearly; /* better by a paired t-test over the replications, two-sided p < 0.05 */
    struct share_range worse; /* worse by the same test */
    struct share_range sign;  /* better in the mean over the replications, without that test */
};

/* How often values are better, and worse, than base, both [worlds][replications], NAN where
   missing. Where no world has two replications `clearly` and `worse` are NAN, and all are where
   neither less nor more is better. */
struct better better_of(const double *values, const double *base, size_t worlds,
                        size_t replications, enum metric_better direction);

#endif
