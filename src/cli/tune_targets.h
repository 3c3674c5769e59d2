/* What `easim tune` tunes, as --params has it: parameters of the policy, values of the scenario,
   and the policy itself; ranges, or lists of values. */
#ifndef EASIM_CLI_TUNE_TARGETS_H
#define EASIM_CLI_TUNE_TARGETS_H

#include "cli/options.h"
#include "study/study.h"

/* The caller fills in the first part; release with tune_targets_finish. Texts are in the arena of
   the options. */
struct tune_targets {
    struct options *options;
    const struct study *own; /* the scenario as it is, loaded */
    /* Loads it with a policy (NULL: its own) and a "path=value" (NULL: none), and notes the files
       that are read then. */
    int (*load)(void *context, struct study *study, const char *policy, const char *set,
                struct problems *problems);
    void *context;

    struct tune_target *targets;
    struct search_axis *axes;
    size_t count;
    const char *const *policies; /* to choose from; NULL: the policy is not tuned */
    size_t policy_count;
    struct study *choices; /* the scenario with each of them */
};

/* Negative after adding problems. */
int tune_targets_find(struct tune_targets *targets, struct problems *problems) MUST_CHECK;
void tune_targets_finish(struct tune_targets *targets);

#endif
