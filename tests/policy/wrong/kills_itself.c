/* Sends itself SIGKILL. */
#include "wrong.h"
#include <signal.h>
#include <unistd.h>

static int decide(const struct easim_pass *pass) {
    (void)pass;
    return kill(getpid(), SIGKILL);
}

POLICY(.decide = decide);
