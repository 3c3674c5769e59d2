/* The runs of all worlds: every policy with every workload in each (semantics 17.2), a policy in a
   world in a process of its own. */
#ifndef EASIM_EXPERIMENT_WORLDS_WORLD_RUN_H
#define EASIM_EXPERIMENT_WORLDS_WORLD_RUN_H

#include "base/tally.h"
#include "experiment/worlds/world_results.h"
#include "experiment/worlds/worlds.h"
#include "study/replicate.h"

/* What is run. */
struct world_run_plan {
    const struct worlds *worlds;
    const char *const *policies;  /* names or paths, as results->policy_names */
    struct replicate_options how; /* processes: policies in worlds at a time; limit_s: of one, all
                                     its replications; done counts replications */
};

/* Something said in several worlds. */
struct world_remark {
    char *text; /* as the first of them says it */
    size_t worlds;
};

/* How it went. Zero-initialise; release with world_outcome_finish. */
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
