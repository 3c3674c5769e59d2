/* The folder of `bound`: bounds.csv and manifest.json. */
#ifndef EASIM_OUTPUT_BOUND_BOUND_DIR_H
#define EASIM_OUTPUT_BOUND_BOUND_DIR_H

#include "output/bound/bound_tables.h"
#include "output/manifest.h"

int bound_dir_write(const char *folder, const struct bound_output *output,
                    const struct manifest_origin *origin, struct error *reterr) MUST_CHECK;

#endif
