/* leave_on_unload: runs code when it is unloaded, and ends the process there. */
#include "faults/in_order.h"

#include <unistd.h>

__attribute__((destructor)) static void leave(void) {
    _exit(0);
}

FAULTY("leave_on_unload", .decide = start_in_order);
