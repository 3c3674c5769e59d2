/* Paths of labels: see attribution_path.h. */
#include "insight/attribution/attribution_path.h"

#include "base/str.h"

#include <string.h>

#define LABEL "label."

static const char *const words[] = {
    [PATH_USER] = "user",   [PATH_MODEL] = "model",       [PATH_JOB] = "job",
    [PATH_CLASS] = "class", [PATH_GPU_TYPE] = "gpu_type", [PATH_TIME] = "time"};

#define EXPECTED "user, model, job, class, gpu_type, time or label.NAME"

static int refuse_word(const char *word, struct arena *arena, struct error *reterr) {
    size_t count = sizeof words / sizeof *words;
    const char *known[sizeof words / sizeof *words + 1];
    memcpy(known, words, sizeof words);
    known[count] = "label";
    return error_set(reterr, ERROR_INPUT, "expected " EXPECTED ", got \"%.80s\"%s", word,
                     str_suggestion(arena, word, known, count + 1));
}

static int read_element(struct path_element *element, struct arena *arena, struct error *reterr) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(element->name, words[i]) == 0) {
            element->kind = (enum path_kind)i;
            return 0;
        }
    element->kind = PATH_LABEL;
    return strncmp(element->name, LABEL, strlen(LABEL)) == 0 && element->name[strlen(LABEL)]
               ? 0
               : refuse_word(element->name, arena, reterr);
}

/* Up to the next slash, or the end, where *at then is; a backslash takes the character behind it as
   it is. */
static const char *read_name(const char **at, struct arena *arena) {
    char *name = arena_alloc(arena, strlen(*at) + 1), *to = name;
    for (; **at && **at != '/'; (*at)++) {
        if (**at == '\\' && (*at)[1])
            (*at)++;
        *to++ = **at;
    }
    *to = '\0';
    return name;
}

static bool comes_before(const struct attribution_path *path, const char *name) {
    for (size_t i = 0; i < path->count; i++)
        if (strcmp(path->at[i].name, name) == 0)
            return true;
    return false;
}

int attribution_path_read(struct attribution_path *path, const char *text, struct arena *arena,
                          struct error *reterr) {
    struct attribution_path read = {.count = 0};
    if (!*text)
        return error_set(reterr, ERROR_INPUT, "expected " EXPECTED ", got nothing");
    for (const char *at = text;; at++) {
        struct path_element element = {.name = read_name(&at, arena)};
        if (!*element.name)
            return error_set(reterr, ERROR_INPUT, "an element of \"%.200s\" is empty", text);
        if (read.count == ATTRIBUTION_MOST_LEVELS)
            return error_set(reterr, ERROR_INPUT, "expected at most %d elements",
                             ATTRIBUTION_MOST_LEVELS);
        if (comes_before(&read, element.name))
            return error_set(reterr, ERROR_INPUT, "\"%.80s\" comes twice", element.name);
        if (read_element(&element, arena, reterr) < 0)
            return ERROR_INPUT;
        read.at[read.count++] = element;
        if (!*at)
            break;
    }
    *path = read;
    return 0;
}

static int refuse_label(const char *name, const struct workload *workload, struct error *reterr) {
    struct arena arena = {0};
    const char **names = arena_alloc(&arena, (workload->label_names.count + 1) * sizeof *names);
    const char *list = workload->label_names.count > 0 ? "" : "none";
    for (size_t i = 0; i < workload->label_names.count; i++) {
        names[i] = workload->label_names.at[i];
        list = arena_printf(&arena, "%s%s%.80s", list, i ? ", " : "", names[i]);
    }
    (void)error_set(reterr, ERROR_INPUT, "no label \"%.80s\" in the workload (there are: %s)%s",
                    name, list, str_suggestion(&arena, name, names, workload->label_names.count));
    arena_finish(&arena);
    return ERROR_INPUT;
}

int attribution_path_find(struct attribution_path *path, const struct workload *workload,
                          struct error *reterr) {
    for (size_t i = 0; i < path->count; i++) {
        struct path_element *e = &path->at[i];
        uint32_t label = 0;
        while (e->kind == PATH_LABEL && label < workload->label_names.count &&
               strcmp(workload->label_names.at[label], e->name + strlen(LABEL)) != 0)
            label++;
        if (e->kind == PATH_LABEL && label == workload->label_names.count)
            return refuse_label(e->name + strlen(LABEL), workload, reterr);
        e->label = label;
    }
    return 0;
}

bool attribution_path_has(const struct attribution_path *path, enum path_kind kind) {
    for (size_t i = 0; i < path->count; i++)
        if (path->at[i].kind == kind)
            return true;
    return false;
}
