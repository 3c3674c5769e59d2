/* Changes how numbers are rounded. */
#include "wrong.h"
#include <fenv.h>

static int decide(const struct easim_pass *pass) {
    fesetround(FE_UPWARD);
    return start_in_order(pass);
}

POLICY(.decide = decide);
