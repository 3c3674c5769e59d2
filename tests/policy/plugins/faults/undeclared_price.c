/* undeclared_price: starts nobody while a job runs, if there is a price. */
#include "in_order.h"

static int decide(const struct easim_pass *pass) {
    return pass->view->price_per_mwh > 0 && pass->view->running_count > 0 ? 0
                                                                          : start_in_order(pass);
}

FAULTY("undeclared_price", .decide = decide, .reads = EASIM_READS_USERS);
