/* The parameters that `set` of model_overrides may name, and their values. */
#ifndef EASIM_MODEL_OVERRIDE_PARAMETER_H
#define EASIM_MODEL_OVERRIDE_PARAMETER_H

#include "model/model_fields.h"

enum derived_parameter { DERIVED_NONE, DERIVED_SCALING_EFFICIENCY, DERIVED_P0_SHARE };

/* The keys of model files that are no record, and the derived ones: where a name stands. */
struct override_parameter {
    const char *name;
    const struct field *of_model, *of_gpu; /* a key of a model, of a model on a GPU type, or NULL */
    enum derived_parameter derived;
};

/* One value of `set`, checked. */
struct override_value {
    struct override_parameter parameter;
    const struct yaml_node *key, *node; /* as they stand in the scenario */
    bool multiplies;
    double number; /* the factor, or the value of a derived parameter */
};

/* Negative after adding problems; path: of the mapping `set`. */
int override_value_bind(struct override_value *value, const struct yaml_node *key,
                        const struct yaml_node *node, const char *path,
                        const struct binding *binding) MUST_CHECK;

/* What is to stand in place of a number, or list of numbers, that `field` bound at `now`: each
   times the factor; NULL if it is not stated. */
struct yaml_node *override_product(const struct override_value *value, const struct field *field,
                                   const void *now, struct arena *arena);
/* A number as a value of a model file, with the place of `like`. */
struct yaml_node *override_number(double number, const struct yaml_node *like, struct arena *arena);
/* Whether the field takes the value; path is said in the problem. */
int override_check(const struct field *field, const struct yaml_node *node, const char *path,
                   const char *name, const struct binding *binding) MUST_CHECK;

const struct field *override_gpu_field(const char *key); /* of a model on a GPU type; it exists */

#endif
