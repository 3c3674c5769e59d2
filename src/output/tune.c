/* Files and table of a tuning. */
#include "output/tune.h"

#include "base/numfmt.h"
#include "output/columns.h"
#include "output/compare/compare_tables.h"
#include "output/notes.h"
#include "output/run/run_report.h"
#include "output/run/run_tables.h"

#include <math.h>
#include <string.h>

const struct policy_params *tune_trial_params(const struct tune_output *output, size_t trial) {
    tune_apply_params(output->tune, output->tune->search.trials.at[trial].point,
                      output->tune->study);
    return &output->tune->study->params;
}

static void add_value(const struct tune_output *output, size_t trial, size_t index,
                      struct str *out) {
    const struct tune_target *target = &output->tune->targets[index];
    bool own = !target->path && !target->is_policy;
    tune_add_value(target, output->tune->search.trials.at[trial].point[index],
                   own ? tune_trial_params(output, trial) : NULL, out);
}

static const char *name_of(const struct tune *tune, unsigned column) {
    return metric_set_name(&tune->study->metrics, column);
}

/* "METRIC>=-1%", "METRIC<=5", as it was given. */
static void add_bound(const struct tune *tune, const struct tune_constraint *c, struct str *out) {
    str_addf(out, "%s%s", name_of(tune, c->column), c->at_least ? ">=" : "<=");
    if (c->absolute)
        str_add_real(out, c->limit);
    else
        str_addf(out, "%+.4g%%", 100 * c->limit);
}

static struct tune_checked check_bound(const struct tune_output *output, size_t index) {
    const struct compare_series *series = output->check.series;
    return tune_check(&output->tune->constraints[index], series[0].summaries, series[1].summaries,
                      output->check.replications);
}

/* --- trials.csv, runs.csv --- */

/* clang-format off */
/* Then what is tuned. */
#define TRIALS_COLUMNS(X) \
    X(trial, int, "", NEITHER, (int64_t)trial)
/* Then the objective, its interval, and each metric of a constraint. */
#define TRIALS_COLUMNS_N(X) \
    X(n, int, "", NEITHER, (int64_t)trial->objective.n)
#define TRIALS_COLUMNS_CI95(X) \
    X(ci95, real, OF_METRIC, NEITHER, trial->objective.ci95)
#define TRIALS_COLUMNS_STATE(X) \
    X(within_bounds, flag, "", NEITHER, tune_keeps_constraints(t, n)) \
    X(best, csv(flag), "", NEITHER, n == t->search.best) \
    X(failure, text, "", NEITHER, trial->failure) \
    X(warning, text, "", NEITHER, warning.text)
#define CONSTRAINTS_COLUMNS(X) \
    X(constraint, text, "", NEITHER, bound.text) \
    X(training_before, csv(real), OF_METRIC, NEITHER, t->trials.at[0].constrained[i]) \
    X(training_tuned, csv(real), OF_METRIC, NEITHER, t->trials.at[t->search.best].constrained[i]) \
    X(training_kept, csv(text), "", NEITHER, tune_verdict_name(tune_verdict_of_training(t, i))) \
    X(n, csv(int), "", NEITHER, (int64_t)output->check.replications) \
    X(before, real, OF_METRIC, NEITHER, checked.start) \
    X(tuned, real, OF_METRIC, NEITHER, checked.tuned) \
    X(value, real, "", NEITHER, checked.value) \
    X(ci95, real, "", NEITHER, checked.ci95) \
    X(limit, csv(real), "", NEITHER, t->constraints[i].limit) \
    X(kept_in_mean, text, "", NEITHER, tune_verdict_name(checked.mean)) \
    X(kept_by_limit, text, "", NEITHER, tune_verdict_name(checked.limit))
/* clang-format on */

static void trial_header(const struct tune_output *output, struct str *out) {
    str_add(out, &TRIALS_COLUMNS(COLUMN_NAME)[1]);
    for (size_t i = 0; i < output->tune->count; i++)
        csv_comma_text(out, output->tune->targets[i].name);
}

static void add_trial(const struct tune_output *output, size_t trial, struct str *out) {
    size_t begin = out->length;
    TRIALS_COLUMNS(COLUMN_CELL)
    columns_drop_comma(out, begin);
    for (size_t i = 0; i < output->tune->count; i++) {
        struct str value = {0};
        add_value(output, trial, i, &value);
        csv_comma_text(out, value.text);
        str_finish(&value);
    }
}

static void trial_warning(const struct tune *t, const struct tune_trial *trial, struct str *out) {
    notes_point_text(t->study, trial->runs.summaries, trial->runs.trends,
                     trial->failure ? 0 : trial->runs.count, out);
}

void tune_tables_trials(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    trial_header(output, out);
    str_add(out, TRIALS_COLUMNS_N(COLUMN_NAME));
    csv_comma_text(out, name_of(t, t->objective));
    str_add(out, TRIALS_COLUMNS_CI95(COLUMN_NAME));
    for (size_t i = 0; i < t->constraint_count; i++)
        csv_comma_text(out, name_of(t, t->constraints[i].column));
    str_add(out, TRIALS_COLUMNS_STATE(COLUMN_NAME) "\n");
    for (size_t n = 0; n < t->search.trials.count; n++) {
        const struct tune_trial *trial = &t->trials.at[n];
        add_trial(output, n, out);
        TRIALS_COLUMNS_N(COLUMN_CELL)
        csv_comma_real(out, trial->objective.mean);
        TRIALS_COLUMNS_CI95(COLUMN_CELL)
        for (size_t i = 0; i < t->constraint_count; i++)
            csv_comma_real(out, trial->failure ? NAN : trial->constrained[i]);
        struct str warning = {0};
        trial_warning(t, trial, &warning);
        TRIALS_COLUMNS_STATE(COLUMN_CELL)
        str_finish(&warning);
        str_add_char(out, '\n');
    }
}

static void add_values(const struct tune_output *output, size_t trial, struct report *report) {
    for (size_t i = 0; i < output->tune->count; i++) {
        struct str value = {0};
        add_value(output, trial, i, &value);
        report_cell_of(report, value.length > 0 ? value.text : "not stated");
        str_finish(&value);
    }
}

static void add_runs(const struct tune_output *output, size_t trial, int64_t seed,
                     const struct summary *summaries, uint32_t count, struct str *out) {
    const struct metric_set *metrics = &output->study->metrics;
    for (uint32_t r = 0; r < count; r++) {
        add_trial(output, trial, out);
        summary_csv_run(r + 1, seed, metrics, &summaries[r], out);
    }
}

void tune_tables_runs(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    trial_header(output, out);
    summary_csv_run_header(&output->study->metrics, out);
    for (size_t n = 0; n < t->trials.count; n++)
        if (!t->trials.at[n].failure)
            add_runs(output, n, t->study->scenario.seed, t->trials.at[n].runs.summaries,
                     t->trials.at[n].runs.count, out);
    for (size_t s = 0; s < (t->search.best > 0 ? 2 : 1); s++)
        add_runs(output, s == 0 ? 0 : t->search.best, output->study->scenario.seed,
                 output->check.series[s].summaries, output->check.replications, out);
}

/* --- constraints.csv --- */

void tune_tables_bounds(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    str_add(out, TABLE_HEADER(CONSTRAINTS_COLUMNS));
    for (size_t i = 0; i < t->constraint_count; i++) {
        const struct tune_checked checked = check_bound(output, i);
        struct str bound = {0};
        add_bound(t, &t->constraints[i], &bound);
        TABLE_ROW(CONSTRAINTS_COLUMNS);
        str_finish(&bound);
    }
}

/* --- tuned.yaml --- */

/* Whether a target is a parameter that goes into params_by_policy: one of the only policy, or of
   the policy that was chosen. */
static bool is_param(const struct tune_output *output, const struct tune_target *target) {
    const struct study *study = output->tuned ? output->tuned : output->study;
    return target->chosen
               ? target->chosen->policy->name && study->params.policy &&
                     strcmp(target->chosen->policy->name, study->params.policy->name) == 0
               : !target->path && !target->is_policy;
}

void tune_tables_params(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    const struct study *study = output->tuned ? output->tuned : output->study;
    const char *separator = "";
    str_addf(out, "# %s of %s, tuned on seed %lld; for a scenario file\n", name_of(t, t->objective),
             output->study->scenario.name, (long long)t->study->scenario.seed);
    for (size_t i = 0; i < t->count; i++) {
        if (!is_param(output, &t->targets[i]))
            continue;
        if (!separator[0])
            str_addf(out, "params_by_policy:\n  %s: {", study->params.policy->name);
        str_addf(out, "%s%s: ", separator,
                 params_at(study->params.policy, t->targets[i].param)->name);
        add_value(output, t->search.best, i, out);
        separator = ", ";
    }
    str_add(out, separator[0] ? "}\n" : "");
    for (size_t i = 0; i < t->count; i++) {
        const struct tune_target *target = &t->targets[i];
        struct str value = {0};
        add_value(output, t->search.best, i, &value);
        if (!is_param(output, target) && !target->chosen && value.length > 0)
            str_addf(out, "# in the scenario: %s=%s\n",
                     target->is_policy ? "policy.name" : target->path, value.text);
        str_finish(&value);
    }
}

/* --- the table --- */

static void add_metric_before_after(const struct tune_output *output, unsigned column,
                                    struct report *report) {
    struct compare_cell cells[2];
    struct report_line line = run_report_line_of(&output->study->metrics, column);
    compare_metric(&output->check, column, cells);
    if (cells[0].estimate.n == 0)
        return;
    run_report_scale_time(&line, fmax(cells[0].estimate.mean, cells[1].estimate.mean));
    run_report_add_label(report_row(report), &line);
    for (int i = 0; i < 2; i++)
        run_report_add_interval(report_cell(report), &cells[i].estimate, line.scale);
    bool ratio = compare_report_tells_ratios(&output->check, cells, column);
    if (ratio)
        report_cell_of(report, "-");
    compare_report_change(&cells[1], ratio, line.scale, report);
}

/* "8.3 +- 2.1 %", or "7200 +- 300" of an absolute bound. */
static void add_checked_value(const struct tune_constraint *c, const struct tune_checked *checked,
                              struct str *out) {
    const struct estimate e = {.mean = checked->value, .ci95 = checked->ci95};
    run_report_add_interval(out, &e, c->absolute ? 1 : 100);
    str_add(out, c->absolute || isnan(checked->value) ? "" : " %");
}

static void add_checked_bounds(const struct tune_output *output, struct report *report) {
    const struct tune *t = output->tune;
    for (size_t i = 0; i < t->constraint_count; i++) {
        const struct tune_checked checked = check_bound(output, i);
        if (i == 0)
            report_table(report, "bound|>there|kept in the mean|kept by the limit of the interval");
        add_bound(t, &t->constraints[i], report_row(report));
        add_checked_value(&t->constraints[i], &checked, report_cell(report));
        report_cell_of(report, tune_verdict_name(checked.mean));
        report_cell_of(report, tune_verdict_name(checked.limit));
    }
}

static void add_broken_bound(const struct tune_output *output, size_t index, struct str *out) {
    const struct tune_constraint *c = &output->tune->constraints[index];
    const struct tune_checked checked = check_bound(output, index);
    if (checked.mean == TUNE_KEPT)
        return;
    add_bound(output->tune, c, out);
    str_addf(out, " is %s on seed %lld: ", checked.mean == TUNE_BROKEN ? "broken" : "not known",
             (long long)output->study->scenario.seed);
    if (checked.mean == TUNE_BROKEN)
        add_checked_value(c, &checked, out);
    else
        str_add(out, "a run does not define the metric");
    str_add_char(out, '\n');
}

/* Trials of one choice of the policy (axis t->count: all trials) in which the objective is always
 * the same. */
static void add_idle_axes(const struct tune_output *output, size_t axis, double choice,
                          struct str *out) {
    const struct tune *t = output->tune;
    size_t first = t->trials.count, count = 0;
    bool same = true;
    for (size_t i = 0; i < t->trials.count; i++) {
        bool counts = axis == t->count || t->search.trials.at[i].point[axis] == choice;
        if (!counts || t->trials.at[i].failure)
            continue;
        first = count++ == 0 ? i : first;
        same = same && t->trials.at[i].objective.mean == t->trials.at[first].objective.mean;
    }
    if (count < 2 || !same)
        return;
    str_addf(out, "%s is the same in all %zu trials", name_of(t, t->objective), count);
    if (axis < t->count)
        str_addf(out, " with policy %s", t->targets[axis].texts[(size_t)choice]);
    str_add(out, ": the tuned values do not change it there\n");
}

static void add_all_idle_axes(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    size_t axis = 0;
    while (axis < t->count && !t->targets[axis].is_policy)
        axis++;
    if (axis == t->count)
        add_idle_axes(output, axis, 0, out);
    for (double choice = 0; axis < t->count && choice <= t->axes[axis].most; choice++)
        add_idle_axes(output, axis, choice, out);
}

void tune_report_caveats(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    const struct compare_series *series = output->check.series;
    for (size_t i = 0; i < t->constraint_count; i++)
        add_broken_bound(output, i, out);
    if (output->check.replications < 2 && t->constraint_count > 0)
        str_add(out, "one replication: whether bounds are kept by the limit of an interval is not "
                     "known\n");
    add_all_idle_axes(output, out);
    if (t->search.cut)
        str_addf(
            out,
            "the search ended at %zu trials, as many as it was allowed, before everything was tried\n",
            t->trials.count);
    if (!output->same_workloads)
        return;
    const struct replicate_result *first = &t->trials.at[0].runs;
    size_t both =
        first->count < output->check.replications ? first->count : output->check.replications;
    bool equal = summary_same(first->summaries, series[0].summaries, both);
    str_addf(
        out,
        "the workloads of seed %lld are those of seed %lld, the same jobs at the same times: %s\n",
        (long long)output->study->scenario.seed, (long long)t->study->scenario.seed,
        equal ? "the check has the figures of the search and adds nothing; a recorded log can "
                "be perturbed"
              : "the check says nothing of other arrivals; a recorded log can be perturbed");
}

/* --- the table as a whole --- */

static void add_training(const struct tune_output *output, struct report *report) {
    const struct tune *t = output->tune;
    const size_t trials[] = {0, t->search.best};
    struct report_line line = run_report_line_of(&output->study->metrics, t->objective);
    run_report_scale_time(&line, t->trials.at[0].objective.mean);
    report_table(report, "trial");
    for (size_t i = 0; i < t->count; i++)
        str_add(report_column(report, false), t->targets[i].name);
    run_report_add_label(report_column(report, true), &line);
    for (int i = 0; i < 2; i++) {
        report_row_of(report, i == 0 ? "before" : "best");
        add_values(output, trials[i], report);
        run_report_add_interval(report_cell(report), &t->trials.at[trials[i]].objective,
                                line.scale);
    }
}

void tune_report(const struct tune_output *output, struct report *report) {
    struct str *out = report_lines(report);
    const struct tune *t = output->tune;
    str_addf(out, "%s: %s of %s, ", output->study->scenario.name, name_of(t, t->objective),
             tune_chooses_policy(t) ? "several policies" : output->study->policy);
    run_report_protocol(t->study, (uint32_t)t->study->scenario.replications, out);
    str_addf(out, ": %zu trials\n", t->search.trials.count);
    for (size_t i = 0; i < t->constraint_count; i++) {
        str_add(out, "  subject to ");
        add_bound(t, &t->constraints[i], out);
        str_add_char(out, '\n');
    }
    add_training(output, report);
    out = report_lines(report);
    if (isnan(t->trials.at[t->search.best].objective.mean))
        str_add(
            out,
            "  no trial has the objective in every replication: there is nothing to choose by\n");
    else if (!tune_found(t))
        str_add(out, tune_keeps_constraints(t, t->search.best)
                         ? "  nothing better was found\n"
                         : "  no trial keeps all bounds: this one breaks them least\n");
    str_add(out, output->same_workloads ? "on the same workloads, " : "on other workloads, ");
    run_report_protocol(output->study, output->check.replications, out);
    str_add(out, " (a change without a difference is that of the geometric mean)\n");
    report_table(report, "metric|>before|>tuned|>difference|>change in %|>p");
    for (size_t i = 0; i < output->shown_count; i++)
        add_metric_before_after(output, output->shown[i], report);
    add_checked_bounds(output, report);
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
        add_bound(tune, &tune->constraints[i], &text);
        cJSON_AddItemToArray(bounds, cJSON_CreateString(text.text));
        str_finish(&text);
    }
}

/* The request. */
void tune_json_protocol(cJSON *root, const struct tune_output *output) {
    const struct tune *t = output->tune;
    cJSON_AddStringToObject(root, "policy", output->study->policy);
    cJSON_AddStringToObject(root, "objective", name_of(t, t->objective));
    add_bounds(root, t);
    json_add_int(root, "training_seed", t->study->scenario.seed);
    json_add_int(root, "training_replications", t->study->scenario.replications);
    json_add_int(root, "seed", output->study->scenario.seed);
    json_add_int(root, "replications", output->check.replications);
}

void tune_json_checked(cJSON *root, const struct tune_output *output) {
    const struct tune *t = output->tune;
    cJSON_AddBoolToObject(root, "same_workloads", output->same_workloads);
    cJSON_AddBoolToObject(root, "search_cut", t->search.cut);
    cJSON *bounds = cJSON_AddArrayToObject(root, "constraints_checked");
    for (size_t i = 0; i < t->constraint_count; i++) {
        const struct tune_checked checked = check_bound(output, i);
        cJSON *object = json_append_object(bounds);
        struct str bound = {0};
        add_bound(t, &t->constraints[i], &bound);
        CONSTRAINTS_COLUMNS(COLUMN_MEMBER)
        str_finish(&bound);
    }
}

static void add_point_value(cJSON *params, const struct tune_output *output, size_t trial,
                            size_t index) {
    const struct tune_target *target = &output->tune->targets[index];
    struct str text = {0};
    double number;
    if (!target->path && !target->is_policy) {
        manifest_add_param(params, tune_trial_params(output, trial), target->param);
        return;
    }
    add_value(output, trial, index, &text);
    if (numfmt_parse_real(text.text ? text.text : "", text.length, &number))
        json_add_real(params, target->name, number);
    else
        json_add_text(params, target->name, text.length > 0 ? text.text : NULL);
    str_finish(&text);
}

static void add_trial_object(cJSON *trials, const struct tune_output *output, size_t n) {
    const struct tune *t = output->tune;
    const struct tune_trial *trial = &t->trials.at[n];
    cJSON *object = json_append_object(trials), *params = cJSON_AddObjectToObject(object, "params");
    for (size_t i = 0; i < t->count; i++)
        add_point_value(params, output, n, i);
    json_add_estimate(object, "objective", &trial->objective);
    cJSON *bounded = cJSON_AddObjectToObject(object, "constrained");
    for (size_t i = 0; i < t->constraint_count; i++)
        json_add_real(bounded, name_of(t, t->constraints[i].column),
                      trial->failure ? NAN : trial->constrained[i]);
    struct str warning = {0};
    trial_warning(t, trial, &warning);
    TRIALS_COLUMNS_STATE(COLUMN_MEMBER)
    str_finish(&warning);
}

void tune_json(const struct tune_output *output, struct str *out) {
    const struct tune *t = output->tune;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", output->study->scenario.name);
    tune_json_protocol(root, output);
    cJSON_AddBoolToObject(root, "improved", tune_found(t));
    json_add_int(root, "best", (int64_t)t->search.best);
    tune_json_failed(root, t);
    tune_json_checked(root, output);
    cJSON *trials = cJSON_AddArrayToObject(root, "trials");
    for (size_t n = 0; n < t->trials.count; n++)
        add_trial_object(trials, output, n);
    compare_json_metrics(root, &output->check, &output->study->metrics);
    json_print(root, out);
}
