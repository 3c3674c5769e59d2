/* Declarations shared by the files of src/insight/blame, for this folder alone. */
#ifndef EASIM_INSIGHT_BLAME_INTERNAL_H
#define EASIM_INSIGHT_BLAME_INTERNAL_H

#include "insight/run_events.h"

/* --- neighbours --- */

/* Zero-initialise; release with neighbours_finish. Both NULL: jobs slow no other jobs down. */
struct neighbours {
    double *slowed_s;      /* by segment: of a run whose work was kept, time lost to neighbours */
    double *node_slowed_j; /* by node: energy of that time, as far as it is measured, at the node
                              that had most of them */
};

void neighbours_find(struct neighbours *neighbours, const struct recorded_run *run);
void neighbours_finish(struct neighbours *neighbours);

/* --- capped_waits --- */
/* Some configuration of the job would have fitted the free GPUs, and each that did would have
   broken the cap. */

/* By segment, the ns of a queued one in which that was so; NULL if no cap holds at any time, or the
   policy keeps none. The caller's to free. */
int64_t *capped_waits_find(const struct recorded_run *run);

#endif
