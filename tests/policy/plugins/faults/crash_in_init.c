/* crash_in_init: reads from address 8 before the first decision. */
#include "in_order.h"

static int init(const struct easim_pass *pass) {
    (void)pass;
    return read_nothing();
}

FAULTY("crash_in_init", .decide = start_in_order, .init = init);
