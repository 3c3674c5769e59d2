/* Writes into a job of the view. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    const struct easim_job *job = first_waiting(pass);
    if (job)
        ((struct easim_job *)(uintptr_t)job)->preemptions = 9;
    return start_in_order(pass);
}

POLICY(.decide = decide);
