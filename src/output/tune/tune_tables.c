/* Files and table of a tuning. */
#include "output/tune/tune_tables.h"

#include "io/csv.h"
#include "output/compare/compare_tables.h"
#include "output/run/run_report.h"
#include "output/run/summary_csv.h"
#include "output/text_files.h"

#include <math.h>

static const struct easim_param *param(const struct tune_output *o, size_t i) {
    return params_at(o->study->params.policy, o->tune->params[i]);
}

/* The point of a trial in the parameters of the training study, which has no other use any more. */
static const struct policy_params *params_of(const struct tune_output *o, size_t trial) {
    tune_apply(o->tune, o->tune->search.trials.at[trial].point, o->tune->study);
    return &o->tune->study->params;
}

/* "METRIC>=-1%", as it was given. */
static void add_bound(const struct tune_constraint *c, struct str *out) {
    str_addf(out, "%s%s%+.4g%%", summary_names[c->column],
             c->at_least ? ">=" : "<=", 100 * c->change);
}

/* --- trials.csv, runs.csv --- */

static void trial_header(const struct tune_output *o, struct str *out) {
    str_add(out, "trial");
    for (size_t i = 0; i < o->tune->count; i++)
        csv_comma_text(out, param(o, i)->name);
}

static void add_trial(const struct tune_output *o, size_t trial, struct str *out) {
    const struct policy_params *params = params_of(o, trial);
    str_add_int(out, (int64_t)trial);
    for (size_t i = 0; i < o->tune->count; i++) {
        str_add_char(out, ',');
        params_write_value(params, o->tune->params[i], out);
    }
}

void tune_tables_trials(const struct tune_output *o, struct str *out) {
    const struct tune *t = o->tune;
    trial_header(o, out);
    str_addf(out, ",n,%s,ci95", summary_names[t->objective]);
    for (size_t i = 0; i < t->constraint_count; i++)
        str_addf(out, ",%s", summary_names[t->constraints[i].column]);
    str_add(out, ",within_bounds,best,failure\n");
    for (size_t n = 0; n < t->search.trials.count; n++) {
        const struct tune_trial *trial = &t->trials.at[n];
        add_trial(o, n, out);
        csv_comma_int(out, (int64_t)trial->objective.n);
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
    const struct policy_params *params = params_of(o, trial);
    for (size_t i = 0; i < o->tune->count; i++) {
        str_addf(out, "%s%s: ", i ? ", " : "", param(o, i)->name);
        params_write_value(params, o->tune->params[i], out);
    }
}

static void add_runs(const struct tune_output *o, size_t trial, int64_t seed,
                     const struct summary *summaries, uint32_t count, struct str *out) {
    for (uint32_t r = 0; r < count; r++) {
        add_trial(o, trial, out);
        summary_csv_run(r + 1, seed, &summaries[r], out);
    }
}

void tune_tables_runs(const struct tune_output *o, struct str *out) {
    const struct tune *t = o->tune;
    trial_header(o, out);
    summary_csv_run_header(out);
    for (size_t n = 0; n < t->trials.count; n++)
        if (!t->trials.at[n].failure)
            add_runs(o, n, t->study->scenario.seed, t->trials.at[n].runs.summaries,
                     t->trials.at[n].runs.count, out);
    for (size_t s = 0; s < (t->search.best > 0 ? 2 : 1); s++)
        add_runs(o, s == 0 ? 0 : t->search.best, o->study->scenario.seed,
                 o->check.series[s].summaries, o->check.replications, out);
}

/* --- tuned.yaml --- */

void tune_tables_params(const struct tune_output *o, struct str *out) {
    const struct tune *t = o->tune;
    str_addf(out, "# %s of %s, tuned on seed %lld; for a scenario file\nparams_by_policy:\n  %s: {",
             summary_names[t->objective], o->study->scenario.name,
             (long long)t->study->scenario.seed, o->study->params.policy->name);
    add_point(o, t->search.best, out);
    str_add(out, "}\n");
}

/* --- the table --- */

static void add_metric(const struct tune_output *o, unsigned column, struct str *out) {
    struct compare_cell cells[2];
    const struct report_line line = run_report_find_line(column);
    compare_metric(&o->check, column, cells);
    if (cells[0].estimate.n == 0)
        return;
    str_add(out, "  ");
    run_report_add_label(out, &line);
    str_add(out, "\n    before");
    run_report_add_interval(out, &cells[0].estimate, line.scale, 12);
    str_add(out, "   tuned");
    run_report_add_interval(out, &cells[1].estimate, line.scale, 12);
    str_add(out, "   difference");
    run_report_add_interval(out, &cells[1].paired.diff, line.scale, 12);
    if (!isnan(cells[1].relative))
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
    run_report_protocol(t->study, (uint32_t)t->study->scenario.replications, out);
    str_addf(out, ": %zu trials\n", t->search.trials.count);
    for (size_t i = 0; i < t->constraint_count; i++) {
        str_add(out, "  subject to ");
        add_bound(&t->constraints[i], out);
        str_add_char(out, '\n');
    }
    str_add(out, "  before  ");
    add_point(o, 0, out);
    run_report_add_interval(out, &t->trials.at[0].objective, 1, 12);
    str_add(out, "\n  best    ");
    add_point(o, t->search.best, out);
    run_report_add_interval(out, &t->trials.at[t->search.best].objective, 1, 12);
    if (isnan(t->trials.at[t->search.best].objective.mean))
        str_add(
            out,
            "\n  no trial has the objective in every replication: there is nothing to choose by");
    else if (!tune_found(t))
        str_add(out, tune_keeps_constraints(t, t->search.best)
                         ? "\n  nothing better was found"
                         : "\n  no trial keeps all bounds: this one breaks them least");
    str_add(out, "\non other workloads, ");
    run_report_protocol(o->study, o->check.replications, out);
    str_add(out, ":\n");
    for (size_t i = 0; i < o->shown_count; i++)
        add_metric(o, o->shown[i], out);
}

/* --- JSON --- */

static void add_failed(cJSON *root, const struct tune *t) {
    const char *first;
    json_add_int(root, "trials_failed", (int64_t)tune_failed(t, &first));
    json_add_text(root, "first_failure", first);
}

static void add_bounds(cJSON *root, const struct tune *t) {
    cJSON *bounds = cJSON_AddArrayToObject(root, "constraints");
    for (size_t i = 0; i < t->constraint_count; i++) {
        struct str text = {0};
        add_bound(&t->constraints[i], &text);
        cJSON_AddItemToArray(bounds, cJSON_CreateString(text.text));
        str_finish(&text);
    }
}

/* What was asked for. */
static void add_protocol(cJSON *root, const struct tune_output *o) {
    const struct tune *t = o->tune;
    cJSON_AddStringToObject(root, "policy", o->study->params.policy->name);
    cJSON_AddStringToObject(root, "objective", summary_names[t->objective]);
    add_bounds(root, t);
    json_add_int(root, "training_seed", t->study->scenario.seed);
    json_add_int(root, "training_replications", t->study->scenario.replications);
    json_add_int(root, "seed", o->study->scenario.seed);
    json_add_int(root, "replications", o->check.replications);
}

static void add_trial_object(cJSON *trials, const struct tune_output *o, size_t n) {
    const struct tune *t = o->tune;
    const struct tune_trial *trial = &t->trials.at[n];
    cJSON *object = cJSON_CreateObject(), *params = cJSON_AddObjectToObject(object, "params");
    for (size_t i = 0; i < t->count; i++)
        manifest_add_param(params, params_of(o, n), t->params[i]);
    json_add_estimate(object, "objective", &trial->objective);
    cJSON *bounded = cJSON_AddObjectToObject(object, "constrained");
    for (size_t i = 0; i < t->constraint_count; i++)
        json_add_real(bounded, summary_names[t->constraints[i].column],
                      trial->failure ? NAN : trial->constrained[i]);
    cJSON_AddBoolToObject(object, "within_bounds", tune_keeps_constraints(t, n));
    json_add_text(object, "failure", trial->failure);
    cJSON_AddItemToArray(trials, object);
}

void tune_json(const struct tune_output *o, struct str *out) {
    const struct tune *t = o->tune;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", o->study->scenario.name);
    add_protocol(root, o);
    cJSON_AddBoolToObject(root, "improved", tune_found(t));
    json_add_int(root, "best", (int64_t)t->search.best);
    add_failed(root, t);
    cJSON *trials = cJSON_AddArrayToObject(root, "trials");
    for (size_t n = 0; n < t->trials.count; n++)
        add_trial_object(trials, o, n);
    compare_json_metrics(root, &o->check);
    json_print(root, out);
}

/* --- the folder --- */

static cJSON *make_manifest(const char *folder, const struct tune_output *o) {
    const struct tune *t = o->tune;
    cJSON *root = manifest_begin(o->origin, o->study->scenario.name, folder);
    manifest_add_hash(root, o->study);
    add_protocol(root, o);
    json_add_int(root, "trials", (int64_t)t->search.trials.count);
    add_failed(root, t);
    cJSON_AddBoolToObject(root, "improved", tune_found(t));
    cJSON *policies = cJSON_AddObjectToObject(root, "policies");
    (void)params_of(o, 0);
    manifest_add_policy(policies, "before", t->study);
    (void)params_of(o, t->search.best);
    manifest_add_policy(policies, "tuned", t->study);
    manifest_add_inputs(root, o->study, folder);
    return root;
}

static void write_check(const struct tune_output *o, struct str *out) {
    const struct compare_output check = {.study = o->study, .comparison = o->check};
    compare_tables_metrics(&check, out);
}

int tune_dir_write(const char *folder, const struct tune_output *o, struct error *reterr) {
    struct text_file files[] = {{.name = "trials.csv"},
                                {.name = "tuned.yaml"},
                                {.name = "check.csv"},
                                {.name = "runs.csv"}};
    const char *const names[] = {files[0].name, files[1].name, files[2].name, files[3].name, NULL};
    tune_tables_trials(o, &files[0].text);
    tune_tables_params(o, &files[1].text);
    write_check(o, &files[2].text);
    tune_tables_runs(o, &files[3].text);
    int r = text_files_write(folder, files, 4, reterr);
    return r < 0 ? r : manifest_write(make_manifest(folder, o), o->origin, folder, names, reterr);
}
