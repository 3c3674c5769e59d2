/* key writes to address 8. */
#include "wrong.h"

static int *volatile nowhere = (int *)8;

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass, (void)job, (void)best, (void)ret;
    *(volatile int *)nowhere = 1;
}

LIST(.key = key);
