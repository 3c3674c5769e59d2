/* Starts a thread, which waits for ever. */
#include "wrong.h"
#include <pthread.h>
#include <unistd.h>

static void *wait_on(void *nothing) {
    pause();
    return nothing;
}

static int init(const struct easim_pass *pass) {
    pthread_t thread;
    (void)pass;
    return pthread_create(&thread, NULL, wait_on, NULL) == 0 ? 0 : -1;
}

POLICY(.init = init, .decide = start_in_order);
