/* A tree as text of which hashes are made. */
#ifndef EASIM_IO_YAML_CANONICAL_H
#define EASIM_IO_YAML_CANONICAL_H

#include "io/yaml_node.h"

/* Appends one line for each value: path, tab, text; mapping keys sorted. Equal trees give equal
   text. */
void yaml_canonical_write(const struct yaml_node *root, struct str *out);

#endif
