/* The folder of easim models: models.csv, measured.csv where there are points, scenario.yaml,
   manifest.json. */
#ifndef EASIM_OUTPUT_MODELS_MODELS_DIR_H
#define EASIM_OUTPUT_MODELS_MODELS_DIR_H

#include "model/survey.h"
#include "output/manifest.h"

struct models_output {
    const struct survey *survey;
    const struct study *study; /* of a model file: with models and the document alone */
    const struct manifest_origin *origin;
};

int models_dir_write(const char *folder, const struct models_output *output,
                     struct error *reterr) MUST_CHECK;

#endif
