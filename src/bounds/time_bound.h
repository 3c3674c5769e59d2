/* The mean completion time that no schedule is below (semantics 27.3). */
#ifndef EASIM_BOUNDS_TIME_BOUND_H
#define EASIM_BOUNDS_TIME_BOUND_H

#include "bounds/demand.h"

/* Which argument gives a bound; the best of them counts. */
enum time_argument {
    TIME_ALONE,   /* (a) each job has the cluster for itself */
    TIME_SRPT,    /* (b) the cluster as one machine, shortest remaining time first */
    TIME_BUSY,    /* (c) mean busy times there, and half of the fastest run */
    TIME_MIXED,   /* (d) for each job some of (c) and some of (a) */
    TIME_PRESENT, /* (e) jobs in the system at every instant, at least */
    TIME_PRICED,  /* (f) each job by itself, at prices of GPU time */
    TIME_ARGUMENTS,
};
extern const char *const time_argument_names[]; /* "a" to "f" */

/* Means over the measured jobs, s; NAN: it does not hold for this metric, or there are no jobs. */
struct time_bound {
    double by[TIME_ARGUMENTS];
    size_t best; /* an enum time_argument; no padding, for it goes from process to process */
};

/* Of the mean of completion - submission of all measured jobs that can finish, or, with an end, of
   the mean of min(completion, end_s) - submission of all, for which (a), (b), (e) and (f) hold;
   INFINITY: none. Rounding is allowed for: values are a little below. */
struct time_bound time_bound_find(const struct demand *demand, double end_s);

#endif
