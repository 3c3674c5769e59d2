/* changes_rounding: floating-point numbers are rounded upwards from now on. */
#include "in_order.h"

#include <fenv.h>

static int decide(const struct easim_pass *pass) {
    if (on_one_gpu(pass->view))
        (void)fesetround(FE_UPWARD);
    return start_in_order(pass);
}

FAULTY("changes_rounding", .decide = decide);
