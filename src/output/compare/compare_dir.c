/* Files of a comparison, each written whole. */
#include "output/compare/compare_dir.h"

#include "output/compare/budget_tables.h"
#include "output/compare/worlds_csv.h"
#include "output/run/run_tables.h"
#include "output/text_files.h"

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
    if (output->doubt)
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
    if (output->doubt) {
        budget_tables_differences(output->doubt, &files[4].text);
        budget_tables_shares(output->doubt, &files[5].text);
        worlds_csv(output->worlds, output->doubt->results, &files[6].text);
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
