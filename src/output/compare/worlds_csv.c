/* worlds.csv: see compare_tables.h. */
#include "output/compare/compare_tables.h"

#include "output/columns.h"

/* Then what was drawn, and the metrics. */
/* clang-format off */
#define WORLDS_COLUMNS(X) \
    X(set, int, "", NEITHER, (int64_t)run.set) \
    X(group, text, "", NEITHER, run.set > 0 ? results->groups[run.set - 1] : NULL) \
    X(world, int, "", NEITHER, run.world + 1) \
    X(policy, text, "", NEITHER, results->policy_names[run.policy]) \
    X(replication, int, "", NEITHER, run.replication + 1)
/* clang-format on */

static void add_header(const struct worlds *worlds, struct str *out) {
    struct arena arena = {0};
    str_add(out, &WORLDS_COLUMNS(COLUMN_NAME)[1]);
    for (size_t c = 0; c < worlds->columns; c++)
        csv_comma_text(out, worlds_column_name(worlds, c, &arena));
    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
        csv_comma_text(out, summary_names[c]);
    str_add_char(out, '\n');
    arena_finish(&arena);
}

/* What all runs of a world share. */
static void list_draws(const struct worlds *worlds, size_t set, uint32_t world, struct str *out) {
    struct str value = {0};
    out->length = 0;
    for (size_t c = 0; c < worlds->columns; c++) {
        value.length = 0;
        worlds_value_text(worlds, set, world, c, &value);
        csv_comma_text(out, value.text);
    }
    str_finish(&value);
}

static void add_run_row(const struct world_results *results, struct world_run run,
                        const struct str *draws, struct str *out) {
    size_t begin = out->length;
    WORLDS_COLUMNS(COLUMN_CELL)
    str_add_bytes(out, draws->text, draws->length);
    for (unsigned c = 0; c < SUMMARY_COUNT; c++)
        csv_comma_metric(out, c, world_results_value(results, run, c));
    columns_end_row(out, begin);
}

void worlds_csv(const struct worlds *worlds, const struct world_results *results, struct str *out) {
    struct str draws = {0};
    struct world_run run;
    add_header(worlds, out);
    for (run.set = 0; run.set < results->sets; run.set++)
        for (run.world = 0; run.world < results->worlds; run.world++) {
            list_draws(worlds, run.set, run.world, &draws);
            for (run.policy = 0; run.policy < results->policies; run.policy++)
                for (run.replication = 0; run.replication < results->replications;
                     run.replication++)
                    if (world_results_has(results, run))
                        add_run_row(results, run, &draws, out);
        }
    str_finish(&draws);
}
