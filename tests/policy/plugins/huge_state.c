/* huge_state: asks for more memory than there are addresses. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "huge_state",
                                                       .version = "1",
                                                       .summary = "has too much state",
                                                       .state_size = (size_t)1 << 62,
                                                       .decide = decide};
