/* blocks_signals: SIGINT waits until somebody unblocks it. */
#include "in_order.h"

#include <signal.h>

static int init(const struct easim_pass *pass) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    return on_one_gpu(pass->view) ? sigprocmask(SIG_BLOCK, &set, NULL) : 0;
}

FAULTY("blocks_signals", .decide = start_in_order, .init = init);
