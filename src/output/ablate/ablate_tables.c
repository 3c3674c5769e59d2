/* ablate.csv, cells.csv and runs.csv. */
#include "output/ablate/ablate_tables.h"

#include "io/csv.h"
#include "output/run/summary_csv.h"

static void begin_share_row(const struct ablate_output *output, unsigned column,
                            const char *component, size_t count, struct str *out) {
    csv_add_text(out, summary_names[column]);
    csv_comma_text(out, component);
    csv_comma_text(out, output->first);
    csv_comma_text(out, output->second);
    csv_comma_int(out, (int64_t)count);
}

static void add_share_row(const struct ablate_output *output, unsigned column,
                          enum component component, const struct ablation_metric *metric,
                          struct str *out) {
    const struct ablation_share *s = &metric->shares[component];
    const double values[] = {s->share.mean,  s->share.ci95, s->share.mean / metric->difference.mean,
                             s->alone.mean,  s->alone.ci95, s->missing.mean,
                             s->missing.ci95};
    begin_share_row(output, column, component_names[component], s->share.n, out);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        csv_comma_real(out, values[i]);
    csv_comma_text(out, s->same ? "same" : s->inert ? "inert" : "active");
    str_add_char(out, '\n');
}

/* The difference itself: what all shares add up to. */
static void add_total_row(const struct ablate_output *output, unsigned column,
                          const struct ablation_metric *metric, struct str *out) {
    begin_share_row(output, column, "total", metric->difference.n, out);
    csv_comma_real(out, metric->difference.mean);
    csv_comma_real(out, metric->difference.ci95);
    csv_comma_real(out, metric->difference.mean / metric->difference.mean);
    for (int i = 0; i < 2; i++) {
        csv_comma_real(out, metric->difference.mean);
        csv_comma_real(out, metric->difference.ci95);
    }
    str_add(out, ",\n");
}

void ablate_tables_shares(const struct ablate_output *output, struct str *out) {
    str_add(
        out,
        "metric,component,first,second,n,share,ci95,share_of_total,alone,alone_ci95,missing,missing_ci95,state\n");
    for (unsigned column = 0; column < SUMMARY_COUNT; column++) {
        struct ablation_metric m;
        ablation_metric(output->ablation, column, &m);
        for (unsigned c = 0; c < COMPONENT_COUNT; c++)
            add_share_row(output, column, (enum component)c, &m, out);
        add_total_row(output, column, &m, out);
    }
}

/* --- cells.csv, runs.csv --- */

static void mixture_header(struct str *out) {
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        str_addf(out, "%s%s", c ? "," : "", component_names[c]);
}

static void add_mixture(const struct ablate_output *output, unsigned cell, struct str *out) {
    for (unsigned c = 0; c < COMPONENT_COUNT; c++) {
        if (c > 0)
            str_add_char(out, ',');
        csv_add_text(out, ablation_is_first(output->ablation, cell, (enum component)c)
                              ? output->first
                              : output->second);
    }
}

void ablate_tables_cells(const struct ablate_output *output, struct str *out) {
    const struct ablation *a = output->ablation;
    mixture_header(out);
    str_add(out, ",metric,n,mean,ci95\n");
    for (unsigned cell = 0; cell < a->cell_count; cell++)
        for (unsigned column = 0; column < SUMMARY_COUNT; column++) {
            struct estimate e =
                t_interval_of_column(a->cells[cell].summaries, a->replications, column);
            add_mixture(output, cell, out);
            csv_comma_text(out, summary_names[column]);
            csv_comma_int(out, (int64_t)e.n);
            csv_comma_real(out, e.mean);
            csv_comma_real(out, e.ci95);
            str_add_char(out, '\n');
        }
}

void ablate_tables_runs(const struct ablate_output *output, struct str *out) {
    const struct ablation *a = output->ablation;
    mixture_header(out);
    summary_csv_run_header(out);
    for (unsigned cell = 0; cell < a->cell_count; cell++)
        for (uint32_t r = 0; r < a->replications; r++) {
            add_mixture(output, cell, out);
            summary_csv_run(r + 1, output->studies[0].scenario.seed, &a->cells[cell].summaries[r],
                            out);
        }
}
