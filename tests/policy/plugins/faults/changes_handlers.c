/* changes_handlers: SIGTERM is for the policy from now on. */
#include "in_order.h"

#include <signal.h>

static void ignore(int number) {
    (void)number;
}

static int init(const struct easim_pass *pass) {
    return on_one_gpu(pass->view) && signal(SIGTERM, ignore) == SIG_ERR ? -1 : 0;
}

FAULTY("changes_handlers", .decide = start_in_order, .init = init);
