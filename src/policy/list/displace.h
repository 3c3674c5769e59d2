/* Room for a job that found nothing, by running jobs that the policy displaces (semantics 5.4). */
#ifndef EASIM_POLICY_LIST_DISPLACE_H
#define EASIM_POLICY_LIST_DISPLACE_H

#include "policy/list/rules.h"

/* One per run; zero-initialise. */
struct displace {
    int64_t quiet_until_ns; /* GPUs of displaced jobs come free then: nobody is displaced before */
};

/* Preempts for a waiting job, whose key is given, as the policy's `displace` says. 1: its GPUs are
   free; 0: not now; negative, after host->fail: a callback gave what is not a number. */
int displace_for(struct displace *displace, const struct rules *rules,
                 const struct easim_pass *pass, const struct easim_job *job,
                 const struct easim_key *key);

#endif
