/* ends_badly: starts jobs in order; at its decision number `after` it does what `how` says. */
#include "faults/in_order.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum how { NOT, CRASH, IN_LIBRARY, ABORT, EXIT, LEAVE, LOOP, HEAP, KILL, FORK, FAIL, HOWS };
static const char *const hows[] = {"not",  "crash", "in_library", "abort", "exit", "leave",
                                   "loop", "heap",  "kill",       "fork",  "fail", NULL};

struct params {
    int64_t after;
    int32_t how;
};

struct state {
    int64_t decisions;
};

static const struct easim_param params[] = {
    {"after", "", "at which decision", EASIM_PARAM_INT, offsetof(struct params, after), 1, 1e6, 20, false, NULL},
    {"how", "", "what to do", EASIM_PARAM_CHOICE, offsetof(struct params, how), 0, HOWS - 1, NOT, false, hows},
};

/* Writes over what malloc keeps in front of a block, and frees that. */
static void corrupt_heap(void) {
    char *volatile block = malloc(24);
    for (volatile char *at = block - 16; at < block; at++)
        *at = 0x5a;
    free(block);
}

static void loop(void) {
    volatile bool for_ever = true;
    while (for_ever)
        ;
}

static int end_badly(const struct easim_pass *pass, enum how how) {
    const char *volatile nowhere = (const char *)8;
    switch (how) {
    case CRASH:
        return read_nothing();
    case IN_LIBRARY:
        return (int)strlen(nowhere);
    case EXIT:
        exit(0);
    case LEAVE:
        _exit(0);
    case LOOP:
        loop();
        break;
    case HEAP:
        corrupt_heap();
        break;
    case KILL:
        raise(SIGKILL);
        break;
    case FORK: /* and leaves its child behind */
        if (fork() == 0)
            loop();
        abort();
    case FAIL:
        pass->host->fail(pass->plan, "as it was told");
        return -1;
    default:
        abort();
    }
    return 0;
}

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    struct state *state = pass->state;
    if (++state->decisions == p->after && p->how != NOT)
        return end_badly(pass, (enum how)p->how);
    return start_in_order(pass);
}

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "ends_badly",
                                                       .version = "1",
                                                       .summary = "ends its process, or does not end",
                                                       .state_size = sizeof(struct state),
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = sizeof params / sizeof *params,
                                                       .decide = decide};
