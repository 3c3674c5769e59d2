/* What a sweep sets: paths of the scenario, and the values that they get. */
#ifndef EASIM_EXPERIMENT_SWEEP_SWEEP_SETS_H
#define EASIM_EXPERIMENT_SWEEP_SWEEP_SETS_H

#include "config/schema.h"

#define SWEEP_MOST_POINTS 1000000

struct sweep_path {
    struct yaml_path steps;
    const char *text; /* as yaml_path_text writes it, so that texts can be compared */
};

/* A path and the YAML value it gets. */
struct sweep_set {
    struct sweep_path path;
    const char *yaml;
};

struct sweep_sets {
    const struct sweep_set *at;
    size_t count;
};

/* text as a path; `path` and `where` are of the place in the sweep file that holds it. Negative if
   a problem was added. */
int sweep_path_bind(struct sweep_path *out, const char *text, struct location where,
                    const char *path, const struct binding *binding) MUST_CHECK;
/* Binds a mapping from paths to values. Negative if problems were added. */
int sweep_sets_bind(struct sweep_sets *sets, const struct yaml_node *node, const char *path,
                    const struct binding *binding) MUST_CHECK;

#endif
