/* Trials of proposals: the run again with each of them, from its own inputs, before any is
   recommended. The recorded replication is repeated first and must give the same. Deterministic:
   events limit the simulations, worst insight first. */
#ifndef EASIM_INSIGHT_RULES_TRIALS_H
#define EASIM_INSIGHT_RULES_TRIALS_H

#include "insight/rules/insight.h"
#include "insight/rules/rule_run.h"
#include "study/replicate.h"

#define TRIALS_EVENTS       5000000 /* simulated of one command, unless told otherwise */
#define TRIALS_LEAST_GAIN   0.005   /* of the insight's own measure, on average */
#define TRIALS_ONE_RUN_GAIN 0.05    /* the same with one replication, or a log */
#define TRIALS_MOST_LOSS    0.01    /* of any other measure */
#define TRIALS_MOST_P       0.05    /* corrected for the changes that are tried */

/* The scenario of the recorded run, with these overrides. study_finish in any case. */
struct study_loader {
    void *context;
    int (*load)(void *context, const struct scenario_overrides *overrides, struct study *study,
                struct problems *problems);
};

struct trials_request {
    struct study_loader loader;
    const struct replicate_options *how; /* processes, limits, interruption */
    const char *reason;                  /* why nothing can be simulated; or NULL */
    const char *spent;                   /* the reason where the events are used up */
    uint64_t most_events, events;        /* that may be simulated; so far */
};

/* Sets the outcome of every insight, and leaves the best of its changes as its what-if, or none.
   Negative if interrupted, or if the machine has no process or memory left. */
int trials_run(struct trials_request *request, const struct rule_run *rule_run,
               struct insights *insights, struct error *reterr) MUST_CHECK;

#endif
