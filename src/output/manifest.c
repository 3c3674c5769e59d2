/* manifest.json, built with cJSON, scenario.yaml and models.yaml. */
#include "output/manifest.h"

#include "base/units.h"
#include "config/policy_text.h"
#include "easim_version.h"
#include "io/atomic_file.h"
#include "io/files.h"
#include "io/leftovers.h"
#include "io/yaml_doc.h"
#include "model/model_fields.h"
#include "policy/interface.h"

#include <unistd.h>

void manifest_add_param(cJSON *object, const struct policy_params *params, size_t index) {
    const struct easim_param *param = params_at(params->policy, index);
    struct str text = {0};
    params_write_value(params, index, &text);
    if (param->type == EASIM_PARAM_TABLE && text.length > 0) { /* where it is, the inputs say */
        cJSON_AddStringToObject(object, param->name, files_name(text.text));
        str_finish(&text);
        return;
    }
    bool number = param->type == EASIM_PARAM_REAL || param->type == EASIM_PARAM_DURATION ||
                  param->type == EASIM_PARAM_INT;
    if (param->type == EASIM_PARAM_BOOL)
        cJSON_AddBoolToObject(object, param->name, text.text[0] == 't');
    else if (number && strcmp(text.text, "off") != 0)
        cJSON_AddRawToObject(object, param->name, text.text);
    else
        cJSON_AddStringToObject(object, param->name, text.text);
    str_finish(&text);
}

cJSON *manifest_add_policy(cJSON *object, const char *key, const struct study *study) {
    const struct easim_policy *policy = study->module.policy;
    cJSON *policy_object = cJSON_AddObjectToObject(object, key);
    cJSON_AddStringToObject(policy_object, "name", policy->name);
    if (study->scenario.policy.label)
        cJSON_AddStringToObject(policy_object, "label", study->scenario.policy.label);
    if (study->scenario.policy.variant)
        cJSON_AddStringToObject(policy_object, "variant", study->scenario.policy.variant);
    cJSON_AddStringToObject(policy_object, "version", policy->version);
    cJSON *capabilities = cJSON_AddArrayToObject(policy_object, "capabilities");
    uint32_t used = policy->capabilities;
    if (!(used & EASIM_CAPABILITY_FREQUENCY) && study->cluster.cap_rules.enforce == ENFORCE_NONE)
        used &= ~(uint32_t)CAPABILITY_POWER; /* it has nothing to read */
    for (int i = 0; i < 32; i++)
        if (used & 1u << i)
            cJSON_AddItemToArray(capabilities,
                                 cJSON_CreateString(interface_capability_name(1u << i)));
    cJSON *params = cJSON_AddObjectToObject(policy_object, "params");
    for (size_t i = 0; i < params_count(policy); i++)
        manifest_add_param(params, &study->params, i);
    cJSON *roles = cJSON_AddObjectToObject(policy_object, "roles");
    for (size_t i = 0; i < params_count(policy); i++)
        if (interface_role(policy, params_at(policy, i)))
            cJSON_AddStringToObject(roles, params_at(policy, i)->name,
                                    interface_role(policy, params_at(policy, i)));
    return policy_object;
}

static void add_model_objects(cJSON *root, const struct model_set *models) {
    cJSON *list = cJSON_AddArrayToObject(root, "models");
    for (uint32_t i = 0; i < models->count; i++) {
        const struct model *model = &models->models[i];
        for (uint32_t g = 0; g < model->gpu_count; g++) {
            const struct gpu_model *gpu = &model->gpus[g];
            cJSON *object = json_append_object(list);
            cJSON_AddStringToObject(object, "model", model->name);
            cJSON_AddStringToObject(object, "gpu_type", gpu->gpu);
            cJSON_AddStringToObject(object, "form", gpu->lookup_speed ? "lookup" : "formula");
            if (gpu->lookup_power != gpu->lookup_speed)
                cJSON_AddStringToObject(object, "power_form",
                                        gpu->lookup_power ? "lookup" : "formula");
            if (gpu->power_scope != POWER_SCOPE_GPU)
                cJSON_AddStringToObject(object, "power_scope", power_scope_names[gpu->power_scope]);
            cJSON_AddStringToObject(object, "weakest_evidence", evidence_names[gpu->weakest]);
            json_add_real(object, "mape_in_sample", gpu->mape_in_sample);
            json_add_real(object, "mape_leave_one_out", gpu->mape_leave_one_out);
            cJSON_AddBoolToObject(object, "measured_range",
                                  gpu->range_k.count == 2 && gpu->range_batch.count == 2);
        }
    }
}

/* A file as it is called from inside of the folder. */
static void add_path(cJSON *object, const char *key, const char *path, const char *folder) {
    struct arena arena = {0};
    cJSON_AddStringToObject(object, key,
                            strcmp(path, "-") == 0 ? path : files_relative(path, folder, &arena));
    arena_finish(&arena);
}

void manifest_add_paths(cJSON *root, const char *key, const char *const *paths,
                        const char *folder) {
    struct arena arena = {0};
    cJSON *list = cJSON_AddArrayToObject(root, key);
    for (; *paths; paths++)
        cJSON_AddItemToArray(list, cJSON_CreateString(files_relative(*paths, folder, &arena)));
    arena_finish(&arena);
}

static void add_traces(cJSON *root, const struct workload_source *source, const char *folder) {
    const struct stream *streams = source->streams.at;
    cJSON *list = cJSON_AddArrayToObject(root, "traces");
    for (size_t i = 0; i < source->streams.count; i++) {
        const struct trace *trace = &streams[i].trace;
        if (streams[i].kind != STREAM_TRACE)
            continue;
        cJSON *object = json_append_object(list);
        add_path(object, "file", streams[i].file, folder);
        cJSON_AddStringToObject(object, "format", streams[i].format);
        json_add_int(object, "rows_read", (int64_t)trace->rows_read);
        json_add_int(object, "rows_kept", (int64_t)trace->rows.count);
        json_add_real(object, "offset_s", trace->offset_s);
        if (streams[i].perturb_node)
            json_add_int(object, "perturbed_days", trace_perturb_days(trace));
        cJSON *notes = cJSON_AddArrayToObject(object, "notes");
        for (size_t n = 0; n < trace->notes.count; n++) {
            cJSON *note = json_append_object(notes);
            cJSON_AddStringToObject(note, "what",
                                    trace->notes.at[n].dropped ? "dropped" : "changed");
            cJSON_AddStringToObject(note, "reason", trace->notes.at[n].reason);
            json_add_int(note, "rows", (int64_t)trace->notes.at[n].rows);
            json_add_int(note, "first_line", trace->notes.at[n].first_line);
        }
    }
}

/* The times that policies take as run times, for streams with estimates. */
static void add_estimates(cJSON *root, const struct workload_source *source) {
    const struct stream *streams = source->streams.at;
    cJSON *list = NULL;
    for (size_t i = 0; i < source->streams.count; i++) {
        struct str text = {0};
        if (!streams[i].estimate.node)
            continue;
        stream_write_estimate(&streams[i].estimate, &text);
        list = list ? list : cJSON_AddArrayToObject(root, "estimates");
        cJSON *object = json_append_object(list);
        cJSON_AddStringToObject(object, "stream", streams[i].name);
        cJSON_AddStringToObject(object, "estimate", text.text);
        str_finish(&text);
    }
}

/* Only if there is something to list: most scenarios have neither. */
static void add_series_objects(cJSON *root, const struct study *study, const char *folder) {
    cJSON *array = NULL;
    for (int i = 0; i < SIGNALS; i++) {
        const struct series *s = &study->scenario.signals[i];
        if (!s->kind)
            continue;
        array = array ? array : cJSON_AddArrayToObject(root, "series");
        cJSON *object = json_append_object(array);
        cJSON_AddStringToObject(object, "key", s->kind->path);
        add_path(object, "file", s->file, folder);
        cJSON_AddStringToObject(object, "column", s->column);
        cJSON_AddBoolToObject(object, "repeat", s->repeat);
        json_add_int(object, "rows_read", (int64_t)s->rows);
        json_add_int(object, "gaps_filled", (int64_t)s->gaps);
        if (s->gaps > 0)
            json_add_int(object, "first_gap_line", s->first_gap_line);
        json_add_real(object, "shortest_step_s", units_s(s->shortest_ns));
        json_add_real(object, "longest_step_s", units_s(s->longest_ns));
    }
    const struct series *s;
    cJSON *periods = NULL;
    for (size_t at = 0; (s = study_next_repeated(study, &at)) != NULL; at++) {
        periods = periods ? periods : cJSON_AddObjectToObject(root, "periods");
        json_add_real(periods, s->kind->path, units_s(s->end_ns - s->first_ns));
    }
    array = study->warnings.count > 0 ? cJSON_AddArrayToObject(root, "warnings") : NULL;
    for (size_t i = 0; i < study->warnings.count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(study->warnings.at[i]));
}

void manifest_add_hash(cJSON *object, const struct study *study) {
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)scenario_hash(&study->scenario));
    cJSON_AddStringToObject(object, "config_hash", hash);
}

void manifest_add_inputs(cJSON *root, const struct study *study, const char *folder) {
    add_model_objects(root, &study->models);
    add_traces(root, &study->source, folder);
    add_estimates(root, &study->source);
    add_series_objects(root, study, folder);
}

/* ---- What every manifest has ---- */

static void add_overrides(cJSON *root, const struct scenario *scenario) {
    cJSON *object = cJSON_AddObjectToObject(root, "overrides");
    json_add_text(object, "policy", scenario->policy_override);
    cJSON *sets = cJSON_AddArrayToObject(object, "set");
    for (size_t i = 0; i < scenario->overrides.count; i++)
        cJSON_AddItemToArray(sets, cJSON_CreateString(scenario->overrides.at[i]));
}

/* Only where it matters: words for a policy's program and paths in options are names from there. */
static void add_working_folder(cJSON *root, const struct manifest_origin *origin,
                               const char *folder) {
    bool matters = origin->inputs->from_here;
    for (const char *const *word = origin->options; *word; word++)
        matters = matters || strchr(*word, '/');
    if (matters)
        add_path(root, "working_folder", "./.", folder);
}

cJSON *manifest_begin(const struct manifest_origin *origin, const char *name, const char *folder) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "easim_version", EASIM_VERSION);
    cJSON_AddStringToObject(root, "commit", EASIM_COMMIT);
    cJSON_AddStringToObject(root, "command", origin->command);
    cJSON_AddStringToObject(root, "name", name);
    if (origin->scenario) {
        add_path(root, "config", origin->scenario->file, folder);
        add_overrides(root, origin->scenario);
    }
    cJSON *options = cJSON_AddArrayToObject(root, "options");
    for (const char *const *word = origin->options; *word; word++)
        cJSON_AddItemToArray(options, cJSON_CreateString(*word));
    add_working_folder(root, origin, folder);
    return root;
}

static void add_contents(cJSON *object, const char *sha256, uint64_t bytes) {
    json_add_int(object, "bytes", (int64_t)bytes);
    json_add_text(object, "sha256", sha256[0] ? sha256 : NULL);
}

static void add_files_read(cJSON *root, const struct inputs *inputs, const char *folder) {
    cJSON *list = cJSON_AddArrayToObject(root, "inputs");
    for (size_t i = 0; i < inputs->list.count; i++) {
        const struct input *input = &inputs->list.at[i];
        cJSON *object = json_append_object(list);
        cJSON_AddStringToObject(object, "key", input->key);
        if (input->name)
            cJSON_AddStringToObject(object, "name", input->name);
        if (input->of_system)
            cJSON_AddStringToObject(object, "path", input->path);
        else
            add_path(object, "path", input->path, folder);
        add_contents(object, input->sha256, input->bytes);
        cJSON_AddBoolToObject(object, "in_scenario", input->inlined);
    }
}

/* *ret_object NULL: there is no such file. */
static int file_object(const char *folder, const char *name, cJSON **ret_object,
                       struct error *reterr) {
    struct arena arena = {0};
    char sha256[SHA256_TEXT];
    uint64_t bytes;
    int r = sha256_file(arena_printf(&arena, "%s/%s", folder, name), sha256, &bytes, reterr);
    arena_finish(&arena);
    *ret_object = NULL;
    if (r != 0)
        return r < 0 ? r : 0;
    *ret_object = cJSON_CreateObject();
    cJSON_AddStringToObject(*ret_object, "file", name);
    add_contents(*ret_object, sha256, bytes);
    return 0;
}

static int add_scenario(cJSON *root, const char *folder, struct error *reterr) {
    cJSON *object;
    int r = file_object(folder, SCENARIO_NAME, &object, reterr);
    if (r == 0 && !object)
        r = error_set(reterr, ERROR_IO, "%s/" SCENARIO_NAME ": was removed while it was written",
                      folder);
    if (r == 0)
        cJSON_AddItemToObject(root, "scenario", object);
    return r;
}

/* An entry in both lists, if there is such a file. */
static int add_result(cJSON *root, const char *folder, const char *name, struct error *reterr) {
    cJSON *object;
    int r = file_object(folder, name, &object, reterr);
    if (r < 0 || !object)
        return r;
    cJSON_AddItemToArray(cJSON_GetObjectItem(root, "files"), cJSON_CreateString(name));
    cJSON_AddItemToArray(cJSON_GetObjectItem(root, "results"), object);
    return 0;
}

static int add_results(cJSON *root, const char *folder, const char *const *files,
                       struct error *reterr) {
    int r = 0;
    cJSON_AddArrayToObject(root, "files");
    cJSON_AddArrayToObject(root, "results");
    for (const char *const *name = files; *name && r == 0; name++)
        r = add_result(root, folder, *name, reterr);
    return r < 0 ? r : add_result(root, folder, MODELS_NAME, reterr);
}

/* ---- scenario.yaml and models.yaml ---- */

struct resolver {
    const struct scenario *scenario;
    const char *folder, *policy;
    const struct yaml_node **texts; /* of the scenario's uses, by address */
    size_t text_count;
    struct arena arena;
};

static int compare_addresses(const void *left, const void *right) {
    uintptr_t a = (uintptr_t) * (const struct yaml_node *const *)left;
    uintptr_t b = (uintptr_t) * (const struct yaml_node *const *)right;
    return (a > b) - (a < b);
}

static void sort_texts(struct resolver *resolver) {
    const struct schema_uses *uses = &resolver->scenario->uses;
    if (uses->texts.count == 0)
        return;
    size_t size = uses->texts.count * sizeof *resolver->texts;
    resolver->texts = arena_alloc(&resolver->arena, size);
    resolver->text_count = uses->texts.count;
    memcpy(resolver->texts, uses->texts.at, size);
    qsort(resolver->texts, resolver->text_count, sizeof *resolver->texts, compare_addresses);
}

/* A text that is not to be taken for something else: 5e1 would be written as the number 50. */
static const struct yaml_node *quoted_text(struct resolver *resolver,
                                           const struct yaml_node *node) {
    if (!resolver->texts || !bsearch(&node, resolver->texts, resolver->text_count,
                                     sizeof *resolver->texts, compare_addresses))
        return NULL;
    struct yaml_node *text = arena_alloc(&resolver->arena, sizeof *text);
    *text = *node;
    text->quoted = true;
    return text;
}

/* Parameters of the one policy that runs: others may be known by no name where this is read. */
static const struct yaml_node *own_params(struct resolver *resolver,
                                          const struct yaml_node *by_policy) {
    struct yaml_node *own = arena_alloc(&resolver->arena, sizeof *own);
    *own = *by_policy;
    own->count = 0;
    for (size_t i = 0; i < by_policy->count && own->count == 0; i++) {
        own->keys = by_policy->keys + i;
        own->items = by_policy->items + i;
        own->count = strcmp(by_policy->keys[i]->text, resolver->policy) == 0;
    }
    return own;
}

/* The replacement of the name of a file: its content, or its name from the folder of the results.
   Texts get quotes. */
static const struct yaml_node *resolve_value(void *context, const struct yaml_node *node) {
    struct resolver *r = context;
    const struct schema_uses *uses = &r->scenario->uses;
    if (r->policy && node == r->scenario->params_by_policy)
        return own_params(r, node);
    for (size_t i = 0; i < uses->files.count; i++) {
        const struct file_use *use = &uses->files.at[i];
        if (use->node != node)
            continue;
        if (use->content)
            return use->content;
        struct yaml_node *path = arena_alloc(&r->arena, sizeof *path);
        path->kind = YAML_NODE_SCALAR;
        path->text = files_relative(use->path, r->folder, &r->arena);
        if (!strchr(path->text, '/')) /* a policy without a slash would be sought */
            path->text = arena_printf(&r->arena, "./%s", path->text);
        if (strcmp(use->key, "policy.name") == 0)
            path->text = policy_text_quote(path->text, &r->arena);
        path->length = strlen(path->text);
        path->quoted = true;
        return path;
    }
    return quoted_text(r, node);
}

static int write_yaml(struct resolver *resolver, const struct yaml_node *root, const char *head,
                      const char *name, struct error *reterr) {
    const struct yaml_replace replace = {resolver, resolve_value};
    struct str text = {0};
    str_add(&text, head);
    int r = yaml_write(root, &replace, &text, reterr);
    if (r == 0)
        r = atomic_file_write_whole(arena_printf(&resolver->arena, "%s/%s", resolver->folder, name),
                                    text.text, text.length, reterr);
    str_finish(&text);
    return r;
}

/* A command loads the scenario again for its file: what runs could read, this load not, or NULL. */
static const char *find_unread(const struct manifest_origin *origin) {
    const struct schema_uses *uses = &origin->scenario->uses;
    if (!origin->scenario->doc.root)
        return origin->scenario->file;
    for (size_t i = 0; origin->models && i < uses->files.count; i++) {
        const struct file_use *use = &uses->files.at[i];
        bool is_models = strncmp(use->key, "models", 6) == 0 && !strchr(use->key, '.');
        if (is_models && !use->content)
            return use->path;
    }
    return NULL;
}

static int write_inputs(const struct manifest_origin *origin, const char *folder,
                        struct error *reterr) {
    struct resolver r = {.scenario = origin->scenario, .folder = folder, .policy = origin->policy};
    const char *unread = find_unread(origin);
    if (unread)
        return error_set(reterr, ERROR_MACHINE, "%s: cannot be read again", unread);
    sort_texts(&r);
    const struct yaml_node *models =
        origin->models ? model_tree_merge(origin->models, &r.arena) : NULL;
    int status =
        write_yaml(&r, origin->scenario->doc.root,
                   "# What the results beside it were made of, with models and overrides in place; "
                   "manifest.json has\n"
                   "# the hashes of the other files, which are named from here.\n",
                   SCENARIO_NAME, reterr);
    if (status == 0 && models)
        status = write_yaml(&r, models,
                            "# The models of " SCENARIO_NAME
                            " beside it, with its model_overrides in place.\n",
                            MODELS_NAME, reterr);
    else if (status == 0)
        status = files_remove(arena_printf(&r.arena, "%s/" MODELS_NAME, folder), reterr);
    arena_finish(&r.arena);
    return status;
}

int manifest_retire(const char *folder, struct error *reterr) {
    struct arena arena = {0};
    int r = files_remove(arena_printf(&arena, "%s/" MANIFEST_NAME, folder), reterr);
    arena_finish(&arena);
    return r;
}

void manifest_remove_leftovers(const char *folder, const char *const *names) {
    static const char *const own[] = {MANIFEST_NAME, SCENARIO_NAME, MODELS_NAME, NULL};
    leftovers_remove(folder, names);
    leftovers_remove(folder, own);
}

/* --- onto the disk --- */

struct paths {
    ARRAY_OF(const char *) at;
    struct arena arena;
};

static void add_path_in(struct paths *paths, const char *folder, const char *name) {
    array_push(&paths->at, arena_printf(&paths->arena, "%s/%s", folder, name));
}

/* A folder with a manifest of its own. */
static int add_part(struct paths *paths, const char *folder, struct error *reterr) {
    struct recorded part = {0};
    int r = recorded_load(&part, arena_printf(&paths->arena, "%s/" MANIFEST_NAME, folder), reterr);
    for (const struct recorded_file *file = part.files; r == 0 && file->name; file++)
        add_path_in(paths, folder, file->name);
    add_path_in(paths, folder, SCENARIO_NAME);
    add_path_in(paths, folder, MANIFEST_NAME);
    array_push(&paths->at, folder);
    recorded_finish(&part);
    return r;
}

/* With those above it: they may have been made for it. */
static void add_folder(struct paths *paths, const char *folder) {
    char *path = arena_strdup(&paths->arena, folder);
    array_push(&paths->at, folder);
    for (char *slash; (slash = strrchr(path, '/')) && slash > path;) {
        *slash = '\0';
        array_push(&paths->at, arena_strdup(&paths->arena, path));
    }
    array_push(&paths->at, folder[0] == '/' ? "/" : ".");
}

/* All that the manifest lists, and its parts. */
static int wait_for_disk(const cJSON *root, const char *folder, bool has_scenario,
                         struct error *reterr) {
    const cJSON *files = cJSON_GetObjectItem(root, "files"),
                *parts = cJSON_GetObjectItem(root, "folders");
    struct paths paths = {.at = {0}};
    const cJSON *item;
    int r = 0;
    cJSON_ArrayForEach(item, files) add_path_in(&paths, folder, item->valuestring);
    if (has_scenario)
        add_path_in(&paths, folder, SCENARIO_NAME);
    for (item = parts ? parts->child : NULL; item && r == 0; item = item->next)
        r = add_part(&paths, arena_printf(&paths.arena, "%s/%s", folder, item->valuestring),
                     reterr);
    add_folder(&paths, folder);
    if (r == 0)
        r = files_sync(paths.at.at, paths.at.count, reterr);
    free(paths.at.at);
    arena_finish(&paths.arena);
    return r;
}

static int finish_manifest(cJSON *root, const struct manifest_origin *origin, const char *folder,
                           const char *const *files, bool is_part, struct error *reterr) {
    struct arena arena = {0};
    struct str text = {0};
    int r = origin->scenario ? write_inputs(origin, folder, reterr) : 0;
    if (r == 0 && origin->scenario)
        r = add_scenario(root, folder, reterr);
    add_files_read(root, origin->inputs, folder);
    if (r == 0)
        r = add_results(root, folder, files, reterr);
    if (r == 0 && !is_part)
        r = wait_for_disk(root, folder, origin->scenario != NULL, reterr);
    json_print(root, &text);
    if (r == 0)
        r = atomic_file_write_whole(arena_printf(&arena, "%s/" MANIFEST_NAME, folder), text.text,
                                    text.length, reterr);
    str_finish(&text);
    arena_finish(&arena);
    return r;
}

int manifest_write(cJSON *root, const struct manifest_origin *origin, const char *folder,
                   const char *const *files, struct error *reterr) {
    return finish_manifest(root, origin, folder, files, false, reterr);
}

int manifest_write_part(cJSON *root, const struct manifest_origin *origin, const char *folder,
                        const char *const *files, struct error *reterr) {
    return finish_manifest(root, origin, folder, files, true, reterr);
}
