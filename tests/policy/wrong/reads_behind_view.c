/* Reads behind the view. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    return ((const volatile char *)(pass->view + 1))[0] * 0 + start_in_order(pass);
}

POLICY(.decide = decide);
