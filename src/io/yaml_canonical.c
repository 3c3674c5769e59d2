/* Keys in order and one value a line, so that the text does not depend on how the file was laid
   out. */
#include "io/yaml_canonical.h"

#include "base/mem.h"
#include "base/numfmt.h"
#include "io/yaml_path.h"
#include "io/yaml_text.h"

#include <stdlib.h>
#include <string.h>

/* Text that could be taken for something else gets quotes. */
static void add_value_text(struct str *out, const char *text, bool needs_quotes) {
    if (needs_quotes)
        str_add_char(out, '"');
    yaml_add_escaped(out, text);
    if (needs_quotes)
        str_add_char(out, '"');
}

static int compare_keys(const void *a, const void *b) {
    const struct yaml_node *const *left = a;
    const struct yaml_node *const *right = b;
    return strcmp((*left)->text, (*right)->text);
}

static void add_node_lines(const struct yaml_node *node, struct str *path, struct str *out);

static void add_child_lines(const struct yaml_node *child, struct str *path, size_t path_length,
                            struct str *out) {
    add_node_lines(child, path, out);
    path->length = path_length;
}

static void add_mapping_lines(const struct yaml_node *node, struct str *path, struct str *out) {
    size_t path_length = path->length;
    struct yaml_node *(*pairs)[2] = mem_alloc(node->count * sizeof *pairs);
    for (size_t i = 0; i < node->count; i++) {
        pairs[i][0] = node->keys[i];
        pairs[i][1] = node->items[i];
    }
    qsort(pairs, node->count, sizeof *pairs, compare_keys);
    for (size_t i = 0; i < node->count; i++) {
        yaml_path_add_name(path, pairs[i][0]->text);
        add_child_lines(pairs[i][1], path, path_length, out);
    }
    free(pairs);
}

static bool looks_different(const char *text) {
    const struct yaml_node bare = {.kind = YAML_NODE_SCALAR, .text = text};
    return yaml_is_null(&bare) || strchr("[{~\"", text[0]);
}

/* 1e-9 and 1.0e-9, which yaml_write makes of a number, are one; in quotes too, which it gives to a
 * text. */
static void add_canonical_scalar(const struct yaml_node *node, struct str *out) {
    double real;
    if (strpbrk(node->text, "eE") && numfmt_parse_real(node->text, node->length, &real))
        yaml_add_real(out, real);
    else
        add_value_text(out, node->text, looks_different(node->text));
}

static void add_leaf_line(const struct yaml_node *node, const struct str *path, struct str *out) {
    str_add_bytes(out, path->text, path->length);
    str_add_char(out, '\t');
    if (node->kind == YAML_NODE_SEQUENCE)
        str_add(out, "[]");
    else if (node->kind == YAML_NODE_MAPPING)
        str_add(out, "{}");
    else if (yaml_is_null(node))
        str_add(out, "~");
    else
        add_canonical_scalar(node, out);
    str_add_char(out, '\n');
}

static void add_node_lines(const struct yaml_node *node, struct str *path, struct str *out) {
    if (node->count == 0) {
        add_leaf_line(node, path, out);
    } else if (node->kind == YAML_NODE_MAPPING) {
        add_mapping_lines(node, path, out);
    } else {
        size_t path_length = path->length;
        for (size_t i = 0; i < node->count; i++) {
            yaml_path_add_index(path, i);
            add_child_lines(node->items[i], path, path_length, out);
        }
    }
}

void yaml_canonical_write(const struct yaml_node *root, struct str *out) {
    struct str path = {0};
    if (root)
        add_node_lines(root, &path, out);
    str_finish(&path);
}
