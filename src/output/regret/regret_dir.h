/* The folder of `regret`: regret.csv, of hindsight hindsight.csv, and manifest.json. */
#ifndef EASIM_OUTPUT_REGRET_REGRET_DIR_H
#define EASIM_OUTPUT_REGRET_REGRET_DIR_H

#include "output/manifest.h"
#include "output/regret/regret_tables.h"

/* partial: the command was interrupted. */
int regret_dir_write(const char *folder, const struct regret_output *output,
                     const struct manifest_origin *origin, bool partial,
                     struct error *reterr) MUST_CHECK;

#endif
