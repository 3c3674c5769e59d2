/* Keeps the host table across decisions. */
#include "wrong.h"

struct state {
    const struct easim_host *kept;
};

static int init(const struct easim_pass *pass) {
    struct state *s = pass->state;
    s->kept = pass->host;
    return 0;
}

static int decide(const struct easim_pass *pass) {
    const struct state *s = pass->state;
    return s->kept->uniform(pass->plan) < 1 ? start_in_order(pass) : 0;
}

POLICY(.init = init, .decide = decide, .state_size = sizeof(struct state));
