/* clock: decides by the time of day. */
#include "in_order.h"

#include <time.h>

static int decide(const struct easim_pass *pass) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_nsec / 100 % 2 == 0 && pass->view->running_count > 0)
        return 0;
    return start_in_order(pass);
}

FAULTY("clock", .decide = decide);
