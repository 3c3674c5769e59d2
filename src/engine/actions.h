/* One decision: the actions a policy proposes, answered at once, carried out together at the end.
 */
#ifndef EASIM_ENGINE_ACTIONS_H
#define EASIM_ENGINE_ACTIONS_H

#include "engine/sim.h"
#include "policy/list/recheck.h"

/* In the failure of a checked run whose policy has. */
#define PLAN_DAMAGE "has written into the view, which is constant"

/* Asks the policy for its decision and commits it. On failure sim->error is set. */
void plan_decide(struct sim *sim);
/* Whether a list policy may ever admit a job that is being submitted, alone on the cluster and
   under the constant cap of sim->over_cap. A free policy does not say. */
bool plan_may_admit(struct sim *sim, uint32_t job);
/* Calls init (before the first event) or finish (after the last) of the policy, where it has one.
 */
void plan_call_init(struct sim *sim);
void plan_call_finish(struct sim *sim);
/* At the end of a checked run: compares all of the view. */
void plan_check_view(struct sim *sim);
/* Of a run that ends with jobs waiting: whether answers of the policy that the host keeps do not
   hold any more, and which. */
bool plan_explain(struct sim *sim, char text[static RECHECK_BYTES]);

#endif
