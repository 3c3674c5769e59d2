/* An objective of its own that it does not give. */
#include "wrong.h"

static void minimise(const struct easim_pass *pass, struct easim_objective *ret) {
    (void)pass;
    ret->kind = EASIM_MINIMISE_OWN;
}

LIST(.minimise = minimise);
