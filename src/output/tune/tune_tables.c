/* Files and table of a tuning. */
#include "output/tune/tune_tables.h"

#include "io/csv.h"
#include "output/compare/compare_tables.h"
#include "output/run/run_report.h"
#include "output/run/summary_csv.h"

#include <math.h>

static const char *target_name(const struct tune_output *output, size_t index) {
    const struct tune_target *target = &output->tune->targets[index];
    return target->path ? target->path
                        : params_at(output->study->params.policy, target->param)->name;
}

const struct policy_params *tune_trial_params(const struct tune_output *output, size_t trial) {
    tune_apply_params(output->tune, output->tune->search.trials.at[trial].point,
                      output->tune->study);
    return &output->tune->study->params;
}

static void add_value(const struct tune_output *output, size_t trial, size_t index,
                      struct str *out) {
    const struct tune_target *target = &output->tune->targets[index];
    if (target->path)
        str_add_real(out, output->tune->search.trials.at[trial].point[index]);
    else
        params_write_value(tune_trial_params(output, trial), target->param, out);
}

/* "METRIC>=-1%", as it was given. */
static void add_bound(const struct tune_constraint *constraint, struct str *out) {
    str_addf(out, "%s%s%+.4g%%", summary_names[constraint->column],
             constraint->at_least ? ">=" : "<=", 100 * constraint->change);
}

/* --- trials.csv, runs.csv --- */

static void trial_header(const struct tune_output *output, struct str *out) {
    str_add(out, "trial");
    for (size_t i = 0; i < output->tune->count; i++)
        csv_comma_text(out, target_name(output, i));
}

static void add_trial(const struct tune_output *output, size_t trial, struct str *out) {
    str_add_int(out, (int64_t)trial);
    for (size_t i = 0; i < output->tune->count; i++) {
        str_add_char(out, ',');
        add_value(output, trial, i, out);
    }
}

void tune_tables_trials(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    trial_header(output, out);
    str_addf(out, ",n,%s,ci95", summary_names[t->objective]);
    for (size_t i = 0; i < t->constraint_count; i++)
        str_addf(out, ",%s", summary_names[t->constraints[i].column]);
    str_add(out, ",within_bounds,best,failure\n");
    for (size_t n = 0; n < t->search.trials.count; n++) {
        const struct tune_trial *trial = &t->trials.at[n];
        add_trial(output, n, out);
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

static void add_values(const struct tune_output *output, size_t trial, struct str *out) {
    for (size_t i = 0; i < output->tune->count; i++) {
        str_addf(out, "%s%s: ", i ? ", " : "", target_name(output, i));
        add_value(output, trial, i, out);
    }
}

static void add_runs(const struct tune_output *output, size_t trial, int64_t seed,
                     const struct summary *summaries, uint32_t count, struct str *out) {
    for (uint32_t r = 0; r < count; r++) {
        add_trial(output, trial, out);
        summary_csv_run(r + 1, seed, &summaries[r], out);
    }
}

void tune_tables_runs(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    trial_header(output, out);
    summary_csv_run_header(out);
    for (size_t n = 0; n < t->trials.count; n++)
        if (!t->trials.at[n].failure)
            add_runs(output, n, t->study->scenario.seed, t->trials.at[n].runs.summaries,
                     t->trials.at[n].runs.count, out);
    for (size_t s = 0; s < (t->search.best > 0 ? 2 : 1); s++)
        add_runs(output, s == 0 ? 0 : t->search.best, output->study->scenario.seed,
                 output->check.series[s].summaries, output->check.replications, out);
}

/* --- tuned.yaml --- */

void tune_tables_params(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    const char *separator = "";
    str_addf(out, "# %s of %s, tuned on seed %lld; for a scenario file\n",
             summary_names[t->objective], output->study->scenario.name,
             (long long)t->study->scenario.seed);
    for (size_t i = 0; i < t->count; i++) {
        if (t->targets[i].path)
            continue;
        if (!separator[0])
            str_addf(out, "params_by_policy:\n  %s: {", output->study->params.policy->name);
        str_addf(out, "%s%s: ", separator, target_name(output, i));
        add_value(output, t->search.best, i, out);
        separator = ", ";
    }
    str_add(out, separator[0] ? "}\n" : "");
    for (size_t i = 0; i < t->count; i++) {
        if (!t->targets[i].path)
            continue;
        str_addf(out, "# in the scenario: %s=", t->targets[i].path);
        add_value(output, t->search.best, i, out);
        str_add_char(out, '\n');
    }
}

/* --- the table --- */

static void add_metric_before_after(const struct tune_output *output, unsigned column,
                                    struct str *out) {
    struct compare_cell cells[2];
    const struct report_line line = run_report_find_line(column);
    compare_metric(&output->check, column, cells);
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

void tune_report(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    str_addf(out, "%s: %s of %s, ", output->study->scenario.name, summary_names[t->objective],
             output->study->params.policy->name);
    run_report_protocol(t->study, (uint32_t)t->study->scenario.replications, out);
    str_addf(out, ": %zu trials\n", t->search.trials.count);
    for (size_t i = 0; i < t->constraint_count; i++) {
        str_add(out, "  subject to ");
        add_bound(&t->constraints[i], out);
        str_add_char(out, '\n');
    }
    str_add(out, "  before  ");
    add_values(output, 0, out);
    run_report_add_interval(out, &t->trials.at[0].objective, 1, 12);
    str_add(out, "\n  best    ");
    add_values(output, t->search.best, out);
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
    run_report_protocol(output->study, output->check.replications, out);
    str_add(out, ":\n");
    for (size_t i = 0; i < output->shown_count; i++)
        add_metric_before_after(output, output->shown[i], out);
}

/* --- JSON --- */

void tune_json_failed(cJSON *root, const struct tune *tune) {
    const char *first;
    json_add_int(root, "trials_failed", (int64_t)tune_failed(tune, &first));
    json_add_text(root, "first_failure", first);
}

static void add_bounds(cJSON *root, const struct tune *tune) {
    cJSON *bounds = cJSON_AddArrayToObject(root, "constraints");
    for (size_t i = 0; i < tune->constraint_count; i++) {
        struct str text = {0};
        add_bound(&tune->constraints[i], &text);
        cJSON_AddItemToArray(bounds, cJSON_CreateString(text.text));
        str_finish(&text);
    }
}

/* What was asked for. */
void tune_json_protocol(cJSON *root, const struct tune_output *output) {
    const struct tune *t = output->tune;
    cJSON_AddStringToObject(root, "policy", output->study->params.policy->name);
    cJSON_AddStringToObject(root, "objective", summary_names[t->objective]);
    add_bounds(root, t);
    json_add_int(root, "training_seed", t->study->scenario.seed);
    json_add_int(root, "training_replications", t->study->scenario.replications);
    json_add_int(root, "seed", output->study->scenario.seed);
    json_add_int(root, "replications", output->check.replications);
}

static void add_trial_object(cJSON *trials, const struct tune_output *output, size_t count) {
    const struct tune *t = output->tune;
    const struct tune_trial *trial = &t->trials.at[count];
    cJSON *object = cJSON_CreateObject(), *params = cJSON_AddObjectToObject(object, "params");
    for (size_t i = 0; i < t->count; i++)
        if (t->targets[i].path)
            json_add_real(params, t->targets[i].path, t->search.trials.at[count].point[i]);
        else
            manifest_add_param(params, tune_trial_params(output, count), t->targets[i].param);
    json_add_estimate(object, "objective", &trial->objective);
    cJSON *bounded = cJSON_AddObjectToObject(object, "constrained");
    for (size_t i = 0; i < t->constraint_count; i++)
        json_add_real(bounded, summary_names[t->constraints[i].column],
                      trial->failure ? NAN : trial->constrained[i]);
    cJSON_AddBoolToObject(object, "within_bounds", tune_keeps_constraints(t, count));
    json_add_text(object, "failure", trial->failure);
    cJSON_AddItemToArray(trials, object);
}

void tune_json(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", output->study->scenario.name);
    tune_json_protocol(root, output);
    cJSON_AddBoolToObject(root, "improved", tune_found(t));
    json_add_int(root, "best", (int64_t)t->search.best);
    tune_json_failed(root, t);
    cJSON *trials = cJSON_AddArrayToObject(root, "trials");
    for (size_t n = 0; n < t->trials.count; n++)
        add_trial_object(trials, output, n);
    compare_json_metrics(root, &output->check);
    json_print(root, out);
}
