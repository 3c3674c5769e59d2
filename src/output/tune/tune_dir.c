/* The folder of a tuning, each file written whole. */
#include "output/tune/tune_dir.h"

#include "output/compare/compare_tables.h"
#include "output/text_files.h"

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
    const char *const names[] = {files[0].name, files[1].name, files[2].name,
                                 files[3].name, files[4].name, NULL};
    tune_tables_trials(output, &files[0].text);
    tune_tables_params(output, &files[1].text);
    write_check(output, &files[2].text);
    tune_tables_bounds(output, &files[3].text);
    tune_tables_runs(output, &files[4].text);
    int r = text_files_write(folder, files, 5, reterr);
    return r < 0 ? r
                 : manifest_write(make_tune_manifest(folder, output), output->origin, folder, names,
                                  reterr);
}
