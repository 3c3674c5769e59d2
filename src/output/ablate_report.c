/* An ablation for people, for programs, and as files. */
#include "easim_version.h"
#include "output/ablate_tables.h"
#include "output/compare_dir.h"
#include "output/json.h"
#include "output/report.h"

#include <math.h>

static void add_interval(const struct estimate *e, double scale, struct str *out) {
    report_add_number(out, scale * e->mean, 12);
    if (isnan(e->ci95))
        return;
    str_add(out, " +-");
    report_add_number(out, scale * e->ci95, 9);
}

static void add_component(const struct ablation_metric *m, enum component c, double scale, struct str *out) {
    const struct ablation_share *s = &m->shares[c];
    str_addf(out, "  %-12s", component_names[c]);
    if (s->same || s->inert) {
        str_add(out, s->same ? "           0    same in both\n" : "           0    changes nothing\n");
        return;
    }
    add_interval(&s->share, scale, out);
    if (m->difference.mean != 0)
        str_addf(out, "%+9.1f %%", 100 * s->share.mean / m->difference.mean);
    str_add(out, "   alone");
    add_interval(&s->alone, scale, out);
    str_add_char(out, '\n');
}

static void add_metric(const struct ablate_output *o, unsigned column, struct str *out) {
    struct ablation_metric m;
    const struct report_line *line = report_find_line(column);
    const char *unit = line ? line->unit : "";
    double scale = line ? line->scale : 1;
    ablation_metric(o->ablation, column, &m);
    if (m.difference.n == 0)
        return;
    str_addf(out, "\n%s%s%s%s\n", line ? line->label : summary_names[column], unit[0] ? " (" : "", unit,
             unit[0] ? ")" : "");
    str_addf(out, "  %-12s", o->first);
    add_interval(&m.first, scale, out);
    str_addf(out, "\n  %-12s", o->second);
    add_interval(&m.second, scale, out);
    str_add(out, "\n  difference  ");
    add_interval(&m.difference, scale, out);
    str_add(out, ", of which:\n");
    for (unsigned c = 0; c < COMPONENT_COUNT; c++)
        add_component(&m, (enum component)c, scale, out);
}

void ablate_report(const struct ablate_output *o, struct str *out) {
    str_addf(out, "%s: %s - %s, ", o->study->scenario.name, o->first, o->second);
    report_protocol(o->study, o->ablation->replications, out);
    str_addf(out,
             ", %u mixtures\n%s; shares of the components (Shapley values) add up to the\ndifference; alone: what "
             "the component does to %s by itself\n",
             o->ablation->cell_count,
             o->ablation->replications > 1 ? "mean +- half of the 95 % interval" : "one replication: no intervals",
             o->second);
    for (size_t i = 0; i < o->shown_count; i++)
        add_metric(o, o->shown[i], out);
}

/* --- JSON --- */

static void add_estimate(cJSON *object, const char *name, const struct estimate *e) {
    cJSON *own = cJSON_AddObjectToObject(object, name);
    json_add_int(own, "n", (int64_t)e->n);
    json_add_real(own, "mean", e->mean);
    json_add_real(own, "ci95", e->ci95);
}

static void add_protocol(cJSON *root, const struct ablate_output *o) {
    cJSON_AddStringToObject(root, "name", o->study->scenario.name);
    json_add_int(root, "seed", o->study->scenario.seed);
    json_add_int(root, "replications", o->ablation->replications);
    cJSON_AddStringToObject(root, "first", o->first);
    cJSON_AddStringToObject(root, "second", o->second);
    json_add_int(root, "mixtures", o->ablation->cell_count);
}

void ablate_json(const struct ablate_output *o, struct str *out) {
    cJSON *root = cJSON_CreateObject();
    add_protocol(root, o);
    cJSON *metrics = cJSON_AddObjectToObject(root, "metrics");
    for (unsigned column = 0; column < SUMMARY_COUNT; column++) {
        struct ablation_metric m;
        ablation_metric(o->ablation, column, &m);
        cJSON *metric = cJSON_AddObjectToObject(metrics, summary_names[column]);
        add_estimate(metric, "first", &m.first);
        add_estimate(metric, "second", &m.second);
        add_estimate(metric, "difference", &m.difference);
        cJSON *shares = cJSON_AddObjectToObject(metric, "shares");
        for (unsigned c = 0; c < COMPONENT_COUNT; c++) {
            const struct ablation_share *s = &m.shares[c];
            cJSON *share = cJSON_AddObjectToObject(shares, component_names[c]);
            cJSON_AddStringToObject(share, "state", s->same ? "same" : s->inert ? "inert" : "active");
            add_estimate(share, "share", &s->share);
            add_estimate(share, "alone", &s->alone);
            add_estimate(share, "missing", &s->missing);
        }
    }
    json_print(root, out);
}

/* --- the folder --- */

static void write_manifest(const struct ablate_output *o, struct str *out) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "easim_version", EASIM_VERSION);
    cJSON_AddStringToObject(root, "commit", EASIM_COMMIT);
    cJSON_AddStringToObject(root, "config", o->study->scenario.file);
    add_protocol(root, o);
    cJSON *active = cJSON_AddArrayToObject(root, "varied");
    for (unsigned i = 0; i < o->ablation->active_count; i++)
        cJSON_AddItemToArray(active, cJSON_CreateString(component_names[o->ablation->active[i]]));
    json_print(root, out);
}

int ablate_dir_write(const char *folder, const struct ablate_output *o, struct error *reterr) {
    static const struct {
        const char *name;
        void (*write)(const struct ablate_output *, struct str *);
    } files[] = {{"ablate.csv", ablate_tables_shares},
                 {"cells.csv", ablate_tables_cells},
                 {"manifest.json", write_manifest}};
    int r = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files && r == 0; i++) {
        struct str text = {0};
        files[i].write(o, &text);
        r = compare_dir_write_file(folder, files[i].name, &text, reterr);
        str_finish(&text);
    }
    return r;
}
