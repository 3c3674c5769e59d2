/* Phases of a model (semantics 15): parts of a job's work that differ in gradient noise scale and
   allowed batches. A model without has one, of all the work. */
#ifndef EASIM_MODEL_MODEL_PHASE_H
#define EASIM_MODEL_MODEL_PHASE_H

#include "model/model.h"

#define MODEL_MAX_PHASES  64
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
