/* Recorded rows of several policies: see record_files.h. */
#include "output/run/record_files.h"

#include "base/arena.h"
#include "io/atomic_file.h"
#include "io/files.h"

#include <stdlib.h>

enum { SEGMENTS, GPUS, WORKLOAD, RECORDED };
const char *const record_file_names[RECORD_FILES] = {[SEGMENTS] = "segments.csv",
                                                     [GPUS] = "gpus.csv",
                                                     [WORKLOAD] = "workload.csv",
                                                     [RECORDED] = "recorded.csv"};

void record_files_take(struct record_files *record, const struct record_part *part,
                       int64_t end_ns) {
    array_push(&record->parts, *part);
    record->end_ns = end_ns > record->end_ns ? end_ns : record->end_ns;
}

static size_t longest_part(const struct record_files *record) {
    size_t longest = 0;
    for (size_t i = 1; i < record->parts.count; i++)
        if (record->parts.at[i].replications > record->parts.at[longest].replications)
            longest = i;
    return longest;
}

/* The first with its header, the others without. */
static int join_files(struct record_files *record, int which, struct atomic_file *to,
                      struct error *reterr) {
    int r = 0;
    if (which == WORKLOAD)
        return atomic_file_append(to, record->parts.at[longest_part(record)].files[which], false,
                                  reterr);
    for (size_t i = 0; i < record->parts.count && r == 0; i++)
        r = atomic_file_append(to, record->parts.at[i].files[which], i > 0, reterr);
    return r;
}

static int write_file(struct record_files *record, int which, const char *path,
                      struct error *reterr) {
    struct atomic_file *file = NULL;
    if (record->parts.count == 0)
        return files_remove(path, reterr);
    int r = atomic_file_open(path, &file, reterr);
    if (r == 0)
        r = join_files(record, which, file, reterr);
    if (r == 0)
        return atomic_file_commit(file, reterr);
    atomic_file_abort(file);
    return r;
}

int record_files_write(struct record_files *record, const char *folder, struct error *reterr) {
    struct arena arena = {0};
    int r = 0;
    for (int f = 0; f < RECORD_FILES && r == 0; f++)
        r = write_file(record, f, arena_printf(&arena, "%s/%s", folder, record_file_names[f]),
                       reterr);
    arena_finish(&arena);
    return r;
}

void record_files_finish(struct record_files *record) {
    for (size_t i = 0; record && i < record->parts.count; i++)
        for (int f = 0; f < RECORD_FILES; f++)
            atomic_file_abort(record->parts.at[i].files[f]);
    if (record)
        free(record->parts.at);
}
