/* What kinds of jobs there are. A kind says what a job's work is measured in and what its speed
   follows from. */
#ifndef EASIM_MODEL_JOB_KIND_H
#define EASIM_MODEL_JOB_KIND_H

#include "easim/policy.h"

enum job_kind {
    JOB_KIND_RIGID,     /* a recorded run: no model, work in seconds at speed ratio 1, k fixed */
    JOB_KIND_MALLEABLE, /* has a model: work in reference samples, k, b and h as its request allows
                         */
};

/* The kind of the jobs of a model, or of those without one (EASIM_NONE): the only place that infers
   it; everybody else reads the kind of the job or of its request. */
static inline enum job_kind job_kind_of_model(uint32_t model) {
    return model == EASIM_NONE ? JOB_KIND_RIGID : JOB_KIND_MALLEABLE;
}

#endif
