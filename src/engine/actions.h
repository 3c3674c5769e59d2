/* The actions of a decision: proposed by the policy, answered at once, done together at its end. */
#ifndef EASIM_ENGINE_ACTIONS_H
#define EASIM_ENGINE_ACTIONS_H

#include "engine/segments.h"
#include "engine/sim.h"

struct action {
    enum action_kind kind;
    bool at_once;           /* of a preemption */
    struct job_start start; /* of a preemption or rejection only the job */
};

/* One call of a policy: zero-initialise all except sim; release with actions_finish. */
struct easim_plan {
    struct plan_head head;
    struct sim *sim;
    ARRAY_OF(struct action) actions;
    struct str failure; /* from host->fail; "": none */
};

/* Puts the structs of the policy's extensions in their order, with the functions of services. */
void actions_init(struct sim *sim);
/* Fills in *pass, with which the policy is called: the view and the host functions that fill in the
   plan. Returns it as the policy's own functions get it (view_begin_call). */
const struct easim_pass *actions_pass(struct easim_plan *plan, struct easim_pass *pass);
/* Carries out what the policy has asked for; if the run has failed, drops it. */
void actions_finish(struct easim_plan *plan);

/* --- policy code: what the policy must not change while it runs --- */

/* Part of the message when the policy of a checked run has changed it. */
#define VIEW_DAMAGE "has written into the view, which is constant"

/* The policy runs from now on; the host writes nothing into the view. */
void policy_code_begins(struct sim *sim);
/* The policy has run, and the host goes on. Fails the run if the policy has written, as far as a
   part, or `all`, of the view tells. */
void policy_code_ends(struct sim *sim, bool all);

#endif
