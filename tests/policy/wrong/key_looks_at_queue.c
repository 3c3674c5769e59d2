/* The key depends on the length of the queue, and does not ask again. */
#include "wrong.h"

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)best;
    ret->value = job->index % 2 ? pass->view->waiting_count : 3;
}

LIST(.key = key);
