/* Prints to standard output. */
#include "wrong.h"
#include <stdio.h>

static int decide(const struct easim_pass *pass) {
    puts("decided");
    return start_in_order(pass);
}

POLICY(.decide = decide);
