/* The objective is not a number. */
#include "wrong.h"

static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    (void)pass, (void)job;
    return choice->time_s * NAN;
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_OWN;
    ret->objective = objective;
}

LIST(.minimise = minimise);
