/* compare.csv, pareto.csv, stationarity.csv, perturb.csv. */
#include "output/compare/compare_tables.h"

#include "base/mem.h"
#include "io/csv.h"
#include "output/json.h"

#include <math.h>
#include <stdlib.h>

static void comma_reals(struct str *out, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        csv_comma_real(out, values[i]);
}

static void metric_row(const struct comparison *comparison, size_t series, unsigned column,
                       const struct compare_cell *cell, struct str *out) {
    const struct paired *p = &cell->paired;
    const double values[] = {cell->estimate.mean, cell->estimate.ci95, p->diff.mean, p->diff.ci95,
                             cell->relative,      p->p_value,          cell->p_holm};
    const double ratios[] = {p->ratio, p->ratio_low, p->ratio_high};
    csv_add_text(out, summary_names[column]);
    csv_comma_text(out, comparison->series[series].policy);
    csv_comma_text(out, compare_baseline(comparison));
    csv_comma_int(out, (int64_t)cell->estimate.n);
    comma_reals(out, values, sizeof values / sizeof *values);
    if (series == comparison->baseline || comparison->baseline == COMPARE_NOBODY)
        str_add_char(out, ',');
    else
        csv_comma_int(out, (int64_t)p->diff.n);
    comma_reals(out, ratios, sizeof ratios / sizeof *ratios);
    csv_comma_real(out, p->base_mean);
    str_add_char(out, '\n');
}

void compare_tables_metrics(const struct compare_output *output, struct str *out) {
    const struct comparison *c = &output->comparison;
    struct compare_cell *cells = mem_zalloc(c->count, sizeof *cells);
    str_add(
        out,
        "metric,policy,baseline,n,mean,ci95,diff_mean,diff_ci95,diff_rel,p_value,p_holm,pairs,ratio_geo,ratio_geo_low,ratio_geo_high,base_mean\n");
    for (unsigned column = 0; column < SUMMARY_ALL; column++) {
        if (!summary_shows(study_metric_groups(output->study), column))
            continue;
        compare_metric(c, column, cells);
        for (size_t s = 0; s < c->count; s++)
            metric_row(c, s, column, &cells[s], out);
    }
    free(cells);
}

void compare_tables_pareto(const struct compare_output *output, struct str *out) {
    const struct comparison *c = &output->comparison;
    struct compare_place *places = mem_zalloc(c->count, sizeof *places);
    struct compare_cell *cells = mem_zalloc(c->count * output->pareto_count, sizeof *cells);
    str_add(out, "policy,front,dominated_by,front_share");
    for (unsigned d = 0; d < output->pareto_count; d++) {
        str_addf(out, ",%s,%s_ci95", summary_names[output->pareto[d]],
                 summary_names[output->pareto[d]]);
        compare_metric(c, output->pareto[d], cells + d * c->count);
    }
    str_add_char(out, '\n');
    compare_pareto(c, output->pareto, output->pareto_count, places);
    for (size_t s = 0; s < c->count; s++) {
        csv_add_text(out, c->series[s].policy);
        csv_comma_int(out, places[s].dominator == PARETO_NOBODY);
        csv_comma_text(out, compare_dominator(c, &places[s], s));
        csv_comma_real(out, places[s].share);
        for (unsigned d = 0; d < output->pareto_count; d++) {
            csv_comma_real(out, cells[d * c->count + s].estimate.mean);
            csv_comma_real(out, cells[d * c->count + s].estimate.ci95);
        }
        str_add_char(out, '\n');
    }
    free(places);
    free(cells);
}

void compare_tables_trends(const struct compare_output *output, struct str *out) {
    str_add(
        out,
        "policy,n,queue_slope_per_h,queue_slope_ci95,work_unfinished_share,work_unfinished_ci95,jobs_unfinished_share,jobs_unfinished_ci95\n");
    for (size_t s = 0; s < output->comparison.count; s++) {
        struct compare_trend t = compare_trend(&output->comparison, s);
        const double values[] = {t.queue_per_h.mean,     t.queue_per_h.ci95,
                                 t.work_unfinished.mean, t.work_unfinished.ci95,
                                 t.jobs_unfinished.mean, t.jobs_unfinished.ci95};
        csv_add_text(out, output->comparison.series[s].policy);
        csv_comma_int(out, (int64_t)output->comparison.replications);
        comma_reals(out, values, sizeof values / sizeof *values);
        str_add_char(out, '\n');
    }
}

static void perturbed_rows(const struct compare_perturbed *perturbed, unsigned column,
                           struct str *out) {
    for (size_t s = 0; s < perturbed->clean.count; s++) {
        struct ratio r = compare_ratio(&perturbed->perturbed, &perturbed->clean, s, column);
        const double values[] = {r.base_mean, r.mean, r.ratio, r.ci95};
        csv_add_text(out, perturbed->name);
        csv_comma_real(out, perturbed->amount);
        csv_comma_text(out, summary_names[column]);
        csv_comma_text(out, perturbed->clean.series[s].policy);
        csv_comma_int(out, (int64_t)r.n);
        comma_reals(out, values, sizeof values / sizeof *values);
        str_add_char(out, '\n');
    }
}

void compare_tables_perturbed(const struct compare_output *output, struct str *out) {
    str_add(out,
            "perturbation,amount,metric,policy,n,clean_mean,perturbed_mean,ratio,ratio_ci95\n");
    for (size_t i = 0; i < output->perturbed_count; i++)
        for (unsigned column = 0; column < SUMMARY_ALL; column++)
            if (summary_shows(study_metric_groups(output->study), column))
                perturbed_rows(&output->perturbed[i], column, out);
}

/* --- budget_json --- */

static void add_range(cJSON *object, const char *name, const struct share_range *range) {
    cJSON *part = cJSON_AddObjectToObject(object, name);
    json_add_real(part, "share", range->share);
    json_add_real(part, "ci_low", range->low);
    json_add_real(part, "ci_high", range->high);
}

static void add_difference_object(cJSON *policies, const struct doubt *doubt, unsigned column,
                                  size_t policy) {
    const struct budget *b = doubt_budget(doubt, column, policy);
    cJSON *object = cJSON_AddObjectToObject(policies, doubt->results->policy_names[policy]);
    json_add_int(object, "worlds", (int64_t)b->worlds);
    json_add_int(object, "replications", (int64_t)b->replications);
    json_add_real(object, "diff_mean", b->mean);
    json_add_real(object, "diff_ci95", b->ci95);
    json_add_real(object, "diff_rel", b->base_mean != 0 ? b->mean / fabs(b->base_mean) : NAN);
    json_add_real(object, "base_mean", b->base_mean);
    json_add_real(object, "degrees", b->degrees);
    json_add_real(object, "physics_var", b->squares.physics);
    json_add_real(object, "workload_var", b->squares.workload);
    json_add_real(object, "residual_var", b->squares.residual);
    add_range(object, "p_better", &b->better.clearly);
    add_range(object, "sign_better", &b->better.sign);
    add_range(object, "p_worse", &b->better.worse);
    cJSON *sources = cJSON_AddObjectToObject(object, "budget");
    for (size_t i = 0; i < DOUBT_SOURCES + doubt_group_count(doubt); i++) {
        struct share_range range = doubt_source_share(doubt, column, policy, i);
        add_range(sources, doubt_source_name(doubt, i), &range);
    }
}

void budget_json(cJSON *root, const struct doubt *doubt) {
    cJSON *metrics = cJSON_AddObjectToObject(root, "worlds");
    for (unsigned column = 0; column < SUMMARY_COUNT; column++) {
        cJSON *policies = cJSON_AddObjectToObject(metrics, summary_names[column]);
        for (size_t p = 0; p < doubt->results->policies; p++)
            if (p != doubt->results->baseline)
                add_difference_object(policies, doubt, column, p);
    }
}

/* --- compare_json --- */
/* The figures of the CSV files, by name. */

static void add_policy_object(cJSON *policies, const struct comparison *comparison, size_t series,
                              const struct compare_cell *cell) {
    cJSON *object = cJSON_AddObjectToObject(policies, comparison->series[series].policy);
    const struct paired *p = &cell->paired;
    json_add_int(object, "n", (int64_t)cell->estimate.n);
    json_add_real(object, "mean", cell->estimate.mean);
    json_add_real(object, "ci95", cell->estimate.ci95);
    json_add_real(object, "diff_mean", p->diff.mean);
    json_add_real(object, "diff_ci95", p->diff.ci95);
    json_add_real(object, "diff_rel", cell->relative);
    json_add_real(object, "p_value", p->p_value);
    json_add_real(object, "p_holm", cell->p_holm);
    if (series == comparison->baseline || comparison->baseline == COMPARE_NOBODY)
        cJSON_AddNullToObject(object, "pairs");
    else
        json_add_int(object, "pairs", (int64_t)p->diff.n);
    json_add_real(object, "ratio_geo", p->ratio);
    json_add_real(object, "ratio_geo_low", p->ratio_low);
    json_add_real(object, "ratio_geo_high", p->ratio_high);
    json_add_real(object, "base_mean", p->base_mean);
}

void compare_json_metrics(cJSON *root, const struct comparison *comparison, unsigned groups) {
    struct compare_cell *cells = mem_zalloc(comparison->count, sizeof *cells);
    cJSON *metrics = cJSON_AddObjectToObject(root, "metrics");
    for (unsigned column = 0; column < SUMMARY_ALL; column++) {
        if (!summary_shows(groups, column))
            continue;
        cJSON *policies = cJSON_AddObjectToObject(metrics, summary_names[column]);
        compare_metric(comparison, column, cells);
        for (size_t s = 0; s < comparison->count; s++)
            add_policy_object(policies, comparison, s, &cells[s]);
    }
    free(cells);
}

static void add_pareto(cJSON *root, const struct compare_output *output) {
    const struct comparison *c = &output->comparison;
    struct compare_place *places = mem_zalloc(c->count, sizeof *places);
    cJSON *object = cJSON_AddObjectToObject(root, "pareto");
    cJSON *metrics = cJSON_AddArrayToObject(object, "metrics");
    for (unsigned d = 0; d < output->pareto_count; d++)
        cJSON_AddItemToArray(metrics, cJSON_CreateString(summary_names[output->pareto[d]]));
    cJSON *policies = cJSON_AddObjectToObject(object, "policies");
    compare_pareto(c, output->pareto, output->pareto_count, places);
    for (size_t s = 0; s < c->count; s++) {
        cJSON *policy = cJSON_AddObjectToObject(policies, c->series[s].policy);
        cJSON_AddBoolToObject(policy, "front", places[s].dominator == PARETO_NOBODY);
        json_add_text(policy, "dominated_by", compare_dominator(c, &places[s], s));
        json_add_real(policy, "front_share", places[s].share);
    }
    free(places);
}

static void add_stationarity_object(cJSON *root, const struct comparison *comparison) {
    cJSON *policies = cJSON_AddObjectToObject(root, "stationarity");
    for (size_t s = 0; s < comparison->count; s++) {
        struct compare_trend t = compare_trend(comparison, s);
        cJSON *policy = cJSON_AddObjectToObject(policies, comparison->series[s].policy);
        json_add_estimate(policy, "queue_slope_per_h", &t.queue_per_h);
        json_add_estimate(policy, "work_unfinished_share", &t.work_unfinished);
        json_add_estimate(policy, "jobs_unfinished_share", &t.jobs_unfinished);
    }
}

static void add_perturbed_object(cJSON *root, const struct compare_perturbed *perturbed,
                                 unsigned groups) {
    cJSON *object = cJSON_AddObjectToObject(root, perturbed->name);
    json_add_real(object, "amount", perturbed->amount);
    cJSON *metrics = cJSON_AddObjectToObject(object, "metrics");
    for (unsigned column = 0; column < SUMMARY_ALL; column++) {
        if (!summary_shows(groups, column))
            continue;
        cJSON *policies = cJSON_AddObjectToObject(metrics, summary_names[column]);
        for (size_t s = 0; s < perturbed->clean.count; s++) {
            struct ratio r = compare_ratio(&perturbed->perturbed, &perturbed->clean, s, column);
            cJSON *policy = cJSON_AddObjectToObject(policies, perturbed->clean.series[s].policy);
            json_add_int(policy, "n", (int64_t)r.n);
            json_add_real(policy, "clean_mean", r.base_mean);
            json_add_real(policy, "perturbed_mean", r.mean);
            json_add_real(policy, "ratio", r.ratio);
            json_add_real(policy, "ratio_ci95", r.ci95);
        }
    }
}

void compare_json(const struct compare_output *output, struct str *out) {
    const struct comparison *c = &output->comparison;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", output->study->scenario.name);
    json_add_int(root, "seed", output->study->scenario.seed);
    json_add_int(root, "replications", c->replications);
    json_add_text(root, "baseline", compare_baseline(c));
    compare_json_metrics(root, c, study_metric_groups(output->study));
    add_pareto(root, output);
    add_stationarity_object(root, c);
    cJSON *perturbed =
        output->perturbed_count > 0 ? cJSON_AddObjectToObject(root, "perturbed") : NULL;
    for (size_t i = 0; i < output->perturbed_count; i++)
        add_perturbed_object(perturbed, &output->perturbed[i], study_metric_groups(output->study));
    if (output->doubt)
        budget_json(root, output->doubt);
    if (output->bounds)
        bound_tables_add_json(output->bounds, root);
    json_print(root, out);
}

/* --- budget_tables --- */

static const char *baseline_name(const struct world_results *results) {
    return results->baseline == WORLD_NOBODY ? NULL : results->policy_names[results->baseline];
}

static void add_row_begin(const struct doubt *doubt, unsigned column, size_t policy,
                          struct str *out) {
    csv_add_text(out, summary_names[column]);
    csv_comma_text(out, doubt->results->policy_names[policy]);
    csv_comma_text(out, baseline_name(doubt->results));
}

static void comma_range(struct str *out, const struct share_range *range) {
    csv_comma_real(out, range->share);
    csv_comma_real(out, range->low);
    csv_comma_real(out, range->high);
}

static void share_rows(const struct doubt *doubt, unsigned column, size_t policy, struct str *out) {
    for (size_t i = 0; i < DOUBT_SOURCES + doubt_group_count(doubt); i++) {
        struct share_range range = doubt_source_share(doubt, column, policy, i);
        add_row_begin(doubt, column, policy, out);
        csv_comma_text(out, doubt_source_name(doubt, i));
        comma_range(out, &range);
        str_add_char(out, '\n');
    }
}

static void difference_row(const struct doubt *doubt, unsigned column, size_t policy,
                           struct str *out) {
    const struct budget *b = doubt_budget(doubt, column, policy);
    const double values[] = {b->mean,
                             b->ci95,
                             b->base_mean != 0 ? b->mean / fabs(b->base_mean) : NAN,
                             b->base_mean,
                             b->degrees,
                             b->squares.physics,
                             b->squares.workload,
                             b->squares.residual};
    add_row_begin(doubt, column, policy, out);
    csv_comma_int(out, (int64_t)b->worlds);
    csv_comma_int(out, (int64_t)b->replications);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        csv_comma_real(out, values[i]);
    comma_range(out, &b->better.clearly);
    comma_range(out, &b->better.sign);
    comma_range(out, &b->better.worse);
    str_add_char(out, '\n');
}

/* One call for each metric and each policy that has something to differ from. */
static void each_difference(const struct doubt *doubt,
                            void (*add_rows)(const struct doubt *, unsigned, size_t, struct str *),
                            struct str *out) {
    for (unsigned column = 0; column < SUMMARY_COUNT; column++)
        for (size_t p = 0; p < doubt->results->policies; p++)
            if (p != doubt->results->baseline)
                add_rows(doubt, column, p, out);
}

void budget_tables_shares(const struct doubt *doubt, struct str *out) {
    str_add(out, "metric,policy,baseline,source,share,ci_low,ci_high\n");
    each_difference(doubt, share_rows, out);
}

void budget_tables_differences(const struct doubt *doubt, struct str *out) {
    str_add(
        out,
        "metric,policy,baseline,worlds,replications,diff_mean,diff_ci95,diff_rel,base_mean,degrees,physics_var,workload_var,residual_var,p_better,p_better_low,p_better_high,sign_better,sign_better_low,sign_better_high,p_worse,p_worse_low,p_worse_high\n");
    each_difference(doubt, difference_row, out);
}
