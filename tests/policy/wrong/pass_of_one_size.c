/* Does nothing with a pass of another size. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    return pass->struct_size == sizeof *pass ? start_in_order(pass) : 0;
}

POLICY(.decide = decide);
