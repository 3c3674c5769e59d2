/* Names in one order whatever the file system: remarks and sums do not depend on it. */
#include "ingest/mlperf/mlperf_files.h"

#include "io/files.h"

bool mlperf_is_folder(const char *path) {
    struct stat status;
    return files_stat(path, &status) && S_ISDIR(status.st_mode);
}

/* node_2 before node_10: digits at one place count as a number. */
static int compare_files(const void *left, const void *right) {
    const struct mlperf_file *a = left, *b = right;
    return strverscmp(a->name, b->name);
}

void mlperf_files_list(const char *folder, struct arena *arena, struct mlperf_files *files) {
    DIR *dir = files_open_folder(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        struct mlperf_file *file = array_add(files);
        file->name = arena_strndup(arena, entry->d_name, strlen(entry->d_name));
        file->path = arena_printf(arena, "%s%s%s", folder,
                                  folder[strlen(folder) - 1] == '/' ? "" : "/", file->name);
        file->is_folder = mlperf_is_folder(file->path);
    }
    if (dir)
        closedir(dir);
    sort_array(files->at, files->count, compare_files);
}
