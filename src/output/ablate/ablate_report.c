/* An ablation for people and for programs. */
#include "output/ablate/ablate_tables.h"
#include "output/run/run_report.h"

#include <math.h>

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
