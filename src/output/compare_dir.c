/* Files of a comparison, each written whole. */
#include "output/compare_dir.h"

#include "easim_version.h"
#include "io/atomic_file.h"
#include "output/json.h"

static void add_names(cJSON *array, const struct comparison *c) {
    for (size_t s = 0; s < c->count; s++)
        cJSON_AddItemToArray(array, cJSON_CreateString(c->series[s].policy));
}

static void add_goal(cJSON *root, const struct compare_output *o, const struct compare_goal *goal) {
    cJSON *object = cJSON_AddObjectToObject(root, "until_ci");
    cJSON_AddStringToObject(object, "metric", summary_names[goal->column]);
    json_add_real(object, "asked", goal->relative);
    json_add_real(object, "reached", compare_precision(&o->comparison, goal->column));
    json_add_int(object, "max_replications", goal->most);
}

static void write_manifest(const struct compare_output *o, const struct compare_dir_state *state, struct str *out) {
    const struct comparison *c = &o->comparison;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "easim_version", EASIM_VERSION);
    cJSON_AddStringToObject(root, "commit", EASIM_COMMIT);
    cJSON_AddStringToObject(root, "name", o->study->scenario.name);
    cJSON_AddStringToObject(root, "config", o->study->scenario.file);
    json_add_int(root, "seed", o->study->scenario.seed);
    json_add_int(root, "replications", c->replications);
    cJSON_AddBoolToObject(root, "partial", state->partial);
    add_names(cJSON_AddArrayToObject(root, "policies"), c);
    cJSON *failed = cJSON_AddArrayToObject(root, "failed");
    for (const char *const *name = state->failed; *name; name++)
        cJSON_AddItemToArray(failed, cJSON_CreateString(*name));
    if (c->baseline == COMPARE_NOBODY)
        cJSON_AddNullToObject(root, "baseline");
    else
        cJSON_AddStringToObject(root, "baseline", c->series[c->baseline].policy);
    cJSON *pareto = cJSON_AddArrayToObject(root, "pareto");
    for (unsigned d = 0; d < o->pareto_count; d++)
        cJSON_AddItemToArray(pareto, cJSON_CreateString(summary_names[o->pareto[d]]));
    if (state->goal)
        add_goal(root, o, state->goal);
    cJSON *perturbed = cJSON_AddObjectToObject(root, "perturbed");
    for (size_t i = 0; i < o->perturbed_count; i++)
        json_add_real(perturbed, o->perturbed[i].name, o->perturbed[i].amount);
    json_print(root, out);
}

int compare_dir_write_file(const char *folder, const char *name, const struct str *text, struct error *reterr) {
    struct arena arena = {0};
    int r = atomic_file_write_whole(arena_printf(&arena, "%s/%s", folder, name), text->text, text->length, reterr);
    arena_finish(&arena);
    return r;
}

int compare_dir_write(const char *folder, const struct compare_output *o, const struct compare_dir_state *state,
                      struct error *reterr) {
    static const struct {
        const char *name;
        void (*write)(const struct compare_output *, struct str *);
    } files[] = {{"compare.csv", compare_tables_metrics},
                 {"pareto.csv", compare_tables_pareto},
                 {"stationarity.csv", compare_tables_trends},
                 {"perturb.csv", compare_tables_perturbed}};
    struct str manifest = {0};
    int r = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files && r == 0; i++) {
        struct str text = {0};
        if (files[i].write == compare_tables_perturbed && o->perturbed_count == 0)
            continue;
        files[i].write(o, &text);
        r = compare_dir_write_file(folder, files[i].name, &text, reterr);
        str_finish(&text);
    }
    write_manifest(o, state, &manifest);
    if (r == 0)
        r = compare_dir_write_file(folder, "manifest.json", &manifest, reterr);
    str_finish(&manifest);
    return r;
}
