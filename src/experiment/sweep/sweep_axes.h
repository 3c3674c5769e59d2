/* The axes of a sweep and their values: lists, ranges, zipped lists and samples. */
#ifndef EASIM_EXPERIMENT_SWEEP_SWEEP_AXES_H
#define EASIM_EXPERIMENT_SWEEP_SWEEP_AXES_H

#include "base/array.h"
#include "experiment/sweep/sweep_sets.h"

struct sweep_value {
    const char *shown; /* as a cell of a table */
    struct sweep_sets sets;
};

/* Something that changes: mostly one path. It has one value for each point of its group. */
struct sweep_axis {
    const char *name, *column; /* its path, if it has no name; how tables head it */
    struct location where;
    size_t group; /* its place in `groups` */
    bool sampled;
    ARRAY_OF(struct sweep_path) paths; /* all that its values set */
    ARRAY_OF(struct sweep_value) values;
};

/* An array of axes. Zero-initialise; release with sweep_axes_finish. */
struct sweep_axes {
    struct sweep_axis *at;
    size_t count, capacity;
    ARRAY_OF(size_t) groups; /* how many points each has */
};

/* Binds the items of `axes` in the arena of the binding and adds their axes and groups. Negative if
   problems were added. */
int sweep_axes_bind(struct sweep_axes *axes, const struct yaml_node *node,
                    const struct binding *binding) MUST_CHECK;
void sweep_axes_finish(struct sweep_axes *axes);

#endif
