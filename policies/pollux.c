/* pollux: shortest job first with malleable adaptation and ageing, after Pollux (Qiao et al.,
   OSDI'21) as the EAS-Sim study describes it: maximise throughput by goodput, key T* / A. */
#include <easim/policy.h>

struct params {
    double tau, time_slack;
};

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    (void)job;
    ret->value = best;
    ret->ageing_s = p->tau;
    ret->objective_max = p->time_slack < EASIM_OFF ? p->time_slack * best : 0;
}

static const struct easim_param params[] = {
    {"tau", "s", "ageing time constant: A = 1 + age/tau", EASIM_PARAM_DURATION,
     offsetof(struct params, tau), 1e-3, 1e9, 3600, false, NULL, EASIM_ROLE_AGEING},
    {"time_slack", "",
     "admit only configurations with T <= time_slack * T*; 1: wait for the fastest",
     EASIM_PARAM_REAL, offsetof(struct params, time_slack), 1, 1e9, EASIM_OFF, true, NULL,
     EASIM_ROLE_NONE},
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "pollux",
    .version = "1.0",
    .summary = "shortest job first by goodput, with ageing",
    .help =
        "Visits waiting jobs by T* / A, T* the least completion time on the empty cluster and A = 1 + age/tau, and\n"
        "starts each in the fastest configuration (GPUs, batch, GPU type) that fits now. "
        "time_slack leaves GPUs idle\n"
        "rather than adapt: only configurations with T <= time_slack * T* are admitted. "
        "Goodput and statistical\n"
        "efficiency are those of Pollux (Qiao et al., OSDI 2021).",
    .capabilities = EASIM_CAPABILITY_FRACTIONAL_GPU,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .reads = EASIM_READS_RUN_TIMES,
};
