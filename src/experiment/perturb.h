/* Scenarios with one thing made worse, as values to set over a loaded one. */
#ifndef EASIM_EXPERIMENT_PERTURB_H
#define EASIM_EXPERIMENT_PERTURB_H

#include "study/study.h"

/* "path=value" texts for scenario_overrides, in the arena of the caller. */
struct perturb_sets {
    ARRAY_OF(const char *) sets;
};

/* One perturbation that the user asks for. */
struct perturb_ask {
    const char *name; /* of the perturbation, or the path of a number of the scenario */
    double amount;
};

struct perturbation {
    const char *name;
    double amount;      /* unless told otherwise */
    double least, most; /* an amount must be above the one and not above the other */
    /* NULL, or why this scenario cannot be perturbed so; appends to out. */
    const char *(*apply)(const struct study *study, const struct perturb_ask *ask,
                         struct arena *arena, struct perturb_sets *out);
};

extern const struct perturbation perturbations[]; /* ends with a NULL name */

/* NULL: there is none of that name. */
const struct perturbation *perturb_find(const char *name);
/* Whether the name is a path: what perturb_path is meant for. */
bool perturb_is_path(const char *name);
/* That of the numbers of a scenario, each 1 + amount times as large. */
extern const struct perturbation perturb_path;

#endif
