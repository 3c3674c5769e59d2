/* The files of a folder, by name. */
#ifndef EASIM_INGEST_MLPERF_MLPERF_FILES_H
#define EASIM_INGEST_MLPERF_MLPERF_FILES_H

#include "base/arena.h"
#include "base/array.h"

#include <stdbool.h>

struct mlperf_file {
    const char *path, *name;
    bool is_folder;
};

struct mlperf_files {
    struct mlperf_file *at; /* the caller frees it; the texts are in the arena */
    size_t count, capacity;
};

bool mlperf_is_folder(const char *path);
/* All but hidden ones; none where there is no such folder. */
void mlperf_files_list(const char *folder, struct arena *arena, struct mlperf_files *files);

#endif
