/* Never starts a job. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return 0;
}

#define NAME   "stuck"
#define DECIDE decide
#define LIST   NULL
#include "template.h"
