/* Files of data: see validate_data.h. */
#include "experiment/validate/validate_data.h"

#include "io/files.h"

#include <stdlib.h>
#include <string.h>

/* ---- Where they are ---- */

static const char *find_data(const struct validate_case *v, const char *file, struct arena *arena) {
    const char *slash = strrchr(v->path, '/'), *folder = getenv("EASIM_DATA");
    const char *near = file[0] == '/' || !slash
                           ? file
                           : arena_printf(arena, "%.*s/%s", (int)(slash - v->path), v->path, file);
    if (files_exist(near))
        return near;
    const char *far = folder && file[0] != '/' ? arena_printf(arena, "%s/%s", folder, file) : file;
    return files_exist(far) ? files_relative(far, ".", arena) : NULL;
}

int validate_data_bind(struct validate_case *v, const struct yaml_node *node,
                       const struct binding *b) {
    int result = 0;
    if (node->kind != YAML_NODE_MAPPING)
        return schema_wrong(b, node, "data", "a mapping from names to files");
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *item = node->items[i];
        const char *path = arena_printf(b->arena, "data.%s", node->keys[i]->text);
        if (item->kind != YAML_NODE_SCALAR || item->length == 0 || yaml_is_null(item)) {
            result = schema_wrong(b, item, path, "a file name");
            continue;
        }
        struct validate_data *data = array_add(&v->data);
        data->where = node->keys[i]->where;
        data->name = node->keys[i]->text;
        data->file = item->text;
        data->path = find_data(v, item->text, b->arena);
        if (data->path)
            file_stamp_take(data->path, &data->read);
        else if (!v->missing)
            v->missing = data->file;
    }
    return result;
}

/* ---- Who uses them ---- */

static struct validate_data *data_of(struct validate_case *v, const char *name, size_t length) {
    for (size_t i = 0; i < v->data.count; i++)
        if (strlen(v->data.at[i].name) == length && memcmp(v->data.at[i].name, name, length) == 0)
            return &v->data.at[i];
    return NULL;
}

struct validate_data *validate_data_use(struct validate_case *v, const struct yaml_node *node,
                                        const char *path, const struct binding *b) {
    struct validate_data *data =
        node->kind == YAML_NODE_SCALAR ? data_of(v, node->text, node->length) : NULL;
    const char **names = arena_alloc(b->arena, (v->data.count + 1) * sizeof *names);
    for (size_t i = 0; i < v->data.count; i++)
        names[i] = v->data.at[i].name;
    if (data)
        data->used = true;
    else if (node->kind != YAML_NODE_SCALAR)
        (void)schema_wrong(b, node, path, "a name under data");
    else
        problems_add(b->problems, node->where, path, "nothing under data is named \"%.80s\"%s",
                     node->text, str_suggestion(b->arena, node->text, names, v->data.count));
    return data;
}

int validate_where_bind(const struct yaml_node *node, const char *path,
                        const struct job_condition **ret_where, size_t *ret_count,
                        const struct binding *b) {
    int result = 0;
    if (node && node->kind != YAML_NODE_MAPPING)
        return schema_wrong(b, node, path, "a mapping from columns to texts");
    size_t count = node ? node->count : 0;
    struct job_condition *where = arena_alloc(b->arena, (count + 1) * sizeof *where);
    for (size_t i = 0; i < count; i++) {
        where[i] = (struct job_condition){node->keys[i]->text, node->items[i]->text};
        if (node->items[i]->kind != YAML_NODE_SCALAR)
            result = schema_wrong(b, node->items[i], path, "a text");
    }
    *ret_where = where;
    *ret_count = count;
    return result;
}

/* ---- Values that are set ---- */

/* The text with paths for the names of files; other ${NAME} are the scenario's. NULL: it has none.
 */
static const char *put_paths(struct validate_case *v, const char *text, struct arena *arena) {
    struct str out = {0};
    bool any = false;
    for (const char *at = text; *at;) {
        size_t length = strncmp(at, "${", 2) == 0 ? strcspn(at, "}") : 0;
        struct validate_data *data =
            length > 2 && at[length] == '}' ? data_of(v, at + 2, length - 2) : NULL;
        if (data) {
            data->used = any = true;
            str_add(&out, data->path ? data->path : data->file);
            at += length + 1;
        } else {
            str_add_char(&out, *at++);
        }
    }
    const char *result = any ? arena_strdup(arena, out.text) : NULL;
    str_finish(&out);
    return result;
}

/* A copy of the value, its keys excepted. */
static struct yaml_node *copy_value(struct validate_case *v, const struct yaml_node *node,
                                    struct arena *arena) {
    struct yaml_node *copy = arena_alloc(arena, sizeof *copy);
    *copy = *node;
    if (node->kind == YAML_NODE_SCALAR) {
        const char *text = put_paths(v, node->text, arena);
        if (text) {
            copy->text = text;
            copy->length = strlen(text);
            copy->quoted = true;
        }
        return copy;
    }
    copy->items = arena_alloc(arena, (node->count + 1) * sizeof *copy->items);
    for (size_t i = 0; i < node->count; i++)
        copy->items[i] = copy_value(v, node->items[i], arena);
    return copy;
}

int validate_sets_bind(struct validate_case *v, const struct yaml_node *node,
                       const struct binding *b) {
    return sweep_sets_bind(&v->sets, copy_value(v, node, b->arena), "set", b);
}

int validate_data_check(const struct validate_case *v, const struct binding *b) {
    int result = 0;
    for (size_t i = 0; i < v->data.count; i++) {
        const struct validate_data *data = &v->data.at[i];
        if (data->used)
            continue;
        problems_add(b->problems, data->where, arena_printf(b->arena, "data.%s", data->name),
                     "nothing uses this file: expected ${%.80s} under set, or its name under jobs "
                     "or measured",
                     data->name);
        result = ERROR_INPUT;
    }
    return result;
}
