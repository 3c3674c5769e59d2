/* prints_errors: to standard error, where messages of easim are. */
#include "in_order.h"

#include <stdio.h>

static int decide(const struct easim_pass *pass) {
    if (on_one_gpu(pass->view))
        fprintf(stderr, "decided\n");
    return start_in_order(pass);
}

FAULTY("prints_errors", .decide = decide);
