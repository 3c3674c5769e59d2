/* Whether a job has kept its deadline, and whose deadlines a run can judge. */
#ifndef EASIM_METRICS_DEADLINE_H
#define EASIM_METRICS_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

enum deadline {
    DEADLINE_NONE,   /* the job has none */
    DEADLINE_OPEN,   /* not due in this run, and the job has not finished */
    DEADLINE_KEPT,   /* finished at it or before */
    DEADLINE_MISSED, /* finished after it, or it was due and the job has not finished */
};

/* Whether a deadline is at or before the horizon. TIME_NONE_NS as horizon, a drained run: all are;
   as deadline, there is none: false. Rates count the deadlines that are due and no others, since of
   the later ones a run sees only those that were kept. */
bool deadline_is_due(int64_t deadline_ns, int64_t horizon_ns);
/* finish_ns is negative if the job did not finish. */
enum deadline deadline_judge(int64_t deadline_ns, int64_t finish_ns, int64_t horizon_ns);

#endif
