/* What a model says of a configuration in each span of a cluster (semantics 32.3). */
#ifndef EASIM_MODEL_SPAN_VALUE_H
#define EASIM_MODEL_SPAN_VALUE_H

#include "cluster/cluster.h"
#include "easim/policy.h"
#include "model/model.h"

/* Whether a span is as the one below it, whatever the model says: one GPU has nobody to wait for,
   and tiers may be slowed alike. */
bool span_value_is_as_below(const struct network *network, const struct gpu_model *gpu_model,
                            uint32_t k, uint32_t span);

/* Time of an iteration and power of one GPU: as gpu_value_find, for k, batch and GPU type of a
   configuration. False: the model does not know it there. *stands_in is set if points in one node
   had to stand for those across nodes. */
bool span_value_find(const struct cluster *cluster, const struct gpu_model *gpu_model,
                     const struct easim_config *config, uint32_t span, bool *stands_in,
                     struct interpolation_value *value);

#endif
