/* The factor of a user is not a number. */
#include "wrong.h"

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass, (void)best;
    ret->value = job->index + 1;
}

static double user_factor(const struct easim_pass *pass, uint32_t user) {
    (void)pass, (void)user;
    return NAN;
}

LIST(.key = key, .user_factor = user_factor);
