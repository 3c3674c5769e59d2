/* tiresias: two queues by attained service, after the discretised least-attained-service order of
   Tiresias (Gu et al., NSDI'19). */
#include <easim/policy.h>

struct params {
    double threshold_gpu_s;
};

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    const struct params *p = pass->params;
    (void)best;
    ret->tier = job->held_gpu_s >= p->threshold_gpu_s;
}

static const struct easim_param params[] = {
    {"threshold_gpu_s", "GPU s", "held so far, from which on a job is in the second queue",
     EASIM_PARAM_REAL, offsetof(struct params, threshold_gpu_s), 0, 1e12, 57600, true, NULL,
     EASIM_ROLE_NONE},
};

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .round_s = 120,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "tiresias",
    .version = "1.0",
    .summary = "two queues by attained service, in rounds",
    .help =
        "At every multiple of round_s all jobs compete anew: first those that have held fewer than threshold_gpu_s\n"
        "GPU-seconds so far (set-up and lost work too), then the others, each queue in the order of submission. Each job\n"
        "gets its fastest configuration that fits; who gets none is preempted. "
        "Discretised least attained service of\n"
        "Tiresias (Gu et al., NSDI 2019) with two queues; the threshold, 16 GPU-hours, is that of the simulator of\n"
        "Pollux (Qiao et al., OSDI 2021). Nobody is promoted.",
    .capabilities = EASIM_CAPABILITY_FRACTIONAL_GPU,
    .params_size = sizeof(struct params),
    .params = params,
    .param_count = sizeof params / sizeof *params,
    .list = &list,
    .reads = EASIM_READS_RUN_TIMES,
};
