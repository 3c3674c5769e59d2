/* Paths and values as the sweep file has them. */
#include "experiment/sweep/sweep_sets.h"

#include "io/yaml_node.h"

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
        at[i].yaml = yaml_flow_text(node->items[i], binding->arena);
        if (sweep_path_bind(&at[i].path, node->keys[i]->text, node->keys[i]->where, path, binding) <
            0)
            result = ERROR_INPUT;
    }
    if (result == 0)
        *sets = (struct sweep_sets){at, node->count};
    return result;
}
