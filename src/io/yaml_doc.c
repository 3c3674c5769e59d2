/* A YAML file as a tree. Invariant: nodes never change once made, because an alias shares those of
   its anchor; yaml_path_set copies the nodes on its path. */
#include "io/yaml_doc.h"

#include "base/machine.h"
#include "base/mem.h"
#include "base/numfmt.h"
#include "io/files.h"
#include "io/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

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

static int read_whole_file(int fd, const char *name, struct str *text, struct problems *problems) {
    struct location where = {name, 0, 0};
    for (;;) {
        ssize_t count = read(fd, str_reserve(text, (size_t)64 << 10), (size_t)64 << 10);
        if (count == 0)
            return 0;
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            machine_check(errno, name, "read");
            problems_add(problems, where, NULL, "cannot read: %s", strerror(errno));
            return ERROR_IO;
        }
        text->length += (size_t)count;
        if (text->length > FILE_BYTES)
            return problems_add(problems, where, NULL, "over %zu bytes", FILE_BYTES);
    }
}

int yaml_read_stdin(struct str *text, struct problems *problems) {
    return read_whole_file(STDIN_FILENO, YAML_STDIN_NAME, text, problems);
}

int yaml_doc_load(struct yaml_doc *doc, const char *path, struct problems *problems) {
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? YAML_STDIN_NAME : path;
    int fd = is_stdin ? STDIN_FILENO : files_open(path, 0);
    if (fd < 0) {
        problems_add(problems, (struct location){name, 0, 0}, NULL, "cannot open: %s",
                     strerror(errno));
        return ERROR_IO;
    }
    struct str text = {0};
    int status = read_whole_file(fd, name, &text, problems);
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

/* ---- Value to set: its text ---- */

/* A number without a sign, which needs no parser. */
static bool is_plain_number(const char *text) {
    return *text >= '0' && *text <= '9' && text[strspn(text, "0123456789.")] == '\0';
}

static struct yaml_node *new_scalar(const char *text, struct arena *arena) {
    struct yaml_node *node = arena_alloc(arena, sizeof *node);
    *node = (struct yaml_node){
        .kind = YAML_NODE_SCALAR, .text = arena_strdup(arena, text), .length = strlen(text)};
    return node;
}

/* NULL after adding problems. An empty text would be a null, which takes away what is there without
   a word: that is said as ~. */
static struct yaml_node *read_set_value(struct yaml_doc *doc, const char *text, const char *file,
                                        unsigned *ret_height, struct problems *problems) {
    struct yaml_source source = {file, {text, strlen(text)}, .no_lines = true};
    struct yaml_tree tree;
    *ret_height = 0;
    if (is_plain_number(text))
        return new_scalar(text, &doc->arena);
    if (yaml_read(&source, &doc->arena, problems, &tree) < 0)
        return NULL;
    if (!tree.root)
        problems_add(problems, (struct location){file, 0, 0}, NULL,
                     "expected a value, got \"%.80s\"; ~ leaves it to the default", text);
    *ret_height = tree.height;
    return tree.root;
}

/* A place as problems name it. */
static const char *name_place(struct location where, struct arena *arena) {
    return where.line ? arena_printf(arena, "%s:%u:%u", where.file, where.line, where.column)
                      : where.file;
}

int yaml_doc_put(struct yaml_doc *doc, const struct yaml_path *path, const char *value,
                 struct location where, struct problems *problems) {
    struct yaml_setting setting = {.path = path, .where = where, .arena = &doc->arena};
    struct error error = {0};
    unsigned height;
    setting.value = read_set_value(doc, value, name_place(where, &doc->arena), &height, problems);
    if (!setting.value)
        return ERROR_INPUT;
    setting.value->where = where;
    struct yaml_node *root = NULL;
    if (path->count + height > YAML_DEPTH_MAX)
        (void)error_set(&error, ERROR_INPUT, "nested over %d levels deep", YAML_DEPTH_MAX);
    else
        root = yaml_path_set(doc->root, &setting, &error);
    if (!root)
        return problems_add(problems, setting.where, NULL, "%s", error.text);
    doc->root = root;
    return 0;
}

int yaml_doc_set(struct yaml_doc *doc, const struct yaml_path *path, const char *value,
                 struct problems *problems) {
    const char *file =
        arena_printf(&doc->arena, "%sset %s", problems->dashes ? problems->dashes : "",
                     yaml_path_text(path, &doc->arena));
    return yaml_doc_put(doc, path, value, (struct location){file, 0, 0}, problems);
}

/* --- yaml_canonical --- */
/* Keys in order and one value a line: the text does not depend on the layout of the file. */

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

/* --- yaml_write: by libyaml's emitter, which knows which text needs quotes --- */

struct writer {
    yaml_emitter_t emitter;
    const struct yaml_replace *replace;
    struct str *out;
};

static int append_text(void *context, unsigned char *bytes, size_t length) {
    str_add_bytes(((struct writer *)context)->out, (const char *)bytes, length);
    return 1;
}

/* The emitter takes the event over, whether it likes it or not. */
static bool emit_event(struct writer *writer, yaml_event_t *event, int made) {
    bool good = made && yaml_emitter_emit(&writer->emitter, event);
    if (!good && writer->emitter.error == YAML_MEMORY_ERROR)
        mem_exhausted(0);
    return good;
}

static bool write_scalar(struct writer *writer, const struct yaml_node *node, bool is_key) {
    yaml_event_t event;
    struct str text = {0};
    bool plain = is_key ? yaml_is_plain(node->text)
                        : yaml_scalar_text(node, &text); /* a key is text whatever it says */
    if (is_key)
        str_add(&text, node->text);
    int made = yaml_scalar_event_initialize(
        &event, NULL, NULL, (const yaml_char_t *)text.text, (int)text.length, 1, 1,
        plain ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    str_finish(&text);
    return emit_event(writer, &event, made);
}

static bool emit_node(struct writer *w, const struct yaml_node *node);

static bool write_items(struct writer *writer, const struct yaml_node *node) {
    bool good = true;
    for (size_t i = 0; i < node->count && good; i++) {
        if (node->kind == YAML_NODE_MAPPING)
            good = write_scalar(writer, node->keys[i], true);
        good = good && emit_node(writer, node->items[i]);
    }
    return good;
}

static bool emit_node(struct writer *writer, const struct yaml_node *node) {
    yaml_event_t event;
    const struct yaml_node *other =
        writer->replace ? writer->replace->with(writer->replace->context, node) : NULL;
    node = other ? other : node;
    switch (node->kind) {
    case YAML_NODE_SEQUENCE:
        return emit_event(writer, &event,
                          yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
                                                               YAML_BLOCK_SEQUENCE_STYLE)) &&
               write_items(writer, node) &&
               emit_event(writer, &event, yaml_sequence_end_event_initialize(&event));
    case YAML_NODE_MAPPING:
        return emit_event(writer, &event,
                          yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
                                                              YAML_BLOCK_MAPPING_STYLE)) &&
               write_items(writer, node) &&
               emit_event(writer, &event, yaml_mapping_end_event_initialize(&event));
    default:
        return write_scalar(writer, node, false);
    }
}

static bool write_document(struct writer *writer, const struct yaml_node *root) {
    yaml_event_t event;
    return emit_event(writer, &event,
                      yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING)) &&
           emit_event(writer, &event,
                      yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1)) &&
           emit_node(writer, root) &&
           emit_event(writer, &event, yaml_document_end_event_initialize(&event, 1)) &&
           emit_event(writer, &event, yaml_stream_end_event_initialize(&event));
}

int yaml_write(const struct yaml_node *root, const struct yaml_replace *replace, struct str *out,
               struct error *reterr) {
    struct writer w = {.replace = replace, .out = out};
    if (!yaml_emitter_initialize(&w.emitter))
        mem_exhausted(0);
    yaml_emitter_set_output(&w.emitter, append_text, &w);
    yaml_emitter_set_unicode(&w.emitter, 1);
    yaml_emitter_set_width(&w.emitter, -1);
    bool good = write_document(&w, root);
    int r = good ? 0
                 : error_set(reterr, ERROR_IO, "cannot write YAML: %s",
                             w.emitter.problem ? w.emitter.problem
                                               : "text that is not UTF-8, or too long");
    yaml_emitter_delete(&w.emitter);
    return r;
}
