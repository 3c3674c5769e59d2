/* Paths and values as the sweep file has them: values as YAML on one line. */
#include "experiment/sweep/sweep_sets.h"

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
        if (node->quoted)
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

const char *sweep_value_text(const struct yaml_node *node, struct arena *arena) {
    struct str text = {0};
    add_flow(node, &text);
    const char *result = text.length > 0 ? arena_strndup(arena, text.text, text.length) : "~";
    str_finish(&text);
    return result;
}

int sweep_path_bind(struct sweep_path *out, const char *text, struct location where,
                    const char *path, const struct binding *binding) {
    struct error error = {0};
    if (yaml_path_parse(text, binding->arena, &out->steps, &error) < 0) {
        problems_add(binding->problems, where, path, "%s", error.text);
        return ERROR_INPUT;
    }
    out->text = yaml_path_text(&out->steps, binding->arena);
    return 0;
}

int sweep_sets_bind(struct sweep_sets *sets, const struct yaml_node *node, const char *path,
                    const struct binding *binding) {
    if (node->kind != YAML_NODE_MAPPING)
        return schema_wrong(binding, node, path, "a mapping from paths to values");
    int result = 0;
    struct sweep_set *at = arena_alloc(binding->arena, node->count * sizeof *at);
    for (size_t i = 0; i < node->count; i++) {
        at[i].yaml = sweep_value_text(node->items[i], binding->arena);
        if (sweep_path_bind(&at[i].path, node->keys[i]->text, node->keys[i]->where, path, binding) <
            0)
            result = ERROR_INPUT;
    }
    if (result == 0)
        *sets = (struct sweep_sets){at, node->count};
    return result;
}
