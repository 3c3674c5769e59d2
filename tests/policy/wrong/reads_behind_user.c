/* Reads a member of a later version behind a user, without a look at the stride. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_user *user = easim_view_user(pass->view, 0);
    return *(const double *)(user + 1) >= 0 ? start_in_order(pass) : 0;
}

POLICY(.decide = decide);
