/* What the options of easim compare stand for: policies, perturbations, the baseline. */
#ifndef EASIM_CLI_COMPARE_ARGS_H
#define EASIM_CLI_COMPARE_ARGS_H

#include "cli/contenders.h"
#include "experiment/perturb.h"

struct asked_perturbation {
    const struct perturbation *kind;
    struct perturb_ask ask;
};

/* Zero-initialise; release with compare_args_finish. */
struct compare_args {
    struct options *options;
    const char *own_policy;          /* of the scenario, if all are compared */
    ARRAY_OF(const char *) policies; /* as they are listed, with parameters */
    ARRAY_OF(const char *) modules;  /* of each, its name or path alone */
    size_t all_at, all_count;        /* places of those that `all` stands for; count 0: not given */
    size_t baseline;                 /* among them */
    ARRAY_OF(struct asked_perturbation) perturbations;
};

/* Finds policies, perturbations and standard input: what is not bad usage, but bad input. */
int compare_args_resolve(struct compare_args *args, struct problems *problems) MUST_CHECK;
/* What can be told only of loaded policies: twice the same, the baseline, the bound of --until-ci.
 */
int compare_args_check(struct compare_args *args, const struct contender *contenders,
                       struct problems *problems) MUST_CHECK;
/* Whether a policy was named, not only found. */
bool compare_args_asked_for(const struct compare_args *args, size_t policy);
/* The scenario as all of them are loaded. */
struct scenario_overrides compare_args_overrides(const struct compare_args *args);
void compare_args_finish(struct compare_args *args);

#endif
