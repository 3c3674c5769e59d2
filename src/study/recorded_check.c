/* Folders against their manifests: see recorded_check.h. */
#include "study/recorded_check.h"

#include "io/files.h"
#include "io/sha256.h"
#include "policy/module.h"

#include <errno.h>
#include <string.h>

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
        r = error_set(
            reterr, ERROR_INPUT,
            "%s: " MANIFEST_NAME
            " is missing: these are no results, or what was left when writing them was cut "
            "short",
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
