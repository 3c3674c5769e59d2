/* A comparison as one JSON object: the figures of the CSV files, by name. */
#include "output/compare/budget_tables.h"
#include "output/compare/compare_tables.h"
#include "output/json.h"

#include "base/mem.h"

#include <stdlib.h>

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
