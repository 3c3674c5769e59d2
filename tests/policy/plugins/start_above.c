/* start_above: starts what waits when the power cap has risen to a value; looks at changes and
 * arrivals alike. */
#include <easim/policy.h>

struct params {
    double cap;
};

static int decide(const struct easim_pass *pass) {
    const struct params *p = pass->params;
    for (uint32_t i = pass->view->first_waiting;
         pass->view->power_cap_w >= p->cap && i != EASIM_NONE;) {
        const struct easim_job *job = easim_view_job(pass->view, i);
        i = job->next_waiting;
        pass->host->plan_start(pass->plan, job->index, job->first_config);
    }
    return 0;
}

static const struct easim_param params[] = {
    {"cap", "W", "least cap", EASIM_PARAM_REAL, offsetof(struct params, cap), 0, 1e9, 1, false,
     NULL, EASIM_ROLE_NONE},
};

EASIM_EXPORT const struct easim_policy easim_policy = {EASIM_POLICY_ABI,
                                                       .name = "start_above",
                                                       .version = "1",
                                                       .summary = "waits for a cap",
                                                       .params_size = sizeof(struct params),
                                                       .params = params,
                                                       .param_count = 1,
                                                       .decide = decide};
