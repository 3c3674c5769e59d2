/* A key that is not a number. */
#include <easim/policy.h>

static struct easim_key key(const struct easim_pass *pass, const struct easim_job *job,
                            double best) {
    (void)pass;
    (void)job;
    return (struct easim_key){.value = NAN * best};
}

#define NAME "nan_key"
#define KEY  key
#include "template.h"
