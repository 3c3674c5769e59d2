/* What a model says of k GPUs of a type with a batch: time of an iteration, power, and whether that
   was measured. */
#ifndef EASIM_MODEL_GPU_VALUE_H
#define EASIM_MODEL_GPU_VALUE_H

#include "model/model.h"

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

/* The same where synchronisation across nodes takes `factor` times as long (semantics 32.3): s, and
   what plans send to other nodes. Tables hold no s: they stay. */
struct gpu_model gpu_value_slowed(const struct gpu_model *gpu_model, double factor);

/* The most that it may draw on one GPU: tdp_w where its power was not measured. */
double gpu_value_most_w(const struct gpu_model *gpu_model, double tdp_w);

#endif
