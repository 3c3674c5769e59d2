/* crash_in_library: hands a wrong address to a function of the C library. */
#include <easim/policy.h>

#include <string.h>

static int decide(const struct easim_pass *pass) {
    const char *volatile nowhere = (const char *)8;
    (void)pass;
    return (int)strlen(nowhere);
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI, .name = "crash_in_library", .version = "1",
                                                       .summary = "misuses strlen", .decide = decide};
