/* The files of one command, put together before the rules apply: a result may be in two files. */
#include "ingest/mlperf/internal.h"
#include "ingest/profile_formats.h"
#include "ingest/telemetry/telemetry.h"
#include "io/files.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* --- mlperf_folder --- */
/* Result files of a folder in the order of their names, and their power: of result_7.txt
   power/result_7/, or power/ itself, whose readings belong to a run by their times. */

#define MOST_DEPTH 16 /* of folders inside each other: links may go in a ring */

struct reader {
    const struct profile_options *options;
    struct profile *profile;
    struct problems *problems;
    struct mlperf_runs *runs;
    uint64_t logs;                     /* read, whatever was in them */
    ARRAY_OF(struct mlperf_run) found; /* of the folder at hand */
};

/* ---- One log ---- */

/* The folder of the log's meters; NULL: there is none. */
static const char *power_folder(struct reader *reader, const char *path) {
    struct arena *arena = &reader->profile->arena;
    const char *name = files_name(path);
    const char *power = arena_printf(arena, "%.*spower", (int)(name - path), path);
    const char *own = arena_printf(arena, "%s/%.*s", power, (int)strcspn(name, "."), name);
    return mlperf_is_folder(own) ? own : mlperf_is_folder(power) ? power : NULL;
}

static void read_run(struct reader *reader, const char *path) {
    struct mlperf_log log;
    reader->logs++;
    if (mlperf_log_read(path, reader->options, &log, reader->profile, reader->problems) < 0 ||
        log.is_left_out)
        return;
    const char *folder = power_folder(reader, path);
    if (folder) {
        struct mlperf_power power = {
            .start_ms = log.start_ms, .stop_ms = log.stop_ms, .nodes = log.run.nodes};
        mlperf_power_read(folder, reader->options, &power, reader->profile, reader->problems);
        log.run.node_power_w = power.mean_w;
        log.run.node_floor_w = power.floor_w;
        log.run.power_scope = reader->options->power_scope ? reader->options->power_scope : "node";
    }
    array_push(&reader->found, log.run);
}

/* ---- Repetitions ---- */

static bool repeats(const struct mlperf_run *a, const struct mlperf_run *b) {
    return strcmp(a->benchmark, b->benchmark) == 0 && strcmp(a->gpu, b->gpu) == 0 &&
           a->gpus == b->gpus && a->nodes == b->nodes && a->grad_accum == b->grad_accum &&
           a->global_batch == b->global_batch;
}

/* The median of what the runs have of it; NAN: none has it. Offset: of a double in the run. */
static double median_of(const struct mlperf_run *const *runs, size_t count, size_t offset) {
    double *values = mem_zalloc(count, sizeof *values), median = NAN;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(&values[known], (const char *)runs[i] + offset, sizeof *values);
        known += !isnan(values[known]);
    }
    gsl_sort(values, 1, known);
    if (known > 0)
        median = gsl_stats_median_from_sorted_data(values, 1, known);
    free(values);
    return median;
}

static struct mlperf_run merged_run(const struct mlperf_run *const *runs, size_t count) {
    static const size_t medians[] = {
        offsetof(struct mlperf_run, throughput), offsetof(struct mlperf_run, run_s),
        offsetof(struct mlperf_run, samples_to_target), offsetof(struct mlperf_run, node_power_w)};
    struct mlperf_run merged = *runs[0];
    for (size_t i = 0; i < sizeof medians / sizeof *medians; i++) {
        double median = median_of(runs, count, medians[i]);
        memcpy((char *)&merged + medians[i], &median, sizeof median);
    }
    for (size_t i = 0; i < count; i++) {
        merged.node_floor_w = fmin(merged.node_floor_w, runs[i]->node_floor_w);
        merged.power_scope = merged.power_scope ? merged.power_scope : runs[i]->power_scope;
    }
    merged.runs = (uint32_t)count;
    return merged;
}

/* One result of each group of repetitions. */
static void add_results(struct reader *reader) {
    size_t count = reader->found.count;
    const struct mlperf_run **group = mem_zalloc(count + 1, sizeof(struct mlperf_run *));
    bool *done = mem_zalloc(count + 1, sizeof *done);
    for (size_t i = 0; i < count; i++) {
        size_t members = 0;
        if (done[i])
            continue;
        for (size_t j = i; j < count; j++)
            if (!done[j] && repeats(&reader->found.at[i], &reader->found.at[j])) {
                group[members++] = &reader->found.at[j];
                done[j] = true;
            }
        array_push(&reader->runs->at, merged_run(group, members));
    }
    free(group);
    free(done);
    reader->found.count = 0;
}

/* ---- Folders ---- */

static bool is_result(const struct mlperf_file *file) {
    return !file->is_folder && strncmp(file->name, "result", 6) == 0;
}

static void read_folder(struct reader *reader, const char *path, int depth) {
    struct mlperf_files files = {0};
    mlperf_files_list(path, &reader->profile->arena, &files);
    for (size_t i = 0; i < files.count; i++)
        if (is_result(&files.at[i]))
            read_run(reader, files.at[i].path);
    add_results(reader);
    for (size_t i = 0; i < files.count; i++)
        if (files.at[i].is_folder && strcmp(files.at[i].name, "power") != 0 && depth < MOST_DEPTH)
            read_folder(reader, files.at[i].path, depth + 1);
    free(files.at);
}

/* Adds the runs of the log at path, or of all logs in the folder at path and those inside of it.
   Runs of one folder that differ only in their results are one result, with medians. */
static void mlperf_folder_read(const char *path, const struct profile_options *options,
                               struct profile *profile, struct mlperf_runs *runs,
                               struct problems *problems) {
    struct reader r = {.options = options, .profile = profile, .problems = problems, .runs = runs};
    if (mlperf_is_folder(path))
        read_folder(&r, path, 0);
    else
        read_run(&r, path);
    add_results(&r);
    if (r.logs == 0)
        problems_add(problems, (struct location){.file = path}, NULL,
                     "expected files named result*, found none");
    free(r.found.at);
}

/* --- mlperf --- */

#define TABLE_NAMES 256

/* The rows of a table have their own. */
static void refuse_own_columns(const char *path, const struct profile_options *options,
                               struct problems *problems) {
    const struct {
        const char *name;
        bool given;
    } settings[] = {{"model", options->model},
                    {"gpu", options->gpu},
                    {"gpus", options->gpus > 0},
                    {"power-scope", options->power_scope}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (settings[i].given)
            problems_add_setting(problems, (struct location){path, 1, 0}, settings[i].name,
                                 "the rows of a table have their own");
}

/* Why nothing is left. */
static void refuse_all(const struct profile *profile, const char *path, struct problems *problems) {
    for (size_t i = 0; i < profile->notes.count; i++)
        problems_say(problems, "%s", profile->notes.texts[i]);
    problems_say(problems, "%s: no measurement", path);
}

/* Whether its first line is the header of a table; standard input, read but once, is one. */
static bool is_table(const char *path) {
    struct lines *lines = NULL;
    struct slice line = {0};
    bool found = strcmp(path, "-") == 0;
    if (found || mlperf_is_folder(path) || lines_open(path, &lines, NULL) < 0)
        return found;
    while (lines_next(lines, &line, NULL) > 0 && line.length == 0) {
    }
    struct slice names[TABLE_NAMES];
    size_t count = line.length > 0 ? telemetry_split(line, ',', names, TABLE_NAMES) : 0;
    for (size_t i = 0; i < count && i < TABLE_NAMES; i++)
        found |= slice_is(names[i], "benchmark") || slice_is(names[i], "round");
    lines_close(lines);
    return found;
}

static void note_unused_scope(const struct mlperf_runs *runs, struct profile *profile) {
    for (size_t i = 0; i < runs->at.count; i++)
        if (runs->at.at[i].power_scope && runs->at.at[i].where.line == 0 &&
            !isnan(runs->at.at[i].node_power_w))
            return;
    problems_add_setting(&profile->notes, (struct location){0}, "power-scope",
                         "no effect: no log has power");
}

static int mlperf_read(char *const *paths, size_t count, const struct profile_options *options,
                       struct profile *profile, struct problems *problems) {
    struct mlperf_runs runs = {0};
    size_t before = problems->count;
    if (options->batch > 0)
        problems_add_setting(problems, (struct location){0}, "batch",
                             "results of MLPerf have their own");
    for (size_t i = 0; i < count; i++)
        if (is_table(paths[i])) {
            refuse_own_columns(paths[i], options, problems);
            (void)!mlperf_table_read(paths[i], profile, &runs, problems);
        } else {
            mlperf_folder_read(paths[i], options, profile, &runs, problems);
        }
    if (options->power_scope && problems->count == before)
        note_unused_scope(&runs, profile);
    if (problems->count == before)
        mlperf_runs_report(&runs, options, profile);
    if (problems->count == before && profile->rows.count == 0)
        refuse_all(profile, paths[0], problems);
    mlperf_runs_finish(&runs);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct profile_reader mlperf_reader = {
    "mlperf", "results of MLPerf Training: logs with their power folders, or a table of them",
    mlperf_read, PROFILE_POWER_SCOPE, NULL};
