/* Whether a run is in a steady state: does the queue grow, and how much work does the end cut off?
 */
#ifndef EASIM_STUDY_TREND_H
#define EASIM_STUDY_TREND_H

#include "metrics/metrics.h"

struct trend {
    double queue_per_h; /* slope of the least-squares line through the number of waiting jobs over
                           measured time */
    double work_unfinished; /* share of the work submitted up to the end, warm-up included, that is
                               not done then */
    double jobs_unfinished; /* share of the measured jobs */
};

/* Of a finished run. NAN: drained (the queue ends empty by design), or nothing
   submitted. */
struct trend trend_of(const struct metrics *metrics, const struct sim *sim);

#endif
