/* Invariant: yaml_path_text gives one text for one path, so that texts of paths can be compared. */
#include "io/yaml_path.h"

#include "base/error.h"
#include "base/numfmt.h"

#include <string.h>

#define ENDS_NAME    ".[]="
#define NEEDS_QUOTES ENDS_NAME "\"\\\n\t"

/* ---- Text to path ---- */

struct path_reader {
    const char *text, *at; /* at: what is read next */
    struct arena *arena;
    struct error *reterr;
};

static size_t characters_before(const char *text, const char *end) {
    size_t count = 0;
    for (; text < end; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static int refuse_path(const struct path_reader *reader, const char *expected) {
    return error_set(reader->reterr, ERROR_INPUT, "expected %s at character %zu of \"%.200s\"",
                     expected, characters_before(reader->text, reader->at) + 1, reader->text);
}

static int read_index(struct path_reader *reader, size_t *ret_index) {
    const char *digits = reader->at + 1;
    size_t length = strspn(digits, "0123456789");
    int64_t index;
    reader->at = digits;
    if (digits[length] != ']' || !numfmt_parse_int(digits, length, &index))
        return refuse_path(reader, "an index and \"]\"");
    *ret_index = (size_t)index;
    reader->at = digits + length + 1;
    return 0;
}

static int read_quoted_name(struct path_reader *reader, const char **ret_name) {
    static const char escaped[] = "\"\\nt", meant[] = "\"\\\n\t";
    char *name = arena_alloc(reader->arena, strlen(reader->at)), *end = name;
    for (reader->at++; *reader->at != '"'; reader->at++) {
        if (*reader->at == '\\') {
            const char *code = reader->at[1] ? strchr(escaped, *++reader->at) : NULL;
            if (!code)
                return refuse_path(reader, "one of \\\" \\\\ \\n \\t");
            *end++ = meant[code - escaped];
        } else if (*reader->at) {
            *end++ = *reader->at;
        } else {
            return refuse_path(reader, "a closing quote");
        }
    }
    reader->at++;
    *end = '\0';
    *ret_name = name;
    return 0;
}

static int read_name(struct path_reader *reader, const char **ret_name) {
    if (*reader->at == '"')
        return read_quoted_name(reader, ret_name);
    size_t length = strcspn(reader->at, ENDS_NAME);
    if (length == 0)
        return refuse_path(reader, "a name, as in cluster.nodes[0].gpus,");
    *ret_name = arena_strndup(reader->arena, reader->at, length);
    reader->at += length;
    return 0;
}

static int read_step(struct path_reader *reader, bool is_first, struct yaml_step *step) {
    if (*reader->at == '[')
        return read_index(reader, &step->index);
    if (!is_first && *reader->at != '.')
        return refuse_path(reader, "\".\" or \"[\"");
    reader->at += !is_first;
    return read_name(reader, &step->name);
}

/* Up to `end`, which is '\0' or '='. */
static int read_path(struct path_reader *reader, char end, struct yaml_path *ret_path) {
    size_t most = 1; /* steps: each but the first begins with one of these */
    for (const char *c = reader->text; *c; c++)
        most += *c == '.' || *c == '[';
    struct yaml_step *steps = arena_alloc(reader->arena, most * sizeof *steps);
    size_t count = 0;
    do {
        if (read_step(reader, count == 0, &steps[count]) < 0)
            return ERROR_INPUT;
        count++;
    } while (*reader->at && *reader->at != end);
    *ret_path = (struct yaml_path){steps, count};
    return 0;
}

int yaml_path_parse(const char *text, struct arena *arena, struct yaml_path *ret_path,
                    struct error *reterr) {
    struct path_reader r = {text, text, arena, reterr};
    return read_path(&r, '\0', ret_path);
}

int yaml_path_parse_set(const char *text, struct arena *arena, struct yaml_path *ret_path,
                        const char **ret_value, struct error *reterr) {
    struct path_reader r = {text, text, arena, reterr};
    struct yaml_path path;
    if (*text == '=' || !strchr(text, '='))
        return error_set(reterr, ERROR_INPUT, "expected path=value, got \"%.80s\"", text);
    if (read_path(&r, '=', &path) < 0)
        return ERROR_INPUT;
    if (*r.at != '=')
        return refuse_path(&r, "\"=\"");
    *ret_path = path;
    *ret_value = r.at + 1;
    return 0;
}

/* ---- Path to text ---- */

void yaml_path_add_name(struct str *path, const char *name) {
    bool quoted = name[0] == '\0' || strpbrk(name, NEEDS_QUOTES) != NULL;
    if (path->length > 0)
        str_add_char(path, '.');
    str_add(path, quoted ? "\"" : "");
    yaml_add_escaped(path, name);
    str_add(path, quoted ? "\"" : "");
}

void yaml_path_add_index(struct str *path, size_t index) {
    str_addf(path, "[%zu]", index);
}

/* The first `count` steps. */
static const char *first_steps_text(const struct yaml_path *path, size_t count,
                                    struct arena *arena) {
    struct str text = {0};
    for (size_t i = 0; i < count; i++)
        if (path->steps[i].name)
            yaml_path_add_name(&text, path->steps[i].name);
        else
            yaml_path_add_index(&text, path->steps[i].index);
    const char *kept = arena_strndup(arena, text.text ? text.text : "", text.length);
    str_finish(&text);
    return kept;
}

const char *yaml_path_text(const struct yaml_path *path, struct arena *arena) {
    return first_steps_text(path, path->count, arena);
}

bool yaml_paths_overlap(const char *path, const char *other) {
    size_t length = strlen(path), other_length = strlen(other);
    if (length > other_length)
        return yaml_paths_overlap(other, path);
    return memcmp(path, other, length) == 0 &&
           (other[length] == '\0' || other[length] == '.' || other[length] == '[');
}

/* ---- Tree with a value set ---- */

/* A copy of old (which may be absent or null) with room for one child more. */
static struct yaml_node *copy_container(const struct yaml_setting *setting,
                                        const struct yaml_node *old, enum yaml_kind kind) {
    struct yaml_node *copy = arena_alloc(setting->arena, sizeof *copy);
    bool has_items = old && old->kind == kind;
    size_t count = has_items ? old->count : 0;
    *copy = (struct yaml_node){
        .kind = kind, .where = has_items ? old->where : setting->where, .count = count};
    copy->items = arena_alloc(setting->arena, (count + 1) * sizeof *copy->items);
    if (count > 0)
        memcpy(copy->items, old->items, count * sizeof *copy->items);
    if (kind == YAML_NODE_MAPPING) {
        copy->keys = arena_alloc(setting->arena, (count + 1) * sizeof *copy->keys);
        if (count > 0)
            memcpy(copy->keys, old->keys, count * sizeof *copy->keys);
    }
    return copy;
}

static struct yaml_node *new_key(const struct yaml_setting *setting, const char *name) {
    struct yaml_node *key = arena_alloc(setting->arena, sizeof *key);
    *key = (struct yaml_node){.kind = YAML_NODE_SCALAR,
                              .where = setting->where,
                              .text = arena_strdup(setting->arena, name),
                              .length = strlen(name)};
    return key;
}

/* The place of the child that a step leads to; of one that is to be made, count. */
static size_t child_place(const struct yaml_node *container, const struct yaml_step *step) {
    size_t at = 0;
    if (!step->name)
        return step->index;
    while (at < container->count && strcmp(container->keys[at]->text, step->name) != 0)
        at++;
    return at;
}

struct yaml_node *yaml_path_find(struct yaml_node *root, const struct yaml_path *path) {
    struct yaml_node *node = root;
    for (size_t i = 0; node && i < path->count; i++) {
        const struct yaml_step *step = &path->steps[i];
        enum yaml_kind kind = step->name ? YAML_NODE_MAPPING : YAML_NODE_SEQUENCE;
        size_t at = node->kind == kind ? child_place(node, step) : node->count;
        node = at < node->count ? node->items[at] : NULL;
    }
    return node;
}

static const char *const kind_names[] = {"a value", "a list", "a mapping"};

/* What replaces old (NULL: nothing) once the steps from `depth` on have led to the value. */
static struct yaml_node *set_from(const struct yaml_setting *setting, struct yaml_node *old,
                                  size_t depth, struct error *reterr) {
    if (depth == setting->path->count)
        return setting->value;
    const struct yaml_step *step = &setting->path->steps[depth];
    enum yaml_kind kind = step->name ? YAML_NODE_MAPPING : YAML_NODE_SEQUENCE;
    if (!yaml_is_null(old) && old->kind != kind) {
        const char *here = first_steps_text(setting->path, depth, setting->arena);
        (void)error_set(reterr, ERROR_INPUT, "expected %s%s%s, found %s", kind_names[kind],
                        depth > 0 ? " at " : "", here, kind_names[old->kind]);
        return NULL;
    }
    struct yaml_node *copy = copy_container(setting, old, kind);
    size_t at = child_place(copy, step);
    if (at > copy->count) {
        (void)error_set(reterr, ERROR_INPUT, "index %zu is past the end of a list of %zu", at,
                        copy->count);
        return NULL;
    }
    bool is_new = at == copy->count;
    struct yaml_node *after = set_from(setting, is_new ? NULL : copy->items[at], depth + 1, reterr);
    if (!after)
        return NULL;
    if (is_new && step->name)
        copy->keys[at] = new_key(setting, step->name);
    copy->items[at] = after;
    copy->count += is_new;
    return copy;
}

struct yaml_node *yaml_path_set(struct yaml_node *root, const struct yaml_setting *setting,
                                struct error *reterr) {
    return set_from(setting, root, 0, reterr);
}
