/* Takes a view of another size for none. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    if (pass->view->struct_size != sizeof(struct easim_view)) {
        pass->host->fail(pass->plan, "this view has another size");
        return -1;
    }
    return start_in_order(pass);
}

POLICY(.decide = decide);
