/* How a job's speed grows with its GPUs: of every allowed number the fastest configuration of one
   GPU type, without a power limit, in the span of the empty cluster. */
#ifndef EASIM_INSIGHT_RULES_SCALING_H
#define EASIM_INSIGHT_RULES_SCALING_H

#include "insight/rules/gathered.h"

#endif
