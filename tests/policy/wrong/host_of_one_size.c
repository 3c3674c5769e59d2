/* Does nothing with a host table of another size. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    return pass->host->struct_size == sizeof *pass->host ? start_in_order(pass) : 0;
}

POLICY(.decide = decide);
