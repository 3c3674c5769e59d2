/* The exponent is not a number. */
#include "wrong.h"

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_EDP;
    ret->exponent = NAN;
}

LIST(.minimise = minimise);
