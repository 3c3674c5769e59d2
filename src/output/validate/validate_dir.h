/* The folder of a validation: validation.csv, validation_jobs.csv and manifest.json, beside the
   folders of the runs. */
#ifndef EASIM_OUTPUT_VALIDATE_VALIDATE_DIR_H
#define EASIM_OUTPUT_VALIDATE_VALIDATE_DIR_H

#include "output/manifest.h"
#include "output/validate/validate_tables.h"

struct validate_dir_state {
    const struct manifest_origin *origin; /* without a scenario */
    const char *const *files;             /* of the validations; NULL-terminated */
    const char *const *folders;           /* of runs that have results; likewise */
    const char *data_folder;              /* $EASIM_DATA, or NULL */
    bool partial;
};

int validate_dir_write(const char *folder, const struct validate_output *output,
                       const struct validate_dir_state *state, struct error *reterr) MUST_CHECK;

#endif
