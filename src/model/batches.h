/* The batches that a model allows on a GPU type, and the steps of each (semantics 2). */
#ifndef EASIM_MODEL_BATCHES_H
#define EASIM_MODEL_BATCHES_H

#include "easim/policy.h"
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

/* --- phase_batch --- */
/* The batch that a computing job takes when its phase changes (semantics 15.2); pure. */

/* Of configs [first, first + count), by GPU type, k and batch, the one that a job in `now`, placed
   as span, takes: with its k, GPU type and power limit, known in that span, of the least batch that
   is not below its own, else of the largest below. EASIM_NONE: there is none. */
uint32_t phase_batch_find(const struct easim_config *configs, uint32_t first, uint32_t count,
                          const struct easim_config *now, uint32_t span);

/* --- model_phase --- */
/* Phases of a model (semantics 15): parts of a job's work that differ in gradient noise scale and
   allowed batches. A model that has none counts as one of all the work. */

#define MODEL_MAX_BATCHES 64 /* that one phase states */

/* Checks the phases that a model file states, and that there is a phi for each; sorts their
   batches. path: of the model. */
void model_phases_check(const struct model *model, bool phi_is_given, const char *path,
                        const struct binding *binding);

uint32_t model_phase_count(const struct model *model); /* at least 1 */
double model_phase_until(const struct model *model, uint32_t phase);
/* Whether a phase has a noise scale of its own, or batches; else it has the model's. */
bool model_phase_states_phi(const struct model *model, uint32_t phase);
bool model_phase_states_batches(const struct model *model, uint32_t phase);
/* Whether all phases do; false of a model without. */
bool model_phases_state(const struct model *model,
                        bool (*phase_states)(const struct model *model, uint32_t phase));
double model_phase_phi(const struct model *model, uint32_t phase);
/* The batches that a phase states; count 0: none, those of the model are allowed. */
const struct schema_list *model_phase_batches(const struct model *model, uint32_t phase);
/* Whether two phases differ in nothing but their place. */
bool model_phases_equal(const struct model *model, uint32_t phase, uint32_t other);

#endif
