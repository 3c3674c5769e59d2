/* The folder of a tuning. */
#ifndef EASIM_OUTPUT_TUNE_TUNE_DIR_H
#define EASIM_OUTPUT_TUNE_TUNE_DIR_H

#include "output/tune/tune_tables.h"

/* trials.csv, tuned.yaml, check.csv, constraints.csv, runs.csv, scenario.yaml and manifest.json. */
int tune_dir_write(const char *folder, const struct tune_output *output,
                   struct error *reterr) MUST_CHECK;

#endif
