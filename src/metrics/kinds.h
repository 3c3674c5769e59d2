/* What a reader wants of a metric: little or much of it, and how to speak of its relative change.
 */
#ifndef EASIM_METRICS_KINDS_H
#define EASIM_METRICS_KINDS_H

#include <stdbool.h>

enum metric_better { METRIC_NEITHER, METRIC_LESS, METRIC_MORE };

struct metric_kind {
    enum metric_better better;
    bool heavy_tailed; /* its relative change is a ratio of geometric means: a few replications rule
                          the mean */
};

/* Of a column of the summary; columns that describe rather than judge are METRIC_NEITHER. */
struct metric_kind metric_kind(unsigned column);

#endif
