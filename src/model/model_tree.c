/* Model files as trees: see model_tree.h. */
#include "model/model_tree.h"

/* The tree outlives this function: models point into it. NULL after adding problems. */
static struct yaml_node *read_model_file(const char *path, const struct binding *binding) {
    struct yaml_doc doc = {0};
    int r = yaml_doc_load(&doc, path, binding->problems);
    struct yaml_node *root = r < 0 ? NULL : doc.root;
    arena_adopt(binding->arena, &doc.arena);
    if (r == 0 && !root)
        problems_add(binding->problems, (struct location){.file = path}, NULL,
                     "the file holds no models");
    return root;
}

/* NULL after adding problems. */
static struct yaml_node *read_item(struct yaml_node *item, const char *path,
                                   const struct binding *binding) {
    if (item->kind == YAML_NODE_MAPPING)
        return item;
    const char *file = schema_path(binding, item, path);
    const struct yaml_node *known = file ? schema_known_content(binding, file) : NULL;
    struct yaml_node *root = known  ? (struct yaml_node *)known
                             : file ? read_model_file(file, binding)
                                    : NULL;
    if (root && binding->uses)
        binding->uses->files.at[binding->uses->files.count - 1].content = root;
    return root;
}

int model_tree_read(struct model_tree *tree, const struct yaml_node *node,
                    const struct binding *binding) {
    *tree = (struct model_tree){0};
    if (!node)
        return 0;
    bool list = node->kind == YAML_NODE_SEQUENCE;
    size_t count = list ? node->count : 1;
    int result = 0;
    tree->roots = arena_alloc(binding->arena, count * sizeof *tree->roots);
    for (size_t i = 0; i < count; i++) {
        struct yaml_node *item = list ? node->items[i] : (struct yaml_node *)node;
        const char *path = list ? arena_printf(binding->arena, "models[%zu]", i) : "models";
        struct yaml_node *root = read_item(item, path, binding);
        if (root)
            tree->roots[tree->count++] = (struct model_root){root, root == item ? path : ""};
        else
            result = ERROR_INPUT;
    }
    return result;
}

const struct yaml_node *model_tree_models(const struct model_root *root) {
    static const struct yaml_node none = {.kind = YAML_NODE_SEQUENCE};
    const struct yaml_node *models = yaml_find(root->node, "models");
    return models && models->kind == YAML_NODE_SEQUENCE ? models : &none;
}

const char *model_tree_name(const struct yaml_node *model) {
    const struct yaml_node *name = yaml_find(model, "name");
    return name && name->kind == YAML_NODE_SCALAR ? name->text : NULL;
}

const struct yaml_node *model_tree_gpus(const struct yaml_node *model) {
    const struct yaml_node *gpus = yaml_find(model, "gpus");
    return gpus && gpus->kind == YAML_NODE_MAPPING ? gpus : NULL;
}

/* ---- One file of several ---- */

static struct yaml_node *new_container(struct arena *arena, enum yaml_kind kind, size_t most) {
    struct yaml_node *node = arena_alloc(arena, sizeof *node);
    node->kind = kind;
    node->items = arena_alloc(arena, most * sizeof *node->items);
    if (kind == YAML_NODE_MAPPING)
        node->keys = arena_alloc(arena, most * sizeof *node->keys);
    return node;
}

/* Keys beside `models` may stand in several files only where they say the same (model_file.c). */
static void add_root(const struct model_root *root, struct yaml_node *models,
                     struct yaml_node *file) {
    const struct yaml_node *items = model_tree_models(root);
    for (size_t i = 0; i < items->count; i++)
        models->items[models->count++] = items->items[i];
    for (size_t i = 0; root->node->kind == YAML_NODE_MAPPING && i < root->node->count; i++) {
        struct yaml_node *key = root->node->keys[i];
        if (yaml_find(file, key->text))
            continue;
        bool is_models = root->node->items[i] == items;
        file->keys[file->count] = key;
        file->items[file->count++] = is_models ? models : root->node->items[i];
    }
}

const struct yaml_node *model_tree_merge(const struct model_tree *tree, struct arena *arena) {
    size_t models = 0, keys = 0;
    for (size_t i = 0; i < tree->count; i++) {
        models += model_tree_models(&tree->roots[i])->count;
        keys += tree->roots[i].node->count;
    }
    if (tree->count == 0)
        return NULL;
    struct yaml_node *file = new_container(arena, YAML_NODE_MAPPING, keys);
    struct yaml_node *list = new_container(arena, YAML_NODE_SEQUENCE, models);
    for (size_t i = 0; i < tree->count; i++)
        add_root(&tree->roots[i], list, file);
    return file;
}
