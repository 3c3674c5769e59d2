/* not_a_number: a list policy whose key or objective is NaN. */
#include <easim/policy.h>

static const char *const wheres[] = {"key", "objective", NULL};

struct params {
    int32_t where;
};

static struct easim_key key(const struct easim_pass *pass, const struct easim_job *job, double best) {
    const struct params *p = pass->params;
    (void)job;
    return (struct easim_key){.value = p->where == 0 ? NAN : best};
}

static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    const struct params *p = pass->params;
    (void)job;
    return p->where == 1 ? NAN : choice->time_s;
}

static const struct easim_param params[] = {
    {"where", "", "what is NaN", EASIM_PARAM_CHOICE, offsetof(struct params, where), 0, 1, 0, false, wheres}};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list), .key = key, .objective = objective};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "not_a_number",
                                                       .version = "1",
                                                       .summary = "NaN key or objective",
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = sizeof params / sizeof *params,
                                                       .list = &list};
