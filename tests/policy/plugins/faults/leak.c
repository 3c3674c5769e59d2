/* leak: memory that finish does not free. */
#include "in_order.h"

#include <stdlib.h>
#include <string.h>

struct state {
    char *memory;
};

static int init(const struct easim_pass *pass) {
    struct state *s = pass->state;
    s->memory = malloc(2385);
    if (s->memory)
        memset(s->memory, 1, 2385);
    return 0;
}

FAULTY("leak", .state_size = sizeof(struct state), .decide = start_in_order, .init = init);
