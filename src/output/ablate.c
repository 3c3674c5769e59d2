/* Tables and report of an ablation: see ablate.h. */
#include "output/ablate.h"

#include "io/csv.h"
#include "output/run/run_report.h"
#include "output/run/run_tables.h"

#include <math.h>

/* --- ablate_tables --- */

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

/* --- ablate_report --- */

/* Of the first column: component names, and policies with their parameters. */
static int component_width(const struct ablate_output *output) {
    size_t first = strlen(output->first), second = strlen(output->second),
           longest = first > second ? first : second;
    return longest > 12 ? (int)longest : 12;
}

static void add_component(const struct ablation_metric *metric, enum component component,
                          double scale, int width, struct str *out) {
    const struct ablation_share *s = &metric->shares[component];
    str_addf(out, "  %-*s", width, component_names[component]);
    if (s->same || s->inert) {
        str_add(out,
                s->same ? "           0    same in both\n" : "           0    changes nothing\n");
        return;
    }
    run_report_add_interval(out, &s->share, scale, 12);
    if (metric->difference.mean != 0)
        str_addf(out, "%+9.1f %%", 100 * s->share.mean / metric->difference.mean);
    str_add(out, "   alone");
    run_report_add_interval(out, &s->alone, scale, 12);
    str_add_char(out, '\n');
}

static void add_metric_shares(const struct ablate_output *output, unsigned column,
                              struct str *out) {
    struct ablation_metric m;
    const struct report_line line = run_report_find_line(column);
    double scale = line.scale;
    ablation_metric(output->ablation, column, &m);
    if (m.difference.n == 0)
        return;
    str_add_char(out, '\n');
    run_report_add_label(out, &line);
    int width = component_width(output);
    str_addf(out, "\n  %-*s", width, output->first);
    run_report_add_interval(out, &m.first, scale, 12);
    str_addf(out, "\n  %-*s", width, output->second);
    run_report_add_interval(out, &m.second, scale, 12);
    str_addf(out, "\n  %-*s", width, "difference");
    run_report_add_interval(out, &m.difference, scale, 12);
    str_add(out, ", of which:\n");
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        add_component(&m, (enum component)c, scale, width, out);
}

void ablate_report(const struct ablate_output *output, struct str *out) {
    str_addf(out, "%s: %s - %s, ", output->studies[0].scenario.name, output->first, output->second);
    run_report_protocol(&output->studies[0], output->ablation->replications, out);
    str_addf(out,
             ", %u mixtures\n"
             "%s; shares of the components (Shapley values) add up to the\n"
             "difference; alone: what the component does to %s by itself\n",
             output->ablation->cell_count,
             output->ablation->replications > 1 ? "mean +- half of the 95 % interval"
                                                : "one replication: no intervals",
             output->second);
    for (size_t i = 0; i < output->shown_count; i++)
        add_metric_shares(output, output->shown[i], out);
}

/* --- JSON --- */

void ablate_json_protocol(cJSON *root, const struct ablate_output *output) {
    json_add_int(root, "seed", output->studies[0].scenario.seed);
    json_add_int(root, "replications", output->ablation->replications);
    cJSON_AddStringToObject(root, "first", output->first);
    cJSON_AddStringToObject(root, "second", output->second);
    json_add_int(root, "mixtures", output->ablation->cell_count);
}

void ablate_json(const struct ablate_output *output, struct str *out) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", output->studies[0].scenario.name);
    ablate_json_protocol(root, output);
    cJSON *metrics = cJSON_AddObjectToObject(root, "metrics");
    for (unsigned column = 0; column < SUMMARY_COUNT; column++) {
        struct ablation_metric m;
        ablation_metric(output->ablation, column, &m);
        cJSON *metric = cJSON_AddObjectToObject(metrics, summary_names[column]);
        json_add_estimate(metric, "first", &m.first);
        json_add_estimate(metric, "second", &m.second);
        json_add_estimate(metric, "difference", &m.difference);
        cJSON *shares = cJSON_AddObjectToObject(metric, "shares");
        for (unsigned c = 0; c < COMPONENT_COUNT; c++) {
            const struct ablation_share *s = &m.shares[c];
            cJSON *share = cJSON_AddObjectToObject(shares, component_names[c]);
            cJSON_AddStringToObject(share, "state",
                                    s->same    ? "same"
                                    : s->inert ? "inert"
                                               : "active");
            json_add_estimate(share, "share", &s->share);
            json_add_estimate(share, "alone", &s->alone);
            json_add_estimate(share, "missing", &s->missing);
        }
    }
    json_print(root, out);
}
