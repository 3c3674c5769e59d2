/* A tree of nodes as YAML text that reads back as the same tree. */
#ifndef EASIM_IO_YAML_WRITE_H
#define EASIM_IO_YAML_WRITE_H

#include "io/yaml_doc.h"

/* What is written in place of a node; NULL: the node itself. What it gives is not asked for again.
 */
struct yaml_replace {
    void *context;
    const struct yaml_node *(*with)(void *context, const struct yaml_node *node);
};

/* Appends the text of root. Negative: out of libyaml's memory, or text that is no UTF-8. */
int yaml_write(const struct yaml_node *root, const struct yaml_replace *replace, struct str *out,
               struct error *reterr) MUST_CHECK;

#endif
