/* displace gives no number. */
#include "wrong.h"

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass, (void)job, (void)best;
    ret->may_displace = true;
}

static double displace(const struct easim_pass *pass, const struct easim_job *job,
                       const struct easim_job *other) {
    (void)pass, (void)job, (void)other;
    return NAN;
}

LIST_THAT(EASIM_CAPABILITY_PREEMPT, .key = key, .displace = displace);
