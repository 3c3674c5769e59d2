/* What a model with a transformer states in place of forms, checked. */
#ifndef EASIM_MODEL_MODEL_TRANSFORMER_H
#define EASIM_MODEL_MODEL_TRANSFORMER_H

#include "model/model.h"

/* Settles the shape, and adds problems: keys that would have no effect beside it, or without it,
   and figures that plans need. node: the model as read. */
void model_transformer_check(struct model *model, const struct yaml_node *node, const char *path,
                             const struct binding *binding);

/* --- config_dropped: why no configuration is left, in words --- */

/* Candidates by what they failed at. Start with least_k UINT32_MAX, all else 0. */
struct config_dropped {
    uint32_t by_gpus, by_memory, by_most, by_range, by_span, by_plan, by_batch;
    uint32_t least_k, most_gpus; /* asked for, and of the largest allowed type */
    double least_gib;            /* that any of those by_memory needs */
};

void config_dropped_by_memory(struct config_dropped *dropped, double gib);
/* model: NULL of a rigid job. The text is a constant or the arena's. */
const char *config_dropped_reason(const struct config_dropped *dropped, const struct model *model,
                                  struct arena *arena);

#endif
