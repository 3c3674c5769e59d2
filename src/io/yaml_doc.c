/* A YAML file as a tree that knows where everything stands. Invariant: nodes never change once
   made, for an alias shares those of its anchor; yaml_path_set copies what stands on its path. */
#include "io/yaml_doc.h"

#include "base/machine.h"
#include "io/files.h"
#include "io/yaml_read.h"

#include <errno.h>
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
        if (text->length > FILE_BYTES) {
            problems_add(problems, where, NULL, "over %zu bytes", FILE_BYTES);
            return ERROR_INPUT;
        }
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

/* ---- Setting values ---- */

/* NULL after adding problems. An empty text would be a null, which takes away what is there without
   a word: that is said as ~. */
static struct yaml_node *read_set_value(struct yaml_doc *doc, const char *text, const char *file,
                                        unsigned *ret_height, struct problems *problems) {
    struct yaml_source source = {file, {text, strlen(text)}, .no_lines = true};
    struct yaml_tree tree;
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
    if (!root) {
        problems_add(problems, setting.where, NULL, "%s", error.text);
        return ERROR_INPUT;
    }
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
