/* What a model with a transformer states in place of forms, checked. */
#ifndef EASIM_MODEL_MODEL_TRANSFORMER_H
#define EASIM_MODEL_MODEL_TRANSFORMER_H

#include "model/model.h"

/* Settles the shape, and adds problems: keys that would have no effect beside it, or without it,
   and figures that plans need. node: the model as read. */
void model_transformer_check(struct model *model, const struct yaml_node *node, const char *path,
                             const struct binding *binding);

#endif
