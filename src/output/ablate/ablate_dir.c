/* The folder of an ablation, each file written whole. */
#include "output/ablate/ablate_dir.h"

#include "output/text_files.h"

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
    const char *const names[] = {files[0].name, files[1].name, files[2].name, NULL};
    ablate_tables_shares(output, &files[0].text);
    ablate_tables_cells(output, &files[1].text);
    ablate_tables_runs(output, &files[2].text);
    int r = text_files_write(folder, files, 3, reterr);
    return r < 0 ? r
                 : manifest_write(make_ablate_manifest(folder, output), output->origin, folder,
                                  names, reterr);
}
