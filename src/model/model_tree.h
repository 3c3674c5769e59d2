/* Model files as they were read, before their values are bound: what model_overrides change, and
   what models.yaml holds. */
#ifndef EASIM_MODEL_MODEL_TREE_H
#define EASIM_MODEL_MODEL_TREE_H

#include "config/schema.h"

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

#endif
