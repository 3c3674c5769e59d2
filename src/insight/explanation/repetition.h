/* A run again, from what it was made of, to see what its policy saw of one job. */
#ifndef EASIM_INSIGHT_EXPLANATION_REPETITION_H
#define EASIM_INSIGHT_EXPLANATION_REPETITION_H

#include "base/array.h"
#include "base/str.h"
#include "engine/observer.h"
#include "engine/sim.h"
#include "insight/explanation/waits.h"
#include "insight/recorded_run.h"
#include "study/study.h"

/* --- moment: what a policy saw when it decided on one job: numbers, the same in any process --- */

/* A configuration with what it would cost from now on, as policies predict it (semantics 4): of a
   waiting job from its start, of a running one after a resize. */
struct moment_choice {
    uint32_t config; /* index in the run that was repeated */
    uint32_t gpu_type, k, milli;
    double batch, power_limit_w;     /* 0: rigid; INFINITY: no limit */
    double time_s, energy_j, edp_js; /* T, E, E x T */
    uint32_t span;                   /* where it would be now; else on the empty cluster */
    bool fits, over_cap, extrapolated;
};

struct moment_type {
    uint32_t gpus, free, asleep, failed;
    uint64_t shared_free_milli; /* of GPUs held in part */
};

enum moment_kind {
    MOMENT_SUBMITTED,
    MOMENT_STARTED,
    MOMENT_RESIZED,
    MOMENT_LIMITED,
    MOMENT_PREEMPTED
};

#define MOMENT_NO_CHOICE UINT32_MAX

struct moment {
    int64_t time_ns;
    uint64_t decision; /* its number, from 1 */
    uint8_t kind;      /* enum moment_kind */
    uint32_t waiting, running;
    uint32_t ahead;        /* waiting jobs that were submitted before the job */
    double power_w, cap_w; /* before the decision; INFINITY: no cap */
    bool has_present;      /* it ran: what is left of it where it was, */
    struct moment_choice present;
    uint32_t chosen;                 /* place among its choices, or MOMENT_NO_CHOICE */
    size_t first_type, first_choice; /* in the moments' lists */
    uint32_t choice_count;
    size_t text, text_length; /* STARTED: why, as the policy says; in the waits' texts */
};

/* Why a job that came later could start before. */
enum overtaking {
    OVERTOOK_NO_ROOM,
    OVERTOOK_CAP,
    OVERTOOK_BY_CHOICE,
    OVERTOOK_BY_TAKING /* only room that the policy took from other jobs in that decision */
};

struct overtaker {
    uint32_t job;
    int64_t time_ns;
    uint8_t why; /* enum overtaking */
};

/* Zero-initialise; release with moments_finish. */
struct moments {
    ARRAY_OF(struct moment) at; /* in order of time */
    ARRAY_OF(struct moment_type) types;
    ARRAY_OF(struct moment_choice) choices;
    ARRAY_OF(struct overtaker) overtakers;
    struct waits waits;
    uint64_t passed, passed_fitting; /* decisions that left it waiting; and it would have fitted */
    uint64_t refused[REFUSAL_COUNT]; /* actions that were tried on it */
    struct str reject_reason;        /* empty: it was not rejected */
};

void moments_finish(struct moments *moments);

/* --- repetition --- */

/* Runs the recorded replication of the study in a process of its own (decision 0025). ERROR_RUN: it
   fails now, or the job does not do what it did. */
int repetition_run(struct study *study, const struct recorded_run *run, uint32_t job,
                   struct moments *moments, struct error *reterr) MUST_CHECK;

#endif
