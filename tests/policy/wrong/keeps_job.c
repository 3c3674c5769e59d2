/* Keeps a job of the view across decisions. */
#include "wrong.h"

struct state {
    const void *kept;
};

static int decide(const struct easim_pass *pass) {
    struct state *s = pass->state;
    if (!s->kept)
        s->kept = first_waiting(pass);
    const struct easim_job *kept = s->kept;
    return !kept || kept->index < pass->view->job_count ? start_in_order(pass) : 0;
}

POLICY(.decide = decide, .state_size = sizeof(struct state));
