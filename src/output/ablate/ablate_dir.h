/* The folder of an ablation. */
#ifndef EASIM_OUTPUT_ABLATE_ABLATE_DIR_H
#define EASIM_OUTPUT_ABLATE_ABLATE_DIR_H

#include "output/ablate/ablate_tables.h"

/* ablate.csv, cells.csv, runs.csv, scenario.yaml and manifest.json. */
int ablate_dir_write(const char *folder, const struct ablate_output *output,
                     struct error *reterr) MUST_CHECK;

#endif
