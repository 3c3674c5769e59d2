/* strlen of address 8. */
#include "wrong.h"
#include <string.h>

static int *volatile nowhere = (int *)8;

static int decide(const struct easim_pass *pass) {
    return strlen((const char *)nowhere) > 0 && pass;
}

POLICY(.decide = decide);
