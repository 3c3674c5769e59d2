/* Refuses to run. */
#include <easim/policy.h>

static int init(const struct easim_pass *pass) {
    pass->host->fail(pass->plan, "no run today");
    return -1;
}

#define NAME "init_fails"
#define INIT init
#include "template.h"
