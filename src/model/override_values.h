/* The values of an entry, made where they belong: plain ones, then those that follow from them. */
#ifndef EASIM_MODEL_OVERRIDE_VALUES_H
#define EASIM_MODEL_OVERRIDE_VALUES_H

#include "cluster/cluster.h"
#include "model/model_file.h"
#include "model/override_entry.h"

/* --- model_overrides --- */
/* `model_overrides` of a scenario: parameters replaced or multiplied, entry by entry (semantics
   3.7). They change the tree of the model files before it is bound, so the same tables check them,
   and models.yaml holds what was run. */

/* What an entry leaves as it is, in words: warnings of the study. Release with free(texts.at). */
struct override_notes {
    ARRAY_OF(const char *) texts;
};

/* What the entries are applied to, and what they may name. */
struct override_target {
    struct model_tree *tree;       /* its nodes are replaced, never changed */
    const struct cluster *cluster; /* whose nodes scaling_efficiency is about */
    struct override_notes *notes;
};

/* Applies the entries of `overrides` (a list, or NULL) in order. An overridden parameter has the
   evidence "assumed (override)". Negative after adding problems. */
int model_overrides_apply(const struct override_target *target, const struct yaml_node *overrides,
                          const struct binding *binding) MUST_CHECK;

#endif
