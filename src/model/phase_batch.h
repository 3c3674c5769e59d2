/* The batch that a computing job takes when its phase changes (semantics 15.2). Pure function. */
#ifndef EASIM_MODEL_PHASE_BATCH_H
#define EASIM_MODEL_PHASE_BATCH_H

#include "easim/policy.h"

/* Of configs [first, first + count), by GPU type, k and batch, the one that a job in `now`, placed
   as span, takes: with its k, GPU type and power limit, known in that span, of the least batch that
   is not below its own, else of the largest below. EASIM_NONE: there is none. */
uint32_t phase_batch_find(const struct easim_config *configs, uint32_t first, uint32_t count,
                          const struct easim_config *now, uint32_t span);

#endif
