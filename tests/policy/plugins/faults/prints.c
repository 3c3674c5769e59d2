/* prints: to standard output, where results are, without flushing it. */
#include "in_order.h"

#include <stdio.h>

static int init(const struct easim_pass *pass) {
    if (on_one_gpu(pass->view))
        printf("init of\x1b[31m prints\nmore\n");
    return 0;
}

FAULTY("prints", .decide = start_in_order, .init = init);
