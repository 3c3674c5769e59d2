/* Loading of a recorded run: see recorded_run.h. */
#include "base/numfmt.h"
#include "insight/recorded_jobs.h"
#include "insight/recorded_rows.h"
#include "insight/recorded_services.h"
#include "io/csv.h"

#include <math.h>
#include <string.h>

/* --- its row of summary.csv --- */

/* Whether the present row is that of the part; then its values are in the summary. */
static bool read_summary_row(struct csv *csv, const struct recorded_part *part,
                             struct summary *summary) {
    int64_t replication = 0;
    struct slice number = csv_field(csv, csv_column(csv, "replication"));
    double *values = (double *)summary; /* all its members are double */
    if (!numfmt_parse_int(number.at, number.length, &replication) ||
        replication != part->replication)
        return false;
    for (unsigned c = 0; c < SUMMARY_ALL; c++) {
        int column = csv_column(csv, summary_names[c]);
        struct slice cell = column < 0 ? (struct slice){0} : csv_field(csv, column);
        if (!numfmt_parse_real(cell.at, cell.length, &values[c]))
            values[c] = NAN;
    }
    return true;
}

int recorded_summary_load(const struct recorded_folder *folder, const struct recorded_part *part,
                          struct summary *summary, struct error *reterr) {
    struct csv *csv = NULL;
    struct arena arena = {0};
    const char *path =
        arena_printf(&arena, "%s/summary.csv", recorded_folder_of_policy(folder, part, &arena));
    int r = csv_open(path, ',', &csv, reterr);
    bool found = false;
    while (r == 0 && !found && (r = csv_next(csv, reterr)) == 1) {
        found = read_summary_row(csv, part, summary);
        r = 0;
    }
    csv_close(csv);
    if (r >= 0 && !found)
        r = error_set(reterr, ERROR_INPUT, "%s: replication %u is missing", path,
                      part->replication);
    arena_finish(&arena);
    return r < 0 ? r : 0;
}

/* --- all of it --- */

int recorded_run_load(struct recorded_run *run, const struct recorded_folder *folder,
                      const struct recorded_part *part, struct error *reterr) {
    *run = (struct recorded_run){.folder = folder, .part = part};
    int r = recorded_jobs_load(run, reterr);
    if (r == 0)
        r = recorded_rows_load_segments(run, reterr);
    if (r == 0)
        r = recorded_rows_load_rests(run, reterr);
    if (r == 0)
        r = recorded_summary_load(folder, part, &run->summary, reterr);
    if (r == 0) {
        struct arena arena = {0};
        r = recorded_services_load_figures(run, recorded_folder_of_policy(folder, part, &arena),
                                           reterr);
        arena_finish(&arena);
    }
    return r;
}
