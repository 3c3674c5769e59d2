/* Where the policy is called: for a decision, at the beginning and the end, and for questions. */
#ifndef EASIM_ENGINE_CALLBACKS_H
#define EASIM_ENGINE_CALLBACKS_H

#include "engine/sim.h"
#include "policy/list/recheck.h"

/* Asks the policy for its decision and carries it out. On failure sim->error is set. */
void callbacks_decide(struct sim *sim);
/* Whether a list policy may ever admit a job that is being submitted, alone on the cluster and
   under the constant cap of sim->over_cap. A free policy does not say. */
bool callbacks_may_admit(struct sim *sim, uint32_t job);
/* Calls init (before the first event) or finish (after the last) of the policy, where it has one.
 */
void callbacks_init(struct sim *sim);
void callbacks_finish(struct sim *sim);
/* At the end of a checked run: compares all of the view. */
void callbacks_check_view(struct sim *sim);
/* For a run that ends because jobs wait for ever: whether the reason is that answers of a list
   policy, which the host keeps, are no longer what the policy would answer; text says which. */
bool callbacks_explain(struct sim *sim, char text[static RECHECK_BYTES]);

#endif
