/* The folder of bounds: see bound_dir.h. */
#include "output/bound/bound_dir.h"

#include "output/text_files.h"

int bound_dir_write(const char *folder, const struct bound_output *output,
                    const struct manifest_origin *origin, struct error *reterr) {
    struct text_file file = {.name = BOUNDS_NAME};
    const char *const names[] = {file.name, NULL};
    bound_tables_csv(output, &file.text);
    int r = text_files_write(folder, &file, 1, reterr);
    if (r < 0)
        return r;
    cJSON *root = manifest_begin(origin, output->study->scenario.name, folder);
    manifest_add_hash(root, output->study);
    json_add_int(root, "replications", output->replications);
    manifest_add_inputs(root, output->study, folder);
    return manifest_write(root, origin, folder, names, reterr);
}
