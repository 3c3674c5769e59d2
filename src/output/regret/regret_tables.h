/* Results of `easim regret`: regret.csv, hindsight.csv, JSON, and a summary on the terminal. */
#ifndef EASIM_OUTPUT_REGRET_REGRET_TABLES_H
#define EASIM_OUTPUT_REGRET_REGRET_TABLES_H

#include "bounds/bound.h"
#include "experiment/regret/externality.h"
#include "experiment/regret/regret.h"
#include "output/json.h"
#include "output/manifest.h"
#include "output/report_text.h"

#define REGRET_NAME    "regret.csv"
#define HINDSIGHT_NAME "hindsight.csv"

struct regret_output {
    const struct regret *regret;
    const struct regret_summary *summary;
    const struct bounds *bounds; /* by replication, of hindsight; NULL: none */
};

void regret_tables_csv(const struct regret_output *output, struct str *out);
void regret_tables_hindsight(const struct regret_output *output, struct str *out);
void regret_tables_json(const struct regret_output *output, struct str *out);
void regret_report(const struct regret_output *output, struct report *report);

/* Every row of one job's starts but the chosen ones, simulated to the end. */
void regret_what_if(const struct regret *regret, struct str *out);
cJSON *regret_what_if_json(const struct regret *regret);

/* --- externality_tables --- */
/* externality.csv, its JSON, its part of the terminal, and its folder. */

void externality_csv(const struct externality *externality, struct str *out);
void externality_json(const struct externality *externality, struct str *out);
void externality_report(const struct externality *externality, struct report *report);
/* partial: the command was interrupted. */
int externality_dir_write(const char *folder, const struct externality *externality,
                          const struct manifest_origin *origin, bool partial,
                          struct error *reterr) MUST_CHECK;

#endif
