/* The aggregate of a run as one JSON object. */
#include "output/run/result_json.h"

#include "output/json.h"

void result_json(const struct study *study, const struct replicate_result *result,
                 const struct bound_output *bounds, struct str *out) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", study->scenario.name);
    cJSON_AddStringToObject(root, "policy", study->policy);
    json_add_int(root, "seed", study->scenario.seed);
    json_add_int(root, "replications", result->count);
    cJSON *metrics = cJSON_AddObjectToObject(root, "metrics");
    for (unsigned column = 0; column < SUMMARY_ALL; column++) {
        if (!summary_shows(study_metric_groups(study), column))
            continue;
        struct estimate e = t_interval_of_column(result->summaries, result->count, column);
        cJSON *metric = cJSON_AddObjectToObject(metrics, summary_names[column]);
        json_add_int(metric, "n", (int64_t)e.n);
        json_add_real(metric, "mean", e.mean);
        json_add_real(metric, "sd", e.sd);
        json_add_real(metric, "ci95", e.ci95);
    }
    if (bounds)
        bound_tables_add_json(bounds, root);
    json_print(root, out);
}
