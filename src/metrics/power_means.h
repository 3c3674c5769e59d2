/* Mean power of one interval after the other, all of one length from t = 0 on, as a meter gives it:
   each the exact integral of power over its interval, rounded to a nanowatt. */
#ifndef EASIM_METRICS_POWER_MEANS_H
#define EASIM_METRICS_POWER_MEANS_H

#include "base/array.h"
#include "base/error.h"
#include "engine/observer.h"

#define POWER_MEANS_MOST 10000000

/* Init, then observe; release with power_means_finish. */
struct power_means {
    struct observer observer;
    int64_t step_ns;         /* length of an interval */
    int64_t now_ns;          /* power is known up to here */
    int128 energy;           /* since the end of the last whole interval, 1e-18 J */
    ARRAY_OF(int64_t) at_nw; /* interval i ends at (i + 1) * step_ns; of the last: close */
};

/* step_ns: above 0. */
void power_means_init(struct power_means *means, int64_t step_ns);
/* The run is over: what is left of its last interval is one, which ends at now_ns. Negative if
   these are more than POWER_MEANS_MOST, which are not kept. */
int power_means_close(struct power_means *means, struct error *reterr) MUST_CHECK;
/* The end of interval i. */
int64_t power_means_end_ns(const struct power_means *means, size_t i);
void power_means_finish(struct power_means *means);

#endif
