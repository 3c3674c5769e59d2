/* Growth, one half of the orthogonal switch `resize` of list policies (semantics 7.2): running
   malleable jobs move to better configurations when nobody waits and GPUs are free. Invariant: a
   running job whose resize could be accepted now is in one of the classes, in `fresh`, or asleep
   until a time that has come. */
#ifndef EASIM_POLICY_LIST_GROW_H
#define EASIM_POLICY_LIST_GROW_H

#include "base/idset.h"
#include "base/timeheap.h"
#include "policy/list/rules.h"

/* Jobs that could gain if `need` more GPUs of a type were free. */
struct grow_class {
    uint32_t gpu_type, need;
    struct idset jobs;
};

/* Initialise by grow_init; release with grow_finish. */
struct grow {
    const struct rules *rules;
    uint32_t job_count;
    ARRAY_OF(uint32_t) fresh; /* jobs that have started since the last look */
    ARRAY_OF(struct grow_class) classes;
    struct timeheap asleep; /* jobs not to be looked at before a time */
    struct idset in_asleep; /* the members of `asleep`, so that none gets in twice */
};

/* The rules must outlive it. */
void grow_init(struct grow *grow, const struct rules *rules, uint32_t job_count);
void grow_finish(struct grow *grow); /* accepts a zeroed one */
/* A job has got GPUs by a start, or other GPUs by a resize. Nothing happens without `resize`. */
void grow_note_start(struct grow *grow, uint32_t job);

/* After the starts of a pass. Nobody grows while jobs wait, or are to wait because they were
   preempted, in this very decision or before. Negative, after host->fail, if an objective is NaN.
 */
int grow_decide(struct grow *grow, const struct easim_pass *pass);

#endif
