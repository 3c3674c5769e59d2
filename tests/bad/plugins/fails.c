/* Gives up at the third decision and says why. */
#include <easim/policy.h>

static int decide(const struct easim_pass *pass) {
    uint32_t submitted = 0;
    for (uint32_t i = pass->view->first_waiting; i != EASIM_NONE;
         i = easim_view_job(pass->view, i)->next_waiting)
        submitted++;
    if (submitted < 3)
        return 0;
    pass->host->fail(pass->plan, "three jobs are too many");
    return -1;
}

#define NAME   "fails"
#define DECIDE decide
#define LIST   NULL
#include "template.h"
