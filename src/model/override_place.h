/* Where overrides are made: one model on one GPU type of a tree of model files. */
#ifndef EASIM_MODEL_OVERRIDE_PLACE_H
#define EASIM_MODEL_OVERRIDE_PLACE_H

#include "model/model.h"
#include "model/model_tree.h"

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
/* Evidence and source of a parameter of the model on the GPU type: that it is overridden, at `path`
   of the scenario. */
void override_place_record(const struct override_place *place, const char *parameter,
                           const char *path, struct location where);
/* "resnet50 on h100", "resnet50" */
const char *override_place_text(const struct override_place *place);

#endif
