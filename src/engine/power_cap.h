/* The power cap, which binds a policy with the capability POWER_CAP: the committed power, at which
   every allocated GPU draws the higher of ctx_w and its computing power, stays at or below it. */
#ifndef EASIM_ENGINE_POWER_CAP_H
#define EASIM_ENGINE_POWER_CAP_H

#include "engine/sim.h"

/* Fills in sim->over_cap, the configurations that a constant cap forbids for the whole run. The
   cluster must be empty. */
void power_cap_init(struct sim *sim);
/* Whether starting or resizing a job to config now would lift the committed power over the cap. */
bool power_cap_forbids(struct sim *sim, uint32_t job, uint32_t config);
/* Whether a constant cap forbids every configuration of a job's set, on the empty cluster. */
bool power_cap_forbids_job(const struct sim *sim, uint32_t job);

/* Whether the cluster may not commit so much power. */
bool power_cap_forbids_nw(const struct sim *sim, int64_t committed_nw);

#endif
