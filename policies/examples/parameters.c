/* parameters.c: a parameter of the policy, which users set as `policy.params.tau`. Shortest job
   first; a job that has waited for tau counts as half as long. */
#include <easim/policy.h>

struct params {
    double tau_s;
};

static const struct easim_param params[] = {{.name = "tau",
                                             .unit = "s",
                                             .help = "age at which a job counts as half as long",
                                             .type = EASIM_PARAM_DURATION,
                                             .offset = offsetof(struct params, tau_s),
                                             .min = 1,
                                             .max = 1e9,
                                             .default_value = 3600,
                                             .may_be_off = true}};

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = (const struct params *)pass->params;
    (void)job;
    ret->value = best;
    ret->ageing_s = p->tau_s == EASIM_OFF ? 0 : p->tau_s; /* 0: none */
}

static const struct easim_list list = {.struct_size = sizeof list, .key = key};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "parameters",
                                                       .version = "1.0",
                                                       .summary = "shortest job first, with ageing",
                                                       .reads = EASIM_READS_RUN_TIMES,
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 1,
                                                       .list = &list};
