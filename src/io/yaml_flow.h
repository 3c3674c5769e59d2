/* A value as YAML on one line, as --set and the axes of sweeps have it. */
#ifndef EASIM_IO_YAML_FLOW_H
#define EASIM_IO_YAML_FLOW_H

#include "base/arena.h"
#include "io/yaml_node.h"

/* In the arena; an empty value as ~, for nothing at all is no value. */
const char *yaml_flow_text(const struct yaml_node *node, struct arena *arena);

#endif
