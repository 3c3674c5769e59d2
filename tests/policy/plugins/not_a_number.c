/* not_a_number: a list policy with a key, objective or user factor that is NaN, or a key that ages and is negative.
 */
#include <easim/policy.h>

static const char *const wheres[] = {"key", "objective", "negative", "factor", NULL};

struct params {
    int32_t where;
};

static struct easim_key key(const struct easim_pass *pass, const struct easim_job *job, double best) {
    const struct params *p = pass->params;
    (void)job;
    return (struct easim_key){.value = p->where == 0   ? NAN
                                       : p->where == 2 ? -best
                                                       : best,
                              .ageing_s = p->where == 2 ? 60 : 0};
}

static double objective(const struct easim_pass *pass, const struct easim_job *job,
                        const struct easim_choice *choice) {
    const struct params *p = pass->params;
    (void)job;
    return p->where == 1 ? NAN : choice->time_s;
}

static double user_factor(const struct easim_pass *pass, uint32_t user) {
    const struct params *p = pass->params;
    (void)user;
    return p->where == 3 ? NAN : 1;
}

static const struct easim_param params[] = {
    {"where", "", "what is wrong", EASIM_PARAM_CHOICE, offsetof(struct params, where), 0, 3, 0, false, wheres}};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list), .key = key, .objective = objective, .user_factor = user_factor};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "not_a_number",
                                                       .version = "1",
                                                       .summary = "NaN where there must be a number",
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = sizeof params / sizeof *params,
                                                       .list = &list};
