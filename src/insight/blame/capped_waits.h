/* Waiting that the power cap alone explains: some configuration of the job would have fitted the
   free GPUs, and each that did would have broken the cap (semantics 26.1). */
#ifndef EASIM_INSIGHT_BLAME_CAPPED_WAITS_H
#define EASIM_INSIGHT_BLAME_CAPPED_WAITS_H

#include "insight/segment_events.h"

/* By segment, the ns of a queued one in which that was so; NULL if no cap holds at any time, or the
   policy keeps none. The caller's to free. */
int64_t *capped_waits_find(const struct recorded_run *run, const struct segment_events *events);

#endif
