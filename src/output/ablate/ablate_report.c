/* An ablation for people, for programs, and as files. */
#include "output/ablate/ablate_tables.h"
#include "output/run/run_report.h"
#include "output/text_files.h"

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

static void add_ablation_protocol(cJSON *root, const struct ablate_output *output) {
    json_add_int(root, "seed", output->studies[0].scenario.seed);
    json_add_int(root, "replications", output->ablation->replications);
    cJSON_AddStringToObject(root, "first", output->first);
    cJSON_AddStringToObject(root, "second", output->second);
    json_add_int(root, "mixtures", output->ablation->cell_count);
}

void ablate_json(const struct ablate_output *output, struct str *out) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", output->studies[0].scenario.name);
    add_ablation_protocol(root, output);
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

/* --- the folder --- */

static cJSON *make_ablate_manifest(const char *folder, const struct ablate_output *output) {
    cJSON *root = manifest_begin(output->origin, output->studies[0].scenario.name, folder);
    add_ablation_protocol(root, output);
    cJSON *active = cJSON_AddArrayToObject(root, "varied");
    for (unsigned i = 0; i < output->ablation->active_count; i++)
        cJSON_AddItemToArray(active,
                             cJSON_CreateString(component_names[output->ablation->active[i]]));
    cJSON *policies = cJSON_AddObjectToObject(root, "policies");
    manifest_add_hash(manifest_add_policy(policies, "first", &output->studies[0]),
                      &output->studies[0]);
    manifest_add_hash(manifest_add_policy(policies, "second", &output->studies[1]),
                      &output->studies[1]);
    manifest_add_inputs(root, &output->studies[0], folder);
    return root;
}

int ablate_dir_write(const char *folder, const struct ablate_output *output, struct error *reterr) {
    struct text_file files[] = {
        {.name = "ablate.csv"}, {.name = "cells.csv"}, {.name = "runs.csv"}};
    const char *const names[] = {files[0].name, files[1].name, files[2].name, NULL};
    ablate_tables_shares(output, &files[0].text);
    ablate_tables_cells(output, &files[1].text);
    ablate_tables_runs(output, &files[2].text);
    int r = text_files_write(folder, files, 3, reterr);
    return r < 0 ? r
                 : manifest_write(make_ablate_manifest(folder, output), output->origin, folder,
                                  names, reterr);
}
