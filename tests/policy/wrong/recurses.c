/* Calls itself until the stack is full. */
#include "wrong.h"

static int decide(const struct easim_pass *pass);

static int decide(const struct easim_pass *pass) {
    volatile char room[4096];
    room[0] = 1;
    return decide(pass) + room[0];
}

POLICY(.decide = decide);
