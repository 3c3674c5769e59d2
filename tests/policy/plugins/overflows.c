/* overflows: calls itself until its stack is used up. */
#include <easim/policy.h>

static int deeper(const volatile int *above) {
    volatile int here[256];
    here[0] = *above + 1;
    return here[0] < 0 ? 0 : deeper(here) + here[0];
}

static int decide(const struct easim_pass *pass) {
    (void)pass;
    volatile int start = 0;
    return deeper(&start);
}

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI, .name = "overflows", .version = "1", .summary = "uses up its stack",
    .decide = decide};
