/* The actions of a decision: proposed by the policy, answered at once, carried out together at its
   end. */
#ifndef EASIM_ENGINE_ACTIONS_H
#define EASIM_ENGINE_ACTIONS_H

#include "engine/segments.h"

struct action {
    enum action_kind kind;
    bool at_once;           /* of a preemption */
    struct job_start start; /* of a preemption or rejection only the job */
};

/* Of one call of a policy: zero-initialise all but sim; release with actions_finish. */
struct easim_plan {
    struct sim *sim;
    ARRAY_OF(struct action) actions;
    struct str failure; /* from host->fail; "": none */
};

/* What the policy is called with: the view, and the host functions that fill in the plan. */
struct easim_pass actions_pass(struct easim_plan *plan);
/* Carries out what the policy has asked for; if the run has failed, drops it. */
void actions_finish(struct easim_plan *plan);

#endif
