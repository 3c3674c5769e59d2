/* Model files: what is known of each training job kind on each GPU type, and how well. */
#ifndef EASIM_MODEL_MODEL_FILE_H
#define EASIM_MODEL_MODEL_FILE_H

#include "config/schema.h"
#include "model/model.h"

/* --- model_tree: files before their values are bound, for model_overrides and models.yaml --- */

/* A model file, or a mapping in a scenario that could stand in one. */
struct model_root {
    struct yaml_node *node;
    const char *path; /* where it stands, for messages: "" in a file, "models[1]" in a scenario */
};

/* Zero-initialise. All is in the binding's arena. */
struct model_tree {
    struct model_root *roots;
    size_t count;
};

/* Reads node: a path of a model file, a mapping of what such a file holds, or a list of these;
   NULL: no models. Negative after adding problems; the tree then holds what could be read. */
int model_tree_read(struct model_tree *tree, const struct yaml_node *node,
                    const struct binding *binding) MUST_CHECK;

/* The items of `models` of a root; an empty list where it has none. Items may be anything. */
const struct yaml_node *model_tree_models(const struct model_root *root);
/* The name of one of these, or NULL. */
const char *model_tree_name(const struct yaml_node *model);
/* Its parameters by GPU type, or NULL. */
const struct yaml_node *model_tree_gpus(const struct yaml_node *model);

/* All roots as one model file, which is bound to the same models; NULL: there are none. */
const struct yaml_node *model_tree_merge(const struct model_tree *tree, struct arena *arena);

/* --- model_file --- */

/* Reads the models of node: a path of a model file, a mapping of what such a file holds, or a list
   of these. Everything is in binding->arena. Negative after adding problems. node may be NULL: no
   models. */
int model_set_load(struct model_set *set, const struct yaml_node *node,
                   const struct binding *binding) MUST_CHECK;
/* The same of the tree of a model file. */
int model_set_load_tree(struct model_set *set, const struct yaml_node *root,
                        const struct binding *binding) MUST_CHECK;
/* The same of files that have been read. */
int model_set_bind(struct model_set *set, const struct model_tree *tree,
                   const struct binding *binding) MUST_CHECK;
/* After that model_set_find knows the models that are there, and there is room for so many more:
   for sets that were not loaded. */
void model_set_grow_names(struct model_set *set, uint32_t more, struct arena *arena);
int model_set_find(const struct model_set *set, const char *name); /* index or -1 */
/* The end of a message about a model that is not there: see str_suggestion. */
const char *model_set_suggest(const struct model_set *set, const char *name,
                              const struct binding *binding);
/* What follows from the values as read: which of them a lookup table replaces, and what is said for
   one node alone across nodes. */
void gpu_model_settle(struct gpu_model *gpu_model);
const struct gpu_model *model_on_gpu(const struct model *model, const char *gpu); /* or NULL */
/* The limits measured there; NULL: it has none, or the job is rigid (EASIM_NONE). */
const struct power_limits *model_limits(const struct model_set *models, uint32_t model,
                                        const char *gpu);
double model_storage_bytes(const struct model *model); /* that a sample reads; 0: not stated */

extern const struct field model_file_fields[],
    models_forms[]; /* of a file; of models of a scenario */
#endif
