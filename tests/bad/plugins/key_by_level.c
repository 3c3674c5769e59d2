/* An order that depends on the level. */
#include <easim/policy.h>

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)job;
    ret->value = pass->level + best;
}

static uint32_t level(const struct easim_pass *pass) {
    return pass->view->waiting_count > 1;
}

#define NAME      "key_by_level"
#define KEY       key
#define LIST_MORE .levels = 2, .level = level
#include "template.h"
