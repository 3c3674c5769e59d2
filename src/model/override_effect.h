/* Parameters of a model that decide nothing, since something else stands in their place. */
#ifndef EASIM_MODEL_OVERRIDE_EFFECT_H
#define EASIM_MODEL_OVERRIDE_EFFECT_H

#include "model/model.h"

/* What a field of gpu_model_fields, or of model_fields, is hidden by; NULL: it has an effect. */
const char *override_hidden_on_gpu(const struct model *model, const struct gpu_model *gpu_model,
                                   const struct field *field);
const char *override_hidden_in_model(const struct model *model, const struct field *field);

#endif
