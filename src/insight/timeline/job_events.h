/* What happened to jobs beside their GPUs: submissions, waits, and what was decided. */
#ifndef EASIM_INSIGHT_TIMELINE_JOB_EVENTS_H
#define EASIM_INSIGHT_TIMELINE_JOB_EVENTS_H

#include "insight/timeline/timeline_part.h"

/* A slice from each submission to the next one, in which arrows begin. */
void job_events_write_submissions(struct timeline_part *part);
/* Each time in the queue, joined by the number of its job. */
void job_events_write_waits(struct timeline_part *part);
/* Starts, preemptions, resizes, rejections, and stops by failed nodes. */
void job_events_write_decisions(struct timeline_part *part);

#endif
