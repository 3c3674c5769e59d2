/* One entry of model_overrides: what it names and sets, checked, and what has become of it. */
#ifndef EASIM_MODEL_OVERRIDE_ENTRY_H
#define EASIM_MODEL_OVERRIDE_ENTRY_H

#include "cluster/cluster.h"
#include "model/override_parameter.h"
#include "model/override_place.h"

#define OVERRIDE_ANY "*"

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

#endif
