/* An unknown kind of objective. */
#include "wrong.h"

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = 77;
}

LIST(.minimise = minimise);
