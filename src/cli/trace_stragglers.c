/* easim trace stragglers: what slow workers cost a recorded job. */
#include "cli/cli.h"
#include "cli/internal.h"
#include "ingest/stragglers/stragglers.h"
#include "io/atomic_file.h"

#include <math.h>

#define MOST_COLUMNS  64 /* of the heat map: dp ranks, several in one if there are more */
#define MOST_ROWS     32 /* stages, likewise */
#define LISTED_RANKS  10
#define SHADES        " .:-=+*#%@"
#define SHADES_BEHIND (sizeof SHADES - 2) /* the darkest one */

/* ---- The report ---- */

static void add_number(struct str *out, const char *label, double value, int decimals) {
    str_add(out, label);
    if (isnan(value))
        str_add_char(out, '-');
    else
        str_addf(out, "%.*f", decimals, value);
}

static void add_summary(const struct stragglers *s, struct report *report) {
    const struct operations *o = &s->operations;
    size_t steps = o->steps.count;
    struct str *out = report_lines(report);
    str_addf(out, "dp ranks: %u, stages: %u, steps: %zu\n", o->dp_count, o->stage_count, steps);
    str_addf(out, "mean step       %.6g s recorded, %.6g s replayed, %.6g s without stragglers\n",
             mean_of_steps(s->base_s, steps), mean_of_steps(s->own.steps_s, steps),
             mean_of_steps(s->ideal.steps_s, steps));
    str_addf(out, "slowdown        %.4f by stragglers (S), %.4f outside of the replay\n",
             s->own.slowdown, s->launch_slowdown);
    str_addf(out,
             "lost            %.1f %% of the GPU time, %.4g GPU-hours of %g GPU%s in these steps\n",
             100 * (1 - 1 / s->own.slowdown), s->lost_gpu_hours, s->gpus, s->gpus == 1 ? "" : "s");
    str_addf(out, "cause           %s\n", straggler_cause_text(s->cause));
    add_number(out, "  share of the slowdown without the slowest workers (M_W) ", s->workers_share,
               4);
    add_number(out, ", without the last stage (M_S) ", s->last_stage_share, 4);
    add_number(out, "\n  forward and backward: correlation (C_FB) ", s->compute_correlation, 3);
    add_number(out, ", variation of forward (cv) ", s->compute_cv, 3);
    str_add(out, "\n  slowest workers: rank");
    for (size_t i = 0; i < s->slowest.count && i < LISTED_RANKS; i++)
        str_addf(out, "%s %u", i > 0 ? "," : "", o->ranks[s->slowest.at[i]]);
    if (s->slowest.count > LISTED_RANKS)
        str_addf(out, " and %zu more", s->slowest.count - LISTED_RANKS);
    str_add(out, "\n\n");
}

struct slow {
    double slowdown;
    uint32_t number;
    const char *name;
};

ORDER_BY(by_slowdown, struct slow, DESC(slowdown) ASC(number))

/* The slowest of a kind. */
static void add_table(const struct straggler_replay *replays, size_t count, const char *head,
                      struct report *report) {
    struct slow *slow = mem_alloc(count * sizeof *slow);
    for (uint32_t i = 0; i < count; i++)
        slow[i] = (struct slow){replays[i].slowdown, i, replays[i].name};
    sort_array(slow, count, by_slowdown);
    report_table(report, head);
    for (size_t i = 0; i < count && i < LISTED_RANKS + 1; i++) {
        struct str *cell = report_row(report);
        if (slow[i].name)
            str_add(cell, slow[i].name);
        else
            str_addf(cell, "%u", slow[i].number);
        str_addf(report_cell(report), "%.4f", slow[i].slowdown);
    }
    str_add_char(report_lines(report), '\n');
    free(slow);
}

/* The largest slowdown of a cell of the map. */
static double cell_of(const struct stragglers *s, uint32_t row, uint32_t column, uint32_t stages,
                      uint32_t ranks) {
    const struct operations *o = &s->operations;
    double most = -INFINITY;
    for (uint32_t stage = row * stages; stage < (row + 1) * stages && stage < o->stage_count;
         stage++)
        for (uint32_t dp = column * ranks; dp < (column + 1) * ranks && dp < o->dp_count; dp++)
            most = fmax(most, s->worker_slowdowns[stage * o->dp_count + dp]);
    return most;
}

static void add_map(const struct stragglers *s, struct report *report) {
    const struct operations *o = &s->operations;
    struct str *out = report_lines(report);
    uint32_t ranks = (o->dp_count + MOST_COLUMNS - 1) / MOST_COLUMNS;
    uint32_t stages = (o->stage_count + MOST_ROWS - 1) / MOST_ROWS;
    uint32_t columns = (o->dp_count + ranks - 1) / ranks;
    uint32_t rows = (o->stage_count + stages - 1) / stages;
    double least = INFINITY, most = -INFINITY;
    for (uint32_t cell = 0; cell < rows * columns; cell++) {
        double value = cell_of(s, cell / columns, cell % columns, stages, ranks);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    str_addf(out, "slowdown of workers (S_w): dp ranks 0 to %u to the right", o->dp_count - 1);
    if (ranks > 1 || stages > 1)
        str_addf(out, "; a cell is the largest of %u ranks and %u stages", ranks, stages);
    str_add_char(out, '\n');
    for (uint32_t row = 0; row < rows; row++) {
        str_addf(out, "  stage %4u |", row * stages);
        for (uint32_t column = 0; column < columns; column++) {
            double share = most > least
                               ? (cell_of(s, row, column, stages, ranks) - least) / (most - least)
                               : 0;
            str_add_char(out, SHADES[lround(share * SHADES_BEHIND)]);
        }
        str_add(out, "|\n");
    }
    str_addf(out, "  \"%s\": %.4f to %.4f\n", SHADES, least, most);
}

static int print(const struct options *options, const struct stragglers *s, struct error *reterr) {
    struct report report = {0};
    struct str text = {0};
    struct arena arena = {0};
    int r = 0;
    if (options->profile_format == PROFILE_TABLE) {
        add_summary(s, &report);
        add_table(s->types.at, s->types.count, "operation|>slowdown (S_t)", &report);
        add_table(s->stages.at, s->stages.count, "stage|>slowdown", &report);
        add_table(s->dp_ranks.at, s->dp_ranks.count, "dp rank|>slowdown", &report);
        add_map(s, &report);
        r = cli_print_report(&report, REPORT_TERMINAL, reterr);
    } else {
        const struct figure *figures = stragglers_figures(s, &arena);
        if (options->profile_format == PROFILE_JSON)
            figures_write_json(figures, &text);
        else
            figures_write_csv(figures_find(figures, "workers"), &text);
        r = cli_print(&text, reterr);
    }
    report_finish(&report);
    str_finish(&text);
    arena_finish(&arena);
    return r;
}

int trace_stragglers(struct options *options) {
    struct stragglers s = {0};
    struct error error = {0};
    struct str svg = {0};
    int code = EXIT_DONE, r = 0;
    if (stragglers_load(&s, options->operands[1], options->profile.gpus, &options->problems) < 0) {
        code = cli_report_problems(&options->problems);
    } else {
        if (options->traced.svg) {
            stragglers_write_svg(&s, &svg);
            r = atomic_file_write_alone(options->traced.svg, svg.text, svg.length, &error);
        }
        if (r == 0)
            r = print(options, &s, &error);
        if (r < 0)
            code = cli_report_error(&error);
    }
    str_finish(&svg);
    stragglers_finish(&s);
    return code;
}
