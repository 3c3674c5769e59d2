/* An objective that is not a number. */
#include <easim/policy.h>

static double not_a_number(const struct easim_pass *pass, const struct easim_job *job,
                           const struct easim_choice *choice) {
    (void)pass;
    (void)job;
    return choice->time_s * NAN;
}

#define NAME      "nan_objective"
#define OBJECTIVE not_a_number
#include "template.h"
