/* sleeper: waits for ever without using the processor. */
#include "in_order.h"

#include <unistd.h>

static int decide(const struct easim_pass *pass) {
    while (on_one_gpu(pass->view))
        pause();
    return start_in_order(pass);
}

FAULTY("sleeper", .decide = decide);
