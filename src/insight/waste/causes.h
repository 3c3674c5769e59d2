/* Which class of waste a segment of a job is that did not compute, or computed in vain: whose
   interruption it is (semantics 24.2). */
#ifndef EASIM_INSIGHT_WASTE_CAUSES_H
#define EASIM_INSIGHT_WASTE_CAUSES_H

#include "insight/recorded_run.h"
#include "insight/waste/waste_class.h"

/* The class of a segment of a job. rest: the job's segments from this one on, count of them;
   so_far: of the interruptions before it, from causes_after; on_demand: the job writes checkpoints
   only when it is interrupted. WASTE_USEFUL of a run that was kept, and of one queued. */
enum waste_class causes_class(enum waste_class so_far, const struct recorded_segment *rest,
                              uint32_t count, bool on_demand);
/* What set-ups count as behind a segment: WASTE_SET_UP, with which a job begins, until it is
   interrupted; then the class of the latest interruption. */
enum waste_class causes_after(enum waste_class so_far, const struct recorded_segment *segment);

#endif
