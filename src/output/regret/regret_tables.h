/* What `easim regret` writes and shows: regret.csv, hindsight.csv, the same as JSON, and the
   summary on the terminal. */
#ifndef EASIM_OUTPUT_REGRET_REGRET_TABLES_H
#define EASIM_OUTPUT_REGRET_REGRET_TABLES_H

#include "bounds/bound.h"
#include "experiment/regret/regret.h"
#include "output/json.h"

#define REGRET_NAME    "regret.csv"
#define HINDSIGHT_NAME "hindsight.csv"

struct regret_output {
    const struct regret *regret;
    const struct regret_spread *spread;
    const struct bounds *bounds; /* by replication, of hindsight; NULL: none */
};

/* Of the schedules of all jobs; with the reason where there is none. */
struct bound regret_tables_bound(const struct regret_output *output, enum regret_metric metric,
                                 uint32_t replication);
void regret_tables_csv(const struct regret_output *output, struct str *out);
void regret_tables_hindsight(const struct regret_output *output, struct str *out);
void regret_tables_json(const struct regret_output *output, struct str *out);
void regret_report(const struct regret_output *output, struct str *out);
/* One point told in a paragraph. */
void regret_story(const struct regret *regret, const struct regret_point *point, struct str *out);

/* An action, "2 x h100, b 64" or "waiting"; and what it would have done against the chosen one. */
void regret_story_action(const struct regret *regret, const struct regret_row *row,
                         struct str *out);
void regret_story_effects(const struct regret *regret, const struct regret_row *row,
                          const struct regret_row *chosen, struct str *out);
cJSON *regret_action_json(const struct regret *regret, const struct regret_row *row);
/* Every row of one job's starts but the chosen ones, simulated to the end. */
void regret_what_if(const struct regret *regret, struct str *out);
cJSON *regret_what_if_json(const struct regret *regret);

#endif
