/* An objective that is not a number. */
#include <easim/policy.h>

static double not_a_number(const struct easim_pass *pass, const struct easim_job *job,
                           const struct easim_choice *choice) {
    (void)pass;
    (void)job;
    return choice->time_s * NAN;
}

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_OWN;
    ret->objective = not_a_number;
}

#define NAME     "nan_objective"
#define MINIMISE minimise
#include "template.h"
