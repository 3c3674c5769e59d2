/* Keeps the view across decisions. */
#include "wrong.h"

struct state {
    const void *kept;
};

static int decide(const struct easim_pass *pass) {
    struct state *s = pass->state;
    if (!s->kept)
        s->kept = pass->view;
    const struct easim_view *kept = s->kept;
    return kept->gpus > 0 ? start_in_order(pass) : 0;
}

POLICY(.decide = decide, .state_size = sizeof(struct state));
