/* A YAML file as a tree that knows where everything stands. Invariant: nodes never change once
   made, for an alias shares those of its anchor; yaml_doc_set copies what stands on its path. */
#include "io/yaml_doc.h"
#include "base/mem.h"
#include "base/numfmt.h"
#include "io/yaml_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES ((size_t)256 << 20) /* no configuration is longer */

int yaml_doc_parse(struct yaml_doc *doc, struct slice text, const char *name,
                   struct problems *problems) {
    const char *file = arena_strdup(&doc->arena, name);
    struct yaml_tree tree;
    doc->file = file;
    struct yaml_source source = {.file = file, .text = text};
    int status = yaml_read(&source, &doc->arena, problems, &tree);
    if (status < 0)
        return status;
    doc->root = tree.root;
    return 0;
}

/* ---- Files ---- */

static int read_all(int fd, const char *name, struct str *text, struct problems *problems) {
    struct location where = {name, 0, 0};
    for (;;) {
        ssize_t count = read(fd, str_reserve(text, (size_t)64 << 10), (size_t)64 << 10);
        if (count == 0)
            return 0;
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            problems_add(problems, where, NULL, "cannot read: %s", strerror(errno));
            return ERROR_IO;
        }
        text->length += (size_t)count;
        if (text->length > FILE_BYTES) {
            problems_add(problems, where, NULL, "over %zu bytes", FILE_BYTES);
            return ERROR_INPUT;
        }
    }
}

int yaml_read_stdin(struct str *text, struct problems *problems) {
    return read_all(STDIN_FILENO, YAML_STDIN_NAME, text, problems);
}

int yaml_doc_load(struct yaml_doc *doc, const char *path, struct problems *problems) {
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? YAML_STDIN_NAME : path;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        problems_add(problems, (struct location){name, 0, 0}, NULL, "cannot open: %s",
                     strerror(errno));
        return ERROR_IO;
    }
    struct str text = {0};
    int status = read_all(fd, name, &text, problems);
    if (!is_stdin)
        close(fd);
    if (status == 0)
        status = yaml_doc_parse(doc, (struct slice){text.text, text.length}, name, problems);
    str_finish(&text);
    return status;
}

void yaml_doc_finish(struct yaml_doc *doc) {
    if (!doc)
        return;
    arena_finish(&doc->arena);
    *doc = (struct yaml_doc){0};
}

/* ---- Setting values ---- */

struct setter {
    struct yaml_doc *doc;
    struct problems *problems;
    struct location where;
    struct yaml_node *value;
    unsigned height; /* levels below value */
};

static struct yaml_node *set_below(struct setter *setter, struct yaml_node *old, const char *rest,
                                   unsigned depth);

static struct yaml_node *new_node(struct yaml_doc *doc, enum yaml_kind kind,
                                  struct location where) {
    struct yaml_node *node = arena_alloc(&doc->arena, sizeof *node);
    node->kind = kind;
    node->where = where;
    return node;
}

static struct yaml_node *refuse(struct setter *setter, const char *text) {
    problems_add(setter->problems, setter->where, NULL, "%s", text);
    return NULL;
}

/* A copy of old (which may be absent or null) with room for one child more. */
static struct yaml_node *copy_container(struct setter *setter, const struct yaml_node *old,
                                        enum yaml_kind kind) {
    struct arena *arena = &setter->doc->arena;
    struct yaml_node *copy = new_node(setter->doc, kind, setter->where);
    bool has_items = old && old->kind == kind;
    size_t count = has_items ? old->count : 0;
    if (has_items)
        copy->where = old->where;
    copy->count = count;
    copy->items = arena_alloc(arena, (count + 1) * sizeof *copy->items);
    if (count > 0)
        memcpy(copy->items, old->items, count * sizeof *copy->items);
    if (kind == YAML_NODE_MAPPING) {
        copy->keys = arena_alloc(arena, (count + 1) * sizeof *copy->keys);
        if (count > 0)
            memcpy(copy->keys, old->keys, count * sizeof *copy->keys);
    }
    return copy;
}

static struct yaml_node *set_item(struct setter *setter, struct yaml_node *old, const char *rest,
                                  unsigned depth) {
    size_t length = strcspn(rest + 1, "]");
    int64_t index;
    if (rest[1 + length] != ']' || rest[1] == '+' || rest[1] == '-' ||
        !numfmt_parse_int(rest + 1, length, &index))
        return refuse(setter, "expected an index in brackets");
    if (!yaml_is_null(old) && old->kind != YAML_NODE_SEQUENCE)
        return refuse(setter, "an index, but what stands there is no list");
    struct yaml_node *copy = copy_container(setter, old, YAML_NODE_SEQUENCE);
    if ((uint64_t)index > copy->count) {
        problems_add(setter->problems, setter->where, NULL,
                     "index %lld is past the end of a list of %zu", (long long)index, copy->count);
        return NULL;
    }
    struct yaml_node *before = (size_t)index < copy->count ? copy->items[index] : NULL;
    struct yaml_node *after = set_below(setter, before, rest + length + 2, depth + 1);
    if (!after)
        return NULL;
    copy->items[index] = after;
    copy->count += !before;
    return copy;
}

static struct yaml_node *new_key(struct setter *setter, const char *name, size_t length) {
    struct yaml_node *key = new_node(setter->doc, YAML_NODE_SCALAR, setter->where);
    key->text = arena_strndup(&setter->doc->arena, name, length);
    key->length = length;
    return key;
}

static struct yaml_node *set_member(struct setter *setter, struct yaml_node *old, const char *name,
                                    unsigned depth) {
    size_t length = strcspn(name, ".[]");
    if (length == 0 || name[length] == ']')
        return refuse(setter, "expected a name, as in \"cluster.nodes[0].gpus\"");
    if (!yaml_is_null(old) && old->kind != YAML_NODE_MAPPING) {
        problems_add(setter->problems, setter->where, NULL,
                     "no mapping stands where \"%.*s\" is to be set", (int)length, name);
        return NULL;
    }
    struct yaml_node *copy = copy_container(setter, old, YAML_NODE_MAPPING);
    size_t at = 0;
    while (at < copy->count && !slice_is((struct slice){name, length}, copy->keys[at]->text))
        at++;
    bool is_new = at == copy->count;
    struct yaml_node *before = is_new ? NULL : copy->items[at];
    struct yaml_node *after = set_below(setter, before, name + length, depth + 1);
    if (!after)
        return NULL;
    if (is_new) {
        copy->keys[at] = new_key(setter, name, length);
        copy->count++;
    }
    copy->items[at] = after;
    return copy;
}

/* What is to stand in place of old (NULL: nothing stood there) after setting `rest` of the path
 * below. */
static struct yaml_node *set_below(struct setter *setter, struct yaml_node *old, const char *rest,
                                   unsigned depth) {
    if (depth + setter->height > YAML_DEPTH_MAX) {
        problems_add(setter->problems, setter->where, NULL, "nested over %d levels deep",
                     YAML_DEPTH_MAX);
        return NULL;
    }
    if (*rest == '\0')
        return setter->value;
    if (*rest == '[')
        return set_item(setter, old, rest, depth);
    if (depth > 0 && *rest != '.')
        return refuse(setter, "expected \".\" or \"[\" behind a closing bracket");
    return set_member(setter, old, depth > 0 ? rest + 1 : rest, depth);
}

int yaml_doc_set(struct yaml_doc *doc, const char *path, const char *value,
                 struct problems *problems) {
    const char *file = arena_printf(&doc->arena, "--set %s", path);
    struct yaml_source source = {file, {value, strlen(value)}, .no_lines = true};
    struct yaml_tree tree;
    int status = yaml_read(&source, &doc->arena, problems, &tree);
    if (status < 0)
        return status;
    struct setter setter = {doc, problems, {file, 0, 0}, tree.root, tree.height};
    if (!setter.value) { /* an empty value is a null */
        setter.value = new_node(doc, YAML_NODE_SCALAR, setter.where);
        setter.value->text = "";
    }
    struct yaml_node *root =
        *path == '\0' ? refuse(&setter, "expected a path") : set_below(&setter, doc->root, path, 0);
    if (!root)
        return ERROR_INPUT;
    doc->root = root;
    return 0;
}
