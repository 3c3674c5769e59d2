/* The results of all worlds of a comparison (semantics 17): one summary for each set of draws,
   world, replication and policy. A run that is missing - failed, left out, interrupted - is NAN in
   every column. */
#ifndef EASIM_EXPERIMENT_WORLDS_WORLD_RESULTS_H
#define EASIM_EXPERIMENT_WORLDS_WORLD_RESULTS_H

#include "metrics/summary.h"

#include <stdint.h>

#define WORLD_NOBODY ((size_t)-1)

/* Which run. */
struct world_run {
    size_t set;     /* 0: the worlds themselves; g: those worlds with only the draws of group g - 1
                       taken from an independent second draw */
    uint32_t world; /* from 0 */
    uint32_t replication; /* from 0; the same workload in all worlds, sets and policies */
    size_t policy;
};

/* Release with world_results_finish. Names are borrowed. */
struct world_results {
    size_t sets;               /* 1, or 1 + the number of groups */
    const char *const *groups; /* their names: sets - 1 */
    uint32_t worlds, replications;
    size_t policies;
    const char *const *policy_names;
    size_t baseline; /* index of a policy, or WORLD_NOBODY: no differences can be told */
    double *values;  /* owned */
};

/* Makes room for what the numbers in it say, all of it missing. */
void world_results_init(struct world_results *results);
void world_results_finish(struct world_results *results);

/* The columns of one run (SUMMARY_COUNT of them), to read or to fill in. */
double *world_results_at(const struct world_results *results, struct world_run run);
double world_results_value(const struct world_results *results, struct world_run run,
                           unsigned column);
/* Whether the run is there, with or without undefined columns. */
bool world_results_has(const struct world_results *results, struct world_run run);
/* Makes all runs of a world in a set missing. */
void world_results_drop(struct world_results *results, size_t set, uint32_t world);

#endif
