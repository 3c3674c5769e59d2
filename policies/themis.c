/* themis: shortest job first, modulated by what each user has consumed, after Themis (Mahajan et
   al., NSDI'20) as the EAS-Sim study describes it: key T* x W, W = 1 + U / (weight x u0), which
   favours users who consumed little.
 */
#include <easim/policy.h>

struct params {
    double u0, time_slack;
};

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    (void)job;
    ret->value = best;
    ret->objective_max = p->time_slack < EASIM_OFF ? p->time_slack * best : 0;
}

/* W */
static double user_factor(const struct easim_pass *pass, uint32_t user) {
    const struct params *p = pass->params;
    return 1 + easim_user_usage_s(pass->view, user) /
                   (easim_view_user(pass->view, user)->weight * p->u0);
}

static const struct easim_param params[] = {
    {"u0", "GPU s", "usage that doubles the key of a user of weight 1", EASIM_PARAM_REAL,
     offsetof(struct params, u0), 1e-3, 1e12, 3600, false, NULL, EASIM_ROLE_NONE},
    {"time_slack", "",
     "admit only configurations with T <= time_slack * T*; 1: wait for the fastest",
     EASIM_PARAM_REAL, offsetof(struct params, time_slack), 1, 1e9, EASIM_OFF, true, NULL,
     EASIM_ROLE_NONE},
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .user_factor = user_factor,
    .factor_grows = true,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "themis",
    .version = "1.0",
    .summary = "shortest job first, users who consumed little before others",
    .help =
        "Visits waiting jobs by T* x W, T* the least completion time on the empty cluster, W = 1 + U / (weight * u0),\n"
        "U the GPU-seconds the user has held so far (set-up, lost work and running jobs included), and starts each in\n"
        "the fastest configuration that fits now. With half_life_s, U fades exponentially.\n"
        "time_slack as in pollux.",
    .capabilities = EASIM_CAPABILITY_FRACTIONAL_GPU,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .reads = EASIM_READS_USERS | EASIM_READS_RUN_TIMES,
};
