/* start_none: never starts a job, so a run gets stuck. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI, .name = "start_none",
                                                       .version = "1", .summary = "starts nothing",
                                                       .decide = decide};
