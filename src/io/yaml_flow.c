/* Values on one line: see yaml_flow.h. */
#include "io/yaml_flow.h"

#include <string.h>

static void add_quoted_text(const char *text, struct str *out) {
    str_add_char(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            str_add_char(out, '\\');
        if (*text == '\n')
            str_add(out, "\\n");
        else
            str_add_char(out, *text);
    }
    str_add_char(out, '"');
}

static void add_flow(const struct yaml_node *node, struct str *out) {
    bool mapping = node->kind == YAML_NODE_MAPPING;
    if (node->kind == YAML_NODE_SCALAR) {
        if (node->quoted || strpbrk(node->text, ",[]{}#") || strstr(node->text, ": "))
            add_quoted_text(node->text, out);
        else
            str_add(out, node->text);
        return;
    }
    str_add_char(out, mapping ? '{' : '[');
    for (size_t i = 0; i < node->count; i++) {
        str_add(out, i > 0 ? ", " : "");
        if (mapping) {
            add_flow(node->keys[i], out);
            str_add(out, ": ");
        }
        add_flow(node->items[i], out);
    }
    str_add_char(out, mapping ? '}' : ']');
}

const char *yaml_flow_text(const struct yaml_node *node, struct arena *arena) {
    struct str text = {0};
    add_flow(node, &text);
    const char *result = text.length > 0 ? arena_strndup(arena, text.text, text.length) : "~";
    str_finish(&text);
    return result;
}
