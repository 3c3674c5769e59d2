/* Shrinking, the other half of the switch `resize` of list policies (semantics 7.3): when jobs
   wait, a running job may give GPUs back if the first waiting job gains more by starting now than
   the running one loses. */
#ifndef EASIM_POLICY_LIST_SHRINK_H
#define EASIM_POLICY_LIST_SHRINK_H

#include "policy/list/candidates.h"
#include "policy/list/rules.h"

/* Initialise by shrink_init; release with shrink_finish. */
struct shrink {
    const struct rules *rules;
    bool recheck; /* all running jobs are asked, too: none that the candidates lack is better */
    struct candidates candidates;
};

/* The rules must outlive it. */
void shrink_init(struct shrink *shrink, const struct rules *rules, uint32_t job_count);
void shrink_finish(struct shrink *shrink); /* accepts a zeroed one */
/* A job has begun to run, or ceased to, or runs in another configuration or phase. Nothing happens
   without `shrink`. */
void shrink_note(struct shrink *shrink, uint32_t job);

/* After the starts of a pass that has left `first`, whose key is given, as the first of those that
   wait. 1: job *ret_job gives GPUs back, so that first can start; 0: none does; negative, after
   host->fail: an objective is NaN. */
int shrink_decide(struct shrink *shrink, const struct easim_pass *pass,
                  const struct easim_job *first, const struct easim_key *key, uint32_t *ret_job);

#endif
