/* falls: a list policy that says that its objective rises with time and energy, and prefers what is
   slowest. */
#include <easim/policy.h>

static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    (void)pass, (void)job;
    return 1 / choice->time_s;
}

static bool objective_rises(const struct easim_pass *pass) {
    (void)pass;
    return true;
}

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass, (void)best;
    ret->value = job->submit_s;
}

static const struct easim_list list = {.struct_size = sizeof list,
                                       .key = key,
                                       .objective = objective,
                                       .objective_rises = objective_rises};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI, .name = "falls", .version = "1", .summary = "says what is not so",
    .list = &list};
