/* Shipped validations: see validate_find.h. */
#include "experiment/validate/validate_find.h"

#include "base/array.h"
#include "io/files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

struct files {
    ARRAY_OF(const char *) at;
    struct arena *arena;
};

static bool ends_in_yaml(const char *name) {
    size_t length = strlen(name);
    return name[0] != '.' && length > 5 && strcmp(name + length - 5, ".yaml") == 0;
}

static bool list_validations(const char *folder, void *context) {
    struct files *files = context;
    DIR *dir = files_open_folder(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (ends_in_yaml(entry->d_name))
            array_push(&files->at, arena_printf(files->arena, "%s/%s", folder, entry->d_name));
    if (dir)
        closedir(dir);
    return files->at.count > 0;
}

static int compare_names(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

int validate_find(struct arena *arena, const char *const **ret_files, struct error *reterr) {
    const char *own = getenv("EASIM_VALIDATION");
    struct files files = {.arena = arena};
    const struct own_folders shipped = {"validation", EASIM_VALIDATION_DIR_FROM_PROGRAM,
                                        EASIM_VALIDATION_DIR};
    bool found = own && own[0] ? list_validations(own, &files)
                               : own_folders_each(&shipped, list_validations, &files);
    if (!found) {
        free(files.at.at);
        return error_set(reterr, ERROR_INPUT,
                         "no validation files in %s: expected some, or FILE.yaml",
                         own && own[0] ? own : EASIM_VALIDATION_DIR);
    }
    qsort(files.at.at, files.at.count, sizeof *files.at.at, compare_names);
    const char **list = arena_alloc(arena, (files.at.count + 1) * sizeof *list);
    memcpy(list, files.at.at, files.at.count * sizeof *list);
    list[files.at.count] = NULL;
    *ret_files = list;
    free(files.at.at);
    return 0;
}
