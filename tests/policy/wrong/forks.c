/* Forks a process at every decision that goes on. */
#include "wrong.h"
#include <unistd.h>

static int decide(const struct easim_pass *pass) {
    if (fork() == 0)
        pause();
    return start_in_order(pass);
}

POLICY(.decide = decide);
