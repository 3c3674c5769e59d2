/* write_view: casts const away and writes to the view, which checked runs keep in read-only pages. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    ((struct easim_view *)(uintptr_t)pass->view)->free_gpus = 1000;
    return 0;
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI, .name = "write_view", .version = "1",
                                                       .summary = "writes where it must not", .decide = decide};
