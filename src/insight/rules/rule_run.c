/* Data shared by rules: see rule_run.h. */
#include "insight/rules/rule_run.h"

#include "base/units.h"
#include "cluster/power_meter.h"
#include "io/files.h"
#include "study/recorded.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

/* --- policy_facts --- */

#define MOST_MANIFEST_BYTES (64u << 20)

static cJSON *parse_file(const char *path) {
    struct str text = {0};
    struct error error = {0};
    cJSON *root = NULL;
    if (files_read(path, MOST_MANIFEST_BYTES, &text, &error) == 0)
        root = cJSON_ParseWithLength(text.text ? text.text : "", text.length);
    str_finish(&text);
    return root;
}

static const char *text_of(struct arena *arena, const cJSON *value) {
    if (cJSON_IsString(value))
        return arena_strdup(arena, value->valuestring);
    char *printed = cJSON_PrintUnformatted(value);
    const char *text = arena_strdup(arena, printed ? printed : "");
    cJSON_free(printed);
    return text;
}

static void read_policy(struct policy_facts *facts, const cJSON *policy) {
    const cJSON *roles = cJSON_GetObjectItemCaseSensitive(policy, "roles"), *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(policy, "capabilities"))
        array_push(&facts->capabilities, text_of(&facts->arena, item));
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(policy, "params")) {
        struct policy_param *param = array_add(&facts->params);
        param->name = arena_strdup(&facts->arena, item->string);
        param->value = text_of(&facts->arena, item);
        const cJSON *role = cJSON_GetObjectItemCaseSensitive(roles, item->string);
        param->role = role ? text_of(&facts->arena, role) : NULL;
    }
}

static void policy_facts_load(struct policy_facts *facts, const struct recorded_folder *folder,
                              const struct recorded_part *part) {
    cJSON *root = parse_file(arena_printf(&facts->arena, "%s/" MANIFEST_NAME,
                                          recorded_folder_of_policy(folder, part, &facts->arena)));
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(root, "policy");
    const cJSON *label = cJSON_GetObjectItemCaseSensitive(own, "label");
    const cJSON *name = label ? label : cJSON_GetObjectItemCaseSensitive(own, "name");
    if (cJSON_IsString(name) &&
        strcmp(name->valuestring, folder->policies.at[part->policy].name) == 0)
        read_policy(facts, own);
    cJSON_Delete(root);
}

static void policy_facts_finish(struct policy_facts *facts) {
    free(facts->capabilities.at);
    free(facts->params.at);
    arena_finish(&facts->arena);
    *facts = (struct policy_facts){0};
}

bool policy_facts_can(const struct policy_facts *facts, const char *capability) {
    size_t i = 0;
    while (i < facts->capabilities.count && strcmp(facts->capabilities.at[i], capability) != 0)
        i++;
    return i < facts->capabilities.count;
}

const struct policy_param *policy_facts_param(const struct policy_facts *facts, const char *role) {
    for (size_t i = 0; i < facts->params.count; i++)
        if (facts->params.at[i].role && strcmp(facts->params.at[i].role, role) == 0)
            return &facts->params.at[i];
    return NULL;
}

/* --- rule_run --- */

void rule_run_init(struct rule_run *rule_run, const struct recorded_run *run,
                   const struct waste *waste, const struct blame *blame) {
    *rule_run = (struct rule_run){.folder = run->folder,
                                  .run = run,
                                  .waste = waste,
                                  .blame = blame,
                                  .policy = run->folder->policies.at[run->part->policy].name,
                                  .from_ns = run->workload.warmup_ns,
                                  .to_ns = run->part->end_ns};
    rule_run->from_s = units_s(rule_run->from_ns);
    rule_run->to_s = units_s(rule_run->to_ns);
    rule_run->energy_j = run->summary.energy_kwh * J_PER_KWH;
    rule_run->gpu_s = run->summary.sim_s * run->folder->cluster.gpus;
    rule_run->jobs = run->summary.jobs_submitted;
    policy_facts_load(&rule_run->facts, run->folder, run->part);
    power_steps_make(&rule_run->power, run);
}

void rule_run_finish(struct rule_run *rule_run) {
    policy_facts_finish(&rule_run->facts);
    power_steps_finish(&rule_run->power);
    *rule_run = (struct rule_run){0};
}

double rule_run_wait_s(const struct rule_run *rule_run, uint32_t job) {
    int64_t start_ns = rule_run->run->jobs[job].start_ns;
    int64_t until_ns = start_ns < 0 ? rule_run->to_ns : start_ns;
    return units_s(until_ns - rule_run->run->workload.jobs.at[job].submit_ns);
}

double rule_run_power_w(const struct recorded_segment *segment) {
    int64_t ns = segment->end_ns - segment->start_ns;
    return ns > 0 ? power_j(segment->energy) / units_s(ns) : 0;
}

double rule_run_overlap_s(const struct rule_run *rule_run, int64_t start_ns, int64_t end_ns) {
    int64_t from = start_ns > rule_run->from_ns ? start_ns : rule_run->from_ns;
    int64_t to = end_ns < rule_run->to_ns ? end_ns : rule_run->to_ns;
    return to > from ? units_s(to - from) : 0;
}

double rule_run_energy_j(const struct rule_run *rule_run, const struct recorded_segment *segment) {
    return rule_run_power_w(segment) *
           rule_run_overlap_s(rule_run, segment->start_ns, segment->end_ns);
}

double rule_run_gpu_s(const struct rule_run *rule_run, const struct recorded_segment *segment) {
    return (double)recorded_run_milli(rule_run->run, segment) / WHOLE_GPU_MILLI *
           rule_run_overlap_s(rule_run, segment->start_ns, segment->end_ns);
}
