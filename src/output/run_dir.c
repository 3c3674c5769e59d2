/* The folder of one run. */
#include "output/run_dir.h"

#include "io/atomic_file.h"
#include "output/manifest.h"
#include "output/tables.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum file { FILE_SUMMARY, FILE_JOBS, FILE_USERS, FILE_TYPES, FILE_POWER, FILE_DECISIONS, FILE_COUNT };

static const char *const file_names[FILE_COUNT] = {"summary.csv", "jobs.csv",  "users.csv",
                                                   "types.csv",   "power.csv", "decisions.csv"};

struct run_dir {
    char *path;
    bool wanted[FILE_COUNT];
    bool headed; /* jobs.csv has its header: the labels are known with the first replication */
    const struct study *study;
    struct atomic_file *files[FILE_COUNT];
};

/* Rows of one replication, by file. */
struct rendered {
    struct str text[FILE_COUNT];
    struct str jobs_header;
};

int run_dir_make_folders(const char *path, struct error *reterr) {
    char *partial = mem_strdup(path);
    int r = 0;
    for (char *at = partial + 1; r == 0; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char ended = *at;
        *at = '\0';
        if (mkdir(partial, 0777) < 0 && errno != EEXIST)
            r = error_set(reterr, ERROR_IO, "%s: cannot make folder: %s", partial, strerror(errno));
        *at = ended;
        if (ended == '\0')
            break;
    }
    free(partial);
    return r;
}

int run_dir_check_empty(const char *path, struct error *reterr) {
    DIR *dir = opendir(path);
    if (!dir)
        return errno == ENOENT
                   ? 0
                   : error_set(reterr, ERROR_INPUT, "%s: cannot open folder: %s", path, strerror(errno));
    int entries = 0;
    while (entries < 3 && readdir(dir))
        entries++;
    closedir(dir);
    if (entries > 2) /* . and .. are always there */
        return error_set(reterr, ERROR_INPUT, "%s: the folder is not empty; add --force to write into it", path);
    return 0;
}

static char *join(const char *folder, const char *name) {
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = mem_alloc(bytes);
    snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

static int open_file(struct run_dir *dir, enum file file, struct error *reterr) {
    char *path = join(dir->path, file_names[file]);
    int r = atomic_file_open(path, &dir->files[file], reterr);
    free(path);
    return r;
}

static int write_text(struct run_dir *dir, enum file file, const struct str *text, struct error *reterr) {
    return text->length == 0 ? 0 : atomic_file_write(dir->files[file], text->text, text->length, reterr);
}

static int write_headers(struct run_dir *dir, struct error *reterr) {
    static void (*const headers[FILE_COUNT])(struct str *) = {
        [FILE_SUMMARY] = tables_summary_header,     [FILE_USERS] = tables_users_header,
        [FILE_TYPES] = tables_types_header,         [FILE_POWER] = tables_power_header,
        [FILE_DECISIONS] = tables_decisions_header,
    };
    int r = 0;
    for (int f = 0; f < FILE_COUNT && r == 0; f++) {
        if (!dir->wanted[f])
            continue;
        struct str text = {0};
        r = open_file(dir, (enum file)f, reterr);
        if (r == 0 && headers[f]) {
            headers[f](&text);
            r = write_text(dir, (enum file)f, &text, reterr);
        }
        str_finish(&text);
    }
    return r;
}

int run_dir_open(const struct run_dir_options *options, const struct study *study, struct run_dir **ret_dir,
                 struct error *reterr) {
    if (options->path[0] == '\0')
        return error_set(reterr, ERROR_INPUT, "--out: expected a folder, got \"\"");
    if (!options->force && run_dir_check_empty(options->path, reterr) < 0)
        return reterr->code;
    if (run_dir_make_folders(options->path, reterr) < 0)
        return reterr->code;
    struct run_dir *dir = mem_zalloc(1, sizeof *dir);
    dir->path = mem_strdup(options->path);
    for (int f = 0; f < FILE_COUNT; f++)
        dir->wanted[f] = f == FILE_SUMMARY || (f == FILE_DECISIONS ? options->decisions : !options->summary_only);
    dir->study = study;
    if (write_headers(dir, reterr) < 0) {
        run_dir_abort(dir);
        return reterr->code;
    }
    *ret_dir = dir;
    return 0;
}

static void *render(void *context, const struct replication *replication) {
    static void (*const rows[FILE_COUNT])(const struct replication *, struct str *) = {
        [FILE_JOBS] = tables_jobs,   [FILE_USERS] = tables_users,         [FILE_TYPES] = tables_types,
        [FILE_POWER] = tables_power, [FILE_DECISIONS] = tables_decisions,
    };
    const struct run_dir *dir = context;
    struct rendered *r = mem_zalloc(1, sizeof *r);
    tables_jobs_header(replication->sim->workload, &r->jobs_header);
    for (int f = 0; f < FILE_COUNT; f++)
        if (dir->wanted[f] && rows[f])
            rows[f](replication, &r->text[f]);
    return r;
}

static int emit(void *context, uint32_t number, const struct summary *summary, void *rendered,
                struct error *reterr) {
    struct run_dir *dir = context;
    struct rendered *r = rendered;
    int result = 0;
    tables_summary(dir->study->module.policy->name, number, dir->study->scenario.seed, summary,
                   &r->text[FILE_SUMMARY]);
    if (!dir->headed && dir->wanted[FILE_JOBS])
        result = write_text(dir, FILE_JOBS, &r->jobs_header, reterr);
    dir->headed = true;
    for (int f = 0; f < FILE_COUNT; f++) {
        if (result == 0)
            result = write_text(dir, (enum file)f, &r->text[f], reterr);
        str_finish(&r->text[f]);
    }
    str_finish(&r->jobs_header);
    free(r);
    return result;
}

struct replicate_sink run_dir_sink(struct run_dir *dir) {
    return (struct replicate_sink){.context = dir, .render = render, .emit = emit};
}

static int write_whole(const struct run_dir *dir, const char *name, const struct str *text, struct error *reterr) {
    char *path = join(dir->path, name);
    int r = atomic_file_write_whole(path, text->text, text->length, reterr);
    free(path);
    return r;
}

/* With --force the folder may hold files of another run that this one does not write. */
static void remove_stale(const struct run_dir *dir) {
    for (int f = 0; f < FILE_COUNT; f++) {
        char *path = join(dir->path, file_names[f]);
        if (!dir->wanted[f])
            (void)unlink(path);
        free(path);
    }
}

int run_dir_commit(struct run_dir *dir, const struct replicate_result *result, bool partial, struct error *reterr) {
    const char *names[FILE_COUNT + 2];
    size_t count = 0;
    struct str aggregate = {0}, manifest = {0};
    int r = 0;
    for (int f = 0; f < FILE_COUNT; f++) {
        if (!dir->files[f])
            continue;
        names[count++] = file_names[f];
        struct atomic_file *file = dir->files[f];
        dir->files[f] = NULL;
        if (r == 0)
            r = atomic_file_commit(file, reterr);
        else
            atomic_file_abort(file);
    }
    if (r == 0)
        remove_stale(dir);
    names[count++] = "aggregate.csv";
    names[count] = NULL;
    tables_aggregate_header(&aggregate);
    tables_aggregate(dir->study->module.policy->name, result->summaries, result->count, &aggregate);
    if (r == 0)
        r = write_whole(dir, "aggregate.csv", &aggregate, reterr);
    manifest_write(dir->study, &(struct manifest_state){result, partial, names}, &manifest);
    if (r == 0)
        r = write_whole(dir, "manifest.json", &manifest, reterr);
    str_finish(&aggregate);
    str_finish(&manifest);
    run_dir_abort(dir);
    return r;
}

void run_dir_abort(struct run_dir *dir) {
    if (!dir)
        return;
    for (int f = 0; f < FILE_COUNT; f++)
        atomic_file_abort(dir->files[f]);
    free(dir->path);
    free(dir);
}
