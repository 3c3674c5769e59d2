/* What growing could bring a running job, before any of it is tried. All rests on one premise,
   which include/easim/policy.h demands of objectives: what a resize saves falls with the work that
   is left, apart from work that it would lose. So a configuration that would not pay now even if
   nothing were lost will not pay until the job starts again. */
#ifndef EASIM_POLICY_LIST_OUTLOOK_H
#define EASIM_POLICY_LIST_OUTLOOK_H

#include "policy/list/rules.h"

/* What a job may hope for. */
struct outlook {
    bool after_checkpoint; /* a configuration that does not pay now may after the next checkpoint */
    uint32_t *needs; /* by GPU type: least number of more GPUs for one that pays now; EASIM_NONE */
};

/* Fills in the outlook of a running job; its needs are the caller's, EASIM_NONE each. Negative,
   after host->fail, if an objective is NaN. */
int outlook_find(const struct rules *rules, const struct easim_pass *pass,
                 const struct easim_job *job, struct outlook *outlook);

#endif
