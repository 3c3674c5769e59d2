/* A key that is not a number. */
#include <easim/policy.h>

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass;
    (void)job;
    ret->value = NAN * best;
}

#define NAME "nan_key"
#define KEY  key
#include "template.h"
