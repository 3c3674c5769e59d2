/* The batches that jobs of a model may choose from on a GPU type, and the steps in which one is
   computed (semantics 2). */
#ifndef EASIM_MODEL_BATCHES_H
#define EASIM_MODEL_BATCHES_H

#include "model/model.h"

/* The lists that hold on a GPU type: its own, or those of the model. */
const struct batch_choice *batches_on(const struct model *model, const struct gpu_model *gpu_model);
size_t batches_count(const struct batch_choice *choice);
/* b of number i (ascending with i) on k GPUs: as listed, or B / k. */
double batches_at(const struct batch_choice *choice, size_t i, uint32_t k);

/* Steps of one iteration (grad_accum), 1 where the model file says nothing. */
double batches_steps(const struct gpu_model *gpu_model, uint32_t k, double batch);
/* GPU memory in GiB: what one step needs. */
double batches_memory_gib(const struct model *model, const struct gpu_model *gpu_model, uint32_t k,
                          double batch);

/* Whether one step has more samples than most_batch. */
bool batches_too_large(const struct gpu_model *gpu_model, uint32_t k, double batch);

/* Whether no GPU type of the model needs the lists of the model. */
bool batches_all_own(const struct model *model);

/* Sorts the lists of a model and of its GPU types, and adds problems: both at one place, steps
   stated twice. */
void batches_check(struct model *model, const char *path, const struct binding *binding);

#endif
