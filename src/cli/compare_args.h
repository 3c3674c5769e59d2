/* What the options of easim compare stand for: policies, perturbations, the baseline. */
#ifndef EASIM_CLI_COMPARE_ARGS_H
#define EASIM_CLI_COMPARE_ARGS_H

#include "cli/contenders.h"
#include "experiment/compare/perturb.h"

struct asked_perturbation {
    const struct perturbation *kind;
    struct perturb_ask ask;
};

/* Zero-initialise; release with compare_args_finish. */
struct compare_args {
    struct options *options;
    const char *own_policy;          /* of the scenario, if all are compared */
    ARRAY_OF(const char *) policies; /* names or paths */
    bool all;                        /* that are found */
    size_t baseline;                 /* among them */
    ARRAY_OF(struct asked_perturbation) perturbations;
};

/* Finds policies, perturbations and standard input: what is not bad usage, but bad input. */
int compare_args_resolve(struct compare_args *args, struct problems *problems) MUST_CHECK;
/* What can be told only of loaded policies: twice the same, the baseline, the bound of --until-ci.
 */
int compare_args_check(struct compare_args *args, const struct contender *contenders,
                       struct problems *problems) MUST_CHECK;
void compare_args_finish(struct compare_args *args);

#endif
