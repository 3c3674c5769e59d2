/* crash_on_load: runs code while it is loaded, and crashes there. */
#include "in_order.h"

__attribute__((constructor)) static void crash(void) {
    read_nothing();
}

FAULTY("crash_on_load", .decide = start_in_order);
