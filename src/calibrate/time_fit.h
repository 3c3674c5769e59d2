/* Laws of times (base/rng.h) fitted by maximum likelihood to times that may be cut off. */
#ifndef EASIM_CALIBRATE_TIME_FIT_H
#define EASIM_CALIBRATE_TIME_FIT_H

#include "base/array.h"
#include "base/rng.h"

#include <stdbool.h>

/* A time as it was seen. */
struct seen_time {
    double time_s;    /* > 0 */
    bool ended;       /* else it goes on for longer */
    bool from_middle; /* seen from an ordinary moment on (time_law_draw_rest) */
};

/* Zero-initialise; free(at). */
struct seen_times {
    ARRAY_OF(struct seen_time) at;
    size_t ended;
};

#define TIME_FIT_LEAST 3 /* ended times */

struct time_fit {
    struct time_law law;
    double mean_low_s, mean_high_s, shape_low, shape_high; /* 95 %; NAN: the likelihood has no
                                                              curvature that tells them */
    double log_likelihood, aic;                            /* 2 parameters - 2 log_likelihood */
    double median_s, high_s;                               /* of the law; high: 90 % */
    bool ok; /* false: the search has not ended, and nothing else is set */
};

/* Of at least TIME_FIT_LEAST ended times. Intervals are normal in the logarithms of mean and shape,
   by the curvature of the log-likelihood. */
struct time_fit time_fit_law(enum time_law_kind kind, const struct seen_times *times);

#endif
