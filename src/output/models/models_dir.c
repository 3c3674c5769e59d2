/* The folder of easim models, each file written whole. */
#include "output/models/models_dir.h"

#include "output/models/survey_tables.h"
#include "output/text_files.h"

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
    const char *const names[] = {files[0].name, files[1].name, NULL};
    models_csv(output->survey, &files[0].text);
    measured_csv(output->survey, &files[1].text);
    int r = text_files_write(folder, files, 2, reterr);
    return r < 0 ? r
                 : manifest_write(make_models_manifest(folder, output), output->origin, folder,
                                  names, reterr);
}
