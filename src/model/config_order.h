/* How ties between configurations break, wherever the best of several is chosen: T* and EDP* of a
   job, the objective of a list policy (semantics 5.1). */
#ifndef EASIM_MODEL_CONFIG_ORDER_H
#define EASIM_MODEL_CONFIG_ORDER_H

#include "easim/policy.h"

#include <stdbool.h>
#include <stdint.h>

/* What of a configuration the order looks at, for the placement it is judged with. */
struct config_rank {
    uint32_t k;
    double power_w; /* of one GPU computing, in that placement */
    uint32_t gpu_type;
    double batch;
    double power_limit_w; /* INFINITY: none */
};

/* That of a configuration placed with a span. */
static inline struct config_rank config_rank_of(const struct easim_config *config, uint32_t span) {
    return (struct config_rank){config->k, config->power_w[span], config->gpu_type, config->batch,
                                config->power_limit_w};
}

/* Fewer GPUs, lower k * P, earlier GPU type, smaller batch, higher limit: true if a goes before b.
   An order of its own, whatever else the two differ in; equal ranks are not before each other. */
bool config_order_before(const struct config_rank *a, const struct config_rank *b);

#endif
