/* Gives up without a word. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return -1;
}

#define NAME   "fails_silently"
#define DECIDE decide
#define LIST   NULL
#include "template.h"
