/* Which numbers of GPUs the jobs of each model may ask for in a scenario: where the work unit of a
   model without k = 1 is taken (semantics 16). */
#ifndef EASIM_WORKLOAD_ALLOWED_K_H
#define EASIM_WORKLOAD_ALLOWED_K_H

#include "workload/source.h"

/* Fills in source->allowed_k from its streams and logs; released by allowed_k_finish. */
void allowed_k_find(struct workload_source *source);
void allowed_k_finish(struct workload_source *source);

#endif
