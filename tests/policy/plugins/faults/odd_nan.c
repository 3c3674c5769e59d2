/* odd_nan: a key that divides by the time between submission and deadline. */
#include "in_order.h"

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass;
    double slack_s = job->deadline_s - job->submit_s;
    ret->value = slack_s < INFINITY ? slack_s * best / slack_s : best;
}

static const struct easim_list list = {.struct_size = sizeof list, .key = key};

FAULTY("odd_nan", .list = &list);
