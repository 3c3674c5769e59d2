/* las: least attained service first: the job that has computed least so far, by GPU-seconds, as
   Tiresias (Gu et al., NSDI'19) orders jobs whose durations it does not know. */
#include <easim/policy.h>

static void key(const struct easim_pass *pass, const struct easim_job *job, double best,
                struct easim_key *ret) {
    (void)pass, (void)best;
    ret->value = job->kept_gpu_s;
}

static const struct easim_list list = {
    .struct_size = sizeof(struct easim_list),
    .key = key,
    .round_s = 120,
};

EASIM_EXPORT const struct easim_policy easim_policy = {
    EASIM_POLICY_ABI,
    .name = "las",
    .version = "1.0",
    .summary = "least attained service first, in rounds",
    .help =
        "At every multiple of round_s all jobs compete anew, by the GPU-seconds that they have computed so far; of equal\n"
        "ones the first submitted. Work that a preemption would lose does not count: else jobs would displace each\n"
        "other for ever where checkpoints are further apart than rounds. "
        "Each gets its fastest configuration that fits;\n"
        "who gets none is preempted. Attained service as in Tiresias (Gu et al., NSDI 2019), without its queues.\n"
        "With round_s: off nobody is preempted, and the order is that of submission but for jobs that a failure stopped.",
    .capabilities = EASIM_CAPABILITY_FRACTIONAL_GPU,
    .list = &list,
    .reads = EASIM_READS_RUN_TIMES,
};
