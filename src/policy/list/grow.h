/* Growth, one half of the switch `resize` of list policies (semantics 7.2): running malleable jobs
   move to better configurations when no job waits and GPUs are free. Invariant: a running job whose
   resize could be accepted now is in one of the classes, in `fresh`, or asleep until a time that
   has come. */
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
/* The same by a look at every running job, without the premise below and what is kept. */
int grow_plainly(struct grow *grow, const struct easim_pass *pass);

/* --- growth gpus --- */
/* What growing could bring a running job, before any try. Premise, which include/easim/policy.h
   demands of objectives: what a resize saves falls with the work that is left, apart from work that
   it would lose. So a configuration that would not pay now even without loss pays only after the
   job starts again. */

/* What a job may hope for. */
struct growth_gpus {
    bool after_checkpoint; /* a configuration that does not pay now may after the next checkpoint */
    uint32_t *needs; /* by GPU type: least number of more GPUs for one that pays now; EASIM_NONE */
};

/* What growth needs of a running job; its needs are the caller's, EASIM_NONE each. Negative,
   after host->fail, if an objective is NaN. */
int growth_gpus_find(const struct rules *rules, const struct easim_pass *pass,
                     const struct easim_job *job, struct growth_gpus *growth);

/* --- resize: shared by growing and shrinking: which running jobs may be resized --- */

/* Whether a job runs, has another configuration and does not share a GPU. */
bool resize_possible(const struct easim_view *view, const struct easim_job *job);
/* When the interval since its last resize has passed; -INFINITY if it never was resized. */
double resize_due_s(const struct rules *rules, const struct easim_job *job);
/* What a resize is compared with: the job as it runs, but not slowed by an enforced cap, which
   would slow it elsewhere, too. */
struct easim_choice resize_present(const struct easim_view *view, const struct easim_job *job);
/* Whether the job may be resized at all now: it is possible, and its interval has passed. */
bool resize_may(const struct rules *rules, const struct easim_view *view,
                const struct easim_job *job);
/* Least time or objective that growing must save, given the job's objective as it is; NaN if the
 * policy's resize_least is. */
double resize_least_saving(const struct rules *rules, const struct easim_pass *pass,
                           const struct easim_job *job, double now_objective);

#endif
