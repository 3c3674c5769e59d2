/* An ablation for people, for programs, and as files. */
#include "output/ablate/ablate_tables.h"
#include "output/run/run_report.h"
#include "output/text_files.h"

#include <math.h>

/* Of the first column: component names, and policies with their parameters. */
static int name_width(const struct ablate_output *o) {
    size_t first = strlen(o->first), second = strlen(o->second),
           longest = first > second ? first : second;
    return longest > 12 ? (int)longest : 12;
}

static void add_component(const struct ablation_metric *m, enum component c, double scale,
                          int width, struct str *out) {
    const struct ablation_share *s = &m->shares[c];
    str_addf(out, "  %-*s", width, component_names[c]);
    if (s->same || s->inert) {
        str_add(out,
                s->same ? "           0    same in both\n" : "           0    changes nothing\n");
        return;
    }
    run_report_add_interval(out, &s->share, scale, 12);
    if (m->difference.mean != 0)
        str_addf(out, "%+9.1f %%", 100 * s->share.mean / m->difference.mean);
    str_add(out, "   alone");
    run_report_add_interval(out, &s->alone, scale, 12);
    str_add_char(out, '\n');
}

static void add_metric(const struct ablate_output *o, unsigned column, struct str *out) {
    struct ablation_metric m;
    const struct report_line line = run_report_find_line(column);
    double scale = line.scale;
    ablation_metric(o->ablation, column, &m);
    if (m.difference.n == 0)
        return;
    str_add_char(out, '\n');
    run_report_add_label(out, &line);
    int width = name_width(o);
    str_addf(out, "\n  %-*s", width, o->first);
    run_report_add_interval(out, &m.first, scale, 12);
    str_addf(out, "\n  %-*s", width, o->second);
    run_report_add_interval(out, &m.second, scale, 12);
    str_addf(out, "\n  %-*s", width, "difference");
    run_report_add_interval(out, &m.difference, scale, 12);
    str_add(out, ", of which:\n");
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        add_component(&m, (enum component)c, scale, width, out);
}

void ablate_report(const struct ablate_output *o, struct str *out) {
    str_addf(out, "%s: %s - %s, ", o->studies[0].scenario.name, o->first, o->second);
    run_report_protocol(&o->studies[0], o->ablation->replications, out);
    str_addf(out,
             ", %u mixtures\n"
             "%s; shares of the components (Shapley values) add up to the\n"
             "difference; alone: what the component does to %s by itself\n",
             o->ablation->cell_count,
             o->ablation->replications > 1 ? "mean +- half of the 95 % interval"
                                           : "one replication: no intervals",
             o->second);
    for (size_t i = 0; i < o->shown_count; i++)
        add_metric(o, o->shown[i], out);
}

/* --- JSON --- */

static void add_protocol(cJSON *root, const struct ablate_output *o) {
    json_add_int(root, "seed", o->studies[0].scenario.seed);
    json_add_int(root, "replications", o->ablation->replications);
    cJSON_AddStringToObject(root, "first", o->first);
    cJSON_AddStringToObject(root, "second", o->second);
    json_add_int(root, "mixtures", o->ablation->cell_count);
}

void ablate_json(const struct ablate_output *o, struct str *out) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", o->studies[0].scenario.name);
    add_protocol(root, o);
    cJSON *metrics = cJSON_AddObjectToObject(root, "metrics");
    for (unsigned column = 0; column < SUMMARY_COUNT; column++) {
        struct ablation_metric m;
        ablation_metric(o->ablation, column, &m);
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

static cJSON *make_manifest(const char *folder, const struct ablate_output *o) {
    cJSON *root = manifest_begin(o->origin, o->studies[0].scenario.name, folder);
    add_protocol(root, o);
    cJSON *active = cJSON_AddArrayToObject(root, "varied");
    for (unsigned i = 0; i < o->ablation->active_count; i++)
        cJSON_AddItemToArray(active, cJSON_CreateString(component_names[o->ablation->active[i]]));
    cJSON *policies = cJSON_AddObjectToObject(root, "policies");
    manifest_add_hash(manifest_add_policy(policies, "first", &o->studies[0]), &o->studies[0]);
    manifest_add_hash(manifest_add_policy(policies, "second", &o->studies[1]), &o->studies[1]);
    manifest_add_inputs(root, &o->studies[0], folder);
    return root;
}

int ablate_dir_write(const char *folder, const struct ablate_output *o, struct error *reterr) {
    struct text_file files[] = {
        {.name = "ablate.csv"}, {.name = "cells.csv"}, {.name = "runs.csv"}};
    const char *const names[] = {files[0].name, files[1].name, files[2].name, NULL};
    ablate_tables_shares(o, &files[0].text);
    ablate_tables_cells(o, &files[1].text);
    ablate_tables_runs(o, &files[2].text);
    int r = text_files_write(folder, files, 3, reterr);
    return r < 0 ? r : manifest_write(make_manifest(folder, o), o->origin, folder, names, reterr);
}
