/* The runs of all worlds, and their results by policy, world and replication. */
#ifndef EASIM_EXPERIMENT_WORLDS_RUN_H
#define EASIM_EXPERIMENT_WORLDS_RUN_H

#include "base/tally.h"
#include "experiment/worlds/worlds.h"
#include "metrics/summary.h"
#include "study/replicate.h"

#include <stdint.h>

#define WORLD_NOBODY ((size_t)-1)

/* Identifies a run. */
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

/* --- world_run --- */
/* Every policy with every workload in each world (semantics 17.2), a policy in a world in a process
   of its own. */

/* The runs to make. */
struct world_run_plan {
    const struct worlds *worlds;
    const char *const *policies; /* names or paths, as results->policy_names */
    /* processes: policies in worlds at a time; limit_s: of one of these. done: replications. alone:
       also where a policy is foreign. */
    struct replicate_options how;
};

/* Something said in several worlds. */
struct world_remark {
    char *text; /* as the first of them says it */
    size_t worlds;
};

/* The end of all runs. Zero-initialise; release with world_outcome_finish. */
struct world_outcome {
    struct tally failures; /* of policies in worlds: "POLICY: why" */
    ARRAY_OF(struct world_remark)
    warnings; /* of worlds, where the central physics gives none of that sort: of sorts that begin
                 with the same path, the first */
    uint32_t finished; /* worlds in which every policy has had its turn, in the first set */
    size_t changed;    /* the same of all other sets together */
};

/* Fills in results, which are initialised: worlds, replications, policies and sets are theirs. The
   workloads are those of the central study. A policy that fails in a world is missing there, and
   told in outcome. Negative: interrupted (ERROR_CANCELLED), or no process can be started; then of
   each set only worlds are kept that were finished. */
int world_run(const struct world_run_plan *plan, struct world_results *results,
              struct world_outcome *outcome, struct error *reterr) MUST_CHECK;
void world_outcome_finish(struct world_outcome *outcome);

#endif
