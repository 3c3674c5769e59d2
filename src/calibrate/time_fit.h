/* Laws of times (base/rng.h) fitted by maximum likelihood to times that may be cut off. */
#ifndef EASIM_CALIBRATE_TIME_FIT_H
#define EASIM_CALIBRATE_TIME_FIT_H

#include "base/array.h"
#include "base/rng.h"
#include "config/outages.h"

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

/* --- outage_times: times to failure and of repair in recorded outages (config/outages.h) --- */

/* Release with outage_times_finish. */
struct outage_times {
    struct seen_times up, repair;
    double until_s;                     /* the record goes from 0 to it */
    uint32_t nodes, failed_nodes;       /* all, and those with an outage in the record */
    uint64_t running, outside, at_once; /* outages not taken as repair times: running at 0, not in
                                           the record, of no time */
};

/* nodes: of the cluster, 0: as many as the outages name; until_s: NAN: the last time in the file.
   Outages are of nodes below that. Nodes that never failed count with their whole time. */
void outage_times_find(struct outage_times *times, const struct outages *outages, uint32_t nodes,
                       double until_s);
void outage_times_finish(struct outage_times *times);

#endif
