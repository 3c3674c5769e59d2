/* One entry of model_overrides: what it names and sets, checked, and what has become of it. */
#ifndef EASIM_MODEL_OVERRIDE_ENTRY_H
#define EASIM_MODEL_OVERRIDE_ENTRY_H

#include "cluster/cluster.h"
#include "model/model.h"
#include "model/model_fields.h"
#include "model/model_file.h"

/* --- override_parameter --- */
/* The parameters that `set` of model_overrides may name, and their values. */

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

/* --- override_place --- */
/* Where overrides are made: one model on one GPU type of a tree of model files. */

struct override_place {
    struct model_tree *tree;
    struct arena *arena;
    size_t root, model;     /* index of the root, and of the model in it */
    const char *name, *gpu; /* of the model; of the GPU type, or NULL: the model as a whole */
};

/* What is stated there now, bound; what is wrong in the file is not said here. */
void override_place_read(const struct override_place *place, struct model *model,
                         struct gpu_model *gpu_model);
/* Whether the model, or it on the GPU type, states the key. */
bool override_place_states(const struct override_place *place, const char *key);
/* Puts a value in its place, in copies of the nodes around it. */
void override_place_set(const struct override_place *place, const char *key,
                        struct yaml_node *value);
/* Evidence and source of a parameter of the model on the GPU type: overridden at `path`. */
void override_place_record(const struct override_place *place, const char *parameter,
                           const char *path, struct location where);
/* "resnet50 on h100", "resnet50" */
const char *override_place_text(const struct override_place *place);

/* --- override_entry --- */

/* As it stands in the scenario. */
struct override_entry {
    struct location where;
    const char *model, *gpu; /* exact names, or OVERRIDE_ANY */
    const struct yaml_node *set;
};

/* One value of an entry, and what has become of it. */
struct override_assignment {
    struct override_value value;
    size_t made;        /* places that took it */
    struct str skipped; /* those on which it has no effect, with the reason: the first ones */
    size_t skipped_count;
};

struct override {
    struct model_tree *tree;
    const struct cluster *cluster;
    const struct binding *binding;
    const char *path, *set_path; /* model_overrides[0], model_overrides[0].set */
    const struct yaml_node *node;
    struct override_entry entry;
    struct override_assignment *assignments;
    size_t count;
};

/* Reads the entry and checks its names and values; negative after adding problems. tree, cluster,
   binding, path, set_path and node are given. */
int override_entry_bind(struct override *o) MUST_CHECK;
void override_entry_finish(struct override *o);

bool override_is_any(const char *wanted);
/* Calls visit for each model that matches, with gpu NULL, or for each of its GPU types that do. */
void override_each_place(const struct override *o, bool by_gpu,
                         void (*visit)(const struct override *o,
                                       const struct override_place *place));
/* "model_overrides[0].set.alpha_s" */
const char *override_value_path(const struct override *o, const struct override_value *value);
/* Adds a problem at a value. */
void override_refuse(const struct override *o, const struct override_value *value,
                     const char *format, ...) PRINTF_LIKE(3, 4);
/* The value has no effect there, and why. */
void override_skip(struct override_assignment *assignment, const struct override_place *place,
                   const char *why);
/* All that were skipped, in words; NULL: none. */
const char *override_skipped(const struct override *o,
                             const struct override_assignment *assignment);

/* --- override_effect: parameters that decide nothing, because others replace them --- */

/* What a field of gpu_model_fields, or of model_fields, is hidden by; NULL: it has an effect. */
const char *override_hidden_on_gpu(const struct model *model, const struct gpu_model *gpu_model,
                                   const struct field *field);
const char *override_hidden_in_model(const struct model *model, const struct field *field);

extern const struct field override_fields[]; /* of an entry */
#endif
