/* Folders beside the program: see own_folders.h. */
#include "io/own_folders.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool own_folders_each(const struct own_folders *folders,
                      bool (*visit)(const char *folder, void *context), void *context) {
    char executable[PATH_MAX], folder[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    executable[length > 0 ? length : 0] = '\0';
    const char *const names[] = {folders->relative, folders->name};
    for (size_t up = 0; up < 2; up++) {
        char *slash = strrchr(executable, '/');
        if (!slash)
            break;
        *slash = '\0';
        for (size_t i = up; i < 2; i++) {
            snprintf(folder, sizeof folder, "%s/%s", executable, names[i]);
            if (visit(folder, context))
                return true;
        }
    }
    return visit(folders->installed, context);
}
