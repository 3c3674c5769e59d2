/* key does not end. */
#include "wrong.h"

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass, (void)job, (void)best, (void)ret;
    for (volatile unsigned i = 0;; i++)
        ;
}

LIST(.key = key);
