/* Shrinking, the other half of the switch `resize` of list policies (semantics 7.3): when jobs
   wait, a running job may give GPUs back if the first waiting job gains more by starting now than
   the running one loses. */
#ifndef EASIM_POLICY_LIST_SHRINK_H
#define EASIM_POLICY_LIST_SHRINK_H

#include "policy/list/rules.h"

/* After the starts of a pass that has left `first`, whose key is given, as the first of those that
   wait. 1: job *ret_job gives GPUs back, so that first can start; 0: none does; negative, after
   host->fail: an objective is NaN. */
int shrink_decide(const struct rules *rules, const struct easim_pass *pass,
                  const struct easim_job *first, const struct easim_key *key, uint32_t *ret_job);

#endif
