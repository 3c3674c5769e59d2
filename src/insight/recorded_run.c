/* One recorded run: see recorded_run.h. */
#include "insight/recorded_run.h"

#include "config/policy_text.h"
#include "insight/recorded_table.h"
#include "io/files.h"
#include "study/recorded.h"
#include "workload/service_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void recorded_run_finish(struct recorded_run *run) {
    for (uint32_t m = 0; run->allowed_k && m < run->folder->models.count; m++)
        free(run->allowed_k[m].at);
    free(run->allowed_k);
    workload_finish(&run->workload);
    free(run->jobs);
    free(run->replicas.at);
    free(run->segments.at);
    free(run->events.at);
    free(run->limits.at);
    free(run->gpus.at);
    free(run->rests.at);
    *run = (struct recorded_run){0};
}

int64_t recorded_run_milli(const struct recorded_run *run, const struct recorded_segment *segment) {
    const struct easim_config *c = recorded_run_config(run, segment);
    return !c ? 0 : c->milli > 0 ? c->milli : (int64_t)c->k * WHOLE_GPU_MILLI;
}

int128 recorded_run_gpu_ps(const struct recorded_run *run, const struct recorded_segment *segment) {
    return (int128)recorded_run_milli(run, segment) * (segment->end_ns - segment->start_ns);
}

uint32_t recorded_run_find_job(const struct recorded_run *run, const char *id) {
    for (uint32_t j = 0; j < run->workload.jobs.count; j++)
        if (strcmp(run->workload.jobs.at[j].id, id) == 0)
            return j;
    return EASIM_NONE;
}

/* --- recorded_folder --- */

static const char *const record_files[] = {"segments.csv", "gpus.csv", "workload.csv",
                                           "recorded.csv", "series.csv"};
#define RECORD_FILES (sizeof record_files / sizeof *record_files)

static bool lists_file(const struct recorded *manifest, const char *name) {
    for (const struct recorded_file *file = manifest->files; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return true;
    return false;
}

/* All files that a recorded folder has and others have not. */
static int check_recorded(const struct recorded *manifest, const char *path, struct error *reterr) {
    struct str missing = {0};
    for (size_t i = 0; i < RECORD_FILES; i++)
        if (!lists_file(manifest, record_files[i]))
            str_addf(&missing, "%s%s", missing.length > 0 ? ", " : "", record_files[i]);
    int r = missing.length == 0
                ? 0
                : error_set(reterr, ERROR_INPUT,
                            "%s: %s: easim %s did not record it: use the option record of run or "
                            "compare, or `record: true` in the scenario",
                            path, missing.text, manifest->command);
    str_finish(&missing);
    return r;
}

static int open_manifest(struct recorded_folder *folder, struct error *reterr) {
    struct recorded manifest = {0};
    uint64_t bytes;
    const char *path = arena_printf(&folder->arena, "%s/" MANIFEST_NAME, folder->path);
    int r = recorded_load(&manifest, path, reterr);
    if (r == 0)
        r = check_recorded(&manifest, folder->path, reterr);
    if (r == 0)
        r = sha256_file(path, folder->manifest_sha256, &bytes, reterr);
    folder->command = r == 0 ? arena_strdup(&folder->arena, manifest.command) : "";
    recorded_finish(&manifest);
    return r;
}

/* --- scenario, cluster, models --- */

static int bind_models(struct recorded_folder *folder, const struct binding *binding) {
    const char *path = arena_printf(&folder->arena, "%s/" MODELS_NAME, folder->path);
    if (!files_exist(path)) /* rigid jobs alone */
        return model_set_load(&folder->models, NULL, binding);
    if (yaml_doc_load(&folder->model_doc, path, binding->problems) < 0)
        return ERROR_INPUT;
    return model_set_load_tree(&folder->models, folder->model_doc.root, binding);
}

/* Reads the parts of the scenario that need no other file. */
static int bind_study(struct recorded_folder *folder, struct error *reterr) {
    const struct scenario_overrides none = {0};
    struct problems problems = {0};
    struct binding binding = {&folder->arena, &problems, &folder->scenario.uses};
    const char *path = arena_printf(&folder->arena, "%s/" SCENARIO_NAME, folder->path);
    int r = scenario_load(&folder->scenario, path, &none, &problems);
    if (r == 0)
        r = cluster_bind(&folder->cluster, &folder->scenario.signals[SIGNAL_CAP],
                         folder->scenario.cluster, &binding);
    if (r == 0)
        r = source_bind(&folder->source, &folder->scenario, &binding);
    if (r == 0)
        r = bind_models(folder, &binding);
    folder->models.published = folder->scenario.plans == 1;
    const struct service_surroundings around = {&folder->cluster, &folder->models,
                                                &folder->scenario};
    if (r == 0)
        r = services_load_configs(&folder->source.services, &around, &binding);
    if (r < 0)
        error_set(reterr, ERROR_INPUT, "%s", problems.count > 0 ? problems.texts[0] : path);
    problems_finish(&problems);
    return r < 0 ? ERROR_INPUT : 0;
}

/* --- recorded.csv --- */

#define PART_COLUMNS(X) \
    X(R_POLICY, "policy"), X(R_REPLICATION, "replication"), X(R_END, "end_s"), \
        X(R_JOBS, "jobs_submitted"), X(R_LIMITS, "power_limits"), X(R_SHARES, "gpu_shares"), \
        X(R_KEEPS_CAP, "keeps_cap"), X(R_SEGMENTS, "segments"), X(R_RESTS, "gpu_rows"), \
        X(R_SEGMENT_BYTES, "segments_bytes"), X(R_REST_BYTES, "gpus_bytes"), \
        X(R_WORKLOAD_BYTES, "workload_bytes"), X(R_ENERGY, "energy_j")
enum { PART_COLUMNS(ENUM_OF) };
static const char *const part_columns[] = {PART_COLUMNS(NAME_OF), NULL};

static uint32_t find_policy(struct recorded_folder *folder, struct recorded_table *table) {
    struct slice name = recorded_table_text(table, R_POLICY);
    for (uint32_t i = 0; i < folder->policies.count; i++)
        if (slice_is(name, folder->policies.at[i].name))
            return i;
    array_push(&folder->policies,
               ((struct recorded_policy){arena_strndup(&folder->arena, name.at, name.length),
                                         {.power_limits = recorded_table_int(table, R_LIMITS, 0, 1),
                                          .law_limits = recorded_table_int(table, R_LIMITS, 0, 1),
                                          .shares = recorded_table_int(table, R_SHARES, 0, 1)},
                                         recorded_table_int(table, R_KEEPS_CAP, 0, 1)}));
    return (uint32_t)folder->policies.count - 1;
}

/* The rows after those of the part before. */
static struct recorded_rows rows_after(const struct recorded_rows *last, size_t last_count,
                                       struct recorded_table *table, int column) {
    return (struct recorded_rows){last ? last->from + last->bytes : 0,
                                  (uint64_t)recorded_table_int(table, column, 0, INT64_MAX / 2),
                                  last ? last->line + (uint32_t)last_count : 2};
}

/* The workload of a replication is in the file once, for the first policy. */
static struct recorded_rows find_workload(const struct recorded_folder *folder,
                                          uint32_t replication, struct recorded_table *table) {
    const struct recorded_part *last = NULL;
    for (size_t i = 0; i < folder->parts.count; i++) {
        const struct recorded_part *part = &folder->parts.at[i];
        if (part->replication == replication)
            return part->workload;
        last = !last || part->workload.from >= last->workload.from ? part : last;
    }
    return rows_after(last ? &last->workload : NULL, 0, table, R_WORKLOAD_BYTES);
}

static void read_part(struct recorded_folder *folder, struct recorded_table *table) {
    const struct recorded_part *last =
        folder->parts.count > 0 ? &folder->parts.at[folder->parts.count - 1] : NULL;
    struct recorded_part part = {
        .policy = find_policy(folder, table),
        .replication = (uint32_t)recorded_table_int(table, R_REPLICATION, 1, UINT32_MAX),
        .end_ns = recorded_table_ns(table, R_END),
        .jobs_submitted = (uint32_t)recorded_table_int(table, R_JOBS, 0, UINT32_MAX - 1),
        .segment_count = (size_t)recorded_table_int(table, R_SEGMENTS, 0, UINT32_MAX),
        .rest_count = (size_t)recorded_table_int(table, R_RESTS, 0, UINT32_MAX),
        .energy = recorded_table_energy(table, R_ENERGY),
        .segments = rows_after(last ? &last->segments : NULL, last ? last->segment_count : 0, table,
                               R_SEGMENT_BYTES),
        .gpus = rows_after(last ? &last->gpus : NULL, last ? last->rest_count : 0, table,
                           R_REST_BYTES)};
    part.workload = find_workload(folder, part.replication, table);
    array_push(&folder->parts, part);
}

/* --- series.csv --- */

enum { S_TIME, S_CAP, S_PRICE, S_CARBON };
static const char *const step_columns[] = {"time_s", "cap_w", "price_per_mwh", "carbon_g_per_kwh",
                                           NULL};

static void read_step(struct recorded_folder *folder, struct recorded_table *table) {
    array_push(&folder->steps, ((struct recorded_step){recorded_table_ns(table, S_TIME),
                                                       recorded_table_real(table, S_CAP, INFINITY),
                                                       recorded_table_real(table, S_PRICE, NAN),
                                                       recorded_table_real(table, S_CARBON, NAN)}));
}

static int read_all(struct recorded_folder *folder, const char *name, const char *const *columns,
                    void (*read_row)(struct recorded_folder *, struct recorded_table *),
                    struct error *reterr) {
    struct recorded_table table = {0};
    const char *path = arena_printf(&folder->arena, "%s/%s", folder->path, name);
    int r = recorded_table_open(&table, path, columns, reterr);
    if (r == 0)
        r = recorded_table_read_all(&table, reterr);
    while (r == 0 && recorded_table_next(&table))
        read_row(folder, &table);
    recorded_table_finish(&table);
    return r < 0 ? r : reterr->code;
}

/* --- all of it --- */

int recorded_folder_open(struct recorded_folder *folder, const char *path, struct error *reterr) {
    int r = recorded_check(path, reterr);
    return r < 0 ? r : recorded_folder_open_checked(folder, path, reterr);
}

int recorded_folder_open_checked(struct recorded_folder *folder, const char *path,
                                 struct error *reterr) {
    *folder = (struct recorded_folder){.command = ""};
    reterr->code = 0;
    folder->path = arena_strdup(&folder->arena, path);
    int r = open_manifest(folder, reterr);
    if (r == 0)
        r = bind_study(folder, reterr);
    if (r == 0)
        r = read_all(folder, "recorded.csv", part_columns, read_part, reterr);
    if (r == 0)
        r = read_all(folder, "series.csv", step_columns, read_step, reterr);
    if (r == 0 && (folder->parts.count == 0 || folder->steps.count == 0))
        r = error_set(reterr, ERROR_INPUT, "%s: no run is in it", path);
    return r;
}

void recorded_folder_finish(struct recorded_folder *folder) {
    free(folder->policies.at);
    free(folder->parts.at);
    free(folder->steps.at);
    source_finish(&folder->source);
    yaml_doc_finish(&folder->model_doc);
    scenario_finish(&folder->scenario);
    arena_finish(&folder->arena);
    *folder = (struct recorded_folder){0};
}

const struct recorded_part *recorded_folder_find(const struct recorded_folder *folder,
                                                 const char *policy, uint32_t replication) {
    for (size_t i = 0; i < folder->parts.count; i++) {
        const struct recorded_part *part = &folder->parts.at[i];
        if ((!policy || strcmp(folder->policies.at[part->policy].name, policy) == 0) &&
            (replication == 0 || part->replication == replication))
            return part;
    }
    return NULL;
}

size_t recorded_folder_replications(const struct recorded_folder *folder,
                                    const struct recorded_part *part) {
    size_t count = 0;
    for (size_t i = 0; i < folder->parts.count; i++)
        count += folder->parts.at[i].policy == part->policy;
    return count;
}

const char *recorded_folder_of_policy(const struct recorded_folder *folder,
                                      const struct recorded_part *part, struct arena *arena) {
    return strcmp(folder->command, "run") == 0
               ? folder->path
               : arena_printf(arena, "%s/%s", folder->path,
                              policy_text_folder(folder->policies.at[part->policy].name, arena));
}
