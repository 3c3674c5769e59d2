/* Names of traces, and the folder in which they are made. Invariant: until the commit no file of
   the results is touched. */
#include "output/run/trace_files.h"

#include "base/array.h"
#include "io/files.h"
#include "io/leftovers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct trace_files {
    const char *folder, *name;
    char *making; /* the folder in which they are made */
    int lock;     /* on it */
    uint32_t replications;
    bool *kept; /* by number - 1 */
    struct arena arena;
};

/* In the arena. */
static const char *name_of(const struct trace_files *files, uint32_t number, struct arena *arena) {
    const char *dot = strrchr(files->name, '.');
    size_t stem = dot ? (size_t)(dot - files->name) : strlen(files->name);
    if (files->replications == 1)
        return arena_strdup(arena, files->name);
    return arena_printf(arena, "%.*s-%u%s", (int)stem, files->name, number, files->name + stem);
}

int trace_files_open(const char *folder, const char *name, uint32_t replications,
                     struct trace_files **ret_files, struct error *reterr) {
    struct trace_files *files = mem_zalloc(1, sizeof *files);
    files->folder = arena_strdup(&files->arena, folder);
    files->name = arena_strdup(&files->arena, name);
    files->making = arena_printf(&files->arena, "%s/%s.tmp-XXXXXX", folder, name);
    files->replications = replications;
    files->kept = mem_zalloc(replications, sizeof *files->kept);
    files->lock = -1;
    if (leftovers_make_folder(files->making, &files->lock, reterr) < 0) {
        files->making = NULL;
        trace_files_abort(files);
        return reterr->code;
    }
    *ret_files = files;
    return 0;
}

const char *trace_files_path(struct trace_files *files, uint32_t number) {
    return arena_printf(&files->arena, "%s/%u", files->making, number);
}

void trace_files_keep(struct trace_files *files, uint32_t number) {
    files->kept[number - 1] = true;
}

/* Puts the trace of a replication in place; if there is none, removes what has its name. */
static int place_trace(const struct trace_files *files, uint32_t number, const char *name,
                       struct error *reterr) {
    struct arena scratch = {0};
    const char *from = arena_printf(&scratch, "%s/%u", files->making, number);
    const char *to = arena_printf(&scratch, "%s/%s", files->folder, name);
    int r = 0;
    if (!files->kept[number - 1])
        r = files_remove(to, reterr);
    else if (TEMP_FAILURE_RETRY(rename(from, to)) < 0)
        r = error_set(reterr, ERROR_IO, "%s: cannot rename: %s", to, strerror(errno));
    arena_finish(&scratch);
    return r;
}

int trace_files_commit(struct trace_files *files, struct arena *arena, const char ***ret_names,
                       struct error *reterr) {
    size_t count = 0;
    int r = 0;
    const char **names = arena_alloc(arena, (files->replications + (size_t)1) * sizeof *names);
    for (uint32_t number = 1; number <= files->replications && r == 0; number++) {
        const char *name = name_of(files, number, arena);
        r = place_trace(files, number, name, reterr);
        if (files->kept[number - 1])
            names[count++] = name;
    }
    *ret_names = names;
    trace_files_abort(files);
    return r;
}

static void remove_folder(const char *path) {
    struct arena scratch = {0};
    DIR *dir = files_open_folder(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        (void)unlink(arena_printf(&scratch, "%s/%s", path, entry->d_name)); /* not . and .. */
    if (dir)
        closedir(dir);
    (void)rmdir(path);
    arena_finish(&scratch);
}

void trace_files_abort(struct trace_files *files) {
    if (!files)
        return;
    if (files->making)
        remove_folder(files->making);
    if (files->lock >= 0)
        close(files->lock);
    free(files->kept);
    arena_finish(&files->arena);
    free(files);
}
