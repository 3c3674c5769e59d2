/* strlen of address 8, called so that no compiler puts a look at the byte in its place. */
#include "wrong.h"
#include <string.h>

static int *volatile nowhere = (int *)8;
static size_t (*volatile length)(const char *) = strlen;

static int decide(const struct easim_pass *pass) {
    return length((const char *)nowhere) > 0 && pass;
}

POLICY(.decide = decide);
