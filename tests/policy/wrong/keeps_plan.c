/* Keeps the plan of a decision for later ones. */
#include "wrong.h"

struct state {
    struct easim_plan *kept;
};

static int decide(const struct easim_pass *pass) {
    struct state *s = pass->state;
    if (!s->kept)
        s->kept = pass->plan;
    return pass->host->uniform(s->kept) < 1 ? start_in_order(pass) : 0;
}

POLICY(.decide = decide, .state_size = sizeof(struct state));
