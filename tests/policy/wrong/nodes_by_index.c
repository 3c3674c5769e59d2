/* Walks the nodes by sizeof. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_node *nodes = pass->view->nodes;
    uint32_t free = 0;
    for (uint32_t n = 0; n < pass->view->node_count; n++)
        free += nodes[n].free;
    return free == pass->view->free_gpus ? start_in_order(pass) : 0;
}

POLICY(.decide = decide);
