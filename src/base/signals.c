/* Held signals: see signals.h. */
#include "base/signals.h"

#include <stddef.h>

static void fill_set(sigset_t *set) {
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sigaddset(set, all[i]);
}

void signals_hold(sigset_t *ret_before) {
    sigset_t set;
    fill_set(&set);
    pthread_sigmask(SIG_BLOCK, &set, ret_before);
}

void signals_release(const sigset_t *before) {
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void signals_let_through(void) {
    sigset_t set;
    fill_set(&set);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
