/* manifest.json, built with cJSON. */
#include "output/manifest.h"

#include "base/units.h"
#include "easim_version.h"
#include "output/json.h"

void manifest_add_param(cJSON *object, const struct policy_params *params, size_t index) {
    const struct easim_param *param = params_at(params->policy, index);
    struct str text = {0};
    params_write_value(params, index, &text);
    bool number =
        param->type == EASIM_PARAM_REAL || param->type == EASIM_PARAM_DURATION || param->type == EASIM_PARAM_INT;
    if (param->type == EASIM_PARAM_BOOL)
        cJSON_AddBoolToObject(object, param->name, text.text[0] == 't');
    else if (number && strcmp(text.text, "off") != 0)
        cJSON_AddRawToObject(object, param->name, text.text);
    else
        cJSON_AddStringToObject(object, param->name, text.text);
    str_finish(&text);
}

cJSON *manifest_add_policy(cJSON *root, const char *key, const struct study *study) {
    const struct easim_policy *policy = study->module.policy;
    cJSON *object = cJSON_AddObjectToObject(root, key);
    cJSON_AddStringToObject(object, "name", policy->name);
    cJSON_AddStringToObject(object, "version", policy->version);
    cJSON *capabilities = cJSON_AddArrayToObject(object, "capabilities");
    for (int i = 0; i < 32; i++)
        if (policy->capabilities & 1u << i)
            cJSON_AddItemToArray(capabilities, cJSON_CreateString(module_capability_name(1u << i)));
    cJSON *params = cJSON_AddObjectToObject(object, "params");
    for (size_t i = 0; i < params_count(policy); i++)
        manifest_add_param(params, &study->params, i);
    return object;
}

static void add_models(cJSON *root, const struct model_set *models) {
    cJSON *list = cJSON_AddArrayToObject(root, "models");
    for (uint32_t i = 0; i < models->count; i++) {
        const struct model *model = &models->models[i];
        for (uint32_t g = 0; g < model->gpu_count; g++) {
            const struct gpu_model *gpu = &model->gpus[g];
            cJSON *object = cJSON_CreateObject();
            cJSON_AddStringToObject(object, "model", model->name);
            cJSON_AddStringToObject(object, "gpu_type", gpu->gpu);
            cJSON_AddStringToObject(object, "form", gpu->lookup.count > 0 ? "lookup" : "formula");
            cJSON_AddStringToObject(object, "weakest_evidence", evidence_names[gpu->weakest]);
            json_add_real(object, "mape_in_sample", gpu->mape_in_sample);
            json_add_real(object, "mape_leave_one_out", gpu->mape_leave_one_out);
            cJSON_AddBoolToObject(object, "measured_range", gpu->range_k.count == 2 && gpu->range_batch.count == 2);
            cJSON_AddItemToArray(list, object);
        }
    }
}

static void add_input(cJSON *root, const struct workload_source *source) {
    const struct stream *streams = source->streams.at;
    cJSON *list = cJSON_AddArrayToObject(root, "traces");
    for (size_t i = 0; i < source->streams.count; i++) {
        const struct trace *trace = &streams[i].trace;
        if (streams[i].kind != STREAM_TRACE)
            continue;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "file", streams[i].file);
        cJSON_AddStringToObject(object, "format", streams[i].format);
        json_add_int(object, "rows_read", (int64_t)trace->rows_read);
        json_add_int(object, "rows_kept", (int64_t)trace->rows.count);
        json_add_real(object, "offset_s", trace->offset_s);
        cJSON *notes = cJSON_AddArrayToObject(object, "notes");
        for (size_t n = 0; n < trace->notes.count; n++) {
            cJSON *note = cJSON_CreateObject();
            cJSON_AddStringToObject(note, "what", trace->notes.at[n].dropped ? "dropped" : "changed");
            cJSON_AddStringToObject(note, "reason", trace->notes.at[n].reason);
            json_add_int(note, "rows", (int64_t)trace->notes.at[n].rows);
            json_add_int(note, "first_line", trace->notes.at[n].first_line);
            cJSON_AddItemToArray(notes, note);
        }
        cJSON_AddItemToArray(list, object);
    }
}

/* Only where there is something to say: most scenarios have neither. */
static void add_series(cJSON *root, const struct study *study) {
    const struct series *list[STUDY_SERIES];
    cJSON *array = NULL;
    study_list_series(study, list);
    for (int i = 0; i < STUDY_SERIES; i++) {
        const struct series *s = list[i];
        if (!s->kind)
            continue;
        array = array ? array : cJSON_AddArrayToObject(root, "series");
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "key", s->kind->path);
        cJSON_AddStringToObject(object, "file", s->file);
        cJSON_AddStringToObject(object, "column", s->column);
        cJSON_AddBoolToObject(object, "repeat", s->repeat);
        json_add_int(object, "rows_read", (int64_t)s->rows);
        json_add_int(object, "gaps_filled", (int64_t)s->gaps);
        if (s->gaps > 0)
            json_add_int(object, "first_gap_line", s->first_gap_line);
        json_add_real(object, "shortest_step_s", units_s(s->shortest_ns));
        json_add_real(object, "longest_step_s", units_s(s->longest_ns));
        cJSON_AddItemToArray(array, object);
    }
    array = study->warnings.count > 0 ? cJSON_AddArrayToObject(root, "warnings") : NULL;
    for (size_t i = 0; i < study->warnings.count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(study->warnings.at[i]));
}

static void add_tally(cJSON *root, const char *name, const struct tally *tally) {
    cJSON *object = cJSON_AddObjectToObject(root, name);
    for (size_t i = 0; i < tally->entries.count; i++)
        json_add_int(object, tally->entries.at[i].reason, (int64_t)tally->entries.at[i].count);
}

cJSON *manifest_begin(const struct study *study) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "easim_version", EASIM_VERSION);
    cJSON_AddStringToObject(root, "commit", EASIM_COMMIT);
    cJSON_AddStringToObject(root, "name", study->scenario.name);
    cJSON_AddStringToObject(root, "config", study->scenario.file);
    return root;
}

void manifest_add_hash(cJSON *object, const struct study *study) {
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)scenario_hash(&study->scenario));
    cJSON_AddStringToObject(object, "config_hash", hash);
}

void manifest_add_inputs(cJSON *root, const struct study *study) {
    add_models(root, &study->models);
    add_input(root, &study->source);
    add_series(root, study);
}

void manifest_write(const struct study *study, const struct manifest_state *state, struct str *out) {
    cJSON *root = manifest_begin(study);
    manifest_add_hash(root, study);
    json_add_int(root, "seed", study->scenario.seed);
    json_add_int(root, "replications", study->scenario.replications);
    json_add_int(root, "replications_done", state->result->count);
    cJSON_AddBoolToObject(root, "partial", state->partial);
    manifest_add_policy(root, "policy", study);
    manifest_add_inputs(root, study);
    add_tally(root, "jobs_rejected", &state->result->rejected);
    add_tally(root, "actions_refused", &state->result->refused);
    cJSON *files = cJSON_AddArrayToObject(root, "files");
    for (const char *const *file = state->files; *file; file++)
        cJSON_AddItemToArray(files, cJSON_CreateString(*file));
    json_print(root, out);
}
