/* writes_view: casts const away and writes to the view, something harmless. */
#include "in_order.h"

static int decide(const struct easim_pass *pass) {
    struct easim_view *view = (struct easim_view *)(uintptr_t)pass->view;
    view->price_per_mwh = 50;
    return start_in_order(pass);
}

FAULTY("writes_view", .decide = decide);
