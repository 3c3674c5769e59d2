/* The folder of regrets: see regret_dir.h. */
#include "output/regret/regret_dir.h"

#include "output/text_files.h"

int regret_dir_write(const char *folder, const struct regret_output *output,
                     const struct manifest_origin *origin, bool partial, struct error *reterr) {
    const struct regret *regret = output->regret;
    struct text_file files[] = {{.name = HINDSIGHT_NAME}, {.name = REGRET_NAME}};
    const char *const names[] = {HINDSIGHT_NAME, REGRET_NAME, NULL};
    regret_tables_hindsight(output, &files[0].text);
    regret_tables_csv(output, &files[1].text);
    int r = text_files_write(folder, files, sizeof files / sizeof *files, reterr);
    if (r < 0)
        return r;
    cJSON *root = manifest_begin(origin, regret->study->scenario.name, folder);
    manifest_add_hash(root, regret->study);
    manifest_add_policy(root, "policy", regret->study);
    json_add_int(root, "replications", regret->count);
    cJSON_AddBoolToObject(root, "partial", partial);
    json_add_int(root, "decision_points", (int64_t)regret->points);
    json_add_int(root, "looked_at", (int64_t)regret->looked_at);
    json_add_int(root, "failed", (int64_t)regret->failed);
    manifest_add_inputs(root, regret->study, folder);
    return manifest_write(root, origin, folder, names, reterr);
}
