/* Keeps a copy of the view, with its pointers, across decisions. */
#include "wrong.h"

struct state {
    struct easim_view kept;
};

static int decide(const struct easim_pass *pass) {
    struct state *s = pass->state;
    if (s->kept.struct_size == 0)
        s->kept = *pass->view;
    return easim_view_gpu_type(&s->kept, 0)->gpus > 0 ? start_in_order(pass) : 0;
}

POLICY(.decide = decide, .state_size = sizeof(struct state));
