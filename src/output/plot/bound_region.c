/* Means of bounds.csv: see bound_region.h. */
#include "output/plot/bound_region.h"

#include <math.h>

enum { METRIC, REPLICATION, POLICY, BOUND, REASON };

static const char *const mean_columns[] = {"metric", "replication", "policy",
                                           "bound",  "reason",      NULL};

static void excuse_series(const struct plot_source *source, struct slice policy, const char *reason,
                          struct bound_region *region) {
    for (size_t i = 0; i < source->series.count; i++)
        if (slice_is(policy, source->series.at[i].label))
            region->excuses[i] = reason;
}

static int read_mean(const struct plot_source *source, const struct csv *csv, const int *columns,
                     struct arena *arena, struct bound_region *region, struct error *reterr) {
    struct slice metric = csv_field(csv, columns[METRIC]), reason = csv_field(csv, columns[REASON]);
    const char *why = reason.length > 0 ? arena_strndup(arena, reason.at, reason.length) : NULL;
    double bound;
    int r = plot_source_real(csv, columns[BOUND], &bound, reterr);
    region->horizon = region->horizon || slice_is(metric, "jct_restricted_mean_s");
    for (unsigned c = 0; r == 0 && c < SUMMARY_COUNT; c++) {
        if (!slice_is(metric, summary_names[c]))
            continue;
        region->least[c] = fmin(region->least[c], bound); /* one for all, unless under a horizon */
        region->reasons[c] = isnan(bound) ? why : NULL;
    }
    if (r == 0 && !isnan(bound) && why)
        excuse_series(source, csv_field(csv, columns[POLICY]), why, region);
    return r;
}

int bound_region_read(const struct plot_source *source, struct arena *arena,
                      struct bound_region *ret_region, struct error *reterr) {
    struct csv *csv = NULL;
    int columns[REASON + 1], got, r;
    *ret_region = (struct bound_region){.has_file = false};
    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
        ret_region->least[c] = NAN;
    if (!source->comparison || !plot_source_exists(source->comparison, BOUND_REGION_FILE))
        return 0;
    r = plot_source_table(source->comparison, BOUND_REGION_FILE, mean_columns, columns, &csv,
                          reterr);
    if (r < 0)
        return r;
    ret_region->has_file = true;
    while (r == 0 && (got = csv_next(csv, reterr)) != 0)
        if (got < 0)
            r = got;
        else if (slice_is(csv_field(csv, columns[REPLICATION]), "mean"))
            r = read_mean(source, csv, columns, arena, ret_region, reterr);
    csv_close(csv);
    return r;
}
