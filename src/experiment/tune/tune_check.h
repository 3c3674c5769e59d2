/* Whether the bounds of a search hold on other workloads than it was made on. Pure functions over
   finished replications; undefined values are NAN. */
#ifndef EASIM_EXPERIMENT_TUNE_TUNE_CHECK_H
#define EASIM_EXPERIMENT_TUNE_TUNE_CHECK_H

#include "experiment/tune/tune.h"

enum tune_verdict { TUNE_KEPT, TUNE_BROKEN, TUNE_UNKNOWN };

/* One bound. Excess: value - (1 + limit) start of each pair, or value - limit, negated where at
   least is asked for: kept is at most 0. */
struct tune_checked {
    double start, tuned; /* means */
    double value; /* what the limit is of: the change as a fraction of |start|, or the mean */
    double ci95;  /* half of its 95 % interval, from the pairs */
    enum tune_verdict mean;  /* of the mean excess */
    enum tune_verdict limit; /* of the upper end of its 95 % interval; unknown of one run */
};

/* Replication n of both has the same workload. Unknown where a run does not define the metric. */
struct tune_checked tune_check(const struct tune_constraint *constraint,
                               const struct summary *start, const struct summary *tuned,
                               size_t count);
/* Of the best trial, in the mean of the search's own runs. */
enum tune_verdict tune_verdict_of_training(const struct tune *tune, size_t constraint);
const char *tune_verdict_name(enum tune_verdict verdict); /* kept, broken, unknown */

/* Whether all replications that both studies have are the same jobs at the same times, as of a
   recorded log. Negative if they cannot be drawn. */
int tune_compare_workloads(const struct study *training, const struct study *check, bool *ret_same,
                           struct error *reterr) MUST_CHECK;

#endif
