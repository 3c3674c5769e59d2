/* Files and table of a tuning. */
#include "output/tune_tables.h"

#include "easim_version.h"
#include "io/csv.h"
#include "output/compare_dir.h"
#include "output/json.h"
#include "output/report.h"

#include <math.h>

static const struct easim_param *param(const struct tune_output *o, size_t i) {
    return params_at(o->study->params.policy, o->tune->params[i]);
}

/* A value of the point of a trial as a user writes it; those of the study are changed and put back. */
static void add_value(const struct tune_output *o, size_t i, double value, struct str *out) {
    struct policy_params *params = &o->tune->study->params;
    double kept = params_number(params, o->tune->params[i]);
    params_set_number(params, o->tune->params[i], value);
    params_write_value(params, o->tune->params[i], out);
    params_set_number(params, o->tune->params[i], kept);
}

/* "METRIC>=-1%", as it was given. */
static void add_bound(const struct tune_constraint *c, struct str *out) {
    str_addf(out, "%s%s%+.4g%%", summary_names[c->column], c->at_least ? ">=" : "<=", 100 * c->change);
}

void tune_tables_trials(const struct tune_output *o, struct str *out) {
    const struct tune *t = o->tune;
    str_add(out, "trial");
    for (size_t i = 0; i < t->count; i++)
        str_addf(out, ",%s", param(o, i)->name);
    str_addf(out, ",n,%s,ci95", summary_names[t->objective]);
    for (size_t i = 0; i < t->constraint_count; i++)
        str_addf(out, ",%s", summary_names[t->constraints[i].column]);
    str_add(out, ",within_bounds,best,failure\n");
    for (size_t n = 0; n < t->search.trials.count; n++) {
        const struct tune_trial *trial = &t->trials.at[n];
        str_add_int(out, (int64_t)n);
        for (size_t i = 0; i < t->count; i++) {
            str_add_char(out, ',');
            add_value(o, i, t->search.trials.at[n].point[i], out);
        }
        str_add_char(out, ',');
        str_add_int(out, (int64_t)trial->objective.n);
        csv_comma_real(out, trial->objective.mean);
        csv_comma_real(out, trial->objective.ci95);
        for (size_t i = 0; i < t->constraint_count; i++)
            csv_comma_real(out, trial->failure ? NAN : trial->constrained[i]);
        str_addf(out, ",%d,%d", tune_keeps_constraints(t, n), n == t->search.best);
        csv_comma_text(out, trial->failure);
        str_add_char(out, '\n');
    }
}

static void add_point(const struct tune_output *o, size_t trial, struct str *out) {
    for (size_t i = 0; i < o->tune->count; i++) {
        str_addf(out, "%s%s: ", i ? ", " : "", param(o, i)->name);
        add_value(o, i, o->tune->search.trials.at[trial].point[i], out);
    }
}

void tune_tables_params(const struct tune_output *o, struct str *out) {
    const struct tune *t = o->tune;
    str_addf(out, "# %s of %s, tuned on seed %lld; for a scenario file\nparams_by_policy:\n  %s: {",
             summary_names[t->objective], o->study->scenario.name, (long long)t->study->scenario.seed,
             o->study->params.policy->name);
    add_point(o, t->search.best, out);
    str_add(out, "}\n");
}

/* --- the table --- */

static void add_interval(const struct estimate *e, double scale, struct str *out) {
    report_add_number(out, scale * e->mean, 12);
    if (isnan(e->ci95))
        return;
    str_add(out, " +-");
    report_add_number(out, scale * e->ci95, 9);
}

static void add_metric(const struct tune_output *o, unsigned column, struct str *out) {
    struct compare_cell cells[2];
    const struct report_line *line = report_find_line(column);
    double scale = line ? line->scale : 1;
    compare_metric(&o->check, column, cells);
    if (cells[0].estimate.n == 0)
        return;
    str_addf(out, "  %s%s%s%s\n    before", line ? line->label : summary_names[column],
             line && line->unit[0] ? " (" : "", line ? line->unit : "", line && line->unit[0] ? ")" : "");
    add_interval(&cells[0].estimate, scale, out);
    str_add(out, "   tuned");
    add_interval(&cells[1].estimate, scale, out);
    str_add(out, "   difference");
    add_interval(&cells[1].paired.diff, scale, out);
    str_addf(out, "%+8.1f %%", 100 * cells[1].relative);
    if (!isnan(cells[1].paired.p_value))
        str_addf(out, "  p %c %.4f", cells[1].paired.p_value < 0.0001 ? '<' : '=',
                 fmax(cells[1].paired.p_value, 0.0001));
    str_add_char(out, '\n');
}

void tune_report(const struct tune_output *o, struct str *out) {
    const struct tune *t = o->tune;
    str_addf(out, "%s: %s of %s, ", o->study->scenario.name, summary_names[t->objective],
             o->study->params.policy->name);
    report_protocol(t->study, (uint32_t)t->study->scenario.replications, out);
    str_addf(out, ": %zu trials\n", t->search.trials.count);
    for (size_t i = 0; i < t->constraint_count; i++) {
        str_add(out, "  subject to ");
        add_bound(&t->constraints[i], out);
        str_add_char(out, '\n');
    }
    str_add(out, "  before  ");
    add_point(o, 0, out);
    add_interval(&t->trials.at[0].objective, 1, out);
    str_add(out, "\n  best    ");
    add_point(o, t->search.best, out);
    add_interval(&t->trials.at[t->search.best].objective, 1, out);
    if (!tune_found(t))
        str_add(out, tune_keeps_constraints(t, t->search.best)
                         ? "\n  nothing better was found"
                         : "\n  no trial keeps all bounds: this one breaks them least");
    str_add(out, "\non other workloads, ");
    report_protocol(o->study, o->check.replications, out);
    str_add(out, ":\n");
    for (size_t i = 0; i < o->shown_count; i++)
        add_metric(o, o->shown[i], out);
}

/* --- the folder --- */

static void write_manifest(const struct tune_output *o, struct str *out) {
    const struct tune *t = o->tune;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "easim_version", EASIM_VERSION);
    cJSON_AddStringToObject(root, "commit", EASIM_COMMIT);
    cJSON_AddStringToObject(root, "name", o->study->scenario.name);
    cJSON_AddStringToObject(root, "config", o->study->scenario.file);
    cJSON_AddStringToObject(root, "policy", o->study->params.policy->name);
    cJSON_AddStringToObject(root, "objective", summary_names[t->objective]);
    cJSON *bounds = cJSON_AddArrayToObject(root, "constraints");
    for (size_t i = 0; i < t->constraint_count; i++) {
        struct str text = {0};
        add_bound(&t->constraints[i], &text);
        cJSON_AddItemToArray(bounds, cJSON_CreateString(text.text));
        str_finish(&text);
    }
    json_add_int(root, "training_seed", t->study->scenario.seed);
    json_add_int(root, "training_replications", t->study->scenario.replications);
    json_add_int(root, "seed", o->study->scenario.seed);
    json_add_int(root, "replications", o->check.replications);
    json_add_int(root, "trials", (int64_t)t->search.trials.count);
    cJSON_AddBoolToObject(root, "improved", tune_found(t));
    json_print(root, out);
}

static void write_check(const struct tune_output *o, struct str *out) {
    const struct compare_output check = {.study = o->study, .comparison = o->check};
    compare_tables_metrics(&check, out);
}

int tune_dir_write(const char *folder, const struct tune_output *o, struct error *reterr) {
    static const struct {
        const char *name;
        void (*write)(const struct tune_output *, struct str *);
    } files[] = {{"trials.csv", tune_tables_trials},
                 {"tuned.yaml", tune_tables_params},
                 {"check.csv", write_check},
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
