/* The host's own look at a job in the view, whatever state it is in. Policies have easim_view_job,
   which answers for jobs that concern them now. */
#ifndef EASIM_POLICY_HOST_JOB_H
#define EASIM_POLICY_HOST_JOB_H

#include "easim/policy.h"

static inline const struct easim_job *host_job(const struct easim_view *view, uint32_t job) {
    return (const struct easim_job *)((const char *)view->jobs + job * view->job_stride);
}

#endif
