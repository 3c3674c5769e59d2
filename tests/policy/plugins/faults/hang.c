/* hang: does not return. */
#include "in_order.h"

static int decide(const struct easim_pass *pass) {
    const volatile uint32_t *waiting = &pass->view->waiting_count;
    while (*waiting > 1000)
        ;
    return start_in_order(pass);
}

FAULTY("hang", .decide = decide);
