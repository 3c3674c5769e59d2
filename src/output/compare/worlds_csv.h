/* worlds.csv: every draw and every result of a comparison in many worlds; docs/outputs.md defines
   the columns. */
#ifndef EASIM_OUTPUT_COMPARE_WORLDS_CSV_H
#define EASIM_OUTPUT_COMPARE_WORLDS_CSV_H

#include "experiment/worlds/run.h"
#include "experiment/worlds/worlds.h"

/* A row for each run that there is. */
void worlds_csv(const struct worlds *worlds, const struct world_results *results, struct str *out);

#endif
