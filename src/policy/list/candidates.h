/* Running jobs that might give GPUs back (shrink.h), found by what there is to gain, without a look
   at the others.

   A job with D seconds to go that is r times as fast as in its fastest smaller configuration (of
   the same GPU type) would lose at least restart_s + (r - 1) D if it moved there, and restart_s is
   the least that a resize has to save. So it is out of the question unless 2 restart_s + (r - 1) D
   is less than the gain. Jobs stand in groups of about the same r, each in the order of their ends.
   One in set-up has not begun its D yet, and is looked at by itself. */
#ifndef EASIM_POLICY_LIST_CANDIDATES_H
#define EASIM_POLICY_LIST_CANDIDATES_H

#include "easim/policy.h"
#include "policy/list/ends.h"

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

void candidates_init(struct candidates *candidates, uint32_t job_count);
void candidates_finish(struct candidates *candidates); /* accepts a zeroed one */
/* A job has begun to run, or ceased to, or runs in another configuration or phase. */
void candidates_note(struct candidates *candidates, uint32_t job);
/* The time until the first running job is expected to end, not before which one would end by
   itself; 0 if none runs. */
double candidates_gain_s(struct candidates *candidates, const struct easim_view *view);
/* After that: collects in `found` all running jobs for which that gain may be enough, and perhaps
   others. */
void candidates_find(struct candidates *candidates, const struct easim_view *view, double gain_s);

#endif
