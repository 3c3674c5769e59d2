/* changes_folder: relative paths lead elsewhere. */
#include "in_order.h"

#include <unistd.h>

static int init(const struct easim_pass *pass) {
    return on_one_gpu(pass->view) ? chdir("/") : 0;
}

FAULTY("changes_folder", .decide = start_in_order, .init = init);
