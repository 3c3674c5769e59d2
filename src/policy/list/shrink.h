/* Shrinking, the other half of the switch `resize` of list policies (semantics 7.3): when jobs
   wait, a running job may give GPUs back if the first waiting job gains more by starting now than
   the running one loses. Sections: ends, candidates, shrink. */
#ifndef EASIM_POLICY_LIST_SHRINK_H
#define EASIM_POLICY_LIST_SHRINK_H

#include "base/array.h"
#include "easim/policy.h"
#include "policy/list/rules.h"

#include <stdint.h>

/* --- ends --- */
/* Running jobs by their expected ends: an indexed heap. Insert, move and remove in O(log n); those
   that end by some time in O(their number). */

struct ends_entry {
    int64_t end_ns;
    uint32_t job;
};

/* Set places, leave the rest zero; release with ends_finish. A job is in one of the heaps that
   share an array of places, at most. */
struct ends {
    ARRAY_OF(struct ends_entry) heap;
    uint32_t *places; /* by job: place in the heap + 1, or 0; the owner's, zero at first */
};

void ends_finish(struct ends *ends);
void ends_add(struct ends *ends, uint32_t job, int64_t end_ns); /* not in it before */
void ends_remove(struct ends *ends, uint32_t job);              /* in it */
int64_t ends_first_ns(const struct ends *ends);                 /* INT64_MAX if empty */
/* Calls visit for all jobs that end by until_ns, in no particular but a reproducible order; it may
   not change the heap. */
void ends_visit(const struct ends *ends, int64_t until_ns, void (*visit)(uint32_t, void *),
                void *context);

/* --- candidates --- */
/* Running jobs that might give GPUs back, found by the possible gain, without a look at the others.

   A job with D seconds to go that is r times as fast as in its fastest smaller configuration (of
   the same GPU type) would lose at least restart_s + (r - 1) D if it moved there, and a resize has
   to save at least restart_s. So it is out of the question unless 2 restart_s + (r - 1) D is less
   than the gain. Jobs are in groups of about the same r, each in the order of their ends. One in
   set-up has not begun its D yet, and is looked at by itself. */

#define CANDIDATE_GROUPS 64

struct candidate_job {
    double excess;        /* r - 1 */
    uint32_t setup_place; /* in in_setup + 1, or 0 */
    uint8_t group;
    bool is_noted;
};

struct candidate_group {
    double least_excess, least_restart_s; /* of all jobs that ever were in it */
    struct ends ends;
};

/* Initialise by candidates_init; release with candidates_finish. */
struct candidates {
    struct candidate_job *jobs; /* NULL: not in use */
    uint32_t *all_places, *group_places;
    ARRAY_OF(uint32_t) noted; /* jobs of which something has changed since the last look */
    ARRAY_OF(uint32_t) in_setup;
    struct ends all; /* running jobs, whether they can be resized or not */
    struct candidate_group groups[CANDIDATE_GROUPS];
    ARRAY_OF(uint32_t) found;
};

/* --- shrink --- */

/* Initialise by shrink_init; release with shrink_finish. */
struct shrink {
    const struct rules *rules;
    struct candidates candidates;
};

/* The rules must outlive it. */
void shrink_init(struct shrink *shrink, const struct rules *rules, uint32_t job_count);
void shrink_finish(struct shrink *shrink); /* accepts a zeroed one */
/* A job has begun to run, or ceased to, or runs in another configuration or phase. Nothing happens
   without `shrink`. */
void shrink_note(struct shrink *shrink, uint32_t job);

/* After the starts of a pass that has left `first`, whose key is given, as the first of those that
   wait. 1: job *ret_job gives GPUs back, so that first can start; 0: none does; negative, after
   host->fail: an objective is NaN. */
int shrink_decide(struct shrink *shrink, const struct easim_pass *pass,
                  const struct easim_job *first, const struct easim_key *key, uint32_t *ret_job);

#endif
