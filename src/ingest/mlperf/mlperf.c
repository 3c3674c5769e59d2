/* The files of one command, put together before the rules are applied: a result may stand in two of
 * them. */
#include "ingest/mlperf/mlperf.h"

#include "ingest/mlperf/mlperf_table.h"

/* The rows of a table have their own. */
static void refuse_own_columns(const char *path, const struct profile_options *options,
                               struct problems *problems) {
    const struct {
        const char *name;
        bool given;
    } settings[] = {{"model", options->model},
                    {"gpu", options->gpu},
                    {"gpus", options->gpus > 0},
                    {"batch", options->batch > 0}};
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

static int mlperf_read(char *const *paths, size_t count, const struct profile_options *options,
                       struct profile *profile, struct problems *problems) {
    struct mlperf_runs runs = {0};
    size_t before = problems->count;
    for (size_t i = 0; i < count; i++) {
        refuse_own_columns(paths[i], options, problems);
        (void)!mlperf_table_read(paths[i], profile, &runs, problems);
    }
    if (problems->count == before)
        mlperf_runs_report(&runs, options, profile);
    if (problems->count == before && profile->rows.count == 0)
        refuse_all(profile, paths[0], problems);
    mlperf_runs_finish(&runs);
    return problems->count > before ? ERROR_INPUT : 0;
}

const struct profile_reader mlperf_reader = {"mlperf", "results of MLPerf Training", mlperf_read,
                                             0};
