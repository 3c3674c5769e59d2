/* The axes of a sweep: sets of paths and values (sweep_sets), numbers between bounds (sweep_spans),
   and all axes of a file (sweep_axes). */
#ifndef EASIM_EXPERIMENT_SWEEP_AXES_H
#define EASIM_EXPERIMENT_SWEEP_AXES_H

#include "base/array.h"
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

/* Binds a mapping from paths to values. Negative if problems were added. */
int sweep_sets_bind(struct sweep_sets *sets, const struct yaml_node *node, const char *path,
                    const struct binding *binding) MUST_CHECK;

/* --- sweep_axes: lists, ranges, zipped lists and samples --- */

struct sweep_value {
    const char *shown; /* as a cell of a table */
    struct sweep_sets sets;
};

/* Something that changes: mostly one path. It has one value for each point of its group. */
struct sweep_axis {
    const char *name, *column; /* its path, if it has no name; how tables head it */
    const char *label;         /* in figures, with the unit; NULL: none was given */
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

extern const struct field axes_forms[]; /* of the section axes */
#endif
