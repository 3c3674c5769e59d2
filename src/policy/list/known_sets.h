/* What is known of the sets of configurations of waiting jobs, which many jobs share: which of them
   may be the best of a job, whatever is free, or on the empty cluster, and in which group a job is
   that admits all. One is outdone, and not looked at, where another with the same GPUs has a
   thousandth more goodput for a thousandth less energy in every span: as long as computing takes a
   microsecond and a millionth of the set-up that is 1e-12 of T and of energy, where rounding is
   1e-15, so no tie is broken. Goodput alone would not do: beside a long set-up two of them give the
   same T, and ties go to fewer GPUs and less power. */
#ifndef EASIM_POLICY_LIST_KNOWN_SETS_H
#define EASIM_POLICY_LIST_KNOWN_SETS_H

#include "base/array.h"
#include "easim/policy.h"

#include <stdbool.h>

struct known_set {
    uint32_t configs;      /* that it has; 0: nothing is known yet */
    uint32_t first, count; /* in `front` of all sets */
    uint32_t empty_count;  /* behind those: of known_sets_when_empty */
    uint32_t group;        /* of jobs that admit all of it (index.h); EASIM_NONE: not known yet */
    uint32_t best;         /* of least objective for the job asked about last; EASIM_NONE: none */
    double least_goodput, best_goodput; /* in any span in which it is known */
};

/* Zero-initialise; release with known_sets_finish. */
struct known_sets {
    struct known_set *at; /* by the first configuration; NULL: none yet */
    ARRAY_OF(uint32_t) front;
};

/* Configurations to look at: front[i], or first + i where front is NULL. */
struct known_choice {
    const uint32_t *front;
    uint32_t first, count;
};

void known_sets_finish(struct known_sets *sets);
/* The set of a job; NULL: it has few, so that there is nothing to know. */
struct known_set *known_sets_find(struct known_sets *sets, const struct easim_view *view,
                                  const struct easim_job *job);
/* All configurations of a job. */
static inline struct known_choice known_sets_all(const struct easim_job *job) {
    return (struct known_choice){NULL, job->first_config, job->config_count};
}
/* Those of which some is better than each other one that the same free GPUs would serve, where the
   objective rises with T and energy both, or is T. */
struct known_choice known_sets_front(struct known_sets *sets, const struct easim_view *view,
                                     const struct easim_job *job);
/* Those of which some is better than each other one on the empty cluster, likewise. */
struct known_choice known_sets_when_empty(struct known_sets *sets, const struct easim_view *view,
                                          const struct easim_job *job);
static inline uint32_t known_choice_at(const struct known_choice *choice, uint32_t i) {
    return choice->front ? choice->front[i] : choice->first + i;
}

#endif
