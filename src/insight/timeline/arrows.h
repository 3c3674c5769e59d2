/* The arrows of a timeline: from the submission of a job to its start, from where it lost its GPUs
   to where it goes on. An arrow is known by the segment that it leads to. */
#ifndef EASIM_INSIGHT_TIMELINE_ARROWS_H
#define EASIM_INSIGHT_TIMELINE_ARROWS_H

#include "insight/timeline/timeline_part.h"

#define ARROW_NONE UINT32_MAX

/* Whether an arrow would lead to the slice of that segment, were no slice too short. */
bool arrow_is_due(const struct timeline_part *part, uint32_t segment);
/* The arrow that begins with the submission of a job. */
uint32_t arrow_of_submission(const struct timeline_part *part, uint32_t job);
/* That which begins in a segment of GPUs, and that which ends there; ARROW_NONE: none, or one of
   its ends is in a slice that may be joined with others. */
uint32_t arrow_out_of(const struct timeline_part *part, uint32_t segment);
uint32_t arrow_into(const struct timeline_part *part, uint32_t segment);
/* Writes the ends of arrows; the slice that they are in is written first. */
void arrow_begin(struct timeline_part *part, struct trace_place place, uint32_t arrow);
void arrow_end(struct timeline_part *part, struct trace_place place, uint32_t arrow);

#endif
