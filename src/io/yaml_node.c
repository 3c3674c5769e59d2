/* Look-up in a tree. */
#include "io/yaml_node.h"

#include <string.h>

struct yaml_node *yaml_find(const struct yaml_node *mapping, const char *key) {
    if (!mapping || mapping->kind != YAML_NODE_MAPPING)
        return NULL;
    for (size_t i = 0; i < mapping->count; i++)
        if (strcmp(mapping->keys[i]->text, key) == 0)
            return mapping->items[i];
    return NULL;
}

static bool is_null_text(const char *text) {
    return text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

bool yaml_is_null(const struct yaml_node *node) {
    return !node || (node->kind == YAML_NODE_SCALAR && !node->quoted && is_null_text(node->text));
}
