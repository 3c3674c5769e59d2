/* Tables and report of an ablation: see ablate.h. */
#include "output/ablate.h"

#include "output/columns.h"
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
    X(metric, text, "", NEITHER, summary_names[column]) \
    X(component, text, "", NEITHER, c < COMPONENT_COUNT ? component_names[c] : "total") \
    X(first, text, "", NEITHER, output->first) \
    X(second, text, "", NEITHER, output->second) \
    X(n, int, "", NEITHER, (int64_t)s->share.n) \
    ABLATE_SHARES(X) \
    ABLATE_STATE(X)
#define CELLS_COLUMNS(X) \
    X(metric, text, "", NEITHER, summary_names[column]) \
    X(n, int, "", NEITHER, (int64_t)e.n) \
    X(mean, real, OF_METRIC, NEITHER, e.mean) \
    X(ci95, real, OF_METRIC, NEITHER, e.ci95)
/* clang-format on */

static const char *state_of(const struct ablation_share *share) {
    return share->same ? "same" : share->inert ? "inert" : "active";
}

void ablate_tables_shares(const struct ablate_output *output, struct str *out) {
    str_add(out, TABLE_HEADER(ABLATE_COLUMNS));
    for (unsigned column = 0; column < SUMMARY_COUNT; column++) {
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
    str_add(out, CELLS_COLUMNS(COLUMN_NAME) "\n");
    for (unsigned cell = 0; cell < a->cell_count; cell++)
        for (unsigned column = 0; column < SUMMARY_COUNT; column++) {
            struct estimate e =
                t_interval_of_column(a->cells[cell].summaries, a->replications, column);
            add_mixture(output, cell, out);
            CELLS_COLUMNS(COLUMN_CELL)
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
            cJSON *object = cJSON_AddObjectToObject(shares, component_names[c]);
            ABLATE_STATE(COLUMN_MEMBER)
            ABLATE_SHARES(COLUMN_MEMBER)
        }
    }
    json_print(root, out);
}
