/* The keys of model files, in the order in which they are written. */
#ifndef EASIM_MODEL_MODEL_FIELDS_H
#define EASIM_MODEL_MODEL_FIELDS_H

#include "model/model.h"

extern const char *const precision_names[];   /* by enum precision; NULL-terminated */
extern const char *const power_scope_names[]; /* by enum power_scope; NULL-terminated */
extern const struct field gpu_model_fields[]; /* of one model on one GPU type: struct gpu_model */
extern const struct field model_fields[];     /* of one model: struct model */
extern const struct field evidence_forms[];   /* one word, or one for each parameter */

/* NULL: the table has no such key. */
const struct field *model_field_named(const struct field *fields, const char *name);
#endif
