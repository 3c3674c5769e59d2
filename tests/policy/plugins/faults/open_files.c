/* open_files: a descriptor that finish does not close. */
#include "in_order.h"

#include <fcntl.h>

static int init(const struct easim_pass *pass) {
    (void)pass;
    return open("/dev/null", O_RDONLY) < 0 ? -1 : 0;
}

FAULTY("open_files", .decide = start_in_order, .init = init);
