/* Opens a file at every decision and closes none. */
#include "wrong.h"
#include <fcntl.h>

static int decide(const struct easim_pass *pass) {
    (void)!open("/dev/null", O_RDONLY);
    return start_in_order(pass);
}

POLICY(.decide = decide);
