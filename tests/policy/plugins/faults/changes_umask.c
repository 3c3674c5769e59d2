/* changes_umask: nobody may read the files that are made from now on. */
#include "in_order.h"

#include <sys/stat.h>

static void finish(const struct easim_pass *pass) {
    if (on_one_gpu(pass->view))
        umask(0777);
}

FAULTY("changes_umask", .decide = start_in_order, .finish = finish);
