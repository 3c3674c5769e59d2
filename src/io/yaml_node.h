/* A tree of YAML values that know where they stand in their file. */
#ifndef EASIM_IO_YAML_NODE_H
#define EASIM_IO_YAML_NODE_H

#include "base/error.h"
#include "base/str.h"

enum yaml_kind { YAML_NODE_SCALAR, YAML_NODE_SEQUENCE, YAML_NODE_MAPPING };

struct yaml_node {
    enum yaml_kind kind;
    struct location where;
    const char *text;         /* scalar: NUL-terminated, never NULL */
    size_t length;            /* scalar: bytes of text */
    bool quoted;              /* scalar written with quotes or as a block: never a null */
    struct yaml_node **keys;  /* mapping: scalars, count of them; else NULL */
    struct yaml_node **items; /* mapping: values; sequence: items */
    size_t count;
};

struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key); /* value or NULL */
bool yaml_is_null(const struct yaml_node *node); /* unquoted "", "~", "null" */

#endif
