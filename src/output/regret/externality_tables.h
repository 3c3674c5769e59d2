/* externality.csv, the same as JSON, and what of it the terminal shows; their folder. */
#ifndef EASIM_OUTPUT_REGRET_EXTERNALITY_TABLES_H
#define EASIM_OUTPUT_REGRET_EXTERNALITY_TABLES_H

#include "experiment/regret/externality.h"
#include "output/manifest.h"

#define EXTERNALITY_NAME "externality.csv"

void externality_csv(const struct externality *externality, struct str *out);
void externality_json(const struct externality *externality, struct str *out);
void externality_report(const struct externality *externality, struct str *out);
/* partial: the command was interrupted. */
int externality_dir_write(const char *folder, const struct externality *externality,
                          const struct manifest_origin *origin, bool partial,
                          struct error *reterr) MUST_CHECK;

#endif
