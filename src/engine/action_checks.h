/* Whether an action of the policy can be tried at all, as things stand in its plan. Whether it
   fits, and the power cap, come after that. */
#ifndef EASIM_ENGINE_ACTION_CHECKS_H
#define EASIM_ENGINE_ACTION_CHECKS_H

#include "engine/sim.h"

bool action_has_capability(const struct sim *sim, uint32_t capability);
/* A configuration of the job's own range. */
bool action_allows_config(const struct sim *sim, uint32_t job, uint32_t config);
/* Whether a job may be resized: it has run before this plan, on whole GPUs. */
bool action_may_resize(const struct sim *sim, uint32_t job);

/* REFUSED_NOT: it can be tried. */
enum refusal action_check_start(const struct sim *sim, uint32_t job, uint32_t config);
enum refusal action_check_preempt(const struct sim *sim, uint32_t job);
enum refusal action_check_resize(const struct sim *sim, uint32_t job, uint32_t config);
enum refusal action_check_reject(const struct sim *sim, uint32_t job);
/* Of a configuration of a replica, and of a replica, by their places in the view. */
enum refusal action_check_scale_up(const struct sim *sim, uint32_t replica_config);
enum refusal action_check_scale_down(const struct sim *sim, uint32_t replica);

#endif
