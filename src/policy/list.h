/* The host's half of a list policy (SPEC 6): visits waiting jobs by key and starts each in its best configuration.
 */
#ifndef EASIM_POLICY_LIST_H
#define EASIM_POLICY_LIST_H

#include "easim/policy.h"

struct list_rank {
    struct easim_key key;
    uint32_t job;
};

/* One per run. Zero-initialise by list_init; release with list_finish. */
struct list {
    const struct easim_list *ops;
    const struct easim_list_options *options;
    double *best;            /* by job: least objective on the empty cluster; NAN: not known yet */
    struct list_rank *ranks; /* heap of the waiting jobs of a pass */
    size_t rank_capacity;
};

void list_init(struct list *list, const struct easim_policy *policy, const void *params, uint32_t job_count);
void list_finish(struct list *list);
/* The job's remaining work or set-up has changed: its best objective is no longer known. */
void list_forget(struct list *list, uint32_t job);

/* One pass. Negative, after host->fail, if a key or objective is NaN. */
int list_decide(struct list *list, const struct easim_pass *pass);

#endif
