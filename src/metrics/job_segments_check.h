/* Whether the segments of a run and the records of its jobs tell the same; part of --check. */
#ifndef EASIM_METRICS_JOB_SEGMENTS_CHECK_H
#define EASIM_METRICS_JOB_SEGMENTS_CHECK_H

#include "metrics/job_segments.h"

/* Of closed segments. They tile the time from the submission to the finish of each job, or to the
   end of the run; the work that they kept is what the job has done, to 1e-9 of all of it; their
   energies and GPU times add up to those of its record, and all of them to those of the power
   meter, exactly. ERROR_RUN names the first job of which it is not so. */
int job_segments_check(const struct job_segments *segments, const struct sim *sim,
                       struct error *reterr) MUST_CHECK;

#endif
