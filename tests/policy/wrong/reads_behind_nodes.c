/* Reads behind the nodes. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    return ((const volatile char *)easim_view_node(pass->view, pass->view->node_count))[0] * 0 +
           start_in_order(pass);
}

POLICY(.decide = decide);
