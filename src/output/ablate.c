/* Tables and report of an ablation: see ablate.h. */
#include "output/ablate.h"

#include "output/columns.h"
#include "output/notes.h"
#include "output/run/run_report.h"
#include "output/run/run_tables.h"

#include <math.h>

/* --- ablate_tables --- */

/* clang-format off */
#define ABLATE_SHARES(X) \
    X(share, estimate, OF_METRIC, NEITHER, &s->share) \
    X(ci95, csv(real), OF_METRIC, NEITHER, s->share.ci95) \
    X(share_of_total, csv(real), "", NEITHER, s->share.mean / m.difference.mean) \
    X(alone, estimate, OF_METRIC, NEITHER, &s->alone) \
    X(alone_ci95, csv(real), OF_METRIC, NEITHER, s->alone.ci95) \
    X(missing, estimate, OF_METRIC, NEITHER, &s->missing) \
    X(missing_ci95, csv(real), OF_METRIC, NEITHER, s->missing.ci95)
#define ABLATE_STATE(X) \
    X(state, text, "", NEITHER, c < COMPONENT_COUNT ? state_of(s) : NULL)
#define ABLATE_COLUMNS(X) \
    X(metric, text, "", NEITHER, metric_set_name(metrics, column)) \
    X(component, text, "", NEITHER, c < COMPONENT_COUNT ? component_names[c] : "total") \
    X(first, text, "", NEITHER, output->first) \
    X(second, text, "", NEITHER, output->second) \
    X(n, int, "", NEITHER, (int64_t)s->share.n) \
    ABLATE_SHARES(X) \
    ABLATE_STATE(X)
#define CELLS_COLUMNS(X) \
    X(metric, text, "", NEITHER, metric_set_name(metrics, column)) \
    X(n, int, "", NEITHER, (int64_t)e.n) \
    X(mean, real, OF_METRIC, NEITHER, e.mean) \
    X(ci95, real, OF_METRIC, NEITHER, e.ci95) \
    X(warning, csv(text), "", NEITHER, warning.text)
/* clang-format on */

static const char *state_of(const struct ablation_share *share) {
    return share->same ? "same" : share->inert ? "inert" : "active";
}

void ablate_tables_shares(const struct ablate_output *output, struct str *out) {
    const struct metric_set *metrics = &output->studies[0].metrics;
    str_add(out, TABLE_HEADER(ABLATE_COLUMNS));
    for (size_t i = 0; i < metrics->count; i++) {
        const unsigned column = metrics->columns[i];
        struct ablation_metric m;
        ablation_metric(output->ablation, column, &m);
        /* the difference itself: what all shares add up to */
        const struct ablation_share all = {
            .share = m.difference, .alone = m.difference, .missing = m.difference};
        for (unsigned c = 0; c <= COMPONENT_COUNT; c++) {
            const struct ablation_share *s = c < COMPONENT_COUNT ? &m.shares[c] : &all;
            TABLE_ROW(ABLATE_COLUMNS);
        }
    }
}

/* --- cells.csv, runs.csv --- */

/* Whose component it is in a mixture. */
static const char *side_of(const struct ablate_output *output, unsigned cell,
                           enum component component) {
    return ablation_is_first(output->ablation, cell, component) ? output->first : output->second;
}

static void mixture_header(struct str *out) {
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        str_addf(out, "%s%s", c ? "," : "", component_names[c]);
}

static void cell_warning(const struct ablate_output *output, unsigned cell, struct str *out) {
    const struct replicate_result *runs = &output->ablation->cells[cell];
    notes_point_text(&output->studies[0], runs->summaries, runs->trends,
                     output->ablation->replications, out);
}

static void add_mixture(const struct ablate_output *output, unsigned cell, struct str *out) {
    for (unsigned c = 0; c < COMPONENT_COUNT; c++) {
        if (c > 0)
            str_add_char(out, ',');
        csv_add_text(out, side_of(output, cell, (enum component)c));
    }
}

void ablate_tables_cells(const struct ablate_output *output, struct str *out) {
    const struct ablation *a = output->ablation;
    const struct metric_set *metrics = &output->studies[0].metrics;
    mixture_header(out);
    str_add(out, CELLS_COLUMNS(COLUMN_NAME) "\n");
    for (unsigned cell = 0; cell < a->cell_count; cell++) {
        struct str warning = {0};
        cell_warning(output, cell, &warning);
        for (size_t i = 0; i < metrics->count; i++) {
            const unsigned column = metrics->columns[i];
            struct estimate e =
                t_interval_of_column(a->cells[cell].summaries, a->replications, column);
            add_mixture(output, cell, out);
            CELLS_COLUMNS(COLUMN_CELL)
            str_add_char(out, '\n');
        }
        str_finish(&warning);
    }
}

void ablate_tables_runs(const struct ablate_output *output, struct str *out) {
    const struct ablation *a = output->ablation;
    mixture_header(out);
    summary_csv_run_header(&output->studies[0].metrics, out);
    for (unsigned cell = 0; cell < a->cell_count; cell++)
        for (uint32_t r = 0; r < a->replications; r++) {
            add_mixture(output, cell, out);
            summary_csv_run(r + 1, output->studies[0].scenario.seed, &output->studies[0].metrics,
                            &a->cells[cell].summaries[r], out);
        }
}

/* --- ablate_report --- */

static void add_component(const struct ablation_metric *metric, enum component component,
                          double scale, struct report *report) {
    const struct ablation_share *s = &metric->shares[component];
    report_row_of(report, component_names[component]);
    if (s->same || s->inert) {
        report_cell_of(report, "0");
        report_cell_of(report, s->same ? "same in both" : "changes nothing");
        return;
    }
    run_report_add_interval(report_cell(report), &s->share, scale);
    run_report_add_percent(report_cell(report), s->share.mean / metric->difference.mean, true);
    run_report_add_interval(report_cell(report), &s->alone, scale);
}

static void add_metric_shares(const struct ablate_output *output, unsigned column,
                              struct report *report) {
    struct ablation_metric m;
    struct report_line line = run_report_find_line(column);
    ablation_metric(output->ablation, column, &m);
    if (m.difference.n == 0)
        return;
    const struct {
        const char *name;
        const struct estimate *estimate;
    } wholes[] = {{output->first, &m.first},
                  {output->second, &m.second},
                  {"difference, of which:", &m.difference}};
    run_report_scale_time(&line, fmax(fabs(m.first.mean), fabs(m.second.mean)));
    str_add_char(report_lines(report), '\n');
    run_report_add_label(&report->text, &line);
    str_add_char(&report->text, '\n');
    report_table(report, "|>value|>% of the difference|>alone");
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        report_row_of(report, wholes[i].name);
        run_report_add_interval(report_cell(report), wholes[i].estimate, line.scale);
    }
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        add_component(&m, (enum component)c, line.scale, report);
}

void ablate_report(const struct ablate_output *output, struct report *report) {
    struct str *out = report_lines(report);
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
        add_metric_shares(output, output->shown[i], report);
}

/* --- JSON --- */

void ablate_json_protocol(cJSON *root, const struct ablate_output *output) {
    json_add_int(root, "seed", output->studies[0].scenario.seed);
    json_add_int(root, "replications", output->ablation->replications);
    cJSON_AddStringToObject(root, "first", output->first);
    cJSON_AddStringToObject(root, "second", output->second);
    json_add_int(root, "mixtures", output->ablation->cell_count);
}

static void add_mixtures(const struct ablate_output *output, cJSON *root) {
    cJSON *list = cJSON_AddArrayToObject(root, "cells");
    for (unsigned cell = 0; cell < output->ablation->cell_count; cell++) {
        cJSON *object = json_append_object(list);
        struct str warning = {0};
        for (enum component c = 0; c < COMPONENT_COUNT; c++)
            json_add_text(object, component_names[c], side_of(output, cell, c));
        cell_warning(output, cell, &warning);
        json_add_text(object, "warning", warning.text);
        str_finish(&warning);
    }
}

void ablate_json(const struct ablate_output *output, struct str *out) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", output->studies[0].scenario.name);
    ablate_json_protocol(root, output);
    const struct metric_set *metrics = &output->studies[0].metrics;
    cJSON *all = cJSON_AddObjectToObject(root, "metrics");
    for (size_t i = 0; i < metrics->count; i++) {
        const unsigned column = metrics->columns[i];
        struct ablation_metric m;
        ablation_metric(output->ablation, column, &m);
        cJSON *metric = cJSON_AddObjectToObject(all, metric_set_name(metrics, column));
        json_add_estimate(metric, "first", &m.first);
        json_add_estimate(metric, "second", &m.second);
        json_add_estimate(metric, "difference", &m.difference);
        cJSON *shares = cJSON_AddObjectToObject(metric, "shares");
        for (unsigned c = 0; c < COMPONENT_COUNT; c++) {
            const struct ablation_share *s = &m.shares[c];
            cJSON *object = cJSON_AddObjectToObject(shares, component_names[c]);
            ABLATE_STATE(COLUMN_MEMBER)
            ABLATE_SHARES(COLUMN_MEMBER)
        }
    }
    add_mixtures(output, root);
    json_print(root, out);
}
