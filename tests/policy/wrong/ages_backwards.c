/* ageing_s of a key is negative. */
#include "wrong.h"

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass, (void)job, (void)best;
    ret->ageing_s = -1;
}

LIST(.key = key);
