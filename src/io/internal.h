/* What the files of src/io share; for this folder alone. */
#ifndef EASIM_IO_INTERNAL_H
#define EASIM_IO_INTERNAL_H

#include "base/arena.h"
#include "io/yaml_node.h"

/* --- yaml_read: YAML text to a tree, by libyaml; duplicate keys are problems --- */

#define YAML_DEPTH_MAX 64 /* levels below the root */

struct yaml_source {
    const char *file; /* outlives the nodes: their locations point to it */
    struct slice text;
    bool no_lines; /* the text is no file: locations are the name alone */
};

struct yaml_tree {
    struct yaml_node *root; /* NULL: an empty document */
    unsigned height;        /* levels below the root */
};

/* Reads one document into the arena. Aliases share the nodes of their anchor. Negative if problems
 * were added. */
int yaml_read(const struct yaml_source *source, struct arena *arena, struct problems *problems,
              struct yaml_tree *ret_tree) MUST_CHECK;

#endif
