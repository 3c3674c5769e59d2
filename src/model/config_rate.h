/* What a job in a configuration moves in an iteration, and what it draws where something else than
   its GPUs holds it back: at a share of the rate of the configuration (semantics 35.3). Pure
   functions. */
#ifndef EASIM_MODEL_CONFIG_RATE_H
#define EASIM_MODEL_CONFIG_RATE_H

#include "model/config_table.h"

struct config_rate {
    double iteration_s;       /* t of the configuration, > 0 */
    double samples_s;         /* r, of all k GPUs; samples as they are, not reference samples */
    double sync_bytes;        /* that each GPU sends in an iteration; NAN: the model does not say */
    double storage_bytes;     /* that a sample reads from storage; 0: none */
    double still_w, moving_w; /* of a GPU: at no rate, and what the whole rate adds */
    double tdp_w, factor;     /* P = factor x min(tdp_w, still_w + share x moving_w) */
};

/* Of a configuration of jobs of a model in a phase of it; rigid jobs: none. span: a known one. */
struct config_rate config_rate_of(const struct config_table *table, uint32_t model, uint32_t phase,
                                  const struct easim_config *config, uint32_t span);
/* Of one GPU that computes at a share in [0, 1] of the rate. */
double config_rate_power_w(const struct config_rate *rate, double share);

#endif
