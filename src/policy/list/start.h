/* The start of one waiting job in its best configuration. */
#ifndef EASIM_POLICY_LIST_START_H
#define EASIM_POLICY_LIST_START_H

#include "policy/list/rules.h"

/* GPUs that a job may have. */
struct start_limit {
    uint32_t gpu_type, k;
};

/* Starts a waiting job in the admitted configuration of least objective that fits the free GPUs
   now, and the limit unless that is NULL. 1: started; 0: nothing that fits is admitted, or the host
   refused; negative, after host->fail: an objective is NaN. */
int start_try(const struct rules *rules, const struct easim_pass *pass, const struct easim_job *job,
              const struct easim_key *key, const struct start_limit *limit);

#endif
