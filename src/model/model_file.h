/* Model files: what is known of each training job kind on each GPU type, and how well it is known.
 */
#ifndef EASIM_MODEL_MODEL_FILE_H
#define EASIM_MODEL_MODEL_FILE_H

#include "model/model.h"
#include "model/model_tree.h"

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
double model_storage_bytes(const struct model *model); /* that a sample reads; 0: not stated */

#endif
