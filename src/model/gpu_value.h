/* What a model says of k GPUs of a type with a batch: iteration time, power, whether measured. */
#ifndef EASIM_MODEL_GPU_VALUE_H
#define EASIM_MODEL_GPU_VALUE_H

#include "cluster/cluster.h"
#include "easim/policy.h"
#include "model/model.h"
#include "model/model_file.h"

/* Time of a whole iteration, all its steps, and power of one GPU, not cut at any limit; by
   formulas, the lookup table, or one each. nodes: as speed_nodes. False where a lookup table does
   not reach it. */
bool gpu_value_find(const struct gpu_model *gpu_model, uint32_t k, double batch, uint32_t nodes,
                    struct interpolation_value *value);
/* The same across nodes that are too small for k, by interpolation_stand_in. */
bool gpu_value_stand_in(const struct gpu_model *gpu_model, uint32_t k, double batch, uint32_t nodes,
                        struct interpolation_value *value);

/* Outside the measured range of k and b; without a range everything is. */
bool gpu_value_is_outside(const struct gpu_model *gpu_model, uint32_t k, double batch);
/* Of k alone: where a plan chooses the batch. */
bool gpu_value_is_outside_k(const struct gpu_model *gpu_model, uint32_t k);

/* The same where synchronization across nodes takes `factor` times as long (semantics 32.3): s, and
   what plans send to other nodes. Tables hold no s: they stay. */
struct gpu_model gpu_value_slowed(const struct gpu_model *gpu_model, double factor);

/* The most that it may draw on one GPU: tdp_w where its power was not measured. */
double gpu_value_most_w(const struct gpu_model *gpu_model, double tdp_w);

/* --- span_value --- */
/* What a model says of a configuration in each span of a cluster (semantics 32.3). */

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

/* --- level: a configuration under a power limit; pure functions --- */

/* What computing time and power are multiplied by: at least and at most 1. */
struct level_ratios {
    double time, power;
};

/* Those of the place nearest to a configuration that was measured at a level of limits. */
struct level_ratios level_ratios_of(const struct power_limits *limits,
                                    const struct power_level *level,
                                    const struct easim_config *config, uint32_t span);
/* The configuration at that level: never faster, never more power, never above the limit. */
struct easim_config level_apply(const struct power_limits *limits, const struct power_level *level,
                                const struct easim_config *unlimited);

#endif
