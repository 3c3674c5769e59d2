/* What the host keeps of a list policy's answers, asked for again: a policy whose key, objective or
   allow_start looks at what they may not (include/easim/policy.h), say the queue, would be held to
   an answer of another time, silently. */
#ifndef EASIM_POLICY_LIST_RECHECK_H
#define EASIM_POLICY_LIST_RECHECK_H

#include "policy/list/index.h"

#define RECHECK_BYTES 256

/* Whether what is kept of a waiting job is what the policy answers now. It acts on nothing
   meanwhile, and answers that draw random numbers are not compared. -1: no, and host->fail says
   what. */
int recheck_job(struct index *index, const struct easim_pass *pass, uint32_t job);
/* After a pass: the jobs of its events and the first of each queue, or all that wait. */
int recheck_pass(struct index *index, const struct easim_pass *pass, bool all);
/* When a run ends: all waiting jobs, after due keys. True: text says what does not hold. */
bool recheck_at_end(struct index *index, const struct easim_pass *pass,
                    char text[static RECHECK_BYTES]);

#endif
