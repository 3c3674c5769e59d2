/* What the files of src/study share; for this folder alone. */
#ifndef EASIM_STUDY_INTERNAL_H
#define EASIM_STUDY_INTERNAL_H

#include "bounds/bound.h"
#include "study/shared_ring.h"
#include "study/study.h"
#include "workload/source_uses.h"

/* --- power_scopes --- */

/* Adds a problem for each model in use whose power_scope is a node's where nodes have power of
   their own, where tdp_w is less than it may draw, or beside a model of another scope. */
void power_scopes_check(const struct study *study, const struct usage *usage,
                        struct problems *problems);

/* --- work_bound: in study.c --- */

struct bound work_bound_find(const struct study *study, const struct config_extras *extras,
                             const struct sim *sim);

/* --- plain_run --- */
/* Whether a list policy decides the same if all its callbacks are asked anew at each decision; and,
   of the first replication, any policy that does not leave it to a program, with a grown view. */

#define PLAIN_DECISIONS 20000 /* whose actions are compared: the first ones */

struct logged_action {
    int64_t time_ns;
    uint64_t decision; /* from 1 */
    uint32_t kind, refusal, job, config;
    double limit_w;
};

/* The actions of a run. Zero-initialise; of one that is not set up _close does nothing. */
struct decision_log {
    struct observer observer;
    struct crash_context *crash; /* of this process; or NULL */
    ARRAY_OF(struct logged_action) actions;
    bool is_cut; /* the run had more decisions */
};

/* Sets it up; returns the observer that fills it in. */
const struct observer *decision_log_init(struct decision_log *log, struct crash_context *crash);
/* Releases it. If r, the result of the run, which is not released, is 0, the jobs run once more
   first, or twice. ERROR_RUN: decisions differ, or that run fails; the error names time, job and
   both actions. `counted` gets a note where they differ, but callbacks draw random numbers. */
int decision_log_close(struct decision_log *log, int r, const struct study *study,
                       const struct sim *first, struct tally *counted, struct error *reterr);

/* --- shared_links --- */

/* Adds a problem for each model in use that has no sync_bytes beside contention, and warnings. */
void shared_links_check(struct study *study, const struct usage *usage, struct problems *problems);

/* --- warnings --- */

/* Fills in study->warnings of one that is loaded otherwise. Adds problems of models and cluster
   together, which a run would meet. */
void warnings_find(struct study *study, struct problems *problems);

#endif
