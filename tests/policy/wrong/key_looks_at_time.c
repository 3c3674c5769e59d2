/* The key depends on the time, and does not ask again. */
#include "wrong.h"

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)best;
    ret->value = job->index % 2 ? pass->view->now_s : 4000;
}

LIST(.key = key);
