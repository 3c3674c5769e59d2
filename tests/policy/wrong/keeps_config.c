/* Keeps a configuration across decisions. */
#include "wrong.h"

struct state {
    const void *kept;
};

static int decide(const struct easim_pass *pass) {
    struct state *s = pass->state;
    if (!s->kept)
        s->kept = easim_view_config(pass->view, 0);
    const struct easim_config *kept = s->kept;
    return kept->k > 0 ? start_in_order(pass) : 0;
}

POLICY(.decide = decide, .state_size = sizeof(struct state));
