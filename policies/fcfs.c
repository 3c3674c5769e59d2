/* fcfs: first come, first served. Jobs start in the order of submission; the first that does not fit stops the
 * pass. */
#include <easim/policy.h>

struct params {
    struct easim_list_options list;
};

static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    (void)pass;
    (void)job;
    return choice->time_s;
}

static const struct easim_param params[] = {EASIM_LIST_PARAMS(struct params, list, true)};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .options_offset = offsetof(struct params, list),
    .objective = objective,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "fcfs",
    .version = "1.0",
    .summary = "first come, first served",
    .help =
        "Jobs start in the order of submission, each in its fastest configuration that fits now (or in its fixed\n"
        "request). With strict, the default, the first job that does not fit stops the pass; without it, later\n"
        "jobs may pass it (first fit).",
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
};
