/* Allocates and does not free. */
#include "wrong.h"
#include <stdlib.h>

static void *volatile kept;

static int decide(const struct easim_pass *pass) {
    kept = malloc(2385);
    return start_in_order(pass);
}

POLICY(.decide = decide);
