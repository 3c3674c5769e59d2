/* Keeps the struct of an extension across decisions. */
#include "wrong.h"

#include <easim/services.h>

struct state {
    const struct easim_services *kept;
};

static int init(const struct easim_pass *pass) {
    struct state *s = pass->state;
    s->kept = easim_services_of(pass, 0);
    return 0;
}

static int decide(const struct easim_pass *pass) {
    const struct state *s = pass->state;
    return s->kept->struct_size > 0 ? start_in_order(pass) : 0;
}

static const struct easim_extension extensions[] = {EASIM_SERVICES(false)};

POLICY(.init = init, .decide = decide, .state_size = sizeof(struct state), .extensions = extensions,
       .extension_count = 1, .extension_bytes = sizeof *extensions);
