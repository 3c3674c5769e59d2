/* Growth, one half of the orthogonal switch `resize` of list policies (semantics 7.2): running
   malleable jobs move to better configurations when nobody waits and GPUs are free. Invariant: a
   running job whose resize could be accepted now is in one of the classes, in `fresh`, or asleep
   until a time that has come. */
#ifndef EASIM_POLICY_LIST_GROW_H
#define EASIM_POLICY_LIST_GROW_H

#include "base/idset.h"
#include "base/timeheap.h"
#include "easim/policy.h"

struct list;

/* Jobs that could gain if `need` more GPUs of a type were free. */
struct grow_class {
    uint32_t gpu_type, need;
    struct idset jobs;
};

/* Zero-initialise. */
struct grow {
    uint32_t job_count;
    ARRAY_OF(uint32_t) fresh; /* jobs that have started since the last look */
    ARRAY_OF(struct grow_class) classes;
    struct timeheap asleep; /* jobs not to be looked at before a time */
    struct idset in_asleep; /* the members of `asleep`, so that none gets in twice */
};

void grow_init(struct grow *resize, uint32_t job_count);
void grow_finish(struct grow *resize);
/* A job has got GPUs by a start. */
void grow_note_start(struct list *list, uint32_t job);

/* After the starts of a pass. Nobody grows while jobs wait, or are to wait because they were
   preempted, in this very decision or before. Negative, after host->fail, if an objective is NaN.
 */
int grow_decide(struct list *list, const struct easim_pass *pass);

/* Whether the job may be resized at all now: it runs, is malleable, and its interval has passed. */
bool resize_may(const struct list *list, const struct easim_view *view,
                const struct easim_job *job);
/* Least time or objective that a resize must save, given the job's objective as it is; NaN if the
 * policy's is. */
double resize_least_saving(const struct list *list, const struct easim_pass *pass,
                           const struct easim_job *job, double now_objective);

#endif
