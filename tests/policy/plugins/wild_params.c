/* wild_params: says where its parameters are, and there are none. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "wild_params",
                                                       .version = "1",
                                                       .summary = "parameters at no address",
                                                       .params = (const struct easim_param *)16,
                                                       .param_count = 1,
                                                       .decide = decide};
