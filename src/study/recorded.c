/* Reading of manifests: see recorded.h. */
#include "study/recorded.h"

#include "io/files.h"
#include "io/sha256.h"
#include "policy/module.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)256 << 20)
#define HEAD_BYTES ((size_t)4096) /* in which the version stands */

bool recorded_is_manifest(const char *path) {
    const char *slash = strrchr(path, '/');
    struct str head = {0};
    struct error ignored = {0};
    bool is = false;
    if (files_read(path, HEAD_BYTES, &head, &ignored) == 0) {
        bool object = head.text[strspn(head.text, " \t\r\n")] == '{';
        is = strcmp(slash ? slash + 1 : path, MANIFEST_NAME) == 0 ||
             (object && strstr(head.text, "\"easim_version\""));
    }
    str_finish(&head);
    return is;
}

/* ---- Values; what is missing or of another kind makes the manifest a wrong one ---- */

struct reading {
    struct recorded *recorded;
    const char *missing; /* the first key that is not as it should be */
};

static const char *find_text(struct reading *reading, const cJSON *object, const char *key) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(value) ? arena_strdup(&reading->recorded->arena, value->valuestring)
                                 : NULL;
}

static const char *get_text(struct reading *reading, const cJSON *object, const char *key) {
    const char *value = find_text(reading, object, key);
    if (!value && !reading->missing)
        reading->missing = key;
    return value ? value : "";
}

static const cJSON *get_list(struct reading *reading, const cJSON *object, const char *key) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsArray(value) && !reading->missing)
        reading->missing = key;
    return cJSON_IsArray(value) ? value : NULL;
}

static const char *const *get_file_names(struct reading *reading, const cJSON *array,
                                         const char *key) {
    const char **all = arena_alloc(&reading->recorded->arena,
                                   ((size_t)cJSON_GetArraySize(array) + 1) * sizeof *all);
    const cJSON *item;
    size_t count = 0;
    cJSON_ArrayForEach(item, array) {
        if (cJSON_IsString(item))
            all[count++] = arena_strdup(&reading->recorded->arena, item->valuestring);
        else if (!reading->missing)
            reading->missing = key;
    }
    return all;
}

static const char *from_folder(struct reading *reading, const char *name) {
    return name[0] == '/'
               ? name
               : arena_printf(&reading->recorded->arena, "%s/%s", reading->recorded->folder, name);
}

static struct recorded_file file_of(struct reading *reading, const cJSON *object, const char *key) {
    struct recorded_file file = {.name = get_text(reading, object, key)};
    file.path = from_folder(reading, file.name);
    file.sha256 = find_text(reading, object, "sha256");
    file.key = find_text(reading, object, "key");
    file.policy = find_text(reading, object, "name");
    file.in_scenario = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "in_scenario"));
    return file;
}

static struct recorded_file *files_of(struct reading *reading, const cJSON *array,
                                      const char *key) {
    struct recorded_file *all = arena_alloc(&reading->recorded->arena,
                                            ((size_t)cJSON_GetArraySize(array) + 1) * sizeof *all);
    const cJSON *item;
    size_t count = 0;
    cJSON_ArrayForEach(item, array) all[count++] = file_of(reading, item, key);
    return all;
}

static const char *const *from_folder_all(struct reading *reading, const char *const *names) {
    size_t count = 0;
    while (names[count])
        count++;
    const char **all = arena_alloc(&reading->recorded->arena, (count + 1) * sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = from_folder(reading, names[i]);
    all[count] = NULL;
    return all;
}

/* What the command was given; the scenario as it was asked for where it is of one. */
static void read_operands(struct reading *reading, const cJSON *root) {
    struct recorded *recorded = reading->recorded;
    const char *sweep[] = {NULL, NULL}, *scenario[] = {NULL, NULL};
    bool validates = strcmp(recorded->command, "validate") == 0;
    if (strcmp(recorded->command, "sweep") == 0)
        sweep[0] = get_text(reading, root, "sweep");
    if (!validates) {
        recorded->scenario =
            file_of(reading, cJSON_GetObjectItemCaseSensitive(root, "scenario"), "file");
        scenario[0] = recorded->scenario.path;
    }
    recorded->operands = from_folder_all(
        reading,
        validates  ? get_file_names(reading, get_list(reading, root, "validations"), "validations")
        : sweep[0] ? sweep
                   : scenario);
}

static int read_recorded(struct recorded *recorded, const cJSON *root, const char *path,
                         struct error *reterr) {
    struct reading r = {.recorded = recorded};
    recorded->version = get_text(&r, root, "easim_version");
    if (r.missing)
        return error_set(reterr, ERROR_INPUT, "%s: not a manifest of easim: key \"%s\" is missing",
                         path, r.missing);
    recorded->commit = get_text(&r, root, "commit");
    if (!cJSON_GetObjectItemCaseSensitive(root, "command"))
        return error_set(reterr, ERROR_INPUT,
                         "%s: easim %s (%s) kept no inputs in its manifests: it cannot be repeated",
                         path, recorded->version, recorded->commit);
    recorded->command = get_text(&r, root, "command");
    recorded->options = get_file_names(&r, get_list(&r, root, "options"), "options");
    recorded->folders =
        get_file_names(&r, cJSON_GetObjectItemCaseSensitive(root, "folders"), "folders");
    recorded->inputs = files_of(&r, get_list(&r, root, "inputs"), "path");
    recorded->files = files_of(&r, get_list(&r, root, "results"), "file");
    read_operands(&r, root);
    recorded->partial = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "partial"));
    const char *working = find_text(&r, root, "working_folder");
    const char *data = find_text(&r, root, "data_folder");
    recorded->data_folder = data ? from_folder(&r, data) : NULL;
    recorded->working_folder = working ? from_folder(&r, working) : NULL;
    return r.missing
               ? error_set(reterr, ERROR_INPUT,
                           "%s: damaged manifest: key \"%s\" is missing or wrong", path, r.missing)
               : 0;
}

/* ---- The file ---- */

static int refuse_damaged(const char *path, const struct str *all, const char *at,
                          struct error *reterr) {
    size_t line = 1, column = 1;
    for (const char *c = all->text; c < at && c < all->text + all->length; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return error_set(reterr, ERROR_INPUT, "%s:%zu:%zu: damaged manifest: expected JSON%s", path,
                     line, column,
                     at >= all->text + all->length ? ", got the end of the file" : "");
}

static int find_folder(struct recorded *recorded, const char *path, struct error *reterr) {
    const char *slash = strrchr(path, '/');
    const char *folder =
        slash ? arena_strndup(&recorded->arena, path, slash == path ? 1 : (size_t)(slash - path))
              : ".";
    recorded->folder = files_real(folder, &recorded->arena);
    return recorded->folder ? 0
                            : error_set(reterr, ERROR_INPUT, "%s: cannot open folder: %s", folder,
                                        strerror(errno));
}

int recorded_load(struct recorded *recorded, const char *path, struct error *reterr) {
    struct str all = {0};
    const char *end = ""; /* of the JSON, or where it is wrong */
    cJSON *root = NULL;
    int r = files_read(path, MOST_BYTES, &all, reterr);
    if (r == 0)
        r = find_folder(recorded, path, reterr);
    if (r == 0) {
        root = cJSON_ParseWithLengthOpts(all.text, all.length, &end, false);
        end += strspn(end, " \t\r\n");
        if (!root || *end)
            r = refuse_damaged(path, &all, end, reterr);
    }
    if (r == 0)
        r = read_recorded(recorded, root, path, reterr);
    cJSON_Delete(root);
    str_finish(&all);
    return r;
}

void recorded_finish(struct recorded *recorded) {
    arena_finish(&recorded->arena);
    *recorded = (struct recorded){0};
}

/* --- recorded_check --- */

static int check_file(const char *folder, const struct recorded_file *file, struct error *reterr) {
    char now[SHA256_TEXT];
    uint64_t bytes;
    int r = sha256_file(file->path, now, &bytes, reterr);
    if (r < 0)
        return r;
    if (r == SHA256_NO_FILE)
        return error_set(reterr, ERROR_INPUT,
                         "%s/%s: is missing, though " MANIFEST_NAME " lists it", folder,
                         file->name);
    if (!file->sha256 || strcmp(now, file->sha256) != 0)
        return error_set(reterr, ERROR_INPUT,
                         "%s/%s: is not what " MANIFEST_NAME
                         " lists: it was changed, or written by another run",
                         folder, file->name);
    return 0;
}

static int check_inner_folders(const char *folder, const struct recorded *recorded,
                               struct error *reterr) {
    int r = 0;
    for (const char *const *inner = recorded->folders; *inner && r == 0; inner++) {
        struct arena arena = {0};
        r = recorded_check(arena_printf(&arena, "%s/%s", folder, *inner), reterr);
        arena_finish(&arena);
    }
    return r;
}

bool recorded_policy_is_here(const struct recorded_file *policy) {
    struct str found = {0};
    bool is = !strchr(policy->policy, '/') && module_find(policy->policy, &found) &&
              sha256_is_of_file(policy->sha256, found.text);
    str_finish(&found);
    return is;
}

int recorded_check(const char *folder, struct error *reterr) {
    struct recorded recorded = {0};
    struct arena arena = {0};
    const char *manifest = arena_printf(&arena, "%s/" MANIFEST_NAME, folder);
    DIR *opened = files_open_folder(folder);
    int r, code = opened ? 0 : errno;
    if (opened)
        closedir(opened); /* the files that follow may need the last descriptor */
    if (code != 0)
        r = error_set(reterr, ERROR_INPUT, "%s: cannot open folder: %s", folder, strerror(code));
    else if (!files_exist(manifest))
        r = error_set(reterr, ERROR_INPUT,
                      "%s: " MANIFEST_NAME
                      " is missing: the folder has no results, or writing them was interrupted",
                      folder);
    else
        r = recorded_load(&recorded, manifest, reterr);
    if (r == 0 && recorded.scenario.path) /* those of a validation are in the folders of its runs */
        r = check_file(folder, &recorded.scenario, reterr);
    for (const struct recorded_file *file = recorded.files; r == 0 && file->name; file++)
        r = check_file(folder, file, reterr);
    if (r == 0)
        r = check_inner_folders(folder, &recorded, reterr);
    recorded_finish(&recorded);
    arena_finish(&arena);
    return r;
}
