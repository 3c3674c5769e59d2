/* The files of one command, put together before the rules are applied: a result may stand in two of
 * them. */
#include "ingest/profile_formats.h"

#include "ingest/mlperf/mlperf_files.h"
#include "ingest/mlperf/mlperf_folder.h"
#include "ingest/mlperf/mlperf_table.h"
#include "ingest/telemetry/telemetry.h"
#include "io/lines.h"

#include <math.h>

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
        problems_add(problems, (struct location){0}, NULL, "%s", profile->notes.texts[i]);
    problems_add(problems, (struct location){0}, NULL, "%s: no measurement", path);
}

/* Whether its first line is the header of a table; standard input, which cannot be read twice, is
 * one. */
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
    mlperf_read, PROFILE_POWER_SCOPE};
