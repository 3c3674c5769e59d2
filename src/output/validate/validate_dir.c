/* Files of a validation, each written whole. */
#include "output/validate/validate_dir.h"

#include "io/files.h"
#include "output/text_files.h"

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
    const char *const names[] = {files[0].name, files[1].name, files[2].name, NULL};
    validate_tables_rows(output, &files[0].text);
    validate_tables_jobs(output, &files[1].text);
    validate_tables_curves(output, &files[2].text);
    int r = text_files_write(folder, files, 3, reterr);
    return r < 0 ? r
                 : manifest_write(make_validate_manifest(folder, output, state), state->origin,
                                  folder, names, reterr);
}
