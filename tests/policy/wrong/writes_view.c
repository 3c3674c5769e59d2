/* Writes into the view. */
#include "wrong.h"

static int decide(const struct easim_pass *pass) {
    ((struct easim_view *)(uintptr_t)pass->view)->free_gpus = 99;
    return start_in_order(pass);
}

POLICY(.decide = decide);
