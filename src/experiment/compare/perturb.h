/* Scenarios with one thing made worse, as values to set over a loaded one. */
#ifndef EASIM_EXPERIMENT_COMPARE_PERTURB_H
#define EASIM_EXPERIMENT_COMPARE_PERTURB_H

#include "study/study.h"

/* "path=value" texts for scenario_overrides, in the arena of the caller. */
struct perturb_sets {
    ARRAY_OF(const char *) sets;
};

struct perturbation {
    const char *name;
    double amount;      /* unless told otherwise */
    double least, most; /* an amount must be above the one and not above the other */
    /* NULL, or why this scenario cannot be perturbed so; appends to out. */
    const char *(*apply)(const struct study *study, double amount, struct arena *arena,
                         struct perturb_sets *out);
};

extern const struct perturbation perturbations[]; /* ends with a NULL name */

const struct perturbation *perturb_find(const char *name);

#endif
