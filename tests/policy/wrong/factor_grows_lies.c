/* factor_grows, and a factor that falls with usage. */
#include "wrong.h"

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass, (void)best;
    ret->value = job->index + 1;
}

static double user_factor(const struct easim_pass *pass, uint32_t user) {
    return 1 / (1 + easim_user_usage_s(pass->view, user));
}

LIST(.key = key, .user_factor = user_factor, .factor_grows = true);
