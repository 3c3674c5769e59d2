/* Shipped validations: see validate_find.h. */
#include "experiment/validate/validate_find.h"

#include "base/array.h"
#include "io/files.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct files {
    ARRAY_OF(const char *) at;
};

static bool ends_in_yaml(const char *name) {
    size_t length = strlen(name);
    return name[0] != '.' && length > 5 && strcmp(name + length - 5, ".yaml") == 0;
}

static bool list_validations(const char *folder, struct files *files, struct arena *arena) {
    DIR *dir = files_open_folder(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        if (ends_in_yaml(entry->d_name))
            array_push(&files->at, arena_printf(arena, "%s/%s", folder, entry->d_name));
    if (dir)
        closedir(dir);
    return files->at.count > 0;
}

/* Beside the program, then in the folder above. */
static bool list_beside(struct files *files, struct arena *arena) {
    char executable[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    bool found = false;
    for (int up = 0; up < 2 && length > 0 && !found; up++) {
        executable[length] = '\0';
        char *slash = strrchr(executable, '/');
        if (!slash)
            break;
        length = slash - executable;
        found = list_validations(arena_printf(arena, "%.*s/validation", (int)length, executable),
                                 files, arena);
    }
    return found;
}

static int compare_names(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

int validate_find(struct arena *arena, const char *const **ret_files, struct error *reterr) {
    const char *own = getenv("EASIM_VALIDATION");
    struct files files = {.at = {0}};
    bool found = own && own[0] ? list_validations(own, &files, arena)
                               : list_beside(&files, arena) ||
                                     list_validations(EASIM_VALIDATION_DIR, &files, arena);
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
