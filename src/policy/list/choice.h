/* The best of several choices for one job: the one of least objective, and among equals the one
   that goes first in the order of model/config_speeds.h. */
#ifndef EASIM_POLICY_LIST_CHOICE_H
#define EASIM_POLICY_LIST_CHOICE_H

#include "easim/policy.h"

/* The best of the choices seen so far. */
struct choice_best {
    struct easim_choice choice; /* config EASIM_NONE: none yet */
    double objective;
};

#define CHOICE_NONE_YET ((struct choice_best){{.config = EASIM_NONE}, INFINITY})

/* Keeps the choice if it is better. INFINITY never is. The objective is not NaN. */
void choice_keep_better(struct choice_best *best, const struct easim_choice *choice,
                        double objective);

#endif
