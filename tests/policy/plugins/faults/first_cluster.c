/* first_cluster: keeps the number of GPUs of the first run it sees in a static variable. */
#include "in_order.h"

static uint32_t gpus;

static int decide(const struct easim_pass *pass) {
    if (gpus == 0)
        gpus = pass->view->gpus;
    if (pass->view->running_count > 0 && gpus < 20)
        return 0; /* one job at a time */
    return start_in_order(pass);
}

FAULTY("first_cluster", .decide = decide);
