/* What many worlds say, as a part of the JSON object of a comparison. */
#include "output/compare/budget_tables.h"
#include "output/json.h"

#include <math.h>

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
