/* A regret as one JSON object: see regret_tables.h. */
#include "base/units.h"
#include "output/regret/regret_tables.h"

#include <math.h>

static void add_spread(const struct regret_spread *spread, cJSON *root) {
    cJSON *object = cJSON_AddObjectToObject(root, "regret");
    json_add_int(object, "points", (int64_t)spread->points.count);
    json_add_int(object, "best", (int64_t)spread->best);
    json_add_int(object, "waits", (int64_t)spread->waits);
    json_add_real(object, "mean", spread->mean);
    json_add_real(object, "median", spread->median);
    json_add_real(object, "p90", spread->p90);
    json_add_real(object, "most", spread->most);
}

static void add_groups(const struct regret_output *output, cJSON *root) {
    static const char *const names[] = {"by_k", "by_gpu_type", "by_waiting"};
    for (enum regret_grouping g = 0; g < REGRET_GROUPINGS; g++) {
        cJSON *list = cJSON_AddArrayToObject(root, names[g]);
        for (size_t i = 0; i < output->spread->groups[g].count; i++) {
            const struct regret_group *group = &output->spread->groups[g].at[i];
            cJSON *object = cJSON_CreateObject();
            if (g == REGRET_BY_TYPE)
                json_add_text(object, "gpu_type",
                              output->regret->study->cluster.gpu_types[group->key].name);
            else
                json_add_int(object, g == REGRET_BY_K ? "k" : "waiting_from", (int64_t)group->key);
            json_add_int(object, "points", (int64_t)group->points);
            json_add_int(object, "best", (int64_t)group->best);
            json_add_real(object, "mean", group->sum / (double)group->points);
            cJSON_AddItemToArray(list, object);
        }
    }
}

cJSON *regret_action_json(const struct regret *regret, const struct regret_row *row) {
    cJSON *object = cJSON_CreateObject();
    bool starts = row->config != EASIM_NONE;
    json_add_text(object, "action", regret_action_names[row->action]);
    json_add_text(object, "gpu_type",
                  starts ? regret->study->cluster.gpu_types[row->gpu_type].name : NULL);
    json_add_real(object, "k", starts ? row->k : NAN);
    json_add_real(object, "batch_per_gpu", row->batch > 0 ? row->batch : NAN);
    json_add_real(object, "gpu_share", row->milli > 0 ? (double)row->milli / WHOLE_GPU_MILLI : NAN);
    json_add_real(object, "power_limit_w", starts ? row->power_limit_w : NAN);
    for (enum regret_metric m = 0; m < REGRET_METRICS; m++)
        json_add_real(object, regret_metric_name(m, &regret->study->scenario), row->of[m]);
    return object;
}

static void add_worst(const struct regret_output *output, cJSON *root) {
    const struct regret *regret = output->regret;
    cJSON *list = cJSON_AddArrayToObject(root, "worst");
    for (size_t i = 0; i < output->spread->worst.count && i < 10; i++) {
        const struct regret_point *point = &output->spread->worst.at[i];
        const struct regret_row *row = &regret->rows.at.at[point->first];
        cJSON *object = cJSON_CreateObject();
        struct str story = {0};
        json_add_int(object, "replication", row->replication);
        json_add_int(object, "point", row->point);
        json_add_real(object, "time_s", units_s(row->time_ns));
        json_add_text(object, "job", text_places_at(&regret->rows.texts, row->job));
        json_add_real(object, "regret", point->regret);
        cJSON_AddItemToObject(object, "chosen", regret_action_json(regret, row));
        cJSON_AddItemToObject(object, "best",
                              regret_action_json(regret, &regret->rows.at.at[point->best]));
        regret_story(regret, point, &story);
        json_add_text(object, "story", story.text);
        str_finish(&story);
        cJSON_AddItemToArray(list, object);
    }
}

static void add_hindsight(const struct regret_output *output, cJSON *root) {
    const struct regret *regret = output->regret;
    cJSON *list = output->bounds ? cJSON_AddArrayToObject(root, "hindsight") : NULL;
    for (enum regret_metric m = 0; list && m < REGRET_METRICS; m++)
        for (uint32_t r = 0; r < regret->count; r++) {
            const struct bound bound = regret_tables_bound(output, m, r);
            cJSON *object = cJSON_CreateObject();
            if (regret->replications[r].end.points == 0) {
                cJSON_Delete(object);
                continue;
            }
            json_add_text(object, "metric", regret_metric_name(m, &regret->study->scenario));
            json_add_int(object, "replication", r + 1);
            json_add_real(object, "bound", bound.value);
            json_add_real(object, "hindsight", regret->replications[r].end.reached.of[m]);
            json_add_real(object, "value", regret->replications[r].own.of[m]);
            json_add_text(object, "reason", bound.reason);
            cJSON_AddItemToArray(list, object);
        }
}

void regret_tables_json(const struct regret_output *output, struct str *out) {
    const struct regret *regret = output->regret;
    cJSON *root = cJSON_CreateObject();
    json_add_text(root, "scenario", regret->study->scenario.name);
    json_add_text(root, "policy", regret->study->module.policy->name);
    json_add_text(root, "metric", regret_metric_name(regret->by, &regret->study->scenario));
    json_add_int(root, "replications", regret->count);
    json_add_int(root, "decision_points", (int64_t)regret->points);
    json_add_int(root, "failed", (int64_t)regret->failed);
    add_spread(output->spread, root);
    add_groups(output, root);
    add_hindsight(output, root);
    add_worst(output, root);
    json_print(root, out);
}
