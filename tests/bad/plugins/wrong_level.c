/* The third of two levels. */
#include <easim/policy.h>

static uint32_t level(const struct easim_pass *pass) {
    (void)pass;
    return 2;
}

#define NAME      "wrong_level"
#define LIST_MORE .levels = 2, .level = level
#include "template.h"
