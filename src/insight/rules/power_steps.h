/* The power of the whole cluster over a recorded run, from its segments and the states of its GPUs:
   exact, in whole nanowatts. `committed` is the power that policies with a cap count: GPUs that
   jobs hold count at the higher of ctx_w and their computing power. */
#ifndef EASIM_INSIGHT_RULES_POWER_STEPS_H
#define EASIM_INSIGHT_RULES_POWER_STEPS_H

#include "insight/recorded_run.h"

/* From time_ns on, until the next one. */
struct power_step {
    int64_t time_ns;
    int64_t nw, committed_nw;
};

/* Zero-initialise; release with power_steps_finish. */
struct power_steps {
    ARRAY_OF(struct power_step) at; /* the first at 0; each later than the one before */
};

void power_steps_make(struct power_steps *steps, const struct recorded_run *run);
void power_steps_finish(struct power_steps *steps);

/* The power that a start of a configuration in a span would add to the committed power, without
   that of its nodes for busy GPUs. */
int64_t power_steps_added_nw(const struct cluster *cluster, const struct easim_config *config,
                             uint32_t span);

#endif
