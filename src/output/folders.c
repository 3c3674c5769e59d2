/* Folders of results: see folders.h. */
#include "output/folders.h"

#include "io/atomic_file.h"
#include "io/files.h"
#include "output/models/survey_tables.h"

#include <stdlib.h>

/* NULL-terminated; the caller frees them. */
static const char **names_of(const struct text_file *files, size_t count) {
    const char **names = mem_zalloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = files[i].name;
    return names;
}

int text_files_write(const char *folder, struct text_file *files, size_t count,
                     struct error *reterr) {
    struct arena arena = {0};
    const char **names = names_of(files, count);
    int r = files_make_folders(folder, reterr);
    if (r == 0)
        r = manifest_retire(folder, reterr);
    if (r == 0)
        manifest_remove_leftovers(folder, names);
    free(names);
    for (size_t i = 0; i < count; i++) {
        struct str *text = &files[i].text;
        const char *path = arena_printf(&arena, "%s/%s", folder, files[i].name);
        if (r == 0 && text->length > 0)
            r = atomic_file_write_whole(path, text->text, text->length, reterr);
        else if (r == 0)
            r = files_remove(path, reterr);
        str_finish(text);
    }
    arena_finish(&arena);
    return r;
}

int results_write(cJSON *root, const struct manifest_origin *origin, const char *folder,
                  struct text_file *files, size_t count, struct error *reterr) {
    const char **names = names_of(files, count);
    int r = text_files_write(folder, files, count, reterr);
    if (r == 0)
        r = manifest_write(root, origin, folder, names, reterr);
    else
        cJSON_Delete(root);
    free(names);
    return r;
}

/* --- ablate_dir --- */

static cJSON *make_ablate_manifest(const char *folder, const struct ablate_output *output) {
    cJSON *root = manifest_begin(output->origin, output->studies[0].scenario.name, folder);
    ablate_json_protocol(root, output);
    cJSON *active = cJSON_AddArrayToObject(root, "varied");
    for (unsigned i = 0; i < output->ablation->active_count; i++)
        cJSON_AddItemToArray(active,
                             cJSON_CreateString(component_names[output->ablation->active[i]]));
    cJSON *policies = cJSON_AddObjectToObject(root, "policies");
    manifest_add_hash(manifest_add_policy(policies, "first", &output->studies[0]),
                      &output->studies[0]);
    manifest_add_hash(manifest_add_policy(policies, "second", &output->studies[1]),
                      &output->studies[1]);
    manifest_add_inputs(root, &output->studies[0], folder);
    return root;
}

int ablate_dir_write(const char *folder, const struct ablate_output *output, struct error *reterr) {
    struct text_file files[] = {
        {.name = "ablate.csv"}, {.name = "cells.csv"}, {.name = "runs.csv"}};
    ablate_tables_shares(output, &files[0].text);
    ablate_tables_cells(output, &files[1].text);
    ablate_tables_runs(output, &files[2].text);
    return results_write(make_ablate_manifest(folder, output), output->origin, folder, files, 3,
                         reterr);
}

/* --- bound_dir --- */

int bound_dir_write(const char *folder, const struct bound_output *output,
                    const struct manifest_origin *origin, struct error *reterr) {
    struct text_file file = {.name = BOUNDS_NAME};
    bound_tables_csv(output, &file.text);
    cJSON *root = manifest_begin(origin, output->study->scenario.name, folder);
    manifest_add_hash(root, output->study);
    json_add_int(root, "replications", output->replications);
    manifest_add_inputs(root, output->study, folder);
    return results_write(root, origin, folder, &file, 1, reterr);
}

/* --- compare_dir --- */

static void add_policy_names(cJSON *array, const struct comparison *comparison) {
    for (size_t s = 0; s < comparison->count; s++)
        cJSON_AddItemToArray(array, cJSON_CreateString(comparison->series[s].policy));
}

static void add_goal(cJSON *root, const struct compare_output *output,
                     const struct compare_goal *goal) {
    cJSON *object = cJSON_AddObjectToObject(root, "until_ci");
    cJSON_AddStringToObject(object, "metric", summary_names[goal->column]);
    json_add_real(object, "asked", goal->relative);
    json_add_real(object, "reached", compare_precision(&output->comparison, goal->column));
    json_add_int(object, "max_replications", goal->most);
}

static void add_list(cJSON *root, const char *key, const char *const *names) {
    cJSON *array = cJSON_AddArrayToObject(root, key);
    for (; *names; names++)
        cJSON_AddItemToArray(array, cJSON_CreateString(*names));
}

static void add_world_counts(cJSON *root, const struct compare_output *output,
                             const struct world_outcome *outcome) {
    const struct worlds *worlds = output->worlds;
    const struct uncertainty *u = &worlds->central->scenario.uncertainty;
    uint64_t failed = 0;
    cJSON *object = cJSON_AddObjectToObject(root, "worlds");
    for (size_t i = 0; i < outcome->failures.entries.count; i++)
        failed += outcome->failures.entries.at[i].count;
    json_add_int(object, "asked", worlds->count);
    json_add_int(object, "finished", outcome->finished);
    cJSON *groups = cJSON_AddArrayToObject(object, "groups");
    for (size_t i = 0; i < u->group_count; i++)
        cJSON_AddItemToArray(groups, cJSON_CreateString(u->groups[i]));
    cJSON_AddBoolToObject(object, "shares", worlds->sets > 1);
    json_add_int(object, "finished_for_shares", (int64_t)outcome->changed);
    json_add_int(object, "failed", (int64_t)failed); /* policies in worlds */
    json_add_int(object, "unreached", (int64_t)worlds->unreached);
    cJSON *redrawn = cJSON_AddObjectToObject(object, "redrawn");
    for (size_t i = 0; i < worlds->units.count; i++)
        if (worlds->units.at[i].redrawn > 0)
            json_add_int(redrawn, worlds->units.at[i].name, (int64_t)worlds->units.at[i].redrawn);
}

static cJSON *make_compare_manifest(const char *folder, const struct compare_output *output,
                                    const struct compare_dir_state *state) {
    const struct comparison *c = &output->comparison;
    cJSON *root = manifest_begin(state->origin, output->study->scenario.name, folder);
    json_add_int(root, "seed", output->study->scenario.seed);
    json_add_int(root, "replications", c->replications);
    cJSON_AddBoolToObject(root, "partial", state->partial);
    add_policy_names(cJSON_AddArrayToObject(root, "policies"), c);
    add_list(root, "failed", state->failed);
    if (*state->missing)
        add_list(root, "missing", state->missing);
    json_add_text(root, "baseline", compare_baseline(c));
    cJSON *pareto = cJSON_AddArrayToObject(root, "pareto");
    for (unsigned d = 0; d < output->pareto_count; d++)
        cJSON_AddItemToArray(pareto, cJSON_CreateString(summary_names[output->pareto[d]]));
    if (state->goal)
        add_goal(root, output, state->goal);
    cJSON *perturbed = cJSON_AddObjectToObject(root, "perturbed");
    for (size_t i = 0; i < output->perturbed_count; i++)
        json_add_real(perturbed, output->perturbed[i].name, output->perturbed[i].amount);
    if (output->variance)
        add_world_counts(root, output, state->outcome);
    add_list(root, "folders", state->folders);
    notes_add_warnings(state->notes, root);
    assumptions_add_json(state->assumptions, root);
    return root;
}

/* The names of the files that have something in them, as the manifest lists them. */
static void list_written(const struct text_file *files, size_t count, bool recorded,
                         const char **names) {
    for (size_t i = 0; i < count; i++)
        if (files[i].text.length > 0)
            *names++ = files[i].name;
    for (int i = 0; i < RECORD_FILES && recorded; i++)
        *names++ = record_file_names[i];
    *names = NULL;
}

int compare_dir_write(const char *folder, const struct compare_output *output,
                      const struct compare_dir_state *state, struct error *reterr) {
    struct text_file files[] = {
        {.name = "compare.csv"}, {.name = "pareto.csv"},      {.name = "stationarity.csv"},
        {.name = "perturb.csv"}, {.name = "differences.csv"}, {.name = "budget.csv"},
        {.name = "worlds.csv"},  {.name = "series.csv"},      {.name = BOUNDS_NAME}};
    const size_t count = sizeof files / sizeof *files;
    const char *names[sizeof files / sizeof *files + RECORD_FILES + 1];
    bool recorded = state->record->parts.count > 0;
    compare_tables_metrics(output, &files[0].text);
    compare_tables_pareto(output, &files[1].text);
    compare_tables_trends(output, &files[2].text);
    if (output->perturbed_count > 0)
        compare_tables_perturbed(output, &files[3].text);
    if (output->variance) {
        variance_tables_differences(output->variance, &files[4].text);
        variance_tables_shares(output->variance, &files[5].text);
        worlds_csv(output->worlds, output->variance->results, &files[6].text);
    }
    if (output->bounds)
        bound_tables_csv(output->bounds, &files[8].text);
    if (recorded)
        series_csv(output->study, state->record->end_ns, &files[7].text);
    list_written(files, count, recorded, names);
    int r = text_files_write(folder, files, count, reterr);
    if (r == 0)
        r = record_files_write(state->record, folder, reterr);
    return r < 0 ? r
                 : manifest_write(make_compare_manifest(folder, output, state), state->origin,
                                  folder, names, reterr);
}

/* --- models_dir --- */

static cJSON *make_models_manifest(const char *folder, const struct models_output *output) {
    cJSON *root = manifest_begin(output->origin, output->study->scenario.name, folder);
    cJSON *states = cJSON_AddObjectToObject(root, "rows");
    for (int state = 0; state < SURVEY_STATES; state++) {
        int64_t count = 0;
        for (size_t i = 0; i < output->survey->rows.count; i++)
            count += output->survey->rows.at[i].state == (enum survey_state)state;
        json_add_int(states, survey_state_names[state], count);
    }
    manifest_add_hash(root, output->study);
    manifest_add_inputs(root, output->study, folder);
    return root;
}

int models_dir_write(const char *folder, const struct models_output *output, struct error *reterr) {
    struct text_file files[] = {{.name = "models.csv"}, {.name = "measured.csv"}};
    models_csv(output->survey, &files[0].text);
    measured_csv(output->survey, &files[1].text);
    return results_write(make_models_manifest(folder, output), output->origin, folder, files, 2,
                         reterr);
}

/* --- tune_dir --- */

static cJSON *make_tune_manifest(const char *folder, const struct tune_output *output) {
    const struct tune *t = output->tune;
    cJSON *root = manifest_begin(output->origin, output->study->scenario.name, folder);
    manifest_add_hash(root, output->study);
    tune_json_protocol(root, output);
    json_add_int(root, "trials", (int64_t)t->search.trials.count);
    tune_json_failed(root, t);
    cJSON_AddBoolToObject(root, "improved", tune_found(t));
    tune_json_checked(root, output);
    cJSON *policies = cJSON_AddObjectToObject(root, "policies");
    (void)tune_trial_params(output, 0);
    manifest_add_policy(policies, "before", output->before ? output->before : t->study);
    (void)tune_trial_params(output, t->search.best);
    manifest_add_policy(policies, "tuned", output->tuned ? output->tuned : t->study);
    manifest_add_inputs(root, output->study, folder);
    return root;
}

static void write_check(const struct tune_output *output, struct str *out) {
    const struct compare_output check = {.study = output->study, .comparison = output->check};
    compare_tables_metrics(&check, out);
}

int tune_dir_write(const char *folder, const struct tune_output *output, struct error *reterr) {
    struct text_file files[] = {{.name = "trials.csv"},
                                {.name = "tuned.yaml"},
                                {.name = "check.csv"},
                                {.name = "constraints.csv"},
                                {.name = "runs.csv"}};
    tune_tables_trials(output, &files[0].text);
    tune_tables_params(output, &files[1].text);
    write_check(output, &files[2].text);
    tune_tables_bounds(output, &files[3].text);
    tune_tables_runs(output, &files[4].text);
    return results_write(make_tune_manifest(folder, output), output->origin, folder, files, 5,
                         reterr);
}

/* --- regret_dir --- */

int regret_dir_write(const char *folder, const struct regret_output *output,
                     const struct manifest_origin *origin, bool partial, struct error *reterr) {
    const struct regret *regret = output->regret;
    struct text_file files[] = {{.name = HINDSIGHT_NAME}, {.name = REGRET_NAME}};
    regret_tables_hindsight(output, &files[0].text);
    regret_tables_csv(output, &files[1].text);
    cJSON *root = manifest_begin(origin, regret->study->scenario.name, folder);
    manifest_add_hash(root, regret->study);
    manifest_add_policy(root, "policy", regret->study);
    json_add_int(root, "replications", regret->count);
    cJSON_AddBoolToObject(root, "partial", partial);
    json_add_int(root, "decision_points", (int64_t)regret->points);
    json_add_int(root, "looked_at", (int64_t)regret->looked_at);
    json_add_int(root, "failed", (int64_t)regret->failed);
    manifest_add_inputs(root, regret->study, folder);
    return results_write(root, origin, folder, files, 2, reterr);
}

/* --- validate_dir --- */

static cJSON *make_validate_manifest(const char *folder, const struct validate_output *output,
                                     const struct validate_dir_state *state) {
    struct arena arena = {0};
    cJSON *root = manifest_begin(state->origin, "validate", folder);
    cJSON_AddBoolToObject(root, "partial", state->partial);
    manifest_add_paths(root, "validations", state->files, folder);
    if (state->data_folder)
        cJSON_AddStringToObject(root, "data_folder",
                                files_relative(state->data_folder, folder, &arena));
    validate_tables_add_counts(output, root);
    cJSON *folders = cJSON_AddArrayToObject(root, "folders");
    for (const char *const *name = state->folders; *name; name++)
        cJSON_AddItemToArray(folders, cJSON_CreateString(*name));
    arena_finish(&arena);
    return root;
}

int validate_dir_write(const char *folder, const struct validate_output *output,
                       const struct validate_dir_state *state, struct error *reterr) {
    struct text_file files[] = {
        {.name = "validation.csv"}, {.name = "validation_jobs.csv"}, {.name = "curves.csv"}};
    validate_tables_rows(output, &files[0].text);
    validate_tables_jobs(output, &files[1].text);
    validate_tables_curves(output, &files[2].text);
    return results_write(make_validate_manifest(folder, output, state), state->origin, folder,
                         files, 3, reterr);
}
