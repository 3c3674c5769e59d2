/* Files and their hashes: see inputs.h. */
#include "study/inputs.h"

#include "base/hash.h"
#include "io/time_zone.h"

#include <stdlib.h>
#include <string.h>

/* Where a word of a shell command ends outside of quotes; too many words are harmless, since only
 * files count. */
#define WORD_ENDS " \t\r\n();|&<>=`"

static int say_changed(const char *path, struct error *reterr) {
    return error_set(reterr, ERROR_MACHINE,
                     "%s: changed while it was in use: the results would be of two contents", path);
}

/* The first failure is kept. */
static struct error *room_for_failure(struct inputs *inputs) {
    return inputs->failure.code < 0 ? NULL : &inputs->failure;
}

/* Hashes a file that nobody touches meanwhile. 0, SHA256_NO_FILE or negative. */
static int hash_input(struct input *input, struct error *reterr) {
    struct file_stamp after;
    file_stamp_take(input->path, &input->stamp);
    struct error error = {0};
    int r = sha256_file(input->path, input->sha256, &input->bytes, &error);
    if (r == ERROR_INPUT)
        return SHA256_NO_FILE; /* a word that names somebody else's file */
    if (r < 0)
        return error_set(reterr, ERROR_MACHINE, "%s", error.text);
    if (r == 0)
        file_stamp_take(input->path, &after);
    return r == 0 && !file_stamp_same(&input->stamp, &after) ? say_changed(input->path, reterr) : r;
}

/* Whether there is in a file what there was when `before` was hashed; read: NULL, or its stamp when
   it was read again. */
static int compare_contents(const struct input *before, const struct file_stamp *read,
                            struct error *reterr) {
    struct input now = {.path = before->path};
    int r = hash_input(&now, reterr);
    if (r < 0)
        return r;
    bool same = r == 0 && strcmp(now.sha256, before->sha256) == 0 &&
                (!read || file_stamp_same(read, &now.stamp));
    return same ? 0 : say_changed(before->path, reterr);
}

/* Likewise, without a look into it where it was not touched. */
static int verify_input(const struct input *before, const struct file_stamp *read,
                        struct error *reterr) {
    struct file_stamp now;
    file_stamp_take(before->path, &now);
    bool untouched =
        file_stamp_same(&now, &before->stamp) && (!read || file_stamp_same(read, &before->stamp));
    return untouched && before->stamp.settled ? 0 : compare_contents(before, read, reterr);
}

/* A file of which another process has the hash. False: that one has not seen it. */
static bool take_from(const struct inputs *against, struct inputs *inputs, struct input *added) {
    uint32_t number = intern_find(&against->known, added->path, strlen(added->path));
    size_t place = number == INTERN_NONE ? 0 : against->places.at[number];
    if (place == 0)
        return false;
    const struct input *before = &against->list.at[place - 1];
    if (!before->argument)
        (void)verify_input(before, added->read, room_for_failure(inputs));
    memcpy(added->sha256, before->sha256, sizeof added->sha256);
    added->bytes = before->bytes;
    added->stamp = before->stamp;
    return true;
}

/* False: there is no such file. One that was read, and cannot be read again, is a failure. */
static bool add_file(struct inputs *inputs, const struct input *input) {
    struct input added = *input;
    if (!(inputs->against && take_from(inputs->against, inputs, &added))) {
        int r = hash_input(&added, room_for_failure(inputs));
        if (r == SHA256_NO_FILE && input->read && input->read->is_file)
            (void)say_changed(input->path, room_for_failure(inputs));
        if (r != 0)
            return false;
    }
    added.key = arena_strdup(&inputs->arena, input->key);
    added.name = input->name ? arena_strdup(&inputs->arena, input->name) : NULL;
    added.path = arena_strdup(&inputs->arena, input->path);
    added.read = NULL;
    array_push(&inputs->list, added);
    return true;
}

/* Place in the list, or list.count if there is no such file. */
static size_t place_of(struct inputs *inputs, const struct input *input) {
    bool is_new;
    uint32_t number = intern(&inputs->known, input->path, strlen(input->path), &is_new);
    if (is_new) {
        bool added = add_file(inputs, input);
        array_push(&inputs->places, added ? inputs->list.count : 0);
    }
    size_t place = inputs->places.at[number];
    if (place > 0 && input->read &&
        !file_stamp_same(input->read, &inputs->list.at[place - 1].stamp))
        (void)verify_input(&inputs->list.at[place - 1], input->read, room_for_failure(inputs));
    return place > 0 ? place - 1 : inputs->list.count;
}

const char *inputs_add(struct inputs *inputs, const struct input *input) {
    size_t place = place_of(inputs, input);
    return place < inputs->list.count ? inputs->list.at[place].sha256 : NULL;
}

static uint64_t hash_on(uint64_t hash, const char *sha256) {
    return sha256 ? hash_bytes(hash, sha256, SHA256_TEXT) : hash;
}

/* Appends the word that begins at text, without its quotes and backslashes, as a POSIX shell reads
   them (XCU 2.2); returns where it ends. */
static const char *read_word(const char *text, struct str *word) {
    const char *at = text;
    for (char quote = '\0'; *at && (quote || !strchr(WORD_ENDS, *at)); at++) {
        bool escapes =
            *at == '\\' && at[1] && quote != '\'' && (!quote || strchr("$`\"\\\n", at[1]));
        if (escapes && *++at == '\n')
            continue; /* a line goes on */
        if (!escapes && quote ? *at == quote : !escapes && (*at == '\'' || *at == '"'))
            quote = quote ? '\0' : *at;
        else
            str_add_char(word, *at);
    }
    return at;
}

/* The files among the words of a text, such as a program and its script: the first two of them; the
   others it is given. A word that lost quotes
   may hold a command itself (sh -c '...'): it got shorter, so this ends. */
static uint64_t add_words(struct inputs *inputs, const char *key, const char *text, uint64_t hash) {
    struct str word = {0};
    int files = 0;
    for (const char *at = text; *at; at += *at != '\0') {
        const char *begin = at;
        word.length = 0;
        at = read_word(begin, &word);
        const struct input input = {.key = key, .path = word.text, .argument = files >= 2};
        const char *sha256 = word.length > 0 ? inputs_add(inputs, &input) : NULL;
        inputs->from_here = inputs->from_here || (sha256 && word.text[0] != '/');
        hash = hash_on(hash, sha256);
        files += sha256 != NULL;
        if (!sha256 && word.length > 0 && word.length < (size_t)(at - begin))
            hash = add_words(inputs, key, word.text, hash);
    }
    str_finish(&word);
    return hash;
}

static void add_policy(struct inputs *inputs, const struct study *study) {
    const struct easim_policy *policy = study->module.policy;
    const char *name = study->scenario.policy.name;
    struct str found = {0}; /* of one that was not opened */
    if (!strchr(name, '/') && (study->module.path || module_find(name, &found))) {
        const struct input module = {.key = "policy.name",
                                     .name = name,
                                     .path = study->module.path ? study->module.path : found.text,
                                     .read = study->module.path ? &study->module.stamp : NULL};
        (void)inputs_add(inputs, &module);
    }
    str_finish(&found);
    for (size_t i = 0; i < params_count(policy); i++) {
        const struct easim_param *param = params_at(policy, i);
        if (param->type != EASIM_PARAM_TEXT)
            continue;
        struct str text = {0}, key = {0};
        params_write_value(&study->params, i, &text);
        str_addf(&key, "policy.params.%s", param->name);
        (void)add_words(inputs, key.text, text.text ? text.text : "", 0);
        str_finish(&text);
        str_finish(&key);
    }
}

/* Returns the hash of the file of a time zone, NULL if there is none. */
static const char *add_time_zone(struct inputs *inputs, const char *key, const char *name) {
    struct str path = {0};
    const char *sha256 = NULL;
    if (time_zone_find(name, &path)) {
        const struct input zone = {.key = key, .path = path.text, .of_system = true};
        sha256 = inputs_add(inputs, &zone);
    }
    str_finish(&path);
    return sha256;
}

void inputs_add_files(struct inputs *inputs, const struct study *study) {
    const struct input scenario = {
        .key = "scenario", .path = study->scenario.file, .inlined = true, .read = &study->stamp};
    if (strcmp(study->scenario.file, "-") != 0)
        (void)inputs_add(inputs, &scenario);
    for (size_t i = 0; i < study->scenario.uses.files.count; i++) {
        const struct file_use *use = &study->scenario.uses.files.at[i];
        struct input input = {.key = use->key,
                              .path = use->path,
                              .inlined = use->content != NULL,
                              .read = &use->stamp};
        if (inputs_add(inputs, &input))
            continue;
        input.key =
            arena_strdup(&inputs->arena, use->key); /* a pipe, say: named, though without a hash */
        input.path = arena_strdup(&inputs->arena, use->path);
        array_push(&inputs->list, input);
    }
}

void inputs_add_study(struct inputs *inputs, const struct study *study) {
    const struct stream *streams = study->source.streams.at;
    inputs_add_files(inputs, study);
    for (size_t i = 0; i < study->source.streams.count; i++)
        if (streams[i].trace.time_zone)
            (void)add_time_zone(inputs, "time_zone", streams[i].trace.time_zone);
    add_policy(inputs, study);
}

/* ---- Later looks ---- */

bool inputs_are_of_policy(const char *key) {
    return strncmp(key, "policy.", 7) == 0 || strncmp(key, "params_by_policy.", 17) == 0;
}

int inputs_verify(const struct inputs *inputs, enum inputs_scope scope, struct error *reterr) {
    int r = 0;
    for (size_t i = 0; i < inputs->list.count && r == 0; i++) {
        const struct input *input = &inputs->list.at[i];
        if (input->sha256[0] && !input->argument &&
            (scope != INPUTS_LATE || inputs_are_of_policy(input->key)))
            r = scope == INPUTS_READ ? compare_contents(input, NULL, reterr)
                                     : verify_input(input, NULL, reterr);
    }
    return r;
}

int inputs_verify_study(const struct inputs *inputs, const struct study *study,
                        struct error *reterr) {
    struct inputs now = {.against = inputs};
    inputs_add_study(&now, study);
    int r = now.failure.code;
    if (r < 0)
        *reterr = now.failure;
    inputs_finish(&now);
    return r;
}

/* ---- A tree that nobody has bound ---- */

struct walk {
    struct inputs *inputs;
    struct str path; /* dotted, of the value */
    uint64_t hash;
};

/* Returns the hash of the file that it names; words of it that do count beside that. */
static const char *add_scalar(struct walk *w, const struct yaml_node *node) {
    struct problems ignored = {0};
    struct arena arena = {0};
    struct str module = {0};
    const struct binding binding = {.arena = &arena, .problems = &ignored};
    const char *key = w->path.text ? w->path.text : "";
    struct input input = {.key = key, .path = schema_path(&binding, node, key)};
    const char *sha256 = input.path ? inputs_add(w->inputs, &input) : NULL;
    if (sha256 && node->where.line == 0 && input.path[0] != '/')
        w->inputs->from_here = true;
    if (!sha256 && strcmp(key, "policy.name") == 0 && module_find(node->text, &module)) {
        input = (struct input){.key = key, .name = node->text, .path = module.text};
        sha256 = inputs_add(w->inputs, &input);
    }
    size_t length = strlen(key);
    if (!sha256 && length > 10 && strcmp(key + length - 10, ".time_zone") == 0)
        sha256 = add_time_zone(w->inputs, key, node->text);
    w->hash = hash_on(w->hash, sha256);
    if (!sha256 &&
        (strncmp(key, "policy.params.", 14) == 0 || strncmp(key, "params_by_policy.", 17) == 0))
        w->hash = add_words(w->inputs, key, node->text, w->hash);
    str_finish(&module);
    problems_finish(&ignored);
    arena_finish(&arena);
    return sha256;
}

static void walk_tree(struct walk *w, const struct yaml_node *node) {
    const size_t length = w->path.length;
    const struct {
        const struct yaml_node *node;
        uint64_t path; /* aliases are at several */
    } place = {node, hash_bytes(HASH_START, w->path.text, length)};
    const uint64_t before = w->hash;
    const uint32_t number = intern_find(&w->inputs->walked, &place, sizeof place);
    const char *sha256 = number == INTERN_NONE ? NULL : w->inputs->found.at[number];
    if (number != INTERN_NONE) {
        w->hash = hash_on(w->hash, sha256);
        return;
    }
    if (node->kind == YAML_NODE_SCALAR && node->length > 0)
        sha256 = add_scalar(w, node);
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == YAML_NODE_SEQUENCE)
            str_addf(&w->path, "[%zu]", i);
        else if (length > 0)
            str_add_char(&w->path, '.');
        if (node->kind == YAML_NODE_MAPPING)
            str_add(&w->path, node->keys[i]->text);
        walk_tree(w, node->items[i]);
        w->path.length = length;
        w->path.text[length] = '\0';
    }
    if (w->hash == hash_on(before, sha256) &&
        intern_find(&w->inputs->staying, &node, sizeof node) != INTERN_NONE) {
        (void)intern(&w->inputs->walked, &place, sizeof place, NULL);
        array_push(&w->inputs->found, sha256 ? arena_strdup(&w->inputs->arena, sha256) : NULL);
    }
}

uint64_t inputs_add_tree(struct inputs *inputs, const struct yaml_node *root, uint64_t hash) {
    struct walk w = {.inputs = inputs, .hash = hash};
    walk_tree(&w, root);
    str_finish(&w.path);
    return w.hash;
}

void inputs_stay(struct inputs *inputs, const struct yaml_node *root) {
    (void)intern(&inputs->staying, &root, sizeof root, NULL);
    for (size_t i = 0; i < root->count; i++)
        inputs_stay(inputs, root->items[i]);
}

void inputs_finish(struct inputs *inputs) {
    free(inputs->list.at);
    free(inputs->places.at);
    intern_finish(&inputs->known);
    intern_finish(&inputs->staying);
    intern_finish(&inputs->walked);
    free(inputs->found.at);
    arena_finish(&inputs->arena);
    *inputs = (struct inputs){0};
}
